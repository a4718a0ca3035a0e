"""The facts about servers of models of several vendors (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, SPOKEN, Best, fact
from ..named import ONLY_OPENAI

LOOKED = "2026-11-24"
GROQ = "groq 1.7.0, `Completions.create`"
READ = "2026-11-29"
NOT_THINKING = "does not support thinking"
CEREBRAS = "cerebras-cloud-sdk 1.91.0, `Completions.create`"

FACTS = (
    # --- Groq ---------------------------------------------------------------------------------------------------------
    fact(
        "",
        CHAT,
        reason=SPOKEN,
        source=GROQ,
        looked=LOOKED,
        server="groq",
        **{
            **ONLY_OPENAI.given,
            "cache_keys": False,
            "cache_retention": False,
            "documents": False,
            "metadata": False,
            "safety_identifier": False,
            "several_candidates": False,
            "store": False,
        },
    ),
    fact(
        "",
        source="'tools' : maximum number of items is 128 (https://github.com/gsd-build/gsd-2/issues/4376)",
        looked="2026-11-29",
        server="groq",
        most_tools=128,
    ),
    fact(
        "",
        source="https://console.groq.com/docs/openai: logprobs, top_logprobs and logit_bias are 400 errors",
        looked=LOOKED,
        server="groq",
        logprobs=False,
    ),
    fact(
        "",
        source="Tool use is not supported with Structured Outputs; response_format` json_object cannot be combined "
        "with tool/function calling (https://github.com/agno-agi/agno/issues/1065)",
        looked=LOOKED,
        server="groq",
        json_with_tools=False,
    ),
    fact(
        "",
        source="property 'reasoning_content' is unsupported (https://github.com/janhq/jan/issues/8136); groq 1.7.0, "
        "`ChatCompletionAssistantMessageParam`: `reasoning`",
        looked=LOOKED,
        server="groq",
        google_signatures=False,
        reasoning_member="reasoning",
    ),
    fact(
        "qwen",
        source=f"{GROQ}: qwen3 models support none, and default or null",
        looked=LOOKED,
        server="groq",
        efforts=False,
        thinking_off=True,
    ),
    fact(
        "qwen",
        source=f"{GROQ}: qwen/qwen3.8-27b additionally supports low, medium and high",
        looked=LOOKED,
        server="groq",
        since="3.8",
        efforts=True,
        least_effort="low",
        highest_effort="high",
    ),
    fact(
        "gpt-oss",
        source=f"{GROQ}: openai/gpt-oss-20b and openai/gpt-oss-120b support low, medium, or high",
        looked=LOOKED,
        server="groq",
        least_effort="low",
        highest_effort="high",
    ),
    fact(
        "gpt-oss",
        source="messages[1].content must be a string (of images)",
        looked=LOOKED,
        server="groq cerebras",
        images=False,
    ),
    # --- Cerebras -----------------------------------------------------------------------------------------------------
    fact(
        "",
        CHAT,
        reason=SPOKEN,
        source=f"{CEREBRAS}; 400 wrong_api_format for unknown properties (https://github.com/proxysoul/Empryo/pull/209)",
        looked=LOOKED,
        server="cerebras",
        **{
            **ONLY_OPENAI.given,
            "cache_retention": False,
            "documents": False,
            "metadata": False,
            "safety_identifier": False,
            "store": False,
        },
    ),
    fact(
        "",
        source="https://inference-docs.cerebras.ai/resources/openai: the role developer is not exposed",
        looked=LOOKED,
        server="cerebras",
        developer_role=False,
    ),
    fact(
        "",
        source="property 'messages.2.assistant.reasoning_content' is unsupported; it takes `reasoning` "
        "(https://github.com/QwenLM/qwen-code/issues/11045)",
        looked=LOOKED,
        server="cerebras",
        google_signatures=False,
        reasoning_member="reasoning",
    ),
    fact(
        "",
        source=f"{CEREBRAS}: none, low, medium, and high",
        looked=LOOKED,
        server="cerebras",
        efforts=True,
        thinking_off=True,
        thinking_member="reasoning_effort",
        least_effort="low",
        highest_effort="high",
        medium_effort=True,
    ),
    fact(
        "gpt-oss",
        source="parallel_tool_calls=False is not supported by this model. (https://github.com/agno-agi/agno/issues/4508)",
        looked=LOOKED,
        server="cerebras",
        parallel_tools=False,
    ),
    # --- Ollama -------------------------------------------------------------------------------------------------------
    fact(
        "",
        CHAT,
        reason=SPOKEN,
        source='invalid reasoning value: \'xhigh\' (must be "high", "medium", "low", "max", or "none") '
        "(https://github.com/diegosouzapw/OmniRoute/pull/10160)",
        looked=READ,
        server="ollama",
        least_effort="low",
        thinking_off=True,
    ),
    fact(
        "gpt-oss",
        source="https://docs.ollama.com/capabilities/thinking: its trace cannot be disabled",
        looked="2026-11-28",
        server="ollama",
        thinking_off=False,
    ),
    fact(
        "qwen",
        source=f'"qwen2.5-coder:latest" {NOT_THINKING} (https://github.com/open-webui/open-webui/issues/19432)',
        looked=READ,
        server="ollama",
        until="2",
        thinking=False,
    ),
    fact(
        "qwen",
        source=f'"qwen3-coder:30b" {NOT_THINKING} (https://github.com/QwenLM/qwen-code/issues/1377)',
        looked=READ,
        server="ollama",
        only="coder",
        thinking=False,
    ),
    fact(
        "gemma",
        source=f"gemma3n:e4b-it-q8_0 {NOT_THINKING} (https://github.com/taketwo/llm-ollama/pull/54)",
        looked=READ,
        server="ollama",
        until="3",
        thinking=False,
    ),
    fact(
        "mistral mixtral phi",
        source=f"{NOT_THINKING}; ollama/ollama, `template/mistral-instruct.gotmpl` and `template/phi-3.gotmpl`: a "
        "model thinks if its template does",
        looked=READ,
        server="ollama",
        but="reasoning",
        thinking=False,
    ),
    # --- OpenRouter ---------------------------------------------------------------------------------------------------
    fact(
        "",
        CHAT,
        reason=SPOKEN,
        source="https://openrouter.ai/docs/api/reference/parameters",
        looked=LOOKED,
        server="openrouter",
        **{**ONLY_OPENAI.given, "audio": True},
    ),
    fact(
        "",
        CHAT,
        reason=SPOKEN,
        source="https://openrouter.ai/docs/guides/overview/multimodal/audio: aiff, aac, ogg, flac, m4a and pcm, too",
        looked="2026-11-29",
        server="openrouter",
        other_audio=True,
    ),
)
BEST: tuple[Best, ...] = ()
OPEN = (
    "c4ai-aya command-a command-r command-r7b deepseek devstral gemma glm gpt-oss granite kimi llama magistral-small "
    "minimax ministral mistral mistral-large mistral-nemo mistral-small mixtral nemotron phi pixtral qwen qwq"
)
"""The families with open weights, which Ollama serves."""
