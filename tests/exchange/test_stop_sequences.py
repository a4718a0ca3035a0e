"""Stop sequences that a provider does not take: the client's response ends at them all the same (SMP-13, SMP-15)."""

from __future__ import annotations

import json
from itertools import product
from random import Random
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, Profile
from proxai_ir.passes.cutting import Automaton, Search

from ..cases import each
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES, THOUGHT
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..work import operations
from .support import REQUESTS, bytes_of, events, path_of, text_of, whole

WITHOUT = {name: Profile(name, stop_sequences=False) for name in (CHAT, ANTHROPIC, GEMINI)}
PROVIDERS: dict[str, str | Profile] = {RESPONSES: RESPONSES, **WITHOUT}
CLIENTS = (CHAT, ANTHROPIC, GEMINI)
"""Responses has no member for stop sequences, so that its clients have none to keep."""
STOP = "t is"  # in "It is 42.", which streams send as "It " and "is 42."
Json = Any


def asking(client: str, provider: str | Profile, *stop: str, streamed: bool = False, **options: Any) -> Exchange:
    """An exchange whose client asked for these stop sequences."""
    member: Json = {CHAT: {"stop": list(stop)}, ANTHROPIC: {"stop_sequences": list(stop)}}.get(client)
    body = {**REQUESTS[client], **(member or {"generationConfig": {"stopSequences": list(stop)}})}
    if streamed and client != GEMINI:
        body["stream"] = True
    exchange = Exchange(client, provider, model="m", **options)
    exchange.request(body, path=path_of(client, streamed))
    return exchange


def ending_of(client: str, response: Json) -> Json:
    if client == ANTHROPIC:
        return response["stop_reason"], response["stop_sequence"]
    return response["choices"][0]["finish_reason"] if client == CHAT else response["candidates"][0]["finishReason"]


ENDS = {CHAT: "stop", ANTHROPIC: ("stop_sequence", STOP), GEMINI: "STOP"}
PAIRS = [(client, provider) for client, provider in product(CLIENTS, PROVIDERS) if client != provider]


@each("kind", ["text", "thought"])
@each(("client", "provider"), PAIRS)
def test_a_response_ends_at_the_sequence(client: str, provider: str, kind: str) -> None:
    reply = asking(client, PROVIDERS[provider], STOP).response(200, {}, bytes_of(provider, kind, streamed=False))
    made = json.loads(reply.body)
    assert (reply.status, ending_of(client, made)) == (200, ENDS[client])
    assert text_of(made).replace(THOUGHT, "") == "I"
    assert reply.usage == asking(client, provider).response(200, {}, bytes_of(provider, kind, streamed=False)).usage
    rules = [one.rule for one in reply.diagnostics]
    assert "SMP-15" in rules
    assert "STS-3" not in rules  # it ended in the client's own word
    assert (THOUGHT in reply.body.decode()) is (kind == "thought")


@each("kind", ["text", "thought"])
@each(("client", "provider"), PAIRS)
def test_a_stream_ends_at_it_however_its_bytes_are_split(client: str, provider: str, kind: str) -> None:
    data = bytes_of(provider, kind, streamed=True)
    for size in (1, 7, len(data)):
        stream = asking(client, PROVIDERS[provider], STOP, streamed=True).stream(200, {})
        out = b"".join(stream.feed(data[at : at + size]) for at in range(0, len(data), size)) + stream.end()
        made = whole(client, out)
        assert (stream.error, ending_of(client, made)) == (None, ENDS[client])
        assert text_of(made).replace(THOUGHT, "") == text_of(stream.response).replace(THOUGHT, "") == "I"
        assert ending_of(client, stream.response) == ENDS[client]
        assert stream.usage is not None
        assert stream.usage["output"] == 7


@each(("client", "provider"), PAIRS)
def test_a_sequence_that_does_not_come_changes_nothing(client: str, provider: str) -> None:
    for streamed in (False, True):
        data = bytes_of(provider, "text", streamed)
        made = []
        for stop in ((), ("42!", ".."), ()):
            exchange = asking(client, PROVIDERS[provider], *stop, streamed=streamed, created=1)
            if streamed:
                stream = exchange.stream(200, {})
                made.append(whole(client, stream.feed(data) + stream.end()))
            else:
                made.append(json.loads(exchange.response(200, {}, data).body))
        assert made[0] == made[1] == made[2]


def test_the_request_says_that_they_are_kept_and_another_process_cuts() -> None:
    exchange = Exchange(ANTHROPIC, RESPONSES, model="m")
    sent = exchange.request({**REQUESTS[ANTHROPIC], "stop_sequences": [STOP]})
    found = [(one.rule, one.severity, one.path) for one in sent.diagnostics if one.rule.startswith("SMP")]
    assert found == [("SMP-13", "info", "/stop_sequences")]
    state = json.loads(json.dumps(exchange.state))
    other = Exchange(ANTHROPIC, RESPONSES, model="m", state=state)
    assert json.loads(other.response(200, {}, bytes_of(RESPONSES, "text", False)).body)["stop_sequence"] == STOP


def test_by_default_convert_names_them_as_lost() -> None:
    payload = {**REQUESTS[ANTHROPIC], "stop_sequences": [STOP]}
    made = proxai_ir.compile(payload, ANTHROPIC, RESPONSES)
    assert "SMP-11" in made.rules
    assert not made.state
    made = proxai_ir.compile(payload, ANTHROPIC, RESPONSES, emulate=("stop_sequences",), strict=True)
    assert made.state == {"stop_sequences": [STOP]}


@pytest.mark.parametrize(
    ("provider", "stop", "sent", "kept"),
    [
        (CHAT, ["a", "b", "c", "d", "e", "f"], ["a", "b", "c", "d"], ["e", "f"]),
        (GEMINI, ["a", "b"], ["a", "b"], None),
        (WITHOUT[CHAT], ["a", "b"], None, ["a", "b"]),
        (RESPONSES, ["", "a", ""], None, ["a"]),
        (RESPONSES, [""], None, None),
        (RESPONSES, ["x" * 4096], None, ["x" * 4096]),
        (RESPONSES, ["x" * 4096, "y"], None, None),
    ],
)
def test_only_what_the_target_does_not_get_is_kept(provider: Any, stop: Json, sent: Json, kept: Json) -> None:
    made = proxai_ir.compile({**REQUESTS[ANTHROPIC], "stop_sequences": stop}, ANTHROPIC, provider, emulate="auto")
    found = made.output.get("stop", made.output.get("generationConfig", {}).get("stopSequences"))
    assert (found, made.state.get("stop_sequences")) == (sent, kept)
    assert ("SMP-13" in made.rules) is (kept is not None)
    assert ("SMP-11" in made.rules) is (sent is None and kept != stop)


def test_blank_sequences_that_anthropic_refuses_are_kept() -> None:
    payload = {"model": "m", "messages": [chat.user("Hi")], "stop": ["\n", "END"]}
    made = proxai_ir.compile(payload, CHAT, ANTHROPIC, emulate="auto")
    assert (made.output["stop_sequences"], made.state) == (["END"], {"stop_sequences": ["\n"]})
    assert "SMP-2" not in made.rules
    back = proxai_ir.convert(anthropic.response(anthropic.text("one\ntwo")), ANTHROPIC, CHAT, state=made.state)
    assert back["choices"][0]["message"]["content"] == "one"


# --- what stands around a text ----------------------------------------------------------------------------------------

STATE = {"stop_sequences": ["</b>"]}
TOKENS = ["<b>", "yes", "</b>", " more"]


def answer(*items: Json, **members: Any) -> Json:
    return responses.response(*items, **members)


def said(words: str, *annotations: Json) -> Json:
    return responses.message(responses.output_text(words, *annotations))


def back(payload: Json, client: str = ANTHROPIC, **options: Any) -> Json:
    """A response of a provider without stop sequences, whole and as a stream, to a client: they are the same."""
    made = proxai_ir.convert(payload, RESPONSES, client, state=STATE, **options)
    converter = proxai_ir.StreamConverter(RESPONSES, client, state=STATE, keep_response=True, **options)
    for event in responses.stream(payload):
        converter.feed(event)
    converter.close()
    assert converter.response == made
    return made


def test_what_comes_after_it_is_left_out_and_named() -> None:
    payload = answer(said("a</b>b"), responses.call("f"), said("c"), {"type": "reasoning", "id": "rs_1", "summary": []})
    made = back(payload)
    assert (made["content"], made["stop_reason"]) == ([{"type": "text", "text": "a"}], "stop_sequence")
    found = [one.path for one in proxai_ir.check(payload, RESPONSES, ANTHROPIC, state=STATE) if one.rule == "SMP-15"]
    assert found == ["/output/0/content/0", "/output/1", "/output/2/content/0", "/output/3"]


def test_calls_before_it_wait_for_their_results() -> None:
    call = responses.call("f", '{"a": "</b>"}')
    made = back(answer(call, said("a</b>b"), responses.call("g", call_id="call_2")))
    assert [block["type"] for block in made["content"]] == ["tool_use", "text"]
    assert (made["content"][0]["input"], made["stop_reason"]) == ({"a": "</b>"}, "tool_use")


def test_reasoning_and_refusals_are_not_searched() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "x</b>y"}]}
    refusal = responses.message({"type": "refusal", "refusal": "no</b>!"})
    assert back(answer(thought, said("ab")), CHAT)["choices"][0]["message"]["reasoning_content"] == "x</b>y"
    assert back(answer(refusal), CHAT)["choices"][0]["message"]["refusal"] == "no</b>!"


@pytest.mark.parametrize(
    ("reason", "stop"), [("max_output_tokens", ("stop_sequence", "</b>")), ("content_filter", ("refusal", None))]
)
def test_a_limit_behind_it_does_not_count_and_a_filter_does(reason: str, stop: Json) -> None:
    made = back(answer(said("a</b>b"), status="incomplete", incomplete_details={"reason": reason}))
    assert (made["stop_reason"], made["stop_sequence"]) == stop
    assert made["content"] == [{"type": "text", "text": "a"}]


def test_citations_of_what_is_left_stay() -> None:
    cited = [
        {"type": "url_citation", "url": f"https://e.x/{end}", "title": "t", "start_index": end - 1, "end_index": end}
        for end in (1, 6)
    ]
    made = back(answer(said("ab</b>cd", *cited)), CHAT)
    notes = made["choices"][0]["message"]["annotations"]
    assert [one["url_citation"]["url"] for one in notes] == ["https://e.x/1"]


def test_log_probabilities_end_with_it() -> None:
    scored = [{"token": one, "logprob": -1.0, "bytes": list(one.encode()), "top_logprobs": []} for one in TOKENS]
    part = {**responses.output_text("".join(TOKENS)), "logprobs": scored}
    made = proxai_ir.convert(answer(responses.message(part)), RESPONSES, CHAT, state=STATE)
    assert [one["token"] for one in made["choices"][0]["logprobs"]["content"]] == TOKENS[:3]


def test_every_candidate_ends_by_itself() -> None:
    choices = [{"index": at, "message": {"content": text}, "finish_reason": "stop"}
               for at, text in enumerate(("a</b>b", "ab", "</b>"))]  # fmt: skip
    made = proxai_ir.convert({**chat.response("stop"), "choices": choices}, CHAT, GEMINI, state=STATE)
    texts = [text_of(one["content"]["parts"]) for one in made["candidates"]]
    assert texts == ["a", "ab", ""]


def test_nothing_but_the_sequence_is_an_empty_response() -> None:
    exchange = asking(ANTHROPIC, RESPONSES, "It")
    made = json.loads(exchange.response(200, {}, bytes_of(RESPONSES, "text", False)).body)
    assert (made["content"], made["stop_reason"], made["stop_sequence"]) == ([], "stop_sequence", "It")


# --- how much waits ---------------------------------------------------------------------------------------------------


def test_only_what_may_begin_a_sequence_waits() -> None:
    converter = proxai_ir.StreamConverter(CHAT, ANTHROPIC, state={"stop_sequences": ["</b>", "</body>"]})
    waiting = []
    for event in chat.stream(*({"content": piece} for piece in ("a", "b<", "c", "</b", "o", "<", "/", "b>", "after"))):
        texts = [one["delta"].get("text", "") for one in converter.feed(event) if one["type"] == "content_block_delta"]
        waiting.append("".join(texts))
    assert [text for text in waiting if text] == ["a", "b", "<c", "</bo"]


def test_what_waits_is_sent_before_a_failure() -> None:
    converter = proxai_ir.StreamConverter(CHAT, ANTHROPIC, state={"stop_sequences": ["</block>"]})
    begun = [*chat.stream({"content": "a </bl"})][:2]
    failed = {"error": {"message": "Overloaded", "type": "server_error"}}
    sent = [made for event in (*begun, failed) for made in converter.feed(event)]
    texts = [one["delta"]["text"] for one in sent if one["type"] == "content_block_delta"]
    assert ("".join(texts), sent[-1]["type"]) == ("a </bl", "error")


def test_the_automaton_finds_what_ends_first() -> None:
    rng = Random(3)
    for _ in range(2_000):
        sequences = ["".join(rng.choices("ab", k=rng.randint(1, 4))) for _ in range(rng.randint(1, 4))]
        text = "".join(rng.choices("abc", k=rng.randint(0, 12)))
        ends = [(text.find(one) + len(one), -len(one), one) for one in sequences if one in text]
        end, _, first = min(ends, default=(len(text), 0, None))
        search, out, at = Search(Automaton(sequences)), "", 0
        while at < len(text) and search.found is None:
            size = rng.randint(1, 4)
            out += search.read(text[at : at + size])
            begins = [n for n in range(len(out + search.held) + 1) if _begins((out + search.held)[n:], sequences)]
            assert search.found is not None or len(out) == min(begins)  # no more waits than must
            at += size
        assert (search.found, out + search.held) == (first, text[: end - len(first or "")])


def _begins(text: str, sequences: list[str]) -> bool:
    return any(one != text and one.startswith(text) for one in sequences)


def test_its_work_grows_with_the_text_whatever_the_sequences_are() -> None:
    def running(count: int) -> Any:
        automaton = Automaton(["a" * 2_000 + "b", "a" * 1_000 + "c"])

        def run() -> None:
            search = Search(automaton)
            for _ in range(count):
                search.read("aaaa")

        return run

    small, large = operations(running(2_000)), operations(running(20_000))
    assert large <= 10.5 * small


def test_the_events_of_a_stream_are_those_of_its_provider() -> None:
    """The text is over at once, the ending comes with the provider's, which its usage comes with."""
    stream = asking(ANTHROPIC, RESPONSES, STOP, streamed=True).stream(200, {})
    made = events(stream.feed(bytes_of(RESPONSES, "text", streamed=True)) + stream.end())
    kinds = [one["type"] for one in made]
    assert kinds == [
        *("message_start", "content_block_start", "content_block_delta", "content_block_stop"),
        *("message_delta", "message_stop"),
    ]
    assert made[-2]["usage"]["output_tokens"] == 7
