"""Claude behind Converse: what each model's judge refuses and what its neighbour takes, by hand; and what the table of
models makes of recorded requests, held against the judges."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from tests.held.shared import Tools
from tests.servers.models import bedrock
from tests.servers.models.carried import carried
from tests.servers.models.judge import CONVERSE, VOCABULARY, Json
from tests.servers.models.measure import measured
from tests.servers.models.test_judges import Case, holds, unshown

ALL = [name for _, name in bedrock.JUDGES]


def these(*parts: str) -> str:
    """The models whose names have one of these parts, as `opus-4-1-`."""
    return " ".join(name for name in ALL if any(part in f"{name}-" for part in parts))


def others(*parts: str) -> str:
    return " ".join(name for name in ALL if name not in these(*parts).split())


NEVER = these("3-5-sonnet", "3-haiku")
OLD = these("3-7-sonnet", "sonnet-4-2", "opus-4-2")
MANUAL_ONLY = these("3-7-sonnet", "sonnet-4-2", "opus-4-2", "opus-4-1-", "-4-5-")
BUDGETS = f"{MANUAL_ONLY} {these('-4-6-')}"
SAMPLED = f"{NEVER} {BUDGETS}"
CURRENT = others("3-", "sonnet-4-2", "opus-4-2", "opus-4-1-", "-4-5-", "-4-6-")
ALWAYS = these("fable", "mythos", "opus-5-5-")
UNFORCED = these("-5-1-", "-5-2-", "opus-5-5-", "sonnet-5-5-")
FORMATTED = these("-4-5-", "-4-6-")


def inference(**settings: Json) -> Json:
    return {"inferenceConfig": settings}


def added(**fields: Json) -> Json:
    return {"additionalModelRequestFields": fields}


def thinking(kind: str, **more: Json) -> Json:
    return added(thinking={"type": kind, **more})


def effort(level: str) -> Json:
    return {"outputConfig": {"effort": level}}


def joined(*parts: Json) -> Json:
    made: Json = {}
    for part in parts:
        for name, value in part.items():
            made[name] = {**made[name], **value} if isinstance(made.get(name), dict) else value
    return made


def function(strict: Json = None, **schema: Json) -> Json:
    spec = {"name": "f", "inputSchema": {"json": {"type": "object", **schema}}}
    return {"toolConfig": {"tools": [{"toolSpec": {**spec, **({} if strict is None else {"strict": strict})}}]}}


def choice(kind: str, **members: Json) -> Json:
    return {"toolConfig": {**FUNCTION["toolConfig"], "toolChoice": {kind: members}}}


def output(schema: str) -> Json:
    structure = {"jsonSchema": {"schema": schema}}
    return {"outputConfig": {"textFormat": {"type": "json_schema", "structure": structure}}}


def said(*turns: tuple[str, Json]) -> Json:
    return {"messages": [{"role": role, "content": [block]} for role, block in turns]}


FUNCTION = function()
CLOSED = function(True, additionalProperties=False)
MANUAL = joined(thinking("enabled", budget_tokens=2048), inference(maxTokens=9000))
ROOM = inference(maxTokens=9000)
USE = {"toolUse": {"toolUseId": "a", "name": "f", "input": {}}}
RESULT = {"toolResult": {"toolUseId": "a", "content": [{"text": "4"}]}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "So", "signature": "s"}}}
HI = {"text": "Hi"}
ALONE = {"tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}
OPEN, SHUT = '{"type": "object"}', '{"type": "object", "additionalProperties": false}'
SIZED = '{"type": "object", "additionalProperties": false, "properties": {"a": {"type": "array", "maxItems": 2}}}'


def case(refused: Json, passes: Json, pointer: str, by: str, taken_by: str = "") -> Case:
    return Case(CONVERSE, refused, passes, pointer, by, taken_by)


FIELDS = "/additionalModelRequestFields"
PLAIN = {"document": {"format": "txt", "name": "d", "source": {"text": "06:12"}}}
CITED = {"document": {**PLAIN["document"], "citations": {"enabled": True}}}
POINT = {"cachePoint": {"type": "default"}}


def asked(*blocks: Json) -> Json:
    return {"messages": [{"role": "user", "content": [*blocks]}]}


CASES = (
    case(asked(RESULT, HI, PLAIN), asked(RESULT, HI), "/messages/0/content/2", " ".join(ALL)),
    case(asked(HI, PLAIN, POINT), asked(HI, CITED, POINT), "/messages/0/content/2", " ".join(ALL)),
    case(inference(temperature=0.2), inference(temperature=1), "/inferenceConfig/temperature", CURRENT, SAMPLED),
    case(inference(topP=0.5), {}, "/inferenceConfig/topP", CURRENT, SAMPLED),
    case(
        inference(temperature=1, topP=0.99),
        inference(temperature=1),
        "/inferenceConfig/topP",
        others("3-", "sonnet-4-2", "opus-4-2"),
        f"{NEVER} {OLD}",
    ),
    case(inference(temperature=1.5), inference(temperature=1), "/inferenceConfig/temperature", " ".join(ALL)),
    case(
        inference(stopSequences=[" "]),
        inference(stopSequences=["."]),
        "/inferenceConfig/stopSequences/0",
        " ".join(ALL),
    ),
    case(thinking("disabled"), {}, f"{FIELDS}/thinking", NEVER),
    case(joined(thinking("adaptive"), ROOM), MANUAL, f"{FIELDS}/thinking/type", MANUAL_ONLY),
    case(MANUAL, thinking("adaptive"), f"{FIELDS}/thinking/type", CURRENT, BUDGETS),
    case(
        thinking("disabled"),
        thinking("adaptive"),
        f"{FIELDS}/thinking/type",
        ALWAYS,
        f"us.{bedrock.OPUS}-4-7 us.{bedrock.OPUS}-5 anthropic.claude-haiku-5-5",
    ),
    case(thinking("disabled"), thinking("between_tools"), f"{FIELDS}/thinking/type", these("sonnet-5-5-")),
    case(
        thinking("between_tools"),
        {},
        f"{FIELDS}/thinking/type",
        " ".join(one for one in (BUDGETS + " " + CURRENT).split() if "sonnet-5-5" not in one),
    ),
    case(added(thinking={"display": "summarized"}), {}, f"{FIELDS}/thinking", " ".join(ALL)),
    case(joined(thinking("enabled"), ROOM), MANUAL, f"{FIELDS}/thinking", BUDGETS),
    case(joined(thinking("enabled", budget_tokens=512), ROOM), MANUAL, f"{FIELDS}/thinking/budget_tokens", BUDGETS),
    case(thinking("enabled", budget_tokens=4096), MANUAL, f"{FIELDS}/thinking/budget_tokens", BUDGETS),
    case(
        joined(MANUAL, inference(maxTokens=2048)),
        joined(MANUAL, inference(maxTokens=2049)),
        f"{FIELDS}/thinking/budget_tokens",
        BUDGETS,
    ),
    case(joined(MANUAL, choice("any")), joined(MANUAL, choice("auto")), "/toolConfig/toolChoice/any", BUDGETS),
    case(
        joined(thinking("adaptive"), choice("any")),
        joined(thinking("adaptive"), choice("auto")),
        "/toolConfig/toolChoice/any",
        f"{these('-4-6-')} us.{bedrock.OPUS}-4-7",
        f"us.{bedrock.OPUS}-4-8",
    ),
    case(
        joined(MANUAL, FUNCTION, added(tool_choice={"type": "tool", "name": "f"})),
        joined(MANUAL, FUNCTION),
        f"{FIELDS}/tool_choice/type",
        BUDGETS,
    ),
    case(
        joined(MANUAL, said(("user", HI), ("assistant", USE), ("user", RESULT))),
        joined(MANUAL, said(("user", HI), ("assistant", THOUGHT), ("user", RESULT))),
        "/messages/1/content/0",
        BUDGETS,
    ),
    case(
        joined(MANUAL, inference(temperature=0.5)),
        joined(MANUAL, inference(temperature=1)),
        "/inferenceConfig/temperature",
        BUDGETS,
    ),
    case(joined(MANUAL, added(top_k=5)), MANUAL, f"{FIELDS}/top_k", BUDGETS),
    case(joined(MANUAL, inference(topP=0.5)), joined(MANUAL, inference(topP=0.95)), "/inferenceConfig/topP", BUDGETS),
    case(
        joined(thinking("disabled"), effort("xhigh")),
        joined(thinking("disabled"), effort("high")),
        "/outputConfig/effort",
        f"us.{bedrock.OPUS}-5 anthropic.claude-haiku-5-5",
    ),
    case(
        joined(thinking("between_tools"), effort("max")),
        joined(thinking("between_tools"), effort("high")),
        "/outputConfig/effort",
        "anthropic.claude-sonnet-5-5",
    ),
    case(
        thinking("between_tools", display="omitted"),
        thinking("between_tools"),
        f"{FIELDS}/thinking/display",
        "anthropic.claude-sonnet-5-5",
    ),
    case(effort("low"), {}, "/outputConfig/effort", f"{NEVER} {MANUAL_ONLY}", f"{these('-4-6-')} {CURRENT}"),
    case(effort("xhigh"), effort("max"), "/outputConfig/effort", these("-4-6-"), CURRENT),
    case(effort("minimal"), effort("low"), "/outputConfig/effort", CURRENT),
    case(
        choice("any"),
        choice("auto"),
        "/toolConfig/toolChoice/any",
        UNFORCED,
        f"{BUDGETS} us.anthropic.claude-fable-5 anthropic.claude-haiku-5-5",
    ),
    case(joined(choice("auto"), added(**ALONE)), FUNCTION, f"{FIELDS}/tool_choice/type", " ".join(ALL)),
    case(
        joined(FUNCTION, added(tool_choice={"disable_parallel_tool_use": False})),
        FUNCTION,
        f"{FIELDS}/tool_choice",
        " ".join(ALL),
    ),
    case(
        added(tool_choice={"type": "none"}),
        joined(FUNCTION, added(tool_choice={"type": "none"})),
        f"{FIELDS}/tool_choice",
        " ".join(ALL),
    ),
    case(
        joined(FUNCTION, added(**ALONE)),
        FUNCTION,
        f"{FIELDS}/tool_choice/disable_parallel_tool_use",
        these("3-", "sonnet-4-2", "opus-4-2", "opus-4-1-"),
        f"{FORMATTED} {CURRENT}",
    ),
    case(
        joined(FUNCTION, added(tools=[{"type": "bash_20250124", "name": "bash"}])),
        joined(
            FUNCTION,
            added(tools=[{"type": "bash_20250124", "name": "bash"}], anthropic_beta=["computer-use-2025-01-24"]),
        ),
        f"{FIELDS}/tools",
        " ".join(ALL),
    ),
    case(function(anyOf=[{}]), FUNCTION, "/toolConfig/tools/0/toolSpec", " ".join(ALL)),
    case(
        function(True),
        CLOSED,
        "/toolConfig/tools/0/toolSpec/inputSchema/json",
        FORMATTED,
    ),
    case(output(OPEN), output(SHUT), "/outputConfig/textFormat", FORMATTED),
    case(output(SIZED), output(SHUT), "/outputConfig/textFormat", FORMATTED),
    case(
        {"toolConfig": {"tools": CLOSED["toolConfig"]["tools"] * 21}},
        {"toolConfig": {"tools": CLOSED["toolConfig"]["tools"] * 20}},
        "/toolConfig/tools/20/toolSpec/strict",
        FORMATTED,
    ),
    case(output(SHUT), {}, "/outputConfig/textFormat", others("-4-5-", "-4-6-"), FORMATTED),
    case(CLOSED, FUNCTION, "/toolConfig/tools/0/toolSpec/strict", others("-4-5-", "-4-6-", "haiku-5-5-"), FORMATTED),
    case(
        said(("user", HI), ("assistant", HI)),
        said(("user", HI), ("assistant", HI), ("user", HI)),
        "/messages/1",
        f"{these('-4-6-')} {CURRENT}",
        f"{NEVER} {MANUAL_ONLY}",
    ),
    case(
        joined(MANUAL, said(("user", HI), ("assistant", THOUGHT))),
        MANUAL,
        "/messages/1",
        MANUAL_ONLY,
    ),
    case(
        said(("user", HI), ("system", HI)),
        said(("user", HI)),
        "/messages/1/role",
        others("-5-1-", "-5-2-", "-5-5-"),
        UNFORCED,
    ),
    case(inference(maxTokens=64_001), inference(maxTokens=64_000), "/inferenceConfig/maxTokens", these("-4-5-")),
    case(inference(maxTokens=32_001), inference(maxTokens=32_000), "/inferenceConfig/maxTokens", these("opus-4-1-")),
    case(inference(maxTokens=128_001), inference(maxTokens=128_000), "/inferenceConfig/maxTokens", CURRENT),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.pointer)
def test_each_model_says_what_its_documents_say(case: Case) -> None:
    holds(case)


def test_each_check_is_shown_by_a_case() -> None:
    assert unshown(bedrock, CASES) == []


def test_there_are_judges_of_every_claude_that_bedrock_serves() -> None:
    assert len(ALL) >= 23
    assert bedrock.TAKES.keys() == bedrock.JUDGES.keys()
    for settings in bedrock.TAKES.values():
        assert settings <= VOCABULARY
    for checks in bedrock.JUDGES.values():
        for check in checks:
            assert re.fullmatch(r"https://[\w.-]+/\S+", check.source), check
            assert len(check.message) > 10, check


@pytest.mark.parametrize(
    ("schema", "flawed"),
    [
        ({"type": "object", "additionalProperties": False}, False),
        ({"type": "object"}, True),
        ({"type": "array", "items": {"type": "object"}}, True),
        ({"type": "integer", "minimum": 1}, True),
        ({"type": "string", "minLength": 1}, False),
        ({"type": "array", "minItems": 1}, False),
        ({"type": "array", "minItems": 2}, True),
        ({"type": "string", "pattern": "(?=a)"}, True),
        ({"type": "string", "pattern": "a+"}, False),
        ({"anyOf": [{"type": "null"}, {"type": "number", "multipleOf": 2}]}, True),
        ({"$defs": {"a": {"type": "array", "contains": {}}}}, True),
    ],
)
def test_what_a_grammar_cannot_have_is_found(schema: Json, flawed: bool) -> None:
    assert bool(bedrock.flaw(schema)) is flawed


# --- over recorded requests -------------------------------------------------------------------------------------------

MOST, ENOUGH = 0.005, 0.99
FEW = ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "us.anthropic.claude-opus-4-6-v1", "anthropic.claude-sonnet-5-5")


def refused(tools: Tools, models: Iterable[str], most: int | None = None) -> dict[str, Any]:
    found = [one for model in models for one in measured(tools, most=most, wanted=CONVERSE, part=model)]
    assert all(one.converted > 20 for one in found)
    return {one.model: one.why for one in found if one.share > MOST}


def test_a_few_take_what_is_sent_to_them(tools: Tools) -> None:
    assert refused(tools, FEW, 12) == {}


def test_a_few_get_the_settings_that_they_take(tools: Tools) -> None:
    found = [one for model in FEW for one in carried(tools, 12, CONVERSE, model)]
    assert all(one.taken > 5 for one in found)
    assert {one.model: one.missed for one in found if one.share < ENOUGH} == {}


@pytest.mark.slow
def test_each_model_takes_what_is_sent_to_it(tools: Tools) -> None:
    assert refused(tools, ["claude"]).keys() <= {SHORT}


SHORT = f"us.{bedrock.OPUS}-4-1-20250805-v1:0"
"""Some recorded requests ask for more output than it has; a limit is never lowered (SMP-2)."""


@pytest.mark.slow
def test_each_model_gets_the_settings_that_it_takes(tools: Tools) -> None:
    found = [*carried(tools, wanted=CONVERSE)]
    assert found
    assert {one.model: one.missed for one in found if one.share < ENOUGH} == {}
