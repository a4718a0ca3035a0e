"""The table for conversions within one protocol: what a server described by the caller does not accept (CAP-1).

Rule 1: only verdicts on capabilities that the caller states apply; the others are assumptions for requests of other
protocols (CAP-2). Rule 2: nothing is refused: the server itself responds in the client's protocol. Rule 3: earlier
verdicts on the same subject keep their precedence.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy

from attrs import evolve

from ..ir.structure import FEATURES, KEYED
from ..ir.turns import Role
from .catalogue import KNOWN
from .servers import Limited
from .verdicts import Check, Field, Target, Values, Verdict, ok

LEGAL = ok()
Chain = tuple[tuple[Values | None, Verdict], ...]


def of_stated(target: Target, stated: Collection[str]) -> Target | None:
    """The table with the verdicts and checks on these capabilities alone; None where there are none."""

    def concerns(one: Limited) -> bool:
        return one.without in stated or any(name in stated for name, _ in one.where)

    def kept(chain: Chain) -> Chain:
        """The chain up to the last verdict that applies; earlier ones on other values are made neutral."""
        counting = [at for at, (_, one) in enumerate(chain) if concerns(one) and one.word != "refuses"]
        made: list[tuple[Values | None, Verdict]] = []
        for at, (values, one) in enumerate(chain[: counting[-1] + 1] if counting else ()):
            decides = any(at <= later and _overlap(values, chain[later][0]) for later in counting)
            made.append((values, one if at in counting else _mild(one) if decides else _legal(one)))
        return tuple(made)

    def place(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        return (*(one for _, one in kept(tuple((None, one) for one in verdicts))), LEGAL)

    made = copy(target)
    made.fields = dict.fromkeys(FEATURES, ())
    for cls, fields in target.fields.items():
        judged = (Field(one.name, kept(one.verdicts)) for one in fields if one.name not in KEYED.get(cls, ()))
        made.fields[cls] = tuple(one for one in judged if one.verdicts)
    made.places = {
        kind: {name: {cls: place(verdicts) for cls, verdicts in classes.items()} for name, classes in places.items()}
        for kind, places in target.places.items()
    }
    made.active = tuple(one for one in target.active if concerns(one) and not _refuses(one))
    made.roles = frozenset(role.value for role in Role)
    made.plans, made.open = {}, True
    judges = any(made.fields.values()) or any(
        len(verdicts) > 1
        for places in made.places.values()
        for classes in places.values()
        for verdicts in classes.values()
    )
    return made if judges or made.active else None


def _refuses(check: Check) -> bool:
    return bool(check.rules) and all(KNOWN[rule].severity == "error" for rule in check.rules)


def _mild(verdict: Verdict) -> Verdict:
    """Nothing is refused, and what is legal stays as it is written."""
    return _legal(verdict) if verdict.word in ("ok", "refuses", "fills") else verdict


def _legal(verdict: Verdict) -> Verdict:
    return evolve(verdict, word="ok", rule=None, by=None, detail="")


def _overlap(some: Values | None, others: Values | None) -> bool:
    return some is None or others is None or not set(some).isdisjoint(others)
