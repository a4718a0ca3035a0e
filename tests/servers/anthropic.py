"""What Anthropic Messages refuses in each version of its API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .support import Headers, Json, bad_parameters, is_object, out_of, schemas, unknown, words

# SDK, MessageCreateParams (anthropic 2.11), and what 2023-06-01 has more.
REQUEST = words(
    """
    cache_control container diagnostics inference_geo max_tokens messages metadata model output_config service_tier
    speed stop_sequences stream system temperature thinking tool_choice tools top_k top_p user_profile_id workspace_id
    """
)
# SDK, beta MessageCreateParams: members that need a beta in the header `anthropic-beta`.
BETA = {"mcp_servers": "mcp-client-", "context_management": "context-management-"}
# SDK, ContentBlockParam.
BLOCK = {
    "text": words("type text cache_control citations"),
    "image": words("type source cache_control transformations"),
    "document": words("type source cache_control citations context title"),
    "search_result": words("type source title content cache_control citations"),
    "thinking": words("type thinking signature"),
    "redacted_thinking": words("type data"),
    "tool_use": words("type id name input cache_control caller toolset_name"),
    "tool_result": words("type tool_use_id content is_error cache_control toolset_name"),
    "server_tool_use": words("type id name input cache_control caller"),
    "web_search_tool_result": words("type tool_use_id content cache_control caller"),
}
TOOL = words(
    """
    type name description input_schema strict cache_control allowed_callers defer_loading eager_input_streaming
    input_examples
    """
)
PAUSED = words("server_tool_use web_search_tool_result mcp_tool_use mcp_tool_result")
BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
ID = re.compile(r"[a-zA-Z0-9_-]+")
SERVER_ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
IMAGES = words("image/jpeg image/png image/gif image/webp")
# The keywords that the SDK's own `transform_schema` leaves in a schema; others it moves into the description. The
# documentation of structured outputs has `default`, `definitions` and regular `pattern`s too.
SCHEMA = words(
    """
    $defs $ref type enum const anyOf allOf description title properties additionalProperties required format items
    minItems default definitions pattern
    """
)


def blocks(request: Json) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every content block of the messages, with its place and the message's role."""
    for at, message in enumerate(request["messages"]):
        content = message["content"]
        for of, block in enumerate(content if isinstance(content, list) else ()):
            yield f"messages.{at}.content.{of}", message["role"], block


def texts(request: Json) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every text block: of the system prompt, the messages and the results of tools."""
    system = request.get("system")
    for at, block in enumerate(system if isinstance(system, list) else ()):
        yield f"system.{at}", block
    for where, _, block in blocks(request):
        if block["type"] == "text":
            yield where, block
        if block["type"] == "tool_result" and isinstance(block.get("content"), list):
            yield from ((f"{where}.content", one) for one in block["content"] if one["type"] == "text")


# error: "name: Extra inputs are not permitted", "thinking.cache_control: Extra inputs are not permitted".
def extra_inputs(request: Json, headers: Headers) -> Iterator[str]:
    yield from unknown(request, REQUEST | BETA.keys(), "request")
    for at, message in enumerate(request["messages"]):
        yield from unknown(message, words("role content"), f"messages.{at}")
    for where, _, block in blocks(request):
        if block["type"] in BLOCK:
            yield from unknown(block, BLOCK[block["type"]], f"{where}.{block['type']}")
    for at, tool in enumerate(request.get("tools") or ()):
        if tool.get("type", "custom") == "custom":
            yield from unknown(tool, TOOL, f"tools.{at}.custom")


# error: "mcp_servers: Extra inputs are not permitted", where the header `anthropic-beta` does not name the beta.
def beta_header(request: Json, headers: Headers) -> Iterator[str]:
    for name, beta in BETA.items():
        if name in request and beta not in headers.get("anthropic-beta", ""):
            yield name


# error: "max_tokens: Field required", "messages: at least one message is required".
def required(request: Json, headers: Headers) -> Iterator[str]:
    if not isinstance(request.get("max_tokens"), int) or request["max_tokens"] < 0:
        yield "max_tokens"
    if not request.get("messages"):
        yield "messages"


# error: "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter"; the SDK has
# the role, and newer models accept it after a turn of the user's.
def role(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        if message["role"] not in ("user", "assistant"):
            yield f"messages.{at}: {message['role']}"


# error: "messages: text content blocks must be non-empty", "text content blocks must contain non-whitespace text"; what
# stands between thinking has to come back: "`thinking` … blocks in the latest assistant message cannot be modified".
def empty_text(request: Json, headers: Headers) -> Iterator[str]:
    between = set(between_thinking(request))
    for where, block in texts(request):
        if not block["text"].strip() and where not in between:
            yield where


def between_thinking(request: Json) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        kinds = [block["type"] for block in message["content"]] if isinstance(message["content"], list) else []
        for of in range(1, len(kinds) - 1):
            if kinds[of - 1] in THINKING and kinds[of + 1] in THINKING:
                yield f"messages.{at}.content.{of}"


THINKING = ("thinking", "redacted_thinking")


# error: "messages.1: all messages must have non-empty content except for the optional final assistant message".
def empty_message(request: Json, headers: Headers) -> Iterator[str]:
    last = len(request["messages"]) - 1
    for at, message in enumerate(request["messages"]):
        blank = not (message["content"].strip() if isinstance(message["content"], str) else message["content"])
        if blank and (at != last or message["role"] == "user"):
            yield f"messages.{at}"


# error: "This model does not support assistant message prefill. The conversation must end with a user message" (Claude
# 4.6 and later), "final assistant content cannot end with trailing whitespace". A paused turn is sent back and goes on.
def prefill(request: Json, headers: Headers) -> Iterator[str]:
    last = request["messages"][-1]
    content = last["content"]
    ends = content if isinstance(content, str) else content[-1]["type"] if content else ""
    if last["role"] == "assistant" and ends not in PAUSED:
        yield "the last message is the assistant's"


# error: "`tool_use` ids were found without `tool_result` blocks immediately after: x. Each `tool_use` block must have a
# corresponding `tool_result` block in the next message", "unexpected `tool_use_id` found in `tool_result` blocks",
# "each tool_use must have a single result", "`tool_use` ids must be unique".
def unpaired(request: Json, headers: Headers) -> Iterator[str]:
    waiting: set[str] = set()
    seen: set[str] = set()
    for at, message in enumerate(joined(request["messages"])):
        content = message["content"] if isinstance(message["content"], list) else []
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if waiting - {*results}:
            yield f"turn {at}: no results of {sorted(waiting - {*results})}"
        if {*results} - waiting or len(results) != len({*results}):
            yield f"turn {at}: unexpected results {sorted(results)}"
        if results and any(block["type"] == "tool_result" for block in content[len(results) :]):
            yield f"turn {at}: results are not first"
        made = [block["id"] for block in content if block["type"] == "tool_use"]
        if len(made) != len({*made}) or seen & {*made}:
            yield f"turn {at}: ids are not unique"
        waiting = {*made}
        seen |= waiting
    if waiting:
        yield f"no results of {sorted(waiting)}"


def joined(messages: list[Json]) -> list[Json]:
    """SDK: "Consecutive `user` or `assistant` turns in your request will be combined into a single turn"."""
    turns: list[Json] = []
    for message in messages:
        content = message["content"]
        given = content if isinstance(content, list) else [{"type": "text", "text": content}]
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1]["content"] += given
        else:
            turns.append({"role": message["role"], "content": [*given]})
    return turns


# error: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", "tools.0.custom.name:
# String should match pattern '^[a-zA-Z0-9_-]{1,128}$'".
def identifier(request: Json, headers: Headers) -> Iterator[str]:
    for where, _, block in blocks(request):
        pattern = {"tool_use": ID, "server_tool_use": SERVER_ID}.get(block["type"])
        if pattern and not pattern.fullmatch(block["id"]):
            yield f"{where}.id {block['id']!r}"
        if block["type"] == "tool_use" and not NAME.fullmatch(block["name"]):
            yield f"{where}.name {block['name']!r}"
    for at, tool in enumerate(request.get("tools") or ()):
        if "name" in tool and not NAME.fullmatch(tool["name"]):
            yield f"tools.{at}.name {tool['name']!r}"


# error: "tools: Tool names must be unique".
def repeated_tool(request: Json, headers: Headers) -> Iterator[str]:
    names = [tool["name"] for tool in request.get("tools") or () if "name" in tool]
    yield from sorted({name for name in names if names.count(name) > 1})


# error: "tools.0.custom.input_schema.type: Field required", "input_schema does not support oneOf, allOf, or anyOf at
# the top level".
def input_schema(request: Json, headers: Headers) -> Iterator[str]:
    for at, tool in enumerate(request.get("tools") or ()):
        if tool.get("type", "custom") == "custom":
            schema = tool.get("input_schema")
            if not isinstance(schema, dict) or schema.get("type") != "object":
                yield f"tools.{at}.custom.input_schema.type"
            else:
                yield from bad_parameters(schema, f"tools.{at}", ("oneOf", "allOf", "anyOf"))


# SDK, `lib/_parse/_transform.py`; error: "For 'object' type, 'additionalProperties' must be explicitly set to false",
# "For 'string' type, property 'minLength' is not supported", "Schema type 'oneOf' is not supported".
def enforced_schema(request: Json, headers: Headers) -> Iterator[str]:
    wanted = [(f"tools.{at}", one.get("input_schema")) for at, one in enumerate(request.get("tools") or ())
              if one.get("strict")]  # fmt: skip
    output = (request.get("output_config") or {}).get("format")
    for where, schema in [*wanted, ("output_config.format", output and output.get("schema"))]:
        for one in schemas(schema):
            for key in sorted(one.keys() - SCHEMA):
                yield f"{where}: {key}"
            if is_object(one) and one.get("additionalProperties") is not False:
                yield f"{where}: 'additionalProperties' must be false"
            if not one.keys() & {"type", "$ref", "anyOf", "allOf", "enum", "const"}:
                yield f"{where}: a schema without a type"


# error: "tool_choice: tool_choice may only be specified while providing tools", "Tool 'x' not found in provided tools".
def choice(request: Json, headers: Headers) -> Iterator[str]:
    wanted = request.get("tool_choice")
    if wanted and not request.get("tools"):
        yield "tool_choice without tools"
    elif wanted and wanted["type"] == "tool" and wanted["name"] not in [one.get("name") for one in request["tools"]]:
        yield f"tool_choice names {wanted['name']!r}"


# SDK, ThinkingConfigEnabledParam.budget_tokens: "Must be ≥1024 and less than `max_tokens`"; error: "`temperature` may
# only be set to 1 when thinking is enabled", "Thinking may not be enabled when tool_choice forces tool use", "Expected
# `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must
# start with a thinking block".
def thinking(request: Json, headers: Headers) -> Iterator[str]:
    wanted = request.get("thinking") or {}
    if wanted.get("type") != "enabled":
        return
    if not 1024 <= wanted["budget_tokens"] < request["max_tokens"]:
        yield f"budget_tokens = {wanted['budget_tokens']} of {request['max_tokens']}"
    if request.get("temperature", 1) != 1 or "top_k" in request or request.get("top_p", 1) < 0.95:
        yield "sampling with thinking"
    if (request.get("tool_choice") or {}).get("type") in ("any", "tool"):
        yield "a forced tool with thinking"
    turns = joined(request["messages"])
    if turns[-1]["content"][0]["type"] == "tool_result" and "thinking" not in turns[-2]["content"][0]["type"]:
        yield "the last turn of the assistant begins without thinking"


# error: "messages.1.content.0.thinking.signature: Field required", "Invalid `signature` in `thinking` block";
# signatures are base64.
def signature(request: Json, headers: Headers) -> Iterator[str]:
    for where, _, block in blocks(request):
        member = {"thinking": "signature", "redacted_thinking": "data"}.get(block["type"])
        if member is not None and not BASE64.fullmatch(block.get(member) or ""):
            yield where


# error: "A maximum of 4 blocks with cache_control may be provided. Found 5", "a ttl='1h' cache_control block must not
# come after a ttl='5m' cache_control block", "cache_control cannot be set for empty text blocks" (see `empty_text`).
def cache_control(request: Json, headers: Headers) -> Iterator[str]:
    found = [tool.get("cache_control") for tool in request.get("tools") or ()]
    system = request.get("system")
    found += [block.get("cache_control") for block in system] if isinstance(system, list) else []
    for _, _, block in blocks(request):
        inner = block.get("content") if block["type"] == "tool_result" else None
        found += [one.get("cache_control") for one in inner] if isinstance(inner, list) else []
        found.append(block.get("cache_control"))
    marks = [mark.get("ttl", "5m") for mark in found if mark]
    if len(marks) + ("cache_control" in request) > 4:
        yield f"{len(marks)} blocks"
    if marks != sorted(marks):
        yield "1h after 5m"


# SDK, Base64ImageSourceParam.media_type, Base64PDFSourceParam.media_type, PlainTextSourceParam.media_type; error:
# "Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'".
def media(request: Json, headers: Headers) -> Iterator[str]:
    for where, _, block in blocks(request):
        inner = block["content"] if block["type"] == "tool_result" and isinstance(block.get("content"), list) else []
        for one in (block, *inner):
            source = one.get("source")
            kind = source.get("media_type") if isinstance(source, dict) else None
            allowed = {"image": IMAGES, "document": words("application/pdf text/plain")}.get(one["type"], ())
            if kind is not None and kind not in allowed:
                yield f"{where}: {kind}"


# error: "stop_sequences: each stop sequence must contain non-whitespace"; "metadata.user_id: String should have at most
# 256 characters", "temperature: range: 0..1".
def out_of_range(request: Json, headers: Headers) -> Iterator[str]:
    if any(not one.strip() for one in request.get("stop_sequences") or ()):
        yield "stop_sequences"
    if len((request.get("metadata") or {}).get("user_id") or "") > 256:
        yield "metadata.user_id"
    if out_of(request.get("temperature"), 0, 1) or out_of(request.get("top_p"), 0, 1):
        yield "temperature or top_p"


# Documentation of citations: "enabled on all or none of the documents"; with structured outputs status 400.
def citations(request: Json, headers: Headers) -> Iterator[str]:
    cited = [
        bool((block.get("citations") or {}).get("enabled"))
        for _, _, block in blocks(request)
        if block["type"] == "document"
    ]
    if any(cited) and not all(cited):
        yield "on some documents only"
    if any(cited) and (request.get("output_config") or {}).get("format"):
        yield "with structured outputs"


CHECKS = (
    extra_inputs,
    beta_header,
    required,
    role,
    empty_text,
    empty_message,
    prefill,
    unpaired,
    identifier,
    repeated_tool,
    input_schema,
    enforced_schema,
    choice,
    thinking,
    signature,
    cache_control,
    media,
    out_of_range,
    citations,
)
