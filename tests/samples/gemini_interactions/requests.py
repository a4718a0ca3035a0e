"""Requests of Gemini Interactions."""

from __future__ import annotations

from ..sample import Json, Payloads
from ..shared import DEPTH_SCHEMA, PDF, PNG, WEATHER_SCHEMA
from .building import call, model, request, result, text, thought, tool, user

AGENTIC: Json = {
    "model": "gemini-3-pro-preview",
    "system_instruction": "You are the harbour's pilot.",
    "input": [
        user("How deep is it in Emden?", {"type": "image", "data": PNG, "mime_type": "image/png"}),
        thought("A chart, and a question.", signature="EpkCCkYI"),
        call("depth", {"harbour": "Emden", "unit": "m"}, "fc_1"),
        result({"depth": 12.5}, "fc_1", name="depth"),
        model("12.5 metres."),
        user("And in Delfzijl?"),
    ],
    "tools": [
        {"type": "function", "name": "depth", "description": "Depth of a harbour.", "parameters": DEPTH_SCHEMA},
    ],
    "generation_config": {
        "temperature": 0.2,
        "max_output_tokens": 400,
        "thinking_level": "low",
        "thinking_summaries": "auto",
        "tool_choice": "auto",
    },
    "store": False,
    "stream": True,
}

PLAIN: Json = {"model": "gemini-3-flash-preview", "input": "When is high water in Emden?"}

MEDIA: Json = {
    "model": "gemini-3-flash-preview",
    "input": [
        {"type": "document", "uri": "https://tides.example/emden.pdf", "mime_type": "application/pdf"},
        {"type": "image", "data": PNG, "mime_type": "image/png"},
        {"type": "text", "text": "Summarise both."},
    ],
    "response_format": {"type": "text", "mime_type": "application/json", "schema": WEATHER_SCHEMA},
    "generation_config": {"top_p": 0.9, "seed": 7, "stop_sequences": ["END"], "thinking_level": "high"},
    "service_tier": "flex",
}

EXAMPLES: Payloads = {"agentic": AGENTIC, "plain": PLAIN, "media": MEDIA}

EVERYTHING: Json = {
    "model": "gemini-3-flash-preview",
    "system_instruction": "Be brief.",
    "input": [
        user("Hi", {"type": "image", "data": PNG, "mime_type": "image/png", "resolution": "low"}),
        user(
            {"type": "document", "data": PDF, "mime_type": "application/pdf"},
            {"type": "image", "uri": "https://example.com/a.png", "mime_type": "image/png"},
        ),
        thought("Hm.", signature="c2ln"),
        call("weather", {"city": "Rome"}, "call_1"),
        call("weather", {"city": "Oslo"}, "call_2"),
        result("sunny", "call_1", is_error=False),
        result([text("rain"), {"type": "image", "data": PNG, "mime_type": "image/png"}], "call_2"),
        model("Sun and rain."),
        user("Thanks"),
    ],
    "tools": [tool("weather", description="The weather.", parameters=WEATHER_SCHEMA)],
    "generation_config": {
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 3,
        "stop_sequences": ["END"],
        "max_output_tokens": 1000,
        "thinking_level": "medium",
        "thinking_summaries": "none",
        "tool_choice": {"allowed_tools": {"mode": "any", "tools": ["weather"]}},
    },
    "response_format": {"type": "text", "mime_type": "application/json"},
    "response_modalities": ["text"],
    "labels": {"team": "tides"},
    "service_tier": "standard",
    "store": True,
    "stream": False,
    "x_new": {"deep": [1]},
}

SEARCHED: Json = request(
    user("What is new?"),
    {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["news", "tides"]}, "signature": "c2ln"},
    {
        "type": "google_search_result",
        "call_id": "s1",
        "result": [{"search_suggestions": "<div>news</div>"}],
        "signature": "c2ln",
    },
    {"type": "code_execution_call", "id": "e1", "arguments": {"code": "print(1)", "language": "python"}},
    {"type": "code_execution_result", "call_id": "e1", "result": "1\n", "is_error": False},
    {
        "type": "mcp_server_tool_call",
        "id": "m1",
        "name": "look",
        "server_name": "tides",
        "arguments": {"harbour": "Emden"},
    },
    {"type": "mcp_server_tool_result", "call_id": "m1", "name": "look", "server_name": "tides", "result": "high"},
    model(
        {
            "type": "text",
            "text": "Höchststand.",
            "annotations": [
                {
                    "type": "url_citation",
                    "url": "https://tides.example/",
                    "title": "Tides",
                    "start_index": 0,
                    "end_index": 6,
                }
            ],
        }
    ),
    user("Go on"),
    tools=[
        {"type": "google_search"},
        {"type": "code_execution"},
        {
            "type": "mcp_server",
            "name": "tides",
            "url": "https://tides.example/mcp",
            "headers": {"Authorization": "Bearer t"},
            "allowed_tools": [{"tools": ["look"]}],
        },
        {"type": "url_context"},
    ],
)

OWN: Json = request(
    user(
        {"type": "video", "uri": "gs://bucket/a.mp4", "mime_type": "video/mp4", "processing": {"type": "static"}},
        {"type": "audio", "data": "aGk=", "mime_type": "audio/wav", "sample_rate": 16000},
        {"type": "document", "data": "aGk=", "mime_type": "text/plain"},
        {"type": "hologram", "beam": 3},
    ),
    {
        "type": "thought",
        "summary": [text("Look."), {"type": "image", "data": PNG, "mime_type": "image/png"}],
        "signature": "c2ln",
    },
    {"type": "google_maps_call", "id": "g1", "arguments": {"queries": ["q"]}, "signature": "c2ln"},
    {"type": "google_maps_result", "call_id": "g1", "result": [{"places": [{"name": "Pier"}]}]},
    {"type": "telepathy", "beam": 3},
    model(
        {
            "type": "text",
            "text": "There.",
            "annotations": [{"type": "place_citation", "place_id": "p", "name": "Pier", "start_index": 0}],
        }
    ),
    user("Hm"),
    tools=[
        tool("now", defer_loading=True, short_description="Now."),
        {"type": "google_search", "search_types": ["image_search"]},
        {"type": "google_maps", "enable_widget": True},
        {"type": "file_search", "file_search_store_names": ["fileSearchStores/a"]},
        {"type": "computer_use", "environment": "browser"},
        {"type": "teleport"},
    ],
    generation_config={
        "image_config": {"aspect_ratio": "1:1"},
        "speech_config": [{"voice": "Kore", "language": "en-US", "speaker": "A"}],
        "thinking_level": "boundless",
        "tool_choice": "validated",
        "beam": 3,
    },
    response_modalities=["text", "image"],
    response_format=[{"type": "image", "mime_type": "image/jpeg"}],
    safety_settings=[{"type": "harassment", "threshold": "block_none"}],
    webhook_config={"uris": ["https://example.com/hook"]},
    environment={"type": "remote"},
    background=True,
    service_tier="deferred",
)
SPOKEN: Json = {
    "model": "gemini-3-flash-preview",
    "input": {"type": "text", "text": "Say it."},
    "response_modalities": ["audio"],
    "generation_config": {"speech_config": [{"voice": "Kore", "language": "en-US"}], "tool_choice": "none"},
    "response_format": {"type": "text", "mime_type": "text/plain"},
}
STATEFUL: Json = {
    "model": "gemini-3-flash-preview",
    "previous_interaction_id": "v1_0",
    "input": [result("blue", "call_1", name="sky")],
    "tools": [tool("sky")],
}
AGENT: Json = {
    "agent": "deep-research-preview-04-2026",
    "input": "Write about tides.",
    "agent_config": {"type": "deep-research", "thinking_summaries": "auto"},
    "background": True,
}
DENSE: Payloads = {
    "everything": EVERYTHING,
    "searched": SEARCHED,
    "spoken": SPOKEN,
    "own": OWN,
}
