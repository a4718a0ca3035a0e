"""The wire vocabulary of Ollama's `/api/chat` (`docs/api.md` and `api/types.go` of ollama/ollama; `ollama` 0.6.3).

Owns its words, its declared objects, the members that it alone has (VENDOR_FIELDS) and where the IR's fields stand
(WIRE_PATHS). Members that older servers lack are written all the same: a server skips members that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.error import Error, ErrorCategory
from ..ir.parts import FunctionCall
from ..ir.request import Effort
from ..ir.response import ScoredToken, StopReason
from ..ir.tools import FunctionTool
from .objects import (
    FUNCTION,
    NO_RULE,
    TaggedUnion,
    WireObject,
    by_hand,
    constant,
    nodes,
    number,
    required,
    string,
    typed_function,
    vendor,
    vendor_fields,
    wire_paths,
)

NAME = "ollama_chat"

REASON = {"stop": StopReason.END, "length": StopReason.LENGTH, "load": StopReason.END, "unload": StopReason.END}
"""The one table of stop reasons, for whole responses and streams; the last two end a response without content, after a
request without messages that has the model loaded or unloaded."""
WORD = {StopReason.LENGTH: "length", StopReason.CONTEXT_WINDOW: "length"}  # all others are "stop"
ENVELOPE = frozenset({"model", "created_at"})
COUNTS = {"prompt_eval_count": "input", "prompt_eval_cached_count": "cache_read", "eval_count": "output"}
"""The counts of a response; the cached tokens, which servers report from 0.33 on, are some of the prompt's."""
RESPONSE = frozenset({*ENVELOPE, *COUNTS, "message", "done", "done_reason", "logprobs"})
NUMBERS = ("temperature", "top_p", "frequency_penalty", "presence_penalty")
"""Options that are called like their fields."""
EFFORTS = {effort.value: effort for effort in (Effort.LOW, Effort.MEDIUM, Effort.HIGH, Effort.MAX)}
UNTYPED = "application/octet-stream"
"""The type of images whose data show none, as they come without their media types; no target takes it for an image."""


# --- objects ----------------------------------------------------------------------------------------------------------

TOOL = typed_function(f"{NAME} tool", FunctionTool, FUNCTION, items=vendor("TUL-9"))
TOOLS = TaggedUnion(f"{NAME} tools", "type", {"function": TOOL}, default="function")
CALL = WireObject(
    f"{NAME} call",
    FunctionCall,
    {
        "type": constant("function", written=False),
        "id": string("id"),  # from 0.12 on
        "function": required(
            {
                "name": required(string("name")),
                "arguments": required(by_hand("dict", "arguments")),
                "index": vendor("ENV-1"),
            }
        ),
    },
)
_TOKEN: dict[str, Any] = {
    "token": required(string("text")),
    "logprob": required(number("logprob")),
    "bytes": by_hand("list", "bytes"),
}
LIKELY = WireObject(f"{NAME} likely token", ScoredToken, _TOKEN)
TOKEN = WireObject(f"{NAME} token", ScoredToken, {**_TOKEN, "top_logprobs": nodes("top", LIKELY)})

PROMPT_TOO_LONG = "prompt too long; exceeded max context length"
BEGINS_TOO_LONG = "prompt too long; exceeded (?:max )?context length"
"""How servers write that error, and by which beginning clients know it (ERR-7)."""
ERROR = WireObject(
    f"{NAME} error",
    Error,
    {"error": required(string("message"))},
    {"protocol": NAME, "category": ErrorCategory.UNKNOWN},
)

# --- members ----------------------------------------------------------------------------------------------------------

RUNNER = """
    embedding_only f16_kv logits_all low_vram main_gpu num_batch num_ctx num_gpu num_keep num_thread numa use_mlock
    use_mmap vocab_only
""".split()
SAMPLING = """
    min_p mirostat mirostat_eta mirostat_tau penalize_newline repeat_last_n repeat_penalty tfs_z typical_p
""".split()
OFF = {"min_p": 0, "mirostat": 0, "repeat_last_n": 0, "repeat_penalty": 1, "tfs_z": 1, "typical_p": 1}
"""The values by which some of them do nothing (`docs/modelfile.mdx`), as nothing like them does elsewhere."""
DURATIONS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")
MESSAGE = {"name": NO_RULE, "images": "UNK-2"}
GENERATED = {
    **dict.fromkeys(("created_at", *DURATIONS), "ENV-1"),
    **dict.fromkeys(("remote_model", "remote_host"), "ENV-3"),
    "_debug_info": "DGN-1",
}


def _word_of_done(value: Any) -> str:
    """Return the rule of `done_reason`, which repeats the stop reason except in a response without content."""
    return "STS-3" if value in ("load", "unload") else NO_RULE if isinstance(value, str) else "UNK-4"


def _limit(value: Any) -> str:
    return "SMP-6" if value == -1 else "SMP-3"  # until the model ends; until the context is full


def _unless(off: int) -> Callable[[Any], str]:
    return lambda value: "SMP-6" if value == off else "SMP-3"


def _format(value: Any) -> str:
    return "ENV-7" if value == "" else "UNK-4"


VENDOR_FIELDS: dict[str, dict[str, Any]] = {
    "Request": {
        "keep_alive": "SVC-70",
        "options": {
            **dict.fromkeys(RUNNER, "SMP-70"),
            **dict.fromkeys(SAMPLING, "SMP-3"),
            **{name: _unless(off) for name, off in OFF.items()},
            "num_predict": _limit,
        },
        "think": "UNK-4",
        "format": _format,
        **dict.fromkeys(("truncate", "shift"), "CTX-1"),
        "_debug_render_only": "DGN-1",
    },
    "Turn": MESSAGE,
    "Response": GENERATED,
    "Terminal": {"done_reason": _word_of_done},
    "Usage": {"prompt_eval_count": "USE-2"},  # of fewer tokens than were cached
    "Chunk": {"model": "ENV-1", **GENERATED},
    "Message": MESSAGE,
    "Error": {"signin_url": "ERR-4"},
    **vendor_fields(TOOLS, CALL, TOKEN),
}
"""Members that only this protocol has, by IR class, each with the rule under which another protocol loses it."""

WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Request": {"turns": "messages", "prefill": "messages", "max_tokens": "options/num_predict"},
    "Thinking": {"mode": "think", "effort": "think"},
    "ToolResult": {"name": ("tool_name", "name"), "call_id": "tool_call_id", "parts": "content"},
    "Response": {"created": "created_at"},
    "Terminal": {"reason": "done_reason", "raw": "done_reason"},
    "Usage": {field: member for member, field in COUNTS.items()},
    **wire_paths(TOOLS, CALL, TOKEN, ERROR),
}
"""Where the fields of the IR are on the wire, as paths below the object that a node was read from."""
