"""What is found does not depend on what takes the place of what: a custom or namespaced call that of a function, a
refusal that of a text, one order of parts that of another, one kind of tool that of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, TranslationError
from proxai_ir.api import Kind

from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Json

ANTHROPIC, GEMINI, CHAT, RESPONSES = (
    "anthropic_messages",
    "gemini_generate_content",
    "openai_chat_completions",
    "openai_responses",
)
Found = list[tuple[str, str]]


def found(payload: Json, src: str, dst: str | Profile, kind: Kind = "request", **options: Any) -> Found:
    try:
        diagnostics: Sequence[Any] = proxai_ir.compile(payload, src, dst, kind=kind, **options).diagnostics
    except TranslationError as error:
        diagnostics = error.diagnostics
    return [(one.code, one.path) for one in diagnostics]


# --- calls of any kind are linked to their results --------------------------------------------------------------------


def function(n: int) -> Json:
    return responses.call("f", "{}", f"call_{n}")


def namespaced(n: int) -> Json:
    return {**function(n), "namespace": "n"}


def custom(n: int) -> Json:
    return {"type": "custom_tool_call", "call_id": f"call_{n}", "name": "f", "input": "x"}


def result(n: int, of: Any) -> Json:
    kind = "custom_tool_call_output" if of is custom else "function_call_output"
    return {"type": kind, "call_id": f"call_{n}", "output": "r"}


TOOLS: dict[Any, Json] = {
    function: responses.tool("f"),
    namespaced: {"type": "namespace", "name": "n", "description": "d", "tools": [responses.tool("f")]},
    custom: {"type": "custom", "name": "f"},
}
UNANSWERED, ORPHAN = "TUL-10", "TUL-3"
TALKS: dict[str, tuple[str, Found]] = {
    "answered": ("1 r1", []),
    "unanswered, and the user goes on": ("1 u", [(UNANSWERED, "/input/1/call_id")]),
    "one of two is unanswered": ("1 2 r1", [(UNANSWERED, "/input/2/call_id")]),
    "the first of two is unanswered": ("1 2 r2 u", [(UNANSWERED, "/input/1/call_id")]),
    "a result without a call": ("1 r1 r9", [(ORPHAN, "/input/3/call_id")]),
    "a result and no call at all": ("r9 u", [(ORPHAN, "/input/1/call_id")]),
    "a second result": ("1 r1 u r1", [(ORPHAN, "/input/4/call_id")]),
    "results in another order": ("1 2 r2 r1", []),
    "call after call": ("1 r1 2 r2", []),
    "unanswered in an earlier round": ("1 u 2 r2", [(UNANSWERED, "/input/1/call_id")]),
}
"""What follows the user's first message: calls by number, their results, and more that the user says."""
WAYS: dict[str, tuple[str | Profile, dict[str, Any]]] = {
    "anthropic": (ANTHROPIC, {"emulate": ("custom_tools",)}),
    "gemini": (GEMINI, {"emulate": ("custom_tools",)}),
    "chat": (CHAT, {"emulate": ("custom_tools",)}),
    "chat with custom tools": (Profile(CHAT, custom_tools=True), {}),
    "repaired": (ANTHROPIC, {"emulate": ("custom_tools",), "repair": ("calls",)}),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("talk", TALKS)
@pytest.mark.parametrize("call", [function, custom, namespaced])
def test_calls_of_any_kind_are_linked_alike(call: Any, talk: str, way: str) -> None:
    (script, expected), (dst, options) = TALKS[talk], WAYS[way]
    items = [
        responses.user("Go on.") if word == "u" else result(int(word[1:]), call) if "r" in word else call(int(word))
        for word in script.split()
    ]
    payload = responses.request(responses.user("Hi"), *items, tools=[TOOLS[call]])
    seen = [one for one in found(payload, RESPONSES, dst, **options) if one[0] in (UNANSWERED, ORPHAN)]
    assert seen == ([] if way == "repaired" else expected)


CUSTOM = {"id": "call_1", "type": "custom", "custom": {"name": "f", "input": "x"}}
OF_CHAT = {
    "function": (chat.call("f"), chat.tool("f")),
    "custom": (CUSTOM, {"type": "custom", "custom": {"name": "f"}}),
}


@pytest.mark.parametrize("answered", [True, False])
@pytest.mark.parametrize("kind", OF_CHAT)
def test_calls_of_chat_are_linked_alike(kind: str, answered: bool) -> None:
    """A custom call is alone in its request: nothing else shows that there are calls."""
    call, tool = OF_CHAT[kind]
    rest = [chat.result("r")] if answered else []
    said = chat.assistant(content=None, tool_calls=[call])
    payload = chat.request(chat.user("Hi"), said, *rest, chat.user("Go on."), tools=[tool])
    expected = [] if answered else [(UNANSWERED, "/messages/1/tool_calls/0/id")]
    assert [one for one in found(payload, CHAT, RESPONSES) if one[0] in (UNANSWERED, ORPHAN)] == expected


# --- parts in any order -----------------------------------------------------------------------------------------------

SAID: dict[str, Json] = {
    "reasoning": {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]},
    "text": responses.message(responses.output_text("One."), id="m1"),
    "refusal": responses.message({"type": "refusal", "refusal": "No."}, id="m2"),
    "call": function(1),
    "custom": custom(2),
}
RANK = {"reasoning": 0, "text": 1, "refusal": 2, "call": 3, "custom": 3}
"""Chat has a member for each: reasoning, text, refusal, calls."""


@pytest.mark.parametrize("wording", ["text", "refusal"])
@pytest.mark.parametrize("call", ["call", "custom"])
def test_an_order_that_chat_cannot_keep_is_reported(wording: str, call: str) -> None:
    for names in permutations(("reasoning", wording, call)):
        items = [SAID[name] for name in names]
        made = found(responses.response(*items), RESPONSES, Profile(CHAT, custom_tools=True), "response")
        lost = [f"/output/{at}" for at, name in enumerate(names) if any(RANK[one] > RANK[name] for one in names[:at])]
        places = ["/".join(path.split("/")[:3]) for code, path in made if code == "PLC-4"]
        assert places == lost, names


def test_calls_of_both_kinds_keep_their_order() -> None:
    for names in (("call", "custom"), ("custom", "call"), ("text", "refusal", "call"), ("text", "refusal", "custom")):
        items = [SAID[name] for name in names]
        made = found(responses.response(*items), RESPONSES, Profile(CHAT, custom_tools=True), "response")
        assert "PLC-4" not in {code for code, _ in made}


# --- a choice and one kind of tool ------------------------------------------------------------------------------------

WIKI = {"type": "url", "name": "wiki", "url": "https://e.com/mcp"}
OF_ANTHROPIC: dict[str, tuple[Json, Json]] = {
    "function": (anthropic.tool("f"), {}),
    "search": ({"type": "web_search_20250305", "name": "web_search"}, {}),
    "code": ({"type": "code_execution_20250825", "name": "code_execution"}, {}),
    "mcp": ({"type": "mcp_toolset", "mcp_server_name": "wiki"}, {"mcp_servers": [WIKI]}),
}
CALLED: dict[str, set[str]] = {
    GEMINI: {"function"},
    CHAT: {"function"},
    RESPONSES: {"function", "search", "code", "mcp"},
}
"""The kinds of tool that a choice of any tool can mean in each target."""


@pytest.mark.parametrize("name", OF_ANTHROPIC)
@pytest.mark.parametrize("dst", CALLED)
def test_a_choice_of_any_tool_needs_one_that_can_be_called(dst: str, name: str) -> None:
    tool, more = OF_ANTHROPIC[name]
    payload = anthropic.request(anthropic.user("Hi"), tools=[tool], tool_choice={"type": "any"}, **more)
    refused = [path for code, path in found(payload, ANTHROPIC, dst) if code == "TUL-11"]
    assert refused == ([] if name in CALLED[dst] else ["/tool_choice/type"])
    settled = found({**payload, "tool_choice": {"type": "auto"}}, ANTHROPIC, dst)
    assert ("TUL-15" in {code for code, _ in settled}) is (name not in CALLED[dst])


@pytest.mark.parametrize("name", ["function", "search", "code", "mcp"])
def test_a_choice_of_any_tool_of_responses(name: str) -> None:
    tools = {
        "function": responses.tool("f"),
        "search": {"type": "web_search"},
        "code": {"type": "code_interpreter", "container": {"type": "auto"}},
        "mcp": {"type": "mcp", "server_label": "w", "server_url": "https://e.com", "require_approval": "never"},
    }
    payload = responses.request(responses.user("Hi"), tools=[tools[name]], tool_choice="required")
    assert "TUL-11" not in {code for code, _ in found(payload, RESPONSES, ANTHROPIC)}
