"""The parts of a candidate of a stream: texts that grow, calls whose arguments come one by one, and whole parts.

The arguments of a call may come in pieces, each with the place of a value in them (`partialArgs`); the call is read
when it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from attrs import define, field

from proxai_ir import ir
from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events
from proxai_ir.ir.terminal import END, StopReason, Terminal
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire.gemini_generate_content_structure import SHAPES

from .._lib.reading import Json, Object, each_object, extra_fields, number, optional, required, wrong
from .grounding import cite, opened, searched
from .ids import CallIds
from .parts import compact, data_of, read_part, signature_alone
from .response import fit

TEXTS = (ir.Text, ir.Reasoning)
TEXT_MEMBERS = frozenset({"text", "thought", "thoughtSignature"})
ARGUMENTS = frozenset({"args", "partialArgs", "willContinue"})
CALL_KEYS = ARGUMENTS | {"name", "id"}


@define
class PartialCall:
    """A call that is not whole yet.

    first   the part that began it
    part    its members: those of that part, and a signature that came later
    call    the members of its call, without the arguments
    args    the arguments so far that came as they are
    pieces  those that came in pieces
    """

    first: Object
    part: Object
    call: Object
    args: Object = field(factory=dict)
    pieces: Object = field(factory=dict)

    def add(self, given: Object, call: Object) -> Object:
        """Take one more piece in; returns its members that the call has no place for."""
        for key in ("name", "id"):
            value = optional(call, key, str)
            if value and self.call.get(key) in (None, ""):
                self.call[key] = value
            elif value and self.call[key] != value:
                raise Refusal("STR-9", (call, key), "a new call, while the arguments of the last one are not complete")
        if signed := optional(given, "thoughtSignature", str):
            self.part.setdefault("thoughtSignature", signed)
        inner = {key: call[key] for key in call if key not in CALL_KEYS and call[key] != self.call.get(key)}
        left = {key: given[key] for key in given if key != "functionCall" and given[key] != self.part.get(key)}
        return {**left, "functionCall": inner} if inner else left

    def add_arguments(self, call: Object) -> list[tuple[Object, Extra]]:
        """Those of a piece; a value that came before is not replaced. Returns what is not known of its values."""
        for key, value in (optional(call, "args", dict) or {}).items():
            if self.args.setdefault(key, value) != value:
                raise Refusal("SHP-4", (call, "args", key), NO_FIT)
        placed = each_object(optional(call, "partialArgs", list) or [], partial(_put, self.pieces))
        return [(value, unknown) for value in placed if (unknown := extra_fields(value, VALUE_KEYS)) is not None]

    def whole(self) -> Object:
        """The call as a part that has it all; a value that came both ways has to be the same."""
        for key, value in self.args.items():
            if self.pieces.setdefault(key, value) != value:
                raise Refusal("SHP-4", (self.first, "functionCall"), NO_FIT)
        return {**self.part, "functionCall": {**self.call, "args": self.pieces}}


@define
class CandidateParts:
    """One candidate so far.

    indices  of parts in the stream, which all candidates take from
    open     the index of the text that is open, -1 where none is; `kind` is its class, None where no text joins it
    texts    all texts that sources may be of: by the number of the part its index and its pieces
    pieces   those of the last part, if that is such a text
    sources  the last of what it rests on
    classes  of its parts
    ending   the last finish reason; `continued` whether it has been named that more follows one
    """

    number: int
    ids: CallIds
    indices: Iterator[int]
    count: int = 0
    open: int = -1
    kind: type | None = None
    texts: dict[int, tuple[int, list[str]]] = field(factory=dict)
    pieces: list[str] | None = None
    sources: Object = field(factory=dict)
    classes: set[type] = field(factory=set)
    calling: PartialCall | None = None
    ending: Terminal | None = None
    blank: bool = True  # whether the open text has no text so far
    continued: bool = False

    def add(self, text: str) -> None:
        """More of the last part, if that is text."""
        self.blank = self.blank and not text
        if self.pieces is not None:
            self.pieces.append(text)

    def part(self, given: Object) -> list[events.Event]:
        call = given.get("functionCall")
        if isinstance(call, dict) and (call.get("partialArgs") or call.get("willContinue") or self.calling is not None):
            return self._piece(given, call)
        part = read_part(given)
        if not isinstance(part, TEXTS) or not TEXT_MEMBERS.issuperset(given):
            return self._whole(part)
        text, seal = part.text or "", part.seal
        part.seal = None
        found: list[events.Event]
        alone = seal is not None and not text and self.blank  # nothing that it could be the signature of
        if self.kind is type(part) and not alone:
            found = [events.PartGrew(self.open, text)] if text else []
        elif not text and seal is None:  # the last chunk often has an empty text
            return self.closed()  # as in the IR, where it is a part between two others
        else:
            found = self.closed()
            if seal is not None and not text and type(part) is ir.Text:  # of what stands with it (RSN-28)
                part = signature_alone(seal, given)
                index = self._next(part)
                return [*found, events.PartOpened(index, part, self.number), events.PartClosed(index)]
            self.open, self.kind, part.extra, self.blank = self._next(part), type(part), None, True
            found.append(events.PartOpened(self.open, part, self.number))
        self.add(text)
        if seal is not None:
            found.append(events.PartSealed(self.open, seal, given))
            self.kind = None
        return found

    def _whole(self, part: ir.Part) -> list[events.Event]:
        """A part that comes as a whole; the arguments of a call are text in streams."""
        found = self.closed()
        self.ids.give(part)
        index = self._next(part)
        found.append(events.PartOpened(index, part, self.number))
        if isinstance(part, ir.FunctionCall):
            arguments, part.arguments = compact({"args": part.arguments}, "args"), ""
            found.append(events.PartGrew(index, arguments))
        if isinstance(part, ir.Text):
            self.add(part.text)
        return [*found, events.PartClosed(index)]

    def _piece(self, given: Object, call: Object) -> list[events.Event]:
        """A piece of a call; the last one makes it whole."""
        data_of(given)  # refuses data of another kind in the same part
        found: list[events.Event] = []
        if self.calling is None:
            required(call, "name", str)
            known = {key: call[key] for key in call if key not in ARGUMENTS}
            self.calling = PartialCall(given, dict(given), known)
        elif left := self.calling.add(given, call):
            found.append(events.UnmappedFields("FunctionCall", Extra(left), self.number, given))
        begun = self.calling
        for value, extra in begun.add_arguments(call):
            found.append(events.UnmappedFields("PartialArg", extra, self.number, value))
        if optional(call, "willContinue", bool):
            return found
        self.calling = None
        return [*found, *self._call(begun)]

    def _call(self, begun: PartialCall) -> list[events.Event]:
        made = read_part(begun.whole())
        made.src = begun.first
        return self._whole(made)

    def check_whole(self, reason: StopReason) -> None:
        """A response that ends of itself does not do so within a call."""
        if self.calling is not None and reason is END:
            begun, self.calling = self.calling, None
            detail = "the arguments of this call are not complete; expected a last piece without `willContinue`"
            raise Refusal("STR-9", begun.first, detail)

    def unfinished(self, reason: StopReason) -> list[events.Event]:
        """The call that the response breaks off in, the text of its arguments without their end (TUL-29)."""
        self.check_whole(reason)
        begun, self.calling = self.calling, None
        if begun is None:
            return []
        *before, grew, closed = self._call(begun)
        assert isinstance(grew, events.PartGrew)
        return [*before, events.PartGrew(grew.index, grew.text[:-1]), closed]

    def not_last(self) -> list[events.Event]:
        """More follows the finish reason, if there has been one."""
        if self.ending is None or self.continued:
            return []
        self.continued = True
        return [events.UnmappedFields("Ending", Extra({"finishReason": self.ending.raw}), self.number, self.ending.src)]

    def end(self) -> list[events.Event]:
        """Nothing more comes: the last finish reason counts."""
        ending = self.ending
        assert ending is not None
        broken_off = self.unfinished(ending.reason)
        fit(ending, ir.FunctionCall in self.classes)
        cited = self.cited()
        return [*cited, *self.closed(), *broken_off, *self.searched(), events.Ended(ending, self.number)]

    def _next(self, part: ir.Part) -> int:
        """The index of a new part."""
        index = next(self.indices)
        self.classes.add(type(part))
        self.pieces = [] if isinstance(part, ir.Text) else None
        if self.pieces is not None:
            self.texts[self.count] = (index, self.pieces)
        self.count += 1
        return index

    def closed(self) -> list[events.Event]:
        """The text that was open is over."""
        if self.open < 0:
            return []
        index, self.open, self.kind = self.open, -1, None
        return [events.PartClosed(index)]

    def cited(self) -> list[events.Event]:
        """What the texts rest on."""
        texts = [(at, "".join(pieces)) for at, (_, pieces) in self.texts.items()]
        return [events.PartCited(self.texts[at][0], citation) for at, citation in cite(self.sources, texts)]

    def searched(self) -> list[events.Event]:
        """The search that the candidate reports apart from its content."""
        found: list[events.Event] = []
        search = [] if ir.WebSearchCall in self.classes else searched(self.sources, self.ids.search)
        for part in [*opened(self.sources, self.ids.search), *search]:
            index = self._next(part)
            found += [events.PartOpened(index, part, self.number), events.PartClosed(index)]
        return found


# --- arguments in pieces ----------------------------------------------------------------------------------------------

VALUE_KEYS = SHAPES["PartialArg"].known
NO_FIT = "the pieces of these arguments do not fit together"
STEP = re.compile(r"\.([^.\[\]]+)|\[([0-9]{1,4})\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")


def _put(arguments: Object, piece: Object) -> Object:
    """Put a value where a piece wants it; more of a string is added to what is there. Returns the piece."""
    path = required(piece, "jsonPath", str)
    keys = _keys(piece, path)
    key, value = _value(piece)
    holder: Json = arguments
    for at, then in pairwise(keys):
        holder = _within(piece, holder, at, {} if isinstance(then, str) else [])
    before = _within(piece, holder, keys[-1], value)
    if key == "stringValue" and isinstance(before, str) and before is not value:
        holder[keys[-1]] = before + value
    return piece


def _value(piece: Object) -> tuple[str, Json]:
    """The value of a piece, and the member that has it; none is null."""
    text, truth = optional(piece, "stringValue", str), optional(piece, "boolValue", bool)
    values: Object = {"stringValue": text, "boolValue": truth, "numberValue": number(piece, "numberValue")}
    found = [(key, value) for key, value in values.items() if value is not None]
    if len(found) + (piece.get("nullValue") is not None) > 1:
        raise Refusal("SHP-4", piece, "expected one value, found several")
    return found[0] if found else ("nullValue", None)


def _keys(piece: Object, path: str) -> list[str | int]:
    keys: list[str | int] = []
    at = 1
    while path.startswith("$") and at < len(path) and (step := STEP.match(path, at)) is not None:
        name, index, quoted, other = step.groups()
        keys.append(int(index) if index is not None else next(one for one in (name, quoted, other) if one is not None))
        at = step.end()
    if at != len(path) or not keys:
        raise wrong(piece, "jsonPath", "a path such as $.a.b[0]", "SHP-3")
    return keys


def _within(piece: Object, holder: Json, key: str | int, new: Json) -> Json:
    """What is at a key, put there if nothing is."""
    if isinstance(holder, dict) and isinstance(key, str):
        return holder.setdefault(key, new)
    if isinstance(holder, list) and isinstance(key, int) and key <= len(holder):
        if key == len(holder):
            holder.append(new)
        return holder[key]
    raise Refusal("SHP-4", (piece, "jsonPath"), NO_FIT)
