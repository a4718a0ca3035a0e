"""The result of a conversion: its output, and everything else, which is made when it is asked for."""

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
Ending = tuple[tuple[Finish, ...], Usage | None]
NONE: Mapping[str, Any] = {}
if TYPE_CHECKING:  # a part of every type checker, and no dependency
    from typing_extensions import TypeVar as Defaulted

    Output = Defaulted("Output", default=Json)
else:
    Output = TypeVar("Output")


def ending_of(node: Any) -> Ending:
    """Return how the candidates of a response ended, and its usage, from a tree as it was read."""
    if type(node) is not Response:
        return (), None
    return tuple([one.finish for one in node.candidates]), None if node.usage is None else copy_tree(node.usage)


@final
class Conversion(Generic[Output]):
    """The result of a conversion; what is not asked for is not made.

    output       bytes if bytes came in, else parsed JSON
    diagnostics  what was lost, approximated or filled in, in the order in which it was found
    kind         that of the output: "request", "response" or "error"
    state        plain JSON: pass it as the option `state` when the response is converted back, to undo what was done to
                 the tools of its request
    headers      the HTTP headers that the output needs, by lower-case name: send them with it
    route        what targets have in the URL instead of the body: the model, whether the response is streamed, and the
                 path that says both
    node         the tree that the output was written from; None for a stream
    finish       how a response ended (FIN-1); `finishes` has that of each candidate, `finish` that of the first
    usage        what it took in tokens (USE-1)

    `finish` and `usage` are as the source states them, not as the target does, and None if it does not. Requests,
    errors and generations that failed (FIN-8) have neither.
    """

    __slots__ = (
        "_back",
        "_ending",
        "_found",
        "_known",
        "_report",
        "_source",
        "_stated",
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
        ending: Ending | None = None,
    ) -> None:
        """Keep what the other attributes are made from when they are asked for.

        report, source  the records of the diagnostics, and the payload that they point into
        back, known     what wrote the output, and the options
        found, stated   the diagnostics, and state, headers and route, if another conversion has made them
        ending          how the response ended, and its usage, if they were noted before passes changed `node`
        """
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
        self._ending = ending

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
    def told(self) -> Ending:
        """`finishes` and `usage`. The source is read again for them, as passes have changed the tree."""
        if self._ending is None:
            node = self.node
            again = read_response(frontend(self.src), node.src, node.headers) if type(node) is Response else None
            self._ending = ending_of(again)
        return self._ending

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        if self._found is None:
            records = self._report.records if self._report is not None else ()
            tree = isinstance(self.output, bytes)  # a payload that was parsed here has no object twice
            found = render(records, self._source, tree=tree, quote_values=quotes(self._known))
            if is_unknown([one.rule for one in found]) and (text := self._hint()):
                found += render([(HINT, None, text)], None)
            self._found, self._source = found, None
        return self._found

    @property
    def rules(self) -> dict[str, None]:
        """The ids of the rules that `diagnostics` name, without rendering them."""
        if self._found is None and self._report is not None:
            rules = rules_of(self._report.records)
            if is_unknown(rules) and self._hint():
                rules[HINT] = None
            return rules
        return dict.fromkeys(one.rule for one in self.diagnostics)

    def _hint(self) -> str:
        """Return what else the source looks like, for one of which something is unknown."""
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
        """Return the conversion of a line that holds this one's output, with diagnostics of its own."""
        return Conversion(output, kind, src, dst, self.node, found=found, stated=self.stated, ending=self.told)

    def __getstate__(self) -> object:
        _ = self.diagnostics, self.stated, self.told
        self._report = self._back = None
        self._known = NONE
        return super().__getstate__()

    def __repr__(self) -> str:
        return f"<Conversion of a {self.kind}, {self.src} to {self.dst}, {len(self.diagnostics)} diagnostics>"
