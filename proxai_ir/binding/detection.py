"""Which protocol a payload is of, and of what kind: what a caller who named another one is told (SHP-12).

Rule 1: no protocol is listed and no pair is. A protocol's own discriminators say what kind a payload would be of, its
frontend whether it is one, and its vocabulary how many members it does not know. Rule 2: a hint is only looked for once
something is lost or refused, and looks at the ends of long lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..ir.error import Error
from ..ir.parts import UnknownPart
from ..ir.structure import nodes
from ..ir.tools import UnknownTool
from ..reporting.diagnostics import Record, Refusal
from ..reporting.vocabulary import Vocabulary
from .registry import Frontend, frontend, protocols, read_error, read_response

Json = Any
HINT = "SHP-12"
FAMILY = "UNK-"
"""Rules of what a protocol does not know, which is what payloads of another one have."""
ENDS = 4
"""Of a long list so many items from either end are looked at for a hint."""


class Reading(NamedTuple):
    """A payload as one protocol reads it."""

    protocol: str
    kind: str
    unknown: int
    """How many members, parts and tools the protocol does not know."""
    kept: int
    """How many nodes have members that only this protocol has: fewer, where it has them in the tree."""
    node: Any


def readings(payload: Json, kind: str | None = None) -> list[Reading]:
    """What each protocol makes of a payload, of those that read it: the one that knows most of it first."""
    found = [_reading(payload, kind, frontend(name)) for name in protocols()]
    return sorted(filter(None, found), key=_rank)


def detected(payload: Json, kind: str | None = None) -> list[Reading]:
    """The readings that leave the fewest members unknown; several, where the payload is one of either protocol."""
    found = readings(payload, kind)
    return [one for one in found if _rank(one) == _rank(found[0])]


def _rank(one: Reading) -> tuple[int, int]:
    return one.unknown, one.kept


def _reading(payload: Json, kind: str | None, front: Frontend) -> Reading | None:
    if not isinstance(payload, dict):
        return None
    try:
        found = front.detect(payload)
        if kind not in (None, found):
            return None
        if found == "request":
            node: Any = front.request(payload)
        else:
            node = read_error(front, payload, None) if found == "error" else read_response(front, payload, None)
        kept = sum(getattr(one, "extra", None) is not None for one in nodes(node))
        return Reading(front.protocol, found, unknown(node, front.vocabulary), kept, node)
    except Refusal:
        return None
    except Exception:  # a mistake of another package is no finding about this payload
        return None


def unknown(root: Any, vocabulary: Vocabulary) -> int:
    """How many members, parts and tools of a tree its protocol does not know."""
    records: list[Record] = []
    count = 0
    for node in nodes(root):
        if isinstance(node, (UnknownPart, UnknownTool)):
            count += 1
        elif getattr(node, "extra", None) is not None:
            vocabulary.report_members(node, True, records)
    kept = isinstance(root, Error) and root.verbatim is not None  # a body of no shape that is known (ERR-5)
    return count + kept + sum(rule.startswith(FAMILY) for rule, *_ in records)


# --- hints ------------------------------------------------------------------------------------------------------------


def hint(payload: Json, kind: str | None, given: Frontend) -> str:
    """What else a payload looks like that was given as one of this protocol and kind; "" for nothing else."""
    payload = _ends(payload)
    fitting = [one for one in readings(payload) if not one.unknown]
    if any(one.protocol == given.protocol and one.kind == (kind or one.kind) for one in fitting):
        return ""
    fitting = [one for one in fitting if _rank(one) == _rank(fitting[0])]
    same = [one.protocol for one in fitting if one.kind == (kind or one.kind)]
    names = same or [f"a{'n' * (one.kind[0] in 'aeiou')} {one.kind} of {one.protocol}" for one in fitting]
    return f"the payload looks like {' or '.join(names)}" if names else ""


def hinted(records: Sequence[Record], payload: Json, kind: str | None, given: Frontend) -> list[Record]:
    """The same refusals, of which the first says what the payload looks like."""
    (rule, place, detail), *others = records
    found = hint(payload, kind, given)
    return [(rule, place, f"{detail}; {found}" if detail and found else detail or found), *others]


def is_unknown(rules: Iterable[str]) -> bool:
    """Whether one of the rules is about something that the source's protocol does not know."""
    return any(rule.startswith(FAMILY) for rule in rules)


def _ends(payload: Json) -> Json:
    if not isinstance(payload, dict):
        return payload
    return {
        name: value[:ENDS] + value[-ENDS:] if isinstance(value, list) and len(value) > 2 * ENDS else value
        for name, value in payload.items()
    }
