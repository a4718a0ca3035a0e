"""The wire vocabulary of Gemini's generateContent (official types: `google.genai.types`, Vertex AI's members too).

Owns its words, both ways, the members that it alone has (VENDOR_FIELDS) and where the IR's fields stand (WIRE_PATHS).
`_values` has the rules that depend on a member's value, `_structure` the members of each object, `google` what both
protocols of Google share.
"""

from __future__ import annotations

from typing import Any

from ..ir.error import ErrorCategory
from ..ir.node import finds
from ..ir.parts import BASH, PYTHON
from ..ir.request import Effort, Role, Sampling
from ..ir.response import StopReason
from . import ENVELOPE, filled, google
from . import gemini_generate_content_values as values
from .gemini_generate_content_structure import vendor_fields
from .gemini_generate_content_values import ENUM as ENUM
from .gemini_generate_content_values import FORMAT_PATHS, SCHEMA_PATHS
from .gemini_generate_content_values import NO_BLOCK as NO_BLOCK
from .objects import WireObject, boolean, integer, number, strings, wire_paths

# --- gemini generate content paths ------------------------------------------------------------------------------------
# Where each IR field stands in generateContent, as paths below the node's object; Usage.details by their entries.


_COUNTS = "promptTokenCount cachedContentTokenCount toolUsePromptTokenCount candidatesTokenCount thoughtsTokenCount"
_DETAILS = "promptTokensDetails cacheTokensDetails toolUsePromptTokensDetails candidatesTokensDetails"
TOKENS = google.Tokens((*_COUNTS.split(), "totalTokenCount"), tuple(_DETAILS.split()), "tokenCount", upper=True)

_SEALED = {"seal": "thoughtSignature"}
_SOURCE = {"source": ("inlineData", "fileData")}
SAMPLING = WireObject(
    "gemini sampling",
    Sampling,
    {
        "temperature": number("temperature"),
        "topP": number("top_p"),
        "topK": integer("top_k"),
        "candidateCount": integer("candidates"),
        "stopSequences": strings("stop"),
        "seed": integer("seed"),
        "presencePenalty": number("presence_penalty"),
        "frequencyPenalty": number("frequency_penalty"),
        "responseLogprobs": boolean("logprobs"),
        "logprobs": integer("top_logprobs"),
    },
)
WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Text": _SEALED,
    "Reasoning": _SEALED | {"summary": "thought"},
    "Image": _SEALED | _SOURCE | {"detail": "mediaResolution/level"},
    "Audio": _SEALED | _SOURCE,
    "Video": _SOURCE,
    "Document": _SOURCE | {"title": ("inlineData/displayName", "fileData/displayName")},
    "Inline": {"mime": "mimeType"},
    "PlainText": {"mime": "mimeType"},
    "FileRef": {"id": "fileUri", "mime": "mimeType"},
    "Url": {"url": "fileUri", "mime": "mimeType"},
    "FunctionCall": _SEALED
    | {"id": "functionCall/id", "name": "functionCall/name", "arguments": ("functionCall/args", "functionCall")},
    "ToolResult": {
        "call_id": "functionResponse/id",
        "name": "functionResponse/name",
        "parts": "functionResponse/response",
        "is_error": "functionResponse/response/error",
    },
    "CodeCall": {"id": "executableCode/id", "code": "executableCode/code", "language": "executableCode/language"},
    "CodeResult": {
        "call_id": "codeExecutionResult/id",
        "stdout": "codeExecutionResult/output",
        "stderr": "codeExecutionResult/output",
        "exit_code": "codeExecutionResult/outcome",
        "error": "codeExecutionResult/outcome",
    },
    "WebSearchCall": {
        "id": "toolCall/id",
        "queries": ("toolCall/args/queries", "webSearchQueries"),
        "page": "retrievedUrl",
    },
    "WebSearchResult": {
        "call_id": "toolResponse/id",
        "hits": ("toolResponse/response", "groundingChunks"),
        "error": "urlRetrievalStatus",
        "page": "retrievedUrl",
    },
    "WebHit": {"url": "uri"},
    "FunctionTool": {"parameters": ("parametersJsonSchema", "parameters")},
    "WebSearchTool": {"blocked_domains": "excludeDomains", "searches": "searchTypes"},
    "McpServer": {
        "url": "streamableHttpTransport/url",
        "authorization": "streamableHttpTransport/headers/Authorization",
        "http_headers": "streamableHttpTransport/headers",
    },
    "NamedChoice": {"name": "allowedFunctionNames"},
    "AllowedChoice": {"tools": "allowedFunctionNames"},
    "Thinking": {
        "mode": ("thinkingConfig/thinkingBudget", "thinkingConfig/includeThoughts"),
        "budget": "thinkingConfig/thinkingBudget",
        "effort": "thinkingConfig/thinkingLevel",
        "display": "thinkingConfig/includeThoughts",
    },
    "Output": {"format": FORMAT_PATHS, "modalities": "responseModalities", "audio": "speechConfig"}
    | {"picture": "imageConfig"},
    "SchemaFormat": dict.fromkeys(("schema", "strict", "name"), SCHEMA_PATHS),
    "EnumFormat": {"schema": SCHEMA_PATHS},
    "Speech": {
        "voice": "voiceConfig/prebuiltVoiceConfig/voiceName",
        "language": "languageCode",
        "speakers": "multiSpeakerVoiceConfig",
    },
    "Picture": {"aspect_ratio": "aspectRatio", "size": "imageSize"},
    "Service": {"tier": "serviceTier", "metadata": "labels"},
    "Request": {
        "turns": "contents",
        "max_tokens": "generationConfig/maxOutputTokens",
        "tool_choice": "toolConfig/functionCallingConfig",
    },
    "Response": {
        "id": "responseId",
        "model": "modelVersion",
        "created": "createTime",
        "usage": "usageMetadata",
        "tier": "usageMetadata/serviceTier",
    },
    "Candidate": {"logprobs": "logprobsResult"},
    "ScoredToken": {"text": "token", "logprob": "logProbability", "id": "tokenId", "top": "candidates"},
    "Terminal": {
        "reason": ("finishReason", "blockReason"),
        "raw": ("finishReason", "blockReason"),
        "message": ("finishMessage", "blockReasonMessage"),
    },
    "Usage": {
        **TOKENS.paths(),
    },
    "UrlCitation": {
        "url": ("uri", "groundingChunkIndices"),
        "title": ("title", "groundingChunkIndices"),
        "cited_text": "segment/text",
        "start": ("startIndex", "segment/startIndex"),
        "end": ("endIndex", "segment/endIndex"),
    },
    "Error": {
        "category": "error/status",
        "type": "error/status",
        "message": ("error/message", "candidates/0/finishMessage", "finishMessage"),
        "status": "error/code",
        "retry_after": (*(f"error/details/{at}/retryDelay" for at in range(4)), "error/details"),
        "code": (
            *(f"error/details/{at}/reason" for at in range(4)),
            *("error/details", "candidates/0/finishReason", "finishReason"),
        ),
        "param": (*(f"error/details/{at}/fieldViolations/0/field" for at in range(4)), "error/details"),
    },
    **wire_paths(SAMPLING),
}


# --- gemini generate content ------------------------------------------------------------------------------------------


NAME = "gemini_generate_content"

ROLES = {"user": Role.USER, "model": Role.ASSISTANT, "function": Role.USER}
USER, MODEL = "user", "model"
MODEL_ROLE = {MODEL: Role.ASSISTANT}

# --- how responses end ------------------------------------------------------------------------------------------------

# The one table of finish reasons of this protocol, both ways (STS-7, FIN-2 to FIN-5); all others are unknown (FIN-7).
FINISH = {
    "STOP": StopReason.END,
    "MAX_TOKENS": StopReason.LENGTH,
    "SAFETY": StopReason.CONTENT_FILTER,
}
TELLING = dict.fromkeys(
    """
    RECITATION BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION
    IMAGE_OTHER NO_IMAGE
    """.split(),
    StopReason.CONTENT_FILTER,
)
"""Words that say more than the reason that they stand for (STS-3)."""
OTHER_FINISH = {
    **TELLING,
    **dict.fromkeys("MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS".split(), StopReason.FAILED),
    **dict.fromkeys(("MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"), StopReason.FAILED),
    "CONTINUATION": StopReason.PAUSE,
}
"""Words that are read, and written to this protocol alone."""
REASON_OF = {**OTHER_FINISH, **FINISH}
FINISH_OF = {reason: word for word, reason in FINISH.items()} | {
    StopReason.STOP_SEQUENCE: "STOP",
    StopReason.TOOL_CALLS: "STOP",
    StopReason.PAUSE: "STOP",
    StopReason.CONTEXT_WINDOW: "MAX_TOKENS",
    StopReason.REFUSAL: "SAFETY",
    StopReason.UNKNOWN: "OTHER",
    StopReason.FAILED: "OTHER",
}
NO_REASON = "FINISH_REASON_UNSPECIFIED"  # which is none, as is a missing one

# --- settings ---------------------------------------------------------------------------------------------------------

MODE = {word.upper(): mode for word, mode in google.MODE.items()}
MODE_OF = {mode: word for word, mode in MODE.items()}

LEVEL = {word.upper(): effort for word, effort in google.LEVEL.items()}
LEVEL_OF: dict[Effort, str] = {effort: word for word, effort in LEVEL.items()}
ADAPTIVE_BUDGET, NO_BUDGET = -1, 0  # the budgets by which the model decides how much it thinks, and does not think

FORMAT_MIME = {"APPLICATION_JSON": google.JSON, "TEXT_PLAIN": google.PLAIN}  # of `responseFormat`

RESOLUTION = {"MEDIA_RESOLUTION_LOW": "low", "MEDIA_RESOLUTION_HIGH": "high"}  # of a part; the IR's detail of images
RESOLUTION_OF = {detail: word for word, detail in RESOLUTION.items()}

"""Other names of formats of sound that the IR calls by what clients know them as."""

# --- parts ------------------------------------------------------------------------------------------------------------

PYTHON_CODE = "PYTHON"
LANGUAGE = {PYTHON_CODE: PYTHON}
LANGUAGE_OF = {PYTHON: PYTHON_CODE, BASH: "LANGUAGE_UNSPECIFIED"}
OUTCOME_OK, OUTCOME_FAILED = "OUTCOME_OK", "OUTCOME_FAILED"
EXIT_CODE = {OUTCOME_OK: 0, OUTCOME_FAILED: 1}
OUTCOME_ERROR = {"OUTCOME_DEADLINE_EXCEEDED": "execution_time_exceeded", "OUTCOME_UNSPECIFIED": None}
"""What outcomes of a run of code are: its exit code, or why it did not end; others are the word as it is."""

WEB_SEARCH = "GOOGLE_SEARCH_WEB"  # the type of a call that the provider makes itself
QUERIES = "queries"  # the member of such a call's arguments
OUTPUT, FAILURE = "output", "error"  # the documented keys of a function's response
VIDEO_SITES = ("https://www.youtube.com/", "https://youtube.com/", "https://m.youtube.com/", "https://youtu.be/")

# --- tools ------------------------------------------------------------------------------------------------------------

FUNCTIONS = "functionDeclarations"
SEARCH_TOOL = "googleSearch"
SEARCHES = {"webSearch": "web_search", "imageSearch": "image_search"}
SEARCH_TYPE_OF = {search: name for name, search in SEARCHES.items()}
ENTERPRISE_TOOL, ENTERPRISE = "enterpriseWebSearch", "enterprise_web_search"
"""A search tool of its own on Vertex AI, and what it searches in the words of Interactions."""
SEARCH_TOOLS = (SEARCH_TOOL, "googleSearchRetrieval", ENTERPRISE_TOOL)
CODE_TOOL = "codeExecution"
MCP_SERVERS = "mcpServers"
LISTED = (FUNCTIONS, MCP_SERVERS)  # the members that are arrays of tools
PAGES_TOOL = "urlContext"
PAGES, EACH_PAGE, OPENED = "urlContextMetadata", "urlMetadata", "URL_RETRIEVAL_STATUS_SUCCESS"  # what that tool opened
SOURCES = ("groundingMetadata", "citationMetadata", PAGES)
"""The members of a candidate about what its text rests on."""
CLIENT_TOOL = "computerUse"  # whose calls are those of functions that the client has
HOSTED_TOOLS = (PAGES_TOOL, "googleMaps", "fileSearch", "retrieval", "parallelAiSearch", "exaAiSearch")

# Of JSON Schema "only the following properties are supported: $id, $defs, $ref, $anchor, type, format, title,
# description, enum (for strings and numbers), items, prefixItems, minItems, maxItems, minimum, maximum, anyOf, oneOf
# (interpreted the same as anyOf), properties, additionalProperties, required", and `propertyOrdering` (reference of
# `responseJsonSchema`); "The model ignores unsupported properties" (documentation of structured output).
IGNORED_KEYWORDS = frozenset(
    """
    additionalItems allOf const contains dependencies dependentRequired dependentSchemas else exclusiveMaximum
    exclusiveMinimum if maxContains maxLength maxProperties minContains minLength minProperties multipleOf not pattern
    patternProperties propertyNames then unevaluatedItems unevaluatedProperties uniqueItems
    """.split()
)
"""Those that constrain a value."""

# --- errors -----------------------------------------------------------------------------------------------------------

REASON = {
    "API_KEY_INVALID": ErrorCategory.AUTHENTICATION,  # with INVALID_ARGUMENT
    "BILLING_DISABLED": ErrorCategory.BILLING,  # with PERMISSION_DENIED
}
"""Reasons that say more than the status (google.api.ErrorReason)."""
STATUS_OF = {
    ErrorCategory.INVALID_REQUEST: ("INVALID_ARGUMENT", 400),
    ErrorCategory.CONTEXT_LENGTH: ("INVALID_ARGUMENT", 400),
    ErrorCategory.TOO_LARGE: ("INVALID_ARGUMENT", 413),
    ErrorCategory.AUTHENTICATION: ("UNAUTHENTICATED", 401),
    ErrorCategory.BILLING: ("FAILED_PRECONDITION", 400),
    ErrorCategory.PERMISSION: ("PERMISSION_DENIED", 403),
    ErrorCategory.NOT_FOUND: ("NOT_FOUND", 404),
    ErrorCategory.RATE_LIMIT: ("RESOURCE_EXHAUSTED", 429),
    ErrorCategory.SERVER: ("INTERNAL", 500),
    ErrorCategory.TIMEOUT: ("DEADLINE_EXCEEDED", 504),
    ErrorCategory.OVERLOADED: ("UNAVAILABLE", 503),
    ErrorCategory.UNKNOWN: ("UNKNOWN", 500),
}
"""What is written for a category: the status word and the HTTP status, which is `code`."""
STATUS_OF_HTTP = {409: "ABORTED", 499: "CANCELLED", 501: "UNIMPLEMENTED", 503: "UNAVAILABLE"}
"""The words of other HTTP statuses, which say more than the category does."""
RETRY_INFO, ERROR_INFO, BAD_REQUEST = (
    f"type.googleapis.com/google.rpc.{name}" for name in ("RetryInfo", "ErrorInfo", "BadRequest")
)  # the `@type` of details

MODEL_PATHS = ("publishers/google/models/", "models/")


def model_name(resource: str) -> str:
    """Return a model's name without the prefix that the list of models puts before it (ENV-14)."""
    for path in MODEL_PATHS:
        if resource.startswith(path) and resource != path:
            return resource[len(path) :]
    return resource


@finds("ENV-14")
def _path_of_model(resource: Any) -> str:
    return "ENV-14" if isinstance(resource, str) and resource != model_name(resource) else ""


# --- what only this protocol has --------------------------------------------------------------------------------------

_PARTS = """
    Text Reasoning Image Audio Video Document FunctionCall ToolResult WebSearchCall WebSearchResult CodeCall CodeResult
    HostedCall HostedResult VendorPart
    """
VENDOR_FIELDS: dict[str, Any] = {
    **dict.fromkeys(_PARTS.split(), vendor_fields("Part")),
    **dict.fromkeys(("Inline", "FileRef", "Url"), vendor_fields("Blob")),
    "Request": vendor_fields("Request") | {"model": _path_of_model},
    "Turn": {"role": "ENV-7"},  # of instructions
    "AllowedChoice": {"mode": ""},
    "Terminal": {"finishReason": "STS-3"},
    "FunctionTool": vendor_fields("Function"),
    "WebSearchTool": vendor_fields("GoogleSearch", "GoogleSearchRetrieval"),
    "CodeTool": {},
    "McpServer": vendor_fields("McpServer"),
    "Response": vendor_fields("Response") | {"modelVersion": _path_of_model},
    "Candidate": vendor_fields("Candidate"),
    "Usage": vendor_fields("UsageMetadata"),
    "WebHit": vendor_fields("Web"),
    "UrlCitation": vendor_fields("Support", "Citation"),  # a segment's span, where the passage is not found there
    "Ending": {"finishReason": "STR-22"},  # that more follows
    "Changed": {"responseId": "STR-17", "modelVersion": "ENV-1"},  # within a stream
    # an error's body, or a response that failed
    "Error": ENVELOPE
    | dict.fromkeys(("modelVersion", "responseId", "createTime", "sdkHttpResponse"), "ENV-1")
    | {
        "error": {"details": values.details, "status": "ERR-3", "code": "ERR-6"},
        "candidates": values.unanswered,
        "promptFeedback": "ENV-1",
        "usageMetadata": "USE-4",
        "modelStatus": "ENV-3",
        "automaticFunctionCallingHistory": filled("ENV-8"),
        "parsed": "ENV-7",
    },
}

# --- values that every server accepts ---------------------------------------------------------------------------------

MOST_BUDGET, LEAST_BUDGET = 24576, 512  # of thinking, where there is no effort
MOST_LOGPROBS = 20
SPEAKERS = 2  # where there are several (reference of MultiSpeakerVoiceConfig)
IMAGE_TYPES = frozenset({"image/png", google.JPEG, "image/webp", "image/heic", "image/heif"})
RESULT_TYPES = frozenset({"image/png", google.JPEG, "image/webp", google.PDF, google.PLAIN})
"""Of media in responses of functions."""
VIDEO_FILES = {
    **{name: f"video/{name}" for name in ("mp4", "mpeg", "mpg", "webm", "avi", "wmv")},
    "flv": "video/x-flv",
    "mov": "video/quicktime",
    "3gp": "video/3gpp",
}
"""Media types by the end of a file's name (SRC-5)."""
