"""The table of a relay: what a server that the caller states does not take, where a request is of its own protocol.

Rule 1: only verdicts on capabilities that the caller states change anything, as all others are assumptions, made for
requests of other protocols (CAP-2). Rule 2: nothing is refused: the server answers in the protocol that its client
speaks. Rule 3: what stands before such a verdict on the same subject still decides first.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy

from attrs import evolve

from ..ir.structure import FEATURES, KEYED
from ..ir.turns import Role
from .servers import Limited
from .verdicts import Field, Target, Verdict, ok

LEGAL = ok()


def of_stated(target: Target, stated: Collection[str]) -> Target | None:
    """The table with the verdicts and checks on these capabilities alone; None where there are none."""

    def concerns(one: Limited) -> bool:
        return one.without in stated or any(name in stated for name, _ in one.where)

    def cut(verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        last = max((at for at, one in enumerate(verdicts, 1) if concerns(one) and one.word != "refuses"), default=0)
        return verdicts[:last]

    def field(one: Field) -> Field:
        kept = cut(tuple(verdict for _, verdict in one.verdicts))
        return Field(one.name, tuple((values, _mild(v)) for (values, v), _ in zip(one.verdicts, kept, strict=False)))

    made = copy(target)
    made.fields = dict.fromkeys(FEATURES, ())
    for cls, fields in target.fields.items():
        judged = (field(one) for one in fields if one.name not in KEYED.get(cls, ()))
        made.fields[cls] = tuple(one for one in judged if one.verdicts)
    made.places = {
        kind: {
            place: {cls: (*map(_mild, cut(verdicts)), LEGAL) for cls, verdicts in classes.items()}
            for place, classes in places.items()
        }
        for kind, places in target.places.items()
    }
    made.active = tuple(one for one in target.active if concerns(one))
    made.roles = frozenset(role.value for role in Role)
    made.plans, made.open = {}, True
    judges = any(made.fields.values()) or any(
        len(verdicts) > 1 for places in made.places.values() for classes in places.values() for verdicts in classes.values()
    )
    return made if judges or made.active else None


def _mild(verdict: Verdict) -> Verdict:
    """Nothing is refused, and what is legal stays as it is written."""
    if verdict.word not in ("ok", "refuses", "fills"):
        return verdict
    return evolve(verdict, word="ok", rule=None, by=None, detail="")
