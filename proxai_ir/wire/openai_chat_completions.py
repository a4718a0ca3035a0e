"""The wire vocabulary of OpenAI Chat Completions (official types: the `openai` package, `types/chat`).

Owns the protocol's words for what the IR names, both ways; VENDOR_FIELDS, the members that no other protocol has, each
with the rule that reports its loss (a nested table for a nested object, a function where the value decides); and
WIRE_PATHS, where each field of the IR stands. Dense objects, of dialects too, are in `_objects`.
"""

from __future__ import annotations

from typing import Any

from ..ir.error import ErrorCategory
from ..ir.response import StopReason
from . import ENVELOPE, ERROR_ENVELOPE, ERROR_MEMBERS, filled, openai, unless
from . import openai_chat_completions_objects as objects
from . import openai_chat_completions_objects as rules
from .objects import OTHERS, vendor_fields, wire_paths
from .openai_chat_completions_objects import (
    ANTHROPIC,
    BLOCKS,
    DETAILS,
    MAKERS,
    ON_DEMAND,
    REASONING_PROMPT,
    SUMMARIES,
    SWITCHES,
    THINKING,
    THINKING_TYPES,
    readable,
    readable_block,
)

# of values that also decide rules
__all__ = [
    "ANTHROPIC",
    "BLOCKS",
    "DETAILS",
    "MAKERS",
    "ON_DEMAND",
    "REASONING_PROMPT",
    "SUMMARIES",
    "SWITCHES",
    "THINKING",
    "THINKING_TYPES",
    "readable",
    "readable_block",
]

NAME = objects.NAME
PADDING = "obfuscation"  # of chunks, against eavesdroppers
NO_TIME = 0  # `created` of a response whose source gives no time (ENV-2)
OBJECT = "chat.completion"  # the `object` of responses
CHUNK = "chat.completion.chunk"  # of chunks
ERROR = "error"  # of an error without an envelope, as vLLM and Mistral have it
DONE = "[DONE]"  # what ends a stream, in place of a chunk

OUTCOME = "base_resp"  # of a response or an error of MiniMax
OUTCOME_CODE = {
    1001: ErrorCategory.TIMEOUT,
    **dict.fromkeys((1002, 1039, 1041, 2056), ErrorCategory.RATE_LIMIT),
    **dict.fromkeys((1004, 2049), ErrorCategory.AUTHENTICATION),
    1008: ErrorCategory.BILLING,
    **dict.fromkeys((1000, 1013, 1024, 1033), ErrorCategory.SERVER),
    **dict.fromkeys((1026, 1027, 1042, 1043, 2013), ErrorCategory.INVALID_REQUEST),
}
"""What its codes mean, as MiniMax documents them; 0 is none."""

LEGACY_CALL = "function_call"  # the ending with a call in the member of that name, which has no id (TUL-5)

# The one stop table of this protocol, both ways (STS-7).
FINISH = {
    "stop": StopReason.END,
    "length": StopReason.LENGTH,
    "tool_calls": StopReason.TOOL_CALLS,
    LEGACY_CALL: StopReason.TOOL_CALLS,
    "content_filter": StopReason.CONTENT_FILTER,
    # of dialects
    "model_length": StopReason.CONTEXT_WINDOW,  # Mistral
    "eos": StopReason.END,  # Together
    "eos_token": StopReason.END,  # Text Generation Inference
    "stop_sequence": StopReason.STOP_SEQUENCE,  # the same, and gateways to Anthropic
    "end_turn": StopReason.END,
    "max_tokens": StopReason.LENGTH,
    "tool_use": StopReason.TOOL_CALLS,
    "STOP": StopReason.END,  # gateways to Gemini
    "MAX_TOKENS": StopReason.LENGTH,
    "sensitive": StopReason.CONTENT_FILTER,  # Zhipu
    "network_error": StopReason.FAILED,  # Zhipu
    "insufficient_system_resource": StopReason.FAILED,  # DeepSeek
    "abort": StopReason.FAILED,  # vLLM, SGLang
    "error": StopReason.FAILED,  # OpenRouter, Mistral
}
NO_FINISH = frozenset({"", "null"})  # words for none: of many servers until the end, of KoboldCpp
MATCHED = ("stop_reason", "matched_stop")  # the stop sequence that ended a choice: of vLLM, of SGLang
FINISH_OF = {
    **{FINISH[word]: word for word in ("stop", "length", "tool_calls", "content_filter")},
    **dict.fromkeys((StopReason.STOP_SEQUENCE, StopReason.PAUSE, StopReason.REFUSAL, StopReason.UNKNOWN), "stop"),
    StopReason.CONTEXT_WINDOW: "length",
}

OPTIONS_TTL = {"30m": 1800}  # seconds; of prompt_cache_options
CACHE_CONTROL_TTL = {"5m": 300, "1h": 3600}  # of cache_control, which routers to other vendors accept in its place

# Signatures of Google's models, by the server that has them, and what kind of seal they are.
EXTRA_CONTENT = "extra_content"
SIGNERS = ("google", "vertex")
PROVIDER_FIELDS = objects.PROVIDER_FIELDS  # LiteLLM's
SIGNED_MEMBERS = frozenset({EXTRA_CONTENT, PROVIDER_FIELDS})
SIGNATURE, SIGNATURES = objects.SIGNATURE, objects.SIGNATURES
GOOGLES = ("google", "signature")

# vLLM's constraints of the output, by kind: in one member, and in older ones of their own.
STRUCTURED = "structured_outputs"
CONSTRAINTS = ("json", "choice", "regex", "grammar", "json_object", "structural_tag")
GUIDED = {kind: f"guided_{kind}" for kind in ("json", "choice", "regex", "grammar")}
SEARCHES = "enable_search"  # Qwen's switch
LIVE = "search_parameters"  # of xAI's live search

MISTRAL = "mistral"  # who made the signature of a thinking part of pieces

VOICE, SPEECH = "alloy", "pcm16"  # of speech where none is stated: streams have no other format
MOST_STOPS = 4
AUDIO_FORMATS = ("wav", "mp3")  # of recordings in messages
TOOL_NAME = r"[a-zA-Z0-9_-]{1,64}"
MOST_OF_CALL_ID = 40  # characters; some models accept more

# Content that dialects have outside the messages. Search results may have been converted to citations.
_BESIDE = dict.fromkeys(("images", "videos", "related_questions"), filled("UNK-1")) | {  # Perplexity
    "citations": filled("CIT-1"),
    "search_results": filled("TUL-22"),
}
_BESIDE_MESSAGE = {"text": filled("UNK-1")}  # of the older completions

_CHUNK: dict[str, Any] = (
    ENVELOPE
    | _BESIDE
    | {
        "id": "",
        "object": lambda value: "ENV-1" if value not in ("", CHUNK) else "",
        "created": "ENV-1",
        "model": "ENV-1",
        "system_fingerprint": "ENV-1",
        "service_tier": "ENV-3",
        "moderation": "MOD-1",
        PADDING: "ENV-7",
        "usage": "STR-4",
        "x_groq": ENVELOPE | {"usage": "STR-4"},
        "choices": "",
    }
)

# Signatures of models behind gateways, whose makers are not known, and what else stands with those of Google's.
_SIGNATURES: dict[str, Any] = {
    **dict.fromkeys(("thought_signature", "reasoning_signature"), "RSN-4"),
    EXTRA_CONTENT: {signer: {SIGNATURE: "RSN-4"} for signer in SIGNERS},
    PROVIDER_FIELDS: {SIGNATURE: "RSN-4"},
}
_SIGNED = {
    "seal": (
        *(f"{EXTRA_CONTENT}/{signer}/{SIGNATURE}" for signer in SIGNERS),
        f"{PROVIDER_FIELDS}/{SIGNATURE}",
        f"{PROVIDER_FIELDS}/{SIGNATURES}",
    )
}

_FOREIGN = dict.fromkeys(("thought_signature", "reasoning_signature"), "RSN-26")  # in requests

# What messages and deltas have alike.
_MESSAGE: dict[str, Any] = {
    **_SIGNATURES,
    "executed_tools": filled("TUL-6"),  # Groq
    "channel": "ENV-1",  # Groq; other members say the same
    PROVIDER_FIELDS: rules.REPEATED,
    "audio_content": rules.thought,  # MiniMax, which leaves it empty
    "reasoning_content": rules.thought,
    "reasoning": rules.thought,
    "reasoning_details": rules.details,
    "reasoning_text": rules.thought,
    "reasoning_opaque": rules.opaque,
    "thinking_blocks": rules.blocks,
    "annotations": filled("CIT-1"),
    "images": filled("UNK-1"),  # that are none
    "function_call": "ENV-7",
}

VENDOR_FIELDS: dict[str, Any] = {
    "Request": {
        "moderation": "MOD-1",
        "prediction": "OUT-7",
        **dict.fromkeys(("max_tokens", "max_output_tokens"), "SMP-4"),  # two limits were given, and they differ
        "user": "USR-2",
        "prompt_cache_options": {"ttl": "UNK-4", "mode": "UNK-4"},
        "reasoning_effort": rules.effort,
        **rules.THINKING,
        "service_tier": rules.one_of(rules.ON_DEMAND),
        "random_seed": "SMP-10",  # where there is a `seed` too
        "provider": rules.routing,  # OpenRouter
        **dict.fromkeys(("models", "route"), "SVC-3"),
        "transforms": "CTX-1",
        "safe_prompt": unless(False, "MOD-1"),  # Mistral, which prepends instructions
        "guardrails": filled("MOD-1"),
        "usage": "ENV-1",  # whether the response reports its cost
        "tool_choice": rules.choice,
        "function_call": rules.legacy_choice,
        "response_format": "UNK-4",
        STRUCTURED: {OTHERS: "OUT-15"},
        **dict.fromkeys(GUIDED.values(), "OUT-15"),
        SEARCHES: "UNK-4",
        "search_options": "TUL-9",
        LIVE: unless({"mode": "off"}, "TUL-9"),
        "text": {"format": "UNK-4", "verbosity": "OUT-5"},
    },
    "Speech": {"voice": {"id": "OUT-6"}},
    "Reasoning": {"closed": "ENV-7", "thinking": rules.pieces},
    "FunctionCall": {
        "type": "UNK-4",  # of a function that the server has
        "function": {PROVIDER_FIELDS: {SIGNATURE: "RSN-4"}},
        "index": "ENV-1",
        "id": "TUL-13",
        "custom": rules.filler,
        **_SIGNATURES,
    },
    "CustomCall": {"custom": {}, **_SIGNATURES},
    "UnknownPart": {"type": "", "role": ""},  # of a call, and of the result of one
    "AllowedChoice": {"allowed_tools": {"tools": "UNK-1"}},
    "Turn": {
        **_MESSAGE,
        **_FOREIGN,
        "name": "ENV-1",  # of a tool result; its call has the name
        "prefix": unless(False, ""),  # Mistral's prefill: of the last message
        "content": "OUT-9",
        "tool_call_id": "TUL-13",
        "cache_control": rules.marker,
        "refusal": "ENV-7",
        "audio": "ENV-7",
    },
    "Response": ENVELOPE | {"moderation": "MOD-1", "service_tier": "ENV-3", "created": "ENV-1"} | _BESIDE,
    # of streams
    "Chunk": _CHUNK | {"id": lambda value: "STR-17" if value else ""},
    "Apart": _CHUNK,  # a chunk without choices
    "Unknown": {},  # an event that is no chunk
    "Usage again": {"usage": "STR-23"},
    "Ending": {"finish_reason": "STR-22"},  # that more follows
    "Choice": ENVELOPE | {"index": "", "finish_reason": "", "logprobs": "ENV-7", "usage": "STR-4"} | _BESIDE_MESSAGE,
    "Candidate": ENVELOPE | {"logprobs": "ENV-7"} | _BESIDE_MESSAGE,  # logprobs of no token
    "Piece": {"closed": "ENV-7", "thinking": rules.pieces, "signature": "RSN-4"},  # of content or reasoning
    "Delta": {
        **_MESSAGE,
        "name": "ENV-1",  # the server's own (MiniMax)
        "role": "",
        "content": rules.content,
        "refusal": "ENV-7",
        "audio": {},
        "tool_calls": "",
        "index": "",  # of the choice, as Mistral repeats it
    },
    "Fragment": {
        "index": "",
        "id": "",
        "type": "",
        "function": {"name": "", "arguments": ""},
        "custom": {"name": "", "input": ""},
        **_SIGNATURES,
    },
    "Fragment id": {"id": "STR-17"},  # other than that of the call's first fragment
    # an error's body, or a chunk with an error
    "Error": ERROR_ENVELOPE
    | {
        "error": ERROR_MEMBERS,
        "type": "ERR-3",
        "object": "",
        **dict.fromkeys(("id", "created", "model", "system_fingerprint", "service_tier"), "ENV-1"),
        "choices": rules.unfinished,
        "usage": "USE-4",
        OUTCOME: {"status_code": "ERR-6"},
    },
    "Streaming": {"stream_options": {}},
    "Thinking": rules.CONTRADICTIONS,
    **vendor_fields(*objects.ALL, objects.CONTENT, objects.CITATION, objects.GENERATED),
}
VENDOR_FIELDS["Image"] |= {"type": ""}  # of one in the content

_GOOGLES = "extra_body/google/thinking_config"
_PART = {"cache": ("prompt_cache_breakpoint", "cache_control")}

WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Text": _PART | {"citations": "annotations"} | _SIGNED,
    "Image": _PART | {"detail": "image_url/detail"},
    "Audio": _PART
    | {"transcript": "transcript", "id": "id", "expires_at": "expires_at", "source": ("input_audio", "data")},
    "Document": _PART | {"title": ("file/filename", "file_name", "document_name")},
    "Cache": {"ttl": "ttl"},
    "ToolResult": {"call_id": ("tool_call_id", "tool_use_id"), "name": ""},
    "ClientCall": {"arguments": "function/arguments"},
    "FunctionCall": {
        "id": "id",
        "name": ("function/name", "name"),
        "arguments": ("function/arguments", "arguments", "input"),
    }
    | _SIGNED,
    "CustomCall": _SIGNED,
    "AllowedChoice": {"mode": "allowed_tools/mode", "tools": "allowed_tools/tools"},
    "Turn": {"name": "name", "role": "role"},
    "Sampling": {"candidates": "n", "seed": ("seed", "random_seed")},
    "Thinking": {
        "effort": ("reasoning_effort", "reasoning/effort", f"{_GOOGLES}/thinking_level"),
        "mode": (
            "thinking/type",
            "reasoning/enabled",
            "prompt_mode",
            "enable_thinking",
            "chat_template_kwargs/enable_thinking",
            "chat_template_kwargs/thinking",
            "reasoning/max_tokens",
            "thinking_budget",
            "reasoning/effort",
            "reasoning_effort",
            f"{_GOOGLES}/thinking_budget",
            f"{_GOOGLES}/include_thoughts",
        ),
        "budget": ("thinking/budget_tokens", "reasoning/max_tokens", "thinking_budget", f"{_GOOGLES}/thinking_budget"),
        "display": (
            "reasoning/exclude",
            "reasoning/summary",
            "include_reasoning",
            "reasoning_format",
            f"{_GOOGLES}/include_thoughts",
        ),
    },
    "Output": {
        "format": (
            "response_format",
            "text/format",
            *(f"{STRUCTURED}/{kind}" for kind in ("json", "choice")),
            *(GUIDED[kind] for kind in ("json", "choice")),
        ),
        "verbosity": ("verbosity", "text/verbosity"),
    },
    **openai.SETTINGS_PATHS,
    "Streaming": {"usage": "stream_options/include_usage", "obfuscation": "stream_options/include_obfuscation"},
    "Request": {
        "turns": "messages",
        "parallel_tools": "parallel_tool_calls",
        "max_tokens": ("max_completion_tokens", "max_tokens", "max_output_tokens"),
    },
    "Response": {
        "candidates": "choices",
        "tier": "service_tier",
        "fast": "service_tier",
        "fingerprint": "system_fingerprint",
    },
    "Candidate": {"logprobs": "logprobs"},
    "Terminal": {"reason": "finish_reason", "raw": "finish_reason", "stop_sequence": MATCHED},
    "Error": {
        member: (f"error/{name}", name, f"choices/0/error/{name}")
        for member, name in (("category", "type"), *((name, name) for name in ("code", "param", "type")))
    }
    | {
        "message": ("error/message", "error", "message", "choices/0/error/message", f"{OUTCOME}/status_msg"),
        "retry_after": "error/resets_in_seconds",
        "code": (
            *("error/code", "code", "choices/0/error/code", "choices/0/finish_reason", "finish_reason"),
            f"{OUTCOME}/status_code",
        ),
    },
    **wire_paths(*objects.ALL),
}
