"""What OpenAI Responses supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.backends._openai.conditions import (
    ADDRESSES,
    CACHEABLE,
    DEFAULT_SAMPLING,
    ERRORS,
    IMAGE_DETAIL,
    IMAGES,
    SETTINGS,
    TOOLS,
    named,
    needs_name,
    stored_elsewhere,
    unshowable,
)
from proxai_ir.ir.calls import BASH, PYTHON
from proxai_ir.ir.envelope import is_closed, is_unverified
from proxai_ir.rules.conditions import (
    SUMMARISED,
    UNOPENED,
    UNOPENED_SEAL,
    always,
    cache_lifetimes,
    empty,
    foreign,
    holds,
    is_,
    neutral,
    off,
    opens_pages,
    searches_tools,
    silent,
    which,
)
from proxai_ir.rules.rows import CODE, MCP, SEARCH
from proxai_ir.rules.tool_conditions import TOOL_SEARCHES
from proxai_ir.rules.verdicts import inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import openai_responses as wire

from .conditions import (
    FEWEST_TOKENS,
    NO_ADDRESS,
    NO_CONTAINER,
    as_search,
    bare_hits,
    described,
    descriptions,
    foreign_seal,
    run_by_provider,
    signed_elsewhere,
    too_short,
    transcript,
    unmarkable,
    unreadable,
    unscorable,
    useless,
)
from .settings import MODELS

REQUESTS = (
    of(
        ir.Sampling,
        *neutral(**DEFAULT_SAMPLING, top_logprobs=0),
    ),
    *MODELS.rows,
    of(
        ir.Request,
        lacking("cache_breakpoints", refuses("CAC-8", "max_tokens", when=is_("max_tokens", 0))),
        weaker("SMP-9", "max_tokens", when=too_short, by=always(FEWEST_TOKENS), detail=f"at least {FEWEST_TOKENS}"),
        ok("max_tokens hosted_calls"),
    ),
    of(
        ir.Sampling,
        *(omits("SMP-6", name, when=off(name)) for name in ("stop", "seed", "logprobs")),
        ok("temperature top_p logprobs top_logprobs"),
        loses("SMP-11", "stop"),
        loses("SMP-10", "seed"),
    ),
    of(ir.Thinking, ok("display=summarized"), omits("SMP-6", "display=omitted")),
    of(ir.Output, ok("verbosity")),
    *SETTINGS,
    *TOOLS,
    of(ir.Caching, *cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(ir.Streaming, ok("obfuscation"), omits("STR-13", "usage", elsewhere=True)),
    of(ir.WebSearchTool, ok("allowed_domains max_uses")),  # as `limited_searches` judges it
    inside(
        "tools",
        ok(ir.CustomTool, ir.WebSearchTool, ir.CodeTool, ir.McpServer),
        omits("TUL-38", ir.HostedTool, when=searches_tools),
        weaker("TUL-41", ir.HostedTool, when=opens_pages, by=as_search),
        loses("TUL-6", ir.HostedTool, detail=which),
        omits("ENV-7", ir.McpToolset),  # its server has it
    ),
    of(ir.AllowedChoice, ok("tools")),
    inside("tool choice", ok(ir.WebSearchChoice, ir.CodeChoice, ir.CustomChoice)),
)

NOTHING = (omits("ENV-7", ir.Reasoning, when=empty), *UNOPENED)
DOCUMENTS = (
    weaker("DOC-3", ir.Document, when=holds("source", ir.Chunks), at="type"),
    notes("DOC-2", ir.Document, when=needs_name, by=named),
    ok(ir.Document),
)

CONTENT = (
    of(
        ir.Turn,
        lacking("system_in_place", notes("PLC-1", "role=developer", by=always(ir.Role.SYSTEM))),
        ok("role=developer"),
    ),
    *CACHEABLE,
    of(ir.Audio, ok("cache")),
    IMAGE_DETAIL,
    of(ir.ClientCall, ok("kind id arguments raw"), omits("ENV-7", "name")),
    of(ir.WebSearchCall, run_by_provider("id", wire.WEB_ID), ok("id page")),
    of(
        ir.WebSearchResult,
        run_by_provider("call_id", wire.WEB_ID),
        ok("call_id"),
        weaker("TUL-22", "error"),
        weaker("TUL-22", "hits", when=described, by=bare_hits, detail=descriptions),
    ),
    of(ir.WebHit, omits("ENV-1", "age"), ok("seal")),
    of(ir.McpCall, run_by_provider("id", wire.MCP_ID), ok("id")),
    of(ir.McpResult, run_by_provider("call_id", wire.MCP_ID), ok("call_id")),
    of(
        ir.CodeCall,
        run_by_provider("id", wire.CODE_ID),
        notes("TUL-64", "language", when=is_("language", BASH), by=always(PYTHON)),  # all that the wire knows
        ok("id language"),
    ),
    of(
        ir.CodeResult,
        run_by_provider("call_id", wire.CODE_ID),
        ok("call_id"),
        omits("ENV-7", "exit_code", when=is_("exit_code", 0)),
        loses("TUL-39", "exit_code"),
    ),
    of(ir.ToolResult, omits("CAC-4", "cache", when=unmarkable), ok("cache")),
    of(ir.Reasoning, ok("summary"), *UNOPENED_SEAL, *foreign(foreign_seal), ok("seal")),
    inside("citations", ok(ir.UrlCitation)),
    IMAGES,
    inside("document source", ADDRESSES, ok(ir.Url)),
    *(
        inside(place, refuses("SRC-1", ir.FileRef, when=stored_elsewhere), ok(ir.FileRef))
        for place in ("image source", "document source")
    ),
    inside("user", *DOCUMENTS),
    inside(
        "assistant",
        lacking("bare_reasoning", loses("RSN-10", ir.Reasoning, when=is_closed)),
        lacking("bare_reasoning", loses("RSN-11", ir.Reasoning, when=is_unverified)),
        lacking("bare_reasoning", loses("RSN-5", ir.Reasoning, when=signed_elsewhere)),
        *NOTHING,
        omits("RSN-26", ir.Reasoning, when=useless),
        loses("RSN-4", ir.Reasoning, when=unreadable),
        ok(ir.Reasoning, ir.Refusal, ir.CustomCall, ir.ClientCall, *SEARCH, *MCP),
        loses("IMG-4", ir.Image, when=unshowable),
        loses("IMG-4", ir.Image, when=holds("source", ir.Url), detail=NO_ADDRESS),
        lacking("generated_images", loses("IMG-4", ir.Image)),
        ok(ir.Image),
        TOOL_SEARCHES,
        loses("TUL-6", ir.HostedCall, ir.HostedResult, detail=which),
        loses("TUL-6", *CODE, detail=NO_CONTAINER),
    ),
    inside(
        "assistant",
        *NOTHING,
        loses("RSN-4", ir.Reasoning, when=unreadable),
        ok(ir.Reasoning, *CODE),
        loses("IMG-4", ir.Image, when=unshowable),
        loses("IMG-4", ir.Image, when=holds("source", ir.Url), detail=NO_ADDRESS),
        ok(ir.Image),
        loses("AUD-2", ir.Audio, when=silent),
        weaker("AUD-2", ir.Audio, by=transcript),
        SUMMARISED,
        loses("CTX-1", ir.VendorPart),
        kind="response",
    ),
    inside("tool result", *DOCUMENTS),
)

RESPONSES = (
    of(
        ir.Response,
        omits("ENV-3", "tier", when=is_("fast", True)),
        ok("created metadata tier=auto|standard|priority|flex|scale"),
        omits("ENV-3", "tier=batch"),
        omits("ENV-3", "fast", when=is_("fast", False)),
        ok("fast"),
    ),
    of(ir.Candidate, loses("SMP-7", "logprobs", when=unscorable), ok("logprobs")),
    of(ir.LogProbs, ok("refusal")),
    of(ir.Terminal, ok("reason=refusal"), weaker("STS-3", "reason=stop_sequence|context_window")),
    *ERRORS,
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
