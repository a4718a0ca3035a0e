"""The verdicts of generateContent on the fields of the IR, their conditions, and its servers' settings."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.media_types import registered
from proxai_ir.ir.parts import BASH
from proxai_ir.targets import conditions as c
from proxai_ir.targets import models
from proxai_ir.targets.base import CODE, SEARCH
from proxai_ir.targets.settings import capability
from proxai_ir.targets.verdicts import Fields, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._google import rows
from .._lib import writing
from .._lib.writing import Object, put

# --- settings ---------------------------------------------------------------------------------------------------------
# The defaults are those of the newest models of the Gemini API.

MODELS = models.taken(
    "documents forced_choice highest_effort images json_with_tools least_effort logprobs middle_efforts most_tools "
    "penalties sampling seed several_candidates stop_sequences structured_output thinking thinking_budgets "
    "thinking_off",
    highest_effort="high",
    least_effort="low",
    logprobs=False,
    penalties=False,
    thinking_off=False,
)

SETTINGS = {
    **MODELS.settings,
    **rows.SERVER_SETTINGS,
    "call_ids": capability(True, "ids of function calls and responses; they are left out otherwise"),
    "display_names": capability(False, "names of documents (DOC-1): Vertex AI"),
    "dummy_signatures": capability(True, "a placeholder for the signature of other models' calls (RSN-22): Gemini 3"),
    "effort": capability(True, "`thinkingLevel`; the thinking budget that comes nearest is sent otherwise (RSN-21)"),
    "enterprise_search": capability(False, "the web search for enterprises (TUL-9): Vertex AI"),
    "excluded_domains": capability(False, "domains that a web search leaves out (TUL-9): Vertex AI"),
    "json_schemas": capability(True, "JSON Schema for tools and output, else Google's `Schema` (SCH-7, SCH-12)"),
    "media_resolution": capability(True, "the detail of a single image (IMG-1)"),
    "media_urls": capability(True, "files by their URL (SRC-2)"),
    "mixed_tools": capability(True, "Google's own tools together with functions, else dropped (TUL-6): Gemini 3"),
    "urls_in_results": capability(
        False, "files by their URL in tool results (PLC-7): Vertex AI", {"result_holds": None}
    ),
}


# --- settings ---------------------------------------------------------------------------------------------------------

too_many_logprobs = c.beyond("top_logprobs", wire.MOST_LOGPROBS)
beyond_budgets = c.beyond("budget", wire.MOST_BUDGET, wire.LEAST_BUDGET)

BUDGET_OF = {
    ir.Effort.MINIMAL: 512,
    ir.Effort.LOW: 1024,
    ir.Effort.MEDIUM: 4096,
    ir.Effort.HIGH: 16384,
    ir.Effort.XHIGH: 24576,
    ir.Effort.MAX: 24576,
}
"""The budget for each effort; the effort for that budget is the same again (RSN-3), but for the least and highest."""


def possible_budget(thinking: ir.Thinking) -> int | None:
    """Return the nearest budget that all models take."""
    budget = thinking.budget
    return None if budget is None else min(max(budget, wire.LEAST_BUDGET), wire.MOST_BUDGET)


def nearest_budget(thinking: ir.Thinking) -> Fields:
    """Replace an effort by a budget, unless the source has a budget too (RSN-21)."""
    assert thinking.effort is not None
    budget = BUDGET_OF[thinking.effort] if thinking.budget is None else possible_budget(thinking)
    return Fields(effort=None, budget=budget)


# --- parts ------------------------------------------------------------------------------------------------------------

IMAGES = rows.Images(wire.IMAGE_TYPES)
MEDIA_FILES = {**google.IMAGE_FILES, **google.AUDIO_FILES, **wire.VIDEO_FILES}
MEDIA_TYPES = (*wire.IMAGE_TYPES, *google.AUDIO_TYPES, *wire.VIDEO_FILES.values())
"""The media types that clients also send as files. This protocol has one kind of part for all of them."""


def in_result(part: Any) -> bool:
    """Return whether a function's response may hold a part besides text: data of documented types."""
    source = getattr(part, "source", None)
    if isinstance(source, ir.PlainText):
        return True
    mime = source.mime if isinstance(source, ir.Inline) else None
    return registered(mime) in wire.RESULT_TYPES


def untyped_video(source: ir.Url) -> bool:
    """Return whether the URL of a video lacks its media type; pages of video sites need none."""
    return source.mime is None and not source.url.startswith(wire.VIDEO_SITES)


def not_two(speech: ir.Speech) -> bool:
    """Return whether there are not exactly two speakers, which is all that this protocol takes."""
    return len(speech.speakers or ()) != wire.SPEAKERS


def known_searches(tool: ir.WebSearchTool) -> list[str] | None:
    """Return what a tool searches, as far as this protocol's can; None if that is what it searches by default."""
    return [one for one in tool.searches or () if one in wire.SEARCH_TYPE_OF] or None


def enterprise_alone(tool: ir.WebSearchTool) -> bool:
    """Return whether a tool searches for enterprises only, which is another tool of Vertex AI's here."""
    return tool.searches == [wire.ENTERPRISE]


def other_searches(tool: ir.WebSearchTool) -> bool:
    return known_searches(tool) != tool.searches


def call_part(kind: str, identity: str, run: google.Run) -> Object:
    call = {"toolType": google.TOOLS[kind].run, "args": run.given, "id": identity}
    return put({"toolCall": call}, thoughtSignature=run.signature)


def response_part(kind: str, identity: str, run: google.Run) -> Object:
    response = {"toolType": google.TOOLS[kind].run, "response": google.pages_in_response(run.given), "id": identity}
    return put({"toolResponse": response}, thoughtSignature=run.signature)


# --- target rows ------------------------------------------------------------------------------------------------------

PENALTIES = "frequency_penalty presence_penalty"

REQUESTS = (
    of(ir.Request, notes("ENV-13", "model"), *writing.VERDICTS),
    of(
        ir.Sampling,
        omits("SMP-6", "top_k", when=c.unbounded),
        # All current models default to temperature 1.0 (documentation of Gemini 3, Vertex AI's pages of 2.0 and 2.5),
        # but to a topP of 0.95, so that 1 is sent. The reference has a candidateCount of 1.
        *c.neutral(temperature=1, candidates=1, frequency_penalty=0, presence_penalty=0, logprobs=False),
        omits("SMP-6", "top_logprobs", when=c.is_("logprobs", None, False)),
        omits("SMP-6", "stop", when=c.is_("stop", [])),
    ),
    of(
        ir.Thinking,
        lacking("thinking", loses("RSN-34", "effort")),  # before it becomes a budget
        loses("RSN-6", "effort budget", when=c.covered_by_effort),
        lacking("effort", weaker("RSN-21", "effort", by=nearest_budget)),
        lacking("thinking_budgets", omits("SMP-6", "mode=enabled|adaptive")),
    ),
    *MODELS.rows,
    of(
        ir.Sampling,
        loses("SMP-2", "top_logprobs", when=too_many_logprobs, detail=f"at most {wire.MOST_LOGPROBS}"),
        ok("top_k candidates logprobs top_logprobs", PENALTIES),
        *rows.SAMPLING,
    ),
    of(
        ir.Thinking,
        omits("SMP-6", "mode=enabled|adaptive", when=c.is_not("effort", None)),
        omits("SMP-6", "mode=enabled", when=c.is_not("budget", None)),
        ok("mode=enabled|adaptive|disabled"),
        *rows.EFFORT,
        lacking("effort", weaker("RSN-21", "budget", when=beyond_budgets, by=possible_budget)),
        lacking("effort", ok("budget")),  # the budget counts; an effort in the same request is a guess
        weaker("RSN-3", "budget", when=c.is_not("effort", None), by=c.always(None)),
        ok("budget display"),
    ),
    inside("format", ok(ir.EnumFormat)),
    of(ir.Speech, loses("OUT-6", "speakers", when=not_two, detail="two speakers")),
    *rows.SETTINGS,
    of(ir.Streaming, notes("ENV-13", "stream"), omits("STR-13", "usage", elsewhere=True)),
    of(
        ir.WebSearchTool,
        lacking("enterprise_search", weaker("TUL-9", "searches", when=enterprise_alone, by=c.always(None))),
        ok("searches", when=enterprise_alone),
    ),
    of(ir.WebSearchTool, weaker("TUL-9", "searches", when=other_searches, by=known_searches)),
    of(ir.WebSearchTool, lacking("excluded_domains", loses("TUL-9", "blocked_domains")), ok("blocked_domains")),
    of(ir.McpServer, loses("TUL-23", "allowed_tools")),
    *rows.tool_rows(lambda kind, settings: {kind: google.in_upper_case(kind, settings)}),
    of(
        ir.FunctionTool,
        omits("SMP-6", "strict", when=c.is_("strict", False)),
        ok("strict"),
    ),
    *(of(choice, ok("mode")) for choice in (ir.Choice, ir.AllowedChoice)),
)

SEALED = (ir.Text, ir.Image, ir.Audio, ir.FunctionCall, ir.Reasoning)

CONTENT = (
    *(of(cls, *rows.SEAL, ok("seal")) for cls in SEALED),
    of(ir.Image, *rows.DETAIL, lacking("media_resolution", loses("IMG-1", "detail")), ok("detail")),
    of(ir.Document, lacking("display_names", loses("DOC-1", "title"))),
    of(
        ir.CodeCall,
        notes("TUL-64", "language", when=c.is_("language", BASH)),
        ok("language"),
    ),
    of(ir.CodeResult, *rows.CODE_RESULT),
    of(ir.ToolResult, omits("TUL-14", "is_error", when=c.is_("is_error", False)), ok("is_error")),
    inside("citations", ok(ir.UrlCitation), kind="response"),
    *rows.media_rows(
        IMAGES,
        (google.PDF,),
        lacking("media_urls", refuses("SRC-2", ir.Url)),
        videos=rows.typed_urls(rows.typed(wire.VIDEO_FILES, "video/mp4"), untyped_video),
        files=MEDIA_FILES,
    ),
    *rows.given_rows("PDF, text, images, audio and video", google.PDF, *MEDIA_TYPES),
    *rows.made_rows(
        IMAGES,
        *CODE,
        hosted=rows.run_rows(call_part, response_part),
        answered=(
            loses("TUL-22", ir.WebSearchCall, when=c.is_("queries", [])),
            loses("TUL-22", ir.WebSearchResult, when=c.is_("hits", [])),
            ok(*SEARCH),
        ),
    ),
)

RESPONSES = (
    of(ir.Response, ok("tier=standard|priority|flex")),
    of(ir.Candidate, ok("logprobs")),
    of(ir.ScoredToken, ok("id"), omits("ENV-1", "bytes")),
    of(ir.Terminal, weaker("STS-3", "reason=stop_sequence"), ok("message")),
    of(ir.Usage, *rows.USAGE),
    of(ir.Error, *rows.ERROR, loses("ERR-2", "code", when=c.holds("code", int)), ok("code status retry_after")),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
