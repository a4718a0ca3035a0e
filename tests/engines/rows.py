"""Rows for every engine, and what they become one by one, which each engine has to agree with."""

from __future__ import annotations

import json
from typing import Any

import proxai_ir

ANTHROPIC, CHAT = "anthropic_messages", "openai_chat_completions"
HI = [{"role": "user", "content": "Hi"}]
PAYLOADS: list[str | None] = [
    json.dumps({"model": "m", "messages": HI, "max_completion_tokens": 9}),
    json.dumps({"model": "m", "messages": HI, "seed": 7}),
    '{"model": ',
    json.dumps({"model": "m", "messages": 3}),
    None,
    json.dumps({"model": "m", "messages": [{"role": "user", "content": "Grüße 🌍"}], "max_completion_tokens": 9}),
]


def expected() -> list[tuple[Any, ...]]:
    """Output, refused rule, refused path and diagnostics of each row."""
    return [_expected(payload) for payload in PAYLOADS]


def _expected(payload: str | None) -> tuple[Any, ...]:
    if payload is None:
        message = "The value has the wrong type. (expected a payload, found null)"
        return None, "SHP-1", "", [{"rule": "SHP-1", "severity": "error", "path": "", "message": message}]
    try:
        done = proxai_ir.compile(payload.encode(), CHAT, ANTHROPIC)
    except proxai_ir.TranslationError as error:
        return None, error.rule, error.path, _findings(error.diagnostics)
    return done.output, None, None, _findings(done.diagnostics)


def _findings(found: tuple[proxai_ir.Diagnostic, ...]) -> list[dict[str, str]]:
    return [
        {"rule": one.rule, "severity": one.severity.value, "path": one.path, "message": one.message} for one in found
    ]
