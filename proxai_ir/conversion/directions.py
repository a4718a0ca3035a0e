"""Bind a direction, from a protocol to another, once: read a payload, convert the tree, write the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any, Literal, NamedTuple, get_args

from ..ir.error import Error
from ..ir.request import Request, SchemaFormat, Streaming
from ..ir.response import Response
from ..ir.structure import copy_tree
from ..ir.tools import FunctionTool
from ..json.merge import equal, own
from ..json.pointer import Respelled, plain
from ..json.types import found as described
from ..passes.endings import as_error
from ..passes.pipeline import Pipeline, Run, legalize
from ..passes.stages import undoes
from ..protocol.detection import hinted, is_unknown, read_error, read_unmended, unknown, with_usage
from ..protocol.registry import MOST_PROFILES, Backend, Frontend, backend, frontend
from ..protocol.slips import in_payload, mended, slips_of
from ..reporting.catalogue import ERRORS
from ..reporting.diagnostics import InvalidPayload, Refusal, UnknownProtocol, Unrepresentable, near
from ..reporting.report import Report
from ..reporting.vocabulary import NONE, in_source
from ..targets.settings import Server
from .bytes import BINARY, dumped, parsed
from .options import check_options, new_report, quotes
from .profile import Profile, with_defaults
from .same_protocol import Relaying, restored

# --- directions -------------------------------------------------------------------------------------------------------
# One direction, from a protocol to another. It holds nothing that depends on the payload or the options of a call.


Json = Any
Root = Request | Response | Error
Shown = Callable[[Any, Any], Any]
Steps = tuple[Run, Callable[[Any, Server], Any]]
"""The passes of one class of root, and its builder."""
UNSEEN_EDIT = "SHP-9"
"""The rule of an edit that the protocol cannot represent."""


class Made(NamedTuple):
    """The result of a direction: the first arguments of a Conversion, in their order, for callers that may need none.

    output           the payload of the target, of the form (JSON or bytes) of the source's
    kind             that of the output: "request", "response" or "error"
    src, dst         the protocols
    node             the tree that the output was written from
    report           the records of what was lost; None where the source goes on as it is
    source           the parsed payload, into which the records point
    back, options    what wrote the output, and the options of the call
    """

    output: Json
    kind: str
    src: str
    dst: str
    node: Root
    report: Report | None
    source: Json
    back: Backend
    options: Mapping[str, Any]


_new = tuple.__new__  # makes a Made; its own constructor adds twice as much time, and every conversion makes one


class Direction:
    """The conversion from a frontend (None: of trees that no protocol was read into) to a backend."""

    __slots__ = ("_steps", "_vocabulary", "back", "front", "pipeline", "relaying")

    def __init__(self, front: Frontend | None, back: Backend) -> None:
        self.front = front
        self.back = back
        self._vocabulary = NONE if front is None else front.vocabulary
        self.pipeline = Pipeline(back.target, back.constraints)
        self.relaying = Relaying(front, back)
        self._steps: tuple[dict[type, Steps], dict[type, Steps]] = {}, {}

    def convert(self, payload: Json, kind: str | None, options: Mapping[str, Any], hook: Shown | None = None) -> Made:
        """Return what a payload, parsed or in bytes, becomes.

        Raises InvalidPayload, and Unrepresentable, and what the hook raises.
        """
        assert self.front is not None
        source = parsed(payload, kind) if isinstance(payload, BINARY) else payload
        node, kind = read(source, self.front, kind, options)
        return self.written(payload, source, node, kind, options, hook)

    def written(
        self,
        payload: Json,
        source: Json,
        node: Any,
        kind: str,
        options: Mapping[str, Any],
        hook: Shown | None = None,
    ) -> Made:
        """Return what a payload that was read becomes: `source` is its parsed JSON, `node` its tree.

        hook  is called with the tree of a request or a response, and with an equal one of a payload of its own, and
              returns the one that counts
        """
        assert self.front is not None
        edited = False
        if hook is not None and node.__class__ is not Error:
            own = deepcopy(source)
            seen = hook(node, read(own, self.front, kind, options)[0])
            edited = seen is not node
            if edited:
                payload, source, node = own if payload is source else payload, own, seen
        src, dst = self.front.protocol, self.back.protocol
        # whether the response is streamed, where only the path of the request says so
        streams = options.get("stream") if node.__class__ is Request and node.streaming is None else None
        if node.__class__ is Error:
            node.status = None  # the caller's own option; it decided the category and is not reported
        try:
            if src == dst and not (node.__class__ is Response and undoes(options)):
                made, report = self._adapted(node, options, streams)
                if made is None and edited:
                    made = self.restored(node, options)
                made = self.relaying.cleared(node, made, options)
                if streams is not None:  # not before: the tree is held against its payload
                    node.streaming = Streaming(streams, streams or None)
            else:
                if streams is not None:
                    node.streaming = Streaming(streams, streams or None)
                if kind == "response" and (failure := as_error(node)) is not node:
                    node, kind = failure, "error"
                made, report = self.write(node, options)
            output = payload
            if made is not None:
                output = in_plain_objects(made, node) if source is payload else dumped(made)
            return _new(Made, (output, kind, src, dst, node, report, source, self.back, options))
        except Refusal as refusal:
            rules = [rule for rule, *_ in refusal.records]
            if is_unknown(rules) or (kind == "request" and self._has_unknown(source, options)):
                refusal.records = hinted(refusal.records, source, kind, self.front)
            raise Unrepresentable(refusal.taken(source, quotes(options))) from None

    def _has_unknown(self, source: Json, options: Mapping[str, Any]) -> bool:
        """Return whether something of a request is unknown; it is read again, as passes have changed the tree."""
        assert self.front is not None
        return unknown(read(source, self.front, "request", options)[0], self.front.vocabulary) > 0

    def write(self, root: Any, options: Mapping[str, Any]) -> tuple[Any, Report]:
        """Return the payload of a tree, which passes change, and the report.

        Raises Refusal with everything that the target refuses.
        """
        back = self.back
        asked = options is not back.defaults
        passes, build = self._steps[asked].get(root.__class__) or self._steps_of(root.__class__, asked)
        if asked:
            report, server = new_report(self.front, back, options), Server(options)
        else:
            report, server = Report(self._vocabulary, ERRORS, back.target.limits), back.server
        if isinstance(root.src, Respelled):
            report.records += slips_of(root.src)
        passes(root, report, options, server)
        report.stop()
        try:
            return build(root, server), report
        except Refusal as refusal:  # only writing shows that text is not JSON; it names the node and field
            refusal.records = in_source(refusal, report.vocabulary)
            raise

    def _steps_of(self, cls: type, asked: bool) -> Steps:
        """Return the passes and the builder of one class of root, for calls with options (`asked`) or without."""
        made = self._steps[asked][cls] = (
            self.pipeline.passes(cls, asked=asked),
            getattr(self.back, cls.__name__.lower()),
        )
        return made

    def _adapted(self, root: Any, options: Mapping[str, Any], streams: bool | None) -> tuple[Any, Report | None]:
        """Return the payload for a server of its own protocol that may want another one; None if it does not."""
        made: tuple[Any, Report | None] = None, None
        if self.relaying.restates(root, options):
            made = self.restate(root, options, streams)
        if made[0] is None and self.relaying.concerns(root, options):
            made = self.relay(root, options)
        return made

    def restate(self, root: Any, options: Mapping[str, Any], streams: bool | None) -> tuple[Any, Report | None]:
        """Return the payload of a request for a server of its own protocol as for one of another, because of the tools
        in it; None for what then would be refused, as the server says so itself (CAP-1)."""
        copied = copy_tree(root)
        if streams is not None:
            copied.streaming = Streaming(streams, streams or None)
        try:
            made, report = self.write(copied, options)
        except Refusal:
            return None, None
        return in_plain_objects(made, copied), report

    def relay(self, root: Any, options: Mapping[str, Any]) -> tuple[Any, Report]:
        """Return the payload of a request for a server of its own protocol that may want another one
        (`relaying.concerns`); None if it takes the source as it is."""
        report, server = new_report(self.front, self.back, options), self.back.bound(options)
        held, changed = self.relaying.change(root, options, report, server)
        report.stop()
        if not changed:
            return None, report
        try:
            made = self.restored(root, options)
            same = not report.records and equal(made, own(root.src))  # as the source has those names already
            return None if same else made, report
        except Refusal as refusal:
            if held or all(rule != UNSEEN_EDIT for rule, _, _ in refusal.records):
                raise
            report.take()  # the protocol says it in no other way than the payload does
            return None, report

    def restored(self, root: Any, options: Mapping[str, Any]) -> Any:
        """Return the payload of a tree of the target's own protocol. Raises Refusal where an edit cannot be
        represented."""
        assert self.front is not None  # as the tree is of a protocol

        def legal(tree: Any) -> None:
            report = new_report(self.front, self.back, options)
            legalize(tree, self.back.target, report, self.back.bound(options))
            report.stop()

        return restored(root, self.front, self.back, options, legal, self.relaying.plain)


@lru_cache(MOST_PROFILES)
def direction(src: str | Profile, dst: str | Profile) -> Direction:
    """Return the direction between two servers. Raises UnknownProtocol."""
    return Direction(frontend(src), backend(dst))


def bound(
    src: str | Profile, dst: str | Profile, options: Mapping[str, Any], *, checked: bool = False
) -> tuple[Direction, Mapping[str, Any]]:
    """Return the direction of a call with these options, and all options with their defaults.

    Raises UnknownProtocol, and TypeError for unknown options, unless the caller has `checked` them.
    """
    try:
        way = direction(src, dst)
    except TypeError:  # for what cannot be looked up, which the registry names
        frontend(src)
        backend(dst)
        raise
    if not options:
        return way, way.back.defaults
    if not checked:
        check_options(options, way.back, None)
    server, known = with_defaults(dst, options, way.back)
    return (way if server is dst else direction(src, server)), known


# --- reading ----------------------------------------------------------------------------------------------------------
# One payload into the tree; the caller states its kind, or its members show it.


Kind = Literal["request", "response", "error", "stream"]
KINDS = get_args(Kind)


def read(payload: Json, front: Frontend, kind: str | None, options: Mapping[str, Any]) -> tuple[Any, str]:
    """Return the tree of a payload, and its kind. Raises InvalidPayload."""
    try:
        kind = kind or front.detect(payload)
        if kind == "request" or kind == "response":
            if not isinstance(payload, dict):
                raise Refusal("SHP-1", None, f"expected an object as the {kind}, found {described(payload)}")
            if kind == "request":
                request = front.request(payload)
                return (request if request.streaming is None else with_usage(request, front)), kind
            headed = "response" in front.headed
            node = read_unmended(front, payload, options.get("headers")) if headed else front.response(payload)
            return node, kind if type(node) is Response else "error"  # a failed response (STS-9)
        if kind == "error":
            return read_error(front, payload, options.get("status"), options.get("headers")), kind
        raise UnknownProtocol(f"unknown kind {kind!r:.80}; expected one of {', '.join(KINDS)}{near(kind, KINDS)}")
    except Refusal as refusal:
        again = mended(payload, {"request": front.repeated, "response": front.slips}.get(kind or "", {}))
        if again is payload:
            source = own(payload)
            refusal.records = hinted(in_payload(refusal.records, payload), source, kind, front)
            raise InvalidPayload(refusal.taken(source, quotes(options))) from None
    return read(again, front, kind, options)


# --- plain ------------------------------------------------------------------------------------------------------------
# Schemas that a frontend respelled are dicts of a class of ours: callers who get objects get plain dicts instead. Bytes
# show no difference, and cost nothing here.


def in_plain_objects(made: Any, root: Any) -> Any:
    """Return the output of a tree, copied if a schema in it is respelled."""
    if type(root) is not Request:
        return made
    wanted = root.output.format if root.output is not None else None
    if type(wanted) is SchemaFormat and _holds_respelled(wanted.schema):
        return plain(made)
    if not root.tools:
        return made
    schemas = (tool.parameters for tool in root.tools if type(tool) is FunctionTool)
    return plain(made) if any(map(_is_respelled, schemas)) else made


def _is_respelled(schema: Any) -> bool:
    """Return whether a schema is respelled, or its properties are, as targets may replace the outermost object."""
    if not isinstance(schema, dict) or isinstance(schema, Respelled):
        return schema is not None
    properties = schema.get("properties")
    return isinstance(properties, dict) and isinstance(next(iter(properties.values()), None), Respelled)


def _holds_respelled(schema: Any) -> bool:
    """Return whether a schema, which may hold itself, is respelled or holds anything that is.

    Targets put the name of an output into its schema.
    """
    waiting, seen = [schema], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, Respelled):
            return True
        if isinstance(one, (dict, list)) and id(one) not in seen:
            seen.add(id(one))
            waiting += one.values() if isinstance(one, dict) else one
    return False
