"""What /api/chat can represent: the verdicts that differ from those of most protocols, and its checks."""

from __future__ import annotations

from proxai_ir.authoring import (
    BASE,
    Check,
    Constraints,
    Fields,
    Report,
    Server,
    Target,
    checks,
    conditions,
    inside,
    loses,
    notes,
    of,
    ok,
    omits,
    refuses,
    weaker,
)
from proxai_ir.ir import logprobs, parts, request, response, terminal, tools, usage
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import ThinkingMode

from . import wire

is_ = conditions.is_
nearest = conditions.nearest_of(*wire.EFFORTS.values())


def has_effort(thinking: request.Thinking) -> bool:
    return thinking.effort is not None or thinking.mode is ThinkingMode.DISABLED


def effort_for_budget(thinking: request.Thinking) -> Fields:
    thinking = request.Thinking(**conditions.nearest_effort(thinking))
    return Fields(effort=nearest(thinking), budget=None)


def document_as_text(document: parts.Document) -> parts.Text:
    text = document.source.text if isinstance(document.source, parts.PlainText) else ""  # other sources are refused
    return parts.Text("\n".join(filter(None, (document.title, document.context, text))), src=document.src)


def untyped(data: parts.Inline) -> bool:
    """Whether the data of an image does not show its media type."""
    return wire.image_type(data.data) is None


AS_TEXT = weaker("DOC-3", parts.Document, by=document_as_text)
ROWS = (
    of(
        request.Sampling,
        ok("top_k seed frequency_penalty presence_penalty logprobs top_logprobs"),
        loses("SMP-3", "logit_bias"),
    ),
    of(
        request.Thinking,
        ok("mode=enabled|disabled"),
        weaker("RSN-6", "mode=adaptive|between_tools", by=lambda _: ThinkingMode.ENABLED),
        loses("RSN-6", "effort", when=conditions.covered_by_effort),
        ok("effort=low|medium|high"),
        weaker(wire.EFFORT_ROUNDED, "effort=minimal|xhigh|max", by=nearest),
        loses("RSN-3", "budget", when=has_effort),
        weaker("RSN-3", "budget", by=effort_for_budget),
    ),
    of(request.SchemaFormat, loses("OUT-4", "name description")),
    inside(
        "format",
        omits("SMP-6", request.PlainFormat),
        loses("OUT-3", request.SchemaFormat, when=is_("schema", None)),
        ok(request.SchemaFormat),
    ),
    inside(
        "tool choice",
        omits("SMP-6", tools.Choice, when=is_("mode", tools.ChoiceMode.AUTO)),
        loses("TUL-7", tools.Choice, tools.NamedChoice, tools.AllowedChoice),
    ),
    of(parts.Inline, loses(wire.UNTYPED, "mime", when=untyped), omits("ENV-1", "mime")),
    of(parts.PlainText, omits("ENV-1", "mime")),
    of(parts.Document, ok("title context")),
    of(parts.FunctionCall, omits(wire.NO_IDS, "id", elsewhere=True)),
    of(parts.ToolResult, ok("name"), omits(wire.NO_IDS, "call_id", elsewhere=True)),
    inside("image source", refuses("SRC-2", parts.Url)),
    inside("document source", refuses("PLC-3", parts.Inline, parts.Url, parts.Chunks)),
    inside("user", AS_TEXT),
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


def members_of_messages(root: request.Request, report: Report, server: Server) -> None:
    """A message has one string of text, and its images apart."""
    for turn in root.turns or ():
        for listed in (turn.parts, *(part.parts for part in turn.parts if isinstance(part, parts.ToolResult))):
            for part in [part for part in listed if isinstance(part, parts.Text)][1:]:
                report.at(wire.JOINED, part)
            images = [part for part in listed if isinstance(part, parts.Image)]
            if images and isinstance(listed[-1], parts.Text):
                report.at(wire.IMAGES_LAST, images[0])


def envelope(root: response.Response, report: Report, server: Server) -> None:
    """A response needs a model and a time, and has no id."""
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
        checks.ENDING_FITS,
        *checks.without_call_ids(wire.NO_IDS),
        Check(members_of_messages, (wire.JOINED, wire.IMAGES_LAST), request.Request),
        Check(envelope, ("ENV-2", "ENV-6"), response.Response, at_once=True),
    ),
    base=BASE,
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
)
