"""Clouds as their documents say that they behave: a route, what authenticates a request, and streams in their framing.

A signature is computed here from the request alone, by AWS's "Signature Version 4 signing process", not by botocore.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote, unquote

import httpx

from proxai_ir.framing import AWS_CHUNKS

from ..clients.provider import ANTHROPIC, reply

Json = Any
ACCESS, SECRET, TOKEN = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "the-token-of-the-cloud"

SIGNED = {"AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET}


class Sent(NamedTuple):
    """A request as a server sees it; `path` is decoded."""

    method: str
    host: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Json


def sent(request: Any) -> Sent:
    """Of either HTTP library's request."""
    return seen(request.method, str(request.url), dict(request.headers), request.content)


def seen(method: str, url: str, headers: dict[str, str], body: bytes) -> Sent:
    found = httpx.URL(url)
    path = unquote(found.raw_path.decode().partition("?")[0])
    query = dict(parse_qsl(found.query.decode()))
    return Sent(method, found.host, path, query, {name.lower(): one for name, one in headers.items()}, json.loads(body))


def signature_of(request: httpx.Request) -> str:
    """What the signature of a request has to be."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<day>\d{8})/(?P<region>[\w-]+)/(?P<service>[\w-]+)/aws4_request"
        r", SignedHeaders=(?P<names>[\w;-]+), Signature=[0-9a-f]{64}",
        request.headers.get("authorization", ""),
    )
    if found is None or found["key"] != ACCESS:
        return "no signature"
    names = found["names"].split(";")
    assert "host" in names, names
    headers = "".join(f"{name}:{request.headers[name].strip()}\n" for name in names)
    path = quote(request.url.raw_path.decode().partition("?")[0], safe="/~")  # once more than it stands in the URL
    body = hashlib.sha256(request.content).hexdigest()
    whole = "\n".join((request.method, path, request.url.query.decode(), headers, ";".join(names), body))
    scope = "/".join((found["day"], found["region"], found["service"], "aws4_request"))
    text = f"AWS4-HMAC-SHA256\n{request.headers['x-amz-date']}\n{scope}\n{hashlib.sha256(whole.encode()).hexdigest()}"
    key = f"AWS4{SECRET}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, text.encode(), "sha256").hexdigest()


class Body(httpx.AsyncByteStream):
    def __init__(self, chunks: list[bytes]) -> None:
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


class Bedrock:
    """Claude behind `bedrock-runtime`. `spoils`: what becomes of the bytes of a stream."""

    def __init__(self, kind: str = "text", spoils: Callable[[bytes], bytes] = bytes) -> None:
        self.kind, self._spoils = kind, spoils
        self.seen: list[Sent] = []

    def respond(self, request: httpx.Request) -> tuple[int, dict[str, str], list[bytes]]:
        asked = sent(request)
        self.seen.append(asked)
        stated = asked.headers.get("authorization", "")
        if stated != f"Bearer {TOKEN}" and stated.rpartition("=")[2] != signature_of(request):
            return 403, *exception("InvalidSignatureException", "The request signature we calculated does not match.")
        found = re.fullmatch(r"/model/([^/]+|arn:[^:]*:bedrock:.+)/(invoke|invoke-with-response-stream)", asked.path)
        if found is None:
            return 404, *exception("UnknownOperationException", "no such operation")
        extra = {"model", "stream"} & asked.body.keys()
        if extra or asked.body.get("anthropic_version") != "bedrock-2023-05-31" or "max_tokens" not in asked.body:
            return 400, *exception("ValidationException", f"extraneous key {sorted(extra)} is not permitted")
        if self.kind == "throttled":
            return 429, *exception("ThrottlingException", "Too many requests, please wait before trying again.")
        streamed = found[2] != "invoke"
        made = reply(ANTHROPIC, self.kind, streamed)
        if not streamed:
            return made.status, {"content-type": "application/json", "x-amzn-requestid": "r1"}, made.chunks
        events = [json.loads(line[6:]) for line in b"".join(made.chunks).split(b"\n") if line.startswith(b"data: ")]
        data = self._spoils(b"".join(AWS_CHUNKS.encode(event, ANTHROPIC) for event in events))
        return 200, {"content-type": AWS_CHUNKS.content_type}, [data[at : at + 50] for at in range(0, len(data), 50)]


def exception(name: str, message: str) -> tuple[dict[str, str], list[bytes]]:
    return {"content-type": "application/json", "x-amzn-errortype": name}, [json.dumps({"message": message}).encode()]


class OverHttpx(httpx.AsyncBaseTransport, httpx.BaseTransport):
    """A cloud as a transport of `httpx`."""

    def __init__(self, respond: Callable[[httpx.Request], tuple[int, dict[str, str], list[bytes]]]) -> None:
        self._respond = respond

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        status, headers, chunks = self._respond(request)
        return httpx.Response(status, headers=headers, content=b"".join(chunks))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        status, headers, chunks = self._respond(request)
        return httpx.Response(status, headers=headers, stream=Body(chunks))
