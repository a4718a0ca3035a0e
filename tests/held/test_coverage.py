"""Every feature of the official types: nothing crashes, is lost in silence or unknown, and enough is carried."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import pytest

import proxai_ir

from .shared import ANTHROPIC, BEDROCK, CHAT, COHERE, GEMINI, INTERACTIONS, KINDS, OLLAMA, RECORDED, RESPONSES, Tools

Route = tuple[str, str, str]

SAMPLE = 100
CONFORM = 0.99

NONCONFORMING = (
    "openai_responses.response.error",  # responses that failed, which become error bodies (STS-9): read as responses
    "gemini_generate_content.request.tools[].functionDeclarations[].parameters",  # no objects, which Gemini refuses
)
"""Features that do not conform in a target, and why that is right."""

UNKNOWN = ("gemini_interactions.request.input[]<function_result>.result[]<function>",)
"""Functions that a client's search for tools found: they are refused beside the other content of a result (UNK-5)."""

UNSEEN = (
    "/incomplete_details/reason",
    "/message/role",
    "/output/0/role",
    "/tool_choice/type",
    "/mime_type",
    "/media_type",
    "/stop_details/type",
)
"""The limit, which an unknown reason counts as, too (STS-2); the one role that a response may have; the tag of a choice
among some tools, of which the mode is named; the type of an image whose data show it; the tag of details of a refusal,
since those with another tag are unknown and named: to change it changes nothing."""

CARRIED: dict[Route, int] = {
    ("request", CHAT, ANTHROPIC): 105,
    ("request", ANTHROPIC, CHAT): 126,
    ("response", CHAT, ANTHROPIC): 29,
    ("response", ANTHROPIC, CHAT): 31,  # a stop sequence is named: chat has one word for all natural endings (STS-3)
    ("request", CHAT, RESPONSES): 152,
    ("request", ANTHROPIC, RESPONSES): 202,
    ("request", RESPONSES, CHAT): 140,
    ("request", RESPONSES, ANTHROPIC): 120,
    ("response", CHAT, RESPONSES): 55,
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
    ("request", ANTHROPIC, COHERE): 9,
    ("request", ANTHROPIC, INTERACTIONS): 18,
    ("request", ANTHROPIC, OLLAMA): 9,
    ("request", COHERE, ANTHROPIC): 45,
    ("request", COHERE, BEDROCK): 41,
    ("request", COHERE, GEMINI): 48,
    ("request", COHERE, INTERACTIONS): 46,
    ("request", COHERE, OLLAMA): 49,
    ("request", COHERE, CHAT): 53,
    ("request", COHERE, RESPONSES): 44,
    ("request", GEMINI, COHERE): 20,  # keywords that its grammar lacks are in descriptions, and named (SCH-7)
    ("request", GEMINI, INTERACTIONS): 31,
    ("request", GEMINI, OLLAMA): 24,
    ("request", INTERACTIONS, ANTHROPIC): 10,
    ("request", INTERACTIONS, BEDROCK): 7,
    ("request", INTERACTIONS, COHERE): 10,
    ("request", INTERACTIONS, GEMINI): 18,
    ("request", INTERACTIONS, OLLAMA): 8,
    ("request", INTERACTIONS, CHAT): 13,
    ("request", INTERACTIONS, RESPONSES): 18,
    ("request", OLLAMA, ANTHROPIC): 24,
    ("request", OLLAMA, BEDROCK): 24,
    ("request", OLLAMA, COHERE): 31,
    ("request", OLLAMA, GEMINI): 27,
    ("request", OLLAMA, INTERACTIONS): 27,
    ("request", OLLAMA, CHAT): 30,
    ("request", OLLAMA, RESPONSES): 27,
    ("request", CHAT, COHERE): 33,
    ("request", CHAT, INTERACTIONS): 40,
    ("request", CHAT, OLLAMA): 27,
    ("request", RESPONSES, COHERE): 6,
    ("request", RESPONSES, INTERACTIONS): 8,
    ("request", RESPONSES, OLLAMA): 5,
    ("response", ANTHROPIC, COHERE): 13,
    ("response", ANTHROPIC, INTERACTIONS): 27,
    ("response", ANTHROPIC, OLLAMA): 12,
    ("response", BEDROCK, COHERE): 4,
    ("response", BEDROCK, INTERACTIONS): 4,
    ("response", BEDROCK, OLLAMA): 4,
    ("response", COHERE, ANTHROPIC): 18,
    ("response", COHERE, BEDROCK): 17,
    ("response", COHERE, GEMINI): 18,
    ("response", COHERE, INTERACTIONS): 17,
    ("response", COHERE, OLLAMA): 17,
    ("response", COHERE, CHAT): 18,
    ("response", COHERE, RESPONSES): 17,
    ("response", GEMINI, COHERE): 5,
    ("response", GEMINI, INTERACTIONS): 13,
    ("response", GEMINI, OLLAMA): 5,
    ("response", INTERACTIONS, ANTHROPIC): 14,
    ("response", INTERACTIONS, BEDROCK): 4,
    ("response", INTERACTIONS, COHERE): 3,
    ("response", INTERACTIONS, GEMINI): 10,
    ("response", INTERACTIONS, OLLAMA): 3,
    ("response", INTERACTIONS, CHAT): 6,
    ("response", INTERACTIONS, RESPONSES): 10,
    ("response", OLLAMA, ANTHROPIC): 13,
    ("response", OLLAMA, BEDROCK): 10,
    ("response", OLLAMA, COHERE): 11,
    ("response", OLLAMA, GEMINI): 12,
    ("response", OLLAMA, INTERACTIONS): 13,
    ("response", OLLAMA, CHAT): 14,
    ("response", OLLAMA, RESPONSES): 14,
    ("response", CHAT, COHERE): 24,
    ("response", CHAT, INTERACTIONS): 36,
    ("response", CHAT, OLLAMA): 27,
    ("response", RESPONSES, COHERE): 4,
    ("response", RESPONSES, INTERACTIONS): 8,
    ("response", RESPONSES, OLLAMA): 6,
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
    assert cell.fates["crash"] == 0, cell.examples.get("crash")
    assert [name for name in cell.examples.get("unknown", ()) if not name.startswith(UNKNOWN)] == []
    assert [name for name in cell.examples.get("silent", ()) if not name.endswith(UNSEEN)] == []
    excused = [name for name in cell.examples.get("nonconforming", ()) if name.startswith(NONCONFORMING)]
    assert cell.conforming + len(excused) >= CONFORM * cell.converted, cell.examples.get("nonconforming")
    assert cell.fates["carried"] >= carried, cell.fates


@pytest.mark.parametrize("route", CARRIED_OF_SAMPLE, ids=" ".join)
def test_the_figures_of_a_route_on_a_sample(tools: Tools, route: Route) -> None:
    kind, src, dst = route
    cases = features(tools, src, kind, beta=False)
    cell = tools.coverage.measure(proxai_ir, sample(cases), src, dst, kind)
    assert cell.total == min(SAMPLE, len(cases))
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
    hold(cell, cell.total)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "protocol"), OWN)
def test_to_the_same_protocol_every_feature_is_carried(tools: Tools, kind: str, protocol: str) -> None:
    cases = features(tools, protocol, kind)
    hold(tools.coverage.measure(proxai_ir, cases, protocol, protocol, kind), len(cases))
