"""Profiles of well-known servers: what each is known to accept, with the source of every fact (CAP-1).

Rule: a fact is in the official SDK or documentation, or in a recorded error of the server's.
"""

from __future__ import annotations

from typing import Any

from ..conversion.profile import Profile

# --- named ------------------------------------------------------------------------------------------------------------


# --- Anthropic Messages -----------------------------------------------------------------------------------------------

# What every current model accepts under this version: the defaults. `temperature` with `top_p` is refused by current
# models ("cannot both be specified for this model"), and so is a last message of the assistant's ("does not support
# assistant message prefill").
ANTHROPIC_2023_06_01 = Profile("anthropic_messages", "2023-06-01")

# The version that Anthropic's Python SDK sends as of 2.11 (`_constants.ANTHROPIC_API_VERSION`), whose parameters of
# a request have no `temperature`, `top_p` and `top_k` any more; it has `thinking: {"type": "adaptive"}`.
ANTHROPIC_2026_10_21 = Profile("anthropic_messages", "2026-10-21")

# Models before Claude 4.6. `output_config.effort` and adaptive thinking are errors there; they continue a last message
# of the assistant's (the SDK's documentation of `messages`, under "prefill").
ANTHROPIC_BEFORE_4_6 = Profile("anthropic_messages", "2023-06-01", adaptive_thinking=False, effort=False, prefill=True)

# --- OpenAI -----------------------------------------------------------------------------------------------------------

# gpt-5.6 and later: "Supported for `gpt-5.6` and later models" (the SDK's documentation of `prompt_cache_options`).
# Which models stop reasoning with the effort "none" is in OpenAI's reasoning guide; a profile of one may state it.
OPENAI_CHAT = Profile("openai_chat_completions", cache_breakpoints=True, custom_tools=True)
OPENAI_RESPONSES = Profile("openai_responses", cache_breakpoints=True)

# Models before that: "prompt_cache_breakpoint is not supported on this model". These are the defaults.
OPENAI_CHAT_BEFORE_5_6 = Profile("openai_chat_completions")
OPENAI_RESPONSES_BEFORE_5_6 = Profile("openai_responses")

# --- Chat Completions of other vendors --------------------------------------------------------------------------------

# What is of OpenAI's own servers alone: their chat reference has it, and no reference or package of another vendor.
ONLY_OPENAI = Profile(
    "openai_chat_completions",
    allowed_choices=False,
    audio=False,
    moderation=False,
    own_sampling=True,
    speech=False,
    verbosity=False,
)

# What the narrow ones among compatible servers accept, by errors of LiteLLM, Groq, Foundry Local and servers that fill
# templates of models: "'function' is a required property" (custom tools), "value must be a string" (content of system
# messages), "unknown variant `developer`", "property 'store' is unsupported", "Unknown part type: file", "System
# message must be at the beginning" (ollama/ollama#17774). Their models have defaults of their own for temperature and
# top p.
COMPATIBLE_CHAT = Profile(
    "openai_chat_completions",
    allowed_choices=False,
    content_arrays=False,
    custom_tools=False,
    developer_role=False,
    documents=False,
    highest_effort="high",
    max_completion_tokens=False,
    openai_settings=False,
    own_sampling=True,
    speech=False,
    strict_tools=False,
    system_in_place=False,
)

# Errors of the server: "messages[0].role: unknown variant `developer`", "unknown variant `image_url`, expected `text`",
# "unknown variant `input_audio`", "This response_format type is unavailable now" (json_schema). Its documentation has
# `max_tokens`, function tools, and 1 as the default of temperature and top p.
DEEPSEEK = Profile(
    "openai_chat_completions",
    **dict[str, Any](COMPATIBLE_CHAT.given, audio=False, images=False, json_schema=False, own_sampling=False),
)

# `ChatCompletionRequest` and the parsers of content parts of vLLM: tools are functions, files are "Unknown part type",
# unknown members are ignored, choices are auto, none, required or one function. The templates of many models raise
# "System message must be at the beginning" (vllm-project/vllm#41114). The defaults of sampling are those of the model's
# `generation_config.json` (`--generation-config`). `FunctionDefinition.parameters` is any object: no schema is looked
# into.
VLLM = Profile(
    "openai_chat_completions",
    allowed_choices=False,
    composed_parameters=True,
    custom_tools=False,
    documents=False,
    openai_settings=False,
    own_sampling=True,
    system_in_place=False,
)

# Ollama's path for OpenAI's clients (`openai/openai.go` of ollama/ollama at 00988753, and its page "OpenAI
# compatibility"; looked at on 2026-11-28): a request has no `tool_choice`, `n`, `parallel_tool_calls`, `logit_bias` and
# no `max_completion_tokens`, a tool no `strict`; members that it does not know are skipped. Parts are texts and images,
# all else is "invalid message format"; of a URL, "image URLs are not currently supported, please use base64 encoded
# data instead". Each text of an array becomes a message of its own. Reasoning is `reasoning`; efforts are those of
# `think`, "max" the highest (ollama/ollama#16877), and `xhigh` is "invalid reasoning value: 'xhigh'"
# (diegosouzapw/OmniRoute#10160). Sampling is as the model's file says.
OLLAMA = Profile(
    "openai_chat_completions",
    **dict[str, Any](
        COMPATIBLE_CHAT.given,
        audio=False,
        forced_choice=False,
        google_signatures=False,
        highest_effort="max",
        image_urls=False,
        named_choice=False,
        parallel_tools=False,
        reasoning_member="reasoning",
        several_candidates=False,
        tool_choice=False,
        xhigh_effort=False,
    ),
)

# The SDK's `ChatCompletionRequest` and its messages are closed: "extra_forbidden" names `stream_options`, members of
# messages such as `reasoning_content`, `seed` (its own is `random_seed`), and others of OpenAI's; of the temperature it
# has that "the default value varies depending on the model". It has log probabilities, `metadata`, `prompt_cache_key`
# and `top_k`, and tiers of its own: `service_tier` is "auto" or "standard_only". Errors of the server:
# "Tool call id was call_search but must be a-z, A-Z, 0-9, with a length of 9", "Unexpected role 'user' after role
# 'tool'", "Expected last role User or Tool". Its own tokenizer joins messages of one role, and the templates of its
# models refuse them: "conversation roles must alternate user/assistant/user/assistant/…" (vllm-project/vllm#6862).
MISTRAL = Profile(
    "openai_chat_completions",
    **dict[str, Any](
        COMPATIBLE_CHAT.given,
        any_role_order=False,
        assistant_last=False,
        cache_retention=False,
        call_ids=False,
        content_arrays=True,
        empty_text=False,
        end_users=False,
        google_signatures=False,
        moderation=False,
        openai_settings=True,
        random_seed=True,
        reasoning_content=False,
        role_neighbours=False,
        service_tiers=False,
        store=False,
        stream_options=False,
        strict_tools=True,
        top_k=True,
        unstored_metadata=True,
        verbosity=False,
    ),
)

# --- Google -----------------------------------------------------------------------------------------------------------

# The Gemini API with its current models: the defaults. "Multimodal function responses" are of "the Gemini 3 series"
# (documentation of function calling), and so is the placeholder for signatures of other models' calls ("Function call
# is missing a thought_signature in functionCall parts").
GEMINI_API = Profile("gemini_generate_content")

# The Gemini API with Gemini 2.5. "If you use the `thinking_level` parameter with a model earlier than Gemini 3, the
# model returns an error" (documentation of thinking; a budget of 0 turns it off), "Tool use with function calling is
# unsupported", "Function calling with a response mime type: 'application/json' is unsupported"; `mediaResolution` of a
# part is of Gemini 3, and so is the validation of signatures. Error of the server: "Multimodal function responses are
# not supported for this model".
GEMINI_2_5 = Profile(
    "gemini_generate_content",
    dummy_signatures=False,
    effort=False,
    json_with_tools=False,
    media_in_results=False,
    media_resolution=False,
    mixed_tools=False,
    thinking_off=True,
)

# Gemini 2.0: "Json Schema is supported" from 2.5 on, and so is URL context; no files by the URLs of other servers; it
# does not think.
GEMINI_2_0 = Profile(
    "gemini_generate_content",
    **dict[str, Any](GEMINI_2_5.given, json_schemas=False, media_urls=False, penalties=True, url_context=False),
)

# Vertex AI. The SDK, of `exclude_domains`: "only supported in Gemini Enterprise Agent Platform mode"; of `store`,
# `mcp_servers` and `include_server_side_tool_invocations`: "only supported in Gemini Developer API mode". Labels and
# names of files are in its documentation. Of `FileSearch`: "This data type is not supported in Vertex AI".
VERTEX_AI = Profile(
    "gemini_generate_content",
    display_names=True,
    excluded_domains=True,
    file_search=False,
    labels=True,
    logprobs=True,
    mcp_servers=False,
    mixed_tools=False,
    store=False,
    urls_in_results=True,
)


# --- servers ----------------------------------------------------------------------------------------------------------
# Whose server an address is, for facts that depend on it (`server=` of `for_model`).


HOSTS = {
    "amazonaws.com": "bedrock",
    "aiplatform.googleapis.com": "vertex",
    "api.cerebras.ai": "cerebras",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "cognitiveservices.azure.com": "azure",
    "openai.azure.com": "azure",
    "openrouter.ai": "openrouter",
    "services.ai.azure.com": "azure",
}
"""By the end of a host's name."""


def server_at(host: str) -> str | None:
    """Return the server's name; None where the host tells nothing."""
    labels = host.lower().rstrip(".").split(".")
    ends = (".".join(labels[at:]) for at in range(len(labels)))
    region = "aiplatform.googleapis.com"  # of which there is one with each region in front: us-central1-aiplatform…
    return next((HOSTS[end] for end in ends if end in HOSTS), "vertex" if host.lower().endswith("-" + region) else None)
