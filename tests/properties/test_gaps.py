"""What the laws found at one time or another, one small payload each; what is marked the core does not keep yet."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.api import Kind
from proxai_ir.testing.payloads import canonical

from ..samples import others
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
HELLO = chat.user("Hi")
CACHE = {"type": "ephemeral"}
DOCUMENT = {"type": "document", "title": "T", "source": {"type": "text", "media_type": "text/plain", "data": "D"}}


def of_chat(*messages: Json, **members: Any) -> Json:
    return chat.request(HELLO, *messages, **members)


def of_anthropic(*messages: Json, **members: Any) -> Json:
    return anthropic.request(HELLO, *messages, **members)


def with_result(**result: Any) -> Json:
    """An Anthropic request in which a call has this result."""
    called = anthropic.assistant([anthropic.tool_use("f")])
    return of_anthropic(called, anthropic.user([{"type": "tool_result", "tool_use_id": "call_1", **result}]))


def with_call(function: Json) -> Json:
    """A Chat Completions request with this call and its result."""
    called = chat.assistant(tool_calls=[{"id": "c", "type": "function", "function": function}])
    return of_chat(called, chat.result("r", "c"))


BACK = [
    pytest.param(ANTHROPIC, with_result(is_error=True), "", id="failed result without content"),
    pytest.param(ANTHROPIC, with_result(cache_control=CACHE), "", id="marked result without content"),
    pytest.param(
        ANTHROPIC, of_anthropic(tools=[{"name": "f", "input_schema": {}, "cache_control": CACHE}]), "", id="marked tool"
    ),
    pytest.param(
        ANTHROPIC, of_anthropic(tools=[{"name": "f", "input_schema": {}, "zz": 1}]), "", id="tool without description"
    ),
    pytest.param(
        CHAT, of_chat(tools=[{"type": "function", "function": {"name": "f", "zz": 1}}]), "", id="short function"
    ),
    pytest.param(CHAT, of_chat(tools=[{"function": {"name": "f"}, "zz": 1}]), "", id="untyped tool"),
    pytest.param(CHAT, with_call({"name": "f", "zz": 1}), "", id="call without arguments"),
    pytest.param(
        CHAT,
        of_chat(
            tools=[{"type": "function", "function": {"name": "f"}}],
            tool_choice={
                "type": "allowed_tools",
                "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "f"}, "zz": 1}]},
            },
        ),
        "",
        id="allowed tool",
    ),
    pytest.param(
        ANTHROPIC,
        anthropic.response({"type": "text", "text": "No.", "cache_control": CACHE}, stop="refusal"),
        "response",
        id="marked refusal",
    ),
    pytest.param(
        ANTHROPIC,
        of_anthropic(
            {
                "role": "user",
                "content": [{"type": "search_result", "source": "s", "title": "t", "content": [{"type": "new"}]}],
            }
        ),
        "",
        id="unknown part of a search result",
    ),
]


@pytest.mark.parametrize(("protocol", "payload", "kind"), BACK)
def test_it_comes_back(protocol: str, payload: Json, kind: Kind) -> None:
    back = proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind=kind or None), protocol)
    assert canonical(back) == canonical(payload)


HM = {"type": "text", "text": "Hm."}
NAMED = [
    pytest.param(ANTHROPIC, with_result(is_error=True), "/messages/2/content/0/is_error", id="failed result"),
    pytest.param(CHAT, with_call({"name": "f", "zz": 1}), "/messages/1/tool_calls/0/function/zz", id="call"),
    pytest.param(
        CHAT,
        of_chat(tools=[{"type": "function", "function": {"name": "f", "zz": 1}}]),
        "/tools/0/function/zz",
        id="function",
    ),
    pytest.param(ANTHROPIC, of_anthropic(tools=[{"name": "f", "input_schema": {}, "zz": 1}]), "/tools/0/zz", id="tool"),
    pytest.param(
        ANTHROPIC,
        of_anthropic(tools=[{"name": "f", "input_schema": {}}], tool_choice={"type": "auto", "zz": 1}),
        "/tool_choice/zz",
        id="choice",
    ),
    pytest.param(ANTHROPIC, of_anthropic(stop_sequences=[]), "/stop_sequences", id="no stops"),
    pytest.param(
        ANTHROPIC, with_result(content=[DOCUMENT]), "/messages/2/content/0/content/0", id="a document read out"
    ),
    pytest.param(
        ANTHROPIC,
        of_anthropic(cache_control={"type": "ephemeral", "zz": 1}),
        "/cache_control/zz",
        id="cache",
    ),
    pytest.param(
        CHAT,
        of_chat(chat.assistant([{"type": "thinking", "thinking": [{**HM, "zz": 1}]}, HM]), HELLO),
        "/messages/1/content/0/thinking",
        id="a piece of thinking",
    ),
]


@pytest.mark.parametrize(("protocol", "payload", "pointer"), NAMED)
def test_its_loss_is_named(protocol: str, payload: Json, pointer: str) -> None:
    """By a target that cannot represent it."""
    assert any(pointer in {one.path for one in proxai_ir.check(payload, protocol, dst)} for dst in others(protocol))


def test_a_custom_tool_without_a_name_is_refused() -> None:
    payload = of_chat(tools=[{"type": "custom", "custom": {"name": ""}}], parallel_tool_calls=True)
    with pytest.raises(proxai_ir.TranslationError):
        proxai_ir.convert(payload, CHAT, ANTHROPIC)


@pytest.mark.parametrize(("word", "rule"), [("required", "TUL-11"), ("auto", "TUL-15")])
@pytest.mark.parametrize("dst", [ANTHROPIC, RESPONSES])
def test_a_choice_does_not_mean_the_search_of_a_chat(word: str, rule: str, dst: str) -> None:
    payload = of_chat(web_search_options={}, tool_choice=word)
    assert (rule, "/tool_choice") in [(one.code, one.path) for one in proxai_ir.check(payload, CHAT, dst)]
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def test_scores_of_no_token_are_no_loss() -> None:
    payload = chat.response(content="Hi")
    payload["choices"][0]["logprobs"] = {"content": None, "refusal": None}
    for dst in (ANTHROPIC, RESPONSES):
        found = [(one.code, one.path) for one in proxai_ir.check(payload, CHAT, dst)]
        assert ("ENV-7", "/choices/0/logprobs") in found
        assert "SMP-7" not in {code for code, _ in found}
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT)["choices"][0]["logprobs"] == {  # type: ignore[call-overload]
        "content": None,
        "refusal": None,
    }


def test_scores_of_no_known_shape_are_a_named_loss() -> None:
    token = {"token": "Hi", "logprob": -0.1, "bytes": None, "top_logprobs": ["Hi", "Ho"]}
    payload = chat.response(content="Hi")
    payload["choices"][0]["logprobs"] = {"content": [token]}
    made = proxai_ir.compile(payload, CHAT, RESPONSES, kind="response")
    assert ("SMP-7", "/choices/0/logprobs") in [(one.code, one.path) for one in made.diagnostics]
    assert "logprobs" not in made.output["output"][0]["content"][0]


def test_a_user_message_is_no_part_of_a_response() -> None:
    payload = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "output": [HELLO]}
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.convert(payload, RESPONSES, CHAT)
    assert (caught.value.rule, caught.value.path) == ("SHP-3", "/output/0/role")


def with_a_call_as_part(**address: int) -> list[Any]:
    """A message that has an item as its part, and more of its arguments with this address beside the item's."""
    response = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "in_progress", "output": []}
    message: Json = {"type": "message", "id": "m_1", "role": "assistant", "content": []}
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    where = {"output_index": 0, "item_id": "m_1"}
    done = {**message, "content": [call]}
    return [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": message},
        {"type": "response.content_part.added", **where, "content_index": 0, "part": call},
        {"type": "response.function_call_arguments.delta", **where, **address, "delta": "{}"},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": [done]}},
    ]


def test_an_item_is_no_part_of_a_message() -> None:
    """Arguments say which item they are of, and a message has none."""
    with pytest.raises(proxai_ir.StreamError) as caught:
        proxai_ir.convert(with_a_call_as_part(), RESPONSES, CHAT)
    assert (caught.value.rule, caught.value.path) == ("STR-9", "/3/output_index")


def test_a_part_with_the_type_of_an_item_is_of_unknown_type() -> None:
    """What says that it is of such a part belongs to it, is named with it, and is no call (STR-27)."""
    made = proxai_ir.compile(with_a_call_as_part(content_index=0), RESPONSES, CHAT)
    lost = [(one.code, one.path) for one in made.diagnostics if one.severity.value == "loss"]
    assert lost == [("UNK-1", "/2/part"), ("UNK-1", "/3/delta"), ("UNK-2", "/4/item/content/0")]
    choices = [chunk["choices"][0] for chunk in made.output[:-1]]
    assert [one["delta"] for one in choices] == [{"role": "assistant", "content": ""}, {}]
    assert choices[-1]["finish_reason"] == "stop"


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_an_item_whose_content_is_lost_is_named_among_others(dst: str) -> None:
    response = responses.response(
        responses.message({"type": "hologram"}), responses.message(responses.output_text("Hi"))
    )
    found = [(one.code, one.severity, one.path) for one in proxai_ir.check(response, RESPONSES, dst)]
    assert ("UNK-2", "loss", "/output/0/content/0") in found
    assert ("PLC-12", "info", "/output/0") in found


REASONING = {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "Hm."}]}


@pytest.mark.parametrize(
    ("value", "items", "rule"),
    [
        ("current_turn", [], "CTX-3"),
        ("auto", [REASONING], "SMP-6"),
        ("current_turn", [REASONING], "CTX-1"),
        ("all_turns", [REASONING], "SMP-6"),
        ("every_turn", [], "CTX-1"),
    ],
)
def test_a_setting_for_earlier_reasoning_needs_some_to_be_a_loss(value: str, items: list[Any], rule: str) -> None:
    request = responses.request(*items, {"role": "user", "content": "Hi"}, reasoning={"context": value})
    found = [one.code for one in proxai_ir.check(request, RESPONSES, CHAT) if one.path == "/reasoning/context"]
    assert found == [rule]


CALL = anthropic.tool_use("look", call_id="c1")
RESULT = {"type": "tool_result", "tool_use_id": "c1", "content": "Seen."}
USED: list[Json] = [{"role": "assistant", "content": [CALL]}, {"role": "user", "content": [RESULT]}]
THOUGHT: Json = {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "eA=="}]}
CLEAR_TOOLS, CLEAR_THINKING = {"type": "clear_tool_uses_20250919"}, {"type": "clear_thinking_20251015"}


@pytest.mark.parametrize(
    ("edits", "messages", "settings", "rule"),
    [
        ([CLEAR_TOOLS], [], {}, "CTX-3"),
        ([CLEAR_TOOLS, CLEAR_THINKING], [], {}, "CTX-3"),
        ([CLEAR_TOOLS], USED, {}, "CTX-1"),
        ([CLEAR_TOOLS], [], {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "CTX-1"),
        ([CLEAR_THINKING], [THOUGHT, HELLO], {}, "CTX-1"),
        ([{**CLEAR_THINKING, "keep": {"type": "thinking_turns", "value": 1}}], [THOUGHT, HELLO], {}, "CTX-1"),
        ([{**CLEAR_THINKING, "keep": "all"}], [THOUGHT, HELLO], {}, "SMP-6"),
        ([{**CLEAR_THINKING, "keep": {"type": "all"}}], [THOUGHT, HELLO], {}, "SMP-6"),
        ([{**CLEAR_THINKING, "keep": "all"}, CLEAR_TOOLS], [THOUGHT, HELLO], {}, "CTX-3"),
        ([{**CLEAR_THINKING, "keep": "all"}, CLEAR_TOOLS], USED, {}, "CTX-1"),
        ([{"type": ["clear_thinking_"], "keep": "all"}, 5], [THOUGHT, HELLO], {}, "CTX-1"),
        ([CLEAR_TOOLS, {"type": "compact_20260112"}], [], {}, "CTX-1"),
        ([], [], {}, "ENV-7"),
    ],
)
def test_an_edit_of_the_prompt_needs_something_to_clear_to_be_a_loss(
    edits: list[Json], messages: list[Json], settings: Json, rule: str
) -> None:
    asked = of_anthropic(*messages, context_management={"edits": edits}, **settings)
    found = [one.code for one in proxai_ir.check(asked, ANTHROPIC, CHAT) if one.path == "/context_management"]
    assert found == [rule]


@pytest.mark.parametrize(("text", "rule"), [("", ()), (" \n", ("PLC-9",))])
def test_whitespace_in_an_item_that_is_left_out_is_named(text: str, rule: tuple[str, ...]) -> None:
    request = responses.request(
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": text},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "And?"},
        reasoning=None,
    )
    found = proxai_ir.check(request, RESPONSES, ANTHROPIC)
    assert tuple(one.code for one in found if one.severity == "loss") == rule
    assert ("PLC-12", "/input/1") in [(one.code, one.path) for one in found]


def test_incomplete_details_of_a_complete_response_are_reported() -> None:
    details = {"reason": "max_output_tokens"}
    response = responses.response(responses.message(responses.output_text("Hi")), incomplete_details=details)
    assert ("STS-12", "/incomplete_details") in [
        (one.code, one.path) for one in proxai_ir.check(response, RESPONSES, CHAT)
    ]
    assert proxai_ir.raise_to(proxai_ir.lower(response, RESPONSES), RESPONSES)["incomplete_details"] == details  # type: ignore[call-overload]


def test_instructions_between_two_calls_wait_for_the_results_of_both() -> None:
    """They are one turn's calls: no result stands between them."""
    calls = [{"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"} for one in "ab"]
    results = [{"type": "function_call_output", "call_id": one, "output": one} for one in "ab"]
    between = {"role": "developer", "content": "Hm."}
    made: Any = proxai_ir.convert(
        {"model": "m", "input": [HELLO, calls[0], between, calls[1], *results]}, RESPONSES, CHAT
    )
    assert [one["role"] for one in made["messages"]] == ["user", "assistant", "tool", "tool", "developer"]
    assert [one["id"] for one in made["messages"][1]["tool_calls"]] == ["a", "b"]


def test_the_content_of_a_failed_response_may_be_a_string() -> None:
    response = responses.response({"type": "message", "role": "assistant", "content": "No."}, status="failed")
    made: Any = proxai_ir.convert(response, RESPONSES, CHAT)
    assert made["choices"][0]["message"] == {"role": "assistant", "content": None, "refusal": "No."}
    assert proxai_ir.raise_to(proxai_ir.lower(response, RESPONSES), RESPONSES) == response
