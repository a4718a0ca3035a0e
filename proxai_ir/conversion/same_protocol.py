"""Convert between a protocol and itself: the way back of an edited tree, and requests for a stated server (CAP-1,
RSN-27).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from ..ir.error import Error
from ..ir.request import Request
from ..ir.response import Response
from ..ir.structure import PARTS, copy_tree, nodes
from ..json.merge import changes, equal, merged, own, regained
from ..passes import companions, own_protocol
from ..passes.own_protocol import Demands, Forms
from ..passes.pipeline import legalize
from ..protocol.detection import kind_of, read_error, read_request, read_response
from ..protocol.registry import Backend, Frontend, backend
from ..reporting.diagnostics import Record, Refusal
from ..reporting.report import Report
from ..reporting.vocabulary import in_source
from ..targets.constraints import of_stated
from ..targets.settings import Server
from ..targets.verdicts import Target
from .profile import Profile

# --- same protocol ----------------------------------------------------------------------------------------------------
# A tree back into the protocol that it was read from: its payload, with the edits made to the tree.
#
# The tree refers to that payload (`src`), so no reader has to note in which of several forms the source wrote
# something. Rule 1: an unchanged tree gives the payload itself. Rule 2: an edited one gives the payload with the edit
# and nothing else: a three-way merge of the payload with the canonical output of the tree as it was and as it is.
# Rule 3: the result is read again, and has to be the edited tree; else the canonical output is taken.


Json = Any
Read = Callable[[Json], Any]


def restored(
    root: Any,
    front: Frontend,
    back: Backend,
    options: Mapping[str, Any],
    legal: Callable[[Any], object],
    plain: Backend | None = None,
) -> Json:
    """Return the payload of a tree of the protocol that it was read from.

    legal  makes a tree legal for the protocol, or raises Refusal
    plain  the backend of a server with other names for some members, if the names of `back` are stated

    Raises Refusal for what the protocol refuses and the payload did not hold, and for an edit that it cannot represent.
    """
    source, read = root.src, _reader(root, front)
    before = _read_safely(read, own(source))
    if before is None:  # a tree that was made
        return _canonical(root, front, back, options)
    if before == root and options is back.defaults and plain is None:
        return own(source)
    _refuse(_refused(root, legal), _refused(before, legal))
    usual = plain or back
    was, now = _canonical(before, front, usual, usual.defaults), _canonical(root, front, back, options)
    three = before.src, was, now
    merges = (merged(*three), regained(*three, filled_in=False), regained(*three, filled_in=True))
    found = [(made, _read_safely(read, made)) for made in sorted(merges, key=lambda made: changes(own(source), made))]
    for made, node in found:
        if same(node, root, made):
            return made
    for made, node in found:  # with members that the protocol needs, and the tree has not
        if (
            node is not None
            and same(_bare(node), _bare(root), made)
            and equal(_canonical(node, front, back, options), now)
        ):
            return made
    meant = _read_safely(read, now)  # less than the tree, as the protocol cannot represent all of it
    best = next((made for made, node in found if meant is not None and same(node, meant, made)), now)
    if before != root and equal(best, own(source)):
        raise Refusal("SHP-9", None, "the protocol cannot represent this edit of its payload")
    return best


def _refused(tree: Any, legal: Callable[[Any], object]) -> list[Record]:
    try:
        legal(copy_tree(tree))
    except Refusal as refusal:
        return refusal.records
    return []


def _refuse(found: list[Record], before: list[Record]) -> None:
    """Raise Refusal for rules that an edit breaks and the payload, as it was before, did not."""
    allowed = {rule for rule, _, _ in before}
    records = [record for record in found if record[0] not in allowed]
    if records:
        raise Refusal.of_records(records)


def folded(root: Any, front: Frontend, back: Backend, options: Mapping[str, Any]) -> Json:
    """Return the payload of a response that was folded from a stream: its source, if that has all of it."""
    source = own(root.src)
    if isinstance(source, dict) and _read_safely(_reader(root, front), source) == root:
        return source
    return _canonical(root, front, back, options)


def _reader(root: Any, front: Frontend) -> Read:
    """Return the reader of a tree's payload; that of an error may be a failed response (STS-9)."""
    if isinstance(root, Request):
        return partial(read_request, front)

    def read_whole(payload: Json) -> Response | Error:
        return read_response(front, payload, root.headers)

    if isinstance(root, Response):
        return read_whole

    def read(payload: Json) -> Error:
        return read_error(front, payload, root.status, root.headers)

    whole = (
        isinstance(root.src, dict) and kind_of(front, root.src) == "response" and _read_safely(read, root.src) != root
    )
    return read_whole if whole else read


def _read_safely(read: Read, payload: Json) -> Any:
    """Return the tree of a payload; None if there is no payload, or it is refused."""
    try:
        return None if payload is None else read(payload)
    except Refusal:
        return None


def _canonical(root: Any, front: Frontend, back: Backend, options: Mapping[str, Any]) -> Json:
    """Return the payload of a tree as its protocol has it, whatever its source looks like.

    Raises Refusal for what only writing shows, such as arguments that are no object.
    """
    try:
        return getattr(back, type(root).__name__.lower())(root, back.bound(options))
    except Refusal as refusal:
        raise Refusal.of_records(in_source(refusal, front.vocabulary)) from None


def same(found: Any, wanted: Any, payload: Json) -> bool:
    """Return whether a payload was read as the tree that is wanted.

    Ids that the payload lacks may differ, as the reader generates them; arguments may be an object or its JSON text.
    """
    if found == wanted:
        return True
    if type(found) is not type(wanted):
        return False
    text = "\n".join(_strings(payload))
    return bool(_comparable(found, text) == _comparable(wanted, text))


def _strings(payload: Json) -> Iterator[str]:
    """Yield the strings of a payload, which may be of any depth and hold itself."""
    waiting, known = [payload], {id(payload)}
    while waiting:
        value = waiting.pop()
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        for one in inner:
            if isinstance(one, str):
                yield one
            elif id(one) not in known:
                known.add(id(one))
                waiting.append(one)


def _comparable(root: Any, text: str) -> Any:
    """Return a copy with arguments as objects, and with numbers, in order of occurrence, for ids that are not in the
    text."""
    root = copy_tree(root)
    numbers: dict[str, str] = {}
    for node in nodes(root):
        for name in ("id", "call_id") if isinstance(node, PARTS) else ():
            value = getattr(node, name, None)
            if isinstance(value, str) and value not in text:
                setattr(node, name, numbers.setdefault(value, f"#{len(numbers)}"))
        if isinstance(getattr(node, "arguments", None), str):
            with suppress(ValueError):  # text that is no JSON is compared as it is
                node.arguments = json.loads(node.arguments)
    return root


def _bare(root: Any) -> Any:
    """Return a copy of the tree without unmapped members."""
    root = copy_tree(root)
    for node in nodes(root):
        if getattr(node, "extra", None) is not None:
            node.extra = None
    return root


# --- relaying ---------------------------------------------------------------------------------------------------------
# A request between a protocol and itself, for a server that the caller states (CAP-1), or with envelopes (RSN-27).
#
# Rule: what the server lacks is approximated or dropped with a finding, what it demands of the structure is met, and
# members have the names that it uses; all else stays as the source has it. Without any change the payload itself is the
# output.


class Relaying:
    """The differences of a server from others of its protocol.

    table    the verdicts on what it lacks; None: it lacks nothing
    demands  what it demands of the structure; None: nothing
    forms    the forms of tools that it lacks; None: it is not described
    plain    the backend of a server with the other names, if names of members are stated of this one; else None
    names    those of a request's own members
    inner    whether others are stated
    checks   whether the target has checks of what other providers left in the history
    words    whether it refuses tool results without text, as all servers of its protocol do (PLC-27)
    """

    __slots__ = ("back", "checks", "demands", "forms", "inner", "names", "plain", "table", "words")

    def __init__(self, front: Frontend | None, back: Backend) -> None:
        self.back = back
        self.table: Target | None = None
        self.demands: Demands | None = None
        self.forms: Forms | None = None
        self.plain: Backend | None = None
        self.checks = any(check.relayed for check in back.target.active)
        self.words = False
        self.names, self.inner = set[str](), False
        renamed: dict[str, Any] = {}
        if front is None or front.protocol != back.protocol or not back.stated:
            return
        declared = back.target.settings
        stated = {name: value for name, value in back.stated.items() if _is_other(declared, name, value)}
        named = {one for name, value in stated.items() for one in declared[name].demanded(value)}
        self.table = of_stated(back.target, back.stated)
        demanded = {name: getattr(back.constraints, name) for name in named}
        if named:
            self.demands = Demands(backend(back.protocol).constraints, demanded) or None
        self.forms = Forms(back.target, back.stated, demanded)
        for name, value in back.stated.items():  # though it be the default: the source may have the other name
            if name in declared and (names := declared[name].renames):
                renamed[name] = next(one for one in declared[name].choices or (True, False) if one != value)
                self.names |= {names[not value]} if isinstance(names, tuple) else set()
                self.inner = self.inner or names is True
        if renamed:
            self.plain = backend(Profile(back.protocol, **renamed))
        self.words = companions.results_need_text(back.constraints)

    def concerns(self, root: Any, options: Mapping[str, Any]) -> bool:
        """Return whether the payload of a tree may have to change for the server; only those of requests do."""
        if type(root) is not Request:
            return False
        if self.table is not None or self.demands is not None or self.plain is not None:
            return True
        if self.words and any(companions.empty_results(root, self.back.constraints)):
            return True
        envelopes = own_protocol.states_envelopes(options)
        return envelopes and (own_protocol.holds_envelopes(root) or self._wants_signatures(root))

    def cleared(self, root: Any, made: Json | None, options: Mapping[str, Any]) -> Json | None:
        """Return the payload to send; texts of other providers in the place of ciphertext become plain ones (RSN-27).

        `made` is the payload so far, None for that of the source; it is returned as it is if there are no such texts.
        """
        clear = self.back.cleared
        if clear is None or type(root) is not Request or not own_protocol.states_envelopes(options):
            return made
        found = clear(own(root.src) if made is None else made)
        return made if found is None else found

    def restates(self, root: Any, options: Mapping[str, Any]) -> bool:
        """Return whether a request has tools in a form that the server lacks, and is to be converted as for any other
        server that lacks it."""
        return type(root) is Request and self.forms is not None and self.forms.are_in(root, options)

    def change(self, root: Request, options: Mapping[str, Any], report: Report, server: Server) -> tuple[bool, bool]:
        """Change a request to what the server takes. Return whether it held envelopes, and whether it may have changed,
        with a finding or without."""
        asked = own_protocol.states_envelopes(options)
        held = asked and own_protocol.holds_envelopes(root)
        checked = held or (asked and self._wants_signatures(root))
        target, constraints = self.back.target, self.back.constraints
        had = [turn for turn in root.turns or () if turn.parts]
        if held:
            own_protocol.relay(root, target, constraints, report, server)
        if self.table is not None:
            legalize(root, self.table, report, server)
        if checked:
            own_protocol.check(root, target, report, server)
        if report.records:
            own_protocol.leave_out_emptied(root, had, constraints, report)
        moved = self.demands is not None and self.demands.meet(root, report, options)
        if self.words:
            companions.word_empty(root, self.back.constraints, report)
        return held, held or moved or bool(report.records) or self._renames(root, server)

    def _wants_signatures(self, root: Request) -> bool:
        return self.checks and own_protocol.is_unsigned(root)

    def _renames(self, root: Request, server: Server) -> bool:
        """Return whether members of a request have names that are not the server's."""
        if self.plain is None:
            return False
        if not self.names.isdisjoint(own(root.src) or ()):
            return True
        try:
            return self.inner and not equal(
                self.back.request(root, server), self.plain.request(root, self.plain.server)
            )
        except Refusal:
            return False


def _is_other(declared: Mapping[str, Any], name: str, value: Any) -> bool:
    return name in declared and value != declared[name].default
