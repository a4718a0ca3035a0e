"""Ollama responses and errors: between them every member."""

from __future__ import annotations

from ..sample import Payloads
from .building import ENVELOPE, METRICS, MODEL, SCORES, assistant, call, response

EXAMPLES: Payloads = {
    "text": response(assistant(content="Hello!"), **METRICS),
    "cut off": response(assistant(content="Hel", thinking="A greeting."), "length", prompt_eval_count=26, eval_count=1),
    "calls": response(assistant(tool_calls=[call("weather", {"city": "Oslo"})]), **METRICS),
}

DENSE: Payloads = {
    "text": {
        "model": MODEL,
        "created_at": "2023-12-12T14:13:43Z",
        "message": assistant(content="Hello!", thinking="A greeting."),
        "done_reason": "length",
        "done": True,
        "prompt_eval_count": 26,
        "eval_count": 8,
    },
    "calls": response(
        assistant(content="I look.", tool_calls=[call("weather", {"city": "Oslo"}, id="call_1"), call("now", {})]),
        **METRICS,
    ),
    "scores": response(assistant(content="Hello!"), logprobs=SCORES),
    "no reason": {**ENVELOPE, "message": assistant(content="Hello!"), "done": True},
    "own": response(
        {**assistant(content="Hello!"), "mood": "calm"},
        "unload",
        remote_model="qwen3:480b",
        remote_host="https://ollama.com:443",
        _debug_info={"rendered_template": "Hi"},
        x_extra={"deep": [1]},
        **METRICS,
    ),
    "own ending": response(assistant(content="Hello!"), "exploded"),
}

ERRORS: Payloads = {"model": {"error": "model 'x' not found"}}
DENSE_ERRORS: Payloads = {
    "model": {"error": "model 'x' not found"},
    "own": {"error": "unauthorized", "signin_url": "https://ollama.com/connect", "hint": {"n": 1}},
}
