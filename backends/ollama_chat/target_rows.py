"""The verdicts that differ from those of most protocols."""

from __future__ import annotations

from proxai_ir.ir import logprobs, parts, request, response, terminal, tools, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import Effort, Request, Thinking, ThinkingMode
from proxai_ir.rules import conditions
from proxai_ir.rules.conditions import is_
from proxai_ir.rules.verdicts import fills, inside, loses, notes, of, ok, omits, refuses, weaker

from . import conditions as own
from .settings import MODELS

AS_TEXT = notes("DOC-6", parts.Document, by=own.document_as_text)
ROWS = (
    *MODELS.rows,
    of(Request, loses("TUL-69", "tools", when=own.calls_no_tool), ok("tools")),
    of(request.Sampling, ok("top_k seed frequency_penalty presence_penalty logprobs top_logprobs")),
    of(
        Thinking,
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive", when=own.has_effort),
        ok("mode=enabled|adaptive"),
        weaker("RSN-6", "mode=between_tools", by=conditions.always(ThinkingMode.ENABLED)),
        loses("RSN-6", "effort", when=conditions.covered_by_effort),
        ok("effort=low|medium|high|max"),
        weaker("RSN-32", "effort=minimal", by=conditions.always(Effort.LOW)),
        weaker("RSN-23", "effort=xhigh", by=conditions.always(Effort.HIGH)),
        loses("RSN-3", "budget", when=own.decided),
        weaker("RSN-3", "budget", by=own.effort_for_budget),
    ),
    of(request.SchemaFormat, loses("OUT-4", "name description")),
    of(request.Streaming, omits("STR-13", "usage", elsewhere=True)),
    inside("format", loses("OUT-3", request.SchemaFormat, when=is_("schema", None)), ok(request.SchemaFormat)),
    inside("format", omits("SMP-6", request.PlainFormat)),
    of(tools.FunctionTool, fills("SCH-2", "parameters", by=conditions.of_an_object)),
    of(
        tools.AllowedChoice,
        omits("SMP-6", "mode=auto"),
        weaker("TUL-68", "mode=required", by=conditions.always(tools.ChoiceMode.AUTO)),
    ),
    inside(
        "tool choice",
        omits("SMP-6", tools.Choice, when=is_("mode", tools.ChoiceMode.AUTO)),
        omits("TUL-15", tools.Choice, when=is_("mode", tools.ChoiceMode.NONE)),  # the tools are dropped
        loses("TUL-68", tools.Choice, tools.NamedChoice),
    ),
    of(parts.Inline, loses("IMG-71", "mime", when=own.untyped), omits("ENV-1", "mime")),
    of(parts.PlainText, omits("ENV-1", "mime")),
    of(parts.Document, ok("title context")),
    of(parts.ToolResult, ok("name")),
    inside("image source", ok(parts.Inline), refuses("SRC-2", parts.Url)),
    inside("document source", refuses("PLC-3", parts.Inline, parts.Url, parts.Chunks)),
    inside("user", AS_TEXT),
    inside("tool result", AS_TEXT),
    of(response.Response, omits("ENV-1", "created", when=conditions.undated), ok("created"), omits("ENV-1", "id")),
    of(response.Candidate, ok("logprobs")),
    of(logprobs.ScoredToken, ok("top")),
    of(terminal.Terminal, weaker("STS-3", "reason=content_filter")),
    of(terminal.RefusalDetails, loses("REF-5", "explanation")),
    of(usage.Usage, notes("USE-4", "cache_write reasoning"), omits("USE-3", "total")),
    of(Error, loses("ERR-2", "type code param")),
)
