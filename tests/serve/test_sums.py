"""Sums over the log, in both databases; and the page at /ui/sums with its plots, its table and its files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("httpx", reason="the extra `serve` is not installed")
pytest.importorskip("jinja2", reason="the extra `serve` is not installed")

from starlette.testclient import TestClient
from typer.testing import CliRunner

from proxai_ir.cli.app import app
from proxai_ir.serve.ui.plots import COUNTED, MOST_GROUPS, SPANS, plotted, times_of
from proxai_ir.serve.ui.routes import MOST_ROWS
from proxai_ir.storage import Storage, exchanges
from proxai_ir.storage.records import COUNTS, Filter

from .pages import Page, check_accessible
from .storing import NOW, kept, many, record
from .visiting import browser_of

SVG = "{http://www.w3.org/2000/svg}"
DAY = 86_400.0
MIDNIGHT = 1_799_971_200.0  # 2027-01-15 00:00 UTC, eight hours before NOW
WHO, MODEL = "<script>alert('who')</script>", 'a&b"\x1b\u202e'


def lost(*rules: str) -> list[dict[str, Any]]:
    known = {"side": "request", "severity": "loss", "path": "/a", "message": "It is dropped."}
    return [{**known, "rule": rule} for rule in rules] + [{**known, "rule": "SMP-10", "severity": "info"}]


RECORDS = (
    record("a", MIDNIGHT, who="ann", sent_model=MODEL, usage={"input": 1, "output": 2, "cache_read": 3}),
    record("b", MIDNIGHT + 3599, who="ann", sent_model=MODEL, usage={"cache_write": 4, "reasoning": 5}),
    record("c", MIDNIGHT - 0.25, who="ann", status=503, diagnostics=lost("SMP-3", "SMP-3", "TUL-4")),
    record("d", NOW, who=WHO, upstream="main", model="m", usage={"input": 100}, diagnostics=lost("TUL-4")),
    record("e", NOW - 40 * DAY, error="the stream was cut"),
)


@pytest.fixture
def storage(url: str) -> Iterator[Storage]:
    made = Storage(url, days=1e6, clock=lambda: NOW)
    yield made
    made.close()


@pytest.fixture
def used(storage: Storage) -> Storage:
    kept(storage, *RECORDS)
    return storage


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[TestClient]:
    made = Storage(str(tmp_path / "kept.db"), days=1e6, clock=lambda: NOW)
    kept(made, *RECORDS)
    yield browser_of(made)
    made.close()


def counted(*columns: str, **counts: int) -> tuple[Any, ...]:
    return (*columns, *(counts.get(name, 0) for name in COUNTS))


def rows(sums: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(one.values()) for one in sums]


# --- sums ---


@pytest.mark.parametrize("at_once", [1, 2, 10_000])
def test_sums_by_key_and_time(used: Storage, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """In stretches of any length."""
    monkeypatch.setattr(exchanges, "SUMMED", at_once)
    assert rows(used.sums(["who", "day"])) == [
        counted("", "2026-12-06", exchanges=1, failed=1),
        counted(WHO, "2027-01-15", exchanges=1, losses=1, input=100),
        counted("ann", "2027-01-14", exchanges=1, failed=1, losses=3),
        counted("ann", "2027-01-15", exchanges=2, input=1, output=2, cache_read=3, cache_write=4, reasoning=5),
    ]
    assert [one["hour"] for one in used.sums(["hour"])] == [
        "2026-12-06 08:00",
        "2027-01-14 23:00",
        "2027-01-15 00:00",
        "2027-01-15 08:00",
    ]
    assert [(one["rule"], one["exchanges"], one["losses"]) for one in used.sums(["rule"])] == [
        ("", 3, 0),
        ("SMP-3", 1, 2),
        ("TUL-4", 2, 2),
    ]
    assert rows(used.sums(["status", "upstream"], since=MIDNIGHT, until=NOW)) == [
        counted("200", "", exchanges=2, input=1, output=2, cache_read=3, cache_write=4, reasoning=5)
    ]
    for wanted, found in (
        (Filter(failed=True), ["", "ann"]),
        (Filter(failed=False), [WHO, "ann"]),
        (Filter(rule="tul"), [WHO, "ann"]),
        (Filter(model="m"), [WHO]),
    ):
        assert [one["who"] for one in used.sums(["who"], wanted)] == found


def test_sums_of_nothing_and_of_counts_beyond_any_integer(storage: Storage) -> None:
    assert storage.sums(["who"]) == []
    kept(storage, *(record(name, usage={"input": 2**63 - 1, "output": 2**31}) for name in "abc"))
    (one,) = storage.sums(["client"])
    assert one["output"] == 3 * 2**31
    assert one["input"] == pytest.approx(3 * 2**63)


# --- the page ---


def page_of(response: Any, status: int = 200) -> Page:
    assert response.status_code == status, response.text
    page = Page(response.text)
    check_accessible(page)
    return page


def cells(page: Page) -> list[list[str]]:
    """The table's cells, row by row."""
    found: list[list[str]] = []
    for one in page.elements:
        if "tbody" in one.inside and one.tag == "tr":
            found.append([])
        elif "tbody" in one.inside and one.tag in ("th", "td"):
            found[-1].append(one.text)
    return found


def drawings(text: str) -> list[ElementTree.Element]:
    """Each SVG of a page, read as XML."""
    return [ElementTree.fromstring(f"<svg{one.partition('</svg>')[0]}</svg>") for one in text.split("<svg")[1:]]


def test_the_table_has_the_sums_of_the_span(browser: TestClient) -> None:
    """And nothing from before it."""
    page = page_of(browser.get("/ui/sums"))
    heads = [one.text for one in page.all("th", scope="col")]
    assert heads == ["day", "who", *COUNTED.values()]
    assert cells(page) == [
        ["2027-01-15", WHO, "1", "0", "1", "100", "0", "0", "0", "0"],
        ["2027-01-15", "ann", "2", "0", "0", "1", "2", "5", "3", "4"],
        ["2027-01-14", "ann", "1", "1", "3", "0", "0", "0", "0", "0"],
    ]
    hours = cells(page_of(browser.get("/ui/sums?by=client&span=1d")))
    assert [row[:3] for row in hours] == [
        ["2027-01-15 08:00", "openai_responses", "1"],
        ["2027-01-15 00:00", "openai_responses", "2"],
        ["2027-01-14 23:00", "openai_responses", "1"],
    ]
    assert len(cells(page_of(browser.get("/ui/sums?span=90d")))) == 4


def test_each_plot_says_what_it_shows(browser: TestClient) -> None:
    text = browser.get("/ui/sums?span=7d").text
    first, *others = drawings(text)
    assert len(others) == 7
    assert first.findtext(f"{SVG}title") == "Requests per day"
    assert first.findtext(f"{SVG}desc") == (
        "From 2027-01-09 to 2027-01-15: 4 in all, and 3 at the most, on 2027-01-15. The table below has all figures."
    )
    assert [one.text for one in first.findall(f"{SVG}text")] == ["3", "2027-01-09", "2027-01-15"]
    bars = {
        one.findtext(f"{SVG}title"): one.attrib for one in first.findall(f"{SVG}path") if one.get("class") != "axis"
    }
    assert [*bars] == [WHO, "ann"], "the one with the most tokens first"
    assert bars[WHO] == {"class": "s0", "d": "M308.6 130.0V93.3h41.1V130.0z"}
    assert bars["ann"] == {"class": "s1", "d": "M257.1 130.0V93.3h41.1V130.0zM308.6 93.3V20.0h41.1V93.3z"}
    legend = [one.text for one in Page(text).all("li") if "ul" in one.inside]
    assert legend == [WHO, "ann"]


def test_names_stay_text(browser: TestClient) -> None:
    for by in ("who", "sent_model", "who,sent_model"):
        text = browser.get("/ui/sums", params={"by": by}).text
        assert "<script" not in text
        assert len(drawings(text)) == 8
    assert "a&amp;b&#34;\\x1b\\u202e" in text, "nothing that is not printable is in the XML"


def test_what_nothing_has_is_not_drawn(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "kept.db"), days=1e6, clock=lambda: NOW)
    kept(storage, record("a", usage={"output": 1}))
    text = browser_of(storage).get("/ui/sums").text
    assert [one.findtext(f"{SVG}title") for one in drawings(text)] == ["Requests per day", "Output tokens per day"]
    assert "Nothing of these: failed; losses; input tokens; reasoning tokens; cache reads; cache writes." in text
    storage.close()


def test_an_empty_log_has_no_sums(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "kept.db"))
    for span in SPANS:
        page = page_of(browser_of(storage).get(f"/ui/sums?span={span}"))
        assert "Nothing has passed in this time." in page.all("main")[0].text
        assert not page.all("svg")
    assert browser_of(storage).get("/ui/sums?as=csv").text == f"who,day,{','.join(COUNTS)}\n"
    assert browser_of(storage).get("/ui/sums?as=json").text == ""
    storage.close()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("by=modle", "By 'modle': there is no column 'modle'; expected some of who, model, sent_model"),
        ("by=who,day", "there is no column 'day'"),
        ("by=", "there is no column ''"),
        ("span=2d", "'2d', '': expected a span of 1d, 7d, 30d, 90d, 365d, as csv or json where it is a file."),
        ("as=<b>", "'30d', '<b>': expected"),
    ],
)
def test_what_there_is_no_sum_of(browser: TestClient, asked: str, said: str) -> None:
    page = page_of(browser.get(f"/ui/sums?{asked}"), 404)
    assert said in page.all("main")[0].text
    assert page.all("h1")[0].text == "There are no such sums"


def test_files_have_what_the_command_prints(browser: TestClient, tmp_path: Path) -> None:
    command = ["log", "--storage", str(tmp_path / "kept.db"), "--sum", "who,sent_model,day"]
    links = [one.attributes["href"] for one in page_of(browser.get("/ui/sums?by=who,sent_model&span=90d")).all("a")]
    csv, lines = (browser.get(one) for one in links if "as=" in one)
    assert csv.headers["content-type"] == "text/csv; charset=utf-8"
    assert csv.headers["content-disposition"] == 'attachment; filename="sums.csv"'
    assert csv.headers["content-security-policy"].startswith("default-src 'none'")
    assert csv.text == CliRunner().invoke(app, [*command, "--csv"]).stdout
    assert csv.text.splitlines()[-1] == 'ann,"a&b""\\x1b\\u202e",2027-01-15,2,0,0,1,3,4,2,5'
    printed = CliRunner().invoke(app, [*command, "--json"]).stdout.splitlines()
    assert [json.loads(one) for one in lines.text.splitlines()] == [json.loads(one) for one in printed]
    assert len(printed) == 4


def test_what_is_drawn_and_listed_is_bounded(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path / "kept.db"), days=1e6, clock=lambda: NOW)
    kept(storage, *(record(f"r{at}", who=f"key-{at}", usage={"input": at}) for at in range(MOST_ROWS + 3)))
    response = browser_of(storage).get("/ui/sums")
    page = page_of(response)
    assert len(cells(page)) == MOST_ROWS
    assert "3 more rows are not shown; the files have all." in page.all("main")[0].text
    legend = [one.text for one in page.all("li") if "ul" in one.inside]
    assert legend == [*(f"key-{502 - at}" for at in range(MOST_GROUPS)), "all others"]
    assert [len(one.findall(f"{SVG}path")) for one in drawings(response.text)] == [1 + 8, 1 + 8]
    assert len(browser_of(storage).get("/ui/sums?as=csv").text.splitlines()) == MOST_ROWS + 3 + 1
    storage.close()


def test_the_spans_times() -> None:
    """Whole hours, or whole days, the last of which is not over."""
    hours, since, until = times_of(SPANS["1d"], NOW + 1)
    assert (len(hours), hours[0], hours[-1]) == (24, "2027-01-14 09:00", "2027-01-15 08:00")
    assert (since, until) == (NOW - 23 * 3600, NOW + 3600)
    days, since, until = times_of(SPANS["30d"], NOW)
    assert (len(days), days[0], days[-1]) == (30, "2026-12-17", "2027-01-15")
    assert (since, until) == (MIDNIGHT - 29 * DAY, MIDNIGHT + DAY)
    assert plotted([], ["who"], "day", days)[0] == []


@pytest.mark.slow
def test_the_sums_of_a_hundred_thousand(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database sums: what Python reads are rows of sums, and few statements."""
    many(storage, 100_000)
    statements: list[int] = []
    real = exchanges.sums

    def seen(*given: Any, **stated: Any) -> Any:
        found = real(*given, **stated)
        statements.append(len(found[0]))
        return found

    monkeypatch.setattr(exchanges, "sums", seen)
    (one,) = storage.sums(["day"])
    assert one["exchanges"] == 100_000
    assert statements == [*[1] * 10, 0]
