"""What servers of Responses do otherwise in their streams: ids that change, calls that they ran themselves."""

from __future__ import annotations

from copy import deepcopy

import pytest

import proxai_ir
from proxai_ir import StreamError
from proxai_ir.testing.streams import fed, is_legal, is_relayed

from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"

# --- GitHub Copilot: an item has another id in each event -------------------------------------------------------------


def rotated(events: Events) -> Events:
    """The same with an id of its own for each event that names an item."""
    changed: Events = deepcopy(events)
    for number, event in enumerate(changed):
        if "item_id" in event:
            event["item_id"] = f"opaque_{number}"
        elif event["type"] == "response.output_item.done":
            event["item"]["id"] = f"opaque_{number}"
    return changed


TWO = responses.stream(
    responses.response(
        responses.message(responses.output_text("Hi there"), id="msg_1"), responses.call("sky", id="fc_1")
    )
)


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_the_position_of_an_item_decides_where_its_id_changes(dst: str) -> None:
    made, plain = fed(rotated(TWO), RESPONSES, dst), fed(TWO, RESPONSES, dst)
    assert made.error is None
    assert made.out == plain.out
    assert [code for code, _ in made.found("info")].count("STR-17") == 1
    assert made.found("loss") == plain.found("loss") == []
    is_relayed(rotated(TWO), RESPONSES)


def test_the_id_of_another_item_is_a_contradiction() -> None:
    events = deepcopy(TWO)
    last = [event for event in events if event["type"] == "response.function_call_arguments.delta"][-1]
    last["item_id"] = "msg_1"
    with pytest.raises(StreamError) as caught:
        proxai_ir.convert(events, RESPONSES, CHAT, kind="stream")
    assert caught.value.rule == "STR-9"


# --- arguments that do not say which call they are of (STR-24) --------------------------------------------------------


@pytest.mark.parametrize(("arguments", "of_a_call"), [("{}", True), ('{"city": "Rome"}', False)])
def test_repeated_arguments_without_a_place_are_those_of_some_call(arguments: str, of_a_call: bool) -> None:
    repeated = {"type": "response.function_call_arguments.done", "arguments": arguments}
    made = fed([*TWO[:-1], repeated, TWO[-1]], RESPONSES, CHAT)
    if of_a_call:
        assert made.error is None
    else:
        assert made.error is not None
        assert (made.error.rule, made.error.path) == ("STR-9", f"/{len(TWO)}"), "known when the response ends"


# --- xAI: the steps of its own searches are calls of custom tools -----------------------------------------------------

STEP: Json = {
    "type": "custom_tool_call",
    "id": "ctc_1",
    "call_id": "xs_1",
    "name": "x_keyword_search",
    "input": '{"query": "tides"}',
    "status": "completed",
}
TEXT = responses.message(responses.output_text("High at noon."), id="msg_1")
SEARCHED = responses.response(STEP, TEXT, tools=[{"type": "x_search"}, {"type": "function", "name": "sky"}])


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_custom_call_that_the_server_ran_is_none_of_the_clients(dst: str) -> None:
    whole = proxai_ir.compile(SEARCHED, RESPONSES, dst, kind="response")
    stream = proxai_ir.compile(responses.stream(SEARCHED), RESPONSES, dst, kind="stream")
    for made in (whole, stream):
        assert [one.code for one in made.diagnostics if one.severity == "loss"] == ["TUL-6"]
        assert "xs_1" not in str(made.output)
    assert "High at noon." in str(whole.output)
    ending = whole.output["choices"][0]["finish_reason"] if dst == CHAT else whole.output["stop_reason"]
    assert ending == {CHAT: "stop", ANTHROPIC: "end_turn"}[dst]


def test_it_is_kept_in_its_own_protocol() -> None:
    assert proxai_ir.raise_to(proxai_ir.lower(SEARCHED, RESPONSES), RESPONSES) == SEARCHED
    is_relayed(responses.stream(SEARCHED), RESPONSES)


@pytest.mark.parametrize(
    "tools",
    [
        [],
        [{"type": "custom", "name": "x_keyword_search"}, {"type": "x_search"}],
        [{"type": "function", "name": "sky"}],
        [{"type": "x_search"}, {"type": "namespace", "name": "x", "tools": []}],
    ],
    ids=["no tools", "the client's", "only the client's kinds", "a group that may hold it"],
)
def test_in_doubt_a_custom_call_is_the_clients(tools: list[Json]) -> None:
    response = responses.response(STEP, tools=tools)
    made = proxai_ir.convert(response, RESPONSES, CHAT, kind="response")
    assert made["choices"][0]["message"]["tool_calls"][0]["custom"]["name"] == "x_keyword_search"
    assert made["choices"][0]["finish_reason"] == "tool_calls"


# --- OpenAI: a summary of reasoning has several parts -----------------------------------------------------------------


def test_parts_of_a_summary_are_paragraphs_in_chat() -> None:
    """Each begins with a title: joined with nothing, the title would end the sentence before it."""
    pieces = [{"type": "summary_text", "text": text} for text in ("**Plan** Look.", "**Check** Good.")]
    response = responses.response({"type": "reasoning", "id": "rs_1", "summary": pieces}, TEXT)
    whole = proxai_ir.convert(response, RESPONSES, CHAT, kind="response")
    expected = "**Plan** Look.\n\n**Check** Good."
    assert whole["choices"][0]["message"]["reasoning_content"] == expected
    chunks = proxai_ir.convert(responses.stream(response), RESPONSES, CHAT, kind="stream")
    deltas = [choice["delta"] for chunk in chunks[:-1] for choice in chunk["choices"]]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == expected


# --- llama.cpp, Ollama: the texts of reasoning are not announced ------------------------------------------------------

THOUGHT = responses.stream(
    responses.response(
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [{"type": "summary_text", "text": "Tides."}, {"type": "summary_text", "text": "Moon."}],
        },
        responses.message(responses.output_text("High at noon."), id="msg_1"),
    )
)
PARTS = ("response.reasoning_summary_part.added", "response.reasoning_summary_part.done")
UNANNOUNCED = [
    {**event, "sequence_number": number}
    for number, event in enumerate(event for event in THOUGHT if event["type"] not in PARTS)
]


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_reasoning_may_grow_without_having_been_added(dst: str) -> None:
    assert len(UNANNOUNCED) == len(THOUGHT) - 4
    made, plain = fed(UNANNOUNCED, RESPONSES, dst), fed(THOUGHT, RESPONSES, dst)
    assert made.error is None
    assert made.out == plain.out
    assert made.found("loss") == plain.found("loss") == []


def test_reasoning_that_was_not_added_comes_back() -> None:
    is_legal(UNANNOUNCED, RESPONSES)
    is_relayed(UNANNOUNCED, RESPONSES)


def test_text_of_a_response_need_not_be_announced() -> None:
    events = [event for event in THOUGHT if event["type"] != "response.content_part.added"]
    announced = proxai_ir.convert(THOUGHT, RESPONSES, CHAT, kind="stream")
    assert proxai_ir.convert(events, RESPONSES, CHAT, kind="stream") == announced


# --- items of which events come in turns ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dst", "ending"),
    [
        ("bedrock_converse", {"messageStop": {"stopReason": "tool_use"}}),
        ("cohere_v2_chat", {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}),
    ],
)
def test_a_refusal_that_is_worded_after_a_call_has_begun(dst: str, ending: Json) -> None:
    """It becomes a text there, in its own place: the call stays one that the client has to run."""
    refusal = {"type": "refusal", "refusal": "No"}
    message, call = responses.message(refusal, id="msg_1"), responses.call("sky", id="fc_1")
    where = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
    events = [
        responses.created(),
        responses.added(responses.message(id="msg_1")),
        {"type": "response.content_part.added", **where, "part": {"type": "refusal", "refusal": ""}},
        responses.added({**call, "arguments": ""}, 1),
        {"type": "response.refusal.delta", **where, "delta": "No"},
        {"type": "response.refusal.done", **where, "refusal": "No"},
        {"type": "response.content_part.done", **where, "part": refusal},
        responses.done(message),
        responses.done(call, 1),
        responses.ended(message, call),
    ]
    assert ending in proxai_ir.convert(events, RESPONSES, dst, kind="stream")
