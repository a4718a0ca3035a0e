"""Memory for the bodies of requests and responses: one budget of the gateway, of which each request has a share.

Rule: what is held of all bodies together is bounded; a request for which there is no more is refused, and what it had
is free for others.
"""

from __future__ import annotations

from .asgi import Forbidden


class Budget:
    def __init__(self, most: int) -> None:
        self._most = most
        self.used = 0

    def share(self) -> Share:
        return Share(self)

    def take(self, size: int) -> None:
        """Raises Forbidden where there is not so much."""
        if self.used + size > self._most:
            raise Forbidden(503, f"The gateway holds {self._most} bytes of other requests, its limit; try again later.")
        self.used += size


class Share:
    """What one request takes of the budget, until it is given back."""

    def __init__(self, budget: Budget) -> None:
        self._budget, self._size = budget, 0

    def take(self, size: int) -> None:
        """Raises Forbidden."""
        self._budget.take(size)
        self._size += size

    def give_back(self) -> None:
        self._budget.used -= self._size
        self._size = 0
