"""The settings, conditions and verdicts that Google's two protocols share."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from copy import copy, deepcopy
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.ir.media_types import AUDIO, document_type, registered
from proxai_ir.json.classes import frozen
from proxai_ir.reporting.report import Report
from proxai_ir.targets import conditions as c
from proxai_ir.targets import verdicts
from proxai_ir.targets.constraints import Constraints, SealSlot
from proxai_ir.targets.settings import Server, capability
from proxai_ir.targets.verdicts import Rows, Verdict, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import FILE_TYPES, google

from .._lib import writing

# --- conditions -------------------------------------------------------------------------------------------------------

LIMITS = {"TUL-26": f"a name must match {google.TOOL_NAME}"}
"""The values that Google's protocols accept, for diagnostics."""
tool_name = re.compile(google.TOOL_NAME).fullmatch

# --- requests ---------------------------------------------------------------------------------------------------------


HOSTED = (ir.WebSearchTool, ir.CodeTool, ir.HostedTool, ir.McpServer)
"""Tools that Google runs itself."""


def choosable(root: ir.Request, report: Report, server: Server) -> None:
    """Drop allowed tools other than functions from the choice, which cannot list them (TUL-6); they stay defined."""
    choice = root.tool_choice
    if isinstance(choice, ir.AllowedChoice):
        listed = [(kind, name) for kind, name in choice.tools if kind == "function"]
        if len(listed) != len(choice.tools):
            report.at("TUL-6", choice, "tools")
            choice.tools = listed


CHOOSABLE = verdicts.Check(choosable, ("TUL-6",), ir.Request, needs=("tool_choice",))

# --- signatures -------------------------------------------------------------------------------------------------------

BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2,3}={0,2})?")
"""Base64 in either alphabet, with or without padding, as in the JSON of protocol buffers."""


def foreign_seal(part: Any) -> bool:
    """Return whether a part has a seal of another provider's."""
    return part.seal is not None and part.seal.provider != google.PROVIDER


def no_base64(part: Any) -> bool:
    """Return whether a signature is not base64, so that the server cannot read it; envelopes are encoded later."""
    seal = part.seal
    return seal is not None and not holds_envelope(seal) and BASE64.fullmatch(seal.data) is None


# --- media ------------------------------------------------------------------------------------------------------------

LONGEST_SCHEME = 16


def no_data(source: ir.Inline) -> bool:
    """Return whether inline data are not base64: a URL, or a text of an impossible length."""
    return "://" in source.data[:LONGEST_SCHEME] or len(source.data) % 4 == 1


def typed(types: Mapping[str, str], usual: str) -> Callable[[Any], Any]:
    """Return a rewrite that sets the media type by the file name of the URL, else to the usual one (SRC-5)."""
    return lambda source: _typed(source, types.get(_ending(source), usual))


def _typed(source: Any, mime: str) -> Any:
    """Return a source with this media type."""
    made = copy(source)
    made.mime = mime
    return made


def _ending(source: ir.Url | ir.Inline) -> str:
    """Return the extension of a URL's file name."""
    name = source.url if isinstance(source, ir.Url) else ""
    return name.partition("?")[0].partition("#")[0].rpartition(".")[2].lower()


@frozen
class Images:
    """Conditions on images, by the media types that a protocol takes."""

    types: frozenset[str]

    def other(self, source: Any) -> bool:
        return c.right_type(source) not in self.types

    def other_by_name(self, source: ir.Url) -> bool:
        """Return whether a URL's type or file name shows an image type that this protocol does not take (SRC-3)."""
        return (source.mime or google.IMAGE_FILES.get(_ending(source), google.JPEG)) not in self.types

    def unshowable(self, image: ir.Image) -> bool:
        """Return whether an image that a model made cannot be sent: of another type, or stored elsewhere (IMG-4)."""
        source = image.source
        if isinstance(source, ir.Inline):
            return no_data(source) or self.other(source)
        if isinstance(source, ir.Url):
            return c.not_web(source) or self.other_by_name(source)
        return not isinstance(source, ir.FileRef) or source.provider != google.PROVIDER


def right_recording(source: Any) -> str | None:
    """Return the media type of a recording in Google's words, if it has another name here, else as it is.

    That of raw samples has parameters with a meaning.
    """
    name = registered(source.mime)
    right = AUDIO.get(name or "", name) if name not in google.AUDIO_TYPES else name
    return right if right in google.AUDIO_TYPES and right not in google.RAW_TYPES else source.mime


def misnamed_recording(source: Any) -> bool:
    return bool(right_recording(source) != source.mime)


def renamed_recording(source: Any) -> Any:
    return _typed(source, right_recording(source) or "")


def other_document(*types: str) -> Callable[[ir.Document], bool]:
    """Return a condition: the document has data of a type that is neither text nor one of these."""

    def other(document: ir.Document) -> bool:
        source = document.source
        mime = document_type(source.mime, source.data) if isinstance(source, ir.Inline) else None
        return mime is not None and not c.is_text_type(mime) and mime not in types

    return other


def untyped_text(source: ir.Inline) -> bool:
    """Return whether a document is text of a type that this protocol does not know, as JSON is."""
    return c.is_text_type(source.mime) and not str(source.mime).startswith("text/")


def as_plain(source: ir.Inline) -> ir.Inline:
    made: ir.Inline = _typed(source, google.PLAIN)
    return made


def other_text(*types: str) -> Callable[[ir.PlainText], bool]:
    """Return a condition: the text has a type that is neither text nor one of these, as JSON may be."""
    return lambda source: not source.mime.startswith("text/") and source.mime not in types


# --- runs of code -----------------------------------------------------------------------------------------------------


def has_both_outputs(result: ir.CodeResult) -> bool:
    """Return whether a run of code wrote to both outputs."""
    return bool(result.stdout and result.stderr)


def all_output(result: ir.CodeResult) -> verdicts.Fields:
    """Return both outputs as one, which is all that Google has."""
    return verdicts.Fields(stdout=f"{result.stdout}\n{result.stderr}", stderr=None)


# --- runs of other tools ----------------------------------------------------------------------------------------------


def is_shared_run(part: Any) -> bool:
    """Return whether both of Google's protocols have a call or a result of a tool that Google ran."""
    identity = part.id if isinstance(part, ir.HostedCall) else part.call_id
    return bool(identity and part.kind in google.TOOLS and google.TOOLS[part.kind].run)


def run_of(part: Any) -> google.Run:
    read = google.call_of if isinstance(part, ir.HostedCall) else google.result_of
    return read(part.kind, part.raw)


def run_rows(write_call: WriteRun, write_result: WriteRun) -> tuple[Verdict, ...]:
    """Return the verdicts on calls and results of tools that Google ran.

    The functions return one in the form of this protocol, from its kind, its id and what it holds.
    """

    def restated(part: Any) -> Any:
        called, made = isinstance(part, ir.HostedCall), copy(part)
        write, identity = (write_call, part.id) if called else (write_result, part.call_id)
        made.raw = write(part.kind, identity, run_of(part))
        return made

    return (
        weaker(
            "TUL-22",
            *(ir.HostedCall, ir.HostedResult),
            when=lambda part: is_shared_run(part) and run_of(part).lost,
            by=restated,
            detail=lambda part: "without " + ", ".join(f"`{name}`" for name in run_of(part).lost),
        ),
        ok(ir.HostedCall, ir.HostedResult, when=is_shared_run, by=restated),
    )


WriteRun = Callable[[str, str, google.Run], dict[str, Any]]

# --- errors -----------------------------------------------------------------------------------------------------------


def repeats_word(error: ir.Error) -> bool:
    """Return whether a code adds nothing to the status; no status says that a prompt is too long."""
    named = error.category is ir.ErrorCategory.CONTEXT_LENGTH and isinstance(error.code, str)
    return not named and c.repeats_type(error)


# --- requests ---------------------------------------------------------------------------------------------------------

SAMPLING = (
    loses("SMP-2", "temperature", when=c.beyond("temperature", 2, 0), detail="a temperature must be from 0 to 2"),
    c.stops_beyond(google.MOST_STOPS),
    loses("SMP-2", "seed", when=c.beyond("seed", 2**31 - 1, -(2**31)), detail="32 bits"),
    ok("temperature stop seed"),
)
EFFORT = (
    ok("effort=minimal|low|medium|high|xhigh"),
    weaker("RSN-23", "effort=max", by=c.always(ir.Effort.XHIGH)),
)
SETTINGS = (
    of(ir.Output, omits("SMP-6", "modalities", when=c.only_text), ok("modalities audio picture")),
    of(
        ir.Speech,
        loses("OUT-6", "voice", when=c.is_not("voice", *google.VOICES)),
        ok("voice language speakers"),
        omits("SMP-6", "format=pcm16"),
        loses("OUT-6", "format"),
    ),
    of(
        ir.Service,
        lacking("service_tiers", omits("SMP-6", "tier=standard")),
        lacking("service_tiers", loses("SVC-1", "tier=priority|flex")),
        ok("tier=standard|priority|flex"),
        lacking("labels", omits("USR-3", "metadata")),
        *c.metadata_of(google.is_label, google.MOST_LABELS),
        lacking("store", omits("SMP-6", "store", when=c.is_("store", False))),
        lacking("store", loses("SVC-2", "store")),
        ok("store"),
    ),
)


PAGES = "urlContext"


def is_shared(tool: Any) -> bool:
    """Return whether both of Google's protocols have a tool."""
    return tool.kind in google.TOOLS


def searches_files(tool: ir.HostedTool) -> bool:
    return tool.kind == "fileSearch"


def other_settings(tool: Any) -> list[str]:
    """Return the settings of a tool that one of the protocols lacks, and those whose word stands for no value, which
    Interactions refuses."""
    if not is_shared(tool):
        return []
    shared, settings = google.TOOLS[tool.kind], google.settings_of(tool.kind, tool.raw)
    unstated = [name for name in shared.words if _is_unstated(settings.get(name))]
    return [name for name in settings if name not in shared.settings or name in unstated]


def _is_unstated(setting: Any) -> bool:
    """Return whether a setting is a word for "unspecified", or a list that has one."""
    words = setting if isinstance(setting, list) else [setting]
    return any(isinstance(word, str) and google.UNSPECIFIED in word for word in words)


def without(tool: Any) -> str:
    """Return the settings that are dropped, for a diagnostic."""
    return "without " + ", ".join(f"`{name}`" for name in other_settings(tool))


def tool_rows(write: Callable[[str, dict[str, Any]], dict[str, Any]]) -> tuple[Rows, ...]:
    """Return the verdicts on tools.

    `write` returns a tool that both protocols have in the form of this one, from its kind and its settings.
    """

    def opening(tool: ir.HostedTool) -> ir.HostedTool:
        return ir.HostedTool(PAGES, None, write(PAGES, {}), tool.src)

    def restated(tool: Any) -> Any:
        dropped = other_settings(tool)
        settings = google.settings_of(tool.kind, tool.raw).items()
        known = {name: deepcopy(value) for name, value in settings if name not in dropped}
        made = copy(tool)
        made.raw = write(tool.kind, known)
        return made

    shared = (
        weaker("TUL-9", ir.HostedTool, ir.ClientTool, when=other_settings, by=restated, detail=without),
        ok(ir.HostedTool, ir.ClientTool, when=is_shared, by=restated),
    )
    return (
        of(ir.WebSearchTool, loses("TUL-9", "location"), ok("searches")),
        of(ir.McpServer, ok("http_headers")),
        inside(
            "tools",
            lacking("mcp_servers", loses("TUL-6", ir.McpServer)),
            lacking("file_search", loses("TUL-6", ir.HostedTool, when=searches_files)),
            ok(ir.WebSearchTool, ir.CodeTool, ir.McpServer),
            *c.LOADING_TOOLS,
            lacking("url_context", loses("TUL-6", ir.HostedTool, when=c.opens_pages)),
            ok(ir.HostedTool, when=c.opens_all_pages, by=opening),
            weaker("TUL-41", ir.HostedTool, when=c.opens_pages, by=opening),
            *shared,
            loses("TUL-6", ir.HostedTool, detail=c.which),
            loses("TUL-71", ir.ClientTool, when=c.is_("function", None), detail=c.which),
            loses("TUL-34", ir.ClientTool, detail=c.which),
        ),
        of(ir.ClientTool, loses("TUL-34", "kind raw function own_calls", elsewhere=True)),  # reported with the tool
        inside("tool choice", loses("TUL-7", ir.WebSearchChoice, ir.CodeChoice)),
    )


# --- parts ------------------------------------------------------------------------------------------------------------

SLOT = SealSlot((google.PROVIDER,), google.SIGNATURE)
SEAL = (*c.sealed_by(SLOT)[:-1], loses("RSN-31", "seal", when=no_base64))
UNREADABLE = (
    loses("RSN-4", ir.Reasoning, when=c.both(c.textless, foreign_seal)),
    loses("RSN-31", ir.Reasoning, when=c.both(c.textless, no_base64)),
    ok(ir.Reasoning),
)
DETAIL = (
    omits("IMG-2", "detail", when=c.is_("detail", "auto")),
    loses("IMG-1", "detail", when=c.is_not("detail", *google.RESOLUTIONS)),
)
CODE_RESULT = (
    weaker("TUL-39", "stderr", when=has_both_outputs, by=all_output),
    weaker("TUL-39", "exit_code", when=c.is_not("exit_code", None, 0, 1), by=c.always(1)),
    ok("stderr exit_code"),
)
NO_FILES = refuses("PLC-3", ir.PlainText, ir.Chunks)
UNTYPED = c.is_("mime", None)
NO_ENDINGS: Mapping[str, str] = {}
DOCUMENT_FILES = {**FILE_TYPES, "json": google.PLAIN}


def given_rows(documents: str, *document_types: str) -> tuple[Rows, ...]:
    """Return the verdicts on parts of user messages and function results; `documents` names the document types."""
    uploaded = (refuses("SRC-1", ir.VendorPart, when=c.is_("kind", "container_upload")),)
    given = (
        weaker("DOC-3", ir.Document, when=c.holds("source", ir.Chunks), at="type"),
        refuses("SRC-3", ir.Document, when=other_document(*document_types), detail=documents),
        ok(ir.Image, ir.Audio, ir.Video, ir.Document),
        c.NO_SOURCES,
        loses("TUL-6", ir.VendorPart),
    )
    return (
        of(
            ir.PlainText,
            notes("ENV-1", "mime", when=other_text(*document_types), by=c.always(google.PLAIN), detail=c.TYPE_ALONE),
            ok("mime"),
        ),
        inside("user", *c.SEALED_MESSAGE, c.NO_MARK, *uploaded, *given),
        inside("tool result", c.FOUND_TOOL, *given),
    )


def made_rows(
    images: Images, *runs: type, hosted: tuple[Verdict, ...], answered: tuple[Verdict, ...] = ()
) -> tuple[Rows, ...]:
    """Return the verdicts on parts that a model made.

    `hosted`: the verdicts on runs of other tools; `runs`: classes of provider-run calls and their results that requests
    may have; `answered`: the verdicts on those in responses, if they differ.
    """
    readable = (omits("ENV-7", ir.Reasoning, when=c.empty), *c.UNOPENED)
    other_runs = (c.TOOL_SEARCHES, *hosted, loses("TUL-6", ir.HostedCall, ir.HostedResult, detail=c.which))
    return (
        of(ir.HostedCall, ok("kind id raw")),
        of(ir.HostedResult, ok("kind call_id raw")),
        inside(
            "assistant",
            loses("IMG-4", ir.Image, when=images.unshowable),
            ok(ir.Image, *runs),
            *readable,
            omits("RSN-26", ir.Reasoning, when=c.both(foreign_seal, c.signature_alone)),
            *UNREADABLE,
            *other_runs,
        ),
        inside(
            "assistant",
            *readable,
            *UNREADABLE,
            *(answered or (ok(*runs),)),
            c.PENDING_APPROVAL,
            *other_runs,
            kind="response",
        ),
    )


def _media(
    place: str,
    urls: tuple[Verdict, ...],
    *verdicts: Verdict,
    typed: tuple[Verdict, ...] = (),
) -> Rows:
    return inside(
        place,
        refuses("SRC-3", ir.Inline, when=no_data, detail="base64 data"),
        *verdicts,
        refuses("SRC-3", ir.Url, when=unreachable, detail="URLs with http://, https:// or gs://"),
        *urls,
        *typed,
        refuses("SRC-1", ir.FileRef, when=c.is_not("provider", google.PROVIDER)),
        ok(ir.Inline, ir.Url, ir.FileRef),
    )


def unreachable(source: ir.Url) -> bool:
    """Return whether a URL is neither of the web nor of Google's own storage."""
    return c.not_web(source) and not source.url.startswith(google.FILES)


def typed_urls(by: Callable[[Any], Any], untyped: Callable[[Any], bool] = UNTYPED) -> tuple[Verdict, ...]:
    """Return the verdict that gives URLs without a media type one (SRC-5)."""
    return (notes("SRC-5", ir.Url, when=untyped, by=by),)


def media_rows(
    images: Images,
    documents: Collection[str],
    *urls: Verdict,
    videos: tuple[Verdict, ...] = (),
    files: Mapping[str, str] = NO_ENDINGS,
) -> tuple[Rows, ...]:
    """Return the verdicts on sources of media.

    `documents`: types of documents; `urls`: the verdicts on every URL, `videos`: further ones on URLs of videos;
    `files`: further types of documents by the end of a file's name.
    """
    by_name = typed({**DOCUMENT_FILES, **files}, google.PDF)
    listed = ", ".join(sorted(images.types))
    return (
        *(of(source, ok("mime")) for source in (ir.Url, ir.FileRef)),
        _media(
            "image source",
            urls,
            c.corrected(ir.Inline, ir.Url, accepted=images.types),
            refuses("SRC-3", ir.Inline, when=images.other, detail=listed),
            refuses("SRC-3", ir.Url, when=images.other_by_name, detail=listed),
            typed=typed_urls(typed(google.IMAGE_FILES, google.JPEG)),
        ),
        _media(
            "audio source",
            urls,
            NO_FILES,
            notes("SRC-4", ir.Inline, when=misnamed_recording, by=renamed_recording, at="mime"),
        ),
        _media("video source", urls, NO_FILES, typed=videos),
        _media(
            "document source",
            urls,
            c.respelled(documents),
            notes("SRC-4", ir.Inline, when=untyped_text, by=as_plain),
            notes("SRC-5", ir.Inline, when=UNTYPED, by=by_name),
            typed=typed_urls(by_name),
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
    tool_name=tool_name,
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
    *c.message_of_error(google.BEGINS_TOO_LONG, google.INPUT_TOO_LONG),
    omits("ERR-6", "code", when=repeats_word),
)


# --- settings ---------------------------------------------------------------------------------------------------------
# The defaults are those of the newest models of the Gemini API.

SERVER_SETTINGS = {
    "file_search": capability(True, "Google's search of files (TUL-6)"),
    "labels": capability(False, "metadata of a request (USR-3): Vertex AI"),
    "mcp_servers": capability(True, "MCP servers (TUL-6)"),
    "media_in_results": capability(
        True, "media in tool results, else moved to the user's message (PLC-7): Gemini 3", {"media_results": False}
    ),
    "prefill": writing.SETTING,
    "service_tiers": capability(True, "service tiers (SVC-1)"),
    "store": capability(True, "`store` (SVC-2)"),
    "url_context": capability(True, "the tool that opens pages (TUL-41)"),
}
