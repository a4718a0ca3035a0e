"""The hook of a caller on the IR of one exchange: what its function is shown, and what becomes of what it returns.

Rule 1: what the function leaves equal is passed on as if there were no hook. Rule 2: what it is shown is a copy, so
that nothing else changes with it. Rule 3: a function that raises or returns what cannot be ends the exchange, and no
message says more of it than the class of an exception or of a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy, deepcopy
from typing import Any, NoReturn, get_args

from attrs import evolve, field

from ..ir.request import Request
from ..ir.stream import events
from ..ir.stream.events import Event
from ..ir.stream.grammar import Grammar, OutOfOrder
from ..json.classes import frozen
from ..passes.changes import changes_something
from ..reporting.diagnostics import Diagnostic, Severity, TranslationError

HOOK = "hook"
"""Stands for a rule where a hook ended an exchange."""
FAILED = "The hook failed."
"""What clients are told of a function that fails; `Hook` tells its owner why."""
EVENTS = tuple(cls for cls in get_args(Event) if cls is not events.Unread)
OF_VALUES = (events.PartGrew, events.PartClosed, events.MediaGrew, events.Completed)
"""Events that can only be changed by assigning to their own fields."""
KEPT = ("model", "streaming")
"""Fields of requests that decided already where the request goes, and how its response comes."""


@frozen
class HookCall:
    """The facts of an exchange that a hook's function is told.

    kind      "request", "response" (a whole one) or "event" (of a stream)
    client    the client's protocol; `provider`: that of the provider
    model     the model that the client asked for
    path      the path of its request, where the exchange was told it
    id, who, upstream   in a gateway: the id of the exchange in the log, the name of the client's key, the upstream
    notes     the function's own, for the rest of the exchange
    """

    kind: str = ""
    client: str = ""
    provider: str = ""
    model: str | None = None
    path: str = ""
    id: str = ""
    who: str = ""
    upstream: str = ""
    notes: dict[Any, Any] = field(factory=dict, eq=False, repr=False)


class Denied(TranslationError):
    """The refusal that a hook's function returns or raises: a message for the client, and a status of 400 to 599."""

    def __init__(self, message: str, status: int = 403) -> None:
        if not isinstance(message, str) or type(status) is not int or not 400 <= status <= 599:
            raise TypeError("expected a text and a status of 400 to 599")
        super().__init__((Diagnostic(HOOK, Severity.ERROR, "", message),))
        self.args = (message,)
        self.status = status

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.status)


class Failing(Exception):
    """A failure of a function without an exception of its own; the text says what it did: "did not return"."""


Function = Callable[[Any, HookCall], Any]
"""Returns the tree that it gets, or another of its class, or for an event also a list of events; or a Denied."""


class Hook:
    """A hook's function in one exchange. As a stage of a stream it follows the grammar of events.

    call     what the function is told, but for the kind
    failed   is called with what the function did wrong
    denied   whether the exchange is over for a refusal or a failure
    """

    def __init__(
        self, function: Function, call: HookCall | None = None, failed: Callable[[str], None] = lambda _: None
    ) -> None:
        self.call = call or HookCall()
        self.denied = False
        self._function, self._failed = function, failed
        self._before, self._after, self._changed = Grammar(), Grammar(), False
        self._request: Request | None = None

    def about(self, **facts: Any) -> None:
        """Note facts of the exchange."""
        self.call = evolve(self.call, **facts)

    def tree(self, tree: Any, own: Any) -> Any:
        """Return the tree, or what the function made of `own`, an equal tree with another payload. Raises Denied."""
        made = self._returned(own, "request" if isinstance(tree, Request) else "response")
        if type(made) is not type(tree):
            self.fail(f"returned {_article(made)} in place of {_article(tree)}")
        self._request = None
        if made == tree:
            return tree
        self._check(made)
        if isinstance(made, Request):
            for name in KEPT:
                if getattr(made, name) != getattr(tree, name):
                    self.fail(f"changed `{name}`, which a hook cannot")
            made.changes = made.changes or changes_something(made)
            self._request = deepcopy(made)  # what becomes of it until it is sent changes it
        return made

    def again(self, tree: Request, _: Request) -> Request:
        """Return what the function made of the same request before, without showing it a request that may not be
        sent."""
        return tree if self._request is None else deepcopy(self._request)

    def run(self, found: Iterable[Event], /) -> list[Event]:
        """Return the events as the function returns them. Raises Denied."""
        out: list[Event] = []
        for event in found:
            made = self._returned(copy(event) if event.__class__ in OF_VALUES else deepcopy(event), "event")
            listed: list[Any] = made if isinstance(made, list) else [made]
            if len(listed) == 1 and type(listed[0]) is type(event) and listed[0] == event:
                listed = [event]
            else:
                self._changed = True
                for one in listed:
                    if not isinstance(one, EVENTS):
                        self.fail(f"returned {_article(one)} in place of an event")
                self._check(events.Stream(None, [listed]))
            legal = _follows(self._before, event)
            misplaced = [one for one in listed if not _follows(self._after, one)]
            if misplaced and legal and self._changed:
                self.fail("returned events in an order that no stream has")
            out += _unrepeated(listed) if self._changed else listed
        return out

    def _returned(self, own: Any, kind: str) -> Any:
        if self.call.kind != kind:
            self.about(kind=kind)
        why = ""
        try:
            made = self._function(own, self.call)
        except Denied as error:
            made = error
        except Failing as error:
            made, why = None, str(error)
        except Exception as error:
            made, why = None, f"raised {type(error).__name__}"
        if why:
            self.fail(why)
        if isinstance(made, Denied):
            self.denied = True
            raise Denied(str(made), made.status)  # the function may return the same one again
        return made

    def _check(self, made: Any) -> None:
        """Check that a changed tree holds what its fields may, and can be written."""
        from ..ir.json_form import dumps, loads  # which take long to load, for changes alone

        try:
            sound = loads(dumps(made)) == made
        except Exception:
            sound = False
        if not sound:
            self.fail(f"returned {_article(made)} with values of wrong types")

    def fail(self, why: str) -> NoReturn:
        """End the exchange, as the function did something wrong. Raises Denied."""
        self.denied = True
        self._failed(why)
        raise Denied(FAILED, 500)


def _unrepeated(found: Iterable[Event]) -> Iterator[Event]:
    """Yield events without what repeats texts that may have been changed."""
    for event in found:
        if isinstance(event, events.PartClosed):
            yield events.PartClosed(event.index)
        elif not isinstance(event, events.Restated):
            yield event


def _follows(grammar: Grammar, event: Event) -> bool:
    """Return whether an event may stand where it does; the grammar goes on behind it either way."""
    try:
        grammar(event)
    except OutOfOrder:
        grammar.follow(event)
        return False
    return True


def _article(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
