"""The verdicts of Responses on the fields of the IR, their conditions, and its servers' settings."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import is_closed, is_unverified
from proxai_ir.ir.parts import BASH, PYTHON
from proxai_ir.targets import conditions as c
from proxai_ir.targets import models, thinking
from proxai_ir.targets.base import CODE, MCP, SEARCH
from proxai_ir.targets.settings import capability, option
from proxai_ir.targets.verdicts import Verdict, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import openai
from proxai_ir.wire import openai_responses as wire

from .._openai import conditions as shared

# --- settings ---------------------------------------------------------------------------------------------------------

REFUSAL_STATUS = '`"completed"` instead of `"failed"` for a refusal that is the source\'s stop reason (REF-12)'

MODELS = models.taken(
    "documents efforts forced_choice forced_with_thinking function_tools highest_effort hosted_tools images "
    "json_with_tools least_effort logprobs medium_effort most_tools named_choice parallel_tools sampling "
    "sampling_with_thinking schema_references strict_tools structured_output thinking thinking_off thinks_by_default "
    "token_limit tool_choice xhigh_effort",
    thinking_off=False,
)

SETTINGS = {
    **MODELS.settings,
    **shared.COMPOSED_PARAMETERS,
    "bare_reasoning": capability(False, "reasoning items of requests with neither id nor encrypted content (RSN-5)"),
    "cache_breakpoints": capability(False, "cache breakpoints and `prompt_cache_options` (CAC-4): newer models"),
    "encrypted_reasoning": capability(True, "encrypted reasoning for the next request, where it is asked for (RSN-25)"),
    "generated_images": capability(False, "images that a model made, in requests (IMG-4); responses always have them"),
    "items_after_calls": capability(
        True,
        "other items between a call and its output; otherwise they are moved before or after (PLC-5, PLC-71)",
        {"results": "turns", "calls_last": True},
    ),
    "openai_tools": capability(
        True,
        "custom tools, which are refused or emulated otherwise (TUL-2, TUL-19), and tools in namespaces or in items "
        "of the conversation, which are sent one by one otherwise (TUL-25)",
        {"namespaces": False},
    ),
    "search_sources": capability(True, "the wish for the pages that a search finds, in `include` (TUL-81)"),
    "system_in_place": capability(
        True, "instructions in mid-conversation (PLC-2), and several messages at the beginning", {"later": "nowhere"}
    ),
    "turn_settings": capability(
        False, "items that change settings from there on (RSN-45)", {"changeable": ("thinking", "output")}
    ),
    "refusal_status": option(wire.FAILED, REFUSAL_STATUS, of="responses", choices=(wire.FAILED, wire.COMPLETED)),
}


# --- settings ---------------------------------------------------------------------------------------------------------

FEWEST_TOKENS = 16


def too_short(root: ir.Request) -> bool:
    """Return whether the output limit is below the lowest that this protocol accepts (SMP-9)."""
    return root.max_tokens is not None and 0 < root.max_tokens < FEWEST_TOKENS


# --- tools ------------------------------------------------------------------------------------------------------------


def as_search(tool: ir.HostedTool) -> ir.WebSearchTool:
    """Return a web search of the same domains in place of a tool that opens pages."""
    search = ir.WebSearchTool(tool.kind, src=tool.src)
    domains, limit = tool.raw.get("allowed_domains"), tool.raw.get("max_uses")
    if isinstance(domains, list) and all(isinstance(one, str) for one in domains):
        search.allowed_domains = domains
    if type(limit) is int:
        search.max_uses = limit
    return search


# --- parts ------------------------------------------------------------------------------------------------------------

MARKABLE = (ir.Text, ir.Image, ir.Document, ir.SearchResult)  # parts that a cache breakpoint can follow


def unmarkable(result: ir.ToolResult) -> bool:
    """Return whether a result has no part that a cache breakpoint can follow."""
    return not any(isinstance(part, MARKABLE) for part in result.parts)


def foreign_seal(reasoning: ir.Reasoning) -> bool:
    """Return whether there is no seal that this protocol carries."""
    seal = reasoning.seal
    return seal is None or (seal.provider, seal.kind) != (openai.PROVIDER, wire.ENCRYPTED)


def unreadable(reasoning: ir.Reasoning) -> bool:
    """Return whether reasoning has neither text nor a seal that this protocol carries."""
    return not reasoning.text and foreign_seal(reasoning)


def useless(reasoning: ir.Reasoning) -> bool:
    """Return whether reasoning has only a signature that this provider did not issue."""
    return foreign_seal(reasoning) and c.signature_alone(reasoning)


def signed_elsewhere(reasoning: ir.Reasoning) -> bool:
    """Return whether reasoning has text under another provider's seal; `without_bare_reasoning` judges other text."""
    return bool(reasoning.text) and reasoning.seal is not None and foreign_seal(reasoning)


DESCRIPTIONS = {"title": "title", "seal": "encrypted content"}  # of search hits


def described(result: ir.WebSearchResult) -> bool:
    """Return whether the hits have more than their URLs, the only thing that this protocol has for them."""
    return any(_is_described(hit, name) for hit in result.hits for name in DESCRIPTIONS)


def _is_described(hit: ir.WebHit, name: str) -> bool:
    return bool(getattr(hit, name)) and not (name == "seal" and c.blank(hit))


def bare_hits(result: ir.WebSearchResult) -> list[ir.WebHit]:
    return [ir.WebHit(hit.url, None, None, None, hit.src) for hit in result.hits]


def descriptions(result: ir.WebSearchResult) -> str:
    """Return what is lost of the hits, and of how many."""
    lost = [word for name, word in DESCRIPTIONS.items() if any(_is_described(hit, name) for hit in result.hits)]
    return f"{', '.join(lost)} of {len(result.hits)} page{'s' if len(result.hits) > 1 else ''}"


def transcript(audio: ir.Audio) -> ir.Text:
    return ir.Text(audio.transcript or "", None, None, audio.src)


WORDING = {ir.Text: "text", ir.Audio: "transcript"}


def unscorable(candidate: ir.Candidate) -> bool:
    """Return whether log probabilities have no single text to stand with; parts without wording do not count."""
    texts = [part for part in candidate.parts if type(part) in WORDING and getattr(part, WORDING[type(part)])]
    return len(texts) != 1 or candidate.logprobs is None or not of_text(candidate.logprobs)


def of_text(scored: ir.LogProbs) -> bool:
    """Return whether all log probabilities are of tokens of text."""
    return scored.text is not None and not scored.refusal


NO_ADDRESS = "an image that was generated has its data here, and no address"
NO_CONTAINER = "a run of code must name the container of this provider that it ran in"


# --- ids --------------------------------------------------------------------------------------------------------------

accepted_id = shared.id_of_at_most(wire.MOST_OF_ID)


def run_by_provider(name: str, prefix: str) -> Verdict:
    """Return the verdict on the id of a provider-run call, which has a prefix (TUL-13)."""

    def sent(node: Any) -> str:
        return accepted_id(c.prefixed(getattr(node, name), prefix))

    return notes("TUL-13", name, when=lambda node: getattr(node, name) != sent(node), by=sent)


# --- target rows ------------------------------------------------------------------------------------------------------

REQUESTS = (
    of(
        ir.Sampling,
        *c.neutral(**shared.DEFAULT_SAMPLING, top_logprobs=0),
    ),
    *MODELS.rows,
    of(
        ir.Request,
        lacking("cache_breakpoints", refuses("CAC-8", "max_tokens", when=c.is_("max_tokens", 0))),
        weaker("SMP-9", "max_tokens", when=too_short, by=c.always(FEWEST_TOKENS), detail=f"at least {FEWEST_TOKENS}"),
        ok("max_tokens hosted_calls"),
    ),
    of(
        ir.Sampling,
        *(omits("SMP-6", name, when=c.off(name)) for name in ("stop", "seed", "logprobs")),
        ok("temperature top_p logprobs top_logprobs"),
        loses("SMP-11", "stop"),
        loses("SMP-10", "seed"),
    ),
    of(ir.Thinking, thinking.BY_EFFORT, ok("display=summarized"), omits("SMP-6", "display=omitted")),
    of(ir.Output, ok("verbosity")),
    *shared.SETTINGS,
    *shared.TOOLS,
    of(ir.Caching, *c.cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(ir.Streaming, ok("obfuscation"), omits("STR-13", "usage", elsewhere=True)),
    of(ir.WebSearchTool, ok("allowed_domains max_uses")),  # `limited_searches` judges the limit
    of(ir.McpServer, ok("http_headers")),
    inside(
        "tools",
        lacking("openai_tools", refuses("TUL-2", ir.CustomTool)),
        ok(ir.CustomTool, ir.WebSearchTool, ir.CodeTool, ir.McpServer),
        *c.LOADING_TOOLS,
        weaker("TUL-41", ir.HostedTool, when=c.opens_pages, by=as_search),
        loses("TUL-6", ir.HostedTool, detail=c.which),
        omits("ENV-7", ir.McpToolset),  # its server has its tools
    ),
    of(ir.AllowedChoice, ok("tools")),
    inside(
        "tool choice",
        lacking("openai_tools", refuses("TUL-2", ir.CustomChoice)),
        ok(ir.WebSearchChoice, ir.CodeChoice, ir.CustomChoice),
    ),
)

NOTHING = (omits("ENV-7", ir.Reasoning, when=c.empty), *c.UNOPENED)
DOCUMENTS = (
    weaker("DOC-3", ir.Document, when=c.holds("source", ir.Chunks), at="type"),
    notes("DOC-2", ir.Document, when=shared.needs_name, by=shared.named),
    ok(ir.Document),
)

CONTENT = (
    of(ir.Turn, ok("role=developer")),
    *shared.CACHEABLE,
    of(ir.Audio, ok("cache")),
    shared.IMAGE_DETAIL,
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
        # Python is the only language of this protocol
        notes("TUL-64", "language", when=c.is_("language", BASH), by=c.always(PYTHON)),
        ok("id language"),
    ),
    of(
        ir.CodeResult,
        run_by_provider("call_id", wire.CODE_ID),
        ok("call_id"),
        omits("ENV-7", "exit_code", when=c.is_("exit_code", 0)),
        loses("TUL-39", "exit_code"),
    ),
    of(ir.ToolResult, omits("CAC-4", "cache", when=unmarkable), ok("cache")),
    of(ir.Reasoning, ok("summary"), *c.UNOPENED_SEAL, *c.foreign(foreign_seal), ok("seal")),
    inside("citations", ok(ir.UrlCitation)),
    shared.IMAGES,
    inside("document source", shared.PDF_TYPE, shared.ADDRESSES, ok(ir.Inline, ir.Url)),
    *(
        inside(place, refuses("SRC-1", ir.FileRef, when=shared.stored_elsewhere), ok(ir.FileRef))
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
        lacking("openai_tools", refuses("TUL-2", ir.CustomCall)),
        ok(ir.Reasoning, ir.Refusal, ir.CustomCall, ir.ClientCall, *SEARCH, *MCP),
        loses("IMG-4", ir.Image, when=shared.unshowable),
        loses("IMG-4", ir.Image, when=c.holds("source", ir.Url), detail=NO_ADDRESS),
        lacking("generated_images", loses("IMG-4", ir.Image)),
        ok(ir.Image),
        c.TOOL_SEARCHES,
        loses("TUL-6", ir.HostedCall, ir.HostedResult, detail=c.which),
        loses("TUL-6", *CODE, detail=NO_CONTAINER),
    ),
    inside(
        "assistant",
        *NOTHING,
        loses("RSN-4", ir.Reasoning, when=unreadable),
        ok(ir.Reasoning, *CODE),
        loses("IMG-4", ir.Image, when=shared.unshowable),
        loses("IMG-4", ir.Image, when=c.holds("source", ir.Url), detail=NO_ADDRESS),
        ok(ir.Image),
        loses("AUD-2", ir.Audio, when=c.silent),
        weaker("AUD-2", ir.Audio, by=transcript),
        c.SUMMARISED,
        c.NO_SOURCES,
        loses("CTX-1", ir.VendorPart),
        kind="response",
    ),
    inside("tool result", *DOCUMENTS),
)

RESPONSES = (
    of(
        ir.Response,
        omits("ENV-3", "tier", when=c.is_("fast", True)),
        ok("created metadata tier=auto|standard|priority|flex|scale"),
        omits("ENV-3", "tier=batch"),
        omits("ENV-3", "fast", when=c.is_("fast", False)),
        ok("fast"),
    ),
    of(ir.Candidate, loses("SMP-7", "logprobs", when=unscorable), ok("logprobs")),
    of(ir.LogProbs, ok("refusal")),
    of(ir.Terminal, ok("reason=refusal"), weaker("STS-3", "reason=stop_sequence|context_window")),
    *shared.ERRORS,
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
