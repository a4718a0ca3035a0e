"""Pain 17: cache markers fall off, and every turn is paid in full."""

from __future__ import annotations

import copy

import proxai_ir

from .support import (
    Json,
    anthropic,
    assistant,
    chat,
    losses,
    notes,
    text,
    to_anthropic,
    to_chat,
    user,
)


def marked(part: Json, **ttl: str) -> Json:
    return {**part, "cache_control": {"type": "ephemeral", **ttl}}


def breakpoint_at(part: Json, **ttl: str) -> Json:
    return {**part, "prompt_cache_breakpoint": {"mode": "explicit", **ttl}}


def test_a_marker_on_a_result_stands_on_its_text() -> None:
    result: Json = marked(anthropic.tool_result("one"))
    made = to_chat(
        anthropic.request(
            user("Look."), assistant([anthropic.tool_use("look")]), user([result]), tools=[anthropic.tool("look")]
        ),
        cache_breakpoints=True,
    )
    assert made.output["messages"][2]["content"] == [breakpoint_at(text("one"))]
    assert losses(made) == []


def test_the_lifetime_of_automatic_caching_is_rounded_up_and_reported() -> None:
    made = to_anthropic(chat.request(user("Long."), prompt_cache_options={"mode": "implicit", "ttl": "30m"}))
    assert made.output["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert losses(made) == []
    assert notes(made) == [("CAC-2", "/prompt_cache_options/ttl")]


def test_the_routers_name_of_a_marker_is_read_too() -> None:
    made = to_anthropic(chat.request(user([marked(text("Long."))]), tools=[marked(chat.tool("look"), ttl="1h")]))
    assert made.output["messages"] == [user([marked(text("Long."))])]
    assert made.output["tools"] == [marked(anthropic.tool("look"), ttl="1h")]
    assert losses(made) == []


def test_chat_has_no_marker_on_calls() -> None:
    call = marked(anthropic.tool_use("look"))
    payload = anthropic.request(
        user("Look."), assistant([call]), user([anthropic.tool_result("one")]), tools=[anthropic.tool("look")]
    )
    assert notes(to_chat(payload)) == [("CAC-4", "/messages/1/content/0/cache_control")]


def test_automatic_caching_is_automatic_in_both() -> None:
    made = to_chat(anthropic.request(user("Hi."), cache_control={"type": "ephemeral"}), cache_breakpoints=True)
    assert made.output["prompt_cache_options"] == {"mode": "implicit"}
    made = to_anthropic(chat.request(user("Hi."), prompt_cache_options={"mode": "implicit"}))
    assert made.output["cache_control"] == {"type": "ephemeral"}


# --- more than the target takes ---------------------------------------------------------------------------------------


def test_of_too_many_markers_the_latest_stay() -> None:
    """Agents mark every turn where the provider writes the latest only; Anthropic refuses a request with five."""
    turns = [user([marked(text(word))]) for word in ("One.", "Two.")]
    result = chat.result([marked(text("half")), marked(text("done"))])
    payload = chat.request(
        *turns,
        assistant(tool_calls=[chat.call("look")]),
        result,
        user([marked(text("And?"))]),
        tools=[marked(chat.tool("look"))],
    )
    made = to_anthropic(payload)
    assert made.output["tools"] == [anthropic.tool("look")]
    assert made.output["messages"][:2] == [user("One."), user([marked(text("Two."))])]
    gave, asked = made.output["messages"][3]["content"]
    assert gave["content"] == [marked(text("half")), marked(text("done"))]
    assert asked == marked(text("And?"))
    assert notes(made) == [("CAC-6", "/tools/0/cache_control"), ("CAC-6", "/messages/0/content/0/cache_control")]


def test_markers_inside_results_go_too() -> None:
    result = chat.result([marked(text("half")), marked(text("done"))])
    asked = [user([marked(text(word))]) for word in ("1", "2", "3", "4")]
    payload = chat.request(user("Look."), assistant(tool_calls=[chat.call("look")]), result, *asked)
    before = copy.deepcopy(payload)
    made = to_anthropic(payload)
    assert made.output["messages"][2]["content"][0]["content"] == [text("half"), text("done")]
    assert [code for code, _ in notes(made)] == ["CAC-6", "CAC-6"]
    assert payload == before


def test_the_automatic_marker_is_one_of_them() -> None:
    payload = chat.request(
        *[user([marked(text(word))]) for word in ("1", "2", "3", "4")], prompt_cache_options={"mode": "implicit"}
    )
    made = to_anthropic(payload)
    assert made.output["cache_control"] == {"type": "ephemeral"}
    assert notes(made) == [("CAC-6", "/messages/0/content/0/cache_control")]


# --- lifetimes --------------------------------------------------------------------------------------------------------


def lifetimes(made: proxai_ir.Conversion) -> list[str | None]:
    blocks = [*made.output.get("tools", ()), *made.output.get("system", ())]
    blocks += [block for message in made.output["messages"] for block in message["content"]]
    return [block["cache_control"].get("ttl") for block in blocks]


def test_no_marker_outlasts_an_earlier_one() -> None:
    """Anthropic refuses "a ttl='1h' block after a ttl='5m' block"; tools come first, then instructions."""
    payload = chat.request(
        {"role": "system", "content": [marked(text("Be brief."), ttl="1h")]},
        user([marked(text("One."), ttl="5m"), marked(text("Two."), ttl="1h")]),
        tools=[marked(chat.tool("look"), ttl="1h")],
    )
    made = to_anthropic(payload)
    assert lifetimes(made) == ["1h", "1h", "5m", "5m"]
    assert notes(made) == [("CAC-7", "/messages/1/content/1/cache_control/ttl")]


def test_an_instruction_that_is_hoisted_sets_the_lifetime() -> None:
    payload = chat.request(
        user([marked(text("One."), ttl="1h")]), {"role": "system", "content": [marked(text("Be brief."))]}, user("Two.")
    )
    made = to_anthropic(payload)
    assert made.output["system"] == [marked(text("Be brief."))]
    assert made.output["messages"][0] == user([marked(text("One."), ttl="5m")])
    assert ("CAC-7", "/messages/0/content/0/cache_control/ttl") in notes(made)


def test_lifetimes_that_fall_stay() -> None:
    made = to_anthropic(chat.request(user([marked(text("One."), ttl="1h"), marked(text("Two."), ttl="5m")])))
    assert lifetimes(made) == ["1h", "5m"]
    assert notes(made) == []
