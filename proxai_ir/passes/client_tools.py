"""Tools that the client runs in a form of its vendor's own, as functions: the option `emulate` (TUL-34 to TUL-37).

What each is as a function its frontend reads; `state` has the functions' names, and with it the way back makes calls of
them calls of the client's own tools again.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from ..ir.parts import ClientCall, ClientResult, FunctionCall, Part, Text, ToolResult
from ..ir.request import Request
from ..ir.tools import AllowedChoice, ClientTool, FunctionTool, HostedChoice, NamedChoice, Tool, ToolChoice
from ..ir.turns import ASSISTANT, TOOL, Turn
from ..json.types import json_text
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..rules.verdicts import NOT_CARRIED, Target
from .stages import CLIENT_TOOLS, OnClosing, OnOpening, Stage, names_of


def defined_by(target: Target) -> bool:
    """Whether a target's requests may define such tools in their own form."""
    return target.places["request"]["tools"][ClientTool][0].word not in NOT_CARRIED


def called_by(target: Target) -> bool:
    """Whether a target's responses may call them so."""
    return target.places["response"]["assistant"][ClientCall][0].word not in NOT_CARRIED


# --- there ------------------------------------------------------------------------------------------------------------


def as_functions(request: Request, report: Report) -> None:
    """Replace definitions, choice, calls and results of such tools by those of functions."""
    taken = {tool.name for tool in request.tools or () if isinstance(tool, FunctionTool) and tool.namespace is None}
    names: dict[str, str] = {}
    request.tools = request.tools and [
        made for tool in request.tools if (made := _function(tool, taken, names, report)) is not None
    ]
    request.tool_choice = _choice(request.tool_choice, names)
    called: set[str] = set()
    before: Turn | None = None
    for turn in request.turns or ():
        for index, part in enumerate(turn.parts):
            if type(part) is ClientCall and part.name is not None:
                called.add(part.id)
                turn.parts[index] = _called(part, names.get(part.kind, part.name), report)
            elif type(part) is ClientResult and part.call_id in called:
                turn.parts[index] = _result(part, report)
                turn.role = TOOL
        if turn.role is TOOL or before is None or before.role is not ASSISTANT:
            turn.continues = None
        before = turn


def _function(tool: Tool, taken: set[str], names: dict[str, str], report: Report) -> Tool | None:
    """The function; None for a tool that is defined twice."""
    if not isinstance(tool, ClientTool) or tool.function is None:
        return tool
    report.at("TUL-37", tool)
    if tool.kind in names:
        return None
    made = tool.function
    while made.name in taken:
        made.name += "_"
    taken.add(made.name)
    names[tool.kind] = made.name
    if tool.own_calls:
        report.facts.add_client_tool(tool.kind, made)
    return made


def _choice(choice: ToolChoice | None, names: Mapping[str, str]) -> ToolChoice | None:
    if isinstance(choice, HostedChoice) and choice.kind in names:
        return NamedChoice(names[choice.kind], choice.src)
    if isinstance(choice, AllowedChoice):
        choice = copy(choice)
        choice.tools = [("function", names[kind]) if kind in names else (kind, name) for kind, name in choice.tools]
    return choice


def _text(given: Any, place: Any) -> str:
    try:
        return given if isinstance(given, str) else json_text(given)
    except ValueError as error:
        raise Refusal("SHP-7", place, str(error)) from None


def _called(call: ClientCall, name: str, report: Report) -> FunctionCall:
    report.at("TUL-37", call)
    given = call.arguments
    return FunctionCall(call.id, name, _text(given, report.place(call, "arguments")), None, call.src)


def _result(result: ClientResult, report: Report) -> ToolResult:
    report.at("TUL-37", result)
    texts: list[Part] = [Text(result.text or "", None, None, result.src)]
    return ToolResult(result.call_id, texts, result.is_error, None, result.src)


def calls_as_functions(report: Report) -> Stage:
    """Make calls of such tools those of functions."""

    def change(part: Part) -> Part:
        return _called(part, part.name, report) if type(part) is ClientCall and part.name is not None else part

    return OnOpening(change)


# --- and back ---------------------------------------------------------------------------------------------------------


def _own(call: FunctionCall, kind: str, report: Report) -> ClientCall:
    if call.seal is not None:
        report.at("RSN-4", call, "seal")
    return ClientCall(kind, call.id or "", call.arguments, call.src, call.extra)


def calls_back(options: Mapping[str, Any], report: Report) -> Stage:
    """Make function calls that stand for calls of such tools those calls again; the vendor's own come as a whole."""
    kinds = names_of(options, CLIENT_TOOLS)
    return OnClosing(
        lambda part: type(part) is FunctionCall and part.name in kinds,
        lambda call: _own(call, kinds[call.name], report),
        lambda call: _text(call.arguments, None),
    )
