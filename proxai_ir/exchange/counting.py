"""Counting the tokens of a request at the provider, in both protocols, sans I/O."""

from __future__ import annotations

import orjson

from ..binding.http import Counting
from ..json.bytes import dumped
from .messages import Upstream


def to_count(sent: Upstream, counting: Counting) -> Upstream:
    """The request that counts the tokens of this one."""
    body = dumped(counting.body(orjson.loads(sent.body), sent.path))
    return Upstream(
        path=counting.path(sent.path), headers=sent.headers, body=body, stream=False, diagnostics=sent.diagnostics
    )


def count_in(data: bytes, counting: Counting) -> int | None:
    """The count in a provider's response; None where it has none."""
    try:
        number = orjson.loads(data)[counting.number]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return number if type(number) is int else None
