"""What Chat Completions supports: verdicts on the settings and tools of requests."""

from __future__ import annotations

from proxai_ir.backends._openai.conditions import (
    DEFAULT_SAMPLING,
    SETTINGS,
    TOOLS,
    lacks_properties,
    nearest_effort,
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
    searches_tools,
    unvalidated,
    which,
)
from proxai_ir.rules.rows import NAMED
from proxai_ir.rules.verdicts import inside, lacking, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import openai_chat_completions as wire

from .conditions import (
    among_all,
    any_json,
    first_stops,
    too_many_stops,
    unscored,
    unstored,
)

REQUESTS = (
    of(
        request.Request,
        ok("model max_tokens parallel_tools"),
        loses("PLC-15", "prefill"),
        loses("TUL-9", "hosted_calls"),
    ),
    of(
        request.Sampling,
        *(lacking("own_sampling", verdict) for verdict in neutral(**DEFAULT_SAMPLING)),
        *neutral(frequency_penalty=0, presence_penalty=0, logit_bias={}, candidates=1, logprobs=False),
        lacking("seed", loses("SMP-3", "seed")),
        ok("temperature top_p seed frequency_penalty presence_penalty logit_bias candidates"),
        omits("SMP-6", "top_logprobs", when=unscored),
        lacking("logprobs", loses("SMP-7", "logprobs top_logprobs")),
        ok("logprobs top_logprobs"),
        weaker("SMP-5", "stop", when=too_many_stops, by=first_stops),
        omits("SMP-6", "stop", when=is_("stop", [])),
        ok("stop"),
        loses("SMP-3", "top_k"),
    ),
    of(
        request.Thinking,
        lacking("effort_none", loses("RSN-6", "mode=disabled")),
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive"),
        loses("RSN-6", "mode=between_tools"),
        loses("RSN-6", "effort", when=covered_by_effort),
        ok("effort"),
        weaker("RSN-3", "budget", by=nearest_effort),
        loses("RSN-2", "display"),
    ),
    of(
        request.Output,
        lacking("openai_settings", loses("OUT-5", "verbosity")),
        lacking("speech", omits("SMP-6", "modalities", when=only_text)),
        lacking("speech", loses("OUT-6", "modalities audio")),
        ok("verbosity modalities"),
    ),
    inside("format", lacking("json_schema", weaker("OUT-10", request.SchemaFormat, by=any_json))),
    of(request.Speech, ok("voice format"), loses("OUT-6", "language")),
    of(
        request.Service,
        *(
            lacking("openai_settings", verdict)
            for verdict in (
                omits("SMP-6", "fast", when=is_("fast", False)),
                loses("SVC-1", "tier fast"),
                omits("SMP-6", "store", when=is_("store", False)),
                loses("SVC-2", "store"),
                loses("USR-2", "end_user"),
                loses("USR-3", "metadata"),
                loses("MOD-1", "moderation"),
            )
        ),
        loses("USR-3", "metadata", when=unstored, detail="accepted with `store`: true"),
    ),
    of(request.Caching, lacking("openai_settings", omits("CAC-5", "key retention"))),
    *SETTINGS,
    *TOOLS,
    of(request.Caching, *cache_lifetimes("lifetime", wire.OPTIONS_TTL.values())),
    of(
        request.Streaming,
        lacking("stream_options", omits("STR-13", "usage obfuscation")),
        ok("stream usage obfuscation"),
    ),
    of(
        tools.FunctionTool,
        *NAMED,
        notes("SCH-2", "parameters", when=lacks_properties, by=with_properties),
        ok("name description parameters"),
        lacking("strict_tools", omits("SMP-6", "strict", when=is_("strict", False))),
        lacking("strict_tools", loses("SCH-10", "strict")),
        loses("SCH-1", "strict", when=strict_but_open),
        ok("strict"),
        omits("CAC-4", "cache"),
    ),
    of(
        tools.WebSearchTool,
        ok("kind context_size"),
        loses("TUL-9", "allowed_domains blocked_domains max_uses"),
        omits("CAC-4", "cache"),
    ),
    inside(
        "tools",
        lacking("web_search", loses("TUL-6", tools.WebSearchTool, detail="option `web_search`")),
        lacking("custom_tools", refuses("TUL-2", tools.CustomTool)),
        ok(tools.FunctionTool, tools.CustomTool, tools.WebSearchTool),
        omits("TUL-38", tools.HostedTool, when=searches_tools),
        loses("TUL-6", tools.HostedTool, tools.CodeTool, tools.McpServer, tools.McpToolset, detail=which),
        omits("TUL-25", tools.ToolGroup),
        loses("TUL-34", tools.ClientTool, detail=which),
        loses("UNK-3", tools.UnknownTool),
    ),
    of(
        tools.AllowedChoice,
        weaker("TUL-7", "mode=validated", by=unvalidated),
        ok("mode"),
        weaker("TUL-6", "tools", elsewhere=True),
        ok("tools"),
    ),
    inside(
        "tool choice",
        lacking("allowed_choices", weaker("TUL-7", tools.AllowedChoice, by=among_all)),
        lacking("custom_tools", refuses("TUL-2", tools.CustomChoice)),
        ok(tools.Choice, tools.NamedChoice, tools.CustomChoice, tools.AllowedChoice),
        refuses("TUL-11", tools.HostedChoice),
        lacking("web_search", refuses("TUL-11", tools.WebSearchChoice)),
        omits("SMP-6", tools.WebSearchChoice),  # models that can search always do
    ),
)
