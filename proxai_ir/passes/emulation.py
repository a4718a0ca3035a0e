"""Represent what the target lacks in another form, as the option `emulate` asks, and undo it in the response.

Owns custom tools as functions (TUL-2, TUL-19, TUL-21), client tools as functions (TUL-34 to TUL-37), JSON mode as an
instruction (OUT-11), one candidate in place of several (CHO-4) and enums as objects (OUT-13, OUT-14).

`state` holds the names of the tools that were sent as functions; with it the model's calls of them become calls of
custom and client tools again. A tool that does not fit the form of a function exactly is not emulated, and refused as
without emulation; a call is always delivered. JSON mode as an instruction and one candidate in place of several are
weaker requests, which change what comes back: each is a loss, and done only if the caller asks for it by name.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from copy import copy, deepcopy
from typing import Any, TypeGuard

import orjson

from .. import ir
from ..ir.response import CUT_OFF
from ..ir.stream import events
from ..json.types import json_text, quoted
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..targets.approximations import ONLY_JSON
from ..targets.constraints import Constraints
from ..targets.verdicts import NOT_CARRIED, Target
from .naming import named_back, unprefixed
from .placement import INSTRUCTIONS
from .stages import CLIENT_TOOLS, CUSTOM_TOOLS, WRAPPED_OUTPUT, OnClosing, OnOpening, PartStage, names_of

AUTO = "auto"
"""The value of `emulate` for all that the target lacks, except several candidates: a client waits for all of them."""
USER_TURN = "user_turn"
JSON_MODE, ONE_CANDIDATE = "json_mode", "one_candidate"
STOP_SEQUENCES, SUMMARIES = "stop_sequences", "summaries"
EMULATIONS = frozenset({CUSTOM_TOOLS, CLIENT_TOOLS, USER_TURN, JSON_MODE, ONE_CANDIDATE, STOP_SEQUENCES, SUMMARIES})
"""The values that the option `emulate` may list."""


def emulate(root: ir.Request, target: Target, report: Report, options: Mapping[str, Any]) -> None:
    """Turn custom and client tools into functions, and JSON mode into an instruction, if the target lacks them."""
    if is_asked(CLIENT_TOOLS, options) and not _defines_client_tools(target):
        _client_tools_as_functions(root, target, report)
    if _word(target, "request", "tools", ir.CustomTool) == "refuses" and is_asked(CUSTOM_TOOLS, options):
        _custom_tools_as_functions(root, report)
    if is_asked(JSON_MODE, options) and _word(target, "request", "format", ir.JsonFormat) in NOT_CARRIED:
        _ask_for_json(root, report)


def undo(target: Target, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
    """Restore the calls of tools that `state` names; turn calls that the target lacks into calls of functions.

    On a stream no more of a call is kept back than the option `buffer_limit` permits.
    """
    names = frozenset((options.get("state") or {}).get(CUSTOM_TOOLS, ()))
    stages = unprefixed(options, report)
    if _word(target, "response", "assistant", ir.ClientCall) not in NOT_CARRIED:
        stages += [_client_calls_back(options, report)] if names_of(options, CLIENT_TOOLS) else []
    elif is_asked(CLIENT_TOOLS, options):
        stages.append(_client_calls_as_functions(report))
    if _word(target, "response", "assistant", ir.CustomCall) != "refuses":
        stages += [_Unwrapping(names, report, buffer_limit(options))] if names else []
    elif is_asked(CUSTOM_TOOLS, options):
        stages.append(_Wrapping(report))
    return stages + named_back(options)


def _word(target: Target, kind: str, place: str, cls: type) -> str:
    """Return the verb of a target's first verdict on a class in a place."""
    return target.places[kind][place][cls][0].word


def is_asked(emulation: str, options: Mapping[str, Any]) -> bool:
    """Return whether the caller's options ask for one of EMULATIONS."""
    asked = options.get("emulate") or ()
    return emulation != ONE_CANDIDATE if asked == AUTO else emulation in asked


def ask_once(root: ir.Request, _: Constraints, report: Report, options: Mapping[str, Any]) -> None:
    """Ask for one candidate instead of several, if the target returns one."""
    sampling = root.sampling
    if sampling is not None and (sampling.candidates or 0) > 1 and is_asked(ONE_CANDIDATE, options):
        report.at("CHO-4", sampling, "candidates")
        sampling.candidates = None


def _ask_for_json(request: ir.Request, report: Report) -> None:
    """Add an instruction after the leading ones, in place of JSON mode."""
    output = request.output
    if output is None or not isinstance(output.format, ir.JsonFormat):
        return
    report.at("OUT-11", output.format)
    turns = request.turns = request.turns or []
    first = next((at for at, turn in enumerate(turns) if turn.role not in INSTRUCTIONS), len(turns))
    source = output.format.src
    turns.insert(first, ir.Turn(ir.SYSTEM, [ir.Text(ONLY_JSON, src=source)], src=source))
    output.format = None


# --- client tools -----------------------------------------------------------------------------------------------------
# Tools that the client runs, in a form of its vendor's own. Their frontend states each as a function.


def _defines_client_tools(target: Target) -> bool:
    """Return whether a target's requests may define all client tools in their own form."""
    first = target.places["request"]["tools"][ir.ClientTool][0]
    return first.when is None and first.word not in NOT_CARRIED


def _client_tools_as_functions(request: ir.Request, target: Target, report: Report) -> None:
    """Replace definitions, choice, calls and results of client tools by those of functions, except the target's own."""
    taken = {tool.name for tool in request.tools or () if isinstance(tool, ir.FunctionTool) and tool.namespace is None}
    names: dict[str, str] = {}
    request.tools = request.tools and [
        made for tool in request.tools if (made := _client_function(tool, target, taken, names, report)) is not None
    ]
    request.tool_choice = _client_choice(request.tool_choice, names)
    called: set[str] = set()
    before: ir.Turn | None = None
    for turn in request.turns or ():
        for index, part in enumerate(turn.parts):
            if type(part) is ir.ClientCall and part.name is not None:
                called.add(part.id)
                turn.parts[index] = _client_call(part, names.get(part.kind, part.name), report)
            elif type(part) is ir.ClientResult and part.call_id in called:
                turn.parts[index] = _client_result(part, report)
                turn.role = ir.TOOL
        if turn.role is ir.TOOL or before is None or before.role is not ir.ASSISTANT:
            turn.continues = None
        before = turn


def _client_function(
    tool: ir.Tool, target: Target, taken: set[str], names: dict[str, str], report: Report
) -> ir.Tool | None:
    """Return the function for a client tool, or None if the tool is defined twice.

    Other tools, and client tools that the target defines in their own form, are returned unchanged.
    """
    if not isinstance(tool, ir.ClientTool) or tool.function is None:
        return tool
    verdicts = target.places["request"]["tools"][ir.ClientTool]
    if next(one.word for one in verdicts if one.when is None or one.when(tool)) not in NOT_CARRIED:
        return tool
    report.at("TUL-37", tool)
    if tool.kind in names:
        return None
    made: ir.FunctionTool = tool.function
    while made.name in taken:
        made.name += "_"
    taken.add(made.name)
    names[tool.kind] = made.name
    if tool.own_calls:
        report.facts.add_client_tool(tool.kind, made)
    return made


def _client_choice(choice: ir.ToolChoice | None, names: Mapping[str, str]) -> ir.ToolChoice | None:
    if isinstance(choice, ir.HostedChoice) and choice.kind in names:
        return ir.NamedChoice(names[choice.kind], choice.src)
    if isinstance(choice, ir.AllowedChoice):
        choice = copy(choice)
        choice.tools = [("function", names[kind]) if kind in names else (kind, name) for kind, name in choice.tools]
    return choice


def _text(given: Any, place: Any) -> str:
    """Return arguments as text; raises Refusal for those that are too deep for JSON, whichever member they are in."""
    try:
        return given if isinstance(given, str) else json_text(given)
    except ValueError as error:
        raise Refusal("SHP-7", place, str(error)) from None


def _client_call(call: ir.ClientCall, name: str, report: Report) -> ir.FunctionCall:
    report.at("TUL-37", call)
    given = call.arguments
    return ir.FunctionCall(call.id, name, _text(given, report.place(call, "arguments")), None, call.src)


def _client_result(result: ir.ClientResult, report: Report) -> ir.ToolResult:
    report.at("TUL-37", result)
    texts: list[ir.Part] = [ir.Text(result.text or "", None, None, result.src)]
    return ir.ToolResult(result.call_id, texts, result.is_error, None, result.src)


def _client_calls_as_functions(report: Report) -> PartStage:
    """Return the stage that turns calls of client tools into calls of functions."""

    def change(part: ir.Part) -> ir.Part:
        return _client_call(part, part.name, report) if type(part) is ir.ClientCall and part.name is not None else part

    return OnOpening(change)


def _own_call(call: ir.FunctionCall, kind: str, report: Report) -> ir.ClientCall:
    if call.seal is not None:
        report.at("RSN-4", call, "seal")
    return ir.ClientCall(kind, call.id or "", call.arguments, call.src, call.extra)


def _client_calls_back(options: Mapping[str, Any], report: Report) -> PartStage:
    """Return the stage that turns calls of functions into the client tools' calls, which are not sent in pieces."""
    kinds = names_of(options, CLIENT_TOOLS)
    return OnClosing(
        lambda part: type(part) is ir.FunctionCall and part.name in kinds,
        lambda call: _own_call(call, kinds[call.name], report),
        lambda call: _text(call.arguments, None),
    )


# --- custom tools -----------------------------------------------------------------------------------------------------
# A custom tool becomes a function with one argument, the string `input`: the text that the tool takes (TUL-19). Of a
# call, `{"input": text}` is read as it arrives; other arguments are kept until their end. Whatever the arguments are,
# they give an input, and it does not depend on where their text is split (TUL-21).


INPUT = "input"
"""The one argument of the function."""
DEFAULT_LIMIT = 16 * 1024 * 1024
"""The characters that may be buffered until a part is closed, unless `buffer_limit` states another number (STR-15)."""


def buffer_limit(options: Mapping[str, Any]) -> int:
    given: int | None = options.get("buffer_limit")
    return DEFAULT_LIMIT if given is None else given


SCHEMA = {
    "type": "object",
    "properties": {INPUT: {"type": "string"}},
    "required": [INPUT],
    "additionalProperties": False,
}


def _custom_tools_as_functions(request: ir.Request, report: Report) -> None:
    """Replace custom tools, their choice and their calls by functions."""
    if tools := request.tools:
        request.tools = [_function(tool, report) for tool in tools]
        report.facts.emulated = [new for new, old in zip(request.tools, tools, strict=True) if new is not old]
        request.tool_choice = _choice(request.tool_choice, {tool.name for tool in report.facts.emulated})
    for turn in request.turns or ():
        for index, part in enumerate(turn.parts):
            if isinstance(part, ir.CustomCall):
                turn.parts[index] = _wrapped(part, report)


def _function(tool: ir.Tool, report: Report) -> ir.Tool:
    """Return the function that a custom tool is sent as; a tool whose format cannot be described stays as it is."""
    if not isinstance(tool, ir.CustomTool):
        return tool
    form = tool.format
    if isinstance(form, ir.UnknownFormat) or (form is not None and form.extra is not None):
        return tool
    report.at("TUL-19", tool)
    described = f"`{INPUT}` is free text."
    if isinstance(form, ir.Grammar):
        report.at("TUL-20", tool, "format")
        described = f"`{INPUT}` is text of this {form.syntax} grammar:\n{form.definition}"
    description = "\n\n".join(text for text in (tool.description, described) if text)
    return ir.FunctionTool(
        tool.name, description, deepcopy(SCHEMA), None, None, tool.src, tool.extra, namespace=tool.namespace
    )


def _choice(choice: ir.ToolChoice | None, emulated: Collection[str]) -> ir.ToolChoice | None:
    if isinstance(choice, ir.CustomChoice) and choice.name in emulated:
        return ir.NamedChoice(choice.name, choice.src, choice.extra)
    if isinstance(choice, ir.AllowedChoice):
        choice = copy(choice)
        choice.tools = [
            ("function", name) if kind == "custom" and name in emulated else (kind, name) for kind, name in choice.tools
        ]
    return choice


def _wrapped(call: ir.CustomCall, report: Report) -> ir.FunctionCall:
    report.at("TUL-19", call)
    given = {INPUT: call.input}
    return ir.FunctionCall(
        call.id, call.name, given, None, call.src, call.extra, seal=call.seal, namespace=call.namespace
    )


class _Wrapping(PartStage):
    """Turns custom calls into calls of functions; on a stream the input is wrapped as it grows."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._open: set[int] = set()

    def whole(self, part: ir.Part, _: ir.Candidate, /) -> Iterable[ir.Part]:
        return (_wrapped(part, self._report) if isinstance(part, ir.CustomCall) else part,)

    def __call__(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened) and isinstance(event.part, ir.CustomCall):
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
# What models write although JSON strings exclude it: a control character, or a backslash that begins no escape.
FLAW = re.compile(
    r"""[\x00-\x1f] | \\ (?= [^"\\/bfnrtu] | u[0-9a-fA-F]{0,3}[^0-9a-fA-F]
      | u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{0,3}[^0-9a-fA-F] )""",
    re.VERBOSE,
)


class _InputReader:
    """Reads the input from the arguments of one call, which come in pieces.

    limit  how many characters may be kept; None: any number
    begun  whether the arguments begin as they should; if they do not, all of them are `kept`
    flaw   what is wrong with the arguments, for the report; "" if nothing is
    rest   the end of the text that waits for more; after the text, what follows it
    """

    def __init__(self, call: ir.FunctionCall, report: Report, limit: int | None = None) -> None:
        self._call, self._report, self._limit = call, report, limit
        self._begun = False
        self._kept: list[str] = []
        self._size = 0
        self._flaw = ""
        self._rest = ""

    def read(self, text: str) -> str:
        """Return the part of the input that the next piece of the arguments completes."""
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
        """Return the input of arguments that are an object."""
        whole = _text(arguments, self._report.place(self._call, "arguments"))
        self._begun, self._rest = True, '"}'
        given = arguments.get(INPUT)
        if not isinstance(given, str) or len(arguments) > 1:
            self._flaw = f"found {quoted(whole[:MOST_QUOTED])}"
        return given if isinstance(given, str) else whole

    @property
    def waits(self) -> bool:
        """Whether the arguments are no JSON, so that only the ending of the response shows what the input is."""
        return not self._begun and _parsed("".join(self._kept)) is None

    @property
    def begun(self) -> bool:
        return self._begun

    def end(self, cut_off: bool) -> str:
        """Return the rest of the input when the arguments have ended, and report a flaw in them."""
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
    """Return the value of a JSON text, or None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _is_named(part: ir.Part, names: Collection[str]) -> TypeGuard[ir.FunctionCall]:
    return isinstance(part, ir.FunctionCall) and part.name in names and part.id is not None


def _custom_call(call: ir.FunctionCall, reader: _InputReader) -> ir.CustomCall:
    """Return the custom call that a call of a function stands for, with the input so far."""
    given = call.arguments
    start = reader.read(given) if isinstance(given, str) else reader.read_object(given)
    custom = ir.CustomCall(call.id or "", call.name, start, call.src, call.extra, seal=call.seal)
    custom.namespace = call.namespace
    return custom


class _Unwrapping(PartStage):
    """Turns calls of functions with these names into custom calls; one that was cut off has a part of the input.

    open      the calls that grow by index, each with its candidate
    awaiting  by candidate, the calls that have ended and may lack something, which the end of the response shows; the
              event that closes a call waits here if the input depends on that end
    """

    def __init__(self, names: Collection[str], report: Report, limit: int) -> None:
        self._names, self._report, self._limit = names, report, limit
        self._open: dict[int, tuple[int, _InputReader]] = {}
        self._awaiting: defaultdict[int, list[tuple[_InputReader, events.PartClosed | None]]] = defaultdict(list)

    def whole(self, part: ir.Part, candidate: ir.Candidate, /) -> Iterable[ir.Part]:
        if not _is_named(part, self._names):
            return (part,)
        reader = _InputReader(part, self._report)
        call = _custom_call(part, reader)
        call.input += reader.end(candidate.terminal.reason in CUT_OFF)
        return (call,)

    def __call__(self, event: events.Event) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened):
            return (self._opened(event),)
        if isinstance(event, events.PartGrew) and event.index in self._open:
            return _growth(event.index, self._open[event.index][1].read(event.text))
        if isinstance(event, events.PartClosed) and event.index in self._open:
            return self._closed(event)
        if isinstance(event, events.Ended) and event.candidate in self._awaiting:
            return (*self._ended(event), event)
        return (event,)

    def _opened(self, event: events.PartOpened) -> events.Event:
        if not _is_named(event.part, self._names):
            return event
        reader = _InputReader(event.part, self._report, self._limit)
        self._open[event.index] = (event.candidate, reader)
        return events.PartOpened(event.index, _custom_call(event.part, reader), event.candidate, event.item)

    def _closed(self, event: events.PartClosed) -> Iterable[events.Event]:
        candidate, reader = self._open.pop(event.index)
        if reader.waits:
            self._awaiting[candidate].append((reader, event))
            return ()
        if reader.begun:
            self._awaiting[candidate].append((reader, None))
            return (event,)
        return (*_growth(event.index, reader.end(cut_off=False)), event)

    def _ended(self, event: events.Ended) -> Iterable[events.Event]:
        cut_off = event.terminal.reason in CUT_OFF
        for reader, closing in self._awaiting.pop(event.candidate):
            left = reader.end(cut_off)
            if closing is not None:
                yield from (*_growth(closing.index, left), closing)


def _growth(index: int, text: str) -> Iterable[events.Event]:
    return (events.PartGrew(index, text),) if text else ()


# --- enums ------------------------------------------------------------------------------------------------------------
# Output that is one word of an enum becomes an object with one property, whose name is in `state` (OUT-13). Text that
# is no such object, e.g. of a response that was cut off, arrives as it is (OUT-14).


PROPERTY = "value"


def wrap(root: ir.Request, target: Target, report: Report, _: Mapping[str, Any]) -> None:
    """Ask for an object in place of a word of an enum, if the target has no such output."""
    output = root.output
    if output is None or type(output.format) is not ir.EnumFormat:
        return
    if target.places["request"]["format"][ir.EnumFormat][0].word == "ok":
        return
    report.at("OUT-13", output, "format")
    wanted = {
        "type": "object",
        "properties": {PROPERTY: {"type": "string", **output.format.schema}},
        "required": [PROPERTY],
        "additionalProperties": False,
    }
    output.format = ir.SchemaFormat(wanted, strict=True, src=output.format.src)
    report.state[WRAPPED_OUTPUT] = [PROPERTY]


def unwrap(_: Constraints, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
    """Take the word out of the property that `state` names."""
    names = (options.get("state") or {}).get(WRAPPED_OUTPUT)
    return [_UnwrappingOutput(names[0], report, buffer_limit(options))] if names else []


class _UnwrappingOutput(PartStage):
    """Takes the word out of each text. On a stream a text waits until it is complete, unless it is too long for a word.

    open  the texts that grow by index, each with the event that opened it
    """

    def __init__(self, name: str, report: Report, limit: int) -> None:
        self._name, self._report, self._limit = name, report, limit
        self._open: dict[int, tuple[events.PartOpened, list[str]]] = {}

    def whole(self, part: ir.Part, _: ir.Candidate, /) -> Iterable[ir.Part]:
        return (self._unwrapped(part, part.text) if type(part) is ir.Text else part,)

    def __call__(self, event: events.Event, /) -> Iterable[events.Event]:
        if isinstance(event, events.PartOpened) and type(event.part) is ir.Text:
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

    def _unwrapped(self, part: Any, text: str) -> ir.Part:
        made: ir.Text = copy(part)
        word = _unwrapped(text, self._name)
        if word is None and text:
            self._report.at("OUT-14", part)
        made.text = text if word is None else word
        return made


def _unwrapped(text: str, name: str) -> str | None:
    """Return the word in a text that is an object with this one property, else None."""
    try:
        found = orjson.loads(text)
    except ValueError:
        return None
    word = found.get(name) if isinstance(found, dict) and len(found) == 1 else None
    return word if isinstance(word, str) else None
