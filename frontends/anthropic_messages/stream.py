"""Reads the events of a stream of Anthropic Messages, one at a time: the frame of the response, and its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.error import stands_for_error
from proxai_ir.ir.response import CUT_OFF, END, REFUSAL, StopReason, Terminal
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamReader
from proxai_ir.json.pointer import Respelled
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import anthropic_messages as wire

from .._lib.reading import Json, Object, Signatures, extra_fields, json_or_text, optional, required, rest, tag, wrong
from .parts import ASSISTANT, block, citation, hosted_call, read_code, read_query
from .response import KNOWN, lower_error, lower_response, older_refusal, read_usage, terminal

# --- stream parts -----------------------------------------------------------------------------------------------------
# The blocks of a Messages stream as parts: how they start, what they grow by, how they stop.

INPUT = ("input_json_delta", "partial_json")
GROWS: dict[type, tuple[str, str]] = {
    ir.Text: ("text_delta", "text"),
    ir.Reasoning: ("thinking_delta", "thinking"),
    ir.FunctionCall: INPUT,
    ir.McpCall: INPUT,
}
"""The delta that a part's text grows by, and the delta's member that holds the text."""
DELTAS = wire.DELTAS | {kind for kind, _ in GROWS.values()}

CALLS = (ir.FunctionCall, ir.McpCall)
TEXTS = (ir.Text, ir.Reasoning)
EMPTY: dict[str, Object] = {"text": {"text": ""}, "tool_use": {"input": {}}, "thinking": {"thinking": ""}}
"""Members that some servers leave out of the start of a block, since the deltas have their text."""
RUN = (ir.WebSearchCall, ir.CodeCall)  # by the provider, with an input that is read when it is complete
NOTHING: list[events.Event] = []


class Blocks:
    """The blocks of a stream, while they are open.

    `grows` has for each open block the type of delta that its text grows by, and the delta's member with the text. A
    call that may be an older model's refusal (REF-10) is held until the ending shows what it is, and one that opens a
    page until its URL is complete.
    """

    def __init__(self) -> None:
        self._input: dict[int, list[str]] = {}  # of open calls that need it complete
        self._held: dict[int, tuple[ir.FunctionCall, list[str]]] = {}
        self._opening: dict[int, ir.HostedCall] = {}  # pages
        self._open: dict[int, ir.Part] = {}
        self._signatures = Signatures()
        self.grows: dict[int, tuple[str, str]] = {}

    def start(self, event: Object) -> list[events.Event]:
        index = number(event)
        part = _part_at_start(event)
        if isinstance(part, CALLS):
            part.arguments = part.arguments or ""
        self._open[index] = part
        unmapped = unmapped_fields(event, {"type", "index", "content_block"}, index=index)
        self.grows[index] = ("", "")
        if isinstance(part, ir.FunctionCall) and part.name == wire.OLDER_REFUSAL:
            self._held[index] = (part, [])
            return unmapped
        if isinstance(part, ir.HostedCall) and part.kind == wire.WEB_FETCH:
            self._opening[index] = part
            return unmapped
        if not isinstance(part, CALLS) or part.arguments == "":  # some servers send all of it at once
            self.grows[index] = GROWS.get(type(part), ("", ""))
        return [events.PartOpened(index, part), *unmapped]

    def delta(self, event: Object) -> list[events.Event]:
        index, delta = number(event), required(event, "delta", dict)
        part = self._open.get(index)
        if part is None:
            raise wrong(event, "index", "the index of an open block", "STR-9")
        kind, member = self.grows[index]
        if index in self._held and tag(delta) == INPUT[0]:
            self._held[index][1].append(required(delta, INPUT[1], str))
            return unmapped_input(event, index, delta)
        if tag(delta) != kind:
            return self._other_delta(event, index, delta, part)
        more = unmapped_fields(
            event, {"type", "index", "delta"}, index=index, delta=extra_fields(delta, {"type", member})
        )
        return [events.PartGrew(index, required(delta, member, str)), *more]

    def _whole_input(self, event: Object | None, index: int, part: ir.Part | None) -> list[events.Event]:
        """Return the input of a call that the provider runs, when it is complete."""
        text = "".join(self._input.pop(index))
        given = json_or_text(text)
        if isinstance(part, ir.HostedCall):
            return [events.PartExtended(index, {"input": given})]
        if not text.strip():
            return []
        input_text, others = read_code(given, part.language) if isinstance(part, ir.CodeCall) else read_query(given)
        begun = _input_at_start(part)
        if input_text is not None and begun is not None and input_text != begun:
            raise Refusal("STR-9", event, "the deltas of this call give another input than its start")
        emitted: list[events.Event] = (
            [] if input_text is None or begun is not None else [events.PartGrew(index, input_text)]
        )
        if others is not None:
            emitted.append(events.UnmappedFields(type(part).__name__, ir.Extra({"input": others.fields}), index, event))
        return emitted

    def _page(self, index: int) -> list[events.Event]:
        """Return a call that opens a page, when its input is complete."""
        begun = self._opening.pop(index)
        given = json_or_text("".join(self._input.pop(index, ())))
        made: ir.Part = ir.HostedCall(begun.kind, begun.id, {**begun.raw, "input": given}, begun.src)
        if isinstance(given, dict):
            made = hosted_call({**begun.raw, "input": given})
            made.src = begun.src
        return [events.PartOpened(index, made), events.PartClosed(index)]

    def _other_delta(self, event: Object, index: int, delta: Object, part: ir.Part) -> list[events.Event]:
        kind = tag(delta)
        if isinstance(part, ir.UnknownPart):  # all deltas belong to it (STR-27)
            return [events.UnmappedFields("Unknown", ir.Extra(rest(event, {"type", "index"})), index, event)]
        if kind == INPUT[0] and isinstance(part, (*RUN, ir.HostedCall)):
            self._input.setdefault(index, []).append(required(delta, INPUT[1], str))
            return unmapped_input(event, index, delta)
        if kind == INPUT[0] and isinstance(part, CALLS) and delta.get(INPUT[1]) == "":  # all of it came at the start
            return unmapped_input(event, index, delta)
        if kind == "signature_delta" and isinstance(part, ir.Reasoning):
            whole = self._signatures.add(index, required(delta, "signature", str), delta)
            seal = read_seal(whole, wire.PROVIDER, "signature")
            inner = extra_fields(delta, {"type", "signature"})
            emitted: events.Event = events.PartSealed(index, seal, delta)
        elif kind == "citations_delta" and isinstance(part, ir.Text):
            required(delta, "citation", dict)
            emitted = events.PartCited(index, citation(delta, "citation"))
            inner = extra_fields(delta, {"type", "citation"})
        elif kind == wire.VENDOR_DELTA and isinstance(part, ir.VendorPart):
            emitted, inner = events.PartExtended(index, {key: delta[key] for key in delta if key != "type"}), None
        elif kind in DELTAS:
            raise wrong(delta, "type", f"a delta type for the open block ({type(part).__name__})", "STR-9")
        else:
            return [events.UnmappedFields("Unknown", ir.Extra(event), index, event)]
        return [emitted, *unmapped_fields(event, {"type", "index", "delta"}, index=index, delta=inner)]

    def stop(self, event: Object) -> list[events.Event]:
        index = number(event)
        return [*self._stopped(index, event), *unmapped_fields(event, {"type", "index"}, index=index)]

    def _stopped(self, index: int, event: Object | None) -> list[events.Event]:
        part = self._open.pop(index, None)
        self.grows.pop(index, None)
        if index in self._held:
            return []
        if index in self._opening:
            return self._page(index)
        emitted = self._whole_input(event, index, part) if index in self._input else NOTHING
        return [*emitted, events.PartClosed(index)]

    def given(self, blocks: list[Object]) -> list[events.Event]:
        """Return the blocks that the start of a message already has, as after a pause for a client's tool."""
        emitted: list[events.Event] = []
        for index, one in enumerate(blocks):
            event = {"index": index, "content_block": one}
            emitted += [*self.start(event), *self._stopped(index, event)]
        return emitted

    def texts_over(self) -> list[events.Event]:
        """Close the texts that no event stopped, in a message that is complete."""
        left = [index for index, part in self._open.items() if isinstance(part, TEXTS)]
        return [event for index in left for event in self._stopped(index, None)]

    def cut_off(self) -> list[events.Event]:
        """Close the blocks that are open when the response ends."""
        return [event for index in list(self._open) for event in self._stopped(index, None)]

    def released(self, ending: Terminal, src: Object) -> list[events.Event]:
        """Return the calls that were held; in a response that ended naturally they are refusals, and so is the
        ending."""
        emitted: list[events.Event] = [one for index in list(self._opening) for one in self._page(index)]
        natural = ending.reason is END
        for index, (call, pieces) in self._held.items():
            made: ir.Part = call
            call.arguments, begun, call.src = _arguments(call.arguments, pieces), call.src, src
            if natural and isinstance(call.arguments, dict):
                made = older_refusal(call, {**begun, "input": call.arguments})
                ending.reason = REFUSAL
            emitted += [events.PartOpened(index, made), events.PartClosed(index)]
        self._held.clear()
        return emitted


def _part_at_start(event: Object) -> ir.Part:
    """Return the part that a block starts as; some servers leave out its empty members."""
    given = required(event, "content_block", dict)
    whole = {**EMPTY.get(tag(given), {}), **given}
    if len(whole) == len(given):
        return block(event, "content_block", ASSISTANT)
    part = block({"content_block": whole}, "content_block", ASSISTANT)
    part.src = given
    return part


def _input_at_start(part: ir.Part | None) -> str | None:
    """Return the input that the start of a call already has; some servers repeat it in the deltas."""
    if isinstance(part, ir.CodeCall):
        return part.code or None
    return part.queries[0] if isinstance(part, ir.WebSearchCall) and part.queries else None


def _arguments(begun: str | Object, pieces: list[str]) -> str | Object:
    """Return the arguments of a held call, as text if they are no object."""
    text = "".join(pieces)
    if not isinstance(begun, str) or not text.strip():
        return begun or {}
    try:
        given = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return given if isinstance(given, dict) else text


def number(event: Object) -> int:
    index = required(event, "index", int)
    if index < 0:
        raise wrong(event, "index", "a block index of at least 0", "SHP-3")
    return index


def unmapped_input(event: Object, index: int, delta: Object) -> list[events.Event]:
    inner = extra_fields(delta, {"type", INPUT[1]})
    return unmapped_fields(event, {"type", "index", "delta"}, index=index, delta=inner)


def unmapped_fields(
    event: Object, known: set[str], *, index: int = 0, delta: ir.Extra | None = None
) -> list[events.Event]:
    """Return the members of an event, and of its delta, that have no IR field."""
    if delta is None and len(event) <= len(known) and event.keys() <= known:
        return []
    kept = extra_fields(event, known, nested={"delta": delta})
    return [] if kept is None else [events.UnmappedFields("Event", kept, index, event)]


# --- stream -----------------------------------------------------------------------------------------------------------
# A stream of Messages events into the IR: the message and its end.
#
# Events are checked one by one here; the stream grammar judges their order (STR-9).

METRICS = "amazon-bedrock-invocationMetrics"  # of a stream's last event, on AWS
METRICS_OF = {
    "cache_read_input_tokens": "cacheReadInputTokenCount",
    "cache_creation_input_tokens": "cacheWriteInputTokenCount",
}
"""The members of usage that only these metrics have. Their other counts may differ from the stream's own."""
ENDING: frozenset[str] = frozenset({"stop_reason", "stop_sequence", "stop_details"})


class Reader(StreamReader):
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._kept = bool(options.get("own_response"))  # whether to report what only its own response has
        self._over = self._failed = False
        self._ending: Terminal | None = None  # of a message that was complete when it started
        self._ended = False
        self._last: Object | None = None  # the last delta of the message
        self._blocks = blocks = Blocks()
        self._grows = blocks.grows
        self._read: dict[str, Callable[[Object], list[events.Event]]] = {
            "message_start": self._start,
            "content_block_start": blocks.start,
            "content_block_delta": blocks.delta,
            "content_block_stop": blocks.stop,
            "message_delta": self._delta,
            "message_stop": self._stop,
            "ping": lambda event: [events.UnmappedFields("Ping", ir.Extra(event), src=event)],
            "error": self._error,
        }

    def text_delta(self, event: Json, part: int) -> str | None:
        """Return the text of an event that only extends this part's text, as most do, else None."""
        try:
            delta = event["delta"]
            kind, member = self._grows[part]
            text = delta[member]
            if (
                delta["type"] == kind
                and event["index"] == part
                and event["type"] == "content_block_delta"
                and len(delta) == 2
                and len(event) == 3
                and text.__class__ is str
            ):
                return text
        except (KeyError, TypeError):
            pass
        return None

    def feed(self, event: Json) -> list[events.Event]:
        try:
            read = self._read[event["type"]]
        except (KeyError, TypeError):
            read = self._unusual
        return read(event)

    def close(self) -> list[events.Event]:
        return []  # only message_stop ends a stream (STR-2)

    def _unusual(self, event: Json) -> list[events.Event]:
        """Read an error, the end of a stream or an event of unknown type, which is kept; refuse what is no event."""
        if event == wire.DONE and self._ended and not self._over:  # in place of message_stop
            return self._stop({})
        if not isinstance(event, dict):
            raise Refusal("SHP-1", None, f"expected an object as the event, found {type(event).__name__}")
        if event.get("type") is None and stands_for_error(event):
            return self._error(event)
        kind = tag(event)
        if kind in self._read:
            return self._read[kind](event)
        return [events.UnmappedFields("Unknown", ir.Extra(event), src=event)]

    # --- the message --------------------------------------------------------------------------------------------------

    def _start(self, event: Object) -> list[events.Event]:
        message = required(event, "message", dict)
        if "content" not in message:  # still empty
            message = Respelled({**message, "content": []}, message, {})
        response = lower_response(message)
        ending, response.candidates = response.candidates[0].terminal, []
        blocks, apart = message["content"] or [], ENDING  # `message_delta` has how it ended
        if blocks and message.get("stop_reason") is not None:  # the message is complete already
            self._ending, apart = ending, frozenset()
        if any(message.get(key) is not None for key in apart):
            response.extra = extra_fields(message, KNOWN - apart)
        return [events.Started(response), *unmapped_fields(event, {"type", "message"}), *self._blocks.given(blocks)]

    def _delta(self, event: Object) -> list[events.Event]:
        delta = self._last = required(event, "delta", dict)
        emitted: list[events.Event] = []
        usage = optional(event, "usage", dict)
        counted = [] if usage is None else [events.UsageReported(read_usage(usage))]
        if delta.get("stop_reason") is not None:
            ending, begun = terminal(delta, delta), self._ending
            if begun is not None and begun.raw != ending.raw:
                raise Refusal("STR-9", (delta, "stop_reason"), "another stop reason than at the start")
            self._ending = None
            emitted += [*(self._blocks.texts_over() if ending.reason not in CUT_OFF else ()), *self._end(ending, delta)]
        emitted += counted
        known = ENDING if delta.get("stop_reason") is not None else frozenset()
        if self._kept:
            late_members = {**(rest(delta, ENDING) or {}), **(rest(event, {"type", "delta", "usage"}) or {})}
            emitted += [events.UnmappedFields("Response", ir.Extra(late_members))] if late_members else []
        return [*emitted, *unmapped_fields(event, {"type", "delta", "usage"}, delta=extra_fields(delta, known))]

    def _stop(self, event: Object) -> list[events.Event]:
        if self._failed:  # some servers end a failed stream, too
            return [events.UnmappedFields("Repeated", ir.Extra(event), src=event)]
        self._over = True
        last = [*_counted(event), events.Completed()]
        if self._ending is None and self._ended:
            return last
        ending = self._ending or terminal({}, event if self._last is None else self._last)  # none came (STS-10)
        return [*self._end(ending, ending.src), *last]

    def _end(self, ending: Terminal, src: Object) -> list[events.Event]:
        self._ended = True
        cut_off = [] if ending.reason not in CUT_OFF else self._blocks.cut_off()
        refused = ending.reason is StopReason.REFUSAL
        return [*cut_off, *self._blocks.released(ending, src), events.Ended(ending, 0, refused)]

    def _error(self, event: Object) -> list[events.Event]:
        self._over = self._failed = True
        return [events.Failed(lower_error(event))]


def _counted(event: Object) -> list[events.Event]:
    """Return the usage of the last event, which AWS states under its own names (STR-29), and its other members."""
    usage, metrics = optional(event, "usage", dict), optional(event, METRICS, dict)
    if metrics is None and usage is None:
        return unmapped_fields(event, {"type"})
    found: list[events.Event] = []
    named = {ours: theirs for ours, theirs in METRICS_OF.items() if (metrics or {}).get(theirs) is not None}
    if metrics and named:
        counts = {ours: metrics[theirs] for ours, theirs in named.items()}
        found.append(events.UsageReported(read_usage(Respelled(counts, metrics, named))))
    if usage is not None:
        found.append(events.UsageReported(read_usage(usage)))
    left = extra_fields(metrics or {}, frozenset(named.values()))
    kept = extra_fields(event, {"type", "usage", METRICS}, nested={METRICS: left})
    return found if kept is None else [*found, events.UnmappedFields("Event", kept, 0, event)]
