"""Keep back the tools that a client defers until its own search finds them (TUL-80).

The history shows which tools the model may know: those that a search found, that a turn made available, that were
called or that the choice names. So no state is needed, and a conversation that goes on only adds tools to the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..ir.parts import CustomCall, FunctionCall, ToolChange, ToolResult, VendorPart
from ..ir.request import Request
from ..ir.tools import (
    AllowedChoice,
    ClientTool,
    CustomChoice,
    CustomTool,
    FunctionTool,
    HostedTool,
    NamedChoice,
    ToolChoice,
)
from ..reporting.report import Report
from ..targets.conditions import found_name, names_tool, searches_tools
from ..targets.constraints import Constraints
from ..wire import DEFERRED

ALL, VISIBLE = "all", "visible"
DEFERRED_TOOLS = (ALL, VISIBLE)
"""Which deferred tools are sent: all of them, or those that the conversation has made visible."""


def hold_back(root: Request, _: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Leave out deferred tools that are not visible yet, and put the visible ones last, in the order of their finding.

    If the provider searches, or if the client has no tool to search with, all tools stay.
    """
    if options.get("deferred_tools") != VISIBLE:
        return
    tools = root.tools or []
    members = _members(report)
    deferred = [tool for tool in tools if isinstance(tool, NAMED) and _is_deferred(tool, members)]
    if not deferred or any(type(tool) is HostedTool and searches_tools(tool) for tool in tools):
        return
    kept_back = {id(tool) for tool in deferred}
    present = [tool for tool in tools if id(tool) not in kept_back]
    if not any(type(tool) in SEARCHING for tool in present):
        return
    order = {name: at for at, name in reversed([*enumerate(_visible(root))])}
    shown = sorted((tool for tool in deferred if tool.name in order), key=lambda tool: order[tool.name])
    for tool in deferred:
        if tool.name not in order:
            report.at("TUL-80", tool)
    root.tools = [*present, *shown]


NAMED = (FunctionTool, CustomTool)
SEARCHING = (*NAMED, ClientTool)
"""What a client's search for tools can be."""


def _members(report: Report) -> dict[type, str]:
    """Return the name of the member of the source's protocol that defers a tool, by class."""
    found: dict[type, str] = {}
    for cls in NAMED:
        for name, rule in report.vocabulary.vendor_fields.get(cls.__name__, {}).items():
            if rule is DEFERRED:
                found[cls] = name
    return found


def _is_deferred(tool: FunctionTool | CustomTool, members: Mapping[type, str]) -> bool:
    return tool.extra is not None and tool.extra.members()[0].get(members.get(type(tool), "")) is True


def _visible(root: Request) -> Iterator[str]:
    """Yield the names of the tools that the model knows, in the order in which it came to know them."""
    for turn in root.turns or ():
        for part in turn.parts:
            if isinstance(part, (FunctionCall, CustomCall)):
                yield part.name
            elif isinstance(part, ToolResult):
                for inner in part.parts:
                    if isinstance(inner, VendorPart) and names_tool(inner):
                        yield found_name(inner)
            elif isinstance(part, ToolChange) and part.name is not None and not part.removed:
                yield part.name
    yield from _chosen(root.tool_choice)


def _chosen(choice: ToolChoice | None) -> list[str]:
    """Return the names of the tools that a choice names."""
    if isinstance(choice, AllowedChoice):
        return [name for _, name in choice.tools]
    return [choice.name] if isinstance(choice, (NamedChoice, CustomChoice)) else []
