"""Counting the tokens of a request: at the provider, in both protocols, or about; sans I/O."""

from __future__ import annotations

from typing import Any

import orjson

from ..binding.http import Counting
from ..json.bytes import dumped
from .messages import Upstream

Json = Any
BYTES_OF_TOKEN = 4
TOKENS_OF_MEDIA = 1500
SHORTEST_MEDIA = 1024
"""Characters of a text without a space, from which on it counts as encoded data."""


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


def estimate(request: Json) -> int:
    """About how many tokens a request has, by the bytes of its texts and names; data count as pictures usually do."""
    return -(-_bytes_in(request) // BYTES_OF_TOKEN)


def _bytes_in(value: Json) -> int:
    if isinstance(value, dict):
        return sum(len(name) + _bytes_in(one) for name, one in value.items())
    if isinstance(value, list):
        return sum(map(_bytes_in, value))
    if not isinstance(value, str):
        return 1
    data = len(value) >= SHORTEST_MEDIA and " " not in value[:SHORTEST_MEDIA] and value.isascii()
    return TOKENS_OF_MEDIA * BYTES_OF_TOKEN if data else len(value.encode("utf-8", "surrogatepass"))
