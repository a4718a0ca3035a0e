"""Moonshot: Kimi models whose sampling is fixed."""

from __future__ import annotations

from tests.servers.models.deepseek import calls_without_reasoning, not_thinking
from tests.servers.models.judge import (
    CHAT,
    MESSAGES,
    Check,
    Table,
    both,
    forced_choice,
    is_in,
    is_other_than,
    table,
    takes,
    unless,
    where,
)

PARAMETERS = "https://platform.kimi.ai/docs/api/models-overview"
TEMPERATURE = "https://github.com/odysseus-dev/odysseus/issues/3959"
COOL = "https://github.com/MoonshotAI/kimi-code/issues/686"
CHOICE = "https://github.com/can1357/oh-my-pi/issues/1077"
NAMED = "https://github.com/can1357/oh-my-pi/pull/5994"
REASONING = "https://github.com/MoonshotAI/kimi-agent-sdk/issues/169"
K2_7 = "https://platform.kimi.com/docs/guide/kimi-k2-7-code-quickstart"
OF_MESSAGES = "https://metacpan.org/pod/Langertha::Engine::MoonshotAnthropic"
WARM_2_7 = "https://github.com/HenriGrimm/Minnow/issues/291"
K3_1 = "https://dev.to/aihubmix/kimi-k31-pro-migration-guide-five-400s-one-404-and-the-claude-code-codex-config-13k"

_warm = Check(
    where("temperature", is_other_than(1)), "invalid temperature: only 1 is allowed for this model", TEMPERATURE
)
_fixed = tuple(
    Check(where(name, is_other_than(value)), f"invalid {name}: only {value} is allowed for this model", PARAMETERS)
    for name, value in (("top_p", 0.95), ("n", 1), ("presence_penalty", 0), ("frequency_penalty", 0))
)
_named = Check(
    where("tool_choice", lambda choice: isinstance(choice, dict) and choice.get("type") == "function"),
    "tool_choice 'specified' is incompatible with thinking enabled",
    NAMED,
)
_forced = Check(forced_choice[CHAT], "tool_choice 'specified' is incompatible with thinking enabled", CHOICE)
_missing = "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"

_k2_6 = (
    *_fixed,
    _warm._replace(refuses=unless(not_thinking, _warm.refuses)),
    Check(
        both(not_thinking, where("temperature", is_other_than(0.6))),
        "invalid temperature: only 0.6 is allowed for this model",
        COOL,
    ),
    _forced._replace(refuses=unless(not_thinking, _forced.refuses)),
    Check(unless(not_thinking, calls_without_reasoning), _missing, REASONING),
)
_k2_7 = (
    *_fixed,
    _warm,
    _forced,
    Check(calls_without_reasoning, _missing, REASONING),
    Check(not_thinking, "invalid thinking: only type=enabled is allowed for this model", K2_7),
)
_k3 = (*_fixed, _warm, _named)
_k3_1 = (
    *_k3,
    Check(not_thinking, "Thinking can't be turned off: disabled thinking returns 400", K3_1),
    Check(where("reasoning_effort", is_in("none", "off", "disabled")), "400 for efforts off, none and disabled", K3_1),
)

_specified = "tool_choice 'specified' is incompatible with thinking enabled"
_forced_block = Check(forced_choice[MESSAGES], _specified, CHOICE)
_always = Check(not_thinking, "it always reasons, and cannot turn thinking off", OF_MESSAGES)
_in_messages = (_fixed[0], _warm._replace(source=WARM_2_7))

JUDGES: Table = {
    **table(
        MESSAGES,
        "kimi-k2.6",
        (
            _fixed[0],
            _warm._replace(refuses=unless(not_thinking, _warm.refuses)),
            _forced_block._replace(refuses=unless(not_thinking, _forced_block.refuses)),
        ),
    ),
    **table(MESSAGES, "kimi-k2.7-code", (*_in_messages, _forced_block, _always)),
    **table(
        MESSAGES,
        "kimi-k3",
        (*_in_messages, Check(where("tool_choice/type", is_in("tool")), _specified, NAMED), _always),
    ),
    **table(CHAT, "kimi-k2.6", _k2_6),
    **table(CHAT, "kimi-k2.7-code kimi-k2.7-code-highspeed", _k2_7),
    **table(CHAT, "kimi-k3", _k3),
    **table(CHAT, "kimi-k3.1-pro", _k3_1),
}
IGNORES: Table = {}
TAKES = {
    (MESSAGES, "kimi-k2.6"): takes("stop images max_tokens thinking:disabled"),
    (MESSAGES, "kimi-k2.7-code"): takes("stop max_tokens"),
    (MESSAGES, "kimi-k3"): takes("stop forced_choice images max_tokens", "low high max"),
    (CHAT, "kimi-k2.6"): takes("stop logprobs images max_tokens thinking:disabled"),
    (CHAT, "kimi-k2.7-code"): takes("stop logprobs structured_output max_tokens"),
    (CHAT, "kimi-k2.7-code-highspeed"): takes("stop logprobs structured_output max_tokens"),
    (CHAT, "kimi-k3"): takes("stop structured_output images max_tokens", "low high max"),
    (CHAT, "kimi-k3.1-pro"): takes("stop structured_output max_tokens", "low high max"),  # others are ignored silently
}
