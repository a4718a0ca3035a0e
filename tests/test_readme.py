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
    shown = re.search(r"```text\n(loss .*?)```", README, re.DOTALL)
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
    exec(block("finally:"), {"proxai_ir": proxai_ir, "upstream": upstream, "send": sent.append})
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


def proxy() -> dict[str, Any]:
    """The proxy's functions, for a Responses client and an Anthropic provider."""
    scope: dict[str, Any] = {}
    exec(block("def stream("), scope)
    return scope


def test_the_proxy_is_short() -> None:
    assert len(block("def stream(").splitlines()) <= 60


ASKED = {"model": "gpt-5", "input": "Mend it.", "tools": [{"type": "custom", "name": "patch"}], "max_output_tokens": 50}


def test_the_proxy_converts_a_request_and_its_response() -> None:
    functions = proxy()
    body, headers, kept = functions["request"](json.dumps(ASKED).encode())
    sent = json.loads(body)
    assert sent["model"] == "claude-opus-4-6"
    assert [tool["name"] for tool in sent["tools"]] == ["patch"]
    assert headers["anthropic-version"] == "2023-06-01"
    call = {"type": "tool_use", "id": "toolu_1", "name": "patch", "input": {"input": "*** Begin"}}
    usage = {"input_tokens": 1, "output_tokens": 1}
    response = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [call],
                "stop_reason": "tool_use", "stop_sequence": None, "usage": usage}  # fmt: skip
    status, out = functions["response"](200, json.dumps(response).encode(), json.loads(json.dumps(kept)))
    made = json.loads(out)
    (item,) = made["output"]
    assert (status, made["model"]) == (200, "gpt-5")
    assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin")


def test_the_proxy_ends_a_stream_that_was_cut_off() -> None:
    functions = proxy()
    kept = {"model": "gpt-5", "state": {}}
    upstream = [proxai_ir.sse.encode(event, "anthropic_messages") for event in STREAM]
    sent = b"".join(functions["stream"](upstream, kept))
    assert b'"delta":"Hi"' in sent
    assert b'"model":"gpt-5"' in sent
    assert b'"claude"' not in sent
    assert b"response.failed" in sent


def test_the_proxy_converts_errors_and_makes_its_own() -> None:
    functions = proxy()
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Later."}}
    status, body = functions["response"](529, json.dumps(error).encode(), {})
    assert (status, json.loads(body)["error"]["message"]) == (503, "Later.")
    with pytest.raises(proxai_ir.TranslationError) as refused:
        functions["request"](json.dumps(ASKED | {"previous_response_id": "resp_1"}).encode())
    status, body = functions["refusal"](refused.value)
    assert (status, json.loads(body)["error"]["param"]) == (400, "/previous_response_id")


def test_the_profiles_of_the_readme() -> None:
    for line in block("web_search=True").splitlines():
        assert eval(line, {"proxai_ir": proxai_ir}).protocol in proxai_ir.protocols()
