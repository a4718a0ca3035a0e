"""The page as a debugger: sessions in their order, what changed, what was said, and an exchange as a file."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the extra `serve` is not installed")
pytest.importorskip("jinja2", reason="the extra `serve` is not installed")

from attrs import evolve
from starlette.testclient import TestClient

from proxai_ir.serve.config import UpstreamTable
from proxai_ir.storage import Storage
from proxai_ir.storage.payloads import failure, read
from proxai_ir.testing.snapshots import conversions

from .pages import Page, check_accessible
from .recorded import ANTHROPIC, CHAT, GEMINI, NOW, recorded
from .storing import kept, many, record
from .visiting import browser_of

DEEP = b"[" * 900 + b"]" * 900
ASKED = {"role": "user", "content": "What is the answer?"}
CALL = {
    "role": "assistant",
    "content": [
        {"type": "tool_use", "id": "call_a1", "name": "add", "input": {"a": 40, "b": 2}},
        {"type": "tool_use", "id": "call_b1", "name": "add", "input": {"a": 1, "b": 1}},
    ],
}
RESULT = {
    "role": "user",
    "content": [{"type": "tool_result", "tool_use_id": f"call_{one}1", "content": "42"} for one in "ab"],
}


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    made = Storage(str(tmp_path_factory.mktemp("turns") / "kept.db"))
    first = recorded("first", ANTHROPIC, CHAT, "calls", messages=[ASKED])
    second = recorded("second", ANTHROPIC, CHAT, streamed=True, messages=[ASKED, CALL, RESULT], temperature=0.5)
    failed = recorded("failed", CHAT, ANTHROPIC, "failure", messages=[{"role": "user", "content": "Other."}])
    for at, one in enumerate((first, failed, second)):
        made.record(evolve(one, started=NOW + at))
    made.record(record("models", NOW + 5, path="/v1/models"))
    made._writer.close(20)
    yield made
    made.close()


@pytest.fixture
def browser(storage: Storage) -> TestClient:
    return browser_of(storage)


def page_of(response: Any) -> Page:
    assert response.status_code == 200, response.text
    page = Page(response.text)
    check_accessible(page)
    return page


def listed(page: Page) -> list[str]:
    return [
        one.attributes["href"].rpartition("/")[2] for one in page.all("a") if "/exchanges/" in one.attributes["href"]
    ]


# --- sessions ---


@pytest.mark.parametrize(
    ("payload", "shown"),
    [
        (b'{"a": 1}', ({"a": 1}, "")),
        (b"<html>", ("<html>", "This is not JSON.")),
        (b"caf\xe9", ("caf\ufffd", "This is not JSON.")),
        (b" ", (" ", "This is empty.")),
    ],
    ids=["JSON", "a page", "no UTF-8", "nothing"],
)
def test_whatever_was_sent_is_shown(payload: bytes, shown: tuple[Any, str]) -> None:
    assert read(payload, CHAT) == shown


def test_a_list_has_sessions_together(browser: TestClient) -> None:
    page = page_of(browser.get("/ui"))
    assert listed(page) == ["second", "first", "failed"], "the failed one was between the two turns"
    (heading,) = page.all("tr", class_="session")
    assert heading.text.startswith("2 turns of a session")
    (together,) = browser.get("/ui").text.split('<tbody class="turns">')[1:]
    shown = re.findall(r'href="/ui/exchanges/(\w+)"', together.partition("</tbody>")[0])
    assert shown == ["second", "first"], "the group ends before the third exchange"


def test_the_turns_of_a_session_are_in_order(browser: TestClient, storage: Storage) -> None:
    session = storage.beside("first").session
    page = page_of(browser.get(f"/ui?session={session}"))
    assert listed(page) == ["first", "second"]
    said = [one.text for one in page.all("blockquote")]
    assert said == ['add({"a": 40, "b": 2})', 'add({"a": 1, "b": 1})', "It is 42."]
    changes = [" ".join(one.text.split()) for one in page.all("li")]
    assert changes == [
        f"added /messages/1 {json.dumps(CALL)}",
        f"added /messages/2 {json.dumps(RESULT)}",
        "added /stream true",
        "added /temperature 0.5",
    ]


def test_an_exchange_leads_to_the_turns_beside_it(browser: TestClient) -> None:
    first, second = (page_of(browser.get(f"/ui/exchanges/{name}")) for name in ("first", "second"))
    assert [one.attributes["href"] for one in first.all("a", rel="next")] == ["/ui/exchanges/second"]
    assert not first.all("a", rel="prev")
    assert [one.attributes["href"] for one in second.all("a", rel="prev")] == ["/ui/exchanges/first"]
    assert [one.text for one in second.all("h2")] == ["Since the turn before", "Request", "Response"]


# --- searches ---


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("client=" + CHAT, ["failed"]),
        ("status=503", ["failed"]),
        ("status=200", ["second", "first"]),
        ("model=claude&rule=SMP", ["second", "first"]),
        ("models=1", ["models", "second", "first", "failed"]),
        ("status=x&client=", ["second", "first", "failed"]),
    ],
)
def test_searches(browser: TestClient, asked: str, expected: list[str]) -> None:
    assert listed(page_of(browser.get(f"/ui?{asked}"))) == expected


def test_what_recurs_for_a_client(browser: TestClient) -> None:
    page = page_of(browser.get(f"/ui?recurring=1&client={ANTHROPIC}"))
    assert page.all("main")[0].text.count("In 2 exchanges, the newest of those that match.") == 1
    top = [" ".join(one.text.split()) for one in page.all("tr")][1]
    assert top == "SMP-3 loss anthropic_messages → openai_chat_completions 2 100 %", "losses stand before notes"


def test_attempts_and_the_providers_own_words(tmp_path: Path) -> None:
    """In the list, and above the exchange."""
    storage = Storage(str(tmp_path / "kept.db"), days=1e6)
    error = failure(529, b'{"type": "error", "error": {"type": "overloaded_error", "message": "Too busy."}}', ANTHROPIC)
    assert error == "The provider failed with status 529: Too busy."
    assert failure(502, b"<html>", CHAT).startswith("The provider failed with status 502")
    before = [{"upstream": "first", "reason": "status", "detail": "503"}]
    kept(storage, record("a", model="m", status=529, error=error, attempts=before, who="ann"))
    (row,) = page_of(browser_of(storage).get("/ui")).all("tr")[1:]
    for text in ("Too busy.", "after first (status)", "ann: "):
        assert text in row.text
    page = page_of(browser_of(storage).get("/ui/exchanges/a"))
    assert page.all("p", class_="warning")[0].text == error
    assert [one.text for one in page.all("li")] == ["first status 503"]
    storage.close()


@pytest.mark.slow
def test_a_hundred_thousand_exchanges(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "kept.db"), days=1e6, most=10**9)
    many(storage, 100_000)
    browser = browser_of(storage)
    middle = f"{50_000:032x}"
    asked = (
        "",
        f"before={middle}",
        "rule=SMP-3",
        "rule=AUD-1",
        "rule=TUL-1",
        "failed=1",
        "status=529",
        "model=model-3",
    )
    for query in (*asked, "model=none", "recurring=1", f"client={ANTHROPIC}", "session=session-1000"):
        browser.get(f"/ui?{query}")
        begun = time.process_time()
        page_of(browser.get(f"/ui?{query}"))
        assert time.process_time() - begun < 0.3, query
    storage.close()


# --- files ---


def saved(browser: TestClient, name: str, form: str) -> str:
    response = browser.get(f"/ui/exchanges/{name}?as={form}")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/plain; charset=utf-8"
    return response.text


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest within pytest, without the plugins of this environment, which load for long."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)


class Outcomes:
    def __init__(self) -> None:
        self.of: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or report.outcome != "passed":
            self.of[report.nodeid.partition("[")[2]] = report.outcome


def outcomes_of(file: Path, text: str) -> dict[str, str]:
    file.write_text(text, "utf-8")
    outcomes = Outcomes()
    pytest.main(
        [str(file), "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(file.parent)], [outcomes]
    )
    return outcomes.of


def test_an_exchange_is_saved_as_a_test_that_fails(browser: TestClient, tmp_path: Path, alone: None) -> None:
    text = saved(browser, "second", "test")
    found = outcomes_of(tmp_path / "test_saved.py", text)
    assert [name.partition("-/")[0] for name in found] == ["request-SMP-3"]
    assert set(found.values()) == {"failed"}
    assert "assert (" not in text.replace("assert (side, rule, path) not in reported, message", "")
    mended = text.replace('"top_k": 40, ', "")
    assert mended != text
    assert set(outcomes_of(tmp_path / "test_mended.py", mended).values()) == {"passed"}


@pytest.mark.parametrize(("name", "kind"), [("first", "response"), ("second", "stream"), ("failed", "error")])
def test_the_payloads_of_a_saved_test_are_read_without_running_it(
    browser: TestClient, tmp_path: Path, storage: Storage, name: str, kind: str
) -> None:
    """As fixtures of `proxai_ir.testing.snapshots`: the client's request and the provider's response."""
    kept = storage.exchange(name)
    assert kept is not None
    (tmp_path / "kept.py").write_text(saved(browser, name, "test"), "utf-8")
    request, response = conversions(tmp_path, to=GEMINI)
    assert (request.src, request.kind) == (kept.client, "request")
    assert request.payload == json.loads(kept.request or b"")
    assert (response.src, response.kind) == (kept.provider, kind)


def test_a_saved_test_has_what_the_upstream_was_told(tmp_path: Path, alone: None) -> None:
    """With `penalties`, nothing is lost; the test says so, as it was recorded without."""
    storage = Storage(str(tmp_path / "kept.db"))
    storage.record(recorded("penalised", CHAT, GEMINI, frequency_penalty=0.5))
    storage._writer.close(20)
    for settings, outcome in (({}, "failed"), ({"penalties": True}, "passed")):
        table = UpstreamTable(protocol=GEMINI, base_url="https://example.com", settings=settings)
        text = saved(browser_of(storage, upstreams={"main": table}), "penalised", "test")
        found = outcomes_of(tmp_path / f"test_{outcome}.py", text)
        assert {name.partition("-/")[0]: one for name, one in found.items()}["request-SMP-3"] == outcome
    storage.close()


def test_a_curl_sends_what_the_client_sent(tmp_path: Path) -> None:
    nasty = 'it\'s "$(touch here)" `touch here` \\n \u202e\nEOF\n'
    storage = Storage(str(tmp_path / "kept.db"))
    storage.record(recorded("nasty", ANTHROPIC, CHAT, messages=[{"role": "user", "content": nasty}]))
    storage._writer.close(20)
    sent = storage.exchange("nasty")
    assert sent is not None
    fake = tmp_path / "curl"
    fake.write_text('#!/bin/sh\ncat > sent\nfor one in "$@"; do printf "%s\\n" "$one"; done > arguments\n')
    fake.chmod(0o700)
    script = saved(browser_of(storage), "nasty", "curl")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "KEY": "k"}
    subprocess.run(["sh", "-c", script], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "sent").read_bytes() == sent.request
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert "http://127.0.0.1:4000/v1/messages" in arguments
    assert "x-api-key: k" in arguments
    assert not (tmp_path / "here").exists()
    storage.close()


@pytest.mark.parametrize("form", ["request", "upstream_request", "upstream_response", "response"])
def test_a_payload_as_it_was_sent(browser: TestClient, storage: Storage, form: str) -> None:
    one = storage.exchange("second")
    assert saved(browser, "second", form).encode() == getattr(one, form)


def test_files_that_are_none(browser: TestClient) -> None:
    for name, form in (("second", "nope"), ("models", "curl"), ("models", "response")):
        assert browser.get(f"/ui/exchanges/{name}?as={form}").status_code == 404


def test_an_exchange_in_the_form(browser: TestClient, storage: Storage) -> None:
    one = storage.exchange("second")
    assert one is not None
    page = page_of(browser.get("/ui/convert?exchange=second"))
    assert page.by_id("payload").text == "\n" + (one.request or b"").decode()
    assert [each.text for each in page.all("option") if "selected" in each.attributes] == [ANTHROPIC, CHAT]
