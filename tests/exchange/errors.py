"""Error bodies as servers send them, by protocol and HTTP status; a text is what a gateway in front of one sends."""

from __future__ import annotations

import json
from typing import Any

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES

PAGE = "<html><body><h1>Bad Gateway</h1></body></html>"


def openai(message: str, kind: str | None, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def anthropic(message: str, kind: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"}


def gemini(code: int, message: str, status: str, *details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, **({"details": details} if details else {})}}


OPENAI: dict[int, Any] = {
    400: openai("Invalid type for 'temperature'.", "invalid_request_error", "invalid_type", "temperature"),
    401: openai("Incorrect API key provided: sk-no.", "invalid_request_error", "invalid_api_key"),
    402: {"error": {"message": "Insufficient credits", "code": 402}},
    403: openai("Country not supported.", "request_forbidden", "unsupported_country_region_territory"),
    404: openai("The model `gpt-9` does not exist.", "invalid_request_error", "model_not_found"),
    408: openai("Request timed out.", "timeout"),
    409: openai("The resource was changed by another request.", "conflict_error"),
    413: openai("Request too large.", "invalid_request_error"),
    422: openai("Unprocessable.", "invalid_request_error"),
    429: openai("Rate limit reached for gpt-5.", "tokens", "rate_limit_exceeded"),
    500: openai("The server had an error.", "server_error"),
    502: PAGE,
    503: openai("The engine is currently overloaded.", "service_unavailable_error"),
    504: PAGE,
    529: openai("Overloaded.", "overloaded_error"),
}
BODIES: dict[str, dict[int, Any]] = {
    CHAT: OPENAI,
    RESPONSES: OPENAI,
    ANTHROPIC: {
        400: anthropic("max_tokens: Field required", "invalid_request_error"),
        401: anthropic("invalid x-api-key", "authentication_error"),
        402: anthropic("Your credit balance is too low.", "billing_error"),
        403: anthropic("Not allowed.", "permission_error"),
        404: anthropic("model: claude-9", "not_found_error"),
        408: PAGE,
        409: anthropic("Conflict.", "invalid_request_error"),
        413: anthropic("Request exceeds the maximum size.", "request_too_large"),
        422: anthropic("Unprocessable.", "invalid_request_error"),
        429: anthropic("This request would exceed your rate limit.", "rate_limit_error"),
        500: anthropic("Internal server error", "api_error"),
        502: PAGE,
        503: PAGE,
        504: anthropic("The request timed out.", "timeout_error"),
        529: anthropic("Overloaded", "overloaded_error"),
    },
    GEMINI: {
        400: gemini(400, "Invalid value at 'contents'.", "INVALID_ARGUMENT"),
        401: gemini(401, "Request had invalid credentials.", "UNAUTHENTICATED"),
        402: PAGE,
        403: gemini(403, "The caller does not have permission.", "PERMISSION_DENIED"),
        404: gemini(404, "models/gemini-9 is not found.", "NOT_FOUND"),
        408: PAGE,
        409: gemini(409, "Aborted.", "ABORTED"),
        413: PAGE,
        422: PAGE,
        429: gemini(
            429,
            "You exceeded your current quota.",
            "RESOURCE_EXHAUSTED",
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"},
        ),
        500: gemini(500, "An internal error has occurred.", "INTERNAL"),
        502: PAGE,
        503: gemini(503, "The model is overloaded.", "UNAVAILABLE"),
        504: gemini(504, "Deadline expired.", "DEADLINE_EXCEEDED"),
        529: PAGE,
    },
}
STATUSES = tuple(OPENAI)


def body(provider: str, status: int) -> bytes:
    found = BODIES[provider][status]
    return found.encode() if isinstance(found, str) else json.dumps(found).encode()


def message(provider: str, status: int) -> str:
    found = BODIES[provider][status]
    return found if isinstance(found, str) else str(found["error"]["message"])
