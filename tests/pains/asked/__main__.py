"""How many rows hold, and what differs in those that do not: `python -m tests.pains.asked`."""

from __future__ import annotations

from .got import differences
from .still_open import OPEN
from .table import ROWS

fine = by_rule = 0
for row in ROWS:
    if found := differences(row):
        print(row, *found, sep="\n    ")
    else:
        by_rule += row.by_rule
        fine += not row.by_rule
for reason, row in OPEN:
    found = differences(row)
    print(row, reason if found else "holds: it belongs to the module of its subject", *found, sep="\n    ")
print(f"{len(ROWS) + len(OPEN)} rows: {fine} fine, {by_rule} by a rule, {len(OPEN)} open")
