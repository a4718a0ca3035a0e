"""The wire vocabulary of /api/chat: declared objects, words, rules (Ollama's API documentation)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from proxai_ir.authoring import NO_RULE, Rule, TaggedUnion, WireObject, objects, vendor_fields, wire_paths
from proxai_ir.ir.parts import FunctionCall
from proxai_ir.ir.request import Effort
from proxai_ir.ir.response import ScoredToken, StopReason
from proxai_ir.ir.tools import FunctionTool

NAME = "ollama_example"

OPTION = Rule("OLLAMA-1", "loss", "Option of Ollama's model runner; dropped.")
KEEP_ALIVE = Rule("OLLAMA-2", "info", "How long the server keeps the model in memory; dropped.")
TIMING = Rule("OLLAMA-3", "info", "How long the server took for this response; dropped.")
SECONDS = Rule("OLLAMA-4", "info", "The time of the response is cut to whole seconds.")
NO_IDS = Rule("OLLAMA-5", "info", "The target has no call ids; results follow in the order of their calls.")
JOINED = Rule("OLLAMA-9", "loss", "The target has one string for the texts of a message; they are joined by newlines.")
IMAGES_LAST = Rule("OLLAMA-6", "loss", "The target has the images of a message after its text.")
EFFORT_ROUNDED = Rule("OLLAMA-7", "loss", "The target has the efforts low, medium and high; the nearest is sent.")
UNTYPED = Rule("OLLAMA-8", "loss", "The target has no media types of images, and this data does not show its own.")

REASON = {"stop": StopReason.END, "length": StopReason.LENGTH}
"""The one table of stop reasons, for whole responses and streams."""
WORD = {StopReason.LENGTH: "length", StopReason.CONTEXT_WINDOW: "length"}  # all others are "stop"
ENVELOPE = frozenset({"model", "created_at"})
NUMBERS = ("temperature", "top_p", "frequency_penalty", "presence_penalty")
"""Options that are called like their fields."""
EFFORTS = {effort.value: effort for effort in (Effort.LOW, Effort.MEDIUM, Effort.HIGH)}
IMAGE_TYPES = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
"""The first base64 characters of images, which come without their media types."""


def image_type(data: str) -> str | None:
    return next((mime for begin, mime in IMAGE_TYPES.items() if data.startswith(begin)), None)


def time_of(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- objects ----------------------------------------------------------------------------------------------------------

TOOL = WireObject(
    f"{NAME} tool",
    FunctionTool,
    {
        "type": objects.constant("function"),
        "function": objects.required(
            {
                "name": objects.required(objects.string("name")),
                "description": objects.string("description"),
                "parameters": objects.mapping("parameters"),
            }
        ),
    },
)
TOOLS = TaggedUnion(f"{NAME} tools", "type", {"function": TOOL}, default="function")
CALL = WireObject(
    f"{NAME} call",
    FunctionCall,
    {
        "type": objects.constant("function", written=False),
        "id": objects.by_hand("str", "id"),  # which some versions of the server send, and none needs
        "function": objects.required(
            {
                "name": objects.required(objects.string("name")),
                "arguments": objects.required(objects.by_hand("dict", "arguments")),
                "index": objects.vendor(NO_RULE),  # the position
            }
        ),
    },
)
_TOKEN: dict[str, Any] = {
    "token": objects.required(objects.string("text")),
    "logprob": objects.required(objects.number("logprob")),
    "bytes": objects.by_hand("list", "bytes"),
}
LIKELY = WireObject(f"{NAME} likely token", ScoredToken, _TOKEN)
TOKEN = WireObject(f"{NAME} token", ScoredToken, {**_TOKEN, "top_logprobs": objects.nodes("top", LIKELY)})

# --- members ----------------------------------------------------------------------------------------------------------

RUNNER = """
    num_ctx num_batch num_gpu main_gpu low_vram f16_kv logits_all vocab_only use_mmap use_mlock num_thread numa num_keep
    min_p tfs_z typical_p repeat_last_n repeat_penalty mirostat mirostat_tau mirostat_eta penalize_newline num_predict
""".split()
DURATIONS = dict.fromkeys(("total_duration", "load_duration", "prompt_eval_duration", "eval_duration"), TIMING)
MESSAGE = {"name": NO_RULE, "images": "UNK-2"}


def _word_of_done(value: Any) -> str:
    return NO_RULE if isinstance(value, str) else "UNK-4"


VENDOR_FIELDS: dict[str, dict[str, Any]] = {
    "Request": {
        "keep_alive": KEEP_ALIVE,
        "options": dict.fromkeys(RUNNER, OPTION),
        "think": "UNK-4",
        "format": "UNK-4",
    },
    "Turn": MESSAGE,
    "Response": {"created_at": SECONDS, **DURATIONS},
    "Terminal": {"done_reason": _word_of_done},
    "Chunk": {"model": "ENV-1", "created_at": SECONDS, **DURATIONS},
    "Message": MESSAGE,
    **vendor_fields(TOOLS, CALL, TOKEN),
}
"""Members that only this protocol has, by IR class, each with the rule under which another protocol loses it."""

WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Request": {"turns": "messages", "max_tokens": "options/num_predict"},
    "Thinking": {"mode": "think", "effort": "think"},
    "SchemaFormat": {"schema": "format"},
    "ToolResult": {"name": ("tool_name", "name"), "call_id": "tool_call_id", "parts": "content"},
    "Response": {"created": "created_at"},
    "Terminal": {"reason": "done_reason", "raw": "done_reason"},
    "Usage": {"input": "prompt_eval_count", "output": "eval_count"},
    "Error": {"message": "error"},
    **wire_paths(TOOLS, CALL, TOKEN),
}
"""Where the fields of the IR are on the wire, as paths below the object that a node was read from."""
