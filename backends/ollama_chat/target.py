"""What `/api/chat` supports: the structure of a conversation, the verdicts that differ from most, and the checks."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir import logprobs, parts, request, response, terminal, tools, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import Effort, Request, Thinking, ThinkingMode
from proxai_ir.reporting.report import Report
from proxai_ir.rules import checks, conditions, models
from proxai_ir.rules.base import BASE
from proxai_ir.rules.conditions import is_
from proxai_ir.rules.constraints import Constraints
from proxai_ir.rules.verdicts import Check, Fields, Target, inside, loses, notes, of, ok, omits, refuses, weaker
from proxai_ir.wire import ollama_chat as wire

AUTO, NONE = tools.ChoiceMode.AUTO, tools.ChoiceMode.NONE
nearest = conditions.nearest_of(*wire.EFFORTS.values())

MODELS = models.taken(
    "efforts highest_effort images least_effort logprobs structured_output thinking thinking_off", least_effort="low"
)


def has_effort(thinking: Thinking) -> bool:
    return thinking.effort is not None


def decided(thinking: Thinking) -> bool:
    return thinking.effort is not None or thinking.mode is ThinkingMode.DISABLED


def effort_for_budget(thinking: Thinking) -> Fields:
    thinking = Thinking(**conditions.nearest_effort(thinking))
    return Fields(effort=nearest(thinking), budget=None)


def calls_no_tool(root: Request) -> bool:
    return is_("mode", NONE)(root.tool_choice) if isinstance(root.tool_choice, tools.Choice) else False


def document_as_text(document: parts.Document) -> parts.Text:
    text = document.source.text if isinstance(document.source, parts.PlainText) else ""  # other sources are refused
    return parts.Text("\n".join(filter(None, (document.title, document.context, text))), src=document.src)


def untyped(data: parts.Inline) -> bool:
    """Whether the data of an image does not show its media type."""
    return wire.image_type(data.data) is None


AS_TEXT = notes("DOC-6", parts.Document, by=document_as_text)
ROWS = (
    *MODELS.rows,
    of(Request, loses("TUL-69", "tools", when=calls_no_tool), ok("tools")),
    of(request.Sampling, ok("top_k seed frequency_penalty presence_penalty logprobs top_logprobs")),
    of(
        Thinking,
        ok("mode=disabled"),
        omits("SMP-6", "mode=enabled|adaptive", when=has_effort),
        ok("mode=enabled"),
        weaker("RSN-6", "mode=adaptive|between_tools", by=conditions.always(ThinkingMode.ENABLED)),
        loses("RSN-6", "effort", when=conditions.covered_by_effort),
        ok("effort=low|medium|high|max"),
        weaker("RSN-32", "effort=minimal", by=conditions.always(Effort.LOW)),
        weaker("RSN-23", "effort=xhigh", by=conditions.always(Effort.HIGH)),
        loses("RSN-3", "budget", when=decided),
        weaker("RSN-3", "budget", by=effort_for_budget),
    ),
    of(request.SchemaFormat, loses("OUT-4", "name description")),
    inside("format", loses("OUT-3", request.SchemaFormat, when=is_("schema", None)), ok(request.SchemaFormat)),
    inside("format", omits("SMP-6", request.PlainFormat)),
    of(tools.AllowedChoice, weaker("TUL-68", "mode=required", by=conditions.always(AUTO))),
    inside(
        "tool choice",
        omits("SMP-6", tools.Choice, when=is_("mode", AUTO)),
        omits("TUL-15", tools.Choice, when=is_("mode", NONE)),  # the tools are dropped
        loses("TUL-68", tools.Choice, tools.NamedChoice),
    ),
    of(parts.Inline, loses("IMG-71", "mime", when=untyped), omits("ENV-1", "mime")),
    of(parts.PlainText, omits("ENV-1", "mime")),
    of(parts.Document, ok("title context")),
    of(parts.ToolResult, ok("name")),
    inside("image source", refuses("SRC-2", parts.Url)),
    inside("document source", refuses("PLC-3", parts.Inline, parts.Url, parts.Chunks)),
    inside("user", AS_TEXT),
    inside("assistant", weaker("REF-7", parts.Refusal, by=conditions.refusal_as_text)),
    inside(
        "assistant",
        loses("AUD-2", parts.Audio, when=conditions.silent),
        weaker("AUD-2", parts.Audio, by=conditions.transcript_as_text),
        kind="response",
    ),
    inside("tool result", AS_TEXT),
    of(response.Response, ok("created"), omits("ENV-1", "id")),
    of(response.Candidate, ok("logprobs")),
    of(logprobs.ScoredToken, ok("top")),
    of(terminal.Terminal, weaker("STS-3", "reason=content_filter")),
    of(terminal.RefusalDetails, loses("REF-5", "explanation")),
    of(usage.Usage, notes("USE-4", "cache_read cache_write reasoning"), omits("USE-3", "total")),  # within the sums
    of(Error, loses("ERR-2", "type code param")),
)

# --- checks -----------------------------------------------------------------------------------------------------------


def members_of_messages(root: Request, report: Report, server: Server) -> None:
    """A message has one string of text, and its images apart."""
    for turn in root.turns or ():
        for listed in (turn.parts, *(part.parts for part in turn.parts if isinstance(part, parts.ToolResult))):
            for part in [part for part in listed if isinstance(part, parts.Text)][1:]:
                report.at("PLC-8", part)
            images = [part for part in listed if isinstance(part, parts.Image)]
            if images and isinstance(listed[-1], parts.Text):
                report.at("IMG-70", images[0])


def envelope(root: response.Response, report: Report, server: Server) -> None:
    """A response needs a model and a time, and has no id."""
    if server.model is not None and root.model not in (None, server.model):
        report.at("ENV-12", root, "model")
    root.model = server.model or root.model
    if root.model is None:
        root.model = ""
        report.records.append(("ENV-6", None, ""))
    root.created = server.created if root.created is None else root.created
    if root.created is None:
        report.records.append(("ENV-2", None, "`created_at` is the beginning of 1970"))
        root.created = 0


TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.MODEL_NAMED,
        checks.only_allowed(tools.FunctionTool),
        *MODELS.checks,
        checks.ENDING_FITS,
        checks.ANSWERED_IDS,
        checks.USAGE_ADDS_UP,
        Check(members_of_messages, ("PLC-8", "IMG-70"), Request),
        Check(envelope, ("ENV-2", "ENV-6", "ENV-12"), response.Response, at_once=True),
    ),
    base=BASE,
    settings=MODELS.settings,
)

CONSTRAINTS = Constraints(
    instructions="inline",
    results="turns",
    media_results=False,
    nested=False,
    ordered=False,
    text_parts=False,
    empty_text=True,
    alternatives=False,
    items=False,
    open_calls=True,
    parsed_arguments=True,
)
