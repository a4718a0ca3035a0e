"""A request between a protocol and itself, for a server that the caller states (CAP-1), or with envelopes (RSN-27).

Rule: what the server lacks is approximated or dropped by name, what it demands of the structure is met, what it has
another name for is written so; all else stays as the source has it, and where nothing is to be done, the source itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.request import Request
from ..json.merge import equal
from ..passes import companions, own_protocol
from ..passes.own_protocol import Demands
from ..passes.pipeline import legalize
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..rules.stated import of_stated
from ..rules.verdicts import Target
from .registry import Backend, Frontend, backend
from .server import Server


class Relaying:
    """What a server states that others of its protocol do not have to know.

    table    the verdicts on what it lacks; None: there are none
    demands  what it demands of the structure; None: nothing
    plain    how any server of the protocol is written to, where this one has other names for some members; else None
    checks   whether the target has checks of what other providers left in the history
    words    whether it refuses results of tools without text, as all servers of its protocol do (PLC-27)
    """

    __slots__ = ("back", "checks", "demands", "plain", "table", "words")

    def __init__(self, front: Frontend | None, back: Backend) -> None:
        self.back = back
        self.table: Target | None = None
        self.demands: Demands | None = None
        self.plain: Backend | None = None
        self.checks = any(check.relayed for check in back.target.active)
        self.words = False
        if front is None or front.protocol != back.protocol or not back.stated:
            return
        declared = back.target.settings
        others = [declared[name] for name, value in back.stated.items() if _is_other(declared, name, value)]
        self.table = of_stated(back.target, back.stated)
        if any(one.constraints for one in others):
            plain = backend(back.protocol)
            named = {name for one in others for name in one.constraints}
            self.demands = Demands(plain.constraints, {name: getattr(back.constraints, name) for name in named}) or None
        if any(one.renames for one in others):
            self.plain = backend(back.protocol)
        self.words = companions.results_need_text(back.constraints)

    def concerns(self, root: Any, options: Mapping[str, Any]) -> bool:
        """Whether a request may be another one for the server."""
        if type(root) is not Request:
            return False
        stated = self.table is not None or self.demands is not None or self.plain is not None
        envelopes = own_protocol.states_envelopes(options)
        return (
            stated
            or self._lacks_words(root)
            or (envelopes and (own_protocol.holds_envelopes(root) or self._wants_signatures(root)))
        )

    def _lacks_words(self, root: Request) -> bool:
        return self.words and any(companions.empty_results(root, self.back.constraints))

    def change(self, root: Request, options: Mapping[str, Any], report: Report, server: Server) -> tuple[bool, bool]:
        """Make a request such as the server takes it.

        Returns whether it held envelopes, and whether it may be another one for the server, with a finding or without.
        """
        asked = own_protocol.states_envelopes(options)
        held = asked and own_protocol.holds_envelopes(root)
        checked = held or (asked and self._wants_signatures(root))
        target, constraints = self.back.target, self.back.constraints
        had = [turn for turn in root.turns or () if turn.parts]
        if held:
            own_protocol.relay(root, target, constraints, report, server)
        if self.table is not None:
            legalize(root, self.table, report, server)
        if checked:
            own_protocol.check(root, target, report, server)
        if report.records:
            own_protocol.leave_out_emptied(root, had, constraints, report)
        moved = self.demands is not None and self.demands.meet(root, report, options)
        if self.words:
            companions.word_empty(root, self.back.constraints, report)
        return held, held or moved or bool(report.records) or self._renames(root, server)

    def _wants_signatures(self, root: Request) -> bool:
        return self.checks and own_protocol.is_unsigned(root)

    def _renames(self, root: Request, server: Server) -> bool:
        """Whether the server has other names for what a request says."""
        if self.plain is None:
            return False
        try:
            return not equal(self.back.request(root, server), self.plain.request(root, self.plain.server))
        except Refusal:
            return False


def _is_other(declared: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in declared and value != declared[name].default
