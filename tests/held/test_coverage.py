"""Everything that the official types can say: nothing crashes, is silent or unheard of, and enough is carried."""

from __future__ import annotations

import random
from typing import Any

import pytest

import proxai_ir

from .shared import ANTHROPIC, CHAT, KINDS, PROTOCOLS, RESPONSES, Tools

Route = tuple[str, str, str]

SAMPLE = 100
SEED = 20
CONFORM = 0.99

CONFORM_OF: dict[Route, float] = {("response", RESPONSES, CHAT): 0.96, ("response", RESPONSES, ANTHROPIC): 0.93}
"""A failed answer rightly becomes an error body (STS-9), and this judge reads every output as an answer."""

CARRIED: dict[Route, int] = {
    ("request", CHAT, ANTHROPIC): 105,
    ("request", ANTHROPIC, CHAT): 170,
    ("response", CHAT, ANTHROPIC): 30,
    ("response", ANTHROPIC, CHAT): 32,
    ("request", CHAT, RESPONSES): 155,
    ("request", ANTHROPIC, RESPONSES): 198,
    ("request", RESPONSES, CHAT): 190,
    ("request", RESPONSES, ANTHROPIC): 115,
    ("response", CHAT, RESPONSES): 56,
    ("response", ANTHROPIC, RESPONSES): 31,
    ("response", RESPONSES, CHAT): 75,
    ("response", RESPONSES, ANTHROPIC): 32,
}
"""How many features arrive whole, at least, of all."""

CARRIED_OF_SAMPLE: dict[Route, int] = {
    ("request", CHAT, ANTHROPIC): 54,
    ("request", ANTHROPIC, CHAT): 13,
    ("response", CHAT, ANTHROPIC): 28,
    ("response", ANTHROPIC, CHAT): 13,
    ("request", CHAT, RESPONSES): 73,
    ("request", ANTHROPIC, RESPONSES): 16,
    ("request", RESPONSES, CHAT): 21,
    ("request", RESPONSES, ANTHROPIC): 8,
    ("response", CHAT, RESPONSES): 51,
    ("response", ANTHROPIC, RESPONSES): 13,
    ("response", RESPONSES, CHAT): 8,
    ("response", RESPONSES, ANTHROPIC): 1,
}
"""The same of the fixed sample, a little below what arrives today."""

HOMES = [(kind, protocol) for kind in KINDS for protocol in PROTOCOLS]


def features(tools: Tools, protocol: str, kind: str, beta: bool = True) -> list[Any]:
    """One payload a feature, with those that only a beta API knows or without them."""
    cases = [case for case in tools.generate.cases(protocol, kind, 1) if beta or not case.beta]
    tools.coverage.learn_members(cases)
    return cases


def sample(cases: list[Any]) -> list[Any]:
    return random.Random(SEED).sample(cases, SAMPLE)


def hold(cell: Any, carried: int, conform: float = CONFORM) -> None:
    """Every figure of a route."""
    for fate in ("crash", "silent", "unknown"):
        assert cell.fates[fate] == 0, cell.examples.get(fate)
    assert cell.conforming >= conform * cell.converted, cell.examples.get("nonconforming")
    assert cell.fates["carried"] >= carried, cell.fates


@pytest.mark.parametrize("route", CARRIED, ids=" ".join)
def test_the_figures_of_a_route_on_a_sample(tools: Tools, route: Route) -> None:
    kind, src, dst = route
    cell = tools.coverage.measure(proxai_ir, sample(features(tools, src, kind, beta=False)), src, dst, kind)
    assert cell.total == SAMPLE
    hold(cell, CARRIED_OF_SAMPLE[route], CONFORM_OF.get(route, CONFORM))


@pytest.mark.slow
@pytest.mark.parametrize("route", CARRIED, ids=" ".join)
def test_the_figures_of_a_route(tools: Tools, route: Route) -> None:
    kind, src, dst = route
    cell = tools.coverage.measure(proxai_ir, features(tools, src, kind), src, dst, kind)
    assert cell.total > SAMPLE
    hold(cell, CARRIED[route], CONFORM_OF.get(route, CONFORM))


@pytest.mark.parametrize(("kind", "protocol"), HOMES)
def test_at_home_every_feature_of_a_sample_is_carried(tools: Tools, kind: str, protocol: str) -> None:
    cell = tools.coverage.measure(
        proxai_ir, sample(features(tools, protocol, kind, beta=False)), protocol, protocol, kind
    )
    hold(cell, SAMPLE)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "protocol"), HOMES)
def test_at_home_every_feature_is_carried(tools: Tools, kind: str, protocol: str) -> None:
    cases = features(tools, protocol, kind)
    hold(tools.coverage.measure(proxai_ir, cases, protocol, protocol, kind), len(cases))
