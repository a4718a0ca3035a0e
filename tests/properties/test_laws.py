"""The laws of payloads on generated payloads of every protocol and kind; tests/test_conformance.py has the samples."""

from __future__ import annotations

from functools import partial

import pytest

from proxai_ir.api import Kind
from proxai_ir.testing import payloads
from proxai_ir.testing.payloads import Case, Law
from proxai_ir.testing.strategies import mutated

from ..cases import each, in_turn
from ..samples import PROTOCOLS, READINGS, Sample, of, others, samples
from ..trials import each_count, hold

OF_ANY: list[Law] = [payloads.converts_or_is_refused, payloads.is_checked_as_it_is_converted]
OF_SOUND: list[Law] = [
    *OF_ANY,
    payloads.is_not_changed,
    payloads.comes_back,
    payloads.does_in_bytes_as_in_dicts,
    partial(payloads.gives_sound_output, readings=READINGS),
]
OF_REQUESTS: list[Law] = [*OF_SOUND, partial(payloads.goes_there_and_back, readings=READINGS)]
KINDS = ("request", "response", "error")

each_kind = pytest.mark.parametrize("kind", KINDS)
each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


def attempt(laws: list[Law], case: Case) -> None:
    for law in laws:
        law(case, others(case.protocol))


@each_count
@each_protocol
@each_kind
def test_generated_payloads(kind: Kind, protocol: str, count: int) -> None:
    laws = OF_REQUESTS if kind == "request" else OF_SOUND
    hold(lambda payload: attempt(laws, Case(protocol, kind, payload)), of(protocol).strategies[kind], count)


@each_count
@each_protocol
@each_kind
def test_generated_payloads_with_odd_values(kind: Kind, protocol: str, count: int) -> None:
    hold(lambda payload: attempt(OF_ANY, Case(protocol, kind, payload)), mutated(of(protocol).strategies[kind]), count)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sample", "dst"),
    [(one, dst) for one, dst in in_turn(samples(*KINDS, dense=True), PROTOCOLS, 3) if dst != one.protocol],
    ids=str,
)
def test_every_wrong_value_at_every_place(sample: Sample, dst: str) -> None:
    case = Case(sample.protocol, sample.kind, sample.make())
    payloads.survives_mutation(case, [dst], READINGS, every=True)


@each("sample", samples(*KINDS), ids=str)
def test_payloads_of_another_protocol(sample: Sample) -> None:
    """Converted or refused, but never an exception; the same for a payload of two protocols at once."""
    for protocol in others(sample.protocol):
        foreign = Case(protocol, sample.kind, sample.make())
        payloads.converts_or_is_refused(foreign, others(protocol))
        for other in samples(sample.kind, dense=True):
            if other.protocol == protocol:
                both = Case(protocol, sample.kind, {**sample.make(), **other.make()})
                payloads.converts_or_is_refused(both, others(protocol))
