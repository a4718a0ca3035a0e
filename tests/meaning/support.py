"""What these tests share: conversions, what is left of them, and the mark of what does not hold yet."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Conversion

from ..samples.sample import Events
from ..samples.sample import Json as Json
from ..sides import sides

CHAT = "openai_chat_completions"
RESPONSES = "openai_responses"
ANTHROPIC = "anthropic_messages"
GEMINI = "gemini_generate_content"
BEDROCK = "bedrock_converse"

Found = list[tuple[str, str]]

not_yet = pytest.mark.xfail(strict=True, reason="not understood rightly yet: take the mark away with the mend")
"""A test that passes fails the suite while it has this mark, so that the mark goes when the mend comes."""


def made(payload: Any, src: str, dst: str, kind: Any = "response", **options: Any) -> Conversion[Any]:
    if kind == "request" and GEMINI in (src, dst):
        options.setdefault("model", "m")
    server, known = sides(dst, options)
    return proxai_ir.compile(payload, src, server, kind=kind, **known)


def found(conversion: Conversion[Any], severity: str) -> Found:
    return [(one.rule, one.path) for one in conversion.diagnostics if one.severity == severity]


def losses(conversion: Conversion[Any]) -> Found:
    return found(conversion, "loss")


def whole(events: Events, src: str, dst: str, **options: Any) -> Any:
    """The response that a client reads from a stream that was converted."""
    converter = proxai_ir.StreamConverter(dst, dst, keep_response=True)
    server, known = sides(dst, options)
    for event in proxai_ir.convert(events, src, server, kind="stream", **known):
        converter.feed(event)
    converter.close()
    return converter.response


def texts(response: Json) -> list[str]:
    """All texts of a response of whatever protocol that are the answer's own."""
    if "choices" in response:
        message = response["choices"][0]["message"]
        return [one for one in (message.get("content"), message.get("refusal")) if one]
    if "candidates" in response:
        parts = response["candidates"][0].get("content", {}).get("parts", [])
        return [part["text"] for part in parts if part.get("text") and not part.get("thought")]
    if "output" in response:
        inner = [part for item in response["output"] if item["type"] == "message" for part in item["content"]]
        return [part.get("text") or part.get("refusal") for part in inner if part.get("text") or part.get("refusal")]
    return [part["text"] for part in response["content"] if part["type"] == "text"]
