"""Pain 15: a tool's picture vanishes, or its data arrive as a wall of text."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

from ..servers import gemini_2_5
from . import generate_content as google
from .generate_content import GEMINI, Json
from .support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    again,
    anthropic,
    assistant,
    chat,
    losses,
    text,
    to_anthropic,
    to_chat,
    user,
)

SHOT = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
PHOTO = {"type": "image", "source": {"type": "url", "url": "https://a.example/p.jpg"}}
CHAT_SHOT = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
CHAT_PHOTO = {"type": "image_url", "image_url": {"url": "https://a.example/p.jpg"}}

USES = [anthropic.tool_use("shoot", {}, "a"), anthropic.tool_use("shoot", {}, "b")]
CALLS = [chat.call("shoot", "{}", "a"), chat.call("shoot", "{}", "b")]


def test_to_chat_pictures_follow_all_results_in_a_user_turn() -> None:
    results = [anthropic.tool_result([text("first"), SHOT], "a"), anthropic.tool_result([PHOTO], "b"), text("Compare.")]
    made = to_chat(anthropic.request(user("Shoot."), assistant(USES), user(results), tools=[anthropic.tool("shoot")]))
    assert made.output["messages"][1:] == [
        assistant(None, tool_calls=CALLS),
        chat.result("first", "a"),
        chat.result("", "b"),
        user([CHAT_SHOT, CHAT_PHOTO, text("Compare.")]),
    ]
    assert losses(made) == [("PLC-7", "/messages/2/content/0/content/1"), ("PLC-7", "/messages/2/content/1/content/0")]


def test_to_anthropic_pictures_stay_in_their_result() -> None:
    """Some servers take pictures in a tool message; anthropic has the place for them."""
    made = to_anthropic(
        chat.request(
            user("Shoot."),
            assistant(tool_calls=CALLS),
            chat.result([text("first"), CHAT_SHOT], "a"),
            chat.result([CHAT_PHOTO], "b"),
            user("Compare."),
            tools=[chat.tool("shoot")],
        )
    )
    assert made.output["messages"][2] == user(
        [anthropic.tool_result([text("first"), SHOT], "a"), anthropic.tool_result([PHOTO], "b"), text("Compare.")]
    )
    assert losses(made) == []


# --- Gemini -----------------------------------------------------------------------------------------------------------
# A tool's picture vanishes, or a server refuses the part that holds it.

PNG = "iVBORw0KGgo="
SHOT_TO_GEMINI: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
GIF: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "R0lGODlhAQABAAAA"}}
SHOTS = anthropic.request(
    user("Shoot."),
    assistant([anthropic.tool_use("shoot", {}, "a"), anthropic.tool_use("shoot", {}, "b")]),
    user(
        [
            anthropic.tool_result([{"type": "text", "text": "first"}, SHOT_TO_GEMINI], "a"),
            anthropic.tool_result("none", "b"),
        ]
    ),
    tools=[anthropic.tool("shoot")],
)
OLDER = proxai_ir.Profile(GEMINI, media_in_results=False)
MULTIMODAL = google.request(
    google.user(google.text("Shoot.")),
    google.model(google.call("shoot", {}, id="a")),
    google.user(google.result("shoot", {"output": "first"}, id="a", parts=[google.inline()])),
    tools=google.functions(google.function("shoot")),
)


def test_pictures_stand_in_their_result_where_the_server_has_the_place() -> None:
    made = proxai_ir.compile(SHOTS, ANTHROPIC, GEMINI)
    assert made.output["contents"][2] == google.user(
        google.result("shoot", {"output": "first"}, id="a", parts=[google.inline()]),
        google.result("shoot", {"output": "none"}, id="b"),
    )
    assert losses(made) == []


def test_pictures_follow_all_results_elsewhere() -> None:
    made = proxai_ir.compile(SHOTS, ANTHROPIC, OLDER)
    assert made.output["contents"][2] == google.user(
        google.result("shoot", {"output": "first"}, id="a"),
        google.result("shoot", {"output": "none"}, id="b"),
        google.inline(),
    )
    assert losses(made) == [("PLC-7", "/messages/2/content/0/content/1")]
    assert gemini_2_5.refusals(made.output, {}) == []


def test_to_others_pictures_stand_where_they_have_the_place() -> None:
    (block,) = google.from_gemini(MULTIMODAL, ANTHROPIC).output["messages"][2]["content"]
    assert block["content"] == [{"type": "text", "text": "first"}, SHOT_TO_GEMINI]
    (output,) = [one for one in google.from_gemini(MULTIMODAL, RESPONSES).output["input"] if "output" in one]
    assert output["output"] == [
        {"type": "input_text", "text": "first"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"},
    ]


def test_to_chat_pictures_follow_all_results() -> None:
    made = google.from_gemini(MULTIMODAL, CHAT)
    assert made.output["messages"][2:] == [
        chat.result("first", "a"),
        user([{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]),
    ]
    assert losses(made) == [("PLC-7", "/contents/2/parts/0/functionResponse/parts/0")]


def test_gemini_gets_its_own_result_back() -> None:
    assert again(MULTIMODAL, GEMINI) == MULTIMODAL


@pytest.mark.parametrize("dst", [OLDER, GEMINI], ids=["moved", "in place"])
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
