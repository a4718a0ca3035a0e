"""One request of a client and its response, for proxies: sans I/O, in both protocols' own HTTP.

Rule 1: what the client gets is always in its own protocol, whatever the provider sends. Rule 2: `state` holds nothing
but what the client's own request held.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Unpack

import orjson
from attrs import evolve

from ..api import compile, raise_to, read, written
from ..binding.conversion import told
from ..binding.directions import bound
from ..binding.options import around
from ..binding.profile import Profile, protocol_of
from ..binding.registry import backend, frontend
from ..binding.server import in_proxies
from ..binding.settings import Shared
from ..framing import JSON_ARRAY, Framing
from ..ir.error import Error, ErrorCategory, by_status
from ..ir.usage import counts
from ..json.bytes import BINARY, dumped, parsed
from ..json.objects import plain
from ..passes.endings import as_error
from ..reporting.diagnostics import Diagnostic, InvalidPayload, Record, TranslationError, mistake, render, too_deep
from .bodies import first_event, in_bytes, is_error, is_stream, request_of, with_delay, without_arriving
from .clouds import Stated, deployed
from .features import features_of
from .memory import Memory, Recollection, first_reference, missing_reply
from .messages import JSON_TYPE, Reply, Upstream, translated, with_text
from .own_state import check_own, not_own
from .provider import PROFILES, REFUSED, Learned, Provider, http_of
from .stream import ReplyStream

Json = Any
Headers = Mapping[str, str]
REQUEST_ONLY = {"emulate": "auto", "repair": ("calls",), "instructions": "in_place"}
"""Options of requests, with what a proxy for agents wants where the caller states nothing else."""


class Exchange:
    """One request of a client, what the provider gets of it, and what the client gets of the provider's response.

        exchange = Exchange("openai_responses", "anthropic_messages", model="claude-opus-5", key=key)
        sent = exchange.request(body, headers)  # send sent.body to BASE_URL + sent.path
        reply = exchange.response(status, headers, data)  # or .stream(status, headers) where sent.stream

    client, provider  the names of their protocols, or Profiles
    model     the model that the provider is asked for; responses name the one that the client asked for
    profile   "model": requests are made for what the model takes by the table of models (CAP-5), unless a Profile of
              the provider's or an option says otherwise; "protocol": for what every server of the protocol takes
    server    whose server the provider is, for facts that depend on it: see `profiles.for_model`
    cloud     the cloud that serves it, by its name or as {"name": …, "region": …}: see `profiles.clouds`
    learned   what models refused before, which `retry` adds to; None: an error of the provider's is the client's
    key       the provider's API key; never part of `state` or of a message
    memory    where responses are kept for clients that refer to them; None: references are refused (R2A-3)
    owner     whose memory that is: clients of different owners do not see each other's responses
    own_state a request is refused that names what the provider keeps and the memory does not know as the owner's
    now       seconds since 1970, for times in responses, limits and envelopes; the library has no clock
    state     what `state` of another Exchange was, to go on in another process
    options   those of `convert`. By default tools that the provider lacks are emulated, broken calls repaired,
              instructions of mid-conversation left in their place, and signatures carried in envelopes: emulate="auto",
              repair=("calls",), instructions="in_place", carry_seals=True; and a response without content is sent, but
              in strict mode: allow_empty=True

    Headers are mappings by lower-case name. Raises TypeError for unknown options, UnknownProtocol, ValueError (cloud).
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
        memory: Memory | None = None,
        owner: str = "",
        own_state: bool = False,
        now: float | None = None,
        state: Mapping[str, Any] | None = None,
        **options: Unpack[Shared],
    ) -> None:
        given: dict[str, Any] = {**options}
        self._client, self._provider = client, provider
        self._cloud = None if cloud is None else deployed(provider, cloud, key=key is not None)
        self._served, self._called = http_of(client), self._cloud.http if self._cloud else http_of(provider)
        self._same = protocol_of(client) == protocol_of(provider)
        self._model, self._key, self._now = model, key, now
        if profile not in PROFILES:
            raise TypeError(f"profile is {profile!r:.80}; expected one of {', '.join(PROFILES)}")
        learned = None if self._same and self._cloud is None else learned  # a vendor's own server says so to its client
        by_model, server = profile == "model", server or (self._cloud.cloud.server if self._cloud else None)
        self._target = Provider(provider, by_model=by_model, server=server, learned=learned)
        self._asked: tuple[Any, ...] | None = None  # the request, for one more attempt
        self._for_request = {name: given.pop(name, default) for name, default in REQUEST_ONLY.items()}
        settings = backend(client).target.settings
        self._for_response = {
            name: given.pop(name, settings[name].default if given.get("strict") else value)
            for name, value in in_proxies(settings).items()
        }
        if "seal_keys" not in given:
            given.setdefault("carry_seals", True)
        if now is not None:
            given.setdefault("created", int(now))
            if "seal_keys" in given:
                given.setdefault("seal_now", int(now))
        self._options = given
        bound(client, provider, {**given, **self._for_request})
        bound(provider, client, {**given, **self._for_response})
        self._references = frontend(client).memory
        self._headed = bool(frontend(provider).headed)
        self._memory = Recollection(self._references, memory, owner) if memory and self._references else None
        self._refers: tuple[str, str] | None = None  # what the request refers to, and what is not kept
        self._own_state = own_state and self._served.telemetry == http_of(provider).telemetry
        self.state: dict[str, Any] = dict(state or {})
        self._set_version({self._served.version or "": self.state.get("version", "")})

    def request(self, body: bytes | Json, headers: Headers | None = None, *, path: str = "") -> Upstream:
        """What the provider gets of a client's request, which may be or hold objects of its SDK; `path` is that of the
        request with its query, for protocols whose path names the model. Raises TranslationError; `refusal` makes the
        reply of it."""
        headers = headers or {}
        source = request_of(body, self._client)
        asked: dict[str, Any] = {}
        if self._served.asked is not None:
            found = self._served.asked(path)
            if found is None:
                what = f"expected a path that names a model and a method, found {path.partition('?')[0]!r:.200}"
                raise InvalidPayload(render([("SHP-1", None, what)], source, refused=True))
            asked = found
        self._set_version(headers)
        payload, kept = (source, None) if self._memory is None else self._memory.recall(source, self._same)
        self._refers = first_reference(self._references, payload)
        if self._own_state and (unknown := check_own(self._served, self._references, self._memory, payload)):
            self._refers = unknown
            raise not_own(unknown, payload)
        member = self._served.named
        named = asked.get("model") or source.get(member)
        if self._model is not None and isinstance(payload.get(member), str):
            payload = {**payload, member: self._model}
        options: dict[str, Any] = {**self._options, **self._for_request}
        options |= {"model": self._model or asked.get("model"), "stream": asked.get("stream")}
        self._asked = body, headers, path, options["model"] or payload.get(member)
        provider = self._target.for_model(self._asked[-1])
        lost: list[Record] = []
        features = features_of(self._served, self._called, provider, self._cloud, self._asked[-1], headers, payload)
        made = compile(features.in_body(payload, lost), self._client, provider, kind="request", **options)
        made_headers, output = features.sent({**made.headers, **self._own_headers(headers)}, made.output, lost)
        stream = asked.get("stream") if asked else self._served.streams(payload)
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
        """The request once more, without the setting that an error of the provider's names as one that the model does
        not take; None where it names none that is not given up yet. Before any byte has reached the client."""
        if self._asked is None or status not in REFUSED:
            return None
        (body, asked, path, model), self._asked = self._asked, None
        if not self._target.learns(model, first_event(self._called.framing, data), headers):
            return None
        made = self.request(body, asked, path=path)
        self._asked = None
        return made

    def signed(self, sent: Upstream, url: str) -> Headers:
        """The headers of `sent`, as a server wants them that requests are signed for: the last step before each attempt
        to send it to this URL. Raises binding.signing.Unsigned."""
        sign = self._called.sign
        return sent.headers if sign is None else sign("POST", url, sent.headers, sent.body)

    def response(self, status: int, headers: Headers, data: bytes) -> Reply:
        """The client's reply, of a whole response or of an error's body, whatever the provider sent; raises nothing.

        Some providers stream though they were not asked to: then the whole response is what the stream holds.
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
        """The client's stream, of a response that was asked for as a stream, whether it comes as one or not."""
        return ReplyStream(self, status, headers, keep_response=keep_response, most=most)

    def refusal(
        self, error: TranslationError | str, *, status: int | None = None, category: ErrorCategory | None = None
    ) -> Reply:
        """An error of the proxy itself, in the client's protocol. `status` decides what kind of error it is, or the
        kind what status it has; without both it is the client's request that is wrong."""
        found: tuple[Diagnostic, ...] = ()
        param = None
        upstream = status is not None and status >= 500
        if isinstance(error, TranslationError):
            found, param = error.diagnostics, None if upstream else error.path or None
            missing = missing_reply(self._references, self._refers, error)
            if missing is not None:
                return Reply(status=missing[0], headers={**JSON_TYPE}, body=dumped(missing[1]), diagnostics=found)
        message = f"The provider's response cannot be converted: {error}" if upstream and found else str(error)
        kind = category or by_status(400 if status is None else status)
        served = self._served.status_of(kind, status)
        node = Error(None, kind, message, param=param)
        body = in_bytes(raise_to(node, self._client, status=served))
        return Reply(status=served, headers=self._headers({}, node, served), body=body, diagnostics=found)

    # --- what a stream needs, too ---

    def for_response(self, headers: Headers) -> dict[str, Any]:
        """The options for the response to the request that `state` is of. One without an id gets that of the request at
        the provider (ENV-9)."""
        state = self.state
        made = {**self._options, **self._for_response, **state.get("expects", {}), "state": state.get("tools") or {}}
        if self._headed:
            made["headers"] = headers
        if state.get("model"):
            made["model"] = state["model"]
        identity = headers.get(self._called.request_id or "")
        if identity:
            made.setdefault("response_id", identity)
        return made

    def hints(self, headers: Headers) -> dict[str, str]:
        """The provider's response headers that the client reads, in the client's names."""
        return translated(headers, self._called, self._served, self._now)

    def status_of(self, status: int) -> int:
        """What a provider's status means to the client, of itself."""
        return self._served.status_of(by_status(status), status if status >= 400 else 502)

    def finished(self, response: Json) -> Json:
        """A whole response as the client gets it: with the model's name that it knows, and kept where it asked so."""
        response = self.renamed(response)
        if self._memory is not None and self.state.get("keeps") is not None:
            self._memory.keep(response, self.state["keeps"])
        return response

    def renamed(self, payload: Json) -> Json:
        """A response or an event with the model's name that the client knows; conversion has done so between others."""
        name = self.state.get("model")
        if self._same and name and isinstance(payload, dict):
            for path in self._served.models:
                payload = with_text(payload, path, name)
        return payload

    @property
    def sides(self) -> tuple[str | Profile, str | Profile]:
        """Provider and client, as a response goes."""
        return self._provider, self._client

    @property
    def framings(self) -> tuple[Framing, Framing]:
        """How the streams of both stand in bytes, as a response goes."""
        return self._called.framing, JSON_ARRAY if self.state.get("array") else self._served.framing

    @property
    def keep_alive(self) -> bytes:
        return JSON_ARRAY.keep_alive if self.state.get("array") else self._served.keep_alive

    def _succeeded(self, status: int, headers: Headers, data: bytes) -> Reply:
        options = self.for_response(headers)
        way, known = bound(*self.sides, options)
        try:
            source = parsed(data)
            node, kind = read(source, frontend(self._provider), "response", known)
        except InvalidPayload:
            if is_error(data, self._provider):
                return self._failed(None, headers, data)
            raise
        failure = node if self._same else as_error(node)
        if isinstance(failure, Error) and not self._same:
            return self._error(data, source, failure, options, self._served.status_of(failure.category), headers)
        finishes, usage = told(node)  # before it is made legal for the client
        done = written(data, source, node, kind, way, known)
        output = done.output
        if kind != "error" and (self._same or self.state.get("keeps") is not None):
            output = self._finished(output, source if self._same else orjson.loads(output))
        return Reply(
            status=status,
            headers=self._headers(headers, done.node, status),
            body=output,
            diagnostics=done.diagnostics,
            usage=counts(usage),
            finishes=finishes,
        )

    def _finished(self, output: bytes, response: Json) -> bytes:
        """The same bytes, unless they name another model."""
        finished = self.finished(response)
        return output if finished is response else in_bytes(finished)

    def _gathered(self, headers: Headers, data: bytes) -> Reply:
        """The whole response that a stream holds."""
        stream = ReplyStream(self, 200, {**headers, "content-type": self._called.framing.content_type})
        stream.feed(data)
        stream.end()
        found = stream.diagnostics
        if stream.failure is not None:
            status = self._served.status_of(stream.failure.category)
            body = self._as_body(stream.failure, status)
            return Reply(
                status=status, headers=self._headers(headers, stream.failure, status), body=body, diagnostics=found
            )
        if stream.response is None:
            return self.refusal(stream.error or "The provider's stream has no whole response.", status=502)
        body = in_bytes(stream.response)
        return Reply(
            status=200,
            headers=self._headers(headers),
            body=body,
            diagnostics=found,
            usage=stream.usage,
            finishes=stream.finishes,
        )

    def _failed(self, status: int | None, headers: Headers, data: bytes) -> Reply:
        """`status`: None where the provider has one of success."""
        options = self._options if status is None else {**self._options, "status": status}
        if self._headed:
            options = {**options, "headers": headers}
        data = first_event(self._called.framing, data)
        try:
            source = parsed(data, "error")
            node, _ = read(source, frontend(self._provider), "error", options)
            relayed = self._same and status is not None  # as the provider has it, whatever a word in the body says
            served = self.status_of(status or 0) if relayed else self._served.status_of(node.category, status)
            return self._error(data, source, node, options, served, headers)
        except TranslationError:
            made = self.refusal(f"The provider failed with status {status}.", status=status or 502)
            return evolve(made, headers={**made.headers, **self.hints(headers)})

    def _error(
        self, data: bytes, source: Json, node: Error, options: dict[str, Any], status: int, headers: Headers
    ) -> Reply:
        """An error of the provider's, written with the client's status, which some protocols have in the body, too."""
        headers = with_delay(headers, node.retry_after)
        foreign = isinstance(source, str) or (self._cloud is not None and self._cloud.cloud.errors)
        if self._same and foreign:  # a page of text, or a cloud's own: no error's body
            return Reply(status=status, headers=self._headers(headers, node, status), body=self._as_body(node, status))
        way, known = bound(*self.sides, {**options, "status": status})
        node = node if self._same else without_arriving(node, way.back.target, self.hints(headers))
        done = written(data, source, node, "error", way, known)
        made = self._headers(headers, done.node, status)
        return Reply(status=status, headers=made, body=done.output, diagnostics=done.diagnostics)

    def _as_body(self, error: Error, status: int) -> bytes:
        """An error that was no body of its own: an event, or a page of text."""
        return in_bytes(raise_to(evolve(error, protocol=None, src=None, extra=None), self._client, status=status))

    def _headers(self, headers: Headers, node: Any = None, status: int | None = None) -> dict[str, str]:
        """Those of a reply: the provider's hints, and what the client's protocol has in headers of a response or an
        error. A text that no header can hold stays behind."""
        back = backend(self._client)
        made = {**JSON_TYPE, **self.hints(headers)}
        if node is None or back.reply_headers is None:
            return made
        stated = back.reply_headers(node, back.bound({**back.defaults, "status": status}))
        return made | {name: value for name, value in stated.items() if value and value.isprintable()}

    def _set_version(self, headers: Headers) -> None:
        """Versions of one protocol differ in what responses have: the client's own counts."""
        version = headers.get(self._served.version or "")
        if not version:
            return
        side = self._client if isinstance(self._client, Profile) else Profile(self._client)
        if version in backend(side.protocol).versions and version != side.version:
            given: dict[str, Any] = {**side.given, "version": version}
            self._client = Profile(side.protocol, **given)
            self.state["version"] = version

    def _own_headers(self, headers: Headers) -> dict[str, str]:
        """The key, and for a provider of the same protocol the client's version where none is stated."""
        made = self._called.headers_with(self._key) if self._key else {}
        stated, version = isinstance(self._provider, Profile) and self._provider.version, self._called.version or ""
        return made | ({version: headers[version]} if self._same and not stated and version in headers else {})
