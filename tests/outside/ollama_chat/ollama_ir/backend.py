"""The IR as requests and responses of /api/chat."""

from __future__ import annotations

from typing import Any

from proxai_ir.authoring import Backend, Server, put, with_extra
from proxai_ir.ir import request, response, tools
from proxai_ir.ir.error import Error
from proxai_ir.ir.turns import Role, Turn

from . import wire
from .stream_writer import Writer
from .target import CONSTRAINTS, TARGET
from .writing import Object, counts, ending, envelope, error, message

# --- requests ---------------------------------------------------------------------------------------------------------


def raise_request(node: request.Request, server: Server) -> Object:
    model = node.model if node.model is not None else server.model
    built = put({}, model=model, messages=[message(turn) for turn in node.turns or ()])
    if node.tools:
        built["tools"] = [tool(one) for one in node.tools]
    settings = put({}, num_predict=node.max_tokens, **(sampling(node.sampling) if node.sampling else {}))
    if settings:
        built["options"] = settings
    if node.thinking is not None:
        put(built, think=think(node.thinking))
    if node.output is not None and node.output.format is not None:
        built["format"] = node.output.format.schema if isinstance(node.output.format, request.SchemaFormat) else "json"
    built["stream"] = bool(node.streaming and node.streaming.stream)
    return with_extra(built, node)


def sampling(node: request.Sampling) -> Object:
    return put(
        {},
        temperature=node.temperature,
        top_p=node.top_p,
        top_k=node.top_k,
        seed=node.seed,
        frequency_penalty=node.frequency_penalty,
        presence_penalty=node.presence_penalty,
        stop=node.stop,
    )


def think(node: request.Thinking) -> bool | str | None:
    if node.effort is not None:
        return node.effort.value
    return None if node.mode is None else node.mode is request.ThinkingMode.ENABLED


def tool(node: tools.Tool) -> Object:
    if not isinstance(node, tools.FunctionTool):
        assert isinstance(node, tools.UnknownTool)
        return node.raw
    function = put({"name": node.name}, description=node.description, parameters=node.parameters)
    return with_extra({"type": "function", "function": function}, node)


# --- responses and errors ---------------------------------------------------------------------------------------------


def raise_response(node: response.Response, server: Server) -> Object:
    (candidate,) = node.candidates
    turn = candidate.turns[0] if candidate.turns else Turn(Role.ASSISTANT, [])
    built = {**envelope(node, server), "message": message(turn), **ending(candidate.terminal)}
    if node.usage is not None:
        built |= counts(node.usage)
    return with_extra(built, node)


def raise_error(node: Error, server: Server) -> Any:
    return error(node)


BACKEND = Backend(
    protocol=wire.NAME,
    target=TARGET,
    constraints=CONSTRAINTS,
    request=raise_request,
    response=raise_response,
    error=raise_error,
    stream=Writer,
)
