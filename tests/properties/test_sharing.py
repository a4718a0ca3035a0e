"""Objects at many places, or inside themselves: diagnostics name the places, and nothing hangs or blows up."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import proxai_ir

from .samples import ANTHROPIC, CHAT
from .sharing import HOLDERS, VALUES

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
