"""What links tool calls to tools and results: every result answers a call, every call is answered (TUL-3, TUL-10), and
ids and names are such as the target accepts (TUL-8, TUL-13).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.parts import CustomCall, FunctionCall, ToolResult
from ..ir.request import Request
from ..ir.response import Candidate
from ..ir.turns import Role
from .legalize import Findings
from .profile import Placement


def pair(root: Any, placement: Placement, findings: Findings, options: Mapping[str, Any]) -> None:
    """Record what does not link in the placed turns of a request; calls without an id are refused elsewhere (TUL-5)."""
    if not isinstance(root, Request):
        for candidate in getattr(root, "candidates", ()):
            _answered(candidate, placement, findings)
        return
    named: set[str] = set()
    fits = placement.call_id
    waiting: dict[str, FunctionCall | CustomCall] = {}
    answered: set[str] = set()
    odd: set[str] = set()
    last: Role | None = None
    for turn in root.turns or ():
        role = turn.role
        if role is Role.ASSISTANT:
            if waiting and last is not Role.ASSISTANT:
                _unanswered(waiting, answered, findings)
                waiting, answered = {}, set()
            for part in turn.parts:
                cls = part.__class__
                if (cls is FunctionCall or cls is CustomCall) and part.id is not None:
                    if part.id in waiting:
                        findings.at("TUL-16", part, "id")
                    waiting[part.id] = part
                    if fits is not None and not fits(part.id):
                        odd.add(part.id)
                        findings.at("TUL-13", part, "id")
                    if part.name not in named:
                        named.add(part.name)
                        _named(part, placement, findings)
        elif role is Role.USER or role is Role.TOOL:
            for part in turn.parts:
                if part.__class__ is ToolResult:
                    call_id = part.call_id
                    if call_id not in waiting or call_id in answered:
                        findings.at("TUL-3", part, "call_id", f"call id {call_id!r:.80}")
                    answered.add(call_id)
                    if call_id in odd:
                        findings.at("TUL-13", part, "call_id")
        else:
            continue
        last = role
    if last is not Role.ASSISTANT or not placement.open_calls:
        _unanswered(waiting, answered, findings)


def _named(call: FunctionCall | CustomCall, placement: Placement, findings: Findings) -> None:
    if placement.tool_name is not None and not placement.tool_name(call.name):
        findings.at("TUL-8", call, "name")


def _answered(candidate: Candidate, placement: Placement, findings: Findings) -> None:
    """The calls of an answer, which nothing answers yet."""
    for turn in candidate.turns:
        for part in turn.parts:
            if part.__class__ is FunctionCall:
                if part.id is not None and placement.call_id is not None and not placement.call_id(part.id):
                    findings.at("TUL-13", part, "id")
                _named(part, placement, findings)


def _unanswered(waiting: dict[str, FunctionCall | CustomCall], answered: set[str], findings: Findings) -> None:
    if len(waiting) == len(answered):
        return
    for call_id, call in waiting.items():
        if call_id not in answered:
            findings.at("TUL-10", call, "id", f"call id {call_id!r:.80}")
