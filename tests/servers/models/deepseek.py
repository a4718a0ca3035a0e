"""DeepSeek: models that think unless told not to, behind chat, Responses and Anthropic's Messages."""

from __future__ import annotations

from tests.servers.models.judge import (
    CHAT,
    MESSAGES,
    RESPONSES,
    Check,
    Json,
    Table,
    both,
    forced_choice,
    images,
    is_in,
    is_over,
    structured_output,
    table,
    takes,
    unless,
    where,
)

THINKING = "https://api-docs.deepseek.com/guides/thinking_mode"
ANTHROPIC = "https://api-docs.deepseek.com/guides/anthropic_api"
CHOICE = "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376"
FORMAT = "https://github.com/NousResearch/hermes-agent/issues/102849"
ROLE = "https://github.com/decolua/9router/issues/773"
TEXT = "https://github.com/rikkahub/rikkahub/issues/1433"
LIMIT = "https://github.com/MoonshotAI/kimi-code/issues/509"
BLOCKS = "https://github.com/SuperJJ007/CSSwitch/pull/72"
LOGPROBS = "https://github.com/deepseek-ai/DeepSeek-V2/issues/9"
INTERLEAVED = "recorded: pai-deepseek_responses_rejects_interleaved_function-ba0e40-0-err"

not_thinking = where("thinking/type", is_in("disabled"))


def calls_without_reasoning(payload: Json) -> str | None:
    """A message with calls that has lost the reasoning that came with them; an empty one is as good as any."""
    return next(
        (
            f"/messages/{index}"
            for index, message in enumerate(payload["messages"])
            if message.get("tool_calls") and message.get("reasoning_content") is None
        ),
        None,
    )


def _calls_without_thinking(payload: Json) -> str | None:
    return next(
        (
            f"/messages/{index}"
            for index, message in enumerate(payload["messages"])
            if isinstance(message["content"], list)
            and any(block["type"] == "tool_use" for block in message["content"])
            and not any(block["type"] in ("thinking", "redacted_thinking") for block in message["content"])
        ),
        None,
    )


def _items(payload: Json) -> list[Json]:
    given = payload.get("input")
    return given if isinstance(given, list) else []


def _message_before_output(payload: Json) -> str | None:
    """A message that stands between a call and its output."""
    awaited: set[str] = set()
    for index, item in enumerate(_items(payload)):
        kind = item.get("type", "message")
        if kind == "function_call":
            awaited.add(item["call_id"])
        elif kind == "function_call_output":
            awaited.discard(item["call_id"])
        elif kind == "message" and awaited:
            return f"/input/{index}"
    return None


_chat = (
    Check(unless(not_thinking, forced_choice[CHAT]), "Thinking mode does not support this tool_choice", CHOICE),
    Check(structured_output[CHAT], "This response_format type is unavailable now", FORMAT),
    Check(
        unless(not_thinking, calls_without_reasoning),
        "The `reasoning_content` in the thinking mode must be passed back to the API.",
        THINKING,
    ),
    Check(
        where("messages/*/role", is_in("developer")),
        "messages[1].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
        ROLE,
    ),
    Check(
        where("max_tokens", is_over(393216)),
        "Invalid max_tokens value, the valid range of max_tokens is [1, 393216]",
        LIMIT,
    ),
    Check(
        unless(where("logprobs", is_in(True)), where("top_logprobs")),
        "Invalid top_logprobs and logprobs value",
        LOGPROBS,
    ),
)
_text_alone = (
    Check(images[CHAT], "messages[1]: unknown variant `image_url`, expected `text`", TEXT),
    Check(
        where("messages/*/content/*/type", is_in("file")), "messages[1]: unknown variant `file`, expected `text`", TEXT
    ),
)
_messages = (
    Check(unless(not_thinking, forced_choice[MESSAGES]), "Thinking mode does not support this tool_choice", CHOICE),
    Check(
        unless(not_thinking, _calls_without_thinking),
        "The `content[].thinking` in the thinking mode must be passed back to the API.",
        BLOCKS,
    ),
)
_responses = (
    Check(_message_before_output, "No tool output found for tool call call-a.", INTERLEAVED),
    Check(
        unless(where("reasoning/effort", is_in("none")), forced_choice[RESPONSES]),
        "Thinking mode does not support this tool_choice",
        CHOICE,
    ),
)

FLASH = "deepseek-flash deepseek-v4-flash"
PRO = "deepseek-v4-pro"

JUDGES: Table = {
    **table(CHAT, FLASH, _chat),
    **table(CHAT, PRO, _chat, _text_alone),
    **table(MESSAGES, f"{FLASH} {PRO}", _messages),
    **table(RESPONSES, f"{FLASH} {PRO}", _responses),
}

_thinking = unless(not_thinking, where("messages"))
IGNORES: Table = {
    **table(
        CHAT,
        f"{FLASH} {PRO}",
        (
            Check(
                both(_thinking, where(name)), "setting it will not trigger an error but will have no effect", THINKING
            )
            for name in ("temperature", "presence_penalty", "frequency_penalty")
        ),
    ),
    **table(
        MESSAGES,
        f"{FLASH} {PRO}",
        (
            Check(where(path), f"{path}: ignored", ANTHROPIC)
            for path in ("container", "mcp_servers", "top_k", "service_tier", "thinking/budget_tokens")
        ),
    ),
}

_EFFORTS = "minimal low medium high xhigh max"
TAKES = {
    **{
        (CHAT, model): takes("stop thinking:disabled logprobs strict_tools max_tokens", _EFFORTS)
        for model in (*FLASH.split(), PRO)
    },
    **{
        (MESSAGES, model): takes("stop temperature top_p thinking:disabled max_tokens", _EFFORTS)
        for model in (*FLASH.split(), PRO)
    },
    **{(RESPONSES, model): takes("strict_tools max_tokens", f"none {_EFFORTS}") for model in (*FLASH.split(), PRO)},
}
for _model in FLASH.split():
    TAKES[CHAT, _model] |= {"images"}
    TAKES[RESPONSES, _model] |= {"images"}
    TAKES[MESSAGES, _model] |= {"images"}
