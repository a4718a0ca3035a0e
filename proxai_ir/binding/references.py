"""How requests of one protocol refer to what its servers keep: a declaration a protocol, for `exchange.memory`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attrs import frozen

Json = dict[str, Any]


@frozen(kw_only=True)
class References:
    """All functions take payloads that conversion has not checked yet, and raise nothing.

    previous      the id of the response that a request continues, or None
    conversation  the id of the conversation that a request continues, or None
    keeps         whether the response to a request is to be kept
    items         what a request adds to the conversation, as the wire has it
    output        what a response adds
    reference     the id of the kept item that an item is the name of, or None
    whole         the request with these items in place of its own, and without any reference
    missing       the HTTP status and the body of the error for an id that is not known, of a "response", a
                  "conversation" or an "item"
    """

    previous: Callable[[Json], str | None]
    conversation: Callable[[Json], str | None]
    keeps: Callable[[Json], bool]
    items: Callable[[Json], list[Any]]
    output: Callable[[Json], list[Any]]
    reference: Callable[[Any], str | None]
    whole: Callable[[Json, Sequence[Any]], Json]
    missing: Callable[[str, str], tuple[int, Json]]
