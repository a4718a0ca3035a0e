"""What every server of Chat Completions refuses, OpenAI's and compatible ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from .support import Headers, Json, bad_parameters, out_of

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def parts(message: Json) -> list[Json]:
    """The parts of a message's content; none where it is a string or null."""
    content = message.get("content")
    return content if isinstance(content, list) else []


def functions(request: Json) -> Iterator[tuple[str, Json]]:
    for at, tool in enumerate(request.get("tools") or ()):
        if tool.get("type") == "function":
            yield f"tools[{at}].function", tool["function"]


def calls(request: Json) -> Iterator[tuple[str, Json]]:
    for at, message in enumerate(request["messages"]):
        for of, call in enumerate(message.get("tool_calls") or ()):
            yield f"messages[{at}].tool_calls[{of}]", call


# error: "[] is too short - 'messages'".
def no_messages(request: Json, headers: Headers) -> Iterator[str]:
    if not request.get("messages"):
        yield "messages"


# error: "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
# "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'".
def unpaired(request: Json, headers: Headers) -> Iterator[str]:
    waiting: set[str] = set()
    for at, message in enumerate(request["messages"]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"messages[{at}] answers no call"
            waiting.discard(message.get("tool_call_id"))
            continue
        if waiting:
            yield f"messages[{at}] comes before the results of {sorted(waiting)}"
        waiting = {call["id"] for call in message.get("tool_calls") or ()}
    if waiting:
        yield f"no results of {sorted(waiting)} at the end"


# SDK, ChatCompletionAssistantMessageParam.content: "Required unless `tool_calls` or `function_call` is specified".
# error: "Invalid value for 'content': expected a string, got null".
def empty_message(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        calling = message["role"] == "assistant" and (
            message.get("tool_calls") or message.get("function_call") or message.get("audio") or message.get("refusal")
        )
        if message.get("content") is None and not calling:
            yield f"messages[{at}].content is null"
        if message.get("content") == []:
            yield f"messages[{at}].content is an empty array"


# SDK, FunctionDefinition.name: "a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64".
# error: "Invalid 'tools[0].function.name': string does not match pattern. Expected … '^[a-zA-Z0-9_-]+$'".
def tool_name(request: Json, headers: Headers) -> Iterator[str]:
    for where, function in functions(request):
        if not NAME.fullmatch(function["name"]):
            yield f"{where}.name {function['name']!r}"
    for where, call in calls(request):
        named = call.get(call.get("type", "function")) or {}
        if not NAME.fullmatch(named.get("name", "")):
            yield f"{where} {named.get('name')!r}"


# error: "Tool names must be unique"; two definitions of one name leave no way to answer the right one.
def repeated_tool(request: Json, headers: Headers) -> Iterator[str]:
    names = [function["name"] for _, function in functions(request)]
    yield from sorted({name for name in names if names.count(name) > 1})


# error: "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: null'".
def parameters(request: Json, headers: Headers) -> Iterator[str]:
    for where, function in functions(request):
        yield from bad_parameters(function.get("parameters"), f"{where}.parameters", ())


# error: "[] is too short - 'tools'"; vLLM: "must not be an empty array".
def empty_tools(request: Json, headers: Headers) -> Iterator[str]:
    if request.get("tools") == []:
        yield "tools"


# error: "'tool_choice' is only allowed when 'tools' are specified"; vLLM: "When using `tool_choice`, `tools` must be
# set"; a named choice has to be among the tools.
def choice_without_tool(request: Json, headers: Headers) -> Iterator[str]:
    choice = request.get("tool_choice")
    if choice is not None and not request.get("tools"):
        yield "tool_choice without tools"
    elif isinstance(choice, dict) and choice.get("type") == "function":
        if choice["function"]["name"] not in [function["name"] for _, function in functions(request)]:
            yield f"tool_choice names {choice['function']['name']!r}"


# error: "'parallel_tool_calls' is only allowed when 'tools' are specified".
def parallel_without_tools(request: Json, headers: Headers) -> Iterator[str]:
    if request.get("parallel_tool_calls") is not None and not request.get("tools"):
        yield "parallel_tool_calls"


# The arguments of a call are JSON; DeepSeek, vLLM templates and Mistral parse them. error: "Expecting property name
# enclosed in double quotes" (vLLM).
def arguments(request: Json, headers: Headers) -> Iterator[str]:
    for where, call in calls(request):
        if "function" in call:
            try:
                json.loads(call["function"]["arguments"])
            except ValueError:
                yield f"{where}.function.arguments"


# SDK, CompletionCreateParams: temperature "between 0 and 2", penalties "between -2.0 and 2.0", "up to 4 sequences".
def out_of_range(request: Json, headers: Headers) -> Iterator[str]:
    for name, least, most in (
        ("temperature", 0, 2),
        ("top_p", 0, 1),
        ("presence_penalty", -2, 2),
        ("frequency_penalty", -2, 2),
        ("top_logprobs", 0, 20),
        ("max_tokens", 1, 10**9),
        ("max_completion_tokens", 1, 10**9),
        ("n", 1, 128),
    ):
        if out_of(request.get(name), least, most):
            yield f"{name} = {request[name]}"


def too_many_stops(request: Json, headers: Headers) -> Iterator[str]:
    if isinstance(request.get("stop"), list) and len(request["stop"]) > 4:
        yield f"{len(request['stop'])} stop sequences"


# SDK, CompletionCreateParams.stream_options: "Only set this when you set `stream: true`"; vLLM: "Stream options can
# only be defined when `stream=True`".
def stream_options(request: Json, headers: Headers) -> Iterator[str]:
    if request.get("stream_options") is not None and not request.get("stream"):
        yield "stream_options without stream"


# SDK, CompletionCreateParams.top_logprobs: "`logprobs` must be set to `true` if this parameter is used".
def top_logprobs(request: Json, headers: Headers) -> Iterator[str]:
    if request.get("top_logprobs") is not None and not request.get("logprobs"):
        yield "top_logprobs without logprobs"


CHECKS = (
    no_messages,
    unpaired,
    empty_message,
    tool_name,
    repeated_tool,
    parameters,
    empty_tools,
    choice_without_tool,
    parallel_without_tools,
    arguments,
    out_of_range,
    too_many_stops,
    stream_options,
    top_logprobs,
)
