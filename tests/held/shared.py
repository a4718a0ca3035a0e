"""The shared tools as one object: the scoreboard, the coverage of official types, the oracle and the recordings.

Nothing is written beside the repository, not even bytecode.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
FOLDERS = ("corpus", "oracle", "scoreboard", "coverage")
NEEDED = ("openai", "anthropic", "google.genai", "boto3", "botocore", "pydantic", "yaml", "httpx2")
"""What the oracle imports, as far as it may be absent."""

CHAT = "openai_chat_completions"
ANTHROPIC = "anthropic_messages"
RESPONSES = "openai_responses"
PROTOCOLS = (CHAT, ANTHROPIC, RESPONSES)
PAIRS = tuple((src, dst) for src in PROTOCOLS for dst in PROTOCOLS if src != dst)
KINDS = ("request", "response")


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


@cache
def _records(corpora: ModuleType, protocol: str, kind: str) -> list[Any]:
    return list(corpora.load(SHARED / "corpus", protocol, kind))


def load() -> Tools:
    """The tools, imported. Raises AbsentError."""
    gone = [name for name in FOLDERS if not (SHARED / name).is_dir()]
    if gone:
        raise AbsentError(f"no {', '.join(gone)} in a folder `shared` beside the repository")
    lacking = [name for name in NEEDED if not _found(name)]
    if lacking:
        raise AbsentError(f"not installed: {', '.join(lacking)} (shared/oracle/requirements.txt)")
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(SHARED / name) for name in ("oracle", "scoreboard", "coverage")]
    try:
        names = ("scoreboard", "field_coverage", "generate", "corpus")
        return Tools(*(import_module(name) for name in names))
    finally:
        sys.dont_write_bytecode = before


def _found(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the package that should hold it
        return False
