"""A recorded conversation that is cut where the model's turn begins is converted to what the whole one begins with:
tools, instructions and all parts in order, so that prompt caches hit (PLC-25, PLC-60)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, TranslationError, profiles

from ..servers.prefix_cache import PIECES
from .shared import ANTHROPIC, CHAT, GEMINI, RECORDED, RESPONSES, Tools

Json = Any

OPTIONS: Any = {"instructions": "in_place", "repair": ("calls",), "emulate": "auto"}
"""Those of an Exchange."""
TURNS = {CHAT: "messages", RESPONSES: "input", ANTHROPIC: "messages", GEMINI: "contents"}
TARGETS: tuple[Profile, ...] = (
    *map(Profile, filter(PIECES.__contains__, RECORDED)),
    profiles.for_model(CHAT, "gpt-5.6-luna"),
    profiles.for_model(RESPONSES, "gpt-6.2-sol"),
    profiles.for_model(ANTHROPIC, "claude-sonnet-5-5"),
    profiles.for_model(ANTHROPIC, "claude-haiku-4-5"),
    profiles.for_model(GEMINI, "gemini-3.8-flash"),
    profiles.for_model(GEMINI, "gemini-2.5-pro"),
)
FOUND = {CHAT: 150, RESPONSES: 160, ANTHROPIC: 180, GEMINI: 140}
"""How many recordings have a turn of the model's to cut before, at least."""
SAMPLE = 20


def of_model(protocol: str, turn: Json) -> bool:
    """Whether the model said it; of Responses, whose results are items of their own, also what its tools did."""
    role = turn.get("role")
    if protocol == RESPONSES and role is None:
        return not str(turn.get("type", "")).endswith(("_output", "tools"))
    return role in ("assistant", "model")


def calls(protocol: str, turn: Json) -> Iterator[str]:
    """The calls in a turn that wait for a result of the client's, by id or name."""
    if protocol == CHAT:
        yield from (one["id"] for one in turn.get("tool_calls") or ())
    elif protocol == ANTHROPIC and isinstance(turn["content"], list):
        yield from (block["id"] for block in turn["content"] if block["type"] == "tool_use")
    elif protocol == RESPONSES and str(turn.get("type", "")).endswith("_call") and "call_id" in turn:
        yield turn["call_id"]
    elif protocol == GEMINI:
        yield from (part["functionCall"]["name"] for part in turn.get("parts") or () if part.get("functionCall"))


def results(protocol: str, turn: Json) -> Iterator[str]:
    if protocol == CHAT and turn["role"] == "tool":
        yield turn["tool_call_id"]
    elif protocol == ANTHROPIC and isinstance(turn["content"], list):
        yield from (block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result")
    elif protocol == RESPONSES and str(turn.get("type", "")).endswith("_output") and "call_id" in turn:
        yield turn["call_id"]
    elif protocol == GEMINI:
        parts = turn.get("parts") or ()
        yield from (part["functionResponse"]["name"] for part in parts if part.get("functionResponse"))


def cuts(protocol: str, payload: Json) -> Iterator[Json]:
    """The requests before: all that end where the model began to speak, with a result for each of its calls."""
    turns = payload[TURNS[protocol]]
    if not isinstance(turns, list):
        return
    waiting: list[str] = []
    for index, turn in enumerate(turns):
        begins = index and of_model(protocol, turn) and not of_model(protocol, turns[index - 1])
        if begins and not waiting:
            yield {**payload, TURNS[protocol]: turns[:index]}
        waiting += calls(protocol, turn)
        for one in results(protocol, turn):
            if one in waiting:
                waiting.remove(one)


def prompt(payload: Json, source: str, target: Profile) -> list[Any] | None:
    try:
        made = proxai_ir.convert(payload, source, target, kind="request", model="m", **OPTIONS)
    except TranslationError:
        return None
    return list(PIECES[target.protocol](made))


def misses(source: str, target: Profile, payload: Json) -> Iterator[tuple[int, Any]]:
    """Where a cut's prompt is not what the whole one begins with, by the number of its turns.

    Tools that stand in the conversation are tools of the whole request for most targets: there the list grows.
    """
    before = [*cuts(source, payload)]
    whole = prompt(payload, source, target) if before else None
    if whole is None:
        return
    for cut in before:
        begun = prompt(cut, source, target) or []
        skipped = 1 if grown(payload, target) and begins(begun[:1], whole[:1]) else 0
        for at, piece in enumerate(begun[skipped:], skipped):
            if whole[at : at + 1] != [piece]:
                yield len(cut[TURNS[source]]), (piece, whole[at : at + 1])
                break


def grown(payload: Json, target: Profile) -> bool:
    """Return whether later turns add tools: by a search, by the client, or because calls alone show them.

    The last are defined for Converse only, which refuses calls of tools that are not defined.
    """
    items = payload["input"] if isinstance(payload.get("input"), list) else []
    shown = target.protocol == "bedrock_converse" and not payload.get("tools")
    return shown or any(item.get("tools") for item in items)


def begins(cut: list[Any], whole: list[Any]) -> bool:
    """Whether all tools before are among those of the whole, in their order, at its beginning."""
    before, after = ([json.loads(tools) or [] for _, tools in one] for one in (cut, whole))
    return all(declared(b)[: len(declared(a))] == declared(a) for a, b in zip(before, after, strict=True))


def declared(tools: Json) -> list[Json]:
    """One by one, of lists within the list, too, as Gemini has them, and within an object, as Converse has them."""
    listed = tools.get("tools") or [] if isinstance(tools, dict) else tools
    return [one for tool in listed for one in tool.get("functionDeclarations", [tool])]


@cache
def with_cuts(tools: Tools, source: str) -> list[Any]:
    """The longest conversations first."""
    found = [one for one in tools.records(source, "request") if next(cuts(source, one.payload), None)]
    return sorted(found, key=lambda one: -len(one.payload[TURNS[source]]))


def summed_up(source: str, target: Profile, payload: Json) -> bool:
    """Whether a summary stands for turns before it, which are not sent from then on (PLC-63)."""
    try:
        found = proxai_ir.check(payload, source, target, kind="request", model="m", **OPTIONS)
    except TranslationError:
        return False
    return any(one.rule == "PLC-63" for one in found)


def lasting(source: str, target: Profile, tools: Tools, most: int | None = None) -> int:
    """How many recordings have cuts; all of which are held to the law."""
    records = with_cuts(tools, source)
    wrong = {
        one.id: found
        for one in records[:most]
        if (found := [*misses(source, target, one.payload)]) and not summed_up(source, target, one.payload)
    }
    assert wrong == {}
    return len(records)


PAIRS = [(source, target) for target in TARGETS for source in TURNS if source != target.protocol]
IDS = [f"{source}-{target.protocol}-{index}" for index, (source, target) in enumerate(PAIRS)]


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=IDS)
def test_a_cut_conversation_is_the_beginning_of_the_whole(source: str, target: Profile, tools: Tools) -> None:
    lasting(source, target, tools, SAMPLE)


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), PAIRS, ids=IDS)
def test_every_cut_conversation_is_the_beginning_of_the_whole(source: str, target: Profile, tools: Tools) -> None:
    assert lasting(source, target, tools) >= FOUND[source]


# --- what the law does not hold for -----------------------------------------------------------------------------------

CALLS: Json = [
    {"role": "user", "content": "Both?"},
    {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
    {"type": "function_call", "call_id": "b", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "1"},
    {"type": "function_call_output", "call_id": "b", "output": "2"},
]
FUNCTION: Json = {"type": "function", "name": "f", "strict": False, "parameters": {"type": "object", "properties": {}}}


def test_a_cut_within_parallel_calls_is_no_beginning() -> None:
    """The call that waits gets a result of its own (PLC-15), which its real one takes the place of."""
    whole: Json = {"model": "m", "tools": [FUNCTION], "input": CALLS}
    cut = {**whole, "input": CALLS[:4]}
    made = [prompt(one, RESPONSES, Profile(ANTHROPIC)) for one in (cut, whole)]
    assert made[0] is not None
    assert made[1] is not None
    assert made[1][: len(made[0])] != made[0]


def test_tools_that_stand_in_the_conversation_come_with_it() -> None:
    later = {**FUNCTION, "name": "g"}
    search = {"type": "tool_search_call", "call_id": "s", "execution": "client", "arguments": {}}
    found = {"type": "tool_search_output", "call_id": "s", "execution": "client", "tools": [later]}
    asked: Json = {"model": "m", "tools": [FUNCTION], "input": [CALLS[0]]}
    whole = {**asked, "input": [CALLS[0], search, found]}
    before, after = (proxai_ir.convert(one, RESPONSES, CHAT, kind="request", **OPTIONS) for one in (asked, whole))
    assert [tool["function"]["name"] for tool in before["tools"]] == ["f"]
    assert [tool["function"]["name"] for tool in after["tools"]] == ["f", "g"]
