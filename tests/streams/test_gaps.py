"""What the laws found at one time or another, one small stream each, with what it must become written out by hand."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import InvalidPayload, StreamError
from proxai_ir.frontends.openai_chat_completions.parts import Content
from proxai_ir.ir.stream.aggregate import fold
from proxai_ir.ir.stream.events import MOST_REPEATED, Stream
from proxai_ir.testing.payloads import canonical
from proxai_ir.testing.streams import fed, lowered

from ..samples import READINGS
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Events, Json
from .deltas import deltas

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


CITATION = {"type": "web_search_result_location", "url": "https://example.org/", "title": "T", "encrypted_index": "E1"}


def to_chat(*blocks: list[Json], stop: str = "end_turn", **details: Any) -> tuple[list[Json], list[str]]:
    """What blocks become, and the losses that are reported."""
    events = anthropic.stream(*blocks, stop=stop)
    events[-2]["delta"] |= details
    done = fed(events, ANTHROPIC, CHAT)
    assert done.error is None
    return deltas(done.out), sorted(rule for rule, _ in done.found("loss"))


# --- places -----------------------------------------------------------------------------------------------------------


def cited(*pieces: str) -> list[Json]:
    start, *rest = anthropic.text_block(*pieces)
    return [start, {"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": CITATION}}, *rest]


def annotated(start: int, end: int) -> Json:
    inner = {"url": "https://example.org/", "title": "T", "start_index": start, "end_index": end}
    return {"annotations": [{"type": "url_citation", "url_citation": inner}]}


def test_a_span_after_a_call() -> None:
    made, _ = to_chat(
        anthropic.text_block("It says: "), anthropic.call_block("toolu_1", "sky", "{}"), cited("Rain."), stop="tool_use"
    )
    assert made[-2:] == [annotated(9, 14), {"finish": "tool_calls"}]


def test_a_span_after_thinking() -> None:
    made, _ = to_chat(anthropic.text_block("It says: "), anthropic.thinking_block("Does it?"), cited("Ra", "in."))
    assert made[-2:] == [annotated(9, 14), {"finish": "stop"}]


def test_spans_of_two_texts() -> None:
    made, _ = to_chat(cited("Rain."), anthropic.call_block("toolu_1", "sky"), cited("Wind."), stop="tool_use")
    first, second = (annotated(*span)["annotations"][0] for span in ((0, 5), (5, 10)))
    assert made[-2:] == [{"annotations": [first, second]}, {"finish": "tool_calls"}]


# --- calls ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pieces", [(), ("",), ("", "")])
def test_a_call_without_arguments_that_had_to_wait(pieces: tuple[str, ...]) -> None:
    first = anthropic.numbered(0, anthropic.call_block("toolu_1", "sky", '{"city":', '"Oslo"}'))
    second = anthropic.numbered(1, anthropic.call_block("toolu_2", "now", *pieces))
    inner = [first[0], first[1], *second, first[2], first[3]]
    done = fed(
        [anthropic.message_start(), *inner, anthropic.message_delta("tool_use"), anthropic.MESSAGE_STOP],
        ANTHROPIC,
        CHAT,
    )
    assert done.error is None
    given = ["", ""]
    for delta in deltas(done.out):
        for piece in delta.get("tool_calls", ()):
            given[piece["index"]] += piece["function"].get("arguments", "")
    assert given == ['{"city":"Oslo"}', "{}"]


# --- refusals (REF-5, REF-6) ------------------------------------------------------------------------------------------

DETAILS = {"stop_details": {"type": "refusal", "category": None, "explanation": "Policy."}}


@pytest.mark.parametrize("pieces", [("I must not.",), ("\n", "I must not."), (" ", "", "I must", " not.")])
def test_a_refusal_that_was_sent_as_text_is_reported(pieces: tuple[str, ...]) -> None:
    made, losses = to_chat(anthropic.text_block(*pieces), stop="refusal")
    assert made == [*({"content": piece} for piece in pieces if piece), {"finish": "stop"}]
    assert losses == ["REF-6"]


def test_a_refusal_is_not_repeated_where_thinking_follows_it() -> None:
    """Once its text was sent as content no other is added, whatever came last (REF-6)."""
    made, losses = to_chat(
        anthropic.text_block("I must not."), anthropic.thinking_block("Or must I?"), stop="refusal", **DETAILS
    )
    assert made == [{"content": "I must not."}, {"reasoning_content": "Or must I?"}, {"finish": "stop"}]
    assert "REF-6" in losses
    made, _ = to_chat(anthropic.text_block("I must not."), anthropic.thinking_block("Or must I?"), stop="refusal")
    assert made == [{"content": "I must not."}, {"reasoning_content": "Or must I?"}, {"finish": "stop"}]


def test_a_refusal_without_text_gets_its_explanation() -> None:
    made, losses = to_chat(anthropic.thinking_block("Hm."), stop="refusal", **DETAILS)
    assert made == [{"reasoning_content": "Hm."}, {"refusal": "Policy."}, {"finish": "stop"}]
    assert losses == []
    made, _ = to_chat(stop="refusal")
    assert made == [{"finish": "content_filter"}]


def test_an_older_refusal_is_reported_where_it_was_sent_as_a_call() -> None:
    """A call of the tool `refusal` that turns out to be one (REF-10) when it has been handed on as a call."""
    done = fed(
        anthropic.stream(anthropic.call_block("toolu_1", "refusal", '{"reason":"I must not."}')), ANTHROPIC, CHAT
    )
    assert done.error is None
    assert {"REF-6", "REF-10"} & {rule for rule, _ in done.found("loss")}


# --- wrong types ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [1, 1.5, True, [], {"type": "text"}])
@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_thinking_among_the_parts_of_content_must_be_text(words: Any, dst: str) -> None:
    piece = {"type": "thinking", "thinking": [{"type": "text", "text": words}]}
    done = fed([chat.chunk({"content": [piece]}), chat.chunk({"content": "Hi"}, "stop")], CHAT, dst)
    if done.error is not None:
        assert isinstance(done.error, InvalidPayload)
        assert done.error.path.startswith("/0/choices/0/delta/content")
    else:  # it may be kept for its own protocol, as parts of no known shape are
        assert dst == CHAT or "UNK-2" in {one.code for one in done.diagnostics}


# --- in the same protocol ---------------------------------------------------------------------------------------------


def folded(events: Events, protocol: str) -> Any:
    """The response that a stream makes, in its own protocol."""
    stream = proxai_ir.lower(events, protocol, kind="stream")
    assert isinstance(stream, Stream)
    return proxai_ir.raise_to(fold([event for step in stream.steps for event in step]), protocol)


@pytest.mark.parametrize("pieces", [(), ("Hm", ".")])
def test_a_signature_is_folded(pieces: tuple[str, ...]) -> None:
    response = folded(anthropic.stream(anthropic.thinking_block(*pieces, signature="EqQB")), ANTHROPIC)
    assert response["content"] == [{"type": "thinking", "thinking": "".join(pieces), "signature": "EqQB"}]


def test_the_input_of_a_custom_call_grows() -> None:
    """Its later pieces have no type."""
    first = {"index": 0, "id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "l"}}
    later = {"index": 0, "custom": {"input": "s"}}
    events = chat.stream(chat.calls(first), chat.calls(later), finish="tool_calls")
    (choice,) = folded(events, CHAT)["choices"]
    made = {"id": "call_1", "type": "custom", "custom": {"name": "shell", "input": "ls"}}
    assert choice["message"]["tool_calls"] == [made]
    again = proxai_ir.raise_to(proxai_ir.lower(events, CHAT, kind="stream"), CHAT)
    assert again[2]["choices"][0]["delta"] == chat.calls(later)


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_piece_of_a_call_that_is_over_comes_back(text: str) -> None:
    first, second = chat.fragment(0, "{}", "call_1", "sky"), chat.fragment(1, "{}", "call_2", "now")
    late = chat.calls(chat.fragment(0, text))
    events = chat.stream(chat.calls(first), chat.calls(second), late, finish="tool_calls")
    again = proxai_ir.raise_to(proxai_ir.lower(events, CHAT, kind="stream"), CHAT)
    assert again[3]["choices"][0]["delta"] == late


def test_a_call_without_arguments_is_folded_to_a_valid_one() -> None:
    stream = proxai_ir.lower(
        anthropic.stream(anthropic.call_block("toolu_1", "now"), stop="tool_use"), ANTHROPIC, kind="stream"
    )
    assert isinstance(stream, Stream)
    response = fold([event for step in stream.steps for event in step])
    (choice,) = proxai_ir.raise_to(response, CHAT)["choices"]
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "now", "arguments": "{}"}


# --- a stream of the IR is whole --------------------------------------------------------------------------------------


@pytest.mark.parametrize("usage", [True, False])
@pytest.mark.parametrize("done", [True, False])
def test_the_end_of_the_bytes_is_raised_too(usage: bool, done: bool) -> None:
    events = chat.stream({"content": "Hi"}, usage=usage, done=done)
    stream = proxai_ir.lower(events, CHAT, kind="stream")
    made = proxai_ir.raise_to(stream, ANTHROPIC)
    assert [event["type"] for event in made][-2:] == ["message_delta", "message_stop"]
    assert made == fed(events, CHAT, ANTHROPIC).out
    assert len(proxai_ir.raise_to(stream, CHAT)) == len(events)


def answered_in_items(*items: Json) -> Events:
    """A Responses stream with whole items only."""
    response: Json = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    done = [{"type": "response.output_item.done", "output_index": n, "item": one} for n, one in enumerate(items)]
    ended = {**response, "status": "completed", "output": list(items)}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        *done,
        {"type": "response.completed", "response": ended},
    ]


def message_of(index: int, *texts: Json) -> Json:
    parts_ = [{"type": "output_text", "annotations": [], **one} for one in texts]
    return {"type": "message", "id": f"msg_{index}", "role": "assistant", "status": "completed", "content": parts_}


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_a_span_counts_the_text_of_the_items_before(dst: str) -> None:
    """On the wire of Responses that of its own part, in a chat message all (CIT-1)."""
    note = {"type": "url_citation", "url": "https://e.com", "title": "T", "start_index": 1, "end_index": 3}
    events = answered_in_items(
        message_of(0, {"text": "Four"}), message_of(1, {"text": "Six..."}, {"text": "Here", "annotations": [note]})
    )
    if dst == RESPONSES:
        again: Any = proxai_ir.raise_to(proxai_ir.lower(events, RESPONSES, kind="stream"), RESPONSES)
        assert again == events
        return
    made: list[Any] = proxai_ir.convert(events, RESPONSES, CHAT)
    (found,) = [one["choices"][0]["delta"]["annotations"] for one in made if "annotations" in str(one)]
    assert [(one["url_citation"]["start_index"], one["url_citation"]["end_index"]) for one in found] == [(13, 15)]


def test_the_ir_counts_the_text_that_a_citation_is_of() -> None:
    """Whatever the wire counts: the part (Responses), or all of the content (chat), in whole responses and streams."""
    note = {"type": "url_citation", "url": "https://e.com", "title": "T", "start_index": 1, "end_index": 3}
    item = message_of(0, {"text": "Four"}, {"text": "Here", "annotations": [note]})
    events = answered_in_items(item)
    inner = {key: note[key] for key in note if key != "type"} | {"start_index": 5, "end_index": 7}
    cited = {"annotations": [{"type": "url_citation", "url_citation": inner}]}
    deltas = [{"content": "Fo"}, {"content": "ur"}, {"reasoning_content": "Hm."}, {"content": "Here"}, cited, {}]
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
    chunks = [{**head, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    chunks[-1]["choices"] = [{"index": 0, "delta": {}, "finish_reason": "stop"}]
    whole: Any = proxai_ir.lower(events[-1]["response"], RESPONSES)
    streams = (lowered(events, RESPONSES), lowered([*chunks, "[DONE]"], CHAT))
    for response in (whole, *(fold([event for step in one.steps for event in step]) for one in streams)):
        parts: list[Any] = [*response.candidates[0].parts]
        text = parts[-1]
        (citation,) = text.citations
        assert (text.text, citation.start, citation.end) == ("Here", 1, 3)


def test_a_citation_that_only_the_whole_part_has_is_carried() -> None:
    note = {"type": "url_citation", "url": "https://e.com", "title": "T", "start_index": 0, "end_index": 2}
    where = {"output_index": 0, "item_id": "msg_0", "content_index": 0}
    whole = {"type": "output_text", "text": "Hi", "annotations": [note]}
    start, done, end = answered_in_items(message_of(0, whole))
    events = [
        start,
        {"type": "response.output_item.added", "output_index": 0, "item": message_of(0)},
        {"type": "response.content_part.added", **where, "part": {**whole, "text": "", "annotations": []}},
        {"type": "response.output_text.delta", **where, "delta": "Hi"},
        {"type": "response.content_part.done", **where, "part": whole},
        done,
        end,
    ]
    made: list[Any] = proxai_ir.convert(events, RESPONSES, CHAT)
    (found,) = [one["choices"][0]["delta"]["annotations"] for one in made if "annotations" in str(one)]
    assert [one["url_citation"]["url"] for one in found] == ["https://e.com"]


def test_an_item_may_be_repeated_with_a_string() -> None:
    start, done, end = answered_in_items({**message_of(0), "content": "Hi"})
    where = {"output_index": 0, "item_id": "msg_0", "content_index": 0}
    events = [
        start,
        {"type": "response.output_item.added", "output_index": 0, "item": message_of(0)},
        {"type": "response.content_part.added", **where, "part": {"type": "output_text", "text": ""}},
        {"type": "response.output_text.delta", **where, "delta": "Hi"},
        done,
        end,
    ]
    assert deltas(proxai_ir.convert(events, RESPONSES, CHAT)) == [{"content": "Hi"}, {"finish": "stop"}]


def test_the_terminal_event_may_contradict_an_item_without_a_type() -> None:
    start, _, end = answered_in_items(message_of(0))
    whole = {"role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}
    where = {"output_index": 0, "item_id": "msg_0", "content_index": 0}
    events = [
        start,
        {"type": "response.output_item.added", "output_index": 0, "item": message_of(0)},
        {"type": "response.content_part.added", **where, "part": {"type": "output_text", "text": ""}},
        {"type": "response.output_text.delta", **where, "delta": "Hi"},
        {**end, "response": {**end["response"], "output": [whole]}},
    ]
    made = proxai_ir.compile(events, RESPONSES, CHAT)
    assert READINGS[CHAT].summary(READINGS[CHAT].whole(made.output))["text"] == "Hi"
    assert [(one.code, one.path) for one in made.diagnostics if one.severity == "loss"] == [
        ("STR-16", "/4/response/output")
    ]


def test_an_empty_delta_after_whole_arguments_may_hold_more() -> None:
    call = {"type": "tool_use", "id": "t_1", "name": "f", "input": {"a": 1}}
    events = anthropic.stream(
        anthropic.block(call, {"type": "input_json_delta", "partial_json": "", "beam": 3}), stop="tool_use"
    )
    made = proxai_ir.compile(events, ANTHROPIC, CHAT)
    assert [(one.code, one.path) for one in made.diagnostics if one.severity == "loss"] == [("UNK-1", "/2/delta/beam")]
    again = proxai_ir.raise_to(proxai_ir.lower(events, ANTHROPIC, kind="stream"), ANTHROPIC)
    assert canonical(again) == canonical(events)


def in_mid_word(status: str) -> Events:
    """A response that ends before its text is done."""
    response = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    message: Json = {"id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": []}
    where = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
    return [
        {"type": "response.created", "response": {**response, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": message},
        {"type": "response.content_part.added", **where, "part": {"type": "output_text", "text": ""}},
        {"type": "response.output_text.delta", **where, "delta": "Half a"},
        {"type": f"response.{status}", "response": {**response, "status": status}},
    ]


@pytest.mark.parametrize("status", ["cancelled", "failed", "incomplete"])
def test_a_response_may_end_within_a_part(status: str) -> None:
    events = in_mid_word(status)
    assert proxai_ir.raise_to(proxai_ir.lower(events, RESPONSES, kind="stream"), RESPONSES) == events
    assert proxai_ir.convert(events, RESPONSES, RESPONSES) == events


def test_a_complete_response_ends_its_texts() -> None:
    events = proxai_ir.convert(in_mid_word("completed"), RESPONSES, ANTHROPIC)
    assert [event["type"] for event in events].count("content_block_stop") == 1


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_cancelled_response_is_an_error_for_other_protocols(dst: str) -> None:
    *before, found = proxai_ir.convert(in_mid_word("cancelled"), RESPONSES, dst)
    assert "Half a" in str(before)
    assert READINGS[dst].outcomes([found]) == ["error"]


def test_a_text_that_the_terminal_event_continues_is_completed() -> None:
    *begun, last = in_mid_word("incomplete")
    found = {"type": "output_text", "text": "Half a bottle", "annotations": []}
    message = {**begun[1]["item"], "status": "incomplete", "content": [found]}
    ended = {**last["response"], "output": [message], "incomplete_details": {"reason": "max_output_tokens"}}
    made = proxai_ir.compile([*begun, {**last, "response": ended}], RESPONSES, CHAT)
    assert deltas(made.output) == [{"content": "Half a"}, {"content": " bottle"}, {"finish": "length"}]
    assert [one.code for one in made.diagnostics if one.severity == "loss"] == []


@pytest.mark.parametrize(("explanation", "rule"), [("I will not.", "REF-11"), ("Policy.", "REF-5"), (None, None)])
def test_a_refusal_that_was_sent_as_text_is_not_repeated(explanation: str | None, rule: str | None) -> None:
    """The diagnostic about the explanation depends on whether the text repeats it."""
    events = anthropic.stream(anthropic.text_block("I will not."), stop="refusal")
    events[-2]["delta"]["stop_details"] = {"type": "refusal", "category": None, "explanation": explanation}
    made = proxai_ir.compile(events, ANTHROPIC, RESPONSES)
    (item,) = made.output[-1]["response"]["output"]
    assert [part.get("refusal", part.get("text")) for part in item["content"]] == ["I will not.", ""]
    found = [one.code for one in made.diagnostics if one.code.startswith("REF")]
    assert found == ["REF-6", rule] if rule else found == ["REF-6"]


def search_given_twice(again: str) -> Events:
    """A search that has its query at its start already, and deltas all the same."""
    return anthropic.stream(
        anthropic.call_block("srv_1", "web_search", again, kind="server_tool_use", input={"query": "tide"})
    )


def test_a_query_that_is_repeated_counts_once() -> None:
    events = search_given_twice('{"query": "tide"}')
    done = fed(events, ANTHROPIC, RESPONSES)
    assert done.error is None
    item = done.out[-1]["response"]["output"][0]
    assert item["action"] == {"type": "search", "query": "tide", "queries": ["tide"]}
    again = proxai_ir.raise_to(proxai_ir.lower(events, ANTHROPIC, kind="stream"), ANTHROPIC)
    assert again[1:] == events[1:]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
@pytest.mark.parametrize("first", ["tide", ""])
def test_a_query_that_is_contradicted_is_refused(dst: str, first: str) -> None:
    events = search_given_twice('{"query": "moon"}')
    events[1]["content_block"]["input"]["query"] = first
    number = next(number for number, event in enumerate(events) if event["type"] == "content_block_stop")
    with pytest.raises(StreamError, match=rf"STR-9 at /{number}: .*another input than its start"):
        proxai_ir.convert(events, ANTHROPIC, dst)


def test_a_chunk_may_have_a_choice_without_content_beside_the_text() -> None:
    def chunk(*choices: tuple[int, Json]) -> Json:
        listed = [{"index": index, "delta": delta, "finish_reason": None} for index, delta in choices]
        return {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": listed}

    last = chunk((0, {}))
    last["choices"][0]["finish_reason"] = "stop"
    events = [chunk((0, {"role": "assistant", "content": "He"})), chunk((0, {"content": "l"}), (0, {})), last, "[DONE]"]
    out = proxai_ir.convert(events, CHAT, ANTHROPIC)
    assert [one["delta"]["text"] for one in out if one["type"] == "content_block_delta"] == ["He", "l"]


def test_a_text_that_is_too_long_to_be_repeated_is_not_kept() -> None:
    """A refusal may repeat the text before it (REF-11), but no stream keeps all of a long text for that."""
    kept, long = Content(), Content()
    assert [kept.note("x" * (MOST_REPEATED - 1)), kept.note("y")] == ["x" * (MOST_REPEATED - 1), "y"]
    assert kept.take() == "x" * (MOST_REPEATED - 1) + "y"
    assert [long.note("x" * MOST_REPEATED), long.note("y"), long.note("z")] == ["x" * MOST_REPEATED, None, None]
    assert (long.follows, long.take()) == (False, None)
