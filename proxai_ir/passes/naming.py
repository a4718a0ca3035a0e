"""What tools are called in the target: a name that it does not take is rewritten, the same way everywhere (TUL-26).

Names come back with `state`, in whole responses and in streams.

Rule 1: two tools never get one name. Rule 2: the name of a tool depends on the tools of the request alone, so that a
conversation that goes on keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from itertools import count
from typing import Any

from ..ir.parts import CustomCall, FunctionCall
from ..ir.request import Request
from ..ir.response import Response
from ..ir.tools import AllowedChoice, CustomChoice, CustomTool, FunctionTool, NamedChoice
from ..report import Report
from ..rules.conditions import checked
from ..rules.constraints import Constraints
from ..streaming import events
from .state import CUSTOM_TOOLS, TOOL_NAMES, names_of

ODD = re.compile(r"[^a-zA-Z0-9_-]")
KEPT = 64 - len("_01234567")  # characters of a name that is rewritten; no protocol takes fewer than 64
NAMELESS = "tool"

Named = FunctionTool | CustomTool | FunctionCall | CustomCall


class Names:
    """The names that the tools of one request get; `sent`: by those of the source."""

    def __init__(self, root: Request, constraints: Constraints, report: Report) -> None:
        self.sent: dict[str, str] = {}
        self._root = root
        self._accepts = constraints.tool_name
        self._report = report
        self._taken: set[str] | None = None

    def give(self, node: Named) -> None:
        """Give a tool, or a call of one, the name that the tool has in the target."""
        name = node.name
        sent = self.sent.get(name)
        if sent is None:
            sent = self.sent[name] = self._chosen(node)
        if sent != name:
            _note(node, sent, self._report)
            node.name = sent

    def _chosen(self, node: Named) -> str:
        """The name itself where the target takes it; else the first rewritten one that no other tool has."""
        name, accepts = node.name, self._accepts
        if accepts is None or accepts(name):
            return name
        if self._taken is None:
            self._taken = {each.name for each in _named(self._root)}
        made = next(one for one in _candidates(name) if one not in self._taken)
        if not accepts(made):
            self._report.at("TUL-8", node, "name")
            return name
        self._taken.add(made)
        self._report.state.setdefault(TOOL_NAMES, {})[made] = name
        return made


def _note(node: Any, sent: str, report: Report) -> None:
    report.at("TUL-26", node, "name", f"{report.limits.get('TUL-8', '')}; sent as {sent!r}")


def _candidates(name: str) -> Iterator[str]:
    """The readable beginning of a name, with a checksum of the whole."""
    kept = ODD.sub("_", name)[:KEPT] or NAMELESS
    yield checked(kept, name)
    for attempt in count(1):
        yield checked(kept, f"{attempt} {name}")


def _named(root: Request) -> Iterator[Named]:
    """The tools that a request defines, and the calls in its history."""
    for tool in root.tools or ():
        if isinstance(tool, (FunctionTool, CustomTool)):
            yield tool
    for turn in root.turns or ():
        for part in turn.parts:
            if isinstance(part, (FunctionCall, CustomCall)):
                yield part


def name_tools(root: Request, constraints: Constraints, report: Report) -> Names:
    """Name the tools that a request defines, and those of its choice. Its calls are for the caller to name."""
    names = Names(root, constraints, report)
    for tool in root.tools or ():
        if type(tool) is FunctionTool or type(tool) is CustomTool:
            names.give(tool)
    if TOOL_NAMES in report.state and root.tool_choice is not None:
        _name_choice(root.tool_choice, names.sent, report)
    if report.emulated:
        report.state[CUSTOM_TOOLS] = [tool.name for tool in report.emulated]
    return names


def _name_choice(choice: Any, sent: Mapping[str, str], report: Report) -> None:
    if isinstance(choice, (NamedChoice, CustomChoice)):
        name = sent.get(choice.name, choice.name)
        if name != choice.name:
            _note(choice, name, report)
            choice.name = name
    elif isinstance(choice, AllowedChoice):
        listed = [(kind, sent.get(name, name)) for kind, name in choice.tools]
        if listed != choice.tools:
            report.at("TUL-26", choice, "tools")
            choice.tools = listed


# --- and back ---------------------------------------------------------------------------------------------------------


def name_back(root: Response, options: Mapping[str, Any]) -> None:
    """Give the tools that a response calls the names that they have in the source of the request."""
    names = names_of(options, TOOL_NAMES)
    for candidate in root.candidates if names else ():
        for turn in candidate.turns:
            for part in turn.parts:
                if isinstance(part, (FunctionCall, CustomCall)):
                    _name_one_back(part, names)


def _name_one_back(call: FunctionCall | CustomCall, names: Mapping[str, str]) -> None:
    call.name = names.get(call.name, call.name)


class NamingBack:
    """The same for the events of a stream."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._names = names_of(options, TOOL_NAMES)

    def __call__(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened) and isinstance(event.part, (FunctionCall, CustomCall)):
            call = copy(event.part)
            _name_one_back(call, self._names)
            return (events.PartOpened(event.index, call, event.candidate),)
        return (event,)
