"""Everything that the official types can say: nothing crashes, is silent or unheard of, and enough is carried."""

from __future__ import annotations

import random
from typing import Any

import pytest

import proxai_ir

from .shared import ANTHROPIC, CHAT, KINDS, PROTOCOLS, Tools

Route = tuple[str, str, str]

SAMPLE = 100
SEED = 20
CONFORM = 0.99

CARRIED: dict[Route, int] = {
    ("request", CHAT, ANTHROPIC): 105,
    ("request", ANTHROPIC, CHAT): 170,
    ("response", CHAT, ANTHROPIC): 30,
    ("response", ANTHROPIC, CHAT): 32,
}
"""How many features arrive whole, at least, of all."""

CARRIED_OF_SAMPLE: dict[Route, int] = {
    ("request", CHAT, ANTHROPIC): 54,
    ("request", ANTHROPIC, CHAT): 13,
    ("response", CHAT, ANTHROPIC): 28,
    ("response", ANTHROPIC, CHAT): 13,
}
"""The same of the fixed sample, a little below what arrives today."""

HOMES = [(kind, protocol) for kind in KINDS for protocol in PROTOCOLS]


def features(tools: Tools, protocol: str, kind: str) -> list[Any]:
    """One payload a feature, without those that only a beta API knows."""
    cases = [case for case in tools.generate.cases(protocol, kind, 1) if not case.beta]
    tools.coverage.learn_members(cases)
    return cases


def sample(cases: list[Any]) -> list[Any]:
    return random.Random(SEED).sample(cases, SAMPLE)


def hold(cell: Any, carried: int) -> None:
    """Every figure of a route."""
    for fate in ("crash", "silent", "unknown"):
        assert cell.fates[fate] == 0, cell.examples.get(fate)
    assert cell.conforming >= CONFORM * cell.converted, cell.examples.get("nonconforming")
    assert cell.fates["carried"] >= carried, cell.fates


@pytest.mark.parametrize("route", CARRIED, ids=" ".join)
def test_the_figures_of_a_route_on_a_sample(tools: Tools, route: Route) -> None:
    kind, src, dst = route
    cell = tools.coverage.measure(proxai_ir, sample(features(tools, src, kind)), src, dst, kind)
    assert cell.total == SAMPLE
    hold(cell, CARRIED_OF_SAMPLE[route])


@pytest.mark.slow
@pytest.mark.parametrize("route", CARRIED, ids=" ".join)
def test_the_figures_of_a_route(tools: Tools, route: Route) -> None:
    kind, src, dst = route
    cell = tools.coverage.measure(proxai_ir, features(tools, src, kind), src, dst, kind)
    assert cell.total > SAMPLE
    hold(cell, CARRIED[route])


@pytest.mark.parametrize(("kind", "protocol"), HOMES)
def test_at_home_every_feature_of_a_sample_is_carried(tools: Tools, kind: str, protocol: str) -> None:
    cell = tools.coverage.measure(proxai_ir, sample(features(tools, protocol, kind)), protocol, protocol, kind)
    hold(cell, SAMPLE)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "protocol"), HOMES)
def test_at_home_every_feature_is_carried(tools: Tools, kind: str, protocol: str) -> None:
    cases = features(tools, protocol, kind)
    hold(tools.coverage.measure(proxai_ir, cases, protocol, protocol, kind), len(cases))
