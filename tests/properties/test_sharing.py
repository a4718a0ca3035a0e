"""Objects at many places, or inside themselves: diagnostics name the places, and nothing hangs or blows up."""

from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from pathlib import Path

import pytest

import proxai_ir
from proxai_ir.testing.payloads import spoil

from ..samples import others
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Json
from .sharing import cases

CHAT, ANTHROPIC, RESPONSES = "openai_chat_completions", "anthropic_messages", "openai_responses"
ROOT = Path(__file__).parents[2]
HELLO = chat.user("Hi")


def test_it_ends() -> None:
    """Soon, and in little memory: in a process of its own, which ends itself when it hangs."""
    limited = f"ulimit -v 2000000; exec {sys.executable} -m tests.properties.sharing"
    done = subprocess.run(["sh", "-c", limited], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout[-100:] + done.stderr[-1000:]
    expected = [f"{name} {dst}" for name, src, _ in cases() for dst in others(src)]
    assert [line.rsplit(" ", 2)[0] for line in done.stdout.splitlines()] == expected


def test_all_places_of_a_shared_object_are_named() -> None:
    part = {"type": "text", "text": "Hi", "zz": 1}
    payload = chat.request(chat.user([part, part]), chat.user([part]))
    found = [one.path for one in proxai_ir.check(payload, CHAT, ANTHROPIC) if one.code == "UNK-1"]
    assert sorted(found) == ["/messages/0/content/0/zz", "/messages/0/content/1/zz", "/messages/1/content/0/zz"]


def test_a_shared_message_is_converted_at_every_place() -> None:
    made = proxai_ir.convert(chat.request(HELLO, HELLO, HELLO), CHAT, ANTHROPIC)
    assert made["messages"] == [HELLO, HELLO, HELLO]


def test_a_shared_object_that_is_wrong_is_named_at_every_place() -> None:
    bad = {"role": "boss", "content": "Hi"}
    found = proxai_ir.check(chat.request(bad, bad), CHAT, ANTHROPIC)
    assert [(one.code, one.path) for one in found] == [("SHP-3", "/messages/0/role"), ("SHP-3", "/messages/1/role")]


FILLED_IN: dict[str, tuple[str, str, Json]] = {
    "echoes of the request": (RESPONSES, "response", chat.response(content="Hi")),
    "a schema": (
        RESPONSES,
        "request",
        chat.request(HELLO, response_format={"type": "json_schema", "json_schema": {"name": "any"}}),
    ),
    "parameters": (
        ANTHROPIC,
        "request",
        chat.request(HELLO, tools=[{"type": "function", "function": {"name": "f"}}]),
    ),
}
"""What the target requires and the source leaves out."""


@pytest.mark.parametrize("name", FILLED_IN)
def test_filled_in_values_are_not_shared_between_outputs(name: str) -> None:
    dst, kind, payload = FILLED_IN[name]
    first = proxai_ir.convert(payload, CHAT, dst, kind=kind)  # type: ignore[call-overload]
    before = deepcopy(first)
    spoil(first)
    assert proxai_ir.convert(payload, CHAT, dst, kind=kind) == before  # type: ignore[call-overload]
