"""What servers answer where the prompt is too long for the model, in their own words (ERR-7).

Rule: every wording has a recorded error, and every error the public document or issue that it is from.
"""

from __future__ import annotations

from attrs import frozen


@frozen
class Recorded:
    """An error that a server of this name answered with, and where that is documented."""

    server: str
    message: str
    source: str


@frozen
class Wording:
    """`pattern` is matched against the message in lower case. Its groups `output` and `limit`, where it has them, are
    the tokens that the request wants for the output, and those that there are for all."""

    pattern: str
    recorded: tuple[Recorded, ...]


GITHUB = "https://github.com/"
OUTPUT = (
    r"(?:.{0,200}?\b(?P<output>\d[\d,]*) (?:tokens )?"
    r"(?:in the (?:completion|output)|for the completion|output tokens))?"
)

WORDINGS = (
    Wording(
        r"is too large: (?P<output>\d[\d,]*)\. this model's maximum context length is (?P<limit>\d[\d,]*)",
        (
            Recorded(
                "vLLM 0.13",
                "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is "
                "65536 tokens and your request has 52189 input tokens (16384 > 65536 - 52189).",
                GITHUB + "vllm-project/vllm/blob/v0.13.0/vllm/entrypoints/openai/serving_engine.py",
            ),
        ),
    ),
    Wording(
        r"maximum context length(?: (?:is|of) (?P<limit>\d[\d,]*) tokens" + OUTPUT + ")?",
        (
            Recorded(
                "OpenAI Chat Completions",
                "This model's maximum context length is 128000 tokens. However, your messages resulted in 173172 "
                "tokens. Please reduce the length of the messages.",
                GITHUB + "AsyncFuncAI/deepwiki-open/issues/144",
            ),
            Recorded(
                "Azure OpenAI",
                "This model's maximum context length is 16385 tokens. However, your messages resulted in 31228 tokens. "
                "Please reduce the length of the messages.",
                "https://portkey.ai/error-library/context-length-error-10012",
            ),
            Recorded(
                "DeepSeek",
                "This model's maximum context length is 65536 tokens. However, you requested 66343 tokens (62247 in "
                "the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
                GITHUB + "FoundationAgents/OpenManus/issues/79",
            ),
            Recorded(
                "OpenRouter",
                "This endpoint's maximum context length is 262144 tokens. However, you requested about 264896 tokens "
                "(52139 of text input, 12757 of tool input, 200000 in the output). Please reduce the length of either "
                "one.",
                GITHUB + "MoonshotAI/kimi-code/issues/476",
            ),
            Recorded(
                "vLLM",
                "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your "
                "prompt contains at least 262145 input tokens, for a total of at least 262145 tokens.",
                GITHUB + "earendil-works/pi/issues/5930",
            ),
            Recorded(
                "SGLang",
                "Requested token count exceeds the model's maximum context length of 202752 tokens. You requested a "
                "total of 202941 tokens: 170941 tokens from the input messages and 32000 tokens for the completion.",
                GITHUB + "anomalyco/opencode/pull/25292",
            ),
            Recorded("MLX", "Prompt exceeds maximum context length", GITHUB + "ddalcu/mlx-serve/issues/66"),
        ),
    ),
    Wording(
        r"prompt is too long",
        (
            Recorded(
                "Anthropic",
                "prompt is too long: 219898 tokens > 200000 maximum",
                GITHUB + "earendil-works/pi/issues/102",
            ),
            Recorded(
                "a router of open models",
                "The prompt is too long: 267657, model maximum context length: 262143",
                GITHUB + "can1357/oh-my-pi/issues/1618",
            ),
        ),
    ),
    Wording(
        r"exceed context limit(?:: \d[\d,]* \+ (?P<output>\d[\d,]*) > (?P<limit>\d[\d,]*))?",
        (
            Recorded(
                "Anthropic",
                "input length and `max_tokens` exceed context limit: 184915 + 20000 > 204648, decrease input length or "
                "`max_tokens` and try again",
                GITHUB + "anthropics/claude-code/issues/228",
            ),
        ),
    ),
    Wording(
        r"exceeds the context window",
        (
            Recorded(
                "OpenAI Responses",
                "Your input exceeds the context window of this model. Please adjust your input and try again.",
                GITHUB + "openai/codex/issues/20866",
            ),
        ),
    ),
    Wording(
        r"input tokens exceed the configured limit",
        (
            Recorded(
                "OpenAI",
                "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. "
                "Please reduce the length of the messages.",
                GITHUB + "cline/cline/issues/5474",
            ),
        ),
    ),
    Wording(
        r"input token count.{0,40}exceeds the maximum number of tokens",
        (
            Recorded(
                "Gemini",
                "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
                GITHUB + "google-gemini/gemini-cli/issues/6678",
            ),
            Recorded(
                "Vertex AI",
                "The input token count (81881) exceeds the maximum number of tokens allowed (65536).",
                GITHUB + "googleapis/python-genai/issues/2466",
            ),
        ),
    ),
    Wording(
        r"input is too long for (?:the )?requested model",
        (
            Recorded(
                "Bedrock",
                "Input is too long for requested model.",
                GITHUB + "aws-samples/bedrock-chat/issues/95",
            ),
        ),
    ),
    Wording(
        r"too large for model with \d[\d,]* maximum context length",
        (
            Recorded(
                "Mistral",
                "Prompt contains 300000 tokens, too large for model with 131072 maximum context length",
                GITHUB + "anomalyco/opencode/blob/dev/packages/llm/src/provider-error.ts",
            ),
        ),
    ),
    Wording(
        r"maximum prompt length is \d[\d,]*",
        (
            Recorded(
                "xAI",
                "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
                GITHUB + "cline/cline/issues/3120",
            ),
        ),
    ),
    Wording(
        r"reduce the length of the (?:messages|prompt|input)",
        (
            Recorded(
                "Groq",
                "Please reduce the length of the messages or completion.",
                GITHUB + "OpenHands/OpenHands/issues/1902",
            ),
            Recorded(
                "Cerebras",
                "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
                GITHUB + "cline/cline/issues/5140",
            ),
        ),
    ),
    Wording(
        r"prompt token count of \d[\d,]* exceeds the limit of",
        (
            Recorded(
                "GitHub Copilot",
                "prompt token count of 514673 exceeds the limit of 128000",
                GITHUB + "microsoft/vscode/issues/289514",
            ),
        ),
    ),
    Wording(
        r"exceeds the available context size|context size has been exceeded",
        (
            Recorded(
                "llama.cpp",
                "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
                GITHUB + "ggml-org/llama.cpp/issues/19774",
            ),
            Recorded("llama.cpp", "Context size has been exceeded.", GITHUB + "ggml-org/llama.cpp/issues/19774"),
        ),
    ),
    Wording(
        r"requested tokens \(\d+\) exceed context window",
        (
            Recorded(
                "llama-cpp-python",
                "Requested tokens (2285) exceed context window of 2048",
                GITHUB + "fedora-copr/logdetective-website/pull/193",
            ),
        ),
    ),
    Wording(
        r"tokens to keep from the initial prompt is greater than the context length"
        r"|is loaded with context length of only",
        (
            Recorded(
                "LM Studio",
                "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: "
                "13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
                GITHUB + "Gitlawb/openclaude/issues/353",
            ),
            Recorded(
                "LM Studio 0.3",
                "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with "
                "context length of only 32768 tokens, which is not enough.",
                GITHUB + "lmstudio-ai/lmstudio-bug-tracker/issues/546",
            ),
        ),
    ),
    Wording(
        r"prompt too long[;:].{0,40}exceed(?:s|ed) (?:the )?(?:max )?context",
        (
            Recorded(
                "Ollama",
                "prompt too long; exceeded max context length by 540451 tokens",
                GITHUB + "dyad-sh/dyad/issues/3498",
            ),
            Recorded(
                "oMLX",
                "Prompt too long: 41911 tokens exceeds max context window of 32768 tokens",
                GITHUB + "ValueCell-ai/ClawX/issues/658",
            ),
        ),
    ),
    Wording(
        r"longer than the model's context length",
        (
            Recorded(
                "SGLang",
                "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
                GITHUB + "QwenLM/Qwen3/issues/1321",
            ),
        ),
    ),
    Wording(
        r"input length \(?\d[\d,]*(?: tokens)?\)? exceeds the maximum (?:allowed )?length",
        (
            Recorded(
                "SGLang",
                "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).",
                GITHUB + "sgl-project/sglang/issues/4048",
            ),
            Recorded(
                "Volcano Engine",
                "Input length 203743 exceeds the maximum length 202752",
                GITHUB + "langgenius/dify/issues/32221",
            ),
        ),
    ),
    Wording(
        r"longer than the maximum model length|too long to fit into the model",
        (
            Recorded(
                "vLLM",
                "The decoder prompt (length 2136) is longer than the maximum model length of 2048.",
                GITHUB + "OpenBMB/MiniCPM-V/issues/1048",
            ),
            Recorded(
                "vLLM",
                "The prompt (total length 25938) is too long to fit into the model (context length 4096).",
                GITHUB + "vllm-project/vllm/issues/12165",
            ),
        ),
    ),
    Wording(
        r"exceeded model token limit",
        (
            Recorded(
                "Moonshot AI",
                "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
                GITHUB + "MoonshotAI/kimi-cli/issues/2011",
            ),
        ),
    ),
    Wording(
        r"prompt exceeds max length",
        (Recorded("Z.ai", "Prompt exceeds max length", GITHUB + "zeroclaw-labs/zeroclaw/issues/4124"),),
    ),
    Wording(
        r"range of input length should be",
        (
            Recorded(
                "DashScope",
                "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
                GITHUB + "agentscope-ai/QwenPaw/issues/6255",
            ),
        ),
    ),
    Wording(
        r"context window exceeds limit",
        (
            Recorded(
                "MiniMax",
                "invalid params, context window exceeds limit (2013)",
                GITHUB + "MiniMax-AI/MiniMax-M2/issues/119",
            ),
        ),
    ),
    Wording(
        r"`inputs` tokens \+ `max_new_tokens` must be <= (?P<limit>\d+)\."
        r"(?: given: \d+ `inputs` tokens and (?P<output>\d+))?",
        (
            Recorded(
                "Together AI",
                "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2019 `inputs` "
                "tokens and 30 `max_new_tokens`",
                GITHUB + "stanford-crfm/helm/pull/2079",
            ),
            Recorded(
                "Text Generation Inference",
                "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. Given: 79993 `inputs` "
                "tokens and 1024 `max_new_tokens`",
                GITHUB + "bytedance/UI-TARS-desktop/issues/626",
            ),
        ),
    ),
    Wording(
        r"too many tokens: (?:total number of tokens|size limit exceeded)",
        (
            Recorded(
                "Cohere",
                "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. "
                "Try using a shorter prompt or a smaller max_tokens value.",
                GITHUB + "cohere-ai/sandbox-topically/issues/4",
            ),
        ),
    ),
    Wording(
        r"context_length_exceeded",  # of gateways that have the code in a text
        (
            Recorded(
                "gateways",
                '{"error":{"message":"No.","code":"context_length_exceeded"}}',
                GITHUB + "chathub-dev/chathub/issues/126",
            ),
        ),
    ),
)

CODES = {
    "context_length_exceeded": GITHUB + "openai/codex/issues/20866",  # OpenAI's own
    "model_max_prompt_tokens_exceeded": GITHUB + "microsoft/vscode/issues/289514",  # GitHub Copilot
    "exceed_context_size_error": GITHUB + "ggml-org/llama.cpp/pull/15780",  # llama.cpp, as the type
}
"""Codes and types that name this error, with the documents that they are from."""
