"""A stream of the IR as Responses events (STR-6): items and their parts open, grow and are done one after the other.

What is said once here is said three times on this wire: as deltas, as the done events of part and item, and in the
answer that the terminal event repeats. `Writer` speaks for other protocols' streams, `Restorer` gives this protocol's
own back (LOS-4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.diagnostics import Refusal
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error
from proxai_ir.ir.logprobs import ScoredToken
from proxai_ir.ir.node import Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.streaming import events
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.writing import scored_tokens
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Json, Object, dumps, merge
from .error import raise_error
from .parts import MESSAGE, REASONING, RESULTS, RUN, SHARED, annotation, answered, grouped, joins
from .response import identified, raise_response, text_alone

# What a part is on the wire, inside a message or reasoning item, or as an item of its own.
PARTS: dict[type, str] = {
    parts.Text: "output_text",
    parts.Audio: "output_text",
    parts.Refusal: "refusal",
    parts.Reasoning: "summary_text",
}
CALLS: dict[type, str] = {
    parts.FunctionCall: "function_call",
    parts.CustomCall: "custom_tool_call",
    parts.McpCall: wire.MCP_CALL,
}
ADDED = {"content_index": "response.content_part", "summary_index": "response.reasoning_summary_part"}
FIELD: dict[type, str] = {
    parts.FunctionCall: "arguments",
    parts.CustomCall: "input",
    parts.McpCall: "arguments",
    parts.Audio: "transcript",
}
BEGINS = {wire.WEB_SEARCH: ("in_progress", "searching"), wire.MCP_CALL: ("in_progress",)}
ENDS = {(wire.WEB_SEARCH, wire.COMPLETED), (wire.MCP_CALL, wire.COMPLETED), (wire.MCP_CALL, wire.FAILED)}
"""What the provider runs itself has events of its own for how far it is."""


class Writer:
    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = options
        self._number = 0
        self._shell = Response(None, None, None, [])
        self._output: list[Object] = []  # the items that are done
        self._group: list[Any] = []  # the parts of the open item
        self._kind = ""
        self._item: Object = {}  # the open item, as it was added
        self._part: Any = None
        self._family = ""
        self._address: Object = {}
        self._delta: Object = {}  # what every delta of the open part says
        self._scored = False  # and whether it must say its log probabilities, too
        self._text: list[str] = []
        self._citations: list[parts.Citation] = []
        self._scores: list[ScoredToken] = []  # of the text that comes next
        self._tokens: list[ScoredToken] = []  # all of the open part
        self._said: dict[int, list[ScoredToken]] = {}  # all of the parts of the open item
        self._from = self._length = 0  # of the answer's text: where the open item begins, and where it ends
        self._running: dict[tuple[str, str], tuple[int, Any]] = {}  # calls that may yet tell what they gave back
        self._terminal = Terminal(StopReason.UNKNOWN)

    def _event(self, kind: str, **members: Json) -> Object:
        number, self._number = self._number, self._number + 1
        return {"type": kind, "sequence_number": number, **members}

    def _answer(self, status: str) -> Object:
        """The answer while it is being made."""
        self._shell.candidates = [Candidate([], Terminal(StopReason.UNKNOWN))]
        built = raise_response(self._shell, False, self._options)
        return {**built, "status": status, "output": list(self._output)}

    def started(self, response: Response) -> list[Json]:
        self._shell = Response(response.protocol, response.id, response.model, [], None, response.created)
        self._shell.tier, self._shell.fast, self._shell.metadata = response.tier, response.fast, response.metadata
        kinds = ("response.created", "response.in_progress")
        return [self._event(kind, response=self._answer("in_progress")) for kind in kinds]

    # --- items --------------------------------------------------------------------------------------------------------

    def opened(self, part: Any) -> list[Json]:
        if isinstance(part, RESULTS):
            self._part = part
            return self._ran(SHARED[type(part)], part.call_id, part)
        if SHARED.get(type(part)) in RUN:
            self._part, self._text = part, []
            return [*self._ran(SHARED[type(part)], part.id), *self._finished(wire.COMPLETED), *self._runs(part)]
        ((kind, _),) = grouped([part])
        said: list[Json] = []
        if kind != self._kind or not joins(kind, self._group):
            said += self._finished(wire.COMPLETED)
            said.append(self._add(kind, part))
        self._group.append(part)
        self._part, self._text = part, []
        text = _so_far(part)
        said += self._begin(part)
        return [*said, *self.grew(text)] if text else said

    def _add(self, kind: str, part: Any) -> Object:
        """The item that a part begins, before anything of it is said."""
        self._from = self._length
        self._kind = kind
        if kind == MESSAGE:
            self._item = {"type": MESSAGE, "role": "assistant", "content": []}
        elif kind == REASONING:
            self._item = {"type": REASONING, "summary": []}
        else:
            (made,) = answered(Turn(Role.ASSISTANT, [part]))
            self._item = {**made, FIELD[type(part)]: ""}
        self._item = identified(self._item, self._shell.id or "", len(self._output))
        if "status" in self._item or kind == MESSAGE:
            self._item["status"] = "in_progress"
        return self._event("response.output_item.added", output_index=len(self._output), item=self._item)

    def _begin(self, part: Any) -> list[Json]:
        self._address = {"item_id": self._item["id"], "output_index": len(self._output)}
        if wordless(part):
            return []
        said: list[Json] = []
        if type(part) in CALLS:
            self._family = wire.FAMILY_OF_ITEM[CALLS[type(part)]]
        else:
            kind = PARTS[type(part)]
            self._family = wire.FAMILY_OF_PART[kind]
            member, index = wire.FAMILIES[self._family]
            assert index is not None  # a part stands somewhere in its item
            self._address[index] = len(self._group) - 1
            empty: Object = {"type": kind, member: ""}
            if kind == "output_text":
                empty["annotations"] = []
            said.append(self._event(f"{ADDED[index]}.added", **self._address, part=empty))
        self._grows()
        return said

    def _grows(self) -> None:
        self._scored = self._family == "response.output_text"
        self._delta = {"type": f"{self._family}.delta", "sequence_number": 0, **self._address, "delta": ""}

    def grew(self, text: str) -> list[Json]:
        self._text.append(text)
        event = self._delta.copy()
        event["sequence_number"] = self._number
        event["delta"] = text
        if self._scored:
            event["logprobs"] = scored_tokens(self._scores, [])
            if self._scores:
                self._tokens += self._scores
                self._scores = []
        self._number += 1
        return [event]

    def sealed(self, seal: Seal) -> list[Json]:
        self._part.seal = seal  # told with its item
        return []

    def cited(self, citation: parts.Citation) -> list[Json]:
        """Held until the text is whole: only then is its span known (CIT-1)."""
        self._citations.append(citation)
        return []

    def scored(self, event: events.Scored) -> list[Json]:
        """Held until the text is told that they are of."""
        tokens = text_alone(event.logprobs)
        if tokens is None:
            raise Refusal("STR-5", (event.src, "logprobs"), "log probabilities of content other than text")
        self._scores += tokens
        return []

    def closed(self) -> list[Json]:
        if wordless(self._part):
            return []
        said: list[Json] = []
        if isinstance(self._part, (parts.FunctionCall, parts.McpCall)) and not "".join(self._text).strip():
            said += self.grew("{}")  # no arguments at all: their text must be JSON all the same (TUL-1)
        text = "".join(self._text)
        setattr(self._part, FIELD.get(type(self._part), "text"), text)
        if type(self._part) is parts.Text:
            self._part.citations = self._citations or None
            said += [self._annotated(number, one, text) for number, one in enumerate(self._citations)]
            self._citations = []
            self._length += len(text)
        member = wire.FAMILIES[self._family][0]
        done = self._event(f"{self._family}.done", **self._address, **{member: text})
        if self._scored:
            self._tokens += self._scores  # of tokens that are no text
            self._scores = []
            done["logprobs"] = scored_tokens(self._tokens, [])
            self._said[len(self._group) - 1], self._tokens = self._tokens, []
        if isinstance(self._part, parts.FunctionCall):
            done["name"] = self._part.name
        said.append(done)
        index = next((key for key in ADDED if key in self._address), None)
        if index is not None:
            said.append(self._event(f"{ADDED[index]}.done", **self._address, part=self._done_part(index)))
        return said

    def _annotated(self, number: int, one: parts.Citation, text: str) -> Object:
        note = annotation(one, self._length, len(text), False)
        kind = "response.output_text.annotation.added"
        return self._event(kind, **self._address, annotation_index=number, annotation=note)

    def _done_part(self, index: str) -> Object:
        item = self._told()
        done: Object = item["summary" if index == "summary_index" else "content"][-1]
        return done

    def _finished(self, status: str) -> list[Json]:
        """The open item is done; it counts among the answer's from here on, as an object of its own."""
        if not self._item:
            return []
        event = self._event("response.output_item.done", output_index=len(self._output), item=self._whole(status))
        self._output.append(self._whole(status))
        self._item, self._group, self._kind, self._said = {}, [], "", {}
        return [event]

    def _whole(self, status: str) -> Object:
        item = identified(self._told(), self._shell.id or "", len(self._output))
        if "status" in item:
            item["status"] = status
        return item

    def _told(self) -> Object:
        """The open item as far as it got, each text with the scores of its tokens."""
        (item,) = answered(Turn(Role.ASSISTANT, self._group), self._from)
        for index, tokens in self._said.items():
            if tokens:
                item["content"][index]["logprobs"] = scored_tokens(tokens, [])
        return item

    # --- what the provider runs itself --------------------------------------------------------------------------------

    def _runs(self, call: Any) -> list[Json]:
        """A call is an item at once, and done when its result is told, or when nothing can be told any more."""
        kind, index = SHARED[type(call)], len(self._output)
        self._running[kind, call.id] = (index, call)
        item = {**RUN[kind]([call], False), "status": "in_progress"}
        self._output.append({})
        self._address = {"item_id": item["id"], "output_index": index}
        said = [
            self._event("response.output_item.added", output_index=index, item=item),
            *(self._event(f"response.{kind}.{word}", **self._address) for word in BEGINS[kind]),
        ]
        if type(call) not in CALLS:
            return said
        self._family = wire.FAMILY_OF_ITEM[CALLS[type(call)]]
        item["arguments"] = ""
        self._grows()
        text = _so_far(call)
        return [*said, *self.grew(text)] if text else said

    def _ran(self, kind: str, identity: str, *results: Any) -> list[Json]:
        if (kind, identity) not in self._running:
            return []
        index, call = self._running.pop((kind, identity))
        item, self._output[index] = (RUN[kind]([call, *results], False) for _ in range(2))
        said: list[Json] = []
        if (kind, item["status"]) in ENDS:
            event = f"response.{kind}.{item['status']}"
            said.append(self._event(event, item_id=item["id"], output_index=index))
        return [*said, self._event("response.output_item.done", output_index=index, item=item)]

    # --- the end ------------------------------------------------------------------------------------------------------

    def ended(self, candidate: Candidate) -> list[Json]:
        """The last item is done; a refusal is marked before, and worded unless text has worded it (REF-6, REF-8)."""
        self._terminal = candidate.terminal
        if self._scores:
            raise Refusal("STR-5", None, "log probabilities of content other than text")
        said: list[Json] = []
        if candidate.terminal.reason is StopReason.REFUSAL and not self._refused():
            told = candidate.terminal.refusal
            wording = told.explanation if told is not None and not self._length else None
            said += self.opened(parts.Refusal(wording or ""))
            said += self.closed()
        status = wire.STATUS_OF[candidate.terminal.reason]
        for kind, identity in list(self._running):
            said += self._ran(kind, identity)
        return [*said, *self._finished(wire.INCOMPLETE if status == wire.INCOMPLETE else wire.COMPLETED)]

    def _refused(self) -> bool:
        told = [part["type"] for item in self._output for part in item.get("content", ())]
        return "refusal" in told or any(isinstance(part, parts.Refusal) for part in self._group)

    def completed(self, usage: Usage | None) -> list[Json]:
        self._shell.usage = usage
        self._shell.candidates = [Candidate([], self._terminal)]
        response = {**raise_response(self._shell, False, self._options), "output": self._output}
        return [self._event(f"response.{response['status']}", response=response)]

    def failed(self, error: Error) -> list[Json]:
        """An error event of its own; the body of an HTTP answer has one member more around it."""
        body = raise_error(error, False, self._options)["error"]
        code = body.get("code") or openai.ERROR_CODE_OF[error.category]
        return [self._event("error", code=code, message=body.get("message"), param=body.get("param"))]


def _so_far(part: Any) -> str:
    """The text that a part begins with; some servers say all the arguments of a call at once."""
    text = getattr(part, FIELD.get(type(part), "text")) or ""
    return text if isinstance(text, str) else dumps(text, (part, "arguments"))


def wordless(part: Any) -> bool:
    """Whether a part is told with its item alone: a search, a result, or reasoning that is sealed as a whole."""
    if isinstance(part, parts.Reasoning):
        return part.text is None
    return isinstance(part, (parts.WebSearchCall, *RESULTS))


WHOLE = ("Repeated", "Unknown")
"""What is told beside an event and is all of it; other asides say again what no other protocol takes."""


class Restorer:
    """Most events are kept as they were, since they repeat; deltas get their text back."""

    def __call__(self, step: list[events.Event]) -> Json:
        built: Object = {}
        for event in step:
            if isinstance(event, events.UnmappedFields):
                if event.about == "Done":
                    return wire.DONE
                if event.about in WHOLE:
                    merge(built, event.extra.fields or {})
        grown = [event.text for event in step if isinstance(event, events.PartGrew)]
        if grown and built["type"].endswith(".delta"):
            built["delta"] = "".join(grown)
        return built
