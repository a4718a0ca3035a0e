"""What /v2/chat supports where that is not what most protocols do: verdicts on requests and responses."""

from __future__ import annotations

from proxai_ir import ir
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
    refuses("SRC-3", ir.Document, when=unreadable, detail="text"),
    weaker("DOC-3", ir.Document, when=holds("source", ir.Chunks), at="type"),
    ok(ir.Document),
)
REQUESTS = (
    *MODELS.rows,
    of(
        ir.Sampling,
        omits("SMP-6", "top_k", when=unbounded),
        loses("SMP-2", "top_k", when=beyond("top_k", MOST_K), detail=f"at most {MOST_K}"),
        loses("SMP-2", "top_p", when=beyond("top_p", 0.99, 0.01), detail="from 0.01 to 0.99"),
        *(loses("SMP-2", name, when=beyond(name, 1, 0), detail="from 0 to 1") for name in PENALTIES),
        *neutral(logprobs=False),
        ok("top_p top_k seed logprobs", *PENALTIES),
    ),
    of(
        ir.Thinking,
        ok("mode=enabled|disabled"),
        loses("RSN-6", "effort budget", when=covered_by_effort),
        loses("RSN-12", "effort"),
        ok("budget"),
    ),
    of(ir.SchemaFormat, loses("OUT-4", "name description")),
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    inside("format", loses("OUT-3", ir.SchemaFormat, when=is_("schema", None)), ok(ir.SchemaFormat)),
    of(
        ir.FunctionTool,
        fills("SCH-2", "parameters", by=of_an_object),
        notes("SCH-2", "parameters", when=without_properties, by=of_an_object),
        ok("parameters strict"),
    ),
    inside(
        "tool choice",
        omits("SMP-6", ir.Choice, when=is_("mode", ir.ChoiceMode.AUTO)),
        weaker("TUL-70", ir.NamedChoice, by=required),
        ok(ir.Choice),
    ),
    of(ir.NamedChoice, loses("TUL-70", "name", elsewhere=True)),
    of(
        ir.Choice,
        ok("mode=auto", by=always(ir.ChoiceMode.AUTO)),
        weaker("TUL-7", "mode=validated", by=unvalidated),
    ),
)
CONTENT = (
    of(ir.Image, ok("detail")),
    inside(
        "image source",
        refuses("SRC-3", ir.Url, when=unreachable, detail="URLs with http:// or https://"),
        ok(ir.Url),
    ),
    of(ir.PlainText, ok("text mime", when=is_("mime", wire.PLAIN)), ok("text"), omits("ENV-1", "mime")),
    of(ir.Document, ok("title context"), omits("SMP-6", "cite", when=is_("cite", True)), ok("cite")),
    inside("citations", ok(ir.UrlCitation)),
    inside("user", *DOCUMENTS),
    inside("tool result", *DOCUMENTS),
)
RESPONSES = (
    of(ir.Response, omits("ENV-1", "model")),
    of(ir.Candidate, ok("logprobs")),
    of(ir.ScoredToken, ok("id"), omits("ENV-1", "bytes"), loses("SMP-7", "top")),
    of(ir.Terminal, weaker("STS-3", "reason=content_filter")),
    of(ir.RefusalDetails, loses("REF-5", "explanation")),
    of(ir.Usage, notes("USE-4", "cache_write reasoning"), omits("USE-3", "total")),
    of(  # the type is a word for the category, which the HTTP status has
        Error,
        omits("ERR-6", "type"),
        omits("ERR-6", "code", when=repeats_type),
        loses("ERR-2", "code param"),
        ok("request_id"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
