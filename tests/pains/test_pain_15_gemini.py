"""Pain 15, of Gemini: a tool's picture vanishes, or a server refuses the part that holds it."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from ..servers import gemini_2_5
from .generate_content import GEMINI, Json, call, from_gemini, function, functions, inline, model, request, result, text
from .generate_content import user as asked
from .support import ANTHROPIC, CHAT, RESPONSES, again, anthropic, assistant, chat, losses, user

PNG = "iVBORw0KGgo="
SHOT: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
GIF: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": PNG}}
SHOTS = anthropic.request(
    user("Shoot."),
    assistant([anthropic.tool_use("shoot", {}, "a"), anthropic.tool_use("shoot", {}, "b")]),
    user([anthropic.tool_result([{"type": "text", "text": "first"}, SHOT], "a"), anthropic.tool_result("none", "b")]),
    tools=[anthropic.tool("shoot")],
)
NEWEST = proxai_ir.Profile(GEMINI, media_in_results=True)
MULTIMODAL = request(
    asked(text("Shoot.")),
    model(call("shoot", {}, id="a")),
    asked(result("shoot", {"output": "first"}, id="a", parts=[inline()])),
    tools=functions(function("shoot")),
)


def test_pictures_stand_in_their_result_where_the_server_has_the_place() -> None:
    made = proxai_ir.compile(SHOTS, ANTHROPIC, NEWEST)
    assert made.output["contents"][2] == asked(
        result("shoot", {"output": "first"}, id="a", parts=[inline()]), result("shoot", {"output": "none"}, id="b")
    )
    assert losses(made) == []


def test_pictures_follow_all_results_elsewhere() -> None:
    made = proxai_ir.compile(SHOTS, ANTHROPIC, GEMINI)
    assert made.output["contents"][2] == asked(
        result("shoot", {"output": "first"}, id="a"), result("shoot", {"output": "none"}, id="b"), inline()
    )
    assert losses(made) == [("PLC-7", "/messages/2/content/0/content/1")]
    assert gemini_2_5.refusals(made.output, {}) == []


def test_to_others_pictures_stand_where_they_have_the_place() -> None:
    (block,) = from_gemini(MULTIMODAL, ANTHROPIC).output["messages"][2]["content"]
    assert block["content"] == [{"type": "text", "text": "first"}, SHOT]
    (output,) = [one for one in from_gemini(MULTIMODAL, RESPONSES).output["input"] if "output" in one]
    assert output["output"] == [
        {"type": "input_text", "text": "first"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"},
    ]


def test_to_chat_pictures_follow_all_results() -> None:
    made = from_gemini(MULTIMODAL, CHAT)
    assert made.output["messages"][2:] == [
        chat.result("first", "a"),
        user([{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]),
    ]
    assert losses(made) == [("PLC-7", "/contents/2/parts/0/functionResponse/parts/0")]


def test_gemini_gets_its_own_result_back() -> None:
    assert again(MULTIMODAL, GEMINI) == MULTIMODAL


@pytest.mark.parametrize("dst", [GEMINI, NEWEST], ids=["moved", "in place"])
def test_a_type_that_gemini_refuses_is_refused_before(dst: Any) -> None:
    """Gemini: "Unsupported MIME type: image/gif"."""
    shots = anthropic.request(
        user("Shoot."),
        assistant([anthropic.tool_use("shoot", {}, "a")]),
        user([anthropic.tool_result([GIF], "a")]),
        tools=[anthropic.tool("shoot")],
    )
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        proxai_ir.convert(shots, ANTHROPIC, dst)
    assert (caught.value.rule, caught.value.path) == ("SRC-3", "/messages/2/content/0/content/0/source")
