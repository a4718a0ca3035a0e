"""Prints what is new in the installed official packages; exits with 1 if anything is."""

from __future__ import annotations

import sys

from .findings import all_findings, report

found = list(all_findings())
print(report(found))
sys.exit(bool(found))
