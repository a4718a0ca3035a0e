"""Payloads that JSON cannot say and Python can: one object at many places, objects inside themselves. Built by name, as
tests run them in a process of their own that can be stopped when it hangs.
"""

from __future__ import annotations

import faulthandler
import sys
from collections.abc import Callable
from typing import Any

import proxai_ir
from proxai_ir import TranslationError

from .samples import ANTHROPIC, CHAT, Object

LEVELS = 40
SECONDS = 1.5  # a conversion of these takes milliseconds
HELLO = {"role": "user", "content": "Hi"}


def shared_lists() -> Any:
    made: Any = ["x"]
    for _ in range(LEVELS):
        made = [made, made]
    return made


def shared_objects() -> Any:
    made: Any = {"type": "string"}
    for _ in range(LEVELS):
        made = {"properties": {"a": made, "b": made}}
    return made


def cyclic_list() -> Any:
    made: list[Any] = []
    made.append(made)
    return made


def cyclic_object() -> Any:
    made: dict[str, Any] = {}
    made["properties"] = made
    return made


def tangle() -> Any:
    """Twelve objects, each of which holds all twelve."""
    made: list[dict[str, Any]] = [{} for _ in range(12)]
    for one in made:
        one.update({str(index): each for index, each in enumerate(made)})
    return made[0]


def unknown(value: Any) -> tuple[str, Object]:
    return CHAT, {"model": "m", "messages": [HELLO], "zz": value}


def message(value: Any) -> tuple[str, Object]:
    return CHAT, {"model": "m", "messages": [HELLO, value, {"role": "user", "content": [value]}]}


def schema(value: Any) -> tuple[str, Object]:
    tool = {
        "name": "f",
        "input_schema": {"type": "object", "additionalProperties": False, "anyOf": value},
        "strict": True,
    }
    return ANTHROPIC, {"model": "m", "max_tokens": 1, "messages": [HELLO], "tools": [tool]}


def tool_input(value: Any) -> tuple[str, Object]:
    call = {"type": "tool_use", "id": "c", "name": "f", "input": {"a": value}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "r"}
    messages = [HELLO, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return ANTHROPIC, {"model": "m", "max_tokens": 1, "messages": messages}


VALUES: tuple[Callable[[], Any], ...] = (shared_lists, shared_objects, cyclic_list, cyclic_object, tangle)
HOLDERS: tuple[Callable[[Any], tuple[str, Object]], ...] = (unknown, message, schema, tool_input)


def main(holder: str, value: str) -> None:
    """Convert one of them, and say in one word what became of it."""
    holders, values = {one.__name__: one for one in HOLDERS}, {one.__name__: one for one in VALUES}
    src, payload = holders[holder](values[value]())
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        done = proxai_ir.compile(payload, src, ANTHROPIC if src == CHAT else CHAT)
    except TranslationError as error:
        print("refused", error.rule)
    else:
        print("converted", len(done.diagnostics))


if __name__ == "__main__":
    main(*sys.argv[1:])
