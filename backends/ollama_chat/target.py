"""The target Ollama's chat: its structural constraints, settings of servers, checks, and its table."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.authoring import (
    BASE,
    Check,
    Constraints,
    Fields,
    Report,
    Server,
    Target,
    checks,
    fills,
    inside,
    loses,
    models,
    notes,
    of,
    ok,
    omits,
    option,
    refuses,
    weaker,
)
from proxai_ir.authoring import conditions as c
from proxai_ir.ir.media_types import shown_type
from proxai_ir.wire import ollama_chat as wire

# --- settings ---------------------------------------------------------------------------------------------------------

MODELS = models.taken(
    "efforts highest_effort images least_effort logprobs schema_references structured_output thinking thinking_off",
    least_effort="low",
)

SETTINGS = {
    **MODELS.settings,
    "context_size": option(
        0,
        "the tokens of the context that the model is to have (`num_ctx`); 0, the server's own, by default",
        of="requests",
    ),
}


# --- checks -----------------------------------------------------------------------------------------------------------


def members_of_messages(root: ir.Request, report: Report, server: Server) -> None:
    """Report images before text, as a message has its images in a list of their own (IMG-70)."""
    for turn in root.turns or ():
        for listed in (turn.parts, *(part.parts for part in turn.parts if isinstance(part, ir.ToolResult))):
            images = [part for part in listed if isinstance(part, ir.Image)]
            if images and isinstance(listed[-1], ir.Text):
                report.at("IMG-70", images[0])


def envelope(root: ir.Response, report: Report, server: Server) -> None:
    """Fill in the model and the time, which a response needs (ENV-2, ENV-6, ENV-12)."""
    checks.name_model(root, report, server)
    root.created = server.created if root.created is None else root.created
    if root.created is None:
        report.records.append(("ENV-2", None, "`created_at` is the beginning of 1970"))
        root.created = 0


# --- conditions -------------------------------------------------------------------------------------------------------

nearest = c.nearest_of(*wire.EFFORTS.values())


def has_effort(thinking: ir.Thinking) -> bool:
    """Return whether an effort says that the model thinks, or a budget, which becomes an effort."""
    return thinking.effort is not None or thinking.budget is not None


def decided(thinking: ir.Thinking) -> bool:
    """Return whether an effort or disabled thinking makes a budget meaningless."""
    return thinking.effort is not None or thinking.mode is ir.ThinkingMode.DISABLED


def effort_for_budget(thinking: ir.Thinking) -> Fields:
    thinking = ir.Thinking(**c.nearest_effort(thinking))
    return Fields(effort=nearest(thinking), budget=None)


def calls_no_tool(root: ir.Request) -> bool:
    """Return whether the choice forbids calls."""
    return isinstance(root.tool_choice, ir.Choice) and root.tool_choice.mode is ir.ChoiceMode.NONE


def document_as_text(document: ir.Document) -> ir.Text:
    text = document.source.text if isinstance(document.source, ir.PlainText) else ""  # other sources are refused
    return ir.Text("\n".join(filter(None, (document.title, document.context, text))), src=document.src)


def untyped(data: ir.Inline) -> bool:
    """Return whether the data of an image do not show its media type."""
    return shown_type(data.data) is None


# --- target rows ------------------------------------------------------------------------------------------------------

AS_TEXT = notes("DOC-6", ir.Document, by=document_as_text)
ROWS = (
    *MODELS.rows,
    of(ir.Request, loses("TUL-69", "tools", when=calls_no_tool), ok("tools prefill")),
    of(ir.Sampling, ok("top_k seed frequency_penalty presence_penalty logprobs top_logprobs")),
    of(
        ir.Thinking,
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive", when=has_effort),
        ok("mode=enabled|adaptive"),
        weaker("RSN-6", "mode=between_tools", by=c.always(ir.ThinkingMode.ENABLED)),
        loses("RSN-6", "effort", when=c.covered_by_effort),
        ok("effort=low|medium|high|max"),
        weaker("RSN-32", "effort=minimal", by=c.always(ir.Effort.LOW)),
        weaker("RSN-23", "effort=xhigh", by=c.always(ir.Effort.MAX)),
        loses("RSN-3", "budget", when=decided),
        weaker("RSN-3", "budget", by=effort_for_budget),
        omits("SMP-6", "display=summarized"),
    ),
    of(ir.SchemaFormat, loses("OUT-4", "name description")),
    of(ir.Streaming, omits("STR-13", "usage", elsewhere=True)),
    inside("format", *c.STATED_SCHEMA),
    inside("format", omits("SMP-6", ir.PlainFormat)),
    of(
        ir.FunctionTool,
        fills("SCH-2", "parameters", by=c.of_an_object),
        notes("SCH-2", "parameters", when=c.lacks_type, by=c.of_an_object),
        ok("parameters"),
    ),
    of(
        ir.AllowedChoice,
        omits("SMP-6", "mode=auto"),
        weaker("TUL-68", "mode=required", by=c.always(ir.ChoiceMode.AUTO)),
    ),
    inside(
        "tool choice",
        omits("SMP-6", ir.Choice, when=c.is_("mode", ir.ChoiceMode.AUTO)),
        omits("TUL-15", ir.Choice, when=c.is_("mode", ir.ChoiceMode.NONE)),  # the tools are dropped
        loses("TUL-68", ir.Choice, ir.NamedChoice),
    ),
    of(ir.Inline, loses("IMG-71", "mime", when=untyped), omits("ENV-1", "mime")),
    of(ir.PlainText, omits("ENV-1", "mime", detail=c.TYPE_ALONE)),
    of(ir.Document, ok("title context")),
    of(ir.ToolResult, ok("name")),
    inside("image source", ok(ir.Inline), refuses("SRC-2", ir.Url)),
    inside("document source", refuses("PLC-3", ir.Inline, ir.Url, ir.Chunks)),
    inside("user", AS_TEXT),
    inside("tool result", AS_TEXT),
    of(ir.Response, omits("ENV-1", "created", when=c.undated), ok("created"), omits("ENV-1", "id")),
    of(ir.Candidate, ok("logprobs")),
    of(ir.ScoredToken, ok("top")),
    of(ir.Terminal, weaker("STS-3", "reason=stop_sequence|content_filter")),
    of(ir.RefusalDetails, loses("REF-5", "explanation")),
    of(ir.Usage, notes("USE-4", "cache_write reasoning"), omits("USE-3", "total")),
    of(ir.Error, *c.message_of_error(wire.BEGINS_TOO_LONG, wire.PROMPT_TOO_LONG), loses("ERR-2", "type code param")),
)


# --- target -----------------------------------------------------------------------------------------------------------

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.only_allowed(ir.FunctionTool),
        *MODELS.checks,
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        Check(members_of_messages, ("IMG-70",), ir.Request),
        Check(envelope, ("ENV-2", "ENV-6", "ENV-12"), ir.Response, at_once=True),
    ),
    base=BASE,
    settings=SETTINGS,
)

CONSTRAINTS = Constraints(
    instructions="inline",
    results="turns",
    media_results=True,
    result_holds=lambda part: isinstance(part, ir.Image),
    nested=False,
    ordered=False,
    text_parts=False,
    text_arrays=False,
    one_text=True,
    empty_text=True,
    alternatives=False,
    items=False,
    open_calls=True,
    last_turn="resumed",
    parsed_arguments=True,
)
