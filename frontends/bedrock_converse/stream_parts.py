"""The blocks of a ConverseStream as parts: how they start, what they grow by, how they stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from proxai_ir.ir import parts
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra, Several
from proxai_ir.ir.stream import events
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import bedrock_converse as wire

from .._lib.reading import Json, Object, extra_fields, optional, required, wrong
from .parts import citation, data_of, mime_of, read_call, read_hosted_result, redacted

Events = list[events.Event]
INDEX = "contentBlockIndex"


class Blocks:
    """`open`: the blocks that are not stopped yet, by their index."""

    def __init__(self) -> None:
        self.open: dict[int, parts.Part] = {}
        self._raw: dict[int, list[Any]] = {}  # what the provider's own calls and results hold, piece by piece

    def start(self, inner: Object, event: Object) -> Events:
        index, start = _index(inner), required(inner, "start", dict)
        kind = next((one for one in start if start[one] is not None), None)
        beside = unmapped_rest(event, inner, {INDEX, "start"}, index)
        if kind == "toolUse":
            part = read_call({"toolUse": {**required(start, "toolUse", dict), "input": {}}})
            part.src = start
            if isinstance(part, parts.FunctionCall):
                part.arguments, part.extra = "", None
                call = extra_fields(start["toolUse"], {"toolUseId", "name", "type"})
                extra = extra_fields(start, {"toolUse"}, nested={"toolUse": call})
                known = extra_fields(inner, {INDEX, "start"}, nested={"start": extra})
                beside = unmapped(event, known, index)
            else:
                assert isinstance(part, parts.HostedCall)
                part.raw = {"toolUse": {**start["toolUse"], "input": {}}}
                self._raw[index] = []
        elif kind == "toolResult":
            part = read_hosted_result({"toolResult": {**required(start, "toolResult", dict), "content": []}})
            part.src, self._raw[index] = start, []
        elif kind == "image":
            image = required(start, "image", dict)
            part = parts.Image(parts.Inline("", mime_of("image", image), image), src=start)
        elif kind is None:
            return beside  # of a text, which begins with its first delta
        else:
            part = parts.UnknownPart(kind, start, start)
        self.open[index] = part
        return [events.PartOpened(index, part), *beside]

    def delta(self, inner: Object, event: Object) -> Events:
        index, delta = _index(inner), required(inner, "delta", dict)
        kind = next((one for one in delta if delta[one] is not None), "")
        read = self._deltas.get(kind)
        if read is None:
            return [events.UnmappedFields("Unknown", Extra(event), index, event)]
        emitted, known = read(self, index, delta)
        extra = extra_fields(delta, {kind}, nested={kind: known})
        return [
            *emitted,
            *unmapped(event, extra_fields(inner, {INDEX, "delta"}, nested={"delta": extra}), index),
        ]

    def _opened(self, index: int, part: parts.Part) -> Events:
        """The start of a block that none of its own."""
        open_ = self.open.get(index)
        if open_ is None:
            self.open[index] = part
            return [events.PartOpened(index, part)]
        if type(open_) is not type(part):
            raise Refusal("STR-9", part.src, f"expected a delta of the open block ({type(open_).__name__})")
        return []

    def _text(self, index: int, delta: Object) -> tuple[Events, None]:
        text = required(delta, "text", str)
        return self._opened(index, parts.Text(text, src=delta)) or [events.PartGrew(index, text)], None

    def _reasoning(self, index: int, delta: Object) -> tuple[Events, Extra | None]:
        inner = required(delta, "reasoningContent", dict)
        src = {"reasoningContent": {"reasoningText": inner}}
        if inner.get("redactedContent") is not None:
            seal = redacted(inner)
            opened = self._opened(index, parts.Reasoning(None, seal, delta))
            if not opened:
                raise wrong(inner, "redactedContent", "text or a signature, as the block has begun", "STR-9")
            return opened, extra_fields(inner, {"redactedContent"})
        emitted: Events = []
        text, signature = optional(inner, "text", str), optional(inner, "signature", str)
        if text is not None or index not in self.open:
            begun = parts.Reasoning(text or "", None, Several((inner,), src))
            emitted = self._opened(index, begun) or [events.PartGrew(index, text or "")]
        if signature:
            emitted.append(events.PartSealed(index, read_seal(signature, wire.CLAUDE, "signature"), inner))
        return emitted, extra_fields(inner, {"text", "signature"})

    def _cited(self, index: int, delta: Object) -> tuple[Events, None]:
        cited = required(delta, "citation", dict)
        opened = self._opened(index, parts.Text("", src=delta)) if index not in self.open else []
        return [*opened, events.PartCited(index, citation(cited))], None

    def _input(self, index: int, delta: Object) -> tuple[Events, Extra | None]:
        inner = required(delta, "toolUse", dict)
        text, known = required(inner, "input", str), extra_fields(inner, {"input"})
        if isinstance(self.open.get(index), parts.HostedCall):
            self._raw[index].append(text)
            return [], known
        if not isinstance(self.open.get(index), parts.FunctionCall):
            raise wrong(delta, "toolUse", "a delta of an open block", "STR-9")
        return [events.PartGrew(index, text)], known

    def _result(self, index: int, delta: Object) -> tuple[Events, None]:
        if not isinstance(self.open.get(index), parts.HostedResult):
            raise wrong(delta, "toolResult", "a delta of an open block", "STR-9")
        self._raw[index] += required(delta, "toolResult", list)
        return [], None

    def _image(self, index: int, delta: Object) -> tuple[Events, Extra | None]:
        inner = required(delta, "image", dict)
        if not isinstance(self.open.get(index), parts.Image):
            raise wrong(delta, "image", "a delta of an open block", "STR-9")
        source = optional(inner, "source", dict)
        grown: Events = [] if source is None else [events.MediaGrew(index, data_of(source))]
        return grown, extra_fields(inner, {"source"})

    _deltas: Mapping[str, Callable[[Any, int, Object], tuple[Events, Extra | None]]] = {
        "text": _text,
        "reasoningContent": _reasoning,
        "citation": _cited,
        "toolUse": _input,
        "toolResult": _result,
        "image": _image,
    }

    def stop(self, inner: Object, event: Object) -> Events:
        index = _index(inner)
        beside = unmapped_rest(event, inner, {INDEX}, index)
        part = self.open.pop(index, None)
        if part is None:  # a block without any content
            return beside
        pieces = self._raw.pop(index, None)
        extended: Events = []
        if isinstance(part, parts.HostedCall) and pieces:
            call = {**part.raw["toolUse"], "input": _parsed("".join(pieces))}
            extended = [events.PartExtended(index, {"toolUse": call})]
        elif isinstance(part, parts.HostedResult) and pieces:
            extended = [events.PartExtended(index, {"toolResult": {**part.raw["toolResult"], "content": pieces}})]
        return [*extended, events.PartClosed(index), *beside]


def _parsed(text: str) -> Json:
    """The input of a call that the provider runs; as text where it is no JSON."""
    try:
        return orjson.loads(text) if text.strip() else {}
    except orjson.JSONDecodeError:
        return text


def _index(inner: Object) -> int:
    index = required(inner, INDEX, int)
    if index < 0:
        raise wrong(inner, INDEX, "a block index of at least 0", "SHP-3")
    return index


def type_of(event: Object) -> str:
    """The type of an event; beside it stand headers."""
    return next((one for one in event if event[one] is not None and isinstance(one, str) and one[:1] != ":"), "")


def unmapped_rest(event: Object, inner: Object, known: set[str], index: int = 0) -> Events:
    """The members of what an event holds that have no IR field."""
    return [] if known.issuperset(inner) else unmapped(event, extra_fields(inner, known), index)


def unmapped(event: Object, extra: Extra | None, index: int = 0) -> Events:
    if extra is None or not extra.fields:
        return []
    return [events.UnmappedFields("Event", Extra({type_of(event): extra.fields}), index, event)]
