"""Counts and durations for Prometheus. Rule: no label has a value that a client or a provider chooses freely."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from .call import Call

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
