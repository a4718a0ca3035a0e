"""Calls of tools that the client runs in a form of this protocol's own, as items (TUL-37)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir.parts import ClientCall
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Object, arguments


def client_call(call: ClientCall) -> Object:
    """The item of a call; one of this protocol's own as it was."""
    if call.raw is not None:
        return call.raw
    given = arguments(call.arguments, (call, "arguments"))
    made = CALLS[call.kind](given)
    if made is None:
        raise Refusal("TUL-36", (call, "arguments"), f"they are those of no call of `{call.kind}`")
    return {"type": wire.CLIENT_CALL_OF[call.kind], "call_id": call.id, **made, "status": wire.COMPLETED}


def _shell(given: Object) -> Object | None:
    if not _texts(given.get("commands")):
        return None
    limits = {key: given.get(key) for key in ("timeout_ms", "max_output_length")}
    return {"action": {"commands": given["commands"], **limits}}


def _local_shell(given: Object) -> Object | None:
    if not _texts(given.get("command")):
        return None
    return {"action": {"type": "exec", "env": {}, **_present(given)}}


def _apply_patch(given: Object) -> Object | None:
    wanted = ("path", "diff") if given.get("type") in ("create_file", "update_file") else ("path",)
    known = given.get("type") in ("create_file", "update_file", "delete_file")
    if not known or not all(isinstance(given.get(key), str) for key in wanted):
        return None
    return {"operation": {key: given[key] for key in ("type", *wanted)}}


def _tool_search(given: Object) -> Object | None:
    return {"execution": "client", "arguments": given}


def _texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)


def _present(given: Object) -> Object:
    return {key: value for key, value in given.items() if value is not None}


CALLS: dict[str, Callable[[Object], Object | None]] = {
    "shell": _shell,
    "local_shell": _local_shell,
    "apply_patch": _apply_patch,
    wire.TOOL_SEARCH: _tool_search,
}
