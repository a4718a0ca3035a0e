"""A request and its response of any protocol, from attributes of OpenTelemetry's GenAI conventions.

Rule 1: the parts are those that `telemetry` writes, of the types that the schemas declare. Rule 2: a part of another
type is dropped and reported (UNK-2), as is an attribute that is no part of the exchange (UNK-6). Rule 3: an attribute
may be JSON or its text, as spans have it without structured attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from .. import ir
from ..conversion.conversion import Conversion
from ..conversion.directions import Direction, bound
from ..conversion.options import around, quotes
from ..conversion.profile import Profile, protocol_of
from ..ir.error import Error
from ..ir.request import Request, Role, Sampling, Turn
from ..ir.response import Candidate, Response, StopReason, Terminal, Usage
from ..ir.tools import CustomTool, FunctionTool
from ..json.types import found
from ..protocol.registry import Frontend
from ..reporting.diagnostics import InvalidPayload, Record, Refusal, Unrepresentable, refused_as, render
from . import telemetry as t

Json = Any
Object = dict[str, Any]

LISTS = (t.INSTRUCTIONS, t.INPUT, t.OUTPUT, t.TOOLS, t.REASONS, t.SAMPLING["stop"])
TEXTS = {t.REQUEST["model"], *t.RESPONSE.values()}
FRACTIONS = {t.SAMPLING[name] for name in ("temperature", "top_p", "frequency_penalty", "presence_penalty")}
ENDINGS = {
    "stop": StopReason.END,
    "length": StopReason.LENGTH,
    "content_filter": StopReason.CONTENT_FILTER,
    "tool_call": StopReason.TOOL_CALLS,
    "tool_calls": StopReason.TOOL_CALLS,
    "refusal": StopReason.REFUSAL,
}
WIRE_PATHS = {
    "Request": {**t.REQUEST, "turns": t.INPUT, "tools": t.TOOLS},
    "Sampling": t.SAMPLING,
    "Response": t.RESPONSE,
    "Usage": {**t.USAGE, "input": t.USAGE["all_input"], "output": t.USAGE["all_output"]},
    "Terminal": {"reason": "finish_reason"},
    "ToolResult": {"call_id": "id", "parts": "response"},
}
OF_RESPONSES = (*t.RESPONSE.values(), t.REASONS, *t.USAGE.values())
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
        source = _parsed(attributes)
    with refused_as(Unrepresentable, source, quote):
        others = [name for name in source if name not in t.KNOWN_ATTRIBUTES and source[name] is not None]
        records: list[Record] = [("UNK-6", (source, name), "") for name in others]
        with refused_as(InvalidPayload, source, quote):
            request = _request(source, records)
            response = _response(source, records) if source.get(t.OUTPUT) is not None else None
        if response is None:
            records += [("EXP-1", (source, name), "") for name in OF_RESPONSES if source.get(name) is not None]
        around(records, source, options)
        made: Object = {}
        for name, node in (("request", request), ("response", response)):
            if node is not None:
                made[name], report = way.write(node, known)
                records += report.records
        return Conversion(made, "pair", t.NAME, protocol_of(dst), found=render(records, source, quote_values=quote))


def _parsed(attributes: Json) -> Object:
    if not isinstance(attributes, dict):
        raise Refusal("SHP-1", None, f"expected an object of attributes, found {found(attributes)}")
    made = dict(attributes)
    for name in LISTS:
        value = made.get(name)
        if isinstance(value, str):
            try:
                made[name] = orjson.loads(value)
            except orjson.JSONDecodeError as error:
                raise Refusal("SHP-6", (attributes, name), str(error)) from None
    for name in t.KNOWN_ATTRIBUTES & made.keys():
        value = made[name]
        if value is None:
            continue
        kinds = (list,) if name in LISTS else (str,) if name in TEXTS else (int, float) if name in FRACTIONS else (int,)
        if type(value) not in kinds:
            wanted = "a number" if len(kinds) > 1 else {list: "an array", str: "a string", int: "an integer"}[kinds[0]]
            raise Refusal("SHP-1", (made, name), f"expected {wanted}, found {found(value)}")
    return made


def _request(source: Object, records: list[Record]) -> Request:
    turns = [Turn(Role.SYSTEM, [part], src=source) for part in _parts(source.get(t.INSTRUCTIONS) or [], records)]
    turns += [_turn(one, records) for one in _objects(source.get(t.INPUT))]
    sampling = {field: source[name] for field, name in t.SAMPLING.items() if source.get(name) is not None}
    return Request(
        None,
        source.get(t.REQUEST["model"]),
        turns,
        [tool for one in _objects(source.get(t.TOOLS)) if (tool := _tool(one, records)) is not None] or None,
        max_tokens=source.get(t.REQUEST["max_tokens"]),
        sampling=Sampling(**sampling, src=source) if sampling else None,
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
        reason = ENDINGS.get(word, StopReason.UNKNOWN) if isinstance(word, str) else StopReason.UNKNOWN
        terminal = Terminal(reason, word if isinstance(word, str) else None, src=one)
        candidates.append(Candidate([_turn(one, records)], terminal, src=one))
    records += [("EXP-1", (reasons, index), "") for index in range(len(candidates), len(reasons))]
    counts = {field: source.get(name) for field, name in t.USAGE.items()}
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
    role = Role._value2member_map_.get(word)
    if not isinstance(role, Role):
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
        names: dict[type, str] = {str: "a string", list: "an array", dict: "an object"}
        wanted = names[kind]
        raise Refusal("SHP-1", (node, name), f"expected {wanted}, found {found(value)}")
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
    """Return the part, or None for an unknown type, and the members that were read."""
    kind = _required(value, "type", str)
    if kind in ("text", "reasoning"):
        cls = ir.Text if kind == "text" else ir.Reasoning
        return cls(_required(value, "content", str), src=value), ("type", "content")
    if kind in ("blob", "uri", "file"):
        return _media(value, kind)
    if kind == "tool_call":
        arguments = value.get("arguments")
        if not isinstance(arguments, (str, dict)):
            if arguments is not None:
                raise Refusal("SHP-1", (value, "arguments"), f"expected an object or text, found {found(arguments)}")
            arguments = {}
        call = ir.FunctionCall(_id(value), _required(value, "name", str), arguments, src=value)
        return call, ("type", "id", "name", "arguments")
    if kind == "tool_call_response":
        return ir.ToolResult(_id(value) or "", _content(value, records), src=value), ("type", "id", "response")
    return None, ()


def _id(value: Object) -> str | None:
    return None if value.get("id") is None else str(_required(value, "id", str))


def _content(value: Object, records: list[Record]) -> list[Any]:
    """Return the parts of a result: a text, a list of parts, or the text of other JSON."""
    response = value.get("response")
    if isinstance(response, list) and response and all(isinstance(one, dict) and "type" in one for one in response):
        return _parts(response, records)
    if not isinstance(response, str):
        response = "" if response is None else orjson.dumps(response).decode()
    return [ir.Text(response, src=value)]


def _media(value: Object, kind: str) -> tuple[Any, tuple[str, ...]]:
    name = {"blob": "content", "uri": "uri", "file": "file_id"}[kind]
    data, mime = _required(value, name, str), value.get("mime_type")
    if mime is not None:
        mime = _required(value, "mime_type", str)
    source: ir.Source = ir.Inline(data, mime, src=value)
    if kind != "blob":
        source = ir.Url(data, src=value, mime=mime) if kind == "uri" else ir.FileRef(data, src=value, mime=mime)
    cls = CLASSES.get(_required(value, "modality", str))
    if cls is None:
        return None, ()
    return cls(source, src=value), ("type", "modality", "mime_type", name)


def _tool(value: Object, records: list[Record]) -> Any:
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


FRONT = Frontend(
    t.NAME, {}, lambda source: _request(source, []), lambda source: _response(source, []), _error, wire_paths=WIRE_PATHS
)
"""For pointers: where the fields of a tree are in the attributes."""
