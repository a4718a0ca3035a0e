"""Zhipu (Z.ai): GLM models, whose choice of tool is their own."""

from __future__ import annotations

from tests.servers.models.judge import (
    CHAT,
    MESSAGES,
    Check,
    Json,
    Table,
    effort_other_than,
    is_in,
    is_other_than,
    is_over,
    table,
    takes,
    where,
)

CHOICE = "https://github.com/vectorize-io/hindsight/issues/4246"
CHAT_PAGE = "https://docs.z.ai/api-reference/llm/chat-completion"
ALWAYS = "https://github.com/mnfst/modelparams.dev/pull/301"
OFF = "https://github.com/farion1231/cc-switch/issues/6737"
EFFORT = "https://github.com/mnfst/modelparams.dev/pull/327"
FLASH_LIMIT = "https://github.com/mnfst/modelparams.dev/pull/344"
FLASH_SILENT = "https://github.com/interscript/rababa/pull/59"
OLD_EFFORT = "https://github.com/nesquena/hermes-webui/pull/6219"


def _nobody_asks(payload: Json) -> str | None:
    """Messages of the system or the assistant alone."""
    return None if any(message.get("role") == "user" for message in payload["messages"]) else "/messages"


_glm = (
    Check(where("tool_choice", is_other_than("auto")), "Tool choice must be auto", CHOICE),
    Check(_nobody_asks, "The messages parameter is illegal. Please check the documentation.", CHAT_PAGE),
)
_5_3 = (
    Check(
        where("thinking/type", is_in("disabled")),
        "This model always engages in thinking and cannot be disabled; please use low, high, or max",
        ALWAYS,
    ),
    Check(
        effort_other_than(CHAT, "low", "high", "max"), "Invalid API parameter, please check the documentation.", EFFORT
    ),
    Check(where("temperature", is_over(1)), "Invalid API parameter: temperature", ALWAYS),
    Check(where("top_p", is_over(1)), "Invalid API parameter: top_p", ALWAYS),
)


def _limit(source: str) -> tuple[Check, ...]:
    return (Check(where("max_tokens", is_over(131072)), "max_tokens: the valid range is [1,131072]", source),)


_OLDER = "glm-5.1 glm-5 glm-4.7 glm-4.6v"
JUDGES: Table = {
    **table(
        MESSAGES,
        "glm-5.3",
        (
            Check(
                where("thinking/type", is_in("disabled")),
                "This model always engages in thinking and cannot be disabled; please use low, high, or max",
                OFF,
            ),
        ),
    ),
    **table(CHAT, "glm-5.3", _glm, _5_3, _limit(ALWAYS)),
    **table(CHAT, "glm-5.3-flash", _glm, _limit(FLASH_LIMIT)),
    **table(CHAT, f"glm-5.2 {_OLDER}", _glm),
}
IGNORES: Table = {
    **table(
        CHAT,
        "glm-5.3-flash",
        (Check(where("thinking/type", is_in("disabled")), "unrecognized: thinks at its most", FLASH_SILENT),),
    ),
    **table(CHAT, _OLDER, (Check(where("reasoning_effort"), "glm-5.2 and above alone", OLD_EFFORT),)),
}

_ALWAYS = "temperature top_p stop max_tokens"
TAKES = {
    (MESSAGES, "glm-5.3"): takes("temperature top_p stop max_tokens", "low medium high max"),
    (CHAT, "glm-5.3"): takes(_ALWAYS, "low high max"),
    (CHAT, "glm-5.3-flash"): takes(_ALWAYS, "low high max"),
    (CHAT, "glm-5.2"): takes(f"{_ALWAYS} thinking:disabled", "none minimal low medium high xhigh max"),
    **{(CHAT, model): takes(f"{_ALWAYS} thinking:disabled") for model in _OLDER.split()},
}
TAKES[CHAT, "glm-4.6v"] |= {"images"}
