"""One request of a client and its response, whole or streamed, in the HTTP of both protocols; without I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Unpack

import orjson
from attrs import evolve

from ..api import compiled, raise_to, read, written
from ..conversion.bytes import BINARY, dumped, parsed
from ..conversion.conversion import ending_of
from ..conversion.directions import bound
from ..conversion.options import around, checked_headers
from ..conversion.profile import Profile, protocol_of, resolved
from ..conversion.settings import Shared
from ..framing import JSON_ARRAY, Framing
from ..ir.envelope import Seals
from ..ir.error import Error, ErrorCategory, by_status
from ..ir.response import counts
from ..json.objects import plain
from ..passes.endings import as_error
from ..protocol.registry import backend, frontend
from ..reporting.diagnostics import (
    Diagnostic,
    InvalidPayload,
    Record,
    TranslationError,
    mistake,
    render,
    too_deep,
)
from ..streaming.hook import Denied, Hook
from ..targets.settings import in_proxies
from .clouds import Stated, deployed
from .features import features_of
from .members import checked_members, with_context, with_members
from .memory import Memory, Recollection, check_own, first_reference, missing_reply, not_own
from .messages import (
    JSON_TYPE,
    Reply,
    Upstream,
    beyond,
    first_event,
    has_error,
    in_bytes,
    is_stream,
    request_of,
    translated,
    with_delay,
    with_text,
    without,
    without_arriving,
)
from .provider import NOTHING, PROFILES, REFUSED, Learned, Provider, asking_side, http_of
from .reply_stream import ReplyStream

Json = Any
Headers = Mapping[str, str]

# --- exchange ---------------------------------------------------------------------------------------------------------
# One request of a client and its response, for proxies.
#
# Rule 1: the client gets its own protocol, whatever the provider sends. Rule 2: `state` holds nothing that was not in
# the client's own request.

REQUEST_ONLY = {"emulate": "auto", "repair": ("calls",), "instructions": "in_place", "deferred_tools": "visible"}
"""Options of requests, with defaults for proxies of agents."""


class Exchange:
    """One request of a client to a provider, and the response, each converted to the other's protocol.

        exchange = Exchange("openai_responses", "anthropic_messages", model="claude-opus-5", key=key)
        sent = exchange.request(body, headers)  # send sent.body to BASE_URL + sent.path
        reply = exchange.response(status, headers, data)  # or .stream(status, headers) where sent.stream

    client, provider  the names of their protocols, or Profiles
    model     the model that the provider is asked for; responses name the one that the client asked for
    profile   "model": requests are converted for the model, by the table of models (CAP-5), unless the provider's
              Profile or an option says otherwise; "protocol": for every server of the protocol
    server    the name of the provider's server, for facts that depend on it: see `profiles.for_model`
    cloud     the cloud that serves it, by its name or as {"name": …, "region": …}: see `profiles.clouds`
    learned   settings that models refused before, to which `retry` adds; None: there are no second attempts
    key       the provider's API key; never part of `state` or of a message
    body      members of every request to the provider, such as those that its server has and no protocol: defaults,
              also inside objects; what a request has itself is sent, and named where it differs (CAP-11)
    context   the tokens of the model's context: it is asked for where requests can set it, and a request that is
              longer, by an estimate, is named (CAP-12); None: that of the Profile's `context_size`, if it states one
    memory    keeps responses for clients that refer to them; None: references are refused (R2A-3)
    owner     the owner of that memory: clients of different owners do not see each other's responses
    place     the provider's name, where several of its protocol share the memory; usually its cloud's URL or `server`
    own_state whether a request is refused that names something that the provider keeps and the memory does not know as
              this owner's
    now       seconds since 1970, for times in responses, limits and envelopes; the library has no clock
    state     the `state` of another Exchange, to continue it in another process
    framing   of the client's streams, where it is not that of its protocol
    hook      is shown each request that is sent, and the response or the events of its stream, as IR
    options   those of `convert`. By default tools that the provider lacks are emulated, broken calls repaired, later
              instructions left in their place, tools kept back until the client's search finds them, and signatures
              carried in envelopes: emulate="auto", repair=("calls",), instructions="in_place",
              deferred_tools="visible", seals=Seals(); and a response without content is sent, except in strict mode:
              allow_empty=True

    Headers are mappings by lower-case name. Raises UnknownProtocol; TypeError for unknown options, for a `body` or a
    `context` that no request can have, and for a `state` that is none; ValueError for a cloud.
    """

    def __init__(
        self,
        client: str | Profile,
        provider: str | Profile,
        *,
        model: str | None = None,
        profile: Literal["model", "protocol"] = "model",
        server: str | None = None,
        cloud: Stated | None = None,
        learned: Learned | None = None,
        key: str | None = None,
        body: Mapping[str, Json] = NOTHING,
        context: int | None = None,
        memory: Memory | None = None,
        owner: str = "",
        place: str = "",
        own_state: bool = False,
        now: float | None = None,
        state: Mapping[str, Any] | None = None,
        framing: Framing | None = None,
        hook: Hook | None = None,
        **options: Unpack[Shared],
    ) -> None:
        provider, self._context = with_context(provider, context)
        self._client, self._provider = client, provider
        self._cloud = None if cloud is None else deployed(provider, cloud, key=key is not None)
        self._served, own = http_of(client), http_of(provider)
        if framing is not None:
            self._served = evolve(self._served, framing=framing, keep_alive=framing.keep_alive)
        self._called = self._cloud.http if self._cloud else own
        self._same = protocol_of(client) == protocol_of(provider)
        self._native = self._same and (place or (self._cloud.base_url if self._cloud else server) or True)
        self._model, self._key, self._now = model, key, now
        self._members = checked_members(body, self._called)
        if profile not in PROFILES:
            raise TypeError(f"profile is {profile!r:.80}; expected one of {', '.join(PROFILES)}")
        by_model, server = profile == "model", server or (self._cloud.cloud.server if self._cloud else None)
        relayed = self._same and self._cloud is None
        self._target = Provider(provider, by_model=by_model, server=server, learned=learned, relayed=relayed)
        self._asked: tuple[Any, ...] | None = None  # the request, for one more attempt
        self._sent: Upstream | None = None
        self._references = frontend(client).memory
        self._headed = bool(frontend(provider).headed)
        self._memory = Recollection(self._references, memory, owner) if memory and self._references else None
        self._refers: tuple[str, str] | None = None  # a reference in the request that is not kept
        self._own_state = own_state and self._served.telemetry == own.telemetry
        self.state: dict[str, Any] = dict(state or {})
        self.hook = hook
        self._shown = None if hook is None else hook.tree
        if hook is not None:
            hook.about(client=protocol_of(client), provider=protocol_of(provider), model=self.state.get("model"))
        self._set_options({**options})
        self._set_version({self._served.version or "": self.state.get("version", "")})

    def _set_options(self, given: dict[str, Any]) -> None:
        """Set the options of reading, of requests and of responses; they are checked here, once."""
        for_request = {name: given.pop(name, default) for name, default in REQUEST_ONLY.items()}
        settings = backend(self._client).target.settings
        for_response = {
            name: given.pop(name, settings[name].default if given.get("strict") else value)
            for name, value in in_proxies(settings).items()
        }
        seals = given.setdefault("seals", Seals())
        if self._now is not None:
            given.setdefault("created", int(self._now))
            if isinstance(seals, Seals) and seals.keys is not None and seals.now is None:
                given["seals"] = evolve(seals, now=int(self._now))
        self._options = given
        self._for_request, self._for_response = {**given, **for_request}, {**given, **for_response}
        resolved(self._provider, {**self._for_request, "model": self._model})
        resolved(self._client, self.for_response({}))

    def request(self, body: bytes | Json, headers: Headers | None = None, *, path: str = "") -> Upstream:
        """Return the request to the provider. Raises TranslationError, of which `refusal` makes the reply.

        body  the client's request, in bytes, or as JSON or objects of its SDK
        path  its path with the query, for protocols whose path names the model
        """
        self._sent = self._requested(body, headers or {}, path)
        return self._sent

    def _requested(
        self, body: bytes | Json, headers: Headers, path: str, *, tried: Mapping[str, Any] | None = None
    ) -> Upstream:
        """Return the request to the provider, or without settings that its model may have refused, to compare it."""
        source = request_of(body, self._client)
        asked: dict[str, Any] = {}
        if self._served.asked is not None:
            found = self._served.asked(path)
            if found is None:
                what = f"expected a path that names a model and a method, found {path.partition('?')[0]!r:.200}"
                raise InvalidPayload(render([("SHP-1", None, what)], source, refused=True))
            asked = found
        self._set_version(headers)
        asking = asking_side(self._client, source)
        payload = source if asking is self._client else without(source, *(self._served.siblings or ()))
        http, references = http_of(asking), frontend(asking).memory
        memory = self._memory if asking is self._client else None
        payload, kept = (payload, None) if memory is None else memory.recall(payload, self._native)
        self._refers = first_reference(references, payload)
        if self._own_state and (unknown := check_own(http, references, memory, payload)):
            self._refers = unknown
            raise not_own(unknown, payload)
        member = self._served.named
        named = asked.get("model") or source.get(member)
        if self._model is not None and isinstance(payload.get(member), str):
            payload = {**payload, member: self._model}
        options = {**self._for_request, "model": self._model or asked.get("model"), "stream": asked.get("stream")}
        asked_for = options["model"] or payload.get(member)
        self._asked = body, headers, path, asked_for if isinstance(asked_for, str) else None
        provider = self._target.for_model(self._asked[-1], tried or NOTHING)
        options |= self._target.sealing(self._asked[-1], options)
        lost: list[Record] = []
        features = features_of(http, self._called, provider, self._cloud, self._asked[-1], headers, payload)
        way, known = bound(asking, provider, options, checked=True)
        if self.hook is not None:
            self.hook.about(model=named, path=path.partition("?")[0])
        shown = self._shown if tried is None or self.hook is None else self.hook.again
        made = compiled(features.in_body(payload, lost), "request", way, known, shown)
        made_headers, output = features.sent({**made.headers, **self._own_headers(headers)}, made.output, lost)
        output = with_members(output, self._members, lost)
        lost += beyond(output, self._context)
        stream = asked.get("stream") if asked else http.streams(payload)
        self.state |= {"model": named, "tools": made.state, "expects": self._served.expects(source)}
        self.state |= {"keeps": plain(kept)} | ({"array": True} if asked.get("array") else {})  # JSON, whatever is kept
        sent = Upstream(
            path=made.route.get("path") or self._called.path or path,
            headers={**JSON_TYPE, **made_headers},
            body=bytes(body) if output is source and isinstance(body, BINARY) else in_bytes(output),
            stream=bool(stream),
            diagnostics=(*around(lost, payload, options), *made.diagnostics),
            why=provider.why if isinstance(provider, Profile) else (),
        )
        return sent if self._cloud is None else self._cloud.sent(sent, self._asked[-1])

    def retry(self, status: int, headers: Headers, data: bytes) -> Upstream | None:
        """Return a second request without the setting that an error names as one that the model does not take; None if
        it names none that the request has. To be called before any byte has reached the client."""
        if self._asked is None or status not in REFUSED:
            return None
        (*request, model), state = self._asked, dict(self.state)
        guesses = self._target.refused(model, first_event(self._called.framing, data), headers)
        try:
            made = self._without(guesses, request, model)
        finally:
            self._asked = None
        self.state = state if made is None else self.state
        return made

    def _without(self, guesses: Iterable[list[dict[str, Any]]], request: list[Any], model: Any) -> Upstream | None:
        """Return the request without the first guessed settings that it has, and note that the model refuses them; else
        the request as it is made by now, if others have taught something since; else None (CAP-9)."""
        before: Upstream | None = None
        for settings in guesses:
            before = before or self._requested(*request, tried=NOTHING)
            refused = [one for one in settings if self._changes(request, one, before)]
            if refused:
                self._target.learn(model, {name: value for one in refused for name, value in one.items()})
                return self._requested(*request)
        return self._requested(*request) if before and self._sent and before.content != self._sent.content else None

    def _changes(self, request: list[Any], settings: Mapping[str, Any], before: Upstream) -> bool:
        """Return whether a request changes without these settings, or is refused, as in strict mode."""
        try:
            made = self._requested(*request, tried=settings)
        except TranslationError:
            return True
        return made.content != before.content

    def signed(self, sent: Upstream, url: str) -> Headers:
        """Return the headers of `sent` with a signature, if the server needs one: the last step before each attempt to
        send it to this URL. Raises protocol.signing.Unsigned."""
        sign = self._called.sign
        return sent.headers if sign is None else sign("POST", url, sent.headers, sent.body)

    def response(self, status: int, headers: Headers, data: bytes) -> Reply:
        """Return the client's reply to a whole response or an error, whatever the provider sent; raises nothing.

        A stream that was not asked for, as some providers send, is folded into the whole response.
        """
        try:
            if not 200 <= status < 300:
                return self._failed(status if status >= 400 else 502, headers, data)
            if is_stream(self._called.framing, headers, data):
                return self._gathered(headers, data)
            return self._succeeded(status, headers, data)
        except TranslationError as error:
            return self.refusal(error, status=502)
        except RecursionError as error:
            return self.refusal(too_deep(error), status=502)
        except Exception as error:
            if wrong := mistake(error):
                return self.refusal(wrong, status=502)
            raise

    def stream(
        self, status: int, headers: Headers, *, keep_response: bool = True, most: int | None = None
    ) -> ReplyStream:
        """Return the client's stream for a response that was requested as one, whether it comes as one or not."""
        return ReplyStream(self, status, headers, keep_response=keep_response, most=most)

    def refusal(
        self,
        error: TranslationError | str,
        *,
        status: int | None = None,
        category: ErrorCategory | None = None,
        retry_after: float | None = None,
    ) -> Reply:
        """Return an error of the proxy itself, in the client's protocol. The category follows from `status`, or the
        status from `category`; without both the client's request is wrong (400). `retry_after`: in how many seconds
        the same request may be sent again."""
        found: tuple[Diagnostic, ...] = ()
        param = None
        upstream = status is not None and status >= 500
        if isinstance(error, Denied):
            status, upstream = error.status, False
        if isinstance(error, TranslationError):
            found, param = error.diagnostics, None if upstream else error.path or None
            missing = missing_reply(self._references, self._refers, error)
            if missing is not None:
                return Reply(status=missing[0], headers={**JSON_TYPE}, body=dumped(missing[1]), diagnostics=found)
        message = f"The provider's response cannot be converted: {error}" if upstream and found else str(error)
        kind = category or by_status(400 if status is None else status)
        served = self._served.status_of(kind, status)
        node = Error(None, kind, message, param=param, retry_after=retry_after)
        body = in_bytes(raise_to(node, self._client, status=served))
        headers = self._headers(with_delay({}, retry_after), node, served)
        return Reply(status=served, headers=headers, body=body, diagnostics=found)

    # --- also for streams ---

    def for_response(self, headers: Headers) -> dict[str, Any]:
        """Return the options for the response to the request of `state`. A response without an id gets the id that the
        provider gave the request (ENV-9)."""
        state = self.state
        made = {**self._for_response, **state.get("expects", {}), "state": state.get("tools") or {}}
        made |= self._target.sealing(self._model or state.get("model"), made)
        made |= {"headers": checked_headers(headers)} if self._headed else {}
        made |= {"model": state["model"]} if state.get("model") else {}
        identity = headers.get(self._called.request_id or "")
        return {"response_id": identity, **made} if identity else made

    def hints(self, headers: Headers) -> dict[str, str]:
        """Return the provider's headers that the client reads, in the client's names."""
        return translated(headers, self._called, self._served, self._now)

    def status_of(self, status: int) -> int:
        """Return the client's status for a provider's, whatever the body says."""
        return self._served.status_of(by_status(status), status if status >= 400 else 502)

    def finished(self, response: Json) -> Json:
        """Return a whole response with the model's name that the client knows, and keep it if the client asked for
        that."""
        response = self.renamed(response)
        if self._memory is not None and self.state.get("keeps") is not None:
            self._memory.keep(response, self.state["keeps"])
        return response

    def renamed(self, payload: Json) -> Json:
        """Return a response or an event with the model's name that the client knows; between different protocols the
        conversion has done that."""
        if self._same and (name := self.state.get("model")) and isinstance(payload, dict):
            for path in self._served.models:
                if payload.get(path[0], name) != name:
                    payload = with_text(payload, path, name)
        return payload

    @property
    def sides(self) -> tuple[str | Profile, str | Profile]:
        """The provider and the client: the source and the target of a response."""
        return self._provider, self._client

    @property
    def framings(self) -> tuple[Framing, Framing]:
        """The framings of the provider's and the client's streams."""
        return self._called.framing, JSON_ARRAY if self.state.get("array") else self._served.framing

    @property
    def keep_alive(self) -> bytes:
        return JSON_ARRAY.keep_alive if self.state.get("array") else self._served.keep_alive

    def _succeeded(self, status: int, headers: Headers, data: bytes) -> Reply:
        options = self.for_response(headers)
        way, known = bound(*self.sides, options, checked=True)
        try:
            source = parsed(data)
            node, kind = read(source, frontend(self._provider), "response", known)
        except InvalidPayload:
            if has_error(data, self._provider):
                return self._failed(None, headers, data)
            raise
        failure = node if self._same else as_error(node)
        if isinstance(failure, Error) and not self._same:
            return self._error(data, source, failure, options, self._served.status_of(failure.category), headers)
        finishes, usage = ending_of(node)  # before passes change the tree
        done = written(data, source, node, kind, way, known, self._shown)
        output = done.output
        if kind != "error" and (self._same or self.state.get("keeps") is not None):
            output = self._finished(output, source if output is data else orjson.loads(output))
        made, found = self._headers(headers, done.node, status), done.diagnostics
        return Reply(
            status=status, headers=made, body=output, diagnostics=found, usage=counts(usage), finishes=finishes
        )

    def _finished(self, output: bytes, response: Json) -> bytes:
        """Return the bytes of a response, with another name of the model if the client knows it by another."""
        finished = self.finished(response)
        return output if finished is response else in_bytes(finished)

    def _gathered(self, headers: Headers, data: bytes) -> Reply:
        """Return the whole response that a stream holds."""
        stream = ReplyStream(self, 200, {**headers, "content-type": self._called.framing.content_type})
        stream.feed(data)
        stream.end()
        found = stream.diagnostics
        if stream.failure is not None:
            status = self._served.status_of(stream.failure.category)
            body, made = self._as_body(stream.failure, status), self._headers(headers, stream.failure, status)
            return Reply(status=status, headers=made, body=body, diagnostics=found)
        if stream.response is None:
            return self.refusal(stream.error or "The provider's stream has no whole response.", status=502)
        body, made = in_bytes(stream.response), self._headers(headers)
        return Reply(
            status=200, headers=made, body=body, diagnostics=found, usage=stream.usage, finishes=stream.finishes
        )

    def _failed(self, status: int | None, headers: Headers, data: bytes) -> Reply:
        """Return the client's reply to an error; `status` is None if the provider's is one of success."""
        options = {**self._options, "headers": headers} | ({} if status is None else {"status": status})
        data = first_event(self._called.framing, data)
        try:
            source, own = parsed(data, "error"), frontend(self._provider)
            front = own if self._cloud is None else self._cloud.reader_of_error(source, own)
            node, _ = read(source, front, "error", options)
            relayed = self._same and status is not None and front is own  # the status counts, whatever the body says
            served = self.status_of(status or 0) if relayed else self._served.status_of(node.category, status)
            return self._error(data, source, node, options, served, headers)
        except TranslationError:
            made = self.refusal(f"The provider failed with status {status}.", status=status or 502)
            return evolve(made, headers={**made.headers, **self.hints(headers)})

    def _error(
        self, data: bytes, source: Json, node: Error, options: dict[str, Any], status: int, headers: Headers
    ) -> Reply:
        """Return the reply for an error of the provider, with the client's status, which some protocols repeat in the
        body."""
        headers = with_delay(headers, node.retry_after)
        foreign = isinstance(source, str) or (self._cloud is not None and self._cloud.cloud.errors)
        if self._same and foreign:  # a page of text, or a cloud's own form of errors
            return Reply(status=status, headers=self._headers(headers, node, status), body=self._as_body(node, status))
        way, known = bound(*self.sides, {**options, "status": status}, checked=True)
        node = node if self._same else without_arriving(node, way.back.target, self.hints(headers))
        done = written(data, source, node, "error", way, known)
        made = self._headers(headers, done.node, status)
        return Reply(status=status, headers=made, body=done.output, diagnostics=done.diagnostics)

    def _as_body(self, error: Error, status: int) -> bytes:
        """Return the body for an error that came without one: as an event, or as a page of text."""
        return in_bytes(raise_to(evolve(error, protocol=None, src=None, extra=None), self._client, status=status))

    def _headers(self, headers: Headers, node: Any = None, status: int | None = None) -> dict[str, str]:
        """Return the headers of a reply: the provider's hints, and those that the client's protocol has for a response
        or an error. A text that no header can hold is dropped."""
        back = backend(self._client)
        made = {**JSON_TYPE, **self.hints(headers)}
        if node is None or back.reply_headers is None:
            return made
        stated = back.reply_headers(node, back.bound({**back.defaults, "status": status}))
        return made | {name: value for name, value in stated.items() if value and value.isprintable()}

    def _set_version(self, headers: Headers) -> None:
        """Set the version of the client's protocol, on which the form of responses depends."""
        version = headers.get(self._served.version or "")
        if not version:
            return
        side = self._client if isinstance(self._client, Profile) else Profile(self._client)
        if version in backend(side.protocol).versions and version != side.version:
            given: dict[str, Any] = {**side.given, "version": version}
            self._client = Profile(side.protocol, **given)
            self.state["version"] = version

    def _own_headers(self, headers: Headers) -> dict[str, str]:
        """Return the key, and for a provider of the same protocol without a stated version that of the client."""
        made = self._called.headers_with(self._key) if self._key else {}
        stated, version = isinstance(self._provider, Profile) and self._provider.version, self._called.version or ""
        return made | ({version: headers[version]} if self._same and not stated and version in headers else {})
