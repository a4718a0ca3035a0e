"""A node for each row that holds under a condition: values that mean something, and the fields that they need."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate
from proxai_ir.testing.specimens import SCHEMA, SPECIMENS, asked, hello, responded
from proxai_ir.testing.tables import VALUES, _values

from ..samples import PROTOCOLS, of
from .tables import LATER
from .test_rows import ASSISTANT, CLASSES, OWN, PARTS, SOMETIMES, USER, Row, everything_but, judged, on_fields

PLAIN: list[Any] = [
    *(False, True, [], {}, "", 0, 1, -1, 0.0, 1.0, 300, 10**6, 2**40, "auto", "medium", "pcm16", [""], [*"abcdefgh"]),
    ["image"],
    *("x" * 300, {"a": 1}, {"anyOf": []}, {"$ref": "https://e.com"}, {"type": "array"}, [("dream", None)]),
    {"type": "object", "properties": {"a b": {"type": "string"}}},
    {"type": "object", "properties": {"a": {"type": "string"}}},
    {**SCHEMA, "properties": {"a": {"type": "string", "examples": ["x"]}}},
]
"""Values that some field or other finds remarkable: neutral, empty, negative, too many, too long."""
SEALS = [
    Seal("", "closed", "proxai_ir.seal.1.x.y"),
    Seal("", "unverified", "x"),
    Seal("other", "signature", "eA=="),
    Seal("google", "signature", "no base64"),
    Seal("google", "signature", "c2ln"),
    Seal("", "none", ""),
]
OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}
OVERFLOW = ErrorCategory.CONTEXT_LENGTH
EITHER = {"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]}
WITH: dict[tuple[type, str], list[dict[str, Any]]] = {
    (ir.SearchResult, "cache"): [{"parts": []}],
    (ir.ToolResult, "cache"): [{"parts": []}],
    (ir.ToolResult, "name"): [{"call_id": None}],
    (ir.ToolResult, "is_error"): [{"failure": '{"error":"r"}'}],
    (ir.Document, "title"): [{"source": ir.Chunks([ir.Text("x")])}],
    (Error, "message"): [{"category": OVERFLOW}],
    (Error, "code"): [{"category": OVERFLOW}],
    (ir.Thinking, "display"): [
        {"mode": ir.ThinkingMode.ADAPTIVE},
        {"mode": ir.ThinkingMode.BETWEEN_TOOLS},
    ],
    (ir.Thinking, "budget"): [{"mode": ir.ThinkingMode.DISABLED}, {"effort": ir.Effort.LOW}],
    (ir.Thinking, "effort"): [{"mode": ir.ThinkingMode.DISABLED}],
    (ir.Thinking, "mode"): [{"effort": ir.Effort.LOW}, {"budget": 700}],
    (ir.FunctionTool, "parameters"): [{"strict": True}],
    (ir.FunctionTool, "strict"): [{"parameters": OPEN}, {"parameters": EITHER}],
    (ir.Sampling, "top_logprobs"): [{"logprobs": True}],
    (ir.Caching, "lifetime"): [{"automatic": True}],
    (ir.Sampling, "top_p"): [{"temperature": 0.5}],
    (Candidate, "logprobs"): [{"turns": [Turn(ASSISTANT, [ir.Text("a"), ir.Text("b")])]}],
    (Turn, "name"): [{"role": Role.SYSTEM}],
}
"""The other fields that a field needs to mean something."""
for module in LATER.values():
    for field_of, others in getattr(module, "WITH", {}).items():
        WITH.setdefault(field_of, []).extend(others)


def passed_on(protocol: str) -> set[Row]:
    """Rows that a pass acts on, which has tests of its own."""
    return {(protocol, subject, one.without, str(one.rule)) for subject, one in on_fields(protocol) if one.elsewhere}


JUDGED = sorted(SOMETIMES.keys() - set().union(*map(passed_on, PROTOCOLS)))


def examples(row: Row) -> Iterator[Any]:
    protocol, subject, _, _ = row
    name, _, field = subject.partition(".")
    field = field.partition("=")[0]
    cls = CLASSES[name]
    known = [] if (cls, field) == (ir.FunctionTool, "parameters") else _values(cls, field, {**VALUES, **OWN})
    values = SEALS if field == "seal" else [*known, *PLAIN]
    for beside in ({}, *WITH.get((cls, field), ())):
        for value in values:
            root, node = {**SPECIMENS, **of(protocol).specimens}[cls]()
            for key, one in {**beside, field: value}.items():
                setattr(node, key, one)
            roots = [root]
            if cls in PARTS:
                roots += [responded(node), *(asked(turns=[hello(), Turn(role, [node])]) for role in (USER, ASSISTANT))]
            yield from [deepcopy(one) for one in roots]


def reports(row: Row) -> bool:
    server = everything_but(row[0], row[2])
    for root in examples(row):
        try:
            if row[3] in {one[0] for one in judged(root, server)}:
                return True
        except (AttributeError, TypeError, ValueError, KeyError):  # a value that the field cannot have
            continue
    return False


@pytest.mark.parametrize("row", JUDGED, ids=" ".join)
def test_a_node_for_each_row_with_a_condition(row: Row) -> None:
    assert reports(row)
