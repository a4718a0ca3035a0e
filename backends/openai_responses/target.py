"""What OpenAI Responses can say: a verdict for every field, enum member and place of the IR."""

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
    except_for,
    holds,
    is_,
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
from proxai_ir.rules.verdicts import Check, Target, inside, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.conditions import (
    SETTINGS,
    accepted_call_id,
    lacks_properties,
    limits,
    named,
    needs_name,
    stored_elsewhere,
    strict_but_open,
    with_properties,
)
from proxai_ir.wire import openai_responses as wire

from .conditions import (
    FEWEST_TOKENS,
    as_effort,
    filled_in,
    fitted_content,
    foreign_seal,
    one_way_members,
    results_follow_calls,
    too_short,
    transcript,
    unmarkable,
    unreadable,
    unscorable,
)

CONSTRAINTS = Constraints(
    instructions="inline",
    results="anywhere",
    media_results=True,
    nested=False,
    ordered=True,
    text_parts=True,
    empty_text=True,
    alternatives=False,
    items=True,
    open_calls=False,
    seals={parts.Reasoning: SealSlot((openai.PROVIDER,), wire.ENCRYPTED)},
    call_id=accepted_call_id,
    tool_name=re.compile(wire.TOOL_NAME).fullmatch,
)

HOSTED = (parts.HostedCall, parts.HostedResult, parts.WebSearchCall, parts.WebSearchResult)
MCP = (parts.McpCall, parts.McpResult)
SOURCES = (parts.Inline, parts.Url, parts.FileRef, parts.PlainText, parts.Chunks)

ABSENT = ("stop", "seed", "frequency_penalty", "presence_penalty", "logit_bias", "logprobs")

REQUESTS = (
    of(
        request.Request,
        loses("SMP-2", "max_tokens", when=too_short),
        ok("model max_tokens parallel_tools"),
        loses("PLC-15", "prefill"),
    ),
    of(
        request.Sampling,
        ok("temperature top_p top_logprobs"),
        refuses("CHO-2", "candidates", when=several),
        omits("SMP-6", "candidates"),
        *(omits("SMP-6", name, when=is_(name, False, 0, [], {})) for name in ABSENT),
        ok("logprobs"),
        omits("SMP-6", "top_k", when=unbounded),
        loses("SMP-3", "top_k stop seed frequency_penalty presence_penalty logit_bias"),
    ),
    of(
        request.Thinking,
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive"),
        loses("RSN-6", "mode=between_tools"),
        loses("RSN-6", "effort", when=covered_by_effort),
        ok("effort"),
        weaker("RSN-3", "budget", by=as_effort),
        ok("display=summarized"),
        omits("SMP-6", "display=omitted"),
    ),
    of(
        request.Output,
        ok("verbosity"),
        omits("SMP-6", "modalities", when=only_text),
        loses("OUT-6", "modalities audio"),
    ),
    *SETTINGS,
    of(request.Caching, *cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(request.Streaming, ok("stream obfuscation"), omits("STR-13", "usage")),
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
        ok("kind context_size allowed_domains"),
        loses("TUL-9", "blocked_domains max_uses"),
        omits("CAC-4", "cache"),
    ),
    of(tools.Location, ok("city region country timezone")),
    of(tools.McpServer, ok("name url authorization allowed_tools")),
    inside(
        "tools",
        ok(tools.FunctionTool, tools.CustomTool, tools.WebSearchTool, tools.McpServer),
        loses("TUL-6", tools.HostedTool),
        omits("ENV-7", tools.McpToolset),  # its server has it
        loses("UNK-3", tools.UnknownTool),
    ),
    of(tools.Choice, weaker("TUL-7", "mode=validated", by=unvalidated), ok("mode")),
    of(tools.NamedChoice, ok("name")),
    of(tools.CustomChoice, ok("name")),
    of(tools.AllowedChoice, weaker("TUL-7", "mode=validated", by=unvalidated), ok("mode tools")),
    inside(
        "tool choice",
        ok(tools.Choice, tools.NamedChoice, tools.CustomChoice, tools.AllowedChoice),
        refuses("TUL-11", tools.HostedChoice),
    ),
)

CONTENT = (
    of(
        turns.Turn,
        ok("role=system|developer|user|assistant|tool"),
        refuses("TUL-5", "role=function", elsewhere=True),
        loses("USR-4", "name"),
        ok("continues"),
    ),
    of(parts.Text, ok("text"), *NO_SEAL),
    of(parts.Image, ok("detail"), *NO_SEAL),
    of(parts.Audio, ok("transcript"), loses("AUD-2", "id expires_at"), *NO_SEAL),
    of(parts.Video),
    of(
        parts.Document,
        loses("DOC-1", "title", when=holds("source", parts.Chunks)),
        ok("title"),
        loses("DOC-1", "context"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        omits("SMP-6", "cite"),
    ),
    of(
        parts.SearchResult,
        loses("DOC-4", "source title"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        omits("SMP-6", "cite"),
        omits("CAC-4", "cache", when=is_("parts", [])),
        ok("cache"),
    ),
    of(
        parts.FunctionCall,
        notes("TUL-13", "id", elsewhere=True),
        refuses("TUL-8", "name", elsewhere=True),
        ok("arguments"),
        *NO_SEAL,
        omits("CAC-4", "cache"),
    ),
    of(
        parts.CustomCall,
        notes("TUL-13", "id", elsewhere=True),
        refuses("TUL-8", "name", elsewhere=True),
        ok("input"),
        *NO_SEAL,
    ),
    of(
        parts.WebSearchCall,
        notes("TUL-13", "id", when=unprefixed("id", wire.WEB_ID), by=with_prefix("id", wire.WEB_ID)),
        ok("id queries"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.WebSearchResult,
        notes("TUL-13", "call_id", when=unprefixed("call_id", wire.WEB_ID), by=with_prefix("call_id", wire.WEB_ID)),
        ok("call_id"),
        weaker("TUL-22", "error"),
        omits("CAC-4", "cache"),
    ),
    of(parts.WebHit, ok("url"), loses("TUL-22", "title age"), loses("CIT-3", "seal")),
    of(
        parts.McpCall,
        notes("TUL-13", "id", when=unprefixed("id", wire.MCP_ID), by=with_prefix("id", wire.MCP_ID)),
        ok("id server name arguments"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.McpResult,
        notes("TUL-13", "call_id", when=unprefixed("call_id", wire.MCP_ID), by=with_prefix("call_id", wire.MCP_ID)),
        ok("call_id text is_error"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.ToolResult,
        notes("TUL-13", "call_id", elsewhere=True),
        loses("TUL-4", "is_error", when=is_("is_error", True)),
        omits("TUL-14", "is_error"),
        omits("CAC-4", "cache", when=unmarkable),
        ok("cache"),
        omits("ENV-1", "name"),
    ),
    of(
        parts.Reasoning,
        ok("text summary"),
        loses("RSN-10", "seal", when=is_closed),
        loses("RSN-4", "seal", when=foreign_seal),
        ok("seal"),
    ),
    of(parts.Refusal, ok("text")),
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url"), omits("ENV-1", "mime")),
    of(parts.FileRef, ok("id provider"), omits("ENV-1", "mime")),
    of(parts.PlainText, ok("text mime")),
    of(parts.Chunks),
    of(parts.UrlCitation, ok("url title start end"), loses("CIT-2", "cited_text"), loses("CIT-3", "seal")),
    inside("citations", ok(parts.UrlCitation), loses("CIT-1", parts.SourceCitation)),
    inside(
        "image source",
        refuses("SRC-1", parts.FileRef, when=stored_elsewhere),
        ok(parts.Inline, parts.Url, parts.FileRef),
        refuses("PLC-3", parts.PlainText, parts.Chunks),
    ),
    inside(
        "document source",
        refuses("SRC-1", parts.FileRef, when=stored_elsewhere),
        ok(parts.Inline, parts.PlainText, parts.Chunks, parts.Url, parts.FileRef),
    ),
    inside(
        "audio source",
        loses("AUD-2", parts.Inline, parts.Url),
        loses("AUD-3", parts.FileRef, parts.PlainText, parts.Chunks),
    ),
    inside("video source", refuses("VID-1", *SOURCES)),
    inside(
        "user",
        ok(parts.Text, parts.Image, parts.ToolResult),
        weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
        notes("DOC-2", parts.Document, when=needs_name, by=named),
        ok(parts.Document),
        weaker("DOC-4", parts.SearchResult, at="type"),
        refuses("AUD-1", parts.Audio),
        refuses("VID-1", parts.Video),
        loses("TUL-6", *HOSTED, *MCP),
        refuses("SRC-1", parts.VendorPart, when=is_("kind", "container_upload")),
        loses("CTX-1", parts.VendorPart),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", parts.Reasoning, parts.Refusal, *parts.CALLS),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        ok(parts.Text, parts.Refusal, parts.WebSearchCall, parts.WebSearchResult, *MCP, *parts.CALLS),
        omits("ENV-7", parts.Reasoning, when=empty),
        loses("RSN-10", parts.Reasoning, when=unopened),
        loses("RSN-4", parts.Reasoning, when=unreadable),
        ok(parts.Reasoning),
        loses("TUL-6", parts.HostedCall, parts.HostedResult),
        loses("CTX-1", parts.VendorPart),
        loses("UNK-2", parts.UnknownPart),
        loses("AUD-3", parts.Audio),
        refuses("PLC-3", parts.ToolResult, parts.Image, parts.Video, parts.Document, parts.SearchResult),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        loses("AUD-2", parts.Audio, when=silent),
        weaker("AUD-2", parts.Audio, by=transcript),
        kind="response",
    ),
    inside(
        "tool result",
        ok(parts.Text, parts.Image),
        weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
        notes("DOC-2", parts.Document, when=needs_name, by=named),
        ok(parts.Document),
        weaker("DOC-4", parts.SearchResult, at="type"),
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
            loses("TUL-6", parts.VendorPart),
            refuses("UNK-5", parts.UnknownPart),
            refuses("PLC-3", *except_for(parts.Text, parts.VendorPart, parts.UnknownPart)),
        )
        for role in ("system", "developer")
    ),
    inside("chunks", ok(parts.Text, parts.Image), refuses("PLC-3", *except_for(parts.Text, parts.Image))),
    inside("search result", ok(parts.Text), refuses("PLC-3", *except_for(parts.Text))),
)

ANSWERS = (
    of(
        response.Response,
        loses("SVC-1", "tier", when=is_("fast", True)),
        ok("id model created tier=auto|standard|priority|flex|scale metadata"),
        omits("ENV-3", "fast", when=is_("fast", False)),
        ok("fast"),
        loses("SVC-1", "tier=batch"),
        omits("ENV-1", "fingerprint"),
    ),
    of(response.Candidate, loses("SMP-7", "logprobs", when=unscorable), ok("logprobs")),
    of(logprobs.ScoredToken, ok("text logprob bytes"), omits("ENV-1", "id")),
    of(
        terminal.Terminal,
        omits("ENV-1", "message"),
        ok("raw reason=end|length|tool_calls|function_call|refusal|content_filter|unknown"),
        weaker("STS-3", "reason=stop_sequence|context_window"),
        weaker("STS-5", "reason=pause"),
        refuses("STS-13", "reason=unfinished"),
        loses("STS-8", "stop_sequence"),
    ),
    of(terminal.RefusalDetails, ok("explanation"), loses("REF-5", "category")),
    of(usage.Usage, ok("input cache_read cache_write output reasoning total"), omits("USE-4", "details")),
    of(
        Error,
        loses("ERR-2", "retry_after"),
        ok("message code param type category=400|401|402|403|404|413|429|500|504|529"),
        notes("ERR-3", "category=0"),
        omits("ERR-5", "verbatim"),
        omits("ENV-1", "request_id status"),
    ),
)

LIMITS = limits(wire.TOOL_NAME, wire.OPTIONS_TTL, f"`max_output_tokens` must be at least {FEWEST_TOKENS}, ")
LIMITS["TUL-13"] += f"; web searches begin with {wire.WEB_ID}, MCP calls with {wire.MCP_ID}"

TARGET = Target(
    wire.NAME,
    (*REQUESTS, *CONTENT, *ANSWERS),
    (
        checks.MODEL_NAMED,
        *checks.calls_apart({parts.WebSearchCall: wire.WEB_ID, parts.McpCall: wire.MCP_ID}),
        checks.ENVELOPE,
        checks.FUNCTION_TURNS,
        checks.ANSWERED_IDS,
        checks.choice_fits((tools.FunctionTool, tools.CustomTool, tools.WebSearchTool, tools.McpServer)),
        checks.schema_named(required=True),
        checks.explained_by(parts.Refusal),
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=False),
        checks.DETAILS_REPORTED,
        Check(one_way_members, ("CAC-4", "CIT-1"), request.Request, needs=("turns",)),
        Check(results_follow_calls, ("TUL-22", "TUL-23"), request.Request, needs=("turns",)),
        Check(results_follow_calls, ("TUL-22", "TUL-23"), response.Response),
        Check(filled_in, ("ENV-2",), response.Response),
        Check(fitted_content, (), response.Response),
    ),
    LIMITS,
)
