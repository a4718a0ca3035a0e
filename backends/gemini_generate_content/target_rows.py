"""What generateContent supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import logprobs, parts, request, response, terminal, tools, usage
from proxai_ir.ir.calls import BASH
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.rules.conditions import (
    NO_MARK,
    SEALED_MESSAGE,
    UNOPENED,
    always,
    beyond,
    both,
    covered_by_effort,
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
    unvalidated,
    which,
    worded,
    wordless,
)
from proxai_ir.rules.constraints import SealSlot
from proxai_ir.rules.rows import CODE, SEARCH
from proxai_ir.rules.tool_conditions import FOUND_TOOL, TOOL_SEARCHES, opens_all_pages
from proxai_ir.rules.verdicts import Rows, Verdict, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import FILE_TYPES
from proxai_ir.wire import gemini_generate_content as wire

from . import conditions as own
from .settings import MODELS

PENALTIES = "frequency_penalty presence_penalty"

REQUESTS = (
    of(
        request.Request,
        notes("ENV-13", "model"),
        lacking("prefill", loses("PLC-19", "prefill", elsewhere=True)),
        ok("prefill"),
    ),
    of(
        request.Sampling,
        omits("SMP-6", "top_k", when=unbounded),
        # All current models default to temperature 1.0 (documentation of Gemini 3, Vertex AI's pages of 2.0 and 2.5),
        # but to a topP of 0.95: 1 is a wish of its own. The reference has a candidateCount of 1.
        *neutral(temperature=1, candidates=1, frequency_penalty=0, presence_penalty=0, logprobs=False),
        omits("SMP-6", "top_logprobs", when=is_("logprobs", None, False)),
        omits("SMP-6", "stop", when=is_("stop", [])),
    ),
    of(
        request.Thinking,
        loses("RSN-6", "effort budget", when=covered_by_effort),
        lacking("effort", weaker("RSN-21", "effort", by=own.nearest_budget)),
        lacking("thinking_budgets", omits("SMP-6", "mode=enabled|adaptive")),
    ),
    *MODELS.rows,
    of(
        request.Sampling,
        loses("SMP-2", "temperature", when=beyond("temperature", 2, 0), detail="a temperature must be from 0 to 2"),
        stops_beyond(wire.MOST_STOPS),
        loses("SMP-2", "seed", when=beyond("seed", 2**31 - 1, -(2**31)), detail="32 bits"),
        loses("SMP-2", "top_logprobs", when=own.too_many_logprobs, detail=f"at most {wire.MOST_LOGPROBS}"),
        ok("temperature top_k stop seed candidates logprobs top_logprobs", PENALTIES),
    ),
    of(
        request.Thinking,
        omits("SMP-6", "mode=enabled|adaptive", when=is_not("effort", None)),
        omits("SMP-6", "mode=enabled", when=is_not("budget", None)),
        ok("mode=enabled|adaptive|disabled"),
        ok("effort=minimal|low|medium|high|xhigh"),
        weaker("RSN-23", "effort=max", by=always(request.Effort.XHIGH)),
        lacking("effort", weaker("RSN-21", "budget", when=own.beyond_budgets, by=own.possible_budget)),
        lacking("effort", ok("budget")),  # which counts: an effort next to it would be a guess
        weaker("RSN-3", "budget", when=is_not("effort", None), by=always(None)),
        ok("budget display"),
    ),
    of(request.Output, omits("SMP-6", "modalities", when=only_text), ok("modalities audio")),
    inside("format", ok(request.EnumFormat)),
    of(
        request.Speech,
        loses("OUT-6", "voice", when=is_not("voice", *wire.VOICES)),
        ok("voice language"),
        omits("SMP-6", "format", when=is_("format", wire.AUDIO)),
        loses("OUT-6", "format"),
    ),
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
    of(request.Streaming, notes("ENV-13", "stream"), omits("STR-13", "usage", elsewhere=True)),
    of(
        tools.WebSearchTool,
        loses("TUL-9", "location"),
        lacking("excluded_domains", loses("TUL-9", "blocked_domains")),
        ok("blocked_domains"),
    ),
    of(tools.McpServer, loses("TUL-23", "allowed_tools")),
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
    of(
        tools.FunctionTool,
        omits("SMP-6", "strict", when=is_("strict", False)),
        lacking("validated", loses("SCH-10", "strict")),
        ok("strict"),
    ),
    *(
        of(choice, lacking("validated", weaker("TUL-7", "mode=validated", by=unvalidated)), ok("mode"))
        for choice in (tools.Choice, tools.AllowedChoice)
    ),
    inside("tool choice", loses("TUL-7", tools.WebSearchChoice, tools.CodeChoice)),
)

SLOT = SealSlot((wire.PROVIDER,), wire.SIGNATURE)
SEAL = (*sealed_by(SLOT)[:-1], loses("RSN-31", "seal", when=own.no_base64), ok("seal"))
SEALED = (parts.Text, parts.Image, parts.Audio, parts.FunctionCall, parts.Reasoning)
MEDIA = (parts.Image, parts.Audio, parts.Video, parts.Document)
UNREADABLE = (
    loses("RSN-4", parts.Reasoning, when=both(textless, own.foreign_seal)),
    loses("RSN-31", parts.Reasoning, when=both(textless, own.no_base64)),
    ok(parts.Reasoning),
)
GIVEN = (
    weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
    refuses("SRC-3", parts.Document, when=own.other_document, detail="PDF and text"),
    ok(*MEDIA),
    loses("TUL-6", parts.VendorPart),
)
"""The verdicts on what users and functions give."""
NO_FILES = refuses("PLC-3", parts.PlainText, parts.Chunks)


TYPED_DOCUMENT = own.typed(FILE_TYPES, wire.PDF)


def _media(
    place: str,
    *verdicts: Verdict,
    of_urls: Callable[[Any], Any] | None = None,
    untyped: Callable[[Any], bool] | None = None,
) -> Rows:
    """The verdicts on where media come from; `of_urls` gives a URL that is `untyped` (without a media type) one."""
    return inside(
        place,
        refuses("SRC-3", parts.Inline, when=own.no_data, detail="base64 data"),
        *verdicts,
        refuses("SRC-3", parts.Url, when=not_web, detail="URLs with http:// or https://"),
        lacking("media_urls", refuses("SRC-2", parts.Url)),
        *((notes("SRC-5", parts.Url, when=untyped or is_("mime", None), by=of_urls),) if of_urls else ()),
        refuses("SRC-1", parts.FileRef, when=is_not("provider", wire.PROVIDER)),
        ok(parts.Inline, parts.Url, parts.FileRef),
    )


CONTENT = (
    *(of(cls, *SEAL) for cls in SEALED),
    of(
        parts.Image,
        omits("IMG-2", "detail", when=is_("detail", "auto")),
        loses("IMG-1", "detail", when=is_not("detail", *wire.RESOLUTION_OF)),
        lacking("media_resolution", loses("IMG-1", "detail")),
        ok("detail"),
    ),
    of(parts.Document, lacking("display_names", loses("DOC-1", "title"))),
    of(
        parts.CodeCall,
        notes("TUL-64", "language", when=is_("language", BASH)),
        ok("language"),
    ),
    of(
        parts.CodeResult,
        weaker("TUL-39", "stderr", when=own.has_both_outputs, by=own.all_output),
        weaker("TUL-39", "exit_code", when=own.other_exit_code, by=always(wire.EXIT_CODE[wire.OUTCOME_FAILED])),
        ok("stderr exit_code"),
    ),
    of(parts.ToolResult, omits("TUL-14", "is_error", when=is_("is_error", False)), ok("is_error")),
    *(of(source, ok("mime")) for source in (parts.Url, parts.FileRef)),
    inside("citations", ok(parts.UrlCitation), kind="response"),
    _media(
        "image source",
        notes("SRC-4", parts.Inline, when=is_("mime", *wire.MEDIA_TYPE), by=own.renamed),
        refuses("SRC-3", parts.Inline, when=own.other_image, detail=", ".join(sorted(wire.IMAGE_TYPES))),
        refuses("SRC-3", parts.Url, when=own.names_other_image, detail=", ".join(sorted(wire.IMAGE_TYPES))),
        of_urls=own.typed(wire.IMAGE_FILES, wire.JPEG),
    ),
    _media("audio source", NO_FILES),
    _media("video source", NO_FILES, of_urls=own.typed(wire.VIDEO_FILES, "video/mp4"), untyped=own.untyped_video),
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
        ok(parts.Image, *CODE),
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
        loses("TUL-22", parts.WebSearchCall, when=is_("queries", [])),
        loses("TUL-22", parts.WebSearchResult, when=is_("hits", [])),
        ok(*SEARCH),
        loses("AUD-2", parts.Audio, when=silent),
        weaker("AUD-2", parts.Audio, by=transcript_as_text),
        kind="response",
    ),
    inside("tool result", FOUND_TOOL, *GIVEN),
)

USAGE_DETAILS = (*(f"{what}.{kind}" for what in wire.DETAILS.values() for kind in wire.MEDIA), wire.TOOL_USE)


def repeats_status(error: Error) -> bool:
    """Whether a code adds nothing to the status; a word for a prompt that is too long does, as no status says so."""
    named = error.category is ErrorCategory.CONTEXT_LENGTH and isinstance(error.code, str)
    return not named and repeats_type(error)


ANSWERS = (
    of(response.Response, ok("tier=standard|priority|flex")),
    of(response.Candidate, ok("logprobs")),
    of(logprobs.ScoredToken, ok("id"), omits("ENV-1", "bytes")),
    of(terminal.Terminal, ok("message")),
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
        omits("ERR-6", "code", when=repeats_status),
        loses("ERR-2", "code", when=holds("code", int)),
        ok("message code status retry_after"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *ANSWERS)
