"""xAI: what the Grok models refuse, in chat and in Responses."""

from __future__ import annotations

from tests.servers.models.judge import (
    CHAT,
    RESPONSES,
    Check,
    Table,
    documents,
    effort_other_than,
    effort_path,
    table,
    takes,
    where,
)

REASONING = "https://docs.x.ai/developers/model-capabilities/text/reasoning"
LEVELS = "https://docs.rs/crate/mindfork/0.17.0/source/src/shared/api/openai/xai_tests.rs"
PENALTY = "https://github.com/miaoxworld/NativeTavern/issues/83"
FILES = "https://github.com/agentjido/req_llm/pull/389"
EFFORTS = "https://github.com/mnfst/modelparams.dev/pull/330"
NO_EFFORT = "https://github.com/NousResearch/hermes-agent/pull/23435"

_penalties = (
    Check(where("presence_penalty"), "Model grok does not support parameter presencePenalty.", PENALTY),
    Check(
        where("frequency_penalty"),
        "frequencyPenalty cannot be used: requests that include it return an error",
        REASONING,
    ),
)
_no_stop = (
    Check(
        where("stop"), "stop cannot be used with reasoning models: requests that include it return an error", REASONING
    ),
)
_no_files = (Check(documents[CHAT], "Chat takes images alone as attachments; other files fail", FILES),)


def _efforts(protocol: str, levels: str, source: str = LEVELS) -> tuple[Check, ...]:
    return (Check(effort_other_than(protocol, *levels.split()), f"reasoning_effort is one of: {levels}", source),)


def _no_effort(protocol: str) -> tuple[Check, ...]:
    said = "Model grok does not support parameter reasoningEffort."
    return (Check(where(effort_path[protocol]), said, NO_EFFORT),)


_EFFORTS = {
    "grok-4.7": "low medium high xhigh",
    "grok-4.6": "low medium high xhigh",
    "grok-4.5": "low medium high",
    "grok-4.3": "none low medium high xhigh",
}
_FIXED = "grok-4.20-0309-reasoning grok-4.20-0309-non-reasoning grok-build-0.1"
_UNSTOPPABLE = "grok-4.20-0309-reasoning grok-build-0.1"

_chat = (*_penalties, *_no_files)

JUDGES: Table = {
    **table(CHAT, _FIXED, _chat, _no_effort(CHAT)),
    **table(CHAT, _UNSTOPPABLE, _chat, _no_stop, _no_effort(CHAT)),
    **table(RESPONSES, _FIXED, _no_effort(RESPONSES)),
}
for _model, _levels in _EFFORTS.items():
    _source = EFFORTS if _model in ("grok-4.5", "grok-4.6") else LEVELS
    JUDGES[CHAT, _model] = (*_chat, *_no_stop, *_efforts(CHAT, _levels, _source))
    JUDGES[RESPONSES, _model] = _efforts(RESPONSES, _levels, _source)

COMPATIBLE = "https://reference.langchain.com/javascript/langchain-xai/XAIResponsesCreateParams"
_unheeded = tuple(
    Check(where(name), f"{name}: not supported, maintained for compatibility", COMPATIBLE)
    for name in ("metadata", "service_tier", "truncation")
)
IGNORES: Table = table(RESPONSES, " ".join((*_EFFORTS, *_FIXED.split())), _unheeded)

_ALWAYS = "temperature top_p forced_choice parallel_calls structured_output images max_tokens"
TAKES = {
    (protocol, model): takes(_ALWAYS + (" seed system_in_place" if protocol == CHAT else ""), _EFFORTS.get(model, ""))
    for protocol in (CHAT, RESPONSES)
    for model in (*_EFFORTS, *_FIXED.split())
}
TAKES[CHAT, "grok-4.20-0309-non-reasoning"] |= {"stop"}
