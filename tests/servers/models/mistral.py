"""Mistral: a server that refuses every parameter that it does not know, and histories out of order."""

from __future__ import annotations

import re
from itertools import pairwise

from tests.servers.models.judge import (
    CHAT,
    Check,
    Json,
    Refuses,
    Table,
    both,
    effort_other_than,
    is_other_than,
    is_over,
    is_under,
    table,
    takes,
    values,
    where,
)

PACKAGE = "https://github.com/mistralai/client-python/blob/main/src/mistralai/client/models/chatcompletionrequest.py"
EXTRA = "https://github.com/Gitlawb/openclaude/issues/739"
USAGE = "https://github.com/avante-corp/avante.nvim/issues/2347"
NAME = "https://github.com/Gage-Technologies/mistral-go/pull/2"
REASONING = "https://github.com/BerriAI/litellm/issues/30835"
IDS = "https://github.com/karthink/gptel/issues/1203"
ORDER = "https://github.com/datapizza-labs/datapizza-ai/issues/98"
LAST = "https://github.com/0xPlaygrounds/rig/pull/1130"
RANGES = "https://github.com/mnfst/modelparams.dev/pull/234"
GREEDY = "https://github.com/devoxx/DevoxxGenieIDEAPlugin/issues/338"
EFFORT = "https://github.com/architects-toolkit/SmartHopper/issues/647"
NO_EFFORT = "https://github.com/dust-tt/dust/pull/27613"

FIELDS = frozenset(
    (
        "model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools "
        "tool_choice presence_penalty frequency_penalty min_tokens repetition_penalty top_k logprobs top_logprobs "
        "prompt_logprobs top_prompt_logprobs n prediction parallel_tool_calls reasoning_effort prompt_mode "
        "guardrails prompt_cache_key service_tier safe_prompt"
    ).split()
)


def beyond(known: frozenset[str], path: str = "*") -> Refuses:
    """A member whose name the server does not know, null or not."""

    def refuses(payload: Json) -> str | None:
        return next((at for at, _ in values(payload, path) if at.rpartition("/")[2] not in known), None)

    return refuses


def _after(role: str, previous: str) -> Refuses:
    """A message of a role right after one of another."""

    def refuses(payload: Json) -> str | None:
        roles = [message.get("role") for message in payload["messages"]]
        pairs = enumerate(pairwise(roles), start=1)
        return next((f"/messages/{index}" for index, pair in pairs if pair == (previous, role)), None)

    return refuses


def _answered_already(payload: Json) -> str | None:
    """A last message of the assistant that is no prefix of the answer."""
    last = payload["messages"][-1]
    finished = last.get("role") == "assistant" and not last.get("prefix")
    return f"/messages/{len(payload['messages']) - 1}" if finished else None


def _named(payload: Json) -> str | None:
    """A name of anyone but a tool."""
    found = (index for index, one in enumerate(payload["messages"]) if "name" in one and one.get("role") != "tool")
    return next((f"/messages/{index}/name" for index in found), None)


def _is_foreign(call_id: Json) -> bool:
    return isinstance(call_id, str) and not re.fullmatch("[a-zA-Z0-9]{9}", call_id)


def _unknown(name: str) -> str:
    return f"extra_forbidden: body.{name}: Extra inputs are not permitted"


_server = (
    Check(where("max_completion_tokens"), _unknown("max_completion_tokens"), EXTRA),
    Check(where("store"), _unknown("store"), EXTRA),
    Check(beyond(FIELDS | {"max_completion_tokens", "store", "stream_options"}), _unknown("*"), PACKAGE),
    Check(where("stream_options/include_usage"), _unknown("stream_options.include_usage"), USAGE),
    Check(_named, _unknown("messages.user.name"), NAME),
    Check(where("messages/*/reasoning_content"), _unknown("messages.assistant.reasoning_content"), REASONING),
    Check(
        where("messages/*/role", is_other_than("system", "user", "assistant", "tool")),
        "Input tag found using 'role' does not match any of the expected tags: assistant, system, tool, user",
        PACKAGE,
    ),
    Check(
        where("messages/*/tool_calls/*/id", _is_foreign),
        "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9",
        IDS,
    ),
    Check(_after("user", "tool"), "Unexpected role 'user' after role 'tool'", ORDER),
    Check(
        _answered_already,
        "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
        LAST,
    ),
    Check(where("temperature", is_over(1.5)), "temperature: Input should be less than or equal to 1.5", RANGES),
    Check(where("top_p", is_under(0.0001)), "top_p: Input should be greater than 0", RANGES),
    Check(
        both(where("temperature", lambda value: value == 0), where("top_p", is_other_than(1))),
        "top_p must be 1 when using greedy sampling.",
        GREEDY,
    ),
)
_on_or_off = (
    Check(
        effort_other_than(CHAT, "none", "high"),
        "reasoning_effort='medium' is not supported for this model. Must be one of none, high",
        EFFORT,
    ),
)
_no_effort = (Check(where("reasoning_effort"), "reasoning_effort is not enabled for this model", NO_EFFORT),)

_BINARY = "magistral-small-latest mistral-small-latest mistral-small-2603 mistral-medium-2604 mistral-medium-3-5"
_PLAIN = "mistral-large-latest mistral-large-2512"
_UNSAID = "mistral-medium-latest magistral-medium-latest ministral-8b-latest"

JUDGES: Table = {
    **table(CHAT, _BINARY, _server, _on_or_off),
    **table(CHAT, _PLAIN, _server, _no_effort),
    **table(CHAT, _UNSAID, _server),
}
IGNORES: Table = {}

_ALWAYS = (
    "temperature top_p top_k stop presence_penalty frequency_penalty logprobs n forced_choice parallel_calls "
    "structured_output strict_tools max_tokens"
)
TAKES = {
    **{(CHAT, model): takes(_ALWAYS, "none high") for model in _BINARY.split()},
    **{(CHAT, model): takes(_ALWAYS) for model in (*_PLAIN.split(), *_UNSAID.split())},
}
for _model in (*_BINARY.split(), *_PLAIN.split(), "mistral-medium-latest"):
    TAKES[CHAT, _model] |= {"images"}
