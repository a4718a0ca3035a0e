"""The README's examples give what it shows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PYTHON: list[str] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def block(containing: str) -> str:
    (found,) = [code for code in PYTHON if containing in code]
    return found


def test_the_first_example(capsys: pytest.CaptureFixture[str]) -> None:
    code = block("seed")
    scope: dict[str, Any] = {}
    exec(code, scope)
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(shown)
    for expected, got in zip(shown, printed, strict=True):
        start, _, end = expected.partition("…")
        assert got.startswith(start)
        assert got.endswith(end)
    output = re.search(r"result\.output  # (.*)", code)
    assert output
    assert str(scope["result"].output) == output[1]


def test_the_command(root: Path) -> None:
    pytest.importorskip("typer")
    arguments = re.search(r"&& proxai-ir (.*)", README)
    shown = re.search(r"```text\n(info .*?)```", README, re.DOTALL)
    assert arguments
    assert shown
    command = [sys.executable, "-m", "proxai_ir.cli", *arguments[1].split()]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == shown[1].splitlines()
    assert proxai_ir.check(json.loads(done.stdout), "openai_chat_completions", "openai_chat_completions") == ()


STREAM = (
    {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "claude",
                                          "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
)  # fmt: skip


def test_the_stream_example_ends_a_stream_that_was_cut_off() -> None:
    sent: list[bytes] = []
    upstream = [proxai_ir.sse.encode(event, "anthropic_messages") for event in STREAM]
    exec(block("StreamConverter("), {"proxai_ir": proxai_ir, "upstream": upstream, "send": sent.append})
    assert b'"content":"Hi"' in b"".join(sent)
    assert b'"error"' in sent[-1]


def test_the_example_of_strictness(capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, Any] = {}
    exec(block("seed"), scope)
    capsys.readouterr()
    exec(block('"strict": True'), scope)
    lost, limit = capsys.readouterr().out.splitlines()
    assert lost.startswith("loss /seed This sampling parameter")
    assert limit.startswith("info (the whole payload) The target requires an output token limit")


def test_all_options_stand_in_one_table() -> None:
    from proxai_ir.options import SHARED
    from proxai_ir.registry import backend, frontend

    text = (Path(__file__).parents[1] / "spec" / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.partition("## Options")[2].splitlines() if line.startswith("|")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    known = set(SHARED)
    for protocol in proxai_ir.protocols():
        back = backend(protocol)
        known |= {*back.defaults, *(frontend(protocol).options or ())} - {*back.target.capabilities}
    assert known - listed == set()


def test_the_proxy_example() -> None:
    tool = {"type": "custom", "name": "patch"}
    request = {"model": "m", "input": "Mend it.", "tools": [tool], "max_output_tokens": 50}
    call = {"type": "tool_use", "id": "toolu_1", "name": "patch", "input": {"input": "*** Begin"}}
    usage = {"input_tokens": 1, "output_tokens": 1}
    response = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [call],
                "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}  # fmt: skip
    code = block("carry_seals=True").replace("proxai_ir.convert(", "made = proxai_ir.convert(")
    scope: dict[str, Any] = {"proxai_ir": proxai_ir, "request": request, "ask": lambda _: response}
    exec(code, scope)
    (item,) = scope["made"]["output"]
    assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin")
