"""An upstream's error as a value with a category (ERR-1), and the wordings of a prompt that is too long (ERR-7)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from attrs import field

from ..json.classes import define
from .node import Extra, bookkeeping

# --- a prompt that is too long ----------------------------------------------------------------------------------------
# Rate limits do not count, and a limit of the output counts only if the prompt takes part in exceeding it: an output
# larger than the whole context is an invalid request, however short the prompt is. Each wording has a recorded error in
# the tests, and each error names the public document or issue that it is from.


OUTPUT = (
    r"(?:.{0,200}?\b(?P<output>\d[\d,]*) (?:tokens )?"
    r"(?:in the (?:completion|output)|for the completion|output tokens))?"
)

WORDINGS = (
    # vLLM 0.13
    r"is too large: (?P<output>\d[\d,]*)\. this model's maximum context length is (?P<limit>\d[\d,]*)",
    # OpenAI Chat Completions, Azure OpenAI, DeepSeek, OpenRouter, vLLM, SGLang, MLX
    (r"maximum context length(?: (?:is|of) (?P<limit>\d[\d,]*) tokens" + OUTPUT + ")?"),
    # Anthropic, Fireworks AI
    r"prompt is too long",
    # Anthropic
    r"exceed context limit(?:: \d[\d,]* \+ (?P<output>\d[\d,]*) > (?P<limit>\d[\d,]*))?",
    # OpenAI Responses
    r"exceeds the context window",
    # OpenAI
    r"input tokens exceed the configured limit",
    # Gemini, Vertex AI
    r"input token count.{0,40}exceeds the maximum number of tokens",
    # Vertex AI
    r"input token count is \d+ but model only supports up to \d+",
    # Bedrock
    r"input is too long for (?:the )?requested model",
    # Bedrock: Titan, and others that count characters
    r"too many input tokens\. max input tokens|malformed input request: expected maxlength",
    # Bedrock: Nova
    r"number of input tokens exceeds maximum length",
    # Bedrock, Anthropic, which count the bytes of very long ones
    r"too many total text bytes",
    # Mistral
    r"too large for model with \d[\d,]* maximum context length",
    # xAI
    r"maximum prompt length is \d[\d,]*",
    # Groq, Cerebras
    r"reduce the length of the (?:messages|prompt|input)",
    # GitHub Copilot
    r"prompt token count of \d[\d,]* exceeds the limit of",
    # llama.cpp
    r"exceeds the available context size|context size has been exceeded",
    # llama-cpp-python
    r"requested tokens \(\d+\) exceed context window",
    # LM Studio, LM Studio 0.3
    (
        r"tokens to keep from the initial prompt is greater than the context length"
        r"|is loaded with context length of only"
    ),
    # LM Studio
    r"cannot truncate prompt with n_keep|reached context length of \d+ tokens",
    # Ollama, older LM Studio
    r"input length (?:\d+ )?exceeds (?:the |maximum )*context length",
    # Ollama, oMLX
    r"prompt too long[;:].{0,40}exceed(?:s|ed) (?:the )?(?:max )?context",
    # SGLang
    r"longer than the model's context length",
    # SGLang, Volcano Engine
    r"input length \(?\d[\d,]*(?: tokens)?\)? exceeds the maximum (?:allowed )?length",
    # vLLM
    r"longer than the maximum model length|too long to fit into the model",
    # older vLLM
    r"input prompt \(\d+ tokens\) is too long and exceeds limit",
    # Moonshot AI
    r"exceeded model token limit",
    # Z.ai
    r"prompt exceeds max length",
    # DashScope
    r"range of input length should be",
    # MiniMax
    r"context window exceeds limit",
    # Together AI, Text Generation Inference
    (
        r"`inputs` tokens \+ `max_new_tokens` must be <= (?P<limit>\d+)\."
        r"(?: given: \d+ `inputs` tokens and (?P<output>\d+))?"
    ),
    # Text Generation Inference
    r"`inputs` must have less than \d+ tokens",
    # Cohere
    r"too many tokens: (?:total number of tokens|size limit exceeded)",
    # a gateway
    r"number of input tokens \(\d+\) has exceeded max_prompt_tokens",
    # gateways
    r"context_length_exceeded",
)
"""Patterns of the messages in lower case, each after its servers. Groups: `output`, the tokens that the request asks
for; `limit`, the tokens that the model has for all."""
CODES = {
    "context_length_exceeded": "https://github.com/openai/codex/issues/20866",  # OpenAI's own
    "model_max_prompt_tokens_exceeded": "https://github.com/microsoft/vscode/issues/289514",  # GitHub Copilot
    "exceed_context_size_error": "https://github.com/ggml-org/llama.cpp/pull/15780",  # llama.cpp, as the type
}
"""Codes and types of this error, with the documents that they are from."""

MOST_READ = 1000
"""The characters of a message that are searched."""
RATES = re.compile(r"\bper (?:minute|hour|day)\b|\brate.?limit|\btpm\b|\bthrottl|\bquota\b|too many requests")
"""Words of rate limits, whose messages are otherwise alike."""


def overflows(message: str) -> bool:
    """Return whether this is the message of an error about a prompt that is too long."""
    text = message[:MOST_READ].lower()
    for pattern in patterns():
        found = pattern.search(text)
        if found is not None:
            return RATES.search(text) is None and not _of_the_output(found.groupdict())
    return False


@cache
def patterns() -> list[re.Pattern[str]]:
    """Return WORDINGS as patterns; compiling them takes longer than a first conversion."""
    return [re.compile(one, re.DOTALL) for one in WORDINGS]


def _of_the_output(tokens: dict[str, str | None]) -> bool:
    """Return whether the output alone exceeds what the model has for all."""
    output, limit = tokens.get("output"), tokens.get("limit")
    return bool(output and limit) and _number(output) >= _number(limit)


def _number(digits: str | None) -> int:
    return int((digits or "0").replace(",", ""))


# --- the error --------------------------------------------------------------------------------------------------------


class ErrorCategory(Enum):
    """The kind of an error, whatever the vendor calls it (ERR-1)."""

    INVALID_REQUEST = "invalid_request"
    CONTEXT_LENGTH = "context_length"  # the prompt is too long for the model: clients shorten it and try again
    AUTHENTICATION = "authentication"
    BILLING = "billing"
    PERMISSION = "permission"
    NOT_FOUND = "not_found"
    TOO_LARGE = "too_large"
    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    TIMEOUT = "timeout"
    OVERLOADED = "overloaded"
    UNKNOWN = "unknown"


BY_STATUS = {
    400: ErrorCategory.INVALID_REQUEST,
    401: ErrorCategory.AUTHENTICATION,
    402: ErrorCategory.BILLING,
    403: ErrorCategory.PERMISSION,
    404: ErrorCategory.NOT_FOUND,
    413: ErrorCategory.TOO_LARGE,
    429: ErrorCategory.RATE_LIMIT,
    500: ErrorCategory.SERVER,
    504: ErrorCategory.TIMEOUT,
    529: ErrorCategory.OVERLOADED,
}
"""The categories of HTTP statuses; first the usual status of each category."""
USUAL = {category: status for status, category in BY_STATUS.items()} | {ErrorCategory.CONTEXT_LENGTH: 400}
BY_STATUS |= {
    408: ErrorCategory.TIMEOUT,
    409: ErrorCategory.INVALID_REQUEST,
    422: ErrorCategory.INVALID_REQUEST,
    502: ErrorCategory.SERVER,
    503: ErrorCategory.OVERLOADED,
}


BY_CLASS = {4: ErrorCategory.INVALID_REQUEST, 5: ErrorCategory.SERVER}  # for other statuses, by their first digit


def by_status(status: int | None) -> ErrorCategory:
    """Return the category of an HTTP status, for bodies that do not name one (ERR-1)."""
    status = status or 0
    return BY_STATUS.get(status) or BY_CLASS.get(status // 100, ErrorCategory.UNKNOWN)


VAGUE = (ErrorCategory.INVALID_REQUEST, ErrorCategory.TOO_LARGE, ErrorCategory.SERVER, ErrorCategory.UNKNOWN)
"""Categories that servers give to a prompt that is too long."""


def refined(category: ErrorCategory, message: str) -> ErrorCategory:
    """Return the category, or CONTEXT_LENGTH if only the message shows that (ERR-7)."""
    return ErrorCategory.CONTEXT_LENGTH if category in VAGUE and overflows(message) else category


def judged(
    specific: Iterable[ErrorCategory | None], status: int | None, generic: ErrorCategory | None
) -> ErrorCategory:
    """Return the first specific category of a body, else that of the status, else one for errors of every kind."""
    named = next((one for one in specific if one is not None), None)
    if named is None:
        named = by_status(status)
        if generic and named is ErrorCategory.UNKNOWN:
            return generic
    return named


def usual_status(category: ErrorCategory) -> int:
    """Return the usual HTTP status of a category, or 0 if it has none."""
    return USUAL.get(category, 0)


MEANS = {
    ErrorCategory.INVALID_REQUEST: "The provider rejected the request as invalid.",
    ErrorCategory.CONTEXT_LENGTH: "The prompt is too long for the model.",
    ErrorCategory.AUTHENTICATION: "The provider did not accept the credentials.",
    ErrorCategory.BILLING: "The account has no credit or quota left at the provider.",
    ErrorCategory.PERMISSION: "The provider denied access.",
    ErrorCategory.NOT_FOUND: "The provider did not find the model or resource.",
    ErrorCategory.TOO_LARGE: "The request is too large for the provider.",
    ErrorCategory.RATE_LIMIT: "The provider's rate limit was exceeded.",
    ErrorCategory.SERVER: "The provider had an internal error.",
    ErrorCategory.TIMEOUT: "The provider did not respond in time.",
    ErrorCategory.OVERLOADED: "The provider is overloaded.",
    ErrorCategory.UNKNOWN: "The provider failed without a message.",
}
"""The message of an error that has none (ERR-9)."""
SAYING_NOTHING = ("null", "{}", "[]")
"""Bodies of errors, each as a text, that have no message either."""


@define
class Error:
    """An error. `type` is the vendor's own word for the category; `status` the HTTP status, if the caller knew it.

    `verbatim`: the body has an unknown shape, and `message` is its JSON text, or the body itself if that is text.
    `retry_after`: seconds to wait before the next attempt. `headers`: the headers of the HTTP response, if known.
    """

    protocol: str | None
    category: ErrorCategory
    message: str
    type: str | None = None
    code: str | int | None = None
    param: str | None = None
    request_id: str | None = None
    status: int | None = None
    verbatim: bool | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
    retry_after: float | None = field(default=None, kw_only=True)
    headers: Mapping[str, str] | None = field(default=None, kw_only=True, eq=False, repr=False)


PLAIN = ("message", "detail")
"""Members with the text of an error that is not in a member `error`."""


def stands_for_error(payload: Mapping[str, Any]) -> bool:
    """Return whether an object in place of a response or an event is an error, by the member that holds its text.

    The caller tests first whether it is a response or an event of its protocol (ERR-10).
    """
    return payload.get("error") is not None or any(isinstance(payload.get(key), str) for key in PLAIN)


def by_ending(word: str | None) -> ErrorCategory:
    """Return the category of a generation that failed: a timeout if the ending's word says so, else the server's."""
    return ErrorCategory.TIMEOUT if (word or "").lower() == ErrorCategory.TIMEOUT.value else ErrorCategory.SERVER


def fallback(error: Error) -> ErrorCategory:
    """Return the category for a target that does not know an error's own: that of the category's usual status (IR-1).

    The error's status decides only if the category has none, since servers send odd ones for a prompt that is too long.
    """
    return by_status(usual_status(error.category) or error.status)


def kept_whole(protocol: str, body: Any, status: int | None) -> Error:
    """Return the error of a body of unknown shape (ERR-5).

    Raises TypeError, ValueError or RecursionError if it cannot be written as JSON.
    """
    plain = isinstance(body, str)
    text = body if plain else json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    category = refined(by_status(status), text)
    return Error(protocol, category, text, status=status, verbatim=True, src=body)
