"""Apply the changes that turns make to tools (TUL-72), settings (RSN-45) and instructions that end (PLC-29).

The target gets the state at the end of the conversation. This pass precedes those that judge tools, settings and turns,
so that they see what the request asks for now.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ..ir.node import Several, sources
from ..ir.parts import ToolChange
from ..ir.request import TOOL, USER, Output, Request, Thinking, ThinkingMode, Turn, TurnSettings
from ..ir.structure import BOOKKEEPING
from ..ir.tools import ClientTool, McpServer, McpToolset, Tool, called
from ..reporting.report import Report
from ..targets.constraints import Constraints


def settle(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Apply the changes that turns make to the request, and drop the turns that do nothing else."""
    turns = root.turns or []
    changing = [turn for turn in turns if turn.settings is not None or _changes_tools(turn)]
    for turn in changing:
        if turn.settings == NOTHING and not turn.parts and turn.extra is None:
            report.at("ENV-7", turn)
    if any(map(_changes_tools, changing)):
        _settle_tools(root, changing, report)
    for name in GROUPS:
        if name not in constraints.changeable:
            _settle_group(root, name, report)
    gone = forgotten(turns)
    for turn in turns:
        if id(turn) in gone:
            forget(turn, report)
    done: set[int] = set()
    for turn in changing:
        if turn.settings == NOTHING:
            turn.settings = None
        if turn.settings is None and not turn.parts:
            done.add(id(turn))
            if turn.extra is not None:
                report.extra_fields(turn)
    root.turns = [turn for turn in turns if id(turn) not in done]


NOTHING = TurnSettings()


def changes_something(root: Request) -> bool:
    """Return whether a turn changes tools or has settings, for a tree that no frontend has read."""
    return any(turn.settings is not None or _changes_tools(turn) for turn in root.turns or ())


# --- instructions that are forgotten ----------------------------------------------------------------------------------


def forgotten(turns: list[Turn]) -> set[int]:
    """Return the ids of turns with instructions that the user's next message has ended."""
    found: set[int] = set()
    if not any(turn.settings is not None and turn.settings.passing for turn in turns):
        return found
    gone_on = False
    for turn in reversed(turns):
        if gone_on and turn.settings is not None and turn.settings.passing:
            found.add(id(turn))
        gone_on = gone_on or turn.role is USER or turn.role is TOOL
    return found


def forget(turn: Turn, report: Report) -> None:
    """Remove the text of instructions that have ended; their settings stay."""
    report.at("PLC-29", turn)
    turn.parts = []
    if turn.settings is not None:
        turn.settings.passing = None


# --- settings ---------------------------------------------------------------------------------------------------------

GROUPS: dict[str, type[Any]] = {"thinking": Thinking, "output": Output}
"""The request's groups of settings that a turn may change."""


def _settle_group(root: Request, name: str, report: Report) -> None:
    """Set each setting of the request to its last value in force, and report other values of it (RSN-45)."""
    group = getattr(root, name)
    given = [(group, False)] if group is not None else []
    for turn in root.turns or ():
        if turn.settings is not None and (changed := getattr(turn.settings, name)) is not None:
            given.append((changed, bool(turn.settings.pending)))
            setattr(turn.settings, name, None)
    if len(given) == (group is not None):
        return
    values = [
        (_key(field.name, value, report), field.name, value, holder, pending)
        for holder, pending in given
        for field in attrs.fields(GROUPS[name])
        if field.name not in BOOKKEEPING and (value := getattr(holder, field.name)) is not None
    ]
    last = {key: (field, value) for key, field, value, _, pending in values if not pending}
    for key, field, value, holder, _ in values:
        if last.get(key) != (field, value):
            report.at("RSN-45", holder, field)
    made = GROUPS[name]()
    for field, value in last.values():
        setattr(made, field, value)
    made.extra = None if group is None else group.extra
    made.src = Several([one for holder, _ in reversed(given) for one in sources(holder)])
    setattr(root, name, made)


MODE, EFFORT = attrs.fields(Thinking).mode.name, attrs.fields(Thinking).effort.name


def _key(field: str, value: Any, report: Report) -> str:
    """Return the name of the setting that this one replaces.

    If the source has one member for the effort and for whether the model thinks, disabling replaces the effort.
    """
    if field == MODE and value is ThinkingMode.DISABLED:
        paths = report.vocabulary.wire_paths.get(Thinking.__name__, {})
        effort, mode = ([one] if isinstance(one := paths.get(name, ()), str) else one for name in (EFFORT, MODE))
        if not set(effort).isdisjoint(mode):
            return EFFORT
    return field


# --- tools ------------------------------------------------------------------------------------------------------------


def _changes_tools(turn: Turn) -> bool:
    return any(type(part) is ToolChange for part in turn.parts)


def _settle_tools(root: Request, turns: list[Turn], report: Report) -> None:
    """Set the request's tools to those after all changes, and report the definitions that are gone (TUL-72)."""
    offered = _Offered(root.tools or [], report)
    for turn in turns:
        for part in turn.parts:
            if type(part) is ToolChange:
                offered.change(part)
        turn.parts = [part for part in turn.parts if type(part) is not ToolChange]
    for tool in (*offered.withdrawn, *offered.replaced):
        report.at("TUL-72", tool)
    root.tools = offered.tools or None


class _Offered:
    """The tools of a conversation, change by change.

    tools      the tools that the model has
    withdrawn  the tools that were removed and may be added again
    replaced   the definitions that another one has replaced
    """

    def __init__(self, tools: list[Tool], report: Report) -> None:
        self.tools = [*tools]
        self.withdrawn: list[Tool] = []
        self.replaced: list[Tool] = []
        self._report = report

    def change(self, part: ToolChange) -> None:
        if part.cache is not None:
            self._report.at("CAC-4", part, "cache")
        if part.server is not None and part.name is not None:
            self._change_server(part)
            return
        before, after = (self.tools, self.withdrawn) if part.removed else (self.withdrawn, self.tools)
        if part.tool is not None:
            self._define(part.tool)
        else:
            moved = [tool for tool in before if _is_meant(tool, part)]
            before[:] = [tool for tool in before if not _is_meant(tool, part)]
            after += moved
            if not part.removed and not moved:
                self._report.at("TUL-38", part)
                return
        self._report.at("TUL-72", part)

    def _define(self, tool: Tool) -> None:
        """Add a tool, which replaces another one of its name; a toolset belongs to a server that the request has."""
        if type(tool) is McpToolset:
            return
        name = _name(tool)
        for known in (self.tools, self.withdrawn):
            self.replaced += [one for one in known if _name(one) == name]
            known[:] = [one for one in known if _name(one) != name]
        self.tools.append(tool)

    def _change_server(self, part: ToolChange) -> None:
        """Add one tool of an MCP server to the list of allowed ones, or remove it; there may be no list (TUL-76)."""
        for server in self.tools:
            if type(server) is McpServer and server.name == part.server:
                if server.allowed_tools is None:
                    self._report.at("TUL-76" if part.removed else "TUL-38", part)
                    return
                others = [name for name in server.allowed_tools if name != part.name]
                server.allowed_tools = others if part.removed or part.name is None else [*others, part.name]
        self._report.at("TUL-72", part)


def _name(tool: Tool) -> str | None:
    if type(tool) is ClientTool:
        return tool.raw.get("name") if tool.function is None else tool.function.name
    kind, name = called(tool)
    return name or kind


def _is_meant(tool: Tool, part: ToolChange) -> bool:
    """Return whether a change without a definition refers to this tool or this MCP server."""
    if isinstance(tool, (McpServer, McpToolset)):
        return part.server == (tool.name if isinstance(tool, McpServer) else tool.server)
    return part.server is None and part.name is not None and _name(tool) == part.name
