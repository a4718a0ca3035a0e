"""What Chat Completions can say: a verdict for every field, enum member and place of the IR."""

from __future__ import annotations

import re

from proxai_ir.ir import logprobs, parts, request, response, terminal, tools, turns, usage
from proxai_ir.ir.envelope import is_closed
from proxai_ir.ir.error import Error
from proxai_ir.ir.structure import PARTS
from proxai_ir.rules import checks
from proxai_ir.rules.conditions import (
    NO_SEAL,
    cache_lifetimes,
    covered_by_effort,
    empty,
    holds,
    is_,
    not_matching,
    unopened,
    unvalidated,
)
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.verdicts import Check, Target, inside, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.vendors.openai.conditions import (
    SETTINGS,
    accepted_call_id,
    lacks_properties,
    limits,
    named,
    nearest_effort,
    needs_name,
    stored_elsewhere,
    strict_but_open,
    with_properties,
)
from proxai_ir.wire import openai_chat_completions as wire

from .conditions import (
    choosable,
    finish_reasons,
    first_stops,
    one_web_search,
    read_out,
    timed,
    too_many_stops,
    unscored,
)

CONSTRAINTS = Constraints(
    instructions="inline",
    results="turns",
    media_results=False,
    nested=False,
    ordered=False,
    text_parts=False,
    empty_text=True,
    alternatives=True,
    items=False,
    open_calls=False,
    call_id=accepted_call_id,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    no_turns=False,
)

MEDIA = (parts.Image, parts.Audio, parts.Video, parts.Document, parts.SearchResult)
HOSTED = (
    parts.HostedCall,
    parts.HostedResult,
    parts.WebSearchCall,
    parts.WebSearchResult,
    parts.McpCall,
    parts.McpResult,
)
UNPLACED = (
    parts.ToolResult,
    parts.Reasoning,
    parts.Refusal,
    parts.Reference,
    *parts.CALLS,
)  # where no frontend puts them

REQUESTS = (
    of(
        request.Request,
        ok("model max_tokens parallel_tools"),
        loses("PLC-15", "prefill"),
    ),
    of(
        request.Sampling,
        ok("temperature top_p seed frequency_penalty presence_penalty logit_bias candidates logprobs"),
        omits("SMP-6", "top_logprobs", when=unscored),
        ok("top_logprobs"),
        weaker("SMP-5", "stop", when=too_many_stops, by=first_stops),
        omits("SMP-6", "stop", when=is_("stop", [])),
        ok("stop"),
        loses("SMP-3", "top_k"),
    ),
    of(
        request.Thinking,
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive"),
        loses("RSN-6", "mode=between_tools"),
        loses("RSN-6", "effort", when=covered_by_effort),
        ok("effort"),
        weaker("RSN-3", "budget", by=nearest_effort),
        loses("RSN-2", "display"),
    ),
    of(request.Output, ok("verbosity modalities")),
    of(request.Speech, ok("voice format"), loses("OUT-6", "language")),
    *SETTINGS,
    of(request.Caching, *cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(request.Streaming, ok("stream usage obfuscation")),
    of(
        tools.FunctionTool,
        refuses("TUL-8", "name", when=not_matching("name", wire.TOOL_NAME)),
        notes("SCH-2", "parameters", when=lacks_properties, by=with_properties),
        ok("name description parameters"),
        loses("SCH-1", "strict", when=strict_but_open),
        ok("strict"),
        omits("CAC-4", "cache"),
    ),
    of(tools.CustomTool, ok("name description")),
    of(tools.Grammar, ok("syntax definition")),
    inside("input format", ok(tools.FreeText, tools.Grammar), loses("UNK-4", tools.UnknownFormat)),
    of(
        tools.WebSearchTool,
        ok("kind context_size"),
        loses("TUL-9", "allowed_domains blocked_domains max_uses"),
        omits("CAC-4", "cache"),
    ),
    of(tools.Location, ok("city region country timezone")),
    inside(
        "tools",
        ok(tools.FunctionTool, tools.CustomTool, tools.WebSearchTool),
        loses("TUL-6", tools.HostedTool, tools.McpServer, tools.McpToolset),
        loses("UNK-3", tools.UnknownTool),
    ),
    of(tools.Choice, weaker("TUL-7", "mode=validated", by=unvalidated), ok("mode")),
    of(tools.NamedChoice, ok("name")),
    of(tools.CustomChoice, ok("name")),
    of(
        tools.AllowedChoice,
        weaker("TUL-7", "mode=validated", by=unvalidated),
        ok("mode"),
        weaker("TUL-6", "tools", elsewhere=True),
        ok("tools"),
    ),
    inside(
        "tool choice",
        ok(tools.Choice, tools.NamedChoice, tools.CustomChoice, tools.AllowedChoice),
        refuses("TUL-11", tools.HostedChoice),
    ),
)

CONTENT = (
    of(turns.Turn, ok("role name continues")),
    of(parts.Text, ok("text cache"), *NO_SEAL),
    of(parts.Image, ok("detail cache"), *NO_SEAL),
    of(parts.Audio, ok("transcript id expires_at cache"), *NO_SEAL),
    of(
        parts.Document,
        loses("DOC-1", "title", when=holds("source", parts.Chunks)),
        ok("title cache"),
        loses("DOC-1", "context"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        notes("SMP-6", "cite"),
    ),
    of(
        parts.SearchResult,
        loses("DOC-4", "source title"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        notes("SMP-6", "cite"),
        omits("CAC-4", "cache", when=is_("parts", [])),
        ok("cache"),
    ),
    of(
        parts.FunctionCall,
        notes("TUL-13", "id", elsewhere=True),
        refuses("TUL-8", "name", elsewhere=True),
        ok("id arguments"),
        *NO_SEAL,
        omits("CAC-4", "cache"),
    ),
    of(parts.CustomCall, notes("TUL-13", "id", elsewhere=True), ok("id name input"), *NO_SEAL),
    of(
        parts.ToolResult,
        notes("TUL-13", "call_id", elsewhere=True),
        ok("call_id"),
        loses("TUL-4", "is_error", when=is_("is_error", True)),
        notes("TUL-14", "is_error"),
        ok("cache"),
        omits("ENV-1", "name"),
    ),
    of(
        parts.Reasoning,
        ok("text"),
        notes("RSN-8", "summary"),
        loses("RSN-10", "seal", when=is_closed),
        loses("RSN-4", "seal"),
    ),
    of(parts.Refusal, ok("text")),
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url"), omits("ENV-1", "mime")),
    of(parts.FileRef, ok("id provider"), omits("ENV-1", "mime")),
    of(parts.PlainText, ok("text mime")),
    of(parts.Chunks),
    of(parts.UrlCitation, ok("url title start end"), loses("CIT-2", "cited_text"), loses("CIT-3", "seal")),
    inside("citations", loses("CIT-1", parts.UrlCitation, parts.SourceCitation)),
    inside("citations", ok(parts.UrlCitation), loses("CIT-1", parts.SourceCitation), kind="response"),
    inside(
        "image source",
        ok(parts.Inline, parts.Url),
        refuses("SRC-1", parts.FileRef),
        refuses("PLC-3", parts.PlainText, parts.Chunks),
    ),
    inside(
        "audio source",
        ok(parts.Inline),
        refuses("SRC-2", parts.Url),
        refuses("SRC-1", parts.FileRef),
        refuses("PLC-3", parts.PlainText, parts.Chunks),
    ),
    inside(
        "video source",
        ok(parts.Inline, parts.Url),
        refuses("SRC-1", parts.FileRef),
        refuses("PLC-3", parts.PlainText, parts.Chunks),
    ),
    inside(
        "document source",
        refuses("SRC-1", parts.FileRef, when=stored_elsewhere),
        ok(parts.Inline, parts.PlainText, parts.Chunks, parts.FileRef),
        refuses("SRC-2", parts.Url),
    ),
    inside(
        "user",
        ok(parts.Text, parts.Image, parts.Audio, parts.ToolResult),
        weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
        notes("DOC-2", parts.Document, when=needs_name, by=named),
        ok(parts.Document),
        weaker("DOC-4", parts.SearchResult, at="type"),
        refuses("VID-1", parts.Video),
        loses("TUL-6", *HOSTED),
        refuses("SRC-1", parts.VendorPart, when=is_("kind", "container_upload")),
        loses("CTX-1", parts.VendorPart),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", parts.Reasoning, parts.Refusal, *parts.CALLS),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        ok(parts.Text, parts.Refusal, *parts.CALLS),
        omits("ENV-7", parts.Reasoning, when=empty),
        loses("RSN-10", parts.Reasoning, when=unopened),
        loses("RSN-4", parts.Reasoning, when=is_("text", None, "")),
        ok(parts.Reasoning),
        loses("TUL-6", *HOSTED),
        loses("CTX-1", parts.VendorPart),
        loses("UNK-2", parts.UnknownPart),
        ok(parts.Audio),
        refuses("PLC-3", parts.ToolResult, parts.Image, parts.Video, parts.Document, parts.SearchResult),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "tool result",
        ok(parts.Text, parts.Image, parts.Audio),
        weaker("DOC-3", parts.Document, when=read_out, at="type"),
        notes("DOC-2", parts.Document, when=needs_name, by=named),
        ok(parts.Document),
        weaker("DOC-4", parts.SearchResult, at="type"),
        refuses("VID-1", parts.Video),
        loses("TUL-6", parts.VendorPart, *HOSTED),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", *UNPLACED),
    ),
    inside("tool", ok(parts.ToolResult), refuses("PLC-3", *(cls for cls in PARTS if cls is not parts.ToolResult))),
    *(
        inside(
            role,
            ok(parts.Text),
            loses("TUL-6", parts.VendorPart),
            refuses("UNK-5", parts.UnknownPart),
            refuses("PLC-3", *UNPLACED, *MEDIA, *HOSTED),
        )
        for role in ("system", "developer", "function")
    ),
    inside(
        "chunks",
        ok(parts.Text, parts.Image),
        refuses("PLC-3", *(cls for cls in PARTS if cls not in (parts.Text, parts.Image))),
    ),
    inside("search result", ok(parts.Text), refuses("PLC-3", *(cls for cls in PARTS if cls is not parts.Text))),
)

ANSWERS = (
    of(
        response.Response,
        loses("SVC-1", "tier", when=is_("fast", True)),
        ok("id model created tier=auto|standard|priority|flex|scale fingerprint metadata"),
        notes("ENV-3", "fast", when=is_("fast", False)),
        ok("fast"),
        loses("SVC-1", "tier=batch"),
    ),
    of(logprobs.ScoredToken, ok("text logprob bytes"), omits("ENV-1", "id")),
    of(
        terminal.Terminal,
        omits("ENV-1", "message"),
        ok("raw reason=end|stop_sequence|length|tool_calls|function_call|refusal|content_filter|unknown"),
        weaker("STS-3", "reason=context_window"),
        weaker("STS-5", "reason=pause"),
        refuses("STS-13", "reason=unfinished"),
        loses("STS-8", "stop_sequence"),
    ),
    of(terminal.RefusalDetails, ok("explanation"), loses("REF-5", "category")),
    of(
        usage.Usage,
        ok("input cache_read cache_write output reasoning total"),
        ok(f"details={'|'.join(wire.USAGE.entries('details'))}"),
        omits("USE-4", "details"),
    ),
    of(
        Error,
        loses("ERR-2", "retry_after"),
        ok("message code param type category=400|401|402|403|404|413|429|500|504|529"),
        notes("ERR-3", "category=0"),
        omits("ERR-5", "verbatim"),
        notes("ENV-1", "request_id status"),
    ),
)

LIMITS = limits(wire.TOOL_NAME, wire.OPTIONS_TTL) | {"SMP-5": f"at most {wire.MOST_STOPS}"}

TARGET = Target(
    wire.NAME,
    (*REQUESTS, *CONTENT, *ANSWERS),
    (
        checks.MODEL_NAMED,
        checks.ENVELOPE,
        checks.only_allowed(tools.WebSearchTool),
        Check(one_web_search, ("TUL-6",), request.Request, needs=("tools",)),
        Check(choosable, ("TUL-6",), request.Request, needs=("tool_choice",)),
        checks.choice_fits((tools.FunctionTool, tools.CustomTool)),
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        Check(finish_reasons, (), response.Response),
        Check(timed, ("ENV-2",), response.Response),
        checks.schema_named(required=False),
        checks.explained_by(parts.Text, parts.Refusal),
    ),
    LIMITS,
)
