"""The page at /ui: what it shows of exchanges and conversions, and that payloads stay text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the extra `serve` is not installed")
pytest.importorskip("jinja2", reason="the extra `serve` is not installed")

from starlette.testclient import TestClient

import proxai_ir
from proxai_ir import Remedy
from proxai_ir.serve.access import Access
from proxai_ir.serve.config import UpstreamTable
from proxai_ir.serve.ui.routes import MOST_PASTED, PAGE, routes
from proxai_ir.serve.ui.views import in_toml
from proxai_ir.storage import Storage
from proxai_ir.storage.records import Record

from ..clients.provider import BUILDERS
from .pages import Page, check_accessible
from .recorded import ANTHROPIC, CHAT, GEMINI, NOW, RESPONSES, recorded
from .storing import kept
from .visiting import HERE, TOKEN, browser_of

OURS = {"origin": HERE}
CLIENTS = (ANTHROPIC, CHAT, RESPONSES)
KINDS = (("text", False), ("text", True), ("thought", True), ("failure", False), ("broken", True))


def name_of(client: str, provider: str, kind: str, streamed: bool) -> str:
    return f"{client}-{provider}-{kind}-{streamed}"


ALL = list(product(CLIENTS, BUILDERS, KINDS))


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Storage]:
    made = Storage(str(tmp_path_factory.mktemp("ui") / "kept.db"))
    for client, provider, (kind, streamed) in ALL:
        made.record(recorded(name_of(client, provider, kind, streamed), client, provider, kind, streamed=streamed))
    made.record(recorded("refused/of all", CHAT, ANTHROPIC, n=2))
    made.record(Record(id="bare", started=NOW - 1, client=CHAT, provider=CHAT, path="/v1/x", status=401))
    made._writer.close(20)
    yield made
    made.close()


@pytest.fixture
def browser(storage: Storage) -> TestClient:
    return browser_of(storage)


def page_of(response: Any, status: int = 200) -> Page:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    page = Page(response.text)
    check_accessible(page)
    return page


# --- what is gone ---

GONE = (
    "/ui?session={}",
    "/ui?before={}",
    "/ui?session={}&refresh=1",
    "/ui?recurring=1&before={}",
    "/ui/exchanges/{}",
    "/ui/exchanges/{}?raw=1",
    *(f"/ui/exchanges/{{}}?as={form}" for form in ("request", "response", "curl", "test", "nonsense")),
    "/ui/rules/{}",
    "/ui/convert?exchange={}",
    *(f"/ui/sums?{field}={{}}" for field in ("by", "span", "as")),
)
"""Every address that names something: a new one belongs here."""


@pytest.mark.parametrize("address", GONE)
def test_what_is_gone_is_a_page_that_says_so(address: str, tmp_path: Any) -> None:
    """The law of addresses: of what never was, cannot be, or was swept."""
    request = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
    now = [NOW]
    storage = Storage(str(tmp_path / "kept.db"), days=1, clock=lambda: now[0])
    known: dict[str, Any] = {
        "client": CHAT,
        "provider": CHAT,
        "path": "/v1/x",
        "status": 200,
        "model": "m",
        "request": request,
    }
    kept(storage, Record(id="swept", started=NOW, **known))
    session = storage.beside("swept").session
    browser = browser_of(storage)
    assert session
    assert browser.get(f"/ui?session={session}").status_code == 200
    now[0] += 2 * 86_400
    storage.sweep()
    for name in ("swept", session, "never", "%00", "%ff%fe", "%3Cb%3E", "a/b", "x" * 5_000, "%F0%9F%92%A9", "%25"):
        page_of(browser.get(address.format(name)), 404)
    storage.close()


def test_every_address_that_names_something_is_in_the_law(storage: Storage) -> None:
    named = [one.path for one in routes(storage, Access([], TOKEN)) if "{" in one.path]
    assert named == ["/ui/exchanges/{name:path}", "/ui/rules/{rule:path}"]


# --- the list ---


def rows(page: Page) -> list[str]:
    return [
        one.attributes["href"].rpartition("/")[2] for one in page.all("a") if "/exchanges/" in one.attributes["href"]
    ]


def test_the_list_has_pages(browser: TestClient, storage: Storage) -> None:
    assert len(ALL) + 2 > PAGE
    first = page_of(browser.get("/ui"))
    older = next(one for one in first.all("a") if one.text == "Older").attributes["href"]
    second = page_of(browser.get(older))
    everything = [one.id.replace("/", "%2F").replace(" ", "%20") for one in storage.exchanges(limit=200)]
    assert set(rows(first)) == set(everything[:PAGE])
    assert set(rows(second)) == set(everything[PAGE:])
    assert len(rows(first)) == PAGE
    newest = next(one for one in second.all("a") if one.text == "Newest").attributes["href"]
    assert rows(page_of(browser.get(newest))) == rows(first)
    assert not [one for one in first.all("a") if one.text == "Newest"]
    assert not [one for one in second.all("a") if one.text == "Older"]


def test_filters(browser: TestClient) -> None:
    page = page_of(browser.get("/ui?rule=smp-3&failed=1&model=claude"))
    found = rows(page)
    assert found
    assert all(name.startswith(ANTHROPIC) and ("failure" in name or "broken" in name) for name in found)
    assert page.by_id("rule").attributes["value"] == "smp-3"
    assert page.by_id("model").attributes["value"] == "claude"
    assert "checked" in page.by_id("failed").attributes
    assert "No exchange matches." in browser.get("/ui?rule=XYZ").text
    assert (
        "No exchange matches."
        in browser.get(
            "/ui", params={"rule": "\x00'\"<b>", "before": "\ud800".encode("utf-8", "surrogatepass").decode("latin-1")}
        ).text
    )


def test_filters_go_with_the_pages(tmp_path: Any) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    for at in range(PAGE + 1):
        storage.record(Record(id=f"r{at}", started=at, client=CHAT, provider=CHAT, path="/", status=500, model="a&b"))
    storage._writer.close(20)
    browser = browser_of(storage)
    first = page_of(browser.get("/ui", params={"model": "a&b", "failed": "1"}))
    older = next(one for one in first.all("a") if one.text == "Older").attributes["href"]
    assert older == "/ui?model=a%26b&failed=1&before=r1"
    assert rows(page_of(browser.get(older))) == ["r0"]
    storage.close()


def test_an_empty_log(tmp_path: Any) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    assert "No exchange has passed yet." in page_of(browser_of(storage).get("/ui")).all("main")[0].text
    storage.record(Record(id="a", started=0, client=CHAT, provider=CHAT, path="/", status=2**70))
    storage._writer.close(20)
    warning = page_of(browser_of(storage).get("/ui")).all("p", class_="warning")[0]
    assert warning.text == "1 exchange could not be written to the log since the server started."
    storage.close()


def test_a_database_that_is_away(tmp_path: Any) -> None:
    (tmp_path / "kept.db").write_bytes(b"this is not a database" * 100)
    page = page_of(browser_of(Storage(str(tmp_path / "kept.db"))).get("/ui"), 503)
    assert page.all("h1")[0].text == "The log cannot be read"


# --- one exchange ---


def panes(page: Page) -> list[str]:
    """What stands in each column of each section."""
    heads = [one for one in page.elements if one.tag == "pre" or one.attributes.get("class") == "panes"]
    found: list[dict[str, list[str]]] = []
    for one in heads:
        if one.tag == "div":
            found.append({"source": [], "ir": [], "sent": []})
        elif found and one.text:
            found[-1][one.attributes["class"]].append(one.text)
    texts = ["\n".join(texts) for section in found for texts in section.values()]
    return [re.sub(r'(?m)^( *)(\d+ )+(?=")', r"\1", text) for text in texts]  # without the numbers of marks


@pytest.mark.parametrize(("client", "provider", "kind"), ALL)
def test_every_exchange_can_be_shown(
    browser: TestClient, storage: Storage, client: str, provider: str, kind: tuple[str, bool]
) -> None:
    name = name_of(client, provider, *kind)
    record = storage.exchange(name)
    assert record is not None
    page = page_of(browser.get(f"/ui/exchanges/{name}"))
    assert "<script>alert" not in page.all("main")[0].text.replace(
        '"<script>alert(1)</script> & \\u202e\\u001b[31m"', ""
    )
    assert len(panes(page)) == 6
    assert all(panes(page))
    for side in ("request", "response"):
        entries = [
            one.text.split()[:2] for one in page.all("li") if one.attributes.get("id", "").startswith(f"{side}-")
        ]
        found = {(one["severity"], one["rule"]) for one in record.diagnostics if one["side"] == side}
        assert {(severity, rule) for severity, rule in entries} == found
    for one in page.all("a"):
        if "-at-" in one.attributes["href"]:
            key = one.text.rpartition("/")[2].replace("~1", "/")
            assert key.isdigit() or f'"{key}"' in page.by_id(one.attributes["href"][1:]).text


def test_a_loss_is_marked_at_its_place(browser: TestClient) -> None:
    page = page_of(browser.get(f"/ui/exchanges/{name_of(ANTHROPIC, CHAT, 'text', False)}"))
    (entry,) = [one for one in page.all("li") if "SMP-3" in one.text]
    assert "/top_k" in entry.text
    (link,) = [one for one in page.all("a") if one.text == "/top_k"]
    mark = page.by_id(link.attributes["href"][1:])
    assert (mark.tag, mark.attributes["class"]) == ("mark", "loss")
    number = entry.attributes["id"].rpartition("-")[2]
    assert mark.text == f'{number} "top_k": 40'
    back, in_ir = (one for one in page.all("a", class_="ref") if one.attributes["href"] == f"#{entry.attributes['id']}")
    marks = [one.text for one in page.all("mark")]
    assert marks.count(mark.text) == 2, "the IR has it yet, the target has not"
    assert in_ir.attributes == back.attributes
    assert back.attributes["aria-label"].startswith("loss SMP-3: ")
    assert (back.text, back.inside[-1]) == (number, "mark")


def test_the_events_of_a_stream_are_marked(browser: TestClient, storage: Storage) -> None:
    name = name_of(ANTHROPIC, CHAT, "text", True)
    page = page_of(browser.get(f"/ui/exchanges/{name}?raw=1"))
    (link,) = [one for one in page.all("a") if one.text.endswith("/usage/total_tokens")]
    assert '"total_tokens": ' in page.by_id(link.attributes["href"][1:]).text
    assert panes(page)[3].startswith("[\n  {\n")


def test_a_stream_that_was_cut_shows_what_came(browser: TestClient) -> None:
    page = page_of(browser.get(f"/ui/exchanges/{name_of(ANTHROPIC, CHAT, 'broken', True)}"))
    assert "STR-2" in page.all("p", class_="warning")[0].text
    assert '"chatcmpl-1"' in panes(page)[3]


def test_a_request_that_was_refused(browser: TestClient) -> None:
    page = page_of(browser.get("/ui/exchanges/refused%2Fof%20all"))
    assert [one.text for one in page.all("mark", class_="error")] == ['1 "n": 2', '1 "candidates": 2']
    assert "There was none." in [one.text for one in page.all("p", class_="note")]
    assert '"type": "invalid_request_error"' in panes(page)[-1]


def test_places_in_a_history_that_the_client_did_not_send(tmp_path: Any) -> None:
    """They count items that are not in what is shown."""
    storage = Storage(str(tmp_path / "kept.db"))
    lost = {"side": "request", "rule": "TUL-4", "severity": "loss", "message": "lost"}
    asked = {"model": "m", "input": [{"role": "user", "content": "more"}], "seed": 1}
    found = [{**lost, "path": "/input/0/content"}, {**lost, "path": "/seed"}]
    known: dict[str, Any] = {"started": 0, "client": RESPONSES, "path": "/", "status": 200, "diagnostics": found}
    for name, more, provider in (
        ("refers", {"previous_response_id": "r1"}, CHAT),
        ("whole", {}, CHAT),
        ("own", {"previous_response_id": "r1"}, RESPONSES),
    ):
        storage.record(Record(id=name, provider=provider, request=json.dumps(asked | more).encode(), **known))
    storage._writer.close(20)
    every = ['1 "content": "more"', '1 "seed": 1', '1 "text": "more"']  # the last is the IR's
    for name, marks in (("refers", every[1:2]), ("whole", every), ("own", every)):
        page = page_of(browser_of(storage).get(f"/ui/exchanges/{name}"))
        assert [one.text for one in page.all("mark")] == marks
        assert ("put the history back" in page.all("main")[0].text) == (name == "refers")
    storage.close()


def helps(page: Page) -> list[str]:
    return [one.text for one in page.all("span", class_="remedy")]


LABELS = "What helps: settings.labels = true, if the server has it."


@pytest.mark.parametrize(
    ("configured", "expected"),
    [
        ({}, [LABELS]),
        ({"settings": {"labels": False}}, []),
        ({"protocol": ANTHROPIC}, []),
        (None, []),
    ],
    ids=["taken", "stated", "another protocol", "gone"],
)
def test_what_helps_is_what_the_upstream_may_be_told(
    tmp_path: Any, configured: dict[str, Any] | None, expected: list[str]
) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    storage.record(recorded("labelled", CHAT, GEMINI, metadata={"a": "b"}))
    storage._writer.close(20)
    table = {"protocol": GEMINI, "base_url": "https://example.com", **(configured or {})}
    upstreams = {} if configured is None else {"main": UpstreamTable(**table)}
    assert helps(page_of(browser_of(storage, upstreams=upstreams).get("/ui/exchanges/labelled"))) == expected
    storage.close()


@pytest.mark.parametrize(
    ("remedy", "written"),
    [
        (Remedy("option", "emulate", ("user_turn",)), 'options.emulate = ["user_turn"]'),
        (Remedy("option", "instructions", "in_place", ("PLC-25",)), 'options.instructions = "in_place" (then PLC-25)'),
        (Remedy("capability", "version", "2023-06-01"), 'version = "2023-06-01", if the server has it'),
        (Remedy("option", "seals", proxai_ir.Seals()), ""),
        (Remedy("profile", "VERTEX_AI"), 'profile = "vertex_ai", if it is that server'),
        (Remedy("model", "gemini-2.0"), 'model = "gemini-2.0"'),
    ],
)
def test_a_remedy_is_written_as_the_configuration_has_it(remedy: Remedy, written: str) -> None:
    assert in_toml(remedy) == written


def test_payloads_that_were_not_kept(browser: TestClient) -> None:
    page = page_of(browser.get("/ui/exchanges/bare"))
    assert {one.text for one in page.all("p", class_="note")} == {
        "Payloads were not kept; with serve --log-payloads, or log.payloads = true, they are."
    }


def test_what_is_not_there(browser: TestClient) -> None:
    page = page_of(browser.get("/ui/exchanges/<b>nope"), 404)
    assert "There is no exchange '<b>nope' in the log" in page.all("main")[0].text
    assert "No rule has the id 'XYZ-1'." in page_of(browser.get("/ui/rules/xyz-1"), 404).all("main")[0].text


def test_a_list_of_findings_is_bounded(tmp_path: Any) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    lost = {"side": "request", "rule": "TUL-4", "severity": "info"}
    found = [{**lost, "path": f"/{at}", "message": str(at)} for at in range(1000)]
    found += [{**lost, "path": f"/{at}", "message": "the same"} for at in range(1000)]
    found += [{**lost, "path": "/1", "message": "worse", "severity": "error"}]
    storage.record(
        Record(
            id="a", started=0, client=CHAT, provider=CHAT, path="/", status=200, diagnostics=found, request=b"[1, 2]"
        )
    )
    storage._writer.close(20)
    page = page_of(browser_of(storage).get("/ui/exchanges/a"))
    entries = page.all("li")
    assert len(entries) == 300
    assert "worse" in entries[0].text
    assert "702 more are not listed." in [one.text for one in page.all("p", class_="note")]
    (same,) = [one for one in entries if "the same" in one.text]
    assert same.text.strip().endswith("and 980 more")
    storage.close()


def test_a_rule(browser: TestClient) -> None:
    page = page_of(browser.get("/ui/rules/SMP-3"))
    assert page.all("pre")[0].text.startswith("## SMP-3 ")


# --- conversions ---

REQUEST = {"model": "m", "max_completion_tokens": 5, "messages": [{"role": "user", "content": "hi"}], "seed": 1}


def converted(browser: TestClient, payload: str, source: str = CHAT, target: str = ANTHROPIC, kind: str = "") -> Page:
    form = {"payload": payload, "source": source, "target": target, "kind": kind}
    return page_of(browser.post("/ui/convert", data=form, headers=OURS))


def test_a_request_is_converted(browser: TestClient) -> None:
    page = converted(browser, json.dumps(REQUEST))
    _, ir, output = panes(page)
    assert json.loads(output) == {"model": "m", "max_tokens": 5, "messages": REQUEST["messages"]}
    assert json.loads(ir)["sampling"]["seed"] == 1
    assert [one.text for one in page.all("mark")] == ['1 "seed": 1', '1 "seed": 1'], "in the source and in the IR"
    assert page.by_id("payload").text == "\n" + json.dumps(REQUEST)
    assert [one.text for one in page.all("option") if "selected" in one.attributes] == [CHAT, ANTHROPIC]


def test_the_form(browser: TestClient) -> None:
    page = page_of(browser.get("/ui/convert"))
    assert not page.all("pre")
    shown = [one.text for one in page.all("option") if one.text in proxai_ir.protocols()]
    assert sorted(shown) == sorted([*proxai_ir.protocols()] * 2)
    empty = converted(browser, "  ")
    assert empty.all("p", role="alert")[0].text == "Paste a payload first."


def test_what_helps_a_conversion(browser: TestClient) -> None:
    page = converted(browser, json.dumps({**REQUEST, "metadata": {"a": "b"}}), target=GEMINI)
    assert helps(page) == [LABELS]


@pytest.mark.parametrize("as_list", [False, True])
def test_a_stream_is_converted(browser: TestClient, as_list: bool) -> None:
    from ..clients.provider import reply

    data = b"".join(reply(ANTHROPIC, "text", True).chunks)
    events = list(proxai_ir.sse.decode([data]))
    payload = json.dumps(events) if as_list else data.decode().replace("\n", "\r\n")  # as browsers send lines
    page = converted(browser, payload, ANTHROPIC, CHAT, "stream" if as_list else "")
    source, ir, output = panes(page)
    assert json.loads(ir)["is"] == "Stream"
    assert "chat.completion.chunk" in output
    assert source.startswith("[\n")


def test_what_is_refused_is_marked(browser: TestClient) -> None:
    page = converted(browser, json.dumps(REQUEST | {"n": 2}))
    assert page.by_id("result").text == "Refused"
    assert [one.text for one in page.all("mark")] == ['1 "n": 2', '1 "candidates": 2']
    assert "Refused: there is no output." in [one.text for one in page.all("p", class_="note")]


@pytest.mark.parametrize(
    "payload", ["{", "hello", "[1,", "data: {", "null", '"x"', "[]", "7", "[" * 5000, "\x00", "{}"]
)
@pytest.mark.parametrize("kind", ["", "request", "response", "error", "stream"])
def test_whatever_is_pasted(browser: TestClient, payload: str, kind: str) -> None:
    for source, target in ((CHAT, ANTHROPIC), (GEMINI, RESPONSES)):
        page = converted(browser, payload, source, target, kind)
        assert page.by_id("result").text in ("Refused", "Result")


def test_what_is_pasted_stays_text(browser: TestClient) -> None:
    attack = "</textarea></code></pre><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
    for payload in (attack, json.dumps({attack: attack, "messages": [attack]}), f"data: {json.dumps([attack])}\n\n"):
        page = converted(browser, payload)
        assert not page.all("img")
        assert not page.all("script")
        assert page.by_id("payload").text == f"\n{payload}", "HTML takes the first line end for its own"


def test_a_form_that_is_not_ours(browser: TestClient) -> None:
    for wrong in ({"source": "nope"}, {"target": "<b>"}, {"kind": "nope"}):
        form = {"payload": "{}", "source": CHAT, "target": CHAT} | wrong
        assert page_of(browser.post("/ui/convert", data=form, headers=OURS), 400).all("h1")


def test_a_form_that_is_too_large(browser: TestClient) -> None:
    form = {"payload": "x" * MOST_PASTED, "source": CHAT, "target": CHAT}
    page = page_of(browser.post("/ui/convert", data=form, headers=OURS), 413)
    assert "4,194,304 bytes" in page.all("main")[0].text
    for odd in (b"&a=1" * 100, b"\xff=\xff", b"payload=%ff", b""):
        assert browser.post("/ui/convert", content=odd, headers=OURS).status_code == 200
