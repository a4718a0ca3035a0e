"""Runs of code in Responses: the tool that the provider runs it with, and the items of its runs (TUL-39)."""

from __future__ import annotations

from proxai_ir.ir import parts
from proxai_ir.ir import tools as ir
from proxai_ir.ir.code import PYTHON
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Object, absent, extra_fields, optional, required


def code_tool(tool: Object) -> ir.Tool:
    """The tool; its container is the source's own (HST-1)."""
    forms = absent(tool, {"container": "no container"})
    return ir.CodeTool(wire.CODE_TOOL, None, tool, extra_fields(tool, {"type"}, *forms))


RUN_KEYS = frozenset({"type", "id", "code", "outputs"})
EXPECTED = {"code": "no code", "container_id": "no container_id", "status": "no status"}


def code_run(item: Object) -> Turn:
    """A run with what it wrote, where the item has that: it does only if the request includes it."""
    identity, code = required(item, "id", str), optional(item, "code", str)
    outputs = optional(item, "outputs", list)
    call = parts.CodeCall(identity, code or "", PYTHON, None, item)
    found: list[parts.Part] = [call]
    own = {"container_id", "status"} if item.get("status") == wire.FAILED else {"container_id"}
    call.extra = extra_fields(item, item.keys() - own)
    if outputs is not None:
        logs = [one["logs"] for one in outputs if wire.is_log(one)]
        result = parts.CodeResult(identity, PYTHON, "".join(logs), None, None, None, None, item)
        if [*map(_log, filter(None, logs[:1]))] != outputs:
            result.extra = extra_fields({"outputs": outputs}, set())
        found.append(result)
    forms = (*absent(item, EXPECTED), *(() if "outputs" in item else ("no outputs",)))
    return Turn(ASSISTANT, found, None, item, extra_fields(item, RUN_KEYS | own, *forms))


def _log(text: str) -> Object:
    return {"type": "logs", "logs": text}
