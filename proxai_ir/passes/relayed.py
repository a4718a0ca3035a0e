"""A request between a protocol and itself whose history holds envelopes, or searches without what its provider sealed:
another provider's turns, before a change of route or a fallback (RSN-27, TUL-66).

Rule 1: what belongs to the provider is opened, any other envelope is dropped, and with it reasoning that the provider
refuses without a signature; the target's table decides which that is. Rule 2: nothing else is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..binding.server import Server
from ..ir.envelope import CLOSED, NONE
from ..ir.parts import Reasoning, WebSearchCall, WebSearchResult, with_only
from ..ir.request import Request
from ..ir.turns import Turn
from ..reporting.report import Report
from ..rules.conditions import blank
from ..rules.constraints import Constraints
from ..rules.verdicts import Target
from .envelopes import opener
from .plan import Judgement, among, plan_of
from .recaps import is_sealed, replace
from .signed_ids import hold_signatures


def holds_envelopes(root: Any, options: Mapping[str, Any]) -> bool:
    """Whether there is something to do; only where the caller states what becomes of envelopes."""
    if options.get("carry_seals") is None and not options.get("seal_keys"):
        return False
    return type(root) is Request and (
        any(_has_envelope(turn) or _unsealed(turn) or hold_signatures(turn.parts) for turn in root.turns or ())
        or _holds_summary(root)
    )


def _holds_summary(root: Request) -> bool:
    """Whether there is a summary that was made here (CTX-2)."""
    return bool(root.recaps) and any(turn.parts and is_sealed(turn.parts[0]) for turn in root.turns or ())


def _has_envelope(turn: Turn) -> bool:
    for part in turn.parts:
        seal = getattr(part, "seal", None)
        if seal is not None and seal.kind == CLOSED:
            return True
    return False


def _unsealed(turn: Turn) -> set[str]:
    """The searches of other providers, of whose pages the provider wants the sealed content (TUL-66), by id."""
    found = (part for part in turn.parts if type(part) is WebSearchResult)
    return {part.call_id for part in found if any(map(blank, part.hits))}


def _leave_out(turn: Turn, searches: set[str], report: Report) -> None:
    kept: list[Any] = []
    for part in turn.parts:
        identity = part.call_id if type(part) is WebSearchResult else part.id if type(part) is WebSearchCall else None
        if identity in searches:
            report.at("TUL-22", part)
        else:
            kept.append(part)
    turn.parts[:] = kept


def _open_summaries(root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Refuse a summary that cannot be opened, since it is all that is left of the conversation."""
    if not _holds_summary(root):
        return
    replace(root, constraints, report, options)
    for turn in root.turns or ():
        for part in filter(is_sealed, turn.parts):
            report.at("R2A-3", part)


def relay(root: Request, target: Target, constraints: Constraints, report: Report, server: Server) -> None:
    """Change a request, so that the provider of its own protocol accepts it."""
    _open_summaries(root, constraints, report, vars(server))
    turns = root.turns or []
    opened = opener(root, constraints, report, vars(server))
    table = plan_of(target, "request").inside["assistant"]
    emptied: set[int] = set()
    for turn in turns:
        if searches := _unsealed(turn):
            _leave_out(turn, searches, report)
            if not turn.parts:
                emptied.add(id(turn))
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
            elif part.src is turn.src:  # an item of reasoning, which the seal is over as a whole
                kept = [one for one in kept if type(one) is not Reasoning]
        turn.parts[:] = kept
        if not kept:
            emptied.add(id(turn))
    turns[:] = [turn for turn in turns if id(turn) not in emptied]
    report.facts.linked = True  # calls may have lost their signatures
    for check in target.active:
        if check.relayed:
            check.run(root, report, server)
