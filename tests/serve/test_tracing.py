"""Spans of OpenTelemetry: what they have where an SDK is set up, and never a payload or a key."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("opentelemetry.sdk.trace", reason="the SDK of OpenTelemetry is not installed")

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from proxai_ir.serve import gateway

from ..clients.provider import ANTHROPIC, CHAT
from .test_endpoints import ask, post
from .upstreams import KEY, Upstream


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    return exporter


def test_a_span(spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch) -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    method, path, body, headers = post(ANTHROPIC, top_k=3)
    ask(monkeypatch, [Upstream(CHAT)], (method, path, body, {**headers, "traceparent": parent}))
    (span,) = spans.get_finished_spans()
    assert span.name == "chat m"
    assert f'"trace_id": "0x{parent.split("-")[1]}"' in span.to_json()
    found: dict[str, Any] = dict(span.attributes or {})
    assert found["gen_ai.provider.name"] == "openai"
    assert found["gen_ai.request.model"] == "big"
    assert found["gen_ai.usage.input_tokens"] > 0
    assert found["gen_ai.usage.output_tokens"] > 0
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    assert found["proxai.losses"] == 1
    assert KEY not in span.to_json()
    assert '"hi"' not in span.to_json()


def test_a_span_of_a_failure(spans: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(monkeypatch, [Upstream(CHAT, "429")], post(ANTHROPIC))
    (span,) = spans.get_finished_spans()
    assert dict(span.attributes or {})["error.type"] == "429"
    assert not span.status.is_ok


def test_no_span_without_a_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "get_tracer_provider", trace.ProxyTracerProvider)
    assert gateway.Tracing().begin(None) is None  # type: ignore[arg-type]
