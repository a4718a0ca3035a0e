"""The Gemini API with models of the series 2.5."""

from __future__ import annotations

from collections.abc import Iterator

from . import gemini
from .gemini import camel, config
from .gemini_api import KNOWN, PART_DATA
from .gemini_schemas import SCHEMA
from .support import Headers, Json, collect


# Documentation of thinking: "If you use the `thinking_level` parameter with a model earlier than Gemini 3, the model
# returns an error".
def thinking_level(request: Json, headers: Headers) -> Iterator[str]:
    level = camel(config(request).get("thinkingConfig") or {}).get("thinkingLevel")
    if level is not None:
        yield str(level)


# Documentation of thinking: the widest of the ranges of 2.5 (Pro), 0 to turn it off, -1 for a dynamic one.
def thinking_budget(request: Json, headers: Headers) -> Iterator[str]:
    budget = camel(config(request).get("thinkingConfig") or {}).get("thinkingBudget")
    if budget is not None and not -1 <= budget <= 32768:
        yield str(budget)


# error: "Tool use with function calling is unsupported".
def built_in_tools(request: Json, headers: Headers) -> Iterator[str]:
    if gemini.has_functions(request) and gemini.has_built_in_tools(request):
        yield "built-in tools and functions"


# error: "Function calling with a response mime type: 'application/json' is unsupported", "Tool use with …".
def json_with_tools(request: Json, headers: Headers) -> Iterator[str]:
    if gemini.tools(request) and config(request).get("responseMimeType") == "application/json":
        yield "application/json"


# Documentation of function calling: multimodal function responses are of the Gemini 3 series.
def response_parts(request: Json, headers: Headers) -> Iterator[str]:
    for where, part in gemini.placed_parts(request):
        if camel(part.get("functionResponse") or {}).get("parts"):
            yield where


CHECKS = (
    gemini.unknown_name(KNOWN),
    gemini.data(PART_DATA),
    gemini.schema(SCHEMA),
    *gemini.CHECKS,
    thinking_level,
    thinking_budget,
    built_in_tools,
    json_with_tools,
    response_parts,
)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
