"""What Interactions supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.rules import checks
from proxai_ir.rules.base import BASE
from proxai_ir.rules.defaults import UNSTORED
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import gemini_interactions as wire

from .._google import rows
from .._google.conditions import CHOOSABLE, HOSTED, LIMITS
from . import checks as own
from .settings import MODELS, SETTINGS
from .target_rows import ROWS

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
        Check(own.one_instruction, ("PLC-8",), ir.Request, needs=("turns",)),
        Check(own.signed, ("RSN-5", "RSN-40", "RSN-90"), ir.Request, needs=("turns",), relayed=True),
        checks.explained_by(ir.Text, ir.Refusal),
        checks.USAGE_ALWAYS,
        Check(own.unstored, UNSTORED.rules, ir.Request),
        checks.ENDING_FITS,
        checks.REFUSAL_ENDS,
        checks.USAGE_ADDS_UP,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
