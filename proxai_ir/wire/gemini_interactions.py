"""The wire vocabulary of Gemini Interactions (POST /v1beta/interactions; official types: `google.genai`).

Owns its words, both ways, the members that it alone has (VENDOR_FIELDS) and where the IR's fields stand (WIRE_PATHS).
`_objects` has the objects that are declared once.
"""

from __future__ import annotations

from typing import Any

from ..ir.error import ErrorCategory
from ..ir.node import finds
from ..ir.request import Display
from ..ir.response import StopReason
from . import filled, google, objects, unless
from .gemini_interactions_objects import DECLARED
from .gemini_interactions_objects import NAME as NAME

DONE, OBJECT = "[DONE]", "interaction"
LINE = "\n"  # between the texts of instructions, which are one string (PLC-8)
USER, MODEL, THOUGHT = "user_input", "model_output", "thought"  # steps of content
CALL, RESULT = "function_call", "function_result"
OUTPUTS = "outputs"  # which responses of revisions before that with steps have in their place
CONTENT = ("text", "image", "audio", "video", "document")
ANNOTATED = "text_annotation_delta"
DELTAS = frozenset(
    {
        "arguments_delta",
        "thought_summary",
        "thought_signature",
        ANNOTATED,
        "text",
        "image",
        "audio",
        "video",
        "document",
    }
)
RUNS = ("google_maps", "file_search", "url_context", "retrieval", "tool_search", "processing")
HOSTED_CALLS = tuple(f"{name}_call" for name in RUNS)
HOSTED_RESULTS = tuple(f"{name}_result" for name in RUNS)
"""Steps of what the provider runs itself, other than searches of the web, code and MCP servers."""
OWN_STEPS = frozenset({USER, MODEL, THOUGHT, RESULT, *HOSTED_CALLS, *HOSTED_RESULTS, *CONTENT})
"""The types of what an input has in this protocol alone."""
FUNCTION = "function"
MCP_SERVER, NO_ADDRESS = "mcp_server", "mcp"  # an MCP server without a name, and one without an address, in the IR
CLIENT_TOOL = "computer_use"  # whose calls are those of functions that the client has
HOSTED_TOOLS = {name: google.KIND_OF.get(name, name) for name in RUNS if name != "processing"}
"""The kinds of tools that the provider runs, by their types."""

# --- how interactions end ---------------------------------------------------------------------------------------------
# The one table of statuses of this protocol, both ways (STS-7).

COMPLETED, FAILED, IN_PROGRESS = "completed", "failed", "in_progress"
TELLING = {"budget_exceeded": StopReason.LENGTH}  # which says more than the reason that it is (STS-3)
STATUS = {
    COMPLETED: StopReason.END,
    "requires_action": StopReason.TOOL_CALLS,
    "incomplete": StopReason.LENGTH,
    **TELLING,
    "requires_continuation": StopReason.PAUSE,
    FAILED: StopReason.FAILED,
    **dict.fromkeys((IN_PROGRESS, "queued"), StopReason.UNFINISHED),
    "cancelled": StopReason.UNFINISHED,
}
STATUS_OF = dict.fromkeys(StopReason, COMPLETED) | {
    StopReason.TOOL_CALLS: "requires_action",
    **dict.fromkeys((StopReason.LENGTH, StopReason.CONTEXT_WINDOW, StopReason.CONTENT_FILTER), "incomplete"),
}

# --- settings ---------------------------------------------------------------------------------------------------------

MODE_OF = {mode: word for word, mode in google.MODE.items()}
SUMMARIES = {"auto": Display.SUMMARIZED, "none": Display.OMITTED}
SUMMARIES_OF = {display: word for word, display in SUMMARIES.items()}
STATE = ("agent", "previous_interaction_id", "continuation_token")  # what may stand in the place of an input

# --- usage ------------------------------------------------------------------------------------------------------------

_KINDS = ("input", "cached", "tool_use", "output")
TOKENS = google.Tokens(
    (*(f"total_{kind}_tokens" for kind in (*_KINDS, "thought")), "total_tokens"),
    tuple(f"{kind}_tokens_by_modality" for kind in _KINDS),
    "tokens",
    upper=False,
)
MEASURES = """
    grounding_tool_count initial_input_tokens model_invocation_token_counts non_grounding_model_invocation_token_counts
    raw_prompt_token
    """.split()
"""Counts of other things."""

# --- errors -----------------------------------------------------------------------------------------------------------

_BLOCKED = """
    safety recitation language prohibited_content spii blocklist content_blocked image_safety image_recitation
    image_prohibited_content image_other
    """.split()
_MALFORMED = """
    malformed_function_call malformed_tool_call unexpected_tool_call too_many_tool_calls missing_thought_signature
    no_image
    """.split()
_WORDS = {
    ErrorCategory.INVALID_REQUEST: ["invalid_request", "parameter_unknown", *_BLOCKED],
    ErrorCategory.AUTHENTICATION: ["authentication"],
    ErrorCategory.BILLING: ["payment_required"],
    ErrorCategory.PERMISSION: ["permission_denied"],
    ErrorCategory.NOT_FOUND: ["not_found", "model_not_found"],
    ErrorCategory.RATE_LIMIT: ["rate_limit_exceeded", "quota_exceeded"],
    ErrorCategory.SERVER: ["api_error", "internal_error", *_MALFORMED],
    ErrorCategory.TIMEOUT: ["deadline_exceeded", "gateway_timeout"],
    ErrorCategory.OVERLOADED: ["service_unavailable"],
}
"""The documented words of errors, by category; the first is the one that is written."""
ERRORS = {word.lower(): category for word, category in google.STATUS.items()} | {
    word: category for category, words in _WORDS.items() for word in words
}
"""The words of errors, in lower case: Google writes those of `google.rpc.Code` in upper case where a server in front of
the API rejects a request."""
OWN_ERRORS = frozenset(
    "already_exists data_loss deadline_exceeded failed_precondition invalid_argument out_of_range parameter_unknown "
    "permission_denied quota_exceeded resource_exhausted service_unavailable unauthenticated unimplemented".split()
).union(_BLOCKED, _MALFORMED) - {"safety", "language"}
"""Those that no other protocol has."""
GENERIC = frozenset(
    {"invalid_request", "api_error", *map(str.lower, google.GENERIC_STATUS), *_BLOCKED, *_MALFORMED},
)
ERROR_OF = {category: words[0] for category, words in _WORDS.items()} | {
    ErrorCategory.CONTEXT_LENGTH: "invalid_request",
    ErrorCategory.TOO_LARGE: "invalid_request",
    ErrorCategory.UNKNOWN: "unknown",
}

# --- what only this protocol has --------------------------------------------------------------------------------------

ECHOES = """
    agent agent_config cached_content environment generation_config input labels object previous_interaction_id
    response_format response_mime_type response_modalities safety_settings system_instruction tools updated
    webhook_config continuation_ids
    """.split()
"""Members of a response that repeat the request, or say nothing that a client depends on."""


@finds("OUT-6")
def _formats(value: Any) -> str:
    """Return the rule of formats that are kept: none where text and the settings of one image are read from them."""
    listed = value if isinstance(value, list) else [value]
    known = all(
        isinstance(one, dict)
        and any(one.get("type") == name and one.keys() <= keys for name, keys in FORMAT_KEYS.items())
        for one in listed
    )
    return "" if known and [one.get("type") for one in listed].count("image") == 1 else "OUT-6"


FORMAT_KEYS = {"text": {"type", "mime_type", "schema"}, "image": {"type", "aspect_ratio", "image_size"}}
"""The members of formats that are read, by their types."""


@finds("OUT-6")
def _modalities(value: Any) -> str:
    """Return the rule of modalities that are kept: none for those that are read as well."""
    return "" if isinstance(value, list) and all(one in MODALITIES for one in value) else "OUT-6"


@finds("OUT-6")
def _pictures(value: Any) -> str:
    """Return the rule of settings of images, which are kept: none for those that are read as well."""
    known = isinstance(value, dict) and value.keys() <= FORMAT_KEYS["image"]
    return "" if known else "OUT-6"


MODALITIES = ("text", "audio", "image")
SHARED = frozenset({"background", "service_tier"})  # members that other protocols have, too
_REQUEST: dict[str, Any] = {
    "agent": "HST-90",
    "agent_config": "HST-90",
    "previous_interaction_id": "R2A-3",
    "cached_content": "R2A-3",
    "continuation_token": "R2A-3",
    "environment": "HST-1",
    "background": unless(False, "SVC-5"),
    "webhook_config": "SVC-90",
    "safety_settings": filled("MOD-1"),
    "service_tier": "SVC-1",
    "response_format": _formats,
    "response_mime_type": "OUT-6",
    "response_modalities": _modalities,
    "generation_config": {
        "image_config": _pictures,
        "video_config": filled("OUT-6"),
        "speech_config": filled("OUT-6"),
        "transcription_config": filled("OUT-6"),
        "thinking_level": "UNK-4",
        "thinking_summaries": "UNK-4",
        "tool_choice": "UNK-4",
    },
}


@finds("ERR-3", "ERR-4")
def _failures(errors: Any) -> str:
    """Return the rule of the list of failures beside the first one; of a single one, only its word is lost."""
    if errors == []:
        return ""
    one = errors[0] if isinstance(errors, list) and len(errors) == 1 else None
    return "ERR-3" if isinstance(one, dict) and not one.keys() - {"code", "message"} else "ERR-4"


VENDOR_FIELDS: dict[str, Any] = {
    **objects.vendor_fields(*DECLARED),
    "Request": _REQUEST,
    "Reasoning": {},
    "UrlCitation": objects.vendor_fields(*DECLARED)["UrlCitation"] | {"type": ""},
    "Turn": {"summary": "IMG-4", "error": "ERR-4"},
    "AllowedChoice": {"mode": ""},
    "Response": dict.fromkeys(ECHOES, "ENV-1")
    | {"environment_id": "HST-1", "continuation_token": "CTX-1", "errors": filled("ERR-4"), "service_tier": "ENV-3"}
    | {"created": "", "output_text": "", "*": "UNK-6"},
    "Terminal": {"status": "STS-3"},
    "Usage": dict.fromkeys(TOKENS.counts, "USE-2")
    | dict.fromkeys((*TOKENS.details, *MEASURES), "USE-4")
    | {"*": "UNK-6"},
    "Event": {"event_id": "ENV-1", "event_type": "", "metadata": "USE-4", "usage": "USE-4", "step_usage": "USE-4"},
    "Contradicted": {"error": "STR-16"},
    "Status": {"event_id": "ENV-1", "usage": "USE-4", "continuation_token": "CTX-1"},
    "Error": dict.fromkeys(ECHOES, "ENV-1")
    | dict.fromkeys(("id", "interaction_id", "model", "status", "created", "event_id"), "ENV-1")
    | {"error": {"code": "ERR-3", "details": "ERR-4", "status": "ERR-3"}, "errors": _failures}
    | {"steps": filled("ERR-2")}
    | {"usage": "USE-4", "service_tier": "ENV-3"},
}

_SOURCE = {"source": ("data", "uri")}
_CONFIG = "generation_config"
RATIOS = tuple("1:1 2:3 3:2 3:4 4:3 4:5 5:4 9:16 16:9 21:9 1:8 8:1 1:4 4:1".split())
SIZES = ("512", "1K", "2K", "4K")
"""The ratios and sizes of images to generate that the official types list."""
WIRE_PATHS: dict[str, Any] = objects.wire_paths(*DECLARED) | {
    **dict.fromkeys(("Image", "Audio", "Video", "Document"), _SOURCE),
    "Inline": {"mime": "mime_type"},
    "PlainText": {"text": "data", "mime": "mime_type"},
    "FileRef": {"id": "uri", "mime": "mime_type"},
    "Url": {"url": "uri", "mime": "mime_type"},
    "Reasoning": {"seal": "signature", "summary": "summary"},
    "CodeResult": {"stdout": "result", "stderr": "result", "exit_code": "is_error", "error": "is_error"},
    "NamedChoice": {"name": "allowed_tools/tools"},
    "AllowedChoice": {"tools": "allowed_tools/tools", "mode": "allowed_tools/mode"},
    "Sampling": {"stop": "stop_sequences"},
    "Thinking": {"mode": "thinking_summaries", "effort": "thinking_level", "display": "thinking_summaries"},
    "Output": {
        "format": "response_format",
        "modalities": ("response_modalities", "response_format"),
        "audio": f"{_CONFIG}/speech_config",
        "picture": (f"{_CONFIG}/image_config", "response_format"),
    },
    "Picture": {"size": "image_size"},
    "Service": {"tier": "service_tier", "metadata": "labels"},
    "Request": {
        "turns": "input",
        "max_tokens": f"{_CONFIG}/max_output_tokens",
        "tool_choice": f"{_CONFIG}/tool_choice",
    },
    "Response": {"tier": "service_tier"},
    "Terminal": {"reason": "status", "raw": "status"},
    "Usage": {
        **TOKENS.paths(),
    },
    "Error": {
        **dict.fromkeys(("category", "type", "code"), ("error/code", "errors/0/code", "error/status")),
        "message": ("error/message", "errors/0/message"),
    },
}
WIRE_PATHS["Image"] = _SOURCE | {"detail": "resolution"}

# --- values that every server accepts ---------------------------------------------------------------------------------

_OFFICE, _OPEN = "application/vnd.openxmlformats-officedocument", "application/vnd.oasis.opendocument"
DOCUMENT_TYPES = frozenset(
    f"""
    {google.PDF} application/msword application/vnd.ms-excel application/vnd.ms-powerpoint
    {_OPEN}.presentation {_OPEN}.spreadsheet {_OPEN}.text {_OFFICE}.presentationml.presentation
    {_OFFICE}.spreadsheetml.sheet {_OFFICE}.wordprocessingml.document {_OFFICE}.wordprocessingml.template
    """.split()
)
IMAGE_TYPES = frozenset(f"image/{name}" for name in "png jpeg webp heic heif gif bmp tiff".split())
