"""OpenAI Responses as the newest models take it (gpt-5.6 and later)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .support import (
    Headers,
    Json,
    arrays_without_items,
    bad_parameters,
    collect,
    media_type,
    not_strict,
    out_of,
    unknown,
    words,
)

# SDK, ResponseCreateParams (openai 3.52).
REQUEST = words(
    """
    access_programs background context_management conversation image include input instructions max_output_tokens
    max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key
    prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
    temperature text tool_choice tools top_logprobs top_p truncation user
    """
)
# SDK, the types of ResponseInputItemParam.
ITEM = {
    "message": words("type role content status phase id"),
    "function_call": words("type id call_id name arguments status namespace caller async"),
    "function_call_output": words("type id call_id output status name namespace caller"),
    "custom_tool_call": words("type id call_id name input namespace caller async"),
    "custom_tool_call_output": words("type id call_id output caller"),
    "reasoning": words("type id summary content encrypted_content status"),
    "web_search_call": words("type id action status"),
    "mcp_call": words("type id name arguments server_label output error status approval_request_id"),
    "mcp_list_tools": words("type id server_label tools error"),
    "compaction": words("type id encrypted_content"),
}
PART = {
    "user": words("input_text input_image input_file"),
    "system": words("input_text input_image input_file"),
    "developer": words("input_text input_image input_file"),
    "assistant": words("output_text refusal"),
}
PART_MEMBERS = {
    "input_text": words("type text prompt_cache_breakpoint"),
    "input_image": words("type detail file_id image_url prompt_cache_breakpoint"),
    "input_file": words("type detail file_data file_id file_url filename prompt_cache_breakpoint"),
    "output_text": words("type text annotations logprobs"),
    "refusal": words("type refusal"),
}
PREFIX = {
    "message": "msg_",
    "function_call": "fc",
    "custom_tool_call": "ctc",
    "reasoning": "rs_",
    "web_search_call": "ws_",
    "mcp_call": "mcp_",
}
RESULT = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
FORMAT_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
MOST_OF_CALL_ID = 64
LEAST_TOKENS = 16


def items(request: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    given = request.get("input")
    for at, item in enumerate(given if isinstance(given, list) else ()):
        yield f"input[{at}]", item


def kind(item: Json) -> str:
    return str(item.get("type") or "message")


def parts(request: Json) -> Iterator[tuple[str, str, Json]]:
    """Every content part, with its place and the role of its message; of outputs of calls "user"."""
    for where, item in items(request):
        content = item.get("content") if kind(item) == "message" else item.get("output")
        for part in content if isinstance(content, list) else ():
            yield where, item.get("role", "user"), part


# error: "Unknown parameter: 'input[1].metadata'" (code unknown_parameter).
def unknown_parameter(request: Json, headers: Headers) -> Iterator[str]:
    yield from unknown(request, REQUEST, "request")
    for where, item in items(request):
        if kind(item) in ITEM:
            yield from unknown(item, ITEM[kind(item)], f"{where} ({kind(item)})")
    for where, _, part in parts(request):
        yield from unknown(part, PART_MEMBERS.get(part["type"], frozenset()), f"{where}.{part['type']}")


# error: "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided".
def no_input(request: Json, headers: Headers) -> Iterator[str]:
    if not any(request.get(name) for name in ("input", "previous_response_id", "prompt", "conversation")):
        yield "input"


# error: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'" of an assistant's message.
def role_or_part(request: Json, headers: Headers) -> Iterator[str]:
    for where, item in items(request):
        if kind(item) == "message" and item.get("role") not in PART:
            yield f"{where}.role {item.get('role')!r}"
    for where, role, part in parts(request):
        if part["type"] not in PART.get(role, ()):
            yield f"{where}: {part['type']} in a message of role {role}"


# SDK, EasyInputMessageParam.content is required and no null.
def empty_message(request: Json, headers: Headers) -> Iterator[str]:
    for where, item in items(request):
        if kind(item) == "message" and item.get("content") in (None, []):
            yield where


# error: "No tool output found for function call call_x", "No tool call found for function call output with call_id x".
def unpaired(request: Json, headers: Headers) -> Iterator[str]:
    stored = request.get("previous_response_id") or request.get("conversation")
    for calling, answering in RESULT.items():
        called = [item["call_id"] for _, item in items(request) if kind(item) == calling]
        answered = [item["call_id"] for _, item in items(request) if kind(item) == answering]
        for one in called:
            if one not in answered:
                yield f"no output of {one}"
        for one in answered:
            if one not in called and not stored:
                yield f"no call of {one}"


# error: "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64".
def call_id(request: Json, headers: Headers) -> Iterator[str]:
    for where, item in items(request):
        if len(item.get("call_id") or "") > MOST_OF_CALL_ID:
            yield where


# error: "Invalid 'input[2].id': 'x'. Expected an ID that begins with 'msg'"; the same of every kind of item.
def item_id(request: Json, headers: Headers) -> Iterator[str]:
    for where, item in items(request):
        prefix = PREFIX.get(kind(item))
        if prefix and item.get("id") is not None and not item["id"].startswith(prefix):
            yield f"{where}.id {item['id']!r}"


# SDK, ResponseReasoningItemParam: `id` is required; in practice an item without it needs its encrypted content
# (vercel/ai #12869). error: "Invalid 'input[2].id': ''".
def bare_reasoning(request: Json, headers: Headers) -> Iterator[str]:
    for where, item in items(request):
        if kind(item) == "reasoning" and not item.get("id") and not item.get("encrypted_content"):
            yield where


# error: "The encrypted content for item rs_… could not be verified. Reason: Encrypted content could not be decrypted or
# parsed." It is base64 that may be used in URLs.
def encrypted_content(request: Json, headers: Headers) -> Iterator[str]:
    for where, item in items(request):
        if kind(item) == "reasoning" and not BASE64.fullmatch(item.get("encrypted_content") or "A"):
            yield where


# error: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead".
def too_few_tokens(request: Json, headers: Headers) -> Iterator[str]:
    if out_of(request.get("max_output_tokens"), LEAST_TOKENS, 10**9):
        yield f"max_output_tokens = {request['max_output_tokens']}"


# SDK: temperature "between 0 and 2", top_logprobs "between 0 and 20".
def out_of_range(request: Json, headers: Headers) -> Iterator[str]:
    for name, least, most in (("temperature", 0, 2), ("top_p", 0, 1), ("top_logprobs", 0, 20)):
        if out_of(request.get(name), least, most):
            yield f"{name} = {request[name]}"


def functions(request: Json) -> Iterator[tuple[str, Json]]:
    for at, tool in enumerate(request.get("tools") or ()):
        if tool.get("type") == "function":
            yield f"tools[{at}]", tool


# SDK, FunctionToolParam.name; error: "Invalid 'tools[0].name': string does not match pattern … '^[a-zA-Z0-9_-]+$'",
# "string too long. Expected a string with maximum length 128".
def tool_name(request: Json, headers: Headers) -> Iterator[str]:
    named = [(f"tools[{at}]", tool) for at, tool in enumerate(request.get("tools") or ()) if "name" in tool]
    named += [(where, item) for where, item in items(request) if kind(item) in RESULT]
    for where, one in named:
        if not NAME.fullmatch(one["name"]):
            yield f"{where}.name {one['name']!r}"


# error: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level",
# "array schema missing items".
def function_schema(request: Json, headers: Headers) -> Iterator[str]:
    for where, tool in functions(request):
        yield from bad_parameters(tool.get("parameters"), where)
        yield from arrays_without_items(tool.get("parameters"), where)


# error: "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be
# false".
def strict_schema(request: Json, headers: Headers) -> Iterator[str]:
    for where, tool in functions(request):
        if tool.get("strict"):
            yield from not_strict(tool.get("parameters"), where)
    wanted = (request.get("text") or {}).get("format") or {}
    if wanted.get("type") == "json_schema":
        if not FORMAT_NAME.fullmatch(wanted.get("name", "")):
            yield f"text.format.name {wanted.get('name')!r}"
        if wanted.get("strict"):
            yield from not_strict(wanted.get("schema"), "text.format")


# error: "Tool choice 'required' must be specified with 'tools' parameter", "Tool choice 'function' not found in 'tools'
# parameter".
def choice_without_tool(request: Json, headers: Headers) -> Iterator[str]:
    choice = request.get("tool_choice")
    tools = request.get("tools") or ()
    if choice not in (None, "auto", "none") and not tools:
        yield "tool_choice without tools"
    elif isinstance(choice, dict) and choice.get("type") in ("function", "custom"):
        if choice["name"] not in [tool.get("name") for tool in tools]:
            yield f"tool_choice names {choice['name']!r}"
    elif isinstance(choice, dict) and choice.get("type") not in ("allowed_tools", "mcp"):
        if choice.get("type") not in [tool.get("type") for tool in tools]:
            yield f"tool_choice of type {choice.get('type')!r}"


# error: "You uploaded an unsupported image … ['png', 'jpeg', 'gif', 'webp']"; "Invalid 'input[0].content[0].image_url'.
# Expected a valid URL"; SDK: one of `image_url` and `file_id`.
def image(request: Json, headers: Headers) -> Iterator[str]:
    for where, _, part in parts(request):
        if part["type"] != "input_image":
            continue
        known = media_type(part.get("image_url"))
        if known is not None and known not in ("image/png", "image/jpeg", "image/gif", "image/webp", "image/jpg"):
            yield f"{where}: {known}"
        if not part.get("image_url") and not part.get("file_id"):
            yield f"{where}: no image"


# error: "Invalid 'input[0].content[0].file_data'. Expected a base64-encoded data URL with a valid MIME type".
def file(request: Json, headers: Headers) -> Iterator[str]:
    for where, _, part in parts(request):
        if part["type"] == "input_file" and part.get("file_data") and media_type(part["file_data"]) is None:
            yield where


# SDK, Metadata: "16 key-value pairs … maximum length of 64 characters … 512 characters"; safety_identifier: "128".
def sizes(request: Json, headers: Headers) -> Iterator[str]:
    for key, value in (request.get("metadata") or {}).items():
        if len(key) > 64 or not isinstance(value, str) or len(value) > 512:
            yield f"metadata.{key}"
    if len(request.get("metadata") or ()) > 16:
        yield "metadata has more than 16 pairs"
    if len(request.get("safety_identifier") or "") > 128:
        yield "safety_identifier"


# SDK, Reasoning.effort: "Currently supported values".
def effort(request: Json, headers: Headers) -> Iterator[str]:
    value = (request.get("reasoning") or {}).get("effort")
    if value is not None and value not in words("none minimal low medium high xhigh max"):
        yield repr(value)


# SDK, stream_options: "Only set this when you set `stream: true`".
def stream_options(request: Json, headers: Headers) -> Iterator[str]:
    if request.get("stream_options") is not None and not request.get("stream"):
        yield "stream_options without stream"


CHECKS = (
    unknown_parameter,
    no_input,
    role_or_part,
    empty_message,
    unpaired,
    call_id,
    item_id,
    bare_reasoning,
    encrypted_content,
    too_few_tokens,
    out_of_range,
    tool_name,
    function_schema,
    strict_schema,
    choice_without_tool,
    image,
    file,
    sizes,
    effort,
    stream_options,
)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
