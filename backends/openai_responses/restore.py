"""What payloads of this protocol have otherwise than canonical output, put back into it (LOS-3).

Rule 1: called only for a node that has `extra`, which nodes of other protocols have lost by now. Rule 2: changes what a
builder made and builds nothing itself. A wire form `no X`: the member X, which canonical output has, is absent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir import tools
from proxai_ir.ir.request import Request, Thinking
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import Terminal
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.streaming import events
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Json, Object, merge

# --- any object -------------------------------------------------------------------------------------------------------


def members(built: Object, node: Any) -> Object:
    """Members that are absent, and those that only this protocol has."""
    extra = node.extra
    for form in extra.wire_forms:
        if form.startswith("no "):
            built.pop(form[3:], None)
    return merge(built, extra.fields) if extra.fields else built


# --- requests ---------------------------------------------------------------------------------------------------------


def request(built: Object, node: Request) -> Object:
    """`text`: the input is one text."""
    assert node.extra is not None
    if "text" in node.extra.wire_forms:
        built["input"] = built["input"][0]["content"]
    return members(built, node)


def thinking(built: Object, node: Thinking) -> Object:
    """`generate_summary`: an older name of `summary`."""
    assert node.extra is not None
    if "generate_summary" in node.extra.wire_forms and "summary" in built:
        built["generate_summary"] = built.pop("summary")
    return built


# --- tools ------------------------------------------------------------------------------------------------------------


def web_search_tool(built: Object, tool: tools.WebSearchTool) -> Object:
    """`kind`: another version than the one that is written."""
    if "kind" in tool.extra.wire_forms:  # type: ignore[union-attr]
        built["type"] = tool.kind
    return members(built, tool)


def mcp_server(built: Object, server: tools.McpServer) -> Object:
    """`filter`: the allowed tools stand in an object."""
    if "filter" in server.extra.wire_forms:  # type: ignore[union-attr]
        built["allowed_tools"] = {"tool_names": server.allowed_tools}
    return members(built, server)


# --- parts ------------------------------------------------------------------------------------------------------------


def output_text(built: Object, part: ir.Text) -> Object:
    """`input_text`: a text of the assistant's under the type of other roles' texts."""
    if "input_text" in part.extra.wire_forms:  # type: ignore[union-attr]
        built["type"] = "input_text"
        del built["annotations"]
    return members(built, part)


def refusal(built: Object, part: ir.Refusal) -> Object:
    """`output_text`: the text of a response that failed without an error."""
    if "output_text" in part.extra.wire_forms:  # type: ignore[union-attr]
        built = {"type": "output_text", "text": part.text}
    return members(built, part)


def document(built: Object, part: ir.Document) -> Object:
    """`file_url`: data stand in the member for URLs."""
    if "file_url" in part.extra.wire_forms:  # type: ignore[union-attr]
        built["file_url"] = built.pop("file_data")
    return members(built, part)


def thought(built: Object, part: ir.Reasoning) -> Object:
    """`reasoning_text`: the thinking itself, no summary of it."""
    if "reasoning_text" in part.extra.wire_forms:  # type: ignore[union-attr]
        built["type"] = "reasoning_text"
    return members(built, part)


def web_search_call(built: Object, call: ir.WebSearchCall) -> Object:
    """`query`, `queries`: the only one of these members that is there."""
    for form, other in (("query", "queries"), ("queries", "query")):
        if form in call.extra.wire_forms:  # type: ignore[union-attr]
            built["action"].pop(other, None)
    return members(built, call)


def mcp_result(built: Object, result: ir.McpResult) -> Object:
    """`output`: what a call returned that failed without an error; other failures have their error as it was."""
    built.pop("error", None)
    if "output" in result.extra.wire_forms:  # type: ignore[union-attr]
        built["output"] = result.text
    return members(built, result)


# --- items ------------------------------------------------------------------------------------------------------------


def item(built: Object, turn: Turn) -> Object:
    """The one item that a turn was read from; ITEM_FORMS has its wire forms."""
    assert turn.extra is not None
    for form in turn.extra.wire_forms:
        if form in ITEM_FORMS:
            built = ITEM_FORMS[form](built, turn)
    sealed = built["id"] if built.get("type") == "reasoning" and "id" in built else None
    made = members(built, turn)
    return made if sealed is None else {**made, "id": sealed}  # that of an item which came back in an envelope


AS_USER = "as user"
"""The wire form of an item that is no message of the user's and was read as one."""


def user_item(content: list[Object | None], turn: Turn) -> Object:
    """The item with the members that its heading has, which are wire forms."""
    assert turn.extra is not None
    forms = turn.extra.wire_forms
    listed = [one for one in content if one is not None]
    made: Object = {}
    for form in forms:
        key, _, value = form.partition(" ")
        if key in ("type", "author", "recipient", "name"):
            made[key] = value
    member = "content" if made["type"] == "agent_message" else "output"
    made[member] = listed[0]["text"] if "string" in forms else listed
    return members(made, turn)


def of_user_item(built: Object, part: Any) -> Object | None:
    """A part of it: plain text may stand where ciphertext is expected, and the heading is no part."""
    forms = part.extra.wire_forms if part.extra is not None else ()
    if "heading" in forms:
        return None
    if "encrypted_content" in forms:
        built["type"], built["encrypted_content"] = "encrypted_content", built.pop("text")
    return built


def _untyped(built: Object, turn: Turn) -> Object:
    del built["type"]
    return built


def _listed(built: Object, turn: Turn) -> Object:
    """One text, or none at all, as a list of parts."""
    only = turn.parts[0] if turn.parts else None
    key, parts = ("output", only.parts) if isinstance(only, ir.ToolResult) else ("content", turn.parts)
    empty: Object = {"type": "output_text", "annotations": []} if turn.role is ASSISTANT else {"type": "input_text"}
    built[key] = [{**empty, "text": built[key]}] if parts else []
    return built


def _string(built: Object, turn: Turn) -> Object:
    built["content"] = built["content"][0]["text"]
    return built


def _blank(built: Object, turn: Turn) -> Object:
    call = turn.parts[0]
    assert isinstance(call, (ir.FunctionCall, ir.McpCall))
    built["arguments"] = call.arguments
    return built


def _content(built: Object, turn: Turn) -> Object:
    return {"content": [], **built}


def _whole(built: Object, turn: Turn) -> Object:
    unknown = turn.parts[0]
    assert isinstance(unknown, ir.UnknownPart)
    return unknown.raw


ITEM_FORMS: dict[str, Callable[[Object, Turn], Object]] = {
    "untyped": _untyped,
    "list": _listed,  # where a string is canonical
    "string": _string,  # where a list is
    "custom": lambda built, _: {**built, "type": "custom_tool_call_output"},  # though no custom tool was called
    "function": lambda built, _: {**built, "type": "function_call_output"},  # though a custom tool was
    "blank": _blank,  # arguments without any text
    "content": _content,  # an empty one
    "whole": _whole,  # an item of an unknown type
}

# --- responses --------------------------------------------------------------------------------------------------------

DEFAULTED = ("parallel_tool_calls", "tool_choice", "tools")
"""What a response repeats of its request, and what canonical output has at its defaults."""


def response(built: Object, node: Response) -> Object:
    """`bare`: it has no extra fields."""
    assert node.extra is not None
    fields = node.extra.fields or {}
    if node.created is None:
        del built["created_at"]
    elif "created_at" in node.extra.wire_forms:
        built["created_at"] = float(node.created)
    for key in DEFAULTED:
        if key not in fields:
            del built[key]
    for key in ("error", "incomplete_details"):
        if built[key] is None:
            del built[key]
    return merge(built, fields)


def terminal(built: Object, node: Terminal) -> Object:
    """`status`: another than that of the reason, or none."""
    assert node.extra is not None
    built["incomplete_details"] = (node.extra.fields or {}).get("incomplete_details")
    if "status" in node.extra.wire_forms:
        del built["status"]
        if node.raw is not None:
            built["status"] = node.raw
    return built


def scored_text(candidate: Candidate) -> int:
    """`text N`: the log probabilities are of the Nth text, not of the first one."""
    assert candidate.extra is not None
    (form,) = candidate.extra.wire_forms
    return int(form.removeprefix("text "))


# --- events -----------------------------------------------------------------------------------------------------------

WHOLE = ("Repeated", "Unknown")
"""Unmapped fields that are all of their event; others repeat what no other protocol takes."""


class Restorer:
    """Most events are kept as they were, since they repeat; deltas get their text back."""

    def __call__(self, step: list[events.Event]) -> Json:
        built: Object = {}
        for event in step:
            if isinstance(event, events.UnmappedFields):
                if event.about == "Done":
                    return wire.DONE
                if event.about in WHOLE:
                    merge(built, event.extra.fields or {})
        grown = [event.text for event in step if isinstance(event, events.PartGrew)]
        if grown and built["type"].endswith(".delta"):
            built["delta"] = "".join(grown)
        return built
