"""A protocol of another package, with Chat Completions in its bodies: what stands in HTTP is its own, and a provider.

The model and what is done with it stand in the path, a header says what an error is, and requests are signed.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from attrs import evolve

import proxai_ir
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Response
from proxai_ir.ir.stream import events
from proxai_ir.protocol.batch import ERROR, REQUEST, RESPONSE, Entry, Format, Object, Result, member, optional, unknown
from proxai_ir.protocol.http import Counting, Http, Listing, Model
from proxai_ir.protocol.registry import backend, frontend
from proxai_ir.targets.settings import Server

Json = Any
NAME = "acme_chat"
CHAT_FRONTEND, CHAT = frontend("openai_chat_completions"), backend("openai_chat_completions")
assert CHAT_FRONTEND.stream is not None
stream_of = CHAT_FRONTEND.stream
PATH = re.compile(r"/acme/(?P<model>[^/]+)/(?P<what>chat|flow)")
ERRORS = {"Throttled": ErrorCategory.RATE_LIMIT, "Late": ErrorCategory.TIMEOUT, "Denied": ErrorCategory.PERMISSION}
"""What the header of an error says, where its status may be any."""
WORDS = {category: word for word, category in ERRORS.items()}
MOMENT = count(1)


def asked(path: str) -> Json:
    found = PATH.fullmatch(path)
    return found and {"model": found["model"], "stream": found["what"] == "flow"}


def route(root: Any, server: Server) -> Json:
    if not isinstance(root, Request):
        return {}
    stream = root.streaming is not None and bool(root.streaming.stream)
    model = root.model or server.model
    return {"model": model, "stream": stream, "path": f"/acme/{model}/{'flow' if stream else 'chat'}"}


def raise_request(root: Request, server: Server) -> Json:
    made = CHAT.request(root, server)
    return {name: made[name] for name in made if name not in ("model", "stream", "stream_options")}


def lower_response(payload: Json, *, headers: Mapping[str, str]) -> Response | Error:
    """The model that responded stands in a header alone."""
    found = CHAT_FRONTEND.response(payload)
    found.protocol = NAME
    if isinstance(found, Response):
        found.model = headers.get("acme-model", found.model)
    return found


def lower_error(payload: Json, status: int | None = None, *, headers: Mapping[str, str]) -> Error:
    found = CHAT_FRONTEND.error(payload, status)
    word = headers.get("acme-error", "")
    return evolve(found, protocol=NAME, category=ERRORS.get(word, found.category), type=word or found.type)


class Reader:
    """The head of a stream names the model, its events do not."""

    def __init__(self, options: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        self._inner, self._model = stream_of(options), headers.get("acme-model")

    def text_delta(self, event: Json, part: int, /) -> str | None:
        return self._inner.text_delta(event, part)

    def feed(self, event: Json, /) -> list[events.Event]:
        found = self._inner.feed(event)
        for one in found:
            if isinstance(one, events.Started):
                one.response.model = self._model
        return found

    def close(self) -> list[events.Event]:
        return self._inner.close()


def reply_headers(root: Any, server: Server) -> dict[str, str]:
    return {"acme-error": WORDS.get(root.category, "Other")} if isinstance(root, Error) else {"acme-model": root.model}


def sign(method: str, url: str, headers: Mapping[str, str], body: bytes) -> dict[str, str]:
    """The key makes the signature, and is not sent itself."""
    rest = {name: value for name, value in headers.items() if name != "acme-key"}
    moment = str(next(MOMENT))
    return {
        **rest,
        "acme-moment": moment,
        "acme-signature": signature(headers["acme-key"], method, urlsplit(url).path, moment, body),
    }


def signature(key: str, method: str, path: str, moment: str, body: bytes) -> str:
    return hmac.new(key.encode(), "\n".join((method, path, moment, "")).encode() + body, "sha256").hexdigest()


def counted(path: str) -> str | None:
    return path.removesuffix("size") + "chat" if path.endswith("/size") else None


def read_models(listed: Json) -> list[Model]:
    return [Model(name, name) for name in listed["have"]]


FRONTEND = evolve(CHAT_FRONTEND, protocol=NAME, response=lower_response, error=lower_error, stream=Reader)
BACKEND = evolve(
    CHAT,
    protocol=NAME,
    request=raise_request,
    route=route,
    reply_headers=reply_headers,
    batch="tests.serve.fifth:LINES",
    http=Http(
        asked=asked,
        key="acme-key",
        scheme="",
        sign=sign,
        marked="acme-key",
        under=("/acme/",),
        listing=Listing(
            ask="/acme/models",
            read=read_models,
            paths=("/acme/models",),
            one=lambda model: {"called": model.name},
            all=lambda models: {"have": [model.name for model in models]},
        ),
        counting=Counting(
            path=lambda path: path.rpartition("/")[0] + "/size",
            counted=counted,
            body=lambda body, _: body,
            number="size",
        ),
    ),
)


def install(monkeypatch: Any) -> None:
    """As its package does by entry points."""
    entries = {
        side: {NAME: [EntryPoint(NAME, f"tests.serve.fifth:{side[:-1].upper()}", f"proxai_ir.{side}")]}
        for side in ("frontends", "backends")
    }
    monkeypatch.setattr("proxai_ir.protocol.registry._elsewhere", entries.__getitem__)


# --- lines of its batch files -----------------------------------------------------------------------------------------

KINDS = {"ask": REQUEST, "say": RESPONSE, "fail": ERROR}


def read_line(line: Object, of: tuple[str, ...]) -> Entry:
    name = next(name for name in KINDS if name in line)
    return Entry(
        kind=KINDS[name],
        protocol=of[0],
        named="n",
        id=optional(line, "n", str),
        body=member(line, name, dict),
        at=(name,),
        unread=unknown(line, {"n", name}),
    )


def write_line(result: Result) -> tuple[Object, tuple[str, ...]]:
    name = next((name for name, kind in KINDS.items() if kind == result.kind), None)
    if name is None:
        return {"n": result.id, "fail": {"error": {"message": result.kind}}}, ("BAT-2",)
    return {"n": result.id, name: result.body}, ()


LINES = Format(
    name="Acme", looks=lambda line: "n" in line and bool(KINDS.keys() & line.keys()), read=read_line, write=write_line
)


# --- its provider -----------------------------------------------------------------------------------------------------


class Provider:
    """An ASGI application that refuses what is not signed. `script`: for each request the word of an error, or None;
    `stream`: the media type and the bytes of its streams."""

    protocol = NAME

    def __init__(self, key: str, *script: str | None, stream: tuple[str, bytes] | None = None) -> None:
        self.key = key
        self.stream = stream or ("text/event-stream", b"".join(proxai_ir.sse.encode(one, NAME) for one in CHUNKS))
        self.script = [*script]
        self.seen: list[tuple[str, dict[str, str], bytes]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body")
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.seen.append((scope["path"], headers, body))
        status, made, kind, data = self._answer(scope["method"], scope["path"], headers, body)
        given = [(b"content-type", kind.encode()), *((name.encode(), value.encode()) for name, value in made.items())]
        await send({"type": "http.response.start", "status": status, "headers": given})
        await send({"type": "http.response.body", "body": data})

    def _answer(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Json, str, bytes]:
        wanted = signature(self.key, method, path, headers.get("acme-moment", ""), body)
        word = self.script.pop(0) if self.script else None
        if not hmac.compare_digest(wanted, headers.get("acme-signature", "")):
            word = "Denied"
        if word is not None:  # the status says less than the header does
            return 424, {"acme-error": word}, "application/json", b'{"error": {"message": "no"}}'
        if path.endswith("/flow"):
            kind, data = self.stream
            return 200, {"acme-model": "a1"}, kind, data
        return 200, {"acme-model": "a1"}, "application/json", BODIES[path.rpartition("/")[2]]


BODIES = {
    "models": b'{"have": ["a1"]}',
    "size": b'{"size": 7}',
    "chat": b'{"id": "x1", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"},'
    b' "finish_reason": "stop"}]}',
}
CHUNKS: list[Json] = [
    {"id": "x1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}, "finish_reason": None}]},
    {"id": "x1", "choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": "stop"}]},
    "[DONE]",
]
