"""What a response delivered is accepted in the history of the next request (LOS-6): for every provider and client,
towards the same provider and every other, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream.events import Failed
from proxai_ir.matrix.specification import spec

from ..cases import each
from ..held.shared import Tools
from ..samples import PROTOCOLS, READINGS, Sample, of, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.continuing import after, called, opening
from ..samples.gemini_generate_content import building as gemini
from ..samples.sample import Json
from ..trials import each_count, hold

PROXY: Json = {"emulate": "auto", "repair": ("calls",), "instructions": "in_place"}
"""What Exchange and gateway ask for, of requests."""

NOT_TAKEN: dict[tuple[str, str], str] = {
    ("anthropic_messages", "TUL-16"): "searches of the provider's that share an id, as only generated payloads have",
    ("gemini_generate_content", "TUL-16"): "the same",
    ("gemini_interactions", "TUL-16"): "the same",
    ("openai_responses", "R2A-3"): "a sealed compaction without a summary is its provider's state",
    ("gemini_interactions", "TUL-3"): "a result without its call, which no provider sends, in a sample of all members",
}
"""By client and rule: why a history is refused that a response brought."""
WITHOUT_OPTIONS: dict[str, str] = {
    "TUL-1": "a call that broke off is sent by none; `repair` leaves it out",
    "TUL-2": "custom tools go to targets without them as `emulate` has it",
    "TUL-5": "calls of the legacy `functions` have no ids, which `repair` gives them",
}
"""By rule: what `convert` refuses by itself."""


def fails(events: list[Any], client: str) -> bool:
    """Whether a stream ends with an error, so that no response is delivered."""
    read = proxai_ir.lower(events, client, kind="stream")
    return any(isinstance(one, Failed) for step in (*read.steps, read.ending) for one in step)


def delivered(response: Any, kind: Any, provider: str, client: str) -> Json | None:
    """What a client has of a response, or of a stream once it is folded; None where it gets an error, or is refused."""
    try:
        found = proxai_ir.compile(response, provider, client, kind=kind, model="m", seals=proxai_ir.Seals())
        if found.kind == "error" or (found.kind == "stream" and fails(found.output, client)):
            return None
        made = READINGS[client].whole(found.output) if found.kind == "stream" else found.output
        tree = proxai_ir.lower(made, client, kind="response")
    except TranslationError:
        return None
    return made if isinstance(tree, Response) and len(tree.candidates) == 1 else None


def refused(asked: Json, client: str, provider: str, **options: Any) -> set[str]:
    """The rules by which a request is refused."""
    try:
        proxai_ir.convert(asked, client, provider, kind="request", seals=proxai_ir.Seals(), **options)
    except TranslationError as error:
        return {one.rule for one in error.diagnostics}
    return set()


SEARCH: list[Json] = [
    {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "tides"}},
    {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
]
SEARCHED: list[Json] = [
    {"toolCall": {"toolType": "GOOGLE_SEARCH_WEB", "id": "s", "args": {"queries": ["tides"]}}},
    {"toolResponse": {"toolType": "GOOGLE_SEARCH_WEB", "id": "s", "response": {}}},
]
"""A search, which stands twice where ids are shared."""


class Refused(NamedTuple):
    client: str
    rule: str
    target: str
    proxied: bool
    """Whether a proxy's options are set."""


def refusals(response: Any, kind: Any, provider: str) -> Iterator[Refused]:
    """Return all refusals of a history with this response, by every client towards every target."""
    for client in PROTOCOLS:
        made = delivered(response, kind, provider, client)
        if made is None:
            continue
        asked = after(client, opening(client, *called(client, made)), made)
        for other in PROTOCOLS:
            yield from (Refused(client, rule, other, True) for rule in refused(asked, client, other, **PROXY))
            yield from (Refused(client, rule, other, False) for rule in refused(asked, client, other))


def exception(one: Refused) -> Any:
    """The entry of the tables that expects a refusal, or None."""
    if (one.client, one.rule) in NOT_TAKEN:
        return one.client, one.rule
    return one.rule if one.rule in WITHOUT_OPTIONS and not one.proxied else None


def is_taken_back(response: Any, kind: Any, provider: str) -> None:
    assert [one for one in refusals(response, kind, provider) if exception(one) is None] == []


@cache
def of_spec() -> list[tuple[str, str, str, Any]]:
    """The responses and streams that the examples of the rules begin with."""
    return [
        (one.id, one.kind, one.src, json.loads(one.given))
        for section in spec()
        for one in section.examples
        if one.kind == "response" and one.src in PROTOCOLS and _is_json(one.given)
    ]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@each("sample", samples("response", "stream"), ids=str)
def test_samples(sample: Sample) -> None:
    is_taken_back(sample.make(), sample.kind, sample.protocol)


@pytest.mark.parametrize("part", range(4))
def test_examples_of_the_rules(part: int) -> None:
    for name, kind, src, given in of_spec()[part::4]:
        try:
            is_taken_back(given, kind, src)
        except AssertionError as error:
            error.add_note(name)
            raise


@each_count
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_generated_responses(protocol: str, count: int) -> None:
    hold(lambda payload: is_taken_back(payload, "response", protocol), of(protocol).strategies["response"], count)


@pytest.mark.slow
def test_every_exception_is_needed() -> None:
    needed: set[Any] = set()

    def noting(provider: str, kind: Any = "response") -> Callable[[Any], None]:
        return lambda response: needed.update(map(exception, refusals(response, kind, provider)))

    for sample in samples("response", "stream"):
        noting(sample.protocol, sample.kind)(sample.make())
    for _, kind, src, given in of_spec():
        noting(src, kind)(given)
    noting("anthropic_messages")(anthropic.response(*SEARCH, *SEARCH, {"type": "text", "text": "Both."}))
    noting("gemini_generate_content")(gemini.response(*SEARCHED, *SEARCHED, {"text": "Both."}))
    assert (NOT_TAKEN.keys() | WITHOUT_OPTIONS.keys()) - needed == set()


EVERY = 5
"""One of so many recordings."""


def recorded(tools: Tools) -> Iterator[tuple[str, Any]]:
    for protocol in PROTOCOLS:
        for record in tools.records(protocol, "response")[::EVERY]:
            yield protocol, record


@pytest.mark.slow
def test_recordings(tools: Tools) -> None:
    for protocol, record in recorded(tools):
        try:
            is_taken_back(record.payload, "response", protocol)
        except AssertionError as error:
            error.add_note(record.id)
            raise
