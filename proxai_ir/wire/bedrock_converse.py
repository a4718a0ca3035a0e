"""The wire vocabulary of AWS Bedrock's Converse (official types: botocore's model `bedrock-runtime`).

Owns its words, its objects, which members it alone has (VENDOR_FIELDS, each with the rule under which another protocol
loses it), and where the IR's fields stand (WIRE_PATHS). Blobs are base64. Rules: STS-7, LOS-3, RSN-4, DOC-80, SMP-80.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64encode
from typing import Any

from .. import ir
from ..ir.error import ErrorCategory
from ..ir.node import Cache, Seal, finds
from ..ir.parts import CitationUnit, DocumentCitation, UrlCitation
from ..ir.request import Display, Effort, SchemaFormat, ThinkingMode, Tier
from ..ir.response import Response, StopReason, Usage
from ..ir.tools import Choice, ChoiceMode, FunctionTool, NamedChoice, WebSearchTool
from . import ENVELOPE, FILE_TYPES, filled, unless
from .anthropic import rule_of
from .objects import (
    Members,
    WireObject,
    boolean,
    by_hand,
    constant,
    integer,
    mapping,
    other_name,
    required,
    string,
    vendor,
    vendor_fields,
    wire_paths,
    word,
)

NAME = "bedrock_converse"
ANTHROPIC, OWN = "anthropic", "bedrock"
"""The makers of seals: Claude's are the same on every platform; what is no text in a blob is Bedrock's alone."""
SIGNATURE, REDACTED = "signature", "redacted"

# --- words ------------------------------------------------------------------------------------------------------------

STOP = {
    "end_turn": StopReason.END,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "max_tokens": StopReason.LENGTH,
    "model_context_window_exceeded": StopReason.CONTEXT_WINDOW,
    "tool_use": StopReason.TOOL_CALLS,
    "content_filtered": StopReason.CONTENT_FILTER,
}
TELLING = {"guardrail_intervened": StopReason.CONTENT_FILTER}  # which says more than the reason that it is (STS-3)
REASON = {
    **STOP,
    **TELLING,
    "malformed_model_output": StopReason.FAILED,
    "malformed_tool_use": StopReason.FAILED,
}
STOP_OF = {reason: word for word, reason in STOP.items()} | {StopReason.REFUSAL: "content_filtered"}

TTL = {"5m": 300, "1h": 3600}  # seconds
MOST_BREAKPOINTS = 4  # of the cache, in one request
TIER = {"default": Tier.STANDARD, "priority": Tier.PRIORITY, "flex": Tier.FLEX, "reserved": Tier.SCALE}
TIER_OF = {tier: word for word, tier in TIER.items()}
LATENCY = {"standard": False, "optimized": True}
LATENCY_OF = {fast: word for word, fast in LATENCY.items()}
STATUS = {"success": False, "error": True}
THINKING = {mode.value: mode for mode in ThinkingMode}
DISPLAY = {display.value: display for display in Display}
NO_EFFORT = "none"  # in place of an effort
EFFORT = {effort.value: effort for effort in Effort}
METADATA = re.compile(r"[a-zA-Z0-9\s:_@$#=/+,.\-]{0,256}", re.ASCII)  # a key or a value of `requestMetadata`
MOST_METADATA = 16

CALL_ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
NOT_IN_DOCUMENT_NAME = re.compile(r"[^a-zA-Z0-9\-()\[\] ]+")
LONGEST_DOCUMENT_NAME = 200
STOP_SEQUENCE, DELTA = "stop_sequence", "delta"
STOP_PATHS = {False: f"/{STOP_SEQUENCE}", True: f"/{DELTA}/{STOP_SEQUENCE}"}
"""Where Claude's own response has the stop sequence that was matched, whole and streamed; below it is among
`additionalModelResponseFields` if a request asks for it."""
BETAS = "anthropic_beta"  # of Claude's additional request fields
CLIENT_TOOL = re.compile(r"(?:bash|computer|text_editor)_2025\d{4}")  # the types of tools among those fields
COMPUTER_USE = "computer-use-2025-01-24"  # the beta that they need, but for those of `NEWER_USE`
NEWER_USE = {"computer_20251124": "computer-use-2025-11-24"}
SEARCH = "nova_grounding"
RUN_THERE = frozenset({SEARCH, "nova_code_interpreter"})
"""The tools that the service itself runs for Nova, whose calls need not say so: their results follow them."""
ALONE = "disable_parallel_tool_use"  # of the choice of tools among them
ADDED, SHOWN = "additionalModelRequestFields", "additionalModelResponseFields"
ASKED = "additionalModelResponseFieldPaths"

USUAL_LIMIT = 4096  # of output tokens, which some models have unasked and thinking counts toward

S3 = "s3://"
FORMATS = {
    "document": {**{key: FILE_TYPES[key] for key in ("pdf", "csv", "docx", "xlsx", "html", "txt", "md")}}
    | {"doc": "application/msword", "xls": "application/vnd.ms-excel"},
    "image": {key: f"image/{key}" for key in ("png", "jpeg", "gif", "webp")},
    "audio": {key: f"audio/{key}" for key in ("mp3", "opus", "wav", "aac", "flac", "ogg", "pcm", "webm", "m4a", "mkv")},
    "video": {"mov": "video/quicktime", "three_gp": "video/3gpp", "mkv": "video/x-matroska", "flv": "video/x-flv"}
    | {"wmv": "video/x-ms-wmv", "mp4": "video/mp4", "webm": "video/webm", "mpeg": "video/mpeg"},
}
"""By kind of block: the media types of its formats."""
FORMAT_OF = {kind: {mime: name for name, mime in table.items()} for kind, table in FORMATS.items()}
FORMAT_OF["audio"] |= {"audio/mpeg": "mp3", "audio/x-wav": "wav", "audio/mp4": "m4a"}


def is_metadata(key: Any, value: Any) -> bool:
    """Return whether `requestMetadata` may hold a pair."""
    return key != "" and all(isinstance(one, str) and METADATA.fullmatch(one) for one in (key, value))


def mime_of(kind: str, name: str) -> str:
    """Return the media type of a format, which may be unknown, or a media type itself."""
    return FORMATS[kind].get(name) or (name if "/" in name else f"{kind}/{name}")


def blob_of(seal: Seal) -> str:
    """Return a seal, or the envelope around it, as a blob."""
    return seal.data if seal.provider == OWN else b64encode(seal.data.encode("utf-8", "surrogatepass")).decode()


def text_of_blob(blob: str) -> str | None:
    """Return the text in a blob, such as Claude's redacted thinking or an envelope; None if it holds no text."""
    try:
        text = binascii.a2b_base64(blob, strict_mode=True).decode("ascii")
    except ValueError:
        return None
    return text if b64encode(text.encode()).decode() == blob else None


# --- errors -----------------------------------------------------------------------------------------------------------

ERROR_TYPE = {
    "AccessDeniedException": ErrorCategory.PERMISSION,
    "ThrottlingException": ErrorCategory.RATE_LIMIT,
    "ServiceQuotaExceededException": ErrorCategory.RATE_LIMIT,
    "ResourceNotFoundException": ErrorCategory.NOT_FOUND,
    "UnknownOperationException": ErrorCategory.NOT_FOUND,  # of AWS's front doors, with the status 200, too
    "ModelTimeoutException": ErrorCategory.TIMEOUT,
    "InternalServerException": ErrorCategory.SERVER,
    "ServiceUnavailableException": ErrorCategory.OVERLOADED,
    "ModelNotReadyException": ErrorCategory.OVERLOADED,
    "ModelErrorException": ErrorCategory.SERVER,
    "ModelStreamErrorException": ErrorCategory.SERVER,
    "ValidationException": ErrorCategory.INVALID_REQUEST,
    **dict.fromkeys(
        (
            "UnrecognizedClientException",
            "InvalidSignatureException",
            "IncompleteSignatureException",
            "MissingAuthenticationTokenException",
            "ExpiredTokenException",
        ),
        ErrorCategory.AUTHENTICATION,
    ),
}
ERROR_TYPE_OF = {category: word for word, category in reversed(ERROR_TYPE.items())} | {
    ErrorCategory.RATE_LIMIT: "ThrottlingException",
    ErrorCategory.SERVER: "InternalServerException",
    ErrorCategory.BILLING: "AccessDeniedException",
    ErrorCategory.TOO_LARGE: "ValidationException",
    ErrorCategory.CONTEXT_LENGTH: "ValidationException",
    ErrorCategory.UNKNOWN: "InternalServerException",
}
GENERIC_ERRORS = frozenset({"ValidationException", "InternalServerException"})  # of which a status says more (ERR-10)
IN_STREAM = frozenset(
    "internalServerException modelStreamErrorException validationException throttlingException "
    "serviceUnavailableException".split()
)
"""The exceptions that a stream may have; they are the first ones of a category, else one of the server."""
HEADERS = ":headers"  # next to an event: the headers of its frame that nothing else implies
INPUT_TOO_LONG = "Input is too long for requested model"  # by which clients know that error (ERR-7)
ERROR_HEADER, BODY_TYPE = "x-amzn-errortype", "__type"
OUTPUT = "Output"  # which holds the type in bodies of front doors that do not know a request's operation

# --- objects ----------------------------------------------------------------------------------------------------------


def _block(kind: str, cls: type, members: Members, fixed: dict[str, Any] | None = None) -> WireObject:
    return WireObject(f"{NAME} {kind}", cls, {kind: required(members)}, fixed or {})


CACHE = _block("cachePoint", Cache, {"type": constant("default"), "ttl": word("ttl", TTL)})
TEXT = WireObject(f"{NAME} text", ir.Text, {"text": required(string("text"))})
_GUARDED: Members = {"text": required(string("text")), "qualifiers": vendor(filled("MOD-1"))}
GUARDED_TEXT = _block("guardContent", ir.Text, {"text": required(_GUARDED)})
CITED = _block(
    "citationsContent", ir.Text, {"content": by_hand("list", "text"), "citations": by_hand("list", "citations")}
)
_THOUGHT: Members = {"text": required(string("text", default="")), "signature": by_hand("str", "seal")}
REASONING = {
    "reasoningText": _block("reasoningContent", ir.Reasoning, {"reasoningText": required(_THOUGHT)}),
    "redactedContent": _block(
        "reasoningContent", ir.Reasoning, {"redactedContent": required(by_hand("str", "seal"))}, {"text": None}
    ),
}
_MEDIA: Members = {"format": required(by_hand("str")), "source": required(by_hand("dict", "source"))}
_MADE: Members = {**_MEDIA, "error": vendor("ENV-8")}
IMAGE = _block("image", ir.Image, _MADE)
GUARDED_IMAGE = _block("guardContent", ir.Image, {"image": required(_MEDIA)})
AUDIO = _block("audio", ir.Audio, _MADE)
VIDEO = _block("video", ir.Video, _MEDIA)
_CITED: Members = {"enabled": boolean("cite")}
DOCUMENT = _block(
    "document",
    ir.Document,
    {
        "format": by_hand("str"),
        "name": required(string("title")),
        "source": required(by_hand("dict", "source")),
        "context": string("context"),
        "citations": _CITED,
    },
)
SEARCH_RESULT = _block(
    "searchResult",
    ir.SearchResult,
    {
        "source": required(string("source")),
        "title": required(string("title")),
        "content": required(by_hand("list", "parts")),
        "citations": _CITED,
    },
)
CALL = _block(
    "toolUse",
    ir.FunctionCall,
    {
        "toolUseId": required(string("id")),
        "name": required(string("name")),
        "input": required(by_hand("", "arguments")),
        "type": vendor(unless("tool_use", "UNK-4")),
    },
)
RESULT = _block(
    "toolResult",
    ir.ToolResult,
    {
        "toolUseId": required(string("call_id")),
        "content": required(by_hand("list", "parts")),
        "status": word("is_error", STATUS),
        "type": vendor("UNK-4"),
    },
)
TOOL = _block(
    "toolSpec",
    FunctionTool,
    {
        "name": required(string("name")),
        "description": string("description"),
        "inputSchema": required({"json": required(mapping("parameters"))}),
        "strict": boolean("strict"),
    },
)
WEB_SEARCH = _block("systemTool", WebSearchTool, {"name": required(constant(SEARCH))}, {"kind": SEARCH})
CHOICES = {
    "auto": _block("auto", Choice, {}, {"mode": ChoiceMode.AUTO}),
    "any": _block("any", Choice, {}, {"mode": ChoiceMode.REQUIRED}),
    "tool": _block("tool", NamedChoice, {"name": required(string("name"))}),
}
_SCHEMA: Members = {
    "schema": required(by_hand("str", "schema")),
    "name": string("name"),
    "description": string("description"),
}
SCHEMA_TYPE = "json_schema"
SCHEMA = WireObject(
    f"{NAME} textFormat",
    SchemaFormat,
    {"type": required(constant(SCHEMA_TYPE)), "structure": required({"jsonSchema": required(_SCHEMA)})},
    {"strict": True},
)

CLAUDES_SCHEMA = WireObject(
    f"{NAME} output_config format",
    SchemaFormat,
    {"type": required(constant(SCHEMA_TYPE)), "schema": required(mapping("schema"))},
    {"strict": True},
)
"""The same among Claude's additional request fields."""


def _citation(cls: type, location: str, members: Members, fixed: dict[str, Any] | None = None) -> WireObject:
    shared: Members = {"sourceContent": by_hand("list", "cited_text"), "source": vendor("CIT-4")}
    place: Members = {"location": required({location: required(members)}), "title": string("title")}
    return WireObject(f"{NAME} {location}", cls, {**place, **shared}, fixed or {})


_PLACE: Members = {
    "documentIndex": required(integer("document")),
    "start": required(integer("start")),
    "end": required(integer("end")),
}
WEB = "web"
CITATIONS = {
    WEB: _citation(UrlCitation, WEB, {"url": required(string("url")), "domain": vendor("CIT-4")}),
    "documentChar": _citation(DocumentCitation, "documentChar", _PLACE, {"unit": CitationUnit.CHAR}),
    "documentPage": _citation(DocumentCitation, "documentPage", _PLACE, {"unit": CitationUnit.PAGE}),
    "documentChunk": _citation(DocumentCitation, "documentChunk", _PLACE, {"unit": CitationUnit.BLOCK}),
}
"""By location; those of search results are in the vendor's own terms."""

USAGE = WireObject(
    f"{NAME} usage",
    Usage,
    {
        "inputTokens": integer("input", default=0),
        "outputTokens": integer("output", sum_of=("output", "reasoning")),
        "totalTokens": integer("total"),
        "cacheReadInputTokens": integer("cache_read"),
        "cacheWriteInputTokens": integer("cache_write"),
        "cacheDetails": by_hand("list", "details"),
        "cacheReadInputTokenCount": other_name("cache_read", "USE-6"),
        "cacheWriteInputTokenCount": other_name("cache_write", "USE-6"),
        "serverToolUsage": vendor(filled("USE-4")),
    },
    others=ENVELOPE,
)
_SERVED: Members = {
    "usage": by_hand("dict", "usage"),
    "performanceConfig": {"latency": word("fast", LATENCY)},
    "serviceTier": {"type": word("tier", TIER)},
    "metrics": vendor("ENV-1"),
    "trace": vendor("DGN-1"),
}
_UNNAMED = {"protocol": NAME, "id": None, "model": None, "candidates": ()}
RESPONSE = WireObject(
    f"{NAME} response",
    Response,
    {"output": {"message": by_hand("dict")}, "stopReason": by_hand("str"), SHOWN: by_hand(), **_SERVED},
    _UNNAMED,
)
SERVED = WireObject(f"{NAME} metadata", Response, _SERVED, _UNNAMED)
"""Of a stream: the same without the message."""
WRITTEN = "cache_write."  # what the names of details begin with, before seconds

DECLARED = (
    *(CACHE, TEXT, GUARDED_TEXT, CITED, *REASONING.values(), IMAGE, GUARDED_IMAGE, AUDIO, VIDEO, DOCUMENT),
    *(SEARCH_RESULT, CALL, RESULT, TOOL, WEB_SEARCH, *CHOICES.values(), SCHEMA, CLAUDES_SCHEMA),
    *(*CITATIONS.values(), USAGE, RESPONSE),
)

# --- members without an IR field, and places --------------------------------------------------------------------------


@finds("", "ENV-8")
def asked(paths: Any) -> str:
    """Return the rule that reports paths of additional response fields; the stop sequence is among what others have."""
    return "" if isinstance(paths, list) and all(one in STOP_PATHS.values() for one in paths) else "ENV-8"


_METRICS = {"metrics": "ENV-1", "trace": "DGN-1"}
_OTHER_STOP = finds("ENV-8")(lambda value: "" if value is None else "ENV-8")  # null: there was none
_SHOWN = {STOP_SEQUENCE: _OTHER_STOP, "*": "ENV-8"}
_LATE = dict.fromkeys(("performanceConfig", "serviceTier"), "ENV-3")  # known only when a stream ends
VENDOR_FIELDS: dict[str, dict[str, Any]] = {
    "Request": {
        "modelId": "",
        "guardrailConfig": "MOD-1",
        ASKED: asked,
        "promptVariables": "R2A-3",  # of a stored prompt
        "performanceConfig": {"latency": "UNK-4"},
        "serviceTier": {"type": "SVC-1"},
        "outputConfig": {"effort": "UNK-4", "textFormat": "UNK-4"},
        "toolConfig": {"toolChoice": "UNK-4"},
        "inferenceConfig": {},
        ADDED: {
            BETAS: rule_of,
            "anthropic_version": "ENV-4",
            "thinking": {"type": "UNK-4", "display": "UNK-4", "*": "SMP-80"},
            "output_config": {"effort": "UNK-4", "format": "UNK-4", "task_budget": "CTX-1", "*": "SMP-80"},
            "tool_choice": {"*": "SMP-80"},
            "reasoning": {"effort": "UNK-4", "*": "SMP-80"},
            "reasoningConfig": {"type": "UNK-4", "maxReasoningEffort": "UNK-4", "*": "SMP-80"},
            "*": "SMP-80",
        },
    },
    "Turn": {},
    "Inline": {"source": {}},
    "Url": {"source": {"s3Location": {"bucketOwner": "ENV-1"}}},
    "PlainText": {"source": {}},
    "Chunks": {"source": {}},
    "Terminal": {"stopReason": "STS-3", SHOWN: {DELTA: {STOP_SEQUENCE: ""}}},
    "Event": {**ENVELOPE, **_METRICS, **_LATE, "p": "", SHOWN: _SHOWN, "start": {}, "delta": {}},
    "Error": {
        **dict.fromkeys(("originalStatusCode", "originalMessage", "resourceName"), "ERR-4"),
        BODY_TYPE: "ERR-3",
        # of a response whose generation failed (FIN-8)
        "output": {"message": {"role": "", "content": filled("ERR-2")}},
        "stopReason": "",
        "usage": "USE-4",
        SHOWN: "ENV-8",
        **_METRICS,
        **_LATE,
    },
    **vendor_fields(*DECLARED),
}
VENDOR_FIELDS["Usage"] |= {"cacheDetails": "USE-4"}  # of lifetimes that are not listed
VENDOR_FIELDS["Response"] |= {**ENVELOPE, SHOWN: _SHOWN}
for _guarded in ("Text", "Image"):  # the mark itself, with its qualifiers: a guardrail judges nothing else then
    VENDOR_FIELDS[_guarded] |= {"guardContent": "MOD-1"}
_LEVELS = ("reasoning_effort", "reasoning_config", "reasoning/effort")
WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Request": {
        "model": "modelId",
        "turns": "messages",
        "tools": "toolConfig/tools",
        "tool_choice": ("toolConfig/toolChoice", f"{ADDED}/tool_choice"),
        "parallel_tools": f"{ADDED}/tool_choice/{ALONE}",
        "max_tokens": "inferenceConfig/maxTokens",
        "prefill": "messages",
    },
    "Turn": {"parts": "content"},
    "Sampling": {"top_p": "topP", "stop": "stopSequences", "top_k": ("top_k", "inferenceConfig/topK")},
    "Thinking": {
        "mode": ("thinking/type", "reasoningConfig/type", *_LEVELS),
        "budget": "thinking/budget_tokens",
        "display": "thinking/display",
        "effort": (
            "effort",
            "output_config/effort",
            *_LEVELS,
            "reasoningConfig/maxReasoningEffort",
        ),
    },
    "Output": {"format": ("textFormat", "format")},
    "Service": {"tier": "serviceTier/type", "fast": "performanceConfig/latency", "metadata": "requestMetadata"},
    "Choice": {"mode": ("auto", "any")},
    "Inline": {"data": "source/bytes", "mime": "format"},
    "Url": {"url": "source/s3Location/uri", "mime": "format"},
    "PlainText": {"text": "source/text", "mime": "format"},
    "Chunks": {"parts": "source/content"},
    "Terminal": {
        "reason": "stopReason",
        "raw": "stopReason",
        "stop_sequence": tuple(f"{SHOWN}{path}" for path in STOP_PATHS.values()),
    },
    "Error": {"type": BODY_TYPE, "category": BODY_TYPE, "code": "stopReason"},
    **wire_paths(*DECLARED),
}
WIRE_PATHS["Usage"] |= {f"{WRITTEN}{lifetime}": "cacheDetails" for lifetime in TTL.values()}
