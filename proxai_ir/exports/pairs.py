"""A request with its response, as one value: `{"request": …, "response": …}`, both of one protocol.

Rule 1: diagnostics point into the pair. Rule 2: a setting of the request, or a fact about the response, that an export
cannot hold is reported: hints and facts by EXP-1, settings that shaped the response by EXP-2.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import attrs

from ..ir.request import Request
from ..ir.response import Candidate, Response
from ..json.types import found
from ..passes.endings import as_error
from ..protocol.detection import read_request, read_response
from ..protocol.registry import Frontend
from ..protocol.slips import slips_of
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report

Json = Any
MEMBERS = ("request", "response")
BOOKKEEPING = ("protocol", "src", "extra", "headers", "failure")
SHAPING = ("tool_choice", "thinking", "output", "prefill", "hosted_calls", "summary")
"""The settings of a request that shape its response, and not only the choice of tokens."""


def read_pair(pair: Json, front: Frontend) -> tuple[Request, Response]:
    """Return the trees of a pair. Raises Refusal, with places in the pair."""
    if not isinstance(pair, dict):
        raise Refusal("SHP-1", None, f"expected an object with `request` and `response`, found {found(pair)}")
    for name in MEMBERS:
        if pair.get(name) is None:
            raise Refusal("SHP-2", (pair,), f"expected {name!r}")
        if not isinstance(pair[name], dict):
            raise Refusal("SHP-1", (pair, name), f"expected an object, found {found(pair[name])}")
    request, response = read_request(front, pair["request"]), as_error(read_response(front, pair["response"], None))
    if not isinstance(response, Response):
        raise Refusal("SHP-5", (pair, "response"), "expected a response that did not fail")
    return request, response


def only_candidate(response: Response, pair: Json) -> Candidate:
    """Return the only candidate. Raises Refusal (CHO-1) if there are several, or none."""
    if len(response.candidates) != 1:
        raise Refusal("CHO-1", (pair, "response"), f"expected one candidate, found {len(response.candidates)}")
    return response.candidates[0]


def note_unknown(report: Report, pair: dict[str, Any], request: Request, response: Response) -> None:
    report.records += [*slips_of(request.src), *slips_of(response.src)]
    report.records += [("UNK-1", (pair, name), "") for name in pair if name not in MEMBERS and pair[name] is not None]


def note_settings(report: Report, request: Request, kept: Collection[str]) -> None:
    """Report the settings of a request that an export leaves out; `kept` has the fields that it has, also of groups."""
    if request.extra is not None:
        report.extra_fields(request)
    for field in attrs.fields(Request):
        value = getattr(request, field.name)
        if value is None or field.name in kept or field.name in BOOKKEEPING:
            continue
        rule = "EXP-2" if field.name in SHAPING else "EXP-1"
        if attrs.has(type(value)) and field.name != "tool_choice":
            note_fields(report, rule, value, kept)
        else:
            report.at(rule, request, field.name)


def note_fields(report: Report, rule: str, node: Any, kept: Collection[str] = ()) -> None:
    """Report the fields of a node that an export leaves out."""
    if node.extra is not None:
        report.extra_fields(node)
    for field in attrs.fields(type(node)):
        if field.name not in BOOKKEEPING and field.name not in kept and getattr(node, field.name) is not None:
            report.at(rule, node, field.name)


def note_facts(report: Report, response: Response, kept: Collection[str] = ()) -> None:
    """Report the facts about a response that an export leaves out: its id, usage, how it ended."""
    note_fields(report, "EXP-1", response, ("candidates", *kept))
    for candidate in response.candidates:
        if candidate.extra is not None:
            report.extra_fields(candidate)
        if candidate.logprobs is not None:
            report.at("EXP-1", candidate, "logprobs")
        if "terminal" not in kept:
            report.at("EXP-1", candidate.terminal, "reason")
            note_fields(report, "EXP-1", candidate.terminal, ("reason", "raw"))
