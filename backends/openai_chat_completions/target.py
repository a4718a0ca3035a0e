"""What Chat Completions supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

import re

from proxai_ir import ir
from proxai_ir.backends._openai.conditions import ARRAYS_COMPLETE, STRICT_SCHEMAS, id_of_at_most, limits
from proxai_ir.ir.node import Seal
from proxai_ir.ir.turns import Role
from proxai_ir.rules import checks
from proxai_ir.rules.approximations import word_of_json
from proxai_ir.rules.base import BASE
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.verdicts import Check, Target
from proxai_ir.wire import openai_chat_completions as wire

from .checks import (
    choosable,
    finish_reasons,
    one_signature,
    one_signature_each,
    one_web_search,
    recorded,
    timed,
)
from .dialects import in_own_members
from .settings import MODELS, SETTINGS
from .target_rows import ROWS

CONSTRAINTS = Constraints(
    instructions="inline",
    results="turns",
    media_results=False,
    nested=False,
    ordered=False,
    text_parts=False,
    empty_text=True,
    alternatives=True,
    items=False,
    open_calls=False,
    call_id=id_of_at_most(wire.MOST_OF_CALL_ID),
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
)

LIMITS = limits(wire.TOOL_NAME, wire.MOST_OF_CALL_ID, wire.OPTIONS_TTL)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.ENVELOPE,
        checks.only_allowed(ir.WebSearchTool),
        Check(one_web_search, ("TUL-6",), ir.Request, given=(ir.WebSearchTool,)),
        Check(choosable, ("TUL-6",), ir.Request, needs=("tool_choice",)),
        STRICT_SCHEMAS,
        ARRAYS_COMPLETE,
        checks.choice_fits((ir.FunctionTool, ir.CustomTool)),
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        Check(in_own_members, ("RSN-26",), ir.Request, given=(Seal,)),
        Check(one_signature, ("RSN-26", "RSN-28"), ir.Request, given=(Seal,)),
        Check(one_signature_each, ("RSN-4", "RSN-28"), ir.Candidate, given=(Seal,)),
        Check(recorded, ("ENV-2",), ir.Candidate, given=(ir.Audio,)),
        Check(finish_reasons, (), ir.Response),
        Check(timed, ("ENV-2",), ir.Response, lacks=("created",)),
        checks.schema_named(required=False),
        word_of_json(Role.SYSTEM, apart=False, within="instruction_roles"),
        checks.explained_by(ir.Text, ir.Refusal),
        *MODELS.checks,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
