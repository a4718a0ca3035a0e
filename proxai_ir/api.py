"""The public functions: convert, compile, check, lower, raise_to.

Rule 1: whatever a payload holds, what comes out is a result or a TranslationError. Rule 2: arguments are not changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any

import orjson

from .diagnostics import Diagnostic, InvalidPayload, Record, Refusal, TranslationError, Unrepresentable, render
from .rules.catalogue import RULES

if TYPE_CHECKING:
    from .ir.error import Error
    from .ir.request import Request
    from .ir.response import Response
    from .registry import Backend, Frontend

    Node = Request | Response | Error

Json = Any

SHARED_OPTIONS = frozenset({"strict", "model", "status"})


class Conversion:
    """What became of a payload.

    `output` is bytes where bytes came in, else parsed JSON; `diagnostics` say what was lost or filled in, in the order
    of the source; `kind` is what the output is: "request", "response" or "error".
    """

    __slots__ = ("diagnostics", "dst", "kind", "output", "src")

    def __init__(self, output: Json, diagnostics: tuple[Diagnostic, ...], kind: str, src: str, dst: str) -> None:
        self.output = output
        self.diagnostics = diagnostics
        self.kind = kind
        self.src = src
        self.dst = dst

    def __repr__(self) -> str:
        return f"<Conversion of a {self.kind}, {self.src} to {self.dst}, {len(self.diagnostics)} diagnostics>"


def convert(payload: Json, src: str, dst: str, *, kind: str | None = None, **options: Any) -> Json:
    """The payload in another protocol: parsed JSON in, parsed JSON out; bytes in, bytes out.

    kind     "request", "response" or "error"; recognised from the payload where it is left out
    options  strict=True refuses every loss; model="…" names the model where the source's wire has it outside the body;
             status=429 is the HTTP status of an error body; the target's own are in spec/

    Raises InvalidPayload where the payload is not what `src` and `kind` say, Unrepresentable where `dst` cannot say it.
    From a protocol to itself the payload is checked and comes back as it is.
    """
    return _Job(payload, src, dst, kind, options).output()


def compile(payload: Json, src: str, dst: str, *, kind: str | None = None, **options: Any) -> Conversion:
    """The same as `convert`, with an account of what was lost on the way."""
    job = _Job(payload, src, dst, kind, options)
    output = job.output()
    return Conversion(output, render(job.records, job.parsed), job.kind, src, dst)


def check(payload: Json, src: str, dst: str, *, kind: str | None = None, **options: Any) -> tuple[Diagnostic, ...]:
    """What a conversion would lose; a refusal is among the diagnostics instead of being raised."""
    try:
        return compile(payload, src, dst, kind=kind, **options).diagnostics
    except TranslationError as error:
        return error.diagnostics


def lower(payload: Json, src: str, *, kind: str | None = None) -> Node:
    """The IR of a payload. Raises InvalidPayload."""
    job = _Job(payload, src, src, kind, {})
    return job.lowered()


def raise_to(node: Node, dst: str, **options: Any) -> Json:
    """The wire payload of an IR tree, which is not changed. Raises Unrepresentable."""
    try:
        made, _ = _raised(node, dst, options, {}, {})
    except Refusal as refusal:
        raise _error(Unrepresentable, refusal.records, node.src) from None
    return made


def _raised(
    node: Node, dst: str, options: Mapping[str, Any], natives: Mapping[str, Any], places: Mapping[str, Any]
) -> tuple[Json, list[Record]]:
    """Payload and findings; raises Refusal with everything that the target refuses."""
    from .passes import Findings, run
    from .registry import backend

    target = backend(dst)
    options = _options(target, options)
    kind = type(node).__name__.lower()
    build = getattr(target, kind)
    if node.protocol == dst:
        return build(node, True, options), []
    findings = Findings(natives, places)
    root = _own_copy(node)
    run(root, target.target, target.placement, findings, options)
    refused = findings.refused
    if options.get("strict"):
        refused = [record for record in findings.records if RULES[record[0]].severity in ("loss", "error")]
    if refused:
        refusal = Refusal(*refused[0])
        refusal.records = refused
        raise refusal
    return build(root, False, options), findings.records


def _own_copy(node: Node) -> Any:
    """A copy as deep as the passes reach: the root, and the candidates of an answer."""
    root: Any = copy(node)
    if hasattr(root, "candidates"):
        root.candidates = [copy(candidate) for candidate in root.candidates]
    return root


def _options(target: Backend, options: Mapping[str, Any]) -> Mapping[str, Any]:
    unknown = options.keys() - SHARED_OPTIONS - target.options.keys()
    if unknown:
        known = ", ".join(sorted(SHARED_OPTIONS | target.options.keys()))
        raise TypeError(f"unknown options {sorted(unknown)}; {target.protocol} understands {known}")
    return {**target.options, **options}


def _error(cls: type[TranslationError], records: list[Record], payload: Json) -> TranslationError:
    return cls(render(records, payload))


class _Job:
    """One conversion: what it was given, and what it found."""

    def __init__(self, payload: Json, src: str, dst: str, kind: str | None, options: Mapping[str, Any]) -> None:
        self.given = payload
        self.src = src
        self.dst = dst
        self.kind: str = kind or ""
        self.options = options
        self.records: list[Record] = []
        self.parsed: Json = None

    def output(self) -> Json:
        node = self.lowered()
        try:
            if self.src == self.dst:
                from .registry import backend

                _options(backend(self.dst), self.options)
                return self.given
            front = self.frontend
            made, self.records = _raised(node, self.dst, self.options, front.natives, front.places)
            self.kind = type(node).__name__.lower()
            return self._dumped(made) if isinstance(self.given, (bytes, bytearray, memoryview)) else made
        except Refusal as refusal:
            raise _error(Unrepresentable, refusal.records, self.parsed) from None

    def lowered(self) -> Node:
        try:
            self.parsed = self._parse()
            front = self.frontend
            self.kind = self.kind or self._recognised(front)
            if self.kind not in ("request", "response", "error"):
                raise Refusal("SHP-9", None, f"kind {self.kind!r:.80} is not known; known are request, response, error")
            if not isinstance(self.parsed, dict):
                raise Refusal("SHP-1", None, f"a {self.kind} is an object, found {type(self.parsed).__name__}")
            if self.kind == "error":
                return front.error(self.parsed, self.options.get("status"))
            node: Node = getattr(front, self.kind)(self.parsed)
            return node
        except Refusal as refusal:
            raise _error(InvalidPayload, refusal.records, self.parsed) from None

    @cached_property
    def frontend(self) -> Frontend:
        from .registry import frontend

        return frontend(self.src)

    def _parse(self) -> Json:
        if not isinstance(self.given, (bytes, bytearray, memoryview)):
            return self.given
        try:
            return orjson.loads(self.given)
        except orjson.JSONDecodeError as error:
            raise Refusal("SHP-6", None, str(error)) from None

    def _dumped(self, made: Json) -> bytes:
        try:
            return orjson.dumps(made)
        except TypeError as error:
            raise Refusal("SHP-7", None, str(error)) from None

    def _recognised(self, front: Frontend) -> str:
        """The kind that the payload's own members show; a guess is none (SHP-8)."""
        keys = self.parsed.keys() if isinstance(self.parsed, dict) else frozenset()
        shown = [kind for kind, marks in front.marks.items() if any(mark <= keys for mark in marks)]
        if len(shown) == 1:
            return shown[0]
        what = f"it could be a {' or a '.join(shown)}" if shown else f"no kind of {self.src} has such members"
        raise Refusal("SHP-8", None, what)
