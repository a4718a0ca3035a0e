"""Whether a table lets seals through that only another maker can read: found out by one that nobody made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs

from ..ir.node import Seal
from ..ir.parts import with_only
from ..ir.structure import PARTS
from .verdicts import NOT_CARRIED, Target, Verdict

NOBODYS = Seal("nobody", "signature", "x")


def unguarded(target: Target) -> list[str]:
    """The classes of parts whose seal the target is sent whoever made it: no verdict on it looks at the maker."""
    return [cls.__name__ for cls in PARTS if "seal" in attrs.fields_dict(cls) and any(_passes(target, cls))]


def _passes(target: Target, cls: type) -> Iterator[bool]:
    """For each kind of payload, whether such a seal reaches the target."""
    part = with_only(cls, None, seal=NOBODYS, **({"text": "x"} if "text" in attrs.fields_dict(cls) else {}))
    for kind, places in target.places.items():
        judged = [one.of_kind(kind).verdicts for one in target.fields.get(cls, ()) if one.name == "seal"]
        there = [
            _carried(part, [(None, one) for one in table.get(cls, ())]) for table in places.values() if cls in table
        ]
        yield cls in target.fields and any(there) and all(_carried(part, one) for one in judged)


def _carried(part: Any, verdicts: Iterable[tuple[Any, Verdict]]) -> bool:
    """Whether the first verdict that holds carries it as it is; one that cannot judge so bare a part shows nothing."""
    for values, verdict in verdicts:
        try:
            if (values is None or part.seal in values) and (verdict.when is None or verdict.when(part)):
                return verdict.word not in NOT_CARRIED and verdict.by is None
        except Exception:  # whatever an author's condition raises
            return False
    return True
