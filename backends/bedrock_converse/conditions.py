"""Conditions and rewrites of the table of Converse."""

from __future__ import annotations

import re
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.request import Effort, ThinkingMode
from proxai_ir.rules.conditions import checked, effort_for, is_text_type, nearest_of
from proxai_ir.rules.verdicts import Fields
from proxai_ir.wire import bedrock_converse as wire

# --- settings ---------------------------------------------------------------------------------------------------------

LEVELS = (Effort.LOW, Effort.MEDIUM, Effort.HIGH)
nearest = nearest_of(*LEVELS)


def level_for_budget(thinking: ir.Thinking) -> Fields:
    wanted = thinking.effort or Effort(effort_for(thinking.budget or 0))
    return Fields(budget=None, effort=nearest(ir.Thinking(effort=wanted)))


def without_thinking(_: ir.Thinking) -> Fields:
    """The least effort is no thinking at all (RSN-7)."""
    return Fields(mode=ThinkingMode.DISABLED, effort=None)


def has_empty_stop(sampling: ir.Sampling) -> bool:
    return not all(sampling.stop or ())


def without_empty_stops(sampling: ir.Sampling) -> list[str] | None:
    return [one for one in sampling.stop or () if one] or None


def unfit_metadata(service: ir.Service) -> bool:
    """Whether metadata are more, or others, than `requestMetadata` may be."""
    metadata: dict[str, Any] = service.metadata or {}
    texts = [*metadata, *metadata.values()]
    fits = all(
        isinstance(one, str) and len(one) <= wire.LONGEST_METADATA and wire.METADATA.fullmatch(one) is not None
        for one in texts
    )
    return not (fits and "" not in metadata and len(metadata) <= wire.MOST_METADATA)


def is_no_object(tool: ir.FunctionTool) -> bool:
    return bool((tool.parameters or {}).get("type", "object") != "object")


def states_object(tool: ir.FunctionTool) -> bool:
    return bool((tool.parameters or {}).get("type") == "object")


# --- content ----------------------------------------------------------------------------------------------------------

ODD = re.compile(r"[^a-zA-Z0-9_.:-]")
KEPT = 50  # characters of an id that is too long, before its checksum


def accepted_call_id(given: str) -> str:
    """The id itself, or one of this protocol's alphabet and length, with a checksum (TUL-13)."""
    if wire.CALL_ID.fullmatch(given):
        return given
    return checked(ODD.sub("_", given)[:KEPT], given)


def other_mime(kind: str) -> Any:
    """Whether data, or an address, have a type that blocks of this kind do not have, or none that is known."""
    return lambda source: source.mime not in wire.FORMAT_OF[kind]


def not_stored(source: ir.Url) -> bool:
    return not source.url.startswith(wire.S3)


def is_text(source: ir.Inline) -> bool:
    return is_text_type(source.mime) and source.mime not in wire.FORMAT_OF["document"]


def as_plain(source: ir.Inline) -> ir.Inline:
    return ir.Inline(source.data, "text/plain", source.src)


def illustrated(holder: Any) -> bool:
    return any(not isinstance(part, ir.Text) for part in holder.parts)


def unsigned(reasoning: ir.Reasoning) -> bool:
    return reasoning.seal is None or reasoning.seal.provider not in (wire.ANTHROPIC, wire.OWN)
