"""The conformance suite: all laws for one protocol, on its own samples and on payloads of other protocols."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial, wraps
from linecache import getline
from traceback import walk_tb
from typing import Any, cast
from unittest import SkipTest

from attrs import field, frozen

from proxai_ir.api import Kind

from .. import TranslationError, protocols, raise_to
from ..ir.request import Request
from ..ir.response import Response
from ..ir.stream.aggregate import unfold
from ..ir.stream.events import Stream
from ..ir.structure import FEATURES
from ..protocol.registry import backend, frontend
from . import payloads, streams, tables
from .payloads import Case, accounts_for_every_leaf
from .pointers import places, pointer_to
from .reading import Readings
from .specimens import SPECIMENS
from .tables import VALUES, Exempt, Specimens, Values

Samples = Mapping[str, Any] | Sequence[Any]
"""Payloads, with or without names."""
NONE: Mapping[str, Any] = {}


class NothingToExamine(SkipTest):
    """A check found no conversion, or no value, that its law is about."""


@frozen
class Check:
    """One law on one sample, to be called. Raises AssertionError, with the law and what breaks it.

    Raises NothingToExamine, which test frameworks report as skipped, if the law is about nothing in the sample.
    """

    name: str
    law: str
    run: Callable[[], int | None] = field(repr=False)

    def __call__(self) -> None:
        try:
            examined = self.run()
        except AssertionError as error:
            raise AssertionError(f"{self.name}\nlaw: {self.law}\n{str(error) or failed_line(error)}") from error
        if examined == 0:
            raise NothingToExamine(f"nothing to examine: {self.name}")

    def __str__(self) -> str:
        return self.name


@frozen(kw_only=True)
class Conformance:
    """The laws that every protocol keeps, for one installed protocol.

    requests, responses, errors, streams
               its samples: payloads as clients and servers send them; a stream is a list of events. Many small ones
               that together have every member of the protocol show more than a few large ones
    targets    the protocols to convert to and from; by default all that are installed
    readings   by protocol, modules that read payloads without the library
    repeats    values that repeat others and may be ignored: patterns of kind, name and pointer, as in
               `response text/choices/\\d+/index`, each with the reason; `vendor index` stands for a member under
               NO_RULE that no sample has
    unfolded   names of streams that make no whole response
    exempt     fields for which the wire is not as the table declares, with the reason
    values     values to put into fields, besides those of `proxai_ir.testing.tables.VALUES`
    specimens  trees that the target accepts, in place of those of `proxai_ir.testing.specimens` that it refuses
    options    options of all conversions from and to this protocol that have them, as {"model": "m"} if the model of
               a request is not in the body
    alone      samples that no other protocol takes, as in `request own`, each with the reason; any other sample that
               reaches no target is an error, as it shows nothing

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
    options: Mapping[str, Any] = field(factory=dict)
    alone: Mapping[str, str] = field(factory=dict)

    def checks(self) -> list[Check]:
        """Return all checks as single tests."""
        return [*self._of_the_table(), *self._of_payloads(), *self._of_streams(), *self._of_others()]

    def run(self) -> None:
        """Run all checks; raises AssertionError for the first that fails."""
        for check in self.checks():
            with suppress(NothingToExamine):
                check()

    def samples(self, kind: str) -> dict[str, Any]:
        """Return the samples of a kind, by name."""
        found: Samples = getattr(self, f"{kind}s")
        return dict(found) if isinstance(found, Mapping) else {str(number): one for number, one in enumerate(found, 1)}

    def strategy(self, kind: str) -> Any:
        """Return a Hypothesis strategy of sound and unsound payloads like the samples of a kind, for `holds`."""
        try:
            from .strategies import varied
        except ImportError as error:
            raise ImportError(f"generated payloads need Hypothesis, which cannot be imported: {error}") from error
        return varied(list(self.samples(kind).values()))

    def holds(self, kind: str, payload: Any) -> None:
        """Assert the laws of any payload, sound or not, for tests on `strategy`."""
        if kind == "stream":
            for dst in (self.protocol, *self._others):
                given = self._given(self.protocol, dst)
                streams.converts_or_is_refused(payload, self.protocol, dst, self.readings, **given)
                streams.is_not_changed(payload, self.protocol, dst, **given)
        else:
            for law in OF_ANY:
                law(Case(self.protocol, cast("Kind", kind), payload, self.options), self._others)

    @property
    def _others(self) -> Sequence[str]:
        return self.targets or [name for name in protocols() if name != self.protocol]

    def _given(self, src: str, dst: str) -> dict[str, Any]:
        return payloads.known(self.options, src, dst)

    # --- the checks ---------------------------------------------------------------------------------------------------

    def _of_the_table(self) -> Iterator[Check]:
        for law in (tables.table_is_total, tables.vocabulary_is_sound, tables.generated_call_ids_are_sent):
            yield _check("table", law, self.protocol)
        yield _check("samples", partial(has_samples_of_every_kind, self))
        yield _check("samples", partial(shows_what_is_dropped_in_silence, self))
        yield _check("samples", partial(declares_nothing_that_is_not_there, self))
        given: dict[str, Any] = {"values": {**VALUES, **self.values}, "specimens": {**SPECIMENS, **self.specimens}}
        sealed = partial(tables.seals_are_their_makers, specimens=given["specimens"])
        yield _check("table", sealed, self.protocol)
        declared = partial(tables.wire_is_as_declared, exempt=self.exempt, **given)
        carried = backend(self.protocol).target.fields
        for cls in (cls for cls in FEATURES if cls in carried and tables.features(cls)):
            yield _check(f"table, {cls.__name__}", declared, self.protocol, cls)
        needed = partial(tables.wire_differs_where_exempt, **given)
        for cls, name in self.exempt:
            yield _check(f"table, {cls.__name__}.{name}", needed, self.protocol, cls, name)

    def _of_payloads(self) -> Iterator[Check]:
        for kind in ("request", "response", "error"):
            for name, payload in self.samples(kind).items():
                case = Case(self.protocol, kind, payload, self.options)
                if f"{kind} {name}" not in self.alone:
                    yield _check(f"{kind} {name}", payloads.reaches_a_target, case, self._others)
                for law in (*OF_ANY, *OF_SOUND, *map(self._read, READ), *map(self._read, READ_OF.get(kind, ()))):
                    yield _check(f"{kind} {name}", law, case, self._others)
                yield _check(f"{kind} {name}", self._accounting(kind, name), case, self._others)

    def _of_streams(self) -> Iterator[Check]:
        src = self.protocol
        for name, events in self.samples("stream").items():
            title = f"stream {name}"
            case = Case(src, "stream", events, self.options)
            if title not in self.alone:
                yield _check(title, streams.reaches_a_target, events, src, self._others, self.options)
            yield _check(title, self._accounting("stream", name), case, self._others)
            yield _check(title, streams.is_kept_in_json, events, src, self._others, self.options)
            for own in (streams.is_relayed, streams.is_legal):
                yield _check(title, own, events, src)
            for dst in (src, *self._others):
                given = self._given(src, dst)
                laws: list[Run] = [streams.is_not_changed, *map(self._read, STREAM_READ)]
                if src != dst:
                    laws.append(streams.shares_nothing_between_events)
                    laws += map(self._read, STREAM_FOLDS if name not in self.unfolded else ())
                for law in laws:
                    yield _check(f"{title} to {dst}", partial(law, **given), events, src, dst)

    def _of_others(self) -> Iterator[Check]:
        """Yield checks on payloads of other protocols: a small one for each class of the IR that they can express."""
        for src in self._others:
            yield _check(f"from {src}", partial(takes_something, self, src))
            for law in (*OF_ANY, self._read(payloads.gives_sound_output)):
                yield _check(f"from {src}", self._each(law, src, "request", "response", "error"), [self.protocol])
            yield _check(
                f"from {src}", self._each(self._read(payloads.goes_there_and_back), src, "request"), [self.protocol]
            )
            for run in (*STREAM_READ[:2], streams.folding_commutes) if backend(self.protocol).stream else ():
                yield _check(f"streams from {src}", self._each_stream(self._read(run), src), src, self.protocol)

    def _each(self, law: payloads.Law, src: str, *kinds: Kind) -> Callable[..., int]:
        """Return a law on all payloads of another protocol."""

        @wraps(_function(law))
        def run(targets: Iterable[str]) -> int:
            return sum(_count(law(case, targets)) for case in foreign(src, *kinds, options=self.options))

        return run

    def _each_stream(self, law: Callable[..., Any], src: str) -> Callable[..., int]:
        given = self._given(src, self.protocol)

        @wraps(_function(law))
        def run(*arguments: Any) -> int:
            return sum(_count(law(case.payload, *arguments, **given)) for case in foreign(src, "stream"))

        return run

    def _read(self, law: Callable[..., Any]) -> Callable[..., Any]:
        """Return a law that compares the meaning of payloads, with the readings."""
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


def foreign(protocol: str, *kinds: Kind, options: Mapping[str, Any] = NONE) -> Iterator[Case]:
    """Yield payloads of these kinds in a protocol, one for each class of the IR that it can express.

    The model of a request is an option too, since some protocols have it outside the body.
    """
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
        except TranslationError as error:
            payloads.assert_refused(error)
            continue
        if repr(payload) not in seen:
            seen.add(repr(payload))
            model = {"model": root.model} if isinstance(root, Request) else NONE
            yield Case(protocol, kind, payload, {**model, **options})


def _count(found: object) -> int:
    """Return how much a law examined; a law that returns no number examines all of its case."""
    return found if type(found) is int else 1


def _function(law: Any) -> Any:
    return law.func if isinstance(law, partial) else law


def _check(title: str, law: Callable[..., Any], *arguments: Any) -> Check:
    """Return a check of a law on copies of the arguments; it quotes the law's docstring without `Assert that`."""
    function = _function(law)
    states = " ".join((function.__doc__ or "").partition("\n\n")[0].split()).removeprefix("Assert that ")
    name = f"{title}: {function.__name__.replace('_', ' ')}"
    return Check(name, states[:1].upper() + states[1:], lambda: _count(law(*deepcopy(arguments))))


# --- laws of the suite's own arguments --------------------------------------------------------------------------------


def has_samples_of_every_kind(suite: Conformance) -> int:
    """Assert that there are samples of requests, responses and errors, and of streams if the protocol has them."""
    kinds = ["request", "response", "error", *(["stream"] if frontend(suite.protocol).stream else [])]
    missing = [kind for kind in kinds if not suite.samples(kind)]
    if missing:
        raise NothingToExamine(f"nothing to examine: {suite.protocol} has no samples of kind {', '.join(missing)}")
    return len(kinds)


def declares_nothing_that_is_not_there(suite: Conformance) -> None:
    """Assert that `unfolded`, `alone` and `repeats` name samples that exist, and `options` options that exist."""
    kinds = ("request", "response", "error", "stream")
    titles = {f"{kind} {name}": payload for kind in kinds for name, payload in suite.samples(kind).items()}
    streams_ = set(suite.samples("stream"))
    unknown = [*suite.alone.keys() - titles.keys(), *set(suite.unfolded) - streams_]
    pointers = [
        f"{title}{pointer_to(path)}" for title, payload in titles.items() for path, _ in payloads.leaves(payload)
    ]
    pointers += [f"vendor {name}" for name in _silent(suite.protocol)]
    unknown += [one for one in suite.repeats if not any(map(re.compile(one).fullmatch, pointers))]
    name = suite.protocol
    sides = [(name, name), *((name, one) for one in suite._others), *((one, name) for one in suite._others)]
    unknown += suite.options.keys() - {option for src, dst in sides for option in suite._given(src, dst)}
    assert not unknown, f"there is nothing like {sorted(unknown)} in the samples, or no such option"


def shows_what_is_dropped_in_silence(suite: Conformance) -> int:
    """Assert that a sample has each member under NO_RULE, so that other laws see whether it repeats another (LOS-1)."""
    kinds = ("request", "response", "error", "stream")
    samples = [payload for kind in kinds for payload in suite.samples(kind).values()]
    shown = {key for payload in samples for path in places(payload) for key in path[-1:]}
    silent = _silent(suite.protocol)
    missing = [name for name in silent if name not in shown and f"vendor {name}" not in suite.repeats]
    assert not missing, f"no sample has {missing}, whose loss is not reported (NO_RULE): do they repeat others?"
    return len(silent)


def _silent(protocol: str) -> list[str]:
    """Return the members whose loss is not reported (NO_RULE)."""
    known = frontend(protocol).vendor_fields.values()
    return [*dict.fromkeys(name for table in known for name in tables.repeating(table))]


def takes_something(suite: Conformance, src: str) -> None:
    """Assert that some payload of another protocol reaches this one, as no law shows anything otherwise."""
    refused: list[str] = []
    for case in foreign(src, "request", "response", "error", options=suite.options):
        done = payloads.converted(case, suite.protocol)
        if not isinstance(done, TranslationError):
            return
        refused.append(f"{case.kind}: {done}")
    raise AssertionError(f"{suite.protocol} takes nothing of {src}: {'; '.join(dict.fromkeys(refused))}")


def failed_line(error: AssertionError) -> str:
    """Return the line and the values of an assertion without a message, which a test framework may not show."""
    frames = [*walk_tb(error.__traceback__)]
    frame, number = frames[-1]
    line = getline(frame.f_code.co_filename, number).strip()
    values = (f"{name} = {value!r:.300}" for name, value in frame.f_locals.items() if re.search(rf"\b{name}\b", line))
    return "\n".join((line, *values))
