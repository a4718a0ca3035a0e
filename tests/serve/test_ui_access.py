"""Who may see the page at /ui, and which forms it takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("httpx", reason="the extra `serve` is not installed")
pytest.importorskip("jinja2", reason="the extra `serve` is not installed")

from starlette.testclient import TestClient

from proxai_ir.serve.records import Record
from proxai_ir.serve.storage import Storage

from .recorded import CHAT, NOW
from .visiting import HERE, browser_of


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    made = Storage(str(tmp_path_factory.mktemp("ui") / "kept.db"))
    made.record(Record(id="bare", started=NOW, client=CHAT, provider=CHAT, path="/v1/x", status=401))
    made._writer.close(20)
    yield made
    made.close()


@pytest.fixture
def browser(storage: Storage) -> TestClient:
    return browser_of(storage)


@pytest.mark.parametrize(
    "path", ["/ui", "/ui/", "/ui/exchanges/bare", "/ui/rules/SMP-3", "/ui/convert", "/ui/style.css"]
)
def test_for_this_machine_only(storage: Storage, path: str) -> None:
    for address in ("192.168.1.7", "10.0.0.1", "::2", "::ffff:192.168.1.7", "testclient"):
        assert browser_of(storage, address).get(path).status_code == 403
    for address in ("127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"):
        assert browser_of(storage, address).get(path).status_code == 200
    for header in ("x-forwarded-for", "forwarded", "x-real-ip"):
        assert browser_of(storage).get(path, headers={header: "127.0.0.1"}).status_code == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:4000", 200),
        ("LOCALHOST", 200),
        ("127.0.0.1", 200),
        ("[::1]:4000", 200),
        ("evil.example", 403),
        ("evil.example:4000", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("192.168.1.7", 403),
        ("[", 403),
        ("", 403),
    ],
)
def test_names_of_this_machine(browser: TestClient, host: str, status: int) -> None:
    assert browser.get("/ui", headers={"host": host}).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": HERE}, 200),
        ({"origin": HERE, "sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:4001"}, 403),
        ({"origin": "http://["}, 403),
        ({"origin": HERE, "sec-fetch-site": "cross-site"}, 403),
        ({"origin": HERE, "sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
    ],
)
def test_forms_of_other_sites(browser: TestClient, headers: dict[str, str], status: int) -> None:
    form = {"payload": "{}", "source": CHAT, "target": CHAT}
    assert browser.post("/ui/convert", data=form, headers=headers).status_code == status


def test_headers_of_every_response(browser: TestClient) -> None:
    for response in (
        browser.get("/ui"),
        browser.get("/ui/exchanges/nope"),
        browser.get("/ui/style.css"),
        browser.post("/ui/convert"),
        browser.get("/ui", headers={"host": "evil.example"}),
    ):
        policy = response.headers["content-security-policy"]
        assert policy == (
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == "no-store"
    assert browser.post("/ui").status_code == 405
