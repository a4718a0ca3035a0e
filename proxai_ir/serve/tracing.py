"""A span of OpenTelemetry for each request, by the semantic conventions of generative AI.

Rule: no span has a payload, a key or a URL. Where no SDK is set up, nothing is made; it is an SDK that brings the
package which is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..exchange.provider import http_of
from .call import Call

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
