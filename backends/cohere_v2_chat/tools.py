"""Tools of /v2/chat, the choice among them, and their calls, from the IR."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.parts import FunctionCall
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, dumps, put

TOOLS = UnionWriter(wire.TOOLS, {ir.UnknownTool: lambda tool: tool.raw})
CHOICE_OF = {mode: word for word, mode in wire.CHOICES.items()}


def put_tools(built: Object, request: ir.Request) -> None:
    """The tools, of which all are strict or none is, and the choice; the model decides where none is stated."""
    if request.tools:
        built["tools"] = [TOOLS.write(tool) for tool in request.tools]
        strict = [tool.strict for tool in request.tools if isinstance(tool, ir.FunctionTool)]
        stated = [one for one in strict if one is not None]
        put(built, strict_tools=any(stated) if stated else None)
    choice = request.tool_choice
    if isinstance(choice, (ir.Choice, ir.AllowedChoice)) and choice.mode in CHOICE_OF:
        built["tool_choice"] = CHOICE_OF[choice.mode]


def _arguments(part: FunctionCall) -> str:
    text = part.arguments if isinstance(part.arguments, str) else dumps(part.arguments, (part, "arguments"))
    return text or "{}"


CALL = ObjectWriter(wire.CALL, {"function/arguments": _arguments})


def call(part: FunctionCall, generated: str) -> Object:
    """`generated`: its id, if it has none (TUL-17)."""
    made: Object = CALL.write(part)
    return made if part.id is not None else {**made, "id": generated}
