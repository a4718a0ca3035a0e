"""Settings that models refused (CAP-5), stored in the gateway's memory for its page and the command `log`.

Rule: requests depend only on what their own process learned. This copy is for display: a race between processes, or a
memory that cannot be reached, costs an entry here and nothing else.
"""

from __future__ import annotations

import time
from typing import Any

from attrs import asdict, frozen

from ..exchange import Memory
from ..exchange.provider import LIFETIME, MOST, Learned

KEY = "learned"
"""No client's key in the memory, as those have an owner: `OWNER/…`."""


@frozen(kw_only=True)
class Entry:
    """The settings that a model refused, until a time in seconds since 1970; `server` is "" if it is not known."""

    server: str
    protocol: str
    model: str
    settings: dict[str, Any]
    until: float

    @property
    def stated(self) -> str:
        """The settings, as a line."""
        return " ".join(f"{name}={value}" for name, value in sorted(self.settings.items()))


def note(memory: Memory, learned: Learned) -> None:
    """Add what this process learned to what all processes have stored."""
    now = time.time()
    known = {(one.server, one.protocol, one.model): one for one in read(memory, now)}
    for key, (seconds, settings) in learned.lasting().items():
        server, protocol, model = key
        known[key] = Entry(server=server, protocol=protocol, model=model, settings=settings, until=now + seconds)
    newest = sorted(known.values(), key=lambda one: -one.until)[:MOST]
    memory.put(KEY, [asdict(one) for one in newest], LIFETIME)


def read(memory: Memory, now: float | None = None) -> list[Entry]:
    """Return the entries that hold now, the latest first. Raises what the memory raises if it cannot be reached."""
    moment = time.time() if now is None else now
    return [one for one in (Entry(**one) for one in memory.get(KEY) or ()) if one.until >= moment]
