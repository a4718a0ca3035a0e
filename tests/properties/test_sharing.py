"""Objects at many places, or inside themselves: diagnostics name the places, and nothing hangs or blows up."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

from ..streams.specimens import SPECIMENS as STREAMS
from .samples import ANTHROPIC, CHAT, RESPONSES, SAMPLES, Object, others
from .sharing import HELLO, HOLDERS, VALUES

SAID = {"role": "assistant", "content": "Hi"}
JSON_ASKED = {"type": "json_schema", "json_schema": {"name": "any"}}
BARE_TOOL = {"type": "function", "function": {"name": "f"}}
FILLED_IN: list[tuple[str, str, str, Object]] = [
    (CHAT, RESPONSES, "response", {"id": "c", "model": "m", "choices": [{"message": SAID, "finish_reason": "stop"}]}),
    (CHAT, RESPONSES, "request", {"model": "m", "messages": [HELLO], "response_format": JSON_ASKED}),
    (CHAT, ANTHROPIC, "request", {"model": "m", "messages": [HELLO], "tools": [BARE_TOOL]}),
]
"""What the target requires and the source leaves out: echoes of the request, a schema, the parameters of a tool."""

ROOT = Path(__file__).parents[2]
# Tool input that becomes JSON text is as long as JSON says it: a value that shares its parts has no short text.
AS_LONG_AS_JSON = {("tool_input", "shared_lists"), ("tool_input", "shared_objects")}
PAIRS = [
    pytest.param(holder.__name__, value.__name__, id=f"{value.__name__} in a {holder.__name__}")
    for holder in HOLDERS
    for value in VALUES
    if (holder.__name__, value.__name__) not in AS_LONG_AS_JSON
]


@pytest.mark.parametrize(("holder", "value"), PAIRS)
def test_it_ends(holder: str, value: str) -> None:
    """Soon, and in little memory: in a process of its own, which ends itself when it hangs."""
    limited = f"ulimit -v 2000000; exec {sys.executable} -m tests.properties.sharing {holder} {value}"
    done = subprocess.run(["sh", "-c", limited], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    assert done.stdout.split()[0] in ("converted", "refused")


def test_all_places_of_a_shared_object_are_named() -> None:
    part = {"type": "text", "text": "Hi", "zz": 1}
    payload = {
        "model": "m",
        "messages": [{"role": "user", "content": [part, part]}, {"role": "user", "content": [part]}],
    }
    found = [one.path for one in proxai_ir.check(payload, CHAT, ANTHROPIC) if one.code == "UNK-1"]
    assert sorted(found) == ["/messages/0/content/0/zz", "/messages/0/content/1/zz", "/messages/1/content/0/zz"]


def test_a_shared_message_is_converted_at_every_place() -> None:
    hello = {"role": "user", "content": "Hi"}
    made = proxai_ir.convert({"model": "m", "messages": [hello, hello, hello]}, CHAT, ANTHROPIC)
    assert made["messages"] == [hello, hello, hello]


def test_a_shared_object_that_is_wrong_is_named_at_every_place() -> None:
    bad = {"role": "boss", "content": "Hi"}
    found = proxai_ir.check({"model": "m", "messages": [bad, bad]}, CHAT, ANTHROPIC)
    assert [(one.code, one.path) for one in found] == [("SHP-3", "/messages/0/role"), ("SHP-3", "/messages/1/role")]


def spoil(value: Any) -> None:
    """Whatever can be changed in a payload is."""
    if isinstance(value, dict):
        for one in value.values():
            spoil(one)
        value["spoiled"] = True
    elif isinstance(value, list):
        for one in value:
            spoil(one)
        value.append("spoiled")


@pytest.mark.parametrize(("protocol", "kind", "make"), SAMPLES, ids=[make.__name__ for _, _, make in SAMPLES])
def test_what_a_caller_does_to_one_output_does_not_show_in_the_next(
    protocol: str, kind: str, make: Callable[[], Object]
) -> None:
    for dst in others(protocol):
        try:
            first = proxai_ir.convert(deepcopy(make()), protocol, dst, kind=kind)  # a schema may be shared with it
        except proxai_ir.TranslationError:
            continue
        before = deepcopy(first)
        spoil(first)
        assert proxai_ir.convert(make(), protocol, dst, kind=kind) == before


@pytest.mark.parametrize("payload", FILLED_IN, ids=["answer", "schema", "tool"])
def test_nor_do_values_that_are_filled_in(payload: tuple[str, str, str, Object]) -> None:
    src, dst, kind, given = payload
    first = proxai_ir.convert(given, src, dst, kind=kind)
    before = deepcopy(first)
    spoil(first)
    assert proxai_ir.convert(given, src, dst, kind=kind) == before


STREAMED: list[tuple[str, str, Any]] = [
    (src, dst, make)
    for src, make in STREAMS
    for dst in (ANTHROPIC, CHAT, RESPONSES)
    if dst != src and make.__name__ != "chat_of_its_own"  # which only its own protocol can say
]


@pytest.mark.parametrize(("src", "dst", "make"), STREAMED)
def test_no_event_holds_what_another_holds(src: str, dst: str, make: Callable[[], list[Any]]) -> None:
    """A caller may change an event that was handed out: those after it, and other streams, are as they were."""
    for _ in range(2):
        expected, events = proxai_ir.StreamConverter(src, dst), proxai_ir.StreamConverter(src, dst)
        for event in make():
            sound, made = deepcopy(expected.feed(event)), events.feed(event)
            assert made == sound
            for one in made:
                spoil(one)
        assert events.close() == expected.close()
