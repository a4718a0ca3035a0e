"""Who may see the page at /ui, and which forms it takes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("httpx", reason="the extra `serve` is not installed")
pytest.importorskip("jinja2", reason="the extra `serve` is not installed")

from starlette.testclient import TestClient

from proxai_ir.storage import Storage
from proxai_ir.storage.records import Record

from .recorded import CHAT, NOW
from .visiting import CLIENT_KEY, HERE, TOKEN, browser_of, cookie_of

PATHS = ("/ui", "/ui/", "/ui/exchanges/bare", "/ui/rules/SMP-3", "/ui/convert", "/ui/sums", "/ui/style.css")
every_path = pytest.mark.parametrize("path", PATHS)
both = pytest.mark.parametrize("keys", [True, False], ids=["keys", "no keys"])


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


@every_path
@both
def test_this_machine_is_not_enough(storage: Storage, path: str, keys: bool) -> None:
    """A proxy on this machine may leave nothing of the stranger behind it."""
    stranger = browser_of(storage, token=None, keys=keys)
    for url in (path, f"{path}?token=", f"{path}?token=wrong"):
        found = stranger.get(url)
        assert found.status_code == 401
        assert found.headers["www-authenticate"] == "Bearer"
        assert "set-cookie" not in found.headers
    assert browser_of(storage, token="wrong", keys=keys).get(path).status_code == 401
    assert stranger.get(path, headers={"cookie": f"proxai-ir-4000={TOKEN}"}).status_code == 401
    assert browser_of(storage, token=TOKEN, keys=keys).get(path).status_code == 200


@every_path
def test_no_client_sees_what_others_sent(storage: Storage, path: str) -> None:
    assert browser_of(storage, token=CLIENT_KEY, keys=True).get(path).status_code == 401


@both
def test_the_token_of_the_url_becomes_a_cookie(storage: Storage, keys: bool) -> None:
    visitor = browser_of(storage, token=None, keys=keys)
    found = visitor.get(f"/ui?rule=SMP-3&token={TOKEN}")
    assert found.headers["refresh"] == "0; url=/ui?rule=SMP-3"
    name, *attributes = found.headers["set-cookie"].lower().split("; ")
    assert sorted(attributes) == ["httponly", "path=/ui", "samesite=strict"]
    assert TOKEN not in found.text + found.headers["set-cookie"]
    cookie = cookie_of(found.headers["set-cookie"])
    assert name.startswith("proxai-ir-4000=")
    for path in PATHS:
        assert browser_of(storage, token=None, keys=keys).get(path, headers={"cookie": cookie}).status_code == 200
    other = browser_of(storage, base_url="http://127.0.0.1:4100", token=None, keys=keys)
    assert other.get("/ui", headers={"cookie": cookie}).status_code == 401, "the cookie of another gateway"


@every_path
def test_without_keys_for_this_machine_only(storage: Storage, path: str) -> None:
    for address in ("192.168.1.7", "10.0.0.1", "::2", "::ffff:192.168.1.7", "testclient"):
        assert browser_of(storage, address).get(path).status_code == 403
    for address in ("127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"):
        assert browser_of(storage, address).get(path).status_code == 200
    for header in ("x-forwarded-for", "forwarded", "x-real-ip", "via", "cf-connecting-ip"):
        assert browser_of(storage).get(path, headers={header: "127.0.0.1"}).status_code == 403


@every_path
def test_with_keys_the_token_is_enough(storage: Storage, path: str) -> None:
    headers = {"x-forwarded-for": "203.0.113.9", "host": "gateway.example"}
    assert browser_of(storage, "10.0.0.1", keys=True).get(path, headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:4000", 200),
        ("LOCALHOST:4000", 200),
        ("127.0.0.1:4000", 200),
        ("[::1]:4000", 200),
        ("127.0.0.1", 403),
        ("127.0.0.1:80", 403),
        ("localhost", 403),
        ("evil.example", 403),
        ("evil.example:4000", 403),
        ("localhost.evil.example:4000", 403),
        ("127.0.0.1.evil.example:4000", 403),
        ("evil.example@127.0.0.1:4000", 403),
        ("192.168.1.7:4000", 403),
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
@both
def test_forms_of_other_sites(storage: Storage, headers: dict[str, str], status: int, keys: bool) -> None:
    form = {"payload": "{}", "source": CHAT, "target": CHAT}
    assert browser_of(storage, keys=keys).post("/ui/convert", data=form, headers=headers).status_code == status


def test_headers_of_every_response(browser: TestClient, storage: Storage) -> None:
    for response in (
        browser.get("/ui"),
        browser.get("/ui/exchanges/nope"),
        browser.get("/ui/style.css"),
        browser.get(f"/ui?token={TOKEN}"),
        browser.post("/ui/convert"),
        browser.get("/ui", headers={"host": "evil.example"}),
        browser_of(storage, token=None).get("/ui"),
    ):
        policy = response.headers["content-security-policy"]
        assert policy == (
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["cache-control"] == "no-store"
    assert browser.post("/ui").status_code == 405
