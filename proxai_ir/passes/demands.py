"""What a server that the caller states demands of the structure of a request of its own protocol: where instructions
stand, which roles may follow each other, ids of calls, empty texts (PLC, TUL-13).

Rule 1: only demands that the protocol's servers do not all have are met, and nothing else of the structure changes.
Rule 2: nothing is refused: a pass that would refuse the request does not run, as the server says so itself (CAP-1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import Attribute, evolve, fields

from ..ir.copying import copy_tree
from ..ir.request import Request
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..rules.catalogue import KNOWN
from ..rules.constraints import Constraints
from . import adjacency, instructions, items, last_turn, neighbours, pairing, placement

Pass = Callable[[Request, Constraints, Report, Mapping[str, Any]], None]


def _leave_out_empty(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    placement.place(root, constraints, report, options)
    adjacency.regroup_tool_turns(root, evolve(constraints, results="anywhere"), report, options)


OF = fields(Constraints)


def _for(*constraints: Attribute[Any]) -> frozenset[str]:
    return frozenset(one.name for one in constraints)


PASSES: tuple[tuple[Pass, frozenset[str]], ...] = (
    (_leave_out_empty, _for(OF.empty_text)),
    (instructions.place_instructions, _for(OF.later)),
    (adjacency.regroup_tool_turns, _for(OF.results, OF.calls_last)),
    (neighbours.join, _for(OF.role_neighbours)),
    (last_turn.end, _for(OF.last_turn, OF.any_role_order)),
    (pairing.pair, _for(OF.call_id)),
    (items.join_texts, _for(OF.text_arrays)),
)
"""In order, each with the constraints that it is for."""


class Demands:
    """The passes that meet some constraints: `stated` are those that are others than the protocol's."""

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
        """Change the structure of a request; whether it was another one."""
        given, passes, before = copy_tree(root), [*self._passes], len(report.records)
        while (refusing := self._first_to_refuse(passes, root, report, options)) is not None:
            passes.remove(refusing)
            root.turns = copy_tree(given).turns
            del report.records[before:]
        return root.turns != given.turns

    def _first_to_refuse(
        self, passes: list[Pass], root: Request, report: Report, options: Mapping[str, Any]
    ) -> Pass | None:
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
