"""The documentation site: it builds without a warning, every link in it leads somewhere, and its filters work.

Rule: nothing is fetched. Links to other sites are collected and looked at, and not followed.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from proxai_ir.matrix.pairs import pair
from proxai_ir.profiles.vendors import FACTS
from proxai_ir.protocol.registry import protocols
from proxai_ir.reporting.catalogue import RULES

from ..outside.projects import ROOT
from .conftest import DOCS

pytest.importorskip("material", reason="the extra `docs` is not installed")
pytest.importorskip("mkdocstrings", reason="the extra `docs` is not installed")

pytestmark = pytest.mark.slow  # to build the site takes a minute

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}
"""What a browser fetches with the page; the head's links to itself and its neighbours are among them."""


class Page(HTMLParser):
    """The anchors of a page, what it links to and what it loads, and its data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.data: dict[str, str] = {}
        self._id = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        for name in {"href", "src"} & given.keys():
            (self.loads if (tag, name) in LOADED else self.links).add(given[name])
        self._id = given.get("id", "") if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self._id = ""

    def handle_data(self, data: str) -> None:
        if self._id:
            self.data[self._id] = data


Pages = dict[Path, Page]


def read(folder: Path) -> Pages:
    return {file.resolve(): Page(file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("*.html"))}


def is_external(link: str) -> bool:
    return bool(urlsplit(link).scheme or urlsplit(link).netloc)


def broken(folder: Path, pages: Pages) -> list[str]:
    """The links of a folder's pages that lead to no file in it, or to no anchor in that file."""
    complaints = []
    for file, page in pages.items():
        for link in sorted(page.links | page.loads):
            if is_external(link):
                continue
            parts = urlsplit(link)
            root = folder if parts.path.startswith("/") else file.parent
            target = (root / unquote(parts.path).lstrip("/")).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.is_file():
                complaints.append(f"{file.relative_to(folder.resolve())}: {link} leads to no file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                complaints.append(f"{file.relative_to(folder.resolve())}: {link} leads to no anchor")
    return complaints


@pytest.fixture(scope="session")
def pages(site: Path) -> Pages:
    return read(site)


# --- the pages --------------------------------------------------------------------------------------------------------


def test_every_link_leads_somewhere(site: Path, pages: Pages) -> None:
    assert broken(site, pages) == []


def test_a_page_loads_nothing_from_elsewhere(pages: Pages) -> None:
    loaded = {link for page in pages.values() for link in page.loads}
    assert sorted(filter(is_external, loaded)) == []


def test_links_to_other_sites_are_encrypted(pages: Pages) -> None:
    """They are listed with `pytest -s`; that they exist is for a reader to see."""
    external = sorted({link for page in pages.values() for link in page.links if is_external(link)})
    print(*external, sep="\n")
    assert [link for link in external if urlsplit(link).scheme not in ("https", "mailto")] == []


def test_a_section_shows_its_examples_and_links_to_rules(site: Path) -> None:
    text = (site / "rules" / "tools" / "index.html").read_text(encoding="utf-8")
    section = text[text.index('id="tul-4-failed-executions"') : text.index('id="tul-5-')]
    assert "<strong>request: anthropic_messages → openai_chat_completions</strong>" in section
    assert ">Source</label>" in section
    assert ">Target</label>" in section
    assert '<span class="severity loss">loss</span>' in section
    assert 'href="#tul-4-failed-executions">TUL-4</a>' in section
    assert "<code>/messages/2/content/0/is_error</code>" in section
    assert "````" not in text


def test_the_index_has_every_rule_and_a_link_to_its_section(site: Path) -> None:
    text = (site / "rules" / "all" / "index.html").read_text(encoding="utf-8")
    assert [rule for rule in RULES if f">{rule}</a></td>" not in text] == []
    assert 'href="../tools/#tul-4-failed-executions">TUL-4</a></td>' in text


def test_the_matrix_holds_every_pair(site: Path, pages: Pages) -> None:
    data = json.loads(pages[(site / "matrix" / "index.html").resolve()].data["pairs"])
    assert len(data["pairs"]) == len(protocols()) * (len(protocols()) - 1)
    rows = {row[0]: row[1:] for row in data["pairs"]["openai_chat_completions anthropic_messages"]}
    assert rows["Sampling.seed"] == ["request", "lost", [["lost", "SMP-10", 0, ""]]]
    assert "web_search" in data["lacking"]["openai_chat_completions"]
    assert data["links"]["SMP-3"] == "../rules/sampling/#smp-3-parameters-of-one-vendor"
    for link in data["links"].values():
        page, _, anchor = link.partition("#")
        assert anchor in pages[(site / "matrix" / page / "index.html").resolve()].anchors


PAIRS = [(src, dst) for src in protocols() for dst in protocols() if src != dst]


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_a_pair_has_a_page_with_its_rows(site: Path, src: str, dst: str) -> None:
    """Each of its rows, with what it is called on the wire of the source where that has a name, and an example."""
    text = (site / "pairs" / f"{src}_to_{dst}" / "index.html").read_text(encoding="utf-8")
    assert [row.subject for row in pair(src, dst) if f"<small>{row.subject}</small>" not in text] == []
    assert ">An example" in text


def test_a_page_of_a_pair_says_what_is_lost_and_what_to_do(site: Path) -> None:
    text = (site / "pairs" / "openai_chat_completions_to_anthropic_messages" / "index.html").read_text(encoding="utf-8")
    lost = text[text.index('id="what-is-lost"') : text.index('id="what-is-approximated"')]
    assert "<code>seed</code>" in lost
    assert ">SMP-10</a>" in lost
    remedies = text[text.index('id="what-to-do-about-it"') :]
    assert "<code>structured_output</code>" in remedies


# --- docstrings -------------------------------------------------------------------------------------------------------


def docstrings() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docstrings", DOCS / "docstrings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_docstring_becomes_markdown() -> None:
    text = """Converts.

    src, dst  the names
    kind      one of these,
              detected if left out

        convert(payload)

    Raises nothing.
    """
    lines = ["Converts.", "", "`src, dst`", ":   the names", "", "`kind`", ":   one of these, detected if left out", ""]
    assert docstrings().as_markdown(text) == "\n".join(
        [*lines, "```python", "convert(payload)", "```", "", "Raises nothing."]
    )


MODULES = ["proxai_ir", *(f"proxai_ir.{name}" for name in ("exchange", "httpx", "bulk", "batch", "exports", "testing"))]
MODULES_OF_NAMES = {"sse", "profiles", "testing"}
"""Names of `proxai_ir` that are modules, with pages of their own."""


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_in_the_reference(pages: Pages, site: Path, name: str) -> None:
    """Under its own name or that of the module that it comes from; classes of `Exchange` are on one page only."""
    reference = {file: page for file, page in pages.items() if (site / "reference").resolve() in file.parents}
    anchors = set().union(*(page.anchors for page in reference.values()))
    documented = {anchor.rpartition(".")[2] for anchor in anchors if anchor.startswith(name)}
    assert sorted(set(importlib.import_module(name).__all__) - documented - MODULES_OF_NAMES) == []


def test_the_reference_shows_parameters_as_lists(site: Path) -> None:
    text = (site / "reference" / "index.html").read_text(encoding="utf-8")
    section = text[text.index('id="proxai_ir.convert"') :]
    assert "<dt><code>src, dst</code></dt>" in section
    assert "the names of the protocols, or Profiles of the servers" in section


def test_the_reference_shows_no_rules_of_modules(site: Path) -> None:
    """They are notes to developers of the library."""
    pages = list((site / "reference").rglob("*.html"))
    assert pages
    assert [page for page in pages if re.search(r"Rule( \d+)?: ", page.read_text(encoding="utf-8"))] == []


def test_the_pictures_of_the_readme_are_as_they_are_drawn(site: Path) -> None:
    """`python .docs/pictures.py` draws them again."""
    kept = sorted((ROOT / ".assets").glob("*.svg"))
    assert [file.name for file in kept] == ["loss.svg", "pipeline.svg"]
    for file in kept:
        assert file.read_bytes() == (site / "img" / file.name).read_bytes()


# --- in a browser -----------------------------------------------------------------------------------------------------


def shown(page: Any) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        "tbody tr:not([hidden]) td:first-child", "all => all.map(e => e.innerText)"
    )
    return found


def test_the_index_is_filtered_by_text_and_severity(site: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((site / "rules" / "all" / "index.html").as_uri())
    assert len(shown(page)) == len(RULES)
    page.fill(".filters input[type=search]", "budget")
    found = shown(page)
    assert "RSN-3" in found
    assert "TUL-4" not in found
    page.uncheck(".filters input[value=loss]")
    assert "RSN-3" not in shown(page)
    page.close()


def test_the_models_are_filtered_by_name_and_protocol(site: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((site / "models" / "index.html").as_uri())
    rows = page.locator(".models tbody tr")
    every = rows.count()
    assert every == len(FACTS)
    assert all(row.is_visible() for row in rows.all())
    page.get_by_role("searchbox", name="Model, setting, source").fill("claude-sonnet")
    shown = [row for row in rows.all() if row.is_visible()]
    assert 0 < len(shown) < every
    assert all("claude-sonnet" in (row.text_content() or "") for row in shown)
    page.get_by_role("checkbox", name="messages").uncheck()
    left = [row.locator(".protocol").all_inner_texts() for row in rows.all() if row.is_visible()]
    assert [badges for badges in left if set(badges) <= {"messages"}] == []
    assert len(left) < len(shown)


def subjects(page: Any) -> list[str]:
    """The IR's names of the rows that are shown."""
    found: list[str] = page.eval_on_selector_all(
        "#pair tbody tr:not([hidden])", "all => all.map(e => e.cells[0].querySelector('small').innerText)"
    )
    return found


def test_the_matrix_is_filtered_by_pair_text_and_verdict(site: Path, browser: Any) -> None:
    page = browser.new_page()
    page.goto((site / "matrix" / "index.html").as_uri())
    page.select_option("select >> nth=0", "openai_chat_completions")
    page.select_option("select >> nth=1", "anthropic_messages")
    page.fill(".filters input[type=search]", "sampling.")
    page.uncheck(".filters input[value=exact]")
    page.uncheck(".filters input[value=omitted]")
    assert "Sampling.seed" in subjects(page)
    page.uncheck(".filters input[value=lost]")
    assert "Sampling.seed" not in subjects(page)
    page.select_option("select >> nth=0", "anthropic_messages")
    assert "returns to its own protocol unchanged" in page.inner_text("#pair")
    page.close()


WIRE_NAMES = {
    "response_format": "Output.format",
    "max_completion_tokens": "Request.max_tokens",
    "tool_calls": "FunctionCall in assistant",
    "image_url": "Image in user",
    "reasoning_effort": "Thinking.effort",
    "output_config": "Output.format",  # of the target
    "tool_use": "FunctionCall in assistant",
}


def test_the_matrix_is_found_by_wire_names_and_by_its_address(address: str, browser: Any) -> None:
    page = browser.new_page()
    for name, subject in WIRE_NAMES.items():
        page.goto(f"{address}/matrix/?from=openai_chat_completions&to=anthropic_messages&filter={name}")
        assert page.input_value(".filters input[type=search]") == name
        assert subject in subjects(page)
    page.fill(".filters input[type=search]", "seed")
    page.uncheck(".filters input[value=exact]")
    page.select_option("select >> nth=1", "gemini_generate_content")
    given = "from=openai_chat_completions&to=gemini_generate_content&filter=seed&without=exact"
    assert sorted(urlsplit(page.url).query.split("&")) == sorted(given.split("&"))
    before = subjects(page)
    page.reload()
    assert subjects(page) == before
    page.close()


@pytest.mark.parametrize("asked", ["TUL-4", "rsn-3"])
def test_the_search_finds_a_rule_by_its_id(address: str, browser: Any, asked: str) -> None:
    page = browser.new_page()
    page.goto(address)
    page.click("input.md-search__input")
    page.keyboard.type(asked)
    first = page.locator(".md-search-result__item >> nth=0 >> h2 >> nth=0")
    first.get_by_text(f"{asked.upper()} ").wait_for(timeout=30_000)
    page.close()


def test_the_search_finds_a_task_by_its_framework(address: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(address)
    page.click("input.md-search__input")
    page.keyboard.type("FastAPI")
    page.locator(".md-search-result__item >> nth=0").get_by_text("A proxy with FastAPI").wait_for(timeout=30_000)
    page.close()


@pytest.mark.parametrize(
    "path", ["", "matrix/", "pairs/openai_responses_to_anthropic_messages/", "playground/", "reference/"]
)
def test_a_page_is_no_wider_than_a_telephone(address: str, browser: Any, path: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(f"{address}/{path}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_all_pairs_show_their_numbers_on_a_telephone(address: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto(f"{address}/matrix/")
    boxes = page.eval_on_selector_all("table.overview td", "all => all.map(e => e.getBoundingClientRect().right)")
    assert boxes
    assert max(boxes) <= 390
    page.close()


# --- the check of links can fail --------------------------------------------------------------------------------------


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "index.html").write_text('<h2 id="here"></h2><a href="../">up</a>')
    page = '<a href="one/#here"></a><a href="one/#there"></a><img src="gone.svg"><a href="https://example.org"></a>'
    (tmp_path / "index.html").write_text(page)
    assert broken(tmp_path, read(tmp_path)) == [
        "index.html: gone.svg leads to no file",
        "index.html: one/#there leads to no anchor",
    ]
