"""What Interactions supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

import re

from proxai_ir.ir import parts, request, tools
from proxai_ir.rules import checks
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.defaults import UNSTORED
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import gemini_interactions as wire

from . import checks as own
from .conditions import LIMITS
from .settings import MODELS, SETTINGS
from .target_rows import ROWS, SLOT

CONSTRAINTS = Constraints(
    instructions="top",
    results="anywhere",
    media_results=True,
    nested=False,
    ordered=True,
    text_parts=True,
    empty_text=False,
    alternatives=False,
    items=True,
    open_calls=False,
    seals=dict.fromkeys((parts.Reasoning, parts.FunctionCall, parts.Text), SLOT),
    unique_calls=True,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    last_turn="dropped",
    parsed_arguments=True,
    calls_first=False,
    enforces="choice",
)
TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.ENVELOPE,
        checks.ANSWERED_IDS,
        checks.only_allowed(*own.GOOGLES),
        *MODELS.checks,
        Check(own.choosable, ("TUL-6",), request.Request, needs=("tool_choice",)),
        checks.choice_fits((tools.FunctionTool,)),
        Check(own.one_instruction, ("PLC-8",), request.Request, needs=("turns",)),
        checks.explained_by(parts.Text, parts.Refusal),
        checks.USAGE_ALWAYS,
        UNSTORED,
        checks.ENDING_FITS,
        checks.REFUSAL_ENDS,
        checks.USAGE_ADDS_UP,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
