"""Objects of the official clients as payloads: what they stand for, and what else a caller may pass by mistake."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pytest

import proxai_ir
from proxai_ir.batch import compile_line, convert_line
from proxai_ir.json.objects import plain
from proxai_ir.streaming.whole import aconvert_stream

from .cases import each
from .samples import others

OLLAMA = "ollama_chat"
ANTHROPIC, CHAT, RESPONSES, GEMINI = (
    "anthropic_messages",
    "openai_chat_completions",
    "openai_responses",
    "gemini_generate_content",
)
COHERE = "cohere_v2_chat"
ASKED: dict[str, Any] = {"model": "m", "max_completion_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
WHOLE: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
}
CHUNKS: list[Any] = [
    {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": None}],
    },
    {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
    },
    "[DONE]",
]


INTERACTIONS = "gemini_interactions"


def response(protocol: str) -> dict[str, Any]:
    return WHOLE if protocol == CHAT else proxai_ir.convert(WHOLE, CHAT, protocol)


def events(protocol: str) -> list[Any]:
    """Those that a client's stream yields: the word at the end of one is not among them."""
    made = CHUNKS if protocol == CHAT else proxai_ir.convert(CHUNKS, CHAT, protocol)
    return [one for one in made if isinstance(one, dict)]


CLASSES = {
    CHAT: ("openai.types.chat.ChatCompletion", "openai.types.chat.ChatCompletionChunk"),
    RESPONSES: ("openai.types.responses.Response", "openai.types.responses.ResponseStreamEvent"),
    ANTHROPIC: ("anthropic.types.Message", "anthropic.types.RawMessageStreamEvent"),
    GEMINI: ("google.genai.types.GenerateContentResponse", "google.genai.types.GenerateContentResponse"),
    INTERACTIONS: (
        "google.genai._gaos.types.interactions.Interaction",
        "google.genai._gaos.types.interactions.interactionsseevent.InteractionSSEEvent",
    ),
    COHERE: ("cohere.v2.types.V2ChatResponse", "cohere.v2.types.V2ChatStreamResponse"),
    OLLAMA: ("ollama.ChatResponse", "ollama.ChatResponse"),
}
"""The classes of responses and of stream events in official clients."""


def response_class(protocol: str) -> Any:
    return _class(CLASSES[protocol][0])


def event_class(protocol: str) -> Any:
    return _class(CLASSES[protocol][1])


def _class(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(pytest.importorskip(module), name)


def as_objects(protocol: str) -> list[Any]:
    read = pytest.importorskip("pydantic").TypeAdapter(event_class(protocol)).validate_python
    return [read(one) for one in events(protocol)]


# --- models of clients ------------------------------------------------------------------------------------------------


MODELLED = (ANTHROPIC, CHAT, RESPONSES, GEMINI)
"""The protocols whose clients have classes for what comes; those of others hand over the JSON itself."""


@each("protocol", MODELLED)
def test_a_response_of_a_client_is_what_came(protocol: str) -> None:
    wire = response(protocol)
    made = response_class(protocol).model_validate(wire)
    assert proxai_ir.convert(made, protocol, protocol) == wire
    for target in others(protocol):
        assert proxai_ir.convert(made, protocol, target) == proxai_ir.convert(wire, protocol, target)
        done, expected = proxai_ir.compile(made, protocol, target), proxai_ir.compile(wire, protocol, target)
        assert (done.output, done.diagnostics, done.usage) == (expected.output, expected.diagnostics, expected.usage)
        assert proxai_ir.check(made, protocol, target) == expected.diagnostics
    assert proxai_ir.lower(made, protocol) == proxai_ir.lower(wire, protocol)


@each("protocol", MODELLED)
def test_a_stream_of_a_client_is_what_came(protocol: str) -> None:
    wire, made = events(protocol), as_objects(protocol)
    assert proxai_ir.lower(made, protocol) == proxai_ir.lower(iter(made), protocol) == proxai_ir.lower(wire, protocol)
    assert proxai_ir.convert(made, protocol, protocol) == wire
    for target in others(protocol):
        expected = proxai_ir.convert(wire, protocol, target)
        assert proxai_ir.convert(made, protocol, target) == expected
        assert proxai_ir.convert(iter(made), protocol, target) == expected
        assert [*proxai_ir.convert_stream(made, protocol, target)] == expected
        converter = proxai_ir.StreamConverter(protocol, target, keep_response=True)
        fed = [out for event in made for out in converter.feed(event)]
        assert [*fed, *converter.close()] == expected
        assert converter.response is not None


def test_a_stream_of_an_asynchronous_client() -> None:
    made = [*as_objects(ANTHROPIC)]

    async def upstream() -> AsyncIterator[Any]:
        for event in made:
            yield event

    async def converted() -> list[Any]:
        return [event async for event in aconvert_stream(upstream(), ANTHROPIC, CHAT)]

    assert asyncio.run(converted()) == proxai_ir.convert(events(ANTHROPIC), ANTHROPIC, CHAT)


def test_a_client_s_own_members_are_on_no_wire() -> None:
    types = pytest.importorskip("google.genai.types")
    made = types.GenerateContentResponse.model_validate(response(GEMINI))
    made.sdk_http_response = types.HttpResponse(headers={"x-secret": "s"})
    made.parsed = {"answer": 1}
    assert proxai_ir.convert(made, GEMINI, GEMINI) == response(GEMINI)
    assert proxai_ir.check(made, GEMINI, CHAT) == proxai_ir.check(response(GEMINI), GEMINI, CHAT)


def test_what_a_client_excludes_from_requests_is_not_sent() -> None:
    responses = pytest.importorskip("openai.types.responses")
    call = responses.ParsedResponseFunctionToolCall(
        arguments='{"q":1}', call_id="c1", name="f", type="function_call", parsed_arguments={"q": 1}
    )
    assert plain(call) == {"arguments": '{"q":1}', "call_id": "c1", "name": "f", "type": "function_call"}


def test_bytes_are_base64_as_servers_write_it() -> None:
    types = pytest.importorskip("google.genai.types")
    part = types.Part(inline_data=types.Blob(data=b"\xfb\xff\xbf", mime_type="image/png"), thought_signature=b"\xfb")
    assert plain(part) == {
        "inlineData": {"data": "+/+/", "mimeType": "image/png"},
        "thoughtSignature": "+w==",
    }


def test_what_a_model_states_stays_and_what_is_left_out_does_not_come() -> None:
    pydantic = pytest.importorskip("pydantic")

    class Block(pydantic.BaseModel):  # type: ignore[name-defined,misc]
        type: str = "text"
        text: str
        note: str | None = None
        cited: str | None = None

    assert plain(Block(text="Hi", cited=None)) == {"type": "text", "text": "Hi", "cited": None}


# --- objects inside of requests ---------------------------------------------------------------------------------------


def test_messages_of_a_client_in_a_request() -> None:
    chat = pytest.importorskip("openai.types.chat")
    answer = chat.ChatCompletion.model_validate(WHOLE).choices[0].message
    asked = {**ASKED, "messages": [*ASKED["messages"], answer, {"role": "user", "content": "And?"}]}
    before = repr(asked)
    assert proxai_ir.convert(asked, CHAT, ANTHROPIC)["messages"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "And?"},
    ]
    assert repr(asked) == before


def test_content_of_a_client_in_a_request() -> None:
    types = pytest.importorskip("anthropic.types")
    message = types.Message.model_validate(response(ANTHROPIC))
    asked = {
        "model": "m",
        "max_tokens": 5,
        "messages": [
            {"role": "user", "content": "Hi"},
            {"role": message.role, "content": message.content},
            {"role": "user", "content": "And?"},
        ],
    }
    assert proxai_ir.convert(asked, ANTHROPIC, CHAT)["messages"][1] == {"role": "assistant", "content": "Hi"}


def test_contents_of_a_client_in_a_request() -> None:
    types = pytest.importorskip("google.genai.types")
    asked = {
        "contents": [types.Content(role="user", parts=[types.Part(text="Hi")])],
        "generationConfig": types.GenerationConfig(max_output_tokens=5),
    }
    assert proxai_ir.convert(asked, GEMINI, CHAT) == {
        "messages": [{"role": "user", "content": "Hi"}],
        "max_completion_tokens": 5,
    }


def test_bytes_in_dicts_as_botocore_has_them() -> None:
    asked = {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": b"\xfb\xff"}}]}]}
    made = proxai_ir.convert(asked, GEMINI, CHAT)
    assert made["messages"][0]["content"][0]["image_url"] == {"url": "data:image/png;base64,+/8="}


@dataclass
class Message:
    role: str
    content: str
    name: str | None = None


@dataclass
class Asked:
    model: str
    max_completion_tokens: int
    messages: list[Message] = field(default_factory=list)


def test_dataclasses_and_mappings() -> None:
    expected = proxai_ir.convert(ASKED, CHAT, ANTHROPIC)
    assert proxai_ir.compile(Asked("m", 5, [Message("user", "Hi")]), CHAT, ANTHROPIC).output == expected  # type: ignore[call-overload]
    assert proxai_ir.compile(MappingProxyType(ASKED), CHAT, ANTHROPIC).output == expected  # type: ignore[call-overload]


def test_shared_and_cyclic_containers_cost_no_more_than_their_size() -> None:
    shared: Any = [object()]
    for _ in range(60):
        shared = [shared, shared]
    assert plain(shared) is shared
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    assert plain(cyclic) is cyclic


def test_no_payload_is_searched_before_it_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxai_ir.api.as_payload", None)
    for payload in (ASKED, json.dumps(ASKED).encode()):
        assert proxai_ir.convert(payload, CHAT, ANTHROPIC)
    with pytest.raises(proxai_ir.Unrepresentable):
        proxai_ir.convert({**ASKED, "n": 2}, CHAT, ANTHROPIC)


# --- no payload at all ------------------------------------------------------------------------------------------------


class Body:
    content = b"{}"


class Unread:
    def read(self) -> bytes:
        return b"{}"


async def later() -> dict[str, Any]:
    return ASKED


async def stream() -> AsyncIterator[Any]:
    yield {}


def wrong() -> Iterator[tuple[Any, str]]:
    yield "{}", "the payload is a str; expected bytes or parsed JSON: encode it as UTF-8, or parse it"
    yield object(), "the payload is a Python object; expected parsed JSON (a dict, or a list of events), bytes, or"
    yield dict, "pass an instance of the class"
    yield Body(), "pass its `content`, the bytes of the body"
    yield Unread(), "pass the bytes that its `read()` returns"
    yield stream(), "`aconvert_stream` converts what is iterated asynchronously"


@pytest.mark.parametrize(("payload", "said"), [*wrong()], ids=lambda one: type(one).__name__)
def test_what_is_no_payload_is_named_with_what_to_do(payload: Any, said: str) -> None:
    calls: list[Any] = [proxai_ir.convert, proxai_ir.compile, proxai_ir.check]
    for call in calls:
        with pytest.raises(TypeError) as caught:
            call(payload, CHAT, ANTHROPIC)
        assert said in str(caught.value)
        assert caught.value.__suppress_context__
    with pytest.raises(TypeError):
        proxai_ir.lower(payload, CHAT)


def test_what_was_not_awaited() -> None:
    waiting = later()
    with pytest.raises(TypeError, match="await it, and pass the result"):
        proxai_ir.convert(waiting, CHAT, ANTHROPIC)  # type: ignore[call-overload]
    waiting.close()


def test_text_is_the_body_of_an_error() -> None:
    assert proxai_ir.convert("Bad gateway", CHAT, ANTHROPIC, kind="error", status=502)["type"] == "error"


# --- an Exchange, and batch lines -------------------------------------------------------------------------------------


def test_an_exchange_takes_a_request_of_objects() -> None:
    """The whole request as a model, and a message of the client's inside a dict, as it came with the last response."""
    pydantic = pytest.importorskip("pydantic")
    said = {"role": "assistant", "content": "Hi"}
    wire = {**ASKED, "messages": [*ASKED["messages"], said, {"role": "user", "content": "And?"}]}
    message = pytest.importorskip("openai.types.chat").ChatCompletionMessage.model_validate(said)
    inside = {**ASKED, "messages": [*ASKED["messages"], message, {"role": "user", "content": "And?"}]}
    whole = pydantic.create_model("Asked", **dict.fromkeys(wire, (Any, ...)))(**wire)
    expected = proxai_ir.Exchange(CHAT, ANTHROPIC).request(wire)
    assert json.loads(expected.body)["messages"][1]["content"] == "Hi"
    for given in (inside, whole, MappingProxyType(wire)):
        assert proxai_ir.Exchange(CHAT, ANTHROPIC).request(given) == expected
    with pytest.raises(TypeError, match="the payload is a str; expected bytes or parsed JSON"):
        proxai_ir.Exchange(CHAT, ANTHROPIC).request(json.dumps(wire))


def test_an_exchange_keeps_json_of_a_request_of_objects() -> None:
    """What is kept for `previous_response_id`, and `state`, is JSON."""
    said: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
    said |= {"content": [{"type": "output_text", "text": "Hi", "annotations": []}]}
    item = pytest.importorskip("openai.types.responses").ResponseOutputMessage.model_validate(said)
    memory = proxai_ir.InMemory()
    exchange = proxai_ir.Exchange(RESPONSES, ANTHROPIC, memory=memory)
    exchange.request(
        {"model": "m", "input": [{"role": "user", "content": "A"}, item, {"role": "user", "content": "B"}]}
    )
    assert json.loads(json.dumps(exchange.state)) == exchange.state
    reply = exchange.response(200, {}, json.dumps(proxai_ir.convert(WHOLE, CHAT, ANTHROPIC)).encode())
    again = {"model": "m", "input": "C", "previous_response_id": json.loads(reply.body)["id"]}
    sent = json.loads(proxai_ir.Exchange(RESPONSES, ANTHROPIC, memory=memory).request(again).body)
    assert [one["content"] for one in sent["messages"]] == ["A", "Hi", "B", "Hi", "C"]


def test_a_batch_line_takes_objects() -> None:
    message = pytest.importorskip("openai.types.chat").ChatCompletionMessage
    said, more = {"role": "assistant", "content": "Hi"}, {"role": "user", "content": "And?"}
    line = {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions"}
    wire = {**line, "body": {**ASKED, "messages": [*ASKED["messages"], said, more]}}
    inside = {**line, "body": {**ASKED, "messages": [*ASKED["messages"], message.model_validate(said), more]}}
    expected = convert_line(wire, CHAT, ANTHROPIC)
    assert expected["params"]["messages"][1] == said
    ids: dict[str, int] = {}
    done = compile_line(inside, CHAT, ANTHROPIC, ids=ids)
    assert (done.output, done.diagnostics, ids) == (expected, compile_line(wire, CHAT, ANTHROPIC).diagnostics, {"1": 0})
    assert convert_line(MappingProxyType(inside), CHAT, ANTHROPIC) == expected


def test_a_batch_line_holds_a_response_of_a_client() -> None:
    message = response_class(ANTHROPIC).model_validate(response(ANTHROPIC))
    line = {"custom_id": "1", "result": {"type": "succeeded", "message": message}}
    wire = {"custom_id": "1", "result": {"type": "succeeded", "message": response(ANTHROPIC)}}
    assert convert_line(line, ANTHROPIC, CHAT) == convert_line(wire, ANTHROPIC, CHAT)


# --- objects that come out --------------------------------------------------------------------------------------------


def test_a_message_of_the_client_comes_out() -> None:
    types = pytest.importorskip("anthropic.types")
    made = proxai_ir.convert(WHOLE, CHAT, ANTHROPIC, output_type=types.Message)
    assert isinstance(made, types.Message)
    assert (made.content[0].text, made.stop_reason, made.usage.output_tokens) == ("Hi", "end_turn", 2)
    of_bytes = proxai_ir.convert(json.dumps(WHOLE).encode(), CHAT, ANTHROPIC, output_type=types.Message)
    assert of_bytes == made
    assert proxai_ir.convert(made, ANTHROPIC, CHAT)["choices"][0]["message"]["content"] == "Hi"


def test_a_completion_and_a_response_of_gemini_come_out() -> None:
    chat, genai = pytest.importorskip("openai.types.chat"), pytest.importorskip("google.genai.types")
    answered = proxai_ir.convert(WHOLE, CHAT, ANTHROPIC)
    completion = proxai_ir.convert(answered, ANTHROPIC, CHAT, output_type=chat.ChatCompletion)
    assert completion.choices[0].message.content == "Hi"
    assert proxai_ir.convert(WHOLE, CHAT, GEMINI, output_type=genai.GenerateContentResponse).text == "Hi"


def test_events_of_the_client_come_out() -> None:
    types, chat = pytest.importorskip("anthropic.types"), pytest.importorskip("openai.types.chat")
    made = proxai_ir.convert(CHUNKS, CHAT, ANTHROPIC, output_type=types.RawMessageStreamEvent)
    assert [one.type for one in made][:2] == ["message_start", "content_block_start"]
    back = proxai_ir.convert(made, ANTHROPIC, CHAT, output_type=chat.ChatCompletionChunk)
    assert "".join(one.choices[0].delta.content or "" for one in back if one.choices) == "Hi"


@each(
    ("output_type", "said"),
    [
        (int, "output_type: int does not hold the output: Input should be a valid integer at the whole of it"),
        (5, "output_type: expected a class of an SDK, found 5"),
    ],
)
def test_a_type_that_holds_no_output_is_named(output_type: Any, said: str) -> None:
    pytest.importorskip("pydantic")
    with pytest.raises(TypeError) as caught:
        proxai_ir.convert(WHOLE, CHAT, ANTHROPIC, output_type=output_type)
    assert str(caught.value) == said


def test_a_refusal_comes_before_the_type() -> None:
    with pytest.raises(proxai_ir.TranslationError):
        proxai_ir.convert({"model": "m"}, CHAT, ANTHROPIC, kind="request", output_type=int)
