"""Alibaba: Qwen on DashScope, which does not force a call while it thinks."""

from __future__ import annotations

from tests.servers.models.judge import CHAT, Check, Json, Table, forced_choice, is_in, table, takes, unless, where

CHOICE = "https://github.com/cloudwego/eino/issues/994"
NAMED = "https://github.com/agentscope-ai/agentscope/issues/1608"
RANGE = "https://www.alibabacloud.com/help/en/model-studio/qwen-api-via-openai-chat-completions"

_not_thinking = where("enable_thinking", is_in(False))


def _is_too_hot(temperature: Json) -> bool:
    return isinstance(temperature, (int, float)) and temperature >= 2


_said = "The tool_choice parameter does not support being set to required or object in thinking mode"
_range = (Check(where("temperature", _is_too_hot), "'temperature' must be in [0.0, 2.0)", RANGE),)


def _no_forced_call(source: str) -> tuple[Check, ...]:
    return (Check(unless(_not_thinking, forced_choice[CHAT]), _said, source),)


_SEVENS = "qwen3.7-max qwen3.7-plus qwen3.6-plus"
JUDGES: Table = {
    **table(CHAT, "qwen3.8-max qwen3.8-flash", _range, _no_forced_call(NAMED)),
    **table(CHAT, _SEVENS, _range, _no_forced_call(CHOICE)),
    **table(CHAT, "qwen3-max", _range),
}
IGNORES: Table = {}
TAKES = {
    (CHAT, model): takes("temperature top_p top_k stop presence_penalty seed parallel_calls max_tokens")
    for model in ("qwen3.8-max", "qwen3.8-flash", *_SEVENS.split(), "qwen3-max")
}
TAKES[CHAT, "qwen3.8-max"] |= {"structured_output"}
TAKES[CHAT, "qwen3-max"] |= {"forced_choice"}
