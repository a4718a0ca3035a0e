"""Writes members of JSON objects in canonical order, and what several backends write alike."""

from __future__ import annotations

import binascii
import json
import math
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from proxai_ir.ir.error import Error
from proxai_ir.ir.parts import Inline, PlainText
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import CUT_OFF, Candidate
from proxai_ir.json.codegen import compiled
from proxai_ir.json.types import found
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.targets.conditions import flaw_of_arguments
from proxai_ir.targets.settings import capability
from proxai_ir.targets.verdicts import lacking, loses, ok

# --- writing ----------------------------------------------------------------------------------------------------------
# What every backend needs to write JSON: merging extra fields back, objects of present members, JSON text.
#
# Rule: a value that only writing shows to be impossible is a Refusal, its place a node and the name of its field.


Place = tuple[Any, str]
Json = Any
Object = dict[str, Any]


def merge(built: Object, patch: Mapping[str, Json]) -> Object:
    """Put extra fields back at their place; what `built` shares with the source is copied first."""
    for key, value in patch.items():
        there = built.get(key)
        built[key] = merge(dict(there), value) if isinstance(there, dict) and isinstance(value, dict) else value
    return built


def with_extra(built: Object, node: Any) -> Object:
    """Return the object with the unmapped members of its node, at their places."""
    extra = node.extra
    return merge(built, extra.fields) if extra is not None and extra.fields else built


def whole(error: Error) -> Json:
    """Return the body that an error without a known shape keeps in its message (ERR-5)."""
    try:
        return json.loads(error.message)
    except ValueError:  # a text alone, or the message was replaced
        return {"error": {"message": error.message}}


def raw(node: Any) -> Object:
    """What only this protocol has, as it came."""
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
    """Return a function that makes an object of those of a node's fields that are not None, each under its member's
    name.

    Written out as code, as frontends read such objects: flat ones with many members that are mostly absent.
    """
    lines = ["def write(node):", "    built = {}"]
    for member, field in fields.items():
        lines += [f"    if node.{field} is not None:", f"        built[{member!r}] = node.{field}"]
    write: Callable[[Any], Object] = compiled(f"writer of {' '.join(fields)}", [*lines, "    return built"], {})
    return write


def filler(**fields: str) -> Callable[[Object, Any], None]:
    """Return a function that adds to an object those of a node's fields that are not None, each under its member's
    name."""
    lines = ["def fill(built, node):"]
    for member, field in fields.items():
        lines += [f"    if node.{field} is not None:", f"        built[{member!r}] = node.{field}"]
    fill: Callable[[Object, Any], None] = compiled(f"filler of {' '.join(fields)}", lines, {})
    return fill


def route(root: Any, server: Any, path: Callable[[str, bool], str]) -> dict[str, Any]:
    """Return the model and whether the response is streamed, which stand in the URL; `path`: of both."""
    if not isinstance(root, Request):
        return {}
    model = root.model if root.model is not None else server.model
    streams = root.streaming is not None and bool(root.streaming.stream)
    return {"model": model, "stream": streams} | ({} if model is None else {"path": path(model, streams)})


# --- JSON text --------------------------------------------------------------------------------------------------------

BEYOND_64_BITS = 2.0**63


def dumps(value: Json, place: Place) -> str:
    """Return JSON text of a value of the source; refused where JSON has no form for it (SHP-7)."""
    try:
        text = orjson.dumps(value).decode()
    except TypeError as error:
        return _dumps_slowly(value, place, error)
    if "null" in text and _holds(value, _infinite):
        raise Refusal("SHP-7", place, "NaN and infinity are not JSON")
    return text


def _dumps_slowly(value: Json, place: Place, first: Exception) -> str:
    """For integers beyond 64 bits; whatever else went wrong goes wrong again."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (TypeError, ValueError, RecursionError):
        raise Refusal("SHP-7", place, str(first)) from None
    return text


def _unrounded(value: Json, text: str) -> bool:
    """Return whether writing an object again gives the very text that it was read from: what compact text usually
    does."""
    try:
        return type(value) is dict and orjson.dumps(value) == text.encode()
    except TypeError:  # deeper than orjson writes
        return False


def _holds(value: Json, what: Callable[[float], bool]) -> bool:
    """Return whether a floating-point number somewhere inside is such a one."""
    found = [value]
    for one in found:  # which grows meanwhile
        cls = one.__class__
        if cls is dict:
            found += one.values()
        elif cls is list:
            found += one
        elif cls is float and what(one):
            return True
    return False


def _infinite(number: float) -> bool:
    return not math.isfinite(number)


def _large(number: float) -> bool:
    return abs(number) >= BEYOND_64_BITS


def arguments(text: str | Object, place: Place) -> Object:
    """Tool arguments as an object; no text at all means no arguments (TUL-1)."""
    if not isinstance(text, str):
        return text
    try:
        value = orjson.loads(text)
        if _unrounded(value, text):
            return value  # type: ignore[no-any-return]
        if _holds(value, _large):  # perhaps an integer that orjson could keep as a float only
            value = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not text or text.isspace():
            return {}
        raise Refusal("TUL-1", place, f"not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refusal("TUL-1", place, f"expected an object, found {found(value)}")
    return value


def arguments_of(call: Any) -> Object:
    """Return the arguments of a call as an object."""
    given = call.arguments
    return given if type(given) is dict else arguments(given, (call, "arguments"))


def base64_of(text: str, place: Place) -> str:
    try:
        return b64encode(text.encode()).decode()
    except UnicodeEncodeError as error:
        raise Refusal("SHP-7", place, str(error)) from None


def text_of(source: PlainText | Inline) -> str:
    """Return the text of a document. Refused if its data are not base64 of UTF-8 (SRC-3)."""
    if isinstance(source, PlainText):
        return source.text
    try:
        return binascii.a2b_base64(source.data, strict_mode=True).decode()
    except ValueError as error:
        raise Refusal("SRC-3", (source, "data"), str(error)) from None


# --- prefill ----------------------------------------------------------------------------------------------------------
# A response that begins in the request, where only some servers of a protocol continue one (PLC-19).


SETTING = capability(
    False, "an assistant message at the end, which the response continues (PLC-19)", {"last_turn": "continued"}
)
"""Of the name `prefill`."""
VERDICTS = (lacking("prefill", loses("PLC-19", "prefill", elsewhere=True)), ok("prefill"))


# --- broken calls -----------------------------------------------------------------------------------------------------
# Calls of a stream whose arguments are no object, which shows when they have been sent (TUL-1, TUL-29).


class BrokenCalls:
    """Those of one stream. Only its last call may be one, where the response was cut off."""

    def __init__(self) -> None:
        self._found: list[tuple[Any, Refusal]] = []

    def closed(self, call: Any, arguments: str) -> bool:
        """Return whether the arguments are no object."""
        flaw = flaw_of_arguments(arguments)
        if flaw:
            self._found.append((call, Refusal("TUL-1", call.src, flaw)))
        return bool(flaw)

    def cut_off(self, call: Any) -> None:
        """A call that broke off before any arguments."""
        self._found.append((call, Refusal("TUL-1", call.src, "no arguments")))

    def go_on(self) -> None:
        """Before another part, where a broken call has not been sent. Raises Refusal."""
        for _, refusal in self._found:
            raise refusal

    def ended(self, candidate: Candidate, last: Any) -> None:
        """`last`: the last part. Raises Refusal."""
        for call, refusal in self._found:
            if candidate.terminal.reason not in CUT_OFF or call is not last:
                raise refusal

    def last(self, sent: str) -> tuple[Any, str] | None:
        """What `StreamWriter.broken_off` returns."""
        return (self._found[-1][0], sent) if self._found else None


SENT = "what there was of it has been sent"
