"""The target Interactions: its structural constraints, settings of servers, checks, and its table."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from proxai_ir import ir
from proxai_ir.reporting.report import Report
from proxai_ir.targets import checks, models
from proxai_ir.targets import conditions as c
from proxai_ir.targets.approximations import UNSTORED
from proxai_ir.targets.base import BASE, CODE, MCP, SEARCH
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Check, Target, inside, loses, notes, of, ok, omits, weaker
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._google import rows
from .._google.rows import CHOOSABLE, HOSTED, LIMITS
from .._lib import writing
from .._lib.writing import Object, put
from .write import has_own_signature

# --- settings ---------------------------------------------------------------------------------------------------------
# The defaults are those of the newest models of the Gemini API.

MODELS = models.taken(
    "documents forced_choice highest_effort images json_with_tools least_effort middle_efforts sampling seed "
    "stop_sequences structured_output thinking thinking_off",
    highest_effort="high",
    least_effort="low",
    thinking_off=False,
)
SETTINGS = {**MODELS.settings, **rows.SERVER_SETTINGS}


# --- conditions -------------------------------------------------------------------------------------------------------

IMAGES = rows.Images(wire.IMAGE_TYPES)


def is_placeholder(part: Any) -> bool:
    """Return whether a seal is the placeholder that generateContent accepts and this protocol does not (RSN-40)."""
    return part.seal is not None and part.seal.data in google.PLACEHOLDERS


def carried_seal(part: Any) -> bool:
    """Return whether a part other than a thought has a seal, which is written to a thought of its own (RSN-90)."""
    return part.seal is not None and not is_placeholder(part) and not has_own_signature(part)


# --- checks -----------------------------------------------------------------------------------------------------------


def one_instruction(root: ir.Request, report: Report, server: Server) -> None:
    """Join the leading instructions, which are one string on the wire (PLC-8)."""
    leading = [*takewhile(lambda turn: turn.role in (ir.SYSTEM, ir.DEVELOPER), root.turns or ())]
    texts = [part for turn in leading for part in turn.parts if isinstance(part, ir.Text)]
    if len(texts) > 1:
        for part in texts[1:]:
            report.at("PLC-8", part)
        leading[0].parts = [ir.Text(wire.LINE.join(part.text for part in texts), src=texts[0].src)]
        root.turns = [leading[0], *(root.turns or ())[len(leading) :]]


def unstored(root: ir.Request, report: Report, server: Server) -> None:
    """Ask the server not to store the response, unless it has no `store` (CAP-4)."""
    if server.store:
        UNSTORED.run(root, report, server)


# --- signatures -------------------------------------------------------------------------------------------------------


def signed(root: ir.Request, report: Report, server: Server) -> None:
    """Drop thoughts without a signature (RSN-5, RSN-90) and report calls without one (RSN-40)."""
    answer: list[ir.Turn] = []
    for turn in (*(root.turns or ()), None):
        if turn is not None and turn.role is ir.ASSISTANT:
            answer.append(turn)
        elif answer:
            _Response(report).sign(answer)
            answer = []


class _Response:
    """The thoughts and calls of one response, in order.

    waiting  texts of reasoning without a signature so far; the next signature is that of the last ones
    dropped  parts that are not sent, by id
    signed   whether a signature came before, which is all that a call needs
    called   whether a call came before: further ones of a response have no signature
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._waiting: list[tuple[ir.Turn, ir.Reasoning]] = []
        self._dropped: set[int] = set()
        self._signed = self._called = self._interrupted = False

    def sign(self, turns: list[ir.Turn]) -> None:
        for turn in turns:
            for part in turn.parts:
                if type(part) is ir.Reasoning:
                    self._reasoning(turn, part)
                else:
                    self._other(part)
        self._leave_out()
        for turn in turns if self._dropped else ():
            turn.parts = [part for part in turn.parts if id(part) not in self._dropped]
            self._report.facts.emptied = self._report.facts.emptied or not turn.parts

    def _reasoning(self, turn: ir.Turn, part: ir.Reasoning) -> None:
        if self._without_placeholder(part) and not part.text:
            self._dropped.add(id(part))
            return
        if part.text and self._interrupted:
            self._leave_out()
        if part.seal is None:
            self._interrupted = False
            self._waiting.append((turn, part))
            return
        self._signed = True
        if self._waiting and not part.text and (self._interrupted or self._waiting[-1][0] is not turn):
            self._report.at("RSN-90", part)
            self._waiting[-1][1].seal = part.seal
            self._dropped.add(id(part))
        self._waiting = []

    def _other(self, part: Any) -> None:
        had_placeholder = self._without_placeholder(part)
        seal = getattr(part, "seal", None)
        if seal is not None:
            self._signed = True
            if self._waiting and not has_own_signature(part):
                self._waiting[-1][1].seal, part.seal = seal, None
            self._waiting = []
        self._interrupted = True
        if type(part) is ir.FunctionCall:
            self._leave_out()
            if not (self._signed or self._called or had_placeholder):
                self._report.at("RSN-40", part)
            self._called = True

    def _without_placeholder(self, part: Any) -> bool:
        if getattr(part, "seal", None) is None or not is_placeholder(part):
            return False
        self._report.at("RSN-40", part, "seal")
        part.seal = None
        return True

    def _leave_out(self) -> None:
        """Drop the reasoning that got no signature."""
        for _, part in self._waiting:
            self._report.at("RSN-5", part)
            self._dropped.add(id(part))
        self._waiting = []


# --- runs of tools ----------------------------------------------------------------------------------------------------


def call_step(kind: str, identity: str, run: google.Run) -> Object:
    tool = google.TOOLS[kind]
    made: Object = {"type": f"{tool.name}_call", "id": identity}
    return put(made, arguments=run.given if tool.arguments else None, signature=run.signature)


def result_step(kind: str, identity: str, run: google.Run) -> Object:
    tool = google.TOOLS[kind]
    made: Object = {"type": f"{tool.name}_result", "call_id": identity}
    return put(made, result=run.given if tool.arguments else None, signature=run.signature)


# --- target rows ------------------------------------------------------------------------------------------------------

REQUESTS = (
    of(ir.Request, *writing.VERDICTS),
    of(ir.Sampling, *c.neutral(temperature=1), omits("SMP-6", "stop", when=c.is_("stop", []))),
    of(ir.Thinking, loses("RSN-6", "effort", when=c.covered_by_effort)),
    *MODELS.rows,
    of(ir.Sampling, omits("SMP-6", "top_k", when=c.unbounded), loses("SMP-3", "top_k"), *rows.SAMPLING),
    of(ir.Thinking, loses("RSN-6", "mode=disabled"), *rows.EFFORT, ok("display")),
    of(
        ir.Picture,
        loses("OUT-6", "aspect_ratio", when=c.is_not("aspect_ratio", *wire.RATIOS)),
        loses("OUT-6", "size", when=c.is_not("size", *wire.SIZES)),
        ok("aspect_ratio size"),
    ),
    of(ir.SchemaFormat, omits("OUT-8", "name"), loses("OUT-4", "description")),
    *rows.SETTINGS,
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    *rows.tool_rows(lambda kind, settings: {"type": google.TOOLS[kind].name, **settings}),
    of(ir.FunctionTool, omits("SMP-6", "strict", when=c.is_("strict", False)), ok("strict")),
    of(ir.Choice, ok("mode")),
    of(ir.AllowedChoice, ok("mode")),
)

NEXT_TO_THOUGHTS = (ir.Text, ir.Image, ir.FunctionCall)
"""Classes of parts whose signature is written as a thought of its own."""

CONTENT = (
    of(ir.Reasoning, ok("summary"), *rows.SEAL, ok("seal")),
    *(of(cls, *rows.SEAL, notes("RSN-90", "seal", when=carried_seal), ok("seal")) for cls in NEXT_TO_THOUGHTS),
    of(ir.Image, *rows.DETAIL, ok("detail")),
    of(ir.Document, loses("DOC-1", "title")),
    of(ir.WebSearchCall, ok("id")),
    of(ir.WebSearchResult, ok("call_id")),
    of(ir.CodeResult, *rows.CODE_RESULT),
    of(ir.ToolResult, ok("name is_error")),
    inside("citations", ok(ir.UrlCitation)),
    *rows.media_rows(IMAGES, wire.DOCUMENT_TYPES),
    *rows.given_rows("PDF, text and documents of offices", *wire.DOCUMENT_TYPES),
    *rows.made_rows(IMAGES, *CODE, *SEARCH, *MCP, hosted=rows.run_rows(call_step, result_step)),
)

RESPONSES = (
    of(ir.Response, omits("ENV-1", "created", when=c.undated), ok("created tier=standard|priority|flex")),
    of(ir.Terminal, weaker("STS-3", "reason=stop_sequence|content_filter")),
    of(ir.Usage, *rows.USAGE),
    of(ir.Error, *rows.ERROR, loses("ERR-2", "code param")),
)
ROWS = (*REQUESTS, *CONTENT, *RESPONSES)


# --- target -----------------------------------------------------------------------------------------------------------

CONSTRAINTS = rows.CONSTRAINTS

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.ENVELOPE,
        checks.ANSWERED_IDS,
        checks.only_allowed(*HOSTED),
        *MODELS.checks,
        CHOOSABLE,
        checks.choice_fits((ir.FunctionTool,)),
        Check(one_instruction, ("PLC-8",), ir.Request, needs=("turns",)),
        Check(signed, ("RSN-5", "RSN-40", "RSN-90"), ir.Request, needs=("turns",), relayed=True),
        checks.explained_by(ir.Text, ir.Refusal),
        checks.USAGE_ALWAYS,
        Check(unstored, UNSTORED.rules, ir.Request),
        checks.ENDING_FITS,
        checks.REFUSAL_ENDS,
        checks.USAGE_ADDS_UP,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
