"""The Gemini API with its newest models (3.6 and later)."""

from __future__ import annotations

from collections.abc import Iterator

from . import gemini
from .gemini import answered, camel, config, contents, joined, made, parts
from .gemini_schemas import SCHEMA
from .support import Headers, Json, collect, words

PART_DATA = gemini.DATA | words("toolCall toolResponse")
# Discovery (v1beta) has these and no `labels`; SDK: "is only supported in Gemini Developer API mode" of each of them.
KNOWN = {
    "request": gemini.REQUEST | words("store"),
    "config": gemini.CONFIG,
    "toolConfig": words("functionCallingConfig retrievalConfig includeServerSideToolInvocations"),
    "part": gemini.PART | PART_DATA | words("partMetadata mediaProcessing"),
    "call": gemini.CALL,
    "response": gemini.RESPONSE | words("willContinue"),
    "tools": gemini.TOOLS | words("fileSearch mcpServers"),
    "search": words("searchTypes timeRangeFilter"),
}


# error: "Role 'function' is not supported. Please use a valid role: SYSTEM, SYSTEM_1, USER, ASSISTANT, DEVELOPER,
# CONTEXT, USER_CONTEXT, MODEL, USER."
def function_role(request: Json, headers: Headers) -> Iterator[str]:
    for where, content in contents(request):
        if camel(content).get("role") == "function":
            yield where


# error: "Requests ending with a model turn are not supported." (3.5 Flash-Lite, 3.6 and later).
def prefill(request: Json, headers: Headers) -> Iterator[str]:
    for last in gemini.listed(request.get("contents"))[-1:]:
        if last.get("role") == "model":
            yield "the last turn is the model's"


# Documentation of Gemini 3.5: every functionResponse has the id of its functionCall.
def call_id(request: Json, headers: Headers) -> Iterator[str]:
    calls: list[Json] = []
    for at, turn in enumerate(joined(request)):
        given = answered(turn)
        if sorted(str(one.get("id")) for one in given) != sorted(str(one.get("id")) for one in calls):
            yield f"turn {at}"
        calls = made(turn)


def current_turn(request: Json) -> list[tuple[str, Json]]:
    """What follows the last turn in which the user says something: the steps of the model, and their results."""
    turns = [(where, content) for where, content in contents(request) if where != "systemInstruction"]
    begins = [at for at, (_, one) in enumerate(turns) if one.get("role", "user") == "user" and not answered(one)]
    return turns[begins[-1] :] if begins else turns


# error: "Function call is missing a thought_signature in functionCall parts. This is required for tools to work
# correctly". Documentation: the first call of each step of the current turn.
def signature(request: Json, headers: Headers) -> Iterator[str]:
    for where, content in current_turn(request):
        first = next((part for part in parts(content) if "functionCall" in part), None)
        if first is not None and not first.get("thoughtSignature"):
            yield where


# error: "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling."
def built_in_tools(request: Json, headers: Headers) -> Iterator[str]:
    wanted = camel(camel(request).get("toolConfig") or {})
    if gemini.has_functions(request) and gemini.has_built_in_tools(request):
        if not wanted.get("includeServerSideToolInvocations"):
            yield "without includeServerSideToolInvocations"


# error: "Invalid value at 'generation_config.thinking_config.thinking_level'"; discovery has these words.
def thinking_level(request: Json, headers: Headers) -> Iterator[str]:
    level = camel(config(request).get("thinkingConfig") or {}).get("thinkingLevel")
    if level is not None and str(level).upper() not in words("THINKING_LEVEL_UNSPECIFIED MINIMAL LOW MEDIUM HIGH"):
        yield str(level)


CHECKS = (
    gemini.unknown_name(KNOWN),
    gemini.data(PART_DATA),
    gemini.schema(SCHEMA),
    *gemini.CHECKS,
    function_role,
    prefill,
    call_id,
    signature,
    built_in_tools,
    thinking_level,
)


def refusals(request: Json, headers: Headers) -> list[str]:
    return collect(CHECKS, request, headers)
