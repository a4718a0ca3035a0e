"""The functions that MkDocs calls while it builds the site: they add the generated pages and fill in the matrix.

Pages are made in memory, so that no generated file can be committed or be out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # the samples of the tests are not installed

import command_page  # noqa: E402
import matrix_page  # noqa: E402
import models_page  # noqa: E402
import pair_pages  # noqa: E402
import pictures  # noqa: E402
import playground_page  # noqa: E402
import profiles_page  # noqa: E402
import rule_pages  # noqa: E402
from mkdocs.config.defaults import MkDocsConfig  # noqa: E402
from mkdocs.structure.files import File, Files  # noqa: E402
from mkdocs.structure.pages import Page  # noqa: E402
from rule_links import RuleLinks  # noqa: E402

SECTIONS = rule_pages.sections()
WEIGHTS = {"guides/": 6, "quickstarts/": 6, "tutorials/": 2, "reference/": 0.5, "pairs/": 0.3, "rules/all": 0.5}
"""How much more a page counts in the search, by the beginning of its path: who asks has a task before a question."""
WORDS = {
    "guides/command-line.md": ["detect", "diff", "fold", "exit"],
    "guides/testing.md": ["plugin", "pytest", "snapshot", "snapshots"],
    "quickstarts/agent.md": ["claude", "codex"],
}
"""Words that lead to a page before all others that have them."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    anchors = {rule: anchor for rule, (_, anchor) in SECTIONS.items()}
    config.markdown_extensions.append(RuleLinks(anchors))  # Markdown takes objects as well as names
    assert config.nav is not None
    lost = next(entry["What is lost"] for entry in config.nav if "What is lost" in entry)
    next(entry["Pairs"] for entry in lost if "Pairs" in entry).extend(pair_pages.nav())
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name, text in rule_pages.pages():
        files.append(File.generated(config, f"rules/{name}", content=text))
    for name, text in (*pair_pages.pages(), *pictures.files()):
        files.append(File.generated(config, name, content=text))
    files.append(File.generated(config, "img/gateway.png", abs_src_path=str(ROOT / ".assets" / "ui.png")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    name = page.file.src_uri
    weight = next((weight for beginning, weight in WEIGHTS.items() if name.startswith(beginning)), 1)
    page.meta.setdefault("search", {"boost": weight})
    page.meta.setdefault("tags", WORDS.get(name, []))
    if name == "models.md":
        return models_page.filled(markdown)
    if name == "guides/command-line.md":
        return command_page.filled(markdown)
    if name == "reference/profiles.md":
        return profiles_page.filled(markdown)
    links = {
        rule: f"../rules/{'' if file == 'README.md' else file.removesuffix('.md') + '/'}#{at}"
        for rule, (file, at) in SECTIONS.items()
    }
    if name == "playground.md":
        return playground_page.filled(markdown, links)
    return matrix_page.filled(markdown, links) if name == "matrix.md" else markdown


def on_post_build(config: MkDocsConfig) -> None:
    playground_page.write(Path(config.site_dir))
