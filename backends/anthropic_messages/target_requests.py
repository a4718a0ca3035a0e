"""What Anthropic Messages supports: verdicts on the settings and tools of requests."""

from __future__ import annotations

from proxai_ir.ir import request, tools
from proxai_ir.ir.node import Cache
from proxai_ir.rules.conditions import (
    cache_lifetimes,
    end_user_beyond,
    hashed_end_user,
    is_,
    lists_beyond,
    neutral,
    only_text,
    opens_pages,
    searches_tools,
    several,
    unbounded,
    unvalidated,
    which,
)
from proxai_ir.rules.rows import NAMED
from proxai_ir.rules.verdicts import fills, inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import anthropic_messages as wire

from .conditions import (
    BLANK_STOP,
    absent,
    adaptive,
    has_blank_stop,
    limits_search,
    off,
    shown,
    too_hot,
    unthinking,
    web_fetch,
    with_temperature,
    without_blank_stops,
    without_thinking,
)
from .schemas import has_flaw, is_restated, of_an_object, strict_form, uncomposed, unenforceable

PENALTIES = ("frequency_penalty", "presence_penalty", "logit_bias", "logprobs", "top_logprobs")

REQUESTS = (
    of(
        request.Request,
        lacking("prefill", loses("PLC-19", "prefill", elsewhere=True)),
        ok("model max_tokens parallel_tools prefill"),
        ok("hosted_calls", when=limits_search),
        loses("TUL-9", "hosted_calls"),
    ),
    of(
        request.Sampling,
        loses("SMP-2", "temperature", when=too_hot, detail="a temperature must be from 0 to 1"),
        omits("SMP-6", "top_k", when=unbounded),
        # The reference has 1.0 as the default temperature, and top_p 1 keeps all tokens; newer models refuse it.
        *neutral(temperature=1, top_p=1),
        lacking("sampling", loses("SMP-3", "temperature top_p top_k")),
        lacking("temperature_with_top_p", loses("SMP-8", "top_p", when=with_temperature)),
        ok("stop", when=is_("stop", []), by=absent),
        weaker("SMP-2", "stop", when=has_blank_stop, by=without_blank_stops, detail=BLANK_STOP),
        ok("temperature top_p top_k stop"),
        refuses("CHO-2", "candidates", when=several),
        omits("SMP-6", "candidates"),
        *(omits("SMP-6", name, when=off(name)) for name in PENALTIES),
        loses("SMP-3", "seed", *PENALTIES),
    ),
    of(
        request.Thinking,
        omits("SMP-6", "display", when=unthinking),
        lacking("effort", loses("RSN-12", "effort=low|medium|high|xhigh|max")),
        lacking("effort", ok("mode=adaptive", when=shown, by=absent)),
        lacking("effort", loses("RSN-6", "mode=adaptive")),
        lacking("effort", loses("RSN-2", "display", when=adaptive)),
        ok("mode budget display effort=low|medium|high|xhigh|max"),
        weaker("RSN-7", "effort=minimal", by=without_thinking),
    ),
    of(
        request.Output,
        omits("SMP-6", "modalities", when=only_text),
        omits("SMP-6", "verbosity", when=is_("verbosity", "medium")),
        loses("OUT-5", "verbosity"),
        loses("OUT-6", "modalities audio"),
    ),
    of(
        request.SchemaFormat,
        ok("schema name description"),
        omits("SMP-6", "strict", when=is_("strict", True)),
        loses("OUT-4", "strict"),
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
        omits("CAC-5", "key retention"),
    ),
    of(Cache, *cache_lifetimes("ttl", wire.TTL.values())),
    of(
        request.Service,
        ok("tier=auto|standard"),
        loses("SVC-1", "tier=priority|flex|scale|batch"),
        notes("USR-5", "end_user", when=end_user_beyond(wire.MOST_OF_END_USER), by=hashed_end_user),
        ok("fast end_user"),
        loses("USR-2", "user"),
        loses("USR-3", "metadata"),
        loses("MOD-1", "moderation"),
        omits("SMP-6", "store", when=off("store")),
        loses("SVC-2", "store"),
    ),
    of(request.Streaming, ok("stream"), omits("STR-13", "usage", elsewhere=True), omits("STR-13", "obfuscation")),
    of(
        tools.FunctionTool,
        *NAMED,
        fills("SCH-2", "parameters", by=of_an_object),
        notes("SCH-11", "parameters", when=is_restated, by=strict_form),
        ok("parameters", when=has_flaw("")),
        refuses("SCH-3", "parameters", when=has_flaw("SCH-3")),
        refuses("SCH-4", "parameters", when=has_flaw("SCH-4")),
        weaker("SCH-9", "parameters", when=has_flaw("SCH-9"), by=uncomposed),
        notes("SCH-2", "parameters", by=of_an_object),
        ok("name description"),
        loses("SCH-1", "strict", when=unenforceable),
        ok("strict"),
    ),
    of(
        tools.WebSearchTool,
        ok("kind allowed_domains blocked_domains max_uses"),
        omits("SMP-6", "context_size", when=is_("context_size", "medium")),
        loses("TUL-9", "context_size"),
    ),
    of(tools.CodeTool, ok("kind")),
    of(tools.HostedTool, loses("TUL-41", "kind name raw", elsewhere=True)),  # reported with the tool
    of(tools.Location, ok("city region country timezone")),
    of(tools.McpServer, ok("name url authorization allowed_tools")),
    inside(
        "tools",
        ok(tools.FunctionTool, tools.WebSearchTool, tools.CodeTool),
        notes("TUL-24", tools.McpServer),
        loses("TUL-6", tools.McpToolset),  # of another protocol, which has none so far
        refuses("TUL-2", tools.CustomTool),
        omits("TUL-38", tools.HostedTool, when=searches_tools),
        weaker("TUL-41", tools.HostedTool, when=opens_pages, by=web_fetch),
        loses("TUL-6", tools.HostedTool, detail=which),
        omits("TUL-25", tools.ToolGroup),
        loses("TUL-34", tools.ClientTool, detail=which),
        loses("UNK-3", tools.UnknownTool),
    ),
    of(tools.Choice, weaker("TUL-7", "mode=validated", by=unvalidated), ok("mode")),
    of(tools.NamedChoice, ok("name")),
    of(
        tools.AllowedChoice,
        weaker("TUL-7", "mode=validated", by=unvalidated),
        ok("mode"),
        weaker("TUL-6", "tools", when=lists_beyond("function", "custom", "mcp", "web_search", "code_interpreter")),
        ok("tools"),
    ),
    inside("input format", refuses("TUL-2", tools.FreeText, tools.Grammar, tools.UnknownFormat)),  # of custom tools
    inside(
        "tool choice",
        ok(tools.Choice, tools.NamedChoice, tools.WebSearchChoice, tools.AllowedChoice),
        refuses("TUL-2", tools.CustomChoice),
        refuses("TUL-11", tools.HostedChoice),
    ),
)
