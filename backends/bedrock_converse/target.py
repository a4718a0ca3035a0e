"""What Converse supports: the structure of a conversation, the table of verdicts, and the checks."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.node import Cache
from proxai_ir.rules import checks, strict_limits
from proxai_ir.rules import typed_thinking as thinking
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.verdicts import Check, Target, where
from proxai_ir.wire import bedrock_converse as wire

from . import checks as own
from .conditions import accepted_call_id
from .settings import MODELS, SETTINGS
from .target_rows import ROWS, SLOT

CONSTRAINTS = Constraints(
    instructions="top",
    results="user",
    media_results=True,
    nested=True,
    ordered=True,
    text_parts=True,
    empty_text=False,
    placed_seals=True,
    worded_results="all",
    worded_documents=True,
    alternatives=False,
    items=False,
    open_calls=False,
    seals={ir.Reasoning: SLOT},
    call_id=accepted_call_id,
    unique_calls=True,
    tool_name=wire.TOOL_NAME.fullmatch,
    breakpoints=wire.MOST_BREAKPOINTS,
    outlasted=wire.TTL["5m"],
    last_turn="dropped",
    role_neighbours=False,
    calls_first=False,
    parsed_arguments=True,
)

LIMITS = {
    "CAC-2": f"available: {', '.join(wire.TTL)}",
    "CAC-3": f"available: {', '.join(wire.TTL)}",
    "CAC-6": f"at most {wire.MOST_BREAKPOINTS}",
    "TUL-13": f"an id must match {wire.CALL_ID.pattern}",
    "TUL-26": f"a name must match {wire.TOOL_NAME.pattern}",
    "SRC-2": "or an object in S3 (s3://)",
}

UNTHINKING = Check(thinking.thought_before, ("RSN-18", "SMP-6"), ir.Request, needs=("thinking",), relayed=True)
THINKS = ("RSN-13", "RSN-14", "RSN-18", "RSN-19", "SMP-6")
TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.ANSWERED_IDS,
        checks.calls_need_tools(),
        checks.only_allowed(ir.FunctionTool),
        checks.choice_fits((ir.FunctionTool,)),
        Check(own.unchosen, ("TUL-7", "TUL-69"), ir.Request, needs=("tool_choice",)),
        *MODELS.checks,
        where("family", "anthropic", Check(thinking.typed, ("SMP-6",), ir.Request, needs=("thinking",))),
        where("family", "anthropic", UNTHINKING),
        where("family", "anthropic", Check(own.thinks, THINKS, ir.Request, needs=("thinking",))),
        where("family", "anthropic", strict_limits.GIVEN_UP),
        Check(own.named, ("DOC-2", "DOC-80"), ir.Request, given=(ir.Document,)),
        Check(own.marked_outside, ("CAC-4",), ir.Request, given=(Cache,)),
        Check(own.cited_outside, ("CIT-1",), ir.Request, given=(ir.DocumentCitation,)),
        Check(own.cached, ("CAC-5",), ir.Request, needs=("caching",)),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=True),
        Check(own.measured, ("ENV-2",), ir.Response, at_once=True),
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
