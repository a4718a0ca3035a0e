"""Chunks of this protocol's own streams, each from the IR events that it was read as (LOS-4)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir import parts
from proxai_ir.streaming import events
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Json, Object, put
from .chunks import MEMBER, call_growth, call_start
from .error import raise_error
from .parts import is_legacy
from .response import annotation, envelope, logprobs_of, raise_usage
from .restore import DETAILS, restore_call, restore_response, with_extra


class Restorer:
    """One stream.

    _parts    index of a part -> the part, its candidate, its number among the candidate's calls
    _calls    candidate -> how many calls it has
    _begun    candidates whose first delta, the one with the role, has been written
    _chunk    the chunk in the making; _choices are its choices, by candidate
    """

    def __init__(self) -> None:
        self._head: Object = {}
        self._parts: dict[int, tuple[Any, int, int]] = {}
        self._calls: dict[int, int] = {}
        self._begun: set[int] = set()
        self._chunk: Object = {}
        self._choices: dict[int, Object] = {}
        self._handlers: dict[type, Any] = {
            events.PartOpened: self._opened,
            events.PartGrew: self._grew,
            events.MediaGrew: self._media,
            events.PartCited: self._cited,
            events.Scored: self._scored,
            events.Ended: self._ended,
            events.UsageReported: self._usage,
            events.UnmappedFields: self._unmapped,
        }

    def __call__(self, step: list[events.Event]) -> Json:
        whole = None
        for event in step:
            if isinstance(event, events.Started):
                self._head = envelope(event.response, wire.CHUNK, {})
                if event.response.extra is not None:
                    restore_response(self._head, event.response.extra)
            elif isinstance(event, events.Failed):
                return raise_error(event.error, {})
            elif isinstance(event, events.UnmappedFields) and "whole" in event.extra.wire_forms:
                if event.about != "Repeated":
                    return wire.DONE if event.about == "Done" else event.extra.fields
                whole = event.extra.fields
        if step and isinstance(step[-1], events.Completed) and not any(map(_is_usage, step)):
            return wire.DONE
        self._chunk, self._choices = {**self._head, "choices": []}, {}
        for event in step:
            handle = self._handlers.get(type(event))
            if handle is not None:
                handle(event)
        self._chunk.setdefault("choices", [])
        self._chunk["choices"] += self._choices.values()
        return self._chunk if whole is None else whole

    def _delta(self, candidate: int) -> Object:
        """The delta of a candidate's choice in this chunk."""
        choice = self._choices.get(candidate)
        if choice is None:
            choice = self._choices[candidate] = {"index": candidate, "delta": {}}
            if candidate not in self._begun:
                self._begun.add(candidate)
                choice["delta"]["role"] = "assistant"
        delta: Object = choice.setdefault("delta", {})
        return delta

    def _choice(self, candidate: int) -> Object:
        self._delta(candidate)
        return self._choices[candidate]

    # --- parts --------------------------------------------------------------------------------------------------------

    def _opened(self, event: events.PartOpened) -> None:
        part, number, delta = event.part, 0, self._delta(event.candidate)
        if isinstance(part, parts.FunctionCall) and is_legacy(part):
            delta["function_call"] = {"name": part.name, "arguments": part.arguments}
        elif isinstance(part, parts.CALLS):
            number = self._called(event.candidate, part, delta)
        elif isinstance(part, parts.Audio):
            delta["audio"] = {"id": part.id}
        else:
            _put_text(delta, part, part.text or "")  # type: ignore[union-attr]
        self._parts[event.index] = part, event.candidate, number

    def _called(self, candidate: int, call: parts.FunctionCall | parts.CustomCall, delta: Object) -> int:
        """Some servers count calls in another way than by their position."""
        number = self._calls.get(candidate, 0)
        self._calls[candidate] = number + 1
        start = call_start(call, number)
        if isinstance(call, parts.FunctionCall) and call.extra is not None:
            start = restore_call(start, call, call.extra)
        elif call.extra is not None:
            start = with_extra(start, call.extra)
        delta.setdefault("tool_calls", []).append(start)
        return start["index"]  # type: ignore[no-any-return]

    def _grew(self, event: events.PartGrew) -> None:
        part, candidate, number = self._parts[event.index]
        delta = self._delta(candidate)
        if isinstance(part, parts.Audio):
            delta.setdefault("audio", {})["transcript"] = event.text
        elif isinstance(part, parts.FunctionCall) and is_legacy(part):
            delta["function_call"] = {"arguments": event.text}
        elif isinstance(part, parts.CALLS):
            delta.setdefault("tool_calls", []).append(call_growth(part, number, event.text))
        else:
            _put_text(delta, part, event.text)

    def _media(self, event: events.MediaGrew) -> None:
        _, candidate, _ = self._parts[event.index]
        audio = self._delta(candidate).setdefault("audio", {})
        put(audio, data=event.data or None, expires_at=event.expires_at)

    def _cited(self, event: events.PartCited) -> None:
        _, candidate, _ = self._parts[event.index]
        assert isinstance(event.citation, parts.UrlCitation)
        if event.citation.extra is not None and wire.SOURCES in event.citation.extra.wire_forms:
            return  # they are members of the chunk, not of a choice
        self._delta(candidate).setdefault("annotations", []).append(annotation(event.citation, 0, 0))

    # --- choices and chunks -------------------------------------------------------------------------------------------

    def _scored(self, event: events.Scored) -> None:
        self._choice(event.candidate)["logprobs"] = logprobs_of(event.logprobs)

    def _ended(self, event: events.Ended) -> None:
        self._choice(event.candidate)["finish_reason"] = event.terminal.raw

    def _usage(self, event: events.UsageReported) -> None:
        if not event.provisional:  # else it is among the unmapped fields of its chunk
            self._chunk["usage"] = raise_usage(event.usage)

    def _unmapped(self, event: events.UnmappedFields) -> None:
        extra = event.extra
        if event.about in OF_THE_WHOLE:
            return
        if event.about == "Chunk":
            with_extra(self._chunk, extra)
        elif event.about == "Fragment":
            fragments = self._delta(self._parts[event.index][1]).setdefault("tool_calls", [])
            fragments[len(fragments) - ("with text" in extra.wire_forms) :] = [extra.fields or {}]
        elif event.about == "Delta":
            delta = self._delta(event.index)
            if "role" in extra.wire_forms:
                delta["role"] = "assistant"
            elif "no role" in extra.wire_forms:
                del delta["role"]
            with_extra(delta, extra)
        elif "again" in extra.wire_forms:
            before = self._choices.pop(event.index, None)
            self._chunk["choices"] += [] if before is None else [before]
        else:
            choice = self._choice(event.index)
            if "no delta" in extra.wire_forms:
                del choice["delta"]
            with_extra(choice, extra)


OF_THE_WHOLE = ("Response", "Candidate", "Turn")
"""What unmapped fields are about that the chunks had, too."""


def _is_usage(event: events.Event) -> bool:
    """Whether an event is what a usage chunk has."""
    return isinstance(event, events.UsageReported) and not event.provisional


def _put_text(delta: Object, part: Any, text: str) -> None:
    """More of a text. Dialects have reasoning in other members, or parts in the content."""
    wire_forms = part.extra.wire_forms if part.extra is not None else ()
    if "part" in wire_forms:
        _content_parts(delta).append({"type": "thinking", "thinking": [{"type": "text", "text": text}]})
    elif type(part) is parts.Text and isinstance(delta.get("content"), list):
        delta["content"].append({"type": "text", "text": text})
    else:
        for member in wire_forms or (MEMBER[type(part)],):
            if member == DETAILS:  # which are among the extra fields of the delta
                continue
            delta[member] = delta.get(member, "") + text


def _content_parts(delta: Object) -> list[Object]:
    """The content as a list of parts, which it becomes with the first part that is not text."""
    content = delta.get("content")
    if not isinstance(content, list):
        content = delta["content"] = [] if content is None else [{"type": "text", "text": content}]
    return content
