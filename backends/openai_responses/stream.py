"""A stream of the IR as Responses events (STR-6): items and their parts open, grow and are done one after the other.

This wire has everything three times: as deltas, in the done events of part and item, and in the response of the
terminal event.

What may be open: an Item (a message, reasoning, or a call of the client's), the last Part in it that grows, and any
number of Runs (calls that the provider executes), each done when its result arrives, or at the end.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from attrs import Factory

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.ir.request import ASSISTANT, Turn
from proxai_ir.ir.response import REFUSAL, UNKNOWN, Candidate, Response, ScoredToken, Terminal, Usage, unargued
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.interfaces import StreamWriter
from proxai_ir.ir.structure import GROWING
from proxai_ir.json.classes import define
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.targets.settings import Server
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Json, Object, copied, dumps
from .._openai.writing import raise_error, scored_tokens
from .parts import MESSAGE, REASONING, RESULTS, RUN, SHARED, annotation, grouped, joins, output_items
from .rows import of_text
from .write import USAGE, ending, envelope, identified

# The type of a part in its message or reasoning item, and the type of an item that is one growing part.
PARTS: dict[type, str] = {ir.Text: "output_text", ir.Refusal: "refusal", ir.Reasoning: "summary_text"}
CALLS: dict[type, str] = {ir.FunctionCall: "function_call", ir.CustomCall: "custom_tool_call"}
JSON_TEXT = (ir.FunctionCall, ir.McpCall)
ADDED = {"content_index": "response.content_part", "summary_index": "response.reasoning_summary_part"}
ANNOTATED = "response.output_text.annotation.added"
# The progress events of what the provider runs.
BEGINS = {
    wire.WEB_SEARCH: ("in_progress", "searching"),
    wire.MCP_CALL: ("in_progress",),
    wire.CODE_RUN: ("in_progress",),
}
ENDS = {*((kind, wire.COMPLETED) for kind in BEGINS), (wire.MCP_CALL, wire.FAILED)}
MADE = ("in_progress", "generating", wire.COMPLETED)  # of an image


@define
class Item:
    """An item that is open.

    kind      of its parts (see SHARED)
    logprobs  by part
    unargued  it is a call that broke off without arguments
    """

    kind: str
    id: str
    index: int
    parts: list[Any] = Factory(list)
    logprobs: dict[int, list[ScoredToken]] = Factory(dict)
    unargued: bool = False

    def built(self) -> Object:
        """Return the item as far as it has got."""
        (item,) = output_items(Turn(ASSISTANT, self.parts))
        for position, scored in self.logprobs.items():
            item["content"][position]["logprobs"] = scored_tokens(scored, [])
        if self.unargued:
            item["arguments"] = ""  # and not those of a call that is whole
        return item


@define
class Part:
    """A part that grows.

    address   the members that name it in its events
    delta     what all its deltas have
    logprobs  those of its text so far; None where its events have none
    text      its text so far, piece by piece
    """

    part: Any
    family: str
    address: Object
    delta: Object
    logprobs: list[ScoredToken] | None
    text: list[str] = Factory(list)
    citations: list[ir.Citation] = Factory(list)


@define
class Run:
    """A call that the provider runs, and the index of its item."""

    call: Any
    index: int


class Writer(StreamWriter):
    failed_with_usage = True

    def __init__(self, server: Server) -> None:
        self._server = server
        self._number, self._started = 0, False
        self._response, self._terminal = Response(None, None, None, []), Terminal(UNKNOWN)
        self._output: list[Object] = []  # the items that are done; {} for one that runs
        self._item: Item | None = None
        self._part: Part | None = None
        self._running: dict[tuple[str, str], Run] = {}
        self._has_text = False
        self._logprobs: list[ScoredToken] = []  # of the text that comes next

    def _event(self, kind: str, **members: Json) -> Object:
        number, self._number = self._number, self._number + 1
        return {"type": kind, "sequence_number": number, **members}

    def started(self, response: Response, /) -> list[Json]:
        self._response, self._started = response, True
        return [self._unfinished(kind) for kind in ("response.created", "response.in_progress")]

    def _unfinished(self, kind: str) -> Object:
        status: Object = {"output": [], "status": "in_progress", "error": None, "incomplete_details": None}
        return self._event(kind, response=envelope(self._response) | status)

    # --- items --------------------------------------------------------------------------------------------------------

    def opened(self, part: Any, /) -> list[Json]:
        if isinstance(part, RESULTS):
            return self._end_run(SHARED[type(part)], part.call_id, part)
        made = self._end_pages() if self._running else []
        if SHARED.get(type(part)) in RUN:
            return [*made, *self._end_item(wire.COMPLETED), *self._begin_run(part)]
        ((kind, _),) = grouped([part])
        if type(part) is ir.Image:
            return [*made, *self._end_item(wire.COMPLETED), *self._image(part)]
        if self._item is None or kind != self._item.kind or not joins(kind, self._item.parts, part):
            made += self._end_item(wire.COMPLETED)
            made += self._begin_item(kind, part)
        assert self._item is not None
        self._item.parts.append(part)
        if type(part) in CALLS:
            address = {"item_id": self._item.id, "output_index": self._item.index}
            made += self._begin_part(part, wire.FAMILY_OF_ITEM[CALLS[type(part)]], address)
        elif isinstance(part, (ir.ClientCall, ir.VendorPart)):
            pass  # which comes as a whole
        elif not isinstance(part, ir.Reasoning) or part.text is not None:  # a seal alone is written with its item
            made += self._begin_content(part, self._item)
        return made

    def _begin_item(self, kind: str, part: Any) -> list[Json]:
        """Announce the item that a part begins, with nothing of the part in it."""
        if kind == MESSAGE:
            added: Object = {"type": MESSAGE, "role": "assistant", "content": []}
        elif kind == REASONING:
            added = {"type": REASONING, "summary": []}
        else:
            (added,) = output_items(Turn(ASSISTANT, [part]))
            if type(part) in GROWING:
                added[GROWING[type(part)][0]] = ""
        index = len(self._output)
        added = self._identified(added, index, "in_progress")
        self._item = Item(kind, added["id"], index)
        return [self._event("response.output_item.added", output_index=index, item=added)]

    def _image(self, part: ir.Image) -> list[Json]:
        """Return an image that a model made, which comes as a whole."""
        added = self._begin_item("", part)
        added[0]["item"]["result"] = None
        assert self._item is not None
        self._item.parts.append(part)
        address = {"item_id": self._item.id, "output_index": self._item.index}
        steps = [self._event(f"response.{wire.GENERATED}.{word}", **address) for word in MADE]
        return [*added, *steps, *self._end_item(wire.COMPLETED)]

    def _identified(self, item: Object, index: int, status: str) -> Object:
        item = identified(item, self._response.id or "", index)
        if "status" in item:
            item["status"] = status
        return item

    def _end_item(self, status: str) -> list[Json]:
        """Return the end of the open item, if one is, which counts among the output from here on."""
        item, self._item = self._item, None
        if item is None:
            return []
        done = self._identified(item.built(), item.index, status)
        self._output.append(copied(done))
        return [self._event("response.output_item.done", output_index=item.index, item=done)]

    # --- parts that grow ----------------------------------------------------------------------------------------------

    def _begin_content(self, part: Any, item: Item) -> list[Json]:
        """Return the beginning of a part of a message or of reasoning."""
        kind = PARTS[type(part)]
        family = wire.FAMILY_OF_PART[kind]
        member, index = wire.FAMILIES[family]
        assert index is not None
        empty: Object = {"type": kind, member: ""}
        if kind == "output_text":
            empty["annotations"] = []
        address = {"item_id": item.id, "output_index": item.index, index: len(item.parts) - 1}
        added = self._event(f"{ADDED[index]}.added", **address, part=empty)
        return [added, *self._begin_part(part, family, address)]

    def _begin_part(self, part: Any, family: str, address: Object) -> list[Json]:
        delta = {"type": f"{family}.delta", "sequence_number": 0, **address, "delta": ""}
        self._part = Part(part, family, address, delta, [] if type(part) is ir.Text else None)
        text = getattr(part, GROWING[type(part)][0])
        if not text:
            return []
        return self.grew(text if isinstance(text, str) else dumps(text, (part, "arguments")))

    def grew(self, text: str, /) -> list[Json]:
        part = self._part
        if part is None:  # its item was begun as one without content
            raise Refusal("STR-5", None, "text of encrypted reasoning")
        part.text.append(text)
        event = part.delta.copy()
        event["sequence_number"] = self._number
        event["delta"] = text
        if part.logprobs is not None:
            event["logprobs"] = scored_tokens(self._logprobs, [])
            if self._logprobs:
                part.logprobs += self._logprobs
                self._logprobs = []
        self._number += 1
        return [event]

    def sealed(self, seal: Seal, /) -> list[Json]:
        """Keep the signature, which is written with its item."""
        assert self._item is not None
        self._item.parts[-1].seal = seal
        return []

    def cited(self, citation: ir.Citation, /) -> list[Json]:
        """Keep the citation until the text is whole, as only then its span is known (CIT-1)."""
        assert self._part is not None
        self._part.citations.append(citation)
        return []

    def scored(self, event: events.Scored, /) -> list[Json]:
        """Keep the log probabilities for the text that they are of."""
        if not of_text(event.logprobs):
            raise Refusal("STR-5", (event.src, "logprobs"), NOT_OF_TEXT)
        self._logprobs += event.logprobs.text or ()
        return []

    def closed(self) -> list[Json]:
        return self._closed("{}")  # no arguments: their text must be JSON all the same (TUL-1)

    def cut_off(self) -> list[Json]:
        """End a call that broke off before any of its arguments, with none (TUL-29)."""
        if self._item is not None:
            self._item.unargued = True
        return self._closed("")

    def _closed(self, no_arguments: str) -> list[Json]:
        part, self._part = self._part, None
        if part is None:
            return []
        self._part = part
        made: list[Json] = []
        if no_arguments and type(part.part) in JSON_TEXT and not "".join(part.text).strip():
            made += self.grew(no_arguments)
        self._part = None
        text = "".join(part.text)
        setattr(part.part, GROWING[type(part.part)][0], text)
        if type(part.part) is ir.Text:
            return self._end_text(part, part.part)
        member, index = wire.FAMILIES[part.family]
        named = {"name": part.part.name} if isinstance(part.part, ir.FunctionCall) else {}
        made.append(self._event(f"{part.family}.done", **part.address, **{member: text}, **named))
        if index is not None:
            whole = {"type": PARTS[type(part.part)], member: text}
            made.append(self._event(f"{ADDED[index]}.done", **part.address, part=whole))
        return made

    def _end_text(self, part: Part, text: ir.Text) -> list[Json]:
        """Return the end of a text, with its citations and log probabilities."""
        assert self._item is not None and part.logprobs is not None
        length = len(text.text)
        text.citations = part.citations or None
        scored = part.logprobs + self._logprobs  # the last may be of tokens without text
        self._logprobs = []
        whole: Object = {"type": "output_text", "text": text.text, "annotations": []}
        made: list[Json] = []
        for number, one in enumerate(part.citations):
            note, again = (annotation(one, length) for _ in range(2))
            made.append(self._event(ANNOTATED, **part.address, annotation_index=number, annotation=note))
            whole["annotations"].append(again)
        if scored:
            self._item.logprobs[len(self._item.parts) - 1] = scored
            whole["logprobs"] = scored_tokens(scored, [])
        self._has_text |= length > 0
        done = {"text": text.text, "logprobs": scored_tokens(scored, [])}
        made.append(self._event("response.output_text.done", **part.address, **done))
        made.append(self._event("response.content_part.done", **part.address, part=whole))
        return made

    # --- what the provider runs ---------------------------------------------------------------------------------------

    def _begin_run(self, call: Any) -> list[Json]:
        kind, index = SHARED[type(call)], len(self._output)
        self._running[kind, call.id] = Run(call, index)
        self._output.append({})
        item = {**RUN[kind]([call]), "status": "in_progress"}
        address = {"item_id": item["id"], "output_index": index}
        made = [
            self._event("response.output_item.added", output_index=index, item=item),
            *(self._event(f"response.{kind}.{word}", **address) for word in BEGINS[kind]),
        ]
        if type(call) is ir.McpCall:
            item["arguments"] = ""
            made += self._begin_part(call, wire.FAMILY_OF_ITEM[kind], address)
        elif type(call) is ir.CodeCall:
            item["code"] = ""
            made += [
                self._event(f"response.{kind}_code.delta", **address, delta=call.code),
                self._event(f"response.{kind}_code.done", **address, code=call.code),
                self._event(f"response.{kind}.interpreting", **address),
            ]
        return made

    def _end_run(self, kind: str, call_id: str, *results: Any) -> list[Json]:
        """Return the end of the item of a call that runs."""
        run = self._running.pop((kind, call_id), None)
        if run is None:
            return []
        done = RUN[kind]([run.call, *results])
        self._output[run.index] = copied(done)
        made: list[Json] = []
        if (kind, done["status"]) in ENDS:
            made.append(self._event(f"response.{kind}.{done['status']}", item_id=done["id"], output_index=run.index))
        return [*made, self._event("response.output_item.done", output_index=run.index, item=done)]

    def _end_pages(self) -> list[Json]:
        """Return the ends of pages that were opened without a result, which most protocols have not (TUL-41)."""
        pages = [key for key, run in self._running.items() if getattr(run.call, "page", None) is not None]
        return [made for kind, call_id in pages for made in self._end_run(kind, call_id)]

    # --- the end ------------------------------------------------------------------------------------------------------

    def ended(self, candidate: Candidate, /) -> list[Json]:
        """Return the ends of all items.

        A response that declined has a refusal; without another text the explanation is its wording (REF-8).
        """
        self._terminal = candidate.terminal
        if self._logprobs:
            raise Refusal("STR-5", None, NOT_OF_TEXT)
        made: list[Json] = []
        if self._terminal.reason is REFUSAL and not self._has_refusal():
            details = self._terminal.refusal
            text = details.explanation if details is not None and not self._has_text else None
            made += [*self.opened(ir.Refusal(text or "")), *self.closed()]
        for kind, call_id in list(self._running):
            made += self._end_run(kind, call_id)
        cut_off = wire.STATUS_OF[self._terminal.reason] == wire.INCOMPLETE
        return [*made, *self._end_item(wire.INCOMPLETE if cut_off else wire.COMPLETED)]

    def _has_refusal(self) -> bool:
        if any(part["type"] == "refusal" for item in self._output for part in item.get("content", ())):
            return True
        return self._item is not None and any(isinstance(part, ir.Refusal) for part in self._item.parts)

    def completed(self, usage: Usage | None, /) -> list[Json]:
        response = envelope(self._response) | {"output": self._output} | ending(self._terminal, self._server)
        if usage is not None:
            response["usage"] = USAGE.write(usage)
        return [self._event(f"response.{response['status']}", response=response)]

    def failed(self, error: Error, /) -> list[Json]:
        """Return an error event, and the response that failed, which is all that many clients read (STR-2)."""
        body = raise_error(error, self._server)["error"]
        code = body.get("code") or openai.ERROR_CODE_OF[error.category]
        made = [] if self._started else self.started(self._of_failure(error))
        made.append(self._event("error", code=code, message=body.get("message"), param=body.get("param")))
        response = envelope(self._response) | {"output": self._so_far()} | FAILED
        response["error"] = {"code": code, "message": body.get("message")}
        if self._response.usage is not None:
            response["usage"] = USAGE.write(self._response.usage)
        return [*made, self._event("response.failed", response=response)]

    def _of_failure(self, error: Error) -> Response:
        """Return a response that failed before it began, as clients know no stream without one."""
        identity = self._server.response_id or f"resp_{crc32(error.message.encode(errors='replace')):08x}"
        return Response(None, identity, self._server.model or "", [], created=self._server.created)

    def _so_far(self) -> list[Object]:
        """Return the items of a response that breaks off; those that are not done are incomplete."""
        for (kind, _), run in self._running.items():
            self._output[run.index] = {**RUN[kind]([run.call]), "status": wire.FAILED}
        part = self._part
        if part is not None:
            setattr(part.part, GROWING[type(part.part)][0], "".join(part.text))
            if type(part.part) is ir.Text:
                part.part.citations = part.citations or None
            if self._item is not None:
                self._item.unargued = unargued(part.part)
        if self._item is not None:
            self._output.append(self._identified(self._item.built(), self._item.index, wire.INCOMPLETE))
        return self._output


FAILED: Object = {"status": wire.FAILED, "incomplete_details": None}
NOT_OF_TEXT = "log probabilities of content other than text"
