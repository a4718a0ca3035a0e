"""Mistral's chat completions: a closed schema, and an order of roles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from . import chat
from .compatible_chat import role
from .support import Headers, Json, collect, unknown, words

# SDK (mistralai/client-python), ChatCompletionRequest; `prompt_cache_key` from recorded requests.
REQUEST = words(
    """
    frequency_penalty guardrails logprobs max_tokens messages metadata model n parallel_tool_calls prediction
    presence_penalty top_logprobs
    prompt_cache_key prompt_mode random_seed reasoning_effort response_format safe_prompt service_tier stop stream
    temperature tool_choice tools top_k top_p
    """
)
# SDK, SystemMessage, UserMessage, AssistantMessage, ToolMessage.
MESSAGE = {
    "system": words("role content"),
    "user": words("role content"),
    "assistant": words("role content tool_calls prefix"),
    "tool": words("role content tool_call_id name"),
}
PARTS = words("text image_url document_url reference file thinking input_audio")  # SDK, ContentChunk
CALL_ID = re.compile(r"[a-zA-Z0-9]{9}")
CHOICES = words("auto none any required")  # SDK, ToolChoiceEnum


# error, status 422: {"type": "extra_forbidden", "loc": ["body", "messages", 0, "user", "name"], "msg": "Extra inputs
# are not permitted"}; the same of "frequency_penalty" in 2024, "reasoning_content" and "tools": [].
def extra_forbidden(request: Json, headers: Headers) -> Iterator[str]:
    yield from unknown(request, REQUEST, "body")
    for message in request["messages"]:
        yield from unknown(message, MESSAGE.get(message["role"], frozenset()), f"body.messages.{message['role']}")


# error: "Tool call id was call_search but must be a-z, A-Z, 0-9, with a length of 9".
def call_id(request: Json, headers: Headers) -> Iterator[str]:
    for where, call in chat.calls(request):
        if not CALL_ID.fullmatch(call["id"]):
            yield f"{where}.id {call['id']!r}"


# error: "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant".
def last_role(request: Json, headers: Headers) -> Iterator[str]:
    for last in request["messages"][-1:]:
        if last["role"] not in ("user", "tool") and not last.get("prefix"):
            yield last["role"]


# error: "Unexpected role 'user' after role 'tool'" (code 3230): an assistant's message comes between them.
def role_order(request: Json, headers: Headers) -> Iterator[str]:
    roles = [message["role"] for message in request["messages"]]
    for at, (before, after) in enumerate(pairwise(roles), 1):
        if before == "tool" and after in ("user", "system"):
            yield f"messages[{at}]: {after} after tool"
        if after == "tool" and before in ("user", "system"):
            yield f"messages[{at}]: tool after {before}"


# error: "Assistant message must have either content or tool_calls, but not none".
def empty_assistant(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        if message["role"] == "assistant" and not message.get("content") and not message.get("tool_calls"):
            yield f"messages[{at}]"


# error: "Input tag 'file_url' found using 'type' does not match any of the expected tags".
def part(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        for one in chat.parts(message):
            if one["type"] not in PARTS:
                yield f"messages[{at}]: {one['type']}"


# SDK, Tool.type: "function", which is also the default.
def custom_tool(request: Json, headers: Headers) -> Iterator[str]:
    for at, tool in enumerate(request.get("tools") or ()):
        if tool.get("type", "function") != "function":
            yield f"tools[{at}] of type {tool['type']!r}"
    for where, call in chat.calls(request):
        if call.get("type", "function") != "function":
            yield f"{where} of type {call['type']!r}"


# SDK, ToolChoiceEnum and ToolChoice.
def choice(request: Json, headers: Headers) -> Iterator[str]:
    wanted = request.get("tool_choice")
    if isinstance(wanted, str) and wanted not in CHOICES:
        yield repr(wanted)
    if isinstance(wanted, dict) and wanted.get("type") != "function":
        yield repr(wanted.get("type"))


# SDK, ServiceTier of ChatCompletionRequest.
def tier(request: Json, headers: Headers) -> Iterator[str]:
    if request.get("service_tier") not in (None, "auto", "standard_only"):
        yield repr(request["service_tier"])


CHECKS = (
    *(check for check in chat.CHECKS if check is not chat.empty_message),  # its own is `empty_assistant`
    extra_forbidden,
    call_id,
    last_role,
    role_order,
    empty_assistant,
    part,
    custom_tool,
    choice,
    tier,
    role,
)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
