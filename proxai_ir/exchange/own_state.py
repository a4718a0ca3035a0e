"""What a request names that its provider keeps: whether it is the client's own, where clients share an account there.

Rule 1: of responses, conversations and items the memory knows whose they are. Rule 2: nobody knows whose a file, a
container or a cache is, so that those are refused, where the protocol has their names (`Http.stored`).
"""

from __future__ import annotations

from typing import Any

from ..binding.http import Http, References
from ..reporting.diagnostics import InvalidPayload, render
from .memory import Recollection, references

Json = Any
UNKNOWN = "it is not known as this client's own, and others share the account"


def not_own(found: tuple[str, str], payload: Json) -> InvalidPayload:
    return InvalidPayload(render([("R2A-3", None, f"{found[1]!r:.80}: {UNKNOWN}")], payload, refused=True))


def check_own(
    http: Http, refers: References | None, memory: Recollection | None, payload: Json
) -> tuple[str, str] | None:
    """What the request refers to and the memory has not, the kind and the name. Raises InvalidPayload for a file and
    the like."""
    for place, name in http.stored.names_in(payload):
        raise InvalidPayload(render([("SRC-1", place, f"{name!r:.80}: {UNKNOWN}")], payload, refused=True))
    if refers is None:
        return None
    for sort, name in references(refers, payload):
        if memory is None or not memory.knows(sort, name):
            return sort, name
    return None
