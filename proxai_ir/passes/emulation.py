"""What the target lacks, in another form: the option `emulate`.

Custom tools as function tools (TUL-2, TUL-19): a custom tool becomes a function whose one argument, the string `input`,
is the text that the tool takes. The names of those are what `state` holds; with it the way back makes the model's calls
of them calls of custom tools again.

Rule: a tool that does not fit this form exactly is not emulated, and refused as without emulation; a call always is
delivered. JSON mode and one candidate in place of several are weaker requests: they happen only where the caller asks
for them by name, and each is a loss, as it changes what comes back (OUT-11, CHO-4).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from copy import copy, deepcopy
from typing import Any, TypeGuard

from ..ir.parts import CustomCall, FunctionCall, Part, Text
from ..ir.request import JsonFormat, Request
from ..ir.response import Candidate
from ..ir.stream import events
from ..ir.terminal import CUT_OFF
from ..ir.tools import (
    AllowedChoice,
    CustomChoice,
    CustomTool,
    FreeText,
    FunctionTool,
    Grammar,
    NamedChoice,
    Tool,
    ToolChoice,
    UnknownFormat,
)
from ..ir.turns import SYSTEM, Turn
from ..reporting.report import Report
from ..rules.approximations import ONLY_JSON
from ..rules.constraints import Constraints
from ..rules.verdicts import NOT_CARRIED, Target
from . import client_tools
from .custom_inputs import INPUT, InputReader, buffer_limit
from .instructions import INSTRUCTIONS
from .naming import named_back, unprefixed
from .stages import CLIENT_TOOLS, CUSTOM_TOOLS, Stage, names_of

AUTO = "auto"
"""The value of `emulate` for all that the target lacks, except several candidates: a client waits for all of them."""
USER_TURN = "user_turn"
JSON_MODE, ONE_CANDIDATE = "json_mode", "one_candidate"
STOP_SEQUENCES, SUMMARIES = "stop_sequences", "summaries"
EMULATIONS = frozenset({CUSTOM_TOOLS, CLIENT_TOOLS, USER_TURN, JSON_MODE, ONE_CANDIDATE, STOP_SEQUENCES, SUMMARIES})
"""What the option `emulate` may name."""


def emulate(root: Request, target: Target, report: Report, options: Mapping[str, Any]) -> None:
    """Wrap custom tools and their calls; put the client's tools, and JSON mode, into a form that the target has."""
    if is_asked(CLIENT_TOOLS, options) and not client_tools.defined_by(target):
        client_tools.as_functions(root, report)
    if _lacks(target, "request") and is_asked(CUSTOM_TOOLS, options):
        _emulate_request(root, report)
    if is_asked(JSON_MODE, options) and lacks_json_mode(target):
        ask_for_json(root, report)


def lacks_alternatives(constraints: Constraints) -> bool:
    return not constraints.alternatives


def ask_once(root: Request, _: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Ask for one candidate of several, where the target returns one."""
    if is_asked(ONE_CANDIDATE, options):
        ask_for_one(root, report)


def undo(target: Target, report: Report, options: Mapping[str, Any]) -> list[Stage]:
    """Undo what `state` names; wrap calls of tools that the target lacks.

    No more of a call is kept back on a stream than the caller permits.
    """
    names = frozenset((options.get("state") or {}).get(CUSTOM_TOOLS, ()))
    stages = unprefixed(options, report)
    if client_tools.called_by(target):
        stages += [client_tools.calls_back(options, report)] if names_of(options, CLIENT_TOOLS) else []
    elif is_asked(CLIENT_TOOLS, options):
        stages.append(client_tools.calls_as_functions(report))
    if not _lacks(target, "response"):
        limit = buffer_limit(options)
        stages += [_Unwrapping(names, report, limit)] if names else []
    elif is_asked(CUSTOM_TOOLS, options):
        stages.append(_Wrapping(report))
    return stages + named_back(options)


def _lacks(target: Target, kind: str) -> bool:
    """Whether a target refuses custom tools, or calls of them."""
    places = target.places[kind]
    verdicts = places["tools"][CustomTool] if kind == "request" else places["assistant"][CustomCall]
    return verdicts[0].word == "refuses"


def is_asked(emulation: str, options: Mapping[str, Any]) -> bool:
    """Whether the caller's options ask for one of EMULATIONS."""
    asked = options.get("emulate") or ()
    return emulation != ONE_CANDIDATE if asked == AUTO else emulation in asked


# --- there ------------------------------------------------------------------------------------------------------------

SCHEMA = {
    "type": "object",
    "properties": {INPUT: {"type": "string"}},
    "required": [INPUT],
    "additionalProperties": False,
}


def _emulate_request(request: Request, report: Report) -> None:
    request.tools = request.tools and [_function(tool, report) for tool in request.tools]
    request.tool_choice = _choice(request.tool_choice, {tool.name for tool in report.facts.emulated or ()})
    _wrap(request.turns or [], report)


def _function(tool: Tool, report: Report) -> Tool:
    """The function that a custom tool is sent as; one whose format cannot be described stays what it is."""
    if not isinstance(tool, CustomTool):
        return tool
    form = tool.format
    if isinstance(form, UnknownFormat) or (form is not None and form.extra is not None):
        return tool
    report.at("TUL-19", tool)
    if isinstance(form, Grammar):
        report.at("TUL-20", tool, "format")
    description = "\n\n".join(text for text in (tool.description, _described(form)) if text)
    function = FunctionTool(
        tool.name, description, deepcopy(SCHEMA), None, None, tool.src, tool.extra, namespace=tool.namespace
    )
    report.facts.add_emulated(function)
    return function


def _described(form: FreeText | Grammar | None) -> str:
    """The format of the input, in words for the model."""
    if isinstance(form, Grammar):
        return f"`{INPUT}` is text of this {form.syntax} grammar:\n{form.definition}"
    return f"`{INPUT}` is free text."


def _choice(choice: ToolChoice | None, emulated: Collection[str]) -> ToolChoice | None:
    if isinstance(choice, CustomChoice) and choice.name in emulated:
        return NamedChoice(choice.name, choice.src, choice.extra)
    if isinstance(choice, AllowedChoice):
        choice = copy(choice)
        choice.tools = [
            ("function", name) if kind == "custom" and name in emulated else (kind, name) for kind, name in choice.tools
        ]
    return choice


def _wrap(turns: list[Turn], report: Report) -> None:
    for turn in turns:
        for index, part in enumerate(turn.parts):
            if isinstance(part, CustomCall):
                turn.parts[index] = _wrapped(part, report)


def _wrapped(call: CustomCall, report: Report) -> FunctionCall:
    report.at("TUL-19", call)
    given = {INPUT: call.input}
    return FunctionCall(call.id, call.name, given, None, call.src, call.extra, seal=call.seal, namespace=call.namespace)


class _Wrapping:
    """Wraps the input of custom calls, on a stream as it grows."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._open: set[int] = set()

    def whole(self, part: Part, _: Candidate, /) -> Iterable[Part]:
        return (_wrapped(part, self._report) if isinstance(part, CustomCall) else part,)

    def __call__(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened) and isinstance(event.part, CustomCall):
            self._open.add(event.index)
            call = _wrapped(event.part, self._report)
            call.arguments = f'{{"{INPUT}":"{_escaped(event.part.input)}'
            return (events.PartOpened(event.index, call, event.candidate, event.item),)
        if isinstance(event, events.PartGrew) and event.index in self._open:
            return (events.PartGrew(event.index, _escaped(event.text)),)
        if isinstance(event, events.PartClosed) and event.index in self._open:
            self._open.remove(event.index)
            return (events.PartGrew(event.index, '"}'), event)
        return (event,)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


# --- and back ---------------------------------------------------------------------------------------------------------


def _is_named(part: Part, names: Collection[str]) -> TypeGuard[FunctionCall]:
    return isinstance(part, FunctionCall) and part.name in names and part.id is not None


def _begun(call: FunctionCall, reader: InputReader) -> CustomCall:
    """The call of a custom tool that a function's call is, with the input so far."""
    given = call.arguments
    start = reader.read(given) if isinstance(given, str) else reader.read_object(given)
    custom = CustomCall(call.id or "", call.name, start, call.src, call.extra, seal=call.seal)
    custom.namespace = call.namespace
    return custom


class _Unwrapping:
    """Makes function calls of these names calls of custom tools; in a response that was cut off, as far as they got.

    open     the calls that grow, by index, with their candidates
    unended  those that have ended, by candidate: its ending shows what they lack. Where it shows what the input is, the
             event that closes them waits for it, too
    """

    def __init__(self, names: Collection[str], report: Report, limit: int) -> None:
        self._names, self._report, self._limit = names, report, limit
        self._open: dict[int, tuple[int, InputReader]] = {}
        self._unended: defaultdict[int, list[tuple[InputReader, events.PartClosed | None]]] = defaultdict(list)

    def whole(self, part: Part, candidate: Candidate, /) -> Iterable[Part]:
        if not _is_named(part, self._names):
            return (part,)
        reader = InputReader(part, self._report)
        call = _begun(part, reader)
        call.input += reader.end(candidate.terminal.reason in CUT_OFF)
        return (call,)

    def __call__(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            return (self._opened(event),)
        if isinstance(event, events.PartGrew) and event.index in self._open:
            return _growth(event.index, self._open[event.index][1].read(event.text))
        if isinstance(event, events.PartClosed) and event.index in self._open:
            return self._closed(event)
        if isinstance(event, events.Ended) and event.candidate in self._unended:
            return (*self._ended(event), event)
        return (event,)

    def _opened(self, event: events.PartOpened) -> events.Event:
        if not _is_named(event.part, self._names):
            return event
        reader = InputReader(event.part, self._report, self._limit)
        self._open[event.index] = (event.candidate, reader)
        return events.PartOpened(event.index, _begun(event.part, reader), event.candidate, event.item)

    def _closed(self, event: events.PartClosed) -> Iterable[events.Event]:
        candidate, reader = self._open.pop(event.index)
        if reader.waits:
            self._unended[candidate].append((reader, event))
            return ()
        if reader.begun:
            self._unended[candidate].append((reader, None))
            return (event,)
        return (*_growth(event.index, reader.end(cut_off=False)), event)

    def _ended(self, event: events.Ended) -> Iterable[events.Event]:
        cut_off = event.terminal.reason in CUT_OFF
        for reader, closing in self._unended.pop(event.candidate):
            left = reader.end(cut_off)
            if closing is not None:
                yield from (*_growth(closing.index, left), closing)


def _growth(index: int, text: str) -> Iterable[events.Event]:
    return (events.PartGrew(index, text),) if text else ()


def lacks_json_mode(target: Target) -> bool:
    return target.places["request"]["format"][JsonFormat][0].word in NOT_CARRIED


def ask_for_json(request: Request, report: Report) -> None:
    """Add an instruction after the leading ones, in place of JSON mode."""
    output = request.output
    if output is None or not isinstance(output.format, JsonFormat):
        return
    report.at("OUT-11", output.format)
    turns = request.turns = request.turns or []
    first = next((at for at, turn in enumerate(turns) if turn.role not in INSTRUCTIONS), len(turns))
    source = output.format.src
    turns.insert(first, Turn(SYSTEM, [Text(ONLY_JSON, src=source)], src=source))
    output.format = None


def ask_for_one(request: Request, report: Report) -> None:
    """Ask for one candidate instead of several."""
    sampling = request.sampling
    if sampling is not None and sampling.candidates is not None and sampling.candidates > 1:
        report.at("CHO-4", sampling, "candidates")
        sampling.candidates = None
