"""A stream of the IR as Messages events (STR-3): blocks open, grow and close one by one; the ending waits for usage.

`Writer` speaks for other protocols' streams, `Restorer` gives this protocol's own streams back (LOS-4).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import attrs
import orjson

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import CUT_OFF, StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.streaming import events
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import Json, Object, dumps, merge
from .error import raise_error
from .parts import BUILD, citation, mcp_call
from .response import ending, generated_id, own_ending, raise_response, raise_usage

GROWS: dict[type, tuple[str, str]] = {
    parts.Text: ("text_delta", "text"),
    parts.Refusal: ("text_delta", "text"),
    parts.Audio: ("text_delta", "text"),
    parts.Reasoning: ("thinking_delta", "thinking"),
    parts.FunctionCall: ("input_json_delta", "partial_json"),
    parts.McpCall: ("input_json_delta", "partial_json"),
    parts.WebSearchCall: ("input_json_delta", "partial_json"),
}


def start_of(part: Any) -> tuple[Object, str]:
    """A block as it is before its text, and the text that has come with it."""
    if isinstance(part, parts.FunctionCall):
        block: Object = {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}
        return block, _so_far(part)
    if isinstance(part, parts.McpCall):
        return mcp_call(attrs.evolve(part, arguments={}), False), _so_far(part)
    if isinstance(part, parts.Audio):
        return {"type": "text", "text": ""}, part.transcript or ""
    block = BUILD[type(part)](part, False)
    if isinstance(part, parts.WebSearchCall):
        given, block["input"] = block["input"], {}
        return block, dumps(given, (part, "queries")) if given else ""
    _, member = GROWS.get(type(part), ("", ""))
    text: str = block.get(member, "")
    if text:
        block[member] = ""
    return block, text


def _so_far(call: parts.FunctionCall | parts.McpCall) -> str:
    given = call.arguments
    return given if type(given) is str else dumps(given, (call, "arguments")) if given else ""


class Writer:
    """`input_tokens`: what the caller thinks the input is; the start of the stream tells it before anyone knows."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._id = ""
        self._index = -1
        self._kind = self._member = ""
        self._part: Any = None
        self._text: list[str] | None = None  # of the open part, where it is needed once more
        self._wording: list[str] = []
        self._broken: list[tuple[Any, str]] = []
        self._ending: Object = {}

    def started(self, response: Response) -> list[Json]:
        self._id = response.id or ""
        shell = Response(response.protocol, response.id, response.model, [])
        shell.candidates.append(Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN)))
        shell.tier, shell.fast = response.tier, response.fast
        shell.usage = response.usage or Usage(input=self._options["input_tokens"], output=0)
        message = raise_response(shell, False, self._options)
        message["stop_reason"] = None
        return [{"type": "message_start", "message": message}]

    def opened(self, part: Any) -> list[Json]:
        self._part = part
        self._index += 1
        self._kind, self._member = GROWS.get(type(part), ("", ""))
        block, text = start_of(part)
        if isinstance(part, parts.McpCall):
            self._text = []
        elif isinstance(part, parts.FunctionCall):
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
        delta = {"type": self._kind, self._member: text}
        return [{"type": "content_block_delta", "index": self._index, "delta": delta}]

    def sealed(self, seal: Seal) -> list[Json]:
        return [self._delta({"type": "signature_delta", "signature": seal.data})]

    def cited(self, one: parts.Citation) -> list[Json]:
        return [self._delta({"type": "citations_delta", "citation": citation(one, False)})]

    def _delta(self, delta: Object) -> Object:
        return {"type": "content_block_delta", "index": self._index, "delta": delta}

    def closed(self) -> list[Json]:
        part = self._part
        if isinstance(part, (parts.FunctionCall, parts.McpCall)) and self._text is not None:
            wrong = not_an_object("".join(self._text))
            if wrong:
                self._broken.append((part, wrong))
        return [{"type": "content_block_stop", "index": self._index}]

    def scored(self, event: events.Scored) -> list[Json]:
        raise Refusal("STR-5", (event.src, "logprobs"), "log probabilities")

    def ended(self, candidate: Candidate) -> list[Json]:
        """Nothing yet: the ending is told together with the final usage. Broken arguments are those of a cut-off."""
        if self._broken and candidate.terminal.reason not in CUT_OFF:
            part, wrong = self._broken[0]
            raise Refusal("TUL-1", part.src, wrong)
        self._ending = ending(candidate.terminal, candidate.calls, "".join(self._wording))
        return []

    def completed(self, usage: Usage | None) -> list[Json]:
        final = copy(usage) if usage is not None else Usage()
        final.details = None  # only the start of a stream has cache writes by lifetime
        delta = {"type": "message_delta", "delta": self._ending, "usage": raise_usage(final, False)}
        return [delta, {"type": "message_stop"}]

    def failed(self, error: Error) -> list[Json]:
        return [raise_error(error, False, self._options)]


def not_an_object(text: str) -> str:
    """What is wrong with the arguments of a call, if anything is (TUL-1)."""
    try:
        value = orjson.loads(text) if text.strip() else {}
    except orjson.JSONDecodeError as error:
        return f"not JSON: {error}"
    return "" if isinstance(value, dict) else f"found {value!r:.60}"


BUFFERED = (events.PartGrew, events.PartExtended)
HOSTED = (parts.WebSearchCall, parts.HostedCall)


class Restorer:
    def __init__(self) -> None:
        self._parts: dict[int, parts.Part] = {}

    def __call__(self, step: list[events.Event]) -> Json:
        built: Object = {}
        for event in step:
            if isinstance(event, events.UnmappedFields) and event.about == "Done":
                return wire.DONE
            merge(built, self._said(event))
        return built

    def _said(self, event: events.Event) -> Object:
        """The members of the wire's event that one IR event stands for."""
        if isinstance(event, events.Started):
            return {"type": "message_start", "message": self._message(event.response)}
        if isinstance(event, events.PartOpened):
            self._parts[event.index] = event.part
            block = BUILD[type(event.part)](event.part, True)
            return {"type": "content_block_start", "index": event.index, "content_block": block}
        if isinstance(event, events.PartClosed):
            return {"type": "content_block_stop", "index": event.index}
        if isinstance(event, events.Ended):
            return {"type": "message_delta", "delta": own_ending(event.terminal)}
        if isinstance(event, events.UsageReported):
            return {"type": "message_delta", "usage": raise_usage(event.usage, True)}
        if isinstance(event, events.Completed):
            return {"type": "message_stop"}
        if isinstance(event, events.Failed):
            failed: Object = raise_error(event.error, True, {})
            return failed
        if isinstance(event, events.UnmappedFields):
            return event.extra.fields or {}
        if isinstance(event, BUFFERED) and isinstance(self._parts[event.index], HOSTED):
            return {}  # their deltas are kept as they were
        return {"type": "content_block_delta", "index": event.index, "delta": self._delta(event)}  # type: ignore[union-attr]

    def _message(self, response: Response) -> Object:
        shell = Response(response.protocol, response.id, response.model, [], response.usage)
        shell.tier, shell.fast, shell.extra = response.tier, response.fast, response.extra
        shell.candidates.append(Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN)))
        return raise_response(shell, True, {})

    def _delta(self, event: Any) -> Object:
        if isinstance(event, events.PartSealed):
            return {"type": "signature_delta", "signature": event.seal.data}
        if isinstance(event, events.PartCited):
            return {"type": "citations_delta", "citation": citation(event.citation, True)}
        if isinstance(event, events.PartExtended):
            return {"type": wire.VENDOR_DELTA, **event.raw}
        kind, member = GROWS[type(self._parts[event.index])]
        return {"type": kind, member: event.text}
