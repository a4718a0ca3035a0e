"""The verdicts of Cohere's chat on the fields of the IR, their conditions, and its servers' settings."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.targets import conditions as c
from proxai_ir.targets import models
from proxai_ir.targets.settings import capability
from proxai_ir.targets.verdicts import fills, inside, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import cohere_v2_chat as wire

# --- settings ---------------------------------------------------------------------------------------------------------

MODELS = models.taken(
    "forced_choice high_temperature images json_with_tools sampling strict_tools structured_output thinking "
    "thinking_budgets thinking_off tool_choice",
    high_temperature=False,
    json_with_tools=False,
)

SETTINGS = {
    **MODELS.settings,
    "system_in_place": capability(
        False, "instructions in mid-conversation, before a message of the assistant (PLC-2)", {"later": "anywhere"}
    ),
}


# --- conditions -------------------------------------------------------------------------------------------------------


def unreadable(document: ir.Document) -> bool:
    """Return whether a document is neither a text nor data that are text."""
    source = document.source
    return isinstance(source, ir.Url) or (isinstance(source, ir.Inline) and not c.is_text_type(source.mime))


def unreachable(source: ir.Url) -> bool:
    """Return whether a URL is neither of the web nor a data URL."""
    return c.not_web(source) and not source.url.startswith("data:")


# --- target rows ------------------------------------------------------------------------------------------------------

PENALTIES = ("frequency_penalty", "presence_penalty")
MOST_K = 500


DOCUMENTS = (
    refuses("SRC-3", ir.Document, when=unreadable, detail="text"),
    weaker("DOC-3", ir.Document, when=c.holds("source", ir.Chunks), at="type"),
    ok(ir.Document),
)
REQUESTS = (
    *MODELS.rows,
    of(
        ir.Sampling,
        omits("SMP-6", "top_k", when=c.unbounded),
        loses("SMP-2", "top_k", when=c.beyond("top_k", MOST_K), detail=f"at most {MOST_K}"),
        loses("SMP-2", "top_p", when=c.beyond("top_p", 0.99, 0.01), detail="from 0.01 to 0.99"),
        *(loses("SMP-2", name, when=c.beyond(name, 1, 0), detail="from 0 to 1") for name in PENALTIES),
        *c.neutral(logprobs=False),
        ok("top_p top_k seed logprobs", *PENALTIES),
    ),
    of(
        ir.Thinking,
        ok("mode=enabled|disabled"),
        loses("RSN-6", "effort budget", when=c.covered_by_effort),
        loses("RSN-12", "effort"),
        ok("budget"),
        omits("SMP-6", "display=summarized"),
    ),
    of(ir.SchemaFormat, loses("OUT-4", "name description")),
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    inside("format", *c.STATED_SCHEMA),
    of(
        ir.FunctionTool,
        fills("SCH-2", "parameters", by=c.of_an_object),
        notes("SCH-2", "parameters", when=c.lacks_type, by=c.of_an_object),
        ok("parameters strict"),
    ),
    inside(
        "tool choice",
        omits("SMP-6", ir.Choice, when=c.is_("mode", ir.ChoiceMode.AUTO)),
        ok(ir.Choice, ir.NamedChoice),
    ),
    of(ir.NamedChoice, loses("TUL-70", "name", elsewhere=True)),
    of(ir.AllowedChoice, omits("SMP-6", "mode=auto")),
    of(
        ir.Choice,
        ok("mode=auto", by=c.always(ir.ChoiceMode.AUTO)),
        weaker("TUL-7", "mode=validated", by=c.unvalidated),
    ),
)
CONTENT = (
    of(
        ir.Image,
        ok("detail", when=c.is_("detail", *wire.DETAILS)),
        loses("IMG-1", "detail", detail=f"only {', '.join(wire.DETAILS)}"),
    ),
    inside(
        "image source",
        refuses("SRC-3", ir.Url, when=unreachable, detail="URLs with http:// or https://"),
        ok(ir.Url),
    ),
    of(
        ir.PlainText,
        ok("text mime", when=c.is_("mime", wire.PLAIN)),
        ok("text"),
        omits("ENV-1", "mime", detail=c.TYPE_ALONE),
    ),
    of(ir.Document, ok("title context"), omits("SMP-6", "cite", when=c.is_("cite", True)), ok("cite")),
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
    of(  # the type is a word for the category, which the HTTP status states
        ir.Error,
        *c.message_of_error(wire.BEGINS_TOO_LONG, wire.PROMPT_TOO_LONG),
        omits("ERR-6", "type"),
        omits("ERR-6", "code", when=c.repeats_type),
        loses("ERR-2", "code param"),
        ok("request_id"),
    ),
)

ROWS = (*REQUESTS, *CONTENT, *RESPONSES)
