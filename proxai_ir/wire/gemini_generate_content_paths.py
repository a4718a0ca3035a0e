"""Where each IR field stands in generateContent, as paths below the node's object; Usage.details by their entries."""

from __future__ import annotations

from typing import Any

from ..ir.request import Sampling
from . import google
from .gemini_generate_content_values import FORMAT_PATHS, SCHEMA_PATHS
from .objects import WireObject, boolean, integer, number, strings, wire_paths

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
    "WebSearchTool": {"blocked_domains": "excludeDomains"},
    "McpServer": {
        "url": "streamableHttpTransport/url",
        "authorization": "streamableHttpTransport/headers/Authorization",
    },
    "NamedChoice": {"name": "allowedFunctionNames"},
    "AllowedChoice": {"tools": "allowedFunctionNames"},
    "Thinking": {
        "mode": ("thinkingConfig/thinkingBudget", "thinkingConfig/includeThoughts"),
        "budget": "thinkingConfig/thinkingBudget",
        "effort": "thinkingConfig/thinkingLevel",
        "display": "thinkingConfig/includeThoughts",
    },
    "Output": {"format": FORMAT_PATHS, "modalities": "responseModalities", "audio": "speechConfig"},
    "SchemaFormat": dict.fromkeys(("schema", "strict", "name"), SCHEMA_PATHS),
    "EnumFormat": {"schema": SCHEMA_PATHS},
    "Speech": {"voice": "voiceConfig/prebuiltVoiceConfig/voiceName", "language": "languageCode"},
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
