"""Claude, as Anthropic's migration guides, support lists and recorded errors have it (read 2026-11-24)."""

from __future__ import annotations

from tests.servers.models.judge import (
    MESSAGES,
    Check,
    Json,
    Refuses,
    both,
    either,
    forced_choice,
    is_in,
    is_other_than,
    is_over,
    is_under,
    structured_output,
    table,
    takes,
    where,
)

DOCS = "https://platform.claude.com/docs/en/"
SAMPLING = f"{DOCS}about-claude/models/whats-new-claude-4-7#sampling-parameters-removed"
REJECTED = f"{DOCS}build-with-claude/thinking-troubleshooting#rejected-configurations"
EXTENDED = f"{DOCS}build-with-claude/extended-thinking"
EFFORT_PAGE = f"{DOCS}build-with-claude/effort"
MID_CONVERSATION = f"{DOCS}build-with-claude/mid-conversation-system-messages"
OVERVIEW = f"{DOCS}about-claude/models/overview"
HAIKU_5_5 = f"{DOCS}models/haiku-5-5/migration-guide"
SONNET_5_5 = f"{DOCS}models/sonnet-5-5/migration-guide"
OPUS_5_5 = f"{DOCS}models/opus-5-5/whats-new-opus-5-5"
FABLE_5_1 = f"{DOCS}models/fable-5-1/whats-new-fable-5-1"
FABLE_5_2 = f"{DOCS}models/fable-5-2/whats-new-fable-5-2"


# --- sampling ---------------------------------------------------------------------------------------------------------

# The default of `top_p` is 0.99, not 1: the neutral value of other vendors is refused like any other.
NO_SAMPLING = (
    Check(where("temperature", is_other_than(1)), "`temperature` is deprecated for this model.", SAMPLING),
    Check(where("top_p", is_other_than(0.99)), "`top_p` is deprecated for this model.", HAIKU_5_5),
    Check(where("top_k"), "`top_k` is deprecated for this model.", HAIKU_5_5),
    Check(
        both(where("temperature"), where("top_p")),
        "`temperature` and `top_p` cannot both be specified for this model.",
        HAIKU_5_5,
    ),
)

ONE_OF_TWO = (
    Check(
        both(where("temperature"), where("top_p")),
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
        f"{DOCS}about-claude/models/migrating-to-claude-4",
    ),
)

# --- thinking ---------------------------------------------------------------------------------------------------------

thinks = where("thinking/type", is_in("enabled", "adaptive"))
manual = where("thinking/type", is_in("enabled"))
high_effort = where("output_config/effort", is_in("xhigh", "max"))


def _budget_beyond_limit(payload: Json) -> str | None:
    """A budget is part of `max_tokens`; with tools it may span several answers, so only requests without are judged."""
    budget, limit = (payload.get("thinking") or {}).get("budget_tokens"), payload.get("max_tokens")
    if payload.get("tools") or not isinstance(budget, int) or not isinstance(limit, int):
        return None
    return "/thinking/budget_tokens" if budget >= limit else None


def _no_type(name: str, message: str, source: str = REJECTED) -> Check:
    return Check(where("thinking/type", is_in(name)), message, source)


NO_BUDGET = _no_type(
    "enabled",
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort"'
    " to control thinking behavior.",
)
NO_DISABLED = _no_type("disabled", '"thinking.type.disabled" is not supported for this model.')
NO_ADAPTIVE = _no_type("adaptive", "adaptive thinking is not supported on this model")
NO_BETWEEN_TOOLS = _no_type(
    "between_tools",
    '"thinking.type.between_tools" is not supported for this model.',
    f"{DOCS}build-with-claude/thinking",
)
DISABLED_WITH_HIGH_EFFORT = Check(
    both(high_effort, where("thinking/type", is_in("disabled"))),
    "disabled is accepted at effort high or below; combining it with effort xhigh or max is rejected",
    REJECTED,
)

BUDGET_RULES = (
    Check(
        where("thinking/budget_tokens", is_under(1024)),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
        EXTENDED,
    ),
    Check(_budget_beyond_limit, "`max_tokens` must be greater than `thinking.budget_tokens`.", EXTENDED),
    Check(
        both(manual, forced_choice[MESSAGES]), "Thinking may not be enabled when tool_choice forces tool use.", EXTENDED
    ),
    Check(
        both(thinks, where("temperature", is_other_than(1))),
        "`temperature` may only be set to 1 when thinking is enabled.",
        EXTENDED,
    ),
    Check(both(thinks, where("top_k")), "`top_k` must be unset when thinking is enabled.", EXTENDED),
    Check(
        both(thinks, where("top_p", is_under(0.95))),
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
        EXTENDED,
    ),
)

BETWEEN_TOOLS_RULES = (
    Check(
        both(high_effort, where("thinking/type", is_in("between_tools"))),
        "between_tools is accepted at low, medium, and high effort. At xhigh or max, it returns a 400 error",
        SONNET_5_5,
    ),
    Check(
        both(
            where("thinking/type", is_in("between_tools")),
            either(*(where(f"thinking/{name}") for name in ("display", "budget_tokens", "block_binding"))),
        ),
        "between_tools takes no other field",
        SONNET_5_5,
    ),
)

# --- effort -----------------------------------------------------------------------------------------------------------


def _effort(message: str, source: str, *levels: str) -> Check:
    return Check(where("output_config/effort", is_other_than(*levels)), message, source)


NO_EFFORT = _effort("This model does not support the effort parameter.", EFFORT_PAGE)
EFFORT_4_5 = _effort("Supported levels: high, low, medium.", EFFORT_PAGE, "low", "medium", "high")
EFFORT_4_6 = _effort(
    "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    "recorded: pai-anthropic_explicit_effort_xhigh_unsupported_mode-d16a41-0-err",
    *("low", "medium", "high", "max"),
)
EFFORT = _effort(
    "Supported levels: low, medium, high, xhigh, max.", EFFORT_PAGE, *("low medium high xhigh max".split())
)

# --- choice, turns, tools, limits -------------------------------------------------------------------------------------


def _no_forced_choice(source: str) -> Check:
    return Check(
        forced_choice[MESSAGES], 'tool_choice: type "tool" and "any" are not supported for this model.', source
    )


def _prefill(payload: Json) -> str | None:
    """A last turn of the assistant's, unless it is a paused one that ends in what the server's tools did."""
    messages = payload.get("messages") or [{}]
    if messages[-1].get("role") != "assistant":
        return None
    content = messages[-1].get("content")
    blocks = content if isinstance(content, list) else []
    kind = blocks[-1].get("type", "") if blocks else ""
    paused = kind == "server_tool_use" or (kind.endswith("_tool_result") and kind != "tool_result")
    return None if paused else f"/messages/{len(messages) - 1}"


prefill: Refuses = _prefill

NO_PREFILL = Check(
    prefill,
    "This model does not support assistant message prefill. The conversation must end with a user message.",
    SONNET_5_5,
)
NO_PREFILL_WHILE_THINKING = Check(
    both(manual, prefill), "assistant message prefill cannot be used when thinking is enabled", EXTENDED
)
NO_SYSTEM_ROLE = Check(
    where("messages/*/role", is_in("system")),
    "role 'system' is not supported on this model",
    "recorded: lng-anthropicmidconversationsystemmessage-anthropic-19640e-first-err",
)


def _tools(source: str, *kinds: str) -> Check:
    return Check(where("tools/*/type", is_in(*kinds)), f"does not support tool types: {', '.join(kinds)}.", source)


OLD_COMPUTERS = ("computer_20251124", "computer_20250124")


def _limit(most: int) -> Check:
    message = f"max_tokens: … > {most}, which is the maximum allowed number of output tokens"
    return Check(where("max_tokens", is_over(most)), message, OVERVIEW)


NO_STRUCTURE_ON_BEDROCK = (
    Check(structured_output[MESSAGES], "output_config.format: Extra inputs are not permitted", SONNET_5_5),
    Check(
        where("tools/*/strict", is_in(True)),
        "On Amazon Bedrock, structured outputs, which include strict tool use, aren't available",
        SONNET_5_5,
    ),
)

# --- the models -------------------------------------------------------------------------------------------------------

BEFORE_4_6 = (*ONE_OF_TWO, NO_ADAPTIVE, NO_BETWEEN_TOOLS, *BUDGET_RULES, NO_PREFILL_WHILE_THINKING, NO_SYSTEM_ROLE)
OF_4_6 = (*ONE_OF_TWO, NO_BETWEEN_TOOLS, *BUDGET_RULES, EFFORT_4_6, NO_PREFILL, NO_SYSTEM_ROLE, _limit(128_000))
SINCE_4_7 = (*NO_SAMPLING, NO_BUDGET, EFFORT, NO_PREFILL, _limit(128_000))
ALWAYS_THINKS = (NO_DISABLED, NO_BETWEEN_TOOLS)
OF_OPUS_5_5 = (*SINCE_4_7, *ALWAYS_THINKS, _no_forced_choice(OPUS_5_5))
OF_SONNET_5_5 = (
    *SINCE_4_7,
    _no_type(
        "disabled",
        'To turn thinking off on this model, send "thinking": {"type": "between_tools"}'
        ' instead of {"type": "disabled"}.',
        SONNET_5_5,
    ),
    *BETWEEN_TOOLS_RULES,
    _no_forced_choice(SONNET_5_5),
    _tools(SONNET_5_5, "computer_20250124"),
)
OF_HAIKU_5_5 = (*SINCE_4_7, NO_BETWEEN_TOOLS, DISABLED_WITH_HIGH_EFFORT)

JUDGES = {
    **table(MESSAGES, "claude-haiku-4-5 claude-sonnet-4-5", BEFORE_4_6, (NO_EFFORT, _limit(64_000))),
    **table(MESSAGES, "claude-opus-4-5", BEFORE_4_6, (EFFORT_4_5, _limit(64_000))),
    **table(MESSAGES, "claude-opus-4-6 claude-sonnet-4-6", OF_4_6),
    **table(MESSAGES, "claude-opus-4-7", SINCE_4_7, (NO_BETWEEN_TOOLS, NO_SYSTEM_ROLE)),
    **table(MESSAGES, "claude-opus-4-8 claude-sonnet-5", SINCE_4_7, (NO_BETWEEN_TOOLS,)),
    **table(MESSAGES, "claude-opus-5", SINCE_4_7, (NO_BETWEEN_TOOLS, DISABLED_WITH_HIGH_EFFORT)),
    **table(MESSAGES, "claude-fable-5", SINCE_4_7, ALWAYS_THINKS),
    **table(MESSAGES, "claude-fable-5-1", SINCE_4_7, ALWAYS_THINKS, (_no_forced_choice(FABLE_5_1),)),
    **table(
        MESSAGES,
        "claude-fable-5-2",
        (*SINCE_4_7, *ALWAYS_THINKS, _no_forced_choice(FABLE_5_1), _tools(FABLE_5_2, *OLD_COMPUTERS)),
    ),
    **table(MESSAGES, "claude-opus-5-5", OF_OPUS_5_5, (_tools(OPUS_5_5, *OLD_COMPUTERS),)),
    **table(MESSAGES, "claude-sonnet-5-5", OF_SONNET_5_5, (_tools(SONNET_5_5, "computer_20251124"),)),
    **table(MESSAGES, "claude-haiku-5-5", OF_HAIKU_5_5, (_tools(HAIKU_5_5, *OLD_COMPUTERS),)),
    **table(MESSAGES, "anthropic.claude-sonnet-5-5", OF_SONNET_5_5, NO_STRUCTURE_ON_BEDROCK),
    **table(MESSAGES, "anthropic.claude-haiku-5-5", OF_HAIKU_5_5, NO_STRUCTURE_ON_BEDROCK[:1]),
    **table(MESSAGES, "anthropic.claude-opus-5-5", OF_OPUS_5_5),
}

IGNORES = {
    **table(
        MESSAGES,
        "claude-sonnet-5",
        (
            Check(
                where("messages/*/role", is_in("system")),
                "This feature is not available on Claude Sonnet 5. Use the top-level `system` field instead.",
                MID_CONVERSATION,
            ),
        ),
    ),
}

_ALL = "stop parallel_calls images documents max_tokens"
_SHAPED = f"{_ALL} structured_output strict_tools"
_FIVE = "low medium high xhigh max"

TAKES = {
    **dict.fromkeys(
        ((MESSAGES, "claude-haiku-4-5"), (MESSAGES, "claude-sonnet-4-5")),
        takes(f"{_SHAPED} temperature top_p top_k forced_choice thinking:budget thinking:disabled"),
    ),
    (MESSAGES, "claude-opus-4-5"): takes(
        f"{_SHAPED} temperature top_p top_k forced_choice thinking:budget thinking:disabled", "low medium high"
    ),
    **dict.fromkeys(
        ((MESSAGES, "claude-opus-4-6"), (MESSAGES, "claude-sonnet-4-6")),
        takes(
            f"{_SHAPED} temperature top_p top_k forced_choice thinking:budget thinking:disabled", "low medium high max"
        ),
    ),
    **dict.fromkeys(
        ((MESSAGES, "claude-opus-4-7"), (MESSAGES, "claude-sonnet-5")),
        takes(f"{_SHAPED} forced_choice thinking:disabled", _FIVE),
    ),
    (MESSAGES, "claude-opus-4-8"): takes(f"{_SHAPED} forced_choice thinking:disabled system_in_place", _FIVE),
    (MESSAGES, "claude-opus-5"): takes(f"{_SHAPED} forced_choice thinking:disabled system_in_place", _FIVE),
    (MESSAGES, "claude-haiku-5-5"): takes(f"{_SHAPED} forced_choice thinking:disabled system_in_place", _FIVE),
    (MESSAGES, "claude-fable-5"): takes(f"{_SHAPED} forced_choice system_in_place", _FIVE),
    **dict.fromkeys(
        (*((MESSAGES, f"claude-{name}") for name in ("fable-5-1", "fable-5-2", "opus-5-5", "sonnet-5-5")),),
        takes(f"{_SHAPED} system_in_place", _FIVE),
    ),
    **dict.fromkeys(
        ((MESSAGES, "anthropic.claude-opus-5-5"), (MESSAGES, "anthropic.claude-sonnet-5-5")),
        takes(f"{_ALL} system_in_place", _FIVE),
    ),
    (MESSAGES, "anthropic.claude-haiku-5-5"): takes(f"{_ALL} forced_choice thinking:disabled system_in_place", _FIVE),
}
