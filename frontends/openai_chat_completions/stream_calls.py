"""The tool calls of a chunk stream.

Rule: the fragments of a call are joined by its `index`, and by its id where a server gives all calls the same index
(STR-8). A call ends with the finish reason, or when its arguments are whole and something else begins.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import orjson

from proxai_ir import ir
from proxai_ir.ir.stream import events
from proxai_ir.json.types import quoted
from proxai_ir.reporting.diagnostics import Refusal

from .._lib.reading import Object, an_object, extra_fields, json_text, keep, optional, reader, required, wrong
from .parts import call_extra, call_keys, names_function, unknown_call
from .reasoning import SignedParts, lost_signature, read_signature

read_fragment = reader(index=int, id=str, type=str, function=dict, custom=dict)

Head = tuple[Any, ...]
Call = ir.FunctionCall | ir.CustomCall | ir.UnknownPart
NO_HEADS: list[Head] = []
MOST_PARSES = 8
ARGUMENTS = {"function": "arguments", "custom": "input"}
"""The member with the arguments, by the member of a call that holds it."""
NAMELESS = "more of a call that has not begun: expected its name in the first fragment"


def read_heads(delta: Object) -> list[Head]:
    """Return the fragments of a delta, each with its members, before anything is taken in (ENV-15)."""
    listed = optional(delta, "tool_calls", list)
    if not listed:
        return NO_HEADS
    return [(an_object(listed, index), *read_fragment(listed[index])) for index in range(len(listed))]


def added(before: Object, more: Object) -> Object:
    """Return an object with a delta added, as official clients do it: texts in inner objects are joined."""
    made = {**before, **more}
    for name in before.keys() & more.keys():
        old, new = before[name], more[name]
        if isinstance(old, dict) and isinstance(new, dict):
            made[name] = {**added(old, new), **{key: old[key] + new[key] for key in _texts(old) & _texts(new)}}
    return made


def _texts(given: Object) -> set[str]:
    return {key for key, value in given.items() if isinstance(value, str)}


class _Pending:
    """A call that has no arguments yet: its name may come in pieces, or after its id.

    first, named  its first fragment, and the first one with a piece of its name
    """

    __slots__ = ("first", "index", "name", "named", "text")

    def __init__(self, first: Object, index: int | None) -> None:
        self.first, self.index = first, index
        self.named: Object | None = None
        self.name = ""
        self.text: list[str] = []

    def add(self, fragment: Object, name: str | None) -> None:
        """Take in a piece of the name; some servers repeat all of it."""
        if name and name != self.name:
            self.name += name
            self.named = self.named or fragment


class _Call:
    """A call that may still grow, with its arguments so far."""

    __slots__ = ("closed", "id", "index", "is_json", "key", "name", "parses_left", "raw", "renamed", "text")

    def __init__(self, key: Any, index: int, part: Call, text: str) -> None:
        self.key = key  # which joins its fragments
        self.index = index
        self.closed = False
        self.raw = part.raw if isinstance(part, ir.UnknownPart) else None  # of a call of a kind that is not known
        self.id: str | None = part.raw.get("id") if isinstance(part, ir.UnknownPart) else part.id
        self.name = "" if isinstance(part, ir.UnknownPart) else part.name
        self.renamed = False  # whether another id than its first has been named (STR-17)
        self.is_json = isinstance(part, ir.FunctionCall)
        self.text = [text]
        self.parses_left = MOST_PARSES

    def is_complete(self) -> bool:
        """Return whether the arguments are one complete JSON object, to which nothing can be added.

        Parsing costs their whole length, so that a call that others interrupt often waits for the finish reason.
        """
        if not self.parses_left or not self.text[-1].rstrip().endswith("}"):
            return False
        self.parses_left -= 1
        return self._is_object()

    def may_end(self) -> bool:
        """Return whether the call is complete without a finish reason: its arguments are an object, or the JSON text of
        one (STS-10, TUL-44)."""
        return self.closed or (self.is_json and self._is_object())

    def _is_object(self) -> bool:
        try:
            found = orjson.loads("".join(self.text))
            return isinstance(orjson.loads(found) if isinstance(found, str) else found, dict)
        except orjson.JSONDecodeError:
            return False

    def extended(self, fragment: Object) -> list[events.Event]:
        """Return the events for more of a call of an unknown kind, whose texts are joined."""
        more = {name: value for name, value in fragment.items() if name != "index" and value is not None}
        assert self.raw is not None
        self.raw = added(self.raw, more)
        whole = {name: self.raw[name] for name in more}
        return [
            events.UnmappedFields("Unknown", ir.Extra(more), self.index, fragment),
            events.PartExtended(self.index, whole),
        ]

    def take_fragment(self, key: int, fragments: Any) -> Any:
        """Return the text of fragments that only extend this call's arguments, else None."""
        (fragment,) = fragments
        function = fragment["function"]
        text = function["arguments"]
        if fragment["index"] != key or len(fragment) != 2 or len(function) != 1 or text.__class__ is not str:
            return None
        if text:
            self.text.append(text)
        return text


class Calls:
    """The calls of one candidate. `begin` closes what a new part interrupts, opens the part and returns its index.

    _calls    calls that may grow, by the key that joins their fragments
    _grown    those of them that have grown since something else began, by the index of their part
    _count    the number of calls so far
    _pending  calls that have not begun, by the same key; _beginning is whether one of them begins now
    """

    def __init__(self, begin: Callable[[ir.Part, list[events.Event]], int]) -> None:
        self._begin = begin
        self._calls: dict[Any, _Call] = {}
        self._grown: dict[int, _Call] = {}
        self._count = 0
        self._pending: dict[Any, _Pending] = {}
        self._beginning = self._any_unknown = False
        self._signed_parts = SignedParts()

    def growth_of(self, index: int) -> tuple[str, Callable[[Any], Any]] | None:
        """Return the delta's member that this call grows by, and the function that gets its text, for the fast path."""
        call = self._grown.get(index)
        if call is None or call.closed or call.raw is not None or not isinstance(call.key, int):
            return None
        return "tool_calls", partial(call.take_fragment, call.key)

    def interrupt(self, out: list[events.Event]) -> None:
        """Begin a call that has its name, and close the calls whose arguments are complete: something else begins."""
        if not self._beginning:
            self._begin_named(out)
        for call in self._grown.values():
            if call.is_complete():
                call.closed = True
                call.text.clear()
                out.append(events.PartClosed(call.index))
        self._grown.clear()

    def may_end(self) -> bool:
        return not self._pending and all(call.may_end() for call in self._calls.values())

    def finish(self, out: list[events.Event]) -> None:
        self._begin_named(out)
        for begun in self._pending.values():
            raise Refusal("STR-9", begun.first, NAMELESS)
        out += [events.PartClosed(call.index) for call in self._calls.values() if not call.closed]
        self._calls.clear()

    def _opened(self, key: Any, part: Call, text: str, out: list[events.Event]) -> None:
        call = self._calls[key] = _Call(key, self._begin(part, out), part, text)
        self._grown[call.index] = call
        if isinstance(part, ir.FunctionCall) and part.seal is not None and isinstance(part.src, dict):
            self._signed_parts.note(call.index, part.seal, lost_signature("Fragment", call.index, part.src))

    # --- fragments ----------------------------------------------------------------------------------------------------

    def read(self, heads: list[Head], out: list[events.Event]) -> None:
        for head in heads:
            unknown = self._call_of(head[1], head[2], False, out)[1] if self._any_unknown else None
            if unknown is not None and unknown.raw is not None:  # to which all belongs (STR-27)
                out += unknown.extended(head[0])
            else:
                self._read(head, out)

    def _read(self, head: Head, out: list[events.Event]) -> None:
        """Read a fragment of a call: it begins one, is kept until the name of its call is known, or extends one.

        What it brings besides a name, more arguments or a signature, shows that the name is complete.
        """
        fragment, index, identity, kind, function, custom = head
        is_custom = kind == "custom" or (kind is None and custom is not None)
        holder, inner = ("custom", custom or {}) if is_custom else ("function", function or {})
        name, text = optional(inner, "name", str), _argued(inner, ARGUMENTS[holder])
        key, call = self._call_of(index, identity, bool(name), out)
        if call is None:
            if is_custom or not self._waits(key, index, fragment, name, text):
                self._begin_named(out)
                self._new_call(key, index, fragment, inner, out)
                return
            begun = self._pending[key]
            more = text or (not name and read_signature(fragment) is not None)
            if not (more and begun.name) or begun.first is fragment:
                self._begin_named(out, besides=key)
                begun.text += (text,) if text else ()
                out += _other_members(begun, fragment, inner)
                return
            call, name = self._begin_pending(key, out), None
        self._check_same(call, fragment, inner, name, identity, out)
        self._extend(call, fragment, inner, holder, text, out)

    def _check_same(
        self,
        call: _Call,
        fragment: Object,
        inner: Object,
        name: str | None,
        identity: str | None,
        out: list[events.Event],
    ) -> None:
        """Refuse another name for a call that has begun; report another id, once."""
        if name and name != call.name:
            raise wrong(inner, "name", f"{quoted(call.name)}, the name of the call", "STR-9")
        if identity and identity != call.id:
            if not call.renamed:
                out.append(events.UnmappedFields("Fragment id", ir.Extra({"id": identity}), call.index, fragment))
            call.renamed = True

    def _extend(
        self, call: _Call, fragment: Object, inner: Object, holder: str, text: str | None, out: list[events.Event]
    ) -> None:
        """Extend a call that has begun; `holder`: the member of the fragment that holds `inner`."""
        member = ARGUMENTS[holder]
        if call.closed and text and not text.isspace():
            raise wrong(inner, member, "no more text: the call was closed with complete arguments", "STR-9")
        known = set[str]()
        if text is not None and not call.closed:
            if text:
                call.text.append(text)
                self._grown[call.index] = call
            out.append(events.PartGrew(call.index, text))
            known.add(member)
        signed = None if call.closed else read_signature(fragment)
        if signed is not None:
            lost = lost_signature("Fragment", call.index, fragment)
            out += self._signed_parts.note(call.index, signed.seal, lost)
            out.append(events.PartSealed(call.index, signed.seal, fragment))
        members = signed.members if signed is not None else {}
        nested = {holder: extra_fields(inner, known), **members}
        read = {"index", "function", "custom", *members}
        more = extra_fields(fragment, read, nested=nested)
        if more is not None:
            out.append(events.UnmappedFields("Fragment", more, call.index, fragment))

    def _call_of(
        self, index: int | None, identity: str | None, named: bool, out: list[events.Event]
    ) -> tuple[Any, Any]:
        """Return the key of a fragment's call, and the call if it has begun."""
        key: Any = index
        if index is None:
            key = identity or next(reversed(self._pending or self._calls), None)
        begun = self._pending.get(key)
        if begun is not None and begun.name and named and identity and identity != (begun.first.get("id") or identity):
            self._begin_pending(key, out)  # another one with its index
        call = self._calls.get(key)
        if call is not None and identity and call.id and identity != call.id:
            own = self._calls.get((key, identity))
            if not named and own is None:
                if any(
                    isinstance(one, tuple) and one[0] == key for one in self._calls
                ):  # it may be any of them (STR-17)
                    detail = f"expected the id {quoted(call.id)} of the call, found {quoted(identity)}"
                    raise Refusal("STR-9", None, detail)
                return key, call
            return (key, identity), own
        return key, call

    def _waits(self, key: Any, index: int | None, fragment: Object, name: str | None, text: str | None) -> bool:
        """Return whether a call waits for its arguments, or for its name if it has its id."""
        begun = self._pending.get(key)
        if begun is None:
            if (fragment.get("type") or "function") != "function" or (bool(text) if name else not fragment.get("id")):
                return False
            begun = self._pending[key] = _Pending(fragment, index)
        begun.add(fragment, name)
        return True

    def _begin_named(self, out: list[events.Event], besides: Any = None) -> None:
        for key in [key for key, begun in self._pending.items() if begun.name and key != besides]:
            self._begin_pending(key, out)

    def _begin_pending(self, key: Any, out: list[events.Event]) -> _Call:
        begun, self._beginning = self._pending.pop(key), True
        fragment = begun.named or begun.first
        inner = optional(fragment, "function", dict) or {}
        self._begin_function(key, begun.index, fragment, inner, begun.name, "".join(begun.text), begun.first, out)
        self._beginning = False
        return self._calls[key]

    def _new_call(self, key: Any, index: int | None, fragment: Object, inner: Object, out: list[events.Event]) -> None:
        kind = "function" if names_function(fragment) else fragment["type"]
        if kind not in ("function", "custom"):
            unknown = unknown_call({name: value for name, value in fragment.items() if name != "index"})
            unknown.src = fragment
            self._count += 1
            self._any_unknown = True
            self._opened(key, unknown, "", out)
            return
        name = optional(inner, "name", str)
        if name is None:
            raise Refusal("STR-9", fragment, NAMELESS)
        if kind == "function":
            text = _argued(inner, "arguments") or ""
            self._begin_function(key, index, fragment, inner, name, text, fragment, out)
            return
        text = optional(inner, "input", str) or ""
        part = ir.CustomCall(required(fragment, "id", str), name, text, fragment)
        custom = extra_fields(inner, {"name", "input"})
        part.extra = call_extra(part, fragment, {"index", "id", "type", "custom"}, nested={"custom": custom})
        self._counted(key, index, part, text, out)

    def _begin_function(
        self,
        key: Any,
        index: int | None,
        fragment: Object,
        inner: Object,
        name: str,
        text: str,
        first: Object,
        out: list[events.Event],
    ) -> None:
        """Begin a call; `fragment` has the name, and `first` the id if the name came later."""
        identity = optional(fragment, "id", str) or optional(first, "id", str) or None
        part = ir.FunctionCall(identity, name, text, None, fragment)
        function = extra_fields(inner, {"name", "arguments"})
        part.extra = call_extra(part, fragment, call_keys(fragment) | {"index"}, nested={"function": function})
        self._counted(key, index, part, text, out)

    def _counted(
        self, key: Any, index: int | None, part: ir.FunctionCall | ir.CustomCall, text: str, out: list[events.Event]
    ) -> None:
        if index != self._count:
            keep(part, "index", index)
        self._count += 1
        self._opened(key, part, text, out)

    def read_legacy(self, delta: Object, kept: Object, out: list[events.Event]) -> None:
        """Append the events of the single call without id in the legacy `function_call` (TUL-5)."""
        given = optional(delta, "function_call", dict)
        if not given:
            return
        if not any(given.values()):
            kept["function_call"] = given
            return
        name, text = optional(given, "name", str), optional(given, "arguments", str) or ""
        unknown = extra_fields(given, {"name", "arguments"})
        call = self._calls.get("legacy")
        if call is None:
            if name is None:
                raise Refusal("STR-9", given, "more of a call that has not begun: expected its name at first")
            part = ir.FunctionCall(None, name, text, None, given, unknown)
            self._opened("legacy", part, text, out)
        else:
            if name is not None:
                raise wrong(given, "name", "no second name of the function call", "STR-9")
            call.text.append(text)
            self._grown[call.index] = call
            out.append(events.PartGrew(call.index, text))
            if unknown is not None:
                out.append(events.UnmappedFields("Fragment", unknown, call.index, given))


def _other_members(begun: _Pending, fragment: Object, inner: Object) -> list[events.Event]:
    """Return the other members of a fragment of a call that has not begun; those of the one with its name go to the
    call."""
    beside = None
    if begun.named is not fragment:
        nested = {"function": extra_fields(inner, {"name", "arguments"})}
        beside = extra_fields(fragment, {"index", "id", "type", "function"}, nested=nested)
    if beside is None and fragment is not begun.named and fragment is not begun.first:  # the call points at these
        return []
    return [events.UnmappedFields("Fragment", beside or ir.Extra(), 0, fragment)]


def _argued(inner: Object, member: str) -> str | None:
    """Return a piece of the arguments; some servers send all of them as an object."""
    return json_text(inner, member) if isinstance(inner.get(member), dict) else optional(inner, member, str)
