"""Reads members of JSON objects: types are checked, unknown members are kept, and wrong ones are refused with their
place.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Callable, Container, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

import orjson

from proxai_ir import ir
from proxai_ir.ir.error import PLAIN, Error, by_status, kept_whole, refined
from proxai_ir.ir.node import Cache
from proxai_ir.ir.response import CUT_OFF, Terminal
from proxai_ir.ir.stream import events
from proxai_ir.json.codegen import compiled
from proxai_ir.json.pointer import Respelled, Unwrapped
from proxai_ir.json.types import NAMES, found
from proxai_ir.reporting.diagnostics import NO_STACK, ONLY_WHETHER, Record, Refusal
from proxai_ir.schemas import client_tools
from proxai_ir.schemas.openapi import LOWER, normalised
from proxai_ir.wire import FILE_TYPES

# --- reading ----------------------------------------------------------------------------------------------------------
# What every frontend needs to read JSON: checked access to members, and keeping of what has no place in the IR.
#
# Rule 1: a wrong type or a missing member is a Refusal that names the place (SHP-1, SHP-2), never another exception.
# Rule 2: a null member is a missing member (STS-10). Rule 3: what has no IR field is kept in `extra` (LOS-3).

Json = Any
Object = dict[str, Any]
"""A JSON object."""
Known = set[str] | frozenset[str]
"""Names of members that have IR fields."""
NOTHING: dict[str, Any] = {}
T = TypeVar("T")


def wrong(holder: Json, key: str | int, expected: str, rule: str = "SHP-1") -> Refusal:
    """Return the Refusal of a member that is not as expected; if the member is missing, it names the object."""
    if isinstance(holder, dict) and key not in holder:
        return Refusal(rule, holder, f"expected {expected}, found none")
    return Refusal(rule, (holder, key), f"expected {expected}, found {found(holder[key])}")


def missing(holder: Object, key: str) -> Refusal:
    """Return the Refusal of an object without a required member (SHP-2)."""
    if key in holder:
        return Refusal("SHP-2", (holder, key), f"`{key}` is null")
    return Refusal("SHP-2", holder, f"`{key}` is missing")


def optional(holder: Object, key: str, kind: type[T]) -> T | None:
    """Return the member, or None if it is missing or null."""
    value = holder.get(key)
    if value is None or type(value) is kind or (isinstance(value, kind) and not isinstance(value, bool)):
        return value
    raise wrong(holder, key, NAMES[kind])


def required(holder: Object, key: str, kind: type[T]) -> T:
    """Return the member, which must be present and of this type."""
    value = holder.get(key)
    if type(value) is kind:
        return value
    value = optional(holder, key, kind)
    if value is None:
        raise missing(holder, key)
    return value


MOST_OF_NUMBER = 64  # bits


def identifier(holder: Object) -> str | None:
    """Return the id of a response, which some servers write as a number; an empty one counts as none."""
    value = holder.get("id")
    if type(value) is str:
        return value or None
    if type(value) is int and value.bit_length() <= MOST_OF_NUMBER:
        return str(value)
    return optional(holder, "id", str)


def number(holder: Object, key: str) -> float | None:
    """Return the member, an integer or a float, or None if it is missing or null."""
    value: Json = holder.get(key)
    if value is None or type(value) is float or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    raise wrong(holder, key, "a number")


def reader(**kinds: type) -> Callable[[Object], tuple[Any, ...]]:
    """Return a function that reads these members of an object into a tuple, as `optional` does.

    It is generated code, since most members of most answers are read this way: a type check each and no call.
    """
    names = ", ".join(f"_{name}" for name in kinds)
    lines = ["def read(holder):", "    get = holder.get"]
    for name, kind in kinds.items():
        lines.append(f"    _{name} = get({name!r})")
        lines.append(f"    if _{name} is not None and type(_{name}) is not {kind.__name__}:")
        lines.append(f"        optional(holder, {name!r}, {kind.__name__})")
    read: Callable[[Object], tuple[Any, ...]] = compiled(
        f"reader of {' '.join(kinds)}", [*lines, f"    return ({names},)"], {"optional": optional}
    )
    return read


def an_object(holder: Json, key: str | int) -> Object:
    """Return the element or member, which must be an object."""
    try:
        value = holder[key]
    except KeyError:
        raise missing(holder, str(key)) from None
    if isinstance(value, dict):
        return value
    raise wrong(holder, key, "an object")


def json_text(holder: Object, key: str) -> str:
    """Return a member's value as JSON, where the IR has a text."""
    try:
        return orjson.dumps(holder[key]).decode()
    except TypeError as error:
        if "64-bit" not in str(error):
            raise Refusal("SHP-7", (holder, key), str(error)) from None
    try:
        return json.dumps(holder[key], ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal("SHP-7", (holder, key), str(error)) from None


def json_or_text(text: str) -> Json:
    """Return the JSON value of a call's input, `{}` if it is blank, or the text itself if it is no JSON."""
    try:
        return orjson.loads(text) if text.strip() else {}
    except orjson.JSONDecodeError:
        return text


def type_of_file(name: Json) -> str | None:
    """Return the media type that a file name's extension shows."""
    return FILE_TYPES.get(name.rpartition(".")[2].lower()) if isinstance(name, str) else None


def seconds(holder: Object, key: str, text: str) -> int:
    """Return the Unix time of a date, which is UTC if it has no zone; fractions of a second are cut off."""
    try:
        time = datetime.fromisoformat(text)
        return int((time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        raise wrong(holder, key, "a time as in RFC 3339", "SHP-3") from None


def strings(holder: Object, key: str) -> list[str] | None:
    """Return the member, a list of strings, or None if it is missing or null."""
    values = optional(holder, key, list)
    for index, value in enumerate(values or ()):
        if not isinstance(value, str):
            raise wrong(values, index, "a string")
    return values


def numbers(holder: Object, key: str, *kinds: type) -> list[Any]:
    """Return the member, a list whose elements all have one of these types: `int`, or `int` and `float`."""
    values: list[Any] = holder[key]
    for index, value in enumerate(values):
        if type(value) not in kinds:
            raise wrong(values, index, "a number" if float in kinds else "an integer")
    return values


def constant(holder: Object, key: str, value: str) -> None:
    """Refuse a member that has another value than this one; it may be missing (LOS-1)."""
    if holder.get(key, value) not in (value, None):
        raise wrong(holder, key, f"'{value}'", "SHP-3")


def each(items: Sequence[T], read: Callable[[T], Any]) -> list[Any]:
    """Read every item; if some are refused, raise one Refusal with the records of all of them.

    Where it only counts whether a payload is refused, the Refusal has the records of the first one.
    """
    done: list[Any] = []
    try:
        for item in items:
            done.append(read(item))  # noqa: PERF401 - as in `tagged`
        return done
    except Refusal:
        if ONLY_WHETHER.get():
            raise
        done = []
    records: list[Record] = []  # and not the refusals, whose tracebacks lead here: a cycle would keep the payload
    for item in items:
        try:
            done.append(read(item))
        except Refusal as refusal:
            records += refusal.records
    if records:
        raise Refusal.of_records(records)
    return done


def by_index(listed: list[Object], read: list[T]) -> list[T]:
    """Return what was read, in the order of the `index` that each object states; without one it is the position."""
    for at, one in enumerate(listed):
        if one.get("index", at) not in (at, None):
            break
    else:
        return read
    placed: dict[int, T] = {}
    for at, one in enumerate(listed):
        index = at if one.get("index") is None else one["index"]
        if index in placed or not 0 <= index < len(listed):
            raise wrong(one, "index", f"an index below {len(listed)} that no other one has", "SHP-3")
        placed[index] = read[at]
    return [placed[index] for index in range(len(listed))]


def each_object(listed: list[Json], read: Callable[[Object], Any]) -> list[Any]:
    """Read every element as `each` does; each must be an object."""
    done: list[Any] = []
    try:
        for one in listed:
            if not isinstance(one, dict):
                break
            done.append(read(one))
        else:
            return done
    except Refusal:
        if ONLY_WHETHER.get():
            raise
    return each(range(len(listed)), lambda index: read(an_object(listed, index)))


def rest(holder: Object, known: Known) -> Object | None:
    """Return the members that have no IR field and are not null, or None if there are none."""
    if known.issuperset(holder):
        return None
    return {key: value for key, value in holder.items() if key not in known and value is not None} or None


def tagged(items: list[Json], key: str, readers: Mapping[str, Callable[[Object], T]]) -> list[T] | None:
    """Read objects by the value of their `key`, or return None if one is no object, has no known value, or is refused.

    Nearly every payload is read this way; the caller reads the others again, one by one, to report what is wrong.
    """
    found: list[T] = []
    try:
        for item in items:
            found.append(readers[item[key]](item))  # noqa: PERF401 - most lists hold one; a comprehension is a call more
    except (KeyError, TypeError, Refusal):
        return None
    return found


def extra_fields(holder: Object, known: Known, *, nested: Mapping[str, Any] = NOTHING) -> ir.Extra | None:
    """Return the members of `holder` without an IR field, with those of `nested` objects, or None if there are none."""
    if nested:
        nested = {key: inner.fields for key, inner in nested.items() if inner is not None and inner.fields}
    if nested or (not known.issuperset(holder) and unmapped(holder, known)):
        return ir.Extra.of((holder, known, nested))
    return None


def kept(holder: Object, known: Known) -> ir.Extra | None:
    """Return the members of `holder` without an IR field, or None; shorter than `extra_fields`, as most nodes nest
    nothing."""
    if known.issuperset(holder) or not unmapped(holder, known):
        return None
    return ir.Extra.of((holder, known, NOTHING))


def unmapped(holder: Object, known: Known) -> bool:
    """Return whether any member has a value and no IR field; for objects with members other than the known ones."""
    for key, value in holder.items():  # noqa: SIM110 - a generator is a call more
        if value is not None and key not in known:
            return True
    return False


def keep(node: Any, key: str, value: Json) -> None:
    """Keep one more member for the source's own protocol."""
    node.extra = node.extra or ir.Extra()
    if node.extra.fields is None:
        node.extra.fields = {}
    node.extra.fields[key] = value  # in place: a payload may have any number of them


def keep_telling(ending: Terminal, key: str, words: Container[str]) -> Terminal:
    """Return an ending that keeps the source's word if it is one of those that say more than their reason (STS-3)."""
    if ending.raw is not None and ending.raw in words:
        keep(ending, key, ending.raw)
    return ending


def pick(table: Mapping[Any, T], holder: Object, key: str) -> T | None:
    """Return the table's value for a string member, or None if the member is missing or the table does not have it."""
    word = optional(holder, key, str)
    return None if word is None else table.get(word)


def known_word(holder: Object, key: str, table: Mapping[str, T]) -> T:
    """Return the table's value for a member, which must be one of the table's words (SHP-3)."""
    word = required(holder, key, str)
    if word not in table:
        raise wrong(holder, key, "one of " + ", ".join(table), "SHP-3")
    return table[word]


def tag(holder: Object, default: str | None = None) -> str:
    """Return an object's `type`."""
    value = holder.get("type", default)
    if type(value) is str:
        return value
    raise missing(holder, "type") if value is None else wrong(holder, "type", "a string")


def read_or_keep(protocol: str, payload: Object, status: int | None, read: Callable[[], Error]) -> Error:
    """Return the error that `read` returns, or if it is refused an error with the whole body as its message.

    A prompt that is too long is recognised by its message, whatever category the protocol states (ERR-7).
    """
    try:
        found = read()
        found.category = refined(found.category, found.message)
        return found
    except Refusal as refusal:
        plain = _only_a_text(protocol, payload, status)
        if plain is not None:
            return plain
        try:
            return kept_whole(protocol, payload, status)
        except (TypeError, ValueError):
            raise refusal from None
        except RecursionError:
            raise Refusal("SHP-7", payload, NO_STACK) from None


def from_array(protocol: str, body: list[Json], status: int | None, read: Callable[[Object], Error]) -> Error:
    """Return the error that `read` returns for the only element of an array, or one with the body as its message."""
    if len(body) == 1 and isinstance(body[0], dict):
        return read(Unwrapped(body))
    try:
        return kept_whole(protocol, body, status)
    except RecursionError:
        raise Refusal("SHP-7", body, NO_STACK) from None
    except (TypeError, ValueError) as error:
        raise Refusal("SHP-1", None, str(error)) from None


def _only_a_text(protocol: str, payload: Object, status: int | None) -> Error | None:
    """Return the error of a body that is one text: of Bedrock (`message`), FastAPI (`detail`), small servers
    (`error`), and of proxies that write OpenAI's form for every client (`error.message`)."""
    found: Json = payload
    for keys in ((*PLAIN, "error"), PLAIN):  # of the body, and of an object in it
        stated = {key: value for key, value in found.items() if value is not None}
        found = next(iter(stated.values())) if len(stated) == 1 and stated.keys() <= {*keys} else None
        if isinstance(found, str):
            category = refined(by_status(status), found)
            return Error(protocol, category, found, status=status, verbatim=True, src=payload)
        if not isinstance(found, dict):
            return None
    return None


# --- unmapped ---------------------------------------------------------------------------------------------------------
# Members of a stream's events that have no place in the IR (LOS-3).


def unmapped_members(
    event: Object,
    known: Known,
    index: int = 0,
    about: str = "Event",
    *,
    more: Mapping[str, Json] = NOTHING,
    **nested: ir.Extra | None,
) -> list[events.Event]:
    """Return an event for the members of an event, or of an object in it, that have no IR field.

    `nested` has the same of objects inside, `more` other members to keep; VENDOR_FIELDS lists them under `about`.
    """
    extra = extra_fields(event, known, nested=nested)
    added = {key: value for key, value in more.items() if value is not None} if more else None
    if added:
        extra = ir.Extra({**((extra.fields if extra is not None else None) or {}), **added})
    return [] if extra is None else [events.UnmappedFields(about, extra, index, event)]


# --- schemas ----------------------------------------------------------------------------------------------------------
# Reads JSON schemas with Google's type names, which are in capitals, as standard JSON Schema.
#
# Clients that build their tools with Google's SDK send them so to any server. Rule: only the type of the schema itself
# or of its first property is looked at, so that other schemas cost nothing.


def json_schema(schema: Object) -> Object:
    """Return the schema itself, or, if it is Google's, the equivalent JSON Schema."""
    if _in_capitals(schema):
        return normalised(schema, respelled)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for first in properties.values():
            return normalised(schema, respelled) if _in_capitals(first) else schema
    return schema


def _in_capitals(schema: Any) -> bool:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return isinstance(kind, str) and kind in LOWER


def respelled(schema: Object, names: dict[str, str]) -> Object:
    """Return an empty copy of a schema, in which renamed members keep their places."""
    for name, other in names.items():
        if schema.get(name) is not None:
            raise Refusal("SHP-4", (schema, other), f"`{name}` and `{other}` are two names of one member")
    return Respelled({}, schema, names)


# --- call ids ---------------------------------------------------------------------------------------------------------
# Ids for the tool calls of protocols that have none: a frontend generates them, so that every other protocol has some.
#
# Rule 1: the same payload gets the same ids. Rule 2: an id depends on what is before its call and on nothing after it,
# so that a call keeps its id when the conversation goes on. Rule 3: no result is given to a call by guessing.


def response_call_id(response_id: str, number: int) -> str:
    """Return the id of call `number`, from 0, of a response or stream; ids of responses differ, so these do."""
    return f"call_{response_id}_{number}"


def mark_cut_off(turn: ir.Turn, ending: Terminal) -> None:
    """Mark a last call without input as incomplete if the response was cut off, as its stream would show (TUL-29)."""
    last = turn.parts[-1] if turn.parts and ending.reason in CUT_OFF else None
    if type(last) is ir.FunctionCall and last.arguments == {}:
        last.arguments = ""


def generate_call_ids(turns: Sequence[ir.Turn]) -> list[ir.ToolResult]:
    """Give ids to the calls of a request that have none, `call_<turn>_<part>`, and to the results that answer them.

    A result without a call id ("") answers the first call of the assistant's turns before it that has its name and no
    result yet; a result without a name answers the first of all. One that answers no call stays as it is (TUL-3).
    Returns the results that got an id.
    """
    given: list[ir.ToolResult] = []
    waiting = _Waiting()
    answered = False
    for at, turn in enumerate(turns):
        if turn.role is ir.ASSISTANT and answered:  # its calls are new ones
            waiting, answered = _Waiting(), False
        for number, part in enumerate(turn.parts):
            if type(part) is ir.FunctionCall:
                if part.id is None:
                    part.id = f"call_{at}_{number}"
                waiting.calls.append((part.id, part.name))
                waiting.answered.discard(part.id)
            elif type(part) is ir.ToolResult:
                answered = True
                if not part.call_id:
                    part.call_id = waiting.first(part.name or None)
                    if part.call_id:
                        given.append(part)
                waiting.answered.add(part.call_id)
    return given


class _Waiting:
    """Calls that wait for a result, in order; they are indexed by name only when a result asks for it."""

    __slots__ = ("_queues", "_sorted", "answered", "calls")

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []  # ids and names
        self.answered: set[str] = set()
        self._sorted = 0  # how many of the calls
        self._queues: defaultdict[str | None, deque[str]] = defaultdict(deque)  # None: calls of any name

    def first(self, name: str | None) -> str:
        """Return the id of the first call of this name without a result, or "" if there is none."""
        for identity, called in self.calls[self._sorted :]:
            self._queues[called].append(identity)
            self._queues[None].append(identity)
        self._sorted = len(self.calls)
        queue = self._queues[name]
        while queue:
            identity = queue.popleft()
            if identity not in self.answered:
                return identity
        return ""


# --- part sequence ----------------------------------------------------------------------------------------------------
# The parts of a stream whose events have whole parts or pieces of text, and nothing for where parts begin and end.


class PartSequence:
    """Numbers, opens and closes the parts of one candidate in the order in which they come.

    Text and reasoning extend the open part of their class; everything else is a part of its own: whole by `add`, or in
    pieces by `begin` and `grow`. `calls` counts the calls among them, whose arguments are JSON text, as in all streams
    of the IR.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._count = -1
        self._open: type | None = None  # the class of the part with the last index

    def add(self, part: ir.Part) -> list[events.Event]:
        """Return the events of a piece of text or reasoning, or of any other part as a whole."""
        if isinstance(part, (ir.Text, ir.Reasoning)):
            if type(part) is self._open:
                return [events.PartGrew(self._count, part.text)] if part.text else []
            return self.begin(part)
        return [*self.begin(part), *self.close()]

    def begin(self, part: ir.Part) -> list[events.Event]:
        """Open a part of which more comes; the next part, or `close`, ends it."""
        closed = self.close()
        self.calls += isinstance(part, (ir.FunctionCall, ir.CustomCall))
        self._count += 1
        self._open = type(part)
        return [*closed, events.PartOpened(self._count, part)]

    def grow(self, cls: type, text: str, src: Object) -> list[events.Event]:
        """Append to the open part, which must be of this class, as to the arguments of a call (STR-9)."""
        if self._open is not cls:
            open_ = "none" if self._open is None else self._open.__name__
            raise Refusal("STR-9", src, f"expected an open {cls.__name__}, found {open_}")
        return [events.PartGrew(self._count, text)] if text else []

    def close(self) -> list[events.Event]:
        """Close the open part, if there is one."""
        closed, self._open = self._open, None
        return [] if closed is None else [events.PartClosed(self._count)]


class Signatures:
    """Signatures of a stream's open blocks that come in several deltas, with the object that had the last (STR-28)."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[str, Any]] = {}

    def add(self, index: int, text: str, src: Any) -> str:
        """Return the signature so far; a piece that repeats all of it replaces it."""
        before = self._found[index][0] if index in self._found else ""
        whole = text if text.startswith(before) else before + text
        self._found[index] = (whole, src)
        return whole

    def take(self, index: int) -> tuple[str, Any] | None:
        """Return the complete signature of a block that has ended, and the object that had its last piece."""
        return self._found.pop(index, None)


# --- client tools -----------------------------------------------------------------------------------------------------

TYPED_TOOL = frozenset({"type", "name", "cache_control", "display_width_px", "display_height_px", "strict"})


def typed_tool(tool: Object, kind: str, cache: Cache | None = None) -> ir.ClientTool:
    """Return a tool of Anthropic's that the client runs, with the function that it is for other vendors (TUL-34)."""
    form = client_tools.ANTHROPIC[kind]
    description = form.description
    if "display_width_px" in tool:
        description += f" The screen has {tool['display_width_px']} x {tool.get('display_height_px')} pixels."
    strict = optional(tool, "strict", bool)
    function = ir.FunctionTool(required(tool, "name", str), description, form.schema(), strict, cache, tool)
    function.extra = extra_fields(tool, TYPED_TOOL)
    return ir.ClientTool(kind, tool, function, None, tool)
