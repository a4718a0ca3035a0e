"""The judge of requests of a generated session: a server or a model refuses one, or it lacks what was said.

What was said is held as words by their speakers, apart from all payloads; requests are read by the documents of their
protocols, as `tests.samples.*.reading` has them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from proxai_ir import Diagnostic
from proxai_ir.profiles.models import maker
from proxai_ir.testing.conform import arrives, leaves

from ..clouds import judge as of_clouds
from ..samples import READINGS
from ..samples.sample import Conversation, Json
from ..servers.models import JUDGES
from ..servers.models import refusals as of_models
from ..servers.official import server
from .answers import seal
from .clients import BEDROCK, CHAT, GEMINI, INTERACTIONS, MESSAGES, RESPONSES
from .plans import Place

Headers = Mapping[str, str]
WORD = re.compile(r"z[a-z]\d+(?:x\d+)?q")

SERVERS = {
    (CHAT, "openai"): "openai_chat",
    (CHAT, "deepseek"): "deepseek",
    (CHAT, "mistral"): "mistral",
    (RESPONSES, "openai"): "openai_responses",
    (MESSAGES, "anthropic"): "anthropic_2023_06_01",
    (GEMINI, "google"): "gemini_api",
    (INTERACTIONS, "google"): "interactions_api",
    (BEDROCK, "bedrock"): "bedrock",
}
"""The server that a model is behind, where there is a model of that, by protocol and vendor."""


class Said(NamedTuple):
    """A word, and of which turn it is.

    speaker  "system", "user", "assistant", "refusal", "call", "result" or "thought"
    of       the word of the call whose result it is; the protocol that a thought was signed in
    name     the name of the function that is called; the maker of the model that thought
    """

    speaker: str
    word: str
    turn: int
    of: str = ""
    name: str = ""


def refused(place: Place, payload: Json, headers: Headers) -> list[str]:
    """Return what the model and its server refuse."""
    protocol, model = place.protocol, place.model
    found: list[str] = []
    if (protocol, model) in JUDGES:
        found += [f"{at} {check.message}" for at, check in of_models(protocol, model, payload)]
    if place.cloud and protocol == MESSAGES and place.cloud in of_clouds.JUDGES:
        betas = payload.get("anthropic_beta") or [one for one in headers.get("anthropic-beta", "").split(",") if one]
        asked = {"model": model, "betas": betas, "body": payload}
        found += [f"{at} {check.message}" for at, check in of_clouds.refusals(place.cloud, asked)]
    if not place.cloud and (name := _server(place)):
        found += server(name).refusals(payload, headers)
    return found


def _server(place: Place) -> str | None:
    older = "gemini-2.5" in place.model
    if place.protocol == GEMINI and place.model.startswith("publishers/"):
        return None if older else "vertex_ai"
    if place.protocol == GEMINI and older:
        return "gemini_2_5"
    return SERVERS.get((place.protocol, place.vendor))


# --- what was said ----------------------------------------------------------------------------------------------------


def lacks(payload: Json, place: Place, said: list[Said], asked: Json, named: Iterable[Diagnostic]) -> Iterator[str]:
    """Yield what a request to a place lacks of what was said, or has elsewhere; what a diagnostic names is not
    wrong."""
    names = [one.path for one in named]
    text = json.dumps(payload)
    gone = [one for one in said if one.word not in text]
    for one in gone:
        pointers = [at for at, leaf in leaves(asked) if isinstance(leaf, str) and one.word in leaf]
        if not pointers or not all(_named(at, names) for at in pointers):
            yield f"lost: {one.speaker} {one.word} at {pointers}"
    try:
        found = READINGS[place.protocol].conversation(payload)
    except Exception as error:
        yield f"unreadable: {error!r}"
        return
    yield from _elsewhere(found, [one for one in said if one not in gone])
    yield from _out_of_order(text, said)


def _named(pointer: str, names: Iterable[str]) -> bool:
    return any(path and (pointer == path or pointer.startswith(f"{path}/")) for path in names)


OTHERWISE = frozenset(
    "model id call_id tool_call_id tool_use_id toolUseId tool_name signature thoughtSignature encrypted_content data "
    "redactedContent thought_signature effort reasoning_effort thinking_level thinkingLevel mode budget_tokens summary "
    "thinking_summaries service_tier tool_choice".split()
)
"""Members that have another form elsewhere: references, whose pairs are judged, seals, words of vocabularies."""


def silent(payload: Json, asked: Json, named: Iterable[Diagnostic]) -> Iterator[str]:
    """Yield leaves of a request that are not in what was made of it, and that no diagnostic names."""
    names, text = [one.path for one in named], json.dumps(payload)
    for pointer, leaf in leaves(asked):
        if pointer.rpartition("/")[2] in OTHERWISE or leaf == "web_search" or json.dumps(leaf).strip('"') in text:
            continue
        if not arrives(leaf, payload) and not _named(pointer, names):
            yield f"silent: {pointer} {leaf!r:.80}"


def _elsewhere(found: Conversation, said: list[Said]) -> Iterator[str]:
    spoken = {"user": found.user, "assistant": found.assistant}
    for speaker, texts in spoken.items():
        heard = WORD.findall(" ".join(texts))
        expected = [one.word for one in said if one.speaker == speaker]
        if [one for one in heard if one in expected] != expected:
            yield f"{speaker}: said {expected}, found {heard}"
    calls = {words[0]: (identity, name) for identity, name, given in found.calls if (words := _words(given))}
    results = [(identity, word) for identity, texts in found.results for word in _words(texts)]
    for one in said:
        if one.speaker == "call" and calls.get(one.word, ("", ""))[1] != one.name:
            yield f"call {one.word} of {one.name}: found {calls.get(one.word)}"
        if one.speaker == "result" and one.of in calls and (calls[one.of][0], one.word) not in results:
            yield f"result {one.word} of {one.of}: found {results} of {calls}"


def foreign(text: str, client: str, place: Place, said: list[Said]) -> Iterator[str]:
    """Yield signatures for a model of another maker; those of the client's own protocol go where the client sends
    them."""
    for one in said:
        as_own = client in (one.of, place.protocol) or (client == BEDROCK and one.name == "anthropic")
        signed = one.speaker == "thought" and not as_own and seal(one.turn) in text
        if signed and one.name != maker(place.model):
            yield f"the signature of {one.name} of turn {one.turn} for a model of {maker(place.model) or 'nobody'}"


def _words(value: Any) -> list[str]:
    return WORD.findall(json.dumps(value))


def _out_of_order(text: str, said: list[Said]) -> Iterator[str]:
    """Yield turns that do not stand one after the other; within one the order is the protocol's."""
    turns = {one.word: one.turn for one in said if one.speaker not in ("system", "thought")}
    found = [turns[word] for word in WORD.findall(text) if word in turns]
    if found != sorted(found):
        yield f"order of turns: {found}"
