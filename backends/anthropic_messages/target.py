"""What Anthropic Messages supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

import re

from proxai_ir import ir
from proxai_ir.rules import checks, strict_limits
from proxai_ir.rules import typed_thinking as thinking
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints, SealSlot
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import anthropic_messages as wire

from .checks import (
    announced,
    answered_searches,
    has_content,
    limited,
    limited_search,
    marked_at_the_end,
    never_parallel,
    thinks_with_effort,
    undeferred,
    unshown,
    whole_runs,
    within_budget,
)
from .conditions import CALLABLE, LIMITS, accepted_call_id
from .schemas import refitted, strict_schemas, titled
from .settings import MODELS, SETTINGS
from .target_rows import ROWS

CONSTRAINTS = Constraints(
    instructions="top",
    results="user",
    media_results=True,
    nested=True,
    ordered=True,
    text_parts=True,
    empty_text=False,
    placed_seals=True,
    worded_results="failed",
    alternatives=False,
    items=False,
    open_calls=True,
    seals={ir.Reasoning: SealSlot((wire.PROVIDER,), "redacted", {"signature": True, "redacted": False}, True)},
    call_id=accepted_call_id,
    unique_calls=True,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    breakpoints=wire.MOST_BREAKPOINTS,
    outlasted=wire.DEFAULT_TTL,
    last_turn="dropped",
    parsed_arguments=True,
)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        *checks.calls_apart({ir.WebSearchCall: wire.SERVER_ID, ir.McpCall: wire.MCP_ID, ir.CodeCall: wire.SERVER_ID}),
        checks.ENVELOPE,
        checks.ANSWERED_IDS,
        checks.calls_need_tools(without="calls_without_tools"),
        Check(whole_runs, ("TUL-6", "TUL-39"), ir.Request, given=(ir.CodeCall, ir.CodeResult)),
        checks.only_allowed(*CALLABLE),
        checks.choice_fits(CALLABLE),
        Check(undeferred, ("TUL-28",), ir.Request, needs=("tools",), without="hosted_tools"),
        Check(marked_at_the_end, ("SVC-7", "CAC-5"), ir.Request, needs=("caching",), without="automatic_caching"),
        Check(never_parallel, ("TUL-15",), ir.Request, needs=("parallel_tools",)),
        *MODELS.checks,
        Check(thinking.typed, ("SMP-6",), ir.Request, needs=("thinking",)),
        Check(unshown, ("RSN-2",), ir.Request, needs=("thinking",)),
        Check(thinks_with_effort, ("RSN-13", "RSN-14", "SMP-6"), ir.Request, needs=("thinking",)),
        Check(limited, ("SMP-1",), ir.Request, lacks=("max_tokens",)),
        Check(thinking.thought_before, ("RSN-18", "SMP-6"), ir.Request, needs=("thinking",), relayed=True),
        Check(within_budget, ("RSN-18", "RSN-19", "RSN-20", "SMP-6"), ir.Request, needs=("thinking",)),
        Check(announced, ("RSN-46",), ir.Request, given=(ir.TurnSettings,)),
        Check(limited_search, (), ir.Request, needs=("hosted_calls",)),
        Check(strict_schemas, ("SCH-1", "SCH-6", "SCH-11"), ir.Request, needs=("tools",)),
        Check(refitted, ("SCH-6", "SCH-7", "SCH-8", "SCH-11"), ir.Request, needs=("output",)),
        strict_limits.GIVEN_UP,
        Check(titled, ("OUT-4", "OUT-8"), ir.Request, needs=("output",)),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.REFUSAL_ENDS,
        checks.REFUSALS_APART,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=True),
        Check(answered_searches, ("TUL-66",), ir.Candidate, given=(ir.WebSearchCall,)),
        Check(has_content, ("CHO-3", "CHO-5"), ir.Candidate),
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
