"""Ids of calls: each stands once, and is such as the target accepts (TUL-13, TUL-46).

Some providers count the calls of each response, so that `call_0` comes again in every round. Rule: an id depends on
what stands before its call and on nothing after it, so that a call keeps its id when the conversation goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import orjson

from ..ir.parts import ClientCall, CustomCall, FunctionCall
from ..reporting.report import Report
from ..rules.conditions import checked
from .signed_ids import IDS, divided
from .stages import CALL_IDS, ids_of

ANSWERED = (FunctionCall, CustomCall, ClientCall)
"""Calls that the client responds to, by their ids."""


def is_same(call: Any, earlier: Any) -> bool:
    """Whether a call of a response is an earlier one of it once more, by the same id (TUL-77)."""
    if type(call) is not type(earlier) or call.name != earlier.name:
        return False
    if isinstance(call, CustomCall):
        return bool(call.input == earlier.input and call.namespace == earlier.namespace)
    namespaces = [getattr(one, "namespace", None) for one in (call, earlier)]
    return namespaces[0] == namespaces[1] and _value(call.arguments) == _value(earlier.arguments)


def _value(arguments: Any) -> Any:
    """Arguments by what they mean; text that is no JSON is that text."""
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        return orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return arguments


class CallIds:
    """The ids that calls have so far; `accepted`: as in Constraints; `known`: ids that are taken from the start;
    `signed`: whether ids carry signatures, which no provider gets (RSN-29)."""

    def __init__(
        self, accepted: Callable[[str], str] | None, known: Collection[str] = (), *, signed: bool = False
    ) -> None:
        self._accepted = accepted
        self._known = known
        self._signed = signed
        self._taken: set[str] = set()
        self._repeats: dict[str, int] = {}

    def give(self, call: Any, report: Report) -> None:
        """Give a call with an id the one that it has in the target, which no other one has."""
        given, carried = divided(call.id) if self._signed else (call.id, "")
        accepted = given if self._accepted is None else self._accepted(given)
        if accepted != given:
            report.at("TUL-13", call, "id")
        if accepted in self._taken or accepted in self._known:
            report.at("TUL-46", call, "id")
            accepted = self._other(accepted)
        self._taken.add(accepted)
        if accepted != given:
            call.id = accepted + carried

    def _other(self, identity: str) -> str:
        """The id with a checksum of how often it was there; counted on, so that many repeats take no longer each."""
        made = identity
        while made in self._taken or made in self._known:
            number = self._repeats[identity] = self._repeats.get(identity, 0) + 1
            made = checked(identity, f"{number} {identity}")
            made = made if self._accepted is None else self._accepted(made)
        return made

    def forget(self) -> None:
        """Ids may come again from here on."""
        self._taken.clear()
        self._repeats.clear()


class ResponseIds:
    """The ids of a response's calls: in each candidate none that the conversation has, which `state` names."""

    def __init__(self, accepted: Callable[[str], str] | None, options: Mapping[str, Any]) -> None:
        self._accepted = accepted
        self._options = options
        self._known: frozenset[str] | None = None
        self._candidates: dict[int, CallIds] = {}

    def of(self, candidate: int) -> CallIds:
        ids = self._candidates.get(candidate)
        if ids is None:
            if self._known is None:  # most responses have no calls
                self._known = frozenset(ids_of(self._options))
            signed = self._options.get("carry_seals") == IDS
            ids = self._candidates[candidate] = CallIds(self._accepted, self._known, signed=signed)
        return ids


def remember(ids: Iterable[str], report: Report) -> None:
    """Note the ids of a request's calls in `state`, as the client has them."""
    listed = [*dict.fromkeys((*report.state.get(CALL_IDS, ()), *ids))]
    if listed:
        report.state[CALL_IDS] = listed
