"""The checks of the target: what no single field shows."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir import parts
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Response
from proxai_ir.reporting.report import Report


def members_of_messages(root: Request, report: Report, server: Server) -> None:
    """A message has one string of text, and its images apart."""
    for turn in root.turns or ():
        for listed in (turn.parts, *(part.parts for part in turn.parts if isinstance(part, parts.ToolResult))):
            texts = [part for part in listed if isinstance(part, parts.Text)]
            for part in (
                texts[1:] if listed is not turn.parts else ()
            ):  # those of a turn are joined with its neighbours'
                report.at("PLC-8", part)
            images = [part for part in listed if isinstance(part, parts.Image)]
            if images and isinstance(listed[-1], parts.Text):
                report.at("IMG-70", images[0])


def envelope(root: Response, report: Report, server: Server) -> None:
    """A response needs a model and a time, and has no id."""
    if server.model is not None and root.model not in (None, server.model):
        report.at("ENV-12", root, "model")
    root.model = server.model or root.model
    if root.model is None:
        root.model = ""
        report.records.append(("ENV-6", None, ""))
    root.created = server.created if root.created is None else root.created
    if root.created is None:
        report.records.append(("ENV-2", None, "`created_at` is the beginning of 1970"))
        root.created = 0
