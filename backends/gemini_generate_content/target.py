"""What generateContent supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

from attrs import evolve

from proxai_ir import ir
from proxai_ir.rules import checks
from proxai_ir.rules.base import BASE
from proxai_ir.rules.rows import SEARCH
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import gemini_generate_content as wire

from .._google import rows
from .._google.conditions import CHOOSABLE, HOSTED, LIMITS
from . import checks as own
from .conditions import in_result
from .settings import MODELS, SETTINGS
from .target_rows import ROWS

CONSTRAINTS = evolve(
    rows.CONSTRAINTS,
    results="together",
    result_holds=in_result,
    alternatives=True,
    items=False,
    unique_calls=False,
)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        Check(own.named, ("ENV-12",), ir.Response, at_once=True),
        Check(own.answered, ("CHO-1",), ir.Response),
        checks.only_allowed(*HOSTED),
        Check(own.one_of_each, ("TUL-6",), ir.Request, needs=("tools",)),
        Check(own.unmixed, ("TUL-6",), ir.Request, needs=("tools",), without="mixed_tools"),
        Check(own.mixed, (), ir.Request, needs=("tools",)),
        *MODELS.checks,
        Check(own.levels_as_budgets, (), ir.Request, needs=("thinking",), without="effort"),
        Check(own.signed, ("RSN-22", "RSN-28"), ir.Request, needs=("turns",), relayed=True),
        CHOOSABLE,
        Check(own.texts_of_results, ("PLC-8",), ir.Request, needs=("turns",)),
        checks.choice_fits((ir.FunctionTool,)),
        Check(own.known_keywords, ("SCH-7", "SCH-11"), ir.Request, needs=("tools", "output")),
        Check(own.titled, ("OUT-4", "OUT-8"), ir.Request, needs=("output",)),
        Check(own.legal_schemas, ("SCH-7", "SCH-11", "SCH-12"), ir.Request, without="json_schemas"),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        Check(own.explained, ("REF-5",), ir.Candidate),
        Check(own.one_search, ("ENV-1",), ir.Candidate, given=SEARCH),
        checks.USAGE_ADDS_UP,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
