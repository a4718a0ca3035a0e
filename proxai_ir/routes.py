"""The way from one protocol to another, bound once: what depends on neither the payload nor the options of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from .diagnostics import Refusal
from .ir.request import Request
from .ir.response import Response
from .options import new_report, resolved
from .passes import Pass, after_legality, on_request, on_whole, relayed
from .passes.cut_off import settle_calls
from .passes.naming import keep_first
from .passes.plan import Judgement, Visit, plan_of
from .profile import Profile
from .registry import MOST_PROFILES, Backend, Frontend, backend, frontend
from .report import Report


class Steps(NamedTuple):
    """What turns the tree of one class of root into a payload."""

    judge: Visit
    check: Callable[..., None]
    passes: tuple[Pass, ...]
    build: Callable[..., Any]


class Route:
    """From what a frontend read (None: a tree of no protocol) to a backend's payload."""

    __slots__ = ("_steps", "back", "front")

    def __init__(self, front: Frontend | None, back: Backend) -> None:
        self.front = front
        self.back = back
        self._steps: dict[type, Steps] = {}

    def write(self, root: Any, options: Mapping[str, Any]) -> tuple[Any, Report]:
        """The payload of a tree, which is changed, and what was found on the way.

        Raises Refusal with everything that the target refuses.
        """
        steps = self._steps.get(root.__class__) or self._bind(root.__class__)
        report = new_report(self.front, self.back, options)
        if type(root) is Request and root.tools:
            keep_first(root, report)
        if options is not self.back.defaults:
            on_request(root, self.back.target, self.back.constraints, report, options)
        if type(root) is Response:
            settle_calls(root, report, self.back.constraints.parsed_arguments)
        judgement = Judgement(report)
        steps.judge(judgement, root)
        judgement.apply()
        steps.check(root, report, options)
        for step in steps.passes:
            step(root, self.back.constraints, report, options)
        report.stop()
        try:
            return steps.build(root, options), report
        except Refusal as refusal:  # only writing shows that text is not JSON; it names the node and field
            refusal.records = [(rule, report.place(*place), detail) for rule, place, detail in refusal.records]
            raise

    def relay(self, root: Any, options: Mapping[str, Any]) -> tuple[Any, Report]:
        """The same between a protocol and itself, for a tree that holds envelopes (RSN-27)."""
        report = new_report(self.front, self.back, options)
        relayed.relay(root, self.back.target, self.back.constraints, report, options)
        report.stop()
        return self.restore(root, options), report

    def restore(self, root: Any, options: Mapping[str, Any]) -> Any:
        """The payload of a tree of the very same protocol."""
        return getattr(self.back, root.__class__.__name__.lower())(root, options)

    def _bind(self, cls: type) -> Steps:
        name = cls.__name__.lower()
        plan = plan_of(self.back.target, "request" if name == "request" else "response")
        passes = (*on_whole(cls), *after_legality(cls, self.back.constraints))
        steps = Steps(plan.of[cls], plan.whole[cls], passes, getattr(self.back, name))
        self._steps[cls] = steps
        return steps


@lru_cache(MOST_PROFILES)
def route(src: str | Profile, dst: str | Profile) -> Route:
    """Raises UnknownProtocol for a protocol that does not exist."""
    return Route(frontend(src), backend(dst))


def bound(src: str | Profile, dst: str | Profile, options: Mapping[str, Any]) -> tuple[Route, Mapping[str, Any]]:
    """The route of a call with these options, and all options with their defaults.

    Raises TypeError for options that are not known, and as `route` does.
    """
    try:
        way = route(src, dst)
    except TypeError:  # for what cannot be looked up, which the registry names
        frontend(src)
        backend(dst)
        raise
    if not options:
        return way, way.back.defaults
    server, known = resolved(dst, options)
    return (way if server is dst else route(src, server)), known
