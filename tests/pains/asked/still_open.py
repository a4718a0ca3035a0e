"""Symptoms that show here, too: each with the reason, and with what must hold once it is mended."""

from __future__ import annotations

from .row import Asked

OPEN: tuple[tuple[str, Asked], ...] = ()
"""Of reasons, with the row."""
