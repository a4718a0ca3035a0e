"""Checks that the tables of OpenAI's protocols share: what no single field of the IR shows.

Rule: a check acts where it reports.
"""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir import tools
from proxai_ir.ir.request import Request, SchemaFormat
from proxai_ir.reporting.report import Report
from proxai_ir.rules.verdicts import Check
from proxai_ir.schemas.arrays import with_items


def _arrays_complete(request: Request, report: Report, server: Server) -> None:
    """A schema says of every array what it holds (SCH-13)."""
    for tool in request.tools or ():
        if type(tool) is tools.FunctionTool and tool.parameters is not None:
            made = with_items(tool.parameters)
            if made is not tool.parameters:
                report.at("SCH-13", tool, "parameters")
                tool.parameters = made
    wanted = request.output.format if request.output is not None else None
    if isinstance(wanted, SchemaFormat) and wanted.schema is not None:
        made = with_items(wanted.schema)
        if made is not wanted.schema:
            report.at("SCH-13", wanted, "schema")
            wanted.schema = made


ARRAYS_COMPLETE = Check(_arrays_complete, ("SCH-13",), Request, needs=("tools", "output"))
