"""What the items of a Responses stream are made of, and what has been sent of them, to compare with what repeats it.

Rule: a member without an IR field is reported at the first event that has it (LOS-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.node import Extra
from proxai_ir.ir.stream import events
from proxai_ir.ir.turns import Turn
from proxai_ir.json.types import whole_characters
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, extra_fields, optional, wrong
from .parts import OUTPUT, WRITTEN, kind_of, read_items, wording

EVENT_KEYS = frozenset(
    """
    type sequence_number item_id output_index content_index summary_index annotation_index item part delta text refusal
    arguments input name code logprobs obfuscation annotation response message param error partial_image_b64
    partial_image_index background output_format quality size
    """.split()
)
DELTA_KEYS = frozenset(
    "type sequence_number item_id output_index content_index summary_index delta logprobs obfuscation agent".split()
)
THOUGHTS = {wire.FAMILY_OF[kind]: kind for kind in ("summary_text", "reasoning_text")}

Address = tuple[int, str, int]
"""Of a part: the index of its item, the family of its events, its number in the item."""


def numbered(turn: Turn) -> Iterator[tuple[Any, str, int]]:
    """The parts of an item, each with its family of events and its position; thoughts stand in two lists."""
    summaries = 0
    for position, part in enumerate(turn.parts):
        kind = kind_of(part)
        yield part, wire.FAMILY_OF.get(kind, kind), position if kind != "reasoning_text" else position - summaries
        summaries += kind == "summary_text"


def unmapped(about: str, fields: Object | None, src: Any) -> list[events.Event]:
    """The event of members without an IR field, if there are any."""
    return [events.UnmappedFields(about, Extra(fields), src=src)] if fields else []


Called = tuple[Any, ...]
"""What is called and by what id; empty where a part is no call."""


def is_whole(part: ir.Part, known: SentPart | None) -> bool:
    """Whether all text of a part was emitted, and no citation of it is new."""
    if known is None or "".join(known.text) != wording(part) or known.called != called(part):
        return False
    return type(part) is not ir.Text or len(part.citations or ()) <= known.cited


def called(part: ir.Part) -> Called:
    if isinstance(part, ir.CALLS):
        return (part.namespace, part.name), part.id
    return ((part.server, part.name), None) if isinstance(part, ir.McpCall) else ()


def contradicted(before: Called, part: ir.Part, item: Object) -> list[events.Event]:
    """A call whose name or id was another when it began, which is the one that was emitted (STR-16)."""
    now = called(part)
    differ = [key for key, was, is_now in zip(("name", "call_id"), before, now, strict=False) if was != is_now]
    return unmapped("Contradicted", {key: item.get(key) for key in differ}, item)


def as_begun(before: Called, part: ir.Part) -> Object:
    """What a call was called when it began, as members of its item."""
    (namespace, name), identity = before
    if not isinstance(part, ir.CALLS):
        return {"server_label": namespace, "name": name}
    return {"name": name, "call_id": identity} | ({} if namespace is None else {"namespace": namespace})


def member_of(family: str, item: Object) -> str:
    """The member of an item that holds the text of a part, as far as one does."""
    member = wire.FAMILIES[family][0] if family in wire.FAMILIES else "type"
    return member if member in item else "type"


def begun(kind: str, given: Object) -> ir.Part:
    """A content part or a piece of reasoning, as it begins."""
    if kind in ("summary_text", "reasoning_text"):
        summary = True if kind == "summary_text" else None
        unknown = extra_fields(given, {"type", "text"})
        return ir.Reasoning(optional(given, "text", str) or "", None, given, unknown, summary)
    part: ir.Part = WRITTEN.read(given)
    return part


# --- what has been sent -----------------------------------------------------------------------------------------------

COMPARED = frozenset({"annotations", "logprobs"})
"""Members of a part of which `stream_parts` compares the entries."""
KNOWN_OF_ITEMS = frozenset(wire.VENDOR_FIELDS["Turn"])
"""Members of an item that have a rule; they are the same, or have their last value, when it is done."""


class SentPart:
    """A part that grows: its index in the stream, what it calls, its text so far, and how many citations it has.

    `is_text`: may have citations and log probabilities; `scored`: of how many tokens these were emitted. `named`:
    members without an IR field that were emitted, those of the part at 0, those of its citations from 1 on.
    """

    __slots__ = ("called", "cited", "closed", "index", "is_text", "named", "scored", "text")

    def __init__(self, index: int, is_text: bool = False, called: Called = ()) -> None:
        self.index = index
        self.called = called
        self.is_text = is_text
        self.text: list[str] = []
        self.cited = self.scored = 0
        self.closed = False
        self.named: set[tuple[int, str]] = set()

    def unnamed(self, part: ir.Part) -> list[events.Event]:
        """Members of the part and of its citations that were not emitted before."""
        if part.extra is None and not _citations(part):
            return []
        return [one for at, node in enumerate((part, *_citations(part))) for one in self.unnamed_of(at, node)]

    def unnamed_of(self, at: int, node: Any) -> list[events.Event]:
        """Those of the part, or of one citation."""
        fields = (node.extra and node.extra.fields) or {}
        new = {key: value for key, value in fields.items() if (at, key) not in self.named and key not in COMPARED}
        self.named.update((at, key) for key in new)
        return unmapped(type(node).__name__, new, node.src)


def sent(part: ir.Part) -> SentPart:
    """A part that was emitted as a whole."""
    whole = SentPart(-1, called=called(part))
    if kind_of(part):
        whole.text.append(wording(part))
    whole.cited = len(_citations(part))
    whole.closed = True
    whole.unnamed(part)
    return whole


def settled(part: SentPart, whole: str, holder: Object, member: str) -> list[events.Event]:
    """Compare the whole text with its pieces; what none of them had is emitted now."""
    emitted = "".join(part.text)
    if emitted == whole or (emitted := whole_characters(emitted)) == whole:
        part.text = [whole]  # in place of its pieces
        return []
    if part.closed or not whole.startswith(emitted):
        raise wrong(holder, member, "the text of the deltas", "STR-9")
    part.text = [whole]
    return [events.PartGrew(part.index, whole[len(emitted) :])]


def check_placed(unplaced: Iterable[tuple[Object, str, str]], known: Iterable[SentPart]) -> None:
    """Texts of events, with the member that has them, have to be those of parts (STR-24)."""
    texts: set[str] | None = None
    for event, member, text in unplaced:
        texts = texts or {"".join(part.text) for part in known}
        if text not in texts:
            raise wrong(event, member, "the arguments of a call", "STR-9")


def _citations(part: ir.Part) -> list[ir.Citation]:
    return (part.citations or []) if type(part) is ir.Text else []


class SentItems:
    """The members of items that have no IR field, each of which is named once."""

    def __init__(self) -> None:
        self._named: dict[int, set[str]] = {}

    def unnamed(self, index: int, turn: Turn) -> list[events.Event]:
        """Those of an item that is done, or repeated in the whole response."""
        return self._unnamed(index, (turn.extra and turn.extra.fields) or {}, turn.src)

    def unknown(self, index: int, item: Object) -> list[events.Event]:
        """Those that no rule knows, of an item that is added: it may be without them when it is done."""
        try:
            (turn,) = read_items([item], OUTPUT)
        except Refusal:
            return []  # what is required may come later
        fields = (turn.extra and turn.extra.fields) or {}
        return self._unnamed(index, {key: fields[key] for key in fields if key not in KNOWN_OF_ITEMS}, item)

    def _unnamed(self, index: int, fields: Object, src: Any) -> list[events.Event]:
        named = self._named.setdefault(index, set())
        new = {key: value for key, value in fields.items() if key not in named}
        named.update(new)
        return unmapped("Turn", new, src)
