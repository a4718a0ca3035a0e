"""Conditions of the table of Interactions; `_google` has those that it shares."""

from __future__ import annotations

from typing import Any

from proxai_ir.wire import gemini_interactions as wire

from .._google.conditions import Images

IMAGES = Images(wire.IMAGE_TYPES)


def carried_seal(part: Any) -> bool:
    """Whether a part that is no thought has a seal, which stands in a thought of its own (RSN-90)."""
    return part.seal is not None
