"""Pain 25, of Gemini: names that it refuses, and names of its own that others refuse. They come back: TUL-26."""

from __future__ import annotations

import zlib

import pytest

from ..servers import gemini_2_5
from .generate_content import call, from_gemini, function, functions, model, request, response, result, text, to_gemini
from .generate_content import user as asked
from .support import ANTHROPIC, CHAT, anthropic, assistant, chat, losses, message, user

LONG = "mcp__a_server_with_a_long_name__" + "x" * 48  # 80 letters: Gemini takes 64
SENT = "mcp__a_server_with_a_long_name__" + "x" * 23 + "_ab12a452"


@pytest.mark.parametrize("name", ["look", "_look", "git.hub-search_2", "a" * 64])
def test_a_name_that_fits_is_not_touched(name: str) -> None:
    made = to_gemini(chat.request(user("?"), tools=[chat.tool(name)]), CHAT)
    assert [one["name"] for one in made.output["tools"][0]["functionDeclarations"]] == [name]
    assert made.state == {}


def test_a_name_that_is_too_long_comes_back() -> None:
    replayed = [assistant([anthropic.tool_use(LONG)]), user([anthropic.tool_result("one")])]
    given = anthropic.request(
        user("?"), *replayed, tools=[anthropic.tool(LONG)], tool_choice={"type": "tool", "name": LONG}
    )
    made = to_gemini(given, ANTHROPIC)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    assert one["name"] == SENT
    assert made.output["toolConfig"]["functionCallingConfig"] == {"mode": "ANY", "allowedFunctionNames": [SENT]}
    called, returned = made.output["contents"][1:]
    assert called["parts"][0]["functionCall"]["name"] == SENT
    assert returned["parts"][0]["functionResponse"]["name"] == SENT
    assert made.state == {"tool_names": {SENT: LONG}, "call_ids": ["call_1"]}
    assert losses(made) == []
    assert gemini_2_5.refusals(made.output, {}) == []
    back = from_gemini(response(call(SENT, {})), ANTHROPIC, "response", state=made.state)
    assert [block["name"] for block in back.output["content"]] == [LONG]


@pytest.mark.parametrize("name", ["3d_render", "-look", "two words", "lese_ü", "fs/read", ""])
def test_odd_names_are_rewritten(name: str) -> None:
    made = to_gemini(chat.request(user("?"), tools=[chat.tool(name)]), CHAT)
    (one,) = made.output["tools"][0]["functionDeclarations"]
    assert one["name"].endswith(f"_{zlib.crc32(name.encode()):08x}")
    assert made.state == {"tool_names": {one["name"]: name}}
    assert gemini_2_5.refusals(made.output, {}) == []


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_dotted_name_of_gemini_comes_back(dst: str) -> None:
    given = request(
        asked(text("?")),
        model(call("fs.read", {})),
        asked(result("fs.read", {"output": "one"})),
        tools=functions(function("fs.read")),
    )
    made = from_gemini(given, dst)
    sent = "fs_read_3f5ed6d0"
    assert made.state == {"tool_names": {sent: "fs.read"}, "call_ids": ["call_1_0"]}
    if dst == CHAT:
        answered = chat.response("tool_calls", tool_calls=[chat.call(sent)])
        assert made.output["messages"][1]["tool_calls"][0]["function"]["name"] == sent
    else:
        answered = anthropic.response(anthropic.tool_use(sent), stop="tool_use")
        assert made.output["messages"][1]["content"][0]["name"] == sent
    (part,) = to_gemini(answered, dst, "response", state=made.state).output["candidates"][0]["content"]["parts"]
    assert part["functionCall"]["name"] == "fs.read"


def test_names_of_namespaces_reach_gemini() -> None:
    called = response(call("ns__look", {}))
    (made,) = message(from_gemini(called, CHAT, "response"))["tool_calls"]
    assert made["function"]["name"] == "ns__look"
