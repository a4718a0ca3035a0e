"""What an Exchange hands to the proxy, a request to send upstream or a reply to the client, and the headers of replies.

Of response headers, request ids, hints when to retry and rate limits go from one protocol to another; all others stay
behind. Names are lower-case on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from ..binding.http import FACTS, LIMITED, SHARED_HEADERS, Http
from ..ir.terminal import Finish
from ..reporting.diagnostics import Diagnostic

if TYPE_CHECKING:
    from ..profiles.facts import Fact

JSON_TYPE = {"content-type": "application/json"}


@frozen(kw_only=True)
class Upstream:
    """A request to the provider. `path` follows the base URL, `stream` says whether a stream is asked for.

    `headers` have lower-case names; the content type, the version of the API, betas, and the key where one was given.
    `why` has the rows of the table of models that the request was made for, in order.
    """

    path: str
    headers: dict[str, str]
    body: bytes
    stream: bool
    diagnostics: tuple[Diagnostic, ...] = ()
    why: tuple[Fact, ...] = ()


@frozen(kw_only=True)
class Reply:
    """A whole response to the client. `usage`: token counts by kind (USE-1), where the provider stated them;
    `finishes`: how each candidate of the provider's response ended, none for an error."""

    status: int
    headers: dict[str, str]
    body: bytes
    diagnostics: tuple[Diagnostic, ...] = ()
    usage: dict[str, Any] | None = field(default=None)
    finishes: tuple[Finish, ...] = ()

    @property
    def finish(self) -> Finish | None:
        """How the response ended: of several candidates the first."""
        return self.finishes[0] if self.finishes else None


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


def with_text(payload: Any, path: tuple[str, ...], text: str) -> Any:
    """The payload with the text that is at a path replaced; as it is where there is none."""
    name, *rest = path
    found = payload.get(name) if isinstance(payload, dict) else None
    if rest:
        made = with_text(found, tuple(rest), text)
        return payload if made is found else {**payload, name: made}
    return {**payload, name: text} if isinstance(found, str) and found != text else payload
