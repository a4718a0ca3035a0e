"""Groups of classes, and verdicts, that the tables of many targets name: a table says what becomes of a group at once.

Rule: knows no protocol. What most targets make of them stands in base.py.
"""

from __future__ import annotations

from ..ir.parts import (
    ClientCall,
    ClientResult,
    CodeCall,
    CodeResult,
    HostedCall,
    HostedResult,
    McpCall,
    McpResult,
    WebSearchCall,
    WebSearchResult,
)
from ..ir.structure import CHILDREN
from ..ir.structure import SOURCES as SOURCES
from .conditions import is_
from .verdicts import notes, omits, refuses

CLIENT = (ClientCall, ClientResult)
SEARCH = (WebSearchCall, WebSearchResult)
MCP = (McpCall, McpResult)
CODE = (CodeCall, CodeResult)
RUN = (HostedCall, HostedResult, *SEARCH, *MCP, *CODE)
"""Calls that the provider runs itself, and their results."""
HOSTED = (*CLIENT, *RUN)
"""Calls and results in a vendor's own form."""

CACHED = tuple(cls for cls, held in CHILDREN.items() if "cache" in held)
"""The classes that a cache breakpoint may stand on."""

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
