"""Rewrite the names of tools that the target does not accept, in tools, choices and calls alike (TUL-26).

The name of a namespace is put before those of its tools (TUL-25). With `state` a response gets both back, whole or as a
stream.

Rule 1: two tools never get one name. Rule 2: the name of a tool depends on the tools of the request alone, so that a
conversation that goes on keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from itertools import count
from typing import Any

from ..ir.parts import CustomCall, FunctionCall, Part
from ..ir.request import Request
from ..ir.tools import AllowedChoice, CustomChoice, CustomTool, FunctionTool, NamedChoice
from ..json.types import quoted
from ..reporting.report import Report
from ..targets.conditions import checked
from ..targets.constraints import Constraints
from .stages import CLIENT_TOOLS, CUSTOM_TOOLS, NAMESPACES, TOOL_NAMES, OnOpening, PartStage, names_of

ODD = re.compile(r"[^a-zA-Z0-9_-]")
KEPT = 64 - len("_01234567")  # characters of a name that is rewritten; no protocol takes fewer than 64
NAMELESS = "tool"

Call = FunctionCall | CustomCall
Named = FunctionTool | CustomTool | Call


class Names:
    """The names that the tools of one request get.

    sent   the names in the target, by namespace and name in the source
    plain  the names without a namespace that stay as they are
    """

    def __init__(self, root: Request, constraints: Constraints, report: Report) -> None:
        self.sent: dict[tuple[str | None, str], str] = {}
        self.plain: set[str] = set()
        self._root = root
        self._accepts = constraints.tool_name
        self._report = report
        self._taken: set[str] | None = None

    def give(self, node: Named) -> None:
        """Give a tool, or a call of one, the name that the tool has in the target."""
        namespace, name = node.namespace, node.name
        if namespace is None:
            if name in self.plain:
                return
            key: tuple[str | None, str] = (None, name)
            if key not in self.sent and (self._accepts is None or self._accepts(name)):
                self.sent[key] = name
                self.plain.add(name)
                return
        if namespace is not None and (namespace, name) not in self.sent and self._is_plain(node):
            self._report.at("TUL-25", node, "namespace", f"sent as {quoted(name)}")
            node.namespace = None
        key = (node.namespace, name)
        sent = self.sent.get(key)
        if sent is None:
            sent = self.sent[key] = self._chosen(node)
        if node.namespace is not None:
            if isinstance(node, Call):  # what defines the tool is reported as a whole
                self._report.at("TUL-25", node, "namespace", f"sent as {quoted(sent)}")
            node.name, node.namespace = _qualified(node), None
        if sent != node.name:
            _note(node, sent, self._report)
            node.name = sent

    def _is_plain(self, node: Named) -> bool:
        """Return whether a call with a namespace is one of a tool without: tool search uses the tool's name for it."""
        return isinstance(node, Call) and (node.namespace == node.name or (None, node.name) in self.sent)

    def _chosen(self, node: Named) -> str:
        """Return the name itself if the target accepts it, else the first rewritten one that no other tool has."""
        name, accepts = _qualified(node), self._accepts
        taken = self._names() if node.namespace is not None else ()
        if name not in taken and (accepts is None or accepts(name)):
            made = name
        else:
            taken = self._names()
            made = next(one for one in _candidates(name, accepts) if one not in taken)
        if made != node.name:
            self._names().add(made)
            self._report.state.setdefault(TOOL_NAMES, {})[made] = node.name
            if node.namespace is not None:
                self._report.state.setdefault(NAMESPACES, {})[made] = node.namespace
        return made

    def _names(self) -> set[str]:
        """Return the names that are taken: those without a namespace, and those that were chosen."""
        if self._taken is None:
            named: list[Any] = [tool for tool in self._root.tools or () if isinstance(tool, (FunctionTool, CustomTool))]
            named += [part for turn in self._root.turns or () for part in turn.parts if isinstance(part, Call)]
            self._taken = {each.name for each in named if each.namespace is None}
        return self._taken


def _qualified(node: Named | NamedChoice | CustomChoice) -> str:
    """Return a name after its namespace, with two underscores between them unless the namespace ends with two."""
    if node.namespace is None:
        return node.name
    return f"{node.namespace}{'' if node.namespace.endswith(APART) else APART}{node.name}"


APART = "__"


def _note(node: Any, sent: str, report: Report) -> None:
    report.at("TUL-26", node, "name", f"{report.limits.get('TUL-26', '')}; sent as {quoted(sent)}")


def _candidates(name: str, accepts: Callable[[str], Any] | None) -> Iterator[str]:
    """Yield the readable beginning of a name that the target accepts, with a checksum of the whole (LOS-6)."""
    beginning = ODD.sub("_", name)[:KEPT] or NAMELESS
    plain = beginning.replace("-", "_")
    # Some targets accept no digit or dash in front, some no dash.
    forms = (beginning, f"_{beginning}"[:KEPT], plain, f"_{plain}"[:KEPT])
    kept = next((one for one in forms if accepts is None or accepts(checked(one, name))), forms[-1])
    yield checked(kept, name)
    for attempt in count(1):
        yield checked(kept, f"{attempt} {name}")


def name_tools(root: Request, constraints: Constraints, report: Report) -> Names:
    """Rewrite the names of a request's tools and tool choice, and return the names for its calls."""
    names = Names(root, constraints, report)
    customs: list[str] = []
    for tool in root.tools or ():
        if type(tool) is FunctionTool or type(tool) is CustomTool:
            names.give(tool)
            if type(tool) is CustomTool:
                customs.append(tool.name)
    choice = root.tool_choice
    if choice is not None and (TOOL_NAMES in report.state or getattr(choice, "namespace", None) is not None):
        _name_choice(choice, names, report)
    facts = report.facts
    if customs or facts.emulated:
        report.state[CUSTOM_TOOLS] = [*customs, *(tool.name for tool in facts.emulated or ())]
    if facts.client_tools:
        report.state[CLIENT_TOOLS] = {tool.name: kind for kind, tool in facts.client_tools}
    return names


def keep_first(root: Request, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
    """Keep the first of several tools that have one name in one namespace (TUL-60, TUL-61)."""
    tools, repeated = root.tools or [], set()
    named = [tool.name for tool in tools if type(tool) is FunctionTool or type(tool) is CustomTool]
    if len({*named}) == len(named):
        return
    first: dict[tuple[str | None, str], FunctionTool | CustomTool] = {}
    for tool in tools:
        if type(tool) is FunctionTool or type(tool) is CustomTool:
            before = first.setdefault((tool.namespace, tool.name), tool)
            if before is not tool:
                _report_repeated(tool, before, report)
                repeated.add(id(tool))
    if repeated:
        root.tools = [tool for tool in tools if id(tool) not in repeated]


OF_DEFINITION = ("description", "parameters", "strict", "format")


def _report_repeated(tool: FunctionTool | CustomTool, first: FunctionTool | CustomTool, report: Report) -> None:
    """Report a tool that is left out, with its differences from the first one, except for cache breakpoints."""
    if type(tool) is not type(first):
        report.at("TUL-60", tool, "", "of another type")
        return
    others = [name for name in OF_DEFINITION if getattr(tool, name, None) != getattr(first, name, None)]
    report.at("TUL-60" if others else "TUL-61", tool, "", f"other {', '.join(others)}" if others else "")
    if tool.extra is not None and tool.extra.fields != (first.extra and first.extra.fields):
        report.extra_fields(tool)


def _name_choice(choice: Any, names: Names, report: Report) -> None:
    """Rewrite the names in a tool choice; a name without a namespace refers to the tools of all namespaces."""
    if isinstance(choice, (NamedChoice, CustomChoice)) and choice.namespace is not None:
        made = names.sent.get((choice.namespace, choice.name), _qualified(choice))
        report.at("TUL-25", choice, "namespace", f"sent as {quoted(made)}")
        choice.name, choice.namespace = made, None
        return
    sent: dict[str, list[str]] = {}
    for (_, name), made in names.sent.items():
        sent.setdefault(name, []).append(made)
    if isinstance(choice, (NamedChoice, CustomChoice)):
        made = sent.get(choice.name, [choice.name])[0]
        if made != choice.name:
            _note(choice, made, report)
            choice.name = made
    elif isinstance(choice, AllowedChoice):
        once = dict.fromkeys(choice.tools)  # or repeats of a name in many namespaces would fill the memory
        listed = [(kind, made) for kind, name in once for made in sent.get(name, [name])]
        if listed != [*once]:
            report.at("TUL-26", choice, "tools")
            choice.tools = listed


# --- calls of responses -----------------------------------------------------------------------------------------------


def qualify(call: Call, constraints: Constraints, report: Report) -> None:
    """Put a call's namespace into its name, for a client whose tools have no namespaces."""
    report.at("TUL-25", call, "namespace")
    if call.namespace != call.name:
        name, accepts = _qualified(call), constraints.tool_name
        call.name = name if accepts is None or accepts(name) else next(_candidates(name, accepts))
    call.namespace = None


PREFIXES = ("functions.", "default_api:", "default_api.")
"""Prefixes that models of OpenAI and Google put before the names of functions."""


def make_known(call: Call, accepts: Callable[[str], Any], report: Report) -> None:
    """Give a call a name that the client's protocol accepts: the name without the model's prefix, or a rewritten one.

    A client that has no tool of that name reports it as the result, and the model goes on (TUL-48).
    """
    bare = _bare(call.name)
    _rename(call, bare if accepts(bare) else next(_candidates(call.name, accepts)), report)


def _bare(name: str) -> str:
    return next((name[len(prefix) :] for prefix in PREFIXES if name.startswith(prefix)), "")


def _rename(call: Call, name: str, report: Report) -> None:
    report.at("TUL-48", call, "name", f"sent as {quoted(name)}")
    call.name = name


def unprefixed(options: Mapping[str, Any], report: Report) -> list[PartStage]:
    """Return the stage that takes the model's own prefix off calls of tools that `state` names."""
    state = options.get("state") or {}
    known = {name for member in (CUSTOM_TOOLS, TOOL_NAMES, CLIENT_TOOLS) for name in state.get(member) or ()}

    def change(part: Part) -> Part:
        if isinstance(part, Call) and part.name not in known and (name := _bare(part.name)) in known:
            part = copy(part)
            _rename(part, name, report)
        return part

    return [OnOpening(change)] if known else []


def named_back(options: Mapping[str, Any]) -> list[PartStage]:
    """Return the stage that gives calls the names that their tools have in the source of the request."""
    names, namespaces = names_of(options, TOOL_NAMES), names_of(options, NAMESPACES)

    def change(part: Part) -> Part:
        if isinstance(part, Call) and (part.name in names or part.name in namespaces):
            sent, part = part.name, copy(part)
            part.name, part.namespace = names.get(sent, sent), namespaces.get(sent, part.namespace)
        return part

    return [OnOpening(change)] if names else []
