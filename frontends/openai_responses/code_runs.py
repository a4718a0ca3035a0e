"""Runs of code in Responses: the tool that the provider runs it with, and the items of its runs (TUL-39)."""

from __future__ import annotations

from proxai_ir.ir import parts
from proxai_ir.ir import tools as ir
from proxai_ir.ir.code import PYTHON
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, kept, optional, required


def code_tool(tool: Object) -> ir.Tool:
    """The tool; its container is the source's own (HST-1)."""
    return ir.CodeTool(wire.CODE_TOOL, None, tool, kept(tool, {"type"}))


RUN_KEYS = frozenset({"type", "id", "code", "outputs"})


def code_run(item: Object) -> Turn:
    """A run with what it wrote, where the item has that: it does only if the request includes it."""
    identity, code = required(item, "id", str), optional(item, "code", str)
    outputs = optional(item, "outputs", list)
    call = parts.CodeCall(identity, code or "", PYTHON, None, item)
    found: list[parts.Part] = [call]
    own = {"container_id", "status"} if item.get("status") == wire.FAILED else {"container_id"}
    call.extra = kept(item, item.keys() - own)
    if outputs is not None:
        logs = [one["logs"] for one in outputs if wire.is_log(one)]
        result = parts.CodeResult(identity, PYTHON, "".join(logs), None, None, None, None, item)
        if [*map(_log, filter(None, logs[:1]))] != outputs:
            result.extra = kept({"outputs": outputs}, frozenset())
        found.append(result)
    return Turn(ASSISTANT, found, None, item, kept(item, RUN_KEYS | own))


def _log(text: str) -> Object:
    return {"type": "logs", "logs": text}
