"""Claude on Bedrock: whole responses, errors, and streams in the framing of AWS."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

import proxai_ir
from proxai_ir.exchange import Exchange
from proxai_ir.framing import AWS_CHUNKS, AWS_EVENT_STREAM
from proxai_ir.reporting.diagnostics import StreamError

from ..clients.provider import ANTHROPIC, TEXT
from .mock import SIGNED, TOKEN, Bedrock
from .support import ASKED, BEDROCK, HELLO, MODELS, ON_BEDROCK, each_client, gateway, text_of

Json = Any


@each_client
@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_claude_on_bedrock_behind_the_gateway(
    client: str, streamed: bool, signed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("botocore")
    for name, value in (SIGNED if signed else {"AWS_BEARER_TOKEN_BEDROCK": TOKEN}).items():
        monkeypatch.setenv(name, value)
    cloud, (path, body) = Bedrock(), ASKED[client]
    with gateway(BEDROCK, cloud.respond) as ask:
        came = ask(path, {**body, "model": MODELS[0], **({"stream": True} if streamed else {})})
    assert came.status_code == 200, came.text
    assert text_of(client, came, streamed) == TEXT
    assert cloud.seen[0].host == "bedrock-runtime.us-east-1.amazonaws.com"
    assert cloud.seen[0].path == f"/model/{MODELS[0]}/invoke" + ("-with-response-stream" if streamed else "")


@each_client
def test_errors_of_bedrock(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", TOKEN)
    path, body = ASKED[client]
    with gateway(BEDROCK, Bedrock("throttled").respond) as ask:
        came = ask(path, body)
    assert came.status_code == 429
    error = came.json()["error"]
    assert error["message"] == "Too many requests, please wait before trying again."
    if client == ANTHROPIC:
        assert error["type"] == "rate_limit_error"


@pytest.mark.parametrize(
    ("kind", "status", "category", "given"),
    [
        ("UnrecognizedClientException", 403, "authentication_error", 401),
        ("ExpiredTokenException:http://internal.amazon.com/", 403, "authentication_error", 401),
        ("AccessDeniedException", 403, "permission_error", 403),
        ("ServiceQuotaExceededException", 400, "rate_limit_error", 429),
        ("ModelTimeoutException", 408, "timeout_error", 504),
        ("ModelNotReadyException", 429, "overloaded_error", 529),
        ("ValidationException", 400, "invalid_request_error", 400),
        ("", 403, "permission_error", 403),
    ],
)
@each_client
def test_the_types_of_aws_mean_what_they_mean_in_converse(
    client: str, kind: str, status: int, category: str, given: int
) -> None:
    headers, data = {"content-type": "application/json", "x-amzn-errortype": kind}, b'{"message": "No."}'
    cloud = {"name": "bedrock", "region": "us-east-1"}
    found = Exchange(client, ANTHROPIC, model=MODELS[0], cloud=cloud, key=TOKEN).response(status, headers, data)
    same = Exchange(client, "bedrock_converse", model=MODELS[0], key=TOKEN).response(status, headers, data)
    assert (found.status, found.body) == (same.status, same.body)
    if client == ANTHROPIC:
        assert (found.status, json.loads(found.body)["error"]) == (given, {"type": category, "message": "No."})


def test_a_body_of_anthropic_is_read_as_that() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "No."}}
    cloud = {"name": "bedrock", "region": "us-east-1"}
    exchange = Exchange(ANTHROPIC, ANTHROPIC, model=MODELS[0], cloud=cloud, key=TOKEN)
    found = exchange.response(400, {"x-amzn-errortype": "ValidationException"}, json.dumps(body).encode())
    assert json.loads(found.body)["error"] == body["error"]


def frame(name: str, payload: Json) -> bytes:
    return AWS_EVENT_STREAM.encode({name: payload}, "")


SPOILED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "a wrong checksum": (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "checksum"),
    "a wrong checksum of lengths": (lambda data: data[:8] + bytes([data[8] ^ 1]) + data[9:], "checksum"),
    "cut in the headers of a frame": (lambda data: first(data, 3) + frame("chunk", {})[:20], "is cut off after 20"),
    "cut between two frames": (lambda data: first(data, 3), "ended before its response was complete"),
    "an exception in mid-stream": (
        lambda data: first(data, 3) + frame("throttlingException", {"message": "slow down"}),
        "",  # an error of the provider's, and none of its stream
    ),
    "a chunk without bytes": (lambda data: first(data, 3) + frame("chunk", {"other": 1}), "expected a chunk"),
    "a chunk that is no JSON": (
        lambda data: first(data, 3) + frame("chunk", {"bytes": base64.b64encode(b"{").decode()}),
        "expected a chunk",
    ),
}


def first(data: bytes, frames: int) -> bytes:
    at = 0
    for _ in range(frames):
        at += int.from_bytes(data[at : at + 4])
    return data[:at]


@each_client
@pytest.mark.parametrize("name", SPOILED)
def test_a_stream_of_bedrock_that_is_spoiled_ends_with_an_error(name: str, client: str) -> None:
    """The reason is the operator's to know, and the client's where it is the provider's own."""
    spoils, why = SPOILED[name]
    exchange = Exchange(client, ANTHROPIC, key=TOKEN, cloud=ON_BEDROCK)
    made = exchange.request({**ASKED[client][1], "stream": True})
    request = httpx.Request("POST", f"https://b{made.path}", headers=made.headers, content=made.body)
    status, headers, chunks = Bedrock("text", spoils).respond(request)
    stream = exchange.stream(status, headers)
    out = b"".join(map(stream.feed, chunks)) + stream.end()
    assert b'"error":{' in out or b'"type":"error"' in out
    assert why in str(stream.error)
    assert stream.failure is None if why else (stream.failure is not None and b"slow down" in out)


def test_chunks() -> None:
    """The framing by itself: split anywhere, padded, with exceptions of AWS's as errors."""
    events = [{"type": "a", "text": "ü😀"}, {"type": "b"}]
    data = b"".join(AWS_CHUNKS.encode(one, "") for one in events)
    for size in (1, 7, len(data)):
        assert [*AWS_CHUNKS.decode(data[at : at + size] for at in range(0, len(data), size))] == events
    padded = frame("chunk", {"bytes": base64.b64encode(b'{"type":"b"}').decode(), "p": "abcdefgh"})
    assert [*AWS_CHUNKS.decode([padded])] == [{"type": "b"}]
    assert [*AWS_CHUNKS.decode([frame("initial-response", {}), padded])] == [{"type": "b"}]
    assert [*AWS_CHUNKS.decode([frame("modelStreamErrorException", {"originalMessage": "m"})])] == [
        {"type": "error", "error": {"type": "api_error", "message": "m"}}
    ]
    assert [*AWS_CHUNKS.decode([frame("error", {"code": "InternalFailure", "message": "m"})])] == [
        {"type": "error", "error": {"type": "InternalFailure", "message": "m"}}
    ]
    with pytest.raises(StreamError) as error:
        list(AWS_CHUNKS.decode([data, data[:30]]))
    assert error.value.rule == "STR-2"
    for before, path in ((b"", "/0"), (data, "/2")):
        with pytest.raises(StreamError) as error:
            list(AWS_CHUNKS.decode([before + frame("chunk", {"bytes": "no base64"})]))
        assert (error.value.rule, error.value.path) == ("SHP-6", path)


def test_the_official_client_reads_what_a_bedrock_of_ours_would_send() -> None:
    """So that the mock speaks as Bedrock does: AWS's own parser finds the same events."""
    decoder = pytest.importorskip("anthropic.lib.bedrock._stream_decoder")
    pytest.importorskip("botocore")
    events = [{"type": "message_start", "message": {}}, {"type": "ping"}]
    data = b"".join(AWS_CHUNKS.encode(one, "") for one in events)
    found = [*decoder.AWSEventStreamDecoder().iter_bytes(iter([data]))]
    assert [json.loads(one.data) for one in found] == events


@pytest.mark.parametrize("streamed", [False, True])
def test_openais_client_on_claude_on_bedrock(streamed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    openai = pytest.importorskip("openai")
    library = pytest.importorskip("httpx2")
    pytest.importorskip("botocore")
    for name, value in {**SIGNED, "AWS_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    cloud = Bedrock()

    def respond(request: Any) -> Any:
        same = httpx.Request(request.method, str(request.url), headers=dict(request.headers), content=request.content)
        status, headers, chunks = cloud.respond(same)
        return library.Response(status, headers=headers, content=b"".join(chunks))

    http = proxai_ir.httpx.client(ANTHROPIC, cloud="bedrock", model=MODELS[0], transport=library.MockTransport(respond))
    client = openai.OpenAI(http_client=http, api_key="any", max_retries=0)
    made = client.chat.completions.create(model="m", messages=HELLO, stream=streamed)
    if streamed:
        assert "".join(one.choices[0].delta.content or "" for one in made if one.choices) == TEXT
    else:
        assert made.choices[0].message.content == TEXT
    assert cloud.seen[0].path.startswith(f"/model/{MODELS[0]}/invoke")
