"""The conformance suite: all laws for one protocol, on its own samples and on what other protocols send to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial, wraps
from typing import Any, cast

from attrs import field, frozen

from proxai_ir.api import Kind

from .. import TranslationError, protocols, raise_to
from ..binding.registry import backend
from ..ir.response import Response
from ..ir.stream.aggregate import unfold
from ..ir.stream.events import Stream
from ..ir.structure import FEATURES
from . import payloads, streams, tables
from .payloads import Case, accounts_for_every_leaf
from .reading import Readings
from .specimens import SPECIMENS
from .tables import VALUES, Exempt, Specimens, Values

Samples = Mapping[str, Any] | Sequence[Any]
"""Payloads, with or without names."""


@frozen
class Check:
    """One law on one sample; call it. Raises AssertionError, with the law and what breaks it."""

    name: str
    law: str
    run: Callable[[], None] = field(repr=False)

    def __call__(self) -> None:
        try:
            self.run()
        except AssertionError as error:
            raise AssertionError(f"{self.name}\nlaw: {self.law}\n{error}") from error

    def __str__(self) -> str:
        return self.name


@frozen(kw_only=True)
class Conformance:
    """The laws that every protocol keeps, for one installed protocol.

    requests, responses, errors, streams
               its samples: payloads as clients and servers send them; a stream is a list of events. Many small ones
               that together hold every member that the protocol knows show more than a few large ones
    targets    the protocols to convert to and from; all that are installed, unless given
    readings   what payloads mean, by protocol, where somebody reads them without the library
    repeats    values that repeat others and may be ignored: patterns of kind, name and pointer, as in
               `response text/choices/\\d+/index`, each with the reason
    unfolded   names of streams that no whole response is made of
    exempt     fields for which the wire is not as the table declares, with the reason
    values     values to put into fields, besides those of `proxai_ir.testing.tables.VALUES`
    specimens  trees that the target accepts, where those of `proxai_ir.testing.specimens` are refused

        SUITE = Conformance(protocol="acme", requests=[…], responses=[…], errors=[…], streams=[…])

        @pytest.mark.parametrize("check", SUITE.checks(), ids=str)
        def test_conformance(check):
            check()
    """

    protocol: str
    requests: Samples = ()
    responses: Samples = ()
    errors: Samples = ()
    streams: Samples = ()
    targets: Sequence[str] = ()
    readings: Readings = field(factory=dict)
    repeats: Mapping[str, str] = field(factory=dict)
    unfolded: Sequence[str] = ()
    exempt: Exempt = field(factory=dict)
    values: Values = field(factory=dict)
    specimens: Specimens = field(factory=dict)

    def checks(self) -> list[Check]:
        """All checks, each by itself."""
        return [*self._of_the_table(), *self._of_payloads(), *self._of_streams(), *self._of_others()]

    def run(self) -> None:
        """All checks; raises AssertionError for the first that fails."""
        for check in self.checks():
            check()

    def samples(self, kind: str) -> dict[str, Any]:
        """The samples of a kind, by name."""
        given: dict[str, Samples] = {
            "request": self.requests,
            "response": self.responses,
            "error": self.errors,
            "stream": self.streams,
        }
        found = given[kind]
        return dict(found) if isinstance(found, Mapping) else {str(number): one for number, one in enumerate(found, 1)}

    def strategy(self, kind: str) -> Any:
        """A Hypothesis strategy of payloads like the samples of a kind, sound and unsound ones; see `holds`."""
        try:
            from .strategies import varied
        except ImportError as error:
            raise ImportError(f"generated payloads need Hypothesis, which cannot be imported: {error}") from error
        return varied(list(self.samples(kind).values()))

    def holds(self, kind: str, payload: Any) -> None:
        """The laws that any payload keeps, sound or not. For tests on `strategy`."""
        if kind == "stream":
            for dst in (self.protocol, *self._others):
                streams.converts_or_is_refused(payload, self.protocol, dst, self.readings)
                streams.is_not_changed(payload, self.protocol, dst)
        else:
            for law in OF_ANY:
                law(Case(self.protocol, cast("Kind", kind), payload), self._others)

    @property
    def _others(self) -> Sequence[str]:
        return self.targets or [name for name in protocols() if name != self.protocol]

    # --- the checks ---------------------------------------------------------------------------------------------------

    def _of_the_table(self) -> Iterator[Check]:
        for law in (tables.table_is_total, tables.vocabulary_is_sound):
            yield _check("table", law, self.protocol)
        given: dict[str, Any] = {"values": {**VALUES, **self.values}, "specimens": {**SPECIMENS, **self.specimens}}
        declared = partial(tables.wire_is_as_declared, exempt=self.exempt, **given)
        for cls in FEATURES:
            yield _check(f"table, {cls.__name__}", declared, self.protocol, cls)
        needed = partial(tables.wire_differs_where_exempt, **given)
        for cls, name in self.exempt:
            yield _check(f"table, {cls.__name__}.{name}", needed, self.protocol, cls, name)

    def _of_payloads(self) -> Iterator[Check]:
        for kind in ("request", "response", "error"):
            for name, payload in self.samples(kind).items():
                case = Case(self.protocol, kind, payload)
                for law in (*OF_ANY, *OF_SOUND, *map(self._read, READ), *map(self._read, READ_OF.get(kind, ()))):
                    yield _check(f"{kind} {name}", law, case, self._others)
                yield _check(f"{kind} {name}", self._accounting(kind, name), case, self._others)

    def _of_streams(self) -> Iterator[Check]:
        src = self.protocol
        for name, events in self.samples("stream").items():
            title = f"stream {name}"
            yield _check(title, self._accounting("stream", name), Case(src, "stream", events), self._others)
            yield _check(title, streams.is_kept_in_json, events, src, self._others)
            for own in (streams.is_relayed, streams.is_legal):
                yield _check(title, own, events, src)
            for dst in (src, *self._others):
                yield _check(f"{title} to {dst}", streams.is_not_changed, events, src, dst)
                if src != dst:
                    yield _check(f"{title} to {dst}", streams.shares_nothing_between_events, events, src, dst)
                for law in STREAM_READ:
                    yield _check(f"{title} to {dst}", self._read(law), events, src, dst)
                for law in STREAM_FOLDS if src != dst and name not in self.unfolded else ():
                    yield _check(f"{title} to {dst}", self._read(law), events, src, dst)

    def _of_others(self) -> Iterator[Check]:
        """What other protocols send: one small payload for each class of the IR that they can hold."""
        for src in self._others:
            for law in (*OF_ANY, self._read(payloads.gives_sound_output)):
                yield _check(f"from {src}", _each(law, src, "request", "response", "error"), [self.protocol])
            yield _check(
                f"from {src}", _each(self._read(payloads.goes_there_and_back), src, "request"), [self.protocol]
            )
            for run in (*STREAM_READ[:2], streams.folding_commutes) if backend(self.protocol).stream else ():
                yield _check(f"streams from {src}", _each_stream(self._read(run), src), src, self.protocol)

    def _read(self, law: Callable[..., Any]) -> Callable[..., Any]:
        """A law that compares what payloads mean."""
        return partial(law, readings=self.readings)

    def _accounting(self, kind: str, name: str) -> Callable[..., Any]:
        patterns = [re.compile(pattern) for pattern in self.repeats]

        def repeats(pointer: str) -> bool:
            return any(one.fullmatch(f"{kind} {name}{pointer}") for one in patterns)

        return partial(accounts_for_every_leaf, repeats=repeats)


OF_ANY: list[payloads.Law] = [
    payloads.converts_or_is_refused,
    payloads.is_checked_as_it_is_converted,
    payloads.is_not_changed,
]
OF_SOUND: list[payloads.Law] = [
    payloads.comes_back,
    payloads.does_in_bytes_as_in_dicts,
    payloads.shares_nothing_between_outputs,
    payloads.accounts_for_every_member,
]
Run = Callable[..., Any]
READ: tuple[Run, ...] = (payloads.gives_sound_output, payloads.survives_mutation)
READ_OF: dict[str, tuple[Run, ...]] = {"request": (payloads.goes_there_and_back,)}
STREAM_READ: tuple[Run, ...] = (
    streams.converts_or_is_refused,
    streams.every_prefix_ends_legally,
    streams.survives_any_order,
    streams.survives_mutation,
    streams.refuses_more_in_strict_mode,
)
STREAM_FOLDS: tuple[Run, ...] = (streams.folding_commutes, streams.folds_agree)


def foreign(protocol: str, *kinds: Kind) -> Iterator[Case]:
    """Payloads of a protocol for each class of the IR that it can hold, of these kinds."""
    seen: set[str] = set()
    for make in SPECIMENS.values():
        root, _ = make()
        kind = type(root).__name__.lower()
        if "stream" in kinds and isinstance(root, Response):
            kind, root = "stream", Stream(None, [[event] for event in unfold(root)])
        if kind not in kinds:
            continue
        try:
            payload = raise_to(root, protocol)
        except TranslationError:
            continue
        if repr(payload) not in seen:
            seen.add(repr(payload))
            yield Case(protocol, kind, payload)


def _each(law: payloads.Law, src: str, *kinds: Kind) -> Callable[..., None]:
    """A law on all that another protocol sends."""

    @wraps(_function(law))
    def run(targets: Iterable[str]) -> None:
        for case in foreign(src, *kinds):
            law(case, targets)

    return run


def _each_stream(law: Callable[..., Any], src: str) -> Callable[..., None]:
    @wraps(_function(law))
    def run(*arguments: Any) -> None:
        for case in foreign(src, "stream"):
            law(case.payload, *arguments)

    return run


def _function(law: Any) -> Any:
    return law.func if isinstance(law, partial) else law


def _check(title: str, law: Callable[..., Any], *arguments: Any) -> Check:
    """A check of a law, named after both; the arguments are its own."""
    function = _function(law)
    states = " ".join((function.__doc__ or "").partition("\n\n")[0].split())
    return Check(f"{title}: {function.__name__.replace('_', ' ')}", states, lambda: law(*deepcopy(arguments)) and None)
