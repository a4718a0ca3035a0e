"""Payloads in the structures that documents and recordings show and the other samples lack; texts and values are ours.

Each names where the structure is from: a file of ollama/ollama or of ollama/ollama-python, or a recording of
0xPlaygrounds/rig (crates/rig-cassette/fixtures/cassettes/ollama); all were read on 2026-11-28.
"""

from __future__ import annotations

from typing import Any

from ..sample import Json, Payloads, Streams
from ..shared import PNG, WEATHER_SCHEMA, user
from .building import MODEL, TOOL, request


def _call(index: int, city: str, **members: Any) -> Json:
    return {**members, "function": {"index": index, "name": "weather", "arguments": {"city": city}}}


CALLS = [_call(0, "Oslo", type="function"), _call(1, "Rome", type="function")]
RESULTS = [{"role": "tool", "tool_name": "weather", "content": text} for text in ("4 degrees", "22 degrees")]
TYPES: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Weather",
    "type": "object",
    "required": ["city"],
    "properties": {
        "city": {"type": "string"},
        "days": {"description": "One by default.", "type": ["integer", "null"], "format": "uint32", "minimum": 0},
    },
}
REQUESTS: Payloads = {
    # ollama-python tests/test_client.py: its client sends every member, empty ones as well
    "documented defaults": request(
        {**user("Where?"), "images": [PNG]}, tools=[], stream=False, format="", options={}, keep_alive=None
    ),
    # docs/capabilities/tool-calling.mdx: calls of one tool without ids, whose results have its name alone
    "documented results": request(
        user("Where is it warmer?"), {"role": "assistant", "tool_calls": CALLS}, *RESULTS, stream=False
    ),
    # docs/capabilities/thinking.mdx: the model's own default
    "documented think": request(user("Why?"), think=None),
    # recording tools/optional_argument.yaml
    "documented schema": request(
        user("Is it warm in Oslo?"),
        tools=[{"type": "function", "function": {"name": "weather", "parameters": TYPES}}],
        format=WEATHER_SCHEMA,
        options={},
        stream=False,
        think=False,
    ),
    # recording agentic/structured_output_with_tools.yaml: ids, names, indexes and thoughts together
    "documented ids": request(
        user("Is it warm in Oslo?"),
        {"role": "assistant", "content": "", "thinking": "Hm.\n", "tool_calls": [_call(0, "Oslo", id="call_b3m")]},
        {"role": "tool", "content": "4 degrees", "tool_call_id": "call_b3m", "tool_name": "weather"},
        tools=[TOOL],
        options={},
        think=True,
        stream=False,
    ),
}
ALONE: Payloads = {
    # docs/api.md: has a model unloaded
    "load": request(keep_alive=0),
}

_AT = "2026-10-05T18:30:15.703808907Z"
_SPENT: Json = {"total_duration": 5497823250, "load_duration": 1068742, "prompt_eval_duration": 76722000}
RESPONSES: Payloads = {
    # recording native/think_level.yaml: servers from 0.33 on count what the cache had
    "documented cache": {
        "created_at": "1970-01-01T00:00:00Z",
        "done": True,
        "done_reason": "stop",
        "eval_count": 25,
        "eval_duration": 7076389000,
        "message": {"content": "Rayleigh.", "role": "assistant", "thinking": "Light.\n"},
        "model": MODEL,
        "prompt_eval_cached_count": 18,
        "prompt_eval_count": 23,
        **_SPENT,
    },
    # recording tools/optional_argument.yaml: a call after text
    "documented call": {
        "model": MODEL,
        "created_at": _AT,
        "message": {"role": "assistant", "content": "I look.\n\n", "tool_calls": [_call(0, "Oslo", id="call_yp1")]},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 203,
        "prompt_eval_cached_count": 0,
        "eval_count": 84,
    },
    # docs/api.md: no reason, no images
    "documented images": {
        "model": MODEL,
        "created_at": _AT,
        "message": {"role": "assistant", "content": " A pig.", "images": None},
        "done": True,
        **_SPENT,
        "prompt_eval_count": 26,
        "eval_count": 83,
    },
}

_PIECE: Json = {"model": MODEL, "created_at": _AT, "done": False}
STREAMS: Streams = {
    # docs/api.md: images that are null, a last line with a time of its own and no reason
    "own documented end": [
        {**_PIECE, "message": {"role": "assistant", "content": "Ray", "images": None}},
        {**_PIECE, "message": {"role": "assistant", "content": "leigh.", "images": None}},
        {
            "model": MODEL,
            "created_at": "2026-10-05T18:30:21.825163181Z",
            "message": {"role": "assistant", "content": ""},
            "done": True,
            **_SPENT,
            "eval_count": 2,
        },
    ],
    # recording native/streamed_tool_call.yaml: a call in a line of its own, after text
    "documented call": [
        {**_PIECE, "message": {"role": "assistant", "content": "I look."}},
        {**_PIECE, "message": {"role": "assistant", "content": "\n\n"}},
        {**_PIECE, "message": {"role": "assistant", "content": "", "tool_calls": [_call(0, "Oslo", id="call_x23")]}},
        {
            **_PIECE,
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            **_SPENT,
            "prompt_eval_count": 187,
            "prompt_eval_cached_count": 1,
            "eval_count": 205,
        },
    ],
}
