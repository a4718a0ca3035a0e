"""What Anthropic models take (CAP-5)."""

from __future__ import annotations

FACTS = ()
BEST = ()
