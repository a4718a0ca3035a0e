"""Recorded requests and responses: none crashes, none loses a leaf in silence, few are refused, each with a rule."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.rules.catalogue import RULES
from proxai_ir.testing.pointers import exists

from ..samples import PAIRS, PROTOCOLS
from .shared import GEMINI, KINDS, RESPONSES, SEED, Tools

ROUTES = [(kind, src, dst) for kind in KINDS for src, dst in PAIRS]
OWN = [(kind, protocol) for kind in KINDS for protocol in PROTOCOLS]

TRACED = 4
TRACED_AT_LENGTH = 60

CONFORM = 0.99
IDENTITY = 0.995
REFUSED = {RESPONSES: 0.12, GEMINI: 0.19}
REFUSED_OF_OTHERS = 0.05
"""The share of recordings that may be refused, by source: Responses and Gemini (video, files) have most that the others
lack."""
NO_WAY_BACK = {
    "DOC-5": "a document that a dialect names in a way of its own",
    "SCH-2": "a schema that gets the members which the target requires",
    "TUL-13": "ids that the target does not accept",
    "TUL-25": "tools that stood in the conversation or in a namespace",
    "TUL-38": "the definition of a search for tools, where all tools are sent at once",
    "PLC-12": "a turn of which nothing is left",
    "STS-10": "a response without a stop reason",
    "ENV-7": "an empty message, which is none",
    "CAC-4": "assistant messages in a row, apart for a cache breakpoint alone",
    "VID-1": "video, which dialects of Chat Completions alone have",
    "TUL-11": "a choice that forces some tool, where there are only the provider's own",
    "SHP-2": "audio without an id, which Chat Completions requires",
    "SRC-2": "a document by its URL, which servers of Chat Completions take by an option alone",
}
"""Rules under which a payload is changed, or refused on the way back, and does not come back the same without `state`.
"""

UNSEEN: dict[str, Callable[[Any, Any], bool]] = {
    r"/modelVersion": lambda payload, value: True,  # the option `model` has the same name
    r"/usage/total_tokens": lambda payload, value: value == 0,  # a sum that the target computes itself
    r".*/additionalProperties": lambda payload, value: value is False,  # as in every schema that is enforced
    r"/(response_format/json_schema|text/format)/name": lambda payload, value: value == title_of(payload),
    r"/choices/0/message/reasoning": lambda payload, value: value == detailed(payload["choices"][0]["message"]),
    r"/incomplete_details/reason": lambda payload, value: value == "max_output_tokens",  # as an unknown one (STS-2)
    r"/tools/\d+/type": lambda payload, value: value == "function" and defines_again(payload),
}
"""What arrives without this judge seeing it, since another value would give the same output and a finding: by the
pointer, whether that is the case.
"""
ELSEWHERE = ("/choices/0/media: 1 items != 0", "/candidates: 0 items != 1")
"""Thinking that a server has among the content, and prompts that were blocked: they come back in the member that the
others have for it."""


def known(tools: Tools, src: str, dst: str, kind: str) -> list[Any]:
    """The recordings; of requests to Gemini those of which the model is known, which stood in the URL, and whose tools
    are an array, which the judge takes for granted."""
    records = tools.records(src, kind)
    if src == dst or (src, kind) != (GEMINI, "request"):
        return records
    return [one for one in records if one.model and isinstance(one.payload.get("tools", []), list)]


def measure(tools: Tools, kind: str, src: str, dst: str, traced: int) -> Any:
    """The scoreboard's own cell for a route, over every recording."""
    records = known(tools, src, dst, kind)
    assert len(records) > 100
    return tools.scoreboard.measure(records, src, dst, kind, traced, random.Random(SEED))


def hold(tools: Tools, cell: Any, kind: str, src: str, dst: str) -> None:
    """Every figure of a route."""
    assert cell["crashed"] == 0, cell.notes
    assert cell["leaves"] > 0
    silent = [note.split()[1:] for note in cell.notes if note.startswith("silent ")]
    assert len(silent) == cell["silent"], "the notes do not name them all"
    payloads = {record.id: record.payload for record in tools.records(src, kind)}
    assert [one for one in silent if not is_unseen(payloads[one[0]], one[1])] == []
    assert cell["stale"] == 0, cell.notes
    assert cell["conform"] >= CONFORM * (cell["converted"] - cell["excused"]), cell.notes
    assert cell["rejected"] <= REFUSED.get(src, REFUSED_OF_OTHERS) * cell["total"], cell.rules
    assert cell["return_asked"] > 0 or (kind == "request" and GEMINI in (src, dst))  # the model is lost on the way back
    hold_returns(tools, cell, kind, src, dst)


def is_unseen(payload: Any, pointer: str) -> bool:
    return any(re.fullmatch(place, pointer) and holds(payload, at(payload, pointer)) for place, holds in UNSEEN.items())


def at(payload: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        payload = payload[int(step) if isinstance(payload, list) else step.replace("~1", "/").replace("~0", "~")]
    return payload


def title_of(payload: Any) -> Any:
    """The title of the schema that a response is to have, which names it as well."""
    given = payload["response_format"]["json_schema"] if "response_format" in payload else payload["text"]["format"]
    return given["schema"].get("title")


def detailed(message: Any) -> str:
    """The text of OpenRouter's `reasoning_details`, which `reasoning` repeats."""
    return "".join(one.get("text") or one.get("summary") or "" for one in message.get("reasoning_details") or ())


def defines_again(payload: Any) -> bool:
    """Whether the conversation defines a tool that the request defines as well."""
    defined = {tool.get("name") for tool in payload["tools"]}
    later = (tool for item in payload["input"] for tool in item.get("tools") or ())
    return any(one.get("name") in defined for tool in later for one in (tool, *(tool.get("tools") or ())))


def hold_returns(tools: Tools, cell: Any, kind: str, src: str, dst: str) -> None:
    """All come back the same, except for those of which a finding, there or back, names a known reason."""
    notes = [note for note in cell.notes if note.startswith("return ")]
    assert len(notes) == cell["return_asked"] - cell["return"], "the notes do not name them all"
    failed = [note.split()[1] for note in notes if not note.endswith(ELSEWHERE)]
    records = {record.id: record for record in tools.records(src, kind)}
    for name in failed:
        options = {"model": records[name].model} if records[name].model else {}
        there = proxai_ir.compile(records[name].payload, src, dst, kind=kind, **options)
        back = proxai_ir.check(there.output, dst, src, kind=kind)
        reported = {found.code for found in (*there.diagnostics, *back)}
        assert reported & NO_WAY_BACK.keys(), [note for note in cell.notes if name in note]


@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_the_figures_of_a_route(tools: Tools, kind: str, src: str, dst: str) -> None:
    hold(tools, measure(tools, kind, src, dst, TRACED), kind, src, dst)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_the_figures_of_a_route_traced_at_length(tools: Tools, kind: str, src: str, dst: str) -> None:
    hold(tools, measure(tools, kind, src, dst, TRACED_AT_LENGTH), kind, src, dst)


@pytest.mark.parametrize(("kind", "protocol"), OWN)
def test_payloads_come_back(tools: Tools, kind: str, protocol: str) -> None:
    cell = measure(tools, kind, protocol, protocol, 0)
    assert cell["crashed"] == 0, cell.notes
    assert cell["rejected"] == 0, cell.notes
    assert cell["identity"] >= IDENTITY * cell["total"], cell.notes


@pytest.mark.parametrize(("kind", "src", "dst"), ROUTES)
def test_every_refusal_has_a_rule_and_a_place(tools: Tools, kind: str, src: str, dst: str) -> None:
    for record in tools.records(src, kind):
        options = {"model": record.model} if record.model else {}
        try:
            proxai_ir.convert(record.payload, src, dst, kind=kind, **options)
        except TranslationError as error:
            assert RULES[error.rule].severity == "error", record.id
            assert exists(record.payload, error.path), (record.id, error.path)
            assert error.path != "", record.id
