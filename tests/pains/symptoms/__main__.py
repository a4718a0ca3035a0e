"""The symptoms that are still open, with what differs: `python -m tests.pains.symptoms`."""

from __future__ import annotations

from .seen import differences
from .still_open import OPEN

for reason, row in OPEN:
    found = differences(row)
    print(f"{row}\n  {reason}" if found else f"{row}\n  holds: it belongs to the module of its protocol")
    for difference in found:
        print(f"    {difference}")
