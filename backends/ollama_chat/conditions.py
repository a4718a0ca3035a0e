"""The predicates and rewrites of the target's table."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.media_types import shown_type
from proxai_ir.ir.request import Request, Thinking, ThinkingMode
from proxai_ir.rules import conditions
from proxai_ir.rules.verdicts import Fields
from proxai_ir.wire import ollama_chat as wire

nearest = conditions.nearest_of(*wire.EFFORTS.values())


def has_effort(thinking: Thinking) -> bool:
    """Whether an effort says that it thinks, or a budget, which becomes one."""
    return thinking.effort is not None or thinking.budget is not None


def decided(thinking: Thinking) -> bool:
    return thinking.effort is not None or thinking.mode is ThinkingMode.DISABLED


def effort_for_budget(thinking: Thinking) -> Fields:
    thinking = Thinking(**conditions.nearest_effort(thinking))
    return Fields(effort=nearest(thinking), budget=None)


def calls_no_tool(root: Request) -> bool:
    return isinstance(root.tool_choice, ir.Choice) and root.tool_choice.mode is ir.ChoiceMode.NONE


def document_as_text(document: ir.Document) -> ir.Text:
    text = document.source.text if isinstance(document.source, ir.PlainText) else ""  # other sources are refused
    return ir.Text("\n".join(filter(None, (document.title, document.context, text))), src=document.src)


def untyped(data: ir.Inline) -> bool:
    """Whether the data of an image does not show its media type."""
    return shown_type(data.data) is None
