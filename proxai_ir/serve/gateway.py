"""What all requests to a gateway share: configuration and its reload, memory, the log, metrics, traces, one call's
record.
"""

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
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

import anyio
import anyio.to_thread
from attrs import define, field, fields
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from ..conversion.profile import Profile
from ..exchange import Exchange, InMemory, Memory, Upstream
from ..exchange.provider import Learned, client_side, http_of
from ..ir.response import Finish
from ..reporting.diagnostics import Diagnostic
from ..storage.records import Exchanged, Record, brief, entries
from .access import Access, access_of
from .asgi import Budget, Share
from .config import Config, ConfigError, client_keys, in_environment
from .upstreams import NewTransport, Routes, UpstreamServer, network

# --- call -------------------------------------------------------------------------------------------------------------
# One request of a client on its way through the gateway: what is known of it, and what is recorded at its end.


EXCHANGE, LOSSES, ESTIMATED = "x-proxai-exchange", "x-proxai-losses", "x-proxai-estimated"
LONGEST = 200
CUT = "\n[cut by the gateway: this is longer than {} bytes]"


@define
class Call:
    """`admitted`: whether the client may use the gateway; `who`: the name of its key; `payloads`: in pieces, None where
    the log has none, with `most` bytes each; `attempts`: those that failed before the one that the client got."""

    client: str
    path: str
    headers: Mapping[str, str]
    payloads: dict[str, list[bytes]] | None
    most: int = 0
    id: str = field(factory=lambda: uuid4().hex)
    admitted: bool = False
    started: float = field(factory=time.time)
    begun: float = field(factory=time.perf_counter)
    owner: str = ""
    who: str = ""
    own: Mapping[str, str] = field(factory=dict, repr=False)  # the headers with the client's own key for its vendor
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
    attempts: list[dict[str, str]] = field(factory=list)
    _sizes: dict[str, int] = field(init=False, factory=dict)
    query: str = ""  # which logs do not have, as some clients send their key in it

    @property
    def target(self) -> str:
        """The path with its query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    def keep(self, name: str, data: bytes) -> None:
        """A payload, or a piece of one, where the log has payloads; what is too long is cut, and says so."""
        size = self._sizes.get(name, 0)
        if self.payloads is None or size > self.most:
            return
        self._sizes[name] = size + len(data)
        whole = self._sizes[name] <= self.most
        kept = data if whole else data[: self.most - size] + CUT.format(self.most).encode()
        self.payloads.setdefault(name, []).append(kept)

    def goes_to(self, upstream: UpstreamServer, sent_model: str | None, exchange: Exchange | None = None) -> None:
        """What is known of another upstream, which was asked before, is no more."""
        self.upstream, self.provider, self.exchange = upstream.name, upstream.side.protocol, exchange
        self.sent_model, self.upstream_status = sent_model, None

    def sends(self, sent: Upstream) -> None:
        """What is sent takes the place of what was sent before."""
        self.streamed, self.diagnostics, self.error = sent.stream, [], None
        self.found("request", sent.diagnostics)
        for name in ("upstream_request", "upstream_response"):
            self._sizes.pop(name, None)
            (self.payloads or {}).pop(name, None)
        self.keep("upstream_request", sent.body)

    @property
    def losses(self) -> list[str]:
        """The rules by which something has been lost so far."""
        return sorted({one["rule"] for one in self.diagnostics if one["severity"] == "loss"})

    @property
    def own_headers(self) -> dict[str, str]:
        """What the client's response has of the gateway: where the log has it, and what was lost."""
        losses = ", ".join(self.losses)
        short = losses if len(losses) <= LONGEST else f"{losses[:LONGEST]} ..."
        stated = {EXCHANGE: self.id, LOSSES: short, ESTIMATED: "true" if self.estimated else ""}
        return {name: value for name, value in stated.items() if value}

    def found(self, side: str, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics += entries(side, diagnostics)

    def seconds(self) -> float:
        return time.perf_counter() - self.begun

    def line(self) -> dict[str, Any]:
        """What logs have of it, in one line."""
        return {
            "id": self.id,
            "client": self.client,
            "who": self.who,
            "path": self.path,
            "model": self.model,
            "upstream": self.upstream,
            "sent_model": self.sent_model,
            "status": self.status,
            "upstream_status": self.upstream_status,
            "streamed": self.streamed,
            "seconds": round(self.seconds(), 4),
            "first_byte": None if self.first_byte is None else round(self.first_byte, 4),
            "usage": self.usage,
            "finishes": [one._asdict() for one in self.finishes],
            "attempts": self.attempts,
            "losses": self.losses,
            "failed": self.error is not None,
        }

    def record(self) -> Record:
        known: dict[str, Any] = {name: getattr(self, name) for name in RECORDED}
        known |= {name: b"".join(pieces) for name, pieces in (self.payloads or {}).items()}
        return Record(**known, duration=self.seconds())


RECORDED = (*(one.name for one in fields(Exchanged) if one.name != "duration"), "diagnostics", "owner")


# --- metrics ----------------------------------------------------------------------------------------------------------
# Counts and durations for Prometheus. Rule: no label has a value that a client or a provider chooses freely.


SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
SIDES = ("client", "provider", "upstream")
CONTENT_TYPE = CONTENT_TYPE_LATEST


class Words:
    """Words of providers as values of a label: the first ones that are seen, where they are short; else OTHER."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, word: str | None) -> str:
        if word is None or word in self._seen:
            return word or ""
        if len(self._seen) == MOST_WORDS or len(word) > LONGEST_WORD or not word.isprintable():
            return OTHER
        self._seen.add(word)
        return word


MOST_WORDS = 100
LONGEST_WORD = 50
OTHER = "(other)"


class Metrics:
    """Of one gateway, in a registry of its own."""

    def __init__(self, storage: Any = None) -> None:
        self.registry = CollectorRegistry()
        of = self.registry
        self._requests = Counter(
            "proxai_requests", "Requests, by status of the reply.", (*SIDES, "status", "who"), registry=of
        )
        self._duration = _histogram("proxai_request_seconds", "From the request to the end of its response.", of)
        self._first = _histogram("proxai_first_byte_seconds", "From the request to its first byte back.", of)
        self._tokens = Counter("proxai_tokens", "Tokens that providers reported.", (*SIDES, "kind", "who"), registry=of)
        found = "What conversions lost or changed, by rule."
        self._found = Counter("proxai_diagnostics", found, ("side", "rule", "severity"), registry=of)
        ended = "How responses ended, by the reason that is the same for all providers and by the provider's own word."
        self._finishes = Counter("proxai_finishes", ended, (*SIDES, "reason", "raw"), registry=of)
        self._word = Words()
        again = "Attempts that failed, before another one of the same request."
        self._fallbacks = Counter("proxai_fallbacks", again, ("upstream", "reason"), registry=of)
        self.running = Gauge("proxai_running", "Requests that run.", registry=of)
        dropped = Gauge("proxai_log_dropped", "Exchanges that the log could not keep.", registry=of)
        dropped.set_function(lambda: float(getattr(storage, "dropped", 0)))
        forgotten = Gauge("proxai_memory_dropped", "Responses that could not be kept for later requests.", registry=of)
        forgotten.set_function(lambda: float(getattr(getattr(storage, "memory", None), "forgotten", 0)))
        # Making the labels of a metric takes longer than counting.
        self._of_sides = lru_cache(1024)(lambda *sides: (self._duration.labels(*sides), self._first.labels(*sides)))
        self._request = lru_cache(1024)(self._requests.labels)
        self._finding = lru_cache(4096)(self._found.labels)
        self._finish = lru_cache(1024)(self._finishes.labels)
        self._token = lru_cache(1024)(self._tokens.labels)

    def fell_back(self, upstream: str, reason: str) -> None:
        self._fallbacks.labels(upstream, reason).inc()

    def ended(self, call: Call) -> None:
        sides = (call.client, call.provider, call.upstream)
        self._request(*sides, str(call.status), call.who).inc()
        duration, first = self._of_sides(*sides)
        duration.observe(call.seconds())
        if call.first_byte is not None:
            first.observe(call.first_byte)
        for one in call.diagnostics:
            self._finding(one["side"], one["rule"], one["severity"]).inc(one.get("times", 1))
        for finish in call.finishes:
            self._finish(*sides, finish.reason.value, self._word(finish.raw)).inc()
        for kind, count in (call.usage or {}).items():
            if isinstance(count, int):
                self._token(*sides, kind, call.who).inc(count)

    def text(self) -> bytes:
        return generate_latest(self.registry)


def _histogram(name: str, text: str, registry: CollectorRegistry) -> Histogram:
    return Histogram(name, text, SIDES, buckets=SECONDS, registry=registry)


# --- tracing ----------------------------------------------------------------------------------------------------------
# A span of OpenTelemetry for each request, by the semantic conventions of generative AI.
#
# Rule: no span has a payload, a key or a URL. Where no SDK is set up, nothing is made; it is an SDK that brings the
# package which is imported here.


if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

TOKENS = {
    "gen_ai.usage.input_tokens": ("input", "cache_read", "cache_write"),
    "gen_ai.usage.output_tokens": ("output", "reasoning"),
    "gen_ai.usage.cache_read.input_tokens": ("cache_read",),
}
"""Attributes, and the kinds of tokens that they count."""


class Tracing:
    """`begin` returns None where there is no SDK."""

    def __init__(self) -> None:
        self._tracer: Tracer | None = None
        try:
            from opentelemetry import trace
        except ModuleNotFoundError:
            return
        if not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
            self._tracer = trace.get_tracer("proxai_ir")

    def begin(self, call: Call) -> Span | None:
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
# What all requests to a gateway share: configuration, upstreams, memory, the log; and the Exchange of one request.


FIXED = "listen storage seals limits.headers limits.memory timeouts.head access.admin_env access.origins".split()
"""Settings that are read at the start alone."""
STRICT = "x-proxai-strict"
"""The header of a request that is refused where anything of it, or of its response, would be lost."""
LARGE = 2
"""Payloads that are converted in threads at once; more would take the same time together, and more memory."""


class Storage(Protocol):
    """Where responses and records are kept; `record` neither waits nor raises."""

    @property
    def memory(self) -> Memory: ...

    def record(self, record: Record) -> None: ...

    def close(self) -> None: ...


class Unstored:
    """Responses in this process alone, and no log."""

    def __init__(self) -> None:
        self.memory: Memory = InMemory()

    def record(self, record: Record) -> None:
        pass

    def close(self) -> None:
        pass


class Gateway:
    def __init__(
        self,
        config: Config,
        storage: Storage | None = None,
        *,
        access: Access | None = None,
        transport: NewTransport = network,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.config = config
        self.storage: Storage = storage or Unstored()
        self.waits_for_storage = not isinstance(self.storage.memory, InMemory)
        self.access = access or access_of(config)
        self._environment, self._transport = environment, transport
        self.budget = Budget(config.limits.memory)
        self._large = anyio.CapacityLimiter(LARGE)
        self.routes = Routes(config)
        self.upstreams = self._made(config, {})
        self.learned = Learned()
        self.metrics = Metrics(self.storage)
        self.tracing = Tracing()
        self._seal_keys = seal_keys([environment[name] for name in config.seals.secrets_env])
        self.client_side: Callable[[str, str | None], Profile] = lru_cache(64)(client_side)

    def exchange(
        self, call: Call, upstream: UpstreamServer, model: str | None, *, client_state: bool = True, **options: Any
    ) -> Exchange:
        """`client_state`: whether it may name what the upstream keeps; `options`: besides those of the upstream."""
        http = http_of(call.client)
        strict: dict[str, Any] = (
            {"strict": True} if call.headers.get(STRICT, "").lower() in ("1", "true", "yes") else {}
        )
        return Exchange(
            self.client_side(call.client, call.headers.get(http.version or "")),
            upstream.side,
            model=model,
            profile=upstream.by,
            server=upstream.server,
            cloud=upstream.cloud,
            learned=self.learned if upstream.learns else None,
            memory=self.storage.memory,
            owner=call.owner,
            own_state=not (client_state or self.access.keyless),
            now=call.started,
            response_id=call.id,
            seal_keys=self._seal_keys,
            seal_audience=call.owner,
            **{**upstream.options, **strict, **options},
        )

    def in_thread(self, size: int) -> anyio.CapacityLimiter | bool:
        """Return whether a payload of so many bytes is converted in a thread, and which."""
        return self._large if size > self.config.limits.in_thread else False

    def own(self, client: str, headers: Mapping[str, str]) -> Exchange:
        """Return an Exchange for the gateway's own replies."""
        side = self.client_side(client, headers.get(http_of(client).version or ""))
        return Exchange(side, side)

    def _made(self, config: Config, old: Mapping[str, UpstreamServer]) -> dict[str, UpstreamServer]:
        """Return the upstreams; those that are as they were keep their connections."""
        made: dict[str, UpstreamServer] = {}
        for name, table in config.upstreams.items():
            same = old.get(name)
            if same is None or same.made_of != (table, config.timeouts):
                given = [key for one in table.key_env if (key := in_environment(one, self._environment))]
                same = UpstreamServer(name, table, given, config.timeouts, self._transport)
            made[name] = same
        return made

    async def change(self, config: Config) -> None:
        """Another configuration, for requests that begin from now on; those that run go on. Raises ConfigError for a
        change that needs a new start."""
        for setting in FIXED:
            if attrgetter(setting)(config) != attrgetter(setting)(self.config):
                raise ConfigError(f"{setting}: a change of this needs a new start")
        known = client_keys(config)
        if bool(known) is self.access.keyless:
            raise ConfigError("access: from keys to none, or back, needs a new start")
        old = self.upstreams
        self.upstreams = self._made(config, old)
        self.config, self.routes = config, Routes(config)
        self.access.know(known)
        for upstream in {*old.values()} - {*self.upstreams.values()}:
            await upstream.close()

    async def close(self) -> None:
        for upstream in self.upstreams.values():
            await upstream.close()
        await anyio.to_thread.run_sync(self.storage.close)


def seal_keys(given: list[str]) -> dict[str, bytes]:
    """Keys of envelopes by id, each derived from a secret; without one, a key that lasts as long as the process."""
    found = [text.encode() for text in given] or [secrets.token_bytes(32)]
    derived = [hashlib.sha256(b"proxai-ir envelopes\0" + one).digest() for one in found]
    return {hashlib.sha256(key).hexdigest()[:8]: key for key in derived}


# --- reload -----------------------------------------------------------------------------------------------------------
# The configuration of a gateway that runs, read again on SIGHUP.
#
# Rule: one that cannot be used changes nothing; the log names what is wrong with it.


LOG = logging.getLogger("proxai_ir.serve")
Read = Callable[[], Config]


@contextmanager
def on_signal(gateway: Gateway, read: Read | None) -> Iterator[None]:
    """`read` may raise ConfigError; None where there is no file. Not every system has the signal."""
    number = getattr(signal, "SIGHUP", None)
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
