"""The facts about models of Anthropic (CAP-5), whatever protocol and cloud serve them (CAP-7).

The defaults of its own protocol, and of Converse for Claude, are those of Claude 4.6: adaptive thinking, every effort,
sampling, no prefilled answer.
"""

from __future__ import annotations

from ..facts import MESSAGES, best, fact

CLAUDE = "claude claude-opus claude-sonnet claude-haiku claude-fable claude-mythos"
OLDER = "claude claude-opus claude-sonnet claude-haiku"
NEWEST = "claude-fable claude-mythos"

DOCS = "https://platform.claude.com/docs/en"
THINKING = f"{DOCS}/build-with-claude/thinking"
SIGNATURES = f"{DOCS}/build-with-claude/thinking#preserving-thinking-blocks"
EFFORT = f"{DOCS}/build-with-claude/effort"
EACH_MESSAGE = f"{DOCS}/build-with-claude/effort-per-message"
MIGRATION = f"{DOCS}/about-claude/models/migration-guide"
OPUS_5_5 = f"{DOCS}/models/opus-5-5/migration-guide"
SONNET_5_5 = f"{DOCS}/models/sonnet-5-5/whats-new-sonnet-5-5"
FABLE_5_1 = f"{DOCS}/models/fable-5-1/migration-guide"
FORMATS = f"{DOCS}/build-with-claude/structured-outputs"
IN_PLACE = f"{DOCS}/build-with-claude/mid-conversation-system-messages"
OVERVIEW = f"{DOCS}/about-claude/models/overview"
SKILL = "https://github.com/anthropics/skills/blob/main/skills/claude-api/shared/platform-availability.md"
ON_BEDROCK = "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-structured-outputs.html"
NO_FORMATS = (
    "output_config.format: Extra inputs are not permitted; tools.0.custom.strict: Extra inputs are not permitted "
    "(https://github.com/anthropics/anthropic-sdk-python/issues/1759, https://github.com/vercel/ai/issues/14773, "
    f"@ai-sdk/amazon-bedrock 4.0.186; {SONNET_5_5}). pydantic-ai 2.68 says that Bedrock has them by now but for Opus "
    "4.1 and Fable 5: the refusals are followed, as a refused request costs more than a schema that is named as lost"
)
ON_VERTEX = (
    "https://documentation.s3ns.fr/gemini-enterprise-agent-platform/models/partner-models/claude/structured-outputs: "
    "models since Claude 4.5. Pages of the same text from earlier this year begin with 4.6; the newer one is followed. "
    "An organization's policy may switch them off (output_config.format: Extra inputs are not permitted, "
    "https://github.com/Portkey-AI/gateway/issues/1570), which a refusal teaches"
)
NO_PARALLEL = (
    "tool_choice: extraneous key [disable_parallel_tool_use] is not permitted "
    "(https://github.com/anthropics/anthropic-sdk-typescript/issues/592); litellm 1.110, "
    "`supports_parallel_tool_use_config`: from 4.5 on"
)
WITH_A_BETA = (
    "https://github.com/BerriAI/litellm/pull/27040: Opus 4.5 takes it there only with the beta effort-2025-11-24, and "
    "pydantic-ai 2.68 never sends it"
)
TIERS = f"{DOCS}/api/service-tiers: those of the vendor's own servers"
GATEWAYS = "https://github.com/coder/coder, `aibridge`: what the body of InvokeModel lacks, `metadata` for one"
BODY = "a member of the body of this protocol, which that of the cloud's other protocols is not made of"
LOOKED = "2026-11-24"
READ = "2026-11-29"

FACTS = (
    # --- thinking and effort -----------------------------------------------------------------------------------------
    # "Older models … do not support adaptive thinking"; effort began with Opus 4.5, which has low, medium and high.
    fact(OLDER, until="4.5", adaptive_thinking=False, effort=False, source=THINKING, looked=LOOKED),
    fact("claude-opus", since="4.5", until="4.5", effort=True, highest_effort="high", source=EFFORT, looked=LOOKED),
    fact(OLDER, until="3.5", thinking=False, source=THINKING, looked=LOOKED),
    fact(
        OLDER, since="4.6", until="4.6", xhigh_effort=False, looked=LOOKED,
        source="This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    ),
    # "Claude 4.7 and later models do not support it and reject requests that use it, returning a 400 error."
    # "messages.1.content.0.thinking.signature: Field required": all of Claude's thinking is signed.
    fact(CLAUDE, unsigned_thinking=False, source=SIGNATURES, looked=READ),
    fact(OLDER, since="4.7", thinking_budgets=False, source=THINKING, looked=LOOKED),
    fact(NEWEST, thinking_budgets=False, source=THINKING, looked=LOOKED),
    # "Models marked `Always on` cannot turn thinking off."
    fact(NEWEST, thinking_off=False, source=THINKING, looked=LOOKED),
    fact(
        "claude claude-opus", since="5.5", thinking_off=False, looked=LOOKED,
        source='"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive"',
    ),
    fact(
        "claude-sonnet", since="5.5", thinking_off=False, least_thinking="between_tools", source=SONNET_5_5,
        looked=LOOKED,
    ),
    # --- sampling ----------------------------------------------------------------------------------------------------
    # "Non-default `temperature`, `top_p`, or `top_k` values return a 400 error on every request."
    fact(OLDER, since="4.7", sampling=False, source=THINKING, looked=LOOKED),
    fact(NEWEST, sampling=False, source=THINKING, looked=LOOKED),
    # From Opus 4.1 on "`temperature` and `top_p` cannot both be specified for this model".
    fact(OLDER, until="4.0", temperature_with_top_p=True, source=MIGRATION, looked=LOOKED),
    # --- messages and tools ------------------------------------------------------------------------------------------
    # "Prefilling assistant messages returns a 400 error on Claude 4.6 models."
    fact(OLDER, until="4.5", prefill=True, source=MIGRATION, looked=LOOKED),
    # "Fable 5.1 and Mythos 5.1 … reject forced tool use on every request with a 400 error."
    fact(NEWEST, since="5.1", forced_choice=False, source=FABLE_5_1, looked=LOOKED),
    fact("claude claude-opus", since="5.5", forced_choice=False, source=OPUS_5_5, looked=LOOKED),
    fact("claude-sonnet", since="5.5", forced_choice=False, source=SONNET_5_5, looked=LOOKED),
    # Sonnet 5 takes the role and does not heed it. "role 'system' is not supported on this model" before.
    fact("claude claude-opus", since="4.8", system_in_place=True, source=IN_PLACE, looked=LOOKED),
    fact(NEWEST, system_in_place=True, source=IN_PLACE, looked=LOOKED),
    fact("claude-sonnet claude-haiku", since="5.5", system_in_place=True, source=IN_PLACE, looked=LOOKED),
    # The page's example is for Fable 5.1, and names no other model.
    fact("claude-fable", server="own", since="5.1", turn_settings=True, source=EACH_MESSAGE, looked=READ),
    # Opus 4.1 and Claude 4.5 are the first with structured outputs, which strict tools are part of.
    fact(OLDER, until="4.0", structured_output=False, strict_tools=False, source=FORMATS, looked=LOOKED),
    fact(OLDER, until="3.5", max_tokens=8192, source=OVERVIEW, looked=LOOKED),
    fact(OLDER, until="3.0", max_tokens=4096, source=OVERVIEW, looked=LOOKED),
    # --- on the clouds -----------------------------------------------------------------------------------------------
    # Whoever's name the model has there, such as that of an inference profile.
    fact(
        "", MESSAGES, reason=BODY, server="bedrock", web_search=False, other_hosted_tools=False, source=SKILL,
        looked=LOOKED,
    ),
    fact("", MESSAGES, reason=BODY, server="vertex", other_hosted_tools=False, source=SKILL, looked=LOOKED),
    fact("", MESSAGES, reason=BODY, server="azure bedrock vertex", fast_mode=False, source=SKILL, looked=LOOKED),
    fact("", MESSAGES, reason=BODY, server="bedrock vertex", service_tiers=False, source=TIERS, looked=LOOKED),
    fact("", MESSAGES, reason=BODY, server="bedrock", end_users=False, source=GATEWAYS, looked=LOOKED),
    # "The legacy Bedrock integration (Opus 4.6 and earlier) rejects top-level `cache_control` with a 400"
    fact(OLDER, until="4.6", server="bedrock", automatic_caching=False, source=SKILL, looked=LOOKED),
    fact(CLAUDE, until="5.1", server="bedrock", system_in_place=False, source=SKILL, looked=LOOKED),
    fact(CLAUDE, server="vertex", system_in_place=False, source=SKILL, looked=LOOKED),
    fact(CLAUDE, server="azure", system_in_place=False, source=SKILL, looked=LOOKED),
    fact("claude-opus", since="4.5", until="4.5", server="bedrock", effort=False, source=WITH_A_BETA, looked=READ),
    fact(OLDER, until="4.4", server="bedrock", parallel_tools=False, source=NO_PARALLEL, looked=READ),
    fact(
        "claude claude-opus", since="4.1", until="4.1", server="bedrock", structured_output=False, strict_tools=False,
        source=NO_FORMATS, looked=READ,
    ),
    fact(
        "claude claude-opus claude-sonnet", since="4.7", server="bedrock", structured_output=False, strict_tools=False,
        source=NO_FORMATS, looked=READ,
    ),
    fact(NEWEST, server="bedrock", structured_output=False, strict_tools=False, source=NO_FORMATS, looked=READ),
    fact(
        OLDER, until="4.4", server="vertex", structured_output=False, strict_tools=False, source=ON_VERTEX, looked=READ,
    ),
    fact("claude-haiku", since="5", server="bedrock", structured_output=False, source=ON_BEDROCK, looked=LOOKED),
)  # fmt: skip
BEST = (best(CLAUDE, MESSAGES),)
