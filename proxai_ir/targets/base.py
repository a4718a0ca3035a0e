"""The base table: verdicts that most protocols share. A target's table states only what differs."""

from __future__ import annotations

from .. import ir
from ..ir.structure import CHILDREN
from ..ir.structure import SOURCES as SOURCES
from . import conditions as c
from .verdicts import inside, loses, notes, of, ok, omits, refuses, weaker

# --- groups of classes and verdicts that many tables name -------------------------------------------------------------

CLIENT = (ir.ClientCall, ir.ClientResult)
SEARCH = (ir.WebSearchCall, ir.WebSearchResult)
MCP = (ir.McpCall, ir.McpResult)
CODE = (ir.CodeCall, ir.CodeResult)
RUN = (ir.HostedCall, ir.HostedResult, *SEARCH, *MCP, *CODE)
"""Provider-run calls and their results."""
HOSTED = (*CLIENT, *RUN)
"""Calls and results in a vendor's own form."""

CACHED = tuple(cls for cls, held in CHILDREN.items() if "cache" in held)
"""The classes that may have a cache breakpoint."""

NAMED = (notes("TUL-26", "name", elsewhere=True), notes("TUL-25", "namespace", elsewhere=True))
"""The verdicts on the name of a tool or of a call (passes/naming.py)."""
LINKED = (
    notes("TUL-13", "id", elsewhere=True),
    notes("TUL-46", "id", elsewhere=True),
    notes("TUL-48", "name", elsewhere=True),
    *NAMED,
)
"""The verdicts on the id and the name of a call that the client runs (passes/calls.py)."""
RESULT = (
    notes("TUL-13", "call_id", elsewhere=True),
    notes("TUL-46", "call_id", elsewhere=True),
    refuses("TUL-5", "name", when=c.is_("call_id", None)),
    omits("ENV-1", "name"),
)
"""The verdicts on the members that link a result to its call, in protocols that link them by ids alone."""


# --- the base table ---------------------------------------------------------------------------------------------------
# Rule 1: total by itself: a turn of text, images, calls and results, with the usual settings. What not every server of
# such an API has is dropped or refused here, so that a table says what its builder writes. Rule 2: knows no protocol.

SCORES = ("frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs")
UNCITED = (loses("DOC-1", "cite", when=c.is_("cite", True)), omits("SMP-6", "cite"))
NO_CONTEXT_SIZE = (omits("SMP-6", "context_size", when=c.is_("context_size", "medium")), loses("TUL-9", "context_size"))

REQUESTS = (
    of(
        ir.Request,
        *c.NO_TURN,
        ok("model max_tokens"),
        omits("SMP-6", "parallel_tools", when=c.is_("parallel_tools", True)),
        loses("TUL-9", "parallel_tools hosted_calls"),
        loses("PLC-15", "prefill"),
    ),
    of(
        ir.Sampling,
        ok("temperature top_p"),
        omits("SMP-6", "stop", when=c.is_("stop", [])),
        ok("stop"),
        omits("SMP-6", "top_k", when=c.unbounded),
        loses("SMP-3", "top_k"),
        *(omits("SMP-6", name, when=c.off(name)) for name in SCORES),
        loses("SMP-10", "seed"),
        loses("SMP-3", *SCORES),
        refuses("CHO-2", "candidates", when=c.several),
        omits("SMP-6", "candidates"),
    ),
    of(
        ir.Thinking,
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive"),
        loses("RSN-6", "mode=between_tools"),
        loses("RSN-6", "effort", when=c.covered_by_effort),
        ok("effort"),
        weaker("RSN-3", "budget", by=c.nearest_effort),
        loses("RSN-2", "display"),
    ),
    of(
        ir.Output,
        omits("SMP-6", "verbosity", when=c.is_("verbosity", "medium")),
        loses("OUT-5", "verbosity"),
        omits("SMP-6", "modalities", when=c.only_text),
        loses("OUT-6", "modalities audio picture"),
    ),
    of(ir.Speech, ok("voice format"), loses("OUT-6", "language speakers")),
    of(ir.Picture, ok("aspect_ratio size")),
    of(
        ir.SchemaFormat,
        ok("schema name description"),
        omits("SMP-6", "strict", when=c.is_("strict", True)),
        loses("OUT-4", "strict"),
    ),
    of(ir.EnumFormat, ok("schema")),
    inside(
        "format",
        ok(ir.PlainFormat, ir.JsonFormat, ir.SchemaFormat),
        notes("OUT-13", ir.EnumFormat, elsewhere=True),
    ),
    of(ir.Summary, ok("instructions")),
    of(
        ir.Caching,
        omits("SMP-6", "automatic", when=c.is_("automatic", False)),
        omits("CAC-5", "automatic lifetime key retention"),
    ),
    *(of(cls, omits("CAC-4", "cache")) for cls in CACHED),
    of(ir.Cache, omits("CAC-5", "ttl")),
    of(
        ir.Service,
        omits("SMP-6", "tier=auto|standard"),
        loses("SVC-1", "tier=priority|flex|scale|batch"),
        omits("SMP-6", "fast", when=c.is_("fast", False)),
        loses("SVC-1", "fast"),
        omits("USR-2", "end_user user"),
        omits("USR-3", "metadata"),
        omits("SMP-6", "store", when=c.off("store")),
        loses("SVC-2", "store"),
        loses("MOD-1", "moderation"),
    ),
    of(ir.Streaming, ok("stream"), omits("STR-13", "usage obfuscation")),
)

TOOLS = (
    of(
        ir.FunctionTool,
        *NAMED,
        ok("name description parameters"),
        omits("SMP-6", "strict", when=c.is_("strict", False)),
        loses("SCH-10", "strict"),
    ),
    of(ir.CustomTool, *NAMED, ok("description")),
    of(ir.Grammar, ok("syntax definition")),
    inside("input format", refuses("TUL-2", ir.FreeText, ir.Grammar, ir.UnknownFormat)),  # of custom tools
    of(
        ir.WebSearchTool,
        ok("kind location"),
        *NO_CONTEXT_SIZE,
        loses("TUL-9", "allowed_domains blocked_domains max_uses"),
        omits("SMP-6", "searches", when=c.is_("searches", [], ["web_search"])),
        loses("TUL-9", "searches"),
    ),
    of(ir.Location, ok("city region country timezone")),
    of(ir.CodeTool, ok("kind")),
    of(
        ir.McpServer,
        ok("name url authorization allowed_tools"),
        omits("ENV-7", "http_headers", when=c.is_("http_headers", {})),
        loses("TUL-23", "http_headers"),
    ),
    of(ir.HostedTool, loses("TUL-41", "kind name raw", elsewhere=True)),  # reported with the tool
    inside(
        "tools",
        ok(ir.FunctionTool),
        refuses("TUL-2", ir.CustomTool),
        *c.LOADING_TOOLS,
        loses(
            "TUL-6",
            *(ir.WebSearchTool, ir.CodeTool, ir.McpServer, ir.McpToolset, ir.HostedTool),
            detail=c.which,
        ),
        omits("TUL-25", ir.ToolGroup),
        loses("TUL-71", ir.ClientTool, when=c.is_("function", None), detail=c.which),
        loses("TUL-34", ir.ClientTool, detail=c.which),
        omits("CAC-4", ir.UnknownTool, when=c.is_("kind", ir.MARK)),
        loses("UNK-3", ir.UnknownTool),
    ),
    of(ir.Choice, ok("mode")),
    of(ir.NamedChoice, ok("name"), notes("TUL-25", "namespace", elsewhere=True)),
    of(ir.CustomChoice, ok("name"), notes("TUL-25", "namespace", elsewhere=True)),
    of(
        ir.AllowedChoice,
        ok("mode"),
        weaker("TUL-6", "tools", elsewhere=True),
        ok("tools"),
    ),
    inside(
        "tool choice",
        ok(ir.Choice, ir.NamedChoice, ir.AllowedChoice),
        refuses("TUL-2", ir.CustomChoice),
        refuses("TUL-11", ir.HostedChoice, ir.WebSearchChoice, ir.CodeChoice),
    ),
)

PARTS = (
    of(
        ir.Turn,
        ok("role=system|user|assistant|tool"),
        notes("PLC-1", "role=developer"),
        loses("USR-4", "name"),
        ok("continues"),
    ),
    of(ir.TurnSettings, omits("PLC-30", "passing")),
    of(ir.ToolChange, ok("name server removed")),
    of(ir.Text, ok("text"), *c.NO_SEAL),
    of(
        ir.Image,
        omits("IMG-2", "detail", when=c.is_("detail", "auto")),
        loses("IMG-1", "detail"),
        *c.NEVER_SEALED,
    ),
    of(ir.Audio, ok("transcript"), loses("AUD-2", "id expires_at"), *c.NEVER_SEALED),
    of(
        ir.Document,
        loses("DOC-1", "title", when=c.holds("source", ir.Chunks)),
        ok("title"),
        loses("DOC-1", "context"),
        *UNCITED,
    ),
    of(ir.SearchResult, ok("source title"), *UNCITED),
    of(ir.FunctionCall, *LINKED, ok("arguments"), *c.NO_SEAL),
    of(ir.CustomCall, *LINKED, ok("input"), *c.NO_SEAL),
    of(
        ir.ToolResult,
        *RESULT,
        *c.UNMARKED,
        omits("TUL-14", "is_error"),
    ),
    of(ir.Reasoning, ok("text"), notes("RSN-8", "summary"), *c.NO_SEAL),
    of(ir.Refusal, ok("text")),
    of(ir.VendorPart, ok("kind raw")),  # for those that become another part
    of(ir.WebSearchCall, omits("ENV-1", "id"), ok("queries"), loses("TUL-22", "page")),
    of(ir.WebSearchResult, omits("ENV-1", "call_id"), loses("TUL-22", "error"), omits("ENV-7", "page")),
    of(
        ir.WebHit,
        *(ok("url title"), omits("ENV-1", "age")),
        *(omits("ENV-7", "seal", when=c.blank), loses("CIT-3", "seal")),
    ),
    of(ir.McpCall, ok("id server name arguments")),
    of(ir.McpResult, ok("call_id text is_error")),
    of(ir.CodeCall, ok("id code language")),
    of(ir.CodeResult, ok("call_id language stdout stderr exit_code"), weaker("TUL-39", "error")),
    of(ir.Inline, ok("data mime")),
    of(ir.Url, ok("url"), omits("ENV-1", "mime")),
    of(ir.FileRef, ok("id provider"), omits("ENV-1", "mime")),
    of(ir.PlainText, ok("text mime")),
    of(ir.UrlCitation, ok("url title start end"), loses("CIT-2", "cited_text"), loses("CIT-3", "seal")),
    of(ir.DocumentCitation, ok("unit document start end title cited_text"), loses("CIT-1", "file")),
    inside("citations", loses("CIT-1", ir.UrlCitation, ir.SourceCitation, ir.DocumentCitation)),
    inside(
        "image source",
        c.corrected(),
        ok(ir.Inline, ir.Url),
        refuses("SRC-1", ir.FileRef),
        refuses("PLC-3", ir.PlainText, ir.Chunks),
    ),
    inside("document source", ok(*SOURCES[:2], ir.PlainText, ir.Chunks), refuses("SRC-1", ir.FileRef)),
    inside(
        "audio source",  # of a recording with a transcript
        loses("AUD-2", ir.Inline, ir.Url),
        loses("AUD-3", ir.FileRef, ir.PlainText, ir.Chunks),
    ),
    inside("video source", refuses("VID-1", *SOURCES)),
)

GIVEN = (
    ok(ir.Text, ir.Image),
    refuses("SRC-3", ir.Document),
    weaker("DOC-4", ir.SearchResult, at="type"),
    refuses("AUD-1", ir.Audio),
    refuses("VID-1", ir.Video),
    loses("TUL-6", *HOSTED),
)
"""The verdicts on parts of user messages and tool results."""

TURNS = (
    inside(
        "instructions",
        ok(ir.Text),
        c.NO_BOOKKEEPING,
        c.NO_MARK,
        loses("TUL-6", ir.VendorPart, ir.ToolChange),
        refuses("UNK-5", ir.UnknownPart),
        refuses("PLC-3", *c.except_for(ir.Text, ir.VendorPart, ir.ToolChange, ir.UnknownPart)),
    ),
    inside(
        "user",
        *GIVEN,
        ok(ir.ToolResult),
        *c.SEALED_MESSAGE,
        c.NO_MARK,
        c.NO_SOURCES,
        refuses("SRC-1", ir.VendorPart, when=c.is_("kind", "container_upload")),
        loses("CTX-1", ir.VendorPart),
        loses("TUL-6", ir.ToolChange),
        refuses("UNK-5", ir.UnknownPart),
        refuses("PLC-3", ir.Reasoning, ir.Refusal, *ir.CALLS),
        refuses("R2A-3", ir.Reference),
    ),
    inside(
        "assistant",
        ok(ir.Text, ir.FunctionCall),
        omits("ENV-7", ir.Reasoning, when=c.empty),
        *c.UNOPENED,
        c.NO_COMPACTION,
        c.NO_MARK,
        c.NO_SOURCES,
        omits("RSN-26", ir.Reasoning, when=c.signature_alone),
        loses("RSN-4", ir.Reasoning, when=c.textless),
        ok(ir.Reasoning),
        weaker("REF-7", ir.Refusal, by=c.refusal_as_text),
        refuses("TUL-2", ir.CustomCall),
        loses("TUL-71", ir.ClientCall, when=c.is_("name", None), detail=c.which),
        loses("TUL-71", ir.ClientResult, when=c.is_("text", None), detail=c.which),
        loses("TUL-34", *CLIENT, detail=c.which),
        c.TOOL_SEARCHES,
        loses("TUL-6", *RUN, detail=c.which),
        loses("TUL-6", ir.ToolChange),
        loses("CTX-1", ir.VendorPart),
        loses("UNK-2", ir.UnknownPart),
        loses("IMG-4", ir.Audio, when=c.holds("source", ir.Inline, ir.Url)),
        loses("AUD-3", ir.Audio),
        loses("IMG-4", ir.Image, ir.Video),
        refuses("PLC-3", ir.ToolResult, ir.Document, ir.SearchResult),
        refuses("R2A-3", ir.Reference),
    ),
    inside(
        "assistant",
        omits("ENV-7", ir.Reasoning, when=c.empty),
        *c.UNOPENED,
        loses("RSN-4", ir.Reasoning, when=c.textless),
        ok(ir.Reasoning),
        refuses("TUL-35", ir.ClientCall),
        *c.HOSTED_CALLS,
        loses("AUD-2", ir.Audio, when=c.silent),
        weaker("AUD-2", ir.Audio, by=c.transcript_as_text),
        kind="response",
    ),
    inside(
        "tool result",
        *GIVEN,
        c.FOUND_TOOL,
        c.NO_SOURCES,
        loses("TUL-6", ir.VendorPart, ir.ToolChange),
        refuses("UNK-5", ir.UnknownPart),
        refuses("PLC-3", ir.ToolResult, ir.Reasoning, ir.Refusal, ir.Reference, *ir.CALLS),
    ),
    inside("tool", ok(ir.ToolResult), refuses("PLC-3", *c.except_for(ir.ToolResult))),
    inside("nested", ok(ir.Text, ir.Image), refuses("PLC-3", *c.except_for(ir.Text, ir.Image))),
)

RESPONSES = (
    of(
        ir.Response,
        ok("id model"),
        omits("ENV-1", "created fingerprint"),
        omits("ENV-3", "tier fast"),
        omits("ENV-11", "metadata"),
    ),
    of(ir.Candidate, loses("SMP-7", "logprobs")),
    of(ir.LogProbs, loses("SMP-7", "refusal")),
    of(ir.ScoredToken, ok("text logprob bytes"), omits("ENV-1", "id")),
    of(
        ir.Terminal,
        ok("raw reason=end|stop_sequence|length|tool_calls|content_filter|unknown"),
        weaker("STS-3", "reason=context_window|refusal"),
        weaker("STS-5", "reason=pause"),
        refuses("STS-13", "reason=unfinished|failed"),
        loses("STS-8", "stop_sequence"),
        omits("ENV-1", "message"),
    ),
    of(ir.RefusalDetails, ok("explanation"), loses("REF-5", "category")),
    of(ir.Usage, ok("input cache_read cache_write output reasoning total"), omits("USE-4", "details")),
    of(
        ir.Error,
        notes("ERR-9", "message", when=c.wordless, by=c.worded),
        notes("ERR-3", "category=unknown"),
        ok("message category type code param"),
        loses("ERR-2", "retry_after"),
        omits("ERR-5", "verbatim"),
        omits("ENV-1", "request_id status"),
    ),
)

BASE = (*REQUESTS, *TOOLS, *PARTS, *TURNS, *RESPONSES)
"""The rows of the table that others stand on."""
