"""One request of a client and its response, for proxies: sans I/O, in both protocols' own HTTP.

Rule 1: what the client gets is always in its own protocol, whatever the provider sends. Rule 2: `state` holds nothing
but what the client's own request held.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from ..api import compile, converted, raise_to
from ..diagnostics import Diagnostic, InvalidPayload, Refusal, TranslationError, Unrepresentable, render
from ..http import Http
from ..ir.error import Error, ErrorCategory, by_status
from ..json_bytes import BINARY, dumped, parsed
from ..options import quotes
from ..profile import Profile, protocol_of
from ..registry import backend, frontend
from .headers import translated
from .memory import Memory, Recollection
from .messages import JSON_TYPE, Reply, Upstream, counts
from .stream import ReplyStream

Json = Any
Headers = Mapping[str, str]
REQUEST_ONLY = {"emulate": "auto", "repair": ("calls",)}
"""Options of requests, with what a proxy for agents wants where the caller states nothing else."""


class Exchange:
    """One request of a client, what the provider gets of it, and what the client gets of the provider's response.

        exchange = Exchange("openai_responses", "anthropic_messages", model="claude-opus-5", key=key)
        sent = exchange.request(body, headers)  # send sent.body to BASE_URL + sent.path
        reply = exchange.response(status, headers, data)  # or .stream(status, headers) where sent.stream

    client, provider  the names of their protocols, or Profiles
    model     the model that the provider is asked for; responses name the one that the client asked for
    key       the provider's API key; never part of `state` or of a message
    memory    where responses are kept for clients that refer to them; None: references are refused (R2A-3)
    owner     whose memory that is: clients of different owners do not see each other's responses
    now       seconds since 1970, for times in responses, limits and envelopes; the library has no clock
    state     what `state` of another Exchange was, to go on in another process
    options   those of `convert`. By default tools that the provider lacks are emulated, broken calls repaired, and
              signatures carried in envelopes: emulate="auto", repair=("calls",), carry_seals=True

    Raises TypeError for options that are not known, InvalidPayload or Unrepresentable for a protocol that is not.
    Headers are mappings by lower-case name.
    """

    def __init__(
        self,
        client: str | Profile,
        provider: str | Profile,
        *,
        model: str | None = None,
        key: str | None = None,
        memory: Memory | None = None,
        owner: str = "",
        now: float | None = None,
        state: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self._client, self._provider = client, provider
        self._served, self._called = http_of(client), http_of(provider)
        self._same = protocol_of(client) == protocol_of(provider)
        self._model, self._key, self._now = model, key, now
        self._for_request = {name: options.pop(name, default) for name, default in REQUEST_ONLY.items()}
        if "seal_keys" not in options:
            options.setdefault("carry_seals", True)
        if now is not None:
            options.setdefault("seal_now" if "seal_keys" in options else "created", int(now))
        self._options = options
        references = frontend(client).memory
        self._memory = Recollection(references, memory, owner) if memory and references and not self._same else None
        self._refers: str | None = None  # the response that the request refers to, and that is not kept
        self.state: dict[str, Any] = dict(state or {})
        self._set_version({self._served.version or "": self.state.get("version", "")})

    def request(self, body: bytes | Json, headers: Headers | None = None, *, path: str = "") -> Upstream:
        """What the provider gets of a client's request; `path` is that of the request, for protocols whose path names
        the model. Raises TranslationError; `refusal` makes the reply of it."""
        headers = headers or {}
        source = parsed(body) if isinstance(body, BINARY) else body
        if not isinstance(source, dict):
            raise InvalidPayload(render([("SHP-1", None, "expected an object as the request")], source, refused=True))
        asked = (self._served.asked(path) if self._served.asked else None) or {}
        self._set_version(headers)
        payload, kept = (source, None) if self._memory is None else self._memory.recall(source)
        self._refers = self._reference_in(payload)
        named = asked.get("model") or source.get("model")
        if self._model is not None and "model" in payload:
            payload = {**payload, "model": self._model}
        options: dict[str, Any] = {**self._options, **self._for_request}
        options |= {"model": self._model or asked.get("model"), "stream": asked.get("stream")}
        made = compile(payload, self._client, self._provider, kind="request", **options)
        stream = asked.get("stream") if asked else payload.get("stream") is True
        self.state |= {"model": named, "tools": made.state, "expects": self._served.expects(source), "keeps": kept}
        return Upstream(
            path=made.route.get("path") or self._called.path or path,
            headers={**JSON_TYPE, **made.headers, **self._own_headers(headers)},
            body=bytes(body) if made.output is source and isinstance(body, BINARY) else dumped(made.output),
            stream=bool(stream),
            diagnostics=made.diagnostics,
        )

    def response(self, status: int, headers: Headers, data: bytes) -> Reply:
        """The client's reply, of a whole response or of an error's body, whatever the provider sent; raises nothing."""
        if not 200 <= status < 300:
            return self._failed(status if status >= 400 else 502, headers, data)
        try:
            output, report, source, kind, node, _, known = converted(data, *self.sides, "response", self.for_response())
        except TranslationError as error:
            return self.refusal(error, status=502)
        if kind == "error":
            status = self._served.status_of(node.category)
        elif self._same or self._memory is not None:
            output = dumped(self.finished(orjson.loads(output)))
        return Reply(
            status=status,
            headers={**JSON_TYPE, **self.hints(headers)},
            body=output,
            diagnostics=render(report.records, source, tree=True, quote_values=quotes(known)),
            usage=None if kind == "error" else counts(node.usage),
        )

    def stream(self, status: int, headers: Headers) -> ReplyStream:
        """The client's stream, of a response that is streamed: `status` is below 300."""
        return ReplyStream(self, status, headers)

    def refusal(
        self, error: TranslationError | str, *, status: int = 400, category: ErrorCategory | None = None
    ) -> Reply:
        """An error of the proxy itself, in the client's protocol; `status` decides what kind of error it is."""
        found: tuple[Diagnostic, ...] = ()
        param = None
        if isinstance(error, TranslationError):
            found, param = error.diagnostics, (error.path or None) if status < 500 else None
            missing = self._missing(error)
            if missing is not None:
                return Reply(status=missing[0], headers=JSON_TYPE, body=dumped(missing[1]), diagnostics=found)
        message = str(error) if status < 500 or not found else f"The provider's response cannot be converted: {error}"
        node = Error(None, category or by_status(status), message, param=param, status=status)
        body = dumped(raise_to(node, self._client))
        return Reply(
            status=self._served.status_of(node.category, status), headers=JSON_TYPE, body=body, diagnostics=found
        )

    # --- what a stream needs, too ---

    def for_response(self) -> dict[str, Any]:
        """The options for the response to the request that `state` is of."""
        state = self.state
        named = {"model": state["model"]} if state.get("model") else {}
        return {**self._options, **state.get("expects", {}), **named, "state": state.get("tools") or {}}

    def hints(self, headers: Headers) -> dict[str, str]:
        """The provider's response headers that the client reads, in the client's names."""
        return translated(headers, self._called, self._served, self._now)

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
    def keep_alive(self) -> bytes:
        return self._served.keep_alive

    # --- its own ---

    def _failed(self, status: int, headers: Headers, data: bytes) -> Reply:
        options = {**self._options, "status": status}
        try:
            output, report, source, _, node, _, known = converted(data, *self.sides, "error", options)
        except TranslationError:
            return self.refusal(f"The provider failed with status {status}.", status=status)
        served = self._served.status_of(node.category, status)
        if isinstance(source, str) or (served != status and not self._same):
            # a page of text is no body of any protocol, and some protocols have the status in the body, too
            output = dumped(raise_to(node, self._client, status=served))
        hints = self.hints(headers)
        if node.retry_after is not None:
            hints.setdefault("retry-after", f"{node.retry_after:g}")
        return Reply(
            status=served,
            headers={**JSON_TYPE, **hints},
            body=output,
            diagnostics=render(report.records, source, tree=True, quote_values=quotes(known)),
        )

    def _reference_in(self, payload: Json) -> str | None:
        references = frontend(self._client).memory
        return None if references is None else references.previous(payload) or references.conversation(payload)

    def _missing(self, error: TranslationError) -> tuple[int, Json] | None:
        """The protocol's own error where the client refers to a response that is not kept."""
        references = frontend(self._client).memory
        if references is None or self._refers is None or all(one.code != "R2A-3" for one in error.diagnostics):
            return None
        return references.missing(self._refers)

    def _set_version(self, headers: Headers) -> None:
        """Versions of one protocol differ in what responses have: the client's own counts."""
        version = headers.get(self._served.version or "")
        side = self._client if isinstance(self._client, Profile) else Profile(self._client)
        if version in backend(side.protocol).versions and version != side.version:
            self._client = Profile(side.protocol, **{**side.given, "version": version})
            self.state["version"] = version

    def _own_headers(self, headers: Headers) -> dict[str, str]:
        """The key, and the client's betas where the provider has the same."""
        made = self._called.headers_with(self._key) if self._key else {}
        betas = self._called.betas
        if self._same and betas and betas in headers:
            made[betas] = headers[betas]
        return made


def http_of(side: str | Profile) -> Http:
    """Raises Unrepresentable (SHP-9) for a protocol that is not known, TypeError for one without `Backend.http`."""
    try:
        back = backend(side)
    except Refusal as refusal:
        raise Unrepresentable(refusal.taken(None)) from None
    if back.http is None:
        raise TypeError(f"{back.protocol} cannot be a side of an Exchange, as its backend has no `http`")
    return back.http


def with_text(payload: Json, path: tuple[str, ...], text: str) -> Json:
    """The payload with the text that is at a path replaced; as it is where there is none."""
    name, *rest = path
    found = payload.get(name) if isinstance(payload, dict) else None
    if rest:
        made = with_text(found, tuple(rest), text)
        return payload if made is found else {**payload, name: made}
    return {**payload, name: text} if isinstance(found, str) and found != text else payload
