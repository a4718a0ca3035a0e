"""Checks of the table of Interactions: what no single field of a request shows.

Rule: a check acts where it reports.
"""

from __future__ import annotations

from itertools import takewhile

from proxai_ir.binding.server import Server
from proxai_ir.ir import request
from proxai_ir.ir.parts import Text
from proxai_ir.ir.turns import DEVELOPER, SYSTEM
from proxai_ir.reporting.report import Report
from proxai_ir.wire import gemini_interactions as wire


def one_instruction(root: request.Request, report: Report, server: Server) -> None:
    """The texts of the instructions that a conversation begins with are one string (PLC-8)."""
    leading = [*takewhile(lambda turn: turn.role in (SYSTEM, DEVELOPER), root.turns or ())]
    texts = [part for turn in leading for part in turn.parts if isinstance(part, Text)]
    if len(texts) > 1:
        for part in texts[1:]:
            report.at("PLC-8", part)
        leading[0].parts = [Text(wire.LINE.join(part.text for part in texts), src=texts[0].src)]
        root.turns = [leading[0], *(root.turns or ())[len(leading) :]]
