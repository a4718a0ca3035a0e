"""The page of models: the dated table of what they take, one row a fact, which assets/filters.js filters.

Below it stands what families on Bedrock, clouds and other servers refuse, which is drawn from the same rows.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from proxai_ir.profiles.clouds import CLOUDS
from proxai_ir.profiles.facts import BEDROCK, CONVERSE, MESSAGES, OTHER, OWN, Fact
from proxai_ir.profiles.features import taken
from proxai_ir.profiles.models import SERVERS, table
from proxai_ir.profiles.vendors import FACTS, SERVED, VENDORS
from proxai_ir.protocol.registry import backend

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
    filters = '<div class="filters" data-filters="models"></div>'
    drawn = {"bedrock": on_bedrock, "clouds": at_clouds, "betas": of_betas}
    for name, draw in drawn.items():
        markdown = markdown.replace(f"<!-- {name} -->", draw())
    return markdown.replace(MARKER, f"{filters}\n\n{rows}")


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
    on = " or ".join("servers of its own" if one == OWN else one for one in sorted(row.servers))
    limits = limited(row)
    return f"{names}{limits and (' ' if limits[0] != ',' else '')}{limits}{on and '; on '}{on}"


def limited(row: Fact) -> str:
    """Return in words which versions and variants of its families a fact is about, "" for all."""
    text = ""
    if row.since and row.since == row.until:
        text = dotted(row.since)
    elif row.since or row.until:
        first = dotted(row.since) if row.since else ""
        text = f"{first} to {dotted(row.until)}".strip() if row.until else f"{first} and later"
    if row.only:
        text += f", only {' or '.join(sorted(row.only))}"
    if row.but:
        text += f", not {' or '.join(sorted(row.but))}"
    return text


def dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def source(text: str) -> str:
    """Return a link where it is an address, else the words."""
    return (
        f"[{text.split('/')[2]}]({text})"
        if text.startswith("https://") and " " not in text
        else text.replace("|", "\\|")
    )


# --- what is refused --------------------------------------------------------------------------------------------------
# Of rows about one family or server: the settings that are False, and those that a later row has again for some models.


def on_bedrock() -> str:
    """Return the table of what the families behind Converse lack, as far as rows say so."""
    has = backend(CONVERSE).target.settings
    lines = []
    for family in sorted(SERVED[CONVERSE]):
        rows = [row for row in table()[CONVERSE] if family in row.families and at(row, CONVERSE, BEDROCK)]
        said = "<br>".join(lacking(rows, has)) or "nothing that a row is about"
        lines.append(f"| {'any other' if family == OTHER else family} | {said} |")
    return "\n".join(["| family | has not |", "| --- | --- |", *lines])


def at(row: Fact, protocol: str, server: str) -> bool:
    return (not row.servers or server in row.servers) and (not row.protocols or protocol in row.protocols)


def lacking(rows: Iterable[Fact], has: Container[str]) -> Iterator[str]:
    """Yield what rows say is not there, each with its limits, and what of it is there for some models after all."""
    lost: set[str] = set()
    for row in rows:
        off = [name for name, value in row.settings.items() if value is False and name in has]
        back = [name for name, value in row.settings.items() if value is True and name in lost]
        lost.update(off)
        words = [listed(off)] if off else []
        words += [f"but has {listed(back)}"] if back else []
        if words:
            limits = limited(row).removeprefix(", ")
            yield f"{limits}{limits and ': '}{'; '.join(words)}"


def at_clouds() -> str:
    """Return the table of what servers lack that are not a vendor's own, by the rows that are about them."""
    lines = []
    for server in sorted(SERVERS):
        rows = [row for row in FACTS if server in row.servers and OWN not in row.servers]
        off = [(row, [name for name, value in row.settings.items() if value is False]) for row in rows]
        said = [f"{about(row).partition(';')[0]}: {listed(names)}" for row, names in off if names]
        lines += [f"| {server} | {'<br>'.join(said)} |"] if said else []
    return "\n".join(["| server | has not |", "| --- | --- |", *lines])


def of_betas() -> str:
    """Return the table of the betas that clouds take, whatever the model, but for those that take all."""
    found = {cloud.name: taken(MESSAGES, cloud.name, None) for cloud in CLOUDS if MESSAGES in cloud.paths}
    lines = [f"| {name} | {listed(sorted(one.betas))} |" for name, one in found.items() if one]
    return "\n".join(["| cloud | takes |", "| --- | --- |", *lines])


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
