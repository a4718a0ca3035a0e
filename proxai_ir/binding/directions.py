"""One direction, from a protocol to another, bound once.

What a direction holds depends on neither the payload nor the options of a call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..json.merge import equal, own
from ..json.pointer import Respelled
from ..passes.pipeline import Pipeline, Run, legalize
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from .options import new_report
from .profile import Profile, resolved
from .registry import MOST_PROFILES, Backend, Frontend, backend, frontend
from .relaying import Relaying
from .same_protocol import restored
from .server import Server
from .slips import slips_of

UNSEEN_EDIT = "SHP-9"
"""The rule of an edit that the protocol cannot represent."""


class Direction:
    """From what a frontend read (None: a tree of no protocol) to a backend's payload."""

    __slots__ = ("_steps", "back", "front", "pipeline", "relaying")

    def __init__(self, front: Frontend | None, back: Backend) -> None:
        self.front = front
        self.back = back
        self.pipeline = Pipeline(back.target, back.constraints)
        self.relaying = Relaying(front, back)
        self._steps: dict[type, tuple[Run, Callable[[Any, Server], Any]]] = {}

    def write(self, root: Any, options: Mapping[str, Any]) -> tuple[Any, Report]:
        """The payload of a tree, which is changed, and what was found on the way.

        Raises Refusal with everything that the target refuses.
        """
        passes, build = self._steps.get(root.__class__) or self._steps_of(root.__class__)
        report, server = new_report(self.front, self.back, options), self.back.bound(options)
        if isinstance(root.src, Respelled):
            report.records += slips_of(root.src)
        passes(root, report, options, server, server is not self.back.server)
        report.stop()
        try:
            return build(root, server), report
        except Refusal as refusal:  # only writing shows that text is not JSON; it names the node and field
            refusal.records = [(rule, report.place(*place), detail) for rule, place, detail in refusal.records]
            raise

    def _steps_of(self, cls: type) -> tuple[Run, Callable[[Any, Server], Any]]:
        """The passes and the builder of one class of root."""
        made = self._steps[cls] = self.pipeline.passes(cls), getattr(self.back, cls.__name__.lower())
        return made

    def relays(self, root: Any, options: Mapping[str, Any]) -> bool:
        """Whether a request may be another one for a server of its own protocol: one that the caller states (CAP-1), or
        because of envelopes (RSN-27)."""
        return self.relaying.concerns(root, options)

    def relay(self, root: Any, options: Mapping[str, Any]) -> tuple[Any, Report]:
        """The same between a protocol and itself, for a request that `relays`; None where it is taken as it is."""
        report, server = new_report(self.front, self.back, options), self.back.bound(options)
        held, changed = self.relaying.change(root, options, report, server)
        report.stop()
        if not changed:
            return None, report
        try:
            made = self.restored(root, options)
            same = not report.records and equal(made, own(root.src))  # as the source has those names already
            return None if same else made, report
        except Refusal as refusal:
            if held or all(rule != UNSEEN_EDIT for rule, _, _ in refusal.records):
                raise
            report.records.clear()  # the protocol says it in no other way than the payload does
            return None, report

    def restored(self, root: Any, options: Mapping[str, Any]) -> Any:
        """The payload of a tree of the target's own protocol. Raises Refusal where an edit cannot be represented."""
        assert self.front is not None  # as the tree is of a protocol

        def legal(tree: Any) -> None:
            report = new_report(self.front, self.back, options)
            legalize(tree, self.back.target, report, self.back.bound(options))
            report.stop()

        return restored(root, self.front, self.back, options, legal, self.relaying.plain)


@lru_cache(MOST_PROFILES)
def direction(src: str | Profile, dst: str | Profile) -> Direction:
    """Raises UnknownProtocol for a protocol that does not exist."""
    return Direction(frontend(src), backend(dst))


def bound(src: str | Profile, dst: str | Profile, options: Mapping[str, Any]) -> tuple[Direction, Mapping[str, Any]]:
    """The direction of a call with these options, and all options with their defaults.

    Raises TypeError for options that are not known, and as `direction` does.
    """
    try:
        way = direction(src, dst)
    except TypeError:  # for what cannot be looked up, which the registry names
        frontend(src)
        backend(dst)
        raise
    if not options:
        return way, way.back.defaults
    server, known = resolved(dst, options)
    return (way if server is dst else direction(src, server)), known
