"""What OpenAI Responses supports: verdicts on the settings and tools of requests."""

from __future__ import annotations

from proxai_ir.backends._openai.conditions import (
    DEFAULT_SAMPLING,
    SETTINGS,
    TOOLS,
    lacks_properties,
    strict_but_open,
    with_properties,
)
from proxai_ir.ir import request, tools
from proxai_ir.rules.conditions import (
    cache_lifetimes,
    covered_by_effort,
    is_,
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
from proxai_ir.rules.verdicts import inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import openai_responses as wire

from .conditions import (
    FEWEST_TOKENS,
    as_effort,
    as_search,
    fewest_tokens,
    too_short,
)

ABSENT = ("stop", "seed", "frequency_penalty", "presence_penalty", "logit_bias", "logprobs")

REQUESTS = (
    of(
        request.Request,
        weaker("SMP-9", "max_tokens", when=too_short, by=fewest_tokens, detail=f"at least {FEWEST_TOKENS}"),
        ok("model max_tokens parallel_tools hosted_calls"),
        loses("PLC-15", "prefill"),
    ),
    of(
        request.Sampling,
        *neutral(**DEFAULT_SAMPLING, top_logprobs=0),
        ok("temperature top_p top_logprobs"),
        refuses("CHO-2", "candidates", when=several),
        omits("SMP-6", "candidates"),
        *(omits("SMP-6", name, when=is_(name, False, 0, [], {})) for name in ABSENT),
        ok("logprobs"),
        omits("SMP-6", "top_k", when=unbounded),
        loses("SMP-3", "top_k stop seed frequency_penalty presence_penalty logit_bias"),
    ),
    of(
        request.Thinking,
        lacking("effort_none", loses("RSN-6", "mode=disabled")),
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive"),
        loses("RSN-6", "mode=between_tools"),
        loses("RSN-6", "effort", when=covered_by_effort),
        ok("effort"),
        weaker("RSN-3", "budget", by=as_effort),
        ok("display=summarized"),
        omits("SMP-6", "display=omitted"),
    ),
    of(
        request.Output,
        ok("verbosity"),
        omits("SMP-6", "modalities", when=only_text),
        loses("OUT-6", "modalities audio"),
    ),
    *SETTINGS,
    *TOOLS,
    of(request.Caching, *cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(request.Streaming, ok("stream obfuscation"), omits("STR-13", "usage", elsewhere=True)),
    of(
        tools.FunctionTool,
        *NAMED,
        notes("SCH-2", "parameters", when=lacks_properties, by=with_properties),
        ok("name description parameters"),
        loses("SCH-1", "strict", when=strict_but_open),
        ok("strict"),
        omits("CAC-4", "cache"),
    ),
    of(
        tools.WebSearchTool,
        ok("kind context_size allowed_domains"),
        ok("max_uses"),  # as `limited_searches` judges it
        loses("TUL-9", "blocked_domains"),
        omits("CAC-4", "cache"),
    ),
    of(tools.CodeTool, ok("kind"), omits("CAC-4", "cache")),
    of(tools.HostedTool, loses("TUL-41", "kind name raw", elsewhere=True)),  # reported with the tool
    of(tools.McpServer, ok("name url authorization allowed_tools")),
    inside(
        "tools",
        ok(tools.FunctionTool, tools.CustomTool, tools.WebSearchTool, tools.CodeTool, tools.McpServer),
        omits("TUL-38", tools.HostedTool, when=searches_tools),
        weaker("TUL-41", tools.HostedTool, when=opens_pages, by=as_search),
        loses("TUL-6", tools.HostedTool, detail=which),
        omits("ENV-7", tools.McpToolset),  # its server has it
        omits("TUL-25", tools.ToolGroup),
        loses("TUL-34", tools.ClientTool, detail=which),
        loses("UNK-3", tools.UnknownTool),
    ),
    of(tools.AllowedChoice, weaker("TUL-7", "mode=validated", by=unvalidated), ok("mode tools")),
    inside(
        "tool choice",
        ok(tools.Choice, tools.NamedChoice, tools.WebSearchChoice, tools.CustomChoice, tools.AllowedChoice),
        refuses("TUL-11", tools.HostedChoice),
    ),
)
