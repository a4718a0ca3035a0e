"""The IR of a request as a body of `/api/chat`: canonical output, from a legal tree."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.wire import ollama_chat as wire

from .._lib.writing import Object, put, with_extra
from .parts import messages
from .tools import raise_tools

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
