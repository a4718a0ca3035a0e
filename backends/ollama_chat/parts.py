"""Turns of the IR as messages of `/api/chat`."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import ollama_chat as wire

from .._lib.objects import ObjectWriter
from .._lib.writing import Object, arguments_of, put, with_extra

ROLE = {Role.SYSTEM: "system", Role.DEVELOPER: "system", Role.USER: "user", Role.ASSISTANT: "assistant"}
CALL = ObjectWriter(wire.CALL, {"function/arguments": arguments_of})
LINES = "\n"


def call(part: ir.FunctionCall) -> Object:
    return CALL.write(part)


def message(turn: Turn) -> Object:
    """All of a turn but a tool's result."""
    built: Object = {
        "role": ROLE[turn.role],
        "content": _text(turn.parts, "" if turn.role is Role.ASSISTANT else LINES),
    }
    thinking = "".join(part.text or "" for part in turn.parts if isinstance(part, ir.Reasoning))
    calls = [call(part) for part in turn.parts if isinstance(part, ir.FunctionCall)]
    put(built, thinking=thinking or None, images=_images(turn.parts), tool_calls=calls or None)
    return with_extra(built, turn)


def _result(turn: Turn, names: dict[str | None, str]) -> Object:
    """The server's templates link a result by the name of its tool."""
    (part,) = turn.parts
    assert isinstance(part, ir.ToolResult)
    name = part.name or names.get(part.call_id)
    built = put({"role": "tool", "content": _text(part.parts, LINES)}, images=_images(part.parts), tool_name=name)
    return with_extra(put(built, tool_call_id=part.call_id), turn)


def messages(turns: list[Turn]) -> list[Object]:
    built, names = [], dict[str | None, str]()
    for turn in turns:
        built.append(_result(turn, names) if turn.role is Role.TOOL else message(turn))
        names |= {part.id: part.name for part in turn.parts if isinstance(part, ir.FunctionCall)}
    return built


def _text(listed: list[ir.Part], separator: str) -> str:
    return separator.join(part.text for part in listed if isinstance(part, ir.Text))


def _images(listed: list[ir.Part]) -> list[str] | None:
    sources = [part.source for part in listed if isinstance(part, ir.Image)]
    return [source.data for source in sources if isinstance(source, ir.Inline)] or None
