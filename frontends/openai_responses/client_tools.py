"""Tools of Responses that the client runs in a form of their own, and what they are as functions (TUL-34, TUL-37)."""

from __future__ import annotations

from collections.abc import Callable

from proxai_ir import ir
from proxai_ir.ir.turns import ASSISTANT, Turn
from proxai_ir.json.types import json_text
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.schemas import client_tools as forms
from proxai_ir.wire import openai_responses as wire

from .._lib.reading import Json, Object, kept, optional

# --- definitions ------------------------------------------------------------------------------------------------------


def read_client_tool(tool: Object, kind: str) -> ir.Tool | None:
    """A tool of this kind that the client runs; None: the provider runs it."""
    if kind not in wire.CLIENT_TOOLS or _is_hosted(tool, kind):
        return None
    form = forms.OPENAI.get(kind)
    function = None
    if form is not None:
        description, schema = form.description, form.schema()
        if kind == wire.TOOL_SEARCH:
            description = optional(tool, "description", str) or description
            schema = optional(tool, "parameters", dict) or schema
        function = ir.FunctionTool(kind, description, schema, None, None, tool, kept(tool, KNOWN))
    return ir.ClientTool(kind, tool, function, True, tool)


KNOWN = frozenset({"type", "execution", "description", "parameters", "environment"})
CONTAINERS = ("container_auto", "container_reference")


def _is_hosted(holder: Object, kind: str) -> bool:
    """Whether the provider runs a tool or a call of a kind that either side may run."""
    if kind == wire.TOOL_SEARCH:
        return holder.get("execution") != "client"
    where = holder.get("environment")
    return isinstance(where, dict) and where.get("type") in CONTAINERS


# --- calls ------------------------------------------------------------------------------------------------------------


def read_client_call(item: Object) -> Turn | None:
    """A call that the client runs; None: the provider ran it, or it has another shape."""
    kind = wire.CLIENT_CALLS[item["type"]]
    identity = item.get("call_id") or item.get("id")
    given: Json = item.get(ARGUMENTS.get(kind, "action"))
    if _is_hosted(item, kind) or not isinstance(identity, str):
        return None
    if not isinstance(given, (dict, str)):
        given = {"actions": item["actions"]} if isinstance(item.get("actions"), list) else None
    if given is None:
        return None
    if isinstance(given, dict) and kind in SHELLS:
        given = {key: value for key, value in given.items() if key != "type" and value is not None}
    name = kind if kind in forms.OPENAI else None
    return Turn(ASSISTANT, [ir.ClientCall(kind, identity, given, item, raw=item, name=name)], None, item)


SHELLS = ("shell", "local_shell")
ARGUMENTS = {"apply_patch": "operation", wire.TOOL_SEARCH: "arguments"}
"""The member of a call that has its arguments; of the others it is `action`."""

# --- results ----------------------------------------------------------------------------------------------------------


def read_client_result(item: Object) -> Turn | None:
    """What a tool of the client's returned; None: it has another shape."""
    kind = wire.CLIENT_RESULTS[item["type"]]
    identity = item.get("call_id") or item.get("id")
    read = RESULTS.get(kind)
    found = None if read is None else read(item)
    if (found is None and read is not None) or not isinstance(identity, str):
        return None
    failed = True if item.get("status") == wire.FAILED else None
    part = ir.ClientResult(kind, identity, found, item, is_error=failed, raw=item)
    return Turn(ASSISTANT, [part], None, item)


def _shell(item: Object) -> str | None:
    """For each command what it wrote and how it ended, as JSON."""
    output = item.get("output")
    return _json(output, (item, "output")) if isinstance(output, list) else None


def _text(item: Object) -> str | None:
    output = item.get("output")
    return output if isinstance(output, str) else None


def _patch(item: Object) -> str | None:
    """The log of it, or at least whether it worked."""
    output, status = item.get("output"), item.get("status")
    return output if isinstance(output, str) and output else status if isinstance(status, str) else None


def _found(item: Object) -> str | None:
    """The names of the tools that were found, which can be called from then on, as JSON."""
    listed = item.get("tools")
    if _is_hosted(item, wire.TOOL_SEARCH) or not isinstance(listed, list):
        return None
    names = [tool.get("name") for tool in listed if isinstance(tool, dict)]
    return _json({"tools": names}, (item, "tools"))


def _json(value: Json, place: tuple[Object, str]) -> str:
    try:
        return json_text(value)
    except ValueError as error:
        raise Refusal("SHP-7", place, str(error)) from None


RESULTS: dict[str, Callable[[Object], str | None]] = {
    "shell": _shell,
    "local_shell": _text,
    "apply_patch": _patch,
    wire.TOOL_SEARCH: _found,
}
