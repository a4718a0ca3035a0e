"""What the pain tests share: conversions by direction, findings as bare pairs, and the builders of each protocol."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Conversion, StreamError, Unrepresentable
from proxai_ir.api import Kind

from ..samples import READINGS
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json
from ..samples.shared import assistant, text, user
from ..sides import sides

__all__ = ["READINGS", "Json", "anthropic", "assistant", "chat", "responses", "text", "user"]

Found = list[tuple[str, str]]

CHAT = "openai_chat_completions"
ANTHROPIC = "anthropic_messages"
RESPONSES = "openai_responses"
BEDROCK = "bedrock_converse"
COHERE = "cohere_v2_chat"
OLLAMA = "ollama_chat"
INTERACTIONS = "gemini_interactions"

GENERATED = [("ENV-2", "")]
"""What Chat Completions requires in addition to any `anthropic.response`."""


def to_anthropic(payload: Json, kind: Kind = "request", **options: Any) -> Conversion:
    server, known = sides(ANTHROPIC, options)
    return proxai_ir.compile(payload, CHAT, server, kind=kind, **known)


def to_chat(payload: Json, kind: Kind = "request", **options: Any) -> Conversion:
    server, known = sides(CHAT, options)
    return proxai_ir.compile(payload, ANTHROPIC, server, kind=kind, **known)


def from_responses(payload: Json, dst: str, kind: Kind = "request", **options: Any) -> Conversion:
    server, known = sides(dst, options)
    return proxai_ir.compile(payload, RESPONSES, server, kind=kind, **known)


def to_responses(payload: Json, src: str, kind: Kind = "request", **options: Any) -> Conversion:
    server, known = sides(RESPONSES, options)
    return proxai_ir.compile(payload, src, server, kind=kind, **known)


def again(payload: Any, protocol: str, kind: Kind = "request") -> Json:
    """The payload through the IR and back into its own protocol."""
    back: Json = proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind=kind), protocol)  # type: ignore[assignment]
    return back


def stream_to_anthropic(events: Events, **options: Any) -> Conversion:
    server, known = sides(ANTHROPIC, options)
    return proxai_ir.compile(events, CHAT, server, kind="stream", **known)


def stream_to_chat(events: Events, **options: Any) -> Conversion:
    server, known = sides(CHAT, options)
    return proxai_ir.compile(events, ANTHROPIC, server, kind="stream", **known)


def cut_off(events: Events, src: str, dst: str) -> Events:
    """All that a client gets of a stream that ends too early."""
    converter = proxai_ir.StreamConverter(src, dst)
    out = [made for event in events for made in converter.feed(event)]
    with pytest.raises(StreamError) as caught:
        converter.close()
    assert caught.value.rule == "STR-2"
    return out + converter.close(error_event=True)


def endings(events: Events) -> list[Any]:
    """How a stream of Chat Completions or Anthropic ends: stop reasons, errors and terminal events, in order."""
    found: list[Any] = []
    for event in events:
        if event == chat.DONE or event.get("type") == "message_stop":
            found.append("the end")
        elif "error" in event:
            found.append("an error")
        elif event.get("type") == "message_delta":
            found.append(event["delta"]["stop_reason"])
        else:
            found += [choice["finish_reason"] for choice in event.get("choices", ()) if choice["finish_reason"]]
    return found


def calls_of(protocol: str, events: Events) -> list[tuple[str, str, Any]]:
    """The calls of a stream: id, name and arguments."""
    calls: list[tuple[str, str, Any]] = READINGS[protocol].summary(READINGS[protocol].whole(events))["calls"]
    return calls


def losses(conversion: Conversion) -> Found:
    return [(found.code, found.path) for found in conversion.diagnostics if found.severity == "loss"]


def notes(conversion: Conversion) -> Found:
    return [(found.code, found.path) for found in conversion.diagnostics if found.severity == "info"]


def message(conversion: Conversion) -> Json:
    """The message of a Chat Completions response."""
    found: Json = conversion.output["choices"][0]["message"]
    return found


def refusals(payload: Json, src: str, kind: Kind = "request", dst: str | None = None) -> Found:
    """The refusals of a payload that the target cannot represent."""
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.convert(payload, src, dst or (ANTHROPIC if src == CHAT else CHAT), kind=kind)
    assert (caught.value.rule, caught.value.path) == (
        caught.value.diagnostics[0].code,
        caught.value.diagnostics[0].path,
    )
    return [(found.code, found.path) for found in caught.value.diagnostics]
