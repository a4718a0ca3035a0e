"""What a conversion results in: the output at once, everything else when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar, final

from ..ir.error import Error
from ..ir.request import Request
from ..ir.response import Finish, Response, Usage
from ..ir.structure import copy_tree
from ..protocol.detection import HINT, hint, is_unknown, read_response
from ..protocol.registry import Backend, frontend
from ..reporting.diagnostics import Diagnostic, render, rules_of
from ..reporting.report import Report
from .options import quotes

Json = Any
JsonObject = dict[str, Any]
Root = Request | Response | Error
Stated = tuple[JsonObject, dict[str, str], JsonObject]
Told = tuple[tuple[Finish, ...], Usage | None]
NONE: Mapping[str, Any] = {}
if TYPE_CHECKING:  # a part of every type checker, and no dependency
    from typing_extensions import TypeVar as Defaulted

    Output = Defaulted("Output", default=Json)
else:
    Output = TypeVar("Output")


def told(node: Any) -> Told:
    """How the candidates of a response ended, and its usage; of a tree as it was read."""
    if type(node) is not Response:
        return (), None
    return tuple([one.finish for one in node.candidates]), None if node.usage is None else copy_tree(node.usage)


@final
class Conversion(Generic[Output]):
    """The result of a conversion; what is not asked for is not made.

    `output` is bytes where bytes came in, else parsed JSON; `diagnostics` name what was lost, approximated or filled
    in, in the order in which it was found; `kind` is that of the output: "request", "response" or "error". `state` is
    plain JSON: pass it as the option `state` when the response is converted back, to undo what was done to its tools.

    `headers` are the HTTP headers that the output needs, by lower-case name: send them with it. `route` is what targets
    have in the URL instead of the body: the model, whether the response is streamed, and the path that says both.
    `node` is the tree that the output was written from; None for a stream.

    `finish` is how a response ended (FIN-1), `usage` what it took in tokens (USE-1), both as the source states them and
    not as the target does; None where it does not. Of several candidates `finish` is the first one's, `finishes` has
    all. Requests, errors and generations that failed (FIN-8) have neither.
    """

    __slots__ = (
        "_back",
        "_found",
        "_known",
        "_report",
        "_source",
        "_stated",
        "_told",
        "dst",
        "kind",
        "node",
        "output",
        "src",
    )

    def __init__(
        self,
        output: Output,
        kind: str,
        src: str,
        dst: str,
        node: Root | None = None,
        report: Report | None = None,
        source: Json = None,
        back: Backend | None = None,
        known: Mapping[str, Any] = NONE,
        *,
        found: tuple[Diagnostic, ...] | None = None,
        stated: Stated | None = None,
        told: Told | None = None,
    ) -> None:
        """`report`, `source`: the records of the diagnostics, and what they point into. `back`, `known`: what writes
        and with which options. `found` and `stated` take their place where another conversion has made them. `told`:
        the endings and the usage, where they were looked at before `node` was made legal for the target."""
        self.output = output
        self.kind = kind
        self.src = src
        self.dst = dst
        self.node = node
        self._report = report
        self._source = source
        self._back = back
        self._known = known
        self._found = found
        self._stated = stated
        self._told = told

    @property
    def finish(self) -> Finish | None:
        finishes = self.told[0]
        return finishes[0] if finishes else None

    @property
    def finishes(self) -> tuple[Finish, ...]:
        return self.told[0]

    @property
    def usage(self) -> Usage | None:
        return self.told[1]

    @property
    def told(self) -> Told:
        """Endings and usage together. The source is read again for them: the tree is the target's by now."""
        if self._told is None:
            node = self.node
            again = read_response(frontend(self.src), node.src, node.headers) if type(node) is Response else None
            self._told = told(again)
        return self._told

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        if self._found is None:
            records = self._report.records if self._report is not None else ()
            tree = isinstance(self.output, bytes)  # what was parsed here shares nothing
            found = render(records, self._source, tree=tree, quote_values=quotes(self._known))
            if is_unknown([one.rule for one in found]) and (text := self._hint()):
                found += render([(HINT, None, text)], None)
            self._found, self._source = found, None
        return self._found

    @property
    def rules(self) -> dict[str, None]:
        """The ids of the rules that `diagnostics` name; they are not rendered for it."""
        if self._found is None and self._report is not None:
            rules = rules_of(self._report.records)
            if is_unknown(rules) and self._hint():
                rules[HINT] = None
            return rules
        return dict.fromkeys(one.rule for one in self.diagnostics)

    def _hint(self) -> str:
        """What else the source looks like, of which something is unknown."""
        return hint(self._source, None if self.kind == "error" else self.kind, frontend(self.src))

    @property
    def stated(self) -> Stated:
        """State, headers and route together."""
        if self._stated is None:
            back, state = self._back, {} if self._report is None else self._report.state
            headers, route = ({}, {}) if back is None else back.around(self.node, self._known)
            self._stated = state or {}, headers, route
        return self._stated

    @property
    def state(self) -> JsonObject:
        return self.stated[0]

    @property
    def headers(self) -> dict[str, str]:
        return self.stated[1]

    @property
    def route(self) -> JsonObject:
        return self.stated[2]

    def placed(self, output: Any, kind: str, found: tuple[Diagnostic, ...], src: str, dst: str) -> Conversion[Any]:
        """Return the conversion of what this one's output stands in, with diagnostics of its own."""
        return Conversion(output, kind, src, dst, self.node, found=found, stated=self.stated, told=self.told)

    def __getstate__(self) -> object:
        _ = self.diagnostics, self.stated, self.told
        self._report = self._back = None
        self._known = NONE
        return super().__getstate__()

    def __repr__(self) -> str:
        return f"<Conversion of a {self.kind}, {self.src} to {self.dst}, {len(self.diagnostics)} diagnostics>"
