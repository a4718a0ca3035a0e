"""Recorded exchanges to every form and back: what is said comes back, or a finding names what changed."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from proxai_ir import TranslationError, ir, lower
from proxai_ir.exports import FORMS, compile_export

from ..held.shared import SHARED
from ..samples import PROTOCOLS

Pair = dict[str, Any]
CORPUS = SHARED / "corpus"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the recordings are not here"),
]
ALWAYS = {"EXP-1", "STS-10", "ENV-1", "ENV-2", "ENV-5", "ENV-6", "ENV-9", "ENV-13", "SMP-1", "USE-5"}
"""Rules of what no line holds, the model, the ending and the usage: they name no change of what is said."""
OWN = {"PLC-11", "PLC-24", "SRC-1", "SRC-2", "SHP-1", "SHP-2", "TUL-3", "VID-1"}
"""Why a protocol refuses what it took from others in its own requests: an empty message, another's file, several
answers in one."""


def exchanges(protocol: str) -> Iterator[Pair]:
    requests = {one["exchange"]: one["payload"] for one in recorded(protocol, "request") if one["exchange"]}
    for one in recorded(protocol, "response"):
        if one["exchange"] in requests:
            yield {"request": requests[one["exchange"]], "response": one["payload"]}


def recorded(protocol: str, kind: str) -> list[Any]:
    path = CORPUS / f"{protocol}.{kind}.jsonl.gz"
    return [json.loads(line) for line in gzip.open(path)] if path.is_file() else []


def said(pair: Pair, protocol: str) -> list[tuple[str, ...]]:
    """Return what each side of a conversation says; neighbouring texts of one side are joined."""
    request, response = (lower(pair[kind], protocol, kind=kind) for kind in ("request", "response"))
    assert isinstance(request, ir.Request) and isinstance(response, ir.Response)
    found: list[tuple[str, ...]] = []
    for turn in [*(request.turns or []), *response.candidates[0].turns]:
        for part in turn.parts:
            one = (SIDES[turn.role], *_content(part))
            if found and one[1] == "text" and found[-1][:2] == one[:2]:
                one = (*one[:2], found.pop()[2] + one[2])
            found.append(one)
    return found


SIDES = {
    ir.SYSTEM: "system",
    ir.DEVELOPER: "system",
    ir.USER: "user",
    ir.TOOL: "user",
    ir.ASSISTANT: "assistant",
}


def _content(part: ir.Part) -> tuple[str, ...]:
    if isinstance(part, (ir.Text, ir.Refusal)):
        return "text", part.text
    if isinstance(part, ir.FunctionCall):
        return "call", part.name, _arguments(part.arguments)
    if isinstance(part, ir.CustomCall):
        return "call", part.name, part.input
    if isinstance(part, ir.ToolResult):
        return "result", "".join(getattr(one, "text", type(one).__name__) for one in part.parts)
    return (type(part).__name__,)


def _arguments(given: str | dict[str, Any]) -> str:
    with suppress(ValueError):  # of a call that is cut off
        given = json.loads(given or "{}") if isinstance(given, str) else given
    return given if isinstance(given, str) else json.dumps(given, sort_keys=True)


@pytest.mark.parametrize("form", FORMS)
def test_what_is_said_comes_back_or_is_named(form: str) -> None:
    counts: Counter[str] = Counter()
    silent: list[Any] = []
    for protocol in PROTOCOLS:
        for pair in exchanges(protocol):
            if form == "preference":
                pair["rejected"] = pair["response"]
            counts[_outcome(pair, protocol, form, silent)] += 1
    assert silent == []
    assert counts["same"] > 300 and counts["refused"] < 150 and counts["refused on the way back"] < 20, counts


def _outcome(pair: Pair, protocol: str, form: str, silent: list[Any]) -> str:
    try:
        there = compile_export(pair, protocol, form)
    except TranslationError as error:
        assert error.rule != "internal"
        return "refused"
    whole: dict[str, Any] = {} if form == "telemetry" else {"pair": True}
    try:
        back = compile_export(there.output, form, protocol, model="m", **whole)
    except TranslationError as error:
        if error.rule not in OWN:
            silent.append(error)
        return "refused on the way back"
    if "response" not in back.output:  # a failure that came in place of a response
        return "failed"
    before, after = said(pair, protocol), said(back.output, protocol)
    if before == after:
        return "same"
    if {*there.rules, *back.rules} <= ALWAYS:
        silent.append([one for one in zip(before, after, strict=False) if one[0] != one[1]][:1])
    return "named"
