"""Anthropic Messages, API version 2026-10-21, which the official SDKs send since their major versions of that day."""

from __future__ import annotations

from collections.abc import Iterator

from . import anthropic
from .support import Headers, Json, collect


# error: "temperature: Extra inputs are not permitted", at the default value as well.
def sampling(request: Json, headers: Headers) -> Iterator[str]:
    for name in ("temperature", "top_p", "top_k"):
        if name in request:
            yield name


# Migration guide of the version: `document` blocks in assistant messages are a 400.
def assistant_document(request: Json, headers: Headers) -> Iterator[str]:
    for where, role, block in anthropic.blocks(request):
        if role == "assistant" and block["type"] == "document":
            yield where


# Migration guide of the version: non-empty `citations` on text blocks of user messages are a 400.
def user_citations(request: Json, headers: Headers) -> Iterator[str]:
    for where, role, block in anthropic.blocks(request):
        if role == "user" and block["type"] == "text" and block.get("citations"):
            yield where


def version(request: Json, headers: Headers) -> Iterator[str]:
    if headers.get("anthropic-version", "2026-10-21") != "2026-10-21":
        yield headers["anthropic-version"]


CHECKS = (*anthropic.CHECKS, sampling, assistant_document, user_citations, version)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
