"""Responses and error bodies of Gemini Interactions."""

from __future__ import annotations

from ..sample import Json, Payloads
from ..shared import PNG
from .building import call, error, model, response, text, thought

CITED: Json = response(
    thought("The page says it.", signature="EpkCCkYI"),
    model(
        {
            "type": "text",
            "text": "In Emden um 06:12 — Höchststand",
            "annotations": [
                {
                    "type": "url_citation",
                    "url": "https://tides.example/emden",
                    "title": "Emden",
                    "start_index": 3,
                    "end_index": 8,
                }
            ],
        }
    ),
    call("depth", {"harbour": "Delfzijl", "unit": "m"}, "fc_3"),
    status="requires_action",
    usage={
        "total_input_tokens": 900,
        "total_cached_tokens": 800,
        "total_output_tokens": 45,
        "total_thought_tokens": 12,
        "total_tokens": 957,
    },
)
EXAMPLES: Payloads = {"cited": CITED}

EVERYTHING: Json = {
    "id": "v1_1",
    "status": "requires_action",
    "object": "interaction",
    "model": "gemini-3-flash-preview",
    "created": "2026-06-09T12:01:25Z",
    "updated": "2026-06-09T12:01:29Z",
    "steps": [
        thought("Hm.", signature="c2ln"),
        model(
            {
                "type": "text",
                "text": "See here.",
                "annotations": [
                    {
                        "type": "url_citation",
                        "url": "https://example.com",
                        "title": "T",
                        "start_index": 4,
                        "end_index": 8,
                    }
                ],
            }
        ),
        call("weather", {"city": "Rome"}, "call_1"),
    ],
    "usage": {
        "total_input_tokens": 20,
        "total_cached_tokens": 5,
        "total_output_tokens": 7,
        "total_thought_tokens": 3,
        "total_tool_use_tokens": 2,
        "total_tokens": 32,
        "input_tokens_by_modality": [{"modality": "text", "tokens": 20}],
        "output_tokens_by_modality": [{"modality": "text", "tokens": 7}],
        "cached_tokens_by_modality": [{"modality": "text", "tokens": 5}],
        "tool_use_tokens_by_modality": [{"modality": "text", "tokens": 2}],
        "grounding_tool_count": [{"type": "google_search", "count": 1}],
    },
    "service_tier": "standard",
    "x_new": 1,
}
CUT: Json = response(model("Hel"), status="incomplete")
SEARCHED: Json = response(
    {"type": "google_search_call", "id": "s1", "arguments": {"queries": ["tides"]}},
    {"type": "google_search_result", "call_id": "s1", "result": [{"url": "https://a.example/", "title": "A"}]},
    {"type": "code_execution_call", "id": "e1", "arguments": {"code": "1", "language": "bash"}},
    {"type": "code_execution_result", "call_id": "e1", "result": "no", "is_error": True},
    {"type": "mcp_server_tool_call", "id": "m1", "name": "look", "server_name": "s", "arguments": {}},
    {"type": "mcp_server_tool_result", "call_id": "m1", "result": [text("high")]},
    model("Found."),
)
OWN: Json = response(
    {"type": "url_context_call", "id": "u1", "arguments": {"urls": ["https://a.example/"]}, "signature": "c2ln"},
    {"type": "url_context_result", "call_id": "u1", "result": [{"url": "https://a.example/", "status": "success"}]},
    {"type": "google_search_result", "call_id": "s9", "result": [{"search_suggestions": "<b>", "beam": 3}]},
    {"type": "code_execution_result", "call_id": "e9", "result": [text("a"), text("b")]},
    {"type": "mcp_server_tool_result", "call_id": "m9", "result": {"a": 1}},
    {"type": "function_result", "call_id": "f9", "result": "x"},
    {"type": "hologram", "beam": 3},
    {**model("Seen", {"type": "image", "data": PNG, "mime_type": "image/png"}), "error": {"code": 3, "message": "m"}},
    status="requires_continuation",
    continuation_token="tok",
    environment_id="env_1",
    service_tier="deferred",
    input="Look.",
    usage={"total_input_tokens": 3, "total_cached_tokens": 5, "total_tokens": 1, "initial_input_tokens": 3},
)
EMPTY: Json = response(status="completed")
UNKNOWN: Json = response(model("Hm"), status="pondering")
DENSE: Payloads = {
    "everything": EVERYTHING,
    "cut": CUT,
    "searched": SEARCHED,
    "own": OWN,
    "own empty": EMPTY,
    "own unknown": UNKNOWN,
}

ERRORS: Payloads = {
    "limit": error("resource_exhausted", "You exceeded your current quota."),
    "missing": error("not_found", "The interaction was not found."),
}
DENSE_ERRORS: Payloads = {
    "plain": error("invalid_request", "No input."),
    "own": {
        "error": {
            "code": 400,
            "message": "API key not valid.",
            "status": "INVALID_ARGUMENT",
            "details": [{"@type": "x", "reason": "API_KEY_INVALID"}],
            "x_new": 1,
        },
        "x_other": 2,
    },
}
