"""Recognises errors about a prompt that is too long for the model, whichever server they are from (ERR-7).

Rule: limits of rates are none of these, and a limit of the output is one only where the prompt takes part in exceeding
it. An output larger than the whole context is an invalid request, however short the prompt gets.
"""

from __future__ import annotations

import re

from .overflow_wordings import WORDINGS

MOST_READ = 1000
"""Characters of a message that are read."""
RATES = re.compile(r"\bper (?:minute|hour|day)\b|\brate.?limit|\btpm\b|\bthrottl|\bquota\b|too many requests")
"""What limits of rates have, whose words are otherwise the same."""
PATTERNS = [re.compile(one.pattern, re.DOTALL) for one in WORDINGS]


def overflows(message: str) -> bool:
    """Whether this is the message of an error about a prompt that is too long."""
    text = message[:MOST_READ].lower()
    for pattern in PATTERNS:
        found = pattern.search(text)
        if found is not None:
            return RATES.search(text) is None and not _of_the_output(found.groupdict())
    return False


def _of_the_output(tokens: dict[str, str | None]) -> bool:
    """Whether the output alone is as large as all that the model can take."""
    output, limit = tokens.get("output"), tokens.get("limit")
    return bool(output and limit) and _number(output) >= _number(limit)


def _number(digits: str | None) -> int:
    return int((digits or "0").replace(",", ""))
