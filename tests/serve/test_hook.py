"""The operator's hook in the gateway: for clients of all protocols, in threads with a budget, named where it fails."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx

import proxai_ir
from proxai_ir.exchange.provider import http_of
from proxai_ir.ir.error import ErrorCategory
from proxai_ir.protocol.registry import framing_of
from proxai_ir.serve import hook as hooking
from proxai_ir.serve.config import ConfigError, from_file
from proxai_ir.serve.gateway import Gateway, on_signal
from proxai_ir.streaming.hook import Failing
from tests.samples import PROTOCOLS

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..exchange.test_hook import NUMBER, error_of, path_of, payload, text_of
from ..waiting import soon
from . import hooks
from .support import over_asgi
from .test_endpoints import Kept
from .upstreams import Upstream

Json = Any
SECRETS = ("My card", "the payload:", NUMBER, "It is 42")
"""Words of requests and responses, and of what hooks raise and return."""
every_client = pytest.mark.parametrize("client", PROTOCOLS)


@pytest.fixture(autouse=True)
def released() -> Iterator[None]:
    hooks.TOLD.clear()
    hooks.RELEASED.clear()
    yield
    hooks.RELEASED.set()  # so that no thread outlives its test


def table(name: str, timeout: float = 5) -> Json:
    return {"function": f"tests.serve.hooks:{name}", "timeout": timeout}


def asked(client: str, streamed: bool = False) -> Json:
    body = {name: one for name, one in payload(client, "request").items() if name not in ("tools", "toolConfig")}
    return {**body, **({"stream": streamed} if http_of(client).asked is None else {})}


def post(monkeypatch: Any, client: str, upstreams: list[Upstream], streamed: bool = False, **more: Any) -> Any:
    """The reply to one request, of a gateway whose hook is `hook`."""

    async def work() -> httpx.Response:
        async with over_asgi(monkeypatch, *upstreams, **more) as http:
            headers = {"anthropic-version": "2023-06-01"} if client == ANTHROPIC else {}
            return await http.post(path_of(client, streamed), json=asked(client, streamed), headers=headers)

    return anyio.run(work)


def events_in(client: str, data: bytes) -> list[Json]:
    return [*framing_of(client).decode([data])]


@every_client
def test_requests_and_responses_of_every_client(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in (CHAT, ANTHROPIC, RESPONSES, GEMINI):
        upstream = Upstream(provider)
        whole = post(monkeypatch, client, [upstream], hook=table("numbers"))
        assert whole.status_code == 200, whole.text
        assert text_of(proxai_ir.lower(whole.json(), client, kind="response")) == "It is #."
        found = post(monkeypatch, client, [upstream], True, hook=table("numbers"))
        assert found.status_code == 200
        assert not re.search(r"\b42\b", found.text), "as a word: a time has these digits, too"
        assert "#." in found.text
        sent = [json.dumps(one.body) for one in upstream.seen]
        assert len(sent) == 2
        assert all("My card is # # # #, and" in one for one in sent)
        assert upstream.refused == []


@every_client
def test_a_refusal_in_the_clients_own_form(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, kept = Upstream(CHAT, "call", "call"), Upstream(ANTHROPIC), Kept()
    whole = post(monkeypatch, client, [first, second], hook=table("calls"), storage=kept)
    error = proxai_ir.lower(whole.json(), client, kind="error", status=whole.status_code)
    assert whole.status_code == http_of(client).status_of(ErrorCategory.PERMISSION, 403)
    assert (error.category, error.message) == (ErrorCategory.PERMISSION, "No calls here.")
    found = post(monkeypatch, client, [first, second], True, hook=table("calls"), storage=kept)
    assert found.status_code == 200
    assert error_of(client, events_in(client, found.content)).message.endswith("No calls here.")
    assert [one.error for one in kept.records] == ["No calls here."] * 2
    assert second.seen == []  # the operator's refusal is the last word


def test_a_refused_request_goes_to_no_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = Upstream(CHAT), Upstream(ANTHROPIC)
    for streamed in (False, True):
        found = post(monkeypatch, RESPONSES, [first, second], streamed, hook=table("none"))
        assert (found.status_code, found.json()["error"]["message"]) == (451, "Nothing passes here.")
    assert first.seen == second.seen == []


def test_what_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    file.write_text("alice k-alice-0123456789\n")
    kept = Kept()

    async def work() -> None:
        access = {"keys_file": str(file)}
        async with over_asgi(
            monkeypatch, Upstream(ANTHROPIC), hook=table("alone"), access=access, storage=kept
        ) as http:
            headers = {"authorization": "Bearer k-alice-0123456789"}
            await http.post(path_of(CHAT), json=asked(CHAT), headers=headers)

    anyio.run(work)
    (record,) = kept.records
    told = [
        (one.kind, one.client, one.provider, one.model, one.path, one.id, one.who, one.upstream) for one in hooks.TOLD
    ]
    same = (CHAT, ANTHROPIC, "asked", "/v1/chat/completions", record.id, "alice", "u0")
    assert told == [("request", *same), ("response", *same)]


# --- failures ---------------------------------------------------------------------------------------------------------

FAILURES = {
    "raises": "it raised KeyError",
    "leaves": "it raised SystemExit",
    "hangs": "it did not return within 0.05 s",
    "nonsense": "it returned a str in place of a",
    "raises_later": "it raised KeyError",
    "hangs_later": "it did not return within 0.05 s",
    "nonsense_later": "it returned a str in place of a",
}


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_refuses_that_one_call(
    name: str, streamed: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    first, second, kept = Upstream(CHAT), Upstream(ANTHROPIC), Kept()
    begun = time.perf_counter()
    found = post(monkeypatch, ANTHROPIC, [first, second], streamed, hook=table(name, 0.05), storage=kept)
    assert time.perf_counter() - begun < 5
    if streamed and name.endswith("later"):
        assert error_of(ANTHROPIC, events_in(ANTHROPIC, found.content)).message.endswith("The hook failed.")
    else:
        assert found.status_code == 500
        assert found.json()["error"] == {"type": "api_error", "message": "The hook failed."}
    assert len(first.seen) == int(name.endswith("later"))
    assert second.seen == []
    (record,) = kept.records
    assert record.error == "The hook failed."
    lines = [one.getMessage() for one in caplog.records if one.name.startswith("proxai_ir")]
    (line,) = lines
    assert line.startswith(f"the hook tests.serve.hooks:{name} failed in exchange {record.id}: {FAILURES[name]}")
    said = caplog.text + "".join(one.exc_text or "" for one in caplog.records)
    assert not any(secret in said for secret in SECRETS)
    assert post(monkeypatch, ANTHROPIC, [first], hook=table("alone")).status_code == 200


def test_failures_of_a_hook_are_not_the_upstreams(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> list[int]:
        async with over_asgi(monkeypatch, Upstream(CHAT), Upstream(ANTHROPIC), hook=table("raises_later")) as http:
            found = [await http.post(path_of(CHAT), json=asked(CHAT, one % 2 == 0)) for one in range(8)]
            gateway = http._transport.app.state.gateway  # type: ignore[attr-defined]
            assert all(one.rest.left == 0 for one in gateway.upstreams.values())
            return [one.status_code for one in found]

    assert anyio.run(work) == [200, 500] * 4


def test_others_go_on_while_a_hook_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    took: list[float] = []

    async def work() -> None:
        async with (
            over_asgi(monkeypatch, Upstream(CHAT), hook=table("hangs", 2)) as http,
            anyio.create_task_group() as one,
        ):
            one.start_soon(lambda: http.post(path_of(CHAT), json=asked(CHAT)))
            await anyio.sleep(0.1)
            begun = time.perf_counter()
            assert (await http.get("/health")).status_code == 200
            took.append(time.perf_counter() - begun)
            hooks.RELEASED.set()

    anyio.run(work)
    assert took[0] < 1


# --- threads ----------------------------------------------------------------------------------------------------------


def test_threads_that_hang_are_counted_until_they_return() -> None:
    pool = hooking.Threads(2)
    assert [pool.run(partial(int, one), 1) for one in range(5)] == [*range(5)]
    for _ in range(2):
        with pytest.raises(Failing, match=r"^did not return within 0\.02 s$"):
            pool.run(lambda: hooks.hangs(None, None), 0.02)  # type: ignore[arg-type]
    with pytest.raises(Failing, match=r"^found none of its 2 threads free within 0\.02 s$"):
        pool.run(lambda: 1, 0.02)
    hooks.RELEASED.set()
    assert pool.run(lambda: 1, 5) == 1


def test_a_thread_that_cannot_start_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    threads = hooking.Threads(1)
    with monkeypatch.context() as without:
        without.setattr(Thread, "start", start)
        with pytest.raises(Failing, match="found no thread"):
            threads.run(int, 1)
    assert threads.run(int, 1) == 0


def test_no_thread_keeps_the_process_from_ending() -> None:
    code = """
import time
from proxai_ir.serve.hook import POOL
from proxai_ir.streaming.hook import Failing
try:
    POOL.run(lambda: time.sleep(60), 0.05)
except Failing as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "did not return within 0.05 s\n", "")


# --- another configuration --------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="the system has no SIGHUP")
def test_a_hook_that_is_none_leaves_the_old_configuration(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    file = tmp_path / "gateway.toml"
    upstream = f'[upstreams.a]\nprotocol = "{CHAT}"\nbase_url = "http://a.invalid"'
    text = upstream + '\n[hook]\nfunction = "tests.serve.hooks:{}"\n'
    file.write_text(text.format("none"))
    gateway = Gateway(from_file(file))
    before = gateway.config

    async def work() -> None:
        with on_signal(gateway, lambda: from_file(file)):
            for count, name in enumerate(("no_such", "alone"), 1):
                file.write_text(text.format(name))
                os.kill(os.getpid(), signal.SIGHUP)
                await soon(lambda: len(caplog.records) >= count)  # noqa: B023 - awaited at once
                if name == "no_such":
                    assert gateway.config is before
        await gateway.close()

    anyio.run(work)
    first, second = [one.getMessage() for one in caplog.records]
    wrong = "hook.function: the module 'tests.serve.hooks' has no function 'no_such'"
    assert first == f"{file}:5: {wrong}; the configuration stays as it was"
    assert second == "the configuration was read again: a"
    assert gateway.config.hook.function == "tests.serve.hooks:alone"
    with pytest.raises(ConfigError, match=r":5: hook\.function: "):
        file.write_text(text.format("no_such"))
        from_file(file)
