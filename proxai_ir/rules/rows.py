"""Verdicts and rows that all targets' tables share: what passes do to names and ids, and what stands in no source.

Rule: knows no protocol. What a target could judge otherwise stands in its own table.
"""

from __future__ import annotations

from ..ir.parts import (
    CALLS,
    ClientCall,
    ClientResult,
    CodeCall,
    CodeResult,
    Document,
    HostedCall,
    HostedResult,
    Image,
    McpCall,
    McpResult,
    Reasoning,
    Reference,
    Refusal,
    SearchResult,
    Text,
    ToolResult,
    UnknownPart,
    Video,
    WebSearchCall,
    WebSearchResult,
)
from .conditions import except_for, is_
from .verdicts import inside, notes, ok, omits, refuses

CLIENT = (ClientCall, ClientResult)
MCP = (McpCall, McpResult)
CODE = (CodeCall, CodeResult)
HOSTED = (*CLIENT, HostedCall, HostedResult, WebSearchCall, WebSearchResult)
"""Calls and results in a vendor's own form, but for those of MCP servers and of code."""

NAMED = (notes("TUL-26", "name", elsewhere=True), notes("TUL-25", "namespace", elsewhere=True))
"""The verdicts on the name of a tool or of a call (passes/naming.py)."""
LINKED = (
    notes("TUL-13", "id", elsewhere=True),
    notes("TUL-46", "id", elsewhere=True),
    notes("TUL-48", "name", elsewhere=True),
    *NAMED,
)
"""The verdicts on the id and the name of a call that the client runs (passes/pairing.py)."""
RESULT = (
    notes("TUL-13", "call_id", elsewhere=True),
    notes("TUL-46", "call_id", elsewhere=True),
    refuses("TUL-5", "name", when=is_("call_id", None)),
    omits("ENV-1", "name"),
)
"""The verdicts on what links a result to its call, in protocols that link them by ids alone."""

NOT_OF_USERS = (
    refuses("UNK-5", UnknownPart),
    refuses("PLC-3", Reasoning, Refusal, *CALLS),
    refuses("R2A-3", Reference),
)
NOT_OF_ASSISTANTS = (
    refuses("PLC-3", ToolResult, Image, Video, Document, SearchResult),
    refuses("R2A-3", Reference),
)
NOT_IN_RESULTS = (
    refuses("UNK-5", UnknownPart),
    refuses("PLC-3", ToolResult, Reasoning, Refusal, Reference, *CALLS),
)
"""The verdicts on parts that no protocol has in such a place, or whose meaning is not known."""

NESTED = (
    inside("tool", ok(ToolResult), refuses("PLC-3", *except_for(ToolResult))),
    inside("nested", ok(Text, Image), refuses("PLC-3", *except_for(Text, Image))),
)
"""Rows of places that hold the same in every protocol that has them."""
