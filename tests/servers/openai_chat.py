"""OpenAI Chat Completions as the newest models take it (gpt-5.6 and later)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import chat
from .support import (
    COMBINED,
    Headers,
    Json,
    arrays_without_items,
    bad_parameters,
    collect,
    media_type,
    not_strict,
    unknown,
    words,
)

# SDK, CompletionCreateParams (openai 3.52).
REQUEST = words(
    """
    audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages
    metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key
    prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier
    stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options
    """
)
# SDK, ChatCompletion…MessageParam. Recorded requests have `annotations` in messages of the assistant and were answered;
# `reasoning_content` is in Azure's specification of the same API, and no refusal by OpenAI itself is on record.
MESSAGE = {
    "system": words("role content name"),
    "developer": words("role content name"),
    "user": words("role content name"),
    "assistant": words("role content name audio function_call refusal tool_calls annotations reasoning_content"),
    "tool": words("role content tool_call_id"),
    "function": words("role content name"),
}
# SDK, the types of content parts that each role's content may hold.
PART = {
    "system": words("text"),
    "developer": words("text"),
    "user": words("text image_url input_audio file"),
    "assistant": words("text refusal"),
    "tool": words("text"),
    "function": frozenset[str](),
}
PART_MEMBERS = {
    "text": words("type text prompt_cache_breakpoint"),
    "image_url": words("type image_url prompt_cache_breakpoint"),
    "input_audio": words("type input_audio prompt_cache_breakpoint"),
    "file": words("type file prompt_cache_breakpoint"),
    "refusal": words("type refusal"),
}
CALL = {"function": words("id type function"), "custom": words("id type custom")}
FORMAT_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
EFFORTS = words("none minimal low medium high xhigh max")  # SDK, ReasoningEffort
MOST_OF_CALL_ID = 64


# error: "Unknown parameter: 'reasoning'" (code unknown_parameter), "Additional properties are not allowed ('reasoning'
# was unexpected) - 'messages.2'", "Unknown parameter: 'messages[2].tool_calls[0].index'",
# "Unknown parameter: 'messages[0].content[0].cache_control'".
def unknown_parameter(request: Json, headers: Headers) -> Iterator[str]:
    yield from unknown(request, REQUEST, "request")
    for at, message in enumerate(request["messages"]):
        yield from unknown(message, MESSAGE.get(message["role"], frozenset()), f"messages.{message['role']}")
        for part in chat.parts(message):
            yield from unknown(part, PART_MEMBERS.get(part["type"], frozenset()), f"messages[{at}].{part['type']}")
    for where, call in chat.calls(request):
        yield from unknown(call, CALL.get(call.get("type"), frozenset()), where)


# error: "Invalid value: 'x'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', 'developer'";
# content parts: SDK.
def role_or_part(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        if message["role"] not in MESSAGE:
            yield f"messages[{at}].role {message['role']!r}"
        for part in chat.parts(message):
            if part["type"] not in PART.get(message["role"], ()):
                yield f"messages[{at}]: {part['type']} in a message of role {message['role']}"


# SDK, ChatCompletionAssistantMessageParam.content: "one or more of type `text`, or exactly one of type `refusal`".
def refusal_among_texts(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        kinds = [part["type"] for part in chat.parts(message)]
        if "refusal" in kinds and len(kinds) > 1:
            yield f"messages[{at}]"


# error: "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40" of older
# deployments; live requests with 51 characters passed in July 2026 (vercel/ai #8132), 64 is the limit that stayed.
def call_id(request: Json, headers: Headers) -> Iterator[str]:
    for where, call in chat.calls(request):
        if len(call["id"]) > MOST_OF_CALL_ID:
            yield where


# error: "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png',
# 'jpeg', 'gif', 'webp']".
def image(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        for part in chat.parts(message):
            kind = media_type(part["image_url"]["url"]) if part["type"] == "image_url" else None
            if kind is not None and kind not in ("image/png", "image/jpeg", "image/gif", "image/webp", "image/jpg"):
                yield f"messages[{at}]: {kind}"


# error: "Expected a base64-encoded data URL with an application/pdf MIME type …, but got unsupported MIME type
# 'text/markdown'".
def file(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        for part in chat.parts(message):
            data = part["file"].get("file_data") if part["type"] == "file" else None
            if data is not None and media_type(data) != "application/pdf":
                yield f"messages[{at}]: {data:.40}"


# SDK, InputAudio.format: Literal["wav", "mp3"].
def audio_format(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        for part in chat.parts(message):
            if part["type"] == "input_audio" and part["input_audio"].get("format") not in ("wav", "mp3"):
                yield f"messages[{at}]"


# error: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level",
# "In context=('properties', 'figsize', 'anyOf', '0'), array schema missing items".
def function_schema(request: Json, headers: Headers) -> Iterator[str]:
    for where, function in chat.functions(request):
        schema = function.get("parameters")
        yield from bad_parameters(schema, where, COMBINED)
        yield from arrays_without_items(schema, where)


# error: "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be
# false", "'allOf' is not permitted".
def strict_schema(request: Json, headers: Headers) -> Iterator[str]:
    for where, function in chat.functions(request):
        if function.get("strict"):
            yield from not_strict(function.get("parameters"), where)
    wanted = request.get("response_format") or {}
    if wanted.get("type") == "json_schema" and wanted["json_schema"].get("strict"):
        yield from not_strict(wanted["json_schema"].get("schema"), "response_format")


# SDK, JSONSchema.name: "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64".
def format_name(request: Json, headers: Headers) -> Iterator[str]:
    wanted = request.get("response_format") or {}
    if wanted.get("type") == "json_schema" and not FORMAT_NAME.fullmatch(wanted["json_schema"].get("name", "")):
        yield repr(wanted["json_schema"].get("name"))


# error: "Unknown parameter: 'web_search_options'", "Web search options not supported with this model".
def web_search_options(request: Json, headers: Headers) -> Iterator[str]:
    if "web_search_options" in request:
        yield "only search models take it"


# error: "The 'metadata' parameter is only allowed when 'store' is enabled".
def metadata_without_store(request: Json, headers: Headers) -> Iterator[str]:
    if request.get("metadata") and request.get("store") is not True:
        yield "metadata"


# SDK, Metadata: "16 key-value pairs … maximum length of 64 characters … 512 characters".
def metadata_size(request: Json, headers: Headers) -> Iterator[str]:
    for key, value in (request.get("metadata") or {}).items():
        if len(key) > 64 or not isinstance(value, str) or len(value) > 512:
            yield key
    if len(request.get("metadata") or ()) > 16:
        yield "more than 16 pairs"


# SDK, safety_identifier: "with a maximum length of 128 characters".
def end_user(request: Json, headers: Headers) -> Iterator[str]:
    for name, most in (("safety_identifier", 128), ("user", 512)):
        if len(request.get(name) or "") > most:
            yield name


# SDK, reasoning_effort: "Currently supported values".
def effort(request: Json, headers: Headers) -> Iterator[str]:
    value = request.get("reasoning_effort")
    if value is not None and value not in EFFORTS:
        yield repr(value)


# SDK, max_tokens: "not compatible with o-series models"; error: "Unsupported parameter: 'max_tokens' is not supported
# with this model. Use 'max_completion_tokens' instead".
def older_limit(request: Json, headers: Headers) -> Iterator[str]:
    if "max_tokens" in request:
        yield "max_tokens"


CHECKS = (
    *chat.CHECKS,
    unknown_parameter,
    role_or_part,
    refusal_among_texts,
    call_id,
    image,
    file,
    audio_format,
    function_schema,
    strict_schema,
    format_name,
    web_search_options,
    metadata_without_store,
    metadata_size,
    end_user,
    effort,
    older_limit,
)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
