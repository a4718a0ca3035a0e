"""What Interactions supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir.ir import parts, request, response, terminal, tools, usage
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
    of(request.Request, *prefill.VERDICTS),
    of(request.Sampling, *neutral(temperature=1), omits("SMP-6", "stop", when=is_("stop", []))),
    *MODELS.rows,
    of(request.Sampling, omits("SMP-6", "top_k", when=unbounded), loses("SMP-3", "top_k"), *rows.SAMPLING),
    of(request.Thinking, loses("RSN-6", "mode=disabled"), *rows.EFFORT, ok("display")),
    of(request.SchemaFormat, omits("OUT-8", "name"), loses("OUT-4", "description")),
    *rows.SETTINGS,
    of(request.Streaming, omits("STR-13", "usage", elsewhere=True)),
    *rows.tool_rows(wire.PAGES_KIND, {"type": wire.PAGES_TOOL}),
    of(tools.FunctionTool, omits("SMP-6", "strict", when=is_("strict", False)), ok("strict")),
    of(tools.Choice, ok("mode")),
    of(tools.AllowedChoice, ok("mode")),
)

NEXT_TO_THOUGHTS = (parts.Text, parts.Image, parts.FunctionCall)
"""Parts whose signature stands in a thought of its own."""

CONTENT = (
    of(parts.Reasoning, ok("summary"), *rows.SEAL, ok("seal")),
    *(of(cls, *rows.SEAL, notes("RSN-90", "seal", when=own.carried_seal), ok("seal")) for cls in NEXT_TO_THOUGHTS),
    of(parts.Image, *rows.DETAIL, ok("detail")),
    of(parts.Document, loses("DOC-1", "title")),
    of(parts.WebSearchCall, ok("id")),
    of(parts.WebSearchResult, ok("call_id")),
    of(parts.CodeResult, *rows.CODE_RESULT),
    of(parts.ToolResult, ok("name is_error")),
    inside("citations", ok(parts.UrlCitation)),
    *rows.media_rows(own.IMAGES),
    *rows.given_rows("PDF, text and documents of offices", *wire.DOCUMENT_TYPES),
    *rows.made_rows(own.IMAGES, *CODE, *SEARCH, *MCP),
)

RESPONSES = (
    of(response.Response, omits("ENV-1", "created", when=undated), ok("created tier=standard|priority|flex")),
    of(terminal.Terminal, weaker("STS-3", "reason=stop_sequence|content_filter")),
    of(usage.Usage, *rows.USAGE),
    of(Error, *rows.ERROR, loses("ERR-2", "code param")),
)
ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
