"""Tools as Converse defines them, and the choice among them (TUL-2, TUL-7): canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.wire import bedrock_converse as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object
from .parts import with_cache

TOOL = ObjectWriter(wire.TOOL)


def tool_list(request: ir.Request) -> list[Object]:
    made: list[Object] = []
    for tool in request.tools or ():
        if isinstance(tool, ir.FunctionTool):
            made += with_cache(TOOL.write(tool), tool)
        elif isinstance(tool, (ir.HostedTool, ir.UnknownTool)):
            made.append(tool.raw)
    return made


def tool_choice(choice: ir.ToolChoice | None) -> Object | None:
    if choice is None:
        return None
    kind = "tool" if isinstance(choice, ir.NamedChoice) else MODES[getattr(choice, "mode", None)]
    return CHOICES[kind].write(choice)


CHOICES = {kind: ObjectWriter(declared) for kind, declared in wire.CHOICES.items()}
MODES = dict.fromkeys((None, *ir.ChoiceMode), "auto") | {ir.ChoiceMode.REQUIRED: "any"}
