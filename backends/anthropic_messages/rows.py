"""The verdicts of Anthropic Messages on the fields of the IR, their conditions, and its servers' settings."""

from __future__ import annotations

import re
from copy import copy
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import is_closed, is_unverified
from proxai_ir.ir.media_types import document_type
from proxai_ir.json.types import quoted
from proxai_ir.schemas import client_tools
from proxai_ir.targets import conditions as c
from proxai_ir.targets import grammars, models, thinking, verdicts
from proxai_ir.targets.base import CACHED, CODE, MCP
from proxai_ir.targets.settings import capability, option
from proxai_ir.targets.verdicts import fills, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import anthropic_messages as wire

from .._lib import writing
from .._lib.writing import text_of

# --- settings ---------------------------------------------------------------------------------------------------------

MAX_TOKENS = 32000
"""A limit that every current Claude accepts; thinking counts, and a lower limit cuts agents' long files short."""


MODELS = models.taken(
    "documents forced_choice forced_with_thinking highest_effort hosted_tools images json_with_tools "
    "many_strict_tools named_choice parallel_tools sampling schema_references stop_sequences strict_tools "
    "structured_output temperature_with_top_p thinking thinking_budgets thinking_off thinks_by_default tool_choice "
    "unreasoned_calls xhigh_effort zero_temperature",
    many_strict_tools=False,
    thinks_by_default=False,
)

SETTINGS = {
    **MODELS.settings,
    **thinking.SETTINGS,
    "automatic_caching": capability(
        True, "`cache_control` of the whole request; a breakpoint at the end of the prompt is sent otherwise (SVC-7)"
    ),
    "betas": capability(True, "betas of the vendor's API, which switch on features of requests (CAP-8)"),
    "end_users": capability(True, "ids of end users (USR-2)"),
    "fast_mode": capability(True, "`speed` (SVC-1)"),
    "other_hosted_tools": capability(
        True, "tools that the provider runs other than web search and tool search (TUL-6)"
    ),
    "prefill": writing.SETTING,
    "service_tiers": capability(True, "service tiers, the usual one among them (SMP-6)"),
    "system_in_place": capability(
        False, "instructions in mid-conversation, before a message of the assistant (PLC-2)", {"later": "after_user"}
    ),
    "turn_settings": capability(
        False, "messages that set the effort from there on (RSN-45)", {"changeable": ("thinking",)}
    ),
    "web_search": capability(True, "the provider's web search (TUL-6)"),
    "max_tokens": option(
        MAX_TOKENS,
        f"the output limit of requests that set none; {MAX_TOKENS} by default (SMP-1)",
        of="requests",
    ),
    "allow_empty": option(False, "accept a response without content (CHO-3, CHO-5)", of="responses", proxied=True),
    "input_tokens": option(
        0, "the input tokens of `message_start`, before any is reported; 0 by default", of="streams"
    ),
}

VERSIONS = {
    "2023-06-01": {},
    "2026-10-21": {"sampling": False},
}
"""The versions of the API, by the header `anthropic-version`, with the capabilities that each changes.

2026-10-21 also rejects documents in assistant messages and citations on the text of user messages; no version gets
either from another protocol (PLC-3, CIT-1).
"""


# --- conditions -------------------------------------------------------------------------------------------------------

MEDIA = ", ".join([*sorted(wire.IMAGE_TYPES), wire.PDF, "text/*", "application/json"])
LIMITS = {
    "CAC-2": f"available: {', '.join(wire.TTL)}",
    "CAC-3": f"available: {', '.join(wire.TTL)}",
    "CAC-6": f"at most {wire.MOST_BREAKPOINTS}",
    "SCH-4": f"a name must match {grammars.PARAMETER_NAME}",
    "SRC-3": f"accepted: {MEDIA}; URLs with http:// or https://",
    "TUL-26": f"a name must match {wire.TOOL_NAME}",
    "TUL-13": f"an id must match {wire.CALL_ID}; what the provider runs, {wire.SERVER_CALL_ID} or {wire.MCP_ID}…",
    "USR-5": f"at most {wire.MOST_OF_END_USER} characters",
}
"""The values that this protocol accepts, for diagnostics."""

# --- settings ---------------------------------------------------------------------------------------------------------


def names_end_user(service: ir.Service) -> bool:
    """Return whether the metadata alone name the end user, under this protocol's key."""
    named = (service.metadata or {}).get(wire.USER_ID)
    known = service.end_user is not None or service.user is not None
    return not known and isinstance(named, str) and 0 < len(named) <= wire.MOST_OF_END_USER


def as_end_user(service: ir.Service) -> verdicts.Fields:
    return verdicts.Fields(metadata=None, end_user=(service.metadata or {})[wire.USER_ID])


def limits_search(root: ir.Request) -> bool:
    """Return whether a limit on all provider-run calls is one on the only web search, at least 1 (TUL-9)."""
    return (root.hosted_calls or 0) > 0 and ir.lone_search(root.tools or ()) is not None


def too_hot(sampling: ir.Sampling) -> bool:
    """Return whether the temperature is not from 0 to 1, this protocol's range (SMP-2)."""
    return sampling.temperature is not None and not 0 <= sampling.temperature <= 1


BLANK_STOP = "a stop sequence must not be only whitespace"


# --- tools ------------------------------------------------------------------------------------------------------------

CALLABLE = (ir.FunctionTool, ir.WebSearchTool, ir.CodeTool, ir.McpServer, ir.HostedTool)


OTHER_HOSTED = (ir.CodeTool, ir.McpServer, ir.McpToolset)
"""The hosted tools that have a form of their own, but for web search."""


def loads_no_tools(tool: ir.HostedTool) -> bool:
    """Return whether a hosted tool does anything but serve the loading of the request's tools."""
    return tool.kind != ir.BOOKKEEPING and not c.searches_tools(tool)


def is_worded(error: ir.Error) -> bool:
    """Return whether the message has an error's code in words, as for the stop reason of a failed generation."""
    return isinstance(error.code, str) and error.code.replace("_", " ").lower() in error.message.lower()


def is_own(tool: ir.ClientTool) -> bool:
    """Return whether a tool that the client runs is one of this protocol's, which other protocols have from it."""
    return tool.kind in client_tools.ANTHROPIC


def web_fetch(tool: ir.HostedTool) -> ir.HostedTool:
    """Return the tool that replaces another provider's tool for opening pages."""
    raw = {"type": wire.FETCH_TOOL, "name": wire.WEB_FETCH}
    return ir.HostedTool(wire.FETCH_TOOL, wire.WEB_FETCH, raw, tool.src)


# --- ids --------------------------------------------------------------------------------------------------------------

CALL_ID = re.compile(wire.CALL_ID).fullmatch
ODD = re.compile(r"[^a-zA-Z0-9_-]")


def accepted_call_id(given: str) -> str:
    """Return an id of this protocol's alphabet: odd characters become `_`, and a checksum follows (TUL-13).

    Most ids are ASCII identifiers; testing that is faster than the pattern.
    """
    if (given.isascii() and given.isidentifier()) or CALL_ID(given) is not None:
        return given
    return c.checked(ODD.sub("_", given), given)


SERVER_CALL_ID = re.compile(wire.SERVER_CALL_ID).fullmatch
ODD_OF_SERVER = re.compile(r"[^a-zA-Z0-9_]")


def accepted_server_id(given: str) -> str:
    """Return an id for a provider-run call, which has a prefix and no hyphens (TUL-13)."""
    begun = c.prefixed(given, wire.SERVER_ID)
    return begun if SERVER_CALL_ID(begun) is not None else c.checked(ODD_OF_SERVER.sub("_", begun), begun)


def run_by_provider(name: str) -> Any:
    """Return the verdict on the id of a provider-run call."""
    return notes(
        "TUL-13",
        name,
        when=lambda node: SERVER_CALL_ID(getattr(node, name)) is None,
        by=lambda node: accepted_server_id(getattr(node, name)),
    )


def generated_id(response_id: str, index: int) -> str:
    """Return the id of a call without one: the response's own id and the position of the block (TUL-17)."""
    return accepted_call_id(f"toolu_{response_id}_{index}")


# --- parts ------------------------------------------------------------------------------------------------------------


def unsigned(reasoning: ir.Reasoning) -> bool:
    """Return whether reasoning lacks a seal that this protocol's provider can read."""
    return reasoning.seal is None or reasoning.seal.provider != wire.PROVIDER


def unreadable(reasoning: ir.Reasoning) -> bool:
    """Return whether reasoning has neither text nor a seal that this protocol's provider can read."""
    return not reasoning.text and unsigned(reasoning)


NEVER_SIGNED = (
    loses("RSN-10", ir.Reasoning, when=is_closed),
    loses("RSN-11", ir.Reasoning, when=is_unverified),
    omits("RSN-26", ir.Reasoning, when=lambda reasoning: unsigned(reasoning) and c.signature_alone(reasoning)),
    loses("RSN-5", ir.Reasoning, when=unreadable),
    lacking("unsigned_thinking", loses("RSN-5", ir.Reasoning, when=unsigned)),
)
"""The verdicts on reasoning that cannot be sent to a model without its provider's seal."""


def other_image(source: Any) -> bool:
    """Return whether an image has a type that this protocol does not take."""
    return source.mime not in wire.IMAGE_TYPES


def illustrated(result: ir.SearchResult) -> bool:
    """Return whether a search result has more than text, which only chunks of documents may have."""
    return any(type(part) is not ir.Text for part in result.parts)


def textual(source: ir.Inline) -> bool:
    """Return whether a document is text that came as data; this protocol takes it as text, not as base64."""
    return c.is_text_type(source.mime)


def as_text(source: ir.Inline) -> ir.PlainText:
    """Return a document's data as text; refused if they are not base64 of UTF-8 (SRC-3)."""
    return ir.PlainText(text_of(source), wire.PLAIN, source.src)


def other_document(document: ir.Document) -> bool:
    """Return whether a document has data that are neither PDF nor text."""
    source = document.source
    if not isinstance(source, ir.Inline) or textual(source):
        return False
    return document_type(source.mime, source.data) != wire.PDF


def unsealed(result: ir.WebSearchResult) -> bool:
    """Return whether a search result lacks what this protocol requires.

    A hit needs a title and a content seal of Anthropic's; an opened page needs its text.
    """
    return result.page is not None or any(_is_unsealed(hit) for hit in result.hits)


def _is_unsealed(hit: ir.WebHit) -> bool:
    return hit.title is None or hit.seal is None or hit.seal.provider != wire.PROVIDER


def why_not_opened(result: ir.WebSearchResult) -> str:
    return "" if result.page is None or result.error is None else quoted(result.error, 80)


def nothing_found(call: ir.WebSearchCall) -> ir.WebSearchResult:
    return ir.WebSearchResult(call.id, [], src=call.src, page=call.page)


def with_nothing_sealed(result: ir.WebSearchResult) -> ir.WebSearchResult:
    """Return a search result with empty titles and contents for unknown ones; clients require both (TUL-66)."""
    made = copy(result)
    made.hits = [copy(hit) if _is_unsealed(hit) else hit for hit in result.hits]
    for hit in filter(_is_unsealed, made.hits):
        hit.title, hit.seal = hit.title or "", ir.Seal(wire.PROVIDER, "content", "")
    if result.page is not None and result.error is not None and result.error not in wire.FETCH_ERRORS:
        made.error = wire.NOT_FETCHED
    return made


def succeeded(_: ir.CodeResult) -> int:
    """Return the exit code of a run of which only the output is known (TUL-40)."""
    return 0


# --- endings ----------------------------------------------------------------------------------------------------------


def explained(ending: ir.Terminal) -> bool:
    """Return whether a refusal or filtered response lacks an explanation, so that the ending's message is one."""
    stated = ending.refusal is not None and ending.refusal.explanation is not None
    return ending.reason in (ir.REFUSAL, ir.CONTENT_FILTER) and not stated


# --- target rows ------------------------------------------------------------------------------------------------------


REQUESTS = (
    of(
        ir.Sampling,
        loses("SMP-2", "temperature", when=too_hot, detail="a temperature must be from 0 to 1"),
        omits("SMP-6", "top_k", when=c.unbounded),
        # The reference has 1.0 as the default temperature, and top_p 1 keeps all tokens; newer models refuse it.
        *c.neutral(temperature=1, top_p=1),
        ok("stop", when=c.is_("stop", []), by=thinking.absent),
    ),
    of(
        ir.Thinking,
        *thinking.FIRST,
    ),
    inside(
        "tools",
        lacking("web_search", loses("TUL-6", ir.WebSearchTool)),
        lacking("other_hosted_tools", loses("TUL-6", *OTHER_HOSTED)),
        lacking("other_hosted_tools", loses("TUL-6", ir.HostedTool, when=loads_no_tools, detail=c.which)),
    ),
    *MODELS.rows,
    of(
        ir.Request,
        *writing.VERDICTS,
        ok("max_tokens parallel_tools"),
        ok("hosted_calls", when=limits_search),
        loses("TUL-9", "hosted_calls"),
    ),
    of(
        ir.Sampling,
        weaker("SMP-2", "stop", when=c.has_blank_stop, by=c.without_blank_stops, detail=BLANK_STOP),
        ok("temperature top_p top_k stop"),
    ),
    of(
        ir.Thinking,
        *thinking.LAST,
    ),
    inside("format", omits("SMP-6", ir.PlainFormat), loses("OUT-3", ir.JsonFormat), *c.STATED_SCHEMA),
    of(
        ir.Caching,
        omits("SMP-6", "automatic", when=c.is_("automatic", False)),
        omits("CAC-5", "lifetime", when=c.is_("automatic", None, False)),
        *c.cache_lifetimes("lifetime", wire.TTL.values()),
        ok("automatic"),
    ),
    of(ir.Cache, *c.cache_lifetimes("ttl", wire.TTL.values())),
    *(of(cls, ok("cache")) for cls in CACHED if cls not in (ir.Video, ir.ToolChange)),
    of(
        ir.Service,
        lacking("end_users", omits("USR-2", "end_user")),
        lacking("service_tiers", omits("SMP-6", "tier=auto|standard")),
        lacking("fast_mode", omits("SMP-6", "fast", when=c.is_("fast", False))),
        lacking("fast_mode", loses("SVC-1", "fast")),
        notes("USR-5", "end_user", when=c.end_user_beyond(wire.MOST_OF_END_USER), by=c.hashed_end_user),
        lacking("end_users", omits("USR-3", "metadata")),
        notes("USR-3", "metadata", when=names_end_user, by=as_end_user, detail="but for its `user_id`"),
        omits("USR-3", "metadata"),
        ok("fast end_user tier=auto|standard"),
    ),
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    of(
        ir.FunctionTool,
        fills("SCH-2", "parameters", by=grammars.of_an_object),
        ok("parameters", when=grammars.has_flaw("")),
        refuses("SCH-3", "parameters", when=grammars.has_flaw("SCH-3")),
        refuses("SCH-4", "parameters", when=grammars.has_flaw("SCH-4")),
        weaker("SCH-9", "parameters", when=grammars.has_flaw("SCH-9"), by=grammars.uncomposed),
        notes("SCH-2", "parameters", by=grammars.of_an_object),
        loses("SCH-1", "strict", when=grammars.composed_though_strict),
        ok("strict"),
    ),
    of(ir.WebSearchTool, ok("allowed_domains blocked_domains max_uses")),
    of(ir.ClientTool, loses("TUL-34", "kind raw function own_calls", elsewhere=True)),  # reported with the tool
    inside(
        "tools",
        ok(ir.WebSearchTool, ir.CodeTool),
        notes("TUL-24", ir.McpServer),
        ok(ir.ClientTool, when=is_own),
        loses("TUL-71", ir.ClientTool, when=c.is_("function", None), detail=c.which),
        loses("TUL-34", ir.ClientTool, detail=c.which),
        *c.LOADING_TOOLS,
        ok(ir.HostedTool, when=c.opens_all_pages, by=web_fetch),
        weaker("TUL-41", ir.HostedTool, when=c.opens_pages, by=web_fetch),
        loses("TUL-6", ir.HostedTool, detail=c.which),
    ),
    of(
        ir.AllowedChoice,
        weaker("TUL-6", "tools", when=c.lists_beyond("function", "custom", "mcp", "web_search", "code_interpreter")),
        ok("tools"),
    ),
    inside("tool choice", ok(ir.WebSearchChoice, ir.CodeChoice)),
)

CONTENT = (
    of(ir.Document, ok("title context cite")),
    of(ir.SearchResult, refuses("PLC-3", "parts", when=illustrated), ok("cite")),
    of(
        ir.WebSearchCall,
        run_by_provider("id"),
        weaker("TUL-22", "queries", when=lambda call: len(call.queries) > 1, by=lambda call: call.queries[:1]),
        ok("id queries page"),
    ),
    of(ir.WebSearchResult, run_by_provider("call_id"), ok("call_id error page")),
    of(ir.WebHit, ok("age seal")),
    of(
        ir.McpCall,
        notes("TUL-13", "id", when=c.unprefixed("id", wire.MCP_ID), by=c.with_prefix("id", wire.MCP_ID)),
        ok("id"),
    ),
    of(
        ir.McpResult,
        notes("TUL-13", "call_id", when=c.unprefixed("call_id", wire.MCP_ID), by=c.with_prefix("call_id", wire.MCP_ID)),
        ok("call_id"),
    ),
    of(ir.CodeCall, run_by_provider("id"), ok("id")),
    of(ir.CodeResult, run_by_provider("call_id"), fills("TUL-40", "exit_code", by=succeeded), ok("call_id error")),
    of(ir.ToolResult, ok("is_error")),
    of(ir.Reasoning, *c.UNOPENED_SEAL, *c.foreign(unsigned), ok("seal"), omits("RSN-8", "summary")),
    of(
        ir.PlainText,
        notes("ENV-1", "mime", when=c.is_not("mime", wire.PLAIN), by=lambda _: wire.PLAIN, detail=c.TYPE_ALONE),
        ok("mime"),
    ),
    inside("citations", ok(ir.DocumentCitation)),
    inside(
        "image source",
        c.corrected(accepted=wire.IMAGE_TYPES),
        refuses("SRC-3", ir.Inline, when=other_image),
        refuses("SRC-3", ir.Url, when=c.not_web),
        ok(ir.Inline, ir.Url),
    ),
    inside(
        "document source",
        refuses("SRC-3", ir.Url, when=c.not_web),
        c.respelled((wire.PDF,)),
        ok(ir.Inline, when=textual, by=as_text),
        ok(ir.Inline, ir.Url),
    ),
    *(
        inside(place, refuses("SRC-3", ir.Document, when=other_document), ok(ir.Document, ir.SearchResult))
        for place in ("user", "tool result")
    ),
    of(ir.TurnSettings, ok("passing")),
    inside("user", *c.SEALED_MESSAGE, c.NO_MARK, c.NO_SOURCES, loses("CTX-1", ir.VendorPart)),
    inside(
        "assistant",
        ok(*MCP, *CODE),
        omits("ENV-7", ir.Reasoning, when=c.empty),
        *NEVER_SIGNED,
        ok(ir.Reasoning),
        c.NO_COMPACTION,
        c.NO_MARK,
        c.NO_SOURCES,
        loses("CTX-1", ir.VendorPart),
        weaker("REF-7", ir.Refusal),
    ),
    inside(
        "assistant",
        omits("ENV-7", ir.Reasoning, when=c.empty),
        *c.UNOPENED,
        loses("RSN-4", ir.Reasoning, when=unreadable),
        ok(ir.Reasoning, ir.Refusal, ir.WebSearchCall),
        notes("TUL-66", ir.WebSearchResult, when=unsealed, by=with_nothing_sealed, detail=why_not_opened),
        ok(ir.WebSearchResult),
        c.SUMMARISED,
        c.NO_SOURCES,
        loses("TUL-6", ir.VendorPart, detail=c.which),
        kind="response",
    ),
    inside("instructions", c.NO_BOOKKEEPING, c.NO_MARK, refuses("PLC-3", ir.VendorPart)),
)

RESPONSES = (
    of(
        ir.Response,
        ok("fast tier=standard|priority|batch"),
        notes("ENV-1", "created fingerprint"),  # which a generated id is made of
    ),
    of(
        ir.Terminal,
        ok("message", when=explained),
        omits("ENV-1", "message"),
        weaker("STS-3", "reason=content_filter", elsewhere=True),
        refuses("STS-13", "reason=unfinished|failed"),
        ok("reason stop_sequence"),
    ),
    of(ir.RefusalDetails, ok("category")),
    of(ir.Usage, notes("USE-3", "total"), ok(f"details={'|'.join(wire.USAGE.entries('details'))}")),
    of(
        ir.Error,
        *c.message_of_error(wire.PROMPT_TOO_LONG, wire.PROMPT_TOO_LONG),
        ok("request_id"),
        omits("ERR-6", "code", when=is_worded),
        omits("ERR-6", "code", when=c.repeats_type),
        loses("ERR-2", "code param"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
