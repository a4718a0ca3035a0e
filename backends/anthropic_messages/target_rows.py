"""What Anthropic Messages supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir import ir
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
        ir.Sampling,
        loses("SMP-2", "temperature", when=too_hot, detail="a temperature must be from 0 to 1"),
        omits("SMP-6", "top_k", when=unbounded),
        # The reference has 1.0 as the default temperature, and top_p 1 keeps all tokens; newer models refuse it.
        *neutral(temperature=1, top_p=1),
        ok("stop", when=is_("stop", []), by=thinking.absent),
    ),
    of(
        ir.Thinking,
        *thinking.WITHOUT_TYPE,
        lacking("effort", loses("RSN-12", "effort=low|medium|high|xhigh|max")),
        lacking("thinking_off", _between_tools("mode=disabled")),
        lacking("thinking_off", _between_tools("effort=minimal")),
        lacking("thinking_off", weaker("RSN-33", "mode=disabled", by=least(ir.Effort.LOW))),
        lacking("thinking_off", weaker("RSN-32", "effort=minimal", by=always(ir.Effort.LOW))),
        thinking.WITHOUT_BUDGETS,
    ),
    inside(
        "tools",
        lacking("web_search", loses("TUL-6", ir.WebSearchTool)),
        lacking("other_hosted_tools", loses("TUL-6", *OTHER_HOSTED)),
        lacking("other_hosted_tools", loses("TUL-6", ir.HostedTool, when=finds_no_tools, detail=which)),
    ),
    *MODELS.rows,
    of(
        ir.Request,
        *prefill.VERDICTS,
        ok("max_tokens parallel_tools"),
        ok("hosted_calls", when=limits_search),
        loses("TUL-9", "hosted_calls"),
    ),
    of(
        ir.Sampling,
        lacking("temperature_with_top_p", loses("SMP-8", "top_p", when=with_temperature)),
        weaker("SMP-2", "stop", when=has_blank_stop, by=without_blank_stops, detail=BLANK_STOP),
        ok("temperature top_p top_k stop"),
    ),
    of(
        ir.Thinking,
        *thinking.without_adaptive("effort"),
        *thinking.without_adaptive("adaptive_thinking"),
        thinking.MEASURED,
        ok("mode budget display effort=low|medium|high|xhigh|max"),
        weaker("RSN-7", "effort=minimal", by=without_thinking),
    ),
    inside(
        "format",
        omits("SMP-6", ir.PlainFormat),
        loses("OUT-3", ir.JsonFormat),
        loses("OUT-3", ir.SchemaFormat, when=is_("schema", None)),
        ok(ir.SchemaFormat),
    ),
    of(
        ir.Caching,
        omits("SMP-6", "automatic", when=is_("automatic", False)),
        omits("CAC-5", "lifetime", when=is_("automatic", None, False)),
        *cache_lifetimes("lifetime", wire.TTL.values()),
        ok("automatic"),
    ),
    of(Cache, *cache_lifetimes("ttl", wire.TTL.values())),
    *(of(cls, ok("cache")) for cls in CACHED if cls not in (ir.Video, ir.ToolChange)),
    of(
        ir.Service,
        lacking("end_users", omits("USR-2", "end_user")),
        lacking("service_tiers", omits("SMP-6", "tier=auto|standard")),
        lacking("fast_mode", omits("SMP-6", "fast", when=is_("fast", False))),
        lacking("fast_mode", loses("SVC-1", "fast")),
        notes("USR-5", "end_user", when=end_user_beyond(wire.MOST_OF_END_USER), by=hashed_end_user),
        notes("USR-3", "metadata", when=names_end_user, by=as_end_user, detail="but for its `user_id`"),
        omits("USR-3", "metadata"),
        ok("fast end_user tier=auto|standard"),
    ),
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    of(
        ir.FunctionTool,
        fills("SCH-2", "parameters", by=of_an_object),
        ok("parameters", when=has_flaw("")),
        refuses("SCH-3", "parameters", when=has_flaw("SCH-3")),
        refuses("SCH-4", "parameters", when=has_flaw("SCH-4")),
        weaker("SCH-9", "parameters", when=has_flaw("SCH-9"), by=uncomposed),
        notes("SCH-2", "parameters", by=of_an_object),
        loses("SCH-1", "strict", when=composed_though_strict),
        ok("strict"),
    ),
    of(ir.WebSearchTool, ok("allowed_domains blocked_domains max_uses")),
    inside(
        "tools",
        ok(ir.WebSearchTool, ir.CodeTool),
        notes("TUL-24", ir.McpServer),
        omits("TUL-38", ir.HostedTool, when=searches_tools),
        ok(ir.HostedTool, when=opens_all_pages, by=web_fetch),
        weaker("TUL-41", ir.HostedTool, when=opens_pages, by=web_fetch),
        loses("TUL-6", ir.HostedTool, detail=which),
    ),
    of(
        ir.AllowedChoice,
        weaker("TUL-6", "tools", when=lists_beyond("function", "custom", "mcp", "web_search", "code_interpreter")),
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
        weaker("TUL-22", "queries", when=more_than_one, by=first_query),
        ok("id queries page"),
    ),
    of(ir.WebSearchResult, run_by_provider("call_id"), ok("call_id error page")),
    of(ir.WebHit, ok("age seal")),
    of(
        ir.McpCall,
        notes("TUL-13", "id", when=unprefixed("id", wire.MCP_ID), by=with_prefix("id", wire.MCP_ID)),
        ok("id"),
    ),
    of(
        ir.McpResult,
        notes("TUL-13", "call_id", when=unprefixed("call_id", wire.MCP_ID), by=with_prefix("call_id", wire.MCP_ID)),
        ok("call_id"),
    ),
    of(ir.CodeCall, run_by_provider("id"), ok("id")),
    of(ir.CodeResult, run_by_provider("call_id"), fills("TUL-40", "exit_code", by=succeeded), ok("call_id error")),
    of(ir.ToolResult, ok("is_error")),
    of(ir.Reasoning, *UNOPENED_SEAL, *foreign(unsigned), ok("seal"), omits("RSN-8", "summary")),
    of(
        ir.PlainText,
        notes("ENV-1", "mime", when=is_not("mime", wire.PLAIN), by=lambda _: wire.PLAIN),
        ok("mime"),
    ),
    inside("citations", ok(ir.DocumentCitation)),
    inside(
        "image source",
        corrected(accepted=wire.IMAGE_TYPES),
        refuses("SRC-3", ir.Inline, when=other_image),
        refuses("SRC-3", ir.Url, when=not_web),
        ok(ir.Inline, ir.Url),
    ),
    inside(
        "document source",
        refuses("SRC-3", ir.Url, when=not_web),
        ok(ir.Inline, when=textual, by=as_text),
        ok(ir.Inline, ir.Url),
    ),
    *(
        inside(place, refuses("SRC-3", ir.Document, when=other_document), ok(ir.Document, ir.SearchResult))
        for place in ("user", "tool result")
    ),
    of(ir.TurnSettings, ok("passing")),
    inside("user", *SEALED_MESSAGE, NO_MARK, loses("CTX-1", ir.VendorPart)),
    inside(
        "assistant",
        ok(*MCP, *CODE),
        omits("ENV-7", ir.Reasoning, when=empty),
        *NEVER_SIGNED,
        ok(ir.Reasoning),
        NO_COMPACTION,
        NO_MARK,
        loses("CTX-1", ir.VendorPart),
        weaker("REF-7", ir.Refusal),
    ),
    inside(
        "assistant",
        omits("ENV-7", ir.Reasoning, when=empty),
        *UNOPENED,
        loses("RSN-4", ir.Reasoning, when=unreadable),
        ok(ir.Reasoning, ir.Refusal, ir.WebSearchCall),
        notes("TUL-66", ir.WebSearchResult, when=unsealed, by=with_nothing_sealed, detail=why_not_opened),
        ok(ir.WebSearchResult),
        SUMMARISED,
        loses("TUL-6", ir.VendorPart, detail=which),
        kind="response",
    ),
    inside("instructions", NO_BOOKKEEPING, NO_MARK, refuses("PLC-3", ir.VendorPart)),
)

RESPONSES = (
    of(
        ir.Response,
        ok("fast tier=standard|priority|batch"),
        notes("ENV-1", "created fingerprint"),  # of which a generated id is made
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
