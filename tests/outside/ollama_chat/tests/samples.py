"""Payloads of /api/chat, by hand: together they hold every member that this package knows."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

IMAGE = "iVBORw0KGgoAAAANSUhEUgAA"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Of today.", "parameters": SCHEMA}}


def call(name: str, arguments: Json) -> Json:
    return {"function": {"name": name, "arguments": arguments}}


REQUESTS: dict[str, Json] = {
    "short": {"model": "qwen3", "messages": [{"role": "user", "content": "Why is the sky blue?"}]},
    "settings": {
        "model": "qwen3",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}],
        "stream": False,
        "think": "low",
        "format": SCHEMA,
        "keep_alive": "5m",
        "options": {
            "temperature": 0.5,
            "top_k": 20,
            "top_p": 0.9,
            "seed": 42,
            "num_predict": 100,
            "stop": ["\n", "user:"],
            "frequency_penalty": 0.25,
            "presence_penalty": 0.75,
            "num_ctx": 4096,
        },
    },
    "other forms": {
        "model": "qwen3",
        "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
        "stream": True,
        "think": True,
        "format": "json",
        "options": {"stop": "\n", "num_predict": -1},
        "logprobs": True,
        "top_logprobs": 2,
    },
    "tools": {
        "model": "qwen3",
        "messages": [
            {"role": "user", "content": "Is it warm there?", "images": [IMAGE]},
            {
                "role": "assistant",
                "content": "",
                "thinking": "Two places.",
                "tool_calls": [call("weather", {"city": "Oslo"}), call("weather", {"city": "Rome"})],
            },
            {"role": "tool", "tool_name": "weather", "content": "4 degrees"},
            {"role": "tool", "tool_name": "weather", "content": "22 degrees"},
            {"role": "assistant", "content": "In Rome."},
            {"role": "user", "content": "Thanks."},
        ],
        "tools": [TOOL],
        "think": False,
    },
    "tools of other versions": {
        "model": "qwen3",
        "messages": [
            {"role": "user", "content": "Is it warm?"},
            {
                "role": "assistant",
                "tool_calls": [
                    {"type": "function", "id": "c1", "function": {"index": 0, "name": "weather", "arguments": {}}},
                ],
            },
            {"role": "tool", "name": "weather", "tool_call_id": "c1", "content": "Warm."},
        ],
        "tools": [{"function": {"name": "weather", "parameters": SCHEMA}}],
    },
}

ENVELOPE = {"model": "qwen3", "created_at": "2023-12-12T14:13:43.416799Z"}
METRICS = {
    "total_duration": 5191566416,
    "load_duration": 2154458,
    "prompt_eval_count": 26,
    "prompt_eval_duration": 383809000,
    "eval_count": 298,
    "eval_duration": 4799921000,
}


def scored(token: str, logprob: float) -> Json:
    return {"token": token, "logprob": logprob, "bytes": [*token.encode()]}


SCORES = [{**scored("Hel", -0.25), "top_logprobs": [scored("Hel", -0.25), scored("Hi", -1.5)]}, scored("lo!", -0.125)]


def assistant(**members: Any) -> Json:
    return {"role": "assistant", "content": "", **members}


RESPONSES: dict[str, Json] = {
    "text": {**ENVELOPE, "message": assistant(content="Hello!"), "done": True, "done_reason": "stop", **METRICS},
    "cut off": {
        "model": "qwen3",
        "created_at": "2023-12-12T14:13:43Z",
        "message": assistant(content="Hel", thinking="A greeting."),
        "done_reason": "length",
        "done": True,
        "prompt_eval_count": 26,
        "eval_count": 1,
    },
    "calls": {
        **ENVELOPE,
        "message": assistant(tool_calls=[call("weather", {"city": "Oslo"})]),
        "done_reason": "stop",
        "done": True,
        **METRICS,
    },
    "scores": {
        **ENVELOPE,
        "message": assistant(content="Hello!"),
        "done": True,
        "done_reason": "stop",
        "logprobs": SCORES,
    },
    "no reason": {**ENVELOPE, "message": {"role": "assistant", "content": "Hello!"}, "done": True},
}

ERRORS: dict[str, Json] = {"text": {"error": "model 'x' not found"}}


def chunk(second: int, **members: Any) -> Json:
    at = f"2023-12-12T14:13:{second:02}.5Z"
    return {"model": "qwen3", "created_at": at, "message": assistant(**members), "done": False}


def last(second: int, **members: Any) -> Json:
    return {**chunk(second), "done": True, "done_reason": "stop", **members}


STREAMS: dict[str, list[Json]] = {
    "text": [chunk(1, content="Hel"), chunk(1, content="lo!"), last(2, **METRICS)],
    "scores": [
        {**chunk(1, content="Hel"), "logprobs": SCORES[:1]},
        {**chunk(1, content="lo!"), "logprobs": SCORES[1:]},
        last(2, **METRICS),
    ],
    "thinking": [
        chunk(1, thinking="A greet"),
        chunk(2, thinking="ing."),
        chunk(3, content="Hello"),
        last(3, done_reason="length", prompt_eval_count=26, eval_count=8),
    ],
    "calls": [
        chunk(1, content="Let me see."),
        chunk(1, tool_calls=[call("weather", {"city": "Oslo"})]),
        chunk(2, tool_calls=[call("weather", {"city": "Rome"})]),
        last(2, prompt_eval_count=26, eval_count=8),
    ],
    "failure": [chunk(1, content="Hel"), {"error": "an error was encountered while running the model"}],
}
