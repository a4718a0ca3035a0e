"""Ollama requests: between them every member."""

from __future__ import annotations

from ..sample import Payloads
from ..shared import PNG, WEATHER_SCHEMA, user
from .building import TOOL, USER, assistant, call, request, result

EXAMPLES: Payloads = {
    "short": request(user("Why is the sky blue?")),
    "brief": request(
        {"role": "system", "content": "Be brief."}, user("Why?"), stream=False, options={"num_predict": 9}
    ),
    "image": request({"role": "user", "content": "What is it?", "images": [PNG]}, stream=False),
    "tools": request(
        user("Where is it warmer?"),
        assistant(
            thinking="Two places.", tool_calls=[call("weather", {"city": "Oslo"}), call("weather", {"city": "Rome"})]
        ),
        result("4 degrees"),
        result("22 degrees"),
        assistant(content="In Rome."),
        user("Thanks."),
        tools=[TOOL],
        think=True,
    ),
    "schema": request(user("Where?"), format=WEATHER_SCHEMA, stream=False),
}

DENSE: Payloads = {
    "settings": request(
        {"role": "system", "content": "Be brief."},
        user("Why?"),
        stream=False,
        think="low",
        format=WEATHER_SCHEMA,
        options={
            "temperature": 0.5,
            "top_k": 20,
            "top_p": 0.9,
            "seed": 42,
            "num_predict": 100,
            "stop": ["\n", "user:"],
            "frequency_penalty": 0.25,
            "presence_penalty": 0.75,
        },
    ),
    "other forms": request(
        user("Hi"),
        {"role": "assistant", "content": "Hello"},
        user("Bye"),
        stream=True,
        think=True,
        format="json",
        options={"stop": "\n"},
        logprobs=True,
        top_logprobs=2,
    ),
    "tools": request(
        USER,
        assistant(thinking="Two.", tool_calls=[call("weather", {"city": "Oslo"}), call("weather", {"city": "Rome"})]),
        result("4 degrees"),
        result("22 degrees"),
        assistant(content="In Rome."),
        user("Thanks."),
        tools=[TOOL],
        think=False,
    ),
    "ids": request(
        user("Is it warm?"),
        {
            "role": "assistant",
            "tool_calls": [
                {"type": "function", "id": "c1", "function": {"index": 0, "name": "weather", "arguments": {}}}
            ],
        },
        {"role": "tool", "name": "weather", "tool_call_id": "c1", "content": "Warm."},
        tools=[{"function": {"name": "weather", "parameters": WEATHER_SCHEMA}}],
    ),
    "own": request(
        {**user("Hi"), "mood": "calm"},
        keep_alive="5m",
        think="hard",
        format="",
        truncate=False,
        shift=True,
        _debug_render_only=False,
        options={"num_predict": -1, "num_ctx": 4096, "num_gpu": 1, "min_p": 0.1, "repeat_penalty": 1.1, "warp": 9},
        tools=[{**TOOL, "items": {"n": 1}}, {"type": "hologram", "beam": 3}],
        x_extra={"deep": [1]},
    ),
}
