"""What Google's Interactions API refuses, as its reference and its client's types state it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..samples.gemini_interactions.reading import CONTENT, steps

Json = dict[str, Any]

MEMBERS = frozenset(
    """
    model agent agent_config input system_instruction tools generation_config response_format response_mime_type
    response_modalities stream store background previous_interaction_id cached_content continuation_token environment
    labels safety_settings service_tier webhook_config
    """.split()
)
CONFIG = frozenset(
    """
    temperature top_p seed stop_sequences max_output_tokens thinking_level thinking_summaries tool_choice speech_config
    image_config video_config transcription_config
    """.split()
)
RUNS = ("google_search", "code_execution", "url_context", "mcp_server_tool", "google_maps", "file_search")
STEPS = {
    "user_input": {"content"},
    "model_output": {"content"},
    "thought": {"summary", "signature"},
    "function_call": {"id", "name", "arguments"},
    "function_result": {"call_id", "name", "result", "is_error"},
    **{f"{name}_call": {"id", "name", "server_name", "arguments", "signature", "search_type"} for name in RUNS},
    **{f"{name}_result": {"call_id", "name", "server_name", "result", "is_error", "signature"} for name in RUNS},
}
LEVELS = ("minimal", "low", "medium", "high", "xhigh")
TOOLS = ("function", "google_search", "code_execution", "mcp_server", "url_context", "google_maps", "file_search",
         "computer_use", "retrieval", "tool_search")  # fmt: skip


def refusals(request: Json, headers: Mapping[str, str]) -> list[str]:
    return [*_members(request), *_config(request.get("generation_config") or {}), *_conversation(request)]


def _members(request: Json) -> Iterator[str]:
    if request.get("model") and request.get("agent"):
        yield "model: an agent as well"
    for name in request.keys() - MEMBERS:
        yield f"members: {name} is not known"
    names = [tool.get("name") for tool in request.get("tools") or () if tool["type"] == "function"]
    if len(set(names)) < len(names):
        yield "tools: two of one name"
    for tool in request.get("tools") or ():
        if tool["type"] not in TOOLS:
            yield f"tools: {tool['type']}"
    if request.get("service_tier") not in (None, "standard", "flex", "priority", "deferred"):
        yield "service_tier: not known"


def _config(config: Json) -> Iterator[str]:
    for name in config.keys() - CONFIG:
        yield f"generation_config: {name} is not known"
    if not 0 <= (config.get("temperature") or 0) <= 2:
        yield "temperature: from 0 to 2"
    if len(config.get("stop_sequences") or ()) > 5:
        yield "stop_sequences: at most 5"
    if config.get("thinking_level") not in (None, *LEVELS):
        yield "thinking_level: not known"


def _conversation(request: Json) -> Iterator[str]:
    listed, calls = steps(request.get("input")), set[str]()
    if not listed and not request.get("previous_interaction_id"):
        yield "input: none"
    for step in listed:
        known = STEPS.get(step["type"])
        if known is None or step.keys() - known - {"type"}:
            yield f"input: {step}"
        yield from _content(step.get("content") or ())
        if step["type"] == "thought" and not step.get("signature"):  # "Required", "Always present"
            yield "input: a thought without a signature"
        if step["type"] == "function_call":
            calls.add(step["id"])
            if not isinstance(step["arguments"], dict):
                yield "input: arguments that are no object"
        if step["type"] == "function_result":
            yield from _content(step["result"] if isinstance(step["result"], list) else ())
            if step["call_id"] not in calls and not request.get("previous_interaction_id"):
                yield "input: a result of no call"
    if listed and listed[-1]["type"] in ("model_output", "thought", "function_call"):
        yield "input: ends with the model's turn"


def _content(content: Any) -> Iterator[str]:
    for one in content:
        if one["type"] == "function_result":  # recorded among the user's content, and accepted
            continue
        if one["type"] not in CONTENT:
            yield f"content: {one['type']}"
        elif one["type"] == "text" and not one["text"]:
            yield "content: an empty text"
        elif one["type"] != "text" and ((one.get("data") is None) is (one.get("uri") is None)):
            yield "content: one of data and uri"
