"""The options of conversions as types, for type checkers.

Rule: these are all options, with the types that `options` checks; a test compares them. Protocols of other packages
have options of their own: pass them as `**{"name": value}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from ..ir.envelope import Seals

Names = tuple[str, ...] | list[str] | set[str] | frozenset[str]


class ProtocolOptions(TypedDict, total=False):
    """The options of a call that one protocol has; a Profile states other defaults for them."""

    allow_empty: bool
    context_size: int
    include_usage: bool
    input_tokens: int
    max_tokens: int
    refusal_status: Literal["failed", "completed"]
    usage: Literal["finish_chunk", "usage_chunk", "running"]


class Settings(ProtocolOptions, total=False):
    """The settings of a Profile: capabilities of a server, and options of its protocol."""

    adaptive_thinking: bool
    allowed_choices: bool
    any_role_order: bool
    assistant_first: bool
    assistant_last: bool
    audio: bool
    audio_formats: bool
    automatic_caching: bool
    bare_reasoning: bool
    batch_urls: bool
    beside_results: Literal["plain", "all", "nothing"]
    betas: bool
    cache_breakpoints: bool
    cache_keys: bool
    cache_retention: bool
    call_ids: bool
    citations: bool
    composed_parameters: bool
    content_arrays: bool
    custom_tools: bool
    developer_role: bool
    display_names: bool
    document_links: bool
    documents: bool
    dummy_signatures: bool
    effort: bool
    effort_with_tools: bool
    efforts: bool
    empty_text: bool
    encrypted_reasoning: bool
    end_users: bool
    enterprise_search: bool
    excluded_domains: bool
    family: Literal["anthropic", "nova", "openai", "responses", "qwen", "other"]
    fast_mode: bool
    file_search: bool
    forced_choice: bool
    forced_with_thinking: bool
    function_tools: bool
    generated_images: bool
    google_signatures: bool
    high_temperature: bool
    highest_effort: Literal["medium", "high", "xhigh", "max"]
    hosted_tools: bool
    image_urls: bool
    images: bool
    instruction_roles: bool
    items_after_calls: bool
    json_schema: bool
    json_schemas: bool
    json_with_tools: bool
    labels: bool
    least_effort: Literal["unstated", "minimal", "low", "medium", "high"]
    least_thinking: Literal["least_effort", "between_tools"]
    logprobs: bool
    lone_reasoning: bool
    long_caching: bool
    many_strict_tools: bool
    max_completion_tokens: bool
    mcp_servers: bool
    media_in_results: bool
    media_resolution: bool
    media_urls: bool
    medium_effort: bool
    metadata: bool
    middle_efforts: bool
    mixed_tools: bool
    moderation: bool
    most_tools: int
    named_choice: bool
    openai_settings: bool
    openai_tools: bool
    optimized_latency: bool
    other_audio: bool
    other_documents: bool
    other_hosted_tools: bool
    own_sampling: bool
    parallel_tools: bool
    penalties: bool
    prefill: bool
    random_seed: bool
    reasoning_content: bool
    reasoning_member: Literal["reasoning_content", "reasoning"]
    reasoning_seals: Literal["none", "copilot", "databricks", "litellm", "mistral"]
    result_media: Literal["all", "documents", "legible", "none"]
    result_status: bool
    role_neighbours: bool
    safety_identifier: bool
    sampling: bool
    sampling_with_thinking: bool
    schema_keywords: bool
    schema_references: bool
    search_sources: bool
    seed: bool
    service_tiers: bool
    several_candidates: bool
    speech: bool
    stop_sequences: bool
    store: bool
    stream_options: bool
    stream_tools: bool
    strict_tools: bool
    structured_output: bool
    system_in_place: bool
    temperature_with_top_p: bool
    thinking: bool
    thinking_budgets: bool
    thinking_member: Literal["reasoning_effort", "thinking", "enable_thinking"]
    thinking_off: bool
    thinks_by_default: bool
    token_limit: bool
    tool_choice: bool
    tools_with_thinking: bool
    top_k: bool
    turn_settings: bool
    unreasoned_calls: bool
    unsigned_thinking: bool
    unstored_metadata: bool
    url_context: bool
    urls_in_results: bool
    verbosity: bool
    video: bool
    web_search: bool
    xhigh_effort: bool
    zero_temperature: bool


class Reading(TypedDict, total=False):
    """The options of reading a payload."""

    status: int | None
    headers: Mapping[str, str] | None
    quote_values: bool


class Shared(ProtocolOptions, total=False):
    """The options of an Exchange: those of every protocol, and those of one."""

    strict: bool | None
    accept: Names
    quote_values: bool | None
    stream: bool | None
    response_id: str | None
    created: int | None
    status: int | None
    headers: Mapping[str, str] | None
    buffer_limit: int | None
    seals: Seals | Literal[False] | None
    emulate: Literal["auto"] | Names
    instructions: Literal["hoist", "in_place"]
    deferred_tools: Literal["all", "visible"]
    repair: Names


class Options(Shared, total=False):
    """The options of one conversion."""

    model: str | None
    state: Mapping[str, Any]
