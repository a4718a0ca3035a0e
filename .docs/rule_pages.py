"""spec/*.md as pages: examples become blocks to look at, rules get an index. All else is left as it is written.

Rule: the spec is read by `proxai_ir.matrix.specification`, as its tests read it; what it holds is stated nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from re import Match
from textwrap import indent

from markdown.extensions.toc import slugify

from proxai_ir.matrix.specification import FOLDER, Finding, blocks, findings, is_example, spec, written
from proxai_ir.reporting.catalogue import RULES, Rule

TICKS = re.compile(r"`{3,}")
FILE_LINK = re.compile(r"\[(\w+)\.md\]\(")
INDEX = "all.md"


BESIDE = ("vectors/README.md", "ir.schema.json")
"""What the pages of rules link to, which is as it is."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of every page of rules, and the files that they link to."""
    for file in sorted(FOLDER.glob("*.md")):
        yield file.name, page(file.name, file.read_text(encoding="utf-8"))
    yield INDEX, index()
    yield from ((name, (FOLDER / name).read_text(encoding="utf-8")) for name in BESIDE)


def sections() -> dict[str, tuple[str, str]]:
    """Return the page and the anchor of every rule's section."""
    found = {}
    for section in spec():
        if section.rule:
            name = section.at.partition(".md:")[0]
            found[section.rule] = (name, slugify(f"{section.rule} {section.title.replace('`', '')}", "-"))
    return found


def page(name: str, text: str) -> str:
    """Return one file of the spec with its examples as blocks."""
    found = []
    for number, line, inside in blocks(name, text.splitlines()):
        if inside is None:
            found.append(FILE_LINK.sub(titled, line))
        elif is_example(line):
            found.append(example(f"{name}:{number}", line, inside))
        else:
            found.append(fence("\n".join(inside), *line.split()))
    return "\n".join(found) + "\n"


def titled(link: Match[str]) -> str:
    """Return the beginning of a link with the title of the page in place of the file's name."""
    title, _, _ = (FOLDER / f"{link[1]}.md").read_text(encoding="utf-8").partition("\n")
    return f"[{title.removeprefix('# ')}]("


def fence(text: str, language: str = "text", title: str = "") -> str:
    """Return code in a fence longer than any inside."""
    ticks = "`" * max([3, *(len(found) + 1 for found in TICKS.findall(text))])
    named = f' title="{title}"' if title else ""
    return f"{ticks}{language}{named}\n{text}\n{ticks}"


def example(at: str, info: str, inside: list[str]) -> str:
    """Return an example's source, its output and its findings, below a line that names the conversion."""
    one = written(at, info, inside)
    options = "".join(f" `{word}`" for word in one.options.split())
    shown = [
        f"**{one.kind}: {one.src} → {one.dst}**{' with' if options else ''}{options}",
        tab("Source", fence(one.given, "json")),
        tab("Target", fence(one.output, "json") if one.output.strip() else "Refused."),
        table(findings(at, one)),
    ]
    return "\n".join(["", '!!! example ""', "", indent("\n\n".join(shown), "    "), ""])


def tab(title: str, content: str) -> str:
    return f'=== "{title}"\n\n{indent(content, "    ")}'


def table(findings: Sequence[Finding]) -> str:
    if not findings:
        return "No diagnostics: everything arrives."
    rows = [f"| {severity(one.severity)} | {one.rule} | {pointer(one.pointer)} |" for one in findings]
    return "\n".join(["| severity | rule | pointer |", "| --- | --- | --- |", *rows])


def severity(word: str) -> str:
    return f'<span class="severity {word}">{word}</span>'


def pointer(text: str) -> str:
    return cell(f"`{text}`") if text else "the whole payload"


def cell(text: str) -> str:
    return text.replace("|", r"\|")


def index() -> str:
    """Return a table of all rules."""
    lines = [
        "# All rules",
        "",
        f"Every rule that a diagnostic can name, and every law: {len(RULES)}, each with its section. A law is always",
        "followed, so that there is nothing to report; [Severities](README.md#severities) has the others.",
        "",
        '<div class="filters" data-filters="rules"></div>',
        "",
        '<div class="rules card" markdown>',
        "",
        "| rule | severity | sentence |",
        "| --- | --- | --- |",
        *(row(rule) for rule in RULES.values()),
        "",
        "</div>",
    ]
    return "\n".join(lines) + "\n"


def row(rule: Rule) -> str:
    return f"| {rule.id} | {severity(rule.severity)} | {cell(rule.sentence)} |"
