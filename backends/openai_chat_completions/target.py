"""The target Chat Completions: its structural constraints, its checks, and its table."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from proxai_ir import ir
from proxai_ir.reporting.report import Report
from proxai_ir.targets import checks
from proxai_ir.targets.approximations import word_of_json
from proxai_ir.targets.base import BASE
from proxai_ir.targets.constraints import Constraints
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Check, Target
from proxai_ir.wire import openai_chat_completions as wire

from .._openai import conditions as shared
from .rows import MODELS, ROWS, SETTINGS
from .write import finish_reason, in_litellms_members, in_own_members

# --- checks -----------------------------------------------------------------------------------------------------------


CHOOSABLE = ("function", "custom")  # the kinds of tools that a choice may allow


def choosable(root: ir.Request, report: Report, server: Server) -> None:
    """Drop allowed tools of kinds that the choice cannot list (TUL-6); they stay defined."""
    choice = root.tool_choice
    if isinstance(choice, ir.AllowedChoice):
        listed = [(kind, name) for kind, name in choice.tools if kind in CHOOSABLE]
        if len(listed) != len(choice.tools):
            report.at("TUL-6", choice, "tools")
            choice.tools = listed


def finish_reasons(root: ir.Response, report: Report, server: Server) -> None:
    """Replace the source's words for the endings by those of this protocol; other checks report the loss."""
    for candidate in root.candidates:
        candidate.terminal.raw = finish_reason(candidate)


def one_signature(root: ir.Request, report: Report, server: Server) -> None:
    """Keep one signature in adjacent messages, which are joined, besides those of calls (RSN-26).

    That is the first one of the texts, or without text that of the reasoning; with text the latter is sent on the call
    behind it (RSN-28).
    """
    for is_assistants, turns in groupby(root.turns or (), lambda turn: turn.role is ir.ASSISTANT):
        if is_assistants:
            _only_the_first("RSN-26", [part for turn in turns for part in turn.parts], report)


def one_signature_each(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Keep one signature in a response, besides those of calls; the client lacks the others (RSN-4)."""
    _only_the_first("RSN-4", candidate.parts, report)


def _only_the_first(rule: str, found: list[ir.Part], report: Report) -> None:
    _sign_first_call(found, report)
    wording = [part for part in found if isinstance(part, (ir.Text, ir.Reasoning))]
    texts = [part for part in wording if type(part) is ir.Text]  # readers take the signature for theirs
    signed = texts if any(part.text for part in texts) else wording
    sent = next((part for part in signed if part.seal is not None), None)
    for part in wording:
        if part.seal is not None and part is not sent:
            report.at(rule, part, "seal")
            part.seal = None


def _sign_first_call(found: list[ir.Part], report: Report) -> None:
    """Move the signature of reasoning that is followed by text to the call behind both, if it has none."""
    thought: Any = None
    spoken = False
    for part in found:
        if type(part) is ir.Reasoning:
            thought = thought or (part if part.seal is not None else None)
        elif type(part) is ir.Text:
            spoken = spoken or bool(part.text)
        elif isinstance(part, ir.CALLS):
            if thought is not None and spoken and type(part) is ir.FunctionCall and part.seal is None:
                report.at("RSN-28", thought, "seal")
                part.seal, thought.seal = thought.seal, None
            return


def timed(root: ir.Response, report: Report, server: Server) -> None:
    """Report a missing time, which is filled in (ENV-2)."""
    if root.created is None:
        report.records.append(("ENV-2", None, f"`created` is {wire.NO_TIME}"))


def recorded(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Report a recording without an id, which is filled in with the time until which the id is valid (ENV-2)."""
    for part in candidate.parts:
        if isinstance(part, ir.Audio):
            if part.id is None:
                report.at("ENV-2", part, "", "`id`, `expires_at`, `transcript`")
            return


# --- target -----------------------------------------------------------------------------------------------------------

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
    call_id=shared.id_of_at_most(wire.MOST_OF_CALL_ID),
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
)

LIMITS = shared.limits(wire.TOOL_NAME, wire.MOST_OF_CALL_ID, wire.OPTIONS_TTL)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.ENVELOPE,
        checks.only_allowed(ir.WebSearchTool),
        checks.ONE_WEB_SEARCH,
        Check(choosable, ("TUL-6",), ir.Request, needs=("tool_choice",)),
        shared.STRICT_SCHEMAS,
        shared.ARRAYS_COMPLETE,
        checks.choice_fits((ir.FunctionTool, ir.CustomTool)),
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        Check(in_own_members, ("RSN-26",), ir.Request, given=(ir.Seal,)),
        Check(one_signature, ("RSN-26", "RSN-28"), ir.Request, given=(ir.Seal,)),
        Check(in_litellms_members, (), ir.Request, given=(ir.Seal,)),
        Check(one_signature_each, ("RSN-4", "RSN-28"), ir.Candidate, given=(ir.Seal,)),
        Check(recorded, ("ENV-2",), ir.Candidate, given=(ir.Audio,)),
        Check(finish_reasons, (), ir.Response),
        Check(timed, ("ENV-2",), ir.Response, lacks=("created",)),
        checks.schema_named(required=False),
        word_of_json(ir.Role.SYSTEM, apart=False, within="instruction_roles"),
        checks.explained_by(ir.Text, ir.Refusal),
        *MODELS.checks,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
