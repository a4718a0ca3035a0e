"""The verdict on the media type of an image, for every target that has one (SRC-4).

Rule: a type that is misspelt, missing or not that of the data is corrected to one that the target takes; what it does
not take under its right name either, the target's own verdicts decide.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from typing import Any

from ..ir.media_types import registered, shown_type
from ..ir.parts import Inline, Url
from .verdicts import Verdict, notes


def right_type(source: Any) -> str | None:
    """The type of an image: that of its data where they show one, else the declared one by its registered name."""
    shown = shown_type(source.data) if type(source) is Inline else None
    return shown or registered(source.mime)


def corrected(*sources: type[Inline] | type[Url], accepted: Collection[str] = ()) -> Verdict:
    """`accepted`: the types that the target takes; none: it takes any."""

    def misnamed(source: Any) -> bool:
        right = right_type(source)
        return right != source.mime and (not accepted or right in accepted)

    def renamed(source: Any) -> Any:
        made = copy(source)
        made.mime = right_type(source)
        return made

    return notes("SRC-4", *(sources or (Inline,)), when=misnamed, by=renamed, at="mime")
