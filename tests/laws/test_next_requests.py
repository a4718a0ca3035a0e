"""What a response delivered is accepted in the history of the next request (LOS-6): for every provider and client,
towards the same provider and every other, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream.events import Failed
from proxai_ir.matrix.specification import spec

from ..cases import each
from ..held.shared import Tools
from ..samples import PROTOCOLS, READINGS, Sample, of, samples
from ..samples.continuing import after, called, opening
from ..samples.sample import Json
from ..trials import each_count, hold

PROXY: Json = {"emulate": "auto", "repair": ("calls",), "instructions": "in_place"}
"""What Exchange and gateway ask for, of requests."""

NOT_TAKEN: dict[tuple[str, str], str] = {
    ("gemini_generate_content", "TUL-16"): "searches of the provider's that share an id, as generated payloads have",
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


def is_taken_back(response: Any, kind: Any, provider: str) -> None:
    for client in PROTOCOLS:
        made = delivered(response, kind, provider, client)
        if made is None:
            continue
        asked = after(client, opening(client, *called(client, made)), made)
        for other in PROTOCOLS:
            found = {rule for rule in refused(asked, client, other, **PROXY) if (client, rule) not in NOT_TAKEN}
            assert not found, (client, other, found)
            found = {rule for rule in refused(asked, client, other) if (client, rule) not in NOT_TAKEN}
            assert found <= WITHOUT_OPTIONS.keys(), (client, other, found)


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
