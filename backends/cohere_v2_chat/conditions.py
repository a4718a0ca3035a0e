"""What the table of /v2/chat asks of nodes: conditions of its verdicts, and rewrites."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.rules.conditions import is_text_type, not_web


def unreadable(document: ir.Document) -> bool:
    """Whether a document is neither a text nor data that are text."""
    source = document.source
    return isinstance(source, ir.Url) or (isinstance(source, ir.Inline) and not is_text_type(source.mime))


def unreachable(source: ir.Url) -> bool:
    """Whether an address is none of the web, as those of a cloud's storage, and holds no data itself."""
    return not_web(source) and not source.url.startswith("data:")


def without_properties(tool: ir.FunctionTool) -> bool:
    return "type" not in (tool.parameters or {})
