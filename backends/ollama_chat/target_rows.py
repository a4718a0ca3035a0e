"""The verdicts that differ from those of most protocols."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import Effort, Request, Thinking, ThinkingMode
from proxai_ir.rules import conditions
from proxai_ir.rules.conditions import is_
from proxai_ir.rules.verdicts import fills, inside, loses, notes, of, ok, omits, refuses, weaker

from . import conditions as own
from .settings import MODELS

AS_TEXT = notes("DOC-6", ir.Document, by=own.document_as_text)
ROWS = (
    *MODELS.rows,
    of(Request, loses("TUL-69", "tools", when=own.calls_no_tool), ok("tools")),
    of(ir.Sampling, ok("top_k seed frequency_penalty presence_penalty logprobs top_logprobs")),
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
    of(ir.SchemaFormat, loses("OUT-4", "name description")),
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    inside("format", loses("OUT-3", ir.SchemaFormat, when=is_("schema", None)), ok(ir.SchemaFormat)),
    inside("format", omits("SMP-6", ir.PlainFormat)),
    of(ir.FunctionTool, fills("SCH-2", "parameters", by=conditions.of_an_object)),
    of(
        ir.AllowedChoice,
        omits("SMP-6", "mode=auto"),
        weaker("TUL-68", "mode=required", by=conditions.always(ir.ChoiceMode.AUTO)),
    ),
    inside(
        "tool choice",
        omits("SMP-6", ir.Choice, when=is_("mode", ir.ChoiceMode.AUTO)),
        omits("TUL-15", ir.Choice, when=is_("mode", ir.ChoiceMode.NONE)),  # the tools are dropped
        loses("TUL-68", ir.Choice, ir.NamedChoice),
    ),
    of(ir.Inline, loses("IMG-71", "mime", when=own.untyped), omits("ENV-1", "mime")),
    of(ir.PlainText, omits("ENV-1", "mime")),
    of(ir.Document, ok("title context")),
    of(ir.ToolResult, ok("name")),
    inside("image source", ok(ir.Inline), refuses("SRC-2", ir.Url)),
    inside("document source", refuses("PLC-3", ir.Inline, ir.Url, ir.Chunks)),
    inside("user", AS_TEXT),
    inside("tool result", AS_TEXT),
    of(ir.Response, omits("ENV-1", "created", when=conditions.undated), ok("created"), omits("ENV-1", "id")),
    of(ir.Candidate, ok("logprobs")),
    of(ir.ScoredToken, ok("top")),
    of(ir.Terminal, weaker("STS-3", "reason=content_filter")),
    of(ir.RefusalDetails, loses("REF-5", "explanation")),
    of(ir.Usage, notes("USE-4", "cache_write reasoning"), omits("USE-3", "total")),
    of(Error, loses("ERR-2", "type code param")),
)
