"""Writes requests, responses, errors and their content as Ollama's chat: canonical output, from a legal tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxai_ir import ir
from proxai_ir.authoring import (
    Object,
    ObjectWriter,
    Server,
    UnionWriter,
    arguments_of,
    error_writer,
    put,
    time_of,
    with_extra,
)
from proxai_ir.wire import ollama_chat as wire

# --- parts ------------------------------------------------------------------------------------------------------------

ROLE = {ir.Role.SYSTEM: "system", ir.Role.DEVELOPER: "system", ir.Role.USER: "user", ir.Role.ASSISTANT: "assistant"}
CALL = ObjectWriter(wire.CALL, {"function/arguments": arguments_of})
LINES = "\n"


def call(part: ir.FunctionCall) -> Object:
    return CALL.write(part)


def message(turn: ir.Turn) -> Object:
    """Return a message of any role but that of a tool; one of a role that only the model's template knows as it was."""
    if turn.parts and isinstance(turn.parts[0], ir.UnknownPart):
        return turn.parts[0].raw
    built: Object = {
        "role": ROLE[turn.role],
        "content": _text(turn.parts, "" if turn.role is ir.Role.ASSISTANT else LINES),
    }
    thinking = "".join(part.text or "" for part in turn.parts if isinstance(part, ir.Reasoning))
    calls = [call(part) for part in turn.parts if isinstance(part, ir.FunctionCall)]
    put(built, thinking=thinking or None, images=_images(turn.parts), tool_calls=calls or None)
    return with_extra(built, turn)


def _result(turn: ir.Turn, names: dict[str | None, str]) -> Object:
    """Return the message of a tool's result, with the name of its tool, by which the server's templates link it."""
    (part,) = turn.parts
    assert isinstance(part, ir.ToolResult)
    name = part.name or names.get(part.call_id)
    built = put({"role": "tool", "content": _text(part.parts, LINES)}, images=_images(part.parts), tool_name=name)
    return with_extra(put(built, tool_call_id=part.call_id), turn)


def messages(turns: list[ir.Turn]) -> list[Object]:
    built, names = [], dict[str | None, str]()
    for turn in turns:
        built.append(_result(turn, names) if turn.role is ir.Role.TOOL else message(turn))
        names |= {part.id: part.name for part in turn.parts if isinstance(part, ir.FunctionCall)}
    return built


def _text(listed: list[ir.Part], separator: str) -> str:
    return separator.join(part.text for part in listed if isinstance(part, ir.Text))


def _images(listed: list[ir.Part]) -> list[str] | None:
    sources = [part.source for part in listed if isinstance(part, ir.Image)]
    return [source.data for source in sources if isinstance(source, ir.Inline)] or None


# --- tools ------------------------------------------------------------------------------------------------------------

TOOLS = UnionWriter(wire.TOOLS, {ir.UnknownTool: lambda tool: tool.raw})


def raise_tools(tools: Sequence[ir.Tool] | None) -> list[Object] | None:
    return [TOOLS.write(tool) for tool in tools or ()] or None


# --- request ----------------------------------------------------------------------------------------------------------

THINK = {
    ir.ThinkingMode.ENABLED: True,
    ir.ThinkingMode.ADAPTIVE: True,
    ir.ThinkingMode.DISABLED: False,
    None: None,
}


def raise_request(node: ir.Request, server: Server) -> Object:
    sampling = node.sampling or ir.Sampling()
    thinking = node.thinking or ir.Thinking()
    form: Any = node.output.format if node.output is not None else None
    names = (*wire.NUMBERS, "top_k", "seed", "stop")
    options = put({}, num_predict=node.max_tokens, **{name: getattr(sampling, name) for name in names})
    put(options, num_ctx=server.context_size or None)
    built = put(
        {},
        model=node.model if node.model is not None else server.model,
        messages=messages(node.turns or []),
        tools=raise_tools(node.tools),
        options=options or None,
        think=THINK[thinking.mode] if thinking.effort is None else thinking.effort.value,
        format=form and getattr(form, "schema", "json"),
        logprobs=sampling.logprobs,
        top_logprobs=sampling.top_logprobs,
        stream=bool(node.streaming and node.streaming.stream),
    )
    return with_extra(built, node)


# --- response ---------------------------------------------------------------------------------------------------------


def raise_response(node: ir.Response, server: Server) -> Object:
    (candidate,) = node.candidates
    turn = candidate.turns[0] if candidate.turns else ir.Turn(ir.Role.ASSISTANT, [])
    built = {**envelope(node), "message": message(turn), **ending(candidate.terminal), **counts(node.usage)}
    if candidate.logprobs is not None:
        built["logprobs"] = tokens(candidate.logprobs)
    return with_extra(built, node)


def envelope(node: ir.Response) -> Object:
    return put({}, model=node.model, created_at=None if node.created is None else time_of(node.created))


def ending(terminal: ir.Terminal) -> Object:
    if terminal.reason is ir.StopReason.UNFINISHED:
        return put({"done": False}, done_reason=terminal.raw)
    return with_extra({"done": True, "done_reason": wire.WORD.get(terminal.reason, "stop")}, terminal)


def counts(usage: ir.Usage | None) -> Object:
    if usage is None:
        return {}
    into = None if usage.input is None else usage.all_input
    out = None if usage.output is None else usage.all_output
    return put({}, prompt_eval_count=into, prompt_eval_cached_count=usage.cache_read, eval_count=out)


LIKELY = ObjectWriter(wire.LIKELY, {"bytes": lambda token: token.bytes})
TOKEN = ObjectWriter(wire.TOKEN, {"bytes": lambda token: token.bytes, "top_logprobs": LIKELY})


def tokens(scores: ir.LogProbs) -> list[Object]:
    return [TOKEN.write(token) for token in scores.text or ()]


# --- error ------------------------------------------------------------------------------------------------------------

raise_error = error_writer(wire.ERROR)
