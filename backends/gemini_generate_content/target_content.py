"""What generateContent supports: verdicts on turns and parts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts, turns
from proxai_ir.ir.calls import BASH, PYTHON
from proxai_ir.rules.conditions import (
    NO_BOOKKEEPING,
    SEALED_MESSAGE,
    UNOPENED,
    always,
    empty,
    except_for,
    holds,
    is_,
    is_not,
    sealed_by,
    silent,
    which,
)
from proxai_ir.rules.constraints import SealSlot
from proxai_ir.rules.rows import NESTED, RESULT
from proxai_ir.rules.verdicts import Rows, Verdict, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import gemini_generate_content as wire

from .conditions import (
    all_output,
    as_wording,
    has_both_outputs,
    no_data,
    not_web,
    other_document,
    other_exit_code,
    other_image,
    renamed,
    spoken,
    typed_document,
    typed_image,
    typed_video,
    unreadable,
    untyped_video,
    useless,
)

CLIENT = (parts.ClientCall, parts.ClientResult)
MCP = (parts.McpCall, parts.McpResult)
SEARCH = (parts.WebSearchCall, parts.WebSearchResult)
CODE = (parts.CodeCall, parts.CodeResult)
HOSTED = (*CLIENT, *MCP, *SEARCH, parts.HostedCall, parts.HostedResult)
MEDIA = (parts.Image, parts.Audio, parts.Video, parts.Document)
SLOT = SealSlot((wire.PROVIDER,), wire.SIGNATURE)
SEAL = sealed_by(SLOT)
UNCITED = (loses("DOC-1", "cite", when=is_("cite", True)), omits("SMP-6", "cite"))
GIVEN = (
    weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
    refuses("SRC-3", parts.Document, when=other_document, detail="PDF and text"),
    ok(parts.Text, *MEDIA),
    weaker("DOC-4", parts.SearchResult, at="type"),
    loses("TUL-6", parts.VendorPart, *HOSTED, *CODE),
    refuses("UNK-5", parts.UnknownPart),
)
"""The verdicts on what users and functions give."""


def _media(
    place: str,
    *verdicts: Verdict,
    of_urls: Callable[[Any], Any] | None = None,
    untyped: Callable[[Any], bool] | None = None,
) -> Rows:
    """The verdicts on where media come from; `of_urls` gives a URL that is `untyped` (without a media type) one."""
    return inside(
        place,
        refuses("SRC-3", parts.Inline, when=no_data, detail="base64 data"),
        *verdicts,
        refuses("SRC-3", parts.Url, when=not_web, detail="URLs with http:// or https://"),
        lacking("media_urls", refuses("SRC-2", parts.Url)),
        *((notes("SRC-5", parts.Url, when=untyped or is_("mime", None), by=of_urls),) if of_urls else ()),
        refuses("SRC-1", parts.FileRef, when=is_not("provider", wire.PROVIDER)),
        ok(parts.Inline, parts.Url, parts.FileRef),
        refuses("PLC-3", parts.PlainText, parts.Chunks),
    )


CONTENT = (
    of(
        turns.Turn,
        ok("role=system|user|assistant|tool"),
        notes("PLC-1", "role=developer"),
        loses("USR-4", "name"),
        ok("continues"),
    ),
    of(parts.Text, ok("text"), omits("CAC-4", "cache"), *SEAL),
    of(
        parts.Image,
        omits("IMG-2", "detail", when=is_("detail", "auto")),
        loses("IMG-1", "detail", when=is_not("detail", *wire.RESOLUTION_OF)),
        lacking("media_resolution", loses("IMG-1", "detail")),
        ok("detail"),
        omits("CAC-4", "cache"),
        *SEAL,
    ),
    of(parts.Audio, ok("transcript"), loses("AUD-2", "id expires_at"), omits("CAC-4", "cache"), *SEAL),
    of(parts.Video, omits("CAC-4", "cache")),
    of(
        parts.Document,
        lacking("display_names", loses("DOC-1", "title")),
        loses("DOC-1", "title", when=holds("source", parts.Chunks)),
        ok("title"),
        loses("DOC-1", "context"),
        *UNCITED,
        omits("CAC-4", "cache"),
    ),
    of(
        parts.SearchResult,
        ok("source title"),
        *UNCITED,
        omits("CAC-4", "cache"),
    ),
    of(
        parts.FunctionCall,
        notes("TUL-13", "id", elsewhere=True),
        notes("TUL-46", "id", elsewhere=True),
        notes("TUL-48", "name", elsewhere=True),
        notes("TUL-26", "name", elsewhere=True),
        notes("TUL-25", "namespace", elsewhere=True),
        ok("arguments"),
        omits("CAC-4", "cache"),
        *SEAL,
    ),
    of(
        parts.WebSearchCall,
        omits("ENV-1", "id"),
        loses("TUL-22", "page"),
        ok("queries"),
        omits("CAC-4", "cache"),
    ),
    of(parts.WebSearchResult, omits("ENV-1", "call_id"), loses("TUL-22", "error"), omits("CAC-4", "cache")),
    of(parts.WebHit, ok("url title"), loses("TUL-22", "age"), loses("CIT-3", "seal")),
    of(
        parts.CodeCall,
        weaker("TUL-39", "language", when=is_("language", BASH), by=always(PYTHON)),
        ok("id code language"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.CodeResult,
        weaker("TUL-39", "stderr", when=has_both_outputs, by=all_output),
        weaker("TUL-39", "exit_code", when=other_exit_code, by=always(wire.EXIT_CODE[wire.OUTCOME_FAILED])),
        weaker("TUL-39", "error"),
        ok("call_id stdout stderr exit_code language"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.ToolResult,
        *RESULT,
        ok("call_id"),
        omits("TUL-14", "is_error", when=is_("is_error", False)),
        ok("is_error"),
        omits("CAC-4", "cache"),
    ),
    of(parts.Reasoning, ok("text"), notes("RSN-8", "summary"), *SEAL),
    of(parts.Refusal, ok("text")),
    of(parts.Inline, ok("data mime")),
    of(parts.Url, ok("url mime")),
    of(parts.FileRef, ok("id provider mime")),
    of(parts.PlainText, ok("text mime")),
    of(parts.Chunks),
    of(
        parts.UrlCitation,
        ok("url title start end"),
        loses("CIT-2", "cited_text"),
        loses("CIT-3", "seal"),
    ),
    inside("citations", loses("CIT-1", parts.UrlCitation, parts.SourceCitation)),
    inside("citations", ok(parts.UrlCitation), loses("CIT-1", parts.SourceCitation), kind="response"),
    _media(
        "image source",
        notes("SRC-4", parts.Inline, when=is_("mime", *wire.MEDIA_TYPE), by=renamed),
        refuses("SRC-3", parts.Inline, when=other_image, detail=", ".join(sorted(wire.IMAGE_TYPES))),
        of_urls=typed_image,
    ),
    _media("audio source"),
    _media("video source", of_urls=typed_video, untyped=untyped_video),
    _media(
        "document source",
        notes("SRC-5", parts.Inline, when=is_("mime", None), by=typed_document),
        ok(parts.PlainText, parts.Chunks),
        of_urls=typed_document,
    ),
    inside(
        "user",
        *SEALED_MESSAGE,
        refuses("SRC-1", parts.VendorPart, when=is_("kind", "container_upload")),
        *GIVEN,
        ok(parts.ToolResult),
        refuses("PLC-3", parts.Reasoning, parts.Refusal, *parts.CALLS),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        ok(parts.Text, parts.FunctionCall, parts.Image, *CODE),
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        omits("RSN-26", parts.Reasoning, when=useless),
        loses("RSN-4", parts.Reasoning, when=unreadable),
        ok(parts.Reasoning),
        weaker("REF-7", parts.Refusal, by=as_wording),
        refuses("TUL-2", parts.CustomCall),
        loses("TUL-34", *CLIENT, detail=which),
        loses("TUL-6", parts.HostedCall, parts.HostedResult, *MCP, *SEARCH, detail=which),
        loses("CTX-1", parts.VendorPart),
        loses("UNK-2", parts.UnknownPart),
        loses("AUD-3", parts.Audio),
        refuses("PLC-3", parts.ToolResult, parts.Video, parts.Document, parts.SearchResult),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", parts.Reasoning, when=unreadable),
        ok(parts.Reasoning),
        loses("TUL-22", parts.WebSearchCall, when=is_("queries", [])),
        loses("TUL-22", parts.WebSearchResult, when=is_("hits", [])),
        ok(*SEARCH),
        refuses("TUL-35", parts.ClientCall),
        loses("AUD-2", parts.Audio, when=silent),
        weaker("AUD-2", parts.Audio, by=spoken),
        kind="response",
    ),
    inside(
        "tool result",
        *GIVEN,
        refuses("PLC-3", parts.ToolResult, parts.Reasoning, parts.Refusal, parts.Reference, *parts.CALLS),
    ),
    *NESTED,
    inside(
        "instructions",
        ok(parts.Text),
        NO_BOOKKEEPING,
        loses("TUL-6", parts.VendorPart),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", *except_for(parts.Text, parts.VendorPart, parts.UnknownPart)),
    ),
)
