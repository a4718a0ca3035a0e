"""Bedrock's Converse with Claude 4.5 and 4.6: what the service refuses of a request.

Sources: botocore's model of `bedrock-runtime`, its documentation of `Message.content` and `DocumentBlock.name`, and
recorded refusals, whose words stand next to each check.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from .support import Headers, Json, collect, out_of, unknown, words

REQUEST = words(
    "messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables "
    "additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier outputConfig"
)
BLOCK = words(
    "text image document video audio toolUse toolResult guardContent cachePoint reasoningContent citationsContent "
    "searchResult toolAddition toolRemoval"
)
INFERENCE = words("maxTokens temperature topP stopSequences")
TOOL = words("toolSpec systemTool cachePoint")
MOST_POINTS = 4


def listed(value: Json) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def blocks(request: Json) -> Iterator[tuple[str, Json]]:
    """Every block of the messages, those of results too."""
    for number, message in enumerate(listed(request.get("messages"))):
        for at, block in enumerate(listed(message.get("content"))):
            yield f"messages.{number}.content.{at}", block
            for inner, one in enumerate(listed((block.get("toolResult") or {}).get("content"))):
                yield f"messages.{number}.content.{at}.toolResult.{inner}", one


def members(request: Json, headers: Headers) -> Iterator[str]:
    yield from unknown(request, REQUEST, "request")
    yield from unknown(
        request.get("inferenceConfig"), words("maxTokens temperature topP stopSequences"), "inferenceConfig"
    )
    for where, block in blocks(request):
        yield from unknown(block, BLOCK | {"json"}, where)
        if len(block) != 1:
            yield f"{where}: a union has one member"


# error: "A conversation must start with a user message. Try again with a conversation that starts with a user message."
# error: "A conversation must alternate between user and assistant roles."
def roles(request: Json, headers: Headers) -> Iterator[str]:
    found = [message.get("role") for message in listed(request.get("messages"))]
    if found[:1] != ["user"] and "promptVariables" not in request:
        yield "the first message is not the user's"
    for number, (one, other) in enumerate(pairwise(found), 1):
        if one == other:
            yield f"messages.{number}: another of {one}"


# error: "The content field in the Message object at messages.N is empty." and "text content blocks must be non-empty"
def blank(request: Json, headers: Headers) -> Iterator[str]:
    for number, message in enumerate(listed(request.get("messages"))):
        if not message.get("content"):
            yield f"messages.{number}"
    between = set(between_reasoning(request))  # which has to come back where it stood
    for where, block in blocks(request):
        if "text" in block and not block["text"].strip() and where not in between:
            yield where


def between_reasoning(request: Json) -> Iterator[str]:
    for number, message in enumerate(listed(request.get("messages"))):
        kinds = ["reasoningContent" in block for block in listed(message.get("content"))]
        yield from (
            f"messages.{number}.content.{at}" for at in range(1, len(kinds) - 1) if kinds[at - 1] and kinds[at + 1]
        )


# error: "Expected toolResult blocks at messages.N.content for the following Ids: …"
def answered(request: Json, headers: Headers) -> Iterator[str]:
    waiting: list[str] = []
    for number, message in enumerate(listed(request.get("messages"))):
        content = listed(message.get("content"))
        given = [one["toolResult"] for one in content if "toolResult" in one]
        if message.get("role") == "user":
            if sorted(waiting) != sorted(one.get("toolUseId", "") for one in given):
                yield f"messages.{number}: results of {waiting}"
            waiting = []
        else:
            calls = [one["toolUse"] for one in content if "toolUse" in one]
            waiting = [one.get("toolUseId", "") for one in calls if one.get("type") != "server_tool_use"]
    if waiting:
        yield f"no results of {waiting}"


# error: "The toolConfig field must be defined when using toolUse and toolResult content blocks."
def defined(request: Json, headers: Headers) -> Iterator[str]:
    if "toolConfig" not in request and any("toolUse" in block or "toolResult" in block for _, block in blocks(request)):
        yield "toolConfig"


ID, NAME = re.compile(r"[a-zA-Z0-9_.:-]{1,64}"), re.compile(r"[a-zA-Z0-9_-]{1,64}")


def names(request: Json, headers: Headers) -> Iterator[str]:
    for where, block in blocks(request):
        call = block.get("toolUse") or block.get("toolResult") or {}
        if "toolUseId" in call and not ID.fullmatch(call["toolUseId"]):
            yield f"{where}: {call['toolUseId']}"
    for number, tool in enumerate(listed((request.get("toolConfig") or {}).get("tools"))):
        yield from unknown(tool, TOOL, f"tools.{number}")
        spec = tool.get("toolSpec")
        if spec is not None and not NAME.fullmatch(spec.get("name", "")):
            yield f"tools.{number}: {spec.get('name')}"
        if spec is not None and (spec.get("inputSchema") or {}).get("json", {}).get("type") != "object":
            yield f"tools.{number}: not of type object"
        if spec is not None and spec.get("description") == "":
            yield f"tools.{number}: an empty description"


DOCUMENT = re.compile(r"(?!.*\s\s)[a-zA-Z0-9\s\-()\[\]]{1,200}")


# The documentation of `DocumentBlock.name`; "If you include a ContentBlock with a document field in the array, you must
# also include a ContentBlock with a text field".
def documents(request: Json, headers: Headers) -> Iterator[str]:
    found = [(where, block["document"].get("name", "")) for where, block in blocks(request) if "document" in block]
    for where, name in found:
        if not DOCUMENT.fullmatch(name):
            yield f"{where}: {name}"
    for number, message in enumerate(listed(request.get("messages"))):
        kinds = {key for block in listed(message.get("content")) for key in block}
        if "document" in kinds and "text" not in kinds:
            yield f"messages.{number}: a document without a text"


# error: "This model doesn't support the video content block that you provided."
def media(request: Json, headers: Headers) -> Iterator[str]:
    for where, block in blocks(request):
        if "video" in block or "audio" in block:
            yield where


def settings(request: Json, headers: Headers) -> Iterator[str]:
    config = request.get("inferenceConfig") or {}
    for name, most in (("temperature", 1), ("topP", 1)):
        if out_of(config.get(name), 0, most):
            yield name
    points = sum("cachePoint" in block for _, block in blocks(request))
    points += sum("cachePoint" in one for one in listed(request.get("system")))
    points += sum("cachePoint" in one for one in listed((request.get("toolConfig") or {}).get("tools")))
    if points > MOST_POINTS:
        yield f"{points} cache points"


# error: "messages.N.content.M.thinking.signature: Field required"
def signed(request: Json, headers: Headers) -> Iterator[str]:
    for where, block in blocks(request):
        text = (block.get("reasoningContent") or {}).get("reasoningText")
        if text is not None and not text.get("signature"):
            yield where


# error: "Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final
# `assistant` message must start with a thinking block"
def thought(request: Json, headers: Headers) -> Iterator[str]:
    wanted = (request.get("additionalModelRequestFields") or {}).get("thinking") or {}
    last = listed(request.get("messages"))[-2:]
    if wanted.get("type") != "enabled" or len(last) < 2 or last[0].get("role") != "assistant":
        return
    if any("toolResult" in block for block in listed(last[1].get("content"))):
        if "reasoningContent" not in listed(last[0].get("content"))[0]:
            yield "the last turn of the assistant begins without reasoning"


CHECKS = (members, roles, blank, answered, defined, names, documents, media, settings, signed, thought)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
