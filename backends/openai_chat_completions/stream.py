"""A stream of the IR as chunks (STR-7): role first, then deltas, then the ending, then usage, then "[DONE]".

`Writer` speaks for other protocols' streams, `Restorer` gives this protocol's own streams back (LOS-4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import StopReason, fitted_reason
from proxai_ir.ir.usage import Usage
from proxai_ir.streaming import events
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Json, Object, dumps, give_back, merge
from .error import raise_error
from .response import CREATED, annotation, logprobs_of, raise_usage, tier_word, wording_of

MEMBER: dict[type, str] = {parts.Text: "content", parts.Reasoning: "reasoning_content", parts.Refusal: "refusal"}


def head(response: Response, home: bool, options: Mapping[str, Any]) -> Object:
    """The envelope that all chunks of a stream repeat."""
    built: Object = {} if response.id is None else {"id": response.id}
    built["object"] = "chat.completion.chunk"
    if response.created is not None or not home:
        built["created"] = response.created or CREATED
    model = response.model if response.model is not None else options.get("model")
    if model is not None:
        built["model"] = model
    tier = tier_word(response)
    if tier is not None:
        built["service_tier"] = tier
    if response.fingerprint is not None:
        built["system_fingerprint"] = response.fingerprint
    return built


def start_of(call: Any, index: int, home: bool) -> Object:
    """The first fragment of a call."""
    identity = call.id
    if isinstance(call, parts.CustomCall):
        inner = {"name": call.name, "input": call.input}
        return {"index": index, "id": identity, "type": "custom", "custom": inner}
    text = call.arguments if type(call.arguments) is str else dumps(call.arguments, (call, "arguments"))
    return {"index": index, "id": identity, "type": "function", "function": {"name": call.name, "arguments": text}}


class Writer:
    """`include_usage`: whether the stream ends with a usage chunk, as `stream_options.include_usage` asks for."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._head: Object = {}
        self._member: str | None = None
        self._worded = False  # something was said as content, or as a refusal
        self._silent = False  # the open call has no arguments yet
        self._part: Any = None
        self._calls = 0
        self._from = self._length = 0  # where the open text begins in the whole text, and where it ends
        self._citations: list[parts.UrlCitation] = []
        self._notes: list[Object] = []

    def _chunk(self, delta: Object, finish: str | None = None) -> Object:
        return {**self._head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    def started(self, response: Response) -> list[Json]:
        self._head = head(response, False, self._options)
        return [self._chunk({"role": "assistant", "content": ""})]

    def opened(self, part: Any) -> list[Json]:
        self._part = part
        self._member = MEMBER.get(part.__class__)
        if self._member is not None:
            self._from = self._length
            self._worded = self._worded or self._member != MEMBER[parts.Reasoning]
            return self.grew(part.text) if part.text else []
        if isinstance(part, parts.CustomCall):
            raise Refusal("STR-5", part.src, "a call of a custom tool; chunks hold function calls only")
        index, self._calls = self._calls, self._calls + 1
        start = start_of(part, index, False)
        self._silent = start["function"]["arguments"] == ""
        return [self._chunk({"tool_calls": [start]})]

    def grew(self, text: str) -> list[Json]:
        if self._member is None:
            return [self._argued(text)]
        self._length += len(text)
        chunk = self._head.copy()
        chunk["choices"] = [{"index": 0, "delta": {self._member: text}, "finish_reason": None}]
        return [chunk]

    def _argued(self, text: str) -> Json:
        """More of a call's arguments."""
        self._silent = self._silent and text.isspace()
        return self._chunk({"tool_calls": [{"index": self._calls - 1, "function": {"arguments": text}}]})

    def sealed(self, seal: Seal) -> list[Json]:  # noqa: ARG002
        return []  # no target table lets one through (RSN-4)

    def cited(self, citation: parts.Citation) -> list[Json]:
        """Held until its text is whole, for its span, and to the end: clients take `annotations` once only (CIT-1)."""
        if isinstance(citation, parts.UrlCitation):
            self._citations.append(citation)
        return []

    def cited_late(self, citation: parts.Citation) -> list[Json]:
        assert isinstance(citation, parts.UrlCitation)  # as the target's table has it
        self._notes.append(annotation(citation, 0, 0, False))
        return []

    def closed(self) -> list[Json]:
        if self._silent:  # a call without arguments: its text must be JSON all the same (TUL-1)
            self._silent = False
            return self.grew("{}")
        if self._member in (MEMBER[parts.Reasoning], MEMBER[parts.Refusal]):
            self._length = self._from  # spans count the content alone
        length = self._length - self._from
        self._notes += [annotation(one, self._from, length, False) for one in self._citations]
        self._citations = []
        return []

    def scored(self, event: events.Scored) -> list[Json]:
        choice = {"index": 0, "delta": {}, "logprobs": logprobs_of(event.logprobs), "finish_reason": None}
        return [{**self._head, "choices": [choice]}]

    def ended(self, candidate: Candidate) -> list[Json]:
        """The finish chunk; before it the wording of a refusal that nobody has heard yet (REF-6, STS-5)."""
        reason = candidate.terminal.reason
        delta: Object = {}
        if reason is StopReason.REFUSAL and not self._worded:
            wording = wording_of(candidate.terminal)
            if wording:
                delta["refusal"] = wording
            else:
                reason = StopReason.CONTENT_FILTER
        if self._notes:
            delta["annotations"] = self._notes
        said = [self._chunk(delta)] if delta else []
        return [*said, self._chunk({}, wire.FINISH_OF[fitted_reason(reason, candidate.calls)])]

    def completed(self, usage: Usage | None) -> list[Json]:
        if usage is None or not self._options["include_usage"]:
            return [wire.DONE]
        return [{**self._head, "choices": [], "usage": raise_usage(usage, False)}, wire.DONE]

    def failed(self, error: Error) -> list[Json]:
        return [raise_error(error, False, self._options)]


class Restorer:
    def __init__(self) -> None:
        self._head: Object = {}
        self._spoken: set[int] = set()
        self._parts: dict[int, tuple[Any, int, int]] = {}  # part, candidate, index among the candidate's calls
        self._calls: dict[int, int] = {}

    def __call__(self, step: list[events.Event]) -> Json:
        for event in step:
            if isinstance(event, events.Started):
                self._head = head(event.response, True, {})
            elif isinstance(event, events.Failed):
                return raise_error(event.error, True, {})
            elif isinstance(event, events.UnmappedFields) and event.about == "Done":
                return wire.DONE
            elif (
                isinstance(event, events.UnmappedFields)
                and event.about == "Chunk"
                and "whole" in event.extra.wire_forms
            ):
                return event.extra.fields
        if [type(event) for event in step] == [events.Completed]:
            return wire.DONE
        built: Object = {**self._head, "choices": []} if self._head else {}
        choices: dict[int, Object] = {}
        for event in step:
            self._put(event, built, choices)
        if choices:
            built["choices"] = [choices[index] for index in choices]
        return built

    def _choice(self, choices: dict[int, Object], index: int) -> Object:
        if index not in choices:
            choices[index] = {"index": index, "delta": {}}
            if index not in self._spoken:
                self._spoken.add(index)
                choices[index]["delta"]["role"] = "assistant"
        choices[index].setdefault("delta", {})
        return choices[index]

    def _put(self, event: events.Event, built: Object, choices: dict[int, Object]) -> None:
        """Say one IR event in the chunk that it came from."""
        if isinstance(event, events.PartOpened):
            self._open(event, self._choice(choices, event.candidate)["delta"])
        elif isinstance(event, (events.PartGrew, events.PartExtended, events.PartCited)):
            part, candidate, number = self._parts[event.index]
            self._grow(event, part, number, self._choice(choices, candidate)["delta"])
        elif isinstance(event, events.Scored):
            self._choice(choices, event.candidate)["logprobs"] = logprobs_of(event.logprobs)
        elif isinstance(event, events.Ended):
            self._choice(choices, event.candidate)["finish_reason"] = event.terminal.raw
        elif isinstance(event, events.UsageReported):
            built["usage"] = raise_usage(event.usage, True)
        elif isinstance(event, events.UnmappedFields):
            self._beside(event, built, choices)

    def _open(self, event: events.PartOpened, delta: Object) -> None:
        part, number = event.part, 0
        if (
            isinstance(part, parts.FunctionCall)
            and part.id is None
            and not (part.extra and "no id" in part.extra.wire_forms)
        ):
            delta["function_call"] = {"name": part.name, "arguments": part.arguments}
        elif isinstance(part, (parts.FunctionCall, parts.CustomCall)):
            number = self._calls.get(event.candidate, 0)
            self._calls[event.candidate] = number + 1
            delta.setdefault("tool_calls", []).append(self._call(part, number))
            number = delta["tool_calls"][-1]["index"]
        elif isinstance(part, parts.Audio):
            delta["audio"] = {"id": part.id}
        self._parts[event.index] = part, event.candidate, number
        if isinstance(part, (parts.Text, parts.Reasoning, parts.Refusal)):
            self._wording(part, part.text or "", delta)

    def _call(self, part: Any, number: int) -> Object:
        built = start_of(part, number, True)
        wire_forms = part.extra.wire_forms if part.extra is not None else ()
        for word, member in (("no id", "id"), ("untyped", "type")):
            if word in wire_forms:
                del built[member]
        if "no arguments" in wire_forms:
            del built["function"]["arguments"]
        return give_back(built, part.extra, True)

    def _wording(self, part: Any, text: str, delta: Object) -> None:
        wire_forms = part.extra.wire_forms if part.extra is not None else ()
        if "part" in wire_forms:
            piece = {"type": "thinking", "thinking": [{"type": "text", "text": text}]}
            delta.setdefault("content", []).append(piece)
        elif isinstance(part, parts.Reasoning):
            delta.update(dict.fromkeys(wire_forms, text))
        elif isinstance(delta.get("content"), list):
            delta["content"].append({"type": "text", "text": text})
        else:
            delta[MEMBER[type(part)]] = text

    def _grow(self, event: Any, part: Any, number: int, delta: Object) -> None:
        if isinstance(event, events.PartExtended):
            delta.setdefault("audio", {}).update(event.raw)
        elif isinstance(event, events.PartCited):
            assert isinstance(event.citation, parts.UrlCitation)  # as this protocol's reader makes them
            delta.setdefault("annotations", []).append(annotation(event.citation, 0, 0, True))
        elif isinstance(part, parts.Audio):
            delta.setdefault("audio", {})["transcript"] = event.text
        elif isinstance(part, (parts.FunctionCall, parts.CustomCall)):
            self._fragment(part, event.text, number, delta)
        else:
            self._wording(part, event.text, delta)

    def _fragment(self, part: Any, text: str, number: int, delta: Object) -> None:
        if isinstance(part, parts.CustomCall):
            delta.setdefault("tool_calls", []).append({"index": number, "custom": {"input": text}})
        elif part.id is None and not (part.extra and "no id" in part.extra.wire_forms):
            delta["function_call"] = {"arguments": text}
        else:
            delta.setdefault("tool_calls", []).append({"index": number, "function": {"arguments": text}})

    def _beside(self, event: events.UnmappedFields, built: Object, choices: dict[int, Object]) -> None:
        if event.about == "Chunk":
            merge(built, event.extra.fields or {})
            return
        if event.about == "Fragment":
            _, candidate, number = self._parts[event.index]
            self._repeated(event.extra, number, self._choice(choices, candidate)["delta"])
            return
        choice = self._choice(choices, event.index)
        if event.about == "Delta":
            if "role" in event.extra.wire_forms:
                choice["delta"]["role"] = "assistant"
            if "no role" in event.extra.wire_forms:
                del choice["delta"]["role"]
            choice = choice["delta"]
        elif "no delta" in event.extra.wire_forms:
            del choice["delta"]
        merge(choice, event.extra.fields or {})

    def _repeated(self, extra: Extra, number: int, delta: Object) -> None:
        """Members of a call that a later fragment says again."""
        fragments = delta.setdefault("tool_calls", [])
        if not fragments or fragments[-1]["index"] != number:
            fragments.append({"index": number})
        merge(fragments[-1], extra.fields or {})
