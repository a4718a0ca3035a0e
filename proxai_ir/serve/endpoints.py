"""The endpoints of a gateway: conversions, stored responses, lists of models, token counts, and paths passed on."""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import httpx
import orjson

from ..conversion.bytes import dumped, parsed
from ..exchange import Reply, Unavailable
from ..exchange.memory import Recollection
from ..exchange.messages import JSON_TYPE, count_in, estimate, to_count
from ..exchange.provider import http_of
from ..protocol.http import Counting, Http, Kept, Listing, Model
from ..protocol.registry import frontend
from ..reporting.diagnostics import TranslationError
from ..storage import StorageError
from ..storage.payloads import failure
from . import learned
from .asgi import Attended, Disconnected, Forbidden, Receive, Scope, Send, TooLong, body_of, encoded, headers_of
from .config import Candidate
from .forward import (
    RETRYABLE,
    Asked,
    Limited,
    Streamed,
    Turns,
    check_status,
    chunks,
    close,
    first_response,
    run,
    send_whole,
    unless_late,
    whole,
)
from .gateway import Call, Gateway
from .upstreams import UpstreamServer

# --- endpoints --------------------------------------------------------------------------------------------------------
# The requests that are converted: one endpoint a protocol of clients, from the first byte to the record of its end.
#
# Rule: whatever goes wrong, the client gets an error of its own protocol, and the gateway goes on.


LOG = logging.getLogger(__name__)
REQUESTS = logging.getLogger("proxai_ir.serve.requests")
CLIENT_WENT = 499  # what logs have for a client that went away before its response began
KEY = "x-proxai-key"
"""The header with a client's key for the gateway, where the usual one has its own key for the upstream."""
IN_PATH = re.compile(r"[\w@+-][\w.@+-]*(?:[/:][\w@+-][\w.@+-]*)*")
"""The name of a model that may stand in the path of a URL."""

Json = Any
Answer = tuple[httpx.Response, Streamed | None]


class Endpoint(ABC):
    """What every endpoint does: admit the client, keep count, and turn failures into replies."""

    def __init__(self, gateway: Gateway, client: str, method: str = "POST") -> None:
        self.gateway = gateway
        self.client = client
        self.method = method  # "" for any
        self.http = http_of(client)
        self.request_id = self.http.request_id or "x-request-id"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gateway = self.gateway
        headers = headers_of(scope)
        log = gateway.config.log
        call = Call(self.client, scope["path"], headers, {} if log.payloads else None, log.payload_bytes)
        call.share = gateway.budget.share()
        call.method = scope["method"]
        call.query = scope.get("query_string", b"").decode("latin-1")
        timeouts = gateway.config.timeouts
        attended = Attended(receive, send, timeouts.keep_alive, timeouts.total)
        span = gateway.tracing.begin(call)
        try:
            with gateway.metrics.running.track_inprogress(), self._interrupted(call):
                try:
                    self._admit(call, scope)
                    if self.method not in ("", scope["method"]):
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
        """Raise Forbidden."""
        access, own = self.gateway.access, call.headers.get(KEY)
        call.owner = access.owner(own or self.http.key_in(call.headers, call.query), scope)
        call.who = access.who(call.owner)
        if access.keyless or own:  # else it is the gateway's key, which is nobody else's
            call.own = self.http.own_headers(call.headers, call.query)
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
            call.error = self.gateway.upstreams[call.upstream].failure(error)
            LOG.warning("%s", call.error)
            late = isinstance(error, httpx.TimeoutException)
            reason = f"The upstream '{call.upstream}' {'did not respond in time' if late else 'cannot be reached'}."
            told = call.error if self.gateway.access.keyless else reason  # without keys, the client is the operator's
            await self._refuse(call, client, told, 504 if late else 502)
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
        """Return the body of the response; may raise as `respond` may."""

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
        upstreams = self.gateway.upstreams

        async def prepare(candidate: Candidate) -> Asked:
            return await self._prepared(call, source, candidate, upstreams[candidate.upstream], in_thread=slow)

        turns = Turns(call, candidates, prepare, self.gateway.metrics.fell_back)
        while not await self.forwarded(call, await turns.next(), turns, client):
            pass

    def asks(self, path: str) -> bool:
        """Return whether a path that names its model is one of these."""
        return self.http.asked is not None and self.http.asked(path) is not None

    def source_of(self, call: Call) -> Json:
        """Return the request, parsed. Raises InvalidPayload."""
        return parsed(call.body)

    def model_of(self, call: Call, source: Json) -> str:
        """Return the model that the client asks for. Raises Forbidden."""
        asked, member = (self.http.asked(call.path), "model") if self.http.asked else (source, self.http.named)
        if asked is None:
            raise Forbidden(404, f"There is no {call.path:.200} here.")
        model = asked.get(member) if isinstance(asked, dict) else None
        if not isinstance(model, str) or not model:
            raise Forbidden(400, f"The request names no model; expected an object with the text `{member}`.")
        return model

    async def _prepared(
        self, call: Call, source: Json, candidate: Candidate, upstream: UpstreamServer, *, in_thread: Limited
    ) -> Asked:
        """Raise TranslationError, and Forbidden for a model that the upstream cannot have."""
        own = call.own if candidate.client_key and self.http.shares_keys(upstream.http) else {}
        may = candidate.client_state or bool(own)  # what a client names is its own where its account is
        exchange = self.gateway.exchange(call, upstream, candidate.model, client_state=may)
        model = candidate.model or call.model
        if not call.upstream:
            call.goes_to(upstream, model, exchange)
        if upstream.http.path is None and not IN_PATH.fullmatch(model or ""):
            raise Forbidden(404, f"The model '{call.model:.200}' is not known here.")
        sent = await run(lambda: exchange.request(source, call.headers, path=call.target), in_thread=in_thread)
        return Asked(upstream, exchange, sent, model, own)

    async def forwarded(self, call: Call, asked: Asked, turns: Turns, client: Attended) -> bool:
        """Return whether the client got its response; False where another upstream is to be asked."""
        call.sends(asked.sent)

        async def answer() -> Answer | None:
            return await self._answer(call, asked, turns)

        if asked.sent.stream and not turns.last:
            seconds = self.gateway.config.timeouts.first_event
            found = await unless_late(seconds, answer, lambda: turns.passes("time"))
        else:
            found = await answer()
        if found is None:
            return False
        response, stream = found
        if stream is None:
            return await self._whole(call, asked, turns, response, client)
        await stream.send(client, self.request_id)
        return True

    async def _answer(self, call: Call, asked: Asked, turns: Turns) -> Answer | None:
        """Return the response, and its stream where it has begun as one; None where another upstream is to be asked."""
        response = await first_response(asked, turns)
        if response is None:
            return None
        call.upstream_status = response.status_code
        await check_status(asked.upstream, response)
        if not (asked.sent.stream and response.is_success):
            return response, None
        headers, most = dict(response.headers), self.gateway.config.limits.stream
        made = asked.exchange.stream(response.status_code, headers, keep_response=False, most=most)
        stream = Streamed(call, made, response, asked.upstream.redaction(asked.own))
        if turns.last:
            return response, stream
        try:
            why = await stream.hold()
            if not why or not await turns.passes("stream", why):
                return response, stream
        except BaseException:
            await close(response)
            raise
        await close(response)
        return None

    async def _whole(self, call: Call, asked: Asked, turns: Turns, response: httpx.Response, client: Attended) -> bool:
        limits, status, headers = self.gateway.config.limits, response.status_code, dict(response.headers)
        try:
            data = await whole(response, limits.response, call.share.take)
        except httpx.HTTPError:
            if await turns.passes("network"):
                return False
            raise
        data = asked.upstream.redaction(asked.own).whole(data)
        if not response.is_success:
            again = await run(asked.exchange.retry, status, headers, data, in_thread=False)
            if again is not None:
                await run(self._note_learned, in_thread=self.gateway.waits_for_storage)
                return await self.forwarded(call, asked._replace(sent=again), turns, client)
        call.keep("upstream_response", data)
        slow = self.gateway.in_thread(len(data))
        reply = await run(asked.exchange.response, status, headers, data, in_thread=slow)
        if response.is_success and reply.status in RETRYABLE and await turns.passes("status", str(reply.status)):
            return False  # an error, or what cannot be converted, under a status of success
        call.found("response", reply.diagnostics)
        if reply.status >= 400:
            call.error = call.error or failure(status, data, call.provider)
        await send_whole(call, reply, client, self.request_id)
        return True

    def _note_learned(self) -> None:
        with suppress(Unavailable):  # which costs the page an entry, and the client nothing
            learned.note(self.gateway.storage.memory, self.gateway.learned)

    def _needs_memory(self, source: Json) -> bool:
        """Return whether the memory is needed to read the request."""
        references = frontend(self.client).memory
        if references is None:
            return False
        if references.previous(source) is not None or references.conversation(source) is not None:
            return True
        return any(references.reference(item) is not None for item in references.items(source))


# --- kept -------------------------------------------------------------------------------------------------------------
# Responses that the gateway keeps, and conversations: what clients read and delete by id.


def kept_under(http: Http, kept: Kept) -> tuple[str, ...]:
    """Return the paths that kept responses stand under: those of requests, too, where they are the same."""
    return (kept.responses, *(http.aliases if kept.responses == http.path else ()))


class Keeping(Plain):
    """An endpoint of what a client has in memory."""

    def __init__(self, gateway: Gateway, client: str, kept: Kept, method: str) -> None:
        super().__init__(gateway, client, method)
        self.kept = kept

    def memory(self, call: Call) -> Recollection:
        references = frontend(self.client).memory
        assert references is not None
        return Recollection(references, self.gateway.storage.memory, call.owner)

    def id_in(self, call: Call) -> str:
        base = next(path for path in kept_under(self.http, self.kept) if call.path.startswith(f"{path}/"))
        return call.path.removeprefix(base).split("/")[1]

    async def found(self, call: Call, work: Any) -> Any:
        """What `work` finds by the id in the path. Raises Forbidden where it finds nothing."""
        name = self.id_in(call)
        if not (found := await self.waiting(work, name)):
            raise Forbidden(404, f"Response with id '{name:.200}' not found.")
        return found

    async def waiting(self, work: Any, *arguments: Any) -> Any:
        return await run(work, *arguments, in_thread=self.gateway.waits_for_storage)


class Retrieve(Keeping):
    async def made(self, call: Call) -> Json:
        return await self.found(call, self.memory(call).response)


class Delete(Keeping):
    async def made(self, call: Call) -> Json:
        await self.found(call, self.memory(call).forget)
        return self.kept.deleted(self.id_in(call))


class Cancel(Keeping):
    """Every response that is kept is complete."""

    async def made(self, call: Call) -> Json:
        await self.found(call, self.memory(call).response)
        raise Forbidden(400, "Only responses in the background can be cancelled; this one is complete.")


class Begin(Keeping):
    """A new conversation. Items that it is to begin with are not supported: they are part of the first request."""

    async def made(self, call: Call) -> Json:
        given = parsed(call.body or b"{}")
        if not isinstance(given, dict) or given.get("items"):
            raise Forbidden(400, "A conversation begins empty here; expected no `items`.")
        assert self.kept.begun is not None
        made = self.kept.begun(given, int(call.started))
        await self.waiting(self.memory(call).begin, made["id"])
        return made


# --- models -----------------------------------------------------------------------------------------------------------
# The list of models, in the shape of the client's protocol: those that routes name, and those of upstreams to which
# routes send them under their own names.


class Models(Plain):
    """The list, or one of its models."""

    def __init__(self, gateway: Gateway, client: str, listing: Listing, paths: Iterable[str]) -> None:
        """`paths`: of the lists of all protocols."""
        super().__init__(gateway, client, "GET")
        self._listing = listing
        self._paths = sorted(paths, key=len, reverse=True)

    def name_in(self, path: str) -> str | None:
        """What stands behind the path of a list; None where it is no such path."""
        found = (path[len(one) :] for one in self._paths if path == one or path.startswith(one + "/"))
        return next((rest.strip("/") for rest in found), None)

    async def made(self, call: Call) -> Json:
        models = await self._models(call)
        wanted = unquote(self.name_in(call.path) or "")
        if not wanted:
            return self._listing.all(models)
        found = next((model for model in models if model.name == wanted), None)
        if found is None:
            raise Forbidden(404, f"The model '{wanted:.200}' is not known here.")
        return self._listing.one(found)

    async def _models(self, call: Call) -> list[Model]:
        """Raise Forbidden where there is none but an upstream's, which cannot be had."""
        routes, upstreams = self.gateway.routes, self.gateway.upstreams
        listing = routes.listing
        found = {name: Model(name, name) for name in routes.names}
        for candidate in listing:
            try:
                listed = await self._of_upstream(upstreams[candidate.upstream], candidate, call)
            except Forbidden:
                if not found and candidate is listing[-1]:
                    raise
                continue
            for model in listed:
                route = routes.route(model.name)
                if route is not None and route.model is None and route.upstream == candidate.upstream:
                    found.setdefault(model.name, model)
        return [*found.values()]

    async def _of_upstream(self, upstream: UpstreamServer, candidate: Candidate, call: Call) -> list[Model]:
        """Raise Forbidden where the upstream has no such list."""
        call.upstream, call.provider = upstream.name, upstream.side.protocol
        if upstream.cloud and upstream.http.listing is None:
            raise Forbidden(502, f"The cloud of the upstream '{upstream.name}' has no list of models of this protocol.")
        listing = upstream.http.listing or self._listing
        own = call.own if candidate.client_key and self.http.shares_keys(upstream.http) else {}
        try:
            response = await upstream.get(listing.ask, own)
            data = await whole(response, self.gateway.config.limits.response)
        except httpx.HTTPError as error:
            call.error = upstream.failure(error)
            raise Forbidden(502, f"The upstream '{upstream.name}' cannot be reached.") from None
        call.upstream_status = response.status_code
        if not response.is_success:
            raise Forbidden(502, f"The upstream '{upstream.name}' gave no list of its models.")
        try:
            return listing.read(orjson.loads(data))
        except (ValueError, TypeError, AttributeError, KeyError):
            raise Forbidden(502, f"The upstream '{upstream.name}' gave a list of models that cannot be read.") from None


# --- counting ---------------------------------------------------------------------------------------------------------
# Counting the tokens of a request: the upstream does; where it cannot, the number is an estimate, which says so.


NO_SUCH_PATH = (404, 405, 501)
"""Statuses of servers that speak a protocol which can count, and cannot."""


class Count(Converted):
    """Requests to count the tokens of a request."""

    def __init__(self, gateway: Gateway, client: str, counting: Counting) -> None:
        super().__init__(gateway, client)
        self._counting = counting

    def asks(self, path: str) -> bool:
        """Return whether a path with a model in it asks for a count."""
        counted = self._counting.counted(path)
        return counted is not None and counted != path and super().asks(counted)

    def source_of(self, call: Call) -> Json:
        """What would be asked for a response, of what is to be counted."""
        source = super().source_of(call)
        call.path = self._counting.counted(call.path) or call.path
        return self._counting.source(source) if isinstance(source, dict) else source

    async def forwarded(self, call: Call, asked: Asked, turns: Turns, client: Attended) -> bool:
        sent, counting = asked.sent, asked.upstream.http.counting
        if counting is None:
            return await self._estimated(call, sent.body, client)
        asked = asked._replace(sent=to_count(sent, counting))
        response = await first_response(asked, turns)
        if response is None:
            return False
        call.upstream_status = response.status_code
        await check_status(asked.upstream, response)
        data = asked.upstream.redaction(asked.own).whole(await whole(response, self.gateway.config.limits.response))
        if response.status_code in NO_SUCH_PATH:
            return await self._estimated(call, sent.body, client)
        if not response.is_success:
            reply = asked.exchange.response(response.status_code, dict(response.headers), data)
            await send_whole(call, reply, client, self.request_id)
            return True
        number = count_in(data, counting)
        if number is None:
            raise Forbidden(502, "The upstream's response has no count of tokens.")
        await self._send(call, client, number)
        return True

    async def _estimated(self, call: Call, body: bytes, client: Attended) -> bool:
        call.estimated = True
        await self._send(call, client, estimate(orjson.loads(body)))
        return True

    async def _send(self, call: Call, client: Attended, number: int) -> None:
        own = self._counting
        await self.send_json(call, client, {**own.shape, own.number: number})


# --- passed -----------------------------------------------------------------------------------------------------------
# Other paths of a vendor, which go on as they are: embeddings, files, batches, audio. For upstreams that allow it.
#
# Rule 1: a client's request goes to an upstream of its own vendor, at a path below the upstream's own. Rule 2: of the
# client's headers and the vendor's those go on that say what a body is, and those of the vendor's own. Rule 3: an
# error
# is read whole, and nothing repeats a key.


PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[\w.@:+=,~-]+)+", re.ASCII)
"""Paths whose parts lead nowhere but down."""
SENT = ("accept", "content-type", "content-disposition", "if-none-match", "range")
RECEIVED = ("content-", "etag", "retry-after", "cache-control")
UNSENT = ("accept-encoding", "content-encoding", "content-length")
"""Beginnings of names of headers, and names. Bodies are sent on decoded, piece by piece."""


class Passed(Endpoint):
    """Requests of one protocol's clients, with whatever method."""

    async def respond(self, call: Call, client: Attended) -> None:
        upstream = self.upstream()
        if upstream is None or not PATH.fullmatch(call.path):
            raise Forbidden(404, f"There is no {call.path:.200} here.")
        call.goes_to(upstream, None)
        call.payloads = None  # files are no part of a log
        query = urlencode([one for one in parse_qsl(call.query, True) if one[0] != self.http.key_query])
        path = quote(call.path, safe="/@:+=,~") + (f"?{query}" if query else "")
        own = upstream.authenticated(upstream.keys.next()) or call.own
        names = (*SENT, self.http.version or "-", self.http.betas or "-", *self.http.own)
        headers = {name: one for name, one in call.headers.items() if name.startswith(names) and name not in UNSENT}
        response = await upstream.send(path, headers, call.body, own, stream=True, method=call.method)
        call.upstream_status = call.status = response.status_code
        await check_status(upstream, response)
        try:
            kept = (*RECEIVED, self.request_id, *self.http.own)
            found = {name: one for name, one in response.headers.items() if name.startswith(kept)}
            head = encoded({name: one for name, one in found.items() if name not in UNSENT} | call.own_headers)
            error = None if response.is_success else await whole(response, self.gateway.config.limits.response)
            redaction = upstream.redaction(own)
            await client.send({"type": "http.response.start", "status": call.status, "headers": head})
            call.first_byte = call.seconds()
            if error is None:
                async for chunk in chunks(response):
                    if out := redaction.feed(chunk):
                        await client.send({"type": "http.response.body", "body": out, "more_body": True})
            last = redaction.end() if error is None else redaction.whole(error)
            await client.send({"type": "http.response.body", "body": last})
        finally:
            await close(response)

    def upstream(self) -> UpstreamServer | None:
        """Return the first one of the client's protocol that allows it, else of its vendor."""
        allowed = [one for one in self.gateway.upstreams.values() if one.passes and self.http.shares_keys(one.http)]
        return next((one for one in allowed if one.http is self.http), allowed[0] if allowed else None)
