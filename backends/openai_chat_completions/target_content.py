"""What Chat Completions supports: verdicts on turns and parts."""

from __future__ import annotations

from proxai_ir.backends._openai.conditions import (
    INSTRUCTIONS,
    NO_BREAKPOINT,
    ROWS_OF_PARTS,
    named,
    needs_name,
    stored_elsewhere,
)
from proxai_ir.ir import parts, turns
from proxai_ir.rules.conditions import (
    FOUND_TOOL,
    HOSTED_CALLS,
    NEVER_SEALED,
    SEALED_MESSAGE,
    UNOPENED,
    UNOPENED_SEAL,
    empty,
    foreign,
    holds,
    is_,
    is_not,
    signature_alone,
    which,
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
from proxai_ir.rules.verdicts import in_requests, inside, lacking, loses, notes, of, ok, omits, refuses, weaker

from .conditions import (
    as_link,
    as_system,
    as_text,
    instructs,
    is_linked,
    is_text,
    not_googles,
    other_document,
    read_out,
    textless,
    unreadable,
    useless,
)

VENDOR_CALLS = (*HOSTED, *MCP, *CODE)

SEAL = (
    *UNOPENED_SEAL,
    lacking("google_signatures", in_requests(omits("RSN-26", "seal"))),
    *foreign(not_googles),
    ok("seal"),
)
"""The verdicts on a seal that only Google's may be; clients ignore what they do not know, servers refuse it."""

OTHER_DOCUMENTS = (
    weaker("DOC-7", parts.Document, when=is_linked, by=as_link),
    lacking("other_documents", weaker("DOC-6", parts.Document, when=is_text, by=as_text)),
    lacking("other_documents", refuses("SRC-3", parts.Document, when=other_document, detail="PDF and text")),
)
NO_IMAGES = lacking("images", refuses("SRC-3", parts.Image, detail="no images"))
NO_AUDIO = lacking("audio", refuses("SRC-3", parts.Audio, detail="no audio"))
NO_FILES = lacking("documents", refuses("SRC-3", parts.Document, detail="text"))

CONTENT = (
    of(
        turns.Turn,
        lacking("developer_role", notes("PLC-1", "role=developer", by=as_system)),
        lacking("system_in_place", notes("PLC-1", "role=developer", by=as_system)),
        lacking("system_in_place", loses("USR-4", "name", when=instructs)),
        ok("role name continues"),
    ),
    of(parts.Text, NO_BREAKPOINT, ok("text cache"), *SEAL),
    of(parts.Image, NO_BREAKPOINT, ok("detail cache"), *NEVER_SEALED),
    of(parts.Audio, NO_BREAKPOINT, ok("transcript id expires_at cache"), *NEVER_SEALED),
    of(
        parts.Document,
        NO_BREAKPOINT,
        loses("DOC-1", "title", when=holds("source", parts.Chunks)),
        ok("title cache"),
        loses("DOC-1", "context"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        notes("SMP-6", "cite"),
    ),
    of(
        parts.SearchResult,
        NO_BREAKPOINT,
        ok("source title"),
        loses("DOC-1", "cite", when=is_("cite", True)),
        notes("SMP-6", "cite"),
        omits("CAC-4", "cache", when=is_("parts", [])),
        ok("cache"),
    ),
    of(
        parts.FunctionCall,
        *LINKED,
        ok("id arguments"),
        *SEAL,
        omits("CAC-4", "cache"),
    ),
    of(parts.CustomCall, *SEAL),
    *ROWS_OF_PARTS,
    of(
        parts.ToolResult,
        NO_BREAKPOINT,
        notes("TUL-13", "call_id", elsewhere=True),
        notes("TUL-46", "call_id", elsewhere=True),
        ok("call_id"),
        loses("TUL-4", "is_error", when=is_("is_error", True)),
        notes("TUL-14", "is_error"),
        ok("cache"),
        omits("ENV-1", "name", when=is_not("call_id", None)),
        ok("name"),
    ),
    of(
        parts.Reasoning,
        ok("text"),
        notes("RSN-8", "summary"),
        *SEAL,
    ),
    of(parts.Refusal, ok("text")),
    of(parts.VendorPart, ok("kind raw")),  # of those that become another part
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url"), omits("ENV-1", "mime")),
    of(parts.PlainText, ok("text mime")),
    of(parts.Chunks),
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
        lacking("document_links", refuses("SRC-2", parts.Url, detail="option `document_links`")),
        ok(parts.Inline, parts.PlainText, parts.Chunks, parts.FileRef, parts.Url),
    ),
    inside(
        "user",
        NO_IMAGES,
        NO_AUDIO,
        ok(parts.Text, parts.Image, parts.Audio, parts.ToolResult),
        *OTHER_DOCUMENTS,
        weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
        NO_FILES,
        notes("DOC-2", parts.Document, when=needs_name, by=named),
        ok(parts.Document),
        weaker("DOC-4", parts.SearchResult, at="type"),
        refuses("VID-1", parts.Video),
        loses("TUL-6", *VENDOR_CALLS),
        *SEALED_MESSAGE,
        refuses("SRC-1", parts.VendorPart, when=is_("kind", "container_upload")),
        loses("CTX-1", parts.VendorPart),
        *NOT_OF_USERS,
    ),
    inside(
        "assistant",
        lacking("custom_tools", refuses("TUL-2", parts.CustomCall)),
        ok(parts.Text, parts.Refusal, *parts.CALLS),
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        lacking("google_signatures", omits("RSN-26", parts.Reasoning, when=signature_alone)),
        lacking("google_signatures", loses("RSN-4", parts.Reasoning, when=textless)),
        omits("RSN-26", parts.Reasoning, when=useless),
        loses("RSN-4", parts.Reasoning, when=unreadable),
        lacking("reasoning_content", loses("RSN-17", parts.Reasoning)),
        ok(parts.Reasoning),
        loses("TUL-34", *CLIENT, detail=which),
        loses("TUL-6", *VENDOR_CALLS, detail=which),
        loses("CTX-1", parts.VendorPart),
        loses("UNK-2", parts.UnknownPart),
        ok(parts.Audio),
        *NOT_OF_ASSISTANTS,
    ),
    inside(
        "assistant",
        ok(parts.CustomCall),  # of a tool that the client itself defined
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", parts.Reasoning, when=unreadable),
        lacking("reasoning_content", loses("RSN-17", parts.Reasoning)),
        ok(parts.Reasoning),
        refuses("TUL-35", parts.ClientCall),
        *HOSTED_CALLS,
        kind="response",
    ),
    inside(
        "tool result",
        NO_IMAGES,
        NO_AUDIO,
        ok(parts.Text, parts.Image, parts.Audio),
        *OTHER_DOCUMENTS,
        weaker("DOC-3", parts.Document, when=read_out, at="type"),
        NO_FILES,
        notes("DOC-2", parts.Document, when=needs_name, by=named),
        ok(parts.Document),
        weaker("DOC-4", parts.SearchResult, at="type"),
        refuses("VID-1", parts.Video),
        FOUND_TOOL,
        loses("TUL-6", parts.VendorPart, *VENDOR_CALLS),
        *NOT_IN_RESULTS,
    ),
    *NESTED,
    INSTRUCTIONS,
)
