"""What Interactions supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.rules.conditions import is_, neutral, unbounded, undated
from proxai_ir.rules.rows import CODE, MCP, SEARCH
from proxai_ir.rules.verdicts import inside, loses, notes, of, ok, omits, weaker
from proxai_ir.wire import gemini_interactions as wire

from .._google import rows
from .._lib import prefill
from . import conditions as own
from .settings import MODELS

REQUESTS = (
    of(ir.Request, *prefill.VERDICTS),
    of(ir.Sampling, *neutral(temperature=1), omits("SMP-6", "stop", when=is_("stop", []))),
    *MODELS.rows,
    of(ir.Sampling, omits("SMP-6", "top_k", when=unbounded), loses("SMP-3", "top_k"), *rows.SAMPLING),
    of(ir.Thinking, loses("RSN-6", "mode=disabled"), *rows.EFFORT, ok("display")),
    of(ir.SchemaFormat, omits("OUT-8", "name"), loses("OUT-4", "description")),
    *rows.SETTINGS,
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    *rows.tool_rows(wire.PAGES_KIND, {"type": wire.PAGES_TOOL}),
    of(ir.FunctionTool, omits("SMP-6", "strict", when=is_("strict", False)), ok("strict")),
    of(ir.Choice, ok("mode")),
    of(ir.AllowedChoice, ok("mode")),
)

NEXT_TO_THOUGHTS = (ir.Text, ir.Image, ir.FunctionCall)
"""Parts whose signature stands in a thought of its own."""

CONTENT = (
    of(ir.Reasoning, ok("summary"), *rows.SEAL, ok("seal")),
    *(of(cls, *rows.SEAL, notes("RSN-90", "seal", when=own.carried_seal), ok("seal")) for cls in NEXT_TO_THOUGHTS),
    of(ir.Image, *rows.DETAIL, ok("detail")),
    of(ir.Document, loses("DOC-1", "title")),
    of(ir.WebSearchCall, ok("id")),
    of(ir.WebSearchResult, ok("call_id")),
    of(ir.CodeResult, *rows.CODE_RESULT),
    of(ir.ToolResult, ok("name is_error")),
    inside("citations", ok(ir.UrlCitation)),
    *rows.media_rows(own.IMAGES),
    *rows.given_rows("PDF, text and documents of offices", *wire.DOCUMENT_TYPES),
    *rows.made_rows(own.IMAGES, *CODE, *SEARCH, *MCP),
)

RESPONSES = (
    of(ir.Response, omits("ENV-1", "created", when=undated), ok("created tier=standard|priority|flex")),
    of(ir.Terminal, weaker("STS-3", "reason=stop_sequence|content_filter")),
    of(ir.Usage, *rows.USAGE),
    of(Error, *rows.ERROR, loses("ERR-2", "code param")),
)
ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
