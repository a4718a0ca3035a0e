"""OpenAI Responses with the models before gpt-5.6."""

from __future__ import annotations

from collections.abc import Iterator

from . import openai_responses
from .support import Headers, Json, collect


# SDK, prompt_cache_options: "Supported for `gpt-5.6` and later models"; error: "prompt_cache_breakpoint is not
# supported on this model".
def cache_breakpoint(request: Json, headers: Headers) -> Iterator[str]:
    if "prompt_cache_options" in request:
        yield "prompt_cache_options"
    for where, _, part in openai_responses.parts(request):
        if "prompt_cache_breakpoint" in part:
            yield where


CHECKS = (*openai_responses.CHECKS, cache_breakpoint)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
