"""The endpoints of a gateway: conversions, stored responses, lists of models, token counts, and paths passed on.

Rule: whatever goes wrong, the client gets an error of its own protocol, and the gateway goes on.
"""

from __future__ import annotations

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import httpx
import orjson
from attrs import evolve

from ..conversion.bytes import dumped, parsed
from ..exchange import Reply, Unavailable, cloud_clients
from ..exchange.memory import Recollection, first_reference
from ..exchange.messages import JSON_TYPE, count_in, estimate, request_of, to_count
from ..exchange.provider import http_of
from ..profiles import models
from ..protocol.http import Compacting, Counting, Http, Kept, Listing, Model, Told
from ..protocol.registry import frontend
from ..reporting.diagnostics import Severity, TranslationError
from ..storage import StorageError
from ..storage.memory import note_refused
from ..storage.payloads import failure
from . import forward
from .asgi import Attended, Disconnected, Forbidden, Receive, Scope, Send, TooLong, body_of, encoded, headers_of
from .config import IN_PATH, Candidate
from .forward import Attempt, Attempts, Streamed
from .gateway import Call, Gateway
from .upstreams import UpstreamServer, close, trouble

# --- conversions ------------------------------------------------------------------------------------------------------

LOG = logging.getLogger(__name__)
REQUESTS = logging.getLogger("proxai_ir.serve.requests")
WITHOUT_BODY = (204, 205)
"""Statuses of success that no response of a model can have."""
CLIENT_WENT = 499  # the status in logs of a client that went away before its response started
KEY = "x-proxai-key"
"""The header with a client's key for the gateway, if the usual header has its own key for the upstream."""
PASSING = "proxai_ir.passing"
"""The ASGI extension with the memory of a client's connection (`Call.passing`)."""
FORM = "proxai_ir.form"
"""The ASGI extension of requests in a cloud's form (`Call.form`)."""

Json = Any
Answer = tuple[httpx.Response, Streamed | None]


class Endpoint(ABC):
    """An endpoint admits the client, counts and records the call, and turns failures into replies."""

    def __init__(self, gateway: Gateway, client: str, methods: Sequence[str] = ("POST",)) -> None:
        self.gateway = gateway
        self.client = client
        self.methods = methods  # none: any
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
        call.passing = (scope.get("extensions") or {}).get(PASSING)
        timeouts = gateway.config.timeouts
        attended = Attended(receive, send, timeouts.keep_alive, timeouts.total)
        span = gateway.tracing.begin(call)
        try:
            with gateway.metrics.running.track_inprogress():
                try:
                    self.admit(call, scope)
                    call.account = gateway.accounts.begin(call.who, call.path, call.started, call.clock)
                    if self.methods and call.method not in self.methods:
                        expected = " or ".join(self.methods)
                        raise Forbidden(405, f"{call.method} is not for this path; expected {expected}.")
                    most = gateway.config.limits.body
                    call.body = await body_of(receive, headers, most, timeouts.body, call.share.take)
                except Forbidden as error:
                    await self._refuse(call, attended, str(error), error.status, error.after)
                    return
                call.keep("request", call.body)
                await attended.during(lambda: self._guarded(call, attended))
                if attended.gone:
                    note_gone(call, started=attended.started)
                elif not attended.started:  # its time is over
                    await self._refuse(call, attended, f"There is no response after {timeouts.total:g} s.", 504)
        except Disconnected:
            note_gone(call, started=False)
        finally:
            self._end(call)
            call.share.give_back()
            gateway.tracing.end(span, call)

    @abstractmethod
    async def respond(self, call: Call, client: Attended) -> None:
        """Send the response; may raise TranslationError or Forbidden before it has started."""

    def admit(self, call: Call, scope: Scope) -> None:
        """Note whose request it is. Raises Forbidden for a client that may not use the gateway."""
        access, own = self.gateway.access, call.headers.get(KEY)
        call.form = (scope.get("extensions") or {}).get(FORM)
        key = own or self.http.key_in(call.headers, call.query) or self.http.signer_in(call.headers)
        key = key or (cloud_clients.key_in(call.headers) if call.form else None)
        call.owner = access.owner(key, scope)
        call.who = access.who(call.owner)
        # Else the usual header has the key for the gateway, which no upstream gets, or one for another server.
        if (access.keyless or own) and call.form is None:
            call.own = self.http.own_headers(call.headers, call.query)

    async def _guarded(self, call: Call, client: Attended) -> None:
        try:
            await self.respond(call, client)
        except Forbidden as error:
            await self._refuse(call, client, str(error), error.status)
        except TranslationError as error:
            call.report("request", error.diagnostics)
            await self._refuse(call, client, error, 400)
        except StorageError as error:
            call.error = str(error)
            await self._refuse(call, client, "The storage of the gateway cannot be used now.", 503)
        except httpx.HTTPError as error:
            call.error = self.gateway.upstreams[call.upstream].failure(error, call.own)
            LOG.warning("%s", call.error)
            reason = f"The upstream '{call.upstream}' {trouble(error)}."
            shown = call.error if self.gateway.access.keyless else reason  # without keys, the client is the operator
            await self._refuse(call, client, shown, 504 if isinstance(error, httpx.TimeoutException) else 502)
        except TooLong:
            limit = self.gateway.config.limits.response
            await self._refuse(call, client, f"The provider's response is longer than {limit} bytes.", 502)
        except Exception as error:
            LOG.exception("a request to %s failed", call.path)
            call.error = type(error).__name__
            await self._refuse(call, client, "The gateway failed.", 500)

    def recollection(self, call: Call) -> Recollection:
        """Return what the gateway keeps for the client, of a protocol whose requests may refer to it."""
        references = frontend(self.client).memory
        assert references is not None
        return Recollection(references, self.gateway.memory(call), call.owner)

    async def send_json(self, call: Call, client: Attended, made: Json) -> None:
        await forward.send_whole(call, Reply(status=200, headers=JSON_TYPE, body=dumped(made)), client, self.request_id)

    async def _refuse(
        self, call: Call, client: Attended, error: TranslationError | str, status: int, after: float | None = None
    ) -> None:
        if client.started:  # it can only break off
            return
        exchange = call.exchange or self.gateway.own(self.client, call.headers)
        reply = exchange.refusal(error, status=status, retry_after=after)
        call.error = call.error or str(error)
        await forward.send_whole(call, reply, client, self.request_id)

    def _end(self, call: Call) -> None:
        self.gateway.metrics.ended(call)
        if call.account is not None:  # the others are only counted, so that they push none out of the log
            call.account.end(call.usage, call.started + call.seconds())
            self.gateway.storage.record(call.record())
        if self.gateway.config.log.requests:
            REQUESTS.info("%s", dumped(call.line()).decode())


def unknown_model(name: str | None) -> Forbidden:
    return Forbidden(404, f"The model '{name or '':.200}' is not known here.")


def note_gone(call: Call, *, started: bool) -> None:
    """Note that the client went away, before or after its response had started."""
    call.error = "The client went away."
    if not started:
        call.status = CLIENT_WENT


class Plain(Endpoint):
    """An endpoint whose responses the gateway makes itself."""

    @abstractmethod
    async def made(self, call: Call) -> Json:
        """Return the body of the response; may raise as `respond` may."""

    async def respond(self, call: Call, client: Attended) -> None:
        await self.send_json(call, client, await self.made(call))


class Converted(Endpoint):
    """Requests for responses of a model, in the protocol of the client."""

    remembers = False
    """Whether a reply needs the memory."""

    async def respond(self, call: Call, client: Attended) -> None:
        slow = self.gateway.in_thread(len(call.body))
        source = await forward.run(self.source_of, call, in_thread=slow)
        call.model = self.model_of(call, source)
        candidates = self.gateway.candidates(call.model)
        if not candidates:
            raise unknown_model(call.model)
        waits = self.gateway.waits_for_storage
        slow = slow or (waits and first_reference(frontend(self.client).memory, source) is not None)
        prepare = partial(self._prepared, call, source, in_thread=slow)
        attempts = Attempts(call, [*candidates], self.gateway.upstreams, prepare, self.gateway.metrics.fell_back)
        try:
            while not await self.forwarded(call, await attempts.next(), attempts, client):
                pass
        finally:
            attempts.leave()

    def asks(self, path: str) -> bool:
        """Return whether a path names a model and belongs to this endpoint."""
        return self.http.asked is not None and self.http.asked(path) is not None

    def source_of(self, call: Call) -> Json:
        """Return the request, an object, as the protocol's own clients send it. Raises InvalidPayload."""
        source = request_of(call.body, self.client)
        if call.form is not None:
            source, call.headers = call.form.own(source, call.headers)
        return source

    def model_of(self, call: Call, source: Json) -> str:
        """Return the model that the client asks for. Raises Forbidden."""
        asked, member = (self.http.asked(call.path), "model") if self.http.asked else (source, self.http.named)
        if asked is None:
            raise Forbidden(404, f"There is no {call.path:.200} here.")
        model = asked.get(member)
        if not isinstance(model, str) or not model:
            raise Forbidden(400, f"The request names no model; expected the text `{member}`.")
        if not self.gateway.accounts.may_have(call.who, model):
            raise Forbidden(403, f"This key may not use the model '{model:.200}'.")
        return model

    async def _prepared(
        self, call: Call, source: Json, candidate: Candidate, upstream: UpstreamServer, *, in_thread: forward.Limited
    ) -> Attempt:
        """Return the request, converted for an upstream.

        Raises TranslationError, and Forbidden for a model that the upstream cannot have.
        """
        own = call.own if candidate.client_key and self.http.shares_keys(upstream.http) else {}
        may = candidate.client_state or bool(own)  # what a client refers to in its own account is its own
        exchange = self.gateway.exchange(call, upstream, candidate.model, client_state=may)
        model = candidate.model or call.model
        if not call.upstream:
            call.goes_to(upstream, model, exchange)
        if upstream.http.path is None and not IN_PATH.fullmatch(model or ""):
            raise unknown_model(call.model)
        sent = await forward.run(lambda: exchange.request(source, call.headers, path=call.target), in_thread=in_thread)
        return Attempt(upstream, exchange, sent, model, own)

    async def forwarded(self, call: Call, attempt: Attempt, attempts: Attempts, client: Attended) -> bool:
        """Return whether the client got its response; False if another upstream is to be asked."""
        call.sends(attempt.sent)
        attempt.upstream.note_length(attempt.sent.diagnostics)
        answer = partial(self._answer, call, attempt, attempts)
        if attempt.sent.stream and not attempts.last:
            seconds = self.gateway.config.timeouts.first_event
            found = await forward.unless_late(seconds, answer, lambda: attempts.fall_back("time"))
        else:
            found = await answer()
        if found is None:
            return False
        response, stream = found
        if stream is None:
            return await self._whole(call, attempt, attempts, response, client)
        attempt.upstream.rest.answered()
        await stream.send(client, self.request_id)
        return True

    async def _answer(self, call: Call, attempt: Attempt, attempts: Attempts) -> Answer | None:
        """Return the response, with its stream if it is one; None if another upstream is to be asked."""
        response = await forward.first_response(attempt, attempts)
        if response is None:
            return None
        if not (attempt.sent.stream and response.is_success) or response.status_code in WITHOUT_BODY:
            return response, None
        headers, most = dict(response.headers), self.gateway.config.limits.stream
        made = attempt.exchange.stream(response.status_code, headers, keep_response=False, most=most)
        stream = Streamed(call, made, response)
        if attempts.last:
            return response, stream
        try:
            why = await stream.hold()
            if not why or not await attempts.fall_back("stream", why):
                return response, stream
        except BaseException:
            await close(response)
            raise
        await close(response)
        return None

    async def _whole(
        self, call: Call, attempt: Attempt, attempts: Attempts, response: httpx.Response, client: Attended
    ) -> bool:
        limits, status, headers = self.gateway.config.limits, response.status_code, dict(response.headers)
        try:
            data = await forward.read_body(response, limits.response, call.share.take)
        except httpx.HTTPError:
            if await attempts.fall_back("network"):
                return False
            raise
        if not response.is_success:
            slow = self.gateway.in_thread(len(data))
            again = await forward.run(attempt.exchange.retry, status, headers, data, in_thread=slow)
            if again is not None:
                await forward.run(self._note_learned, in_thread=True)
                return await self.forwarded(call, attempt._replace(sent=again), attempts, client)
        call.keep("upstream_response", data)
        slow = self.gateway.in_thread(len(data))
        slow = slow or (self.gateway.waits_for_storage and self.remembers)
        reply = await forward.run(self._replied, call, attempt, status, headers, data, in_thread=slow)
        if (
            response.is_success
            and reply.status in forward.RETRYABLE
            and await attempts.fall_back("status", str(reply.status))
        ):
            return False  # an error under a status of success, or a response that cannot be converted
        if reply.status not in forward.RETRYABLE:
            attempt.upstream.rest.answered()
        call.report("response", reply.diagnostics)
        if reply.status >= 400:
            refused = "; ".join(one.message for one in reply.diagnostics if one.severity is Severity.ERROR)
            call.error = call.error or refused or failure(status, data, call.provider)
        await forward.send_whole(call, reply, client, self.request_id)
        return True

    def _replied(self, _call: Call, attempt: Attempt, status: int, headers: dict[str, str], data: bytes) -> Reply:
        """Return the client's reply to a whole response of the upstream."""
        return attempt.exchange.response(status, headers, data)

    def _note_learned(self) -> None:
        with suppress(Unavailable):  # it costs the page an entry, and the client nothing
            note_refused(self.gateway.storage.memory, self.gateway.learned)


# --- summaries --------------------------------------------------------------------------------------------------------


class Compact(Converted):
    """Requests for a summary that have a path of their own.

    An upstream of the client's protocol has the path, too; any other is asked for a response that is the summary.
    """

    remembers = True

    def __init__(self, gateway: Gateway, client: str, how: Compacting) -> None:
        super().__init__(gateway, client)
        self._how = how

    async def _prepared(
        self, call: Call, source: Json, candidate: Candidate, upstream: UpstreamServer, *, in_thread: forward.Limited
    ) -> Attempt:
        if upstream.side.protocol == self.client:
            attempt = await super()._prepared(call, source, candidate, upstream, in_thread=in_thread)
            behind = self._how.path.removeprefix(self.http.path or "")
            return attempt._replace(sent=evolve(attempt.sent, path=attempt.sent.path + behind))
        slow = in_thread or self.gateway.waits_for_storage
        payload, items = await forward.run(self._conversation, call, source, in_thread=slow)
        return await super()._prepared(call, self._how.asking(payload, items), candidate, upstream, in_thread=in_thread)

    def _replied(self, call: Call, attempt: Attempt, status: int, headers: dict[str, str], data: bytes) -> Reply:
        exchange, own = attempt.exchange, attempt.upstream.side.protocol == self.client
        if own and status < 300:
            return Reply(status=status, headers={**JSON_TYPE, **exchange.hints(headers)}, body=data)
        reply = exchange.response(status, headers, data)
        if own or reply.status >= 300:
            return reply
        _, items = self._conversation(call, parsed(call.body))
        return evolve(reply, body=dumped(self._how.shape(items, orjson.loads(reply.body))))

    def _conversation(self, call: Call, source: Json) -> tuple[Json, list[Any]]:
        """Return the request with the whole conversation, and its items; what is not kept stays, and is refused."""
        memory = self.recollection(call)
        payload, _ = memory.recall(source)
        return payload, memory.references.items(payload)


# --- stored responses and conversations -------------------------------------------------------------------------------


def kept_under(http: Http, kept: Kept) -> tuple[str, ...]:
    """Return the paths below which stored responses are found by id."""
    return (kept.responses, *(http.aliases if kept.responses == http.path else ()))


class Keeping(Plain):
    """An endpoint of responses and conversations that the gateway keeps for a client."""

    def __init__(self, gateway: Gateway, client: str, kept: Kept, *methods: str) -> None:
        super().__init__(gateway, client, methods)
        self.kept = kept

    def id_in(self, call: Call) -> str:
        base = next(path for path in kept_under(self.http, self.kept) if call.path.startswith(f"{path}/"))
        return call.path.removeprefix(base).split("/")[1]

    async def looked_up(self, call: Call, work: Any) -> Any:
        """Return what `work` finds by the id in the path. Raises Forbidden if it finds nothing."""
        name = self.id_in(call)
        if not (found := await forward.run(work, name, in_thread=self.gateway.waits_for_storage)):
            raise Forbidden(404, f"Response with id '{name:.200}' not found.")
        return found


class Stored(Keeping):
    """Gives a response, or deletes it."""

    async def made(self, call: Call) -> Json:
        memory, deletes = self.recollection(call), call.method == "DELETE"
        found = await self.looked_up(call, memory.forget if deletes else memory.response)
        return self.kept.deleted(self.id_in(call)) if deletes else found


class Cancel(Keeping):
    """Refuses every request, as all responses that are kept are complete."""

    async def made(self, call: Call) -> Json:
        await self.looked_up(call, self.recollection(call).response)
        raise Forbidden(400, "Only responses in the background can be cancelled; this one is complete.")


class Begin(Keeping):
    """Begins a conversation. First items are not supported here: they belong in the first request."""

    async def made(self, call: Call) -> Json:
        given = parsed(call.body or b"{}")
        if not isinstance(given, dict) or given.get("items"):
            raise Forbidden(400, "A conversation begins empty here; expected no `items`.")
        assert self.kept.begun is not None
        made = self.kept.begun(given, int(call.started))
        await forward.run(self.recollection(call).begin, made["id"], in_thread=self.gateway.waits_for_storage)
        return made


# --- models -----------------------------------------------------------------------------------------------------------


class Models(Plain):
    """The list of models, or one of them, in the form of the client's protocol.

    It has the models that routes name, and those of upstreams to which routes send them under their own names.
    """

    def __init__(self, gateway: Gateway, client: str, listing: Listing, paths: Iterable[str]) -> None:
        """Take the client's form of a list, and the paths of the lists of all protocols."""
        super().__init__(gateway, client, ("GET",))
        self._listing = listing
        self._paths = sorted(paths, key=len, reverse=True)

    def name_in(self, path: str) -> str | None:
        """Return the rest of a path behind that of a list, or None if it is below no list."""
        rests = (path[len(one) :] for one in self._paths if path == one or path.startswith(one + "/"))
        return next((rest.strip("/") for rest in rests), None)

    async def made(self, call: Call) -> Json:
        known = await self._models(call)
        wanted = unquote(self.name_in(call.path) or "")
        if not wanted:
            return self._listing.all(known)
        found = next((model for model in known if model.name == wanted), None)
        if found is None:
            raise unknown_model(wanted)
        return self._listing.one(found)

    async def _models(self, call: Call) -> list[Model]:
        """Return all models. Raises Forbidden if the only source of models is an upstream that fails."""
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
                if route is not None and route.model is None and candidate.upstream in route.upstream:
                    found.setdefault(model.name, model)
        return [model for name, model in found.items() if self.gateway.accounts.may_have(call.who, name)]

    async def _of_upstream(self, upstream: UpstreamServer, candidate: Candidate, call: Call) -> list[Model]:
        """Return the models that an upstream lists. Raises Forbidden if it gives no list."""
        call.upstream, call.provider = upstream.name, upstream.side.protocol
        if upstream.cloud and upstream.http.listing is None:
            raise Forbidden(502, f"The cloud of the upstream '{upstream.name}' has no list of models of this protocol.")
        listing = upstream.http.listing or self._listing
        own = call.own if candidate.client_key and self.http.shares_keys(upstream.http) else {}
        try:
            response = await upstream.get(listing.ask, own)
            data = await forward.read_body(response, self.gateway.config.limits.response)
        except httpx.HTTPError as error:
            call.error = upstream.failure(error, own)
            raise Forbidden(502, f"The upstream '{upstream.name}' {trouble(error)}.") from None
        call.upstream_status = response.status_code
        if not response.is_success:
            raise Forbidden(502, f"The upstream '{upstream.name}' gave no list of its models.")
        try:
            return listing.read(orjson.loads(data))
        except (ValueError, TypeError, AttributeError, KeyError):
            raise Forbidden(502, f"The upstream '{upstream.name}' gave a list of models that cannot be read.") from None


class About(Plain):
    """Questions about the gateway, or about a model, which are answered by the table of its first upstream."""

    def __init__(self, gateway: Gateway, client: str, told: Told) -> None:
        super().__init__(gateway, client, (told.method,))
        self._told = told

    async def made(self, call: Call) -> Json:
        told = self._told
        if not told.named:
            return told.made(lambda _: True, None)
        asked = parsed(call.body)
        given = [asked.get(member) for member in told.named] if isinstance(asked, dict) else []
        name = next((one for one in given if isinstance(one, str) and one), None)
        if name is None:
            raise Forbidden(400, f"The request names no model; expected an object with the text `{told.named[0]}`.")
        call.model = name
        candidates = self.gateway.routes.candidates(name)
        if not candidates or not self.gateway.accounts.may_have(call.who, name):
            raise unknown_model(name)
        upstream = self.gateway.upstreams[candidates[0].upstream]
        by_model = upstream.by == "model"
        side = (
            models.tailored(upstream.side, candidates[0].model or name, upstream.server) if by_model else upstream.side
        )
        return told.made(lambda setting: side.given.get(setting) is not False, upstream.table.context)


# --- token counts -----------------------------------------------------------------------------------------------------

NO_SUCH_PATH = (404, 405, 501)
"""Statuses of servers that cannot count tokens, though their protocol can."""


class Count(Converted):
    """Requests to count tokens, which the upstream does; if it cannot, the number is an estimate and marked as one."""

    def __init__(self, gateway: Gateway, client: str, counting: Counting) -> None:
        super().__init__(gateway, client)
        self._counting = counting

    def asks(self, path: str) -> bool:
        """Return whether a path names a model and asks for a count."""
        counted = self._counting.counted(path)
        return counted is not None and counted != path and super().asks(counted)

    def source_of(self, call: Call) -> Json:
        """Return the request for a response whose tokens are to be counted."""
        source = super().source_of(call)
        call.path = self._counting.counted(call.path) or call.path
        return self._counting.source(source)

    async def forwarded(self, call: Call, attempt: Attempt, attempts: Attempts, client: Attended) -> bool:
        sent, counting = attempt.sent, attempt.upstream.http.counting
        if counting is None:
            return await self._estimated(call, sent.body, client)
        attempt = attempt._replace(sent=to_count(sent, counting))
        response = await forward.first_response(attempt, attempts)
        if response is None:
            return False
        data = await forward.read_body(response, self.gateway.config.limits.response)
        if response.status_code in NO_SUCH_PATH:
            return await self._estimated(call, sent.body, client)
        if not response.is_success:
            reply = attempt.exchange.response(response.status_code, dict(response.headers), data)
            await forward.send_whole(call, reply, client, self.request_id)
            return True
        attempt.upstream.rest.answered()
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


# --- paths passed on --------------------------------------------------------------------------------------------------

PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[\w.@:+=,~-]+)+", re.ASCII)
"""A path that does not lead above the upstream's own."""
SENT = ("accept", "content-type", "content-disposition", "if-none-match", "range")
RECEIVED = ("content-", "etag", "retry-after", "cache-control")
UNSENT = ("accept-encoding", "content-encoding", "content-length")
"""Headers that are passed on either way, by the beginnings of their names, and headers that are not, as bodies are sent
decoded and piece by piece."""


class Passed(Endpoint):
    """Requests for other paths of a vendor, which are passed on unchanged: embeddings, files, batches, audio.

    Rule 1: a request goes to an upstream of the client's own vendor that allows it, at a path below the upstream's own.
    Rule 2: only headers about the body and the vendor's own headers are passed on. Rule 3: an error is read whole, and
    nothing repeats a key.
    """

    async def respond(self, call: Call, client: Attended) -> None:
        upstream = self.upstream(call.path)
        if upstream is None or not PATH.fullmatch(call.path):
            raise Forbidden(404, f"There is no {call.path:.200} here.")
        limits = self.gateway.accounts.of(call.who)
        if limits.models is not None and limits.paths is None:
            raise Forbidden(403, f"This key may use some models alone, and {call.path:.200} may lead to others.")
        call.goes_to(upstream, None)
        call.payloads = None  # the log has no files
        query = urlencode([one for one in parse_qsl(call.query, True) if one[0] != self.http.key_query])
        path = quote(call.path, safe="/@:+=,~") + (f"?{query}" if query else "")
        own = upstream.authenticated(upstream.keys.next()) or call.own
        names = (*SENT, self.http.version or "-", self.http.betas or "-", *self.http.own)
        headers = {name: one for name, one in call.headers.items() if name.startswith(names) and name not in UNSENT}
        response = await upstream.send(path, headers, call.body, own, stream=True, method=call.method)
        call.upstream_status = call.status = response.status_code
        await forward.check_status(upstream, response)
        try:
            kept = (*RECEIVED, self.request_id, *self.http.own)
            found = {name: one for name, one in response.headers.items() if name.startswith(kept)}
            head = encoded({name: one for name, one in found.items() if name not in UNSENT} | call.own_headers)
            error = (
                None if response.is_success else await forward.read_body(response, self.gateway.config.limits.response)
            )
            await client.send({"type": "http.response.start", "status": call.status, "headers": head})
            call.first_byte = call.seconds()
            if error is None:
                async for out in forward.chunks(response):
                    await client.send({"type": "http.response.body", "body": out, "more_body": True})
            await client.send({"type": "http.response.body", "body": error or b""})
        finally:
            await close(response)

    def upstream(self, path: str) -> UpstreamServer | None:
        """Return the first upstream of the client's protocol that takes the path, else of its vendor."""
        every = self.gateway.upstreams.values()
        allowed = [one for one in every if self.http.shares_keys(one.http) and one.passes(path)]
        return next((one for one in allowed if one.http is self.http), allowed[0] if allowed else None)
