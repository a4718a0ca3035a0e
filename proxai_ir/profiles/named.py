"""Profiles of well-known servers: what each is known to accept (CAP-1). `about` has the source of every fact."""

from __future__ import annotations

from typing import Any

from ..conversion.profile import Profile

# --- named ------------------------------------------------------------------------------------------------------------


# --- Anthropic Messages -----------------------------------------------------------------------------------------------

ANTHROPIC_2023_06_01 = Profile("anthropic_messages", "2023-06-01")

ANTHROPIC_2026_10_21 = Profile("anthropic_messages", "2026-10-21")

ANTHROPIC_BEFORE_4_6 = Profile("anthropic_messages", "2023-06-01", adaptive_thinking=False, effort=False, prefill=True)

# --- OpenAI -----------------------------------------------------------------------------------------------------------

OPENAI_CHAT = Profile("openai_chat_completions", cache_breakpoints=True, custom_tools=True)
OPENAI_RESPONSES = Profile("openai_responses", cache_breakpoints=True)

OPENAI_CHAT_BEFORE_5_6 = Profile("openai_chat_completions")
OPENAI_RESPONSES_BEFORE_5_6 = Profile("openai_responses")

# --- Chat Completions of other vendors --------------------------------------------------------------------------------

ONLY_OPENAI = Profile(
    "openai_chat_completions",
    allowed_choices=False,
    audio=False,
    moderation=False,
    own_sampling=True,
    speech=False,
    verbosity=False,
)

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

DEEPSEEK = Profile(
    "openai_chat_completions",
    **dict[str, Any](COMPATIBLE_CHAT.given, audio=False, images=False, json_schema=False, own_sampling=False),
)

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

MISTRAL = Profile(
    "openai_chat_completions",
    **dict[str, Any](
        COMPATIBLE_CHAT.given,
        any_role_order=False,
        assistant_last=False,
        audio_formats=False,
        batch_urls=False,
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
        reasoning_seals="mistral",
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

GEMINI_API = Profile("gemini_generate_content")

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

GEMINI_2_0 = Profile(
    "gemini_generate_content",
    **dict[str, Any](GEMINI_2_5.given, json_schemas=False, media_urls=False, penalties=True, url_context=False),
)

VERTEX_AI = Profile(
    "gemini_generate_content",
    display_names=True,
    enterprise_search=True,
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
