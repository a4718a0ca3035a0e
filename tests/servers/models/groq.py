"""Groq: open models behind a server that names what it does not support."""

from __future__ import annotations

from tests.servers.models.judge import (
    CHAT,
    Check,
    Table,
    both,
    effort_other_than,
    filled,
    images,
    is_in,
    is_other_than,
    table,
    takes,
    where,
)

PACKAGE = "https://github.com/groq/groq-python/blob/main/src/groq/types/chat/completion_create_params.py"
COMPATIBLE = "https://console.groq.com/docs/openai"
STRUCTURED = "https://console.groq.com/docs/structured-outputs"
FORMAT = "https://github.com/agno-agi/agno/issues/1065"
REASONING = "https://github.com/janhq/jan/issues/8136"
IMAGES = "https://github.com/sam3gp8/jarvis-aio/issues/17"
QWEN = "https://github.com/mnfst/modelparams.dev/pull/114"
LLAMA = "https://github.com/iamsrikanthnani/pluely/issues/242"

_tools = where("tools", filled)
_server = (
    Check(where("n", is_other_than(1)), "only n=1 is supported: other values will result in a 400 response", PACKAGE),
    *(
        Check(where(path), f"{path}: not supported, a 400 error if supplied", COMPATIBLE)
        for path in ("logprobs", "top_logprobs", "logit_bias", "messages/*/name")
    ),
    Check(
        where("messages/*/reasoning_content"),
        "'messages.1' : for 'role:assistant' property 'reasoning_content' is unsupported",
        REASONING,
    ),
    Check(
        both(_tools, where("response_format/type", is_in("json_object"))),
        "response_format` json_object cannot be combined with tool/function calling",
        FORMAT,
    ),
    Check(
        both(_tools, where("response_format/type", is_in("json_schema"))),
        "Tool use is not supported with Structured Outputs",
        STRUCTURED,
    ),
)
_text_alone = (Check(images[CHAT], "messages[1].content must be a string", IMAGES),)


def _efforts(levels: str, source: str) -> tuple[Check, ...]:
    said = f"`reasoning_effort` must be one of: {levels}"
    return (Check(effort_other_than(CHAT, *levels.split()), said, source),)


_no_effort = (Check(where("reasoning_effort"), "`reasoning_effort` is not supported with this model", LLAMA),)

_OSS = "openai/gpt-oss-120b openai/gpt-oss-20b"
_LLAMA_4 = "meta-llama/llama-4-scout-17b-16e-instruct meta-llama/llama-4-maverick-17b-128e-instruct"
JUDGES: Table = {
    **table(CHAT, _OSS, _server, _text_alone, _efforts("low medium high", PACKAGE)),
    **table(CHAT, "qwen/qwen3-32b", _server, _efforts("none default", QWEN)),
    **table(CHAT, "qwen/qwen3.6-27b", _server, _efforts("none default", PACKAGE)),
    **table(CHAT, "qwen/qwen3.8-27b", _server, _efforts("none default low medium high", PACKAGE)),
    **table(CHAT, f"llama-3.3-70b-versatile {_LLAMA_4}", _server, _no_effort),
}
_unheeded = tuple(
    Check(where(name), f"{name} is not yet supported by any of our models", PACKAGE)
    for name in ("presence_penalty", "frequency_penalty", "metadata", "store")
)
IGNORES: Table = dict.fromkeys(JUDGES, _unheeded)

_ALWAYS = "temperature top_p stop seed forced_choice parallel_calls max_tokens"
_LEVELS = {
    "openai/gpt-oss-120b": "low medium high",
    "openai/gpt-oss-20b": "low medium high",
    "qwen/qwen3-32b": "none",
    "qwen/qwen3.6-27b": "none",
    "qwen/qwen3.8-27b": "none low medium high",
}
TAKES = {pair: takes(_ALWAYS, _LEVELS.get(pair[1], "")) for pair in JUDGES}
for _model in _OSS.split():
    TAKES[CHAT, _model] |= {"structured_output"}
for _model in _LLAMA_4.split():
    TAKES[CHAT, _model] |= {"images"}
