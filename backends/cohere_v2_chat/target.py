"""The target Cohere's chat: its structural constraints, its checks, and its table."""

from __future__ import annotations

import re

from proxai_ir import ir
from proxai_ir.reporting.report import Report
from proxai_ir.targets import checks
from proxai_ir.targets.base import BASE
from proxai_ir.targets.constraints import Constraints
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Check, Target
from proxai_ir.wire import cohere_v2_chat as wire

from . import grammar
from .rows import MODELS, ROWS, SETTINGS

# --- checks -----------------------------------------------------------------------------------------------------------


def moved_documents(root: ir.Request, report: Report, server: Server) -> None:
    """Move all documents to the user's last message (DOC-86) and drop the output format if there are any (OUT-85).

    On the wire they are members of the request.
    """
    given = [turn for turn in root.turns or () if turn.role is ir.USER]
    moved = [part for turn in given[:-1] for part in _taken(turn)]
    if moved:
        for part in moved:
            report.at("DOC-86", part)
        given[-1].parts = [*moved, *given[-1].parts]
        root.turns = [turn for turn in root.turns or () if turn.parts or turn.role is not ir.USER]
    found = any(isinstance(part, ir.Document) for turn in given for part in turn.parts)
    if found and root.output is not None and isinstance(root.output.format, (ir.JsonFormat, ir.SchemaFormat)):
        report.at("OUT-85", root.output, "format")
        root.output.format = None


def _taken(turn: ir.Turn) -> list[ir.Document]:
    """Remove the documents of a turn and return them."""
    found = [part for part in turn.parts if isinstance(part, ir.Document)]
    if found:
        turn.parts = [part for part in turn.parts if not isinstance(part, ir.Document)]
    return found


# --- target -----------------------------------------------------------------------------------------------------------

CONSTRAINTS = Constraints(
    instructions="inline",
    later="nowhere",
    results="turns",
    media_results=True,
    result_holds=lambda part: isinstance(part, ir.Document),
    nested=False,
    ordered=False,
    text_parts=True,
    empty_text=False,
    alternatives=False,
    items=False,
    open_calls=False,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
)


TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.ANSWERED_IDS,
        checks.only_allowed(ir.FunctionTool),
        checks.choice_fits((ir.FunctionTool,)),
        checks.NAMED_ALONE,
        checks.only_assistants_cite(ir.UrlCitation),
        Check(moved_documents, ("DOC-86", "OUT-85"), ir.Request, given=(ir.Document,)),
        *MODELS.checks,
        *grammar.CHECKS,
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        checks.IDENTIFIED,
    ),
    {"TUL-26": wire.TOOL_NAME},
    base=BASE,
    settings=SETTINGS,
)
