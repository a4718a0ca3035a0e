"""What Chat Completions supports: the structure of a conversation, the tables of verdicts, and the checks."""

from __future__ import annotations

import re

from proxai_ir.backends._openai.conditions import ARRAYS_COMPLETE, STRICT_SCHEMAS, id_of_at_most, limits
from proxai_ir.ir import parts, request, response, tools
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
        checks.only_allowed(tools.WebSearchTool),
        Check(one_web_search, ("TUL-6",), request.Request, given=(tools.WebSearchTool,)),
        Check(choosable, ("TUL-6",), request.Request, needs=("tool_choice",)),
        STRICT_SCHEMAS,
        ARRAYS_COMPLETE,
        checks.choice_fits((tools.FunctionTool, tools.CustomTool)),
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        Check(in_own_members, ("RSN-26",), request.Request, given=(Seal,)),
        Check(one_signature, ("RSN-26", "RSN-28"), request.Request, given=(Seal,)),
        Check(one_signature_each, ("RSN-4", "RSN-28"), response.Candidate, given=(Seal,)),
        Check(recorded, ("ENV-2",), response.Candidate, given=(parts.Audio,)),
        Check(finish_reasons, (), response.Response),
        Check(timed, ("ENV-2",), response.Response, lacks=("created",)),
        checks.schema_named(required=False),
        word_of_json(Role.SYSTEM, apart=False, within="instruction_roles"),
        checks.explained_by(parts.Text, parts.Refusal),
        *MODELS.checks,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
