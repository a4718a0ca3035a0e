"""An unknown member at any place of any event of a stream arrives or is named (LOS-1), also where an event repeats what
others had, and where it is one of many pieces."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.testing.pointers import EXTRA, at, places, replaced
from proxai_ir.testing.streams import fed

from ..cases import each
from ..samples import Sample, others, samples

COVERED = {
    ("ollama_chat", "scores", "/1/logprobs/0"): "of scores that are named as a whole, in the first line that has some",
    ("anthropic_messages", "own", "/10/delta"): "of a block that is named as a whole, in the event that starts it",
    **{
        (
            "gemini_interactions",
            name,
            place,
        ): "of a step that is read as a whole, and named in the event that it stops with"
        for name, listed in {
            "own": """
                /5/step /5/step/arguments /6/delta /6/delta/arguments /8/step /9/delta /9/delta/result/0 /11/step
                /11/step/arguments /12/delta /12/delta/arguments /14/step /15/delta
            """,
            "own documented code": "/5/step /6/delta /6/delta/arguments /8/step /9/delta",
            "own documented search": "/2/step /3/delta /3/delta/arguments /5/step /6/delta",
        }.items()
        for place in listed.split()
    },
    **{
        (
            "bedrock_converse",
            "own",
            place,
        ): "of a block that is named as a whole, in the event that it stops with"
        for place in """
            /3/contentBlockStart/start/toolUse /7/contentBlockStart/start/toolResult
            /8/contentBlockDelta/delta/toolResult/0 /8/contentBlockDelta/delta/toolResult/0/json
            """.split()
    },
    ("openai_responses", "own", "/23/item"): "of an item that is named as a whole, in the event that it is done with",
    ("openai_responses", "own", "/26/response/output/4"): "of the same item",
    ("openai_responses", "own", "/9/item/action"): "of a call that is named as a whole, likewise",
}
"""Places that no diagnostic names by themselves, and why."""
ROUTES = [
    pytest.param(sample, dst, id=f"{sample} to {dst}")
    for sample in samples("stream")
    for dst in others(sample.protocol)
    if fed(sample.make(), sample.protocol, dst).error is None
]


@each(("sample", "dst"), ROUTES)
def test_it_arrives_or_is_named(sample: Sample, dst: str) -> None:
    events: list[Any] = sample.make()
    silent = [
        pointer
        for path in places(events)
        if isinstance(at(events, path), dict) and not _is_superseded(path, events)
        for pointer in ["".join(f"/{key}" for key in path)]
        if _is_lost(replaced(events, path, {**at(events, path), EXTRA: 1}), pointer, sample.protocol, dst)
    ]
    assert [one for one in silent if (sample.protocol, sample.name, one) not in COVERED] == []


def _is_lost(events: list[Any], pointer: str, src: str, dst: str) -> bool:
    done = fed(events, src, dst)
    named = [one.path for one in done.diagnostics if one.path]
    return (
        done.error is None
        and EXTRA not in repr(done.out)
        and not any(f"{pointer}/{EXTRA}" == one or f"{pointer}/".startswith(f"{one}/") for one in named)
    )


def _is_superseded(path: tuple[Any, ...], events: list[Any]) -> bool:
    """Usage so far, of which the last report counts."""
    return "usageMetadata" in path and any("usageMetadata" in one for one in events[path[0] + 1 :])


def test_what_is_repeated_is_named_once() -> None:
    """Where each event has it, as servers send a new member: the first one of a kind of object is named (STR-14)."""
    (talk,) = [one for one in samples("stream") if (one.protocol, one.name) == ("openai_responses", "talk")]
    events: list[Any] = talk.make()
    for event in events:
        for holder in (event.get("item"), event.get("part"), event.get("response")):
            if holder is not None:
                holder[EXTRA] = 1
        for item in (event.get("response") or {}).get("output") or ():
            item[EXTRA] = 1
    done = proxai_ir.compile(events, "openai_responses", "openai_chat_completions", kind="stream")
    named = [one.path for one in done.diagnostics if one.path.endswith(EXTRA)]
    assert named == [
        f"/0/response/{EXTRA}",
        f"/2/item/{EXTRA}",
        f"/3/part/{EXTRA}",
        f"/10/part/{EXTRA}",
    ]
