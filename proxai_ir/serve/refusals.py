"""What ends a request before its response has begun."""

from __future__ import annotations


class Forbidden(Exception):
    """The gateway refuses a request: `status`, and the reason as text."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Disconnected(Exception):
    """The client went away before it had sent its request."""


class TooLong(Exception):
    """A whole response that is longer than the configuration allows."""
