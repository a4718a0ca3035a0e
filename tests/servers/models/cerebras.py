"""Cerebras: open models behind a server that refuses every property that it does not know."""

from __future__ import annotations

from tests.servers.models.judge import CHAT, Check, Table, effort_other_than, is_in, table, takes, where
from tests.servers.models.mistral import beyond

PACKAGE = "https://github.com/Cerebras/cerebras-cloud-sdk-python/blob/main/src/cerebras/cloud/sdk/types/chat/completion_create_params.py"
UNKNOWN = "https://github.com/proxysoul/Empryo/pull/209"
REASONING = "https://github.com/Kilo-Org/kilocode/issues/10375"
PARALLEL = "https://github.com/agno-agi/agno/issues/4508"
EFFORT = "https://github.com/mnfst/modelparams.dev/pull/115"

FIELDS = frozenset(
    (
        "messages model clear_thinking disable_reasoning frequency_penalty logit_bias logprobs max_completion_tokens "
        "max_tokens min_completion_tokens min_tokens model_parameters n parallel_tool_calls prediction "
        "presence_penalty prompt_cache_key reasoning_effort reasoning_format response_format seed service_tier stop "
        "stream stream_options temperature tool_choice tools top_logprobs top_p user"
    ).split()
)

_server = (
    Check(
        where("messages/*/reasoning_content"),
        "property 'messages.2.assistant.reasoning_content' is unsupported",
        REASONING,
    ),
    Check(where("reasoning"), "property 'reasoning' is unsupported", UNKNOWN),
    Check(where("enable_thinking"), "property 'enable_thinking' is unsupported", UNKNOWN),
    Check(where("top_k"), "property 'top_k' is unsupported", EFFORT),
    Check(
        beyond(FIELDS | {"reasoning", "enable_thinking", "top_k"}),
        "400 wrong_api_format for unknown request properties",
        PACKAGE,
    ),
    Check(
        effort_other_than(CHAT, "none", "low", "medium", "high"),
        "Input should be 'none', 'low', 'medium' or 'high'",
        EFFORT,
    ),
)
_always_parallel = (
    Check(
        where("parallel_tool_calls", is_in(False)),
        "parallel_tool_calls=False is not supported by this model.",
        PARALLEL,
    ),
)
_OTHERS = "zai-glm-4.7 qwen-3.8-27b gemma-4-31b"
JUDGES: Table = {
    **table(CHAT, "gpt-oss-120b", _server, _always_parallel),
    **table(CHAT, _OTHERS, _server),
}
IGNORES: Table = {}

_ALWAYS = "temperature top_p stop seed logprobs n forced_choice structured_output strict_tools max_tokens"
TAKES = {
    (CHAT, "gpt-oss-120b"): takes(_ALWAYS, "low medium high"),
    (CHAT, "zai-glm-4.7"): takes(
        f"{_ALWAYS} presence_penalty frequency_penalty parallel_calls", "none low medium high"
    ),
    (CHAT, "qwen-3.8-27b"): takes(f"{_ALWAYS} parallel_calls", "none low medium high"),
    (CHAT, "gemma-4-31b"): takes(f"{_ALWAYS} parallel_calls", "none low medium high"),
}
