"""Anthropic Messages, API version 2023-06-01."""

from __future__ import annotations

from collections.abc import Iterator

from . import anthropic
from .support import Headers, Json, collect


# error: "`temperature` and `top_p` cannot both be specified for this model" (Claude 4.1 and later).
def both_samplings(request: Json, headers: Headers) -> Iterator[str]:
    if "temperature" in request and "top_p" in request:
        yield "temperature and top_p"


def version(request: Json, headers: Headers) -> Iterator[str]:
    if headers.get("anthropic-version", "2023-06-01") != "2023-06-01":
        yield headers["anthropic-version"]


CHECKS = (*anthropic.CHECKS, both_samplings, version)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
