"""Reasoning under a server's own seals, in the members that the server has for it (RSN-15): `reasoning_seals`.

Rule: the table lets through what this server can read; here it gets the server's form, and the builder writes that.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from proxai_ir.binding.server import Server
from proxai_ir.ir.parts import Part, Reasoning, UnknownPart, VendorPart
from proxai_ir.ir.request import Request
from proxai_ir.ir.turns import ASSISTANT
from proxai_ir.reporting.report import Report

from .conditions import SEALED_BY, made_by

MEMBERS = "members of the message"
"""The kind of a part that the builder puts beside the content."""


def in_own_members(root: Request, report: Report, server: Server) -> None:
    """Messages that follow one another are joined, and have one seal of Copilot's (RSN-26)."""
    word = server.reasoning_seals
    if word not in SEALED_BY:
        return
    sealed, spell = made_by(SEALED_BY[word]), SPELT[word]
    for is_assistants, turns in groupby(root.turns or (), lambda turn: turn.role is ASSISTANT):
        answer = list(turns) if is_assistants else []
        own = [part for turn in answer for part in turn.parts if type(part) is Reasoning and sealed(part)]
        for part in own[1:] if word == "copilot" else ():
            report.at("RSN-26", part)
            part.seal = None
        for turn in answer if own else ():
            turn.parts = [spell(part) if type(part) is Reasoning else part for part in turn.parts]


def _copilot(part: Reasoning) -> Part:
    """Text without a seal is in the same member as that beside one."""
    if part.seal is not None and part.seal.provider != "copilot":
        return part
    members = {"reasoning_text": part.text or None, "reasoning_opaque": part.seal and part.seal.data}
    return VendorPart(MEMBERS, {name: value for name, value in members.items() if value is not None}, part.src)


def _databricks(part: Reasoning) -> Part:
    if part.seal is None or part.seal.provider != "databricks":
        return part
    summary = {"type": "summary_text", "text": part.text or "", "signature": part.seal.data}
    return UnknownPart("reasoning", {"type": "reasoning", "summary": [summary]}, part.src)


def _litellm(part: Reasoning) -> Part:
    if part.seal is None or part.seal.provider != "anthropic":
        return part
    block = {"type": "redacted_thinking", "data": part.seal.data}
    if part.seal.kind == "signature":
        block = {"type": "thinking", "thinking": part.text or "", "signature": part.seal.data}
    return VendorPart(MEMBERS, {"thinking_blocks": [block]}, part.src)


SPELT: dict[str, Callable[[Reasoning], Part]] = {
    "copilot": _copilot,
    "databricks": _databricks,
    "litellm": _litellm,
}
