"""The text of a content that grows on the fast path, as long as a refusal may repeat it (REF-11)."""

from __future__ import annotations

from typing import Any

from proxai_ir.ir.stream.events import MOST_REPEATED


class Content:
    """`follows`: whether more of the text matters; it does not where there is too much of it."""

    def __init__(self) -> None:
        self.follows = True
        self._text: list[str] = []
        self._size = 0

    def note(self, text: Any) -> str | None:
        """Note more of the text. Returns it, and None for what is no text or need not be noted any more."""
        if not self.follows or text.__class__ is not str:
            return None
        self._size += len(text)
        if self._size > MOST_REPEATED:
            self.follows = False
            self._text.clear()
            return None
        self._text.append(text)
        return text

    def take(self) -> str | None:
        """The text of the part that is over, where it is known."""
        text = "".join(self._text) if self.follows else None
        self._text.clear()
        return text
