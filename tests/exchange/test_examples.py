"""The programs that spec/exchange.md and spec/streams.md print: a small proxy, and a stream event by event."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

SPEC = Path(__file__).parents[2] / "spec"


def block(page: str, containing: str) -> str:
    """Return the one block of Python of a page that contains a text."""
    blocks = re.findall(r"```python\n(.*?)```", (SPEC / page).read_text(encoding="utf-8"), re.DOTALL)
    (found,) = [code for code in blocks if containing in code]
    return str(found)


STREAM = (
    {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "claude",
                                          "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
)  # fmt: skip


FILE = 'open("spec/payloads/anthropic_messages_stream.sse", "rb")'


def test_the_stream_example_ends_a_stream_that_was_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    code = block("streams.md", "finally:")
    assert FILE in code
    exec(code.replace(FILE, "given"), {"given": [proxai_ir.sse.encode(one, "anthropic_messages") for one in STREAM]})
    sent = capsys.readouterr().out
    assert '"content":"Hi"' in sent
    assert '"error"' in sent.splitlines()[-2]


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The proxy's functions, for a Responses client and an Anthropic provider."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant")
    scope: dict[str, Any] = {}
    exec(block("exchange.md", "def streamed("), scope)
    return scope


def test_the_proxy_is_short() -> None:
    assert len(block("exchange.md", "def streamed(").splitlines()) <= 60


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
