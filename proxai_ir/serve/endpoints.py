"""The requests that are converted: one endpoint a protocol of clients, from the first byte to the record of its end.

Rule: whatever goes wrong, the client gets an error of its own protocol, and the gateway goes on.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx

from ..binding.registry import frontend
from ..exchange import Exchange, Reply, Unavailable, Upstream
from ..exchange.messages import JSON_TYPE
from ..exchange.provider import http_of
from ..json.bytes import dumped, parsed
from ..reporting.diagnostics import TranslationError
from . import learned
from .asgi import Attended, Disconnected, Forbidden, Receive, Scope, Send, TooLong, body_of, headers_of
from .call import Call
from .config import Candidate
from .forward import check_status, first_response, run, send_stream, send_whole, whole
from .gateway import Gateway
from .storage import StorageError
from .upstreams import UpstreamServer

LOG = logging.getLogger(__name__)
REQUESTS = logging.getLogger("proxai_ir.serve.requests")
CLIENT_WENT = 499  # what logs have for a client that went away before its response began
IN_PATH = re.compile(r"[\w@+-][\w.@+-]*(?:[/:][\w@+-][\w.@+-]*)*")
"""The name of a model that may stand in the path of a URL."""

Json = Any


class Endpoint(ABC):
    """What every endpoint does: admit the client, keep count, and turn failures into replies."""

    def __init__(self, gateway: Gateway, client: str, method: str = "POST") -> None:
        self.gateway = gateway
        self.client = client
        self.method = method
        self.http = http_of(client)
        self.request_id = self.http.request_id or "x-request-id"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gateway = self.gateway
        headers = headers_of(scope)
        call = Call(self.client, scope["path"], headers, {} if gateway.config.log.payloads else None)
        call.share = gateway.budget.share()
        call.query = scope.get("query_string", b"").decode("latin-1")
        timeouts = gateway.config.timeouts
        attended = Attended(receive, send, timeouts.keep_alive, timeouts.total)
        span = gateway.tracing.begin(call)
        try:
            with gateway.metrics.running.track_inprogress(), self._interrupted(call):
                try:
                    self._admit(call, scope)
                    if scope["method"] != self.method:
                        raise Forbidden(405, f"{scope['method']} is not for this path; expected {self.method}.")
                    most = gateway.config.limits.body
                    call.body = await body_of(receive, headers, most, timeouts.body, call.share.take)
                except Forbidden as error:
                    await self._refuse(call, attended, str(error), error.status)
                    return
                call.keep("request", call.body)
                await attended.during(lambda: self._guarded(call, attended))
                if attended.gone:
                    went(call, begun=attended.begun)
                elif not attended.begun:  # its time is over
                    await self._refuse(call, attended, f"There is no response after {timeouts.total:g} s.", 504)
        finally:
            self._ended(call)
            call.share.give_back()
            gateway.tracing.end(span, call)

    @abstractmethod
    async def respond(self, call: Call, client: Attended) -> None:
        """Send the response; may raise TranslationError or Forbidden before it has begun."""

    # --- what follows is the same for all ---

    def _admit(self, call: Call, scope: Scope) -> None:
        """Raises Forbidden."""
        call.owner = self.gateway.access.owner(self.http.key_in(call.headers), scope)
        call.admitted = True

    async def _guarded(self, call: Call, client: Attended) -> None:
        try:
            await self.respond(call, client)
        except Forbidden as error:
            await self._refuse(call, client, str(error), error.status)
        except TranslationError as error:
            call.found("request", error.diagnostics)
            await self._refuse(call, client, error, 400)
        except StorageError as error:
            call.error = str(error)
            await self._refuse(call, client, "The storage of the gateway cannot be used now.", 503)
        except httpx.HTTPError as error:
            call.error = f"The upstream failed ({type(error).__name__})."
            late = isinstance(error, httpx.TimeoutException)
            reason = f"The upstream '{call.upstream}' {'did not respond in time' if late else 'cannot be reached'}."
            await self._refuse(call, client, reason, 504 if late else 502)
        except TooLong:
            limit = self.gateway.config.limits.response
            await self._refuse(call, client, f"The provider's response is longer than {limit} bytes.", 502)
        except Exception as error:
            LOG.exception("a request to %s failed", call.path)
            call.error = type(error).__name__
            await self._refuse(call, client, "The gateway failed.", 500)

    async def send_json(self, call: Call, client: Attended, made: Json) -> None:
        await send_whole(call, Reply(status=200, headers=JSON_TYPE, body=dumped(made)), client, self.request_id)

    async def _refuse(self, call: Call, client: Attended, error: TranslationError | str, status: int) -> None:
        if client.begun:  # what has begun can only break off
            return
        reply = (call.exchange or self.gateway.own(self.client, call.headers)).refusal(error, status=status)
        call.error = call.error or str(error)
        await send_whole(call, reply, client, self.request_id)

    @contextmanager
    def _interrupted(self, call: Call) -> Iterator[None]:
        """What ends a call early, from outside."""
        try:
            yield
        except Disconnected:
            went(call, begun=False)

    def _ended(self, call: Call) -> None:
        self.gateway.metrics.ended(call)
        if call.admitted:  # requests that are not admitted are counted alone, so that they push none out of the log
            self.gateway.storage.record(call.record())
        if self.gateway.config.log.requests:
            REQUESTS.info("%s", dumped(call.line()).decode())


def went(call: Call, *, begun: bool) -> None:
    """The client went away; `begun`: after its response had begun."""
    call.error = "The client went away."
    if not begun:
        call.status = CLIENT_WENT


class Plain(Endpoint):
    """Endpoints whose responses the gateway makes itself."""

    @abstractmethod
    async def made(self, call: Call) -> Json:
        """The body of the response; may raise as `respond` may."""

    async def respond(self, call: Call, client: Attended) -> None:
        await self.send_json(call, client, await self.made(call))


class Converted(Endpoint):
    """Requests for responses of a model."""

    async def respond(self, call: Call, client: Attended) -> None:
        slow = self.gateway.in_thread(len(call.body))
        source = await run(self.source_of, call, in_thread=slow)
        call.model = self.model_of(call, source)
        candidates = self.gateway.routes.candidates(call.model)
        if not candidates:
            raise Forbidden(404, f"The model '{call.model:.200}' is not known here.")
        slow = slow or (self.gateway.waits_for_storage and self._needs_memory(source))
        for number, candidate in enumerate(candidates, 1):
            exchange, upstream = self._exchange(call, candidate)
            sent = await run(lambda x=exchange: x.request(source, call.headers, path=call.target), in_thread=slow)
            call.streamed = sent.stream
            if await self.forwarded(call, exchange, upstream, sent, client, last=number == len(candidates)):
                return
            self.gateway.metrics.fell_back(upstream.name)

    def asks(self, path: str) -> bool:
        """Whether a path that names its model is one of these."""
        return self.http.asked is not None and self.http.asked(path) is not None

    def source_of(self, call: Call) -> Json:
        """The request, parsed. Raises InvalidPayload."""
        return parsed(call.body)

    def model_of(self, call: Call, source: Json) -> str:
        """The model that the client asks for. Raises Forbidden."""
        asked, member = (self.http.asked(call.path), "model") if self.http.asked else (source, self.http.named)
        if asked is None:
            raise Forbidden(404, f"There is no {call.path:.200} here.")
        model = asked.get(member) if isinstance(asked, dict) else None
        if not isinstance(model, str) or not model:
            raise Forbidden(400, f"The request names no model; expected an object with the text `{member}`.")
        return model

    def _exchange(self, call: Call, candidate: Candidate) -> tuple[Exchange, UpstreamServer]:
        upstream = self.gateway.upstreams[candidate.upstream]
        call.upstream, call.provider = upstream.name, upstream.side.protocol
        call.sent_model = candidate.model or call.model
        if upstream.http.path is None and not IN_PATH.fullmatch(call.sent_model or ""):
            raise Forbidden(404, f"The model '{call.model:.200}' is not known here.")
        call.exchange = self.gateway.exchange(call, upstream, candidate.model, client_state=candidate.client_state)
        return call.exchange, upstream

    async def forwarded(
        self, call: Call, exchange: Exchange, upstream: UpstreamServer, sent: Upstream, client: Attended, *, last: bool
    ) -> bool:
        """Whether the client got its response; False where another upstream is to be tried."""
        limits = self.gateway.config.limits
        response = await first_response(upstream, sent, last=last)
        if response is None:
            return False
        call.diagnostics = []
        call.found("request", sent.diagnostics)
        call.keep("upstream_request", sent.body)
        call.upstream_status = response.status_code
        await check_status(upstream, response)
        headers = dict(response.headers)
        if sent.stream and response.is_success:
            stream = exchange.stream(response.status_code, headers, keep_response=False, most=limits.stream)
            await send_stream(call, stream, response, client, self.request_id)
            return True
        data = await whole(response, limits.response, call.share.take)
        if not response.is_success:
            data = upstream.without_key(data)
            again = await run(exchange.retry, response.status_code, headers, data, in_thread=False)
            if again is not None:
                await run(self._note_learned, in_thread=self.gateway.waits_for_storage)
                return await self.forwarded(call, exchange, upstream, again, client, last=last)
        call.keep("upstream_response", data)
        slow = self.gateway.in_thread(len(data))
        reply = await run(exchange.response, response.status_code, headers, data, in_thread=slow)
        call.found("response", reply.diagnostics)
        if reply.status >= 400:
            call.error = call.error or f"The provider failed with status {response.status_code}."
        await send_whole(call, reply, client, self.request_id)
        return True

    def _note_learned(self) -> None:
        with suppress(Unavailable):  # which costs the page an entry, and the client nothing
            learned.note(self.gateway.storage.memory, self.gateway.learned)

    def _needs_memory(self, source: Json) -> bool:
        """Whether the memory is needed to read the request."""
        references = frontend(self.client).memory
        if references is None:
            return False
        if references.previous(source) is not None or references.conversation(source) is not None:
            return True
        return any(references.reference(item) is not None for item in references.items(source))
