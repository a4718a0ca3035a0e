"""Items of Responses that change how the model responds from there on (RSN-45), and the settings that they share with
requests."""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir import ir
from proxai_ir.ir.turns import Role, Turn, TurnSettings
from proxai_ir.wire import openai as openai
from proxai_ir.wire import openai_responses_objects as objects

from .._lib.objects import UnionReader
from .._lib.reading import Object, an_object, extra_fields, optional, required
from .._lib.schemas import json_schema


def set_effort(effort: str, thinking: Callable[[], ir.Thinking]) -> bool:
    """Set an effort, or that there is none; whether it is known."""
    if effort == openai.NO_EFFORT:
        thinking().mode = ir.ThinkingMode.DISABLED
    elif effort in openai.EFFORT:
        thinking().effort = openai.EFFORT[effort]
    else:
        return False
    return True


def read_format(text: Object) -> ir.Format | None:
    """The format that `text` has; None for one of an unknown type."""
    form = an_object(text, "format")
    found = FORMATS.get(required(form, "type", str))
    made: ir.Format | None = None if found is None else found(form)
    if type(made) is ir.SchemaFormat and made.schema:
        made.schema = json_schema(made.schema)
    return made


FORMATS = UnionReader(objects.FORMATS).readers


def configuration_update(item: Object) -> Turn:
    """A turn without content that has settings."""
    reasoning, text = optional(item, "reasoning", dict) or {}, optional(item, "text", dict) or {}
    settings = TurnSettings(src=item)
    of_reasoning, of_text = set(), set()
    effort = optional(reasoning, "effort", str)
    thinking = ir.Thinking(src=item)
    if effort is not None and set_effort(effort, lambda: thinking):
        settings.thinking = thinking
        of_reasoning.add("effort")
    if text.get("format") is not None and (form := read_format(text)) is not None:
        settings.output = ir.Output(form, src=item)
        of_text.add("format")
    left = {"reasoning": extra_fields(reasoning, of_reasoning), "text": extra_fields(text, of_text)}
    extra = extra_fields(item, {"type", *left}, nested=left)
    return Turn(Role.SYSTEM, [], None, item, extra, settings=settings)
