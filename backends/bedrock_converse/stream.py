"""A stream of the IR as events of ConverseStream: blocks grow and close one by one, `metadata` is last (STR-3)."""

from __future__ import annotations

from typing import Any

from proxai_ir.binding.server import Server
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.stream import events
from proxai_ir.ir.terminal import CUT_OFF
from proxai_ir.ir.usage import Usage
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.rules.conditions import flaw_of_arguments
from proxai_ir.wire import bedrock_converse as wire

from .._lib.writing import Json, Object, dumps
from .conditions import generated_id
from .error import exception, raise_error
from .parts import BUILD, citation, redacted
from .response import ending, metrics, raise_usage

INDEX = "contentBlockIndex"


class Writer:
    """The events of a stream. A block is open from `opened` to `closed`.

    part  the open one; for a call its arguments so far are in `text`
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._id = ""
        self._index = -1
        self._calls = 0
        self._part: Any = None
        self._text: list[str] = []
        self._broken: list[tuple[Any, Refusal]] = []  # calls whose arguments are no object

    def started(self, response: Response) -> list[Json]:
        self._id = response.id or ""
        return [{"messageStart": {"role": "assistant"}}]

    def _delta(self, delta: Object) -> Json:
        return {"contentBlockDelta": {"delta": delta, INDEX: self._index}}

    def opened(self, part: Any) -> list[Json]:
        self._part, self._text = part, []
        self._index += 1
        if isinstance(part, parts.FunctionCall):
            identity = generated_id(self._id, self._calls) if part.id is None else part.id
            self._calls += 1
            start = {"toolUse": {"toolUseId": identity, "name": part.name}}
            given = part.arguments
            text = given if isinstance(given, str) else dumps(given, (part, "arguments")) if given else ""
            return [{"contentBlockStart": {"start": start, INDEX: self._index}}, *(self.grew(text) if text else [])]
        if isinstance(part, parts.Reasoning):
            if part.text is None and part.seal is not None and part.seal.kind != "signature":
                return [self._delta({"reasoningContent": {"redactedContent": redacted(part.seal)}})]
            return [*self.grew(part.text or ""), *(self.sealed(part.seal) if part.seal is not None else [])]
        if isinstance(part, parts.Image):
            image = BUILD[parts.Image](part)["image"]
            start = {"image": {"format": image["format"]}}
            grown = self._delta({"image": {"source": image["source"]}})
            return [{"contentBlockStart": {"start": start, INDEX: self._index}}, grown]
        return self.grew(part.text) if part.text else [self._delta({"text": ""})]

    def grew(self, text: str) -> list[Json]:
        if isinstance(self._part, parts.FunctionCall):
            self._text.append(text)
            return [self._delta({"toolUse": {"input": text}})]
        if isinstance(self._part, parts.Reasoning):
            return [self._delta({"reasoningContent": {"text": text}})]
        return [self._delta({"text": text})]

    def sealed(self, seal: Seal) -> list[Json]:
        return [self._delta({"reasoningContent": {"signature": seal.data}})]

    def cited(self, one: parts.Citation) -> list[Json]:
        return [self._delta({"citation": citation(one)})]

    def closed(self) -> list[Json]:
        if isinstance(self._part, parts.FunctionCall):
            flaw = flaw_of_arguments("".join(self._text))
            if flaw:
                self._broken.append((self._part, Refusal("TUL-1", self._part.src, flaw)))
        return [{"contentBlockStop": {INDEX: self._index}}]

    def cut_off(self) -> list[Json]:
        """Of a call that broke off before any arguments (TUL-29)."""
        self._broken.append((self._part, Refusal("TUL-1", self._part.src, "no arguments")))
        return [{"contentBlockStop": {INDEX: self._index}}]

    def scored(self, event: events.Scored) -> list[Json]:
        raise Refusal("STR-5", (event.src, "logprobs"), "log probabilities")

    def ended(self, candidate: Candidate) -> list[Json]:
        """A last call may break off where the response did (TUL-29)."""
        for call, refusal in self._broken:
            if candidate.terminal.reason not in CUT_OFF or call is not self._part:
                raise refusal
        return [{"messageStop": ending(candidate.terminal)}]

    def broken_off(self) -> tuple[Any, str] | None:
        return (self._broken[-1][0], "what there was of it has been sent") if self._broken else None

    def completed(self, usage: Usage | None) -> list[Json]:
        assert usage is not None  # the target requires one (USE-5)
        return [{"metadata": {"usage": raise_usage(usage), "metrics": metrics()}}]

    def failed(self, error: Error) -> list[Json]:
        """An exception; of those that no stream has an event of, what a client does next is the same."""
        name = exception(error)
        if name not in wire.IN_STREAMS:
            name = IN_STREAM.get(wire.ERRORS.get(name, error.category), wire.VALIDATION)
        body = {"message": error.message} if error.verbatim else raise_error(error, self._server)
        return [{wire.event_name(name): body}]


IN_STREAM = {category: name for name, category in reversed([*wire.ERRORS.items()]) if name in wire.IN_STREAMS} | {
    wire.ERRORS["ModelTimeoutException"]: "ModelStreamErrorException",
}
