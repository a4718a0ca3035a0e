"""The response that is kept of a stream is what the stream said (STR-19), item by item, with ids, order and status."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import proxai_ir
from proxai_ir import StreamConverter, convert
from proxai_ir.testing.payloads import canonical
from proxai_ir.testing.streams import Fed, fed

from ..cases import each
from ..samples import PROTOCOLS, Sample, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

ANTHROPIC, GEMINI, CHAT, RESPONSES = (
    "anthropic_messages",
    "gemini_generate_content",
    "openai_chat_completions",
    "openai_responses",
)
OTHERS = (ANTHROPIC, GEMINI, CHAT)
DONE = {"status": "completed"}


def kept(events: Events, src: str, dst: str | None = None, **options: Any) -> Json:
    """The response that a converter keeps; without another target that of a stream that is passed through."""
    done = fed(events, src, dst or src, keep_response=True, **options)
    assert done.error is None
    response: Json = done.converter.response  # type: ignore[assignment]
    return response


def terminal(events: Events) -> Json:
    """The response that the last event of a Responses stream repeats."""
    response: Json = events[-1]["response"]
    return response


def said(words: str, **members: Any) -> Json:
    return responses.message(responses.output_text(words), **{**DONE, **members})


THOUGHT: Json = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
SEALED: Json = {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "eA=="}
CALL = responses.call("sky", '{"city":"Oslo"}', id="fc_1", **DONE)
RAN: Json = {
    "type": "web_search_call",
    "id": "ws_1",
    "action": {"type": "search", "query": "rain", "queries": ["rain"]},
    **DONE,
}
SCORES = [{"token": "Hi", "logprob": -0.1, "bytes": [72, 105], "top_logprobs": []}]
SCORED = {**responses.output_text("Hi"), "logprobs": SCORES}

ITEMS: dict[str, tuple[Json, ...]] = {
    "several kinds": (THOUGHT, said("I look.", id="msg_1"), CALL, said("Rain.", id="msg_2")),
    "several messages": (said("One.", id="msg_1"), said("Two.", id="msg_2"), said("Three.", id="msg_3")),
    "phases": (said("I look.", id="msg_1", phase="commentary"), said("Rain.", id="msg_2", phase="final_answer")),
    "two calls": (CALL, responses.call("now", "{}", "call_2", id="fc_2", **DONE)),
    "sealed reasoning without text": (SEALED, CALL),
    "what the provider ran": (RAN, said("Rain.", id="msg_1")),
    "unknown members": (said("Hi", id="msg_1", mood="sunny"), {**CALL, "trace": {"id": 7}}),
    "an unknown item": ({"type": "dream", "id": "dr_1", "of": ["sheep"]}, said("Hi", id="msg_1")),
    "a message without content": (responses.message(id="msg_1", **DONE), CALL),
    "scores of two texts": (
        responses.message(SCORED, id="msg_1", **DONE),
        responses.message(SCORED, id="msg_2", **DONE),
    ),
}
ENDINGS: dict[str, Json] = {
    "completed": {"usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}, "completed_at": 1700000001},
    "incomplete": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
    "failed": {"status": "failed"},
}


@each("ending", ENDINGS)
@each("name", ITEMS)
def test_all_items_are_those_of_the_terminal_event(name: str, ending: str) -> None:
    whole = responses.response(*ITEMS[name], **ENDINGS[ending])
    assert canonical(kept(responses.stream(whole), RESPONSES)) == canonical(whole)


@each("dst", OTHERS)
@each("name", ITEMS)
def test_the_converted_response_is_that_of_the_terminal_event(name: str, dst: str) -> None:
    """STR-11: folded and converted."""
    whole = responses.response(*ITEMS[name])
    made = fed(responses.stream(whole), RESPONSES, dst, keep_response=True)
    if made.error is None:
        assert canonical(made.converter.response) == canonical(convert(whole, RESPONSES, dst, kind="response"))


@pytest.mark.parametrize("sample", [one for one in samples("stream") if one.protocol == RESPONSES], ids=str)
def test_samples_fold_to_their_terminal_event(sample: Sample) -> None:
    events = sample.make()
    done = fed(events, RESPONSES, RESPONSES, keep_response=True)
    ends = [one["response"] for one in events if isinstance(one, dict) and one.get("type") in set(ENDED)]
    if done.converter.failure is None and ends and not done.diagnostics:
        assert canonical(done.converter.response) == canonical({**terminal([events[0]]), **ends[-1]})


ENDED = ("response.completed", "response.incomplete", "response.failed")
LATER = {"REF-6", "AUD-2"}
"""A stream has sent a text before it shows as a refusal, and log probabilities before there is a second text."""


@pytest.mark.parametrize("src", OTHERS)
def test_what_is_written_as_responses_is_what_is_kept(src: str) -> None:
    """Ids that are generated included: the terminal event and the kept response are one."""
    for sample in samples("stream"):
        if sample.protocol != src:
            continue
        done = fed(sample.make(), src, RESPONSES, keep_response=True)
        if done.error is None and done.converter.failure is None and not {rule for rule, _ in done.found()} & LATER:
            assert canonical(done.converter.response["output"]) == canonical(terminal(done.out)["output"]), str(sample)  # type: ignore[index]


# --- ends that repeat less, or something else -------------------------------------------------------------------------

TALK = responses.stream(responses.response(*ITEMS["several kinds"]))


def ending_with(*items: Json, **members: Any) -> Events:
    """The events of several kinds of items, with another end."""
    return [*TALK[:-1], {**TALK[-1], "response": responses.response(*items, **members)}]


def test_an_end_that_repeats_no_items() -> None:
    """As the gateways of some clients send it."""
    whole = kept(ending_with(), RESPONSES)
    assert canonical(whole["output"]) == canonical([*ITEMS["several kinds"]])


def test_an_end_that_repeats_some_items() -> None:
    first, *_, last = ITEMS["several kinds"]
    whole = kept(ending_with(first, last), RESPONSES)
    assert canonical(whole["output"]) == canonical([*ITEMS["several kinds"]])


def test_items_that_no_event_repeats_are_those_of_the_deltas() -> None:
    where = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
    events = [
        responses.created(),
        responses.added({**responses.message(id="msg_1"), "status": "in_progress"}),
        {"type": "response.content_part.added", **where, "part": responses.output_text("")},
        {"type": "response.output_text.delta", **where, "delta": "Hi"},
        {"type": "response.output_text.delta", **where, "delta": " you"},
        responses.added({**CALL, "arguments": "", "status": "in_progress"}, 1),
        {
            "type": "response.function_call_arguments.delta",
            "output_index": 1,
            "item_id": "fc_1",
            "delta": CALL["arguments"],
        },
        responses.ended(status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
    ]
    assert canonical(kept(events, RESPONSES)["output"]) == canonical(
        [said("Hi you", id="msg_1", status="incomplete"), {**CALL, "status": "incomplete"}]
    )


def test_an_envelope_that_the_end_does_not_repeat_is_that_of_the_start() -> None:
    events = [responses.created(), {"type": "response.completed", "response": {"status": "completed", "output": []}}]
    whole = kept(events, RESPONSES)
    assert {key: whole[key] for key in ("id", "model", "created_at")} == {
        "id": "resp_1",
        "model": "gpt",
        "created_at": 1700000000,
    }


def with_gap(*indexes: int, ids: bool = True) -> Events:
    """Two messages whose indexes are these, and both at the end."""
    items = [said("One.", id="msg_1"), said("Two.", id="msg_2")]
    if not ids:
        items = [{key: value for key, value in item.items() if key != "id"} for item in items]
    inner = [event for at, item in zip(indexes, items, strict=True) for event in responses.item_events(item, at)]
    return [responses.created(), *inner, responses.ended(*items)]


@pytest.mark.parametrize("ids", [True, False])
def test_an_index_that_is_left_out_repeats_no_text(ids: bool) -> None:
    """The end has two items, at positions 0 and 1; the events had indexes 0 and 2."""
    events = with_gap(0, 2, ids=ids)
    made = proxai_ir.compile(events, RESPONSES, CHAT, kind="stream")
    texts = [choice["delta"].get("content") or "" for event in made.output[:-1] for choice in event["choices"]]
    assert "".join(texts) == "One.\n\nTwo."
    assert [one.code for one in made.diagnostics if one.severity != "info"] == []
    assert canonical(kept(events, RESPONSES)) == canonical(terminal(events))


def test_items_that_the_end_lists_in_another_order() -> None:
    """Each is found by its id."""
    first, second = said("One.", id="msg_1"), said("Two.", id="msg_2")
    events = [
        responses.created(),
        *responses.item_events(first, 0),
        *responses.item_events(second, 1),
        responses.ended(second, first),
    ]
    done = fed(events, RESPONSES, RESPONSES, keep_response=True)
    assert canonical(done.converter.response["output"]) == canonical([second, first])  # type: ignore[index]
    assert done.diagnostics == ()


def contradicted(item: Json, other: Json) -> Fed:
    events = [responses.created(), *responses.item_events(item, 0), responses.ended(other)]
    return fed(events, RESPONSES, RESPONSES, keep_response=True, strict=True)


def test_a_text_that_the_end_contradicts_is_that_of_the_deltas() -> None:
    done = contradicted(said("Rain.", id="msg_1"), said("Sun.", id="msg_1"))
    assert canonical(done.converter.response["output"]) == canonical([said("Rain.", id="msg_1")])  # type: ignore[index]
    assert done.found() == [("STR-20", f"/{len(done.out) - 1}/response/output")]


def test_a_text_that_only_the_end_repeats_and_contradicts_is_that_of_the_deltas() -> None:
    events = responses.item_events(said("Rain.", id="msg_1"), 0)
    events = [event for event in events if not event["type"].endswith(".done")]
    events = [responses.created(), *events, responses.ended(said("Sun.", id="msg_1"))]
    done = fed(events, RESPONSES, RESPONSES, keep_response=True)
    assert canonical(done.converter.response["output"]) == canonical([said("Rain.", id="msg_1")])  # type: ignore[index]
    assert [rule for rule, _ in done.found()] == ["STR-20"]


@pytest.mark.parametrize("other", [{"id": "msg_9"}, {"status": "incomplete"}])
def test_an_id_or_status_that_the_end_has_otherwise_is_reported(other: Json) -> None:
    (key,) = other
    done = contradicted(said("Rain.", id="msg_1"), said("Rain.", **{"id": "msg_1", **other}))
    assert done.found() == [("STR-20", f"/{len(done.out) - 1}/response/output/0/{key}")]
    assert done.converter.response["output"][0][key] == other[key]  # type: ignore[index]


def test_a_call_keeps_the_id_that_it_began_with() -> None:
    """It is the one that a client of another protocol has, too (STR-16)."""
    begun = {**CALL, "arguments": "", "call_id": "call_0"}
    events = [responses.created(), responses.added(begun), responses.done(CALL), responses.ended(CALL)]
    assert kept(events, RESPONSES)["output"][0]["call_id"] == "call_0"
    (choice,) = kept(events, RESPONSES, CHAT)["choices"]
    assert choice["message"]["tool_calls"][0]["id"] == "call_0"


# --- failures ---------------------------------------------------------------------------------------------------------


def test_a_failed_response_without_an_error_keeps_its_text() -> None:
    whole = responses.response(said("I may not.", id="msg_1"), status="failed", error=None)
    assert canonical(kept(responses.stream(whole), RESPONSES)) == canonical(whole)


def test_a_failed_response_with_an_error_is_none() -> None:
    error = {"code": "server_error", "message": "No."}
    done = fed(
        responses.stream(responses.response(said("I", id="msg_1"), status="failed", error=error)),
        RESPONSES,
        RESPONSES,
        keep_response=True,
    )
    assert done.converter.response is None
    assert done.converter.failure is not None


# --- protocols whose end repeats nothing ------------------------------------------------------------------------------


def test_an_older_refusal_is_the_call_that_it_was() -> None:
    """REF-10, as the accumulated message of the official client."""
    block = anthropic.call_block("toolu_1", "refusal", '{"reason": "I can', "'t help.\"}")
    whole = kept(anthropic.stream(block), ANTHROPIC)
    assert whole["content"] == [anthropic.tool_use("refusal", {"reason": "I can't help."}, "toolu_1")]
    assert whole["stop_reason"] == "end_turn"
    assert "stop_details" not in whole


def test_members_that_a_message_gets_at_its_end() -> None:
    *events, delta, stop = anthropic.stream(anthropic.text_block("Hi"))
    container = {"id": "container_1", "expires_at": "2026-01-01T00:00:00Z"}
    late = {**delta, "delta": {**delta["delta"], "container": container}, "context_management": {"applied_edits": []}}
    whole = kept([*events, late, stop], ANTHROPIC)
    assert (whole["container"], whole["context_management"]) == (container, {"applied_edits": []})
    stream = [*events, late, stop]
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(stream, ANTHROPIC, kind="stream"), ANTHROPIC)) == canonical(
        stream
    )


def test_members_of_chunks_are_those_of_the_response() -> None:
    """The last value of each counts; lists are joined by index, and the text of reasoning."""
    details = [
        {"type": "reasoning.text", "text": "Hm", "format": "unknown", "index": 0},
        {"type": "reasoning.text", "text": ".", "format": "unknown", "index": 0},
    ]
    events = chat.stream(
        *({"reasoning": one["text"], "reasoning_details": [one]} for one in details), {"content": "Hi"}, usage=True
    )
    events[0]["provider"] = "P"
    events[-2]["system_fingerprint"] = "fp_1"
    events.insert(-1, {"id": "", "object": "", "model": "", "choices": [], "moderation": {"flagged": False}})
    events[3]["choices"][0]["content_filter_results"] = {"hate": {"filtered": False}}
    given = deepcopy(events)
    whole = kept(events, CHAT)
    message = whole["choices"][0]["message"]
    assert message["content"] == "Hi"
    assert (message["reasoning"], message["reasoning_details"]) == ("Hm.", [{**details[0], "text": "Hm."}])
    assert whole["choices"][0]["content_filter_results"] == {"hate": {"filtered": False}}
    assert (whole["provider"], whole["system_fingerprint"], whole["moderation"]) == ("P", "fp_1", {"flagged": False})
    assert events == given
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(events, CHAT, kind="stream"), CHAT)) == canonical(events)


def test_members_of_chunks_may_change_their_shape() -> None:
    """The last value counts; whatever came before, nothing breaks."""
    values = ("a", [{"index": 0, "of": 1}], {"b": 1}, {"c": 2}, [1, 2], [{"index": 1}, {"index": 1, "of": 2}])
    events = chat.stream({"content": "Hi"}, *({"odd": value} for value in values))
    assert kept(events, CHAT)["choices"][0]["message"]["odd"] == [{"index": 1, "of": 2}]


def test_usage_that_is_provisional_counts_where_nothing_follows() -> None:
    events = chat.stream({"content": "Hi"}, usage=False)
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    events[-2]["usage"] = usage
    assert kept(events, CHAT)["usage"] == usage
    done = fed(events, CHAT, CHAT, keep_response=True)
    assert done.converter.usage is not None
    assert (done.converter.usage.input, done.converter.usage.output) == (3, 1)
    chunks = gemini.stream(gemini.chunk("Hi", usage={"promptTokenCount": 7, "totalTokenCount": 7}))
    chunks[-1].pop("usageMetadata")
    assert kept(chunks, GEMINI)["usageMetadata"] == {"promptTokenCount": 7, "totalTokenCount": 7}


def test_when_a_recording_expires() -> None:
    events = chat.stream(
        {"audio": {"id": "audio_1", "data": "AAAA", "transcript": "Hi"}},
        {"audio": {"data": "BBBB", "transcript": " you"}},
        {"audio": {"expires_at": 1700003600}},
    )
    assert kept(events, CHAT)["choices"][0]["message"]["audio"] == {
        "id": "audio_1",
        "data": "AAAABBBB",
        "transcript": "Hi you",
        "expires_at": 1700003600,
    }


def test_members_of_log_probabilities_in_later_chunks() -> None:
    events = chat.stream({"content": "Hi"}, {"content": " you"}, usage=False)
    token = {"token": "Hi", "logprob": -0.5, "bytes": None, "top_logprobs": []}
    events[1]["choices"][0]["logprobs"] = {"content": [token], "refusal": None, "ranks": [1]}
    events[2]["choices"][0]["logprobs"] = {"content": [token], "refusal": None, "ranks": [2], "of": "x"}
    assert canonical(kept(events, CHAT)["choices"][0]["logprobs"]) == canonical(
        {"content": [token, token], "refusal": None, "ranks": [1, 2], "of": "x"}
    )


def test_candidates_without_an_index_have_none() -> None:
    chunks = gemini.stream(gemini.chunk("Hi"))
    for chunk in chunks:
        del chunk["candidates"][0]["index"]
    (candidate,) = kept(chunks, GEMINI)["candidates"]
    assert "index" not in candidate


@pytest.mark.parametrize("src", PROTOCOLS)
def test_keeping_the_response_changes_nothing_else(src: str) -> None:
    """Nor does anything hold on to an event's own object, which its caller may clear."""
    for sample in samples("stream", dense=False):
        if sample.protocol != src:
            continue
        plain = fed(sample.make(), src, src)
        converter = StreamConverter(src, src, keep_response=True)
        for event in sample.make():
            converter.feed(event)
            if isinstance(event, dict):
                event.clear()
        converter.close(error_event=True)
        assert converter.diagnostics == plain.diagnostics
        if converter.error is None and plain.error is None:
            again = fed(sample.make(), src, src, keep_response=True).converter.response
            assert canonical(converter.response) == canonical(again)
