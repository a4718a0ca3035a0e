"""What Converse supports where that is not what most protocols do: its verdicts."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache
from proxai_ir.rules import typed_thinking as thinking
from proxai_ir.rules.conditions import (
    UNOPENED,
    always,
    beyond,
    cache_lifetimes,
    covered_by_effort,
    empty,
    is_,
    of_an_object,
    repeats_type,
    sealed_by,
    signature_alone,
    unbounded,
)
from proxai_ir.rules.constraints import SealSlot
from proxai_ir.rules.media_types import corrected
from proxai_ir.rules.verdicts import (
    Rows,
    Verdict,
    fills,
    inside,
    lacking,
    loses,
    notes,
    of,
    ok,
    omits,
    refuses,
    weaker,
    where,
)
from proxai_ir.wire import bedrock_converse as wire

from .._lib import prefill
from . import conditions as own
from .settings import MODELS

SLOT = SealSlot((wire.ANTHROPIC, wire.OWN), wire.REDACTED, {wire.SIGNATURE: True, wire.REDACTED: False}, needed=True)

CACHED = (
    *(ir.Text, ir.Image, ir.Audio, ir.Video, ir.Document),
    *(ir.SearchResult, ir.FunctionCall, ir.ToolResult),
)
NOVA, LEVELS, UNSETTLED, OTHERS = "nova", "nova|openai", "openai|other", "nova|openai|other"
"""Families, and groups of them: with three efforts, without settings of their own, without Claude's."""

REQUESTS = (
    *MODELS.rows,
    of(ir.Request, notes("ENV-13", "model"), *prefill.VERDICTS),
    of(
        ir.Sampling,
        omits("SMP-6", "top_k", when=unbounded),
        where("family", "openai|other", loses("SMP-3", "top_k")),
        ok("top_k"),
        loses("SMP-2", "temperature", when=beyond("temperature", 1, 0), detail="a temperature must be from 0 to 1"),
        ok("temperature"),
        weaker("SMP-2", "stop", when=own.has_empty_stop, by=own.without_empty_stops),
        ok("stop"),
    ),
    of(
        ir.Thinking,
        where("family", UNSETTLED, omits("SMP-6", "mode=enabled|adaptive")),
        where("family", UNSETTLED, loses("RSN-6", "mode=disabled")),
        where("family", NOVA, weaker("RSN-6", "mode=adaptive", by=always(ir.ThinkingMode.ENABLED))),
        where("family", NOVA, loses("RSN-6", "effort", when=covered_by_effort)),
        where("family", OTHERS, loses("RSN-2", "display")),
        *thinking.WITHOUT_TYPE,
        where("family", NOVA, ok("mode=enabled")),
        thinking.WITHOUT_BUDGETS,
        *thinking.without_adaptive("adaptive_thinking"),
        thinking.MEASURED,
        ok("mode=enabled|adaptive|disabled"),
        ok("display"),
        lacking("effort", loses("RSN-12", "effort")),
        where("family", "other", loses("RSN-12", "effort budget")),
        where("family", LEVELS, weaker("RSN-32", "effort=minimal", by=own.nearest)),
        where("family", LEVELS, weaker("RSN-23", "effort=xhigh|max", by=own.nearest)),
        weaker("RSN-7", "effort=minimal", by=own.without_thinking),
        where("family", LEVELS, weaker("RSN-3", "budget", by=own.level_for_budget)),
        ok("budget"),
    ),
    inside(
        "format",
        omits("SMP-6", ir.PlainFormat),
        loses("OUT-3", ir.JsonFormat),
        loses("OUT-3", ir.SchemaFormat, when=is_("schema", None)),
        ok(ir.SchemaFormat),
    ),
    of(
        ir.Caching,
        omits("SMP-6", "automatic", when=is_("automatic", False)),
        where("family", UNSETTLED, omits("CAC-5", "automatic lifetime")),
        omits("CAC-5", "lifetime", when=is_("automatic", None, False)),
        *cache_lifetimes("lifetime", wire.TTL.values()),
        ok("automatic"),
    ),
    of(Cache, *cache_lifetimes("ttl", wire.TTL.values())),
    *(of(cls, where("family", UNSETTLED, omits("CAC-4", "cache")), ok("cache")) for cls in CACHED),
    of(ir.FunctionTool, where("family", OTHERS, omits("CAC-4", "cache")), ok("cache")),
    of(
        ir.Service,
        ok("tier=priority|flex|scale"),
        lacking("optimized_latency", omits("SMP-6", "fast", when=is_("fast", False))),
        lacking("optimized_latency", loses("SVC-1", "fast")),
        ok("fast"),
        omits("USR-3", "metadata", when=own.unfit_metadata),
        ok("metadata"),
    ),
    of(ir.Streaming, notes("ENV-13", "stream"), omits("STR-13", "usage", elsewhere=True)),
    of(
        ir.FunctionTool,
        omits("ENV-7", "description", when=is_("description", "")),
        ok("description"),
        fills("SCH-2", "parameters", by=of_an_object),
        refuses("SCH-3", "parameters", when=own.is_no_object),
        ok("parameters", when=own.states_object),
        notes("SCH-2", "parameters", by=of_an_object),
        ok("strict"),
    ),
)

UNTYPED = "a type that this protocol has no format for"


def _stored(kind: str, *before: Verdict) -> tuple[Rows, ...]:
    """The verdicts on where media are: inline, or in S3, with a type that there is a format for."""
    typed = (refuses("SRC-3", cls, when=own.other_mime(kind), detail=UNTYPED) for cls in (ir.Inline, ir.Url))
    unreachable = refuses("SRC-2", ir.Url, when=own.not_stored)
    return (inside(f"{kind} source", *before, unreachable, *typed, ok(ir.Inline, ir.Url)),)


CONTENT = (
    of(ir.Document, ok("title context cite")),
    of(ir.SearchResult, refuses("PLC-3", "parts", when=own.illustrated), ok("cite")),
    of(ir.Chunks, refuses("PLC-3", "parts", when=own.illustrated), ok("parts")),
    of(ir.ToolResult, ok("is_error")),
    of(ir.Url, ok("mime")),
    of(ir.Reasoning, *sealed_by(SLOT), notes("RSN-8", "summary")),
    of(ir.PlainText, ok("text"), notes("ENV-1", "mime")),
    of(ir.UrlCitation, ok("cited_text"), omits("ENV-1", "start end")),
    inside("citations", ok(ir.DocumentCitation)),
    inside("citations", ok(ir.UrlCitation), kind="response"),
    *_stored("image", corrected(ir.Inline, ir.Url, accepted=wire.FORMAT_OF["image"])),
    *_stored("document", notes("SRC-4", ir.Inline, when=own.is_text, by=own.as_plain)),
    *_stored("video"),
    *_stored("audio", refuses("SRC-1", ir.FileRef), refuses("PLC-3", ir.PlainText, ir.Chunks)),
    inside(
        "audio source",
        loses("AUD-2", ir.Inline, ir.Url),
        loses("AUD-3", ir.FileRef, ir.PlainText, ir.Chunks),
        kind="response",
    ),
    *(
        inside(
            place,
            ok(ir.Document, ir.SearchResult),
            lacking("video", refuses("VID-1", ir.Video)),
            ok(ir.Video),
        )
        for place in ("user", "tool result")
    ),
    inside("user", lacking("audio", refuses("AUD-1", ir.Audio)), ok(ir.Audio)),
    inside(
        "assistant",
        omits("ENV-7", ir.Reasoning, when=empty),
        *UNOPENED,
        omits("RSN-26", ir.Reasoning, when=lambda part: own.unsigned(part) and signature_alone(part)),
        lacking("unsigned_thinking", loses("RSN-5", ir.Reasoning, when=own.unsigned)),
        ok(ir.Reasoning),
    ),
    inside(
        "assistant",
        omits("ENV-7", ir.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", ir.Reasoning, when=lambda part: not part.text and own.unsigned(part)),
        ok(ir.Reasoning),
        kind="response",
    ),
)

RESPONSES = (
    of(
        ir.Response,
        notes("ENV-1", "id"),  # of which the ids of calls are made that have none
        omits("ENV-1", "model"),
        omits("ENV-3", "tier=auto|batch"),
        ok("fast tier=standard|priority|flex|scale"),
    ),
    of(ir.Terminal, ok("reason=context_window stop_sequence")),
    of(ir.RefusalDetails, loses("REF-5", "explanation")),
    of(ir.Usage, notes("USE-4", "reasoning"), ok("details=cache_write.300|cache_write.3600")),
    of(
        Error,
        omits("ERR-6", "code", when=repeats_type),
        loses("ERR-2", "code param"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
