"""Rules and the matrix for readers: finding a rule, its section of the spec with its examples, cells of the matrix."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

from ..reporting.catalogue import RULES, Rule
from .specification import HEADING, Written, blocks, is_example, section_of, written

CELL_BORDER = re.compile(r"(?<!\\)\|")


def find(wanted: str) -> Sequence[Rule]:
    """Return the rule of that id, or the rules of that family (`TUL`); none where there is neither."""
    if wanted in RULES:
        return [RULES[wanted]]
    return [rule for rule in RULES.values() if family(rule) == wanted]


def near(wanted: str) -> Sequence[str]:
    """Return ids and families that the caller may have meant; without any, all families."""
    families = list(dict.fromkeys(family(rule) for rule in RULES.values()))
    return difflib.get_close_matches(wanted, [*RULES, *families], n=5, cutoff=0.6) or families


def family(rule: Rule) -> str:
    """Return `TUL` for `TUL-4`."""
    return rule.id.partition("-")[0]


def section(rule_id: str) -> str | None:
    """Return the text of a rule's section in the spec; None if the spec has none."""
    found = section_of(rule_id)
    return None if found is None else "\n".join(found.lines).rstrip()


def readable(section: str) -> str:
    """Return a section with its examples as a heading and three blocks, in place of the fence that tests read."""
    lines = section.splitlines()
    found: list[str] = []
    for number, line, inside in blocks("section", lines):
        if inside is None:
            found.append(line)
        elif is_example(line):
            found.extend(_readable(written("section", line, inside)))
        else:
            found.extend(lines[number - 1 : number + len(inside) + 1])
    return "\n".join(found)


def _readable(example: Written) -> Iterator[str]:
    with_options = f", with {example.options}" if example.options else ""
    yield f"Example, a {example.kind}: {example.src} -> {example.dst}{with_options}"
    parts = (
        ("source", example.given),
        ("target", example.output or "refused"),
        ("reported", example.findings or "nothing"),
    )
    for title, text in parts:
        yield from ("", f"{title}:", "", *(f"    {line}" for line in text.splitlines()))


def examples(section: str) -> list[dict[str, str]]:
    """Return the examples of a section as records: kind, protocols, options and the three parts."""
    found = (
        written("section", line, inside)
        for _, line, inside in blocks("section", section.splitlines())
        if inside is not None and is_example(line)
    )
    return [
        {
            "kind": one.kind,
            "from": one.src,
            "to": one.dst,
            "options": one.options,
            "given": one.given.strip(),
            "output": one.output.strip(),
            "findings": one.findings.strip(),
        }
        for one in found
    ]


def cells(matrix: str) -> Iterator[dict[str, str]]:
    """Yield each row of the tables of a matrix: its table, its subject, and a cell for each target."""
    title = ""
    heads: list[str] = []
    for line in matrix.splitlines():
        if heading := HEADING.fullmatch(line):
            title, heads = heading["title"].strip(), []
        elif line.startswith("|"):
            row = [cell.strip(" `*").replace("\\|", "|") for cell in CELL_BORDER.split(line.strip())[1:-1]]
            if heads and not set("".join(row)) <= {"-", ":", " "}:
                yield {"table": title, "subject": row[0], **dict(zip(heads[1:], row[1:], strict=False))}
            heads = heads or row
