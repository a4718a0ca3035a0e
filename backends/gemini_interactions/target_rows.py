"""What Interactions supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts, request, response, terminal, tools, usage
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.rules.conditions import (
    NO_MARK,
    SEALED_MESSAGE,
    UNOPENED,
    always,
    beyond,
    both,
    empty,
    holds,
    is_,
    is_not,
    neutral,
    not_web,
    only_text,
    opens_pages,
    overflow_named,
    overflow_without,
    refusal_as_text,
    repeats_type,
    sealed_by,
    searches_tools,
    signature_alone,
    silent,
    stops_beyond,
    textless,
    transcript_as_text,
    unbounded,
    undated,
    which,
    worded,
    wordless,
)
from proxai_ir.rules.constraints import SealSlot
from proxai_ir.rules.rows import CODE, MCP, SEARCH
from proxai_ir.rules.tool_conditions import FOUND_TOOL, TOOL_SEARCHES, opens_all_pages
from proxai_ir.rules.verdicts import Rows, Verdict, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import FILE_TYPES
from proxai_ir.wire import gemini_interactions as wire

from . import conditions as own
from .settings import MODELS

REQUESTS = (
    of(request.Request, lacking("prefill", loses("PLC-19", "prefill", elsewhere=True)), ok("prefill")),
    of(
        request.Sampling,
        *neutral(temperature=1),
        omits("SMP-6", "stop", when=is_("stop", [])),
    ),
    *MODELS.rows,
    of(
        request.Sampling,
        loses("SMP-2", "temperature", when=beyond("temperature", 2, 0), detail="a temperature must be from 0 to 2"),
        stops_beyond(wire.MOST_STOPS),
        loses("SMP-2", "seed", when=beyond("seed", 2**31 - 1, -(2**31)), detail="32 bits"),
        omits("SMP-6", "top_k", when=unbounded),
        loses("SMP-3", "top_k"),
        ok("temperature stop seed"),
    ),
    of(
        request.Thinking,
        loses("RSN-6", "mode=disabled"),
        ok("effort=minimal|low|medium|high|xhigh"),
        weaker("RSN-23", "effort=max", by=always(request.Effort.XHIGH)),
        ok("display"),
    ),
    of(request.Output, omits("SMP-6", "modalities", when=only_text), ok("modalities audio")),
    of(
        request.Speech,
        loses("OUT-6", "voice", when=is_not("voice", *wire.VOICES)),
        ok("voice language"),
        omits("SMP-6", "format", when=is_("format", wire.AUDIO)),
        loses("OUT-6", "format"),
    ),
    of(request.SchemaFormat, omits("OUT-8", "name"), loses("OUT-4", "description")),
    of(
        request.Service,
        lacking("service_tiers", omits("SMP-6", "tier=standard")),
        lacking("service_tiers", loses("SVC-1", "tier=priority|flex")),
        ok("tier=standard|priority|flex"),
        lacking("labels", omits("USR-3", "metadata")),
        omits("USR-3", "metadata", when=own.not_a_label),
        ok("metadata"),
        lacking("store", omits("SMP-6", "store", when=is_("store", False))),
        lacking("store", loses("SVC-2", "store")),
        ok("store"),
    ),
    of(request.Streaming, omits("STR-13", "usage", elsewhere=True)),
    of(tools.WebSearchTool, loses("TUL-9", "location")),
    inside(
        "tools",
        lacking("mcp_servers", loses("TUL-6", tools.McpServer)),
        ok(tools.WebSearchTool, tools.CodeTool, tools.McpServer),
        omits("TUL-38", tools.HostedTool, when=searches_tools),
        lacking("url_context", loses("TUL-6", tools.HostedTool, when=opens_pages)),
        ok(tools.HostedTool, when=opens_all_pages, by=own.url_context),
        weaker("TUL-41", tools.HostedTool, when=opens_pages, by=own.url_context),
        loses("TUL-6", tools.HostedTool, detail=which),
    ),
    of(tools.FunctionTool, omits("SMP-6", "strict", when=is_("strict", False)), ok("strict")),
    of(tools.Choice, ok("mode")),
    of(tools.AllowedChoice, ok("mode")),
    inside("tool choice", loses("TUL-7", tools.WebSearchChoice, tools.CodeChoice)),
)

SLOT = SealSlot((wire.PROVIDER,), wire.SIGNATURE)
_SEAL = (*sealed_by(SLOT)[:-1], loses("RSN-31", "seal", when=own.no_base64))
BESIDE = (parts.Text, parts.Image, parts.FunctionCall)
"""Parts whose signature stands in a thought beside them."""
MEDIA = (parts.Image, parts.Audio, parts.Video, parts.Document)

UNREADABLE = (
    loses("RSN-4", parts.Reasoning, when=both(textless, own.foreign_seal)),
    loses("RSN-31", parts.Reasoning, when=both(textless, own.no_base64)),
    ok(parts.Reasoning),
)
GIVEN = (
    weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
    refuses("SRC-3", parts.Document, when=own.other_document, detail="PDF, text and documents of offices"),
    ok(*MEDIA),
    loses("TUL-6", parts.VendorPart),
)
"""The verdicts on what users and functions give."""
NO_FILES = refuses("PLC-3", parts.PlainText, parts.Chunks)
TYPED_DOCUMENT = own.typed(FILE_TYPES, wire.PDF)


def _media(place: str, *verdicts: Verdict, of_urls: Callable[[Any], Any] | None = None) -> Rows:
    """The verdicts on where media come from; `of_urls` gives a URL without a media type one."""
    return inside(
        place,
        refuses("SRC-3", parts.Inline, when=own.no_data, detail="base64 data"),
        *verdicts,
        refuses("SRC-3", parts.Url, when=not_web, detail="URLs with http:// or https://"),
        *((notes("SRC-5", parts.Url, when=is_("mime", None), by=of_urls),) if of_urls else ()),
        refuses("SRC-1", parts.FileRef, when=is_not("provider", wire.PROVIDER)),
        ok(parts.Inline, parts.Url, parts.FileRef),
    )


CONTENT = (
    of(parts.Reasoning, ok("summary"), *_SEAL, ok("seal")),
    *(of(cls, *_SEAL, notes("RSN-90", "seal", when=own.carried_seal), ok("seal")) for cls in BESIDE),
    of(
        parts.Image,
        omits("IMG-2", "detail", when=is_("detail", "auto")),
        loses("IMG-1", "detail", when=is_not("detail", *wire.RESOLUTION)),
        ok("detail"),
    ),
    of(parts.Document, loses("DOC-1", "title")),
    of(parts.WebSearchCall, ok("id")),
    of(parts.WebSearchResult, ok("call_id")),
    of(
        parts.CodeResult,
        weaker("TUL-39", "stderr", when=own.has_both_outputs, by=own.all_output),
        weaker("TUL-39", "exit_code", when=is_not("exit_code", None, 0, 1), by=always(1)),
        ok("stderr exit_code"),
    ),
    of(parts.ToolResult, ok("name is_error")),
    *(of(source, ok("mime")) for source in (parts.Url, parts.FileRef)),
    inside("citations", ok(parts.UrlCitation)),
    _media(
        "image source",
        notes("SRC-4", parts.Inline, when=is_("mime", *wire.MEDIA_TYPE), by=own.renamed),
        refuses("SRC-3", parts.Inline, when=own.other_image, detail=", ".join(sorted(wire.IMAGE_TYPES))),
        refuses("SRC-3", parts.Url, when=own.names_other_image, detail=", ".join(sorted(wire.IMAGE_TYPES))),
        of_urls=own.typed(wire.IMAGE_FILES, wire.JPEG),
    ),
    _media("audio source", NO_FILES),
    _media("video source", NO_FILES),
    _media(
        "document source",
        notes("SRC-5", parts.Inline, when=is_("mime", None), by=TYPED_DOCUMENT),
        of_urls=TYPED_DOCUMENT,
    ),
    inside(
        "user",
        *SEALED_MESSAGE,
        NO_MARK,
        refuses("SRC-1", parts.VendorPart, when=is_("kind", "container_upload")),
        *GIVEN,
    ),
    inside(
        "assistant",
        loses("IMG-4", parts.Image, when=own.unshowable),
        ok(parts.Image, *CODE, *SEARCH, *MCP),
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        omits("RSN-26", parts.Reasoning, when=both(own.foreign_seal, signature_alone)),
        *UNREADABLE,
        weaker("REF-7", parts.Refusal, by=refusal_as_text),
        TOOL_SEARCHES,
        loses("TUL-6", parts.HostedCall, parts.HostedResult, detail=which),
    ),
    inside(
        "assistant",
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        *UNREADABLE,
        ok(*SEARCH, *MCP, *CODE),
        loses("AUD-2", parts.Audio, when=silent),
        weaker("AUD-2", parts.Audio, by=transcript_as_text),
        kind="response",
    ),
    inside("tool result", FOUND_TOOL, *GIVEN),
)

USAGE_DETAILS = (*(f"{what}.{kind}" for what in wire.DETAILS.values() for kind in wire.MEDIA), wire.TOOL_USE)


def repeats_word(error: Error) -> bool:
    """Whether a code adds nothing to the word; one for a prompt that is too long does, as no word says so."""
    named = error.category is ErrorCategory.CONTEXT_LENGTH and isinstance(error.code, str)
    return not named and repeats_type(error)


ANSWERS = (
    of(response.Response, omits("ENV-1", "created", when=undated), ok("created tier=standard|priority|flex")),
    of(terminal.Terminal, weaker("STS-3", "reason=stop_sequence|content_filter")),
    of(usage.Usage, notes("USE-4", "cache_write"), ok(f"details={'|'.join(USAGE_DETAILS)}")),
    of(
        Error,
        notes(
            "ERR-7",
            "message",
            when=overflow_without(wire.BEGINS_TOO_LONG),
            by=overflow_named(wire.INPUT_TOO_LONG),
        ),
        notes("ERR-9", "message", when=wordless, by=worded),
        omits("ERR-6", "code", when=repeats_word),
        loses("ERR-2", "code param"),
        ok("message"),
    ),
)
ROWS = (*REQUESTS, *CONTENT, *ANSWERS)
