"""Conditions and rewrites of the table of Bedrock Converse.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

import re
from copy import copy
from typing import Any

from proxai_ir.ir import parts, request, tools
from proxai_ir.rules.conditions import checked, is_text_type, signature_alone
from proxai_ir.wire import bedrock_converse as wire

from .._lib.writing import text_of

LIMITS = {
    "CAC-2": f"available: {', '.join(wire.TTL)}",
    "CAC-3": f"available: {', '.join(wire.TTL)}",
    "CAC-6": f"at most {wire.MOST_BREAKPOINTS}",
    "RSN-4": "`carry_seals` sends it in an envelope",
    "SRC-2": "or an object of S3, by its s3:// URL",
    "TUL-13": f"an id must match {wire.CALL_ID}",
    "TUL-26": f"a name must match {wire.TOOL_NAME}",
}
"""What this protocol accepts, for the diagnostics of values that it rejects."""

# --- settings ---------------------------------------------------------------------------------------------------------


def too_hot(sampling: request.Sampling) -> bool:
    return sampling.temperature is not None and not 0 <= sampling.temperature <= 1


def has_empty_stop(sampling: request.Sampling) -> bool:
    return "" in (sampling.stop or ())


def without_empty_stops(sampling: request.Sampling) -> list[str] | None:
    return [one for one in sampling.stop or () if one] or None


def with_temperature(sampling: request.Sampling) -> bool:
    """Whether there is a temperature that is sent, so that `top_p` cannot be (SMP-8)."""
    return sampling.temperature is not None and not too_hot(sampling)


METADATA = re.compile(wire.METADATA).fullmatch


def odd_metadata(service: request.Service) -> bool:
    given = service.metadata or {}
    texts = all(isinstance(value, str) and METADATA(value) and METADATA(key) and key for key, value in given.items())
    return not (texts and 0 < len(given) <= wire.MOST_METADATA)


def adaptive(_: Any) -> request.ThinkingMode:
    return request.ThinkingMode.ADAPTIVE


MARKED = (
    *(parts.Text, parts.Image, parts.Audio, parts.Video, parts.Document, parts.SearchResult),
    *(parts.FunctionCall, parts.ToolResult),
)

# --- ids and names ----------------------------------------------------------------------------------------------------

CALL_ID = re.compile(wire.CALL_ID).fullmatch
ODD = re.compile(r"[^a-zA-Z0-9_.:-]")
MOST_OF_ID = 64 - len("_00000000")


def accepted_call_id(given: str) -> str:
    """The id itself, or one of this protocol's alphabet and length, with a checksum (TUL-13)."""
    return given if CALL_ID(given) is not None else checked(ODD.sub("_", given)[:MOST_OF_ID], given)


def generated_id(response_id: str, index: int) -> str:
    """The id of a call without one (TUL-17)."""
    return accepted_call_id(f"tooluse_{response_id}_{index}")


# --- media ------------------------------------------------------------------------------------------------------------


def of_other_type(kind: str) -> Any:
    """Whether data, or an object of S3, have a media type that this protocol has no format for."""
    return lambda source: source.mime not in wire.FORMATS[kind]


def not_of_s3(source: parts.Url) -> bool:
    return not source.url.startswith("s3://")


def textual(source: parts.Inline) -> bool:
    """Whether a document is text of a type that is no format here, which is sent as text."""
    return source.mime not in wire.FORMATS["document"] and is_text_type(source.mime)


def as_text(source: parts.Inline) -> parts.PlainText:
    """Refused if the data are not base64 of UTF-8 (SRC-3)."""
    return parts.PlainText(text_of(source), wire.PLAIN, source.src)


def other_text(source: parts.PlainText) -> bool:
    return source.mime not in wire.FORMATS["document"]


def plain(_: Any) -> str:
    return wire.PLAIN


MAIN = ("image/jpg", "image/jpeg")


def misnamed(source: Any) -> bool:
    return bool(source.mime == MAIN[0])


def renamed(source: parts.Inline) -> parts.Inline:
    """With the registered name of its media type (SRC-4)."""
    made = copy(source)
    made.mime = MAIN[1]
    return made


def spanned(citation: parts.UrlCitation) -> bool:
    """Whether a citation is of a part of its text, which this protocol has no places in."""
    return citation.start is not None or citation.end is not None


def illustrated(result: parts.SearchResult) -> bool:
    return any(type(part) is not parts.Text for part in result.parts)


def unsigned(reasoning: parts.Reasoning) -> bool:
    """Whether reasoning lacks a seal that this protocol's models can read."""
    return reasoning.seal is None or reasoning.seal.provider not in (wire.CLAUDE, wire.AMAZON)


def unreadable(reasoning: parts.Reasoning) -> bool:
    return not reasoning.text and unsigned(reasoning)


def unsigned_alone(reasoning: parts.Reasoning) -> bool:
    return unsigned(reasoning) and signature_alone(reasoning)


# --- tools ------------------------------------------------------------------------------------------------------------


def of_an_object(tool: tools.FunctionTool) -> dict[str, Any]:
    if tool.parameters is None and tool.strict:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    return {"type": "object", **(tool.parameters or {})}


def of_another_type(tool: tools.FunctionTool) -> bool:
    return bool((tool.parameters or {}).get("type", "object") != "object")


def untyped(tool: tools.FunctionTool) -> bool:
    return "type" not in (tool.parameters or {})
