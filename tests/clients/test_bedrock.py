"""Bedrock on both sides of the gateway: boto3 as its client, and a server that checks signatures as its provider.

Sources: botocore's model of the service, which reads and writes what is sent; Signature Version 4 by botocore's own
signer, on the server's side with the secret that it knows.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

import proxai_ir
from proxai_ir import Exchange, StreamError
from proxai_ir.backends import bedrock_converse
from proxai_ir.framing import AWS_EVENT_STREAM
from proxai_ir.protocol import signing
from proxai_ir.protocol.registry import backend
from proxai_ir.serve.config import from_mapping

from ..samples.bedrock_converse import building
from ..serve.support import serving, sockets
from ..serve.upstreams import Upstream, running
from .provider import ANTHROPIC, CHAT, TEXT

boto3 = pytest.importorskip("boto3")
BEDROCK = "bedrock_converse"
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
LLAMA = "us.meta.llama4-maverick-17b-instruct-v1:0"
ACCESS, SECRET, REGION = "AKIAEXAMPLE", "not-a-secret-at-all", "eu-west-1"
ASKED = {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}


def client(url: str, **more: Any) -> Any:
    from botocore.config import Config

    return boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=ACCESS,
        aws_secret_access_key=SECRET,
        config=Config(retries={"total_max_attempts": 1}),
        **more,
    )


# --- boto3 as the client ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[CHAT, ANTHROPIC])
def behind(request: pytest.FixtureRequest) -> Iterator[tuple[Any, Upstream]]:
    """boto3 on a gateway, and the provider behind that."""
    with pytest.MonkeyPatch.context() as patch:
        upstream = Upstream(request.param)
        with sockets(patch, upstream) as url:
            yield client(url), upstream


def test_boto3_gets_a_response(behind: tuple[Any, Upstream]) -> None:
    bedrock, upstream = behind
    upstream.begin("text")
    found = bedrock.converse(modelId=MODEL, **ASKED, inferenceConfig={"maxTokens": 64})
    assert found["output"]["message"] == {"role": "assistant", "content": [{"text": TEXT}]}
    assert found["stopReason"] == "end_turn"
    assert found["usage"]["totalTokens"] == found["usage"]["inputTokens"] + found["usage"]["outputTokens"]
    assert upstream.seen[0].body["model"] == "big"


def test_boto3_gets_a_call(behind: tuple[Any, Upstream]) -> None:
    bedrock, upstream = behind
    upstream.begin("call")
    tools = {"tools": [building.tool("add")]}
    found = bedrock.converse(modelId=MODEL, **ASKED, toolConfig=tools)
    call = found["output"]["message"]["content"][-1]["toolUse"]
    assert (found["stopReason"], call["name"], call["input"]) == ("tool_use", "add", {"a": 40, "b": 2})


def test_boto3_gets_a_stream(behind: tuple[Any, Upstream]) -> None:
    bedrock, upstream = behind
    upstream.begin("text")
    events = list(bedrock.converse_stream(modelId=MODEL, **ASKED)["stream"])
    pieces = [one["contentBlockDelta"]["delta"]["text"] for one in events if "contentBlockDelta" in one]
    assert "".join(pieces) == TEXT
    assert [next(iter(one)) for one in events[-2:]] == ["messageStop", "metadata"]


def test_boto3_raises_what_the_provider_says(behind: tuple[Any, Upstream]) -> None:
    bedrock, upstream = behind
    upstream.begin("429")
    with pytest.raises(bedrock.exceptions.ThrottlingException) as caught:
        bedrock.converse(modelId=MODEL, **ASKED)
    assert caught.value.response["Error"]["Message"] == "as the script wants it"


def test_boto3_raises_an_error_in_mid_stream(behind: tuple[Any, Upstream]) -> None:
    from botocore.exceptions import EventStreamError

    bedrock, upstream = behind
    upstream.begin("midway")
    with pytest.raises(EventStreamError):
        list(bedrock.converse_stream(modelId=MODEL, **ASKED)["stream"])


# --- a server of Bedrock ----------------------------------------------------------------------------------------------


def signature_of(request: Request, body: bytes) -> str:
    """What the signature of a request has to be, by the signer of AWS's own client, at the time that it states."""
    from datetime import UTC, datetime
    from unittest import mock

    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials

    stated = request.headers["authorization"]
    signed = stated.partition("SignedHeaders=")[2].partition(",")[0].split(";")
    raw = request.scope["raw_path"].decode()
    copy = AWSRequest(method="POST", url=f"http://{request.headers['host']}{raw}", data=body)
    for name in signed:
        if name not in ("host", "x-amz-date"):
            copy.headers[name] = request.headers[name]
    at = datetime.strptime(request.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    with mock.patch("botocore.auth.get_current_datetime", lambda *_, **__: at.replace(tzinfo=None)):
        SigV4Auth(Credentials(ACCESS, SECRET), "bedrock", REGION).add_auth(copy)
    return str(copy.headers["Authorization"])


class Bedrock:
    """Responds as the service does; what it is asked for decides: `frames` are sent in place of its stream."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.frames: bytes | None = None
        self.app = Starlette(routes=[Route("/model/{rest:path}", self.respond, methods=["POST"])])

    async def respond(self, request: Request) -> Response:
        body = await request.body()
        stated = request.headers.get("authorization", "")
        if stated != "Bearer bedrock-api-key-1" and (not stated or stated != signature_of(request, body)):
            text = "The request signature we calculated does not match the signature you provided."
            return self.error(403, "InvalidSignatureException:http://internal.amazon.com/", text)
        self.seen.append((request.scope["raw_path"].decode(), json.loads(body)))
        if request.url.path.endswith("/count-tokens"):
            return Response(b'{"inputTokens":11}', media_type="application/json")
        calls = "toolConfig" in json.loads(body)
        if not request.url.path.endswith("/converse-stream"):
            found = building.response(building.text(TEXT))
            if calls:
                found = building.response(building.tool_use("add", {"a": 40, "b": 2}), stop="tool_use")
            return Response(json.dumps(found), media_type="application/json")
        if calls and "llama" in request.url.path:
            return self.error(400, "ValidationException", "This model doesn't support tool use in streaming mode.")
        data = frames(*building.stream(building.text_block("It is", " 42."))) if self.frames is None else self.frames
        return StreamingResponse(iter([data[:50], data[50:]]), media_type=AWS_EVENT_STREAM.content_type)

    def error(self, status: int, kind: str, text: str) -> Response:
        headers = {"x-amzn-errortype": kind, "x-amzn-requestid": "r1"}
        return Response(json.dumps({"message": text}), status, headers, "application/json")


def frames(*events: Any) -> bytes:
    return b"".join(AWS_EVENT_STREAM.encode(event, BEDROCK) for event in events)


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials as AWS's users have them: in the environment."""
    monkeypatch.setattr(bedrock_converse.HTTP.sign, "_credentials", None)
    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name, value in (("ACCESS_KEY_ID", ACCESS), ("SECRET_ACCESS_KEY", SECRET), ("DEFAULT_REGION", REGION)):
        monkeypatch.setenv(f"AWS_{name}", value)


@pytest.fixture
def served(aws: None) -> Iterator[tuple[httpx.Client, Bedrock]]:
    """A client of Chat Completions on a gateway, and the server of Bedrock behind that."""
    bedrock = Bedrock()
    with running(bedrock.app) as url:
        upstreams = {"b": {"protocol": BEDROCK, "base_url": url}}
        config = from_mapping({"upstreams": upstreams, "routes": [{"models": ["*"], "upstream": "b", "model": MODEL}]})
        with serving(config) as (gateway, _), httpx.Client(base_url=gateway, timeout=20) as found:
            yield found, bedrock


CHAT_ASKED = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "low"}
PATH = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse"


def test_a_signed_request(served: tuple[httpx.Client, Bedrock]) -> None:
    chat, bedrock = served
    found = chat.post("/v1/chat/completions", json=CHAT_ASKED)
    assert found.status_code == 200, found.text
    assert found.json()["choices"][0]["message"]["content"] == TEXT
    ((path, body),) = bedrock.seen
    assert path == PATH
    assert body["messages"] == ASKED["messages"]


def test_a_signed_stream(served: tuple[httpx.Client, Bedrock]) -> None:
    chat, bedrock = served
    found = chat.post("/v1/chat/completions", json={**CHAT_ASKED, "stream": True})
    chunks = list(proxai_ir.sse.decode([found.content]))
    assert "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks[:-1] if one["choices"]) == TEXT
    assert chunks[-1] == "[DONE]"
    assert bedrock.seen[0][0] == f"{PATH}-stream"


def test_official_clients_get_streams_of_a_model_without_tools_in_streams(aws: None) -> None:
    openai, anthropic = pytest.importorskip("openai"), pytest.importorskip("anthropic")
    bedrock, schema = Bedrock(), {"type": "object", "properties": {"a": {"type": "integer"}}}
    with running(bedrock.app) as url:
        upstreams = {"b": {"protocol": BEDROCK, "base_url": url}}
        config = from_mapping({"upstreams": upstreams, "routes": [{"models": ["*"], "upstream": "b", "model": LLAMA}]})
        with serving(config) as (gateway, _):
            chat = openai.OpenAI(base_url=f"{gateway}/v1", api_key="k", max_retries=0).chat.completions
            asked = chat.create(
                model="m",
                messages=[{"role": "user", "content": "hi"}],
                tools=[{"type": "function", "function": {"name": "add", "parameters": schema}}],
                stream=True,
            )
            deltas = [one.choices[0].delta for one in asked if one.choices]
            calls = [call.function for delta in deltas for call in delta.tool_calls or ()]
            messages = anthropic.Anthropic(base_url=gateway, api_key="k", max_retries=0).messages
            with messages.stream(
                model="m",
                max_tokens=64,
                messages=[{"role": "user", "content": "hi"}],
                tools=[{"name": "add", "input_schema": schema}],
            ) as stream:
                message = stream.get_final_message()
    assert calls[0].name == "add"
    assert json.loads("".join(call.arguments or "" for call in calls)) == {"a": 40, "b": 2}
    assert (message.stop_reason, message.content[-1].input) == ("tool_use", {"a": 40, "b": 2})
    assert [path for path, _ in bedrock.seen] == [f"/model/{LLAMA.replace(':', '%3A')}/converse"] * 2


def test_tokens_are_counted(served: tuple[httpx.Client, Bedrock]) -> None:
    chat, bedrock = served
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    found = chat.post("/v1/messages/count_tokens", json=asked, headers={"anthropic-version": "2023-06-01"})
    assert found.json() == {"input_tokens": 11}
    path, body = bedrock.seen[0]
    assert path == PATH.replace("/converse", "/count-tokens")
    assert body == {"input": {"converse": ASKED}}


def test_a_wrong_signature(served: tuple[httpx.Client, Bedrock], monkeypatch: pytest.MonkeyPatch) -> None:
    chat, bedrock = served
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    monkeypatch.setattr(bedrock_converse.HTTP.sign, "_credentials", None)  # which the start of the gateway has found
    found = chat.post("/v1/chat/completions", json=CHAT_ASKED)
    assert (found.status_code, bedrock.seen) == (401, [])
    assert "does not match the signature" in found.json()["error"]["message"]


def test_a_key_in_place_of_a_signature(monkeypatch: pytest.MonkeyPatch, aws: None) -> None:
    monkeypatch.setenv("BEDROCK_KEY", "bedrock-api-key-1")
    bedrock = Bedrock()
    with running(bedrock.app) as url:
        upstreams = {"b": {"protocol": BEDROCK, "base_url": url, "key_env": "BEDROCK_KEY"}}
        config = from_mapping({"upstreams": upstreams, "routes": [{"models": ["*"], "upstream": "b", "model": MODEL}]})
        with serving(config) as (gateway, _):
            found = client(gateway).converse(modelId="any", **ASKED)
    assert found["output"]["message"]["content"] == [{"text": TEXT}]
    assert [path for path, _ in bedrock.seen] == [PATH]


WHOLE = frames(*building.stream(building.text_block("It is", " 42.")))
FIRST = struct.unpack(">I", WHOLE[:4])[0]
CRC = bytearray(WHOLE)
CRC[FIRST + struct.unpack(">I", WHOLE[FIRST : FIRST + 4])[0] - 1] ^= 1  # the end of the second frame
HEADER = WHOLE[: FIRST + 14]
THROTTLED = frames(
    *building.stream(building.text_block("It is"))[:2], {"throttlingException": {"message": "Slow down"}}
)
BAD = {"a wrong checksum": bytes(CRC), "cut in a header": HEADER, "an exception": THROTTLED}


@pytest.mark.parametrize("what", BAD)
def test_a_stream_that_breaks(served: tuple[httpx.Client, Bedrock], what: str) -> None:
    """What came before arrives, and then an error, and no end of a response."""
    chat, bedrock = served
    bedrock.frames = BAD[what]
    found = chat.post("/v1/chat/completions", json={**CHAT_ASKED, "stream": True})
    chunks = list(proxai_ir.sse.decode([found.content]))
    failed = [one for one in chunks if isinstance(one, dict) and "error" in one]
    assert len(failed) == 1
    assert "[DONE]" not in chunks[: chunks.index(failed[0])]
    assert what != "an exception" or "Slow down" in failed[0]["error"]["message"]


def test_the_checksum_is_looked_at() -> None:
    assert struct.unpack(">I", WHOLE[8:12])[0] == crc32(WHOLE[:8])
    with pytest.raises(StreamError):
        list(AWS_EVENT_STREAM.decode([bytes(CRC)]))


# --- requests and errors without a gateway ----------------------------------------------------------------------------


def test_an_exchange_with_bedrock() -> None:
    exchange = Exchange(
        CHAT, BEDROCK, model="arn:aws:bedrock:us-east-1:000000000000:inference-profile/a.b-v1:0", key="k"
    )
    sent = exchange.request(CHAT_ASKED)
    assert sent.path == (
        "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A000000000000%3Ainference-profile%2Fa.b-v1%3A0/converse"
    )
    assert sent.headers["authorization"] == "Bearer k"
    failed = exchange.response(429, {"x-amzn-errortype": "ThrottlingException:http://x/"}, b'{"message": "Slow"}')
    assert (failed.status, json.loads(failed.body)["error"]["message"]) == (429, "Slow")


@pytest.mark.parametrize(
    ("header", "body", "category"),
    [
        ("ExpiredTokenException", {"message": "x"}, "authentication"),
        ("", {"__type": "com.amazon.coral.service#AccessDeniedException", "Message": "x"}, "permission"),
        ("ValidationException", {"message": "Input is too long for requested model."}, "context_length"),
        ("OddException", {"message": "x"}, "invalid_request"),
    ],
)
def test_what_an_error_is(header: str, body: Any, category: str) -> None:
    headers = {"x-amzn-errortype": header} if header else {}
    error = proxai_ir.lower(body, BEDROCK, kind="error", status=400, headers=headers)
    made = proxai_ir.compile(body, BEDROCK, CHAT, kind="error", status=400, headers=headers)
    assert [one.path for one in made.diagnostics] == [], "a type that is known is all in the category"
    assert error.category.value == category
    known = header or "AccessDeniedException"
    assert error.type == (None if known == "OddException" else known)


def test_the_type_of_an_error_is_a_header() -> None:
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    done = proxai_ir.compile(body, ANTHROPIC, BEDROCK, kind="error", status=529)
    assert done.output == {"__type": "ServiceUnavailableException", "message": "Overloaded"}
    assert done.headers == {"x-amzn-errortype": "ServiceUnavailableException"}


def test_what_is_signed_is_declared() -> None:
    assert backend(BEDROCK).http is bedrock_converse.HTTP
    assert isinstance(bedrock_converse.HTTP.sign, signing.Signer)


WHERE_ODD = {"content": ("UNK-1", "/content"), "citations/0/sourceContent": ("CIT-1", "/citations/0")}


@pytest.mark.parametrize("name", WHERE_ODD)
def test_a_piece_of_a_cited_text_may_have_other_members(name: str) -> None:
    """The pieces are joined, and what else a piece has is named, or belongs to a citation that is."""
    place = {"documentChar": {"documentIndex": 0, "start": 0, "end": 1}}
    citations = [{"title": "T", "location": place, "sourceContent": [{"text": "b"}]}]
    cited: dict[str, Any] = {"content": [{"text": "a"}], "citations": citations}
    (cited["content"] if name == "content" else cited["citations"][0]["sourceContent"])[0]["odd"] = 1
    response = building.response({"citationsContent": cited})
    done = proxai_ir.compile(response, BEDROCK, CHAT, kind="response")
    assert done.output["choices"][0]["message"]["content"] == "a"
    rule, path = WHERE_ODD[name]
    assert (rule, f"/output/message/content/0/citationsContent{path}") in [
        (one.rule, one.path) for one in done.diagnostics
    ]
    assert proxai_ir.raise_to(proxai_ir.lower(response, BEDROCK, kind="response"), BEDROCK) == response


@pytest.mark.parametrize(("most", "budget", "rule"), [(1024, None, "RSN-18"), (1025, 1024, ""), (1026, 1024, "")])
def test_the_least_budget_of_claude_has_to_fit_below_the_limit(most: int, budget: int | None, rule: str) -> None:
    thinking = {"type": "enabled", "budget_tokens": 1024}
    messages = [{"role": "user", "content": "Hi"}]
    request = {"model": "claude-sonnet-4-5", "max_tokens": most, "thinking": thinking, "messages": messages}
    made = proxai_ir.compile(request, ANTHROPIC, BEDROCK, kind="request")
    fields = made.output.get("additionalModelRequestFields", {})
    assert fields.get("thinking", {}).get("budget_tokens") == budget
    assert [one.rule for one in made.diagnostics if one.rule.startswith("RSN")] == [*filter(None, [rule])]
