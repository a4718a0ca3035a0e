"""Vertex AI (Gemini Enterprise Agent Platform) with its newest models."""

from __future__ import annotations

from collections.abc import Iterator

from . import gemini, gemini_api
from .gemini_schemas import VERTEX_SCHEMA
from .support import Headers, Json, collect, schemas, words

# SDK: each is "only supported in Gemini Enterprise Agent Platform mode"; `labels` too (documentation).
KNOWN = {
    "request": gemini.REQUEST | words("labels modelArmorConfig"),
    "config": gemini.CONFIG | words("audioTimestamp modelSelectionConfig routingConfig"),
    "toolConfig": words("functionCallingConfig retrievalConfig"),
    "part": gemini.PART | words("documentMetadata spreadsheetMetadata audioMetadata speechMetadata"),
    "call": gemini.CALL | words("partialArgs willContinue"),
    "response": gemini.RESPONSE,
    "tools": gemini.TOOLS | words("retrieval enterpriseWebSearch exaAiSearch parallelAiSearch"),
    "search": words("searchTypes timeRangeFilter excludeDomains blockingConfidence"),
}


# error: "Unable to submit request because it has an empty text parameter"; the Gemini API takes it (recorded requests).
# Parts that bring a signature back may be empty: that is how the model sends them (documentation of signatures).
def empty_text(request: Json, headers: Headers) -> Iterator[str]:
    for where, part in gemini.placed_parts(request):
        if part.get("text") == "" and not part.get("thoughtSignature"):
            yield where


# error: "schema specified other fields alongside any_of. When using any_of, it must be the only field set."
def any_of(request: Json, headers: Headers) -> Iterator[str]:
    for where, given in gemini.proto_schemas(request):
        for one in schemas(given):
            if "anyOf" in one and len(one) > 1:
                yield f"{where}: {sorted(one)}"


# documentation ("Custom metadata labels"): keys have 1 to 63 characters and values at most 63, of lower-case letters,
# digits, underscores and dashes, of any script; keys begin with a letter; a request has at most 64.
def labels(request: Json, headers: Headers) -> Iterator[str]:
    given = request.get("labels", {})
    if len(given) > 64:
        yield "labels"
    for key, value in given.items():
        fit = all(isinstance(one, str) and len(one) < 64 for one in (key, value)) and key[:1].isalpha()
        if not fit or any(one.isupper() or not (one.isalnum() or one in "_-") for one in key + value):
            yield f"labels/{key}"


CHECKS = (
    gemini.unknown_name(KNOWN),
    gemini.data(gemini.DATA),
    gemini.schema(VERTEX_SCHEMA),
    *gemini.CHECKS,
    gemini_api.function_role,
    gemini_api.prefill,
    gemini_api.call_id,
    gemini_api.signature,
    gemini_api.thinking_level,
    empty_text,
    any_of,
    labels,
)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
