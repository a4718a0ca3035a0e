"""The page of models: the dated table of what they take, one row a fact, which assets/filters.js filters."""

from __future__ import annotations

from proxai_ir.profiles.facts import Fact
from proxai_ir.profiles.models import table
from proxai_ir.profiles.vendors import VENDORS

MARKER = "<!-- models -->"
PROTOCOLS = {
    "openai_chat_completions": "chat",
    "openai_responses": "responses",
    "anthropic_messages": "messages",
    "gemini_generate_content": "gemini",
    "bedrock_converse": "bedrock",
    "gemini_interactions": "interactions",
    "cohere_v2_chat": "cohere",
    "ollama_chat": "ollama",
}
HEAD = "| models | protocol | setting | looked up | source |\n| --- | --- | --- | --- | --- |"


def filled(markdown: str) -> str:
    """Return the page with the rows of every vendor."""
    assert MARKER in markdown, "models.md has no place for its table"
    lines = [line(row) for vendor in VENDORS for row in vendor.FACTS]
    rows = "\n".join(['<div class="models card" markdown>', "", HEAD, *lines, "", "</div>"])
    return markdown.replace(MARKER, f'<div class="filters" data-filters="models"></div>\n\n{rows}')


def line(row: Fact) -> str:
    badges = " ".join(f'<span class="protocol">{PROTOCOLS[one]}</span>' for one in behind(row))
    settings = "<br>".join(f"`{name}={value!r}`" for name, value in row.settings.items())
    return f"| {about(row)} | {badges} | {settings} | {row.looked} | {source(row.source)} |"


def behind(row: Fact) -> list[str]:
    """Return the protocols that apply a row: those that have one of its settings, or of these its own."""
    return [name for name, rows in sorted(table().items()) if row in rows and name in (row.protocols or {name})]


def about(row: Fact) -> str:
    """Return in words which models a fact is about: "gpt 5.6 and later, not codex"."""
    names = ", ".join(sorted(row.families)) or "all models"
    if row.since and row.since == row.until:
        names += f" {dotted(row.since)}"
    elif row.since or row.until:
        first = f" {dotted(row.since)}" if row.since else ""
        names += f"{first} to {dotted(row.until)}" if row.until else f"{first} and later"
    if row.only:
        names += f", only {' or '.join(sorted(row.only))}"
    if row.but:
        names += f", not {' or '.join(sorted(row.but))}"
    on = " or ".join("servers of its own" if one == "own" else one for one in sorted(row.servers))
    return f"{names}; on {on}" if on else names


def dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def source(text: str) -> str:
    """Return a link where it is an address, else the words."""
    return (
        f"[{text.split('/')[2]}]({text})"
        if text.startswith("https://") and " " not in text
        else text.replace("|", "\\|")
    )
