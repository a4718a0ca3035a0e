"""What findings name besides their rule, by hand: the value, or the limit, that decided."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir import check, ir, raise_to
from proxai_ir.ir.node import Cache
from proxai_ir.ir.request import Role, Turn
from proxai_ir.testing.specimens import asked, hello, responded

from .rows import TARGETS
from .test_rows import everything_but, judged


def sampled(**settings: Any) -> Any:
    return asked(sampling=ir.Sampling(**settings))


def said(*given: Any, role: Role = Role.ASSISTANT) -> Any:
    return asked(turns=[hello(), Turn(role, list(given))])


HOSTED = [ir.HostedCall("image_generation", "i", {"a": 1}), ir.HostedResult("image_generation", "i", {"a": 1})]
SEARCHED = [ir.WebSearchCall("s", ["tides"]), ir.WebSearchResult("s", [])]
UNKNOWN = ir.UnknownPart("dream", {"type": "dream"})
IDS = "an id must match [a-zA-Z0-9_-]+; what the provider runs, srvtoolu_[a-zA-Z0-9_]+ or mcptoolu_…"
MARKS = "\ufdd0\ufdd1"
"""Around a value of the source, which some diagnostics leave out."""
DETAILS: dict[str, tuple[Any, str, dict[str, list[str]]]] = {
    "hosted calls": (
        lambda: said(*HOSTED),
        "TUL-6",
        {"AGC": ["image_generation", "image_generation"]},
    ),
    "hosted calls in a response": (
        lambda: responded(HOSTED[0], ir.Text("Hi")),
        "TUL-6",
        {"AGC": ["image_generation"]},
    ),
    "a temperature": (
        lambda: sampled(temperature=2.5),
        "SMP-2",
        {"G": ["a temperature must be from 0 to 2"]},
    ),
    "a seed": (lambda: sampled(seed=2**40), "SMP-2", {"G": ["32 bits"]}),
    "likely tokens": (lambda: sampled(logprobs=True, top_logprobs=21), "SMP-2", {"G": ["at most 20"]}),
    "stops": (lambda: sampled(stop=list("abcdef")), "SMP-5", {"G": ["at most 5"], "C": ["at most 4"]}),
    "a speed that is the usual one": (
        lambda: asked(service=ir.Service(fast=False)),
        "SMP-6",
        {"CR": [""]},
    ),
    "instructions that nobody knows": (
        lambda: asked(turns=[Turn(Role.SYSTEM, [UNKNOWN]), hello()]),
        "UNK-5",
        {"AGCR": [""]},
    ),
    "an id of an MCP server's result": (
        lambda: said(ir.McpCall("x_1", "wiki", "ask", {}), ir.McpResult("x_1", "r")),
        "TUL-13",
        {"A": [IDS, IDS]},
    ),
    "a mark on what code wrote": (
        lambda: responded(ir.CodeCall("r", "1", "python"), ir.CodeResult("r", "python", "1", cache=Cache(300))),
        "CAC-4",
        {"GR": [""]},
    ),
}
"""Trees, the rule, and what its diagnostics name in these targets."""


@pytest.mark.parametrize("name", DETAILS)
def test_what_a_finding_names(name: str) -> None:
    make, rule, details = DETAILS[name]
    for target, expected in ((target, expected) for targets, expected in details.items() for target in targets):
        found = judged(make(), everything_but(TARGETS[target], ""))
        named = [detail.strip(MARKS).strip("'") for code, _, detail in found if code == rule]
        assert named == expected, target


def test_parts_of_a_response_stand_in_an_order() -> None:
    """Gemini's content is one list: text between calls stays there, and nothing of an order is lost."""
    given = [ir.FunctionCall("c", "f", {}), ir.Text("And"), ir.Reasoning("Hm."), ir.Text("so.")]
    made = raise_to(responded(*given), TARGETS["G"])
    assert [next(iter(one)) for one in made["candidates"][0]["content"]["parts"]][:2] == ["functionCall", "text"]
    anthropic = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "usage": USAGE}
    content = [{"type": "tool_use", "id": "t", "name": "f", "input": {}}, {"type": "text", "text": "And"}]
    whole = {**anthropic, "content": content, "stop_reason": "end_turn", "stop_sequence": None}
    assert "PLC-4" not in {one.code for one in check(whole, TARGETS["A"], TARGETS["G"])}
    assert "PLC-4" in {one.code for one in check(whole, TARGETS["A"], TARGETS["C"])}


USAGE = {"input_tokens": 7, "output_tokens": 5}
