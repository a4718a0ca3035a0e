"""Conditions of the table of Interactions; `_google` has those that it shares."""

from __future__ import annotations

from typing import Any

from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import google

from .._google.conditions import Images

IMAGES = Images(wire.IMAGE_TYPES)


def is_placeholder(part: Any) -> bool:
    """Whether a part has what generateContent takes in place of a signature, and this protocol does not (RSN-40)."""
    return part.seal is not None and part.seal.data in google.PLACEHOLDERS


def carried_seal(part: Any) -> bool:
    """Whether a part that is no thought has a seal, which stands in a thought beside it (RSN-90)."""
    return part.seal is not None and not is_placeholder(part)
