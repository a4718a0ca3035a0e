"""What most protocols have in common: the table that others stand on, and state no more than what differs.

Rule 1: total by itself: a turn of text, images, calls and results, with the usual settings. What not every server of
such an API has is dropped or refused here, so that a table says what its builder writes. Rule 2: knows no protocol.
"""

from __future__ import annotations

from ..ir import logprobs, node, parts, request, response, terminal, tools, turns, usage
from ..ir.error import Error
from .conditions import (
    NEVER_SEALED,
    NO_BOOKKEEPING,
    NO_COMPACTION,
    NO_MARK,
    NO_SEAL,
    NO_TURN,
    SEALED_MESSAGE,
    UNOPENED,
    blank,
    covered_by_effort,
    empty,
    except_for,
    holds,
    is_,
    nearest_effort,
    off,
    only_text,
    refusal_as_text,
    searches_tools,
    several,
    signature_alone,
    silent,
    textless,
    transcript_as_text,
    unbounded,
    which,
    worded,
    wordless,
)
from .media_types import corrected
from .rows import CACHED, CLIENT, HOSTED, LINKED, NAMED, RESULT, RUN, SOURCES
from .tool_conditions import FOUND_TOOL, HOSTED_CALLS, TOOL_SEARCHES, UNMARKED
from .verdicts import inside, loses, notes, of, ok, omits, refuses, weaker

SCORES = ("frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs")
UNCITED = (loses("DOC-1", "cite", when=is_("cite", True)), omits("SMP-6", "cite"))
NO_CONTEXT_SIZE = (omits("SMP-6", "context_size", when=is_("context_size", "medium")), loses("TUL-9", "context_size"))

REQUESTS = (
    of(
        request.Request,
        *NO_TURN,
        ok("model max_tokens"),
        omits("SMP-6", "parallel_tools", when=is_("parallel_tools", True)),
        loses("TUL-9", "parallel_tools hosted_calls"),
        loses("PLC-15", "prefill"),
    ),
    of(
        request.Sampling,
        ok("temperature top_p"),
        omits("SMP-6", "stop", when=is_("stop", [])),
        ok("stop"),
        omits("SMP-6", "top_k", when=unbounded),
        loses("SMP-3", "top_k"),
        *(omits("SMP-6", name, when=off(name)) for name in SCORES),
        loses("SMP-10", "seed"),
        loses("SMP-3", *SCORES),
        refuses("CHO-2", "candidates", when=several),
        omits("SMP-6", "candidates"),
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
    of(
        request.Output,
        omits("SMP-6", "verbosity", when=is_("verbosity", "medium")),
        loses("OUT-5", "verbosity"),
        omits("SMP-6", "modalities", when=only_text),
        loses("OUT-6", "modalities audio"),
    ),
    of(request.Speech, ok("voice format"), loses("OUT-6", "language")),
    of(
        request.SchemaFormat,
        ok("schema name description"),
        omits("SMP-6", "strict", when=is_("strict", True)),
        loses("OUT-4", "strict"),
    ),
    of(request.EnumFormat, ok("schema")),
    inside(
        "format",
        ok(request.PlainFormat, request.JsonFormat, request.SchemaFormat),
        notes("OUT-13", request.EnumFormat, elsewhere=True),
    ),
    of(request.Summary, ok("instructions")),
    of(
        request.Caching,
        omits("SMP-6", "automatic", when=is_("automatic", False)),
        omits("CAC-5", "automatic lifetime key retention"),
    ),
    *(of(cls, omits("CAC-4", "cache")) for cls in CACHED),
    of(node.Cache, omits("CAC-5", "ttl")),
    of(
        request.Service,
        omits("SMP-6", "tier=auto|standard"),
        loses("SVC-1", "tier=priority|flex|scale|batch"),
        omits("SMP-6", "fast", when=is_("fast", False)),
        loses("SVC-1", "fast"),
        omits("USR-2", "end_user user"),
        omits("USR-3", "metadata"),
        omits("SMP-6", "store", when=off("store")),
        loses("SVC-2", "store"),
        loses("MOD-1", "moderation"),
    ),
    of(request.Streaming, ok("stream"), omits("STR-13", "usage obfuscation")),
)

TOOLS = (
    of(
        tools.FunctionTool,
        *NAMED,
        ok("name description parameters"),
        omits("SMP-6", "strict", when=is_("strict", False)),
        loses("SCH-10", "strict"),
    ),
    of(tools.CustomTool, *NAMED, ok("description")),
    of(tools.Grammar, ok("syntax definition")),
    inside("input format", refuses("TUL-2", tools.FreeText, tools.Grammar, tools.UnknownFormat)),  # of custom tools
    of(
        tools.WebSearchTool,
        ok("kind location"),
        *NO_CONTEXT_SIZE,
        loses("TUL-9", "allowed_domains blocked_domains max_uses"),
    ),
    of(tools.Location, ok("city region country timezone")),
    of(tools.CodeTool, ok("kind")),
    of(tools.McpServer, ok("name url authorization allowed_tools")),
    of(tools.HostedTool, loses("TUL-41", "kind name raw", elsewhere=True)),  # reported with the tool
    inside(
        "tools",
        ok(tools.FunctionTool),
        refuses("TUL-2", tools.CustomTool),
        omits("TUL-38", tools.HostedTool, when=searches_tools),
        loses(
            "TUL-6",
            *(tools.WebSearchTool, tools.CodeTool, tools.McpServer, tools.McpToolset, tools.HostedTool),
            detail=which,
        ),
        omits("TUL-25", tools.ToolGroup),
        loses("TUL-71", tools.ClientTool, when=is_("function", None), detail=which),
        loses("TUL-34", tools.ClientTool, detail=which),
        omits("CAC-4", tools.UnknownTool, when=is_("kind", parts.MARK)),
        loses("UNK-3", tools.UnknownTool),
    ),
    of(tools.Choice, ok("mode")),
    of(tools.NamedChoice, ok("name"), notes("TUL-25", "namespace", elsewhere=True)),
    of(tools.CustomChoice, ok("name"), notes("TUL-25", "namespace", elsewhere=True)),
    of(
        tools.AllowedChoice,
        ok("mode"),
        weaker("TUL-6", "tools", elsewhere=True),
        ok("tools"),
    ),
    inside(
        "tool choice",
        ok(tools.Choice, tools.NamedChoice, tools.AllowedChoice),
        refuses("TUL-2", tools.CustomChoice),
        refuses("TUL-11", tools.HostedChoice, tools.WebSearchChoice, tools.CodeChoice),
    ),
)

PARTS = (
    of(
        turns.Turn,
        ok("role=system|user|assistant|tool"),
        notes("PLC-1", "role=developer"),
        loses("USR-4", "name"),
        ok("continues"),
    ),
    of(turns.TurnSettings, omits("PLC-30", "passing")),
    of(parts.ToolChange, ok("name server removed")),
    of(parts.Text, ok("text"), *NO_SEAL),
    of(
        parts.Image,
        omits("IMG-2", "detail", when=is_("detail", "auto")),
        loses("IMG-1", "detail"),
        *NEVER_SEALED,
    ),
    of(parts.Audio, ok("transcript"), loses("AUD-2", "id expires_at"), *NEVER_SEALED),
    of(
        parts.Document,
        loses("DOC-1", "title", when=holds("source", parts.Chunks)),
        ok("title"),
        loses("DOC-1", "context"),
        *UNCITED,
    ),
    of(parts.SearchResult, ok("source title"), *UNCITED),
    of(parts.FunctionCall, *LINKED, ok("arguments"), *NO_SEAL),
    of(parts.CustomCall, *LINKED, ok("input"), *NO_SEAL),
    of(
        parts.ToolResult,
        *RESULT,
        *UNMARKED,
        omits("TUL-14", "is_error"),
    ),
    of(parts.Reasoning, ok("text"), notes("RSN-8", "summary"), *NO_SEAL),
    of(parts.Refusal, ok("text")),
    of(parts.VendorPart, ok("kind raw")),  # of those that become another part
    of(parts.WebSearchCall, omits("ENV-1", "id"), ok("queries"), loses("TUL-22", "page")),
    of(parts.WebSearchResult, omits("ENV-1", "call_id"), loses("TUL-22", "error"), omits("ENV-7", "page")),
    of(
        parts.WebHit,
        *(ok("url title"), omits("ENV-1", "age")),
        *(omits("ENV-7", "seal", when=blank), loses("CIT-3", "seal")),
    ),
    of(parts.McpCall, ok("id server name arguments")),
    of(parts.McpResult, ok("call_id text is_error")),
    of(parts.CodeCall, ok("id code language")),
    of(parts.CodeResult, ok("call_id language stdout stderr exit_code"), weaker("TUL-39", "error")),
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url"), omits("ENV-1", "mime")),
    of(parts.FileRef, ok("id provider"), omits("ENV-1", "mime")),
    of(parts.PlainText, ok("text mime")),
    of(parts.UrlCitation, ok("url title start end"), loses("CIT-2", "cited_text"), loses("CIT-3", "seal")),
    of(parts.DocumentCitation, ok("unit document start end title cited_text"), loses("CIT-1", "file")),
    inside("citations", loses("CIT-1", parts.UrlCitation, parts.SourceCitation, parts.DocumentCitation)),
    inside(
        "image source",
        corrected(),
        ok(parts.Inline, parts.Url),
        refuses("SRC-1", parts.FileRef),
        refuses("PLC-3", parts.PlainText, parts.Chunks),
    ),
    inside("document source", ok(*SOURCES[:2], parts.PlainText, parts.Chunks), refuses("SRC-1", parts.FileRef)),
    inside(
        "audio source",  # of a recording with a transcript
        loses("AUD-2", parts.Inline, parts.Url),
        loses("AUD-3", parts.FileRef, parts.PlainText, parts.Chunks),
    ),
    inside("video source", refuses("VID-1", *SOURCES)),
)

GIVEN = (
    ok(parts.Text, parts.Image),
    refuses("SRC-3", parts.Document),
    weaker("DOC-4", parts.SearchResult, at="type"),
    refuses("AUD-1", parts.Audio),
    refuses("VID-1", parts.Video),
    loses("TUL-6", *HOSTED),
)
"""The verdicts on what users and tools give."""

TURNS = (
    inside(
        "instructions",
        ok(parts.Text),
        NO_BOOKKEEPING,
        NO_MARK,
        loses("TUL-6", parts.VendorPart, parts.ToolChange),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", *except_for(parts.Text, parts.VendorPart, parts.ToolChange, parts.UnknownPart)),
    ),
    inside(
        "user",
        *GIVEN,
        ok(parts.ToolResult),
        *SEALED_MESSAGE,
        NO_MARK,
        refuses("SRC-1", parts.VendorPart, when=is_("kind", "container_upload")),
        loses("CTX-1", parts.VendorPart),
        loses("TUL-6", parts.ToolChange),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", parts.Reasoning, parts.Refusal, *parts.CALLS),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        ok(parts.Text, parts.FunctionCall),
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        NO_COMPACTION,
        NO_MARK,
        omits("RSN-26", parts.Reasoning, when=signature_alone),
        loses("RSN-4", parts.Reasoning, when=textless),
        ok(parts.Reasoning),
        weaker("REF-7", parts.Refusal, by=refusal_as_text),
        refuses("TUL-2", parts.CustomCall),
        loses("TUL-71", parts.ClientCall, when=is_("name", None), detail=which),
        loses("TUL-71", parts.ClientResult, when=is_("text", None), detail=which),
        loses("TUL-34", *CLIENT, detail=which),
        TOOL_SEARCHES,
        loses("TUL-6", *RUN, detail=which),
        loses("TUL-6", parts.ToolChange),
        loses("CTX-1", parts.VendorPart),
        loses("UNK-2", parts.UnknownPart),
        loses("IMG-4", parts.Audio, when=holds("source", parts.Inline, parts.Url)),
        loses("AUD-3", parts.Audio),
        loses("IMG-4", parts.Image, parts.Video),
        refuses("PLC-3", parts.ToolResult, parts.Document, parts.SearchResult),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", parts.Reasoning, when=textless),
        ok(parts.Reasoning),
        refuses("TUL-35", parts.ClientCall),
        *HOSTED_CALLS,
        loses("AUD-2", parts.Audio, when=silent),
        weaker("AUD-2", parts.Audio, by=transcript_as_text),
        kind="response",
    ),
    inside(
        "tool result",
        *GIVEN,
        FOUND_TOOL,
        loses("TUL-6", parts.VendorPart, parts.ToolChange),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", parts.ToolResult, parts.Reasoning, parts.Refusal, parts.Reference, *parts.CALLS),
    ),
    inside("tool", ok(parts.ToolResult), refuses("PLC-3", *except_for(parts.ToolResult))),
    inside("nested", ok(parts.Text, parts.Image), refuses("PLC-3", *except_for(parts.Text, parts.Image))),
)

RESPONSES = (
    of(
        response.Response,
        ok("id model"),
        omits("ENV-1", "created fingerprint"),
        omits("ENV-3", "tier fast"),
        omits("ENV-11", "metadata"),
    ),
    of(response.Candidate, loses("SMP-7", "logprobs")),
    of(logprobs.LogProbs, loses("SMP-7", "refusal")),
    of(logprobs.ScoredToken, ok("text logprob bytes"), omits("ENV-1", "id")),
    of(
        terminal.Terminal,
        ok("raw reason=end|stop_sequence|length|tool_calls|content_filter|unknown"),
        weaker("STS-3", "reason=context_window|refusal"),
        weaker("STS-5", "reason=pause"),
        refuses("STS-13", "reason=unfinished|failed"),
        loses("STS-8", "stop_sequence"),
        omits("ENV-1", "message"),
    ),
    of(terminal.RefusalDetails, ok("explanation"), loses("REF-5", "category")),
    of(usage.Usage, ok("input cache_read cache_write output reasoning total"), omits("USE-4", "details")),
    of(
        Error,
        notes("ERR-9", "message", when=wordless, by=worded),
        notes("ERR-3", "category=unknown"),
        ok("message category type code param"),
        loses("ERR-2", "retry_after"),
        omits("ERR-5", "verbatim"),
        omits("ENV-1", "request_id status"),
    ),
)

BASE = (*REQUESTS, *TOOLS, *PARTS, *TURNS, *RESPONSES)
"""The rows of the table that others stand on."""
