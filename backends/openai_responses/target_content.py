"""What OpenAI Responses supports: verdicts on turns and parts."""

from __future__ import annotations

from proxai_ir.ir import parts, turns
from proxai_ir.ir.code import BASH
from proxai_ir.ir.envelope import is_closed, is_unverified
from proxai_ir.ir.structure import PARTS
from proxai_ir.rules.conditions import (
    FOUND_TOOL,
    NO_SEAL,
    UNOPENED,
    UNOPENED_SEAL,
    always,
    empty,
    holds,
    is_,
    silent,
    which,
)
from proxai_ir.rules.rows import (
    CODE,
    HOSTED,
    LINKED,
    MCP,
    NESTED,
    NOT_IN_RESULTS,
    NOT_OF_ASSISTANTS,
    NOT_OF_USERS,
)
from proxai_ir.rules.verdicts import inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.vendors.openai.conditions import (
    NO_BREAKPOINT,
    ROWS_OF_PARTS,
    instructions,
    named,
    needs_name,
    stored_elsewhere,
)
from proxai_ir.wire import openai_responses as wire

from .conditions import (
    NO_CONTAINER,
    bare_hits,
    described,
    descriptions,
    foreign_seal,
    python,
    run_by_provider,
    signed_elsewhere,
    transcript,
    unmarkable,
    unreadable,
)

REASONING = (
    omits("ENV-7", parts.Reasoning, when=empty),
    *UNOPENED,
    loses("RSN-4", parts.Reasoning, when=unreadable),
    ok(parts.Reasoning),
)
SOURCES = (parts.Inline, parts.Url, parts.FileRef, parts.PlainText, parts.Chunks)


CONTENT = (
    of(
        turns.Turn,
        lacking("system_in_place", notes("PLC-1", "role=developer", by=always(turns.Role.SYSTEM))),
        ok("role=system|developer|user|assistant|tool"),
        refuses("TUL-5", "role=function", elsewhere=True),
        loses("USR-4", "name"),
        ok("continues"),
    ),
    of(parts.Text, NO_BREAKPOINT, ok("text"), *NO_SEAL),
    of(parts.Image, NO_BREAKPOINT, ok("detail"), *NO_SEAL),
    of(parts.Audio, ok("transcript"), loses("AUD-2", "id expires_at"), *NO_SEAL),
    of(parts.Video),
    of(
        parts.Document,
        NO_BREAKPOINT,
        loses("DOC-1", "title", when=holds("source", parts.Chunks)),
        ok("title"),
        loses("DOC-1", "context"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        omits("SMP-6", "cite"),
    ),
    of(
        parts.SearchResult,
        NO_BREAKPOINT,
        ok("source title"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        omits("SMP-6", "cite"),
        omits("CAC-4", "cache", when=is_("parts", [])),
        ok("cache"),
    ),
    of(
        parts.FunctionCall,
        *LINKED,
        ok("arguments"),
        *NO_SEAL,
        omits("CAC-4", "cache"),
    ),
    *ROWS_OF_PARTS,
    of(parts.ClientCall, ok("kind id arguments raw"), omits("ENV-7", "name")),
    of(
        parts.WebSearchCall,
        run_by_provider("id", wire.WEB_ID),
        ok("id queries page"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.WebSearchResult,
        run_by_provider("call_id", wire.WEB_ID),
        ok("call_id"),
        weaker("TUL-22", "error"),
        weaker("TUL-22", "hits", when=described, by=bare_hits, detail=descriptions),
        omits("CAC-4", "cache"),
    ),
    of(parts.WebHit, ok("url title age seal")),
    of(
        parts.McpCall,
        run_by_provider("id", wire.MCP_ID),
        ok("id server name arguments"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.McpResult,
        run_by_provider("call_id", wire.MCP_ID),
        ok("call_id text is_error"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.CodeCall,
        run_by_provider("id", wire.CODE_ID),
        weaker("TUL-39", "language", when=is_("language", BASH), by=python),
        ok("id code language"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.CodeResult,
        run_by_provider("call_id", wire.CODE_ID),
        ok("call_id stdout stderr language"),
        omits("ENV-7", "exit_code", when=is_("exit_code", 0)),
        loses("TUL-39", "exit_code"),
        weaker("TUL-39", "error"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.ToolResult,
        NO_BREAKPOINT,
        notes("TUL-13", "call_id", elsewhere=True),
        notes("TUL-46", "call_id", elsewhere=True),
        loses("TUL-4", "is_error", when=is_("is_error", True)),
        omits("TUL-14", "is_error"),
        omits("CAC-4", "cache", when=unmarkable),
        ok("cache"),
        omits("ENV-1", "name"),
    ),
    of(
        parts.Reasoning,
        ok("text summary"),
        *UNOPENED_SEAL,
        loses("RSN-4", "seal", when=foreign_seal),
        ok("seal"),
    ),
    of(parts.Refusal, ok("text")),
    of(parts.VendorPart, ok("kind raw")),  # of those that become another part
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url"), omits("ENV-1", "mime")),
    of(parts.PlainText, ok("text mime")),
    of(parts.Chunks),
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
        loses("TUL-6", *HOSTED, *MCP, *CODE),
        refuses("SRC-1", parts.VendorPart, when=is_("kind", "container_upload")),
        loses("CTX-1", parts.VendorPart),
        *NOT_OF_USERS,
    ),
    inside(
        "assistant",
        lacking("bare_reasoning", loses("RSN-10", parts.Reasoning, when=is_closed)),
        lacking("bare_reasoning", loses("RSN-11", parts.Reasoning, when=is_unverified)),
        lacking("bare_reasoning", loses("RSN-5", parts.Reasoning, when=signed_elsewhere)),
        ok(parts.Text, parts.Refusal, parts.WebSearchCall, parts.WebSearchResult, *MCP, *parts.CALLS),
        *REASONING,
        ok(parts.ClientCall),
        loses("TUL-34", parts.ClientResult, detail=which),
        loses("TUL-6", parts.HostedCall, parts.HostedResult, detail=which),
        loses("TUL-6", *CODE, detail=NO_CONTAINER),
        loses("CTX-1", parts.VendorPart),
        loses("UNK-2", parts.UnknownPart),
        loses("AUD-3", parts.Audio),
        *NOT_OF_ASSISTANTS,
    ),
    inside(
        "assistant",
        *REASONING,
        ok(*CODE),
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
        FOUND_TOOL,
        loses("TUL-6", parts.VendorPart, *HOSTED, *MCP, *CODE),
        *NOT_IN_RESULTS,
    ),
    *NESTED,
    inside("function", refuses("TUL-5", *PARTS)),  # with its whole turn
    *instructions("system", "developer"),
)
