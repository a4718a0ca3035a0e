"""The wire vocabulary of /api/chat, as Ollama's API documentation has it, and the rules of this package."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from proxai_ir.authoring import NO_RULE, Rule
from proxai_ir.ir.request import Effort
from proxai_ir.ir.terminal import StopReason

NAME = "ollama_chat"

OPTION = Rule("OLLAMA-1", "loss", "Option of Ollama's model runner; dropped.")
KEEP_ALIVE = Rule("OLLAMA-2", "info", "How long the server keeps the model in memory; dropped.")
TIMING = Rule("OLLAMA-3", "info", "How long the server took for this response; dropped.")
SECONDS = Rule("OLLAMA-4", "info", "The time of the response is cut to whole seconds.")
NO_IDS = Rule("OLLAMA-5", "info", "The target has no call ids; results follow in the order of their calls.")
NEWER_LOST = Rule("OLLAMA-6", "loss", "Newer than this version of ollama_chat; dropped.")
NEWER_REFUSED = Rule("OLLAMA-7", "error", "Newer than this version of ollama_chat, and must not be dropped.")
LOGPROBS = Rule("OLLAMA-8", "loss", "Log probabilities are not converted; dropped.")
JOINED = Rule("OLLAMA-9", "loss", "The target has one string for the texts of a message; they are joined by newlines.")
IMAGES_LAST = Rule("OLLAMA-10", "loss", "The target has the images of a message after its text.")
UNTYPED = Rule("OLLAMA-12", "loss", "The target has no media types of images, and this data does not show its own.")
EFFORT_ROUNDED = Rule("OLLAMA-11", "loss", "The target has the efforts low, medium and high; the nearest is sent.")

# The one table of stop reasons, for whole responses and streams.
REASON = {"stop": StopReason.END, "length": StopReason.LENGTH}
WORD = {
    StopReason.END: "stop",
    StopReason.STOP_SEQUENCE: "stop",
    StopReason.TOOL_CALLS: "stop",
    StopReason.REFUSAL: "stop",
    StopReason.CONTENT_FILTER: "stop",
    StopReason.PAUSE: "stop",
    StopReason.UNKNOWN: "stop",
    StopReason.LENGTH: "length",
    StopReason.CONTEXT_WINDOW: "length",
}

EFFORTS = {effort.value: effort for effort in (Effort.LOW, Effort.MEDIUM, Effort.HIGH)}

IMAGE_TYPES = {"iVBORw0KGgo": "image/png", "/9j/": "image/jpeg", "R0lGOD": "image/gif", "UklGR": "image/webp"}
"""The first base64 characters of images, which come without their media types."""


def image_type(data: str) -> str | None:
    return next((mime for begin, mime in IMAGE_TYPES.items() if data.startswith(begin)), None)


RUNNER_OPTIONS = """
    num_ctx num_batch num_gpu main_gpu low_vram f16_kv logits_all vocab_only use_mmap use_mlock num_thread numa num_keep
    min_p tfs_z typical_p repeat_last_n repeat_penalty mirostat mirostat_tau mirostat_eta penalize_newline num_predict
""".split()
DURATIONS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")


def time_of(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _word_of_done(value: Any) -> str:
    return NO_RULE if isinstance(value, str) else "UNK-4"


_MESSAGE = {"name": NO_RULE, "images": "UNK-2"}

VENDOR_FIELDS: dict[str, dict[str, Any]] = {
    "Request": {
        "keep_alive": KEEP_ALIVE,
        "options": dict.fromkeys(RUNNER_OPTIONS, OPTION),
        "logprobs": LOGPROBS,
        "top_logprobs": LOGPROBS,
        "think": "UNK-4",
        "format": "UNK-4",
    },
    "Turn": _MESSAGE,
    "FunctionTool": {"function": {}},
    "FunctionCall": {"type": NO_RULE, "function": {"index": NO_RULE}},
    "Response": {"created_at": SECONDS, "logprobs": LOGPROBS, **dict.fromkeys(DURATIONS, TIMING)},
    "Terminal": {"done_reason": _word_of_done},
    # of streams
    "Chunk": {"model": "ENV-1", "created_at": SECONDS, "logprobs": LOGPROBS, **dict.fromkeys(DURATIONS, TIMING)},
    "Message": _MESSAGE,
}
"""Members that only this protocol has, by IR class, each with the rule under which another protocol loses it."""

WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Request": {"turns": "messages", "max_tokens": "options/num_predict"},
    "Thinking": {"mode": "think", "effort": "think"},
    "Output": {"format": "format"},
    "SchemaFormat": {"schema": "format"},
    "FunctionTool": {
        "name": "function/name",
        "description": "function/description",
        "parameters": "function/parameters",
    },
    "FunctionCall": {"name": "function/name", "arguments": "function/arguments", "id": "id"},
    "ToolResult": {"name": ("tool_name", "name"), "call_id": "tool_call_id", "parts": "content"},
    "Response": {"created": "created_at"},
    "Terminal": {"reason": "done_reason", "raw": "done_reason"},
    "Usage": {"input": "prompt_eval_count", "output": "eval_count"},
    "Error": {"message": "error"},
}
"""Where the fields of the IR are on the wire, as paths below the object that a node was read from."""
