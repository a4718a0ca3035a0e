"""The checks of the target: what no single field shows."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Response
from proxai_ir.reporting.report import Report
from proxai_ir.rules.checks import name_model


def members_of_messages(root: Request, report: Report, server: Server) -> None:
    """A message has its images apart from its text."""
    for turn in root.turns or ():
        for listed in (turn.parts, *(part.parts for part in turn.parts if isinstance(part, ir.ToolResult))):
            images = [part for part in listed if isinstance(part, ir.Image)]
            if images and isinstance(listed[-1], ir.Text):
                report.at("IMG-70", images[0])


def envelope(root: Response, report: Report, server: Server) -> None:
    """A response needs a model and a time, and has no id."""
    name_model(root, report, server)
    root.created = server.created if root.created is None else root.created
    if root.created is None:
        report.records.append(("ENV-2", None, "`created_at` is the beginning of 1970"))
        root.created = 0
