"""The shared tools as one object: the scoreboard, the coverage of official types, the oracle and the recordings.

Nothing is written outside the repository, not even bytecode.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson

from ..samples import PROTOCOLS
from ..samples.sample import Events, Json

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
FOLDERS = ("corpus", "oracle", "scoreboard", "coverage")
NEEDED = ("openai", "anthropic", "google.genai", "boto3", "botocore", "pydantic", "yaml", "httpx2")
"""What the oracle imports, as far as it may be absent."""

CHAT = "openai_chat_completions"
ANTHROPIC = "anthropic_messages"
RESPONSES = "openai_responses"
GEMINI = "gemini_generate_content"
BEDROCK = "bedrock_converse"
COHERE = "cohere_v2_chat"
OLLAMA = "ollama_chat"
INTERACTIONS = "gemini_interactions"
KINDS = ("request", "response")
STREAMED_CUSTOM_CALL = "'custom' is not one of ['function']"
"""The official type of chunks knows calls of functions only; calls of custom tools stream in the form of a message's
(STR-5)."""
LINE_ENDS = str.maketrans(dict.fromkeys("\u0085\u2028\u2029", " "))
"""What Ollama's client takes for the end of a line: the library writes it escaped, the judge does not."""
SEED = 20
Accumulate = Callable[[str, Events], Json]


def recorded(kind: str) -> tuple[str, ...]:
    """The protocols of which there are recordings of a kind."""
    return tuple(one for one in PROTOCOLS if (SHARED / "corpus" / f"{one}.{kind}.jsonl.gz").is_file())


RECORDED = recorded("stream")
"""The protocols that are held to recordings and judges: others have none, and are held to their samples alone."""


def pairs(known: Iterable[str] = RECORDED) -> list[tuple[str, str]]:
    """The pairs of recorded protocols, among those that a table of the test knows."""
    those = [one for one in RECORDED if one in known]
    return [(src, dst) for src in those for dst in those if src != dst]


class AbsentError(Exception):
    """The shared tools cannot be used here, and why."""


@dataclass(frozen=True)
class Tools:
    scoreboard: ModuleType
    coverage: ModuleType
    generate: ModuleType
    corpora: ModuleType

    def records(self, protocol: str, kind: str) -> list[Any]:
        """Every recording of a protocol and kind."""
        return _records(self.corpora, protocol, kind)

    def streams(self, protocol: str) -> dict[str, Events]:
        """Every recorded stream of a protocol, by its name."""
        return {record.id: record.payload for record in self.records(protocol, "stream")}

    def stream_errors(self, protocol: str, events: Events) -> list[Any]:
        """What the oracle finds wrong in a stream."""
        oracle = self.scoreboard.oracle
        if protocol == OLLAMA:
            events = json.loads(json.dumps(events, ensure_ascii=False).translate(LINE_ENDS))
        found: list[Any] = oracle.errors(oracle.check_stream(protocol, events))
        return [one for one in found if not one.message.startswith(STREAMED_CUSTOM_CALL)]

    def accumulated(self, protocol: str, events: Events) -> Json | None:
        """The response that the official client makes of a stream; None where it refuses to read it."""
        oracle = self.scoreboard.oracle
        try:
            response: Json = oracle.accumulate(protocol, events)
        except oracle.ClientRejected:
            return None
        return response

    def is_off(self, protocol: str, name: str) -> bool:
        """Whether the oracle finds errors in a recorded stream, or the official client does not read it."""
        return _is_off(self, protocol, name)

    def core(self, protocol: str, response: Json) -> Any:
        """The content of a response, as the scoreboard sees it."""
        return self.scoreboard.core(protocol, "response", response)

    def core_of(self, src: str, protocol: str, response: Json) -> Any:
        """The same of what was converted from `src`, with searches first: Gemini tells them with a stream's end."""
        core = self.core(protocol, response)
        if (src, protocol) == (GEMINI, RESPONSES):
            core["output"].sort(key=lambda item: item.get("item") != "web_search_call")
        return core


ADDED = "response.output_item.added"


def has_paragraphs(protocol: str, response: Json) -> bool:
    """Whether a response, or the events of one, has several messages: paragraphs where they become one text (PLC-8)."""
    if protocol != RESPONSES:
        return False
    if isinstance(response, dict):
        items = response.get("output") or []
    else:
        begun = [event for event in response if isinstance(event, dict) and event["type"] == ADDED]
        items = [event["item"] for event in begun]
    return [item.get("type") for item in items].count("message") > 1


@cache
def _records(corpora: ModuleType, protocol: str, kind: str) -> list[Any]:
    return list(corpora.load(SHARED / "corpus", protocol, kind))


@cache
def _is_off(tools: Tools, protocol: str, name: str) -> bool:
    events = tools.streams(protocol)[name]
    return bool(tools.stream_errors(protocol, events)) or tools.accumulated(protocol, events) is None


def load() -> Tools:
    """The tools, imported. Raises AbsentError."""
    gone = [name for name in FOLDERS if not (SHARED / name).is_dir()]
    if gone:
        raise AbsentError(f"no {', '.join(gone)} in a folder `shared` next to the repository")
    lacking = [name for name in NEEDED if not _found(name)]
    if lacking:
        raise AbsentError(f"not installed: {', '.join(lacking)} (shared/oracle/requirements.txt)")
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(SHARED / name) for name in ("oracle", "scoreboard", "coverage")]
    try:
        names = ("scoreboard", "field_coverage", "generate", "corpus")
        made = Tools(*(import_module(name) for name in names))
    finally:
        sys.dont_write_bytecode = before
    made.scoreboard.oracle.accumulate = remembering(made.scoreboard.oracle.accumulate)
    return made


def remembering(accumulate: Accumulate) -> Accumulate:
    """The official clients' accumulators, the slowest of all judges, asked once for each stream, not for each target
    that it is converted to and each question about it."""
    found: dict[bytes, bytes | Exception] = {}

    def remembered(protocol: str, events: Events) -> Json:
        try:
            key = sha256(orjson.dumps([protocol, events])).digest()
        except TypeError:  # no JSON
            return accumulate(protocol, events)
        if key not in found:
            try:
                found[key] = orjson.dumps(accumulate(protocol, events))
            except Exception as error:  # the client's, which is what is to be known
                found[key] = error
        known = found[key]
        if isinstance(known, Exception):
            raise known
        again: dict[str, Any] = orjson.loads(known)
        return again

    return remembered


def _found(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the package that should hold it
        return False


def some(items: list[Any], size: int) -> list[Any]:
    """Always the same few of many."""
    return random.Random(SEED).sample(items, min(size, len(items)))
