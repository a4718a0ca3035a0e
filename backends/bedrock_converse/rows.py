"""The verdicts of Converse on the fields of the IR, their conditions, and its servers' settings."""

from __future__ import annotations

import re
from typing import Any

from proxai_ir import ir
from proxai_ir.targets import conditions as c
from proxai_ir.targets import grammars, models, thinking, verdicts
from proxai_ir.targets.base import UNCITED
from proxai_ir.targets.constraints import SealSlot
from proxai_ir.targets.settings import capability
from proxai_ir.targets.verdicts import (
    fills,
    in_requests,
    inside,
    lacking,
    loses,
    notes,
    of,
    ok,
    omits,
    refuses,
    weaker,
    where,
)
from proxai_ir.wire import bedrock_converse as wire

from .._lib import writing

# --- settings ---------------------------------------------------------------------------------------------------------

CLAUDE, NOVA = "anthropic", "nova"
FAMILIES = (CLAUDE, NOVA, "openai", "responses", "qwen", "other")
WORD_FAMILIES, UNSETTLED = "openai|responses|qwen", "openai|responses|qwen|other"
LEVEL_FAMILIES, OTHERS = f"{NOVA}|{WORD_FAMILIES}", f"{NOVA}|{UNSETTLED}"
"""Groups of families: with an effort as the only setting, without other settings of their own, with efforts that are
not Claude's, without Claude's settings."""

MODELS = models.taken(
    "documents forced_choice forced_with_thinking function_tools highest_effort images least_effort many_strict_tools "
    "medium_effort named_choice parallel_tools sampling sampling_with_thinking schema_references stop_sequences "
    "stream_tools strict_tools structured_output temperature_with_top_p thinking thinking_budgets thinking_off "
    "thinks_by_default tool_choice xhigh_effort",
    limits={
        "temperature_with_top_p": ("family", CLAUDE),
        **dict.fromkeys(("least_effort", "medium_effort"), ("family", LEVEL_FAMILIES)),
        **dict.fromkeys(("highest_effort", "xhigh_effort"), ("family", f"{CLAUDE}|{LEVEL_FAMILIES}")),
    },
    many_strict_tools=False,
    thinks_by_default=False,
)


def plain(part: Any) -> bool:
    """Return whether a part is neither a document nor a video."""
    return not isinstance(part, (ir.Document, ir.Video))


def nothing(_: Any) -> bool:
    """Return False, as no part may stand there."""
    return False


def legible(part: Any) -> bool:
    """Return whether a part is no file, but an image or a text."""
    if not isinstance(part, ir.Document):
        return True
    return not isinstance(part.source, (ir.Inline, ir.Url)) or c.is_text_type(part.source.mime)


HELD = {"documents": lambda part: not isinstance(part, (ir.Image, ir.Video)), "legible": legible, "none": nothing}
"""The words of `result_media` but for `all`, with a condition: results hold such a part."""

SETTINGS = {
    **MODELS.settings,
    **thinking.SETTINGS,
    "assistant_first": capability(
        True,
        "a message of the assistant at the beginning; that is refused otherwise (PLC-81)",
        {"assistant_first": False},
    ),
    "audio": capability(False, "audio in messages of the user (AUD-1)"),
    "betas": capability(True, "betas of the vendor of its models, which switch on features of requests (CAP-8)"),
    "beside_results": capability(
        "plain",
        "what a message with results may have besides: all, nothing, or all but documents and videos; the rest comes "
        "in a message of its own, behind a placeholder (PLC-70)",
        {"all": {"beside_results": None}, "nothing": {"beside_results": nothing}},
        choices=("plain", "all", "nothing"),
    ),
    "call_ids": capability(
        True, "call ids of any form; otherwise nine letters and digits are sent (TUL-13)", {"call_id": c.short_call_id}
    ),
    "citations": capability(True, "citations of documents, in requests and responses (DOC-1, CIT-1)"),
    "family": capability(CLAUDE, "whose own settings the model takes (SMP-80)", choices=FAMILIES),
    "instruction_roles": capability(True, "instructions; they are the user's otherwise (PLC-25)"),
    "lone_reasoning": capability(True, "messages of the assistant with nothing but reasoning (RSN-17)"),
    "long_caching": capability(True, "cache points that last an hour; five minutes otherwise (CAC-3)"),
    "optimized_latency": capability(False, "`performanceConfig` with less latency (SVC-1)"),
    "prefill": writing.SETTING,
    "result_media": capability(
        "all",
        "which media results hold: all, documents, images and documents of text, or none; others are moved (PLC-7)",
        {name: {"result_holds": holds} for name, holds in HELD.items()},
        choices=("all", *HELD),
    ),
    "result_status": capability(True, "the mark of results of calls that failed (TUL-4, TUL-65)"),
    "schema_keywords": capability(
        True, "keywords besides `type`, `properties` and `required` at the top of a tool's schema (SCH-17)"
    ),
    "system_in_place": capability(
        False, "instructions in mid-conversation, before a message of the assistant (PLC-2)", {"later": "after_user"}
    ),
    "web_search": capability(False, "web search, as a tool that the service runs (TUL-6)"),
    "video": capability(False, "videos in messages of the user and in results (VID-1)"),
}


# --- settings ---------------------------------------------------------------------------------------------------------

SHORT = wire.TTL["5m"]
LEVELS = (ir.Effort.LOW, ir.Effort.MEDIUM, ir.Effort.HIGH)
nearest = c.nearest_of(*LEVELS)


def level_for_budget(thinking: ir.Thinking) -> verdicts.Fields:
    wanted = thinking.effort or ir.Effort(c.effort_for(thinking.budget or 0))
    return verdicts.Fields(budget=None, effort=nearest(ir.Thinking(effort=wanted)))


def has_empty_stop(sampling: ir.Sampling) -> bool:
    """Return whether a stop sequence is empty (SMP-2)."""
    return not all(sampling.stop or ())


def without_empty_stops(sampling: ir.Sampling) -> list[str] | None:
    return [one for one in sampling.stop or () if one] or None


def says_nothing(tool: ir.FunctionTool) -> bool:
    """Return whether a tool's description is empty or blank."""
    return tool.description is not None and not tool.description.strip()


def is_claudes(tool: ir.ClientTool) -> bool:
    """Return whether a tool of the client's is one that Claude knows under its type (TUL-78)."""
    return wire.CLIENT_TOOL.fullmatch(tool.kind) is not None


# --- content ----------------------------------------------------------------------------------------------------------

ODD = re.compile(r"[^a-zA-Z0-9_.:-]")
KEPT = 50  # characters of an id that is too long, followed by its checksum


def accepted_call_id(given: str) -> str:
    """Return an id of this protocol's alphabet and length, with a checksum if it was changed (TUL-13)."""
    if wire.CALL_ID.fullmatch(given):
        return given
    return c.checked(ODD.sub("_", given)[:KEPT], given)


def other_mime(kind: str) -> Any:
    """Return a condition: the source has no media type, or one that blocks of this kind have no format for."""
    return lambda source: source.mime not in wire.FORMAT_OF[kind]


def not_stored(source: ir.Url) -> bool:
    """Return whether a URL is not in S3."""
    return not source.url.startswith(wire.S3)


def is_text(source: ir.Inline) -> bool:
    """Return whether a document is text of a type that there is no format for."""
    return c.is_text_type(source.mime) and source.mime not in wire.FORMAT_OF["document"]


def as_plain(source: ir.Inline) -> ir.Inline:
    return ir.Inline(source.data, "text/plain", source.src)


def illustrated(holder: Any) -> bool:
    """Return whether a search result or a document has more than text."""
    return any(not isinstance(part, ir.Text) for part in holder.parts)


def unsigned(reasoning: ir.Reasoning) -> bool:
    """Return whether reasoning lacks a seal that a model behind Converse can read."""
    return reasoning.seal is None or reasoning.seal.provider not in (wire.ANTHROPIC, wire.OWN)


def of_claude(reasoning: ir.Reasoning) -> bool:
    """Return whether Claude signed the reasoning, so that only Claude can read the seal (RSN-5)."""
    return reasoning.seal is not None and reasoning.seal.provider == wire.ANTHROPIC


def not_of_bedrock(reasoning: ir.Reasoning) -> bool:
    """Return whether reasoning lacks a seal that a model behind Converse which is not Claude can read."""
    return reasoning.seal is None or reasoning.seal.provider != wire.OWN


# --- target rows ------------------------------------------------------------------------------------------------------

SLOT = SealSlot((wire.ANTHROPIC, wire.OWN), wire.REDACTED, {wire.SIGNATURE: True, wire.REDACTED: False}, needed=True)

CACHED = (
    *(ir.Text, ir.Image, ir.Audio, ir.Video, ir.Document),
    *(ir.SearchResult, ir.FunctionCall),
)


def usual_lifetime(name: str) -> tuple[verdicts.Verdict, ...]:
    """Return verdicts that leave the lifetime of a cache point to models that have one alone."""
    return (
        lacking("long_caching", notes("CAC-3", name, when=c.beyond(name, SHORT), by=c.always(None))),
        lacking("long_caching", omits("SMP-6", name)),
    )


def claude(*found: verdicts.Verdict) -> tuple[verdicts.Verdict, ...]:
    """Return verdicts that hold for Claude alone."""
    return tuple(where("family", CLAUDE, one) for one in found)


REQUESTS = (
    of(ir.Sampling, omits("SMP-6", "top_k", when=c.unbounded), *claude(*c.neutral(temperature=1, top_p=1))),
    of(ir.Thinking, *claude(*thinking.FIRST)),
    *MODELS.rows,
    of(
        ir.Request,
        notes("ENV-13", "model"),
        *writing.VERDICTS,
        omits("SMP-6", "parallel_tools", when=c.is_("parallel_tools", True)),
        where("family", OTHERS, loses("TUL-9", "parallel_tools")),
        ok("parallel_tools"),
    ),
    of(
        ir.Sampling,
        where("family", UNSETTLED, loses("SMP-3", "top_k")),
        ok("top_k"),
        loses("SMP-2", "temperature", when=c.beyond("temperature", 1, 0), detail="a temperature must be from 0 to 1"),
        ok("temperature"),
        *claude(weaker("SMP-2", "stop", when=c.has_blank_stop, by=c.without_blank_stops)),
        weaker("SMP-2", "stop", when=has_empty_stop, by=without_empty_stops),
        ok("stop"),
    ),
    of(
        ir.Thinking,
        where("family", WORD_FAMILIES, thinking.BY_EFFORT),
        where("family", UNSETTLED, omits("SMP-6", "mode=enabled|adaptive")),
        where("family", "other", loses("RSN-6", "mode=disabled")),
        where("family", NOVA, ok("mode=adaptive", by=c.always(ir.ThinkingMode.ENABLED))),
        where("family", LEVEL_FAMILIES, loses("RSN-6", "effort", when=c.covered_by_effort)),
        where("family", OTHERS, loses("RSN-2", "display")),
        where("family", OTHERS, loses("RSN-6", "mode=between_tools")),
        where("family", OTHERS, loses("RSN-6", "budget", when=thinking.of_no_tokens)),
        where("family", NOVA, ok("mode=enabled|disabled")),
        where("family", WORD_FAMILIES, ok("mode=disabled")),
        where("family", OTHERS, lacking("effort", loses("RSN-12", "effort"))),
        where("family", "other", loses("RSN-12", "effort budget")),
        where("family", LEVEL_FAMILIES, weaker("RSN-32", "effort=minimal", by=nearest)),
        where("family", "nova|qwen", weaker("RSN-23", "effort=xhigh|max", by=nearest)),
        where("family", LEVEL_FAMILIES, weaker("RSN-3", "budget", by=level_for_budget)),
        *thinking.LAST,
    ),
    inside("format", omits("SMP-6", ir.PlainFormat), loses("OUT-3", ir.JsonFormat), *c.STATED_SCHEMA),
    of(
        ir.Caching,
        omits("SMP-6", "automatic", when=c.is_("automatic", False)),
        where("family", UNSETTLED, omits("CAC-5", "automatic lifetime")),
        omits("CAC-5", "lifetime", when=c.is_("automatic", None, False)),
        *usual_lifetime("lifetime"),
        *c.cache_lifetimes("lifetime", wire.TTL.values()),
        ok("automatic"),
    ),
    of(
        ir.Cache,
        *usual_lifetime("ttl"),
        *c.cache_lifetimes("ttl", wire.TTL.values()),
    ),
    *(of(cls, where("family", UNSETTLED, omits("CAC-4", "cache")), ok("cache")) for cls in CACHED),
    # Nova refuses cache points behind tools, and behind results: "#/messages/6/content/0: extraneous key [cachePoint]"
    *(
        of(cls, where("family", OTHERS, omits("CAC-4", "cache")), ok("cache"))
        for cls in (ir.FunctionTool, ir.ToolResult)
    ),
    of(
        ir.Service,
        ok("tier=priority|flex|scale"),
        lacking("optimized_latency", omits("SMP-6", "fast", when=c.is_("fast", False))),
        lacking("optimized_latency", loses("SVC-1", "fast")),
        ok("fast"),
        *c.metadata_of(wire.is_metadata, wire.MOST_METADATA),
    ),
    of(ir.Streaming, notes("ENV-13", "stream"), omits("STR-13", "usage", elsewhere=True)),
    of(
        ir.FunctionTool,
        omits("ENV-7", "description", when=says_nothing),
        ok("description"),
        *claude(
            fills("SCH-2", "parameters", by=grammars.of_an_object),
            ok("parameters", when=grammars.has_flaw("")),
            refuses("SCH-4", "parameters", when=grammars.has_flaw("SCH-4")),
            weaker("SCH-9", "parameters", when=grammars.has_flaw("SCH-9"), by=grammars.uncomposed),
            loses("SCH-1", "strict", when=grammars.composed_though_strict),
        ),
        fills("SCH-2", "parameters", by=c.of_an_object),
        refuses("SCH-3", "parameters", when=c.is_no_object),
        ok("parameters", when=c.states_object),
        notes("SCH-2", "parameters", by=c.of_an_object),
        ok("strict"),
    ),
    of(ir.ClientTool, loses("TUL-34", "kind raw function own_calls", elsewhere=True)),  # reported with the tool
    of(ir.WebSearchTool, loses("TUL-9", "location")),
    inside("tools", lacking("web_search", loses("TUL-6", ir.WebSearchTool, detail=c.which)), ok(ir.WebSearchTool)),
    inside("tools", *claude(ok(ir.ClientTool, when=is_claudes))),
)

UNTYPED = "a type that this protocol has no format for"


def _stored(kind: str, *before: verdicts.Verdict) -> tuple[verdicts.Rows, ...]:
    """Return the verdicts on sources of media: inline or in S3, of a type that there is a format for."""
    typed = (refuses("SRC-3", cls, when=other_mime(kind), detail=UNTYPED) for cls in (ir.Inline, ir.Url))
    unreachable = refuses("SRC-2", ir.Url, when=not_stored)
    return (inside(f"{kind} source", *before, unreachable, *typed, ok(ir.Inline, ir.Url)),)


NOT_CITED = tuple(lacking("citations", one) for one in UNCITED)

CONTENT = (
    of(ir.Turn, lacking("instruction_roles", weaker("PLC-25", "role=system|developer", by=c.always(ir.Role.USER)))),
    of(ir.Document, *NOT_CITED, ok("title context cite")),
    of(ir.SearchResult, *NOT_CITED, refuses("PLC-3", "parts", when=illustrated), ok("cite")),
    of(ir.Chunks, refuses("PLC-3", "parts", when=illustrated), ok("parts")),
    of(
        ir.ToolResult,
        *(lacking("result_status", one) for one in (*c.UNMARKED, omits("SMP-6", "is_error"))),
        ok("is_error"),
    ),
    of(ir.Url, ok("mime")),
    of(
        ir.Reasoning,
        *c.UNOPENED_SEAL,
        where("family", OTHERS, in_requests(omits("RSN-26", "seal", when=of_claude))),
        *c.sealed_by(SLOT),
        notes("RSN-8", "summary"),
    ),
    of(ir.PlainText, ok("text"), notes("ENV-1", "mime", detail=c.TYPE_ALONE)),
    of(ir.UrlCitation, ok("cited_text"), omits("ENV-1", "start end")),
    inside(
        "citations",
        lacking("citations", loses("CIT-1", ir.DocumentCitation, ir.UrlCitation, ir.SourceCitation)),
        ok(ir.DocumentCitation),
    ),
    inside("citations", ok(ir.UrlCitation), kind="response"),
    *_stored("image", c.corrected(ir.Inline, ir.Url, accepted=wire.FORMAT_OF["image"])),
    *_stored("document", c.respelled(wire.FORMAT_OF["document"]), notes("SRC-4", ir.Inline, when=is_text, by=as_plain)),
    *_stored("video"),
    *_stored("audio", refuses("SRC-1", ir.FileRef), refuses("PLC-3", ir.PlainText, ir.Chunks)),
    inside(
        "audio source",
        loses("AUD-2", ir.Inline, ir.Url),
        loses("AUD-3", ir.FileRef, ir.PlainText, ir.Chunks),
        kind="response",
    ),
    *(
        inside(
            place,
            ok(ir.Document, ir.SearchResult),
            lacking("video", refuses("VID-1", ir.Video)),
            ok(ir.Video),
        )
        for place in ("user", "tool result")
    ),
    inside("user", lacking("audio", refuses("AUD-1", ir.Audio)), ok(ir.Audio)),
    inside(
        "assistant",
        omits("ENV-7", ir.Reasoning, when=c.empty),
        *c.UNOPENED,
        omits("RSN-26", ir.Reasoning, when=lambda part: unsigned(part) and c.signature_alone(part)),
        where("family", OTHERS, omits("RSN-26", ir.Reasoning, when=c.both(of_claude, c.signature_alone))),
        where("family", OTHERS, lacking("unsigned_thinking", loses("RSN-5", ir.Reasoning, when=not_of_bedrock))),
        lacking("unsigned_thinking", loses("RSN-5", ir.Reasoning, when=unsigned)),
        where("family", OTHERS, loses("RSN-4", ir.Reasoning, when=c.both(c.textless, not_of_bedrock))),
        loses("RSN-4", ir.Reasoning, when=c.both(c.textless, unsigned)),
        ok(ir.Reasoning),
    ),
    inside(
        "assistant",
        omits("ENV-7", ir.Reasoning, when=c.empty),
        *c.UNOPENED,
        loses("RSN-4", ir.Reasoning, when=lambda part: not part.text and unsigned(part)),
        ok(ir.Reasoning),
        kind="response",
    ),
)

RESPONSES = (
    of(
        ir.Response,
        notes("ENV-1", "id"),  # which ids of calls without one are made of
        omits("ENV-1", "model"),
        omits("ENV-3", "tier=auto|batch"),
        ok("fast tier=standard|priority|flex|scale"),
    ),
    of(ir.Terminal, ok("reason=context_window stop_sequence")),
    of(ir.RefusalDetails, loses("REF-5", "explanation")),
    of(ir.Usage, notes("USE-4", "reasoning"), ok("details=cache_write.300|cache_write.3600")),
    of(
        ir.Error,
        *c.message_of_error(wire.INPUT_TOO_LONG, wire.INPUT_TOO_LONG),
        omits("ERR-6", "code", when=c.repeats_type),
        loses("ERR-2", "code param"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
