"""Response headers from one protocol to another: request ids, hints when to retry, rate limits; all others stay behind.

Header names are lower-case on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime

from ..binding.http import FACTS, LIMITED, SHARED_HEADERS, Http

DURATION = re.compile(
    r"(?:(?P<d>\d+)d)?(?:(?P<h>\d+)h)?(?:(?P<m>\d+)m(?!s))?(?:(?P<s>\d+(?:\.\d+)?)s)?(?:(?P<ms>\d+)ms)?"
)
SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}


def translated(headers: Mapping[str, str], source: Http, target: Http, now: float | None) -> dict[str, str]:
    """`now`: seconds since 1970, without which a reset stays behind where the protocols state it differently."""
    made = {name: headers[name] for name in SHARED_HEADERS if name in headers}
    if source.request_id and target.request_id and source.request_id in headers:
        made[target.request_id] = headers[source.request_id]
    if source.limits and target.limits:
        for what in LIMITED:
            for fact in FACTS:
                value = headers.get(source.limits.format(what=what, fact=fact))
                if value is not None and fact == "reset":
                    value = reset_as(value, source.resets, target.resets, now)
                if value is not None:
                    made[target.limits.format(what=what, fact=fact)] = value
    return made


def reset_as(value: str, source: str, target: str, now: float | None) -> str | None:
    """A moment as a duration from now, or the other way; None for what cannot be read."""
    if source == target:
        return value
    if now is None:
        return None
    try:
        if target == "time":
            moment = datetime.fromtimestamp(now + seconds_of(value), UTC)
            return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
        return duration_of(datetime.fromisoformat(value).timestamp() - now)
    except (ValueError, OverflowError, OSError):
        return None


def seconds_of(duration: str) -> float:
    """Raises ValueError for what is no duration like "6m0s", "1.5s" or "20ms"."""
    found = DURATION.fullmatch(duration)
    if not duration or found is None:
        raise ValueError("expected a duration")
    return sum(float(count) * SECONDS[unit] for unit, count in found.groupdict().items() if count)


def duration_of(seconds: float) -> str:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
