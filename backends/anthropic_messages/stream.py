"""A stream of the IR as Messages events (STR-3): blocks open, grow and close one by one; the ending waits for usage."""

from __future__ import annotations

from copy import copy
from typing import Any

import attrs

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate, Response, StopReason, Terminal, Usage
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.targets.settings import Server
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import SENT, BrokenCalls, Json, Object, dumps
from .rows import generated_id, nothing_found
from .write import BUILD, citation, ending, mcp_call, raise_error, raise_response, raise_usage, summary_block

DELTA: dict[type, tuple[str, str]] = {
    ir.Text: ("text_delta", "text"),
    ir.Refusal: ("text_delta", "text"),
    ir.Audio: ("text_delta", "text"),
    ir.Reasoning: ("thinking_delta", "thinking"),
    ir.FunctionCall: ("input_json_delta", "partial_json"),
    ir.McpCall: ("input_json_delta", "partial_json"),
    ir.WebSearchCall: ("input_json_delta", "partial_json"),
    ir.CodeCall: ("input_json_delta", "partial_json"),
}
"""The delta that the text of a part arrives in: its type, and its member that holds the text."""
NO_DELTA = ("", "")


def message_start(response: Response, server: Server) -> Object:
    """Return the response as it is before its content: without parts and ending."""
    empty = copy(response)
    empty.candidates = [Candidate([Turn(Role.ASSISTANT, [])], Terminal(StopReason.UNKNOWN))]
    message = raise_response(empty, server)
    message["stop_reason"] = None
    return {"type": "message_start", "message": message}


def block_start(part: Any) -> tuple[Object, str]:
    """Return a block as it is before its text, and the text that came with it."""
    if isinstance(part, ir.FunctionCall):
        return {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}, _arguments(part)
    if isinstance(part, ir.McpCall):
        return mcp_call(attrs.evolve(part, arguments={})), _arguments(part)
    if isinstance(part, ir.Audio):
        return {"type": "text", "text": ""}, part.transcript or ""
    block = BUILD[type(part)](part)
    if isinstance(part, ir.WebSearchCall):
        given, block["input"] = block["input"], {}
        return block, dumps(given, (part, "queries")) if given else ""
    if isinstance(part, ir.CodeCall):
        given, block["input"] = block["input"], {}
        return block, dumps(given, (part, "code"))
    _, member = DELTA.get(type(part), NO_DELTA)
    text: str = block.get(member, "")
    if text:
        block[member] = ""
    return block, text


def _arguments(call: ir.FunctionCall | ir.McpCall) -> str:
    given = call.arguments
    return given if type(given) is str else dumps(given, (call, "arguments")) if given else ""


class Writer(StreamWriter):
    """The events of a stream. A block is open from `opened` to `closed`.

    _part, _delta  of the open block: the part, and the type and member of its deltas
    _search        the last part, if that was a search
    _text          the text of the open block so far, where it is needed again: arguments, and the wording of refusals
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._id = ""
        self._index = -1
        self._part: Any = None
        self._delta = NO_DELTA
        self._text: list[str] | None = None
        self._wording: list[str] = []  # of all refusals
        self._own = False
        self._search: ir.WebSearchCall | None = None
        self._empty: set[str] = set()  # ids of searches that were answered with nothing found
        self._results: set[str | None] = set()  # ids of searches that have a result
        self._broken = BrokenCalls()
        self._ending: Object = {}
        self._details: Any = None  # of the usage, as the start had them

    def started(self, response: Response, /) -> list[Json]:
        """Return the start of the message.

        Usage is required there and mostly unknown by now; the option `input_tokens` is the caller's estimate.
        """
        self._id, self._own = response.id or "", response.protocol == wire.NAME
        known = copy(response)
        usage = known.usage = copy(response.usage) or Usage(input=self._server.input_tokens)
        usage.input, usage.output = usage.input or 0, usage.output or 0
        self._details = usage.details
        return [message_start(known, self._server)]

    def opened(self, part: Any, /) -> list[Json]:
        if isinstance(part, ir.WebSearchResult):
            self._results.add(part.call_id)
        answered = self._answered(part)
        self._part = part
        if isinstance(part, ir.WebSearchResult) and part.call_id in self._empty and not (part.hits or part.error):
            self._part = None  # the client has it already
            return answered
        self._delta = DELTA.get(type(part), NO_DELTA)
        self._index += 1
        if isinstance(part, ir.VendorPart) and part.kind == ir.SUMMARY:
            return [*answered, *self._summary(part.raw["text"])]
        block, text = block_start(part)
        if isinstance(part, CALLS):
            self._text = []
            if part.id is None:
                block["id"] = generated_id(self._id, self._index)
        else:
            self._text = self._wording if isinstance(part, ir.Refusal) else None
        start = {"type": "content_block_start", "index": self._index, "content_block": block}
        return [*answered, start, *self.grew(text)] if text else [*answered, start]

    def _summary(self, text: str) -> list[Json]:
        """Return the block of a summary, whose text comes in one delta."""
        delta = {"type": wire.VENDOR_DELTA, "content": text}
        return [
            {"type": "content_block_start", "index": self._index, "content_block": summary_block(None)},
            {"type": "content_block_delta", "index": self._index, "delta": delta},
        ]

    def _answered(self, after: Any = None) -> list[Json]:
        """Return the result of a search that has found nothing, where something else follows (TUL-66)."""
        search, self._search = self._search, after if isinstance(after, ir.WebSearchCall) else None
        if search is None or search.id in self._results:
            return []
        self._index += 1
        self._empty.add(search.id)
        start, _ = block_start(nothing_found(search))
        address = {"index": self._index}
        return [
            {"type": "content_block_start", **address, "content_block": start},
            {"type": "content_block_stop", **address},
        ]

    def grew(self, text: str, /) -> list[Json]:
        if self._text is not None:
            self._text.append(text)
        kind, member = self._delta
        return [{"type": "content_block_delta", "index": self._index, "delta": {"type": kind, member: text}}]

    def sealed(self, seal: Seal, /) -> list[Json]:
        delta = {"type": "signature_delta", "signature": seal.data}
        return [{"type": "content_block_delta", "index": self._index, "delta": delta}]

    def cited(self, one: ir.Citation, /) -> list[Json]:
        delta = {"type": "citations_delta", "citation": citation(one)}
        return [{"type": "content_block_delta", "index": self._index, "delta": delta}]

    def closed(self) -> list[Json]:
        if self._part is None:
            return []
        if isinstance(self._part, CALLS):
            self._broken.closed(self._part, "".join(self._text or ()))
        return [{"type": "content_block_stop", "index": self._index}]

    def cut_off(self) -> list[Json]:
        """End the block of a call without arguments, and note that the call broke off (TUL-29)."""
        self._broken.cut_off(self._part)
        return [{"type": "content_block_stop", "index": self._index}]

    def ended(self, candidate: Candidate, /) -> list[Json]:
        """Keep the ending, which comes with the final usage; answer a search that found nothing. A last call may break
        off."""
        self._broken.ended(candidate, self._part)
        self._ending = ending(candidate.terminal, None if self._own else "".join(self._wording), self._part)
        return self._answered()

    def broken_off(self) -> tuple[Any, str] | None:
        return self._broken.last(SENT)

    def unsent(self, usage: Usage, /) -> list[str]:
        return ["details"] if usage.details and usage.details != self._details else []

    def completed(self, usage: Usage | None, /) -> list[Json]:
        assert usage is not None  # the target requires one (USE-5)
        final = copy(usage)
        final.details = None  # only the start of a stream has cache writes by lifetime
        delta = {"type": "message_delta", "delta": self._ending, "usage": raise_usage(final)}
        return [delta, {"type": "message_stop"}]

    def failed(self, error: Error, /) -> list[Json]:
        return [raise_error(error, self._server)]


CALLS = (ir.FunctionCall, ir.McpCall)
