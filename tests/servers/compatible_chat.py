"""Servers that implement Chat Completions for models of others: what the narrow ones among them refuse.

There is no official description of them. Evidence: errors of LiteLLM's, Groq's, Foundry Local's and template-based
servers, as their users reported them.
"""

from __future__ import annotations

from collections.abc import Iterator

from . import chat
from .support import Headers, Json, collect, unknown, words

# What Chat Completions had before its later extensions, which compatible servers followed.
REQUEST = words(
    """
    frequency_penalty logit_bias logprobs max_tokens messages model n parallel_tool_calls presence_penalty
    reasoning_effort response_format seed stop stream stream_options temperature tool_choice tools top_logprobs top_p
    user
    """
)
ROLES = words("system user assistant tool")
PARTS = words("text image_url input_audio")


# error: "property 'store' is unsupported" (Groq), "Extra inputs are not permitted" (Mistral, Fireworks).
def extension(request: Json, headers: Headers) -> Iterator[str]:
    yield from unknown(request, REQUEST, "request")


# error: "unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`" (DeepSeek).
def role(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        if message["role"] not in ROLES:
            yield f"messages[{at}].role {message['role']!r}"


# error: "'messages.0' : for 'role:system' … 'messages.0.content' : value must be a string" (Groq); templates of models
# join `message.content` to text.
def content_array(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        if message["role"] != "user" and chat.parts(message):
            yield f"messages[{at}] of role {message['role']}"


# error: "Unknown part type: file" (vLLM); cache breakpoints are OpenAI's newest models' alone.
def part(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        for one in chat.parts(message):
            if one["type"] not in PARTS:
                yield f"messages[{at}]: {one['type']}"
            if "prompt_cache_breakpoint" in one:
                yield f"messages[{at}]: prompt_cache_breakpoint"


# error: "'function' is a required property, expected an object - 'tools.7'" (LiteLLM), "key 'function' not found"
# (Foundry Local, of a custom tool).
def custom_tool(request: Json, headers: Headers) -> Iterator[str]:
    for at, tool in enumerate(request.get("tools") or ()):
        if tool.get("type") != "function":
            yield f"tools[{at}] of type {tool.get('type')!r}"
    for where, call in chat.calls(request):
        if call.get("type") != "function":
            yield f"{where} of type {call.get('type')!r}"


# A choice among allowed tools is newer than compatible servers: SDK, ChatCompletionAllowedToolChoiceParam.
def choice(request: Json, headers: Headers) -> Iterator[str]:
    wanted = request.get("tool_choice")
    if isinstance(wanted, dict) and wanted.get("type") != "function":
        yield f"tool_choice of type {wanted.get('type')!r}"


# error: "System message must be at the beginning" (templates of Qwen's, on vLLM and Ollama).
def first_system(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        if at and message["role"] in ("system", "developer"):
            yield f"messages[{at}]"


CHECKS = (*chat.CHECKS, first_system, extension, role, content_array, part, custom_tool, choice)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
