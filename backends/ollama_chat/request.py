"""The IR of a request as a body of `/api/chat`, and turns as its messages: canonical output, from a legal tree."""

from __future__ import annotations

from typing import Any

from proxai_ir.binding.server import Server
from proxai_ir.ir import parts, request, tools
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire import ollama_chat as wire

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, arguments, put, with_extra

# --- messages ---------------------------------------------------------------------------------------------------------

ROLE = {Role.SYSTEM: "system", Role.DEVELOPER: "system", Role.USER: "user", Role.ASSISTANT: "assistant"}
CALL = ObjectWriter(wire.CALL, {"function/arguments": lambda part: arguments(part.arguments, (part, "arguments"))})
LINES = "\n"


def call(part: parts.FunctionCall) -> Object:
    return CALL.write(part)


def message(turn: Turn) -> Object:
    """All of a turn but a tool's result."""
    built: Object = {
        "role": ROLE[turn.role],
        "content": _text(turn.parts, "" if turn.role is Role.ASSISTANT else LINES),
    }
    thinking = "".join(part.text or "" for part in turn.parts if isinstance(part, parts.Reasoning))
    calls = [call(part) for part in turn.parts if isinstance(part, parts.FunctionCall)]
    put(built, thinking=thinking or None, images=_images(turn.parts), tool_calls=calls or None)
    return with_extra(built, turn)


def _result(turn: Turn, names: dict[str | None, str]) -> Object:
    """The server's templates link a result by the name of its tool."""
    (part,) = turn.parts
    assert isinstance(part, parts.ToolResult)
    name = names.get(part.call_id) or part.name
    built = put({"role": "tool", "content": _text(part.parts, LINES)}, images=_images(part.parts), tool_name=name)
    return with_extra(put(built, tool_call_id=part.call_id), turn)


def _messages(turns: list[Turn]) -> list[Object]:
    built, names = [], dict[str | None, str]()
    for turn in turns:
        built.append(_result(turn, names) if turn.role is Role.TOOL else message(turn))
        names |= {part.id: part.name for part in turn.parts if isinstance(part, parts.FunctionCall)}
    return built


def _text(listed: list[parts.Part], separator: str) -> str:
    return separator.join(part.text for part in listed if isinstance(part, parts.Text))


def _images(listed: list[parts.Part]) -> list[str] | None:
    sources = [part.source for part in listed if isinstance(part, parts.Image)]
    return [source.data for source in sources if isinstance(source, parts.Inline)] or None


# --- requests ---------------------------------------------------------------------------------------------------------

TOOLS = UnionWriter(wire.TOOLS, {tools.UnknownTool: lambda tool: tool.raw})
THINK = {request.ThinkingMode.ENABLED: True, request.ThinkingMode.DISABLED: False, None: None}


def raise_request(node: request.Request, server: Server) -> Object:
    sampling = node.sampling or request.Sampling()
    thinking = node.thinking or request.Thinking()
    form: Any = node.output.format if node.output is not None else None
    names = (*wire.NUMBERS, "top_k", "seed", "stop")
    options = put({}, num_predict=node.max_tokens, **{name: getattr(sampling, name) for name in names})
    built = put(
        {},
        model=node.model if node.model is not None else server.model,
        messages=_messages(node.turns or []),
        tools=[TOOLS.write(tool) for tool in node.tools or ()] or None,
        options=options or None,
        think=THINK[thinking.mode] if thinking.effort is None else thinking.effort.value,
        format=form and getattr(form, "schema", "json"),
        logprobs=sampling.logprobs,
        top_logprobs=sampling.top_logprobs,
        stream=bool(node.streaming and node.streaming.stream),
    )
    return with_extra(built, node)
