"""Hooks of an operator, as a configuration names them."""

from __future__ import annotations

import re
import threading
from typing import Any

from proxai_ir import ir
from proxai_ir.exchange import Denied, HookCall
from proxai_ir.ir.stream import events
from proxai_ir.ir.structure import nodes

RELEASED = threading.Event()
"""Set when functions that hang may return."""
TOLD: list[HookCall] = []


def alone(tree: Any, call: HookCall) -> Any:
    TOLD.append(call)
    return tree


def numbers(tree: Any, call: HookCall) -> Any:
    """Numbers of texts as a sign, where they come in one piece."""
    if call.kind != "event":
        found = [*nodes(tree)]
    else:
        found = [tree] if isinstance(tree, events.PartGrew) else [getattr(tree, "part", None)]
    for one in found:
        if isinstance(one, (ir.Text, events.PartGrew)):
            one.text = re.sub(r"\d+", "#", one.text)
    return tree


def calls(tree: Any, call: HookCall) -> Any:
    """Refuse responses that call a tool."""
    found = nodes(tree) if call.kind == "response" else [getattr(tree, "part", None)]
    return Denied("No calls here.") if any(isinstance(one, ir.FunctionCall) for one in found) else tree


def none(tree: Any, call: HookCall) -> Any:
    return Denied("Nothing passes here.", 451)


def raises(tree: Any, call: HookCall) -> Any:
    raise KeyError(f"the payload: {tree}")


def leaves(tree: Any, call: HookCall) -> Any:
    raise SystemExit(f"the payload: {tree}")


def hangs(tree: Any, call: HookCall) -> Any:
    RELEASED.wait(30)
    return tree


def nonsense(tree: Any, call: HookCall) -> Any:
    return f"the payload: {tree}"


def raises_later(tree: Any, call: HookCall) -> Any:
    return tree if call.kind == "request" else raises(tree, call)


def hangs_later(tree: Any, call: HookCall) -> Any:
    return tree if call.kind == "request" else hangs(tree, call)


def nonsense_later(tree: Any, call: HookCall) -> Any:
    return tree if call.kind == "request" else nonsense(tree, call)


def of_one(tree: Any) -> Any:
    return tree


async def later(tree: Any, call: HookCall) -> Any:
    return tree
