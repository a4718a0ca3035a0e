"""What Anthropic Messages supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir.ir import parts, request, response, terminal, tools, turns, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache
from proxai_ir.rules import typed_thinking as thinking
from proxai_ir.rules.approximations import least
from proxai_ir.rules.conditions import (
    NO_BOOKKEEPING,
    NO_COMPACTION,
    NO_MARK,
    SEALED_MESSAGE,
    SUMMARISED,
    UNOPENED,
    UNOPENED_SEAL,
    always,
    cache_lifetimes,
    empty,
    end_user_beyond,
    foreign,
    hashed_end_user,
    is_,
    is_not,
    lists_beyond,
    neutral,
    not_web,
    opens_pages,
    overflow_named,
    overflow_without,
    repeats_type,
    searches_tools,
    unbounded,
    unprefixed,
    which,
    with_prefix,
    worded,
    wordless,
)
from proxai_ir.rules.media_types import corrected
from proxai_ir.rules.rows import CACHED, CODE, MCP
from proxai_ir.rules.tool_conditions import opens_all_pages
from proxai_ir.rules.verdicts import (
    Verdict,
    fills,
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
from proxai_ir.wire import anthropic_messages as wire

from .._lib import prefill
from .conditions import (
    BLANK_STOP,
    NEVER_SIGNED,
    OTHER_HOSTED,
    as_end_user,
    as_text,
    between_tools,
    explained,
    finds_no_tools,
    first_query,
    has_blank_stop,
    illustrated,
    is_worded,
    limits_search,
    more_than_one,
    names_end_user,
    other_document,
    other_image,
    run_by_provider,
    succeeded,
    textual,
    too_hot,
    unreadable,
    unsealed,
    unsigned,
    web_fetch,
    why_not_opened,
    with_nothing_sealed,
    with_temperature,
    without_blank_stops,
    without_thinking,
)
from .schemas import composed_though_strict, has_flaw, of_an_object, uncomposed
from .settings import BETWEEN_TOOLS, MODELS


def _between_tools(subject: str) -> Verdict:
    """For models whose least thinking is that between tool calls."""
    return where("least_thinking", BETWEEN_TOOLS, weaker("RSN-33", subject, by=between_tools))


REQUESTS = (
    of(
        request.Sampling,
        loses("SMP-2", "temperature", when=too_hot, detail="a temperature must be from 0 to 1"),
        omits("SMP-6", "top_k", when=unbounded),
        # The reference has 1.0 as the default temperature, and top_p 1 keeps all tokens; newer models refuse it.
        *neutral(temperature=1, top_p=1),
        ok("stop", when=is_("stop", []), by=thinking.absent),
    ),
    of(
        request.Thinking,
        *thinking.WITHOUT_TYPE,
        lacking("effort", loses("RSN-12", "effort=low|medium|high|xhigh|max")),
        lacking("thinking_off", _between_tools("mode=disabled")),
        lacking("thinking_off", _between_tools("effort=minimal")),
        lacking("thinking_off", weaker("RSN-33", "mode=disabled", by=least(request.Effort.LOW))),
        lacking("thinking_off", weaker("RSN-32", "effort=minimal", by=always(request.Effort.LOW))),
        thinking.WITHOUT_BUDGETS,
    ),
    inside(
        "tools",
        lacking("web_search", loses("TUL-6", tools.WebSearchTool)),
        lacking("other_hosted_tools", loses("TUL-6", *OTHER_HOSTED)),
        lacking("other_hosted_tools", loses("TUL-6", tools.HostedTool, when=finds_no_tools, detail=which)),
    ),
    *MODELS.rows,
    of(
        request.Request,
        *prefill.VERDICTS,
        ok("max_tokens parallel_tools"),
        ok("hosted_calls", when=limits_search),
        loses("TUL-9", "hosted_calls"),
    ),
    of(
        request.Sampling,
        lacking("temperature_with_top_p", loses("SMP-8", "top_p", when=with_temperature)),
        weaker("SMP-2", "stop", when=has_blank_stop, by=without_blank_stops, detail=BLANK_STOP),
        ok("temperature top_p top_k stop"),
    ),
    of(
        request.Thinking,
        *thinking.without_adaptive("effort"),
        *thinking.without_adaptive("adaptive_thinking"),
        thinking.MEASURED,
        ok("mode budget display effort=low|medium|high|xhigh|max"),
        weaker("RSN-7", "effort=minimal", by=without_thinking),
    ),
    inside(
        "format",
        omits("SMP-6", request.PlainFormat),
        loses("OUT-3", request.JsonFormat),
        loses("OUT-3", request.SchemaFormat, when=is_("schema", None)),
        ok(request.SchemaFormat),
    ),
    of(
        request.Caching,
        omits("SMP-6", "automatic", when=is_("automatic", False)),
        omits("CAC-5", "lifetime", when=is_("automatic", None, False)),
        *cache_lifetimes("lifetime", wire.TTL.values()),
        ok("automatic"),
    ),
    of(Cache, *cache_lifetimes("ttl", wire.TTL.values())),
    *(of(cls, ok("cache")) for cls in CACHED if cls not in (parts.Video, parts.ToolChange)),
    of(
        request.Service,
        lacking("end_users", omits("USR-2", "end_user")),
        lacking("service_tiers", omits("SMP-6", "tier=auto|standard")),
        lacking("fast_mode", omits("SMP-6", "fast", when=is_("fast", False))),
        lacking("fast_mode", loses("SVC-1", "fast")),
        notes("USR-5", "end_user", when=end_user_beyond(wire.MOST_OF_END_USER), by=hashed_end_user),
        notes("USR-3", "metadata", when=names_end_user, by=as_end_user, detail="but for its `user_id`"),
        omits("USR-3", "metadata"),
        ok("fast end_user tier=auto|standard"),
    ),
    of(request.Streaming, omits("STR-13", "usage", elsewhere=True)),
    of(
        tools.FunctionTool,
        fills("SCH-2", "parameters", by=of_an_object),
        ok("parameters", when=has_flaw("")),
        refuses("SCH-3", "parameters", when=has_flaw("SCH-3")),
        refuses("SCH-4", "parameters", when=has_flaw("SCH-4")),
        weaker("SCH-9", "parameters", when=has_flaw("SCH-9"), by=uncomposed),
        notes("SCH-2", "parameters", by=of_an_object),
        loses("SCH-1", "strict", when=composed_though_strict),
        ok("strict"),
    ),
    of(tools.WebSearchTool, ok("allowed_domains blocked_domains max_uses")),
    inside(
        "tools",
        ok(tools.WebSearchTool, tools.CodeTool),
        notes("TUL-24", tools.McpServer),
        omits("TUL-38", tools.HostedTool, when=searches_tools),
        ok(tools.HostedTool, when=opens_all_pages, by=web_fetch),
        weaker("TUL-41", tools.HostedTool, when=opens_pages, by=web_fetch),
        loses("TUL-6", tools.HostedTool, detail=which),
    ),
    of(
        tools.AllowedChoice,
        weaker("TUL-6", "tools", when=lists_beyond("function", "custom", "mcp", "web_search", "code_interpreter")),
        ok("tools"),
    ),
    inside("tool choice", ok(tools.WebSearchChoice, tools.CodeChoice)),
)

CONTENT = (
    of(parts.Document, ok("title context cite")),
    of(parts.SearchResult, refuses("PLC-3", "parts", when=illustrated), ok("cite")),
    of(
        parts.WebSearchCall,
        run_by_provider("id"),
        weaker("TUL-22", "queries", when=more_than_one, by=first_query),
        ok("id queries page"),
    ),
    of(parts.WebSearchResult, run_by_provider("call_id"), ok("call_id error page")),
    of(parts.WebHit, ok("age seal")),
    of(
        parts.McpCall,
        notes("TUL-13", "id", when=unprefixed("id", wire.MCP_ID), by=with_prefix("id", wire.MCP_ID)),
        ok("id"),
    ),
    of(
        parts.McpResult,
        notes("TUL-13", "call_id", when=unprefixed("call_id", wire.MCP_ID), by=with_prefix("call_id", wire.MCP_ID)),
        ok("call_id"),
    ),
    of(parts.CodeCall, run_by_provider("id"), ok("id")),
    of(parts.CodeResult, run_by_provider("call_id"), fills("TUL-40", "exit_code", by=succeeded), ok("call_id error")),
    of(parts.ToolResult, ok("is_error")),
    of(parts.Reasoning, *UNOPENED_SEAL, *foreign(unsigned), ok("seal"), omits("RSN-8", "summary")),
    of(
        parts.PlainText,
        notes("ENV-1", "mime", when=is_not("mime", wire.PLAIN), by=lambda _: wire.PLAIN),
        ok("mime"),
    ),
    inside("citations", ok(parts.DocumentCitation)),
    inside(
        "image source",
        corrected(accepted=wire.IMAGE_TYPES),
        refuses("SRC-3", parts.Inline, when=other_image),
        refuses("SRC-3", parts.Url, when=not_web),
        ok(parts.Inline, parts.Url),
    ),
    inside(
        "document source",
        refuses("SRC-3", parts.Url, when=not_web),
        ok(parts.Inline, when=textual, by=as_text),
        ok(parts.Inline, parts.Url),
    ),
    *(
        inside(place, refuses("SRC-3", parts.Document, when=other_document), ok(parts.Document, parts.SearchResult))
        for place in ("user", "tool result")
    ),
    of(turns.TurnSettings, ok("passing")),
    inside("user", *SEALED_MESSAGE, NO_MARK, loses("CTX-1", parts.VendorPart)),
    inside(
        "assistant",
        ok(*MCP, *CODE),
        omits("ENV-7", parts.Reasoning, when=empty),
        *NEVER_SIGNED,
        ok(parts.Reasoning),
        NO_COMPACTION,
        NO_MARK,
        loses("CTX-1", parts.VendorPart),
        weaker("REF-7", parts.Refusal),
    ),
    inside(
        "assistant",
        omits("ENV-7", parts.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", parts.Reasoning, when=unreadable),
        ok(parts.Reasoning, parts.Refusal, parts.WebSearchCall),
        notes("TUL-66", parts.WebSearchResult, when=unsealed, by=with_nothing_sealed, detail=why_not_opened),
        ok(parts.WebSearchResult),
        SUMMARISED,
        loses("TUL-6", parts.VendorPart, detail=which),
        kind="response",
    ),
    inside("instructions", NO_BOOKKEEPING, NO_MARK, refuses("PLC-3", parts.VendorPart)),
)

RESPONSES = (
    of(
        response.Response,
        ok("fast tier=standard|priority|batch"),
        notes("ENV-1", "created fingerprint"),  # of which a generated id is made
    ),
    of(
        terminal.Terminal,
        ok("message", when=explained),
        omits("ENV-1", "message"),
        weaker("STS-3", "reason=content_filter", elsewhere=True),
        refuses("STS-13", "reason=unfinished|failed"),
        ok("reason stop_sequence"),
    ),
    of(terminal.RefusalDetails, ok("category")),
    of(usage.Usage, notes("USE-3", "total"), ok(f"details={'|'.join(wire.USAGE.entries('details'))}")),
    of(
        Error,
        notes("ERR-7", "message", when=overflow_without(wire.PROMPT_TOO_LONG), by=overflow_named(wire.PROMPT_TOO_LONG)),
        notes("ERR-9", "message", when=wordless, by=worded),
        ok("message request_id"),
        omits("ERR-6", "code", when=is_worded),
        omits("ERR-6", "code", when=repeats_type),
        loses("ERR-2", "code param"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
