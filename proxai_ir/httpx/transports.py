"""The transports of an SDK's HTTP client: its requests go to the provider, and the converted responses come back.

Rule 1: a stream is not read ahead of the SDK. Rule 2: whatever ends a response early closes the provider's. Rule 3:
network errors are raised as the library's own, as if the SDK had asked the provider.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

from ..exchange import Reply, ReplyStream, Upstream
from ..protocol.signing import Unsigned
from .calls import Call, Configured

# --- library ----------------------------------------------------------------------------------------------------------
# The HTTP library of a client: `httpx2`, which current SDKs use, or `httpx`, which earlier ones do.
#
# They have the same interface, but an SDK takes only a client of its own library. Rule: neither is imported before it
# is needed; `made` derives the classes here from the library's base classes, as it requires.


NAMES = ("httpx2", "httpx")
MISSING = 'proxai_ir.httpx needs httpx2, or httpx for SDKs that use it: in the checkout, pip install ".[httpx]"'

T = TypeVar("T")


def chosen(transport: Any) -> ModuleType:
    """Return the library of the transport, else the one that an SDK has imported, else the first that is installed."""
    for one in type(transport).__mro__:
        if (name := one.__module__.partition(".")[0]) in NAMES:
            return import_module(name)
    loaded = next((module for name in NAMES if (module := sys.modules.get(name))), None)
    if loaded is not None:
        return loaded
    for name in NAMES:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    raise ImportError(MISSING)


@cache
def made(own: type[T], library: ModuleType, base: str) -> type[T]:
    """Return the class derived from one of the library's base classes."""
    return type(own.__name__, (own, getattr(library, base)), {"__module__": own.__module__})


# --- transports -------------------------------------------------------------------------------------------------------
# Requests, responses, clients and modules are Any: they are of either library.


class Transport:
    """The transport of an SDK's client."""

    def __init__(self, to: Configured, inner: Any, library: Any) -> None:
        self._to, self._inner, self._library = to, inner, library

    def handle_request(self, request: Any) -> Any:
        call = called(self._to, request)
        step = call.begin(request.read())
        while isinstance(step, Upstream):
            came = self._inner.send(asked(call, step, self._inner, request, self._library), stream=True)
            if call.streams(came.status_code):
                stream = call.stream(came.status_code, headers_of(came))
                body = made(Body, self._library, "SyncByteStream")(call, stream, came)
                return self._library.Response(stream.status, headers=encoded(stream.headers), stream=body)
            try:
                data = came.read()
            finally:
                came.close()
            step = call.answered(came.status_code, headers_of(came), data)
        return whole(self._library, step)

    def close(self) -> None:
        self._inner.close()


class AsyncTransport:
    """The transport of an asynchronous SDK's client."""

    def __init__(self, to: Configured, inner: Any, library: Any) -> None:
        self._to, self._inner, self._library = to, inner, library

    async def handle_async_request(self, request: Any) -> Any:
        call = called(self._to, request)
        step = call.begin(await request.aread())
        while isinstance(step, Upstream):
            came = await self._inner.send(asked(call, step, self._inner, request, self._library), stream=True)
            if call.streams(came.status_code):
                stream = call.stream(came.status_code, headers_of(came))
                body = made(AsyncBody, self._library, "AsyncByteStream")(call, stream, came)
                return self._library.Response(stream.status, headers=encoded(stream.headers), stream=body)
            try:
                data = await came.aread()
            finally:
                await came.aclose()
            step = call.answered(came.status_code, headers_of(came), data)
        return whole(self._library, step)

    async def aclose(self) -> None:
        await self._inner.aclose()


class Body:
    """The converted stream that an SDK reads."""

    def __init__(self, call: Call, stream: ReplyStream, came: Any) -> None:
        self._call, self._stream, self._came = call, stream, came
        self._ended = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._came.iter_bytes():
                if out := self._stream.feed(chunk):
                    yield out
                if self._stream.error is not None:
                    break
            yield self._stream.end()
        finally:  # also if an SDK drops the iterator without closing it
            self.close()

    def close(self) -> None:
        if self._ended:
            return
        self._ended = True
        self._came.close()
        self._call.found("response", self._stream.diagnostics)


class AsyncBody:
    """The converted stream that an asynchronous SDK reads."""

    def __init__(self, call: Call, stream: ReplyStream, came: Any) -> None:
        self._call, self._stream, self._came = call, stream, came
        self._ended = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(self._came.aiter_bytes()) as chunks:
            async for chunk in chunks:
                if out := self._stream.feed(chunk):
                    yield out
                if self._stream.error is not None:
                    break
        yield self._stream.end()

    async def aclose(self) -> None:
        if self._ended:
            return
        self._ended = True
        await self._came.aclose()
        self._call.found("response", self._stream.diagnostics)


def called(to: Configured, request: Any) -> Call:
    return Call(to, request.method, request.url.raw_path.decode("ascii"), request.headers)


def asked(call: Call, sent: Upstream, inner: Any, request: Any, library: Any) -> Any:
    """Return the request to the provider, which may take as long as the SDK's."""
    try:
        url, headers = call.signed(sent)
    except Unsigned as error:  # as the library's own error for a provider that cannot be reached
        raise library.ConnectError(f"The request cannot be signed: {error}.", request=request) from None
    timeout = {name: one for name, one in request.extensions.items() if name == "timeout"}
    return inner.build_request("POST", url, headers=encoded(headers), content=sent.body, extensions=timeout)


def whole(library: Any, reply: Reply) -> Any:
    return library.Response(reply.status, headers=encoded(reply.headers), content=reply.body)


def headers_of(came: Any) -> dict[str, str]:
    return dict(came.headers)


def encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Return headers as bytes, as their values need not be ASCII."""
    return [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()]
