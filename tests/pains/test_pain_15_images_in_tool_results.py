"""Pain 15: a tool's picture vanishes, or its data arrive as a wall of text."""

from __future__ import annotations

from .support import anthropic, assistant, chat, losses, text, to_anthropic, to_chat, user

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
