"""What real servers of OpenAI's protocols refuse is not sent to them, unless the caller states that they accept it
(CAP-2)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Conversion

from .pains.support import (
    ANTHROPIC,
    CHAT,
    RESPONSES,
    Json,
    again,
    anthropic,
    assistant,
    chat,
    from_responses,
    losses,
    notes,
    responses,
    text,
    to_chat,
    to_responses,
    user,
)

MARKED = {**text("Long."), "cache_control": {"type": "ephemeral"}}
THOUGHT = {"type": "thinking", "thinking": "A greeting.", "signature": "c2lnbmVk"}


# --- cache breakpoints ------------------------------------------------------------------------------------------------


def test_texts_stay_strings_where_breakpoints_are_not_accepted() -> None:
    result = {**anthropic.tool_result("one"), "cache_control": {"type": "ephemeral"}}
    payload = anthropic.request(
        user([MARKED]),
        assistant([anthropic.tool_use("look")]),
        user([result]),
        system=[MARKED],
        tools=[anthropic.tool("look")],
    )
    made = to_chat(payload)
    assert [message["content"] for message in made.output["messages"]] == ["Long.", "Long.", None, "one"]
    found = ["/messages/0/content/0/cache_control", "/messages/2/content/0/cache_control", "/system/0/cache_control"]
    assert sorted(path for rule, path in notes(made) if rule == "CAC-4") == found
    made = to_responses(payload, ANTHROPIC)
    assert made.output["instructions"] == made.output["input"][0]["content"] == "Long."
    assert made.output["input"][-1]["output"] == "one"


def test_newer_models_get_every_breakpoint() -> None:
    payload = anthropic.request(user([MARKED]), cache_control={"type": "ephemeral"})
    for made in (to_chat(payload, cache_breakpoints=True), to_responses(payload, ANTHROPIC, cache_breakpoints=True)):
        assert str(made.output).count("'prompt_cache_breakpoint': {'mode': 'explicit'}") == 1
        assert made.output["prompt_cache_options"] == {"mode": "implicit"}
        assert not losses(made)


# --- reasoning without encrypted content ------------------------------------------------------------------------------


def reasoning_of(output: Json) -> list[Json]:
    return [item for item in output["input"] if item["type"] == "reasoning"]


def test_bare_reasoning_is_left_out() -> None:
    payload = anthropic.request(user("Hi"), assistant([THOUGHT, text("Hello.")]), user("And?"))
    made = to_responses(payload, ANTHROPIC)
    assert reasoning_of(made.output) == []
    assert losses(made) == [("RSN-5", "/messages/1/content/0")]
    payload = chat.request(user("Hi"), {**assistant("Hello."), "reasoning_content": "A greeting."}, user("And?"))
    made = to_responses(payload, CHAT)
    assert reasoning_of(made.output) == []
    assert losses(made) == [("RSN-5", "/messages/1/reasoning_content")]


def test_a_turn_of_nothing_but_bare_reasoning_is_left_out() -> None:
    payload = chat.request(user("Hi"), {"role": "assistant", "reasoning_content": "A greeting."}, user("And?"))
    made = to_responses(payload, CHAT)
    assert [item["role"] for item in made.output["input"]] == ["user", "user"]
    assert losses(made) == [("RSN-5", "/messages/1/reasoning_content")]


def test_between_the_same_protocols_bare_reasoning_stays() -> None:
    item = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A greeting."}]}
    payload = responses.request(user("Hi"), item, user("And?"))
    assert again(payload, RESPONSES) == payload


# --- empty messages ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("thought", [{}, {"reasoning_content": "Look."}])
def test_no_empty_message_stands_before_calls(thought: dict[str, Any]) -> None:
    calling = {**assistant(""), **thought, "tool_calls": [chat.call("look")]}
    payload = chat.request(user("Look."), calling, chat.result("one"), tools=[chat.tool("look")])
    made = to_responses(payload, CHAT, bare_reasoning=True)
    kinds = [item["type"] for item in made.output["input"]]
    assert kinds == ["message", *(["reasoning"] if thought else []), "function_call", "function_call_output"]
    assert ("ENV-7", "/messages/1/content") in notes(made)


# --- compatible servers of Chat Completions ---------------------------------------------------------------------------

CUSTOM = {"type": "custom", "name": "shell"}
COMPATIBLE: dict[str, Any] = {
    "content_arrays": False,
    "custom_tools": False,
    "developer_role": False,
    "max_completion_tokens": False,
    "strict_tools": False,
}


def to_compatible(payload: Json, **options: Any) -> Conversion:
    return from_responses(payload, CHAT, **COMPATIBLE, **options)


def test_the_older_member_for_the_limit() -> None:
    made = to_compatible({**responses.request(user("Hi")), "max_output_tokens": 64})
    assert (made.output["max_tokens"], "max_completion_tokens" in made.output) == (64, False)
    assert made.diagnostics == ()


def test_texts_are_joined_where_arrays_are_not_accepted() -> None:
    result = anthropic.tool_result([text("one"), text("two")])
    answer = assistant([text("Let "), text("me."), anthropic.tool_use("look")])
    asked = user([text("A"), {**text("B"), "cache_control": {"type": "ephemeral"}}])
    payload = anthropic.request(asked, answer, user([result]), system=[text("S"), text("T")])
    made = to_chat(payload, content_arrays=False, cache_breakpoints=True)
    assert [message["content"] for message in made.output["messages"]] == ["S\nT", "A\nB", "Let me.", "one\ntwo"]
    assert sorted(notes(made)) == [
        ("CAC-4", "/messages/0/content/1/cache_control"),
        ("PLC-8", "/messages/0/content/1"),
        ("PLC-8", "/messages/1/content/1"),
        ("PLC-8", "/messages/2/content/0/content/1"),
        ("PLC-8", "/system/1"),
    ]


def test_images_keep_their_array() -> None:
    image = {"type": "image", "source": {"type": "url", "url": "https://e.com/a.png"}}
    made = to_chat(anthropic.request(user([text("A"), text("B"), image])), content_arrays=False)
    assert [part["type"] for part in made.output["messages"][0]["content"]] == ["text", "text", "image_url"]


def test_custom_tools_are_refused_or_emulated_and_come_back() -> None:
    payload = {**responses.request(user("Run it.")), "tools": [CUSTOM], "tool_choice": CUSTOM}
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        to_compatible(payload)
    assert [found.code for found in caught.value.diagnostics] == ["TUL-2", "TUL-2"]
    sent = to_compatible(payload, emulate="auto")
    assert sent.output["tool_choice"] == {"type": "function", "function": {"name": "shell"}}
    call = {"id": "c", "type": "function", "function": {"name": "shell", "arguments": '{"input": "ls"}'}}
    answer = chat.response("tool_calls", content=None, tool_calls=[call])
    back = to_responses(answer, CHAT, "response", state=sent.state)
    (item,) = back.output["output"]
    assert (item["type"], item["input"]) == ("custom_tool_call", "ls")


def test_the_role_of_developers() -> None:
    made = to_compatible(responses.request({"role": "developer", "content": "Be brief."}, user("Hi")))
    assert made.output["messages"][0] == {"role": "system", "content": "Be brief."}
    assert notes(made) == [("PLC-1", "/input/0/role")]


def test_a_payload_of_the_same_protocol_is_changed_by_what_its_server_lacks_alone() -> None:
    payload = {
        **chat.request({"role": "developer", "content": [text("A"), text("B")]}, user("Hi")),
        "max_completion_tokens": 5,
    }
    system = {"role": "system", "content": "A\nB"}
    wanted = {"model": payload["model"], "messages": [system, user("Hi")], "max_tokens": 5}
    assert proxai_ir.convert(payload, CHAT, proxai_ir.Profile(CHAT, **COMPATIBLE)) == wanted
    assert proxai_ir.convert(payload, CHAT, CHAT) is payload
    server = proxai_ir.Profile(CHAT, **COMPATIBLE)
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), server) == wanted


# --- efforts and limits -----------------------------------------------------------------------------------------------


def test_disabled_thinking_is_sent_only_where_it_is_accepted() -> None:
    payload = anthropic.request(user("Hi"), thinking={"type": "disabled"})
    for made in (to_chat(payload), to_responses(payload, ANTHROPIC)):
        assert "reasoning" not in str(made.output)
        assert losses(made) == [("RSN-6", "/thinking/type")]
    assert to_chat(payload, thinking_off=True).output["reasoning_effort"] == "none"
    assert to_responses(payload, ANTHROPIC, thinking_off=True).output["reasoning"] == {"effort": "none"}


@pytest.mark.parametrize(("asked", "sent"), [(1, 16), (15, 16), (16, 16), (17, 17)])
def test_a_limit_below_the_lowest_is_raised(asked: int, sent: int) -> None:
    made = to_responses(anthropic.request(user("Hi"), max_tokens=asked), ANTHROPIC)
    assert made.output["max_output_tokens"] == sent
    assert losses(made) == ([("SMP-9", "/max_tokens")] if asked < sent else [])


# --- documents, metadata, instructions alone --------------------------------------------------------------------------


@pytest.mark.parametrize("mime", ["text/markdown", "text/csv", "application/json", "application/ld+json"])
def test_documents_that_are_text_travel_as_text(mime: str) -> None:
    """Chat Completions accepts PDF alone, Anthropic PDF and plain text."""
    file = {"type": "input_file", "filename": "a", "file_data": f"data:{mime};base64,SGk="}
    payload = responses.request(user([file, {"type": "input_text", "text": "Read."}]))
    made = from_responses(payload, CHAT)
    assert made.output["messages"][0]["content"] == [text("a\n\nHi"), text("Read.")]
    assert losses(made) == []
    assert ("DOC-6", "/input/0/content/0") in notes(made)
    assert "file_data" in str(from_responses(payload, CHAT, other_documents=True).output)
    (document, _) = from_responses(payload, ANTHROPIC).output["messages"][0]["content"]
    assert document["source"] == {"type": "text", "media_type": "text/plain", "data": "Hi"}


def test_other_documents_and_broken_texts_are_refused() -> None:
    for mime, data in (("application/zip", "UEsFBg=="), ("text/csv", "!"), ("text/csv", "/w==")):
        file = {"type": "input_file", "filename": "a", "file_data": f"data:{mime};base64,{data}"}
        with pytest.raises(proxai_ir.Unrepresentable) as caught:
            from_responses(responses.request(user([file])), CHAT)
        assert caught.value.rule == "SRC-3"


def test_metadata_only_where_responses_are_stored() -> None:
    payload = {**responses.request(user("Hi")), "metadata": {"a": "b"}}
    made = from_responses(payload, CHAT)
    assert "metadata" not in made.output
    assert losses(made) == []
    assert ("USR-3", "/metadata") in notes(made)
    assert from_responses({**payload, "store": True}, CHAT).output["metadata"] == {"a": "b"}


def test_instructions_alone_are_input_to_responses() -> None:
    made = to_responses(chat.request({"role": "system", "content": "Say hello."}), CHAT)
    message = {"type": "message", "role": "developer", "content": "Say hello."}
    assert (made.output["input"], "instructions" in made.output) == ([message], False)
    alone = {"model": "m", "instructions": "Say hello.", "input": []}
    assert again(alone, RESPONSES) == alone


# --- defaults that differ ---------------------------------------------------------------------------------------------


def test_nothing_is_stored_that_the_source_would_not_store() -> None:
    for made in (to_responses(anthropic.request(user("Hi")), ANTHROPIC), to_responses(chat.request(user("Hi")), CHAT)):
        assert made.output["store"] is False
        assert notes(made) == [("CAP-4", "")]
    for store in (True, False):
        made = to_responses(chat.request(user("Hi"), store=store), CHAT)
        assert made.output["store"] is store
        assert notes(made) == []
    plain = responses.request(user("Hi"))
    assert again(plain, RESPONSES) == plain
    tree = proxai_ir.lower(plain, RESPONSES)
    tree.protocol = None  # of which nothing is known
    assert "store" not in proxai_ir.raise_to(tree, RESPONSES)


# --- empty turns ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "rule"),
    [
        (["", "b", "c"], "PLC-11"),
        (["a", "b", ""], "PLC-11"),
        ([""], "PLC-11"),
        (["a", "b", "", "d", "e"], "PLC-22"),
    ],
)
def test_an_empty_turn_is_dropped_only_between_others(texts: list[str], rule: str) -> None:
    turns = [user(one) if index % 2 == 0 else assistant(one) for index, one in enumerate(texts)]
    found = proxai_ir.check(chat.request(*turns), CHAT, ANTHROPIC)
    assert [one.code for one in found if one.code[:4] == "PLC-" and one.code != "PLC-10"] == [rule]
    if rule == "PLC-22":
        made = proxai_ir.convert(chat.request(*turns), CHAT, ANTHROPIC)
        assert [message["content"] for message in made["messages"]] == ["a", "b", "d", "e"]


def test_the_url_of_a_document_travels_as_text_only_when_asked() -> None:
    payload = responses.request(user([{"type": "input_file", "file_url": "https://e.com/a.pdf"}]))
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        from_responses(payload, CHAT)
    assert [found.code for found in caught.value.diagnostics] == ["SRC-2"]
    made = from_responses(payload, CHAT, document_links=True)
    assert made.output["messages"] == [user("https://e.com/a.pdf")]
    assert losses(made) == [("DOC-7", "/input/0/content/0")]


def test_what_openrouter_says_beside_an_error() -> None:
    """Who failed behind it does not tell what went wrong; what that one said may."""
    metadata = {"provider_name": "Some", "flagged_input": "x"}
    said = {"code": 502, "message": "Provider returned error", "status": 502, "metadata": metadata}
    body = {"error": said, "user_id": "u"}
    made = proxai_ir.compile(body, CHAT, "anthropic_messages", kind="error", status=502)
    found = {one.path: (one.rule, one.severity) for one in made.diagnostics}
    assert found["/error/metadata/provider_name"] == ("ENV-1", "info")
    assert found["/error/metadata/flagged_input"] == ("ERR-4", "loss")
    assert found["/error/status"] == ("ENV-1", "info")
    assert found["/user_id"] == ("ENV-1", "info")


@pytest.mark.parametrize(
    "body",
    [
        {"error": "Model is overloaded", "error_type": "overloaded"},
        {"error": {"message": "Model is overloaded", "type": "overloaded"}},
    ],
    ids=["Text Generation Inference", "a type"],
)
def test_a_server_that_is_overloaded_says_so_to_clients_of_anthropic(body: dict[str, Any]) -> None:
    made = proxai_ir.convert(body, CHAT, "anthropic_messages", kind="error")
    assert made == {"type": "error", "error": {"type": "overloaded_error", "message": "Model is overloaded"}}


def test_a_server_of_inline_images_gets_no_address() -> None:
    """Ollama's server of Chat Completions: "image URLs are not currently supported, please use base64 encoded data"."""
    source = {"type": "url", "url": "https://images.invalid/a.png"}
    asked = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": [{"type": "image", "source": source}]}],
    }
    with pytest.raises(proxai_ir.Unrepresentable, match="SRC-2 at /messages/0/content/0/source"):
        proxai_ir.convert(asked, ANTHROPIC, proxai_ir.profiles.OLLAMA, kind="request")
    made = proxai_ir.convert(asked, ANTHROPIC, CHAT, kind="request")
    assert made["messages"][0]["content"][0]["image_url"]["url"] == "https://images.invalid/a.png"
