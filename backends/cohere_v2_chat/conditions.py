"""What the table of /v2/chat asks of nodes: conditions of its verdicts, and rewrites."""

from __future__ import annotations

from proxai_ir.ir import parts, tools
from proxai_ir.rules.conditions import is_text_type, not_web


def unreadable(document: parts.Document) -> bool:
    """Whether a document is neither a text nor data that are text."""
    source = document.source
    return isinstance(source, parts.Url) or (isinstance(source, parts.Inline) and not is_text_type(source.mime))


def unreachable(source: parts.Url) -> bool:
    """Whether an address is none of the web, as those of a cloud's storage, and holds no data itself."""
    return not_web(source) and not source.url.startswith("data:")


def without_properties(tool: tools.FunctionTool) -> bool:
    return "type" not in (tool.parameters or {})
