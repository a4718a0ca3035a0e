"""What an Anthropic source wrote in another form than the canonical one, put back into canonical output.

Rule: called only for a node that has `extra`, which nodes of other protocols have lost by now (LOS-3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts, request, tools, turns
from proxai_ir.ir.error import Error
from proxai_ir.ir.terminal import RefusalDetails, Terminal
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Object, merge, put


def restore(built: Object, node: Any) -> Object:
    """The wire object of a node in the form of its source, with the members that have no IR field."""
    extra = node.extra
    if extra.wire_forms:
        FORMS[type(node)](built, node, extra.wire_forms)
    return merge(built, extra.fields) if extra.fields else built


# --- which member a node goes to, for the builder of what holds it ----------------------------------------------------


def in_messages(turn: turns.Turn) -> bool:
    """Whether instructions at the top stand among the messages."""
    return turn.extra is not None and "message" in turn.extra.wire_forms


def in_output_format(output: request.Output) -> bool:
    """Whether the format stands in the beta's older member."""
    return output.extra is not None and "output_format" in output.extra.wire_forms


def has_toolset(server: tools.McpServer) -> bool:
    """Whether a server needs a toolset; the source's own, if any, is a tool already."""
    return server.extra is None or "no toolset" not in server.extra.wire_forms


# --- the forms of single objects --------------------------------------------------------------------------------------


def _turn(built: Object, _: turns.Turn, forms: tuple[str, ...]) -> None:
    if "no content" in forms:  # a message of settings only
        del built["content"]


def _text(built: Object, _: parts.Text, forms: tuple[str, ...]) -> None:
    if "compaction" in forms:
        built["content"] = built.pop("text")


def _citation(built: Object, _: parts.UrlCitation, forms: tuple[str, ...]) -> None:
    if "search result" in forms:
        built["type"], built["source"] = wire.RESULT_CITATION, built.pop("url")


def _reasoning(built: Object, _: parts.Reasoning, forms: tuple[str, ...]) -> None:
    if "no signature" in forms:
        del built["signature"]


def _mcp_result(built: Object, part: parts.McpResult, forms: tuple[str, ...]) -> None:
    if "blocks" in forms:
        built["content"] = [{"type": "text", "text": part.text}]
    if "no content" in forms:
        del built["content"]
    if "no is_error" in forms:
        del built["is_error"]


def _code_call(built: Object, part: parts.CodeCall, forms: tuple[str, ...]) -> None:
    if "no code" in forms and not part.code:
        built["input"] = {}


def _code_result(built: Object, part: parts.CodeResult, forms: tuple[str, ...]) -> None:
    if "no content" in forms:  # no list of files
        del built["content"]["content"]


def _function_tool(built: Object, _: tools.FunctionTool, forms: tuple[str, ...]) -> None:
    if "typed" in forms:
        built["type"] = "custom"


def _mcp_server(built: Object, server: tools.McpServer, forms: tuple[str, ...]) -> None:
    if "configured" in forms:
        built["tool_configuration"] = put({}, allowed_tools=server.allowed_tools)


def _terminal(built: Object, terminal: Terminal, forms: tuple[str, ...]) -> None:
    if "reason" in forms:  # another word than the canonical one
        del built["stop_reason"]
        put(built, stop_reason=terminal.raw)
    if "no details" in forms:
        del built["stop_details"]


def _refusal_details(built: Object, details: RefusalDetails, forms: tuple[str, ...]) -> None:
    if "sparse" in forms:  # without an explanation, which canonical output takes from the wording
        del built["explanation"], built["category"]
        put(built, explanation=details.explanation, category=details.category)


def _error(built: Object, _: Error, forms: tuple[str, ...]) -> None:
    if "no type" in forms:
        del built["error"]["type"]


FORMS: dict[type, Callable[[Object, Any, tuple[str, ...]], None]] = {
    turns.Turn: _turn,
    parts.Text: _text,
    parts.Reasoning: _reasoning,
    parts.UrlCitation: _citation,
    parts.McpResult: _mcp_result,
    parts.CodeCall: _code_call,
    parts.CodeResult: _code_result,
    tools.FunctionTool: _function_tool,
    tools.McpServer: _mcp_server,
    Terminal: _terminal,
    RefusalDetails: _refusal_details,
    Error: _error,
}
