"""What OpenAI Responses supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

import re

from proxai_ir import ir
from proxai_ir.backends._openai.conditions import ARRAYS_COMPLETE, STRICT_SCHEMAS, limits
from proxai_ir.ir.node import Cache
from proxai_ir.ir.terminal import END
from proxai_ir.ir.turns import Role
from proxai_ir.rules import checks
from proxai_ir.rules.approximations import word_of_json
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints, SealSlot
from proxai_ir.rules.defaults import UNSTORED
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses as wire

from .checks import (
    encrypted,
    filled_in,
    fitted_content,
    instructions_alone,
    limited_searches,
    one_way_members,
    results_follow_calls,
    searches_once,
    without_bare_reasoning,
    without_empty_text,
    without_made_ids,
)
from .conditions import accepted_id
from .settings import MODELS, SETTINGS
from .target_rows import ROWS

CONSTRAINTS = Constraints(
    instructions="inline",
    results="anywhere",
    media_results=True,
    nested=False,
    ordered=True,
    text_parts=True,
    empty_text=True,
    alternatives=False,
    items=True,
    namespaces=True,
    open_calls=False,
    seals={ir.Reasoning: SealSlot((openai.PROVIDER,), wire.ENCRYPTED, needed=True)},
    call_id=accepted_id,
    unique_calls=True,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    without_output=END,
)

LIMITS = limits(wire.TOOL_NAME, wire.MOST_OF_ID, wire.OPTIONS_TTL)
LIMITS["TUL-13"] += f"; web searches begin with {wire.WEB_ID}, MCP calls with {wire.MCP_ID}"
SEARCHES = (ir.WebSearchTool, ir.HostedTool)  # which a search may take the place of
RESULTS = (ir.WebSearchResult, ir.McpResult, ir.CodeResult)
CALLABLE = (ir.FunctionTool, ir.CustomTool, ir.WebSearchTool, ir.CodeTool, ir.McpServer)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        *checks.calls_apart({ir.WebSearchCall: wire.WEB_ID, ir.McpCall: wire.MCP_ID, ir.CodeCall: wire.CODE_ID}),
        checks.ENVELOPE,
        checks.ANSWERED_IDS,
        STRICT_SCHEMAS,
        ARRAYS_COMPLETE,
        checks.choice_fits(CALLABLE),
        checks.schema_named(required=True),
        word_of_json(Role.DEVELOPER, apart=True, within="system_in_place"),
        checks.explained_by(ir.Refusal),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        checks.DETAILS_REPORTED,
        Check(limited_searches, ("TUL-9",), ir.Request, given=SEARCHES),
        Check(searches_once, (), ir.Request, given=SEARCHES),
        Check(instructions_alone, (), ir.Request, needs=("turns",)),
        Check(one_way_members, ("CAC-4", "CIT-1"), ir.Request, given=(Cache, ir.UrlCitation)),
        Check(without_bare_reasoning, ("RSN-5",), ir.Request, given=(ir.Reasoning,), without="bare_reasoning"),
        Check(without_made_ids, ("RSN-5",), ir.Request, needs=("turns",), without="bare_reasoning", relayed=True),
        Check(without_empty_text, ("ENV-7",), ir.Request, needs=("turns",)),
        Check(results_follow_calls, ("TUL-22", "TUL-23", "TUL-39"), ir.Request, given=RESULTS),
        UNSTORED,
        Check(encrypted, ("RSN-25",), ir.Request, needs=("thinking",)),
        Check(results_follow_calls, ("TUL-22", "TUL-23", "TUL-39"), ir.Response, given=RESULTS),
        Check(filled_in, ("ENV-2",), ir.Response),
        Check(fitted_content, ("PLC-10",), ir.Response),
        *MODELS.checks,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
