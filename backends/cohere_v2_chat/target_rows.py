"""What /v2/chat supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir.ir import logprobs, parts, request, response, terminal, tools, usage
from proxai_ir.ir.error import Error
from proxai_ir.rules.approximations import required
from proxai_ir.rules.conditions import (
    always,
    beyond,
    covered_by_effort,
    holds,
    is_,
    neutral,
    of_an_object,
    repeats_type,
    unbounded,
    unvalidated,
)
from proxai_ir.rules.verdicts import fills, inside, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import cohere_v2_chat as wire

from .conditions import unreachable, unreadable, without_properties
from .settings import MODELS

PENALTIES = ("frequency_penalty", "presence_penalty")
MOST_K = 500


DOCUMENTS = (
    refuses("SRC-3", parts.Document, when=unreadable, detail="text"),
    weaker("DOC-3", parts.Document, when=holds("source", parts.Chunks), at="type"),
    ok(parts.Document),
)
REQUESTS = (
    *MODELS.rows,
    of(
        request.Sampling,
        omits("SMP-6", "top_k", when=unbounded),
        loses("SMP-2", "top_k", when=beyond("top_k", MOST_K), detail=f"at most {MOST_K}"),
        loses("SMP-2", "top_p", when=beyond("top_p", 0.99, 0.01), detail="from 0.01 to 0.99"),
        *(loses("SMP-2", name, when=beyond(name, 1, 0), detail="from 0 to 1") for name in PENALTIES),
        *neutral(logprobs=False),
        ok("top_p top_k seed logprobs", *PENALTIES),
    ),
    of(
        request.Thinking,
        ok("mode=enabled|disabled"),
        loses("RSN-6", "effort budget", when=covered_by_effort),
        loses("RSN-12", "effort"),
        ok("budget"),
    ),
    of(request.SchemaFormat, loses("OUT-4", "name description")),
    of(request.Streaming, omits("STR-13", "usage", elsewhere=True)),
    inside("format", loses("OUT-3", request.SchemaFormat, when=is_("schema", None)), ok(request.SchemaFormat)),
    of(
        tools.FunctionTool,
        fills("SCH-2", "parameters", by=of_an_object),
        notes("SCH-2", "parameters", when=without_properties, by=of_an_object),
        ok("parameters strict"),
    ),
    inside(
        "tool choice",
        omits("SMP-6", tools.Choice, when=is_("mode", tools.ChoiceMode.AUTO)),
        weaker("TUL-70", tools.NamedChoice, by=required),
        ok(tools.Choice),
    ),
    of(tools.NamedChoice, loses("TUL-70", "name", elsewhere=True)),
    of(
        tools.Choice,
        ok("mode=auto", by=always(tools.ChoiceMode.AUTO)),
        weaker("TUL-7", "mode=validated", by=unvalidated),
    ),
)
CONTENT = (
    of(parts.Image, ok("detail")),
    inside(
        "image source",
        refuses("SRC-3", parts.Url, when=unreachable, detail="URLs with http:// or https://"),
        ok(parts.Url),
    ),
    of(parts.PlainText, ok("text mime", when=is_("mime", wire.PLAIN)), ok("text"), omits("ENV-1", "mime")),
    of(parts.Document, ok("title context"), omits("SMP-6", "cite", when=is_("cite", True)), ok("cite")),
    inside("citations", ok(parts.UrlCitation)),
    inside("user", *DOCUMENTS),
    inside("tool result", *DOCUMENTS),
)
RESPONSES = (
    of(response.Response, omits("ENV-1", "model")),
    of(response.Candidate, ok("logprobs")),
    of(logprobs.ScoredToken, ok("id"), omits("ENV-1", "bytes"), loses("SMP-7", "top")),
    of(terminal.Terminal, weaker("STS-3", "reason=content_filter")),
    of(terminal.RefusalDetails, loses("REF-5", "explanation")),
    of(usage.Usage, notes("USE-4", "cache_write reasoning"), omits("USE-3", "total")),
    of(  # the type is a word for the category, which the HTTP status has
        Error,
        omits("ERR-6", "type"),
        omits("ERR-6", "code", when=repeats_type),
        loses("ERR-2", "code param"),
        ok("request_id"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
