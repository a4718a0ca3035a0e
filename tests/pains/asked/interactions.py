"""Requests to Gemini's Interactions, and of its clients."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...samples.gemini_interactions import building as interactions
from ..support import chat, responses
from .row import ABSENT, ANTHROPIC, CHAT, INTERACTIONS, RESPONSES, Asked, Refused

Json = Any
HI = chat.user("Hi")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {**SCHEMA, "required": ["a"], "additionalProperties": False}


def to_interactions(*messages: Json, gets: Json, settings: Json = None, **more: Any) -> Asked:
    """A request of a client of Chat Completions."""
    sent = {**chat.request(*messages), **(settings or {}), "model": "gemini-3-flash-preview"}
    return Asked(src=CHAT, sent=sent, gets={INTERACTIONS: gets}, **more)


from_interactions = partial(Asked, src=INTERACTIONS)
from_responses = partial(Asked, src=RESPONSES)
ROWS: tuple[Asked, ...] = (
    to_interactions(
        HI,
        chat.assistant(tool_calls=[chat.call("f", '{"a":1}')]),
        chat.result("ok"),
        settings={"tools": [chat.tool("f", strict=True)], "tool_choice": "required"},
        thread="justrach/codegraff#741",
        seen="a result without its tool's name is refused, and so is a request with a member that is not known",
        gets={
            "/input/1": interactions.call("f", {"a": 1}),
            "/input/2": interactions.result("ok", name="f"),
            "/tools/0/strict": ABSENT,
            "/generation_config/tool_choice": "any",
            "/tool_choice": ABSENT,
        },
        rules=("RSN-40",),
    ),
    to_interactions(
        HI,
        settings={"seed": 3, "stop": ["x"], "temperature": 0.2, "reasoning_effort": "high"},
        thread="mozilla-ai/any-llm#1382",
        seen="settings of the generation do not stand at the top",
        gets={
            "/generation_config": {
                "max_output_tokens": 64,
                "seed": 3,
                "stop_sequences": ["x"],
                "temperature": 0.2,
                "thinking_level": "high",
            },
            "/temperature": ABSENT,
        },
    ),
    from_responses(
        thread="maximhq/bifrost#1269",
        seen="a response to go on from is dropped, and the model knows nothing of it",
        sent=responses.request(HI, previous_response_id="resp_1"),
        gets={INTERACTIONS: Refused("R2A-3", "/previous_response_id")},
        rules=("R2A-3",),
    ),
    from_responses(
        thread="langgenius/dify-official-plugins#3426",
        seen="a schema of the output and a search exclude each other, as they do in generateContent before Gemini 3",
        sent=responses.request(
            HI,
            tools=[{"type": "web_search"}],
            text={"format": {"type": "json_schema", "name": "x", "schema": SCHEMA}},
            model="gemini-3-flash-preview",
        ),
        gets={
            INTERACTIONS: {
                "/tools": [{"type": "google_search"}],
                "/response_format": {"type": "text", "mime_type": "application/json", "schema": SCHEMA},
            }
        },
    ),
    from_interactions(
        thread="google/adk-python#4381",
        seen="an older session has results without the id of their call",
        sent=interactions.request(
            interactions.user("Hi"),
            interactions.call("f"),
            {"type": "function_result", "name": "f", "result": "ok"},
        ),
        gets={CHAT: Refused("SHP-2", "/input/2")},
        rules=("SHP-2",),
    ),
    from_interactions(
        thread="enricoros/big-AGI#899",
        seen="a schema stands bare as the format, as the first revision of the API had it",
        sent={"model": "m", "input": "Hi", "response_format": CLOSED},
        gets={
            CHAT: {"/response_format/json_schema/schema": CLOSED},
            ANTHROPIC: {"/output_config/format/schema": CLOSED},
        },
    ),
    from_interactions(
        thread="TanStack/ai#502",
        seen="turns with a role, as the first revision of the API had them",
        sent={"model": "m", "input": [{"role": "user", "content": "Hi"}]},
        gets={CHAT: Refused("SHP-2", "/input/0"), ANTHROPIC: Refused("SHP-2", "/input/0")},
        rules=("SHP-2",),
    ),
    from_interactions(
        thread="zenml-io/kitaru#377",
        seen="an agent is asked, which no other vendor runs",
        sent={"agent": "antigravity-preview", "input": "Hi"},
        gets=dict.fromkeys((CHAT, ANTHROPIC, RESPONSES), Refused("HST-90", "/agent")),
        rules=("HST-90",),
    ),
)
