"""Short functions that make payloads of Ollama's `/api/chat`."""

from __future__ import annotations

from typing import Any

from ..sample import Events, Json
from ..shared import PNG, WEATHER_SCHEMA

MODEL = "qwen3"
ENVELOPE = {"model": MODEL, "created_at": "2023-12-12T14:13:43.416799Z"}
METRICS: Json = {
    "total_duration": 5191566416,
    "load_duration": 2154458,
    "prompt_eval_count": 26,
    "prompt_eval_duration": 383809000,
    "eval_count": 298,
    "eval_duration": 4799921000,
}
TOOL = {"type": "function", "function": {"name": "weather", "description": "Of today.", "parameters": WEATHER_SCHEMA}}
USER = {"role": "user", "content": "Is it warm there?", "images": [PNG]}


def request(*messages: Json, **members: Any) -> Json:
    return {"model": MODEL, "messages": list(messages), **members}


def call(name: str, arguments: Json, **members: Any) -> Json:
    return {**members, "function": {"name": name, "arguments": arguments}}


def result(content: str, **members: Any) -> Json:
    return {"role": "tool", "tool_name": "weather", "content": content, **members}


def assistant(**members: Any) -> Json:
    return {"role": "assistant", "content": "", **members}


def response(message: Json, reason: str = "stop", **members: Any) -> Json:
    return {**ENVELOPE, "message": message, "done_reason": reason, "done": True, **members}


def scored(token: str, logprob: float) -> Json:
    return {"token": token, "logprob": logprob, "bytes": [*token.encode()]}


SCORES = [{**scored("Hel", -0.25), "top_logprobs": [scored("Hel", -0.25), scored("Hi", -1.5)]}, scored("lo!", -0.125)]


def chunk(second: int, **members: Any) -> Json:
    at = f"2023-12-12T14:13:{second % 60:02}.5Z"
    return {"model": MODEL, "created_at": at, "message": assistant(**members), "done": False}


def last(second: int, **members: Any) -> Json:
    return {**chunk(second), "done": True, "done_reason": "stop", **members}


def stream(*messages: Json, **members: Any) -> Events:
    return [*(chunk(number, **message) for number, message in enumerate(messages)), last(len(messages), **members)]
