"""The IR of a request as the body of POST /v2/chat: canonical output, from a legal tree."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.parts import Document
from proxai_ir.ir.turns import USER
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.writing import Object, filler, put, with_extra
from .parts import document, message
from .tools import put_tools

sampling = filler(**wire.SAMPLING, stop_sequences="stop")


def raise_request(request: ir.Request, server: Server) -> Object:
    model = request.model if request.model is not None else server.model
    turns = request.turns or []
    built = put({}, model=model, messages=[message(turn) for turn in turns])
    documents = [part for turn in turns if turn.role is USER for part in turn.parts if isinstance(part, Document)]
    if documents:
        built["documents"] = [document(part) for part in documents]
        if all(part.cite is False for part in documents):
            built["citation_options"] = {"mode": "OFF"}
    put_tools(built, request)
    put(built, max_tokens=request.max_tokens)
    if request.sampling is not None:
        sampling(built, request.sampling)
    if request.thinking is not None:
        _thinking(built, request.thinking)
    if request.output is not None and request.output.format is not None:
        built["response_format"] = _format(request.output.format)
    if request.streaming is not None:
        put(built, stream=request.streaming.stream)
    return with_extra(built, request)


def _thinking(built: Object, thinking: ir.Thinking) -> None:
    if thinking.mode is not None or thinking.budget is not None:
        mode = (thinking.mode or ir.ThinkingMode.ENABLED).value
        built["thinking"] = put({"type": mode}, token_budget=thinking.budget)


def _format(wanted: ir.Format) -> Object:
    if isinstance(wanted, ir.PlainFormat):
        return {"type": "text"}
    schema = wanted.schema if isinstance(wanted, ir.SchemaFormat) else None
    return with_extra(put({"type": "json_object"}, json_schema=schema), wanted)
