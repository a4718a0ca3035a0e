"""What the table of Chat Completions asks of nodes and trees: the conditions of its verdicts, its own checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import parts, request, response, tools
from proxai_ir.report import Report
from proxai_ir.wire import openai_chat_completions as wire


def too_many_stops(sampling: request.Sampling) -> bool:
    return len(sampling.stop or ()) > wire.MOST_STOPS


def unscored(sampling: request.Sampling) -> bool:
    """Whether log probabilities are counted that nobody asks for, which this protocol refuses."""
    return not sampling.logprobs


def read_out(document: parts.Document) -> bool:
    return isinstance(document.source, (parts.Chunks, parts.PlainText))


def unsearched(root: request.Request) -> list[tools.Tool]:
    """Web searches that the choice does not allow; no choice of this protocol's could say so."""
    return tools.excluded(root.tool_choice, root.tools or (), tools.WebSearchTool)


def one_search(root: request.Request, report: Report, options: Mapping[str, Any]) -> None:
    """This wire has one place for web search, which is always on; a further such tool is left out (TUL-6)."""
    before = False
    out = {id(tool) for tool in unsearched(root)}
    for tool in root.tools or ():
        if id(tool) in out:
            report.at("TUL-12", tool)
        elif isinstance(tool, tools.WebSearchTool):
            if before:
                report.at("TUL-6", tool)
            before = True


def timed(root: response.Response, report: Report, options: Mapping[str, Any]) -> None:
    """This wire requires a time (ENV-2)."""
    if root.created is None:
        report.records.append(("ENV-2", None, "`created` is 0"))
