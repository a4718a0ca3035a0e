"""Errors about prompts that are too long, as servers sent them, by the wording that they show (ERR-7)."""

from __future__ import annotations

from attrs import frozen


@frozen
class Recorded:
    """An error that a server of this name answered with, and where that is documented."""

    server: str
    message: str
    source: str


GITHUB = "https://github.com/"

BY_WORDING: tuple[tuple[Recorded, ...], ...] = (
    (
        Recorded(
            "vLLM 0.13",
            "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is "
            "65536 tokens and your request has 52189 input tokens (16384 > 65536 - 52189).",
            GITHUB + "vllm-project/vllm/blob/v0.13.0/vllm/entrypoints/openai/serving_engine.py",
        ),
    ),
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
    (
        Recorded(
            "Anthropic",
            "prompt is too long: 219898 tokens > 200000 maximum",
            GITHUB + "earendil-works/pi/issues/102",
        ),
        Recorded(
            "Fireworks AI",
            "The prompt is too long: 267657, model maximum context length: 262143",
            GITHUB + "can1357/oh-my-pi/issues/1618",
        ),
    ),
    (
        Recorded(
            "Anthropic",
            "input length and `max_tokens` exceed context limit: 184915 + 20000 > 204648, decrease input length or "
            "`max_tokens` and try again",
            GITHUB + "anthropics/claude-code/issues/228",
        ),
    ),
    (
        Recorded(
            "OpenAI Responses",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            GITHUB + "openai/codex/issues/20866",
        ),
    ),
    (
        Recorded(
            "OpenAI",
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289650 tokens. "
            "Please reduce the length of the messages.",
            GITHUB + "cline/cline/issues/5474",
        ),
    ),
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
    (
        Recorded(
            "Vertex AI",
            "Unable to submit request because the input token count is 1251952 but model only supports up to 1048576. "
            "Reduce the input token count and try again.",
            GITHUB + "google-gemini/gemini-cli/issues/19727",
        ),
    ),
    (
        Recorded(
            "Bedrock",
            "Input is too long for requested model.",
            GITHUB + "aws-samples/bedrock-chat/issues/95",
        ),
    ),
    (
        Recorded(
            "Bedrock",
            "Too many input tokens. Max input tokens: 8192, request input token count: 9875",
            GITHUB + "aws-samples/amazon-bedrock-workshop/issues/136",
        ),
        Recorded(
            "Bedrock",
            "Malformed input request: expected maxLength: 42000, actual: 46735, please reformat your input and try "
            "again.",
            GITHUB + "ryanadoty/Amazon-Bedrock-Amazon-RDS-POC/issues/9",
        ),
    ),
    (
        Recorded(
            "Bedrock: Nova",
            "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum "
            "length. Please update the input to try again.",
            GITHUB + "danny-avila/agents/blob/main/src/scripts/context-overflow-probe.ts",
        ),
    ),
    (
        Recorded(
            "Bedrock",
            "The model returned the following errors: too many total text bytes",
            GITHUB + "open-webui/open-webui/issues/11620",
        ),
        Recorded(
            "Anthropic",
            "too many total text bytes: 17929476 > 16000000",
            GITHUB + "anthropics/claude-code/issues/7495",
        ),
    ),
    (
        Recorded(
            "Mistral",
            "Prompt contains 300000 tokens, too large for model with 131072 maximum context length",
            GITHUB + "anomalyco/opencode/blob/dev/packages/llm/src/provider-error.ts",
        ),
    ),
    (
        Recorded(
            "xAI",
            "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
            GITHUB + "cline/cline/issues/3120",
        ),
    ),
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
    (
        Recorded(
            "GitHub Copilot",
            "prompt token count of 514673 exceeds the limit of 128000",
            GITHUB + "microsoft/vscode/issues/289514",
        ),
    ),
    (
        Recorded(
            "llama.cpp",
            "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
            GITHUB + "ggml-org/llama.cpp/issues/19774",
        ),
        Recorded("llama.cpp", "Context size has been exceeded.", GITHUB + "ggml-org/llama.cpp/issues/19774"),
    ),
    (
        Recorded(
            "llama-cpp-python",
            "Requested tokens (2285) exceed context window of 2048",
            GITHUB + "fedora-copr/logdetective-website/pull/193",
        ),
    ),
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
    (
        Recorded(
            "LM Studio",
            "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)",
            GITHUB + "anomalyco/opencode/issues/11141",
        ),
        Recorded(
            "LM Studio",
            "Reached context length of 4096 tokens with model (arch: qwen3vlmoe) that does not currently support "
            "mid-generation context overflow.",
            GITHUB + "lmstudio-ai/lmstudio-bug-tracker/issues/1251",
        ),
    ),
    (
        Recorded(
            "Ollama",
            "the input length exceeds the context length",
            GITHUB + "nano-step/nano-brain/issues/208",
        ),
        Recorded(
            "LM Studio",
            "Input length 6491 exceeds context length 1500",
            GITHUB + "lmstudio-ai/examples/issues/29",
        ),
    ),
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
    (
        Recorded(
            "SGLang",
            "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
            GITHUB + "QwenLM/Qwen3/issues/1321",
        ),
    ),
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
    (
        Recorded(
            "vLLM",
            "Input prompt (36893 tokens) is too long and exceeds limit of 1000",
            GITHUB + "vllm-project/vllm/issues/10440",
        ),
    ),
    (
        Recorded(
            "Moonshot AI",
            "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
            GITHUB + "MoonshotAI/kimi-cli/issues/2011",
        ),
    ),
    (Recorded("Z.ai", "Prompt exceeds max length", GITHUB + "zeroclaw-labs/zeroclaw/issues/4124"),),
    (
        Recorded(
            "DashScope",
            "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]",
            GITHUB + "agentscope-ai/QwenPaw/issues/6255",
        ),
    ),
    (
        Recorded(
            "MiniMax",
            "invalid params, context window exceeds limit (2013)",
            GITHUB + "MiniMax-AI/MiniMax-M2/issues/119",
        ),
    ),
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
    (
        Recorded(
            "Text Generation Inference",
            "Input validation error: `inputs` must have less than 1024 tokens. Given: 1168",
            GITHUB + "huggingface/text-generation-inference/issues/695",
        ),
    ),
    (
        Recorded(
            "Cohere",
            "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. "
            "Try using a shorter prompt or a smaller max_tokens value.",
            GITHUB + "cohere-ai/sandbox-topically/issues/4",
        ),
    ),
    (
        Recorded(
            "a gateway",
            "number of input tokens (167594) has exceeded max_prompt_tokens (163840) limit",
            GITHUB + "RhythmicWave/NovelForge/issues/136",
        ),
    ),
    (
        Recorded(
            "gateways",
            '{"error":{"message":"No.","code":"context_length_exceeded"}}',
            GITHUB + "chathub-dev/chathub/issues/126",
        ),
    ),
)
"""In the order of `WORDINGS`."""
