"""Reads the events of a stream of Converse, one at a time: the frame of the response, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import bedrock_converse as wire

from .._lib import reading as r
from .._lib.reading import Json, Object, Signatures, constant, extra_fields, optional, required, unmapped_members, wrong
from .parts import ASSISTANT, block, citation, hosted_call, may_run_there, one_of, redacted, says_run_there, signed
from .response import METADATA, lower_error, lower_exception, terminal

# --- stream parts -----------------------------------------------------------------------------------------------------
# The blocks of a ConverseStream as parts: how they start, what they grow by, how they stop.

Events = list[events.Event]
INDEX = "contentBlockIndex"


class Blocks:
    """The blocks of a stream.

    _open   the open parts, by the index of their blocks
    _whole  the blocks that are read when they are complete: what they hold so far, and the pieces of their input
    _unsure   those among them that are calls of a tool which the service may have run: where each began
    _waiting  such calls that are complete; the block after them is a result if the service ran them
    _cited    the citations of the blocks that have nothing else so far
    _whole_text  a text whose block has stopped: Nova cites behind it, in a block without text, so that it is closed
                 when something else follows
    over    whether the message has stopped; before that a block may stop that never had any text
    """

    def __init__(self) -> None:
        self._open: dict[int, Any] = {}
        self._whole: dict[int, tuple[Object, list[str]]] = {}
        self._unsure: dict[int, Object] = {}
        self._waiting: list[tuple[int, Object, Object, str]] = []
        self._cited: dict[int, list[Object]] = {}
        self._whole_text: int | None = None
        self._signatures = Signatures()
        self.over = False

    def left(self, event: Object) -> Events:
        """Close the blocks that no event stopped."""
        found = [closed for index in (*self._open, *self._whole, *self._cited) for closed in self._closed(index, event)]
        return [*found, *self.settled_text(), *self._settled()]

    def settled_text(self) -> Events:
        """Close the text that waited for what is cited behind it."""
        index, self._whole_text = self._whole_text, None
        return [] if index is None else [events.PartClosed(index)]

    def _settled(self, answered: Json = None) -> Events:
        """Return the calls that waited: the service's if the next block is the result of one of them, whose id is
        `answered`, else the client's."""
        waiting, self._waiting = self._waiting, []
        found = self.settled_text() if waiting else []
        hosted = answered is not None and any(call.get("toolUseId") == answered for _, _, call, _ in waiting)
        for index, start, call, text in waiting:
            if hosted:
                part = hosted_call({"toolUse": {**call, "input": r.json_or_text(text)}})
                part.src = start
            else:
                part = self._begun(start, call)
            grown = [events.PartGrew(index, text)] if text and not hosted else []
            found += [events.PartOpened(index, part), *grown, events.PartClosed(index)]
        return found

    def _begun(self, start: Object, call: Object) -> Any:
        """Return a call of the client's without its input."""
        part = block({"toolUse": {**call, "input": ""}}, ASSISTANT)
        part.src, part.arguments = start, ""
        return part

    def start(self, event: Object) -> Events:
        index, start = _index(event), required(event, "start", dict)
        kind = one_of(start, STARTED)
        given = optional(start, kind, dict) if kind else None
        more = unmapped_members(
            event, {INDEX, "start"}, index, start=extra_fields(start, STARTED if given is None else {kind})
        )
        if given is None:  # of a text, by some servers
            return more
        optional(given, "toolUseId", str)  # before it is held: facts are refused where they stand (ENV-15)
        if kind == "toolUse" and may_run_there(given):
            self._unsure[index], self._whole[index] = start, ({kind: given}, [])
            return more
        before = self._settled(given.get("toolUseId") if kind == "toolResult" else None)
        if kind != "toolUse" or says_run_there(given):
            self._whole[index] = ({kind: given}, [])
            return [*before, *more]
        return [*before, *self._opened(index, self._begun(start, given)), *more]

    def _opened(self, index: int, part: Any) -> Events:
        self._open[index] = part
        held = self._cited.pop(index, ())
        return [
            *self.settled_text(),
            events.PartOpened(index, part),
            *(events.PartCited(index, citation(one)) for one in held),
        ]

    def delta(self, event: Object) -> Events:
        index, delta = _index(event), required(event, "delta", dict)
        kind = one_of(delta, DELTAS)
        if kind not in DELTAS:
            return [events.UnmappedFields("Unknown", ir.Extra({"contentBlockDelta": event}), index, event)]
        held = self._whole.get(index)
        if held is not None and STARTED.isdisjoint(held[0]):  # of unknown type, to which all belongs (STR-27)
            return [events.UnmappedFields("Unknown", ir.Extra({"contentBlockDelta": event}), index, event)]
        found = self._grown(index, delta, kind) if held is None else self._more(index, delta, kind)
        return [*found, *unmapped_members(event, {INDEX, "delta"}, index, delta=extra_fields(delta, {kind}))]

    def _more(self, index: int, delta: Object, kind: str) -> Events:
        """Take in more of a block that is read when it is complete."""
        held, pieces = self._whole[index]
        if kind not in held or kind == "reasoningContent":
            raise wrong(delta, kind, f"more of a block that began as {next(iter(held))}", "STR-9")
        if kind == "toolUse":
            inner = required(delta, kind, dict)
            pieces.append(required(inner, "input", str))
            return _inside(inner, {"input"}, index)
        if kind == "toolResult":
            content = [*held[kind].get("content", ()), *required(delta, kind, list)]
            held[kind] = {**held[kind], "content": content}
        else:
            held[kind] = {**held[kind], **required(delta, kind, dict)}
        return []

    def _grown(self, index: int, delta: Object, kind: str) -> Events:
        part = self._open.get(index)
        if part is None and self._waiting:
            return [*self._settled(), *self._grown(index, delta, kind)]
        if kind == "citation":
            cited = required(delta, kind, dict)
            if part is None:
                citation(cited)  # which is refused where it stands
                self._cited.setdefault(index, []).append(cited)
                return [events.UnmappedFields("Event", ir.Extra(), index, cited)]
            self._must_be(ir.Text, index, delta, kind)
            return [events.PartCited(index, citation(cited))]
        if kind == "reasoningContent":
            return self._thought(index, required(delta, kind, dict), part)
        if kind == "toolUse":
            self._must_be(ir.FunctionCall, index, delta, kind)
            inner = required(delta, kind, dict)
            return [events.PartGrew(index, required(inner, "input", str)), *_inside(inner, {"input"}, index)]
        if kind != "text":
            raise wrong(delta, kind, "a block that began before", "STR-9")
        text = required(delta, kind, str)
        if part is None:
            return self._opened(index, ir.Text(text, src=delta))
        self._must_be(ir.Text, index, delta, kind)
        return [events.PartGrew(index, text)]

    def _thought(self, index: int, inner: Object, part: Any) -> Events:
        """Return a piece of thinking; text and signature follow each other in one block."""
        kind = one_of(inner, THOUGHT)
        more = _inside(inner, THOUGHT & {kind}, index)
        if part is not None and (kind == "redactedContent" or not isinstance(part, ir.Reasoning)):
            raise wrong(inner, kind, "a block of its own", "STR-9")
        if kind == "redactedContent":
            seal = redacted(required(inner, kind, str))
            return [*self._opened(index, ir.Reasoning(None, seal, inner)), *more]
        text = required(inner, kind, str) if kind in THOUGHT else ""
        before = [] if part is not None else self._opened(index, ir.Reasoning("", src=inner))
        if kind == "signature":
            if text:
                self._signatures.add(index, text, inner)
            return [*before, events.UnmappedFields("Event", ir.Extra(), index, inner), *more]
        return [*before, events.PartGrew(index, text), *more]

    def _must_be(self, cls: type, index: int, delta: Object, kind: str) -> None:
        if not isinstance(self._open.get(index), cls):
            raise wrong(delta, kind, "a delta for the open block", "STR-9")

    def stop(self, event: Object) -> Events:
        index = _index(event)
        return [*self._closed(index, event), *unmapped_members(event, {INDEX}, index)]

    def _closed(self, index: int, event: Object) -> Events:
        held = self._whole.pop(index, None)
        if held is None:
            if index in self._cited:
                return self._cited_alone(index, event)
            there, sealed = self._open.pop(index, None), self._signatures.take(index)
            if isinstance(there, ir.Text) and sealed is None:
                self._whole_text = index
                return []
            seal = [] if sealed is None else [events.PartSealed(index, signed(sealed[0]), sealed[1])]
            return [] if there is None and not self.over else [*seal, events.PartClosed(index)]
        whole, pieces = held
        if index in self._unsure:
            self._waiting.append((index, self._unsure.pop(index), whole["toolUse"], "".join(pieces)))
            return []
        if "toolUse" in whole:
            whole["toolUse"] = {**whole["toolUse"], "input": r.json_or_text("".join(pieces))}
        part = block(whole, ASSISTANT)
        part.src = event
        return [*self.settled_text(), events.PartOpened(index, part), events.PartClosed(index)]

    def _cited_alone(self, index: int, event: Object) -> Events:
        """Return the citations of a block that has nothing else, as those of the text before it, or of an empty one."""
        if self._whole_text is None:
            opened = self._opened(index, ir.Text("", src=event))
            del self._open[index]
            return [*opened, events.PartClosed(index)]
        return [events.PartCited(self._whole_text, citation(one)) for one in self._cited.pop(index)]


STARTED = frozenset({"toolUse", "toolResult", "image", "audio"})
DELTAS = STARTED | {"text", "reasoningContent", "citation"}
THOUGHT = frozenset({"text", "signature", "redactedContent"})


def _index(event: Object) -> int:
    index: int = required(event, INDEX, int)
    if index < 0:
        raise wrong(event, INDEX, "a block index of at least 0", "SHP-3")
    return index


def _inside(holder: Object, known: set[str] | frozenset[str], index: int) -> Events:
    extra = extra_fields(holder, known)
    return [] if extra is None else [events.UnmappedFields("Event", ir.Extra({"delta": extra.fields}), index, holder)]


# --- stream -----------------------------------------------------------------------------------------------------------
# A ConverseStream into the IR: events are objects with one member, by their type.
#
# A text starts with its first delta, a call with an event of its own; other blocks are read when they are complete. The
# metadata usually come last, if they come (STR-2). The stream grammar judges the order of events (STR-9).

ERROR = "error"  # of the framing, for what the service does not model


class Reader(StreamReader):
    """One stream into the IR."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        _ = options  # none is about this protocol
        self._blocks = blocks = Blocks()
        self._ended = self._completed = False
        self._read: dict[str, Callable[[Object], Events]] = {
            "messageStart": self._start,
            "contentBlockStart": blocks.start,
            "contentBlockDelta": blocks.delta,
            "contentBlockStop": blocks.stop,
            "messageStop": self._stop,
            "metadata": self._metadata,
        }

    def feed(self, event: Any, /) -> Events:
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        other = sorted(key for key in event if isinstance(key, str) and key != wire.HEADERS)  # members have no order
        kind = next((key for key in other if key in self._read or key.endswith("Exception")), "".join(other[:1]))
        if kind in self._read:
            inner = required(event, kind, dict)
            return [*self._read[kind](inner), *unmapped_members(event, {kind, wire.HEADERS})]
        given = event.get(kind)
        if isinstance(given, dict) and (kind.endswith("Exception") or kind == ERROR):
            left = self._blocks.settled_text()
            return [*left, *unmapped_members(event, {kind, wire.HEADERS}), events.Failed(_failure(kind, given))]
        if stands_for_error(event):
            return [*self._blocks.settled_text(), events.Failed(lower_error(event))]
        return [events.UnmappedFields("Unknown", ir.Extra(event), src=event)]

    def close(self) -> Events:
        """Complete a stream whose message has stopped, with or without metadata."""
        return [events.Completed()] if self._ended and not self._completed else self._blocks.settled_text()

    # --- the message --------------------------------------------------------------------------------------------------

    def _start(self, event: Object) -> Events:
        constant(event, "role", "assistant")
        return [events.Started(ir.Response(wire.NAME, None, None, [], src=event)), *unmapped_members(event, {"role"})]

    def _stop(self, event: Object) -> Events:
        ending, shown = terminal(event)
        left = self._blocks.left(event)
        self._ended = self._blocks.over = True
        return [
            *left,
            events.Ended(ending),
            *unmapped_members(event, {"stopReason", wire.SHOWN}, more={wire.SHOWN: shown}),
        ]

    def _metadata(self, event: Object) -> Events:
        self._completed = self._ended  # else they come once more, or the end of the bytes completes the stream
        found: ir.Response = METADATA(event)
        late = {key: event[key] for key in LATE if event.get(key) is not None}
        usage: Events = [] if found.usage is None else [events.UsageReported(found.usage)]
        return [
            *usage,
            *unmapped_members(event, {"usage", *LATE}, more=late),
            *([events.Completed()] if self._ended else ()),
        ]


LATE = ("performanceConfig", "serviceTier")
"""Members of a response's envelope that are known only when a stream ends."""


def _failure(kind: str, given: Object) -> Any:
    """Return the error of a service's exception, or of the framing, which has the type in `code`."""
    if kind == ERROR and isinstance(given.get("code"), str):
        return lower_exception(given["code"], {key: value for key, value in given.items() if key != "code"})
    return lower_exception(kind, given)
