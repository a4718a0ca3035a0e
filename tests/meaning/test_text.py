"""Text, candidates, calls and streams in forms that other clients read."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir

from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from .support import ANTHROPIC, BEDROCK, CHAT, GEMINI, RESPONSES, Json, found, losses, made, texts, whole

ITEMS = responses.response(
    responses.message(responses.output_text("Checking."), id="m1", status="completed"),
    responses.message(responses.output_text("42"), id="m2", status="completed"),
)


def test_items_of_text_are_kept_apart_in_one_string() -> None:
    assert texts(made(ITEMS, RESPONSES, CHAT).output) == ["Checking.\n\n42"]


def test_items_of_text_are_kept_apart_in_a_history_of_strings() -> None:
    question = {"type": "message", "role": "user", "content": "Hi"}
    request = responses.request(question, *ITEMS["output"], question)
    messages = made(request, RESPONSES, CHAT, "request", content_arrays=False).output["messages"]
    assert messages[1] == {"role": "assistant", "content": "Checking.\n\n42"}


@pytest.mark.parametrize("dst", [CHAT, GEMINI])
def test_items_of_text_are_kept_apart_in_streams(dst: str) -> None:
    assert "".join(texts(whole(responses.stream(ITEMS), RESPONSES, dst))) == "Checking.\n\n42"


@pytest.mark.parametrize("between", ["", "\n\n"], ids=["parts", "items"])
def test_a_citation_counts_what_clients_of_gemini_put_before_its_text(between: str) -> None:
    """The bytes of one part, which all texts of the stream are."""
    note = {"type": "url_citation", "url": "https://e.com", "title": "T", "start_index": 1, "end_index": 3}
    first, second = responses.output_text("é."), responses.output_text("42!", note)
    contents = [[first], [second]] if between else [[first, second]]
    items = [responses.message(*one, id=f"m{at}", status="completed") for at, one in enumerate(contents)]
    output = whole(responses.stream(responses.response(*items)), RESPONSES, GEMINI)
    assert "".join(texts(output)) == f"é.{between}42!"
    (support,) = output["candidates"][0]["groundingMetadata"]["groundingSupports"]
    begin = len(f"é.{between}".encode())
    assert support["segment"] == {"startIndex": begin + 1, "endIndex": begin + 3, "text": "2!"}


def test_summaries_are_kept_apart_in_streams_of_gemini() -> None:
    summary = [{"type": "summary_text", "text": one} for one in ("Accurate!", "**Next**")]
    events = responses.stream(responses.response({"type": "reasoning", "id": "r", "summary": summary}))
    output = made(events, RESPONSES, GEMINI, "stream").output
    parts = [part for event in output for part in event["candidates"][0]["content"]["parts"]]
    assert "".join(part["text"] for part in parts if part.get("thought")) == "Accurate!\n\n**Next**"


def test_results_of_one_turn_are_one_message() -> None:
    calls = gemini.model(gemini.call("f"), gemini.call("g", call_id="call_2"))
    results = [gemini.user(gemini.result("f", {"a": 1})), gemini.user(gemini.result("g", {"a": 2}, "call_2"))]
    tools = gemini.tools(gemini.function("f"), gemini.function("g"))
    request = gemini.request(gemini.user("Hi"), calls, *results, gemini.user("Go on."), tools=tools)
    messages = made(request, GEMINI, ANTHROPIC, "request").output["messages"]
    assert [message["role"] for message in messages[:3]] == ["user", "assistant", "user"]
    kinds = [[part["type"] for part in message["content"] if isinstance(part, dict)] for message in messages[2:]]
    assert kinds[0][:2] == ["tool_result", "tool_result"]
    assert "tool_result" not in [kind for rest in kinds[1:] for kind in rest]


def candidates(*texts: str, finish: str | None = None) -> Json:
    return {
        "candidates": [gemini.candidate(one, index=at, finish=finish) for at, one in enumerate(texts)],
        **gemini.HEAD,
    }


def test_candidates_are_streamed_to_chat_by_index() -> None:
    events = [candidates("a", "b"), candidates("c", "d", finish="STOP")]
    output = made(events, GEMINI, CHAT, "stream").output
    said = [(one["index"], one["delta"].get("content")) for event in output[:-1] for one in event["choices"]]
    assert [one for one in said if one[1]] == [(0, "a"), (1, "b"), (0, "c"), (1, "d")]


def test_no_candidate_waits_for_another() -> None:
    converter = proxai_ir.StreamConverter(CHAT, GEMINI)
    one, two = ({"index": index, "delta": {"content": "a"}, "finish_reason": None} for index in (0, 1))
    assert converter.feed({**chat.chunk(), "choices": [one]})
    assert converter.feed({**chat.chunk(), "choices": [two]})


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC])
def test_a_lone_choice_of_another_index_is_the_answer(dst: str) -> None:
    choices = [
        {"index": 2, "delta": {"content": "Hi"}, "finish_reason": None},
        {"index": 2, "delta": {}, "finish_reason": "stop"},
    ]
    events = [*({**chat.chunk(), "choices": [one]} for one in choices), chat.DONE]
    output = made(events, CHAT, GEMINI, "stream").output
    assert texts(whole(output, GEMINI, dst)) == ["Hi"]


def test_choices_stand_where_their_index_says() -> None:
    choices = [
        {"index": index, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        for index, text in ((1, "b"), (0, "a"))
    ]
    output = made({**chat.response(), "choices": choices}, CHAT, GEMINI).output
    assert [(one["index"], one["content"]["parts"][0]["text"]) for one in output["candidates"]] == [(0, "a"), (1, "b")]


def test_choices_out_of_order_come_back_as_they_were_and_as_they_are_edited() -> None:
    payload = {**candidates("a", "b", finish="STOP")}
    payload["candidates"].reverse()
    tree: Any = proxai_ir.lower(payload, GEMINI)
    assert proxai_ir.raise_to(tree, GEMINI) is payload
    tree.candidates[0].parts[0].text = "A"
    again: Any = proxai_ir.lower(proxai_ir.raise_to(tree, GEMINI), GEMINI)
    assert [one.parts[0].text for one in again.candidates] == ["A", "b"]


@pytest.mark.parametrize("indexes", [(1, 1), (0, 2), (-1, 0), (1,)])
def test_choices_that_leave_a_gap_are_refused(indexes: tuple[int, ...]) -> None:
    choices = [
        {"index": index, "message": {"role": "assistant", "content": "a"}, "finish_reason": "stop"} for index in indexes
    ]
    with pytest.raises(proxai_ir.InvalidPayload, match=r"SHP-3 at /choices/\d/index"):
        made({**chat.response(), "choices": choices}, CHAT, GEMINI)


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_log_probabilities_of_gemini_stop_no_stream(dst: str) -> None:
    scores = {"chosenCandidates": [{"token": "Hi", "tokenId": 1, "logProbability": -1.0}]}
    conversion = made([gemini.chunk("Hi", finish="STOP", logprobsResult=scores)], GEMINI, dst, "stream")
    assert losses(conversion) == ([("SMP-7", "/0/candidates/0/logprobsResult")] if dst == ANTHROPIC else [])


# --- half a character -------------------------------------------------------------------------------------------------


def encoded(events: list[Any]) -> bytes:
    return b"".join(b"data: %b\n\n" % (one if isinstance(one, str) else json.dumps(one)).encode() for one in events)


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
def test_a_character_may_be_split_over_two_deltas(dst: str) -> None:
    events = chat.stream({"content": "a\ud83d"}, {"content": "\ude00b"})
    made_bytes = proxai_ir.convert(encoded(events), CHAT, dst, kind="stream")
    assert texts(whole(list(proxai_ir.sse.decode([made_bytes])), dst, CHAT)) == ["a\U0001f600b"]


@pytest.mark.parametrize("dst", [ANTHROPIC, GEMINI])
def test_a_character_of_arguments_may_be_split_over_two_deltas(dst: str) -> None:
    first = chat.fragment(0, '{"a": "\ud83d', "call_1", "f")
    events = chat.stream(chat.calls(first), chat.calls(chat.fragment(0, '\ude00"}')), finish="tool_calls")
    assert "\U0001f600" in json.dumps(whole(events, CHAT, dst), ensure_ascii=False)


# --- what other clients read ------------------------------------------------------------------------------------------

MESSAGE = responses.message(responses.output_text("Hi"), id="m", status="completed")
WHERE: Json = {"item_id": "m", "output_index": 0, "content_index": 0}
DELTA = {"type": "response.output_text.delta", **WHERE, "delta": "Hi"}
DONE = {"type": "response.output_text.done", **WHERE, "text": "Hi"}
BEGUN = responses.added({**MESSAGE, "content": [], "status": "in_progress"})
UNANNOUNCED: dict[str, list[Json]] = {
    "deltas": [BEGUN, DELTA],
    "done alone": [BEGUN, DONE],
    "deltas and the item": [BEGUN, DELTA, responses.done(MESSAGE)],
    "no item": [DELTA],
    "no text in the part": [
        BEGUN,
        {"type": "response.content_part.added", **WHERE, "part": {"type": "output_text", "annotations": []}},
        DELTA,
        DONE,
    ],
    "no index of the part": [
        BEGUN,
        {"type": "response.content_part.added", **WHERE, "part": responses.output_text("")},
        {key: value for key, value in DELTA.items() if key != "content_index"},
    ],
}


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, GEMINI])
@pytest.mark.parametrize("form", UNANNOUNCED)
def test_parts_that_are_not_announced(form: str, dst: str) -> None:
    events = responses.in_sequence([responses.created(), *UNANNOUNCED[form], responses.ended(MESSAGE)])
    conversion = made(events, RESPONSES, dst, "stream")
    assert texts(whole(events, RESPONSES, dst)) == ["Hi"]
    assert losses(conversion) == []


@pytest.mark.parametrize("dst", [CHAT, ANTHROPIC, GEMINI])
def test_a_call_that_is_named_when_it_is_done(dst: str) -> None:
    call = responses.call("look", id="fc", status="completed")
    begun = {key: value for key, value in call.items() if key != "name"} | {"arguments": "", "status": "in_progress"}
    delta = {"type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": 0, "delta": "{}"}
    events = [responses.created(), responses.added(begun), delta, responses.done(call), responses.ended(call)]
    assert "look" in str(made(responses.in_sequence(events), RESPONSES, dst, "stream").output)


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
@pytest.mark.parametrize("finish", ["STOP", "MAX_TOKENS"])
def test_of_several_reasons_of_gemini_the_last_counts(finish: str, dst: str) -> None:
    events = [gemini.chunk("a", finish="STOP"), gemini.chunk("b", finish=finish, usage=gemini.USAGE)]
    output = whole(events, GEMINI, dst)
    assert "".join(texts(output)) == "ab"
    endings = {"STOP": ("stop", "completed", "end_turn"), "MAX_TOKENS": ("length", "incomplete", "max_tokens")}
    ending = output["choices"][0]["finish_reason"] if dst == CHAT else output.get("stop_reason") or output["status"]
    assert ending in endings[finish]


@pytest.mark.parametrize("dst", [CHAT, RESPONSES, ANTHROPIC])
def test_grounding_alone_may_follow_the_reason_of_gemini(dst: str) -> None:
    late = {"candidates": [{"index": 0, "groundingMetadata": {"webSearchQueries": ["tide"]}}], **gemini.HEAD}
    events = [gemini.chunk("a", finish="STOP", usage=gemini.USAGE), late]
    assert texts(whole(events, GEMINI, dst)) == ["a"]


def named(name: str, arguments: Any = None, call_id: str | None = None) -> Json:
    return {"index": 0, "id": call_id, "function": {"name": name, "arguments": arguments}}


CALLS: dict[str, list[Json]] = {
    "an object": [named("edit", {"a": 1}, "call_1")],
    "a new id in each delta": [
        chat.fragment(0, "", "call_1", "edit"),
        {"index": 0, "id": "call_2", "function": {"arguments": '{"a":'}},
        {"index": 0, "id": "call_3", "function": {"arguments": "1}"}},
    ],
    "arguments before the name": [
        {"index": 0, "id": "call_1", "function": {"arguments": '{"a":'}},
        {"index": 0, "function": {"name": "edit", "arguments": "1}"}},
    ],
}
NAME_IN_FRAGMENTS = [
    chat.fragment(0, "", "call_1", "ed"),
    {"index": 0, "function": {"name": "it", "arguments": ""}},
    chat.fragment(0, '{"a":1}'),
]


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
def test_a_name_in_fragments_is_put_together(dst: str) -> None:
    events = chat.stream(*map(chat.calls, NAME_IN_FRAGMENTS), finish="tool_calls")
    assert '"edit"' in json.dumps(whole(events, CHAT, dst))


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
@pytest.mark.parametrize("form", CALLS)
def test_calls_as_servers_of_chat_stream_them(form: str, dst: str) -> None:
    events = chat.stream(*(chat.calls(one) for one in CALLS[form]), finish="tool_calls")
    output = whole(events, CHAT, dst)
    if dst == RESPONSES:
        call = (output["output"][0]["name"], json.loads(output["output"][0]["arguments"]))
    elif dst == ANTHROPIC:
        call = (output["content"][0]["name"], output["content"][0]["input"])
    else:
        inner = output["candidates"][0]["content"]["parts"][0]["functionCall"]
        call = (inner["name"], inner["args"])
    assert call == ("edit", {"a": 1})


def test_a_name_that_is_repeated_is_no_longer() -> None:
    fragments = [named("edit", "{", "call_1"), named("edit", "}")]
    output = whole(chat.stream(*map(chat.calls, fragments), finish="tool_calls"), CHAT, ANTHROPIC)
    assert output["content"][0]["name"] == "edit"


@pytest.mark.parametrize("dst", [RESPONSES, ANTHROPIC, GEMINI])
def test_text_may_follow_the_finish_reason(dst: str) -> None:
    events = [chat.chunk({"content": "a"}), chat.chunk({}, "stop"), chat.chunk({"content": "b"}), chat.DONE]
    assert "".join(texts(whole(events, CHAT, dst))) == "ab"


def test_an_id_that_comes_late_is_named() -> None:
    late = {"index": 0, "id": "late", "function": {"arguments": "{}"}}
    events = chat.stream(chat.calls({"index": 0, "function": {"name": "edit", "arguments": ""}}), chat.calls(late))
    conversion = made(events, CHAT, ANTHROPIC, "stream")
    assert ("STR-17", "/2/choices/0/delta/tool_calls/0/id") in found(conversion, "info")


@pytest.mark.parametrize("word", ["text_completion", "chat.completion.chunk", "chat.completion.final", ""])
def test_another_word_for_the_object_is_a_note(word: str) -> None:
    conversion = made({**chat.response(content="Hi"), "object": word}, CHAT, ANTHROPIC)
    assert ("UNK-6", "/object") in found(conversion, "info")


# --- Gemini's array ---------------------------------------------------------------------------------------------------

ARRAY = json.dumps([gemini.chunk("a"), gemini.chunk("b", finish="STOP", usage=gemini.USAGE)]).encode()


def test_the_array_of_gemini_is_a_stream() -> None:
    output = proxai_ir.convert(ARRAY, GEMINI, CHAT, kind="stream")
    assert texts(whole(list(proxai_ir.sse.decode([output])), CHAT, ANTHROPIC)) == ["ab"]


def test_no_element_of_an_array_waits_for_the_next() -> None:
    exchange = proxai_ir.Exchange(CHAT, GEMINI, model="m", now=1.0)
    body = json.dumps(chat.request({"role": "user", "content": "Hi"}, stream=True)).encode()
    exchange.request(body, path="/v1/chat/completions")
    stream = exchange.stream(200, {"content-type": "application/json"})
    assert b'"a"' in stream.feed(ARRAY[: ARRAY.index(b', {"candidates"')])


def test_a_client_without_events_gets_an_array() -> None:
    exchange = proxai_ir.Exchange(GEMINI, ANTHROPIC, model="m", now=1.0)
    body = json.dumps(gemini.request(gemini.user("Hi"))).encode()
    exchange.request(body, path="/v1beta/models/m:streamGenerateContent")
    stream = exchange.stream(200, {"content-type": "text/event-stream"})
    sent = encoded(anthropic.stream(anthropic.text_block("Hi")))
    assert isinstance(json.loads(stream.feed(sent) + stream.end()), list)


@pytest.mark.parametrize(("text", "rule"), [("", "PLC-10"), (" ", "PLC-9")], ids=["empty", "blank"])
def test_an_empty_text_that_marks_a_cache_is_named_with_its_mark(text: str, rule: str) -> None:
    marked = {**chat.text(text), "cache_control": {"type": "ephemeral"}}
    request = anthropic.request(chat.user([chat.text("Hi"), marked]))
    place = "/messages/0/content/1"
    for dst in (GEMINI, BEDROCK):
        conversion = made(request, ANTHROPIC, dst, "request", model="m")
        assert {(rule, place), ("CAC-4", f"{place}/cache_control")} <= {
            (one.rule, one.path) for one in conversion.diagnostics
        }
