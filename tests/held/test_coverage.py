"""Every feature of the official types: nothing crashes, is lost in silence or unknown, and enough is carried."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import pytest

import proxai_ir

from .shared import ANTHROPIC, CHAT, KINDS, RECORDED, RESPONSES, Tools

Route = tuple[str, str, str]

SAMPLE = 100
CONFORM = 0.99

FAILED = "openai_responses.response.error"
"""Features of responses that failed: they become error bodies (STS-9), which this judge reads as responses."""

UNSEEN = "/incomplete_details/reason"
"""The limit, which an unknown reason counts as, too (STS-2): to change it changes nothing."""

CARRIED: dict[Route, int] = {
    ("request", CHAT, ANTHROPIC): 105,
    ("request", ANTHROPIC, CHAT): 126,
    ("response", CHAT, ANTHROPIC): 30,
    ("response", ANTHROPIC, CHAT): 32,
    ("request", CHAT, RESPONSES): 152,
    ("request", ANTHROPIC, RESPONSES): 202,
    ("request", RESPONSES, CHAT): 140,
    ("request", RESPONSES, ANTHROPIC): 120,
    ("response", CHAT, RESPONSES): 56,
    ("response", ANTHROPIC, RESPONSES): 45,
    ("response", RESPONSES, CHAT): 75,
    ("response", RESPONSES, ANTHROPIC): 45,
}
"""How many features arrive whole, at least, of all.

The types of images in tool results of Anthropic Messages are not among those towards Chat Completions: each type that
OpenAI takes arrives, in a message of the user (PLC-7); but the judge tries others, which are refused (SRC-3).
"""

CARRIED_OF_SAMPLE: dict[Route, int] = {
    ("request", CHAT, ANTHROPIC): 45,
    ("request", ANTHROPIC, CHAT): 11,
    ("response", CHAT, ANTHROPIC): 26,
    ("response", ANTHROPIC, CHAT): 15,
    ("request", CHAT, RESPONSES): 64,
    ("request", ANTHROPIC, RESPONSES): 16,
    ("request", RESPONSES, CHAT): 10,
    ("request", RESPONSES, ANTHROPIC): 7,
    ("response", CHAT, RESPONSES): 50,
    ("response", ANTHROPIC, RESPONSES): 16,
    ("response", RESPONSES, CHAT): 8,
    ("response", RESPONSES, ANTHROPIC): 5,
}
"""The same of the fixed sample, a little below what arrives today."""

OWN = [(kind, protocol) for kind in KINDS for protocol in RECORDED]


def features(tools: Tools, protocol: str, kind: str, beta: bool = True) -> list[Any]:
    """One payload a feature, with those that only a beta API knows or without them."""
    cases = [case for case in tools.generate.cases(protocol, kind, 1) if beta or not case.beta]
    tools.coverage.learn_members(cases)
    return cases


def sample(cases: list[Any]) -> list[Any]:
    """Nearly the same ones whatever features a newer official type adds."""
    return sorted(cases, key=lambda case: crc32(case.feature.encode()))[:SAMPLE]


def hold(cell: Any, carried: int) -> None:
    """Every figure of a route."""
    for fate in ("crash", "unknown"):
        assert cell.fates[fate] == 0, cell.examples.get(fate)
    assert [name for name in cell.examples.get("silent", ()) if not name.endswith(UNSEEN)] == []
    excused = [name for name in cell.examples.get("nonconforming", ()) if name.startswith(FAILED)]
    assert cell.conforming + len(excused) >= CONFORM * cell.converted, cell.examples.get("nonconforming")
    assert cell.fates["carried"] >= carried, cell.fates


@pytest.mark.parametrize("route", CARRIED, ids=" ".join)
def test_the_figures_of_a_route_on_a_sample(tools: Tools, route: Route) -> None:
    kind, src, dst = route
    cell = tools.coverage.measure(proxai_ir, sample(features(tools, src, kind, beta=False)), src, dst, kind)
    assert cell.total == SAMPLE
    hold(cell, CARRIED_OF_SAMPLE[route])


@pytest.mark.slow
@pytest.mark.parametrize("route", CARRIED, ids=" ".join)
def test_the_figures_of_a_route(tools: Tools, route: Route) -> None:
    kind, src, dst = route
    cell = tools.coverage.measure(proxai_ir, features(tools, src, kind), src, dst, kind)
    assert cell.total > SAMPLE
    hold(cell, CARRIED[route])


@pytest.mark.parametrize(("kind", "protocol"), OWN)
def test_to_the_same_protocol_every_feature_of_a_sample_is_carried(tools: Tools, kind: str, protocol: str) -> None:
    cell = tools.coverage.measure(
        proxai_ir, sample(features(tools, protocol, kind, beta=False)), protocol, protocol, kind
    )
    hold(cell, SAMPLE)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "protocol"), OWN)
def test_to_the_same_protocol_every_feature_is_carried(tools: Tools, kind: str, protocol: str) -> None:
    cases = features(tools, protocol, kind)
    hold(tools.coverage.measure(proxai_ir, cases, protocol, protocol, kind), len(cases))
