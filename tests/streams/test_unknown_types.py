"""Types that came after this library: what is in such a part belongs to it, and the stream goes on (STR-27).

Every type of the samples' blocks, items, steps, parts and deltas is replaced by one that nobody knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve

from proxai_ir.ir.stream.aggregate import fold
from proxai_ir.ir.stream.events import Started
from proxai_ir.testing.streams import fed, lowered

from ..samples import READINGS, Sample, others, samples
from ..samples.sample import Events, Json

NEW = "x_new"
TYPED = {
    "anthropic_messages": ("content_block", "delta"),
    "openai_responses": ("item", "part", "output", "content", "summary"),
    "gemini_interactions": ("step", "delta", "content", "summary"),
    "cohere_v2_chat": ("content", "tool_calls"),
}
"""By protocol the members that hold objects with a `type`, or lists of such."""
NAMED = {
    "gemini_generate_content": ("parts",),
    "bedrock_converse": ("start", "delta", "reasoningContent"),
}
"""The members whose objects have a member for each type."""
REPEATING = {"openai_responses"}
"""Protocols whose events repeat an object elsewhere."""
BESIDE = frozenset({"thought", "thoughtSignature", "partMetadata", "type", "videoMetadata", "mediaResolution"})
"""Members of such objects that are no types."""
OF_ONE_TYPE = ({"Text", "Reasoning"}, {"Image", "Text"}, {"McpCall", "McpResult"})
"""Classes of parts that one type makes, or that stand between two texts, which are one without it."""
STREAMS = [one for one in samples("stream") if one.protocol in TYPED or one.protocol in NAMED]


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
    """Where and which types a stream has."""
    if sample.protocol in NAMED:
        found = [(key, name) for key, one in held(sample.payload, NAMED[sample.protocol]) for name in one]
    else:
        found = [(key, one["type"]) for key, one in held(sample.payload, TYPED[sample.protocol]) if "type" in one]
    return [one for one in dict.fromkeys(found) if one[1] not in BESIDE and isinstance(one[1], str)]


def replaced(sample: Sample, place: str, kind: str) -> Events:
    """The stream with another type in place of one, wherever that stands there."""
    events: Events = sample.make()
    everywhere = TYPED[sample.protocol] if sample.protocol in REPEATING else (place,)
    for _, one in list(held(events, everywhere)):
        if sample.protocol in NAMED:
            items = [(NEW if key == kind else key, value) for key, value in one.items()]
            one.clear()
            one.update(items)
        elif one.get("type") == kind:
            one["type"] = NEW
    return events


def known_parts(events: Events, protocol: str) -> dict[str, list[Any]]:
    """What the response has, by the class of its parts."""
    stream = lowered(events, protocol)
    found: dict[str, list[Any]] = {}
    if any(isinstance(one, Started) for step in stream.steps for one in step):
        for candidate in fold([one for step in (*stream.steps, stream.ending) for one in step]).candidates:
            for part in candidate.parts:
                found.setdefault(type(part).__name__, []).append(evolve(part, src=None))
    return found


CASES = [
    pytest.param(sample, place, kind, id=f"{sample}: {place} {kind}")
    for sample in STREAMS
    for place, kind in types_of(sample)
]


@pytest.mark.parametrize(("sample", "place", "kind"), CASES)
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
