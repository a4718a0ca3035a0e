"""More strict schemas than Claude takes in one request: as many tools are strict as there is room for (CAP-10, SCH-16),
from every protocol that has strict tools, and the request that is sent is legal by the same limits (LOS-6).

`camel-ai/camel#4171`, `elizaOS/eliza#16499`, `pydantic/pydantic-ai#5579`.
"""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile
from proxai_ir.targets.strict_limits import OPTIONAL, TOOLS, UNIONS, Room

Json = Any
CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
MESSAGES, CONVERSE = "anthropic_messages", "bedrock_converse"
STRICTLY = {"type": "object", "additionalProperties": False}


def schema(required: Json, optional: Json | None = None) -> Json:
    return {**STRICTLY, "properties": {**required, **(optional or {})}, "required": [*required]}


def named(kind: Json, number: int) -> Json:
    return {f"p{at}": kind for at in range(number)}


TEXT, EITHER = {"type": "string"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}
LISTS: dict[str, tuple[list[Json], list[bool]]] = {
    "tools": ([schema({"a": TEXT})] * 23, [True] * 20 + [False] * 3),
    "unions": ([schema(named(EITHER, 9))] * 3, [True, False, False]),
    "unions that fit behind others": (
        [schema(named(EITHER, 9)), schema(named(EITHER, 9)), schema(named(EITHER, 7)), schema({"a": TEXT})],
        [True, False, True, True],
    ),
    "nested unions": (
        [schema({"list": {"type": "array", "items": schema(named(EITHER, 9))}})] * 2,
        [True, False],
    ),
    "within the limits": ([schema(named(EITHER, 8))] * 2, [True, True]),
}
OPTIONALS = ([schema({}, named(TEXT, 13))] * 2, [True, False])
"""OpenAI's strict mode has no optional parameters; that of the others has."""


def chat(schemas: list[Json]) -> Json:
    tools = [
        {"type": "function", "function": {"name": f"t{at}", "strict": True, "parameters": one}}
        for at, one in enumerate(schemas)
    ]
    return {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}


def responses(schemas: list[Json]) -> Json:
    """Which are strict by default."""
    tools = [{"type": "function", "name": f"t{at}", "parameters": one} for at, one in enumerate(schemas)]
    return {"model": "m", "input": "Hi", "store": False, "tools": tools}


def messages(schemas: list[Json]) -> Json:
    tools = [{"name": f"t{at}", "strict": True, "input_schema": one} for at, one in enumerate(schemas)]
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}], "tools": tools}


SOURCES = {CHAT: chat, RESPONSES: responses, MESSAGES: messages}
CASES = [
    (source, target, what)
    for source in SOURCES
    for target in (MESSAGES, CONVERSE)
    if source != target
    for what in (*LISTS, *(("optional parameters",) if source == MESSAGES else ()))
]


def tools_of(output: Json, target: str) -> list[Json]:
    if target == MESSAGES:
        return list(output["tools"])
    return [one["toolSpec"] for one in output["toolConfig"]["tools"]]


@pytest.mark.parametrize(("source", "target", "what"), CASES)
def test_as_many_are_strict_as_there_is_room_for(source: str, target: str, what: str) -> None:
    schemas, wanted = LISTS.get(what, OPTIONALS)
    done = proxai_ir.compile(SOURCES[source](schemas), source, target, kind="request")
    sent = tools_of(done.output, target)
    assert [bool(one.get("strict")) for one in sent] == wanted
    lost = [one for one in done.diagnostics if one.rule == "SCH-16"]
    assert len(lost) == wanted.count(False)
    assert all(one.severity == "loss" for one in lost)
    assert len(sent) == len(schemas)
    again = proxai_ir.compile(done.output, target, Profile(target, many_strict_tools=False), kind="request")
    assert (again.output, again.diagnostics) == (done.output, ())


def test_the_schema_of_the_output_counts_first() -> None:
    asked = chat([schema(named(EITHER, 9))])
    asked["response_format"] = {
        "type": "json_schema",
        "json_schema": {"name": "x", "strict": True, "schema": schema(named(EITHER, 9))},
    }
    for target in (MESSAGES, CONVERSE):
        done = proxai_ir.compile(asked, CHAT, target)
        assert [one.get("strict") for one in tools_of(done.output, target)] == [None]


def test_servers_without_the_limits_get_all() -> None:
    schemas, _ = LISTS["tools"]
    for target in (Profile(MESSAGES, many_strict_tools=True), Profile(CONVERSE, many_strict_tools=True)):
        sent = tools_of(proxai_ir.convert(chat(schemas), CHAT, target), target.protocol)
        assert all(one["strict"] for one in sent)


def test_other_families_on_converse_have_no_such_limits() -> None:
    profile = proxai_ir.profiles.for_model(CONVERSE, "qwen.qwen3-coder-480b-a35b-v1:0")
    done = proxai_ir.compile(chat(LISTS["tools"][0]), CHAT, profile)
    assert not [one for one in done.diagnostics if one.rule == "SCH-16"]


@pytest.mark.parametrize(
    ("one", "limit"),
    [
        ({}, ""),
        ({"properties": []}, ""),
        ({"properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], "$defs": {"A": schema(named(EITHER, 9))}}, ""),
        ({"properties": {"a": True}, "required": ["a"], "anyOf": "odd", "items": ["odd"]}, ""),
        ({"properties": named({"type": ["string", "null"]}, 2), "required": ["p0", "p1"]}, UNIONS),
        ({"properties": named(TEXT, 2), "required": "odd"}, OPTIONAL),
    ],
)
def test_what_is_counted(one: Json, limit: str) -> None:
    found = Room({TOOLS: 1, OPTIONAL: 1, UNIONS: 1}).beyond(one)
    assert found == (f"at most 1 {limit} in one request" if limit else "")
