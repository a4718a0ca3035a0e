"""Defaults of a target's servers that those of other protocols do not have (CAP-4): what switches them off.

Rule: a check acts where it reports.
"""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.request import Request, Service
from proxai_ir.reporting.report import Report
from proxai_ir.rules.verdicts import Check


def _unstored(root: Request, report: Report, _server: Server) -> None:
    """Ask servers that store every response not to, where the source's protocol stores none."""
    if report.stores:
        return
    if root.service is None:
        root.service = Service()
    if root.service.store is None:
        root.service.store = False
        report.records.append(("CAP-4", None, "`store` is false"))


UNSTORED = Check(_unstored, ("CAP-4",), Request)
