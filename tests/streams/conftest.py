"""The shared tools (recordings and the oracle), or a skip that says what is missing."""

from __future__ import annotations

from ..held.conftest import tools

__all__ = ["tools"]
