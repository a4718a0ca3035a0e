"""Settle how a response ends: failures become errors, and calls that broke off or repeated refusals are left out.

Rule 1: an ending that reports a failure makes the response an error (FIN-8), whatever its content; so does an unknown
ending without an answer. One failed candidate is enough: a client must not take a part of a response for all of it.

Rule 2: a last call that was cut off is left out for targets whose calls have objects as arguments; others get the text
as far as it came. Arguments that are no object are refused in all other cases (TUL-1), and if a response has no ending,
for every target, since the call may be incomplete (TUL-45). If the response ended by itself, no arguments are an empty
object.

Rule 3: a stream has already sent such a call, or the text that a refusal repeats, so that only the loss is reported
(streaming/pipeline.py, STR-11).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

import orjson

from ..ir.error import Error, by_ending
from ..ir.node import Extra
from ..ir.parts import FunctionCall, McpCall, Refusal, Text
from ..ir.request import ASSISTANT, Request, Turn
from ..ir.response import CUT_OFF, FAILED, UNKNOWN, Candidate, Response, Terminal, answers, unargued
from ..json.pointer import value_at
from ..reporting.report import Report
from ..targets.conditions import flaw_of_arguments
from ..targets.constraints import Constraints

NONE: frozenset[str] = frozenset()


def failed(ending: Terminal, answered: bool) -> bool:
    """Return whether an ending means that generation failed; `answered` tells whether content answers the request."""
    return ending.reason is FAILED or (ending.reason is UNKNOWN and ending.stated and not answered)


def error_of(ending: Terminal, protocol: str | None) -> Error:
    """Return the error for an ending: its code is the provider's word, its message the provider's explanation."""
    message = ending.message or f"The generation failed: {ending.raw}."
    return Error(protocol, by_ending(ending.raw), message, code=ending.raw, src=ending.src)


def as_error(root: Any) -> Any:
    """Return an error in place of a response that failed, without its content (STS-9); return other trees unchanged."""
    if type(root) is Response:
        for candidate in root.candidates:
            ending = candidate.terminal
            if ending.reason is FAILED or ending.reason is UNKNOWN:
                if failed(ending, any(map(answers, candidate.parts))):
                    error = error_of(ending, root.protocol)
                    if isinstance(root.src, dict):
                        error.src, error.extra = root.src, Extra.of((root.src, NONE, {}))
                    return error
    return root


def settle_calls(root: Response, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Leave out a last call that was cut off, if the target's arguments are objects; report calls without arguments."""
    for candidate in root.candidates:
        turns = candidate.turns
        if not turns or not turns[-1].parts:
            continue
        for turn in turns:
            for part in turn.parts:
                if type(part) is FunctionCall and is_odd(part.arguments):
                    part.arguments = reread(part.arguments)
        if isinstance(turns[-1].parts[-1], (FunctionCall, McpCall)):
            _settle_last(candidate, report, constraints.parsed_arguments)
        for turn in turns:
            for part in turn.parts:
                if part.__class__ is FunctionCall and unargued(part) and part is not candidate.broken_off:
                    note_no_arguments(part, report)


def is_odd(arguments: Any) -> TypeGuard[str]:
    """Return whether arguments, or the beginning of some, may be `null` or a JSON string, which `reread` reads."""
    return type(arguments) is str and arguments.lstrip()[:1] in ("n", '"')


def reread(text: str) -> str:
    """Return the arguments that `null`, or a JSON string with JSON inside, stands for (TUL-44); others unchanged."""
    if text.strip() == "null":
        return ""
    try:
        inner = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return inner if isinstance(inner, str) and inner.strip() and not flaw_of_arguments(inner) else text


def _settle_last(candidate: Candidate, report: Report, parsed: bool) -> None:
    """Leave out or refuse a last call whose arguments broke off; `parsed`: the target's arguments are objects."""
    last: Any = candidate.turns[-1].parts[-1]
    ending = candidate.terminal
    if type(last.arguments) is not str or not (parsed or not ending.stated):
        return
    broken = candidate.broken_off is last or flaw_of_arguments(last.arguments)
    if ending.reason in CUT_OFF:
        if broken:
            report.at("TUL-29", last)
            candidate.turns[-1].parts.pop()
    elif not ending.stated and (broken or unargued(last)) and not _has_object(last, report):
        report.at("TUL-45", last, "arguments", flaw_of_arguments(last.arguments) or "found no arguments")


def note_no_arguments(call: Any, report: Report) -> None:
    """Report a call without arguments, unless its protocol has the empty object for that."""
    if type(call) is FunctionCall and not _has_object(call, report):
        report.at("TUL-44", call, "arguments")


def _has_object(call: Any, report: Report) -> bool:
    """Return whether the arguments are an object in the source; they may be text in its streams."""
    return isinstance(value_at(report.place(call, "arguments")), dict)


def leave_out_repetitions(root: Response | Request, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
    """Leave out texts that repeat the wording of a refusal (REF-11)."""
    if isinstance(root, Response):
        for candidate in root.candidates:
            if candidate.refuses:
                _leave_out(candidate.turns, report)
        return
    for turn in root.turns or ():
        if turn.role is ASSISTANT and len(turn.parts) > 1:
            for part in turn.parts:
                if part.__class__ is Refusal:
                    _leave_out((turn,), report)
                    break


def _leave_out(turns: Sequence[Turn], report: Report) -> None:
    """Leave out a text of a response that repeats its refusal, or all texts if they do so together."""
    texts = [part for turn in turns for part in turn.parts if type(part) is Text]
    wording = "".join(part.text for turn in turns for part in turn.parts if type(part) is Refusal)
    repeated = [part for part in texts if part.text == wording and not part.citations]
    if not repeated and "".join(part.text for part in texts) == wording:
        repeated = texts
    if not wording or not repeated:
        return
    for part in repeated:
        report.at("REF-11", part)
    left_out = {id(part) for part in repeated}
    for turn in turns:
        turn.parts = [one for one in turn.parts if id(one) not in left_out]
