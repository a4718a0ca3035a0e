"""What is rewritten since a target does not take it is such that the target takes it (LOS-6): names of tools, ids of
calls, names of documents and of schemas. For every protocol, and every server of it that a setting describes."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import strategies as st

import proxai_ir
from proxai_ir import Profile
from proxai_ir.ir.parts import CALLS, ToolResult
from proxai_ir.ir.request import SchemaFormat
from proxai_ir.passes.naming import _candidates
from proxai_ir.protocol.registry import backend
from proxai_ir.targets.constraints import Constraints

from ..samples import PROTOCOLS
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Json
from ..trials import each_count, hold

CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
GIVEN = st.one_of(
    st.text(max_size=140),
    st.text("abc019_.-:/ é\n", min_size=1, max_size=140),
    st.sampled_from(
        ["mcp__my-server__read_file", "-", "9", "", "a" * 129, "a\n", "\ud800", "Q1 & Q2 . pdf", "  ", "[1]"]
    ),
)
OF_REWRITES = frozenset({"tool_name", "call_id"})


@cache
def servers() -> list[Profile]:
    """Each protocol, and its servers that other names or ids are for."""
    made = [Profile(protocol) for protocol in PROTOCOLS]
    for protocol in PROTOCOLS:
        for name, one in backend(protocol).target.settings.items():
            if not OF_REWRITES.isdisjoint(one.constraints or ()):
                made.append(Profile(protocol, **{name: not one.default}))  # type: ignore[arg-type]
    return made


def constraints_of(server: Profile) -> Constraints:
    return backend(server).constraints


each_server = pytest.mark.parametrize("server", servers(), ids=str)


@each_count
@each_server
def test_a_rewritten_name_is_accepted(server: Profile, count: int) -> None:
    accepts = constraints_of(server).tool_name
    if accepts is None:
        pytest.skip("it takes any name")

    def law(name: str) -> None:
        candidates = _candidates(name, accepts)
        for made in (next(candidates), next(candidates), next(candidates)):
            assert accepts(made), made

    hold(law, GIVEN, count)


@each_count
@each_server
def test_a_rewritten_id_is_accepted(server: Profile, count: int) -> None:
    accepted = constraints_of(server).call_id
    if accepted is None:
        pytest.skip("it takes any id")

    def law(identity: str) -> None:
        assert accepted(accepted(identity)) == accepted(identity)

    hold(law, GIVEN, count)


def of_chat(name: str, identity: str) -> Json:
    """A request in which a tool is defined, chosen and called, twice under one id."""
    named = {"type": "function", "function": {"name": name}}
    called = {"id": identity, "type": "function", "function": {"name": name, "arguments": "{}"}}
    turns = [chat.assistant(tool_calls=[called]), chat.result("ok", identity)] * 2
    return chat.request(chat.user("Go."), *turns, chat.user("On."), tools=[named], tool_choice=named)


def of_responses(name: str, identity: str) -> Json:
    """The same, for servers of Chat Completions."""
    named = {"type": "function", "name": name}
    items = [
        {**named, "type": "function_call", "arguments": "{}", "call_id": identity},
        responses.result("ok", identity),
    ]
    tools = [{**named, "parameters": None, "strict": None}]
    return {"model": "m", "store": False, "input": [*items, *items], "tools": tools, "tool_choice": named}


@each_count
@each_server
def test_what_is_sent_has_names_and_ids_that_are_accepted(server: Profile, count: int) -> None:
    """Wherever a request has them: in definitions, choices, calls and results."""
    limits = constraints_of(server)
    accepts, accepted = limits.tool_name or bool, limits.call_id or str

    def law(words: tuple[str, str]) -> None:
        given, src = (of_responses, RESPONSES) if server.protocol == CHAT else (of_chat, CHAT)
        made = proxai_ir.convert(given(words[0] or "f", words[1] or "c"), src, server, kind="request")
        tree = proxai_ir.lower(made, server.protocol, kind="request")
        parts = [part for turn in tree.turns or () for part in turn.parts]
        calls = [part for part in parts if isinstance(part, CALLS)]
        results = [part for part in parts if type(part) is ToolResult]
        named = (*calls, *(tree.tools or ()), *results, tree.tool_choice)
        names = {str(name) for one in named if (name := getattr(one, "name", None)) is not None}
        assert len(names) == 1 and all(map(accepts, names)), names
        assert [call.id for call in calls] == [result.call_id for result in results]
        assert all(accepted(call.id or "") == call.id for call in calls)
        if limits.unique_calls:
            assert len({call.id for call in calls}) == 2

    hold(law, st.tuples(GIVEN, GIVEN), count)


DOCUMENT_NAME = re.compile(r"[a-zA-Z0-9()\[\]-]+( [a-zA-Z0-9()\[\]-]+)*")
"""What Converse documents: letters, digits, single blanks, hyphens, parentheses and square brackets."""


@each_count
def test_documents_have_names_that_converse_takes(count: int) -> None:
    def law(titles: list[str]) -> None:
        source = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
        content = [{"type": "document", "source": source, "title": title} for title in titles]
        given = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": content}]}
        made = proxai_ir.convert(given, "anthropic_messages", "bedrock_converse", kind="request")
        names = [block["document"]["name"] for block in made["messages"][0]["content"] if "document" in block]
        assert len({*names}) == len(titles)
        assert all(len(name) <= 200 and DOCUMENT_NAME.fullmatch(name) for name in names), names

    hold(law, st.lists(st.one_of(GIVEN, st.text("a. &", min_size=150, max_size=220)), min_size=1, max_size=3), count)


@each_count
@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_schemas_have_names_that_are_accepted(dst: str, count: int) -> None:
    def law(title: str) -> None:
        schema = {"type": "object", "title": title, "properties": {}, "additionalProperties": False}
        given = {
            "model": "m",
            "max_tokens": 9,
            "messages": [{"role": "user", "content": "Hi"}],
            "output_config": {"format": {"type": "json_schema", "schema": schema}},
        }
        made = proxai_ir.lower(proxai_ir.convert(given, "anthropic_messages", dst, kind="request"), dst, kind="request")
        wanted = made.output.format if made.output else None
        assert isinstance(wanted, SchemaFormat) and re.fullmatch("[a-zA-Z0-9_-]{1,64}", wanted.name or "")

    hold(law, GIVEN, count)
