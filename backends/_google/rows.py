"""The verdicts that the tables of Google's protocols share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from proxai_ir import ir
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
    not_web,
    only_text,
    opens_pages,
    overflow_named,
    overflow_without,
    sealed_by,
    searches_tools,
    signature_alone,
    stops_beyond,
    textless,
    which,
    worded,
    wordless,
)
from proxai_ir.rules.constraints import Constraints, SealSlot
from proxai_ir.rules.media_types import corrected
from proxai_ir.rules.tool_conditions import FOUND_TOOL, TOOL_SEARCHES, opens_all_pages
from proxai_ir.rules.verdicts import Rows, Verdict, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import FILE_TYPES, google

from . import conditions as own

# --- requests ---------------------------------------------------------------------------------------------------------

SAMPLING = (
    loses("SMP-2", "temperature", when=beyond("temperature", 2, 0), detail="a temperature must be from 0 to 2"),
    stops_beyond(google.MOST_STOPS),
    loses("SMP-2", "seed", when=beyond("seed", 2**31 - 1, -(2**31)), detail="32 bits"),
    ok("temperature stop seed"),
)
EFFORT = (
    ok("effort=minimal|low|medium|high|xhigh"),
    weaker("RSN-23", "effort=max", by=always(ir.Effort.XHIGH)),
)
SETTINGS = (
    of(ir.Output, omits("SMP-6", "modalities", when=only_text), ok("modalities audio")),
    of(
        ir.Speech,
        loses("OUT-6", "voice", when=is_not("voice", *google.VOICES)),
        ok("voice language"),
        omits("SMP-6", "format=pcm16"),
        loses("OUT-6", "format"),
    ),
    of(
        ir.Service,
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
)


def tool_rows(kind: str, raw: Mapping[str, Any]) -> tuple[Rows, ...]:
    """The verdicts on tools; `kind` and `raw`: the tool for what another provider's tool does that opens pages."""

    def opening(tool: ir.HostedTool) -> ir.HostedTool:
        return ir.HostedTool(kind, None, deepcopy(dict(raw)), tool.src)

    return (
        of(ir.WebSearchTool, loses("TUL-9", "location")),
        inside(
            "tools",
            lacking("mcp_servers", loses("TUL-6", ir.McpServer)),
            ok(ir.WebSearchTool, ir.CodeTool, ir.McpServer),
            omits("TUL-38", ir.HostedTool, when=searches_tools),
            lacking("url_context", loses("TUL-6", ir.HostedTool, when=opens_pages)),
            ok(ir.HostedTool, when=opens_all_pages, by=opening),
            weaker("TUL-41", ir.HostedTool, when=opens_pages, by=opening),
            loses("TUL-6", ir.HostedTool, detail=which),
        ),
        inside("tool choice", loses("TUL-7", ir.WebSearchChoice, ir.CodeChoice)),
    )


# --- parts ------------------------------------------------------------------------------------------------------------

SLOT = SealSlot((google.PROVIDER,), google.SIGNATURE)
SEAL = (*sealed_by(SLOT)[:-1], loses("RSN-31", "seal", when=own.no_base64))
UNREADABLE = (
    loses("RSN-4", ir.Reasoning, when=both(textless, own.foreign_seal)),
    loses("RSN-31", ir.Reasoning, when=both(textless, own.no_base64)),
    ok(ir.Reasoning),
)
DETAIL = (
    omits("IMG-2", "detail", when=is_("detail", "auto")),
    loses("IMG-1", "detail", when=is_not("detail", *google.RESOLUTIONS)),
)
CODE_RESULT = (
    weaker("TUL-39", "stderr", when=own.has_both_outputs, by=own.all_output),
    weaker("TUL-39", "exit_code", when=is_not("exit_code", None, 0, 1), by=always(1)),
    ok("stderr exit_code"),
)
NO_FILES = refuses("PLC-3", ir.PlainText, ir.Chunks)
UNTYPED = is_("mime", None)
TYPED_DOCUMENT = own.typed({**FILE_TYPES, "json": google.PLAIN}, google.PDF)


def given_rows(documents: str, *document_types: str) -> tuple[Rows, ...]:
    """The verdicts on what users and functions give; `documents`: the types of those, in words."""
    uploaded = (refuses("SRC-1", ir.VendorPart, when=is_("kind", "container_upload")),)
    given = (
        weaker("DOC-3", ir.Document, when=holds("source", ir.Chunks), at="type"),
        refuses("SRC-3", ir.Document, when=own.other_document(*document_types), detail=documents),
        ok(ir.Image, ir.Audio, ir.Video, ir.Document),
        loses("TUL-6", ir.VendorPart),
    )
    return (
        of(
            ir.PlainText,
            notes("ENV-1", "mime", when=own.other_text(*document_types), by=always(google.PLAIN)),
            ok("mime"),
        ),
        inside("user", *SEALED_MESSAGE, NO_MARK, *uploaded, *given),
        inside("tool result", FOUND_TOOL, *given),
    )


def made_rows(images: own.Images, *runs: type, answered: tuple[Verdict, ...] = ()) -> tuple[Rows, ...]:
    """The verdicts on what a model made. `runs`: calls of what the provider runs, and their results, that requests may
    have; `answered`: the verdicts on those in responses, where they differ.
    """
    readable = (omits("ENV-7", ir.Reasoning, when=empty), *UNOPENED)
    return (
        inside(
            "assistant",
            loses("IMG-4", ir.Image, when=images.unshowable),
            ok(ir.Image, *runs),
            *readable,
            omits("RSN-26", ir.Reasoning, when=both(own.foreign_seal, signature_alone)),
            *UNREADABLE,
            TOOL_SEARCHES,
            loses("TUL-6", ir.HostedCall, ir.HostedResult, detail=which),
        ),
        inside(
            "assistant",
            *readable,
            *UNREADABLE,
            *(answered or (ok(*runs),)),
            kind="response",
        ),
    )


def _media(place: str, urls: tuple[Verdict, ...], *verdicts: Verdict, typed: tuple[Verdict, ...] = ()) -> Rows:
    return inside(
        place,
        refuses("SRC-3", ir.Inline, when=own.no_data, detail="base64 data"),
        *verdicts,
        refuses("SRC-3", ir.Url, when=not_web, detail="URLs with http:// or https://"),
        *urls,
        *typed,
        refuses("SRC-1", ir.FileRef, when=is_not("provider", google.PROVIDER)),
        ok(ir.Inline, ir.Url, ir.FileRef),
    )


def typed_urls(by: Callable[[Any], Any], untyped: Callable[[Any], bool] = UNTYPED) -> tuple[Verdict, ...]:
    """URLs without a media type get one."""
    return (notes("SRC-5", ir.Url, when=untyped, by=by),)


def media_rows(images: own.Images, *urls: Verdict, videos: tuple[Verdict, ...] = ()) -> tuple[Rows, ...]:
    """The verdicts on where media come from; `urls`: those on every URL, `videos`: those on URLs of videos as well."""
    listed = ", ".join(sorted(images.types))
    return (
        *(of(source, ok("mime")) for source in (ir.Url, ir.FileRef)),
        _media(
            "image source",
            urls,
            corrected(ir.Inline, ir.Url, accepted=images.types),
            refuses("SRC-3", ir.Inline, when=images.other, detail=listed),
            refuses("SRC-3", ir.Url, when=images.other_by_name, detail=listed),
            typed=typed_urls(own.typed(google.IMAGE_FILES, google.JPEG)),
        ),
        _media("audio source", urls, NO_FILES),
        _media("video source", urls, NO_FILES, typed=videos),
        _media(
            "document source",
            urls,
            notes("SRC-4", ir.Inline, when=own.untyped_text, by=own.as_plain),
            notes("SRC-5", ir.Inline, when=UNTYPED, by=TYPED_DOCUMENT),
            typed=typed_urls(TYPED_DOCUMENT),
        ),
    )


# --- structure --------------------------------------------------------------------------------------------------------

CONSTRAINTS = Constraints(
    instructions="top",
    results="anywhere",
    media_results=True,
    nested=False,
    ordered=True,
    text_parts=True,
    empty_text=False,
    alternatives=False,
    items=True,
    open_calls=False,
    seals=dict.fromkeys((ir.Reasoning, ir.FunctionCall, ir.Text), SLOT),
    unique_calls=True,
    tool_name=own.tool_name,
    last_turn="dropped",
    parsed_arguments=True,
    calls_first=False,
    enforces="choice",
)

# --- responses --------------------------------------------------------------------------------------------------------

USAGE = (
    notes("USE-4", "cache_write"),
    ok(
        "details="
        + "|".join((*(f"{what}.{kind}" for what in google.COUNTED for kind in google.MEDIA), google.TOOL_USE))
    ),
)
ERROR = (
    notes(
        "ERR-7",
        "message",
        when=overflow_without(google.BEGINS_TOO_LONG),
        by=overflow_named(google.INPUT_TOO_LONG),
    ),
    notes("ERR-9", "message", when=wordless, by=worded),
    omits("ERR-6", "code", when=own.repeats_word),
    ok("message"),
)
