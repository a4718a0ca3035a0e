"""How streams fail for the vendors' own clients: each raises, or shows a failure, with the message (ERR-12).

The bytes are those of an Exchange; `tests/streams/test_failures.py` has the same for the readers of this library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import proxai_ir
from proxai_ir.framing import AWS_EVENT_STREAM
from proxai_ir.protocol.registry import framing_of

from ..samples import PAIRS, PROTOCOLS
from ..samples.sample import Events
from ..streams.failing import ANTHROPIC, CUT_OFF, FAILURES, RELAYED, SAID, error_of, unfinished

KEY = {"api_key": "any"}
HELLO = [{"role": "user", "content": "40 and 2?"}]


def replied(client: str, src: str, given: Events) -> list[bytes]:
    """The bytes that a client gets of a stream that fails, as they come."""
    framing = framing_of(src)
    stream = proxai_ir.Exchange(client, src, model="m").stream(200, {"content-type": framing.content_type})
    return [*(stream.feed(framing.encode(event, src)) for event in given), stream.end()]


def http(library: str, data: list[bytes], kind: str = "text/event-stream") -> Any:
    """An HTTP client of this library that gets these bytes, whatever it asks."""
    module = pytest.importorskip(library)

    def respond(request: Any) -> Any:
        return module.Response(200, headers={"content-type": kind}, content=b"".join(data), request=request)

    return module.Client(transport=module.MockTransport(respond), base_url="http://none.invalid")


# --- what each client shows of a failure: the text of what it raises, or of its own member for errors -----------------


def shown_by_chat(data: list[bytes]) -> str:
    openai = pytest.importorskip("openai")
    by = openai.OpenAI(**KEY, http_client=http("httpx2", data), max_retries=0)
    with pytest.raises(openai.APIError) as raised:
        list(by.chat.completions.create(model="m", messages=HELLO, stream=True))
    return str(raised.value)


def shown_by_responses(data: list[bytes]) -> str:
    openai = pytest.importorskip("openai")
    by = openai.OpenAI(**KEY, http_client=http("httpx2", data), max_retries=0)
    error, last = list(by.responses.create(model="m", input="Hi", stream=True))[-2:]
    assert (error.type, last.type, last.response.status) == ("error", "response.failed", "failed")
    return str(last.response.error.message)


def shown_by_messages(data: list[bytes]) -> str:
    anthropic = pytest.importorskip("anthropic")
    by = anthropic.Anthropic(**KEY, http_client=http("httpx2", data), max_retries=0)
    with pytest.raises(anthropic.APIError) as raised, by.messages.stream(model="m", max_tokens=9, messages=HELLO) as it:
        it.until_done()
    return str(raised.value)


def google(data: list[bytes]) -> Any:
    options = {"httpx_client": http("httpx2", data)}
    return pytest.importorskip("google.genai").Client(**KEY, http_options=options)


def shown_by_generate_content(data: list[bytes]) -> str:
    errors = pytest.importorskip("google.genai").errors
    with pytest.raises(errors.APIError) as raised:
        list(google(data).models.generate_content_stream(model="m", contents="Hi"))
    return str(raised.value)


def shown_by_interactions(data: list[bytes]) -> str:
    last = list(google(data).interactions.create(model="m", input="Hi", stream=True))[-1]
    assert last.event_type == "error"
    return str(last.error.message)


def shown_by_cohere(data: list[bytes]) -> str:
    by = pytest.importorskip("cohere").ClientV2(**KEY, httpx_client=http("httpx", data))
    *before, last = by.chat_stream(model="m", messages=HELLO)
    assert all(one.type.endswith(("-start", "-delta", "-end")) for one in before)
    assert (last.type, last.delta.finish_reason) == ("message-end", "ERROR")
    opened = [one.type.removesuffix("-start") for one in before if one.type.endswith("-start")]
    closed = [one.type.removesuffix("-end") for one in [*before, last] if one.type.endswith("-end")]
    assert sorted(opened if "message" in opened else [*opened, "message"]) == sorted(closed)
    return str(last.delta.error)


def shown_by_ollama(data: list[bytes]) -> str:
    ollama = pytest.importorskip("ollama")
    by = ollama.Client()
    by._client = http("httpx", data, "application/x-ndjson")
    with pytest.raises(ollama.ResponseError) as raised:
        list(by.chat("m", HELLO, stream=True))
    return str(raised.value)


def shown_by_boto3(data: list[bytes]) -> str:
    boto3 = pytest.importorskip("boto3")
    from botocore.awsrequest import AWSResponse
    from botocore.exceptions import EventStreamError

    class Raw:
        def stream(self, **_: Any) -> Iterator[bytes]:
            return iter(data)

    def respond(request: Any, **_: Any) -> Any:
        return AWSResponse(request.url, 200, {"content-type": AWS_EVENT_STREAM.content_type}, Raw())

    keys = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "region_name": "eu-west-1"}
    by = boto3.client("bedrock-runtime", **keys)
    by.meta.events.register("before-send.bedrock-runtime.ConverseStream", respond)
    with pytest.raises(EventStreamError) as raised:
        list(by.converse_stream(modelId="m", messages=[{"role": "user", "content": [{"text": "Hi"}]}])["stream"])
    return str(raised.value)


SHOWN: dict[str, Callable[[list[bytes]], str]] = {
    "openai_chat_completions": shown_by_chat,
    "openai_responses": shown_by_responses,
    ANTHROPIC: shown_by_messages,
    "gemini_generate_content": shown_by_generate_content,
    "gemini_interactions": shown_by_interactions,
    "cohere_v2_chat": shown_by_cohere,
    "ollama_chat": shown_by_ollama,
    "bedrock_converse": shown_by_boto3,
}


def test_every_protocol_has_its_client() -> None:
    assert set(SHOWN) == set(PROTOCOLS)


@pytest.mark.parametrize("client", SHOWN)
@pytest.mark.parametrize("name", FAILURES)
def test_its_client_shows_that_a_stream_failed(name: str, client: str) -> None:
    src, given, why = FAILURES[name]
    if client != src or name not in RELAYED:
        assert why in SHOWN[client](replied(client, src, given))


@pytest.mark.parametrize(("src", "client"), PAIRS)
def test_its_client_shows_that_any_provider_failed(src: str, client: str) -> None:
    """By the provider's own error, and by a cut, in the middle of each sample."""
    for sample, listed in unfinished(src, client):
        for events in listed[len(listed) // 2 :][:1]:
            assert SAID in SHOWN[client](replied(client, src, [*events, error_of(src)])), sample.name
            assert CUT_OFF in SHOWN[client](replied(client, src, events)), sample.name
