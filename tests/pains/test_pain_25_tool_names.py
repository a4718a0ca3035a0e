"""Pain 25: a tool name is too long, or of letters that the target refuses. It is rewritten and comes back: TUL-26."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

import proxai_ir

from ..servers import gemini_2_5
from . import generate_content as google
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    anthropic,
    assistant,
    calls_of,
    chat,
    from_responses,
    losses,
    message,
    notes,
    responses,
    stream_to_anthropic,
    to_anthropic,
    to_chat,
    to_responses,
    user,
)

LONG = "mcp__a_server_with_a_long_name__" + "x" * 48  # 80 letters: anthropic takes 128, chat and Gemini 64
SENT = "mcp__a_server_with_a_long_name__" + "x" * 23 + "_ab12a452"  # 64 letters


def test_a_name_that_fits_is_not_touched() -> None:
    name = "mcp__git-hub__search_issues"
    made = to_chat(anthropic.request(user("?"), tools=[anthropic.tool(name)]))
    assert made.output["tools"] == [chat.tool(name)]
    assert made.state == {}
    assert to_anthropic(chat.request(user("?"), tools=[chat.tool(name)])).output["tools"] == [anthropic.tool(name)]


def test_too_long_for_chat() -> None:
    choice = {"type": "tool", "name": LONG}
    replayed = [assistant([anthropic.tool_use(LONG)]), user([anthropic.tool_result("one")])]
    made = to_chat(anthropic.request(user("?"), *replayed, tools=[anthropic.tool(LONG)], tool_choice=choice))
    assert made.output["tools"] == [chat.tool(SENT)]
    assert made.output["tool_choice"] == {"type": "function", "function": {"name": SENT}}
    assert made.output["messages"][1]["tool_calls"] == [chat.call(SENT)]
    assert made.state == {"tool_names": {SENT: LONG}, "call_ids": ["call_1"]}
    assert losses(made) == []
    assert notes(made) == [
        ("TUL-26", "/tools/0/name"),
        ("TUL-26", "/tool_choice/name"),
        ("TUL-26", "/messages/1/content/0/name"),
    ]


def test_too_long_in_the_history_alone() -> None:
    """The definition may be gone from the request while its calls are still in the history."""
    replayed = anthropic.request(user("?"), assistant([anthropic.tool_use(LONG)]), user([anthropic.tool_result("one")]))
    assert to_chat(replayed).output["messages"][1]["tool_calls"] == [chat.call(SENT)]


def test_a_long_name_of_chat_is_no_trouble_to_anthropic() -> None:
    made = to_anthropic(chat.request(user("?"), tools=[chat.tool(LONG)]))
    assert made.output["tools"] == [anthropic.tool(LONG)]
    assert losses(made) == []


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("fs.read", "fs_read_3f5ed6d0"),
        ("fs/read", "fs_read_023eff60"),
        ("lese_ü", "lese___7e29e88f"),
        ("two words", "two_words_20dece55"),
        ("", "tool_00000000"),
        ("x" * 129, "x" * 55 + "_34cd5306"),
    ],
)
def test_odd_names_are_rewritten_for_anthropic(name: str, sent: str) -> None:
    replayed = [assistant(tool_calls=[chat.call(name)]), chat.result("one")]
    made = to_anthropic(chat.request(user("?"), *replayed, tools=[chat.tool(name)]))
    assert made.output["tools"] == [anthropic.tool(sent)]
    assert made.output["messages"][1]["content"] == [anthropic.tool_use(sent)]
    assert made.state == {"tool_names": {sent: name}, "call_ids": ["call_1"]}


def test_a_choice_of_some_tools_names_them_as_they_are_sent() -> None:
    names = [{"type": "function", "name": "fs.read"}]
    choice = {"type": "allowed_tools", "mode": "auto", "tools": names}
    given = responses.request(user("?"), tools=[responses.tool("fs.read")], tool_choice=choice)
    made = from_responses(given, CHAT).output["tool_choice"]["allowed_tools"]["tools"]
    assert made == [{"type": "function", "function": {"name": "fs_read_3f5ed6d0"}}]


def test_two_tools_never_get_one_name() -> None:
    """The rewritten name may be the name of another tool, in the definitions or in the history."""
    taken, sent = "fs_read_3f5ed6d0", f"fs_read_{zlib.crc32(b'1 fs.read'):08x}"
    made = to_anthropic(chat.request(user("?"), tools=[chat.tool("fs.read"), chat.tool(taken)]))
    assert [tool["name"] for tool in made.output["tools"]] == [sent, taken]
    replayed = [assistant(tool_calls=[chat.call(taken)]), chat.result("one")]
    made = to_anthropic(chat.request(user("?"), *replayed, tools=[chat.tool("fs.read")]))
    assert made.output["tools"][0]["name"] == sent
    assert made.state == {"tool_names": {sent: "fs.read"}, "call_ids": ["call_1"]}


# --- the way back -----------------------------------------------------------------------------------------------------

STATE: Any = {"tool_names": {SENT: LONG}}


def test_the_call_of_a_response_has_the_name_of_the_client() -> None:
    answered = chat.response("tool_calls", tool_calls=[chat.call(SENT)])
    assert to_anthropic(answered, "response", state=STATE).output["content"] == [anthropic.tool_use(LONG)]


def test_so_has_the_call_of_a_stream() -> None:
    events = chat.stream(chat.calls(chat.fragment(0, "{}", "call_1", SENT)), finish="tool_calls")
    made = stream_to_anthropic(events, state=STATE)
    assert calls_of(ANTHROPIC, made.output) == [("call_1", LONG, {})]


def test_a_name_of_the_client_is_not_judged_by_the_clients_protocol() -> None:
    """The client sent it, whatever the official API takes."""
    answered = anthropic.response(anthropic.tool_use("fs_read_3f5ed6d0"), stop="tool_use")
    made = to_chat(answered, "response", state={"tool_names": {"fs_read_3f5ed6d0": "fs.read"}})
    assert message(made)["tool_calls"] == [chat.call("fs.read")]


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("functions.Bash", "Bash"),
        ("default_api:Bash", "Bash"),
        ("default_api.Bash", "Bash"),
        ("multi_tool_use.parallel", "multi_tool_use_parallel_db18aec8"),
        ("functions.two words", "functions_two_words_954a99b3"),
    ],
)
def test_a_name_that_no_request_sent_is_delivered(name: str, sent: str) -> None:
    """The client has no such tool, says so, and the model goes on: a refusal would be a turn that was paid for."""
    made = to_anthropic(chat.response("tool_calls", tool_calls=[chat.call(name)]), "response")
    assert made.output["content"] == [anthropic.tool_use(sent)]
    assert ("TUL-48", "/choices/0/message/tool_calls/0/function/name") in notes(made)
    assert losses(made) == []
    streamed = stream_to_anthropic(chat.stream(chat.calls(chat.fragment(0, "{}", "call_1", name)), finish="tool_calls"))
    assert calls_of(ANTHROPIC, streamed.output) == [("call_1", sent, {})]
    assert "TUL-48" in {rule for rule, _ in notes(streamed)}


def test_the_prefix_of_a_name_that_comes_back_is_taken_off() -> None:
    state = {"tool_names": {SENT: LONG}, "custom_tools": ["patch"]}
    calls = [chat.call(f"functions.{SENT}"), chat.call("functions.patch", '{"input": "x"}', "call_2")]
    first, second = to_responses(chat.response("tool_calls", tool_calls=calls), CHAT, "response", state=state).output[
        "output"
    ]
    assert first["name"] == LONG
    assert (second["type"], second["name"], second["input"]) == ("custom_tool_call", "patch", "x")


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_names_and_custom_tools_together(dst: str) -> None:
    """A custom tool is sent as a function under a rewritten name, and its call comes back as that of the tool."""
    custom: Json = {"type": "custom", "name": "fs.patch"}
    sent = f"fs_patch_{zlib.crc32(b'fs.patch'):08x}"
    made = from_responses(responses.request(user("?"), tools=[custom]), dst, emulate="auto")
    assert made.state == {"custom_tools": [sent], "tool_names": {sent: "fs.patch"}}
    if dst == ANTHROPIC:
        answered = anthropic.response(anthropic.tool_use(sent, {"input": "x"}), stop="tool_use")
    else:
        custom_call = {"id": "call_1", "type": "custom", "custom": {"name": sent, "input": "x"}}
        answered = chat.response("tool_calls", tool_calls=[custom_call])
    back = proxai_ir.convert(answered, dst, RESPONSES, kind="response", state=made.state)
    (item,) = back["output"]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", "fs.patch", "x")


@pytest.mark.parametrize(
    "state", [{"tool_names": ["a"]}, {"tool_names": {"a": 1}}, {"names": {}}, {"custom_tools": {"a": 1}}, 3]
)
def test_a_state_of_another_shape_is_a_mistake_of_the_caller(state: Any) -> None:
    with pytest.raises(TypeError, match="option 'state'"):
        proxai_ir.convert(chat.response(content="Hi"), CHAT, ANTHROPIC, kind="response", state=state)


@pytest.mark.parametrize("emulate", ["all", ("everything",), 3, {"custom_tools": True}])
def test_an_emulation_that_does_not_exist_is_a_mistake_of_the_caller(emulate: Any) -> None:
    with pytest.raises(TypeError, match="custom_tools"):
        proxai_ir.convert(chat.request(user("Hi")), CHAT, ANTHROPIC, emulate=emulate)


# --- Gemini -----------------------------------------------------------------------------------------------------------
# Names that it refuses, and names of its own that others refuse. They come back: TUL-26.


@pytest.mark.parametrize("name", ["look", "_look", "git.hub-search_2", "a" * 64])
def test_a_name_that_fits_is_not_touched_of_gemini(name: str) -> None:
    made = google.to_gemini(chat.request(user("?"), tools=[chat.tool(name)]), CHAT)
    assert [one["name"] for one in made.output["tools"][0]["functionDeclarations"]] == [name]
    assert made.state == {}


def test_a_name_that_is_too_long_comes_back() -> None:
    replayed = [assistant([anthropic.tool_use(LONG)]), user([anthropic.tool_result("one")])]
    given = anthropic.request(
        user("?"),
        *replayed,
        tools=[anthropic.tool(LONG)],
        tool_choice={"type": "tool", "name": LONG},
    )
    made = google.to_gemini(given, ANTHROPIC)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    assert one["name"] == SENT
    assert made.output["toolConfig"]["functionCallingConfig"] == {
        "mode": "ANY",
        "allowedFunctionNames": [SENT],
    }
    called, returned = made.output["contents"][1:]
    assert called["parts"][0]["functionCall"]["name"] == SENT
    assert returned["parts"][0]["functionResponse"]["name"] == SENT
    assert made.state == {"tool_names": {SENT: LONG}, "call_ids": ["call_1"]}
    assert losses(made) == []
    assert gemini_2_5.refusals(made.output, {}) == []
    back = google.from_gemini(google.response(google.call(SENT, {})), ANTHROPIC, "response", state=made.state)
    assert [block["name"] for block in back.output["content"]] == [LONG]


@pytest.mark.parametrize("name", ["3d_render", "-look", "two words", "lese_ü", "fs/read", ""])
def test_odd_names_are_rewritten(name: str) -> None:
    made = google.to_gemini(chat.request(user("?"), tools=[chat.tool(name)]), CHAT)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    assert one["name"].endswith(f"_{zlib.crc32(name.encode()):08x}")
    assert made.state == {"tool_names": {one["name"]: name}}
    assert gemini_2_5.refusals(made.output, {}) == []


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_dotted_name_of_gemini_comes_back(dst: str) -> None:
    given = google.request(
        google.user(google.text("?")),
        google.model(google.call("fs.read", {})),
        google.user(google.result("fs.read", {"output": "one"})),
        tools=google.functions(google.function("fs.read")),
    )
    made = google.from_gemini(given, dst)
    sent = "fs_read_3f5ed6d0"
    assert made.state == {"tool_names": {sent: "fs.read"}, "call_ids": ["call_1_0"]}
    if dst == CHAT:
        answered = chat.response("tool_calls", tool_calls=[chat.call(sent)])
        assert made.output["messages"][1]["tool_calls"][0]["function"]["name"] == sent
    else:
        answered = anthropic.response(anthropic.tool_use(sent), stop="tool_use")
        assert made.output["messages"][1]["content"][0]["name"] == sent
    (part,) = google.to_gemini(answered, dst, "response", state=made.state).output["candidates"][0]["content"]["parts"]
    assert part["functionCall"]["name"] == "fs.read"


def test_names_of_namespaces_reach_gemini() -> None:
    called = google.response(google.call("ns__look", {}))
    (made,) = message(google.from_gemini(called, CHAT, "response"))["tool_calls"]
    assert made["function"]["name"] == "ns__look"
