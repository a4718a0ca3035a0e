"""Types that came after this library end no response, whole or streamed, of any protocol (UNK-2, STR-27): what is in
such a part belongs to it, and all else arrives.

Every type of the samples' blocks, items, steps, parts, calls and deltas is replaced by one that nobody knows, blocks of
such a type are added to every list of blocks, and events to every place of a stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.ir.stream.aggregate import fold
from proxai_ir.ir.stream.events import Started
from proxai_ir.testing.pointers import at, places, pointer_to
from proxai_ir.testing.streams import fed, lowered

from ..cases import each
from ..samples import PROTOCOLS, READINGS, Sample, others, samples
from ..samples.sample import Events, Json

NEW = "x_new"
TYPED = {
    "anthropic_messages": ("content_block", "delta", "content"),
    "openai_chat_completions": ("content", "tool_calls"),
    "openai_responses": ("item", "part", "output", "content", "summary"),
    "gemini_interactions": ("step", "delta", "steps", "content", "summary"),
    "cohere_v2_chat": ("content", "tool_calls"),
    "ollama_chat": ("tool_calls",),
}
"""By protocol the members that hold objects with a `type`, or lists of such."""
NAMED = {
    "gemini_generate_content": ("parts",),
    "bedrock_converse": ("start", "delta", "content", "reasoningContent"),
}
"""The members whose objects have a member for each type."""
REPEATING = {"openai_responses"}
"""Protocols whose events repeat an object elsewhere."""
BESIDE = frozenset({"thought", "thoughtSignature", "partMetadata", "type", "videoMetadata", "mediaResolution"})
"""Members of such objects that are no types."""
EVENTS: dict[str, Json] = {
    "anthropic_messages": {"type": NEW, "index": 0},
    "openai_chat_completions": {NEW: 1},
    "openai_responses": {"type": f"response.{NEW}.delta", "output_index": 0, "item_id": "x"},
    "gemini_generate_content": {NEW: 1},
    "gemini_interactions": {"event_type": f"step.{NEW}", "index": 0},
    "bedrock_converse": {NEW: {"contentBlockIndex": 0}},
    "cohere_v2_chat": {"type": NEW, "index": 0, "delta": {"message": {}}},
}
"""By protocol an event of unknown type."""
WITHOUT = {
    "ollama_chat events": "a line without `done` is none of a stream",
    "ollama_chat types in streams": "calls are functions, and need not say so; blocks of others are added below",
    "ollama_chat types in responses": "the same",
}
"""What has nothing to replace or to add, and why."""
OF_ONE_TYPE = ({"Text", "Reasoning"}, {"Image", "Text"}, {"McpCall", "McpResult"})
"""Classes of parts that one type makes, or that stand between two texts, which are one without it."""


def held(value: Any, members: tuple[str, ...]) -> Iterator[tuple[str, Json]]:
    """Every object in one of these members, with the member's name."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in members:
                yield from ((key, one) for one in (inner if isinstance(inner, list) else [inner]) if type(one) is dict)
            yield from held(inner, members)
    elif isinstance(value, list):
        for inner in value:
            yield from held(inner, members)


def types_of(sample: Sample) -> list[tuple[str, str]]:
    """Return where and which types a stream or a response has."""
    if sample.protocol in NAMED:
        found = [(key, name) for key, one in held(sample.payload, NAMED[sample.protocol]) for name in one]
    else:
        found = [(key, one["type"]) for key, one in held(sample.payload, TYPED[sample.protocol]) if "type" in one]
    return [one for one in dict.fromkeys(found) if one[1] not in BESIDE and isinstance(one[1], str)]


def replaced(sample: Sample, place: str, kind: str) -> Any:
    """The payload with another type in place of one, wherever that stands there."""
    payload = sample.make()
    everywhere = TYPED[sample.protocol] if sample.protocol in REPEATING else (place,)
    for _, one in list(held(payload, everywhere)):
        if sample.protocol in NAMED:
            items = [(NEW if key == kind else key, value) for key, value in one.items()]
            one.clear()
            one.update(items)
        elif one.get("type") == kind:
            one["type"] = NEW
    return payload


def known_parts(events: Events, protocol: str) -> dict[str, list[Any]]:
    """Return what the response has, by the class of its parts."""
    stream = lowered(events, protocol)
    found: dict[str, list[Any]] = {}
    if any(isinstance(one, Started) for step in stream.steps for one in step):
        for candidate in fold([one for step in (*stream.steps, stream.ending) for one in step]).candidates:
            for part in candidate.parts:
                found.setdefault(type(part).__name__, []).append(evolve(part, src=None))
    return found


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(sample, place, name, id=f"{sample}: {place} {name}")
        for sample in samples(kind)
        for place, name in types_of(sample)
    ]


STREAMED, WHOLE = cases("stream"), cases("response")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_protocol_has_types_and_events_or_a_reason(protocol: str) -> None:
    """A new one is missing here until a table says where its types are."""
    there = {
        "events": protocol in EVENTS,
        "types in streams": any(case.values[0].protocol == protocol for case in STREAMED),
        "types in responses": any(case.values[0].protocol == protocol for case in WHOLE),
    }
    assert [f"{protocol} {what}" for what, has in there.items() if has is (f"{protocol} {what}" in WITHOUT)] == []


def converted(payload: Any, sample: Sample, dst: str) -> Any:
    """A conversion of a whole response, which may be left without content; None where it is refused."""
    options: Any = {"allow_empty": True} if dst == "anthropic_messages" else {}
    try:
        return proxai_ir.compile(payload, sample.protocol, dst, kind="response", **options)
    except TranslationError as error:
        assert error.rule == "PLC-3" or payload == sample.payload, error  # nothing is left but media without a place
        return None


@each(("sample", "place", "kind"), WHOLE)
def test_a_new_type_ends_no_response(sample: Sample, place: str, kind: str) -> None:
    payload = replaced(sample, place, kind)
    assert payload != sample.make()
    for dst in others(sample.protocol):
        done = converted(payload, sample, dst) if converted(sample.make(), sample, dst) else None
        rules = [one.rule for one in done.diagnostics] if done else ["UNK-2"]
        assert done is None or done.kind == "error" or any(rule.startswith(("UNK-", "IMG-4")) for rule in rules), dst


@each("sample", samples("response"), ids=str)
def test_a_new_block_ends_no_response(sample: Sample) -> None:
    """Before and behind all others of its list, with members that nobody knows."""
    new = {NEW: {"beam": 1}} if sample.protocol in NAMED else {"type": NEW, "beam": 1}
    members = (NAMED | TYPED)[sample.protocol]
    takers = [dst for dst in others(sample.protocol) if converted(sample.make(), sample, dst)]
    for path in places(sample.payload):
        listed = at(sample.payload, path)
        if not path or path[-1] not in members or not isinstance(listed, list):
            continue
        for number in (0, len(listed)):
            payload = sample.make()
            at(payload, path).insert(number, dict(new))
            for dst in takers:
                done = converted(payload, sample, dst)
                named = [one.path for one in done.diagnostics]
                assert any(f"{pointer_to((*path, number))}/".startswith(f"{one}/") for one in named if one), (path, dst)


@pytest.mark.parametrize("sample", [one for one in samples("stream") if one.protocol in EVENTS], ids=str)
def test_a_new_event_ends_no_stream(sample: Sample) -> None:
    for dst in others(sample.protocol):
        before = fed(sample.make(), sample.protocol, dst)
        for number in range(len(sample.payload) + 1) if before.error is None else ():
            events = sample.make()
            events.insert(number, EVENTS[sample.protocol] | {"beam": 1})
            done = fed(events, sample.protocol, dst)
            assert done.error is None, (dst, number)
            assert any(path.startswith(f"/{number}") for _, path in done.found()), (dst, number)


@pytest.mark.parametrize(("sample", "place", "kind"), STREAMED)
def test_a_new_type_ends_no_stream(sample: Sample, place: str, kind: str) -> None:
    events = replaced(sample, place, kind)
    assert events != sample.make()
    ending = READINGS[sample.protocol].outcomes(sample.make())[-1]
    was, left = (known_parts(one, sample.protocol) for one in (sample.make(), events))
    changed = {name for name in was | left if was.get(name) != left.get(name)} - {"UnknownPart"}
    assert len(changed) <= 1 or changed in OF_ONE_TYPE  # all else arrives
    for dst in others(sample.protocol):
        options: Any = {"allow_empty": True} if dst == "anthropic_messages" else {}
        before = fed(sample.make(), sample.protocol, dst, **options)
        if before.error is not None:  # for another reason
            continue
        done = fed(events, sample.protocol, dst, **options)
        if done.rule() == "PLC-3":  # nothing else is left but media that the target has no place for
            continue
        assert done.error is None, (dst, done.error)
        assert any(rule.startswith(("UNK-", "IMG-4")) for rule, _ in done.found()), (dst, done.found())
        assert READINGS[dst].outcomes(done.out)[-1] == READINGS[dst].outcomes(before.out)[-1], ending
