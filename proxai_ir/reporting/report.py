"""The report of one conversion: findings as rule, node and field, whose places in the payload are computed later.

A finding is a tuple and costs next to nothing; its place is computed when somebody reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import attrs

from ..ir.node import Joint, Several, sources
from ..ir.structure import nodes
from ..json.pointer import Place, PointerIndex
from .catalogue import ERRORS, KNOWN
from .diagnostics import Record, Refusal
from .vocabulary import NONE, Vocabulary, located

NO_LIMITS: Mapping[str, str] = {}


class Facts:
    """Facts about the tree that passes note for later ones, so that these can skip work.

    linked             there are tool calls or results
    documents          there are documents, for targets that require a text with them
    executed           something that the provider executed itself was dropped
    media              the first image, audio or video of a model's that was dropped
    emptied            some turn has no parts
    reshaped           some part was replaced by a weaker form, whose place may matter
    cache_breakpoints  the number of cache breakpoints
    named              the ids of turns that a finding names as a whole
    blank              the ids of turns that had no parts in the source
    joined             the items that a turn was joined from, by the turn's id
    rounds             the rounds of calls and results, once a pass has asked for them (passes/calls.py)
    met                the classes of nodes and roles of turns in the tree, of those that the target's checks ask for
    emulated           the functions that replace custom tools
    client_tools       the functions that replace client tools, each with the kind of its tool
    """

    # Defaults of the class, since most conversions change none of them.
    linked = documents = executed = emptied = reshaped = False
    cache_breakpoints = 0
    named: set[int] | None = None
    blank: set[int] | None = None
    joined: dict[int, list[Any]] | None = None
    rounds: Any = None
    media: Any = None
    met: set[Any] | None = None
    emulated: list[Any] | None = None
    client_tools: list[tuple[str, Any]] | None = None

    def add_named(self, turn: Any) -> None:
        self.named = self.named or set()
        self.named.add(id(turn))

    def add_blank(self, turn: Any) -> None:
        self.blank = self.blank or set()
        self.blank.add(id(turn))

    def add_joined(self, whole: Any, items: list[Any]) -> None:
        self.joined = self.joined or {}
        self.joined[id(whole)] = items

    def add_client_tool(self, kind: str, function: Any) -> None:
        self.client_tools = self.client_tools or []
        self.client_tools.append((kind, function))

    def add_met(self, what: Any) -> None:
        if self.met is None:
            self.met = {what}
        else:
            self.met.add(what)


class Report:
    """The findings of one conversion, in the order in which they were made.

    vocabulary  the vocabulary of the source's protocol
    stops       the rules that end the conversion
    limits      by rule, the values that the target accepts, as a detail for findings about a rejected value
    facts       what passes found out, for later ones
    state       what the conversion of the response needs in order to undo changes, as plain JSON
    _passed     the number of records, from the first, of which none ends the conversion
    """

    __slots__ = ("_passed", "facts", "limits", "records", "state", "stops", "vocabulary")

    def __init__(
        self, vocabulary: Vocabulary = NONE, stops: Set[str] = ERRORS, limits: Mapping[str, str] = NO_LIMITS
    ) -> None:
        self.vocabulary = vocabulary
        self.stops = stops
        self.limits = limits
        self.records: list[Record] = []
        self._passed = 0
        self.facts = Facts()
        self.state: dict[str, Any] = {}

    def at(self, rule: str, node: Any, name: str = "", detail: str = "") -> None:
        """Record a finding about a node, or about one of its fields."""
        if not detail and rule in self.limits:
            detail = self.limits[rule]
        vocabulary = self.vocabulary
        self.records.append((rule, (located, vocabulary.wire_paths, node, name), detail))
        if name:
            if name in vocabulary.joint:
                self._at_last_place(rule, node, name, detail)
        elif node.src.__class__ is Several:
            self.records += [(rule, (src,), detail) for src in node.src[1:]]

    def _at_last_place(self, rule: str, node: Any, name: str, detail: str) -> None:
        """Record the finding at the last place too, if a field has several (Joint) and that one is set."""
        paths = self.vocabulary.wire_paths.get(node.__class__.__name__, {}).get(name)
        if isinstance(paths, Joint):
            for src in sources(node):
                if isinstance(src, dict) and src.get(paths[-1]) is not None:
                    self.records.append((rule, (src, paths[-1]), detail))

    def under(self, rule: str, node: Any, name: str, value: Any, detail: str = "", *, omitted: bool = False) -> None:
        """Record a finding about a field that holds a node or nodes.

        A node that is not at the wire path of the field, as a marker next to a part, is found by its own `src`.
        `omitted`: it is dropped without loss, so that extra fields inside it have to be reported.
        """
        before = len(self.records)
        self.at(rule, node, name, detail)
        src = getattr(value, "src", None)
        if src is not None and src is not node.src:
            _, place, detail = self.records[before]
            self.records[before] = (rule, (*place, src[0] if src.__class__ is Several else src), detail)
            if src.__class__ is Several:
                self.records += [(rule, (one,), detail) for one in src[1:]]
        if omitted:
            for one in value if isinstance(value, list) else (value,):
                self.inside(rule, one)

    def inside(self, rule: str, node: Any) -> None:
        """Record the extra fields of a node that is dropped, and of those below it, unless the rule names them all."""
        if not KNOWN[rule].whole:
            for one in nodes(node):
                if getattr(one, "extra", None) is not None:
                    self.extra_fields(one)

    def extra_fields(self, node: Any) -> None:
        """Record members that only the source's protocol has, each under the rule that its vocabulary names (LOS-3)."""
        self.vocabulary.report_members(node, self.stops is not ERRORS, self.records)

    def misfits(self, found: Iterable[tuple[str, Place]], node: Any) -> None:
        """Record what the target's form of a node's schema lacks, each with its place, None for the whole schema.

        A schema that the library made for a tool of another form loses nothing that the source had.
        """
        facts = self.facts
        made = (*(facts.emulated or ()), *(tool for _, tool in facts.client_tools or ()))
        if not any(node is one for one in made):
            self.records += [(rule, node.src if place is None else place, "") for rule, place in found]

    def has_member(self, cls: str, name: str) -> bool:
        """Return whether the source's protocol has a member for a field; otherwise all its payloads imply the field."""
        return name in self.vocabulary.wire_paths.get(cls, ())

    @property
    def stores(self) -> bool:
        """Whether the source protocol stores responses by default; true if there is no source protocol."""
        return self.vocabulary.stores

    def place(self, node: Any, name: str) -> Place:
        """Return a place that is computed when it is read. It must not refer to the report, which refers to it."""
        return (located, self.vocabulary.wire_paths, node, name)

    def stop(self) -> None:
        """Raise Refusal with all findings that end the conversion, if there are any; a finding is looked at once."""
        stops, records = self.stops, self.records
        for record in records[self._passed :]:
            if record[0] in stops:
                raise Refusal.of_records([each for each in records if each[0] in stops])
        self._passed = len(records)

    def take(self, since: int = 0) -> list[Record]:
        """Remove the findings from this number on, and return them."""
        taken = self.records[since:]
        del self.records[since:]
        self._passed = min(self._passed, since)
        return taken


Json = Any


class Places:
    """The pointers of nodes and their fields in the payload that they were read from."""

    def __init__(self, payload: Json, vocabulary: Vocabulary) -> None:
        self._index = PointerIndex(payload, tree=False)
        self._report = Report(vocabulary)

    def __call__(self, node: Any, name: str) -> str:
        """Return the pointer of a field of a node, or that of the node itself if the name is ""."""
        return self._index.pointers(self._report.place(node, name))[0] if node is not None else ""

    def in_json(self, root: Any, written: Json) -> Iterator[tuple[str, str]]:
        """Yield for each field in the JSON form of a tree its pointer there and its pointer in the payload."""
        waiting: list[tuple[str, Any, Json]] = [("", root, written)]
        while waiting:
            path, node, members = waiting.pop()
            for name in [one.name for one in attrs.fields(type(node)) if one.name in members]:
                value, inside = getattr(node, name), f"{path}/{name}"
                yield inside, self(node, name)
                nodes = [(inside, value, members[name])]
                if isinstance(value, list):
                    nodes = [(f"{inside}/{at}", one, members[name][at]) for at, one in enumerate(value)]
                waiting += [one for one in nodes if hasattr(one[1], "src")]
