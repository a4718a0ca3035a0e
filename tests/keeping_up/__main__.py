"""Prints what is new in the installed official packages; exits with 1 if anything is."""

from __future__ import annotations

import sys

try:
    from .findings import all_findings, report

    found = list(all_findings())
except ModuleNotFoundError as missing:
    if (missing.name or "").partition(".")[0] in ("proxai_ir", "tests"):
        raise
    print(f'needs {missing.name}: pip install -e ".[clients,test]"', file=sys.stderr)
    sys.exit(2)
print(report(found))
sys.exit(bool(found))
