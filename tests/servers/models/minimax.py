"""MiniMax: one instruction, at the beginning, and temperatures above zero."""

from __future__ import annotations

import json

from tests.servers.models.judge import CHAT, MESSAGES, Check, Json, Table, is_in, table, takes, where

ONE_SYSTEM = "https://github.com/MiniMax-AI/MiniMax-M2/issues/51"
ROLE = "https://github.com/temm1e-labs/temm1e/issues/59"
RANGE = "https://platform.minimax.io/docs/api-reference/text-openai-api"
ANTHROPIC = "https://platform.minimax.io/docs/api-reference/text-anthropic-api"
THINKING = "https://github.com/CherryHQ/cherry-studio/issues/16431"
ORPHAN = "https://github.com/MiniMax-AI/MiniMax-M2/issues/76"
ARGUMENTS = "https://github.com/earendil-works/pi/issues/5468"


def _roles(payload: Json) -> list[Json]:
    return [message.get("role") for message in payload["messages"]]


def _second_instruction(payload: Json) -> str | None:
    places = [index for index, role in enumerate(_roles(payload)) if role == "system"]
    return f"/messages/{places[1]}" if len(places) > 1 else None


def _late_instruction(payload: Json) -> str | None:
    roles = _roles(payload)
    return f"/messages/{roles.index('system')}" if "system" in roles[1:] and roles[0] != "system" else None


def _output_of_no_call(payload: Json) -> str | None:
    made: set[Json] = set()
    for index, message in enumerate(payload["messages"]):
        made |= {call["id"] for call in message.get("tool_calls") or ()}
        if message.get("role") == "tool" and message.get("tool_call_id") not in made:
            return f"/messages/{index}"
    return None


def _is_no_json(arguments: Json) -> bool:
    try:
        json.loads(arguments)
    except (TypeError, ValueError):
        return True
    return False


def _is_out_of_range(temperature: Json) -> bool:
    return isinstance(temperature, (int, float)) and not 0 < temperature <= 1


def _temperature(source: str) -> tuple[Check, ...]:
    said = "temperature must be in (0.0, 1.0]: values outside this range will return an error"
    return (Check(where("temperature", _is_out_of_range), said, source),)


_chat = (
    Check(_second_instruction, "invalid params, invalid chat setting (2013)", ONE_SYSTEM),
    Check(_late_instruction, "invalid params, chat content has invalid message role: system (2013)", ROLE),
    Check(_output_of_no_call, "invalid params, tool result's tool id(call_1) not found (2013)", ORPHAN),
    Check(
        where("messages/*/tool_calls/*/function/arguments", _is_no_json),
        "invalid params, invalid function arguments json string, tool_call_id: call_1 (2013)",
        ARGUMENTS,
    ),
    *_temperature(RANGE),
)
_adaptive = (
    Check(
        where("thinking/type", is_in("enabled")),
        'invalid params, invalid thinking.type: "enabled" (allowed: adaptive, disabled) (2013)',
        THINKING,
    ),
)
_OLDER = "MiniMax-M2.7 MiniMax-M2.5"
JUDGES: Table = {
    **table(CHAT, "MiniMax-M3", _chat, _adaptive),
    **table(CHAT, _OLDER, _chat),
    **table(MESSAGES, "MiniMax-M3", _temperature(ANTHROPIC), _adaptive),
    **table(MESSAGES, _OLDER, _temperature(ANTHROPIC)),
}
IGNORES: Table = {
    **table(
        CHAT,
        f"MiniMax-M3 {_OLDER}",
        (
            Check(where(name), f"{name} will be ignored", RANGE)
            for name in ("presence_penalty", "frequency_penalty", "logit_bias")
        ),
    ),
    **table(
        MESSAGES,
        f"MiniMax-M3 {_OLDER}",
        (
            Check(where(name), f"{name} will be ignored", ANTHROPIC)
            for name in ("top_k", "stop_sequences", "service_tier", "mcp_servers", "context_management", "container")
        ),
    ),
}
TAKES = {
    **{(CHAT, model): takes("temperature top_p max_tokens") for model in ("MiniMax-M3", *_OLDER.split())},
    **{
        (MESSAGES, model): takes("temperature top_p forced_choice max_tokens")
        for model in ("MiniMax-M3", *_OLDER.split())
    },
}
for _protocol in (CHAT, MESSAGES):
    TAKES[_protocol, "MiniMax-M3"] |= {"thinking:disabled"}
