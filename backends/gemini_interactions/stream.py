"""A stream of the IR as events of Interactions: steps start, grow and stop one by one; the ending waits for usage.

What the provider ran is written when it is whole: its step starts without arguments and result, which one delta has.
"""

from __future__ import annotations

from typing import Any

import attrs

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import UNKNOWN, Candidate, Response, Terminal, Usage
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.targets.settings import Server
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._google.writing import raise_usage, signature
from .._lib.writing import SENT, BrokenCalls, Json, Object, dumps, put
from .write import (
    CONTENT,
    STEP,
    annotation,
    around,
    ends_thought,
    envelope,
    explanation,
    generated_id,
    raise_error,
    status,
)

TEXTS = (ir.Text, ir.Refusal)
RUN_GROWS = {ir.WebSearchCall: "queries", ir.CodeCall: "code", ir.McpCall: "arguments"}
AT_START = frozenset({"type", "id", "call_id", "name", "server_name", "search_type"})
IN_DELTA = frozenset({"name", "server_name"})  # once more
RESULT = "_result"  # what the types of results end with


class Writer(StreamWriter):
    """The events of a stream.

    _text      the text of the open part so far
    _offsets   those of its characters, which citations count in bytes
    _seal      that of the open text or thought, which comes last
    _unsigned  whether a thought is over but for its signature, which the next part may have
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._response = Response(None, None, None, [])
        self._terminal = Terminal(UNKNOWN)
        self._index = -1
        self._part: Any = None
        self._text: list[str] = []
        self._offsets = google.Offsets(self._text)
        self._seal: Seal | None = None
        self._unsigned = False
        self._spoken = False  # whether there is any text
        self._broken = BrokenCalls()

    def started(self, response: Response, /) -> list[Json]:
        self._response = response
        named = response.id or ""
        interaction = {"id": named, **envelope(response, wire.IN_PROGRESS)}
        begun = {"event_type": "interaction.created", "interaction": interaction}
        update = {"event_type": "interaction.status_update", "interaction_id": named, "status": wire.IN_PROGRESS}
        return [begun, update]

    # --- steps --------------------------------------------------------------------------------------------------------

    def _start(self, step: Object) -> Object:
        self._index += 1
        return {"event_type": "step.start", "index": self._index, "step": step}

    def _delta(self, delta: Object) -> Object:
        return {"event_type": "step.delta", "index": self._index, "delta": delta}

    def _stop(self) -> Object:
        return {"event_type": "step.stop", "index": self._index}

    def _signed(self, seal: Seal) -> list[Json]:
        """Return a thought that is nothing but its signature (RSN-90)."""
        return [self._start({"type": wire.THOUGHT}), self._signature(seal), self._stop()]

    def _signature(self, seal: Seal) -> Object:
        return self._delta({"type": "thought_signature", "signature": signature(seal)})

    def _over(self) -> list[Json]:
        """Return the end of a thought whose signature did not come, if one is open."""
        unsigned, self._unsigned = self._unsigned, False
        return [self._stop()] if unsigned else []

    def opened(self, part: Any, /) -> list[Json]:
        self._part, self._text, self._seal = part, [], getattr(part, "seal", None)
        self._offsets = google.Offsets(self._text)
        if not self._unsigned:
            return self._opened(part)
        if self._seal is None or not ends_thought(part):
            return [*self._over(), *self._opened(part)]
        ended = [self._signature(self._seal), *self._over()]
        self._seal = None
        if isinstance(part, ir.Reasoning):
            self._part = None
            return ended
        return [*ended, *self._opened(part)]

    def _opened(self, part: Any) -> list[Json]:
        if isinstance(part, TEXTS):
            begun = [self._start({"type": wire.MODEL})]
            given = getattr(part, "citations", None) or ()
            text = self.grew(part.text) if part.text else []
            return [*begun, *text, *(event for one in given for event in self.cited(one))]
        if isinstance(part, ir.Reasoning):
            return [self._start({"type": wire.THOUGHT}), *(self.grew(part.text) if part.text else [])]
        if isinstance(part, ir.FunctionCall):
            before = [] if self._seal is None else self._signed(self._seal)
            self._seal = None
            identity = part.id if part.id is not None else generated_id(self._response, self._index + 1)
            step = {"type": wire.CALL, "id": identity, "name": part.name, "arguments": {}}
            given = part.arguments if isinstance(part.arguments, str) else dumps(part.arguments, (part, "arguments"))
            return [*before, self._start(step), *(self.grew(given) if given and given != "{}" else [])]
        if type(part) in CONTENT:
            return [self._start({"type": wire.MODEL}), self._delta(CONTENT[type(part)](part))]
        return []  # as a whole, when it is closed

    def grew(self, text: str, /) -> list[Json]:
        self._text.append(text)
        if isinstance(self._part, TEXTS):
            self._spoken = True
            return [self._delta({"type": "text", "text": text})]
        if isinstance(self._part, ir.Reasoning):
            return [self._delta({"type": "thought_summary", "content": {"type": "text", "text": text}})]
        if isinstance(self._part, ir.FunctionCall):
            return [self._delta({"type": "arguments_delta", "arguments": text})]
        return []

    def sealed(self, seal: Seal, /) -> list[Json]:
        self._seal = seal
        return []

    def cited(self, citation: ir.Citation, /) -> list[Json]:
        note = annotation(citation, self._offsets)
        return [self._delta({"type": wire.ANNOTATED, "annotations": [note]})]

    def closed(self) -> list[Json]:
        part, seal = self._part, self._seal
        if isinstance(part, ir.FunctionCall):
            self._broken.closed(part, "".join(self._text))
            return [self._stop(), *([] if seal is None else self._signed(seal))]
        if part is None:  # a signature, which is written
            return []
        if isinstance(part, ir.Reasoning):
            self._unsigned = seal is None
            return [] if seal is None else [self._signature(seal), self._stop()]
        if type(part) in CONTENT:
            return [self._stop(), *([] if seal is None else self._signed(seal))]
        return self._run(part)

    def _run(self, part: Any) -> list[Json]:
        """Return the step of a call that the provider ran, or of its result."""
        member, text = RUN_GROWS.get(type(part)), "".join(self._text)
        if member is not None and text:
            before = getattr(part, member)
            grown: Any = (
                [*before, text] if member == "queries" else f"{before if isinstance(before, str) else ''}{text}"
            )
            part = attrs.evolve(part, **{member: grown})
        step = STEP[type(part)](part)
        start = {key: value for key, value in step.items() if key in AT_START}
        for key in ("arguments", "result"):
            if key in step:
                start[key] = type(step[key])()
        delta = {key: value for key, value in step.items() if key == "type" or key in IN_DELTA or key not in AT_START}
        if step["type"].endswith(RESULT):
            delta.setdefault("result", [])  # which whole steps of some tools lack
        return [self._start(start), self._delta(delta), self._stop()]

    def cut_off(self) -> list[Json]:
        """End the step of a call without arguments, and note that the call broke off (TUL-29)."""
        self._broken.cut_off(self._part)
        return [self._stop()] if isinstance(self._part, ir.FunctionCall) else []

    # --- the end ------------------------------------------------------------------------------------------------------

    def ended(self, candidate: Candidate, /) -> list[Json]:
        self._broken.ended(candidate, self._part)
        self._terminal = candidate.terminal
        explained = None if self._spoken else explanation(candidate)
        return self._over() if not explained else [*self.opened(ir.Text(explained)), self._stop()]

    def broken_off(self) -> tuple[Any, str] | None:
        return self._broken.last(SENT)

    def completed(self, usage: Usage | None, /) -> list[Json]:
        own = self._response.protocol == wire.NAME
        word = status(self._terminal, own)
        interaction = {"id": self._response.id or "", **envelope(self._response, word), **around(self._response)}
        put(interaction, usage=None if usage is None else raise_usage(usage, wire.TOKENS, own))
        return [{"event_type": "interaction.completed", "interaction": interaction}, wire.DONE]

    def failed(self, error: Error, /) -> list[Json]:
        over = self._over()
        body = raise_error(error, self._server)
        inner = body["error"] if isinstance(body, dict) and isinstance(body.get("error"), dict) else None
        return [*over, {"event_type": "error", "error": {"message": error.message} if inner is None else inner}]
