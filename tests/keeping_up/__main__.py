"""Prints what is new in the installed official packages, and which rows about models to look at again.

Exits with 1 if anything is new; rows grow old by themselves, so that they are a report alone.
"""

from __future__ import annotations

import sys
from datetime import date

from proxai_ir.profiles.vendors import FACTS

try:
    from .findings import all_findings, report
    from .freshness import of_rows

    found = list(all_findings())
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] in ("proxai_ir", "tests"):
        raise
    print(f'needs {missing.name}: pip install -e ".[clients,test]"', file=sys.stderr)
    sys.exit(2)
print(report(found))
rows = [f"{one.kind}: {one.name}: {one.why}" for one in of_rows(FACTS, date.today())]
print(f"{len(FACTS)} rows about models: {len(rows)} to look at again", *rows, sep="\n")
sys.exit(bool(found))
