"""The built site in a real browser: every page at two widths, what the search finds first, and how the reference reads.

Rule: a page is fetched from a server of this test, and nothing else is.
"""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

from proxai_ir.exchange.servers import named_profiles

from .conftest import DOCS
from .test_site import Page

pytest.importorskip("material", reason="the extra `docs` is not installed")
pytest.importorskip("mkdocstrings", reason="the extra `docs` is not installed")

pytestmark = pytest.mark.slow  # to build the site takes a minute

WIDTHS = (1280, 390)
WAIT = 60_000


@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_and_is_sound(site: Path, address: str, browser: Any, width: int) -> None:
    """No wider than the window, no request that fails, and nothing in the console."""
    page = browser.new_page(viewport={"width": width, "height": 800})
    complaints: list[str] = []
    here = ""
    page.on("console", lambda said: complaints.append(f"{here}: {said.text}") if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(f"{here}: {error}"))
    page.on(
        "response", lambda came: complaints.append(f"{here}: {came.status} {came.url}") if came.status >= 400 else 0
    )
    paths = sorted(file.parent.relative_to(site).as_posix() for file in site.rglob("index.html"))
    assert len(paths) > 120
    for here in paths:
        page.goto(f"{address}/{here}/", wait_until="load", timeout=WAIT)
        if (found := page.evaluate("document.documentElement.scrollWidth")) > width:
            complaints.append(f"{here}: {found} pixels wide")
    page.close()
    assert complaints == []


# --- the search -------------------------------------------------------------------------------------------------------

FIRST = {
    "claude code": "quickstarts/agent/",
    "codex": "quickstarts/agent/",
    "run an agent": "quickstarts/agent/",
    "docker": "guides/container/",
    "podman": "guides/container/",
    "container": "guides/container/",
    "snapshot": "guides/testing/",
    "syrupy": "guides/testing/",
    "pytest plugin": "guides/testing/",
    "detect": "guides/command-line/",
    "fold": "guides/command-line/",
    "exit code": "guides/command-line/",
    "fastapi": "quickstarts/proxy/",
    "parquet": "quickstarts/parquet/",
    "batch jobs": "guides/logs/",
    "folder of logs": "guides/logs/",
    "duckdb": "guides/tables/",
    "polars": "guides/tables/",
    "fine-tuning": "guides/training/",
    "training lines": "guides/training/",
    "401": "guides/troubleshooting/",
    "certificate": "guides/troubleshooting/",
    "model not found": "guides/troubleshooting/",
    "troubleshooting": "guides/troubleshooting/",
    "usual findings": "guides/twenty/",
    "install": "quickstarts/install/",
    "playground": "playground/",
    "VLLM": "reference/profiles/",
    "convert_stream": "reference/",
    "TUL-4": "rules/tools/",
}


def first_hit(page: Any, asked: str) -> str:
    """The path that the search names first, once a second has not changed it."""
    page.focus("input.md-search__input")
    page.keyboard.press("Control+A")
    page.keyboard.type(asked)
    link = page.locator(".md-search-result__link").first
    link.wait_for(state="attached", timeout=WAIT)
    found, before = "", None
    while found != before:
        page.wait_for_timeout(1000)
        found, before = link.get_attribute("href") or "", found
    return found


def test_the_first_hit_for_thirty_questions(address: str, browser: Any) -> None:
    assert len(FIRST) >= 30
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.click("input.md-search__input")
    found = {asked: first_hit(page, asked).partition("?")[0].removeprefix(f"{address}/") for asked in FIRST}
    page.close()
    assert {asked: hit for asked, hit in found.items() if not hit.startswith(FIRST[asked])} == {}


# --- the reference ----------------------------------------------------------------------------------------------------

REFERENCE = sorted(file.stem for file in (DOCS / "pages" / "reference").glob("*.md"))
ELSEWHERE = {"sse": "proxai_ir.protocol.sse"}
"""Modules that are on a page under another name than their own."""
OTHER_PAGES = {"Exchange", "InMemory", "profiles", "sse", "testing"}
"""Names of `proxai_ir` that have a page of their own."""


def names_of(page: str) -> set[str]:
    """The public names of a page's module: those that it lists, else its own functions, classes and profiles."""
    module = importlib.import_module(ELSEWHERE.get(page, "proxai_ir" if page == "index" else f"proxai_ir.{page}"))
    if page == "profiles":
        return {"for_model", "target", *(name.upper() for name in named_profiles())}
    if hasattr(module, "__all__"):
        return set(module.__all__) - (OTHER_PAGES if page == "index" else set())
    public = {name: one for name, one in vars(module).items() if not name.startswith("_") and callable(one)}
    return {
        name
        for name, one in public.items()
        if (inspect.isclass(one) or inspect.isfunction(one)) and one.__module__ == module.__name__
    }


@pytest.mark.parametrize("page", REFERENCE)
def test_a_page_of_the_reference_has_the_names_of_its_module(site: Path, page: str) -> None:
    file = site / "reference" / ("" if page == "index" else page) / "index.html"
    anchors = {anchor.rpartition(".")[2] for anchor in Page(file.read_text(encoding="utf-8")).anchors}
    assert sorted(names_of(page) - anchors) == []


def test_a_function_begins_with_its_sentence_and_overloads_are_folded(site: Path) -> None:
    text = (site / "reference" / "index.html").read_text(encoding="utf-8")
    section = text[text.index('id="proxai_ir.convert"') : text.index('id="proxai_ir.compile"')]
    sentence = section.index("<p>Return the payload in another protocol")
    assert sentence < section.index('class="doc-signature') < section.index('<details class="doc-overloads">')


# --- pages that say what the code says --------------------------------------------------------------------------------


def test_the_twenty_findings_have_the_severities_of_the_catalogue() -> None:
    from proxai_ir.reporting.catalogue import KNOWN

    lines = (DOCS / "pages" / "guides" / "twenty.md").read_text(encoding="utf-8").splitlines()
    cells = [line.strip("| ").split(" | ")[:2] for line in lines if line.startswith("| ")]
    said = {rule: severity for rule, severity in cells if rule in KNOWN}
    assert len(said) == 20
    assert {rule: severity for rule, severity in said.items() if KNOWN[rule].severity != severity} == {}
