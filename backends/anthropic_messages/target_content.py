"""What Anthropic Messages supports: verdicts on turns and parts."""

from __future__ import annotations

from proxai_ir.ir import parts, turns
from proxai_ir.ir.structure import PARTS
from proxai_ir.rules.conditions import (
    FOUND_TOOL,
    HOSTED_CALLS,
    NO_SEAL,
    UNOPENED,
    UNOPENED_SEAL,
    empty,
    except_for,
    is_,
    is_not,
    silent,
    unprefixed,
    which,
    with_prefix,
)
from proxai_ir.rules.rows import (
    CLIENT,
    CODE,
    HOSTED,
    LINKED,
    MCP,
    NESTED,
    NOT_IN_RESULTS,
    NOT_OF_ASSISTANTS,
    NOT_OF_USERS,
)
from proxai_ir.rules.verdicts import fills, inside, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import anthropic_messages as wire

from .conditions import (
    NEVER_SIGNED,
    as_text,
    first_query,
    misnamed,
    more_than_one,
    not_web,
    other_document,
    other_image,
    renamed,
    run_by_provider,
    succeeded,
    textual,
    unreadable,
    unsealed,
    unsigned,
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
        *LINKED,
        ok("arguments"),
        *NO_SEAL,
    ),
    of(
        parts.WebSearchCall,
        run_by_provider("id"),
        weaker("TUL-22", "queries", when=more_than_one, by=first_query),
        ok("id queries page"),
    ),
    of(
        parts.WebSearchResult,
        run_by_provider("call_id"),
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
        parts.CodeCall,
        run_by_provider("id"),
        ok("id code language"),
    ),
    of(
        parts.CodeResult,
        run_by_provider("call_id"),
        fills("TUL-40", "exit_code", by=succeeded),
        ok("call_id language stdout stderr exit_code error"),
    ),
    of(
        parts.ToolResult,
        notes("TUL-13", "call_id", elsewhere=True),
        notes("TUL-46", "call_id", elsewhere=True),
        ok("is_error"),
        omits("ENV-1", "name"),
    ),
    of(
        parts.Reasoning,
        ok("text"),
        *UNOPENED_SEAL,
        loses("RSN-4", "seal", when=unsigned),
        ok("seal"),
        omits("RSN-8", "summary"),
    ),
    of(parts.Refusal, ok("text")),
    of(parts.VendorPart, ok("kind raw")),  # of those that become another part
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url"), omits("ENV-1", "mime")),
    of(
        parts.PlainText,
        notes("ENV-1", "mime", when=is_not("mime", wire.PLAIN), by=lambda _: wire.PLAIN),
        ok("text mime"),
    ),
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
        loses("TUL-6", parts.VendorPart, *HOSTED, *MCP, *CODE),
        *NOT_OF_USERS,
    ),
    inside(
        "assistant",
        ok(parts.Text, parts.FunctionCall, *MCP, *CODE),
        omits("ENV-7", parts.Reasoning, when=empty),
        *NEVER_SIGNED,
        ok(parts.Reasoning),
        weaker("REF-7", parts.Refusal),
        refuses("TUL-2", parts.CustomCall),
        loses("TUL-34", *CLIENT, detail=which),
        loses("TUL-6", parts.VendorPart, *HOSTED, detail=which),
        loses("UNK-2", parts.UnknownPart),
        loses("AUD-3", parts.Audio),
        *NOT_OF_ASSISTANTS,
    ),
    inside(
        "assistant",
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", parts.Reasoning, when=unreadable),
        ok(parts.Reasoning, parts.Refusal, parts.WebSearchCall),
        refuses("TUL-35", parts.ClientCall),
        *HOSTED_CALLS,
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
        FOUND_TOOL,
        loses("TUL-6", parts.VendorPart, *HOSTED, *MCP, *CODE),
        *NOT_IN_RESULTS,
    ),
    *NESTED,
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
)
