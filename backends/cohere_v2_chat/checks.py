"""What no single field shows of a request to /v2/chat: documents and strict tools are the request's, not a part's."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.parts import Document
from proxai_ir.ir.request import JsonFormat, Request, SchemaFormat
from proxai_ir.ir.tools import FunctionTool
from proxai_ir.ir.turns import USER, Turn
from proxai_ir.reporting.report import Report


def moved_documents(root: Request, report: Report, server: Server) -> None:
    """All documents are for the user's last message (DOC-86), and exclude an output format (OUT-85)."""
    given = [turn for turn in root.turns or () if turn.role is USER]
    moved = [part for turn in given[:-1] for part in _taken(turn)]
    if moved:
        for part in moved:
            report.at("DOC-86", part)
        given[-1].parts = [*moved, *given[-1].parts]
        root.turns = [turn for turn in root.turns or () if turn.parts or turn.role is not USER]
    found = any(isinstance(part, Document) for turn in given for part in turn.parts)
    if found and root.output is not None and isinstance(root.output.format, (JsonFormat, SchemaFormat)):
        report.at("OUT-85", root.output, "format")
        root.output.format = None


def _taken(turn: Turn) -> list[Document]:
    """The documents of a turn, which has the rest."""
    found = [part for part in turn.parts if isinstance(part, Document)]
    if found:
        turn.parts = [part for part in turn.parts if not isinstance(part, Document)]
    return found


def strict_together(root: Request, report: Report, server: Server) -> None:
    """The schemas of all tools are enforced, or of none (SCH-14)."""
    listed = [tool for tool in root.tools or () if isinstance(tool, FunctionTool)]
    if any(tool.strict for tool in listed):
        for tool in listed:
            if not tool.strict:
                report.at("SCH-14", tool)
