"""DeepSeek's chat completions: unknown parameters are ignored, unknown variants are not."""

from __future__ import annotations

from collections.abc import Iterator

from . import chat
from .compatible_chat import choice, custom_tool
from .support import Headers, Json, collect, words

ROLES = words("system user assistant tool latest_reminder")


# error: "messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`,
# `latest_reminder`".
def role(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        if message["role"] not in ROLES:
            yield f"messages[{at}].role {message['role']!r}"


# error: "messages[137]: unknown variant `image_url`, expected `text`".
def part(request: Json, headers: Headers) -> Iterator[str]:
    for at, message in enumerate(request["messages"]):
        for one in chat.parts(message):
            if one["type"] != "text":
                yield f"messages[{at}]: {one['type']}"


# error: "This response_format type is unavailable now" of json_schema; its documentation has text and json_object.
def response_format(request: Json, headers: Headers) -> Iterator[str]:
    if (request.get("response_format") or {}).get("type") == "json_schema":
        yield "json_schema"


# `custom_tool`, error: "tools[0].type: unknown variant `custom`, expected `function`". `choice`, its documentation:
# `tool_choice` is none, auto, required or a named function.
CHECKS = (*chat.CHECKS, role, part, response_format, custom_tool, choice)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
