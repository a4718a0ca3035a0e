"""Training lines of every form, from any request with its response, and back.

Rule 1: the conversation and its answer are converted as the history of a request of the form's protocol. Rule 2: a line
needs the answer that it trains; one that is not whole is a loss (EXP-7), and without one there is no line (EXP-8).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import evolve

from .. import ir
from ..api import compile
from ..conversion.conversion import Conversion
from ..conversion.directions import Direction, bound
from ..conversion.options import around, new_report, quotes
from ..conversion.profile import Profile, protocol_of
from ..ir.parts import CALLS, WORDING, Audio, Document, Image, Reasoning, Text, ToolResult, Video
from ..ir.request import Request, Role, Turn
from ..ir.response import CUT_OFF, Candidate, Response, StopReason
from ..ir.structure import copy_tree
from ..json.types import found
from ..protocol.detection import read_response
from ..protocol.registry import backend
from ..reporting.diagnostics import (
    Diagnostic,
    InvalidPayload,
    Refusal,
    TranslationError,
    Unrepresentable,
    refused_as,
    render,
)
from ..reporting.report import Report
from .pairs import note_facts, note_settings, note_unknown, only_candidate, read_answered
from .training_forms import TRAINING, Form, Place

Json = Any
Found = tuple[Diagnostic, ...]
UNNAMED = "none"
"""The model of a request that names none, while it is converted; the line has no model."""
OF_TURNS = ("recaps", "changes")
"""What a request notes about its turns."""
NEXT = "…"
"""What follows the answer while it is converted."""
TRAIN = ("response", "all")
INCOMPLETE = (*CUT_OFF, StopReason.PAUSE, StopReason.UNFINISHED)
"""Endings of responses that are not what the model would have said (EXP-7)."""
MEDIA = (Image, Audio, Document, Video)
LEFT = render([("EXP-4", None, "")], None)
"""The finding about an answer that is no part of a request."""


# --- to lines ---------------------------------------------------------------------------------------------------------


def compile_example(
    pair: Json, src: str | Profile, *, form: str, train: str | None = None, **options: Any
) -> Conversion[Any]:
    """Return the training line of `{"request": …, "response": …}`, both payloads of `src`.

    form     the name of one of TRAINING
    train    of forms with weights. "response", the default: only the response is trained, and earlier assistant
             messages get `weight` 0; "all": all are
    options  those of `convert` towards the protocol of the form

    Diagnostics point into the pair. For preferences the pair has another response, `rejected`.

    Raises InvalidPayload, Unrepresentable and TypeError as `convert` does.
    """
    shape = TRAINING[form]
    _check_train(train, shape)
    way, known = bound(src, shape.server, options)
    front = way.front
    assert front is not None  # as `src` is a protocol
    quote = quotes(options)
    with refused_as(Unrepresentable, pair, quote):
        with refused_as(InvalidPayload, pair, quote):
            request, responses = read_answered(pair, front, shape.answers)
        report = new_report(front, way.back, known)
        note_unknown(report, pair, {"request": request, **dict(zip(shape.answers, responses, strict=True))})
        note_settings(report, request, shape.kept)
        answers = [_answer(one, pair, name, report) for one, name in zip(responses, shape.answers, strict=True)]
        turns = request.turns or []
        for one in (turns, *(answer.turns for answer in answers)):
            _fit(one, shape, report)
        for answer, name in zip(answers, shape.answers, strict=True):
            _check_answer(answer, (pair, name), shape, report)
        report.stop()
        payloads, inner = _written(request, turns, answers, shape, way, known)
        line = shape.write(payloads)
        if shape.weights and train != "all":
            line[shape.turns] = [*_weighted(line[shape.turns])]
        records = [*report.records, *(one for each in inner for one in each.records)]
        found, state = render(records, pair, quote_values=quote), inner[-1].state
        return Conversion(line, "example", front.protocol, form, found=found, stated=(state, {}, {}))


def _written(
    request: Request,
    turns: list[Turn],
    answers: Sequence[Candidate],
    form: Form,
    way: Direction,
    options: Mapping[str, Any],
) -> tuple[list[Json], list[Report]]:
    """Return the conversation with each answer at its end, as payloads of the form's protocol, and the reports."""
    kept = {name: getattr(request, name) for name in (*form.kept, *OF_TURNS)}
    model = None if way.back.route is not None else request.model or UNNAMED
    bare = Request(request.protocol, model, **kept, src=request.src)
    payloads, reports = [], []
    for answer in answers:
        whole = _followed([*map(copy_tree, turns), *answer.turns])
        made, report = way.write(evolve(copy_tree(bare), turns=whole), options)
        payloads.append({**made, form.turns: _through_answer(made[form.turns], form.assistant)})
        reports.append(report)
    return payloads, reports


def _check_train(train: str | None, form: Form) -> None:
    if train is not None and not form.weights:
        raise TypeError(f"argument 'train' is {train!r:.80}; lines of {form.name} have no weights")
    if train not in (None, *TRAIN):
        raise TypeError(f"argument 'train' is {train!r:.80}; expected one of {', '.join(TRAIN)}")


def _answer(response: Response, pair: Json, name: str, report: Report) -> Candidate:
    """Return the only candidate of a response, and report the facts about it."""
    answer = only_candidate(response, pair, name)
    note_facts(report, response, ended="EXP-7" if answer.terminal.reason in INCOMPLETE else "EXP-1")
    return answer


def _fit(turns: list[Turn], form: Form, report: Report) -> None:
    """Remove what no line of the form holds, and report it.

    Raises Refusal for media (EXP-3): without what the response rests on, a line trains nonsense.
    """
    for turn in turns:
        for part in turn.parts:
            for one in (part, *part.parts) if isinstance(part, ToolResult) else (part,):
                if isinstance(one, MEDIA) and not isinstance(one.source, form.media.get(type(one), ())):
                    raise Refusal("EXP-3", one.src if isinstance(one.src, tuple) else (one.src,))
        if turn.extra is not None:
            report.extra_fields(turn)
        if form.plain:
            _make_plain(turn, report)
        for part in turn.parts:
            if isinstance(part, Reasoning):
                report.at("EXP-5", part)
        turn.parts = [part for part in turn.parts if not isinstance(part, Reasoning)]


def _make_plain(turn: Turn, report: Report) -> None:
    """Make texts of refusals, and leave out the speaker's name."""
    if turn.name is not None:
        report.at("EXP-1", turn, "name")
        turn.name = None
    for at, part in enumerate(turn.parts):
        if isinstance(part, ir.Refusal):
            report.at("EXP-6", part)
            turn.parts[at] = Text(part.text, src=part.src)


def _check_answer(answer: Candidate, place: tuple[Json, str], form: Form, report: Report) -> None:
    """Refuse a response without an answer, which no line can train (EXP-8), and report an empty one (EXP-7)."""
    parts = [part for turn in answer.turns for part in turn.parts if isinstance(part, (*WORDING, *CALLS))]
    empty = all(isinstance(part, WORDING) and not part.text for part in parts)
    if not parts or (empty and not form.empty):
        raise Refusal("EXP-8", place)
    if empty:
        report.at("EXP-7", parts[0])


def _followed(turns: list[Turn]) -> list[Turn]:
    """Return the conversation with a turn after its answer, which would be a prefill without one, and its calls would
    lack results (TUL-10)."""
    done = {part.call_id for turn in turns for part in turn.parts if isinstance(part, ToolResult)}
    calls = [part for turn in turns for part in turn.parts if isinstance(part, CALLS)]
    waiting = [call.id for call in calls if call.id and call.id not in done]
    results = [Turn(Role.TOOL, [ToolResult(call_id, [Text(NEXT)])]) for call_id in waiting]
    return [*turns, *(results or [Turn(Role.USER, [Text(NEXT)])])]


def _through_answer(messages: list[Json], role: str) -> list[Json]:
    """Return the messages without those that follow the answer."""
    end = len(messages)
    while end and messages[end - 1]["role"] != role:
        end -= 1
    return messages[:end]


def _weighted(messages: list[Json]) -> Iterator[Json]:
    for message in messages[:-1]:
        yield {**message, "weight": 0} if message["role"] == "assistant" else message
    yield messages[-1]


# --- from lines -------------------------------------------------------------------------------------------------------


def compile_request(
    line: Json, dst: str | Profile, *, form: str, pair: bool = False, **options: Any
) -> Conversion[Any]:
    """Return the request of a training line: all messages before the last one, which is the response that it trains.

    form     the name of one of TRAINING
    pair     whether the value is `{"request": …}`, with the responses that the line has
    options  those of `convert`; a line names no model, which `model` does

    Raises as `convert` does; diagnostics point into the line.
    """
    if type(pair) is not bool:
        raise TypeError(f"argument 'pair' is {pair!r:.80}; expected a bool")
    shape, quote = TRAINING[form], quotes(options)
    way, _ = bound(shape.server, dst, options)
    assert way.front is not None  # as a form is like a protocol
    with refused_as(InvalidPayload, line, quote):
        if not isinstance(line, dict):
            raise Refusal("SHP-1", None, f"expected an object with `{shape.turns}`, found {found(line)}")
        opened = shape.read(line)
    before = around(opened.records, line, options)
    request = dict(opened.request)
    if options.get("model") is not None and backend(shape.server).route is None:
        request = {"model": options["model"], **request}
    with _moved(opened.places):
        done = compile(request, shape.server, dst, kind="request", **options)
    told = _renamed(done.diagnostics, opened.places)
    if not pair:
        before += tuple(one._replace(path=places[0].at) for _, places in opened.answers for one in LEFT)
        return done.placed(done.output, done.kind, (*before, *told), form, protocol_of(dst))
    made = {"request": done.output}
    for (message, at), name in zip(opened.answers, shape.answers, strict=False):
        made[name], more = _response(message, at, shape, dst, options)
        told += more
    return done.placed(made, "pair", (*before, *told), form, protocol_of(dst))


def _response(
    message: Json, places: Sequence[Place], form: Form, dst: str | Profile, options: Mapping[str, Any]
) -> tuple[Json, Found]:
    """Return the response with a message of a line, and its diagnostics. A line does not say how a response ended."""
    way, known = bound(form.server, dst, options)
    front = way.front
    assert front is not None  # as the source is a protocol
    source = message
    for step in reversed(form.answer.split("/")[1:]):
        source = [source] if step == "0" else {step: source}
    with _moved(places), refused_as(Unrepresentable, source, quotes(options)):
        with refused_as(InvalidPayload, source, quotes(options)):
            response = read_response(front, source, None)
        made, report = way.write(response, known)
        return made, _renamed(render(report.records, source, quote_values=quotes(options)), places)


@contextmanager
def _moved(places: Sequence[Place]) -> Iterator[None]:
    """Raise the errors of a conversion with pointers into the line."""
    try:
        yield
    except TranslationError as error:
        raise type(error)(_renamed(error.diagnostics, places)) from None


def _renamed(found: Found, places: Sequence[Place]) -> Found:
    """Return diagnostics with pointers into the line."""
    return tuple(one._replace(path=_in_line(one.path, places)) for one in found)


def _in_line(path: str, places: Sequence[Place]) -> str:
    for inside, at, whole in places:
        if path == inside or path.startswith(inside + "/"):
            return at if whole else at + path[len(inside) :]
    return places[-1].at
