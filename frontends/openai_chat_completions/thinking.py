"""How a request controls thinking: OpenAI's `reasoning_effort`, and what dialects have in its place (RSN-1 to RSN-3).

| member | servers | read as |
| --- | --- | --- |
| `thinking: {type, budget_tokens}` | DeepSeek, GLM, Kimi | mode and budget |
| `reasoning: {effort, max_tokens, enabled, exclude, summary}` | OpenRouter | effort, budget, mode, display |
| `enable_thinking`, `thinking_budget` | Qwen | mode and budget |
| `chat_template_kwargs: {enable_thinking, thinking}` | vLLM, SGLang | mode |
| `extra_body: {google: {thinking_config}}` | Google | effort, budget, mode, display |
| `include_reasoning: false`, `reasoning_format: "hidden"` | OpenRouter, Groq | display |

Rule 1: thinking that is enabled without a budget is adaptive in the IR: the model decides how much it thinks.
Rule 2: members are kept as they are for their own protocol; of two that contradict each other the first one counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir import ir
from proxai_ir.ir.request import Display, ThinkingMode
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object, keep
from .._lib.settings import THINKING, Read, word

Path = tuple[str, ...]
read_effort_word = word(THINKING, "effort", "reasoning_effort", openai.EFFORT)


def effort(request: ir.Request, payload: Object) -> None:
    if payload["reasoning_effort"] == openai.NO_EFFORT:
        THINKING(request, payload).mode = ThinkingMode.DISABLED
    else:
        read_effort_word(request, payload)
    if not wire.THINKING.keys().isdisjoint(payload):
        keep(request, "reasoning_effort", payload["reasoning_effort"])


def _own(request: ir.Request, payload: Object, key: str) -> tuple[ir.Thinking, Object]:
    """The group and the object, when a member of a dialect is read, which is kept as it is."""
    value = payload[key]
    keep(request, key, value)
    return THINKING(request, payload), value if isinstance(value, dict) else {}


def _switch(thinking: ir.Thinking, on: Json, path: Path) -> None:
    if type(on) is bool:
        _set_mode(thinking, ThinkingMode.ADAPTIVE if on else ThinkingMode.DISABLED, path)


def _set_mode(thinking: ir.Thinking, mode: ThinkingMode, path: Path) -> None:
    if thinking.mode is None:
        thinking.mode = mode
    elif (thinking.mode is ThinkingMode.DISABLED) != (mode is ThinkingMode.DISABLED):
        _ignore(thinking, path)


def _budget(thinking: ir.Thinking, tokens: Json, path: Path) -> None:
    """A budget asks for thinking, unless that is switched off."""
    if type(tokens) is not int:
        return
    if thinking.mode is ThinkingMode.DISABLED or thinking.budget not in (None, tokens):
        _ignore(thinking, path)
    else:
        thinking.budget, thinking.mode = tokens, ThinkingMode.ENABLED


def _ignore(thinking: ir.Thinking, path: Path) -> None:
    """A member that contradicts an earlier one."""
    value: Json = thinking.src
    for key in path:
        value = value[key]
    for key in path[:0:-1]:
        value = {key: value}
    keep(thinking, path[0], value)


def _thinking(request: ir.Request, payload: Object) -> None:
    thinking, given = _own(request, payload, "thinking")
    mode = wire.THINKING_TYPES.get(given["type"]) if isinstance(given.get("type"), str) else None
    if mode is not None:
        _set_mode(thinking, mode, ("thinking", "type"))
    _budget(thinking, given.get("budget_tokens"), ("thinking", "budget_tokens"))


def _reasoning(request: ir.Request, payload: Object) -> None:
    thinking, given = _own(request, payload, "reasoning")
    level = given.get("effort")
    if level == openai.NO_EFFORT:
        _switch(thinking, False, ("reasoning", "effort"))
    elif isinstance(level, str) and level in openai.EFFORT:
        if thinking.effort is None:
            thinking.effort = openai.EFFORT[level]
        elif thinking.effort is not openai.EFFORT[level]:
            _ignore(thinking, ("reasoning", "effort"))
    _switch(thinking, given.get("enabled"), ("reasoning", "enabled"))
    _budget(thinking, given.get("max_tokens"), ("reasoning", "max_tokens"))
    if given.get("exclude") is True:
        thinking.display = Display.OMITTED
    elif given.get("summary") in wire.SUMMARIES and thinking.display is None:
        thinking.display = Display.SUMMARIZED
        if thinking.mode is None and thinking.effort is None:  # as in Responses: what is shown is wanted
            thinking.mode = ThinkingMode.ADAPTIVE


def _enable(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "enable_thinking")
    _switch(thinking, payload["enable_thinking"], ("enable_thinking",))


def _tokens(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "thinking_budget")
    _switch(thinking, payload.get("enable_thinking"), ("enable_thinking",))
    _budget(thinking, payload["thinking_budget"], ("thinking_budget",))


def _template(request: ir.Request, payload: Object) -> None:
    """Arguments of the template that makes a prompt of the messages."""
    thinking, given = _own(request, payload, "chat_template_kwargs")
    for key in ("enable_thinking", "thinking"):
        _switch(thinking, given.get(key), ("chat_template_kwargs", key))


def _include(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "include_reasoning")
    if payload["include_reasoning"] is False:
        thinking.display = Display.OMITTED


def _format(request: ir.Request, payload: Object) -> None:
    thinking, _ = _own(request, payload, "reasoning_format")
    if payload["reasoning_format"] == "hidden":
        thinking.display = Display.OMITTED


def _google(request: ir.Request, payload: Object) -> None:
    """The settings that only Google's servers of this protocol have."""
    value = payload["extra_body"]
    inner = value.get("google") if isinstance(value, dict) else None
    config = inner.get("thinking_config") if isinstance(inner, dict) else None
    if not isinstance(config, dict):
        keep(request, "extra_body", value)
        return
    thinking, _ = _own(request, payload, "extra_body")
    path = ("extra_body", "google", "thinking_config")
    level, budget, shown = (config.get(key) for key in ("thinking_level", "thinking_budget", "include_thoughts"))
    if isinstance(level, str) and (effort := openai.EFFORT.get(level.lower())) is not None:
        if thinking.effort is None:
            thinking.effort = effort
        elif thinking.effort is not effort:
            _ignore(thinking, (*path, "thinking_level"))
    if budget in wire.SWITCHES:
        _switch(thinking, wire.SWITCHES[budget], (*path, "thinking_budget"))
    else:
        _budget(thinking, budget, (*path, "thinking_budget"))
    if type(shown) is bool:
        thinking.display = Display.SUMMARIZED if shown else Display.OMITTED
        if shown and thinking.mode is None and thinking.effort is None:
            thinking.mode = ThinkingMode.ADAPTIVE


READERS: Mapping[str, Read] = {
    "reasoning_effort": effort,
    "thinking": _thinking,
    "reasoning": _reasoning,
    "enable_thinking": _enable,
    "thinking_budget": _tokens,
    "chat_template_kwargs": _template,
    "include_reasoning": _include,
    "reasoning_format": _format,
    "extra_body": _google,
}
