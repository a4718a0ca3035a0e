"""Represent what the target lacks in another form: the option `emulate`, and the way back.

Owns custom tools as functions (TUL-2, TUL-19, TUL-21), client tools as functions (TUL-34 to TUL-37), JSON mode as an
instruction (OUT-11), one candidate in place of several (CHO-4) and enums as objects (OUT-13).
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from copy import copy, deepcopy
from typing import Any, TypeGuard

import orjson

from ..ir.parts import ClientCall, ClientResult, CustomCall, FunctionCall, Part, Text, ToolResult
from ..ir.request import ASSISTANT, SYSTEM, TOOL, EnumFormat, JsonFormat, Request, SchemaFormat, Turn
from ..ir.response import CUT_OFF, Candidate
from ..ir.stream import events
from ..ir.tools import (
    AllowedChoice,
    ClientTool,
    CustomChoice,
    CustomTool,
    FreeText,
    FunctionTool,
    Grammar,
    HostedChoice,
    NamedChoice,
    Tool,
    ToolChoice,
    UnknownFormat,
)
from ..json.types import json_text, quoted
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..targets.approximations import ONLY_JSON
from ..targets.constraints import Constraints
from ..targets.verdicts import NOT_CARRIED, Target
from .naming import named_back, unprefixed
from .placement import INSTRUCTIONS
from .stages import CLIENT_TOOLS, CUSTOM_TOOLS, WRAPPED_OUTPUT, OnClosing, OnOpening, PartStage, names_of

# --- client tools -----------------------------------------------------------------------------------------------------
# Tools that the client runs in a form of its vendor's own, as functions: the option `emulate` (TUL-34 to TUL-37).
#
# What each is as a function its frontend reads; `state` has the functions' names, and with it the way back makes calls
# of
# them calls of the client's own tools again.


def defined_by(target: Target) -> bool:
    """Return whether a target's requests may define such tools in their own form."""
    return target.places["request"]["tools"][ClientTool][0].word not in NOT_CARRIED


def called_by(target: Target) -> bool:
    """Return whether a target's responses may call them so."""
    return target.places["response"]["assistant"][ClientCall][0].word not in NOT_CARRIED


# --- there ------------------------------------------------------------------------------------------------------------


def as_functions(request: Request, report: Report) -> None:
    """Replace definitions, choice, calls and results of such tools by those of functions."""
    taken = {tool.name for tool in request.tools or () if isinstance(tool, FunctionTool) and tool.namespace is None}
    names: dict[str, str] = {}
    request.tools = request.tools and [
        made for tool in request.tools if (made := _client_function(tool, taken, names, report)) is not None
    ]
    request.tool_choice = _client_choice(request.tool_choice, names)
    called: set[str] = set()
    before: Turn | None = None
    for turn in request.turns or ():
        for index, part in enumerate(turn.parts):
            if type(part) is ClientCall and part.name is not None:
                called.add(part.id)
                turn.parts[index] = _called(part, names.get(part.kind, part.name), report)
            elif type(part) is ClientResult and part.call_id in called:
                turn.parts[index] = _result(part, report)
                turn.role = TOOL
        if turn.role is TOOL or before is None or before.role is not ASSISTANT:
            turn.continues = None
        before = turn


def _client_function(tool: Tool, taken: set[str], names: dict[str, str], report: Report) -> Tool | None:
    """Return the function; None for a tool that is defined twice."""
    if not isinstance(tool, ClientTool) or tool.function is None:
        return tool
    report.at("TUL-37", tool)
    if tool.kind in names:
        return None
    made = tool.function
    while made.name in taken:
        made.name += "_"
    taken.add(made.name)
    names[tool.kind] = made.name
    if tool.own_calls:
        report.facts.add_client_tool(tool.kind, made)
    return made


def _client_choice(choice: ToolChoice | None, names: Mapping[str, str]) -> ToolChoice | None:
    if isinstance(choice, HostedChoice) and choice.kind in names:
        return NamedChoice(names[choice.kind], choice.src)
    if isinstance(choice, AllowedChoice):
        choice = copy(choice)
        choice.tools = [("function", names[kind]) if kind in names else (kind, name) for kind, name in choice.tools]
    return choice


def _text(given: Any, place: Any) -> str:
    try:
        return given if isinstance(given, str) else json_text(given)
    except ValueError as error:
        raise Refusal("SHP-7", place, str(error)) from None


def _called(call: ClientCall, name: str, report: Report) -> FunctionCall:
    report.at("TUL-37", call)
    given = call.arguments
    return FunctionCall(call.id, name, _text(given, report.place(call, "arguments")), None, call.src)


def _result(result: ClientResult, report: Report) -> ToolResult:
    report.at("TUL-37", result)
    texts: list[Part] = [Text(result.text or "", None, None, result.src)]
    return ToolResult(result.call_id, texts, result.is_error, None, result.src)


def calls_as_functions(report: Report) -> PartStage:
    """Make calls of such tools those of functions."""

    def change(part: Part) -> Part:
        return _called(part, part.name, report) if type(part) is ClientCall and part.name is not None else part

    return OnOpening(change)


# --- and back ---------------------------------------------------------------------------------------------------------


def _own(call: FunctionCall, kind: str, report: Report) -> ClientCall:
    if call.seal is not None:
        report.at("RSN-4", call, "seal")
    return ClientCall(kind, call.id or "", call.arguments, call.src, call.extra)


def calls_back(options: Mapping[str, Any], report: Report) -> PartStage:
    """Make function calls that stand for calls of such tools those calls again; the vendor's own come as a whole."""
    kinds = names_of(options, CLIENT_TOOLS)
    return OnClosing(
        lambda part: type(part) is FunctionCall and part.name in kinds,
        lambda call: _own(call, kinds[call.name], report),
        lambda call: _text(call.arguments, None),
    )


# --- custom inputs ----------------------------------------------------------------------------------------------------
# The input of a custom tool that was sent as a function, from the arguments of a call of it (TUL-19, TUL-21).
#
# Rule 1: `{"input": text}` is read as it arrives; other arguments are kept until their end. Rule 2: whatever the
# arguments are there is an input, and wherever their text is cut it is the same.


INPUT = "input"
"""The one argument of such a function."""
DEFAULT_LIMIT = 16 * 1024 * 1024
"""Characters that may be buffered until a part is closed; the option `buffer_limit` states another number (STR-15)."""


def buffer_limit(options: Mapping[str, Any]) -> int:
    given: int | None = options.get("buffer_limit")
    return DEFAULT_LIMIT if given is None else given


SPACE = r"\s{0,50}"
HEAD = re.compile(rf'{SPACE}\{{{SPACE}"{INPUT}"{SPACE}:{SPACE}"')
MOST_OF_HEAD = 256  # characters; HEAD takes no more
TAIL = re.compile(r'"\s*\}\s*')
BEGUN_TAIL = re.compile(r'[^"].*|("\s*(\}\s*)?)?', re.DOTALL)  # of a call that was cut off
BLANKS = re.compile(r"\s+")
MOST_OF_TAIL = 256  # characters; a run of whitespace counts as one
MOST_QUOTED = 60
# Whole characters of a JSON string; the first half of a pair of surrogates waits for what follows it. Not possessive:
# nothing comes after them that could fail, and Python 3.11.2 gets such repeats wrong.
BODY = re.compile(
    r"""(?: [^"\\\x00-\x1f]+ | \\["\\/bfnrt] | \\u (?![dD][89abAB]) [0-9a-fA-F]{4}
      | \\u[dD][89abAB][0-9a-fA-F]{2} (?: \\u[0-9a-fA-F]{4} | (?=[^\\]|\\[^u]) ) )*""",
    re.VERBOSE,
)
# What no JSON string has and models write all the same: a control character, or a backslash that begins no escape.
FLAW = re.compile(
    r"""[\x00-\x1f] | \\ (?= [^"\\/bfnrtu] | u[0-9a-fA-F]{0,3}[^0-9a-fA-F]
      | u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{0,3}[^0-9a-fA-F] )""",
    re.VERBOSE,
)


class InputReader:
    """Reads the arguments of one call, in pieces cut anywhere; `limit`: how many characters may be kept, if any number.

    begun  whether the arguments begin as they should; if they do not, all of them are `kept`
    flaw   what they are besides the one text, "" for nothing
    rest   of the text, what waits for more; from its end on, what follows it
    """

    def __init__(self, call: FunctionCall, report: Report, limit: int | None = None) -> None:
        self._call, self._report, self._limit = call, report, limit
        self._begun = False
        self._kept: list[str] = []
        self._size = 0
        self._flaw = ""
        self._rest = ""

    def read(self, text: str) -> str:
        """Return the part of the input that a further piece of the arguments holds."""
        if self._begun:
            return self._text(text)
        before = self._size
        self._kept.append(text)
        self._size += len(text)
        if before <= MOST_OF_HEAD:
            given = "".join(self._kept)
            head = HEAD.match(given)
            if head is not None:
                self._begun, self._kept = True, []
                return self._text(given[head.end() :])
        if self._limit is not None and self._size > self._limit:
            detail = f"more than {self._limit} characters of a call's arguments; option `buffer_limit`"
            raise Refusal("STR-15", None, detail)
        return ""

    def _text(self, piece: str) -> str:
        rest = self._rest + piece
        if rest.startswith('"'):
            self._rest = BLANKS.sub(" ", rest)[:MOST_OF_TAIL]
            return ""
        found: list[str] = []
        at = 0
        while True:
            body = BODY.match(rest, at)
            assert body is not None  # it may be empty
            found.append(str(json.loads(f'"{body[0]}"')))
            flaw = FLAW.match(rest, body.end())
            if flaw is None:
                break
            found.append(flaw[0])
            self._flaw = "JSON with unescaped characters"
            at = flaw.end()
        self._rest = rest[body.end() :]
        return "".join(found)

    def read_object(self, arguments: Mapping[str, Any]) -> str:
        """Return the input of arguments that are there as an object."""
        try:
            whole = json_text(arguments)  # deep ones are refused, whichever member they are in
        except ValueError as error:
            raise Refusal("SHP-7", self._report.place(self._call, "arguments"), str(error)) from None
        self._begun, self._rest = True, '"}'
        given = arguments.get(INPUT)
        if not isinstance(given, str) or len(arguments) > 1:
            self._flaw = f"found {quoted(whole[:MOST_QUOTED])}"
        return given if isinstance(given, str) else whole

    @property
    def waits(self) -> bool:
        """Whether only the ending of the response shows what the arguments, which have ended, are: they are no JSON."""
        return not self._begun and _parsed("".join(self._kept)) is None

    @property
    def begun(self) -> bool:
        return self._begun

    def end(self, cut_off: bool) -> str:
        """What is left of the input, where the arguments have ended; reports what they are besides it."""
        left, whole = "", "".join(self._kept)
        arguments = None if self._begun else _parsed(whole)
        if self._begun:
            if not self._flaw and not (BEGUN_TAIL if cut_off else TAIL).fullmatch(self._rest):
                self._flaw = f"found {quoted(self._rest[:MOST_QUOTED])} behind the input"
        elif arguments is None and cut_off:  # nothing of the input has come
            if whole.strip():
                self._report.at("TUL-29", self._call, "arguments")
        else:
            given = arguments.get(INPUT) if isinstance(arguments, dict) else None
            left = given if isinstance(given, str) else whole
            if left is not given or len(arguments or ()) > 1:
                self._flaw = f"found {quoted(whole[:MOST_QUOTED])}"
        if self._flaw:
            self._report.at("TUL-21", self._call, "arguments", self._flaw)
        return left


def _parsed(text: str) -> Any:
    """Return the value; None where the text is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# --- emulation --------------------------------------------------------------------------------------------------------
# What the target lacks, in another form: the option `emulate`.
#
# Custom tools as function tools (TUL-2, TUL-19): a custom tool becomes a function whose one argument, the string
# `input`,
# is the text that the tool takes. The names of those are what `state` holds; with it the way back makes the model's
# calls
# of them calls of custom tools again.
#
# Rule: a tool that does not fit this form exactly is not emulated, and refused as without emulation; a call always is
# delivered. JSON mode and one candidate in place of several are weaker requests: they happen only where the caller
# asks
# for them by name, and each is a loss, as it changes what comes back (OUT-11, CHO-4).


AUTO = "auto"
"""The value of `emulate` for all that the target lacks, except several candidates: a client waits for all of them."""
USER_TURN = "user_turn"
JSON_MODE, ONE_CANDIDATE = "json_mode", "one_candidate"
STOP_SEQUENCES, SUMMARIES = "stop_sequences", "summaries"
EMULATIONS = frozenset({CUSTOM_TOOLS, CLIENT_TOOLS, USER_TURN, JSON_MODE, ONE_CANDIDATE, STOP_SEQUENCES, SUMMARIES})
"""What the option `emulate` may name."""


def emulate(root: Request, target: Target, report: Report, options: Mapping[str, Any]) -> None:
    """Wrap custom tools and their calls; put the client's tools, and JSON mode, into a form that the target has."""
    if is_asked(CLIENT_TOOLS, options) and not defined_by(target):
        as_functions(root, report)
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


def undo(target: Target, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
    """Undo what `state` names; wrap calls of tools that the target lacks.

    No more of a call is kept back on a stream than the caller permits.
    """
    names = frozenset((options.get("state") or {}).get(CUSTOM_TOOLS, ()))
    stages = unprefixed(options, report)
    if called_by(target):
        stages += [calls_back(options, report)] if names_of(options, CLIENT_TOOLS) else []
    elif is_asked(CLIENT_TOOLS, options):
        stages.append(calls_as_functions(report))
    if not _lacks(target, "response"):
        limit = buffer_limit(options)
        stages += [_Unwrapping(names, report, limit)] if names else []
    elif is_asked(CUSTOM_TOOLS, options):
        stages.append(_Wrapping(report))
    return stages + named_back(options)


def _lacks(target: Target, kind: str) -> bool:
    """Return whether a target refuses custom tools, or calls of them."""
    places = target.places[kind]
    verdicts = places["tools"][CustomTool] if kind == "request" else places["assistant"][CustomCall]
    return verdicts[0].word == "refuses"


def is_asked(emulation: str, options: Mapping[str, Any]) -> bool:
    """Return whether the caller's options ask for one of EMULATIONS."""
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
    """Return the function that a custom tool is sent as; one whose format cannot be described stays what it is."""
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
    """Return the format of the input, in words for the model."""
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


class _Wrapping(PartStage):
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
    """Return the call of a custom tool that a function's call is, with the input so far."""
    given = call.arguments
    start = reader.read(given) if isinstance(given, str) else reader.read_object(given)
    custom = CustomCall(call.id or "", call.name, start, call.src, call.extra, seal=call.seal)
    custom.namespace = call.namespace
    return custom


class _Unwrapping(PartStage):
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


# --- wrapped output ---------------------------------------------------------------------------------------------------
# Output that is one word of an enum, for targets that have no such output: an object with one property (OUT-13).
#
# What holds the word is in `state`; with it the way back takes the word out again. Rule: text that is no such object,
# as
# that of a response which was cut off, arrives as it is (OUT-14).


PROPERTY = "value"


def wrap(root: Request, target: Target, report: Report, _: Mapping[str, Any]) -> None:
    """Ask for an object in place of a word, where the target has no output of that kind."""
    output = root.output
    if output is None or type(output.format) is not EnumFormat:
        return
    if target.places["request"]["format"][EnumFormat][0].word == "ok":
        return
    report.at("OUT-13", output, "format")
    wanted = {
        "type": "object",
        "properties": {PROPERTY: {"type": "string", **output.format.schema}},
        "required": [PROPERTY],
        "additionalProperties": False,
    }
    output.format = SchemaFormat(wanted, strict=True, src=output.format.src)
    report.state[WRAPPED_OUTPUT] = [PROPERTY]


def unwrap(_: Constraints, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
    """Take the word out of the object that `state` says it is in."""
    names = (options.get("state") or {}).get(WRAPPED_OUTPUT)
    return [_UnwrappingOutput(names[0], report, options.get("buffer_limit", DEFAULT_LIMIT))] if names else []


class _UnwrappingOutput(PartStage):
    """Takes the word out of each text. On a stream a text waits until it is complete, unless it is too long for a word.

    open  the texts that grow, by index, with what opened them
    """

    def __init__(self, name: str, report: Report, limit: int) -> None:
        self._name, self._report, self._limit = name, report, limit
        self._open: dict[int, tuple[events.PartOpened, list[str]]] = {}

    def whole(self, part: Part, _: Candidate, /) -> Iterable[Part]:
        return (self._unwrapped(part, part.text) if type(part) is Text else part,)

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened) and type(event.part) is Text:
            self._open[event.index] = (event, [event.part.text])
            return ()
        if isinstance(event, events.PartGrew) and event.index in self._open:
            pieces = self._open[event.index][1]
            pieces.append(event.text)
            return self._opened(event.index) if sum(map(len, pieces)) > self._limit else ()
        if isinstance(event, events.PartClosed) and event.index in self._open:
            return (*self._opened(event.index), event)
        return (event,)

    def _opened(self, index: int) -> Iterable[events.Event]:
        opened, pieces = self._open.pop(index)
        return (events.PartOpened(index, self._unwrapped(opened.part, "".join(pieces)), opened.candidate, opened.item),)

    def _unwrapped(self, part: Any, text: str) -> Part:
        made: Text = copy(part)
        word = _word(text, self._name)
        if word is None and text:
            self._report.at("OUT-14", part)
        made.text = text if word is None else word
        return made


def _word(text: str, name: str) -> str | None:
    try:
        found = orjson.loads(text)
    except ValueError:
        return None
    word = found.get(name) if isinstance(found, dict) and len(found) == 1 else None
    return word if isinstance(word, str) else None
