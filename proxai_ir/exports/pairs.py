"""A request with its response, as one value: `{"request": …, "response": …}`, both of one protocol.

A response may be the error that the request failed with, or be missing. Rule 1: diagnostics point into the pair. Rule
2: a setting of the request, or a fact about the response, that an export cannot hold is reported: hints and facts by
EXP-1, settings that shaped the response by EXP-2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import NoneType
from typing import Any

import attrs

from ..ir.error import Error
from ..ir.request import Request
from ..ir.response import Candidate, Response
from ..json.types import found, loaded
from ..passes.endings import as_error
from ..protocol.detection import is_error, read_error, read_request, read_response
from ..protocol.registry import Frontend
from ..protocol.slips import slips_of
from ..reporting.diagnostics import InvalidPayload, Refusal, render
from ..reporting.report import Report

Json = Any
MEMBERS = ("request", "response")
REJECTED = "rejected"
"""A response that another one was preferred to; with those members, for forms that hold both."""
BOOKKEEPING = ("protocol", "src", "extra", "headers", "failure", "recaps", "changes")
SHAPING = ("tool_choice", "thinking", "output", "prefill", "hosted_calls", "summary")
"""The settings of a request that shape its response, and not only the choice of tokens."""


def with_texts(pair: Json) -> Json:
    """Return a pair in which texts of JSON are parsed, as tables have them in two columns. Raises InvalidPayload."""
    texts = [name for name in (*MEMBERS, REJECTED) if isinstance(pair, dict) and isinstance(pair.get(name), str)]
    if not texts:
        return pair
    made = dict(pair)
    for name in texts:
        try:
            made[name] = loaded(pair[name])
        except ValueError as error:
            raise InvalidPayload(render([("SHP-6", (pair, name), str(error))], pair, refused=True)) from None
    return made


def read_pair(pair: Json, front: Frontend) -> tuple[Request, Response | Error | None]:
    """Return the trees of a pair: a request, and its response, the error that it failed with, or None if there is none.

    Raises Refusal, with places in the pair.
    """
    return _read_request(pair, front), _outcome(pair, front, MEMBERS[1])


def _read_request(pair: Json, front: Frontend) -> Request:
    if not isinstance(pair, dict):
        raise Refusal("SHP-1", None, f"expected an object with `request` and `response`, found {found(pair)}")
    if pair.get("request") is None:
        raise Refusal("SHP-2", (pair,), "expected 'request'")
    return read_request(front, _object(pair, MEMBERS[0]))


def _object(pair: Json, name: str) -> Json:
    if not isinstance(pair.get(name), (dict, NoneType)):
        raise Refusal("SHP-1", (pair, name), f"expected an object, found {found(pair[name])}")
    return pair.get(name)


def _outcome(pair: Json, front: Frontend, name: str) -> Response | Error | None:
    given = _object(pair, name)
    if given is None:
        return None
    return read_error(front, given, None) if is_error(front, given) else as_error(read_response(front, given, None))


def read_answered(pair: Json, front: Frontend, names: Iterable[str] = MEMBERS[1:]) -> tuple[Request, list[Response]]:
    """Return the trees of a pair whose request was answered, by each of the named members.

    Raises Refusal, with places in the pair.
    """
    request, responses = _read_request(pair, front), []
    for name in names:
        response = _outcome(pair, front, name)
        if response is None:
            raise Refusal("SHP-2", (pair,), f"expected {name!r}")
        if not isinstance(response, Response):
            raise Refusal("SHP-5", (pair, name), "expected a response that did not fail")
        responses.append(response)
    return request, responses


def only_candidate(response: Response, pair: Json, name: str) -> Candidate:
    """Return the only candidate. Raises Refusal (CHO-1) if there are several, or none."""
    if len(response.candidates) != 1:
        raise Refusal("CHO-1", (pair, name), f"expected one candidate, found {len(response.candidates)}")
    return response.candidates[0]


def note_unknown(report: Report, pair: dict[str, Any], read: Mapping[str, Request | Response | Error | None]) -> None:
    """Report what a pair holds beside the members that were read, and the slips of these."""
    report.records += [slip for node in read.values() if node is not None for slip in slips_of(node.src)]
    report.records += [("UNK-1", (pair, name), "") for name in pair if name not in read and pair[name] is not None]


def note_settings(report: Report, request: Request, kept: Collection[str]) -> None:
    """Report the settings of a request that an export leaves out; `kept` has the fields that it has, also of groups."""
    if request.extra is not None:
        report.extra_fields(request)
    if not report.has_member("Streaming", "usage"):  # all streams of such a protocol report it
        kept = (*kept, "usage")
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


def note_facts(report: Report, response: Response, kept: Collection[str] = (), ended: str = "EXP-1") -> None:
    """Report the facts about a response that an export leaves out: its id, usage, how it ended, by the rule `ended`."""
    note_fields(report, "EXP-1", response, ("candidates", *kept))
    for candidate in response.candidates:
        if candidate.extra is not None:
            report.extra_fields(candidate)
        if candidate.logprobs is not None:
            report.at("EXP-1", candidate, "logprobs")
        if "terminal" not in kept:
            report.at(ended, candidate.terminal, "reason")
            note_fields(report, "EXP-1", candidate.terminal, ("reason", "raw"))
