"""What Anthropic Messages supports: a verdict for every field, enum member and place of the IR."""

from __future__ import annotations

import re

from proxai_ir.ir import parts, request, response, terminal, tools, turns, usage
from proxai_ir.ir.envelope import is_closed
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache
from proxai_ir.ir.structure import PARTS
from proxai_ir.rules import checks
from proxai_ir.rules.conditions import (
    NO_SEAL,
    cache_lifetimes,
    except_for,
    is_,
    lists_beyond,
    not_matching,
    only_text,
    several,
    silent,
    unbounded,
    unopened,
    unprefixed,
    unvalidated,
    with_prefix,
)
from proxai_ir.rules.constraints import Constraints, SealSlot
from proxai_ir.rules.verdicts import Check, Target, fills, inside, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import anthropic_messages as wire

from .conditions import (
    CALLABLE,
    LIMITS,
    absent,
    accepted_call_id,
    as_text,
    continued,
    first_query,
    has_blank_stop,
    has_content,
    has_flaw,
    limited,
    misnamed,
    more_than_one,
    never_parallel,
    not_web,
    of_an_object,
    off,
    other_document,
    other_image,
    refitted,
    renamed,
    textual,
    too_hot,
    unenforceable,
    unreadable,
    unsealed,
    unshown,
    unsigned,
    unthinking,
    without_blank_stops,
    without_thinking,
)

CONSTRAINTS = Constraints(
    instructions="top",
    results="user",
    media_results=True,
    nested=True,
    ordered=True,
    text_parts=True,
    empty_text=False,
    alternatives=False,
    items=False,
    open_calls=True,
    seals={parts.Reasoning: SealSlot((wire.PROVIDER,), "redacted")},
    call_id=accepted_call_id,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
    breakpoints=wire.MOST_BREAKPOINTS,
    no_turns=False,
)

HOSTED = (parts.HostedCall, parts.HostedResult, parts.WebSearchCall, parts.WebSearchResult)
MCP = (parts.McpCall, parts.McpResult)

PENALTIES = ("frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs")

REQUESTS = (
    of(request.Request, ok("model max_tokens parallel_tools prefill")),
    of(
        request.Sampling,
        loses("SMP-2", "temperature", when=too_hot),
        omits("SMP-6", "top_k", when=unbounded),
        ok("stop", when=is_("stop", []), by=absent),
        weaker("SMP-2", "stop", when=has_blank_stop, by=without_blank_stops),
        ok("temperature top_p top_k stop"),
        refuses("CHO-2", "candidates", when=several),
        omits("SMP-6", "candidates"),
        *(omits("SMP-6", name, when=off(name)) for name in PENALTIES),
        loses("SMP-3", "seed", *PENALTIES),
    ),
    of(
        request.Thinking,
        omits("SMP-6", "display", when=unthinking),
        ok("mode budget display effort=low|medium|high|xhigh|max"),
        weaker("RSN-7", "effort=minimal", by=without_thinking),
    ),
    of(
        request.Output,
        omits("SMP-6", "modalities", when=only_text),
        omits("SMP-6", "verbosity", when=is_("verbosity", "medium")),
        loses("OUT-5", "verbosity"),
        loses("OUT-6", "modalities audio"),
    ),
    of(
        request.SchemaFormat,
        ok("schema"),
        omits("SMP-6", "strict", when=is_("strict", True)),
        loses("OUT-4", "name description strict"),
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
        loses("CAC-5", "lifetime", when=is_("automatic", None, False)),
        *cache_lifetimes("lifetime", wire.TTL.values()),
        ok("automatic"),
        loses("CAC-5", "key retention"),
    ),
    of(Cache, *cache_lifetimes("ttl", wire.TTL.values())),
    of(
        request.Service,
        ok("tier=auto|standard"),
        loses("SVC-1", "tier=priority|flex|scale|batch"),
        ok("fast end_user"),
        loses("USR-2", "user"),
        loses("USR-3", "metadata"),
        omits("SMP-6", "store", when=off("store")),
        loses("SVC-2", "store"),
    ),
    of(request.Streaming, ok("stream"), omits("STR-13", "usage obfuscation")),
    of(
        tools.FunctionTool,
        refuses("TUL-8", "name", when=not_matching("name", wire.TOOL_NAME)),
        fills("SCH-2", "parameters", by=of_an_object),
        ok("parameters", when=has_flaw("")),
        refuses("SCH-3", "parameters", when=has_flaw("SCH-3")),
        refuses("SCH-4", "parameters", when=has_flaw("SCH-4")),
        notes("SCH-2", "parameters", by=of_an_object),
        ok("name description"),
        loses("SCH-1", "strict", when=unenforceable),
        ok("strict"),
    ),
    of(tools.WebSearchTool, ok("kind allowed_domains blocked_domains max_uses"), loses("TUL-9", "context_size")),
    of(tools.Location, ok("city region country timezone")),
    of(tools.McpServer, ok("name url authorization allowed_tools")),
    inside(
        "tools",
        ok(tools.FunctionTool, tools.WebSearchTool),
        notes("TUL-24", tools.McpServer),
        loses("TUL-6", tools.McpToolset),  # of another protocol, which has none so far
        refuses("TUL-2", tools.CustomTool),
        loses("TUL-6", tools.HostedTool),
        loses("UNK-3", tools.UnknownTool),
    ),
    of(tools.Choice, weaker("TUL-7", "mode=validated", by=unvalidated), ok("mode")),
    of(tools.NamedChoice, ok("name")),
    of(
        tools.AllowedChoice,
        weaker("TUL-7", "mode=validated", by=unvalidated),
        ok("mode"),
        weaker("TUL-6", "tools", when=lists_beyond("function", "custom", "mcp", "web_search")),
        ok("tools"),
    ),
    inside("input format", refuses("TUL-2", tools.FreeText, tools.Grammar, tools.UnknownFormat)),  # of custom tools
    inside(
        "tool choice",
        ok(tools.Choice, tools.NamedChoice, tools.AllowedChoice),
        refuses("TUL-2", tools.CustomChoice),
        refuses("TUL-11", tools.HostedChoice),
    ),
)

CONTENT = (
    of(
        turns.Turn,
        ok("role=system|user|assistant|tool"),
        refuses("TUL-5", "role=function", elsewhere=True),
        notes("PLC-1", "role=developer"),
        loses("USR-4", "name"),
        ok("continues"),
    ),
    of(parts.Text, ok("text"), *NO_SEAL),
    of(parts.Image, omits("IMG-2", "detail", when=is_("detail", "auto")), loses("IMG-1", "detail"), *NO_SEAL),
    of(parts.Audio, ok("transcript"), loses("AUD-2", "id expires_at"), *NO_SEAL),
    of(parts.Video),
    of(parts.Document, ok("title context cite")),
    of(parts.SearchResult, ok("source title cite")),
    of(
        parts.FunctionCall,
        notes("TUL-13", "id", elsewhere=True),
        refuses("TUL-8", "name", elsewhere=True),
        ok("arguments"),
        *NO_SEAL,
    ),
    of(
        parts.WebSearchCall,
        notes("TUL-13", "id", when=unprefixed("id", wire.SERVER_ID), by=with_prefix("id", wire.SERVER_ID)),
        weaker("TUL-22", "queries", when=more_than_one, by=first_query),
        ok("id queries"),
    ),
    of(
        parts.WebSearchResult,
        notes(
            "TUL-13", "call_id", when=unprefixed("call_id", wire.SERVER_ID), by=with_prefix("call_id", wire.SERVER_ID)
        ),
        ok("call_id error"),
    ),
    of(parts.WebHit, ok("url title age seal")),
    of(
        parts.McpCall,
        notes("TUL-13", "id", when=unprefixed("id", wire.MCP_ID), by=with_prefix("id", wire.MCP_ID)),
        ok("id server name arguments"),
    ),
    of(
        parts.McpResult,
        notes("TUL-13", "call_id", when=unprefixed("call_id", wire.MCP_ID), by=with_prefix("call_id", wire.MCP_ID)),
        ok("call_id text is_error"),
    ),
    of(
        parts.ToolResult,
        notes("TUL-13", "call_id", elsewhere=True),
        ok("is_error"),
        omits("ENV-1", "name"),
    ),
    of(
        parts.Reasoning,
        ok("text"),
        loses("RSN-10", "seal", when=is_closed),
        loses("RSN-4", "seal", when=unsigned),
        ok("seal"),
        omits("RSN-8", "summary"),
    ),
    of(parts.Refusal, ok("text")),
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url"), omits("ENV-1", "mime")),
    of(parts.PlainText, ok("text mime")),
    of(parts.Chunks),
    inside("citations", loses("CIT-1", parts.UrlCitation, parts.SourceCitation)),
    inside(
        "image source",
        notes("SRC-4", parts.Inline, when=misnamed, by=renamed),
        refuses("SRC-3", parts.Inline, when=other_image),
        refuses("SRC-3", parts.Url, when=not_web),
        ok(parts.Inline, parts.Url),
        refuses("SRC-1", parts.FileRef),
        refuses("PLC-3", parts.PlainText, parts.Chunks),
    ),
    inside(
        "document source",
        refuses("SRC-3", parts.Url, when=not_web),
        ok(parts.Inline, when=textual, by=as_text),
        ok(parts.Inline, parts.Url, parts.PlainText, parts.Chunks),
        refuses("SRC-1", parts.FileRef),
    ),
    inside(
        "audio source",
        loses("AUD-2", parts.Inline, parts.Url),
        loses("AUD-3", parts.FileRef, parts.PlainText, parts.Chunks),
    ),
    inside("video source", refuses("VID-1", *(parts.Inline, parts.Url, parts.FileRef, parts.PlainText, parts.Chunks))),
    inside(
        "user",
        refuses("SRC-3", parts.Document, when=other_document),
        ok(parts.Text, parts.Image, parts.Document, parts.SearchResult, parts.ToolResult),
        refuses("AUD-1", parts.Audio),
        refuses("VID-1", parts.Video),
        loses("TUL-6", parts.VendorPart, *HOSTED, *MCP),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", parts.Reasoning, parts.Refusal, *parts.CALLS),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        ok(parts.Text, parts.FunctionCall, parts.McpCall, parts.McpResult),
        loses("RSN-10", parts.Reasoning, when=is_closed),
        loses("RSN-5", parts.Reasoning, when=unsigned),
        ok(parts.Reasoning),
        weaker("REF-7", parts.Refusal),
        refuses("TUL-2", parts.CustomCall),
        loses("TUL-6", parts.VendorPart, *HOSTED),
        loses("UNK-2", parts.UnknownPart),
        loses("AUD-3", parts.Audio),
        refuses("PLC-3", parts.ToolResult, parts.Image, parts.Video, parts.Document, parts.SearchResult),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        loses("RSN-10", parts.Reasoning, when=unopened),
        loses("RSN-4", parts.Reasoning, when=unreadable),
        ok(parts.Reasoning, parts.Refusal, parts.WebSearchCall),
        loses("TUL-22", parts.WebSearchResult, when=unsealed, at="hits"),
        ok(parts.WebSearchResult),
        loses("AUD-2", parts.Audio, when=silent),
        weaker("AUD-2", parts.Audio),
        kind="response",
    ),
    inside(
        "tool result",
        refuses("SRC-3", parts.Document, when=other_document),
        ok(parts.Text, parts.Image, parts.Document, parts.SearchResult),
        refuses("AUD-1", parts.Audio),
        refuses("VID-1", parts.Video),
        loses("TUL-6", parts.VendorPart, *HOSTED, *MCP),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", parts.ToolResult, parts.Reasoning, parts.Refusal, parts.Reference, *parts.CALLS),
    ),
    inside("tool", ok(parts.ToolResult), refuses("PLC-3", *except_for(parts.ToolResult))),
    inside("function", refuses("TUL-5", *PARTS)),  # with its whole turn
    *(
        inside(
            role,
            ok(parts.Text),
            refuses("UNK-5", parts.UnknownPart),
            refuses("PLC-3", *except_for(parts.Text, parts.UnknownPart)),
        )
        for role in ("system", "developer")
    ),
    inside("chunks", ok(parts.Text, parts.Image), refuses("PLC-3", *except_for(parts.Text, parts.Image))),
    inside("search result", ok(parts.Text), refuses("PLC-3", *except_for(parts.Text))),
)

ANSWERS = (
    of(
        response.Response,
        ok("id model fast tier=standard|priority|batch"),
        omits("ENV-3", "tier=auto|flex|scale"),
        notes("ENV-1", "created fingerprint"),  # of which a generated id is made
        loses("USR-3", "metadata"),
    ),
    of(response.Candidate, loses("SMP-7", "logprobs")),
    of(
        terminal.Terminal,
        omits("ENV-1", "message"),
        weaker("STS-3", "reason=content_filter", elsewhere=True),
        refuses("STS-13", "reason=unfinished"),
        ok("reason raw stop_sequence"),
    ),
    of(terminal.RefusalDetails, ok("explanation category")),
    of(
        usage.Usage,
        ok("input cache_read cache_write output reasoning"),
        notes("USE-3", "total"),
        ok(f"details={'|'.join(wire.USAGE.entries('details'))}"),
        omits("USE-4", "details"),
    ),
    of(
        Error,
        loses("ERR-2", "retry_after"),
        ok("message type request_id category=400|401|402|403|404|413|429|500|504|529"),
        loses("ERR-2", "code param"),
        notes("ERR-3", "category=0"),
        omits("ERR-5", "verbatim"),
        omits("ENV-1", "status"),
    ),
)

TARGET = Target(
    wire.NAME,
    (*REQUESTS, *CONTENT, *ANSWERS),
    (
        checks.MODEL_NAMED,
        *checks.calls_apart({parts.WebSearchCall: wire.SERVER_ID, parts.McpCall: wire.MCP_ID}),
        checks.ENVELOPE,
        checks.FUNCTION_TURNS,
        checks.ANSWERED_IDS,
        checks.only_allowed(*CALLABLE),
        checks.choice_fits(CALLABLE),
        Check(never_parallel, ("TUL-15",), request.Request, needs=("parallel_tools",)),
        Check(unshown, ("RSN-2",), request.Request, needs=("thinking",)),
        Check(limited, ("SMP-1",), request.Request),
        Check(refitted, ("SCH-6", "SCH-7", "SCH-8"), request.Request, needs=("output",)),
        Check(continued, ("PLC-16",), request.Request),
        checks.ENDING_FITS,
        checks.REFUSAL_ENDS,
        checks.REFUSALS_APART,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=True),
        Check(has_content, ("CHO-3",), response.Candidate),
    ),
    LIMITS,
)
