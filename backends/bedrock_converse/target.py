"""What Bedrock Converse supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

import re

from proxai_ir.ir import parts, request, response, tools
from proxai_ir.rules import checks
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import bedrock_converse as wire

from . import checks as own
from .conditions import LIMITS, accepted_call_id
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
    alternatives=False,
    items=False,
    open_calls=False,
    seals={parts.Reasoning: SLOT},
    call_id=accepted_call_id,
    unique_calls=True,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    breakpoints=wire.MOST_BREAKPOINTS,
    outlasted=wire.DEFAULT_TTL,
    last_turn="dropped",
    parsed_arguments=True,
    calls_first=False,
)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.ANSWERED_IDS,
        checks.only_allowed(tools.FunctionTool, tools.HostedTool),
        Check(own.none_to_call, ("TUL-7", "TUL-69"), request.Request, needs=("tool_choice",)),
        checks.calls_need_tools(),
        checks.choice_fits((tools.FunctionTool, tools.HostedTool)),
        *MODELS.checks,
        Check(own.thinks_with_effort, ("RSN-13", "RSN-14"), request.Request, needs=("thinking",)),
        Check(own.within_budget, ("RSN-18", "RSN-19"), request.Request, needs=("thinking",)),
        Check(own.strict_schemas, ("SCH-1", "SCH-6", "SCH-11"), request.Request, needs=("tools",)),
        Check(own.refitted, ("SCH-6", "SCH-7", "SCH-8", "SCH-11"), request.Request, needs=("output",)),
        Check(own.named_documents, ("DOC-2", "DOC-20"), request.Request),
        Check(own.marked_outside, ("CAC-4",), request.Request),
        Check(own.marked_at_the_end, ("CAC-20",), request.Request, needs=("caching",)),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=True),
        Check(own.measured, ("ENV-2",), response.Response),
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
