"""Converts payloads that Python has and JSON has not: one object at many places, objects inside themselves.

Runs as a program, as a test that hangs or fills the memory has to be stopped: prints one line for each payload.
"""

from __future__ import annotations

import faulthandler
from collections.abc import Callable, Iterator
from typing import Any

import proxai_ir
from proxai_ir import TranslationError

from ..samples import others
from ..samples.anthropic_messages import building as anthropic
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Json

LEVELS = 40
SECONDS = 1.5  # each of these conversions takes milliseconds
HELLO = chat.user("Hi")


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


def unknown(value: Any) -> tuple[str, Json]:
    return "openai_chat_completions", chat.request(HELLO, zz=value)


def message(value: Any) -> tuple[str, Json]:
    return "openai_chat_completions", chat.request(HELLO, value, chat.user([value]))


def schema(value: Any) -> tuple[str, Json]:
    parameters = {"type": "object", "additionalProperties": False, "anyOf": value}
    tool = anthropic.tool("f", input_schema=parameters, strict=True)
    return "anthropic_messages", anthropic.request(HELLO, tools=[tool])


def tool_input(value: Any) -> tuple[str, Json]:
    called = anthropic.assistant([anthropic.tool_use("f", {"a": value}, "c")])
    return "anthropic_messages", anthropic.request(HELLO, called, anthropic.user([anthropic.tool_result("r", "c")]))


VALUES: tuple[Callable[[], Any], ...] = (shared_lists, shared_objects, cyclic_list, cyclic_object, tangle)
HOLDERS: tuple[Callable[[Any], tuple[str, Json]], ...] = (unknown, message, schema, tool_input)


def cases() -> Iterator[tuple[str, str, Json]]:
    """A name, the protocol and the payload."""
    for holder in HOLDERS:
        for value in VALUES:
            # Input that becomes JSON text gets as long as JSON is, which shares nothing.
            if holder is not tool_input or value not in (shared_lists, shared_objects):
                yield f"{value.__name__} in {holder.__name__}", *holder(value())


def main() -> None:
    for name, src, payload in cases():
        for dst in others(src):
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            try:
                done = proxai_ir.compile(payload, src, dst)
                print(name, dst, "converted", len(done.diagnostics), flush=True)
            except TranslationError as error:
                print(name, dst, "refused", error.rule, flush=True)


if __name__ == "__main__":
    main()
