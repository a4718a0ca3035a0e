"""Bookkeeping that every IR node carries, and the markers that several kinds of node share.

Rule 1: bookkeeping changes nothing for another protocol. `src` is where diagnostics point; `extra` holds what only the
source's own protocol can say (LOS-3) and is given back to it alone.
"""

from __future__ import annotations

from typing import Any

import attrs
from attrs import define


def bookkeeping() -> Any:
    """A slot that is no feature: left out of comparisons and of the JSON form."""
    return attrs.field(default=None, eq=False, repr=False)


@define
class Extra:
    """What a node keeps for its own protocol.

    `fields` mirrors the wire object: members without an IR field, at their place (nested objects nest).
    `wire_forms` names which of several equivalent forms the source used, where it is not the canonical one.
    """

    fields: dict[str, Any] | None = None
    wire_forms: tuple[str, ...] = ()


@define
class Cache:
    """A cache marker: what stands up to here may be cached, for at least `ttl` seconds (None: the target's default)."""

    ttl: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class Seal:
    """Data that only its maker can read: a signature of reasoning text, or reasoning encrypted as a whole (RSN-4).

    `kind` is the maker's word for it: "signature", "redacted", "encrypted", "index"; `id` is what the maker calls the
    thing that is sealed, where the seal is of no use without it.
    """

    provider: str
    kind: str
    data: str
    id: str | None = None
