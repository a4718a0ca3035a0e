"""Responses and streams of servers that are compatible with Chat Completions, as each of them writes the same answer.

The answer is "Rain." after the thought "Hm.", or the call of a tool; 9 tokens were sent and 7 received.
"""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from .building import DONE

CREATED = 1700000000


def _head(kind: str, members: Json) -> Json:
    return {"id": "r1", "object": kind, "created": CREATED, "model": "m", **members}


def whole(message: Json, finish: str = "stop", choice: Json | None = None, **members: Any) -> Json:
    """A response; `choice` has further members of its only choice."""
    made = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish, **(choice or {})}
    return {**_head("chat.completion", {}), "choices": [made], **members}


def chunk(delta: Json, finish: str | None = None, choice: Json | None = None, **members: Any) -> Json:
    made = {"index": 0, "delta": delta, "finish_reason": finish, **(choice or {})}
    return {**_head("chat.completion.chunk", {}), "choices": [made], **members}


def usage(*, total: int = 16, received: int = 7, **details: Any) -> Json:
    return {"prompt_tokens": 9, "completion_tokens": received, "total_tokens": total, **details}


def usage_chunk(**members: Any) -> Json:
    return {**_head("chat.completion.chunk", {}), "choices": [], "usage": usage(), **members}


ROLE = {"role": "assistant", "content": ""}
CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "sky", "arguments": '{"city":"Oslo"}'}}
UNFILTERED = {"hate": {"filtered": False, "severity": "safe"}}
URLS = ["https://a.example/", "https://b.example/"]


def _thinking(text: str, **members: Any) -> Json:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text}], **members}


def _detail(text: str | None, **members: Any) -> Json:
    return {"type": "reasoning.text", "text": text, "format": "anthropic-claude-v1", "index": 0, **members}


def _call_without(*members: str, **others: Any) -> Json:
    return {key: value for key, value in CALL.items() if key not in members} | others


MISTRAL: tuple[Json, Events] = (
    whole({"content": [_thinking("Hm.", closed=True), {"type": "text", "text": "Rain."}]}, usage=usage()),
    [
        chunk(ROLE),
        chunk({"content": [_thinking("H", closed=False)]}),
        chunk({"content": [_thinking("m.", closed=True)]}),
        chunk({"content": [{"type": "thinking", "thinking": [], "closed": True}]}),
        chunk({"content": "Rain."}),
        chunk({"content": ""}, "stop", usage=usage()),
        DONE,
    ],
)
DEEPSEEK: tuple[Json, Events] = (
    whole(
        {"content": "Rain.", "reasoning_content": "Hm."},
        usage=usage(prompt_cache_hit_tokens=0, prompt_cache_miss_tokens=9),
    ),
    [
        chunk({"role": "assistant", "content": None, "reasoning_content": ""}),
        chunk({"content": None, "reasoning_content": "Hm."}),
        chunk({"content": "Rain.", "reasoning_content": None}),
        chunk({"content": "", "reasoning_content": None}, "stop", usage=usage(prompt_cache_hit_tokens=0)),
        DONE,
    ],
)
GLM: tuple[Json, Events] = (
    whole({"content": "Rain.", "reasoning_content": "Hm."}, request_id="q1", usage=usage()),
    [
        chunk({"role": "assistant", "reasoning_content": "Hm."}),
        chunk({"role": "assistant", "content": "Rain."}),
        chunk({"role": "assistant", "content": ""}, "stop", usage=usage()),
        DONE,
    ],
)
KIMI: tuple[Json, Events] = (
    whole({"content": "Rain.", "reasoning_content": "Hm."}, usage=usage(cached_tokens=0)),
    [
        chunk(ROLE),
        chunk({"reasoning_content": "Hm."}),
        chunk({"content": "Rain."}),
        chunk({}, "stop", {"usage": usage(cached_tokens=0)}),
        DONE,
    ],
)
QWEN: tuple[Json, Events] = (
    whole({"content": "Rain.", "reasoning_content": "Hm."}, usage=usage(prompt_tokens_details={"cached_tokens": 0})),
    [
        chunk({"role": "assistant", "content": None, "reasoning_content": ""}),
        chunk({"content": None, "reasoning_content": "Hm."}),
        chunk({"content": "Rain.", "reasoning_content": None}),
        chunk({"content": "", "reasoning_content": None}, "stop"),
        usage_chunk(),
        DONE,
    ],
)
OPENROUTER: tuple[Json, Events] = (
    whole(
        {"content": "Rain.", "reasoning": "Hm.", "reasoning_details": [_detail("Hm.", signature="c2ln")]},
        choice={"native_finish_reason": "end_turn"},
        provider="Anthropic",
        usage=usage(cost=0.01, is_byok=False, cost_details={"upstream_inference_cost": None}),
    ),
    [
        chunk({**ROLE, "reasoning_details": [_detail("", signature="")]}, provider="Anthropic"),
        chunk({"content": "", "reasoning": "Hm.", "reasoning_details": [_detail("Hm.")]}, provider="Anthropic"),
        chunk({"content": "", "reasoning_details": [_detail(None, signature="c2ln")]}, provider="Anthropic"),
        chunk({"role": "assistant", "content": "Rain."}, provider="Anthropic"),
        chunk({"content": ""}, "stop", {"native_finish_reason": "end_turn"}, provider="Anthropic"),
        chunk(ROLE, "stop", {"native_finish_reason": "end_turn"}, provider="Anthropic", usage=usage(cost=0.01)),
        DONE,
    ],
)
PERPLEXITY: tuple[Json, Events] = (
    whole({"content": "Rain[1]."}, usage=usage(search_context_size="low"), citations=URLS),
    [
        chunk({"role": "assistant", "content": "Rain["}, usage=usage(total=10, received=1), citations=URLS),
        chunk({"role": "assistant", "content": "1]."}, usage=usage(total=12, received=3), citations=URLS),
        {
            **chunk(ROLE, "stop", {"message": {"role": "assistant", "content": "Rain[1]."}}, usage=usage()),
            "object": "chat.completion.done",
            "citations": URLS,
        },
    ],
)
GROQ: tuple[Json, Events] = (
    whole(
        {"content": "Rain.", "reasoning": "Hm."},
        usage=usage(queue_time=0.1, total_time=0.2),
        usage_breakdown=None,
        x_groq={"id": "req_1"},
        service_tier="on_demand",
    ),
    [
        chunk(ROLE, x_groq={"id": "req_1"}),
        chunk({"reasoning": "Hm."}),
        chunk({"content": "Rain."}),
        chunk({}, "stop", x_groq={"id": "req_1", "usage": usage(queue_time=0.1)}),
        DONE,
    ],
)
_ON_TOP: Json = {"received": 4, "completion_tokens_details": {"reasoning_tokens": 3}, "num_sources_used": 0}
XAI: tuple[Json, Events] = (
    whole({"content": "Rain.", "reasoning_content": "Hm.", "refusal": None}, usage=usage(**_ON_TOP)),
    [
        chunk({"role": "assistant", "reasoning_content": "Hm."}),
        chunk({"role": "assistant", "content": "Rain."}),
        chunk({"content": ""}, "stop"),
        usage_chunk(usage=usage(**_ON_TOP)),
        DONE,
    ],
)
AZURE: tuple[Json, Events] = (
    whole(
        {"content": "Rain."},
        choice={"content_filter_results": UNFILTERED},
        prompt_filter_results=[{"prompt_index": 0, "content_filter_results": UNFILTERED}],
        usage=usage(),
    ),
    [
        {
            "id": "",
            "object": "",
            "created": 0,
            "model": "",
            "choices": [],
            "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": UNFILTERED}],
        },
        chunk(ROLE),
        chunk({"content": "Rain."}, None, {"content_filter_results": UNFILTERED}),
        chunk({}, "stop"),
        usage_chunk(),
        DONE,
    ],
)
CEREBRAS: tuple[Json, Events] = (
    whole({"content": "Rain.", "reasoning": "Hm."}, usage=usage(), time_info={"total_time": 0.1}),
    [
        chunk(ROLE),
        chunk({"reasoning": "Hm."}),
        {**chunk({"content": "Rain."}), "id": "r2"},
        {**chunk({}, "stop", usage=usage(), time_info={"total_time": 0.1}), "id": "r2"},
        DONE,
    ],
)
CLOUDFLARE: tuple[Json, Events] = (
    whole({"content": {"sky": "Rain."}}, usage=usage()),
    [chunk(ROLE), chunk({"content": {"sky": "Rain."}}), chunk({}, "stop", usage=usage()), DONE],
)
COPILOT: tuple[Json, Events] = (
    {key: value for key, value in whole({"content": "Rain."}, usage=usage()).items() if key != "object"},
    [
        {"choices": [], "created": 0, "id": "", "prompt_filter_results": [{"prompt_index": 0}]},
        chunk({"role": "assistant", "content": "Rain."}, None, {"content_filter_offsets": {"start_offset": 0}}),
        chunk({"content": None}, "stop", {"content_filter_results": UNFILTERED}),
        usage_chunk(),
        DONE,
    ],
)
LM_STUDIO: tuple[Json, Events] = (
    whole({"content": "", "tool_calls": [_call_without("index", id="")]}, "tool_calls", usage=usage(), stats={}),
    [
        chunk({"role": "assistant", "tool_calls": [_call_without(id="")]}),
        chunk({}, "tool_calls"),
        usage_chunk(),
        DONE,
    ],
)
MISTRAL_CALL: tuple[Json, Events] = (
    whole({"content": "", "tool_calls": [_call_without("type")]}, "tool_calls", usage=usage()),
    [chunk(ROLE), chunk({"tool_calls": [_call_without("type")]}, "tool_calls", usage=usage()), DONE],
)
NO_REASON: tuple[Json, Events] = (
    whole({"content": "Rain."}, choice={"finish_reason": None}, usage=usage()),
    [chunk(ROLE), chunk({"content": "Rain."}), DONE],
)

DIALECTS = {
    "Mistral": MISTRAL,
    "Mistral, a call": MISTRAL_CALL,
    "DeepSeek": DEEPSEEK,
    "GLM": GLM,
    "Kimi": KIMI,
    "Qwen": QWEN,
    "OpenRouter": OPENROUTER,
    "Perplexity": PERPLEXITY,
    "Groq": GROQ,
    "xAI": XAI,
    "Azure": AZURE,
    "Cerebras": CEREBRAS,
    "Cloudflare": CLOUDFLARE,
    "Copilot": COPILOT,
    "LM Studio": LM_STUDIO,
    "no finish reason": NO_REASON,
}
