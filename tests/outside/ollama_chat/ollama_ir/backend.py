"""The IR as requests, responses and errors of /api/chat."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.authoring import ObjectWriter, Server, UnionWriter, arguments, put, whole, with_extra
from proxai_ir.ir.error import Error
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import LogProbs, StopReason, Terminal, Usage

from . import wire

Object = dict[str, Any]

# --- messages ---------------------------------------------------------------------------------------------------------

ROLE = {Role.SYSTEM: "system", Role.DEVELOPER: "system", Role.USER: "user", Role.ASSISTANT: "assistant"}
CALL = ObjectWriter(wire.CALL, {"function/arguments": lambda part: arguments(part.arguments, (part, "arguments"))})


def call(part: ir.FunctionCall) -> Object:
    return CALL.write(part)


def message(turn: Turn) -> Object:
    if turn.role is Role.TOOL:
        (part,) = turn.parts
        assert isinstance(part, ir.ToolResult)
        return with_extra(put({"role": "tool"}, content=joined(part.parts, "\n"), tool_name=part.name), turn)
    built: Object = {
        "role": ROLE[turn.role],
        "content": joined(turn.parts, "" if turn.role is Role.ASSISTANT else "\n"),
    }
    thinking = "".join(part.text or "" for part in turn.parts if isinstance(part, ir.Reasoning))
    images = [part.source for part in turn.parts if isinstance(part, ir.Image)]
    data = [source.data for source in images if isinstance(source, ir.Inline)]
    calls = [call(part) for part in turn.parts if isinstance(part, ir.FunctionCall)]
    return with_extra(put(built, thinking=thinking or None, images=data or None, tool_calls=calls or None), turn)


def joined(listed: list[ir.Part], separator: str) -> str:
    return separator.join(part.text for part in listed if isinstance(part, ir.Text))


# --- requests ---------------------------------------------------------------------------------------------------------

TOOLS = UnionWriter(wire.TOOLS, {ir.UnknownTool: lambda tool: tool.raw})


def raise_request(node: ir.Request, server: Server) -> Object:
    sampling = node.sampling or ir.Sampling()
    thinking = node.thinking or ir.Thinking()
    form = node.output.format if node.output is not None else None
    names = (*wire.NUMBERS, "top_k", "seed", "stop")
    options = put({}, num_predict=node.max_tokens, **{name: getattr(sampling, name) for name in names})
    built = put(
        {},
        model=node.model if node.model is not None else server.model,
        messages=[message(turn) for turn in node.turns or ()],
        tools=[TOOLS.write(tool) for tool in node.tools or ()] or None,
        options=options or None,
        think=thinking.effort.value if thinking.effort is not None else THINK.get(thinking.mode),
        format=form and (form.schema if isinstance(form, ir.SchemaFormat) else "json"),
        logprobs=sampling.logprobs,
        top_logprobs=sampling.top_logprobs,
        stream=bool(node.streaming and node.streaming.stream),
    )
    return with_extra(built, node)


THINK = {ir.ThinkingMode.ENABLED: True, ir.ThinkingMode.DISABLED: False, None: None}

# --- responses and errors ---------------------------------------------------------------------------------------------


def raise_response(node: ir.Response, server: Server) -> Object:
    (candidate,) = node.candidates
    turn = candidate.turns[0] if candidate.turns else Turn(Role.ASSISTANT, [])
    built = {**envelope(node, server), "message": message(turn), **ending(candidate.terminal), **counts(node.usage)}
    if candidate.logprobs is not None:
        built["logprobs"] = tokens(candidate.logprobs)
    return with_extra(built, node)


def envelope(node: ir.Response, server: Server) -> Object:
    return put({}, model=node.model, created_at=None if node.created is None else wire.time_of(node.created))


def ending(terminal: Terminal) -> Object:
    if terminal.reason is StopReason.UNFINISHED:
        return put({"done": False}, done_reason=terminal.raw)
    return with_extra({"done": True, "done_reason": wire.WORD.get(terminal.reason, "stop")}, terminal)


def counts(usage: Usage | None) -> Object:
    if usage is None:
        return {}
    into = None if usage.input is None else usage.all_input
    return put({}, prompt_eval_count=into, eval_count=None if usage.output is None else usage.all_output)


LIKELY = ObjectWriter(wire.LIKELY, {"bytes": lambda token: token.bytes})
TOKEN = ObjectWriter(wire.TOKEN, {"bytes": lambda token: token.bytes, "top_logprobs": LIKELY})


def tokens(scores: LogProbs) -> list[Object]:
    return [TOKEN.write(token) for token in scores.text or ()]


def raise_error(node: Error, server: Server) -> Any:
    return whole(node) if node.verbatim else with_extra({"error": node.message}, node)
