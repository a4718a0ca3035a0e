"""Writes members of JSON objects in canonical order, and the forms that several backends share.

Rule: a value that cannot be written raises a Refusal, whose place is a node and the name of its field.
"""

from __future__ import annotations

import binascii
import json
import math
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from proxai_ir import ir
from proxai_ir.ir.response import CUT_OFF
from proxai_ir.json.codegen import compiled
from proxai_ir.json.types import found
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.targets import conditions as c
from proxai_ir.targets.approximations import asks_whole
from proxai_ir.targets.settings import capability
from proxai_ir.targets.verdicts import lacking, loses, ok

# --- writing ----------------------------------------------------------------------------------------------------------

Place = tuple[Any, str]
Json = Any
Object = dict[str, Any]


def merge(built: Object, patch: Mapping[str, Json]) -> Object:
    """Put extra fields back at their places; objects that `built` shares with the source are copied first."""
    for key, value in patch.items():
        there = built.get(key)
        built[key] = merge(dict(there), value) if isinstance(there, dict) and isinstance(value, dict) else value
    return built


def with_extra(built: Object, node: Any) -> Object:
    """Return the object with the unmapped members of its node, at their places."""
    extra = node.extra
    return merge(built, extra.fields) if extra is not None and extra.fields else built


def whole(error: ir.Error) -> Json:
    """Return the body that an error of unknown shape keeps in its message (ERR-5)."""
    try:
        return json.loads(error.message)
    except ValueError:  # a text alone, or the message was replaced
        return {"error": {"message": error.message}}


def raw(node: Any) -> Object:
    """Return the object of a node that only this protocol has, as it came."""
    found: Object = node.raw
    return found


def put(built: Object, **members: Json) -> Object:
    """Add the members that are not None."""
    for key, value in members.items():
        if value is not None:
            built[key] = value
    return built


def copied(value: Json) -> Json:
    """Return a copy of JSON that shares no object and no array with it."""
    if isinstance(value, dict):
        return {name: copied(one) if isinstance(one, (dict, list)) else one for name, one in value.items()}
    return [copied(one) for one in value] if isinstance(value, list) else value


def writer(**fields: str) -> Callable[[Any], Object]:
    """Return a compiled function that makes an object of the fields of a node that are not None.

    It is for flat objects with many members that are mostly absent. `fields`: the node's field for each member.
    """
    lines = ["def write(node):", "    built = {}"]
    for member, field in fields.items():
        lines += [f"    if node.{field} is not None:", f"        built[{member!r}] = node.{field}"]
    write: Callable[[Any], Object] = compiled(f"writer of {' '.join(fields)}", [*lines, "    return built"], {})
    return write


def filler(**fields: str) -> Callable[[Object, Any], None]:
    """Return a compiled function that adds the fields of a node that are not None to an object."""
    lines = ["def fill(built, node):"]
    for member, field in fields.items():
        lines += [f"    if node.{field} is not None:", f"        built[{member!r}] = node.{field}"]
    fill: Callable[[Object, Any], None] = compiled(f"filler of {' '.join(fields)}", lines, {})
    return fill


def route(root: Any, server: Any, path: Callable[[str, bool], str]) -> dict[str, Any]:
    """Return the model, whether the response is streamed, and the URL's path, which `path` makes of both."""
    if not isinstance(root, ir.Request):
        return {}
    model = root.model if root.model is not None else server.model
    streams = root.streaming is not None and bool(root.streaming.stream) and not asks_whole(root, server)
    return {"model": model, "stream": streams} | ({} if model is None else {"path": path(model, streams)})


# --- JSON text --------------------------------------------------------------------------------------------------------

BEYOND_64_BITS = 2.0**63


def dumps(value: Json, place: Place) -> str:
    """Return a value of the source as JSON text; refused if JSON has no form for it (SHP-7)."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError as first:  # perhaps for an integer beyond 64 bits
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            text.encode()
        except (TypeError, ValueError, RecursionError):
            raise Refusal("SHP-7", place, str(first)) from None
        return text
    if "null" in text and _holds(value, lambda number: not math.isfinite(number)):
        raise Refusal("SHP-7", place, "NaN and infinity are not JSON")
    return text


def _unrounded(value: Json, text: str) -> bool:
    """Return whether writing an object again gives the text that it was read from, as for most compact JSON."""
    try:
        return type(value) is dict and orjson.dumps(value) == text.encode()
    except TypeError:  # deeper than orjson writes
        return False


def _holds(value: Json, what: Callable[[float], bool]) -> bool:
    """Return whether a floating-point number somewhere inside a value meets a condition."""
    found = [value]
    for one in found:  # the list grows meanwhile
        cls = one.__class__
        if cls is dict:
            found += one.values()
        elif cls is list:
            found += one
        elif cls is float and what(one):
            return True
    return False


def arguments(text: str | Object, place: Place) -> Object:
    """Return the arguments of a call as an object; no text at all means no arguments (TUL-1)."""
    if not isinstance(text, str):
        return text
    try:
        value = orjson.loads(text)
        if _unrounded(value, text):
            return value  # type: ignore[no-any-return]
        # orjson may have read a larger integer as a float
        if _holds(value, lambda number: abs(number) >= BEYOND_64_BITS):
            value = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not text or text.isspace():
            return {}
        raise Refusal("TUL-1", place, f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refusal("TUL-1", place, f"expected an object, found {found(value)}")
    return value


def arguments_of(call: Any) -> Object:
    """Return the arguments of a call node as an object."""
    given = call.arguments
    return given if type(given) is dict else arguments(given, (call, "arguments"))


def arguments_text(call: ir.FunctionCall | ir.McpCall) -> str:
    """Return the arguments of a call as JSON text; no arguments are an empty object (TUL-1)."""
    text = call.arguments
    if type(text) is not str:
        return dumps(text, (call, "arguments"))
    return text if text and not text.isspace() else "{}"


def base64_of(text: str, place: Place) -> str:
    try:
        return b64encode(text.encode()).decode()
    except UnicodeEncodeError as error:
        raise Refusal("SHP-7", place, str(error)) from None


def text_of(source: ir.PlainText | ir.Inline) -> str:
    """Return the text of a document; refused if its data are not base64 of UTF-8 (SRC-3)."""
    if isinstance(source, ir.PlainText):
        return source.text
    try:
        return binascii.a2b_base64(source.data, strict_mode=True).decode()
    except ValueError as error:
        raise Refusal("SRC-3", (source, "data"), str(error)) from None


# --- prefill ----------------------------------------------------------------------------------------------------------
# The assistant's last message, where only some servers of a protocol continue it (PLC-19).

SETTING = capability(
    False, "an assistant message at the end, which the response continues (PLC-19)", {"last_turn": "continued"}
)
"""The setting named `prefill`."""
VERDICTS = (lacking("prefill", loses("PLC-19", "prefill", elsewhere=True)), ok("prefill"))


# --- broken calls -----------------------------------------------------------------------------------------------------


class BrokenCalls:
    """The calls of one stream whose arguments, once they have been sent, turn out to be no object (TUL-1, TUL-29). Only
    the last call may be such a one, and only if the response was cut off.
    """

    def __init__(self) -> None:
        self._found: list[tuple[Any, Refusal]] = []

    def closed(self, call: Any, arguments: str) -> bool:
        """Return whether the arguments are no object, and note the call if so."""
        flaw = c.flaw_of_arguments(arguments)
        if flaw:
            self._found.append((call, Refusal("TUL-1", call.src, flaw)))
        return bool(flaw)

    def cut_off(self, call: Any) -> None:
        """Note a call that broke off before any arguments."""
        self._found.append((call, Refusal("TUL-1", call.src, "no arguments")))

    def go_on(self) -> None:
        """Refuse a broken call that has not been sent before another part begins."""
        for _, refusal in self._found:
            raise refusal

    def ended(self, candidate: ir.Candidate, last: Any) -> None:
        """Refuse broken calls unless the response was cut off in the last part."""
        for call, refusal in self._found:
            if candidate.terminal.reason not in CUT_OFF or call is not last:
                raise refusal

    def last(self, sent: str) -> tuple[Any, str] | None:
        """Return the last broken call and how much of it was sent, for `StreamWriter.broken_off`."""
        return (self._found[-1][0], sent) if self._found else None


SENT = "what there was of it has been sent"
