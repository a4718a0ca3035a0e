"""A stream of the IR as events of ConverseStream: blocks follow each other, the metadata come last."""

from __future__ import annotations

from copy import copy
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response, Usage
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.targets.settings import Server
from proxai_ir.wire import bedrock_converse as wire

from .._lib.writing import SENT, BrokenCalls, Json, Object, dumps
from .write import CALL, METADATA, citation, ending, generated_id, raise_exception


class Writer(StreamWriter):
    """The events of a stream. A block is open from `opened` to `closed`.

    _part    the part of the open block
    _pieces  the arguments of the open call so far
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._response = Response(None, None, None, [])
        self._index = -1
        self._part: Any = None
        self._pieces: list[str] = []
        self._broken = BrokenCalls()

    def started(self, response: Response, /) -> list[Json]:
        self._response = response
        return [{"messageStart": {"role": "assistant"}}]

    def opened(self, part: Any, /) -> list[Json]:
        self._index += 1
        self._part, self._pieces = part, []
        if isinstance(part, ir.FunctionCall):
            begun = copy(part)
            begun.arguments, given = {}, part.arguments
            start = CALL.write(begun)["toolUse"]
            del start["input"]
            if part.id is None:
                start["toolUseId"] = generated_id(self._response.id, self._index)
            text = given if isinstance(given, str) else dumps(given, (part, "arguments")) if given else ""
            event = {"contentBlockStart": {"start": {"toolUse": start}, "contentBlockIndex": self._index}}
            return [event, *(self.grew(text) if text else [])]
        if isinstance(part, ir.Reasoning) and part.text is None and part.seal is not None:
            return self._delta({"reasoningContent": {"redactedContent": wire.blob_of(part.seal)}})
        made = self.grew(part.text or "") if part.text or type(part) is ir.Text else []
        if isinstance(part, ir.Reasoning) and part.seal is not None:
            return [*made, *self.sealed(part.seal)]
        return [*made, *(event for one in getattr(part, "citations", None) or () for event in self.cited(one))]

    def _delta(self, delta: Object) -> list[Json]:
        return [{"contentBlockDelta": {"delta": delta, "contentBlockIndex": self._index}}]

    def grew(self, text: str, /) -> list[Json]:
        if isinstance(self._part, ir.FunctionCall):
            self._pieces.append(text)
            return self._delta({"toolUse": {"input": text}})
        if isinstance(self._part, ir.Reasoning):
            return self._delta({"reasoningContent": {"text": text}})
        return self._delta({"text": text})

    def sealed(self, seal: Seal, /) -> list[Json]:
        return self._delta({"reasoningContent": {"signature": seal.data}})

    def cited(self, one: ir.Citation, /) -> list[Json]:
        return self._delta({"citation": citation(one)})

    def closed(self) -> list[Json]:
        if isinstance(self._part, ir.FunctionCall):
            self._broken.closed(self._part, "".join(self._pieces))
        return [{"contentBlockStop": {"contentBlockIndex": self._index}}]

    def cut_off(self) -> list[Json]:
        """End the block of a call without arguments, and note that the call broke off (TUL-29)."""
        self._broken.cut_off(self._part)
        return [{"contentBlockStop": {"contentBlockIndex": self._index}}]

    def ended(self, candidate: Candidate, /) -> list[Json]:
        self._broken.ended(candidate, self._part)
        return [{"messageStop": ending(candidate.terminal, self._response.protocol == wire.NAME)}]

    def broken_off(self) -> tuple[Any, str] | None:
        return self._broken.last(SENT)

    def completed(self, usage: Usage | None, /) -> list[Json]:
        whole = copy(self._response)
        whole.usage, whole.extra = usage, None
        return [{"metadata": METADATA.write(whole)}]

    def failed(self, error: Error, /) -> list[Json]:
        return [raise_exception(error, self._server)]
