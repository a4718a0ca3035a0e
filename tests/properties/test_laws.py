"""The laws of payloads, on every sample and on generated payloads of every protocol and kind."""

from __future__ import annotations

from functools import partial

import pytest

from proxai_ir.testing import payloads
from proxai_ir.testing.payloads import Case, Law
from proxai_ir.testing.strategies import mutated

from ..samples import PROTOCOLS, READINGS, Sample, of, others, samples
from ..trials import each_count, hold

LAWS: dict[str, Law] = {
    "converts or is refused": payloads.converts_or_is_refused,
    "is checked as it is converted": payloads.is_checked_as_it_is_converted,
    "is not changed": payloads.is_not_changed,
    "comes back": payloads.comes_back,
    "does in bytes as in dicts": payloads.does_in_bytes_as_in_dicts,
    "gives sound output": partial(payloads.gives_sound_output, readings=READINGS),
}
OF_REQUESTS: dict[str, Law] = {"goes there and back": partial(payloads.goes_there_and_back, readings=READINGS)}
OF_MUTATED = [payloads.converts_or_is_refused, payloads.is_checked_as_it_is_converted]
KINDS = ("request", "response", "error")

each_kind = pytest.mark.parametrize("kind", KINDS)
each_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)
each_dense_sample = pytest.mark.parametrize("sample", samples(*KINDS, dense=True), ids=str)


def case(sample: Sample) -> Case:
    return Case(sample.protocol, sample.kind, sample.make())


def laws(kind: str) -> dict[str, Law]:
    return {**LAWS, **OF_REQUESTS} if kind == "request" else LAWS


@pytest.mark.parametrize(
    ("sample", "name"),
    [pytest.param(sample, name, id=f"{sample}: {name}") for sample in samples(*KINDS) for name in laws(sample.kind)],
)
def test_samples(sample: Sample, name: str) -> None:
    laws(sample.kind)[name](case(sample), others(sample.protocol))


@each_count
@each_protocol
@each_kind
def test_generated_payloads(kind: str, protocol: str, count: int) -> None:
    def all_laws(payload: object) -> None:
        for law in laws(kind).values():
            law(Case(protocol, kind, payload), others(protocol))

    hold(all_laws, of(protocol).strategies[kind], count)


@each_count
@each_protocol
@each_kind
def test_generated_payloads_with_odd_values(kind: str, protocol: str, count: int) -> None:
    def all_laws(payload: object) -> None:
        for law in OF_MUTATED:
            law(Case(protocol, kind, payload), others(protocol))

    hold(all_laws, mutated(of(protocol).strategies[kind]), count)


@each_dense_sample
def test_every_member_is_accounted_for(sample: Sample) -> None:
    payloads.accounts_for_every_member(case(sample), others(sample.protocol))


@each_dense_sample
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["some", "every"])
def test_wrong_values_at_every_place(sample: Sample, every: bool) -> None:
    payloads.survives_mutation(case(sample), others(sample.protocol), READINGS, every)


@pytest.mark.parametrize("sample", samples(*KINDS), ids=str)
def test_outputs_share_nothing(sample: Sample) -> None:
    payloads.shares_nothing_between_outputs(case(sample), others(sample.protocol))


@pytest.mark.parametrize("sample", samples(*KINDS), ids=str)
def test_payloads_of_another_protocol(sample: Sample) -> None:
    """Converted or refused, but never an exception; the same for a payload of two protocols at once."""
    for protocol in others(sample.protocol):
        foreign = Case(protocol, sample.kind, sample.make())
        payloads.converts_or_is_refused(foreign, others(protocol))
        for other in samples(sample.kind, dense=True):
            if other.protocol == protocol:
                both = Case(protocol, sample.kind, {**sample.make(), **other.make()})
                payloads.converts_or_is_refused(both, others(protocol))
