"""A refusal that a stream has a second time, after its wording came as content.

Rule: a refusal counts once (REF-1). While a refusal can be a repetition it is held back; the content has been sent.
"""

from __future__ import annotations

from typing import Any

LONGEST = 1000
"""The longest content, in characters, that a refusal is compared with."""


class RepeatedRefusal:
    """The content of one choice, as long as a refusal may repeat it, and the refusal as far as it does.

    held   the refusal, which may go on to be another one
    src    the delta that it begins in
    """

    def __init__(self) -> None:
        self.held = ""
        self.src: Any = None
        self._content: list[str] = []
        self._size = 0
        self._over = False

    @property
    def follows(self) -> bool:
        """Whether more of the content matters."""
        return not self._over

    def content(self, text: Any) -> str | None:
        """Note more of the content. Returns it, and None for what is no text or need not be noted any more."""
        if self._over or text.__class__ is not str:
            return None
        self._size += len(text)
        if self._size > LONGEST:
            self.over()
            return None
        self._content.append(text)
        return text

    def takes(self, text: str, src: Any) -> bool:
        """Whether more of the refusal still repeats the content; it is held then."""
        if self._over or not "".join(self._content).startswith(self.held + text):
            return False
        self.held += text
        self.src = self.src or src
        return True

    def is_whole(self) -> bool:
        """Whether the refusal is the content, word for word."""
        return bool(self.held) and self.held == "".join(self._content)

    def over(self) -> str:
        """The refusal is another one, or cannot be compared: what is held of it."""
        held, self.held, self._over = self.held, "", True
        self._content.clear()
        return held
