"""What generateContent supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.calls import BASH
from proxai_ir.ir.error import Error
from proxai_ir.rules.conditions import (
    always,
    covered_by_effort,
    holds,
    is_,
    is_not,
    neutral,
    unbounded,
    unvalidated,
)
from proxai_ir.rules.rows import CODE, SEARCH
from proxai_ir.rules.verdicts import inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._google import rows
from .._google.conditions import typed
from .._lib import prefill
from . import conditions as own
from .settings import MODELS

PENALTIES = "frequency_penalty presence_penalty"

REQUESTS = (
    of(ir.Request, notes("ENV-13", "model"), *prefill.VERDICTS),
    of(
        ir.Sampling,
        omits("SMP-6", "top_k", when=unbounded),
        # All current models default to temperature 1.0 (documentation of Gemini 3, Vertex AI's pages of 2.0 and 2.5),
        # but to a topP of 0.95: 1 is a wish of its own. The reference has a candidateCount of 1.
        *neutral(temperature=1, candidates=1, frequency_penalty=0, presence_penalty=0, logprobs=False),
        omits("SMP-6", "top_logprobs", when=is_("logprobs", None, False)),
        omits("SMP-6", "stop", when=is_("stop", [])),
    ),
    of(
        ir.Thinking,
        lacking("thinking", loses("RSN-34", "effort")),  # before it is made a budget
        loses("RSN-6", "effort budget", when=covered_by_effort),
        lacking("effort", weaker("RSN-21", "effort", by=own.nearest_budget)),
        lacking("thinking_budgets", omits("SMP-6", "mode=enabled|adaptive")),
    ),
    *MODELS.rows,
    of(
        ir.Sampling,
        loses("SMP-2", "top_logprobs", when=own.too_many_logprobs, detail=f"at most {wire.MOST_LOGPROBS}"),
        ok("top_k candidates logprobs top_logprobs", PENALTIES),
        *rows.SAMPLING,
    ),
    of(
        ir.Thinking,
        omits("SMP-6", "mode=enabled|adaptive", when=is_not("effort", None)),
        omits("SMP-6", "mode=enabled", when=is_not("budget", None)),
        ok("mode=enabled|adaptive|disabled"),
        *rows.EFFORT,
        lacking("effort", weaker("RSN-21", "budget", when=own.beyond_budgets, by=own.possible_budget)),
        lacking("effort", ok("budget")),  # which counts: an effort next to it would be a guess
        weaker("RSN-3", "budget", when=is_not("effort", None), by=always(None)),
        ok("budget display"),
    ),
    inside("format", ok(ir.EnumFormat)),
    *rows.SETTINGS,
    of(ir.Streaming, notes("ENV-13", "stream"), omits("STR-13", "usage", elsewhere=True)),
    of(ir.WebSearchTool, lacking("excluded_domains", loses("TUL-9", "blocked_domains")), ok("blocked_domains")),
    of(ir.McpServer, loses("TUL-23", "allowed_tools")),
    *rows.tool_rows(wire.PAGES_TOOL, {wire.PAGES_TOOL: {}}),
    of(
        ir.FunctionTool,
        omits("SMP-6", "strict", when=is_("strict", False)),
        lacking("validated", loses("SCH-10", "strict")),
        ok("strict"),
    ),
    *(
        of(choice, lacking("validated", weaker("TUL-7", "mode=validated", by=unvalidated)), ok("mode"))
        for choice in (ir.Choice, ir.AllowedChoice)
    ),
)

SEALED = (ir.Text, ir.Image, ir.Audio, ir.FunctionCall, ir.Reasoning)

CONTENT = (
    *(of(cls, *rows.SEAL, ok("seal")) for cls in SEALED),
    of(ir.Image, *rows.DETAIL, lacking("media_resolution", loses("IMG-1", "detail")), ok("detail")),
    of(ir.Document, lacking("display_names", loses("DOC-1", "title"))),
    of(
        ir.CodeCall,
        notes("TUL-64", "language", when=is_("language", BASH)),
        ok("language"),
    ),
    of(ir.CodeResult, *rows.CODE_RESULT),
    of(ir.ToolResult, omits("TUL-14", "is_error", when=is_("is_error", False)), ok("is_error")),
    inside("citations", ok(ir.UrlCitation), kind="response"),
    *rows.media_rows(
        own.IMAGES,
        lacking("media_urls", refuses("SRC-2", ir.Url)),
        videos=rows.typed_urls(typed(wire.VIDEO_FILES, "video/mp4"), own.untyped_video),
    ),
    *rows.given_rows("PDF and text", google.PDF),
    *rows.made_rows(
        own.IMAGES,
        *CODE,
        answered=(
            loses("TUL-22", ir.WebSearchCall, when=is_("queries", [])),
            loses("TUL-22", ir.WebSearchResult, when=is_("hits", [])),
            ok(*SEARCH),
        ),
    ),
)

RESPONSES = (
    of(ir.Response, ok("tier=standard|priority|flex")),
    of(ir.Candidate, ok("logprobs")),
    of(ir.ScoredToken, ok("id"), omits("ENV-1", "bytes")),
    of(ir.Terminal, ok("message")),
    of(ir.Usage, *rows.USAGE),
    of(Error, *rows.ERROR, loses("ERR-2", "code", when=holds("code", int)), ok("code status retry_after")),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
