"""The table of clouds: what its rows have, and that the specification has each of them."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from proxai_ir import profiles
from proxai_ir.exchange.clouds import deployed
from proxai_ir.exchange.provider import http_of
from proxai_ir.profiles.clouds import CLOUDS, Cloud

TEXT = (Path(__file__).parents[2] / "spec" / "clouds.md").read_text()
TABLE = [line for line in TEXT.splitlines() if line.startswith("| `")]
TITLES = {
    "Chat Completions": "openai_chat_completions",
    "Responses": "openai_responses",
    "Anthropic Messages": "anthropic_messages",
    "generateContent": "gemini_generate_content",
}


@pytest.mark.parametrize(("row", "line"), [*zip(CLOUDS, TABLE, strict=True)], ids=lambda one: getattr(one, "name", ""))
def test_the_specification_has_each_row(row: Cloud, line: str) -> None:
    name, of, where, values, auth = (cell.strip() for cell in line[1:-1].split("|"))
    assert name == f"`{row.name}`"
    if of != "the same":
        assert {TITLES[one] for one in of.split(", ")} == {*row.paths}
    assert row.host in where or where.startswith("`…")
    for path in [*filter(None, row.paths.values())]:
        assert path in where
    assert row.below in where
    if values not in ("the same", "`project`, `region`, as for generateContent"):
        named = set(re.findall(r"`([^`]+)`", values)) - {"HTTP-Referer", "X-Title", *row.usual.values()}
        assert named == {*row.values, *(one for names in row.values.values() for one in names)}
    if auth not in ("the same", "as above"):
        assert re.findall(r"`(\w+)`(?=[:;]|$)", re.sub(r"`[A-Z_]+`", "", auth)) == [*row.auth]
        assert all(f"`{one}`" in auth for way in row.auth.values() for one in way.keys)


@pytest.mark.parametrize("row", CLOUDS, ids=lambda row: f"{row.name} {' '.join(row.paths)}")
def test_a_row_is_whole(row: Cloud) -> None:
    assert re.match(r".{10,}", row.source)
    assert re.fullmatch(r"2026-\d\d-\d\d", row.looked)
    texts = (*row.paths.values(), row.streamed, row.counted, row.host, *row.headers.values(), *row.hosts.values())
    named = {name for text in texts if text for _, name, _, _ in Formatter().parse(text) if name}
    assert named - {"model"} <= {*row.values}
    assert {*row.usual, *row.found, *(way.chosen_by for way in row.auth.values() if way.chosen_by)} <= {*row.values}
    assert all(f"`{name}`" in TEXT for name in row.urls)
    if row.streamed:
        assert len(row.paths) == 1
    for protocol in row.paths:
        assert http_of(protocol).named == "model"
        if row.server not in ("openrouter",):
            assert profiles.for_model(protocol, "any", row.server) is not None
    others = [one for one in CLOUDS if one is not row and one.name == row.name]
    assert all(not row.paths.keys() & one.paths.keys() for one in others)


@pytest.mark.parametrize(
    ("stated", "lists"),
    [
        ({"name": "azure", "resource": "ours"}, True),
        ({"name": "azure_deployments", "resource": "ours", "api_version": "2026-01-01"}, False),
    ],
    ids=["by the vendor's paths", "by deployment"],
)
def test_models_are_listed_where_the_paths_are_the_vendors(stated: dict[str, str], lists: bool) -> None:
    """Where the path names the deployment, no path of a list of models is known."""
    deployment = deployed("openai_chat_completions", stated, key=True, environment={})
    assert (deployment.http.listing is not None) is lists
