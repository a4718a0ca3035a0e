"""The facts about models of OpenAI (CAP-5)."""

from __future__ import annotations

from ..facts import CHAT, RESPONSES, best, fact

O_SERIES = "o1 o3 o4"
RESPONSES_ONLY = "pro codex deep cyber rosalind law"

DOCS = "https://developers.openai.com/api/docs"
REASONING = f"{DOCS}/guides/reasoning"
LATEST = f"{DOCS}/guides/latest-model"
MODELS = f"{DOCS}/models"
FORMATS = f"{DOCS}/guides/structured-outputs"
VISION = f"{DOCS}/guides/images-vision"
CACHING = f"{DOCS}/guides/prompt-caching"
TOOLS = f"{DOCS}/guides/function-calling"
SDK = "openai"
RESPONSES_HAVE = "its Responses have functions"
LOOKED = "2026-11-24"

ONLY_NONE = (
    "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function "
    "tools, use /v1/responses or set reasoning_effort to 'none'."
)
NO_EFFORT = (
    "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use "
    "/v1/responses instead."
)
NO_MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
)
UP_TO_HIGH = "Supported values are: 'minimal', 'low', 'medium', and 'high'."
FROM_NONE = "Supported values are: 'none', 'low', 'medium', and 'high'."

FACTS = (
    # --- before reasoning --------------------------------------------------------------------------------------------
    fact(
        "gpt chatgpt", until="4", thinking=False, looked=LOOKED,
        source="Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    ),
    # "Only supported with the gpt-4o-mini, gpt-4o-mini-2024-07-18, and gpt-4o-2024-08-06 model snapshots and later."
    fact("gpt", until="4.0", but="o", json_schema=False, source=FORMATS, looked=LOOKED),
    fact("gpt", until="3.5", images=False, source=VISION, looked=LOOKED),
    fact("gpt", only="search", web_search=True, source=f"{DOCS}/guides/tools-web-search", looked=LOOKED),
    fact("gpt-audio", thinking=False, images=False, source=f"{MODELS}/gpt-audio", looked=LOOKED),
    # --- o-series ----------------------------------------------------------------------------------------------------
    fact(
        O_SERIES, least_effort="low", highest_effort="high", looked=LOOKED,
        source="Supported values are: 'low', 'medium', and 'high'.",
    ),
    fact(O_SERIES, max_completion_tokens=True, source=NO_MAX_TOKENS, looked=LOOKED),
    fact(O_SERIES, sampling=False, logprobs=False, source=REASONING, looked=LOOKED),
    fact(
        O_SERIES, penalties=False, parallel_tools=False, looked=LOOKED,
        source="Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    ),
    fact(
        "o3 o4", stop_sequences=False, source=f"{SDK}: \"Not supported with latest reasoning models `o3` and "
        "`o4-mini`\"", looked=LOOKED,
    ),
    fact("o3", only="mini", stop_sequences=True, images=False, documents=False, source=VISION, looked=LOOKED),
    fact("o1", only="mini", thinking=False, images=False, source=REASONING, looked=LOOKED),
    fact(
        "o1", only="mini", instruction_roles=False, looked=LOOKED,
        source="Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ),
    # --- GPT-5 and later: efforts ------------------------------------------------------------------------------------
    fact("gpt", since="5", max_completion_tokens=True, source=NO_MAX_TOKENS, looked=LOOKED),
    fact("gpt", since="5", least_effort="low", source=REASONING, looked=LOOKED),
    fact(
        "gpt", since="5", until="5.0", least_effort="minimal", source=UP_TO_HIGH, looked=LOOKED,
    ),
    fact("gpt", since="5", until="5.1", highest_effort="high", source=FROM_NONE, looked=LOOKED),
    fact("gpt", since="5.1", thinking_off=True, source=FROM_NONE, looked=LOOKED),
    fact("gpt", since="5.2", until="5.5", highest_effort="xhigh", source=REASONING, looked=LOOKED),
    # "Chat Completions accepts low, medium, high, and xhigh".
    fact(
        "gpt", CHAT, since="5.6", highest_effort="xhigh", reason="its Responses have `max`", source=LATEST,
        looked=LOOKED,
    ),
    # "The API rejects requests that set reasoning effort to `none`": Astra, and Sol from 6.1 on, not Terra and Luna.
    fact(
        "gpt", since="6", but="luna terra", thinking_off=False, source=f"{MODELS}/gpt-6.2-sol",
        looked=LOOKED,
    ),
    fact(
        "gpt", since="6", until="6.0", only="sol", thinking_off=True, source=f"{MODELS}/gpt-6-sol",
        looked=LOOKED,
    ),
    # --- variants ----------------------------------------------------------------------------------------------------
    fact(
        "gpt", since="5", until="5", only="codex", thinking_off=False, least_effort="low",
        source=f"{MODELS}/gpt-5-codex", looked=LOOKED,
    ),
    fact(
        "gpt", since="5.1", until="5.1", only="max", highest_effort="xhigh",
        source=f"{MODELS}/gpt-5.1-codex-max", looked=LOOKED,
    ),
    fact(
        "gpt", since="5", until="5", only="pro", thinking_off=False, least_effort="medium",
        source=f"{MODELS}/gpt-5.5-pro", looked=LOOKED,
    ),
    fact(
        "gpt", since="5", until="5.0", only="pro", least_effort="high", highest_effort="high",
        source="Supported values are: 'high'.", looked=LOOKED,
    ),
    # --- sampling ----------------------------------------------------------------------------------------------------
    fact(
        "gpt", since="5", until="5.0", sampling=False, logprobs=False, source=REASONING, looked=LOOKED,
    ),
    # "temperature, top_p, logprobs: only supported … with reasoning effort set to none", the default up to 5.4.
    fact("gpt", since="5.1", sampling_with_thinking=False, source=LATEST, looked=LOOKED),
    fact("gpt", since="5.1", until="5.4", thinks_by_default=False, source=LATEST, looked=LOOKED),
    fact("gpt", since="6", sampling=False, logprobs=False, source=LATEST, looked=LOOKED),
    fact(
        "gpt", since="5", until="5.0", penalties=False, looked=LOOKED,
        source="Unsupported parameter: 'presence_penalty' is not supported with this model.",
    ),
    fact("gpt", since="5.5", penalties=False, source=REASONING, looked=LOOKED),
    fact(
        "gpt", since="5", stop_sequences=False, looked=LOOKED,
        source="Unsupported parameter: 'stop' is not supported with this model.",
    ),
    fact(
        "gpt", since="5", only="codex", sampling=False, logprobs=False, thinks_by_default=True, looked="2026-11-29",
        source="Unsupported parameter: 'top_p' is not supported with this model. (https://github.com/microsoft/vscode/"
        "issues/282170, https://github.com/epam/ai-dial-chat/issues/8538): they always reason",
    ),
    # --- what other vendors put in messages --------------------------------------------------------------------------
    fact(
        "gpt chatgpt gpt-audio o1 o3 o4", server="own azure", google_signatures=False, looked="2026-11-27",
        source=f"{SDK}: `ChatCompletionMessageFunctionToolCallParam` has no `extra_content`",
    ),
    # --- tools and content -------------------------------------------------------------------------------------------
    fact(
        "gpt chatgpt gpt-audio o1 o3 o4", CHAT, server="own azure", most_tools=128, looked="2026-11-29",
        reason="a limit of this protocol's list: clients of Responses send several hundred",
        source="Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with "
        "length 133 instead. (https://github.com/zed-industries/zed/issues/42393)",
    ),
    fact("gpt", since="5", custom_tools=True, source=TOOLS, looked=LOOKED),
    fact("gpt", since="5", audio=False, source=f"{MODELS}/gpt-5", looked=LOOKED),
    fact(
        "gpt", server="own azure", since="5.2", until="5.5", effort_with_tools=False, source=NO_EFFORT,
        looked=LOOKED,
    ),
    fact("gpt", server="own azure", since="5.6", tools_with_thinking=False, source=ONLY_NONE, looked=LOOKED),
    fact(
        "gpt", CHAT, server="own azure", since="6", but="luna terra", tools_with_thinking=True, function_tools=False,
        custom_tools=False, reason=RESPONSES_HAVE, source=f"{MODELS}/gpt-6-astra", looked=LOOKED,
    ),
    fact(
        "gpt", CHAT, server="own azure", since="6", until="6.0", only="sol", tools_with_thinking=False,
        function_tools=True, custom_tools=True, reason=RESPONSES_HAVE, source=f"{MODELS}/gpt-6-sol", looked=LOOKED,
    ),
    fact("gpt", since="5.6", cache_breakpoints=True, source=CACHING, looked=LOOKED),
    # "OpenAI supports configuration_update on gpt-6-astra in standard, single-agent mode only."
    fact(
        "gpt", server="own", since="6", but="luna terra sol pro", turn_settings=True, looked="2026-11-29",
        source="https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/gpt-6-astra",
    ),
    # --- chat models: the one of GPT-5 does not reason, later ones have one effort -----------------------------------
    fact(
        "gpt", since="5", until="5.0", only="chat", thinking=False, sampling=True, logprobs=True,
        source=f"{MODELS}/gpt-5-chat-latest", looked=LOOKED,
    ),
    fact(
        "gpt", since="5", until="5.0", only="chat", penalties=True, stop_sequences=True, custom_tools=False,
        source=f"{MODELS}/gpt-5-chat-latest", looked=LOOKED,
    ),
    fact(
        "gpt", since="5.1", until="5", only="chat", thinking_off=False, least_effort="medium",
        highest_effort="medium", thinks_by_default=True, source="Supported values are: 'medium'.", looked=LOOKED,
    ),
    # --- open weights ------------------------------------------------------------------------------------------------
    fact(
        "gpt-oss", least_effort="low", highest_effort="high",
        source="https://cookbook.openai.com/articles/openai-harmony", looked=LOOKED,
    ),
    fact(
        "gpt-oss", schema_references=False, looked="2026-11-30",
        source="https://github.com/openai/harmony, src/encoding.rs: types of tools are rendered of `type`, "
        "`properties`, `items`, `enum` and `oneOf`; a schema with a reference alone is rendered as `any`",
    ),
    fact(
        "gpt-oss", thinking_off=False, source="https://docs.ollama.com/capabilities/thinking", looked="2026-11-28",
    ),
)  # fmt: skip
BEST = (
    best("gpt o1 o3 o4", RESPONSES, only=RESPONSES_ONLY),
    best("gpt", RESPONSES, since="5.6"),
    best("codex-mini computer-use gpt-daybreak gpt-rosalind", RESPONSES),
)
