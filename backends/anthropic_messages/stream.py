"""A stream of the IR as Messages events (STR-3): blocks open, grow and close one by one; the ending waits for usage.

`Writer` writes the streams of other protocols, `Restorer` gives this protocol's own back (LOS-4).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import attrs

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CUT_OFF, StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.rules.conditions import flaw_of_arguments
from proxai_ir.streaming import events
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Json, Object, dumps, merge
from .conditions import generated_id
from .error import raise_error
from .parts import BUILD, citation, mcp_call
from .response import ending, raise_response, raise_usage

DELTA: dict[type, tuple[str, str]] = {
    parts.Text: ("text_delta", "text"),
    parts.Refusal: ("text_delta", "text"),
    parts.Audio: ("text_delta", "text"),
    parts.Reasoning: ("thinking_delta", "thinking"),
    parts.FunctionCall: ("input_json_delta", "partial_json"),
    parts.McpCall: ("input_json_delta", "partial_json"),
    parts.WebSearchCall: ("input_json_delta", "partial_json"),
    parts.CodeCall: ("input_json_delta", "partial_json"),
}
"""The delta that the text of a part arrives in: its type, and its member that holds the text."""
NO_DELTA = ("", "")


def message_start(response: Response, options: Mapping[str, Any]) -> Object:
    """The response as it is before its content: without parts and ending."""
    empty = copy(response)
    empty.candidates = [Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN))]
    message = raise_response(empty, options)
    message["stop_reason"] = None
    return {"type": "message_start", "message": message}


def block_start(part: Any) -> tuple[Object, str]:
    """A block as it is before its text, and the text that came with it."""
    if isinstance(part, parts.FunctionCall):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}, _arguments(part)
    if isinstance(part, parts.McpCall):
        return mcp_call(attrs.evolve(part, arguments={})), _arguments(part)
    if isinstance(part, parts.Audio):
        return {"type": "text", "text": ""}, part.transcript or ""
    block = BUILD[type(part)](part)
    if isinstance(part, parts.WebSearchCall):
        given, block["input"] = block["input"], {}
        return block, dumps(given, (part, "queries")) if given else ""
    if isinstance(part, parts.CodeCall):
        given, block["input"] = block["input"], {}
        return block, dumps(given, (part, "code"))
    _, member = DELTA.get(type(part), NO_DELTA)
    text: str = block.get(member, "")
    if text:
        block[member] = ""
    return block, text


def _arguments(call: parts.FunctionCall | parts.McpCall) -> str:
    given = call.arguments
    return given if type(given) is str else dumps(given, (call, "arguments")) if given else ""


class Writer:
    """The events of another protocol's stream. A block is open from `opened` to `closed`.

    part, delta  of the open block: the part, and the type and member of its deltas
    text         the text of the open block so far, where it is needed again: arguments, and the wording of refusals
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._id = ""
        self._index = -1
        self._part: Any = None
        self._delta = NO_DELTA
        self._text: list[str] | None = None
        self._wording: list[str] = []  # of all refusals
        self._broken: list[tuple[Any, Refusal]] = []  # calls whose arguments are no object
        self._ending: Object = {}

    def started(self, response: Response) -> list[Json]:
        """Usage is required and mostly unknown by now; the option `input_tokens` is the caller's estimate."""
        self._id = response.id or ""
        known = copy(response)
        known.usage = response.usage or Usage(input=self._options["input_tokens"], output=0)
        start = message_start(known, self._options)
        start["message"]["usage"] = {"input_tokens": 0, "output_tokens": 0} | start["message"]["usage"]
        return [start]

    def opened(self, part: Any) -> list[Json]:
        self._part = part
        self._delta = DELTA.get(type(part), NO_DELTA)
        self._index += 1
        block, text = block_start(part)
        if isinstance(part, CALLS):
            self._text = []
            if part.id is None:
                block["id"] = generated_id(self._id, self._index)
        else:
            self._text = self._wording if isinstance(part, parts.Refusal) else None
        start = {"type": "content_block_start", "index": self._index, "content_block": block}
        return [start, *self.grew(text)] if text else [start]

    def grew(self, text: str) -> list[Json]:
        if self._text is not None:
            self._text.append(text)
        kind, member = self._delta
        return [{"type": "content_block_delta", "index": self._index, "delta": {"type": kind, member: text}}]

    def sealed(self, seal: Seal) -> list[Json]:
        delta = {"type": "signature_delta", "signature": seal.data}
        return [{"type": "content_block_delta", "index": self._index, "delta": delta}]

    def cited(self, one: parts.Citation) -> list[Json]:  # noqa: ARG002
        return []  # no citation is legal here (CIT-1)

    def closed(self) -> list[Json]:
        if isinstance(self._part, CALLS):
            flaw = flaw_of_arguments("".join(self._text or ()))
            if flaw:
                self._broken.append((self._part, Refusal("TUL-1", self._part.src, flaw)))
        return [{"type": "content_block_stop", "index": self._index}]

    def cut_off(self) -> list[Json]:
        """Of a call that broke off before any arguments (TUL-29)."""
        self._broken.append((self._part, Refusal("TUL-1", self._part.src, "no arguments")))
        return [{"type": "content_block_stop", "index": self._index}]

    def scored(self, event: events.Scored) -> list[Json]:
        raise Refusal("STR-5", (event.src, "logprobs"), "log probabilities")

    def ended(self, candidate: Candidate) -> list[Json]:
        """Nothing yet: the ending comes with the final usage. A last call may break off where the response did."""
        for call, refusal in self._broken:
            if candidate.terminal.reason not in CUT_OFF or call is not self._part:
                raise refusal
        self._ending = ending(candidate.terminal, "".join(self._wording))
        return []

    def broken_off(self) -> tuple[Any, str] | None:
        return (self._broken[-1][0], "what there was of it has been sent") if self._broken else None

    def completed(self, usage: Usage | None) -> list[Json]:
        assert usage is not None  # the target requires one (USE-5)
        final = copy(usage)
        final.details = None  # only the start of a stream has cache writes by lifetime
        delta = {"type": "message_delta", "delta": self._ending, "usage": raise_usage(final)}
        return [delta, {"type": "message_stop"}]

    def failed(self, error: Error) -> list[Json]:
        return [raise_error(error, self._options)]


CALLS = (parts.FunctionCall, parts.McpCall)


BUFFERED = (events.PartGrew, events.PartExtended)
HOSTED = (parts.WebSearchCall, parts.CodeCall, parts.HostedCall)


class Restorer:
    """The events of this very protocol, each from the IR events that it was read as, or from that which keeps it."""

    def __init__(self) -> None:
        self._parts: dict[int, parts.Part] = {}

    def __call__(self, step: list[events.Event]) -> Json:
        built: Object = {}
        whole = None
        for event in step:
            if isinstance(event, events.UnmappedFields) and event.about == "Done":
                return wire.DONE
            if isinstance(event, events.UnmappedFields) and wire.WHOLE in event.extra.wire_forms:
                whole = event.extra.fields  # the last: those before it are of blocks that it has
            else:
                merge(built, self._members(event))
        return built if whole is None else whole

    def _members(self, event: events.Event) -> Object:
        """The members of the wire's event that one IR event maps to."""
        if isinstance(event, events.Started):
            start = message_start(event.response, {})
            del start["message"]["stop_reason"]
            extra = event.response.extra
            return start if extra is None else {**start, "message": merge(start["message"], extra.fields or {})}
        if isinstance(event, events.PartOpened):
            self._parts[event.index] = event.part
            block = BUILD[type(event.part)](event.part)
            return {"type": "content_block_start", "index": event.index, "content_block": block}
        if isinstance(event, events.PartClosed):
            return {"type": "content_block_stop", "index": event.index}
        if isinstance(event, events.Ended):
            return {"type": "message_delta", "delta": ending(event.terminal)}
        if isinstance(event, events.UsageReported):
            return {"type": "message_delta", "usage": raise_usage(event.usage)}
        if isinstance(event, events.Completed):
            return {"type": "message_stop"}
        if isinstance(event, events.Failed):
            failed: Object = raise_error(event.error, {})
            return failed
        if isinstance(event, events.UnmappedFields):
            return {} if event.about == "Response" else event.extra.fields or {}  # which the event has in its own form
        if isinstance(event, BUFFERED) and isinstance(self._parts[event.index], HOSTED):
            return {}  # their deltas are kept as they were
        return {"type": "content_block_delta", "index": event.index, "delta": self._delta(event)}  # type: ignore[union-attr]

    def _delta(self, event: Any) -> Object:
        if isinstance(event, events.PartSealed):
            return {"type": "signature_delta", "signature": event.seal.data}
        if isinstance(event, events.PartCited):
            return {"type": "citations_delta", "citation": citation(event.citation)}
        if isinstance(event, events.PartExtended):
            return {"type": wire.VENDOR_DELTA, **event.raw}
        kind, member = DELTA[type(self._parts[event.index])]
        return {"type": kind, member: event.text}
