"""Recognises errors about a prompt that is too long for the model, whichever server they are from (ERR-7).

Rule 1: limits of rates are none of these, and a limit of the output is one only where the prompt takes part in
exceeding it. An output larger than the whole context is an invalid request, however short the prompt gets. Rule 2:
every wording has a recorded error in the tests, and every error the public document or issue that it is from.
"""

from __future__ import annotations

import re

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
"""What the messages have, in lower case, under the servers that have it. Groups: `output`, the tokens that the
request wants for the output; `limit`, those that there are for all."""
CODES = {
    "context_length_exceeded": "https://github.com/openai/codex/issues/20866",  # OpenAI's own
    "model_max_prompt_tokens_exceeded": "https://github.com/microsoft/vscode/issues/289514",  # GitHub Copilot
    "exceed_context_size_error": "https://github.com/ggml-org/llama.cpp/pull/15780",  # llama.cpp, as the type
}
"""Codes and types that name this error, with the documents that they are from."""

MOST_READ = 1000
"""Characters of a message that are read."""
RATES = re.compile(r"\bper (?:minute|hour|day)\b|\brate.?limit|\btpm\b|\bthrottl|\bquota\b|too many requests")
"""What limits of rates have, whose words are otherwise the same."""
PATTERNS = [re.compile(one, re.DOTALL) for one in WORDINGS]


def overflows(message: str) -> bool:
    """Whether this is the message of an error about a prompt that is too long."""
    text = message[:MOST_READ].lower()
    for pattern in PATTERNS:
        found = pattern.search(text)
        if found is not None:
            return RATES.search(text) is None and not _of_the_output(found.groupdict())
    return False


def _of_the_output(tokens: dict[str, str | None]) -> bool:
    """Whether the output alone is as large as all that the model can take."""
    output, limit = tokens.get("output"), tokens.get("limit")
    return bool(output and limit) and _number(output) >= _number(limit)


def _number(digits: str | None) -> int:
    return int((digits or "0").replace(",", ""))
