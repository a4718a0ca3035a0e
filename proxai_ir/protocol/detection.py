"""Read a payload by a protocol's frontend, and detect the protocol, the kind and the framing of a payload."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import attrs
import orjson

from ..framing import Framing
from ..ir.error import Error, kept_whole, stands_for_error
from ..ir.parts import UnknownPart
from ..ir.request import Request
from ..ir.response import Response
from ..ir.stream.events import Ended, Event, Started, UnmappedFields
from ..ir.structure import nodes
from ..ir.tools import UnknownTool
from ..json.pointer import Place
from ..reporting.diagnostics import ONLY_WHETHER, Record, Refusal, StreamError
from ..reporting.vocabulary import Vocabulary, unmapped_members
from .registry import Frontend, framing_of, frontend, protocols
from .slips import mended, read_mended

# --- readers ----------------------------------------------------------------------------------------------------------
# One payload of a kind into the tree, by a protocol's frontend: with its headers if the frontend takes them, and again
# without its slips if it was refused (ENV-15).


Headers = Mapping[str, str]


def read_request(front: Frontend, payload: Any) -> Request:
    """Return the IR of a request. Raises Refusal."""
    try:
        return read_unmended_request(front, payload)
    except Refusal:
        again = mended(payload, front.repeated)
        if again is payload:
            raise
    return read_mended(partial(read_unmended_request, front), again)


def read_unmended_request(front: Frontend, payload: Any) -> Request:
    """Return the IR of a request without looking for slips."""
    node = front.request(payload)
    return node if node.streaming is None else with_usage(node, front)


def with_usage(node: Request, front: Frontend) -> Request:
    """Note that a stream is to report its usage, where all streams of the request's protocol do (USE-10)."""
    if node.streaming is not None and node.streaming.stream and front.always_counts:
        node.streaming.usage = True
    return node


def read_response(front: Frontend, payload: Any, headers: Headers | None) -> Response | Error:
    """Return the IR of a response, or of the error that a failed response is. Raises Refusal."""
    try:
        return read_unmended(front, payload, headers)
    except Refusal:
        again = mended(payload, front.slips)
        if again is payload:
            raise
    return read_mended(lambda one: read_unmended(front, one, headers), again)


def read_unmended(front: Frontend, payload: Any, headers: Headers | None) -> Response | Error:
    """Return the IR of a response, or of an error, without looking for slips."""
    if "response" not in front.headed:
        return front.response(payload)
    node: Response | Error = _with_headers(front.response, headers, payload)
    return node


def read_error(front: Frontend, payload: Any, status: int | None, headers: Headers | None = None) -> Error:
    """Return the IR of an error's body. Raises Refusal for a value that is not JSON.

    The frontend reads objects, and arrays if the protocol has them; a body of any other type is kept whole (ERR-5).
    """
    if isinstance(payload, dict) or (front.error_arrays and isinstance(payload, list)):
        if "error" not in front.headed:
            return front.error(payload, status)
        node: Error = _with_headers(front.error, headers, payload, status)
        return node
    if isinstance(payload, tuple):  # which json would write as an array
        raise Refusal("SHP-1", None, "expected JSON as the error, found a Python tuple")
    try:
        return kept_whole(front.protocol, payload, status)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal("SHP-1", None, str(error)) from None


def _with_headers(read: Callable[..., Any], headers: Headers | None, *given: Any) -> Any:
    """Return the tree of a payload that is read with its headers, which it keeps for a second reading."""
    node = read(*given, headers=headers or {})
    node.headers = headers
    return node


# --- detection --------------------------------------------------------------------------------------------------------
# Rule: neither protocols nor pairs are listed. A protocol's discriminators determine the kind, its frontend whether the
# payload can be read, and its vocabulary how many members are unknown.


Json = Any
HINT = "SHP-12"
FAMILY = "UNK-"
"""The rules of members that a protocol does not know, as payloads of another protocol have them."""
ENDS = 4
"""How many items from either end of a long list a hint is computed from, and at most the events that show a stream."""


class Reading(NamedTuple):
    """A payload that one protocol accepts."""

    protocol: str
    kind: str
    unknown: int
    """How many members, parts and tools the protocol does not know."""
    kept: int
    """How many nodes have members outside the IR."""
    node: Any
    shown: bool = True
    """Whether it has something of this protocol alone; true if its frontend does not say (`Frontend.shows`)."""


def kind_of(front: Frontend, payload: Json) -> str | None:
    """Return the kind of a payload of a protocol, by its members; None if they fit none, or more than one."""
    try:
        return front.detect(payload)
    except Refusal:
        return None


def is_error(front: Frontend, payload: Json) -> bool:
    """Return whether a payload is an error: by its members, or in one of the forms that gateways send."""
    kind = kind_of(front, payload)
    return kind == "error" or (kind is None and isinstance(payload, dict) and stands_for_error(payload))


def readings(payload: Json, kind: str | None = None) -> list[Reading]:
    """Return a reading for each protocol that accepts the payload: the one with the fewest unknown members first."""
    token = ONLY_WHETHER.set(True)
    try:
        found = [_reading(payload, kind, frontend(name)) for name in protocols()]
    finally:
        ONLY_WHETHER.reset(token)
    return sorted(filter(None, found), key=_rank)


def detected(payload: Json, kind: str | None = None) -> list[Reading]:
    """Return the readings that leave the fewest members unknown; several if the payload may be of either protocol."""
    found = readings(payload, kind)
    return [one for one in found if _rank(one) == _rank(found[0])]


def means_the_same(found: Sequence[Reading]) -> bool:
    """Return whether a payload means the same in all protocols that read it."""
    trees = [attrs.evolve(one.node, protocol=None) for one in found]
    return all(tree == trees[0] for tree in trees)


def protocols_of(payload: Json) -> list[tuple[str, str, int]]:
    """Return what a payload may be, parsed: each protocol with the kind and how many members it does not know. A list
    is a stream, and so is a single event of one."""
    if isinstance(payload, list):
        return [(name, "stream", 0) for name in begins(*first_of(payload))]
    found = [one[:3] for one in detected(payload)]
    return found or [(name, "stream", 0) for name in begins(payload)]


def _rank(one: Reading) -> tuple[int, bool, int]:
    return one.unknown, not one.shown, one.kept


def _reading(payload: Json, kind: str | None, front: Frontend) -> Reading | None:
    if not isinstance(payload, dict):
        return None
    try:
        found = front.detect(payload)
        if kind not in (None, found):
            return None
        if found == "request":
            node: Any = read_request(front, payload)
        else:
            node = read_error(front, payload, None) if found == "error" else read_response(front, payload, None)
        strange, kept = _counts(node, front.vocabulary)
        shown = front.shows is None or front.shows(found, payload)
        return Reading(front.protocol, found, strange, kept, node, shown)
    except Refusal:
        return None
    except Exception:  # a bug in another package must not become a finding about this payload
        return None


def unknown(root: Any, vocabulary: Vocabulary) -> int:
    """Return how many members, parts and tools of a tree its protocol does not know."""
    return _counts(root, vocabulary)[0]


def _counts(root: Any, vocabulary: Vocabulary) -> tuple[int, int]:
    """Return how many members, parts and tools of a tree its protocol does not know, and how many nodes have members
    outside the IR."""
    records: list[Record] = []
    count = kept = 0
    for node in nodes(root):
        extra = getattr(node, "extra", None) is not None
        kept += extra
        if isinstance(node, (UnknownPart, UnknownTool)):
            count += 1
        elif extra:
            vocabulary.report_members(node, True, records)
    count += isinstance(root, Error) and root.verbatim is not None  # a body of no shape that is known (ERR-5)
    return count + len(_places(records)), kept


def _unknown_members(root: Any, vocabulary: Vocabulary) -> list[Place]:
    """Return the places of the members of a tree that its protocol does not know."""
    records: list[Record] = []
    for node in nodes(root):
        if not isinstance(node, (UnknownPart, UnknownTool)) and getattr(node, "extra", None) is not None:
            vocabulary.report_members(node, True, records)
    return _places(records)


def _places(records: Iterable[Record]) -> list[Place]:
    return [place for rule, place, *_ in records if rule.startswith(FAMILY)]


# --- streams ----------------------------------------------------------------------------------------------------------
# A stream shows its protocol by its first event: a reader of each protocol is asked whether that begins a response.


def is_stream(payload: Json, kind: str | None) -> bool:
    """Return whether a payload is a stream: of the kind that the caller stated, else by being a list of events."""
    return kind == "stream" or (kind is None and isinstance(payload, list))


def first_of(events: Iterable[Json]) -> list[Json]:
    """Return the events that show what a stream is: some servers report before it, such as Azure's filters."""
    return [*islice((one for one in events if isinstance(one, dict)), ENDS)]


def begins(*first: Json) -> list[str]:
    """Return the protocols of which a stream may begin with these events: those to which the fewest of their members
    are unknown, as servers add members of their own to a protocol."""
    found = {name: _unknown_in_first(first, frontend(name)) for name in protocols()}
    least = min((count for count in found.values() if count is not None), default=None)
    return [name for name, count in found.items() if count is not None and count == least]


def ends(event: Json, name: str) -> bool:
    """Return whether an event that begins a stream of this protocol ends it, too."""
    return any(type(one) is Ended for one in _reader(frontend(name))(event))


def _unknown_in_first(first: Sequence[Json], front: Frontend) -> int | None:
    """Return how many members the protocol does not know, of the events up to the one that begins a response.

    None if no stream of the protocol begins so, or if it knows at most half of the members of that event.
    """
    try:
        read, found = _reader(front), list[Place]()
        for event in first:
            made = read(event)
            found += [place for one in made for place in _unknown_to(one, front.vocabulary)]
            if any(type(one) is Started for one in made):
                own = {place[1] for place in found if isinstance(place, tuple) and place[0] is event}
                return len(found) if len(own) < len(event.keys() - own) else None
    except Exception:  # a refusal, or a bug in another package, which must not become a finding about this stream
        return None
    return None


def _reader(front: Frontend) -> Callable[[Json], list[Event]]:
    """Return the function that reads the next event of a stream; for a value that is no object, it returns none."""
    if front.stream is None:
        return lambda _: []
    headers: dict[str, Any] = {"headers": {}} if "stream" in front.headed else {}
    feed = front.stream(front.options, **headers).feed
    return lambda event: [*feed(event)] if isinstance(event, dict) else []


def _unknown_to(event: Event, vocabulary: Vocabulary) -> list[Place]:
    """Return the places of the members of an event of the IR that are unknown to the protocol it was read by."""
    if type(event) is Started:
        return _unknown_members(event.response, vocabulary)
    records: list[Record] = []
    if type(event) is UnmappedFields:
        table = vocabulary.vendor_fields.get(event.about, {})
        if isinstance(table, Mapping):
            unmapped_members(event.extra.fields or {}, table, event.src, (), records)
    return _places(records)


def streams_in(data: bytes) -> list[str]:
    """Return the protocols of which bytes may be a stream, each in its own framing or as a JSON array."""
    found: list[str] = []
    for name in protocols():
        with suppress(StreamError):
            if name in begins(*first_of(framing_of(name).decode([data]))):
                found.append(name)
    return found


def holds_stream(framing: Framing, data: bytes) -> bool:
    """Return whether bytes are a stream in this framing, and not one JSON value, which may begin as one does."""
    if not framing.begins(data):
        return False
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return True
    return False


# --- hints ------------------------------------------------------------------------------------------------------------
# What else a payload looks like, for a caller who named another protocol or kind (SHP-12). A hint is computed only
# after a loss or a refusal.


def hint(payload: Json, kind: str | None, given: Frontend) -> str:
    """Return the hint for a payload that was passed as this protocol and kind; "" if it looks like nothing else."""
    payload = _ends(payload)
    fitting = [one for one in readings(payload) if not one.unknown]
    if any(one.protocol == given.protocol and one.kind == (kind or one.kind) for one in fitting):
        return ""
    fitting = [one for one in fitting if _rank(one) == _rank(fitting[0])]
    same = [one.protocol for one in fitting if one.kind == (kind or one.kind)]
    names = same or [f"a{'n' * (one.kind[0] in 'aeiou')} {one.kind} of {one.protocol}" for one in fitting]
    return f"the payload looks like {' or '.join(names)}" if names else ""


def looks_like(event: Json, given: str) -> str:
    """Return the hint for a stream with this first event that was passed as this protocol; "" if there is none."""
    names = begins(event)
    if given in names:
        return ""
    if names:
        return f"the stream looks like {' or '.join(names)}"
    found = hint(event, "stream", frontend(given))
    return f"expected events of a stream; {found}" if found else ""


def hinted(records: Sequence[Record], payload: Json, kind: str | None, given: Frontend) -> list[Record]:
    """Return the refusals of a payload with its hint, if there is one, in the first of them."""
    return with_hint(records, hint(payload, kind, given))


def with_hint(records: Sequence[Record], text: str) -> list[Record]:
    """Return the records with a hint at the end of the first one's detail."""
    (rule, place, detail), *others = records
    return [(rule, place, f"{detail}; {text}" if detail and text else detail or text), *others]


def is_unknown(rules: Iterable[str]) -> bool:
    """Return whether one of the rules reports something unknown to the source's protocol."""
    return any(rule.startswith(FAMILY) for rule in rules)


def _ends(payload: Json) -> Json:
    if not isinstance(payload, dict):
        return payload
    return {
        name: value[:ENDS] + value[-ENDS:] if isinstance(value, list) and len(value) > 2 * ENDS else value
        for name, value in payload.items()
    }
