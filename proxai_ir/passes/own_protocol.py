"""Adapt a request between a protocol and itself: to a stated server's demands, and to other providers' turns in it.

Owns the part of CAP-1 that is about structure, and RSN-27.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Attribute, evolve, fields

from ..ir.envelope import CLOSED, NONE
from ..ir.parts import CustomCall, FunctionCall, Reasoning, WebSearchCall, WebSearchResult, with_only
from ..ir.request import Request, Turn
from ..ir.structure import copy_tree
from ..ir.tools import CustomTool, ToolGroup
from ..reporting.catalogue import KNOWN
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..targets.conditions import blank
from ..targets.constraints import Constraints
from ..targets.settings import Server
from ..targets.verdicts import Target
from . import adjacency, calls, emulation, placement
from .legality import Judgement, among, plan_of
from .no_turns import is_sealed, replace
from .seals import hold_signatures, opener
from .stages import CUSTOM_TOOLS

# --- demands of a stated server ---------------------------------------------------------------------------------------
# A server may restrict the places of instructions, the order of roles, ids of calls and empty texts (PLC, TUL-13). Only
# demands that not all servers of the protocol have are met; nothing else of the structure changes. Nothing is refused:
# a pass that would refuse the request does not run, since the server refuses it itself (CAP-1).


Pass = Callable[[Request, Constraints, Report, Mapping[str, Any]], None]


def _leave_out_empty(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    placement.place(root, constraints, report, options)
    adjacency.regroup_tool_turns(root, evolve(constraints, results="anywhere"), report, options)


OF = fields(Constraints)


def _for(*constraints: Attribute[Any]) -> frozenset[str]:
    return frozenset(one.name for one in constraints)


PASSES: tuple[tuple[Pass, frozenset[str]], ...] = (
    (_leave_out_empty, _for(OF.empty_text)),
    (placement.place_instructions, _for(OF.later)),
    (adjacency.regroup_tool_turns, _for(OF.results, OF.calls_last)),
    (adjacency.join, _for(OF.role_neighbours)),
    (adjacency.end, _for(OF.last_turn, OF.any_role_order, OF.beside_results)),
    (calls.pair, _for(OF.call_id)),
    (placement.join_texts, _for(OF.text_arrays)),
)
"""The passes in their order, each with the constraints that it meets."""


class Demands:
    """The passes that meet the constraints of a server that differ from the protocol's, which are `stated`."""

    def __init__(self, of_protocol: Constraints, stated: Mapping[str, Any]) -> None:
        self._passes = [run for run, names in PASSES if not names.isdisjoint(stated)]
        known = frozenset[str]().union(*(names for _, names in PASSES))
        loose = evolve(
            of_protocol,
            results="anywhere",
            media_results=True,
            nested=True,
            ordered=True,
            empty_text=True,
            items=True,
            open_calls=True,
            call_id=None,
            tool_name=None,
            unique_calls=False,
            last_turn="kept",
            any_role_order=True,
            beside_results=None,
            role_neighbours=True,
            calls_last=False,
            calls_first=True,
            assistant_first=True,
            text_arrays=True,
            later="anywhere",
        )
        self._constraints = evolve(loose, **{name: value for name, value in stated.items() if name in known})

    def __bool__(self) -> bool:
        return bool(self._passes)

    def meet(self, root: Request, report: Report, options: Mapping[str, Any]) -> bool:
        """Change the structure of a request; return whether it differs now."""
        given, passes, before = copy_tree(root), [*self._passes], len(report.records)
        while (refusing := self._first_to_refuse(passes, root, report, options)) is not None:
            passes.remove(refusing)
            root.turns = copy_tree(given).turns
            report.take(before)
        return root.turns != given.turns

    def _first_to_refuse(
        self, passes: list[Pass], root: Request, report: Report, options: Mapping[str, Any]
    ) -> Pass | None:
        """Run passes until one refuses the request, and return that one."""
        facts = report.facts
        facts.rounds, facts.emptied, facts.linked, facts.reshaped = None, False, True, False
        for run in passes:
            before = len(report.records)
            try:
                run(root, self._constraints, report, options)
            except Refusal:
                return run
            if any(rule and KNOWN[rule].severity == "error" for rule, _, _ in report.records[before:]):
                return run
        return None


# --- tools in another form --------------------------------------------------------------------------------------------
# A server may lack custom tools, and tools in namespaces (CAP-1). A request that has them is converted as for any
# server without them, since then its tools, their choice, and the calls in its history change together.


class Forms:
    """The forms of tools that a stated server lacks, and other servers of its protocol have.

    customs  whether it lacks custom tools, which are functions in their place where the caller asks for that
    groups   whether it lacks namespaces, and items of the conversation that define tools
    """

    __slots__ = ("customs", "groups")

    def __init__(self, target: Target, stated: Mapping[str, Any], demanded: Mapping[str, Any]) -> None:
        verdicts = target.places["request"]["tools"][CustomTool]
        self.customs = any(one.word == "refuses" and one.without in stated for one in verdicts)
        self.groups = demanded.get(OF.namespaces.name) is False

    def are_in(self, root: Request, options: Mapping[str, Any]) -> bool:
        """Return whether a request has a form that the server lacks, and is to have another one."""
        customs = self.customs and emulation.is_asked(CUSTOM_TOOLS, options)
        if not (customs or self.groups):
            return False
        parts = (part for turn in root.turns or () for part in turn.parts)
        return any(
            (customs and isinstance(one, (CustomTool, CustomCall)))
            or (self.groups and (type(one) is ToolGroup or getattr(one, "namespace", None) is not None))
            for one in (*(root.tools or ()), *parts)
        )


# --- turns of other providers -----------------------------------------------------------------------------------------
# After a change of route or a fallback, the history has envelopes, searches without sealed content, and reasoning and
# calls without signatures (RSN-27, TUL-66). Envelopes of the provider's own seals are opened; others are dropped, with
# the reasoning that the provider refuses without a signature, by the target's table and checks. The rest stays.


def states_envelopes(options: Mapping[str, Any]) -> bool:
    """Return whether the caller's options state what happens to envelopes."""
    return options.get("seals") is not None


def holds_envelopes(root: Request) -> bool:
    """Return whether reasoning, a call, a search or a summary has an envelope."""
    return _holds_summary(root) or any(
        _has_envelope(turn) or _unsealed(turn) or hold_signatures(turn.parts) for turn in root.turns or ()
    )


def is_unsigned(root: Request) -> bool:
    """Return whether reasoning or a call lacks a signature, which the provider may require."""
    parts = (part for turn in root.turns or () for part in turn.parts)
    return any(isinstance(part, (Reasoning, FunctionCall)) and part.seal is None for part in parts)


def _holds_summary(root: Request) -> bool:
    """Return whether a turn begins with a summary that this library has sealed (CTX-2)."""
    return bool(root.recaps) and any(turn.parts and is_sealed(turn.parts[0]) for turn in root.turns or ())


def _has_envelope(turn: Turn) -> bool:
    for part in turn.parts:
        seal = getattr(part, "seal", None)
        if seal is not None and seal.kind == CLOSED:
            return True
    return False


def _unsealed(turn: Turn) -> set[str]:
    """Return the ids of other providers' searches, whose hits lack the sealed content of this provider's (TUL-66)."""
    results = (part for part in turn.parts if type(part) is WebSearchResult)
    return {part.call_id for part in results if any(map(blank, part.hits))}


def _drop_searches(turn: Turn, searches: set[str], report: Report) -> None:
    kept: list[Any] = []
    for part in turn.parts:
        identity = part.call_id if type(part) is WebSearchResult else part.id if type(part) is WebSearchCall else None
        if identity in searches:
            report.at("TUL-22", part)
        else:
            kept.append(part)
    turn.parts[:] = kept


def _open_summaries(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Open summaries, and refuse one that cannot be opened, since nothing else is left of the conversation."""
    if not _holds_summary(root):
        return
    replace(root, constraints, report, options)
    for turn in root.turns or ():
        for part in filter(is_sealed, turn.parts):
            report.at("R2A-3", part)


def relay(root: Request, target: Target, constraints: Constraints, report: Report, server: Server) -> None:
    """Change other providers' turns so that the provider accepts the request."""
    _open_summaries(root, constraints, report, vars(server))
    turns = root.turns or []
    opened = opener(root, constraints, report, vars(server))
    table = plan_of(target, "request").inside["assistant"]
    for turn in turns:
        if searches := _unsealed(turn):
            _drop_searches(turn, searches, report)
    for turn in filter(_has_envelope, turns):
        kept: list[Any] = []
        for part in turn.parts:
            seal = getattr(part, "seal", None)
            if seal is None or seal.kind != CLOSED:
                kept.append(part)
                continue
            made = opened(part)
            judgement = Judgement(report)
            left = [with_only(type(part), part.src, text=getattr(part, "text", None), seal=made.seal or NONE)]
            among(judgement, left, table)
            judgement.apply()
            if left:
                made.seal = None if left[0].seal is NONE else left[0].seal
                kept.append(made)
            elif part.src is turn.src:  # an item of reasoning, which its seal signs as a whole
                kept = [one for one in kept if type(one) is not Reasoning]
        turn.parts[:] = kept


def check(root: Request, target: Target, report: Report, server: Server) -> None:
    """Run those checks of the target that are about other providers' turns in the history."""
    report.facts.linked = True
    for one in target.active:
        if one.relayed:
            one.run(root, report, server)


def leave_out_emptied(root: Request, had: list[Turn], constraints: Constraints, report: Report) -> None:
    """Drop the turns that had parts and have none left."""
    emptied = {id(turn) for turn in had if not turn.parts}
    if emptied:
        root.turns = [turn for turn in root.turns or () if id(turn) not in emptied]
        if not constraints.role_neighbours:
            adjacency.join(root, constraints, report, {})
