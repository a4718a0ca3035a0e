"""What Bedrock Converse supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir.ir import parts, request, response, terminal, tools, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache
from proxai_ir.rules.conditions import (
    UNOPENED,
    always,
    cache_lifetimes,
    empty,
    is_,
    nearest_effort,
    neutral,
    refusal_as_text,
    repeats_type,
    sealed_by,
    transcript_as_text,
    unbounded,
)
from proxai_ir.rules.constraints import SealSlot
from proxai_ir.rules.verdicts import (
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

from .conditions import (
    MARKED,
    adaptive,
    as_text,
    has_empty_stop,
    illustrated,
    misnamed,
    not_of_s3,
    odd_metadata,
    of_an_object,
    of_another_type,
    of_other_type,
    other_text,
    plain,
    renamed,
    spanned,
    textual,
    too_hot,
    unreadable,
    unsigned,
    unsigned_alone,
    untyped,
    with_temperature,
    without_empty_stops,
)
from .settings import MODELS

SLOT = SealSlot((wire.CLAUDE, wire.AMAZON), "redacted", {"signature": True, "redacted": False})
UNTHINKING = "openai|other"  # families whose models cannot be told whether to think
MAY_CALL = always(tools.ChoiceMode.AUTO)
OF_EFFORT = "nova|openai|other"  # families without budgets

REQUESTS = (
    of(
        request.Sampling,
        loses("SMP-2", "temperature", when=too_hot, detail="a temperature must be from 0 to 1"),
        *neutral(temperature=1, top_p=1),
    ),
    of(request.Thinking, lacking("effort", loses("RSN-12", "effort"))),
    of(request.Thinking, lacking("thinking_budgets", ok("mode=enabled", by=adaptive))),
    *MODELS.rows,
    of(
        request.Request,
        notes("ENV-13", "model"),
        lacking("prefill", loses("PLC-19", "prefill", elsewhere=True)),
        ok("prefill"),
    ),
    of(
        request.Sampling,
        lacking("temperature_with_top_p", loses("SMP-8", "top_p", when=with_temperature)),
        omits("SMP-6", "top_k", when=unbounded),
        where("family", UNTHINKING, loses("SMP-3", "top_k")),
        omits("SMP-6", "stop", when=is_("stop", [])),
        weaker(
            "SMP-2", "stop", when=has_empty_stop, by=without_empty_stops, detail="a stop sequence must not be empty"
        ),
        ok("temperature top_p top_k stop"),
    ),
    of(
        request.Thinking,
        where("family", OF_EFFORT, weaker("RSN-3", "budget", by=nearest_effort)),
        where("family", OF_EFFORT, loses("RSN-2", "display")),
        where("family", UNTHINKING, omits("SMP-6", "mode=enabled|adaptive")),
        where("family", UNTHINKING, loses("RSN-6", "mode=disabled")),
        where("family", "nova|openai", weaker("RSN-23", "effort=xhigh|max", by=always(request.Effort.HIGH))),
        weaker("RSN-32", "effort=minimal", by=always(request.Effort.LOW)),
        lacking("adaptive_thinking", loses("RSN-6", "mode=adaptive")),
        ok("mode=enabled|adaptive|disabled budget display effort=low|medium|high|xhigh|max"),
    ),
    inside(
        "format",
        omits("SMP-6", request.PlainFormat),
        loses("OUT-3", request.JsonFormat),
        loses("OUT-3", request.SchemaFormat, when=is_("schema", None)),
        ok(request.SchemaFormat),
    ),
    of(
        request.Caching,
        omits("SMP-6", "automatic", when=is_("automatic", False)),
        lacking("prompt_caching", omits("CAC-5", "automatic lifetime")),
        omits("CAC-5", "lifetime", when=is_("automatic", None, False)),
        *cache_lifetimes("lifetime", wire.TTL.values()),
        notes("CAC-20", "automatic", elsewhere=True),
    ),
    of(Cache, *cache_lifetimes("ttl", wire.TTL.values())),
    *(
        of(cls, lacking("prompt_caching", omits("CAC-4", "cache")), ok("cache"))
        for cls in (*MARKED, tools.FunctionTool)
    ),
    of(
        request.Service,
        ok("fast tier=standard|priority|flex|scale"),
        omits("USR-3", "metadata", when=odd_metadata),
        ok("metadata"),
    ),
    of(request.Streaming, notes("ENV-13", "stream"), omits("STR-13", "usage", elsewhere=True)),
    of(
        tools.FunctionTool,
        omits("ENV-7", "description", when=is_("description", "")),
        ok("description"),
        fills("SCH-2", "parameters", by=of_an_object),
        refuses("SCH-3", "parameters", when=of_another_type),
        notes("SCH-2", "parameters", when=untyped, by=of_an_object),
        ok("parameters strict"),
    ),
    of(tools.Choice, loses("TUL-7", "mode=none", elsewhere=True), weaker("TUL-7", "mode=validated", by=MAY_CALL)),
    of(tools.AllowedChoice, weaker("TUL-7", "mode=none|validated", by=MAY_CALL)),
)

GIVEN = (
    lacking("audio", refuses("AUD-1", parts.Audio)),
    lacking("video", refuses("VID-1", parts.Video)),
    ok(parts.Document, parts.Audio, parts.Video),
    refuses("PLC-3", parts.SearchResult, when=illustrated),
    ok(parts.SearchResult),
)
CONTENT = (
    of(parts.Document, ok("title context cite")),
    of(parts.SearchResult, ok("cite")),
    of(parts.ToolResult, ok("is_error")),
    of(parts.Reasoning, *sealed_by(SLOT), omits("RSN-8", "summary")),
    of(parts.PlainText, notes("ENV-1", "mime", when=other_text, by=plain), ok("mime")),
    of(parts.Url, ok("mime")),
    inside("citations", loses("CIT-1", parts.UrlCitation, when=spanned), ok(parts.UrlCitation, parts.DocumentCitation)),
    of(parts.UrlCitation, ok("cited_text")),
    of(parts.Audio, loses("AUD-2", "transcript")),
    inside(
        "image source",
        notes("SRC-4", parts.Inline, when=misnamed, by=renamed),
        refuses("SRC-3", parts.Inline, when=of_other_type("image")),
        refuses("SRC-2", parts.Url, when=not_of_s3),
        refuses("SRC-3", parts.Url, when=of_other_type("image")),
        ok(parts.Inline, parts.Url),
    ),
    *(
        inside(
            f"{kind} source",
            refuses("SRC-3", parts.Inline, when=of_other_type(kind)),
            refuses("SRC-2", parts.Url, when=not_of_s3),
            refuses("SRC-3", parts.Url, when=of_other_type(kind)),
            ok(parts.Inline, parts.Url),
            refuses("SRC-1", parts.FileRef),
            refuses("PLC-3", parts.PlainText, parts.Chunks),
        )
        for kind in ("audio", "video")
    ),
    inside(
        "document source",
        ok(parts.Inline, when=textual, by=as_text),
        refuses("SRC-3", parts.Inline, when=of_other_type("document")),
        refuses("SRC-2", parts.Url, when=not_of_s3),
        refuses("SRC-3", parts.Url, when=of_other_type("document")),
        ok(parts.Inline, parts.Url),
    ),
    inside("nested", refuses("PLC-3", parts.Image)),
    inside("user", *GIVEN),
    inside("tool result", refuses("AUD-1", parts.Audio), *GIVEN[1:]),
    inside(
        "assistant",
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        omits("RSN-26", parts.Reasoning, when=unsigned_alone),
        loses("RSN-5", parts.Reasoning, when=unreadable),
        lacking("unsigned_thinking", loses("RSN-5", parts.Reasoning, when=unsigned)),
        ok(parts.Reasoning),
        weaker("REF-7", parts.Refusal, by=refusal_as_text),
    ),
    inside(
        "assistant",
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", parts.Reasoning, when=unreadable),
        ok(parts.Reasoning),
        weaker("REF-7", parts.Refusal, by=refusal_as_text),
        weaker("AUD-2", parts.Audio, by=transcript_as_text),
        kind="response",
    ),
)

ANSWERS = (
    of(
        response.Response,
        ok("fast tier=standard|priority|flex|scale"),
        omits("ENV-1", "id model"),
    ),
    of(
        terminal.Terminal,
        ok("reason=context_window stop_sequence"),
    ),
    of(terminal.RefusalDetails, loses("REF-5", "explanation")),
    of(
        usage.Usage,
        ok("reasoning"),  # a part of `outputTokens`
        ok("total"),
        ok(f"details={'|'.join(f'cache_write.{ttl}' for ttl in wire.TTL.values())}"),
    ),
    of(Error, omits("ERR-6", "code", when=repeats_type), loses("ERR-2", "code param"), omits("ENV-1", "request_id")),
)

ROWS = (*REQUESTS, *CONTENT, *ANSWERS)
"""The rows of the table."""
