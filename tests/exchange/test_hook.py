"""A hook on the IR: what it leaves alone, what it changes, what it refuses, and how it fails, in all protocols."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, StreamConverter, TranslationError, ir
from proxai_ir.exchange import Denied, Hook, HookCall, InMemory
from proxai_ir.exchange.provider import http_of
from proxai_ir.ir.error import ErrorCategory
from proxai_ir.ir.stream import events
from proxai_ir.ir.structure import nodes
from proxai_ir.protocol.registry import framing_of
from tests.samples import PROTOCOLS, Sample, samples

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..samples.openai_chat_completions import building as chat

Json = Any
NUMBER = "4111 1111 1111 1111"
WORDS = f"My card is {NUMBER}, and it is blue."
PIECES = ["My card ", "is 4111 11", "11 1111 ", "1111, and it", " is blue."]
REDACTED = "My card is [card], and it is blue."
PAIRS = [(client, provider) for client in PROTOCOLS for provider in PROTOCOLS]
every_pair = pytest.mark.parametrize(("client", "provider"), PAIRS)
NOW = 1_700_000_000.0


@cache
def example(name: str) -> Callable[[Any, HookCall], Any]:
    """The function of an example in the specification."""
    page = (Path(__file__).parents[2] / "spec" / "gateway.md").read_text()
    scope: dict[str, Any] = {}
    exec(page.partition(f"```python {name}\n")[2].partition("```\n")[0], scope)
    found: Callable[[Any, HookCall], Any] = scope[name]
    return found


@cache
def payload(protocol: str, kind: str) -> Json:
    """A request, a response or the events of a stream with WORDS, and a tool or a call of it."""
    call = chat.call("add", '{"a": 1}')
    made: Json = {
        "request": chat.request(chat.user(WORDS), model="asked", tools=[chat.tool("add")], max_completion_tokens=99),
        "response": chat.response("tool_calls", content=WORDS, tool_calls=[call]),
        "stream": chat.stream(
            *({"content": one} for one in PIECES),
            chat.calls(chat.fragment(0, '{"a": 1}', "call_1", "add")),
            finish="tool_calls",
        ),
    }[kind]
    options: Json = {"model": "asked"} if kind == "request" else {}
    return proxai_ir.convert(made, CHAT, protocol, kind=kind, **options)  # type: ignore[call-overload]


def path_of(protocol: str, streamed: bool = False) -> str:
    http = http_of(protocol)
    method = {"gemini_generate_content": ("generateContent", "streamGenerateContent?alt=sse")}
    if http.path:
        return http.path
    if protocol in method:
        return f"/v1beta/models/asked:{method[protocol][streamed]}"
    return f"/model/asked/converse{'-stream' if streamed else ''}"


def exchange(client: str, provider: str, function: Any = None, streamed: bool = False, **options: Any) -> Exchange:
    """An exchange with or without a hook, whose request has been converted."""
    asked = {"stream": True} if streamed and http_of(client).asked is None else {}
    made = Exchange(client, provider, model="sent", now=NOW, **options)
    made.request({**payload(client, "request"), **asked}, path=path_of(client, streamed))
    if function is not None:
        made = Exchange(client, provider, model="sent", now=NOW, state=made.state, hook=hook(function), **options)
    return made


FAILURES: list[str] = []


def hook(function: Any, **facts: Any) -> Hook:
    FAILURES.clear()
    return Hook(function, HookCall(**facts), FAILURES.append)


def requested(client: str, provider: str, function: Any, streamed: bool = False) -> Json:
    asked = {"stream": True} if streamed and http_of(client).asked is None else {}
    made = Exchange(client, provider, model="sent", now=NOW, hook=hook(function))
    sent = made.request({**payload(client, "request"), **asked}, path=path_of(client, streamed))
    return json.loads(sent.body)


def in_bytes(protocol: str, given: list[Json]) -> bytes:
    encode = framing_of(protocol).encode
    return b"".join(encode(one, protocol) for one in given)


def streamed(made: Exchange, provider: str, given: list[Json]) -> tuple[list[Json], proxai_ir.exchange.ReplyStream]:
    """The client's events, of a stream that comes one event after the other."""
    framing, out = framing_of(provider), made.framings[1]
    stream = made.stream(200, {"content-type": framing.content_type})
    data = [stream.feed(framing.encode(one, provider)) for one in given]
    return [*out.decode([b"".join([*data, stream.end()])])], stream


def alone(tree: Any, _: HookCall) -> Any:
    return tree


def text_of(response: Any) -> str:
    return "".join(one.text for one in nodes(response) if isinstance(one, ir.Text))


def folded(client: str, found: list[Json]) -> Any:
    """The IR of the whole response that a stream makes."""
    converter = StreamConverter(client, client, keep_response=True)
    for one in found:
        converter.feed(one)
    converter.close()
    return proxai_ir.lower(converter.response, client, kind="response")


def error_of(client: str, found: list[Json]) -> ir.Error:
    """The error that a stream ends with, as another protocol's client gets it."""
    converter = StreamConverter(client, CHAT if client == ANTHROPIC else ANTHROPIC)
    for one in found:
        converter.feed(one)
    converter.close()
    assert converter.failure is not None
    return converter.failure


# --- what it leaves alone ---------------------------------------------------------------------------------------------


def results(sample: Sample, target: str, function: Any) -> Any:
    """Return the results of converting a sample to a protocol, with a hook or without one."""
    source = sample.protocol
    shown = None if function is None else hook(function)
    if sample.kind == "request":
        made = Exchange(source, target, model="m", now=NOW, hook=shown, memory=InMemory())
        try:
            sent = made.request(sample.make(), path=path_of(source))
        except TranslationError as error:
            return type(error), str(error)
        return sent.path, sent.headers, sent.body, sent.diagnostics, made.state
    made = Exchange(target, source, now=NOW, hook=shown, response_id="r")
    if sample.kind == "response":
        reply = made.response(200, {}, json.dumps(sample.make()).encode())
        return reply.status, reply.headers, reply.body, reply.diagnostics, reply.usage, reply.finishes
    found, stream = streamed(made, source, sample.make())
    return found, stream.response, stream.diagnostics, stream.usage, stream.finishes, str(stream.error)


OF_ALL = samples("request", "response", "stream")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_a_hook_leaves_alone_is_as_without_one(protocol: str) -> None:
    others = [one for one in PROTOCOLS if one != protocol]
    own = [one for one in OF_ALL if one.protocol == protocol]
    for number, sample in enumerate(own):
        for target in (protocol, others[number % len(others)]):
            assert results(sample, target, alone) == results(sample, target, None), (sample, target)
    assert len(own) > 10
    assert FAILURES == []


# --- what it changes --------------------------------------------------------------------------------------------------


@every_pair
def test_redaction(client: str, provider: str) -> None:
    redact = example("redact")
    for live in (False, True):
        sent = requested(client, provider, redact, live)
        assert NUMBER not in str(sent)
        assert REDACTED in str(sent)
    reply = exchange(client, provider, redact).response(200, {}, json.dumps(payload(provider, "response")).encode())
    response = json.loads(reply.body)
    assert text_of(proxai_ir.lower(response, client, kind="response")) == REDACTED
    found, stream = streamed(exchange(client, provider, redact, True), provider, payload(provider, "stream"))
    assert "1111" not in str(found)
    assert text_of(folded(client, found)) == REDACTED
    assert text_of(proxai_ir.lower(stream.response, client, kind="response")) == REDACTED
    assert FAILURES == []


IN_PIECES = {"is 4111 11": "is ", "11 1111 ": "", "1111, and it": "[card], and it"}


def redacted(value: Json) -> Json:
    """A payload with the texts that are redacted, whole or in pieces, and nothing else changed."""
    if isinstance(value, dict):
        return {key: redacted(one) for key, one in value.items()}
    if isinstance(value, list):
        return [redacted(one) for one in value]
    return IN_PIECES.get(value, value.replace(NUMBER, "[card]")) if isinstance(value, str) else value


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_between_a_protocol_and_itself_the_edit_is_all_that_changes(protocol: str) -> None:
    redact = example("redact")
    for kind in ("request", "response"):
        given = {**payload(protocol, kind), "x_unknown": {"kept": [1, None]}}
        wanted = redacted(given)
        made = Exchange(protocol, protocol, now=NOW, hook=hook(redact))
        if kind == "request":
            assert json.loads(made.request(given, path=path_of(protocol)).body) == wanted
        else:
            assert json.loads(made.response(200, {}, json.dumps(given).encode()).body) == wanted
    given = payload(protocol, "stream")
    found, _ = streamed(exchange(protocol, protocol, redact, True), protocol, given)
    plain, _ = streamed(exchange(protocol, protocol, None, True), protocol, given)
    assert found == redacted(plain)
    assert found != plain


def test_a_text_that_ends_in_what_is_held_back() -> None:
    """The rest comes in a copy of the last event with text, before the one that ends the part."""
    given = [
        one for one in payload(ANTHROPIC, "stream") if " it is blue" not in str(one) and " is blue" not in str(one)
    ]
    cut = json.loads(json.dumps(given).replace("1111, and it", "1111"))
    found, _ = streamed(exchange(ANTHROPIC, ANTHROPIC, example("redact"), True), ANTHROPIC, cut)
    deltas = [one["delta"].get("text") for one in found if one["type"] == "content_block_delta"]
    assert deltas[:5] == ["My card ", "is ", "", "", "[card]"]
    assert found[6] == {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "[card]"}}
    assert found[7] == {"type": "content_block_stop", "index": 0}


def test_arguments_of_calls_can_be_changed() -> None:
    def other(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartGrew) and tree.text.startswith('{"a"'):
            tree.text = tree.text.replace("1", "2")
        if isinstance(tree, events.PartOpened) and isinstance(tree.part, ir.FunctionCall):
            tree.part.arguments = str(tree.part.arguments).replace("1", "2")
        return tree

    for protocol in PROTOCOLS:
        found, _ = streamed(exchange(protocol, protocol, other, True), protocol, payload(protocol, "stream"))
        call = next(one for one in nodes(folded(protocol, found)) if isinstance(one, ir.FunctionCall))
        assert call.arguments in ({"a": 2}, '{"a": 2}'), protocol


def test_what_a_hook_does_to_raw_values_changes_nothing_else() -> None:
    def spoil(tree: Any, call: HookCall) -> Any:
        for tool in tree.tools:
            tool.parameters["description"] = "spoilt"
        return Denied("No.")

    given = payload(CHAT, "request")
    before = json.dumps(given)
    for provider in (CHAT, ANTHROPIC):
        with pytest.raises(Denied, match=r"^No\.$"):
            Exchange(CHAT, provider, hook=hook(spoil)).request(given)
    assert json.dumps(given) == before


def test_an_edit_of_a_raw_value_counts() -> None:
    def describe(tree: Any, call: HookCall) -> Any:
        for tool in tree.tools:
            tool.parameters["description"] = "sums"
        return tree

    for provider in PROTOCOLS:
        for client in (CHAT, provider):
            assert "sums" in str(requested(client, provider, describe)), (client, provider)


# --- what it refuses --------------------------------------------------------------------------------------------------


@every_pair
def test_an_allow_list_of_tools(client: str, provider: str) -> None:
    only = example("only_tools")
    made = Exchange(client, provider, model="sent", hook=hook(only))
    with pytest.raises(Denied) as raised:
        made.request(payload(client, "request"), path=path_of(client))
    assert str(raised.value) == "The tool add is not allowed here."
    reply = made.refusal(raised.value)
    refused = [(reply.status, reply.body)]
    reply = exchange(client, provider, only).response(200, {}, json.dumps(payload(provider, "response")).encode())
    for status, body in [*refused, (reply.status, reply.body)]:
        error = proxai_ir.lower(body, client, kind="error", status=status)
        assert status == http_of(client).status_of(ErrorCategory.PERMISSION, 403)
        assert error.category is ErrorCategory.PERMISSION
        assert error.message == "The tool add is not allowed here."
    found, stream = streamed(exchange(client, provider, only, True), provider, payload(provider, "stream"))
    assert str(stream.error) == "The tool add is not allowed here."
    assert "add is not allowed" in str(found[-2:])
    assert error_of(client, found).message.endswith("The tool add is not allowed here.")
    assert FAILURES == []


def test_a_refusal_with_a_status_of_its_own() -> None:
    made = Exchange(ANTHROPIC, CHAT, hook=hook(lambda tree, call: Denied("Later.", 429)))
    with pytest.raises(Denied) as raised:
        made.request(payload(ANTHROPIC, "request"))
    reply = made.refusal(raised.value)
    assert (reply.status, json.loads(reply.body)["error"]["type"]) == (429, "rate_limit_error")
    assert made.hook is not None
    assert made.hook.denied
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.status, again.rule) == ("Later.", 429, "hook")


@pytest.mark.parametrize("wrong", [("No.", 200), ("No.", 600), ("No.", "403"), (None, 403)])
def test_a_refusal_that_no_response_can_be(wrong: Any) -> None:
    with pytest.raises(TypeError, match="expected a text and a status of 400 to 599"):
        Denied(*wrong)


# --- how it fails -----------------------------------------------------------------------------------------------------


def raising(tree: Any, call: HookCall) -> Any:
    raise ValueError(f"the payload {tree}")


def with_a_number(tree: Any, call: HookCall) -> Any:
    if isinstance(tree, (events.PartOpened, events.PartGrew, events.PartClosed)):
        return events.PartGrew(tree.index, 7)  # type: ignore[arg-type]
    for one in nodes(tree):
        if isinstance(one, ir.Text):
            one.text = 7  # type: ignore[assignment]
    return tree


def doubled(tree: Any, call: HookCall) -> Any:
    return [tree, tree]


def other_model(tree: Any, call: HookCall) -> Any:
    tree.model = "gpt-secret"
    return tree


WRONG: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "raises": (raising, "raised ValueError", ("request", "response", "event")),
    "nothing": (lambda tree, call: None, "returned a NoneType in place of a", ("request", "response", "event")),
    "a text": (lambda tree, call: str(tree), "returned a str in place of a", ("request", "response", "event")),
    "other values": (with_a_number, "with values of wrong types", ("request", "response", "event")),
    "another model": (other_model, "changed `model`", ("request",)),
    "twice": (doubled, "returned events in an order that no stream has", ("event",)),
}
CASES = [(name, kind) for name, (_, _, kinds) in WRONG.items() for kind in kinds]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_hook_that_fails(name: str, kind: str) -> None:
    function, why, _ = WRONG[name]
    for client, provider in ((CHAT, CHAT), (ANTHROPIC, CHAT), (GEMINI, RESPONSES), (RESPONSES, RESPONSES)):
        if kind == "request":
            made = Exchange(client, provider, model="sent", hook=hook(function))
            with pytest.raises(Denied) as raised:
                made.request(payload(client, "request"), path=path_of(client))
            body, status = made.refusal(raised.value).body, made.refusal(raised.value).status
            assert raised.value.__cause__ is None
        elif kind == "response":
            given = json.dumps(payload(provider, "response")).encode()
            reply = exchange(client, provider, function).response(200, {}, given)
            body, status = reply.body, reply.status
        else:
            found, stream = streamed(exchange(client, provider, function, True), provider, payload(provider, "stream"))
            assert str(stream.error) == "The hook failed."
            assert "The hook failed." in str(found)
            body, status = json.dumps(found).encode(), 500
        assert status == 500
        assert b"The hook failed." in body
        (said,) = FAILURES
        assert why in said
        for secret in ("card", "1111", "gpt-secret", "payload"):
            assert secret not in said


def without_text(tree: Any, call: HookCall) -> Any:
    held = call.notes
    if isinstance(tree, events.PartOpened) and isinstance(tree.part, ir.Text):
        held[tree.index] = True
        return []
    return [] if getattr(tree, "index", None) in held else tree


def no_usage(tree: Any, call: HookCall) -> Any:
    return [] if isinstance(tree, events.UsageReported) else tree


@pytest.mark.parametrize("function", [without_text, no_usage])
def test_edits_that_a_stream_to_its_own_protocol_cannot_have(function: Any) -> None:
    given = payload(ANTHROPIC, "stream")
    found, stream = streamed(exchange(ANTHROPIC, ANTHROPIC, function, True), ANTHROPIC, given)
    assert str(stream.error) == "The hook failed."
    assert FAILURES == ["changed more of a stream to its own protocol than the text of its parts"]
    found, stream = streamed(exchange(CHAT, ANTHROPIC, function, True), ANTHROPIC, given)
    assert stream.error is None  # another protocol's is written anew
    assert ("My card" in str(found)) is (function is no_usage)


def test_no_text_goes_on_that_a_hook_took_away() -> None:
    """Log probabilities repeat the text in a form that nothing can be changed in."""
    scores: Json = {"content": [{"token": "4111", "logprob": -0.5, "bytes": None, "top_logprobs": []}], "refusal": None}
    given = [
        {**one, "choices": [{**one["choices"][0], "logprobs": scores}]} if "is 4111" in str(one) else one
        for one in payload(CHAT, "stream")
    ]
    found, stream = streamed(exchange(CHAT, CHAT, example("redact"), True), CHAT, given)
    assert str(stream.error) == "The hook failed."
    assert "4111" not in str(found)


def test_a_part_that_a_hook_empties_leaves_the_others_as_they_are() -> None:
    """The answer repeats words of the thought, which the hook is shown there as well."""
    thought = [
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "thinking_delta", "thinking": "My card is secret."},
        },
        {"type": "content_block_stop", "index": 0},
    ]
    first, *others = payload(ANTHROPIC, "stream")
    answer = [{**one, "index": one["index"] + 1} if "index" in one else one for one in others]

    def unthought(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartGrew) and tree.index == 0:
            tree.text = ""
        return tree

    found, stream = streamed(exchange(ANTHROPIC, ANTHROPIC, unthought, True), ANTHROPIC, [first, *thought, *answer])
    assert stream.error is None
    assert found[-len(answer) :] == answer
    assert "secret" not in str(found)


def test_no_text_goes_on_that_a_hook_took_away_from_one_of_two_parts() -> None:
    first, *_, delta, stop = payload(ANTHROPIC, "stream")
    parts = [
        [opened(at, type="text", text=""), grew(at, type="text_delta", text=text), closed(at)]
        for at, text in enumerate(("My card is 4111.", "My street is closed."))
    ]

    def emptied(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartGrew):
            tree.text = ""
        return tree

    given = [first, *parts[0], *parts[1], {**delta, "odd": "4111"}, stop]
    found, stream = streamed(exchange(ANTHROPIC, ANTHROPIC, emptied, True), ANTHROPIC, given)
    assert str(stream.error) == "The hook failed."
    assert "4111" not in str(found)


def opened(index: int, **block: Json) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": block}


def grew(index: int, **delta: Json) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def closed(index: int) -> Json:
    return {"type": "content_block_stop", "index": index}


@pytest.mark.parametrize("thought", ["Norway", "I read Norway first."], ids=["the title", "more than the title"])
def test_a_title_that_a_hook_leaves_is_no_text_that_it_took_away(thought: str) -> None:
    """The hook is shown the citation as well, and leaves it as it is."""
    first, *_, delta, stop = payload(ANTHROPIC, "stream")
    cited = {
        "type": "web_search_result_location",
        "url": "https://example.org",
        "title": "Norway",
        "encrypted_index": "eA==",
        "cited_text": "Norway has fjords.",
    }
    reasoned = [opened(0, type="thinking", thinking="", signature=""), grew(0, type="thinking_delta", thinking=thought)]
    answer = [
        opened(1, type="text", text=""),
        grew(1, type="text_delta", text="Fjords."),
        grew(1, type="citations_delta", citation=cited),
        closed(1),
        delta,
        stop,
    ]

    def unthought(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartGrew) and tree.index == 0:
            tree.text = ""
        return tree

    given = [first, *reasoned, closed(0), *answer]
    found, stream = streamed(exchange(ANTHROPIC, ANTHROPIC, unthought, True), ANTHROPIC, given)
    assert stream.error is None
    assert found[-len(answer) :] == answer
    assert not any(one.get("delta", {}).get("thinking") for one in found)


def test_an_edited_event_with_a_citation_may_hold_an_integer_of_any_length() -> None:
    """Python writes none of more than 4,300 digits."""

    def shouted(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartGrew):
            tree.text = tree.text.upper()
        return tree

    first, *_, delta, stop = payload(ANTHROPIC, "stream")
    cited = {"type": "page_location", "cited_text": "Fjords", "document_index": 0, "long": 10**5000}
    cited |= {"start_page_number": 1, "end_page_number": 2, "document_title": "Norway"}
    begun = [first, opened(0, type="text", text=""), grew(0, type="citations_delta", citation=cited)]
    given, wanted = ({**grew(0, type="text_delta", text=text), "long": 10**5000} for text in ("Fjords", "FJORDS"))
    ended = [closed(0), delta, stop]
    converter = StreamConverter(ANTHROPIC, ANTHROPIC, hook=Hook(shouted))
    found = [event for one in [*begun, given, *ended] for event in converter.feed(one)]
    assert found + converter.close() == [*begun, wanted, *ended]


def test_a_title_that_later_events_repeat() -> None:
    """The thought has the title's words, and the last events repeat both."""
    annotation = {
        "type": "url_citation",
        "url": "https://example.org",
        "title": "Norway",
        "start_index": 0,
        "end_index": 7,
    }
    made = payload(RESPONSES, "stream")
    summary = {"type": "summary_text", "text": "Norway"}
    text = {"type": "output_text", "text": "Fjords.", "annotations": [annotation], "logprobs": []}
    thought = {"id": "rs_1", "type": "reasoning", "summary": [summary]}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    of_thought: Json
    of_text: Json
    of_thought, of_text = {"item_id": "rs_1", "output_index": 0}, {"item_id": "msg_1", "output_index": 1}
    part, content = {**of_thought, "summary_index": 0}, {**of_text, "content_index": 0}
    event = "response.reasoning_summary_"
    response = {**made[0]["response"], "output": []}
    given: list[Json] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": {**thought, "summary": []}},
        {"type": f"{event}part.added", **part, "part": {**summary, "text": ""}},
        {"type": f"{event}text.delta", **part, "delta": "Norway"},
        {"type": f"{event}text.done", **part, "text": "Norway"},
        {"type": f"{event}part.done", **part, "part": summary},
        {"type": "response.output_item.done", "output_index": 0, "item": thought},
        {"type": "response.output_item.added", "output_index": 1, "item": {**message, "content": []}},
        {"type": "response.content_part.added", **content, "part": {**text, "text": "", "annotations": []}},
        {"type": "response.output_text.delta", **content, "delta": "Fjords."},
        {
            "type": "response.output_text.annotation.added",
            **content,
            "annotation_index": 0,
            "annotation": annotation,
        },
        {"type": "response.output_text.done", **content, "text": "Fjords."},
        {"type": "response.content_part.done", **content, "part": text},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        {"type": "response.completed", "response": {**response, "status": "completed", "output": [thought, message]}},
    ]

    def unthought(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartGrew) and tree.index == 0:
            tree.text = ""
        return tree

    given = [{**one, "sequence_number": number} for number, one in enumerate(given)]
    found, stream = streamed(exchange(RESPONSES, RESPONSES, unthought, True), RESPONSES, given)
    assert stream.error is None
    unsaid = {**thought, "summary": [{**summary, "text": ""}]}
    assert found[-1]["response"]["output"] == [unsaid, message]
    assert [one.get("annotation") for one in found if "annotation" in one] == [annotation]
    assert str(found[:8]).count("Norway") == 0


def test_a_text_that_stood_beside_another_is_no_place_for_what_is_held_back() -> None:
    """A copy of its event would repeat the thought."""
    parts = [{"text": "a thought", "thought": True}, {"text": WORDS}]
    given = [
        {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0}]},
    ]

    def late(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartOpened) and isinstance(tree.part, ir.Text):
            tree.part.text = ""
        return [events.PartGrew(1, WORDS), tree] if isinstance(tree, events.PartClosed) and tree.index == 1 else tree

    found, stream = streamed(exchange(GEMINI, GEMINI, late, True), GEMINI, given)
    assert str(stream.error) == "The hook failed."
    assert str(found).count("a thought") == 1


ENDINGS = {
    CHAT: ("finish_reason", "stop"),
    ANTHROPIC: ("stop_reason", "end_turn"),
    GEMINI: ("finishReason", "STOP"),
    "bedrock_converse": ("stopReason", "end_turn"),
}


@pytest.mark.parametrize("protocol", ENDINGS)
def test_words_of_the_protocol_are_no_text_that_a_hook_took_away(protocol: str) -> None:
    """The text has the words that end the stream, and padding that could be a part of it."""

    def shorter(tree: Any, call: HookCall) -> Any:
        if isinstance(tree, events.PartGrew) and tree.text:
            tree.text = "-"
        return tree

    name, word = ENDINGS[protocol]
    spoken = json.loads(json.dumps(payload(protocol, "stream")).replace("is 4111 11", f"to {word} it"))
    padded = [{**one, "obfuscation": "t"} if isinstance(one, dict) and protocol == CHAT else one for one in spoken]
    found, stream = streamed(exchange(protocol, protocol, shorter, True), protocol, padded)
    assert stream.error is None
    assert f'"{name}": "{word}"' in json.dumps(found) or f'"{name}": "tool_' in json.dumps(found)


# --- what it is told --------------------------------------------------------------------------------------------------


def test_what_a_hook_is_told() -> None:
    told: list[HookCall] = []

    def note(tree: Any, call: HookCall) -> Any:
        told.append(call)
        call.notes.setdefault("seen", []).append(type(tree).__name__)
        return tree

    made = Exchange(GEMINI, ANTHROPIC, model="sent", hook=hook(note, id="x", who="alice", upstream="u"))
    made.request(payload(GEMINI, "request"), path=path_of(GEMINI, True))
    streamed(made, ANTHROPIC, payload(ANTHROPIC, "stream"))
    facts = {(one.client, one.provider, one.model, one.path, one.id, one.who, one.upstream) for one in told}
    path = "/v1beta/models/asked:streamGenerateContent"
    assert facts == {(GEMINI, ANTHROPIC, "asked", path, "x", "alice", "u")}
    assert [one.kind for one in told] == ["request", *["event"] * (len(told) - 1)]
    assert told[-1].notes["seen"][:2] == ["Request", "Started"]
    assert told[-1].notes["seen"][-1] == "Completed"


def test_a_stream_that_was_not_asked_for_is_seen_too() -> None:
    made = exchange(CHAT, ANTHROPIC, example("redact"))
    data = in_bytes(ANTHROPIC, payload(ANTHROPIC, "stream"))
    reply = made.response(200, {"content-type": "text/event-stream"}, data)
    assert REDACTED in reply.body.decode()
    assert "1111" not in reply.body.decode()


def test_a_response_in_place_of_a_stream_is_seen_too() -> None:
    for client in (CHAT, ANTHROPIC):
        stream = exchange(client, ANTHROPIC, example("redact"), True).stream(200, {"content-type": "application/json"})
        out = stream.feed(json.dumps(payload(ANTHROPIC, "response")).encode()) + stream.end()
        assert b"[card]" in out
        assert b"1111" not in out
