"""Writes the table of the page "How we know": each claim, what shows it, the figure of its last run, the command."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .running import ROOT, Claim, Outcome

PAGE = ROOT / ".docs" / "pages" / "how_we_know.md"
TABLE = re.compile(r"(<!-- claims -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = "| claim | how it is shown | last run | command |\n| --- | --- | --- | --- |"


def write(claims: Iterable[Claim], records: Mapping[str, Outcome]) -> None:
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(filled(text, claims, records), encoding="utf-8")


def filled(text: str, claims: Iterable[Claim], records: Mapping[str, Outcome]) -> str:
    """Return the page's text with the table in its place."""
    rows = "\n".join([HEAD, *(row(one, records.get(one.name)) for one in claims)])
    return TABLE.sub(lambda found: f"{found[1]}\n{rows}\n\n{found[2]}", text)


def row(claim: Claim, record: Outcome | None) -> str:
    cells = (claim.says, claim.how, last_run(record), f"`{claim.typed}`")
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def last_run(record: Outcome | None) -> str:
    """Return the figure, with the day and the commit, and what was not run."""
    if record is None:
        return "not run yet"
    said = f"{'' if record.holds else '**failed**, '}{record.figure}; {record.date}, `{record.commit}`"
    return "<br>".join([said, *(f"not run: {one}" for one in record.not_run)])
