"""What /v2/chat supports: the structure of a conversation, the table of verdicts, and the checks."""

from __future__ import annotations

import re

from proxai_ir import ir
from proxai_ir.rules import checks
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import cohere_v2_chat as wire

from .checks import moved_documents, strict_together
from .settings import MODELS, SETTINGS
from .target_rows import ROWS

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
        Check(moved_documents, ("DOC-86", "OUT-85"), ir.Request, given=(ir.Document,)),
        Check(strict_together, ("SCH-14",), ir.Request, needs=("tools",)),
        *MODELS.checks,
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
