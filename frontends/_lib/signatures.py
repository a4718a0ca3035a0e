"""Signatures that come in several deltas of a stream (STR-28)."""

from __future__ import annotations

from typing import Any


class Signatures:
    """By the index of its block, what there is so far of a signature, and the object that had the last of it."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[str, Any]] = {}

    def add(self, index: int, text: str, src: Any) -> str:
        """The signature so far; a piece that repeats all of what there was takes its place."""
        before = self._found[index][0] if index in self._found else ""
        whole = text if text.startswith(before) else before + text
        self._found[index] = (whole, src)
        return whole

    def take(self, index: int) -> tuple[str, Any] | None:
        """The whole signature of a block that is over."""
        return self._found.pop(index, None)
