"""What the table of Gemini Interactions does not have in common with the source, read against the rules."""

from __future__ import annotations

FIELDS = ""
PLACES: dict[str, str] = {}
SOMETIMES = ""
SOMETIMES_PLACES = ""
CELLS = ""
TOTAL = "0/0"
