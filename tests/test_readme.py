"""The README's examples run as they are printed, and give what it shows.

Blocks of Python run in their order, as one program, and those of `sh` each by itself, both in the clone. A block marked
`console` holds placeholders, or starts what does not end by itself.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PYTHON: list[str] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL: list[str] = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def block(containing: str) -> str:
    (found,) = [code for code in PYTHON if containing in code]
    return found


def test_every_block_of_python_runs(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.chdir(root)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
    scope: dict[str, Any] = {}
    for code in PYTHON:
        if all(map(find_spec, re.findall(r"^import ([a-z]\w+)$", code, re.MULTILINE))):  # an SDK may not be here
            exec(code, scope)


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.splitlines()[0][:60])
def test_every_block_of_commands_runs(block: str, root: Path, tmp_path: Path) -> None:
    """With the command of this environment; what is installed is not installed again."""
    pytest.importorskip("typer")
    command = tmp_path / "proxai-ir"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m proxai_ir.cli "$@"\n')
    command.chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for line in re.sub(r"^pip install \S+ && ", "", block.replace("\\\n", ""), flags=re.MULTILINE).splitlines():
        done = subprocess.run(
            ["bash", "-c", line], cwd=root, env=variables, capture_output=True, text=True, check=False
        )
        lost = " check " in line  # which exits with 3 where anything is lost
        assert done.returncode == (3 if lost else 0), line + done.stderr


PLACEHOLDER = re.compile(r"(?<![\w-])(?!--)[A-Z]{4,}(?![\w=/-])|…")


def test_placeholders_stand_in_marked_blocks_only() -> None:
    assert [block for block in SHELL if PLACEHOLDER.search(block)] == []


def test_the_first_screen_says_what_why_one_picture_and_one_command() -> None:
    first = README[: README.index("\n## ")]
    assert first.count("](.assets/") == 1
    assert first.count("```sh\n") == 1
    assert "Why:" in first
    assert "git clone REPOSITORY" in first


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
    arguments = re.search(r"&& proxai-ir (convert .*)", README)
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


FILE = 'open("spec/payloads/anthropic_messages_stream.sse", "rb")'


def test_the_stream_example_ends_a_stream_that_was_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    code = block("finally:")
    assert FILE in code
    exec(code.replace(FILE, "given"), {"given": [proxai_ir.sse.encode(one, "anthropic_messages") for one in STREAM]})
    sent = capsys.readouterr().out
    assert '"content":"Hi"' in sent
    assert '"error"' in sent.splitlines()[-2]


def test_the_example_of_strictness(capsys: pytest.CaptureFixture[str]) -> None:
    scope: dict[str, Any] = {}
    exec(block("seed"), scope)
    capsys.readouterr()
    exec(block("strict=True"), scope)
    printed = [f"# {line}" for line in capsys.readouterr().out.splitlines()]
    assert printed == [line for line in block("strict=True").splitlines() if re.match("# (loss|info)", line)]


def test_all_options_stand_in_one_table() -> None:
    from proxai_ir.binding.options import SHARED
    from proxai_ir.binding.registry import backend, frontend

    text = (Path(__file__).parents[1] / "spec" / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in text.partition("## Options")[2].splitlines() if line.startswith("|")]
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    known = set(SHARED)
    for protocol in proxai_ir.protocols():
        back = backend(protocol)
        known |= {*back.defaults, *(frontend(protocol).options or ())} - {*back.target.capabilities}
    assert known - listed == set()


# --- the proxy --------------------------------------------------------------------------------------------------------


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The proxy's functions, for a Responses client and an Anthropic provider."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
    scope: dict[str, Any] = {}
    exec(block("def streamed("), scope)
    return scope


def test_the_proxy_is_short() -> None:
    assert len(block("def streamed(").splitlines()) <= 60


ASKED = {"model": "gpt-5", "input": "Mend it.", "tools": [{"type": "custom", "name": "patch"}], "max_output_tokens": 50}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "patch", "input": {"input": "*** Begin"}}
CALLED = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude",
    "content": [CALL],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}


class Provider:
    """Responds with one status and body, in pieces; `sent` is the last request."""

    def __init__(self, status: int, *pieces: bytes, fails: bool = False) -> None:
        self.status, self.pieces, self.fails = status, pieces, fails
        self.sent: tuple[str, dict[str, str], Any] = ("", {}, None)

    def __call__(self, url: str, headers: dict[str, str], body: bytes) -> Any:
        self.sent = (url, headers, json.loads(body))
        return self.status, {"request-id": "req_1"}, self._chunks()

    def _chunks(self) -> Iterator[bytes]:
        yield from self.pieces
        if self.fails:
            raise ConnectionResetError


def responded(proxy: dict[str, Any], provider: Provider, **more: Any) -> tuple[int, dict[str, str], bytes]:
    status, headers, body = proxy["respond"](json.dumps(ASKED | more).encode(), {}, provider)
    return status, headers, b"".join(body)


def test_the_proxy_converts_a_request_and_its_response(proxy: dict[str, Any]) -> None:
    provider = Provider(200, json.dumps(CALLED).encode())
    status, headers, out = responded(proxy, provider)
    url, sent_headers, sent = provider.sent
    assert url == "https://api.anthropic.com/v1/messages"
    assert (sent_headers["x-api-key"], sent_headers["anthropic-version"]) == ("sk-ant", "2023-06-01")
    assert (sent["model"], [tool["name"] for tool in sent["tools"]]) == ("claude-opus-4-6", ["patch"])
    made = json.loads(out)
    (item,) = made["output"]
    assert (status, made["model"], headers["x-request-id"]) == (200, "gpt-5", "req_1")
    assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin")


def test_the_proxy_remembers(proxy: dict[str, Any]) -> None:
    provider = Provider(200, json.dumps(CALLED).encode())
    responded(proxy, provider)
    result = [{"type": "custom_tool_call_output", "call_id": "toolu_1", "output": "Done."}]
    responded(proxy, provider, input=result, previous_response_id="msg_1")
    assert [turn["role"] for turn in provider.sent[2]["messages"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize("fails", [False, True])
def test_the_proxy_ends_a_stream_that_was_cut_off(proxy: dict[str, Any], fails: bool) -> None:
    provider = Provider(200, *(proxai_ir.sse.encode(event, "anthropic_messages") for event in STREAM), fails=fails)
    status, headers, sent = responded(proxy, provider, stream=True)
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    assert b'"delta":"Hi"' in sent
    assert b'"model":"gpt-5"' in sent
    assert b'"claude"' not in sent
    assert b"response.failed" in sent


def test_the_proxy_converts_errors_and_makes_its_own(proxy: dict[str, Any]) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Later."}}
    for stream in (False, True):
        status, _, body = responded(proxy, Provider(529, json.dumps(error).encode()), stream=stream)
        assert (status, json.loads(body)["error"]["message"]) == (503, "Later.")
    status, _, body = responded(proxy, Provider(200), previous_response_id="resp_1")
    assert (status, json.loads(body)["error"]["code"]) == (400, "previous_response_not_found")
    status, _, body = responded(proxy, Provider(200, fails=True))
    assert (status, json.loads(body)["error"]["message"]) == (502, "The provider cannot be reached.")


def test_the_profiles_of_the_readme() -> None:
    for line in block("web_search=True").splitlines():
        if line.startswith("proxai_ir."):
            assert eval(line, {"proxai_ir": proxai_ir}).protocol in proxai_ir.protocols()
