"""The wire vocabulary of Gemini's generateContent (official types: `google.genai.types`, Vertex AI's members too).

Tables of words both ways, and what only this protocol has with the rule that reports its loss. `_paths` has where each
IR field stands on the wire, `_values` the rules that depend on a value, `_structure` the members of each object.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

from ..ir.calls import PYTHON
from ..ir.error import ErrorCategory
from ..ir.request import Effort, Tier
from ..ir.terminal import StopReason
from ..ir.tools import ChoiceMode
from ..ir.turns import Role
from . import ENVELOPE, filled, unless
from . import gemini_generate_content_values as values
from .gemini_generate_content_paths import DETAILS as DETAILS
from .gemini_generate_content_paths import MEDIA as MEDIA
from .gemini_generate_content_paths import TOOL_USE as TOOL_USE
from .gemini_generate_content_paths import WIRE_PATHS as WIRE_PATHS

NAME = "gemini_generate_content"
PROVIDER = "google"

ROLES = {"user": Role.USER, "model": Role.ASSISTANT, "function": Role.USER}
USER, MODEL = "user", "model"
SIGNATURE = "signature"  # the kind of a seal: `thoughtSignature`

# --- how responses end ------------------------------------------------------------------------------------------------

# The one table of finish reasons of this protocol, both ways (STS-7, FIN-2 to FIN-5); all others are unknown (FIN-7).
FINISH = {
    "STOP": StopReason.END,
    "MAX_TOKENS": StopReason.LENGTH,
    "SAFETY": StopReason.CONTENT_FILTER,
}
OTHER_FINISH = {
    **dict.fromkeys("RECITATION BLOCKLIST PROHIBITED_CONTENT SPII MODEL_ARMOR".split(), StopReason.CONTENT_FILTER),
    **dict.fromkeys("IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION".split(), StopReason.CONTENT_FILTER),
    **dict.fromkeys(("IMAGE_OTHER", "NO_IMAGE"), StopReason.CONTENT_FILTER),
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
NO_BLOCK = ("BLOCK_REASON_UNSPECIFIED", "BLOCKED_REASON_UNSPECIFIED")

# --- settings ---------------------------------------------------------------------------------------------------------

MODE = {
    "AUTO": ChoiceMode.AUTO,
    "NONE": ChoiceMode.NONE,
    "ANY": ChoiceMode.REQUIRED,
    "VALIDATED": ChoiceMode.VALIDATED,
}
MODE_OF = {mode: word for word, mode in MODE.items()}

LEVEL = {effort.name: effort for effort in Effort if effort is not Effort.MAX}
LEVEL_OF: dict[Effort, str] = {effort: word for word, effort in LEVEL.items()}
ADAPTIVE_BUDGET, NO_BUDGET = -1, 0  # the budgets by which the model decides how much it thinks, and does not think

TIER = {"standard": Tier.STANDARD, "flex": Tier.FLEX, "priority": Tier.PRIORITY}
TIER_OF = {tier: word for word, tier in TIER.items()}
NO_TIER = "unspecified"

AUDIO = "pcm16"  # the format of all speech of this provider
JSON, PLAIN = "application/json", "text/plain"
FORMAT_MIME = {"APPLICATION_JSON": JSON, "TEXT_PLAIN": PLAIN}  # of `responseFormat`

RESOLUTION = {"MEDIA_RESOLUTION_LOW": "low", "MEDIA_RESOLUTION_HIGH": "high"}  # of a part; the IR's detail of images
RESOLUTION_OF = {detail: word for word, detail in RESOLUTION.items()}

AUDIO_TYPE = {"audio/mpeg": "audio/mp3", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav"}
"""Other names of formats of sound that the IR calls by what clients know them as."""

# --- parts ------------------------------------------------------------------------------------------------------------

DATA = frozenset(
    """
    text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse
    audioTranscription
    """.split()
)
"""The members of which a part has exactly one."""

PYTHON_CODE = "PYTHON"
LANGUAGE = {PYTHON_CODE: PYTHON}
LANGUAGE_OF = {language: word for word, language in LANGUAGE.items()}
OUTCOME_OK, OUTCOME_FAILED = "OUTCOME_OK", "OUTCOME_FAILED"
EXIT_CODE = {OUTCOME_OK: 0, OUTCOME_FAILED: 1}
OUTCOME_ERROR = {"OUTCOME_DEADLINE_EXCEEDED": "execution_time_exceeded", "OUTCOME_UNSPECIFIED": None}
"""What outcomes of a run of code are: its exit code, or why it did not end; others are the word as it is."""

WEB_SEARCH = "GOOGLE_SEARCH_WEB"  # the type of a call that the provider makes itself
QUERIES = "queries"  # the member of such a call's arguments
OUTPUT, FAILURE = "output", "error"  # the documented keys of a function's response
VIDEO_SITES = ("https://www.youtube.com/", "https://youtube.com/", "https://m.youtube.com/", "https://youtu.be/")
FILES = ("https://generativelanguage.googleapis.com/", "gs://")  # what the URI of a file that Google stores begins with


def byte_offsets(text: str) -> Sequence[int]:
    """Where each character begins, and where the text ends: this protocol counts places in texts in bytes of UTF-8."""
    if text.isascii():
        return range(len(text) + 1)
    data = text.encode("utf-8", "surrogatepass")
    return [*compress(range(len(data)), data.translate(BEGINS)), len(data)]


BEGINS = bytes(not 0x80 <= byte < 0xC0 for byte in range(256))  # whether a character begins with such a byte


# --- tools ------------------------------------------------------------------------------------------------------------

FUNCTIONS = "functionDeclarations"
SEARCH_TOOL = "googleSearch"
SEARCH_TOOLS = (SEARCH_TOOL, "googleSearchRetrieval", "enterpriseWebSearch")
CODE_TOOL = "codeExecution"
MCP_SERVERS = "mcpServers"
LISTED = (FUNCTIONS, MCP_SERVERS)  # the members that are arrays of tools
PAGES_TOOL = "urlContext"
HOSTED_TOOLS = frozenset(
    {PAGES_TOOL, "googleMaps", "fileSearch", "computerUse", "retrieval", "parallelAiSearch", "exaAiSearch"}
)

# --- usage ------------------------------------------------------------------------------------------------------------

COUNTS = (
    "promptTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
)

# --- errors -----------------------------------------------------------------------------------------------------------

STATUS = {
    "INVALID_ARGUMENT": ErrorCategory.INVALID_REQUEST,
    "FAILED_PRECONDITION": ErrorCategory.INVALID_REQUEST,
    "OUT_OF_RANGE": ErrorCategory.INVALID_REQUEST,
    "ALREADY_EXISTS": ErrorCategory.INVALID_REQUEST,
    "ABORTED": ErrorCategory.INVALID_REQUEST,
    "UNAUTHENTICATED": ErrorCategory.AUTHENTICATION,
    "PERMISSION_DENIED": ErrorCategory.PERMISSION,
    "NOT_FOUND": ErrorCategory.NOT_FOUND,
    "RESOURCE_EXHAUSTED": ErrorCategory.RATE_LIMIT,
    "CANCELLED": ErrorCategory.INVALID_REQUEST,
    "DEADLINE_EXCEEDED": ErrorCategory.TIMEOUT,
    "UNAVAILABLE": ErrorCategory.OVERLOADED,
    "INTERNAL": ErrorCategory.SERVER,
    "UNKNOWN": ErrorCategory.SERVER,
    "UNIMPLEMENTED": ErrorCategory.SERVER,
    "DATA_LOSS": ErrorCategory.SERVER,
}
GENERIC_STATUS = frozenset({"INVALID_ARGUMENT", "FAILED_PRECONDITION", "INTERNAL", "UNKNOWN"})
"""Words of which the HTTP status says more where it is another than theirs (ERR-10)."""
REASON = {
    "API_KEY_INVALID": ErrorCategory.AUTHENTICATION,  # with INVALID_ARGUMENT
    "BILLING_DISABLED": ErrorCategory.BILLING,  # with PERMISSION_DENIED
}
"""Reasons that say more than the status (google.api.ErrorReason)."""
INPUT_TOO_LONG = "The input token count exceeds the maximum number of tokens allowed"
BEGINS_TOO_LONG = r"the input token count (\(\d+\) )?exceeds the maximum number of tokens"
"""By which clients know that error, and how Google writes it (ERR-7)."""
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

# --- what only this protocol has --------------------------------------------------------------------------------------

_MEDIA = {"displayName": "DOC-1"}
_PART: dict[str, Any] = {
    "thoughtSignature": "RSN-4",
    "thought": lambda value: "RSN-15" if value else "",
    "partMetadata": filled("USR-3"),
    "mediaResolution": {"level": values.resolution, "numTokens": "IMG-3"},
    "videoMetadata": filled("VID-2"),
    "mediaProcessing": "VID-2",
    "speechMetadata": "OUT-6",
    "documentMetadata": filled("DOC-1"),
    "spreadsheetMetadata": filled("DOC-1"),
    "audioMetadata": filled("VID-2"),
    "inlineData": _MEDIA,
    "fileData": _MEDIA,
}
_SPEECH = {
    "languageCode": "OUT-6",
    "voiceConfig": {"replicatedVoiceConfig": "OUT-6", "voice": "OUT-6", "prebuiltVoiceConfig": {}},
    "multiSpeakerVoiceConfig": "OUT-6",
}
_GENERATION: dict[str, Any] = {
    "thinkingConfig": {"thinkingLevel": values.level, "thinkingBudget": "UNK-4"},
    "responseMimeType": values.mime,
    "responseSchema": "SCH-8",
    "responseJsonSchema": "SCH-8",
    "_responseJsonSchema": "SCH-8",
    "responseFormat": values.formats,
    "responseModalities": values.modalities,
    "speechConfig": _SPEECH,
    "imageConfig": filled("OUT-6"),
    "mediaResolution": values.resolution,
    "enableEnhancedCivicAnswers": unless(False, "MOD-1"),
    "modelSelectionConfig": "SVC-3",
    "routingConfig": "SVC-3",
    **dict.fromkeys(("audioTimestamp", "enableAffectiveDialog"), unless(False, "OUT-6")),
    **dict.fromkeys(("translationConfig", "audioTranscriptionConfig"), filled("OUT-6")),
}

VENDOR_FIELDS: dict[str, Any] = {
    "Request": {
        "model": "",  # which stands in the URL
        "generationConfig": _GENERATION,
        "safetySettings": values.safety,
        "modelArmorConfig": filled("MOD-1"),
        "cachedContent": "R2A-3",
        "continuationToken": "CTX-1",
        "automaticContinuation": unless(False, "CTX-1"),
        "generationOutputConfig": "SVC-3",
        "serviceTier": unless(NO_TIER, "UNK-4"),
        "toolConfig": {
            "functionCallingConfig": {
                "mode": unless("MODE_UNSPECIFIED", "UNK-4"),
                "allowedFunctionNames": filled("TUL-7"),
                "streamFunctionCallArguments": "TUL-28",
            },
            "retrievalConfig": filled("TUL-9"),
            "includeServerSideToolInvocations": "TUL-28",
        },
    },
    "Turn": {"role": "ENV-7"},  # of instructions
    "AllowedChoice": {"mode": lambda word: "SCH-10" if word == "VALIDATED" else ""},
    **dict.fromkeys(("Text", "Reasoning", "Image", "Audio", "Video", "Document"), _PART),
    "FunctionCall": _PART | {"functionCall": {"willContinue": unless(False, "TUL-9"), "partialArgs": filled("TUL-9")}},
    "ToolResult": _PART
    | {
        "functionResponse": {
            "scheduling": unless("SCHEDULING_UNSPECIFIED", "TUL-9"),
            "willContinue": unless(False, "TUL-9"),
            "parts": "UNK-2",
            "id": "",
            "name": "",
            "response": "",
        }
    },
    **dict.fromkeys(
        ("WebSearchCall", "WebSearchResult"),
        _PART | {"toolCall": {}, "toolResponse": {"response": filled("TUL-22")}},
    ),
    "CodeCall": _PART | {"executableCode": {}},
    "CodeResult": _PART | {"codeExecutionResult": {"outcome": values.outcome}},
    **dict.fromkeys(("HostedCall", "HostedResult", "VendorPart"), _PART),
    "Inline": _MEDIA,
    "FileRef": _MEDIA,
    "Url": _MEDIA,
    "FunctionTool": {
        "behavior": values.behavior,
        "response": filled("TUL-9"),
        "responseJsonSchema": filled("TUL-9"),
    },
    "WebSearchTool": {
        "searchTypes": filled("TUL-9"),
        "blockingConfidence": "TUL-9",
        "timeRangeFilter": filled("TUL-9"),
        "dynamicRetrievalConfig": filled("TUL-9"),
    },
    "CodeTool": {},
    "McpServer": {
        "streamableHttpTransport": {
            "headers": filled("TUL-23"),
            **dict.fromkeys(("timeout", "sseReadTimeout", "terminateOnClose"), "TUL-28"),
        }
    },
    "Response": ENVELOPE
    | {
        "createTime": "",
        "modelStatus": "ENV-3",
        "promptFeedback": {
            "safetyRatings": filled("ENV-1"),
            "blockReason": lambda word: "ENV-7" if word in NO_BLOCK else "DGN-1",
            "blockReasonMessage": "DGN-1",
        },
        "usageMetadata": {"serviceTier": unless(NO_TIER, "UNK-4")},
        "sdkHttpResponse": "ENV-1",
        "automaticFunctionCallingHistory": filled("ENV-8"),
        "parsed": "ENV-7",
    },
    "Candidate": ENVELOPE
    | {
        "content": {"role": "", "parts": ""},
        "finishReason": "",
        "safetyRatings": filled("ENV-1"),
        "avgLogprobs": "SMP-7",
        "tokenCount": "USE-4",
        "continuationToken": "CTX-1",
        "citationMetadata": {"citations": values.uncited, "citationSources": values.uncited},
        "groundingAttributions": filled("CIT-1"),
        "groundingMetadata": values.GROUNDING,
        "urlContextMetadata": filled("TUL-22"),
        "logprobsResult": {"logProbabilitySum": "SMP-7", "topCandidates": "SMP-7", "chosenCandidates": filled("SMP-7")},
    },
    "Usage": {
        "trafficType": "ENV-3",
        "serviceTier": unless(NO_TIER, "ENV-3"),
        **dict.fromkeys(COUNTS, "USE-2"),
        **dict.fromkeys(DETAILS, "USE-4"),
        **ENVELOPE,
    },
    "WebHit": {"domain": "TUL-22"},
    "UrlCitation": {
        "segment": dict.fromkeys(("startIndex", "endIndex"), "CIT-4"),  # where the passage is not found there
        **dict.fromkeys(("confidenceScores", "renderedParts"), filled("CIT-4")),
        "license": "CIT-1",
        "publicationDate": filled("CIT-1"),
    },
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
TOOL_NAME = r"[a-zA-Z_][a-zA-Z0-9_.-]{0,63}"
MOST_STOPS = 5
PDF = "application/pdf"
IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
MEDIA_TYPE = {"image/jpg": "image/jpeg"}  # by other names that are widespread (SRC-4)
IMAGE_FILES = {
    **{name: f"image/{name}" for name in ("png", "webp", "heic", "heif", "gif")},
    **dict.fromkeys(("jpg", "jpeg"), "image/jpeg"),
}
VIDEO_FILES = {
    **{name: f"video/{name}" for name in ("mp4", "mpeg", "mpg", "webm", "avi", "wmv")},
    "flv": "video/x-flv",
    "mov": "video/quicktime",
    "3gp": "video/3gpp",
}
DOCUMENT_FILES = {
    "txt": "text/plain",
    "md": "text/markdown",
    "html": "text/html",
    "htm": "text/html",
    "csv": "text/csv",
    "xml": "text/xml",
    "json": "application/json",
}
"""Media types by the end of a file's name (SRC-5)."""
VOICES = frozenset(
    """
    Achernar Achird Algenib Algieba Alnilam Aoede Autonoe Callirrhoe Charon Despina Enceladus Erinome Fenrir Gacrux
    Iapetus Kore Laomedeia Leda Orus Puck Pulcherrima Rasalgethi Sadachbia Sadaltager Schedar Sulafat Umbriel
    Vindemiatrix Zephyr Zubenelgenubi
    """.split()
)
