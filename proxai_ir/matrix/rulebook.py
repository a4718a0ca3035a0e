"""What the command line knows of rules: how they are looked up, a rule's own section of the spec, the matrix.

The spec's markdown is package data (`proxai_ir/spec`). A rule's section starts at its heading, `## TUL-4 title`, and
ends at the next heading of that level or above; a heading inside a fenced example is none.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import takewhile

from .. import protocols
from ..reporting.catalogue import RULES, Rule

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
CELL_BORDER = re.compile(r"(?<!\\)\|")
FENCED_EXAMPLE = re.compile(r"(?P<mark>`{3,})example (?P<kind>\w+) (?P<src>\w+) -> (?P<dst>\w+)(?P<options>.*)")
HEADING = re.compile(r"(#{1,2}) +(\S+)")


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
    """`TUL` of `TUL-4`."""
    return rule.id.partition("-")[0]


def section(rule_id: str) -> str | None:
    """Return the rule's section, as the spec has it, or None where the spec has none."""
    folder = files("proxai_ir") / "spec"
    if not folder.is_dir():
        return None
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".md"):
            text = file.read_text(encoding="utf-8")
            lines = list(section_lines(text.splitlines(), rule_id)) if rule_id in text else []
            if lines:
                return "\n".join(lines).rstrip()
    return None


def readable(section: str) -> str:
    """Return a section in which an example is a heading and three blocks, and not the fence that the spec's tests
    read."""
    return "\n".join(_readable(section.splitlines()))


def _readable(lines: Iterable[str]) -> Iterator[str]:
    example: list[str] | None = None
    fence = ""
    for line in lines:
        head = FENCED_EXAMPLE.fullmatch(line)
        if example is not None and line.strip() == fence:
            yield from _blocks(example)
            example = None
        elif example is not None:
            example.append(line)
        elif head is not None:
            kind, src, dst, options = head.group("kind", "src", "dst", "options")
            fence, example = head["mark"], []
            yield f"Example, a {kind}: {src} -> {dst}{f', with {options.strip()}' if options else ''}"
        else:
            yield line


def _blocks(example: Sequence[str]) -> Iterator[str]:
    """Yield the source, the target and the findings of an example, which lines of one dot part."""
    inside = iter(example)
    for title, nothing in (("source", ""), ("target", "refused"), ("reported", "nothing")):
        block = list(takewhile(lambda line: line != ".", inside))
        yield from ("", f"{title}:", "", *(f"    {line}" for line in block or [nothing]))


def section_lines(lines: Iterable[str], rule_id: str) -> Iterator[str]:
    """Yield the lines of the rule's section in one file."""
    fence = ""
    inside = False
    for line in lines:
        if mark := FENCE.match(line):
            fence = _after_mark(fence, mark.group(1), line)
        elif not fence and (heading := HEADING.match(line)):
            if inside:
                return
            inside = heading.group(1) == "##" and heading.group(2).rstrip(":") == rule_id
        if inside:
            yield line


EXAMPLE = re.compile(r"`{3,} *example (\w+) (\w+) -> (\w+)(.*)")
PARTS = ("given", "output", "findings")


def examples(section: str) -> list[dict[str, str]]:
    """Return the examples of a section: of what kind, from where to where, and what comes of it."""
    found: list[dict[str, str]] = []
    lines = iter(section.splitlines())
    for line in lines:
        if head := EXAMPLE.match(line):
            mark = line[: len(line) - len(line.lstrip("`"))]
            text = "\n".join(takewhile(mark.__ne__, lines))
            parts = [part.strip() for part in re.split(r"^\.$", text, flags=re.M)]
            names = ("kind", "from", "to", "options")
            about = {name: one.strip() for name, one in zip(names, head.groups(), strict=True)}
            found.append({**about, **dict(zip(PARTS, parts, strict=False))})
    return found


def cells(matrix: str) -> Iterator[dict[str, str]]:
    """Yield each row of the tables of a matrix: its table, its subject, and a cell for each target."""
    title = ""
    heads: list[str] = []
    for line in matrix.splitlines():
        if heading := HEADING.match(line):
            title, heads = line[len(heading.group(1)) :].strip(), []
        elif line.startswith("|"):
            row = [cell.strip(" `*").replace("\\|", "|") for cell in CELL_BORDER.split(line.strip())[1:-1]]
            if heads and not set("".join(row)) <= {"-", ":", " "}:
                yield {"table": title, "subject": row[0], **dict(zip(heads[1:], row[1:], strict=False))}
            heads = heads or row


def _after_mark(fence: str, mark: str, line: str) -> str:
    """Return the fence that is open after this line. One is closed by its own kind, as long or longer, alone on a
    line."""
    if not fence:
        return mark
    closes = mark.startswith(fence) and line.strip() == mark
    return "" if closes else fence


def capability_matrix(target: str | None) -> str:
    """Return the matrix as markdown; with a target, without the columns of all others."""
    from .tables import matrix

    lines = matrix().splitlines()
    if target is not None:
        others = {name for name in protocols() if name != target}
        lines = list(_without_columns(lines, others))
    return "\n".join(lines)


def _without_columns(lines: Iterable[str], names: Collection[str]) -> Iterator[str]:
    """Yield the markdown without the table columns that are headed by one of the names."""
    kept: list[int] | None = None
    for line in lines:
        if not line.startswith("|"):
            kept = None
            yield line
            continue
        cells = CELL_BORDER.split(line.strip())[1:-1]
        if kept is None:
            kept = [index for index, cell in enumerate(cells) if cell.strip(" `*") not in names]
        yield "|" + "".join(f"{cells[index]}|" for index in kept if index < len(cells))
