"""What /api/chat can represent: a verdict for every field, value and place of the IR, as of its version 1."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir.authoring import (
    Check,
    Constraints,
    Fields,
    Report,
    Server,
    Target,
    checks,
    conditions,
    inside,
    loses,
    notes,
    of,
    ok,
    omits,
    refuses,
    weaker,
)
from proxai_ir.ir import parts, request, response, terminal, tools, turns, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import Effort, ThinkingMode

from . import wire

is_, holds, except_for = conditions.is_, conditions.holds, conditions.except_for

# --- conditions and rewrites ------------------------------------------------------------------------------------------

NEAREST = {Effort.MINIMAL: Effort.LOW, Effort.XHIGH: Effort.HIGH, Effort.MAX: Effort.HIGH}


def nearest_effort(thinking: request.Thinking) -> Effort:
    return NEAREST[thinking.effort] if thinking.effort is not None else Effort.LOW


def has_effort(thinking: request.Thinking) -> bool:
    return thinking.effort is not None or thinking.mode is ThinkingMode.DISABLED


def effort_for_budget(thinking: request.Thinking) -> Fields:
    effort = Effort(conditions.effort_for(thinking.budget or 0))
    return Fields(effort=NEAREST.get(effort, effort), budget=None)


def refusal_as_text(part: parts.Refusal) -> parts.Text:
    return parts.Text(part.text, src=part.src)


def result_as_text(part: parts.SearchResult) -> parts.Text:
    text = "\n".join(inner.text for inner in part.parts if isinstance(inner, parts.Text))
    return parts.Text("\n".join((part.title, part.source, text)), src=part.src)


def transcript(part: parts.Audio) -> parts.Text:
    return parts.Text(part.transcript or "", src=part.src)


def untyped(data: parts.Inline) -> bool:
    """Whether the data of an image does not show its media type."""
    return wire.image_type(data.data) is None


def document_as_text(document: parts.Document) -> parts.Text:
    text = document.source.text if isinstance(document.source, parts.PlainText) else ""  # other sources are refused
    return parts.Text("\n".join(filter(None, (document.title, document.context, text))), src=document.src)


# --- checks -----------------------------------------------------------------------------------------------------------


def results_follow_calls(root: request.Request, report: Report, server: Server) -> None:
    """Without call ids a result belongs to the first call of its tool that has none yet: bring them in that order."""
    calls: dict[str, tuple[int, str]] = {}
    results: list[tuple[turns.Turn, int, parts.ToolResult]] = []
    for turn in root.turns or ():
        if turn.role is turns.Role.ASSISTANT and results:
            _in_order(results, calls)
            calls, results = {}, []
        for index, part in enumerate(turn.parts):
            if isinstance(part, parts.FunctionCall) and part.id is not None:
                report.at(wire.NO_IDS, part, "id")
                calls.setdefault(part.id, (len(calls), part.name))
            elif isinstance(part, parts.ToolResult):
                report.at(wire.NO_IDS, part, "call_id")
                results.append((turn, index, part))
    _in_order(results, calls)


def _in_order(results: list[tuple[turns.Turn, int, parts.ToolResult]], calls: Mapping[str, tuple[int, str]]) -> None:
    """Results of calls that are unknown stay behind the others; they are refused later (TUL-3)."""
    last = (len(calls), None)
    ordered = sorted((part for _, _, part in results), key=lambda part: calls.get(part.call_id or "", last)[0])
    for (turn, index, _), part in zip(results, ordered, strict=True):
        part.name = calls.get(part.call_id or "", last)[1] or part.name
        turn.parts[index] = part


def calls_without_ids(root: response.Response, report: Report, server: Server) -> None:
    for candidate in root.candidates:
        for part in candidate.parts:
            if isinstance(part, parts.FunctionCall) and part.id is not None:
                report.at(wire.NO_IDS, part, "id")


def members_of_messages(root: request.Request, report: Report, server: Server) -> None:
    """A message has one string of text, and its images apart."""
    for turn in root.turns or ():
        _members(turn.parts, report)
        for part in turn.parts:
            if isinstance(part, parts.ToolResult):
                _members(part.parts, report)


def _members(listed: list[parts.Part], report: Report) -> None:
    texts = [part for part in listed if isinstance(part, parts.Text)]
    for part in texts[1:]:
        report.at(wire.JOINED, part)
    images = [index for index, part in enumerate(listed) if isinstance(part, parts.Image)]
    if images and isinstance(listed[-1], parts.Text):
        report.at(wire.IMAGES_LAST, listed[images[0]])


def envelope(root: response.Response, report: Report, server: Server) -> None:
    if root.model is None and server.model is None:
        root.model = ""
        report.records.append(("ENV-6", None, ""))
    if root.created is None:
        report.records.append(("ENV-2", None, "`created_at` is the beginning of 1970"))
        root.created = 0


# --- the table --------------------------------------------------------------------------------------------------------

HOSTED = (
    parts.HostedCall,
    parts.HostedResult,
    parts.WebSearchCall,
    parts.WebSearchResult,
    parts.McpCall,
    parts.McpResult,
)
SOURCES = (parts.Url, parts.FileRef, parts.PlainText, parts.Chunks)
NO_TEXTS = (parts.Url, parts.FileRef, parts.Chunks)

REQUESTS = (
    of(
        request.Request,
        ok("model max_tokens"),
        omits("SMP-6", "parallel_tools", when=is_("parallel_tools", True)),
        loses("TUL-7", "parallel_tools"),
        loses("PLC-15", "prefill"),
        omits("CAC-5", "caching"),
    ),
    of(
        request.Sampling,
        omits("SMP-6", "stop", when=is_("stop", [])),
        ok("temperature top_p top_k stop seed frequency_penalty presence_penalty"),
        refuses("CHO-2", "candidates", when=conditions.several),
        omits("SMP-6", "candidates"),
        loses("SMP-3", "logit_bias logprobs top_logprobs"),
    ),
    of(
        request.Thinking,
        ok("mode=enabled|disabled"),
        weaker("RSN-6", "mode=adaptive|between_tools", by=lambda _: ThinkingMode.ENABLED),
        loses("RSN-6", "effort", when=conditions.covered_by_effort),
        ok("effort=low|medium|high"),
        weaker(wire.EFFORT_ROUNDED, "effort=minimal|xhigh|max", by=nearest_effort),
        loses("RSN-3", "budget", when=has_effort),
        weaker("RSN-3", "budget", by=effort_for_budget),
        loses("RSN-2", "display"),
    ),
    of(
        request.Output,
        loses("OUT-5", "verbosity"),
        omits("SMP-6", "modalities", when=conditions.only_text),
        loses("OUT-6", "modalities audio"),
    ),
    of(
        request.SchemaFormat,
        ok("schema"),
        omits("SMP-6", "strict", when=is_("strict", True)),
        loses("OUT-4", "name description strict"),
    ),
    inside(
        "format",
        omits("SMP-6", request.PlainFormat),
        ok(request.JsonFormat),
        loses("OUT-3", request.SchemaFormat, when=is_("schema", None)),
        ok(request.SchemaFormat),
    ),
    of(
        request.Service,
        loses("SVC-1", "tier fast"),
        loses("USR-2", "end_user user"),
        loses("USR-3", "metadata"),
        omits("SMP-6", "store", when=is_("store", False)),
        loses("SVC-2", "store"),
    ),
    of(request.Streaming, ok("stream"), omits("STR-13", "usage obfuscation")),
    of(
        tools.FunctionTool,
        ok("name description parameters"),
        omits("SMP-6", "strict", when=is_("strict", False)),
        loses("SCH-1", "strict"),
        omits("CAC-4", "cache"),
    ),
    inside(
        "tools",
        ok(tools.FunctionTool),
        refuses("TUL-2", tools.CustomTool),
        loses("TUL-6", tools.WebSearchTool, tools.McpServer, tools.McpToolset, tools.HostedTool),
        loses("UNK-3", tools.UnknownTool),
    ),
    inside("input format", refuses("TUL-2", tools.FreeText, tools.Grammar, tools.UnknownFormat)),
    inside(
        "tool choice",
        omits("SMP-6", tools.Choice, when=is_("mode", tools.ChoiceMode.AUTO)),
        loses("TUL-7", tools.Choice, tools.NamedChoice, tools.AllowedChoice),
        refuses("TUL-2", tools.CustomChoice),
        refuses("TUL-11", tools.HostedChoice),
    ),
)

CONTENT = (
    of(
        turns.Turn,
        ok("role=system|user|assistant|tool continues"),
        notes("PLC-1", "role=developer"),
        loses("USR-4", "name"),
    ),
    of(parts.Text, ok("text"), loses("RSN-4", "seal"), omits("CAC-4", "cache")),
    of(
        parts.Image,
        omits("IMG-2", "detail", when=is_("detail", "auto")),
        loses("IMG-1", "detail"),
        loses("RSN-4", "seal"),
        omits("CAC-4", "cache"),
    ),
    of(parts.Inline, ok("data"), loses(wire.UNTYPED, "mime", when=untyped), omits("ENV-1", "mime")),
    of(parts.PlainText, ok("text"), omits("ENV-1", "mime")),
    of(parts.Audio, ok("transcript"), loses("RSN-4", "seal"), loses("AUD-2", "id expires_at"), omits("CAC-4", "cache")),
    of(parts.Document, ok("title context"), loses("DOC-1", "cite"), omits("CAC-4", "cache")),
    of(parts.SearchResult, ok("title source"), loses("DOC-1", "cite"), omits("CAC-4", "cache")),
    of(parts.Refusal, ok("text")),
    of(
        parts.FunctionCall,
        ok("name arguments"),
        omits(wire.NO_IDS, "id", elsewhere=True),
        loses("RSN-4", "seal"),
        omits("CAC-4", "cache"),
    ),
    of(
        parts.ToolResult,
        ok("name"),
        omits(wire.NO_IDS, "call_id", elsewhere=True),
        loses("TUL-4", "is_error", when=is_("is_error", True)),
        omits("TUL-14", "is_error"),
        omits("CAC-4", "cache"),
    ),
    of(parts.Reasoning, ok("text"), loses("RSN-4", "seal"), notes("RSN-8", "summary")),
    inside("citations", loses("CIT-1", parts.UrlCitation, parts.SourceCitation)),
    inside("image source", ok(parts.Inline), refuses("SRC-2", parts.Url), refuses("SRC-1", *SOURCES[1:])),
    inside("audio source", loses("AUD-2", parts.Inline, *SOURCES)),  # of a recording with a transcript
    inside("video source", refuses("VID-1", parts.Inline, *SOURCES)),
    inside("document source", ok(parts.PlainText), refuses("PLC-3", parts.Inline, *NO_TEXTS)),
    inside(
        "user",
        ok(parts.Text, parts.Image, parts.ToolResult),
        weaker("DOC-3", parts.Document, by=document_as_text),
        weaker("DOC-4", parts.SearchResult, by=result_as_text),
        refuses("AUD-1", parts.Audio),
        refuses("VID-1", parts.Video),
        loses("TUL-6", *HOSTED),
        *conditions.SEALED_MESSAGE,
        loses("CTX-1", parts.VendorPart),
        refuses("UNK-5", parts.UnknownPart),
        refuses("PLC-3", parts.Reasoning, parts.Refusal, parts.FunctionCall, parts.CustomCall),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "assistant",
        ok(parts.Text, parts.FunctionCall),
        loses("RSN-4", parts.Reasoning, when=is_("text", None, "")),
        ok(parts.Reasoning),
        weaker("REF-7", parts.Refusal, by=refusal_as_text),
        refuses("TUL-2", parts.CustomCall),
        loses("TUL-6", *HOSTED),
        loses("CTX-1", parts.VendorPart),
        loses("UNK-2", parts.UnknownPart),
        loses("AUD-2", parts.Audio, when=conditions.silent),
        weaker("AUD-2", parts.Audio, by=transcript),
        refuses("PLC-3", parts.ToolResult, parts.Image, parts.Video, parts.Document, parts.SearchResult),
        refuses("R2A-3", parts.Reference),
    ),
    inside(
        "tool result",
        ok(parts.Text, parts.Image),
        weaker("DOC-3", parts.Document, by=document_as_text),
        weaker("DOC-4", parts.SearchResult, by=result_as_text),
        refuses("AUD-1", parts.Audio),
        refuses("VID-1", parts.Video),
        loses("TUL-6", parts.VendorPart, *HOSTED),
        refuses("UNK-5", parts.UnknownPart),
        refuses(
            "PLC-3",
            parts.ToolResult,
            parts.Reasoning,
            parts.Refusal,
            parts.Reference,
            parts.FunctionCall,
            parts.CustomCall,
        ),
    ),
    inside("tool", ok(parts.ToolResult), refuses("PLC-3", *except_for(parts.ToolResult))),
    *(
        inside(role, ok(parts.Text), conditions.NO_BOOKKEEPING, refuses("PLC-3", *except_for(parts.Text)))
        for role in ("instructions", "nested")
    ),
)

RESPONSES = (
    of(
        response.Response,
        ok("model created"),
        omits("ENV-1", "id fingerprint"),
        omits("ENV-3", "tier fast"),
        loses("USR-3", "metadata"),
    ),
    of(response.Candidate, loses("SMP-7", "logprobs")),
    of(
        terminal.Terminal,
        ok("raw reason=end|stop_sequence|tool_calls|length|unknown"),
        weaker("STS-3", "reason=context_window|refusal|content_filter"),
        weaker("STS-5", "reason=pause"),
        refuses("STS-13", "reason=unfinished"),
        loses("STS-8", "stop_sequence"),
        loses("REF-5", "refusal"),
        omits("ENV-1", "message"),
    ),
    of(
        usage.Usage,
        ok("input output"),
        notes("USE-4", "cache_read cache_write reasoning"),  # within the sums
        omits("USE-3", "total"),
        omits("USE-4", "details"),
    ),
    of(
        Error,
        ok("message category"),
        loses("ERR-2", "type code param retry_after"),
        omits("ERR-5", "verbatim"),
        omits("ENV-1", "request_id status"),
    ),
)

TARGET = Target(
    wire.NAME,
    (*REQUESTS, *CONTENT, *RESPONSES),
    (
        checks.MODEL_NAMED,
        checks.ENDING_FITS,
        Check(results_follow_calls, (wire.NO_IDS,), request.Request),
        Check(members_of_messages, (wire.JOINED, wire.IMAGES_LAST), request.Request),
        Check(calls_without_ids, (wire.NO_IDS,), response.Response),
        Check(envelope, ("ENV-2", "ENV-6"), response.Response, at_once=True),
    ),
    ir=1,
    newer=(loses(wire.NEWER_LOST), refuses(wire.NEWER_REFUSED)),
)

CONSTRAINTS = Constraints(
    instructions="inline",
    results="turns",
    media_results=False,
    nested=True,
    ordered=False,
    text_parts=False,
    empty_text=True,
    alternatives=False,
    items=False,
    open_calls=True,
)
