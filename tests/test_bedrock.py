"""Bedrock Converse in bytes and in HTTP: frames that AWS's own client reads, broken ones, paths, signatures."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, StreamConverter
from proxai_ir.binding.registry import backend
from proxai_ir.framing import AWS_EVENT_STREAM, aws_event_stream
from proxai_ir.reporting.diagnostics import StreamError, TranslationError

from .cases import each
from .samples.bedrock_converse import building, streams

BEDROCK, CHAT, CLAUDE = "bedrock_converse", "openai_chat_completions", "anthropic_messages"
ASKED = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
TALK = building.stream(
    building.text_block("Hel", "lo"), building.call_block("tooluse_1", "sky", '{"a":', "1}"), stop="tool_use"
)

# --- bytes ------------------------------------------------------------------------------------------------------------


def frames(events: list[Any]) -> list[bytes]:
    return [AWS_EVENT_STREAM.encode(event, BEDROCK) for event in events]


def chat_stream() -> list[bytes]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    call = {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": "sky", "arguments": '{"city": "Oslo"}'},
    }
    deltas: list[Any] = [{"role": "assistant", "content": "Hel"}, {"content": "lo"}, {"tool_calls": [call]}]
    chunks: list[Any] = [{**head, "choices": [{"index": 0, "delta": one, "finish_reason": None}]} for one in deltas]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    chunks.append({**head, "choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}})
    return [f"data: {json.dumps(one)}\n\n".encode() for one in chunks] + [b"data: [DONE]\n\n"]


def test_aws_reads_what_is_written() -> None:
    """By botocore's own parser of event streams, with its model of the service."""
    pytest.importorskip("botocore", reason="the package botocore is not installed")
    from botocore.eventstream import EventStream
    from botocore.parsers import EventStreamJSONParser
    from botocore.session import get_session

    class Response:
        def stream(self) -> Any:
            yield b"".join(proxai_ir.convert_stream(chat_stream(), CHAT, BEDROCK))

    shape: Any = get_session().get_service_model("bedrock-runtime").operation_model("ConverseStream").output_shape
    read = [*EventStream(Response(), shape.members["stream"], EventStreamJSONParser(), "ConverseStream")]
    texts = [one["contentBlockDelta"]["delta"].get("text", "") for one in read if "contentBlockDelta" in one]
    assert "".join(texts) == "Hello"
    started = [one["contentBlockStart"]["start"]["toolUse"] for one in read if "contentBlockStart" in one]
    assert started == [{"toolUseId": "call_1", "name": "sky"}]
    assert read[0] == {"messageStart": {"role": "assistant"}}
    assert read[-2:] == [
        {"messageStop": {"stopReason": "tool_use"}},
        {
            "metadata": {
                "usage": {"inputTokens": 3, "outputTokens": 2, "totalTokens": 5},
                "metrics": {"latencyMs": 0},
            }
        },
    ]


def test_aws_raises_an_exception_in_mid_stream() -> None:
    pytest.importorskip("botocore", reason="the package botocore is not installed")
    from botocore.eventstream import EventStream
    from botocore.exceptions import EventStreamError
    from botocore.parsers import EventStreamJSONParser
    from botocore.session import get_session

    limited = {"error": {"message": "Later.", "type": "rate_limit_error", "code": None, "param": None}}
    sent = [*chat_stream()[:2], f"data: {json.dumps(limited)}\n\n".encode()]

    class Response:
        def stream(self) -> Any:
            yield b"".join(proxai_ir.convert_stream(sent, CHAT, BEDROCK))

    shape: Any = get_session().get_service_model("bedrock-runtime").operation_model("ConverseStream").output_shape
    with pytest.raises(EventStreamError, match=r"throttlingException.*Later"):
        list(EventStream(Response(), shape.members["stream"], EventStreamJSONParser(), "ConverseStream"))


@each("size", [1, 7, 64, 100_000])
def test_bytes_may_be_split_anywhere(size: int) -> None:
    data = b"".join(frames(TALK))
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    made = b"".join(proxai_ir.convert_stream(pieces, BEDROCK, CLAUDE, model="m", response_id="r"))
    assert made == b"".join(proxai_ir.convert_stream([data], BEDROCK, CLAUDE, model="m", response_id="r"))
    assert made.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')


def spoilt(kind: str) -> bytes:
    good = frames(TALK)
    word = bytearray(good[1])
    if kind == "checksum":
        word[-1] ^= 1
    elif kind == "payload":
        word[-8] ^= 1
    elif kind == "lengths":
        word[3] ^= 1
    elif kind == "header":  # whose length says more than there is, with right checksums
        headers = bytearray(word[12 : 12 + int.from_bytes(word[4:8])])
        headers[0] = 200
        word = bytearray(aws_event_stream.frame(bytes(headers), b"{}"))
    elif kind == "cut":
        return good[0] + bytes(word[:20])
    return good[0] + bytes(word)


@each(
    "kind, rule",
    [("checksum", "SHP-3"), ("payload", "SHP-3"), ("lengths", "SHP-3"), ("header", "SHP-3"), ("cut", "STR-2")],
)
def test_a_broken_frame_is_named(kind: str, rule: str) -> None:
    decoder = aws_event_stream.Decoder()
    with pytest.raises(StreamError) as raised:
        decoder.feed(spoilt(kind))
        decoder.feed(b"")
        decoder.close()
    assert raised.value.rule == rule
    assert raised.value.path.startswith("/1")


@each("name", streams.ILLEGAL)
def test_events_out_of_order_are_named(name: str) -> None:
    events, pointer = streams.ILLEGAL[name]
    converter = StreamConverter(BEDROCK, CHAT, model="m", response_id="r")
    with pytest.raises(TranslationError) as raised:
        for event in events:
            converter.feed(event)
    assert raised.value.rule == "STR-9"
    assert raised.value.path.startswith(pointer)


# --- HTTP -------------------------------------------------------------------------------------------------------------


def test_the_model_stands_in_the_path() -> None:
    asked = backend(BEDROCK).http.asked  # type: ignore[union-attr]
    assert asked is not None
    model = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5"
    exchange = Exchange(CHAT, BEDROCK, model=model, key="k")
    for stream, operation in ((False, "converse"), (True, "converse-stream")):
        sent = exchange.request({**ASKED, "stream": stream})
        assert sent.path.endswith(f"/{operation}")
        assert sent.path.count("/") == 3
        assert asked(sent.path) == {"model": model, "stream": stream}
        assert sent.headers["authorization"] == "Bearer k"
    assert asked("/model/m/invoke") is None
    assert asked("/v1/chat/completions") is None


def test_an_error_is_named_by_its_header() -> None:
    exchange = Exchange(CHAT, BEDROCK, model="m", key="k")
    exchange.request(ASKED)
    headers = {"x-amzn-ErrorType": "ThrottlingException:http://internal.amazon.com/", "x-amzn-RequestId": "q"}
    failed = exchange.response(429, headers, b'{"message":"Later."}')
    assert failed.status == 429
    assert json.loads(failed.body)["error"]["type"] == "rate_limit_error"
    other = Exchange(BEDROCK, CHAT, model="m", key="k")
    other.request({"messages": [building.said("user", "Hi")]}, path="/model/m/converse")
    refused = other.response(401, {}, b'{"error": {"message": "No such key.", "type": "authentication_error"}}')
    assert json.loads(refused.body) == {"message": "No such key."}
    assert refused.headers["x-amzn-errortype"] == "UnrecognizedClientException"


# --- signatures -------------------------------------------------------------------------------------------------------

URL = "https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse"


def test_a_key_goes_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    sign = backend(BEDROCK).http.sign  # type: ignore[union-attr]
    assert sign is not None
    given = {"authorization": "Bearer k", "content-type": "application/json"}
    assert sign("POST", URL, given, b"{}") == given
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "t")
    assert sign("POST", URL, {}, b"{}") == {"authorization": "Bearer t"}


def test_a_request_is_signed_as_aws_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With the credentials of a profile, for the region of the URL; what it is of is what AWS's own signer makes."""
    pytest.importorskip("botocore", reason="the package botocore is not installed")
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    (tmp_path / "credentials").write_text("[work]\naws_access_key_id = AKID\naws_secret_access_key = secret\n")
    for name in ("AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_PROFILE", "work")
    sign = backend(BEDROCK).http.sign  # type: ignore[union-attr]
    assert sign is not None
    sent = {"content-type": "application/json", "authorization": "Bearer "}
    signed = sign("POST", URL, sent, b'{"a": 1}')
    assert "/eu-west-1/bedrock/aws4_request" in signed["authorization"]
    request = AWSRequest(method="POST", url=URL, data=b'{"a": 1}', headers={"content-type": "application/json"})
    request.context["timestamp"] = signed["x-amz-date"]
    signer: Any = SigV4Auth(Credentials("AKID", "secret"), "bedrock", "eu-west-1")
    request.headers["X-Amz-Date"] = signed["x-amz-date"]
    assert signed["authorization"].endswith(
        signer.signature(signer.string_to_sign(request, signer.canonical_request(request)), request)
    )


# --- recordings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["request", "response", "error", "stream"])
def test_a_recording_comes_back_as_it_is(kind: Any) -> None:
    file = CORPUS / f"{BEDROCK}.{kind}.jsonl.gz"
    if not file.is_file():
        pytest.skip("no recordings here")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            payload = json.loads(line)["payload"]
            assert proxai_ir.convert(payload, BEDROCK, BEDROCK, kind=kind) == payload
            assert proxai_ir.raise_to(proxai_ir.lower(payload, BEDROCK, kind=kind), BEDROCK) == payload


def test_bedrock_is_the_provider_of_an_exchange() -> None:
    exchange = Exchange(CLAUDE, BEDROCK, model="m", key="k")
    exchange.request({"model": "m", "max_tokens": 9, "stream": True, "messages": [{"role": "user", "content": "Hi"}]})
    stream = exchange.stream(200, {"content-type": AWS_EVENT_STREAM.content_type})
    data = b"".join(frames(TALK))
    out = b"".join(stream.feed(data[at : at + 5]) for at in range(0, len(data), 5)) + stream.end()
    assert stream.error is None
    assert out.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')
    broken = exchange.stream(200, {"content-type": AWS_EVENT_STREAM.content_type})
    assert b'"type":"error"' in broken.feed(spoilt("checksum")) + broken.end()
