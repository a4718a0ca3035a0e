"""The wire vocabulary of Bedrock Converse and ConverseStream (official types: botocore's model of `bedrock-runtime`).

VENDOR_FIELDS names the members that only this protocol has, each with the rule under which another protocol loses it.
WIRE_PATHS holds where an IR field stands on the wire. What `additionalModelRequestFields` means is up to the family of
the model.
"""

from __future__ import annotations

from typing import Any

from ..ir.error import ErrorCategory
from ..ir.request import Display, Effort, ThinkingMode, Tier
from ..ir.terminal import StopReason
from ..ir.usage import Usage
from . import ENVELOPE, filled
from . import bedrock_converse_objects as objects
from .bedrock_converse_objects import NAME as NAME
from .bedrock_converse_objects import TTL as TTL
from .objects import WireObject, by_hand, integer, other_name, vendor, vendor_fields, wire_paths

CLAUDE = "anthropic"
"""Who seals reasoning: Claude's signatures are the same on every cloud."""
AMAZON = "amazon"
"""The maker of sealed reasoning that is no text."""

DEFAULT_TTL = TTL["5m"]
MOST_BREAKPOINTS = 4
CALL_ID = r"[a-zA-Z0-9_.:-]{1,64}"
TOOL_NAME = r"[a-zA-Z0-9_-]{1,64}"
MOST_METADATA, METADATA = 16, r"[a-zA-Z0-9\s:_@$#=/+,\-.]{0,256}"
ODD_IN_NAME, MOST_OF_NAME = r"[^a-zA-Z0-9 ()\[\]-]|(?<=\s)\s", 200  # of documents

# --- words ------------------------------------------------------------------------------------------------------------

STOP = {
    "end_turn": StopReason.END,
    "tool_use": StopReason.TOOL_CALLS,
    "max_tokens": StopReason.LENGTH,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "content_filtered": StopReason.CONTENT_FILTER,
    "model_context_window_exceeded": StopReason.CONTEXT_WINDOW,
}
REASON = {**STOP, "guardrail_intervened": StopReason.CONTENT_FILTER}
STOP_OF = {reason: word for word, reason in STOP.items()} | {
    StopReason.REFUSAL: "content_filtered",
    StopReason.PAUSE: "end_turn",
    StopReason.UNKNOWN: "end_turn",
}
TIER = {"default": Tier.STANDARD, "priority": Tier.PRIORITY, "flex": Tier.FLEX, "reserved": Tier.SCALE}
TIER_OF = {tier: word for word, tier in TIER.items()}
LATENCY = {"standard": False, "optimized": True}
LATENCY_OF = {fast: word for word, fast in LATENCY.items()}
EFFORT = {effort.value: effort for effort in Effort if effort is not Effort.MINIMAL}
JSON_SCHEMA = "json_schema"

MIMES = {
    "image": {one: f"image/{one}" for one in ("png", "jpeg", "gif", "webp")},
    "audio": {
        **{one: f"audio/{one}" for one in ("opus", "wav", "aac", "flac", "ogg", "x-aac", "pcm", "webm", "mp4")},
        "mp3": "audio/mpeg",
        "mpeg": "audio/mpeg",
        "mpga": "audio/mpeg",
        "m4a": "audio/mp4",
        "mkv": "audio/x-matroska",
        "mka": "audio/x-matroska",
    },
    "video": {
        "mp4": "video/mp4",
        "webm": "video/webm",
        "mov": "video/quicktime",
        "mkv": "video/x-matroska",
        "mpeg": "video/mpeg",
        "mpg": "video/mpeg",
        "flv": "video/x-flv",
        "wmv": "video/x-ms-wmv",
        "three_gp": "video/3gpp",
    },
    "document": {
        "pdf": "application/pdf",
        "csv": "text/csv",
        "html": "text/html",
        "txt": "text/plain",
        "md": "text/markdown",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    },
}
"""By kind of medium: its formats, and the media types that they are."""
FORMATS = {kind: {mime: name for name, mime in reversed([*table.items()])} for kind, table in MIMES.items()}
PLAIN = "text/plain"

# --- what models of a family take besides -----------------------------------------------------------------------------

MODE = {mode.value: mode for mode in ThinkingMode}
DISPLAY = {display.value: display for display in Display}
EFFORT_WORDS = {effort.value: effort for effort in Effort}
TOP_EFFORT = {"low": Effort.LOW, "medium": Effort.MEDIUM, "high": Effort.HIGH}
FAMILIES = ("claude", "nova", "openai", "other")

SCHEMA_KEYWORDS = frozenset(
    """
    additionalProperties const default description enum format items minItems pattern properties required title type
    """.split()
)
"""What schemas may contain that are enforced."""


def unenforceable(keyword: str, value: Any) -> bool:
    """Whether a keyword stands in the way of a schema that is to be enforced (SCH-7)."""
    return keyword not in SCHEMA_KEYWORDS or (keyword == "minItems" and value not in (0, 1))


# --- errors -----------------------------------------------------------------------------------------------------------

ERRORS = {
    "ValidationException": ErrorCategory.INVALID_REQUEST,
    "UnrecognizedClientException": ErrorCategory.AUTHENTICATION,
    "InvalidSignatureException": ErrorCategory.AUTHENTICATION,
    "ExpiredTokenException": ErrorCategory.AUTHENTICATION,
    "MissingAuthenticationTokenException": ErrorCategory.AUTHENTICATION,
    "IncompleteSignatureException": ErrorCategory.AUTHENTICATION,
    "AccessDeniedException": ErrorCategory.PERMISSION,
    "ResourceNotFoundException": ErrorCategory.NOT_FOUND,
    "UnknownOperationException": ErrorCategory.NOT_FOUND,
    "ThrottlingException": ErrorCategory.RATE_LIMIT,
    "ServiceQuotaExceededException": ErrorCategory.RATE_LIMIT,
    "ModelTimeoutException": ErrorCategory.TIMEOUT,
    "InternalServerException": ErrorCategory.SERVER,
    "ModelErrorException": ErrorCategory.SERVER,
    "ModelStreamErrorException": ErrorCategory.SERVER,
    "ServiceUnavailableException": ErrorCategory.OVERLOADED,
    "ModelNotReadyException": ErrorCategory.OVERLOADED,
}
"""By the name of an exception; some are of all AWS services."""
VALIDATION, INTERNAL = "ValidationException", "InternalServerException"
ERROR_OF = {
    **dict.fromkeys(ErrorCategory, VALIDATION),
    **{category: name for name, category in reversed([*ERRORS.items()])},
    ErrorCategory.BILLING: "AccessDeniedException",
    ErrorCategory.SERVER: INTERNAL,
    ErrorCategory.UNKNOWN: INTERNAL,
}
IN_STREAMS = (
    INTERNAL,
    "ModelStreamErrorException",
    VALIDATION,
    "ThrottlingException",
    "ServiceUnavailableException",
)
"""Those that a stream has events of."""
ERROR_TYPE, REQUEST_ID = "x-amzn-errortype", "x-amzn-requestid"  # headers


def event_name(exception: str) -> str:
    """What the event of a stream is called that is an exception."""
    return exception[:1].lower() + exception[1:]


ERROR_EVENTS = {event_name(name): name for name in ERRORS}

# --- members ----------------------------------------------------------------------------------------------------------

USAGE = WireObject(
    f"{NAME} usage",
    Usage,
    {
        "inputTokens": integer("input"),
        "outputTokens": integer("output", sum_of=("output", "reasoning")),
        "totalTokens": integer("total"),
        "cacheReadInputTokens": integer("cache_read"),
        "cacheWriteInputTokens": integer("cache_write"),
        "cacheReadInputTokenCount": other_name("cache_read", "USE-6"),
        "cacheWriteInputTokenCount": other_name("cache_write", "USE-6"),
        "cacheDetails": by_hand("list", "details", rule="USE-4"),
        "serverToolUsage": vendor(filled("USE-4")),
    },
    others=ENVELOPE,
)

DECLARED = (
    *(objects.CACHE, objects.TOOL, objects.CALL, objects.RESULT, objects.SEARCH_RESULT),
    *(*objects.MEDIA.values(), objects.GUARDED_TEXT, objects.GUARDED_IMAGE, *objects.CITATIONS.values()),
    USAGE,
)

_DIAGNOSTICS = {
    "metrics": {"*": "DGN-1"},
    "trace": {"guardrail": "MOD-1", "promptRouter": {"*": "DGN-1"}},
    "additionalModelResponseFields": "ENV-8",
}
VENDOR_FIELDS: dict[str, Any] = {
    "Request": {
        "modelId": "",  # which Request.model is
        "additionalModelRequestFields": {
            "*": "SMP-3",
            "anthropic_beta": "ENV-4",
            "thinking": {"type": "UNK-4", "display": "UNK-4"},
            "output_config": {"effort": "UNK-4", "*": "SMP-3"},
            "reasoningConfig": {"type": "UNK-4", "maxReasoningEffort": "UNK-4"},
            "inferenceConfig": {"*": "SMP-3"},
            "reasoning_effort": "UNK-4",
            "reasoning_config": "UNK-4",
        },
        "additionalModelResponseFieldPaths": "ENV-8",
        "guardrailConfig": "MOD-1",
        "inferenceConfig": {},
        "outputConfig": {"effort": "UNK-4", "textFormat": "UNK-4"},
        "performanceConfig": {"latency": "UNK-4"},
        "projectIdentifier": "SVC-3",
        "promptVariables": "R2A-3",
        "serviceTier": {"type": "UNK-4"},
        "toolConfig": {"toolChoice": "UNK-4"},
    },
    "Document": {"document": {"format": "ENV-1"}},
    "Text": {"guardContent": {"text": {"qualifiers": "MOD-1"}}, "citationsContent": {}},
    "Inline": {"source": {}},
    "Url": {"source": {"s3Location": {"bucketOwner": "ENV-1"}}},
    "PlainText": {"source": {}},
    "Chunks": {"source": {}},
    "Reasoning": {"reasoningContent": {"reasoningText": {}}},
    "SchemaFormat": {"structure": {"jsonSchema": {}}},
    "Response": {
        **_DIAGNOSTICS,
        "performanceConfig": {"latency": "ENV-3", "*": "ENV-3"},
        "serviceTier": {"type": "ENV-3", "*": "ENV-3"},
        "output": {"message": {}},
    },
    "Event": {  # of a stream; a response has begun without what its end says
        "messageStart": {"p": ""},
        "contentBlockStart": {"p": "", "start": {}},
        "contentBlockDelta": {"p": "", "delta": {}},
        "contentBlockStop": {"p": "", "contentBlockIndex": ""},
        "messageStop": {"p": "", "additionalModelResponseFields": "ENV-8"},
        "metadata": {**_DIAGNOSTICS, "p": "", "performanceConfig": "ENV-3", "serviceTier": "ENV-3"},
    },
    "Error": {"originalStatusCode": "ERR-4", "resourceName": "ERR-4", "originalMessage": "ERR-4", "__type": "ERR-3"},
}
for _cls, _fields in vendor_fields(*DECLARED).items():
    VENDOR_FIELDS[_cls] = {**_fields, **VENDOR_FIELDS.get(_cls, {})}

_ADDITIONAL = "additionalModelRequestFields"
WIRE_PATHS: dict[str, dict[str, Any]] = {
    **wire_paths(*DECLARED),
    "Text": {
        "text": ("text", "json", "guardContent/text/text", "citationsContent/content"),
        "citations": "citationsContent/citations",
    },
    "Inline": {"data": "source/bytes", "mime": "format"},  # the object around the source has the format
    "Url": {"url": "source/s3Location/uri", "mime": "format"},
    "PlainText": {"text": "source/text", "mime": "format"},
    "Chunks": {"parts": "source/content"},
    "Reasoning": {
        "text": "reasoningContent/reasoningText/text",
        "seal": ("reasoningContent/reasoningText/signature", "reasoningContent/redactedContent"),
    },
    "Turn": {"parts": "content"},
    "Choice": {"mode": ("auto", "any")},
    "NamedChoice": {"name": "tool/name"},
    "SchemaFormat": {name: f"structure/jsonSchema/{name}" for name in ("schema", "name", "description")},
    "Output": {"format": "outputConfig/textFormat"},
    "Sampling": {
        "temperature": "inferenceConfig/temperature",
        "top_p": "inferenceConfig/topP",
        "stop": "inferenceConfig/stopSequences",
        "top_k": (f"{_ADDITIONAL}/top_k", f"{_ADDITIONAL}/inferenceConfig/topK"),
    },
    "Thinking": {
        "mode": (f"{_ADDITIONAL}/thinking/type", f"{_ADDITIONAL}/reasoningConfig/type"),
        "budget": f"{_ADDITIONAL}/thinking/budget_tokens",
        "display": f"{_ADDITIONAL}/thinking/display",
        "effort": (
            "outputConfig/effort",
            f"{_ADDITIONAL}/output_config/effort",
            f"{_ADDITIONAL}/reasoningConfig/maxReasoningEffort",
            f"{_ADDITIONAL}/reasoning_effort",
            f"{_ADDITIONAL}/reasoning_config",
        ),
    },
    "Service": {"tier": "serviceTier/type", "fast": "performanceConfig/latency", "metadata": "requestMetadata"},
    "Request": {
        "model": "modelId",
        "turns": "messages",
        "tools": "toolConfig/tools",
        "tool_choice": "toolConfig/toolChoice",
        "max_tokens": "inferenceConfig/maxTokens",
        "prefill": "messages",
    },
    "Response": {"tier": "serviceTier/type", "fast": "performanceConfig/latency", "candidates": "output/message"},
    "Candidate": {"turns": "output/message"},
    "Terminal": {
        "reason": "stopReason",
        "raw": "stopReason",
        "stop_sequence": "additionalModelResponseFields/stop_sequence",
    },
    "Error": {"message": ("message", "Message"), "type": "__type", "category": "__type"},
}
