"""A request and its response of any protocol, from attributes of OpenTelemetry's GenAI conventions.

Rule 1: the parts are those that `telemetry` writes, of the types that the schemas declare. Rule 2: a part of another
type is dropped and reported (UNK-2), as is an attribute that is no part of the exchange (UNK-6). Rule 3: an attribute
may be JSON or its text, as spans have it without structured attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from .. import ir
from ..conversion.conversion import Conversion
from ..conversion.directions import Direction, bound
from ..conversion.options import around, quotes
from ..conversion.profile import Profile, protocol_of
from ..ir.error import Error
from ..ir.request import Effort, Output, Request, Role, Sampling, Streaming, Thinking, Turn
from ..ir.response import Candidate, Response, StopReason, Terminal, Usage
from ..ir.tools import CustomTool, FunctionTool
from ..json.types import NAMES, found, integral, loaded
from ..protocol.registry import Frontend
from ..reporting.diagnostics import InvalidPayload, Record, Refusal, Unrepresentable, refused_as, render
from . import telemetry as t

Json = Any
Object = dict[str, Any]

LEVEL = "gen_ai.request.reasoning.level"
"""An effort, as OpenTelemetry's own packages state it; the conventions have no attribute for it yet."""
LISTS = (t.INSTRUCTIONS, t.INPUT, t.OUTPUT, t.TOOLS, t.REASONS, t.SAMPLING["stop"])
TEXTS = {LEVEL, t.REQUEST["model"], t.OPERATION, t.PROVIDER, t.ERROR, t.FORM, *t.RESPONSE.values()}
FRACTIONS = {t.SAMPLING[name] for name in ("temperature", "top_p", "frequency_penalty", "presence_penalty")}
WHOLE = re.compile(r"-?\d{1,18}")
ALSO = {
    t.USAGE["cache_write"]: ("gen_ai.usage.cache_write.input_tokens",),
    t.USAGE["all_input"]: ("gen_ai.usage.prompt_tokens",),
    t.USAGE["all_output"]: ("gen_ai.usage.completion_tokens",),
    t.PROVIDER: ("gen_ai.system",),
}
"""Other names of attributes: earlier ones, and those that OpenTelemetry's own packages use already."""
READ = t.KNOWN_ATTRIBUTES | {LEVEL}
FACTS = (t.OPERATION, t.PROVIDER, t.ERROR)
"""Attributes that no payload repeats."""
ENDINGS = {
    StopReason.END: "stop end_turn complete completed eos",
    StopReason.STOP_SEQUENCE: "stop_sequence",
    StopReason.LENGTH: "length max_tokens max_output_tokens",
    StopReason.CONTEXT_WINDOW: "model_context_window_exceeded",
    StopReason.CONTENT_FILTER: "content_filter content_filtered guardrail_intervened safety blocklist "
    "prohibited_content spii recitation",
    StopReason.TOOL_CALLS: "tool_call tool_calls tool_use function_call",
    StopReason.REFUSAL: "refusal",
    StopReason.PAUSE: "pause_turn",
}
"""The conventions' words for endings, and those of vendors, which instrumentations pass on."""
REASONS = {word: reason for reason, words in ENDINGS.items() for word in words.split()}
ROLES = {**{role.value: role for role in Role}, "model": Role.ASSISTANT}
OTHERS = {
    "gen_ai.prompt": "OpenLLMetry",
    "gen_ai.completion": "OpenLLMetry",
    "traceloop.entity": "OpenLLMetry",
    "llm.input_messages": "OpenInference",
    "llm.output_messages": "OpenInference",
    "input.value": "OpenInference",
    "output.value": "OpenInference",
    "langfuse.observation": "Langfuse",
    "input": "Langfuse",
    "output": "Langfuse",
    "attributes": "OTLP",
    "resourceSpans": "OTLP",
}
"""What the names of attributes with content begin with in other layouts."""
COUNTS = {**t.USAGE, "input": t.USAGE["all_input"], "output": t.USAGE["all_output"]}
WIRE_PATHS: dict[str, dict[str, Any]] = {
    "Request": {**t.REQUEST, "turns": t.INPUT, "tools": t.TOOLS},
    "Sampling": t.SAMPLING,
    "Response": t.RESPONSE,
    "Usage": {field: (name, *ALSO.get(name, ())) for field, name in COUNTS.items()},
    "Streaming": {"stream": t.STREAM},
    "Thinking": {"effort": LEVEL},
    "Output": {"format": t.FORM},
    "Terminal": {"reason": "finish_reason"},
    "ToolResult": {"call_id": "id", "parts": "response"},
}
OF_RESPONSES = (*t.RESPONSE.values(), t.REASONS, *t.USAGE.values())
ANY_VALUES = ("stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue")
"""The kinds of values in OTLP's JSON, whose whole numbers are text (opentelemetry-proto, `common.proto`)."""
UNCAPTURED = "; a trace that was recorded without content cannot be converted"
CLASSES: dict[str, Any] = {modality: cls for cls, modality in t.MODALITIES.items()}


def from_telemetry(attributes: Json, dst: str | Profile, **options: Any) -> Conversion[Any]:
    """Return `{"request": …}`, with `"response": …` if the attributes have output messages.

    Diagnostics point into the attributes, in which texts of JSON are parsed. Options and exceptions are those of
    `convert`.
    """
    way, known = bound(protocol_of(dst), dst, options)
    way = Direction(FRONT, way.back)
    quote = quotes(options)
    with refused_as(InvalidPayload, attributes, quote):
        source = _parsed(_by_name(attributes))
    with refused_as(Unrepresentable, source, quote):
        records: list[Record] = [(rule, (source, name), "") for name, rule in _unread(source)]
        with refused_as(InvalidPayload, source, quote):
            request = _request(source, records)
            response = _response(source, records) if source.get(t.OUTPUT) is not None else None
            _check_input(source)
        if response is None:
            named = [one for name in OF_RESPONSES for one in (name, *ALSO.get(name, ()))]
            records += [("EXP-1", (source, name), "") for name in named if source.get(name) is not None]
        around(records, source, options)
        made: Object = {}
        for name, node in (("request", request), ("response", response)):
            if node is not None:
                made[name], report = way.write(node, known)
                records += report.records
        return Conversion(made, "pair", t.NAME, protocol_of(dst), found=render(records, source, quote_values=quote))


def _unread(source: Object) -> Iterator[tuple[str, str]]:
    """Yield the attributes that have no place in an exchange, with their rules: content is a loss."""
    read = {*READ, *(_name(source, name) for name in ALSO)} - {*FACTS, _name(source, t.PROVIDER)}
    for name in source:
        if name not in read and source[name] is not None:
            fact = name in FACTS or name == _name(source, t.PROVIDER)
            yield name, "EXP-1" if fact else "UNK-1" if _layout(name) else "UNK-6"


def _name(source: Object, name: str) -> str:
    """Return the name under which the source has an attribute: its own, or one of ALSO."""
    return next((one for one in (name, *ALSO.get(name, ())) if source.get(one) is not None), name)


def _layout(name: str) -> str | None:
    """Return the layout in which an attribute holds content, or None."""
    return next((layout for begin, layout in OTHERS.items() if name == begin or name.startswith(begin + ".")), None)


def _check_input(source: Object) -> None:
    """Refuse attributes without messages, and name the layout that they are of. Raises Refusal."""
    if source.get(t.INPUT) is not None:
        return
    seen = next((f"; found {name!r:.80} ({layout})" for name in source if (layout := _layout(name))), "")
    raise Refusal("SHP-2", (source,), f"expected {t.INPUT!r}{seen or UNCAPTURED}")


def _by_name(attributes: Json) -> Json:
    """Return attributes by their names, where OTLP's JSON lists them: `{"key": …, "value": {"stringValue": …}}`.

    Raises Refusal for a list of anything else.
    """
    if not isinstance(attributes, list) or not attributes:
        return attributes
    made: Object = {}
    for index, one in enumerate(attributes):
        name = one.get("key") if isinstance(one, dict) else None
        if not isinstance(name, str) or name in made or not one.keys() <= {"key", "value"}:
            what = "expected `key`, which no other attribute has, and `value`"
            raise Refusal("SHP-1", (attributes, index), what)
        made[name] = _any_value(one.get("value"), (one, "value"))
    return made


def _any_value(value: Json, place: Any) -> Json:
    """Return the JSON that OTLP's AnyValue is. Raises Refusal."""
    if value in (None, {}):
        return None
    if not isinstance(value, dict) or len(value) != 1:
        raise Refusal("SHP-1", place, f"expected an object with one of {', '.join(ANY_VALUES)}, found {found(value)}")
    ((kind, held),) = value.items()
    listed = (held.get("values") or []) if isinstance(held, dict) else None
    if kind == "arrayValue" and isinstance(listed, list):
        return [_any_value(one, place) for one in listed]
    if kind == "kvlistValue" and isinstance(listed, list):
        return _by_name(listed) or {}
    if kind not in ANY_VALUES[:-2] or isinstance(held, (dict, list)):
        raise Refusal("SHP-3", place, f"expected one of {', '.join(ANY_VALUES)}, found {found(kind)}")
    return _whole(held) if kind == "intValue" else held


def _parsed(attributes: Json) -> Object:
    if not isinstance(attributes, dict):
        raise Refusal("SHP-1", None, f"expected an object of attributes, found {found(attributes)}")
    made = dict(attributes)
    for name in LISTS:
        value = made.get(name)
        if isinstance(value, str):
            try:
                made[name] = loaded(value)
            except ValueError as error:
                raise Refusal("SHP-6", (attributes, name), str(error)) from None
    for name in made:
        value = made[name] = _whole(made[name]) if _kinds(name) == (int,) else made[name]
        if value is not None and (kinds := _kinds(name)) and type(value) not in kinds:
            raise Refusal("SHP-1", (made, name), f"expected {NAMES[kinds[0]]}, found {found(value)}")
    return made


def _kinds(name: str) -> tuple[type, ...]:
    """Return the types that an attribute may have; none for one that is not read."""
    name = next((one for one, names in ALSO.items() if name in names), name)
    if name not in READ:
        return ()
    if name in LISTS:
        return (list,)
    if name in TEXTS:
        return (str,)
    return (bool,) if name == t.STREAM else (float, int) if name in FRACTIONS else (int,)


def _whole(value: Json) -> Json:
    """Return an integer that is written as a double, as tables with gaps have it, or as text, as OTLP's JSON has it."""
    if type(value) is float:
        return integral(value)
    return int(value) if type(value) is str and WHOLE.fullmatch(value) else value


def _request(source: Object, records: list[Record]) -> Request:
    turns = [Turn(Role.SYSTEM, [part], src=source) for part in _parts(source.get(t.INSTRUCTIONS) or [], records)]
    turns += [_turn(one, records) for one in _objects(source.get(t.INPUT))]
    sampling = {
        field: one for field, name in t.SAMPLING.items() if (one := source.get(_name(source, name))) is not None
    }
    level = source.get(LEVEL)
    effort = Effort._value2member_map_.get(level)
    if effort is None and level is not None:
        records.append(("EXP-2", (source, LEVEL), ""))
    streams, form = source.get(t.STREAM), FORMS.get(source.get(t.FORM) or "")
    if form is None and source.get(t.FORM) is not None:
        records.append(("EXP-1" if source[t.FORM] == "text" else "EXP-2", (source, t.FORM), ""))
    return Request(
        None,
        source.get(t.REQUEST["model"]),
        turns,
        [tool for one in _objects(source.get(t.TOOLS)) if (tool := _tool(one, records)) is not None] or None,
        max_tokens=source.get(t.REQUEST["max_tokens"]),
        sampling=Sampling(**sampling, src=source) if sampling else None,
        streaming=Streaming(streams, src=source) if streams is not None else None,
        thinking=Thinking(effort=effort, src=source) if isinstance(effort, Effort) else None,
        output=Output(form(src=source), src=source) if form is not None else None,
        src=source,
    )


def _response(source: Object, records: list[Record]) -> Response:
    reasons = source.get(t.REASONS) or []
    candidates = []
    for index, one in enumerate(_objects(source.get(t.OUTPUT))):
        given = reasons[index] if index < len(reasons) else None
        word = one.get("finish_reason") or given
        if given not in (None, word):
            records.append(("EXP-1", (reasons, index), ""))
        reason = REASONS.get(word.lower(), StopReason.UNKNOWN) if isinstance(word, str) else StopReason.UNKNOWN
        terminal = Terminal(reason, word if isinstance(word, str) else None, src=one)
        candidates.append(Candidate([_turn(one, records)], terminal, src=one))
    records += [("EXP-1", (reasons, index), "") for index in range(len(candidates), len(reasons))]
    counts = {field: source.get(_name(source, name)) for field, name in t.USAGE.items()}
    return Response(
        None,
        source.get(t.RESPONSE["id"]),
        source.get(t.RESPONSE["model"]),
        candidates,
        _usage(counts, source),
        src=source,
    )


def _usage(counts: Mapping[str, int | None], source: Object) -> Usage | None:
    """Return the usage, whose parts the conventions count within their sums (USE-1)."""
    if all(count is None for count in counts.values()):
        return None
    read, write, reasoning = counts["cache_read"], counts["cache_write"], counts["reasoning"]
    total_in, total_out = counts["all_input"], counts["all_output"]
    return Usage(
        None if total_in is None else max(total_in - (read or 0) - (write or 0), 0),
        read,
        write,
        None if total_out is None else max(total_out - (reasoning or 0), 0),
        reasoning,
        src=source,
    )


def _objects(values: list[Json] | None) -> Iterator[Object]:
    """Yield the values of a list. Raises Refusal for one that is no object."""
    for index, value in enumerate(values or []):
        if not isinstance(value, dict):
            raise Refusal("SHP-1", (values, index), f"expected an object, found {found(value)}")
        yield value


def _turn(message: Object, records: list[Record]) -> Turn:
    word, name = _required(message, "role", str), message.get("name")
    role = ROLES.get(word)
    if role is None:
        roles = "system, developer, user, assistant, tool"
        raise Refusal("SHP-3", (message, "role"), f"expected one of {roles}, found {found(word)}")
    known = ("role", "parts", "name", "finish_reason")
    records += [("UNK-1", (message, key), "") for key in message if key not in known and message[key] is not None]
    parts = _parts(_required(message, "parts", list), records)
    return Turn(role, parts, name if isinstance(name, str) else None, src=message)


def _required(node: Object, name: str, kind: type) -> Any:
    value = node.get(name)
    if value is None:
        raise Refusal("SHP-2", (node,), f"expected {name!r}")
    if not isinstance(value, kind):
        raise Refusal("SHP-1", (node, name), f"expected {NAMES[kind]}, found {found(value)}")
    return value


def _parts(values: list[Json], records: list[Record]) -> list[Any]:
    made = []
    for value in _objects(values):
        part, known = _part(value, records)
        if part is None:
            records.append(("UNK-2", (value,), f"type {found(value.get('type'))}"))
            continue
        records += [("UNK-1", (value, key), "") for key in value if key not in known and value[key] is not None]
        made.append(part)
    return made


def _part(value: Object, records: list[Record]) -> tuple[Any, tuple[str, ...]]:
    """Return the part, or None for an unknown type and a tool of the provider, and the members that were read."""
    kind = _required(value, "type", str)
    if kind in TEXT:
        return TEXT[kind](_content(value, "content"), src=value), ("type", "content")
    if kind in MEDIA:
        return _media(value, *MEDIA[kind])
    if value.get("builtin") is True:  # as pydantic-ai marks the provider's tools
        return None, ()
    if kind == "tool_call":
        arguments = value.get("arguments")
        if not isinstance(arguments, (str, dict)):
            if arguments is not None:
                raise Refusal("SHP-1", (value, "arguments"), f"expected an object or text, found {found(arguments)}")
            arguments = {}
        call = ir.FunctionCall(_id(value), _required(value, "name", str), arguments, src=value)
        return call, ("type", "id", "name", "arguments")
    if kind == "tool_call_response":
        member = "response" if value.get("response") is not None else "result"
        name = None if value.get("name") is None else _required(value, "name", str)
        result = ir.ToolResult(_id(value) or "", _result(value.get(member), value, records), src=value, name=name)
        return result, ("type", "id", "name", member)
    return None, ()


def _content(value: Object, name: str) -> str:
    """Return the content of a part. Raises Refusal, with a hint at traces that were recorded without content."""
    if value.get(name) is None:
        raise Refusal("SHP-2", (value,), f"expected {name!r}{UNCAPTURED}")
    return str(_required(value, name, str))


def _id(value: Object) -> str | None:
    return None if value.get("id") is None else str(_required(value, "id", str))


def _result(response: Json, value: Object, records: list[Record]) -> list[Any]:
    """Return the parts of a result: a text, a list of parts, or the text of other JSON."""
    if isinstance(response, list) and response and all(isinstance(one, dict) and "type" in one for one in response):
        return _parts(response, records)
    if not isinstance(response, str):
        response = "" if response is None else orjson.dumps(response).decode()
    return [ir.Text(response, src=value)]


def _media(value: Object, name: str, stated: str, kind: str) -> tuple[Any, tuple[str, ...]]:
    """Return a medium whose content is in the member `name`, and its MIME type in `stated`.

    Without a modality it is what the MIME type says, or a document, of which the conventions have no modality.
    """
    data, mime = _content(value, name), value.get(stated)
    if mime is not None:
        mime = _required(value, stated, str)
    source: ir.Source = ir.Inline(data, mime, src=value)
    if name != "content":
        source = ir.FileRef(data, src=value, mime=mime) if name == "file_id" else ir.Url(data, src=value, mime=mime)
    modality = kind if value.get("modality") is None else _required(value, "modality", str)
    cls = CLASSES.get(modality or (mime or "").partition("/")[0], None if modality else ir.Document)
    if cls is None:
        return None, ()
    return cls(source, src=value), ("type", "modality", stated, name)


TEXT: dict[str, Any] = {"text": ir.Text, "reasoning": ir.Reasoning, "thinking": ir.Reasoning}
MEDIA = {
    "blob": ("content", "mime_type", ""),
    "uri": ("uri", "mime_type", ""),
    "file": ("file_id", "mime_type", ""),
    "binary": ("content", "media_type", ""),
    **{f"{modality}-url": ("url", "mime_type", modality) for modality in CLASSES},
}
"""The parts of media, of the schemas and of pydantic-ai: the member with the content, that with the MIME type, and the
modality that the type says."""


def _tool(value: Object, records: list[Record]) -> Any:
    nested = value.get("function")
    if value.get("type") == "function" and isinstance(nested, dict):  # as OpenAI nests them
        records += [("UNK-1", (value, key), "") for key in value if key not in ("type", "function")]
        value = {"type": "function", **nested}
    kind, name = _required(value, "type", str), _required(value, "name", str)
    description = value.get("description")
    text = description if isinstance(description, str) else None
    known = ("type", "name", "description", "parameters")
    records += [("UNK-1", (value, key), "") for key in value if key not in known and value[key] is not None]
    if kind == "function":
        parameters = value.get("parameters")
        schema = _required(value, "parameters", dict) if parameters is not None else None
        return FunctionTool(name, text, schema, src=value)
    if kind == "custom":
        return CustomTool(name, text, src=value)
    records.append(("UNK-3", (value,), ""))
    return None


def _error(_attributes: Object, _status: int | None = None) -> Error:
    raise Refusal("SHP-5", None, "expected attributes of a request")


FORMS: dict[str, Any] = {"json": ir.JsonFormat}
FRONT = Frontend(
    t.NAME, {}, lambda source: _request(source, []), lambda source: _response(source, []), _error, wire_paths=WIRE_PATHS
)
"""For pointers: where the fields of a tree are in the attributes."""
