"""A gateway: its configuration and reload, upstreams, memory, log, metrics and traces; and the call of one request."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import secrets
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

import anyio
import anyio.to_thread
from attrs import define, field, fields
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from ..conversion.profile import Profile
from ..exchange import Exchange, HookCall, InMemory, Memory, Upstream
from ..exchange.cloud_clients import Form
from ..exchange.memory import OfConnection, digest
from ..exchange.provider import Learned, client_side, http_of
from ..ir.envelope import Seals
from ..ir.response import INPUT, OUTPUT, Finish
from ..reporting.diagnostics import Diagnostic
from ..storage.records import Exchanged, Record, brief, entries
from .access import Access, access_of
from .asgi import Budget, Share
from .config import Candidate, Config, ConfigError, client_keys, in_environment
from .hook import hook_of
from .limits import Account, Accounts
from .upstreams import NewTransport, Routes, UpstreamServer, network

# --- call -------------------------------------------------------------------------------------------------------------

EXCHANGE, LOSSES, ESTIMATED = "x-proxai-exchange", "x-proxai-losses", "x-proxai-estimated"
LONGEST = 200
"""Characters of the header with the losses."""
SHORT = 16
"""Characters of the name of a session."""
SESSIONS = ("session-id", "session_id", "session-affinity")
"""The ends of the names of headers in which agents name their session: session-id, x-session-affinity."""
CUT = "\n[cut by the gateway: this is longer than {} bytes]"


@define
class Call:
    """One request of a client on its way through the gateway, and what is recorded of it."""

    client: str
    path: str
    headers: Mapping[str, str]
    payloads: dict[str, list[bytes]] | None  # the pieces of each body; None if the log has no payloads
    most: int = 0  # bytes of each payload
    id: str = field(factory=lambda: uuid4().hex)
    account: Account | None = None  # of the client's key; None if it may not use the gateway, or not now
    started: float = field(factory=time.time)
    clock: float = field(factory=time.perf_counter)
    owner: str = ""
    who: str = ""  # the name of the client's key
    own: Mapping[str, str] = field(factory=dict, repr=False)  # headers with the client's own key for its vendor
    provider: str = ""
    upstream: str = ""
    method: str = "POST"
    model: str | None = field(default=None, converter=brief)
    sent_model: str | None = field(default=None, converter=brief)
    share: Share = field(factory=lambda: Budget(0).share())
    body: bytes = b""
    status: int = 500
    upstream_status: int | None = None
    first_byte: float | None = None
    usage: dict[str, Any] | None = None
    finishes: tuple[Finish, ...] = ()
    error: str | None = None
    diagnostics: list[dict[str, Any]] = field(factory=list)
    exchange: Exchange | None = None
    streamed: bool = False
    estimated: bool = False
    attempts: list[dict[str, str]] = field(factory=list)  # that failed before the one whose response the client got
    query: str = ""  # of the URL; in no log, as some clients send their key in it
    form: Form | None = None  # the cloud's form that the client's request has
    passing: Memory | None = None  # that of the client's connection, of responses that are not to be stored
    _sizes: dict[str, int] = field(init=False, factory=dict)

    @property
    def target(self) -> str:
        """The path with its query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def keep(self, name: str, data: bytes) -> None:
        """Keep a payload, or a piece of one, if the log has payloads; one that is too long ends with a note."""
        if self.payloads is None or (size := self._sizes.get(name, 0)) > self.most:
            return
        self._sizes[name] = size + len(data)
        fits = self._sizes[name] <= self.most
        kept = data if fits else data[: self.most - size] + CUT.format(self.most).encode()
        self.payloads.setdefault(name, []).append(kept)

    def goes_to(self, upstream: UpstreamServer, sent_model: str | None, exchange: Exchange | None = None) -> None:
        """Note the upstream, in place of one that was asked before."""
        self.upstream, self.provider, self.exchange = upstream.name, upstream.side.protocol, exchange
        self.sent_model, self.upstream_status = sent_model, None

    def sends(self, sent: Upstream) -> None:
        """Note the provider's request, in place of one that was sent before."""
        self.streamed, self.diagnostics, self.error = sent.stream, [], None
        self.report("request", sent.diagnostics)
        for name in ("upstream_request", "upstream_response"):
            self._sizes.pop(name, None)
            (self.payloads or {}).pop(name, None)
        self.keep("upstream_request", sent.body)

    @property
    def hooked(self) -> bool:
        """Whether a hook sees the call, and may wait."""
        return self.exchange is not None and self.exchange.hook is not None

    @property
    def session(self) -> str:
        """A hash of the session that the client names, or "" if it names none."""
        stated = next((value for name, value in sorted(self.headers.items()) if name.endswith(SESSIONS) and value), "")
        return (digest([self.owner, stated]) or "")[:SHORT] if stated else ""

    @property
    def losses(self) -> list[str]:
        """The rules of the losses so far."""
        return sorted({one["rule"] for one in self.diagnostics if one["severity"] == "loss"})

    @property
    def own_headers(self) -> dict[str, str]:
        """The headers that the gateway adds to the client's response: the id in the log, and what was lost."""
        losses = ", ".join(self.losses)
        short = losses if len(losses) <= LONGEST else f"{losses[:LONGEST]} ..."
        stated = {EXCHANGE: self.id, LOSSES: short, ESTIMATED: "true" if self.estimated else ""}
        return {name: value for name, value in stated.items() if value}

    def report(self, side: str, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics += entries(side, diagnostics)

    def seconds(self) -> float:
        return time.perf_counter() - self.clock

    def line(self) -> dict[str, Any]:
        """Return the call's line in the log of requests."""
        return {name: getattr(self, name) for name in IN_LINE} | {
            "seconds": round(self.seconds(), 4),
            "first_byte": None if self.first_byte is None else round(self.first_byte, 4),
            "finishes": [one._asdict() for one in self.finishes],
            "failed": self.error is not None,
        }

    def record(self) -> Record:
        known: dict[str, Any] = {name: getattr(self, name) for name in RECORDED}
        known |= {name: b"".join(pieces) for name, pieces in (self.payloads or {}).items()}
        return Record(**known, duration=self.seconds())


IN_LINE = "id client who path model upstream sent_model status upstream_status streamed usage attempts losses".split()
RECORDED = (*(one.name for one in fields(Exchanged) if one.name != "duration"), "diagnostics", "owner", "session")


# --- metrics ----------------------------------------------------------------------------------------------------------
# Rule: no label has a value that a client or a provider chooses freely.

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
SIDES = ("client", "provider", "upstream")
MOST_WORDS = 100
LONGEST_WORD = 50
OTHER = "(other)"


class Words:
    """Words of others as values of a label: the first MOST_WORDS short ones that are seen; others are OTHER."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, word: str | None) -> str:
        if word is None or word in self._seen:
            return word or ""
        if len(self._seen) == MOST_WORDS or len(word) > LONGEST_WORD or not word.isprintable():
            return OTHER
        self._seen.add(word)
        return word


class Metrics:
    """Counts and durations of one gateway for Prometheus, in a registry of their own."""

    def __init__(self, storage: Any = None) -> None:
        self.registry = CollectorRegistry()
        self._word, self._model = Words(), Words()
        counter, gauge = partial(Counter, registry=self.registry), partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, labelnames=SIDES, buckets=SECONDS, registry=self.registry)
        cached = lru_cache(4096)  # making the labels of a metric takes longer than counting
        text = "Requests, by status of the reply."
        self._request = cached(counter("proxai_requests", text, (*SIDES, "status", "who")).labels)
        text = "From the request to the end of its response."
        self._duration = cached(histogram("proxai_request_seconds", text).labels)
        text = "From the request to its first byte back."
        self._first = cached(histogram("proxai_first_byte_seconds", text).labels)
        text = "Tokens that providers reported."
        self._token = cached(counter("proxai_tokens", text, (*SIDES, "kind", "who", "sent_model")).labels)
        text = "What conversions lost or changed, by rule."
        self._finding = cached(counter("proxai_diagnostics", text, ("side", "rule", "severity")).labels)
        text = "How responses ended, by the reason that is the same for all providers and by the provider's own word."
        self._finish = cached(counter("proxai_finishes", text, (*SIDES, "reason", "raw")).labels)
        text = "Attempts that failed, before another one of the same request."
        self._fallback = cached(counter("proxai_fallbacks", text, ("upstream", "reason")).labels)
        self.running = gauge("proxai_running", "Requests that run.")
        self._having = gauge("proxai_upstream_running", "Requests that an upstream has.", ["upstream"])
        text = "Whether an upstream rests, as it failed several times in a row."
        self._resting = gauge("proxai_upstream_resting", text, ["upstream"])
        dropped = gauge("proxai_log_dropped", "Exchanges that the log could not keep.")
        dropped.set_function(lambda: float(getattr(storage, "dropped", 0)))
        forgotten = gauge("proxai_memory_dropped", "Responses that could not be kept for later requests.")
        forgotten.set_function(lambda: float(getattr(getattr(storage, "memory", None), "forgotten", 0)))

    def fell_back(self, upstream: str, reason: str) -> None:
        self._fallback(upstream, reason).inc()

    def ended(self, call: Call) -> None:
        """Count a call at its end."""
        sides = (call.client, call.provider, call.upstream)
        self._request(*sides, str(call.status), call.who).inc()
        self._duration(*sides).observe(call.seconds())
        if call.first_byte is not None:
            self._first(*sides).observe(call.first_byte)
        for one in call.diagnostics:
            self._finding(one["side"], one["rule"], one["severity"]).inc(one.get("times", 1))
        for finish in call.finishes:
            self._finish(*sides, finish.reason.value, self._word(finish.raw)).inc()
        if call.usage:  # so that no model is among the labels that an upstream does not have
            model = self._model(call.sent_model)
            for kind, count in call.usage.items():
                if isinstance(count, int):
                    self._token(*sides, kind, call.who, model).inc(count)

    def text(self, upstreams: Iterable[UpstreamServer] = ()) -> bytes:
        self._having.clear()
        self._resting.clear()
        for one in upstreams:
            self._having.labels(one.name).set(one.running)
            self._resting.labels(one.name).set(one.rest.left > 0)
        return generate_latest(self.registry)


# --- tracing ----------------------------------------------------------------------------------------------------------
# Rule: no span has a payload, a key or a URL.

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

TOKENS = {
    "gen_ai.usage.input_tokens": INPUT,
    "gen_ai.usage.output_tokens": OUTPUT,
    "gen_ai.usage.cache_read.input_tokens": ("cache_read",),
}
"""Attributes, and the kinds of tokens that they count."""


class Tracing:
    """A span of OpenTelemetry for each request, by the semantic conventions of generative AI.

    Nothing is made without an SDK of OpenTelemetry, which brings the package that is imported here.
    """

    def __init__(self) -> None:
        self._tracer: Tracer | None = None
        try:
            from opentelemetry import trace
        except ModuleNotFoundError:
            return
        if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            self._tracer = trace.get_tracer("proxai_ir")

    def begin(self, call: Call) -> Span | None:
        """Return the span of a call, or None without an SDK."""
        if self._tracer is None:
            return None
        from opentelemetry import propagate
        from opentelemetry.trace import SpanKind

        return self._tracer.start_span("chat", context=propagate.extract(call.headers), kind=SpanKind.CLIENT)

    def end(self, span: Span | None, call: Call) -> None:
        if span is None:
            return
        from opentelemetry.trace import Status, StatusCode

        span.update_name(f"chat {call.model}" if call.model else "chat")
        span.set_attributes(attributes(call))
        if call.error is not None or call.status >= 400:
            span.set_status(Status(StatusCode.ERROR))
        span.end()


def attributes(call: Call) -> dict[str, Any]:
    usage = call.usage or {}
    made: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": (http_of(call.provider).telemetry if call.provider else None) or call.provider,
        "http.response.status_code": call.status,
        "proxai.client.protocol": call.client,
        "proxai.upstream": call.upstream,
        "proxai.losses": sum(one["severity"] == "loss" for one in call.diagnostics),
    }
    if call.sent_model or call.model:
        made["gen_ai.request.model"] = call.sent_model or call.model
    if call.error is not None or call.status >= 400:
        made["error.type"] = str(call.status) if call.status >= 400 else "stream"
    for name, kinds in TOKENS.items():
        counts = [usage[kind] for kind in kinds if isinstance(usage.get(kind), int)]
        if counts:
            made[name] = sum(counts)
    if call.finishes:
        made["gen_ai.response.finish_reasons"] = [one.reason.value for one in call.finishes]
    return made


# --- gateway ----------------------------------------------------------------------------------------------------------

LOG = logging.getLogger("proxai_ir.serve")
FIXED = "listen storage seals limits.headers limits.memory timeouts.head access.admin_env access.origins".split()
"""Settings that are read at the start alone."""
STRICT = "x-proxai-strict"
"""The header of a request that is refused if anything of it, or of its response, would be lost."""
LARGE = 2
"""Payloads that are converted in threads at once; more would take the same time together, and more memory."""

Read = Callable[[], Config]


class Storage(Protocol):
    """A place for responses and records; `record` neither waits nor raises."""

    @property
    def memory(self) -> Memory: ...

    def record(self, record: Record) -> None: ...

    def close(self) -> None: ...


@define
class Unstored:
    """Keeps responses in this process alone, and no log."""

    memory: Memory = field(factory=InMemory)

    def record(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


class Gateway:
    """The state that all requests share: configuration, upstreams, access, storage, metrics."""

    def __init__(
        self,
        config: Config,
        storage: Storage | None = None,
        *,
        access: Access | None = None,
        transport: NewTransport = network,
    ) -> None:
        self.config = config
        self.storage: Storage = storage or Unstored()
        self._in_memory = InMemory()
        self._turn = 0
        self.access = access or access_of(config)
        self.accounts = Accounts(config.access.limits)
        self._transport = transport
        self.budget = Budget(config.limits.memory)
        self._large = anyio.CapacityLimiter(LARGE)
        self.routes, self._hook = Routes(config), hook_of(config.hook.function, config.hook.timeout)
        self.upstreams = self._connected(config, {})
        self.learned = Learned()
        self.passing = InMemory()  # what all connections keep of responses that are not to be stored
        self.metrics = Metrics(self.storage)
        self.tracing = Tracing()
        self._seal_keys = seal_keys([os.environ[name] for name in config.seals.secrets_env])
        self.client_side: Callable[[str, str | None], Profile] = lru_cache(64)(client_side)

    @property
    def lasting(self) -> Memory:
        """The memory of responses, which is not on disk if the operator wants no payloads there."""
        return self.storage.memory if self.config.keeps_responses else self._in_memory

    @property
    def waits_for_storage(self) -> bool:
        return not isinstance(self.lasting, InMemory)

    def candidates(self, model: str) -> tuple[Candidate, ...]:
        """Return the upstreams that a request is sent to, in order: of equal ones the one that has the fewest first."""
        found, route = self.routes.candidates(model), self.routes.route(model)
        equal = len(route.upstream) if route else 0

        def busy(candidate: Candidate) -> tuple[int, int]:
            upstream = self.upstreams[candidate.upstream]
            return upstream.running, upstream.turn

        spread = sorted(found[:equal], key=busy)
        if spread:
            self._turn += 1
            self.upstreams[spread[0].upstream].turn = self._turn
        return (*spread, *found[equal:])

    def exchange(self, call: Call, upstream: UpstreamServer, model: str | None, *, client_state: bool) -> Exchange:
        """Return the Exchange of a call with an upstream.

        `client_state`: whether the client may refer to what the upstream keeps.
        """
        http = http_of(call.client)
        asked = call.headers.get(STRICT, "").lower() in ("1", "true", "yes")
        strict: dict[str, Any] = {"strict": True} if asked else {}
        return Exchange(
            self.client_side(call.client, call.headers.get(http.version or "")),
            upstream.side,
            model=model,
            profile=upstream.by,
            server=upstream.server,
            cloud=upstream.cloud,
            learned=self.learned if upstream.table.learn else None,
            body=upstream.table.body,
            context=upstream.table.context,
            memory=self.memory(call),
            owner=call.owner,
            place=upstream.name,
            own_state=not (client_state or self.access.keyless),
            now=call.started,
            response_id=call.id,
            framing=None if call.form is None else call.form.framing,
            seals=Seals(self._seal_keys, audience=call.owner),
            hook=self._hook and self._hook(HookCall(id=call.id, who=call.who, upstream=upstream.name)),
            **{**upstream.table.options, **strict},
        )

    def memory(self, call: Call) -> Memory:
        """Return the memory of a call: the gateway's, with that of the client's connection."""
        return self.lasting if call.passing is None else OfConnection(self.lasting, call.passing)

    def in_thread(self, size: int) -> anyio.CapacityLimiter | bool:
        """Return how many threads may convert payloads of so many bytes: a limit, True for any number, or False for
        none. A hook may wait, which needs a thread."""
        return self._large if size > self.config.limits.in_thread else self._hook is not None

    def own(self, client: str, headers: Mapping[str, str]) -> Exchange:
        """Return an Exchange for the gateway's own replies."""
        side = self.client_side(client, headers.get(http_of(client).version or ""))
        return Exchange(side, side)

    def _connected(self, config: Config, old: Mapping[str, UpstreamServer]) -> dict[str, UpstreamServer]:
        """Return the upstreams of a configuration; unchanged ones keep their connections."""
        made: dict[str, UpstreamServer] = {}
        for name, table in config.upstreams.items():
            upstream = old.get(name)
            if upstream is None or (upstream.table, upstream.timeouts) != (table, config.timeouts):
                keys = [key for one in table.key_env if (key := in_environment(one))]
                upstream = UpstreamServer(name, table, keys, config.timeouts, self._transport)
            made[name] = upstream
        return made

    async def change(self, config: Config) -> None:
        """Use another configuration for later requests; running ones are not affected.

        Raises ConfigError for a change that requires a restart.
        """
        for setting in FIXED:
            if attrgetter(setting)(config) != attrgetter(setting)(self.config):
                raise ConfigError(f"{setting}: changing this setting requires a restart")
        known = client_keys(config)
        if bool(known) is self.access.keyless:
            raise ConfigError("access: going from keys to none, or back, requires a restart")
        old, self._hook = self.upstreams, hook_of(config.hook.function, config.hook.timeout)
        self.upstreams = self._connected(config, old)
        self.config, self.routes = config, Routes(config)
        self.access.know(known)
        self.accounts.limits = config.access.limits
        for upstream in {*old.values()} - {*self.upstreams.values()}:
            await upstream.close()

    async def close(self) -> None:
        for upstream in self.upstreams.values():
            await upstream.close()
        await anyio.to_thread.run_sync(self.storage.close)


def seal_keys(given: list[str]) -> dict[str, bytes]:
    """Return the keys of envelopes by id, derived from secrets; without any, one key that lasts for this process."""
    known = [text.encode() for text in given] or [secrets.token_bytes(32)]
    derived = [hashlib.sha256(b"proxai-ir envelopes\0" + one).digest() for one in known]
    return {hashlib.sha256(key).hexdigest()[:8]: key for key in derived}


@contextmanager
def on_signal(gateway: Gateway, read: Read | None) -> Iterator[None]:
    """Read the configuration again on SIGHUP; one that cannot be used changes nothing, and the log says why.

    `read` may raise ConfigError, and is None if there is no file.
    """
    number = getattr(signal, "SIGHUP", None)  # not every system has it
    if read is None or number is None:
        yield
        return

    async def again() -> None:
        try:
            await gateway.change(await anyio.to_thread.run_sync(read))
            LOG.info("the configuration was read again: %s", ", ".join(gateway.upstreams))
        except ConfigError as error:
            LOG.error("%s; the configuration stays as it was", error)

    loop, running = asyncio.get_running_loop(), set[asyncio.Task[None]]()
    loop.add_signal_handler(number, lambda: running.add(loop.create_task(again())))
    try:
        yield
    finally:
        loop.remove_signal_handler(number)
