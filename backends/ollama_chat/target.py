"""What `/api/chat` supports: the structure of a conversation, the table of verdicts, and the checks."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Response
from proxai_ir.rules import checks
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import ollama_chat as wire

from .checks import envelope, members_of_messages
from .settings import MODELS, SETTINGS
from .target_rows import ROWS

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.only_allowed(ir.FunctionTool),
        *MODELS.checks,
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        Check(members_of_messages, ("IMG-70",), Request),
        Check(envelope, ("ENV-2", "ENV-6", "ENV-12"), Response, at_once=True),
    ),
    base=BASE,
    settings=SETTINGS,
)

CONSTRAINTS = Constraints(
    instructions="inline",
    results="turns",
    media_results=False,
    nested=False,
    ordered=False,
    text_parts=False,
    text_arrays=False,
    one_text=True,
    empty_text=True,
    alternatives=False,
    items=False,
    open_calls=True,
    parsed_arguments=True,
)
