"""Translate between LLM wire protocols through one intermediate representation, and say exactly what was lost.

    proxai_ir.convert(payload, "openai_chat_completions", "anthropic_messages")

Public names are those below and no others.
"""

from .api import Conversion, check, compile, convert, lower, raise_to
from .diagnostics import Diagnostic, InvalidPayload, Severity, StreamError, TranslationError, Unrepresentable

__all__ = [
    "Conversion",
    "Diagnostic",
    "InvalidPayload",
    "Severity",
    "StreamError",
    "TranslationError",
    "Unrepresentable",
    "check",
    "compile",
    "convert",
    "lower",
    "protocols",
    "raise_to",
]


def protocols() -> tuple[str, ...]:
    """The names of all protocols that can be converted from and to, sorted."""
    from .registry import protocols as names

    return names()
