"""Signatures of calls in the ids of the calls, for clients that send nothing else back: `carry_seals="ids"` (RSN-29).

    ID__proxai_ir_seal_REST     REST: an envelope (RSN-9) without its tag, "-0" for "-", "-1" for ".", "-2" for "="

Rule 1: such an id has letters, digits, "_" and "-" alone, as clients replace all others. Rule 2: in a request every id
is the provider's own again, of calls and of results, whatever has become of what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from typing import Any

from ..ir.envelope import CLOSED, LONGEST, TAG, UNVERIFIED, Keys, enveloped, opened
from ..ir.node import Seal
from ..ir.parts import ClientCall, ClientResult, CustomCall, FunctionCall, Part, ToolResult
from ..ir.turns import Turn
from ..reporting.report import Report
from .signed_parts import OF_CALL, Slots, unsigned
from .stages import OnOpening, Stage

IDS = "ids"
"""The value of `carry_seals`."""
MARK = "__proxai_ir_seal_"
ESCAPED = {"-": "-0", ".": "-1", "=": "-2"}
PLAIN = {escaped: char for char, escaped in ESCAPED.items()}
ID_OF = {FunctionCall: "id", CustomCall: "id", ClientCall: "id", ToolResult: "call_id", ClientResult: "call_id"}
RESULTS = (ToolResult, ClientResult)


def divided(identity: str) -> tuple[str, str]:
    """An id, and what is added to it to carry a signature."""
    plain, mark, rest = identity.rpartition(MARK)
    return (plain, mark + rest) if plain else (identity, "")


def signing_ids(slots: Slots, report: Report, keys: Keys | None) -> Stage:
    """Put the signatures of calls into their ids, where the target has no place for them on calls."""

    def change(part: Part) -> Part:
        if type(part) is not FunctionCall or FunctionCall in slots or not part.id or part.seal is None:
            return part
        envelope = enveloped(Seal(part.seal.provider, OF_CALL, part.seal.data), keys)
        if part.seal.kind == CLOSED or len(envelope) > LONGEST:
            return part
        report.at("RSN-29", part, "seal")
        signed: FunctionCall = unsigned(part)
        signed.id = part.id + MARK + re.sub("[-.=]", lambda found: ESCAPED[found[0]], envelope.removeprefix(TAG))
        return signed

    return OnOpening(change)


def hold_signatures(parts: Iterable[Part]) -> bool:
    """Whether an id of these parts carries a signature."""
    return any(MARK in (getattr(part, ID_OF.get(type(part), ""), None) or "") for part in parts)


def give_back_ids(turns: Iterable[Turn], slots: Slots, report: Report, keys: Keys | None) -> None:
    """Make the ids of a request what they were, and put the signatures on their calls where the target takes them."""
    for turn in turns:
        for index, part in enumerate(turn.parts):
            name = ID_OF.get(type(part))
            identity = name and getattr(part, name)
            if name and identity and MARK in identity:
                turn.parts[index] = _given_back(part, name, identity, slots, report, keys)


def _given_back(part: Any, name: str, identity: str, slots: Slots, report: Report, keys: Keys | None) -> Any:
    plain, carried = divided(identity)
    if not carried:
        return part
    made = copy(part)
    setattr(made, name, plain)
    if getattr(part, "raw", None) is not None:
        made.raw = {key: plain if value == identity else value for key, value in part.raw.items()}
    if isinstance(part, RESULTS):
        return made
    envelope = re.sub("-[012]", lambda found: PLAIN[found[0]], carried[len(MARK) :])
    seal = opened(Seal("", CLOSED, TAG + envelope), keys)
    slot = slots.get(type(part))
    if seal.kind == UNVERIFIED:
        report.at("RSN-11", part, "id")
    elif seal.kind != OF_CALL:
        report.at("RSN-10", part, "id")
    elif slot is None or seal.provider not in slot.makers:
        report.at("RSN-26", part, "id")
    elif made.seal is None:
        made.seal = Seal(seal.provider, slot.kind, seal.data)
    return made
