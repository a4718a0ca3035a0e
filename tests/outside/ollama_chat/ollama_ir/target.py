"""What /api/chat can represent: the verdicts that differ from those of most protocols, and its checks."""

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
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import ThinkingMode

from . import wire

is_ = conditions.is_
nearest = conditions.nearest_of(*wire.EFFORTS.values())


def has_effort(thinking: ir.Thinking) -> bool:
    return thinking.effort is not None or thinking.mode is ThinkingMode.DISABLED


def effort_for_budget(thinking: ir.Thinking) -> Fields:
    thinking = ir.Thinking(**conditions.nearest_effort(thinking))
    return Fields(effort=nearest(thinking), budget=None)


def document_as_text(document: ir.Document) -> ir.Text:
    text = document.source.text if isinstance(document.source, ir.PlainText) else ""  # other sources are refused
    return ir.Text("\n".join(filter(None, (document.title, document.context, text))), src=document.src)


def untyped(data: ir.Inline) -> bool:
    """Whether the data of an image does not show its media type."""
    return wire.image_type(data.data) is None


AS_TEXT = weaker("DOC-3", ir.Document, by=document_as_text)
ROWS = (
    of(
        ir.Sampling,
        ok("top_k seed frequency_penalty presence_penalty logprobs top_logprobs"),
        loses("SMP-3", "logit_bias"),
    ),
    of(
        ir.Thinking,
        ok("mode=enabled|disabled"),
        weaker("RSN-6", "mode=adaptive|between_tools", by=lambda _: ThinkingMode.ENABLED),
        loses("RSN-6", "effort", when=conditions.covered_by_effort),
        ok("effort=low|medium|high"),
        weaker(wire.EFFORT_ROUNDED, "effort=minimal|xhigh|max", by=nearest),
        loses("RSN-3", "budget", when=has_effort),
        weaker("RSN-3", "budget", by=effort_for_budget),
    ),
    of(ir.SchemaFormat, loses("OUT-4", "name description")),
    inside(
        "format",
        omits("SMP-6", ir.PlainFormat),
        loses("OUT-3", ir.SchemaFormat, when=is_("schema", None)),
        ok(ir.SchemaFormat),
    ),
    inside(
        "tool choice",
        omits("SMP-6", ir.Choice, when=is_("mode", ir.ChoiceMode.AUTO)),
        loses("TUL-7", ir.Choice, ir.NamedChoice, ir.AllowedChoice),
    ),
    of(ir.Inline, loses(wire.UNTYPED, "mime", when=untyped), omits("ENV-1", "mime")),
    of(ir.PlainText, omits("ENV-1", "mime")),
    of(ir.Document, ok("title context")),
    of(ir.FunctionCall, omits(wire.NO_IDS, "id", elsewhere=True)),
    of(ir.ToolResult, ok("name"), omits(wire.NO_IDS, "call_id", elsewhere=True)),
    inside("image source", refuses("SRC-2", ir.Url)),
    inside("document source", refuses("PLC-3", ir.Inline, ir.Url, ir.Chunks)),
    inside("user", AS_TEXT),
    inside("tool result", AS_TEXT),
    of(ir.Response, ok("created"), omits("ENV-1", "id")),
    of(ir.Candidate, ok("logprobs")),
    of(ir.ScoredToken, ok("top")),
    of(ir.Terminal, weaker("STS-3", "reason=content_filter")),
    of(ir.RefusalDetails, loses("REF-5", "explanation")),
    of(ir.Usage, notes("USE-4", "cache_read cache_write reasoning"), omits("USE-3", "total")),  # within the sums
    of(Error, loses("ERR-2", "type code param")),
)

# --- checks -----------------------------------------------------------------------------------------------------------


def members_of_messages(root: ir.Request, report: Report, server: Server) -> None:
    """A message has one string of text, and its images apart."""
    for turn in root.turns or ():
        for listed in (turn.parts, *(part.parts for part in turn.parts if isinstance(part, ir.ToolResult))):
            for part in [part for part in listed if isinstance(part, ir.Text)][1:]:
                report.at(wire.JOINED, part)
            images = [part for part in listed if isinstance(part, ir.Image)]
            if images and isinstance(listed[-1], ir.Text):
                report.at(wire.IMAGES_LAST, images[0])


def envelope(root: ir.Response, report: Report, server: Server) -> None:
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
        Check(members_of_messages, (wire.JOINED, wire.IMAGES_LAST), ir.Request),
        Check(envelope, ("ENV-2", "ENV-6"), ir.Response, at_once=True),
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
