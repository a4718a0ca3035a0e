"""The page of models: every row is on it and can be shown, and what is refused is drawn from the rows."""

from __future__ import annotations

import re
import sys
from typing import Any

import pytest

from proxai_ir.profiles.facts import fact
from proxai_ir.profiles.vendors import FACTS, SERVED

from .conftest import DOCS

SAID: dict[str, Any] = {"source": "https://example.com/a", "looked": "2026-11-29"}


@pytest.fixture(name="page")
def loaded(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS))
    import models_page  # type: ignore[import-not-found, unused-ignore]

    yield models_page
    sys.modules.pop("models_page", None)


def test_every_row_has_a_protocol_by_which_it_is_shown(page: Any) -> None:
    """The page's script takes its words from these badges, so that a row with one can be shown."""
    text = page.filled((DOCS / "pages" / "models.md").read_text(encoding="utf-8"))
    first = text.split('<div class="models')[1].split("</div>")[0]
    lines = [line for line in first.splitlines() if re.search(r"\| \d{4}-\d\d-\d\d \|", line)]
    assert len(lines) == len(FACTS)
    assert [line for line in lines if 'class="protocol"' not in line] == []
    assert "<!--" not in text


def test_no_list_of_protocols_is_in_the_script() -> None:
    script = (DOCS / "pages" / "assets" / "filters.js").read_text(encoding="utf-8")
    assert '"gemini"' not in script


def test_each_family_on_bedrock_and_each_cloud_has_its_line(page: Any) -> None:
    families = [line.split(" | ")[0].removeprefix("| ") for line in page.on_bedrock().splitlines()[2:]]
    assert len(families) == len(SERVED["bedrock_converse"])
    assert {"claude-opus", "llama", "nova", "any other"} <= set(families)
    clouds = dict(line.strip("| ").split(" | ", 1) for line in page.at_clouds().splitlines()[2:])
    assert "all models: `fast_mode`" in clouds["vertex"]
    assert {"azure", "bedrock", "groq", "ollama", "openrouter"} <= clouds.keys()
    betas = dict(line.strip("| ").split(" | ", 1) for line in page.of_betas().splitlines()[2:])
    assert betas.keys() == {"azure", "bedrock", "bedrock_mantle", "vertex"}
    assert "`web-search-2025-03-05`" in betas["vertex"]
    assert "`web-search-2025-03-05`" not in betas["bedrock"]


def test_what_is_lacking_and_what_is_there_after_all(page: Any) -> None:
    rows = [
        fact("grok", images=False, documents=True, **SAID),
        fact("grok", since="4.5", sampling=False, highest_effort="high", **SAID),
        fact("grok", only="v", images=True, **SAID),
        fact("grok", until="3", but="mini fast", tool_choice=False, **SAID),
    ]
    has = {"images", "documents", "sampling", "highest_effort"}
    assert [*page.lacking(rows, has)] == ["`images`", "4.5 and later: `sampling`", "only v: but has `images`"]
    assert page.about(rows[3]) == "grok to 3, not fast or mini"
    assert page.about(fact("gpt", server="own azure", **SAID)) == "gpt; on azure or servers of its own"
