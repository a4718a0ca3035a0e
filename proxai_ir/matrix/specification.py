"""Read spec/*.md as data, for the command line, the site and the tests: sections, their text, their examples.

Nothing here converts. The spec's markdown is package data (`proxai_ir/spec`).

Rule 1: a fence of any length is read as CommonMark reads it, and one whose info starts with `example` is an example.
Rule 2: whatever an example's author got wrong is a SpecError that names file and line, never a skipped example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import field, frozen

FOLDER = Path(__file__).parents[1] / "spec"
DRAWN = frozenset({"matrix.md"})  # written by the library itself

FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)")
HEADING = re.compile(r"(?P<level>#{1,6}) +(?P<title>.*)")
RULE_ID = re.compile(r"\b[A-Z][A-Z0-9]{2}-\d+\b")
INFO = re.compile(r"example (?P<kind>\w+) (?P<src>\w+) -> (?P<dst>\w+)(?P<options>( \w+=\S+)*)")
FINDING = re.compile(r"(?P<severity>info|loss|error) (?P<rule>[A-Z][A-Z0-9]{2}-\d+)(?: (?P<pointer>/.*))?")
KINDS = ("request", "response", "error", "stream", "payload", "batch", "export", "exchange")


class SpecError(Exception):
    """The spec itself is malformed."""


@frozen
class Finding:
    """One diagnostic that an example expects; `pointer` is "" for the whole payload."""

    severity: str
    rule: str
    pointer: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.severity, self.rule, self.pointer)))


@frozen
class Written:
    """An example as the spec has it: the words of its first line, and the text of its three parts."""

    kind: str
    src: str
    dst: str
    options: str
    given: str
    output: str
    findings: str


@frozen
class Example:
    """An example of the specification, to compare a conversion with.

    `kind` is None where the library has to recognise the payload, "exchange" for a request through an Exchange, and
    `output` None where the conversion is refused. Of a stream, `given` and `output` are lists of events; the output of
    a refused one is what came before the error. `stated` is what stands behind the target, as JSON.
    """

    id: str
    section: str
    kind: Any
    src: str
    dst: str
    stated: dict[str, Any]
    given: str
    output: Any
    findings: tuple[Finding, ...]


@frozen
class Section:
    """A heading of the second level, up to the next; `rule` is "" where the heading names none.

    `lines` is all of it, the heading too; `prose` is what stands in no fence.
    """

    at: str
    rule: str
    title: str
    lines: list[str] = field(factory=list)
    prose: list[str] = field(factory=list)
    examples: list[Example] = field(factory=list)


def spec(folder: Path = FOLDER) -> list[Section]:
    """Return all hand-written sections, file by file."""
    files = sorted(file for file in folder.glob("*.md") if file.name not in DRAWN)
    return [section for file in files for section in sections(file.name, file.read_text(encoding="utf-8"))]


def section_of(rule: str) -> Section | None:
    """Return a rule's section; None if the spec has none, or is not there."""
    for file in sorted(FOLDER.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        if f"## {rule} " in text:
            return next((one for one in sections(file.name, text) if one.rule == rule), None)
    return None


def sections(name: str, text: str) -> Iterator[Section]:
    """Yield the sections of one file; what stands before its first second-level heading is one without a rule."""
    current = Section(f"{name}:1", "", "")
    lines = text.splitlines()
    for number, line, inside in blocks(name, lines):
        heading = None if inside is not None else HEADING.fullmatch(line)
        if heading is not None and len(heading["level"]) == 2:
            yield current
            first, _, rest = heading["title"].partition(" ")
            is_rule = RULE_ID.fullmatch(first) is not None
            current = Section(f"{name}:{number}", first if is_rule else "", rest if is_rule else heading["title"])
        elif inside is None:
            current.prose.append(line)
        elif is_example(line):
            current.examples.append(_example(f"{name}:{number}", current.rule, line, inside))
        current.lines.extend(lines[number - 1 : number + (0 if inside is None else len(inside) + 1)])
    yield current


def blocks(name: str, lines: Iterable[str]) -> Iterator[tuple[int, str, list[str] | None]]:
    """Yield ordinary lines with None, and a fence as one: the number of its first line, its info, the lines inside."""
    opened: tuple[int, str, str] | None = None
    inside: list[str] = []
    for number, line in enumerate(lines, 1):
        fence = FENCE.fullmatch(line)
        if opened is None and fence is not None:
            opened, inside = (number, fence["mark"], fence["info"].strip()), []
        elif opened is None:
            yield number, line, None
        elif fence is not None and fence["mark"].startswith(opened[1]) and not fence["info"].strip():
            yield opened[0], opened[2], inside
            opened = None
        else:
            inside.append(line)
    if opened is not None:
        raise SpecError(f"{name}:{opened[0]}: this fence is never closed")


def is_example(info: str) -> bool:
    return info.split()[:1] == ["example"]


def written(at: str, info: str, inside: Iterable[str]) -> Written:
    """Return the example of a fence; lines that hold one dot separate its parts. Raises SpecError."""
    head = INFO.fullmatch(info)
    if head is None or head["kind"] not in KINDS:
        raise SpecError(f"{at}: expected `example KIND SOURCE -> TARGET name=JSON …`, found `{info}`")
    parts: list[list[str]] = [[]]
    for line in inside:
        if line == ".":
            parts.append([])
        else:
            parts[-1].append(line)
    if len(parts) != 3:
        raise SpecError(f"{at}: an example has three parts, this one has {len(parts)}")
    given, output, expected = map("\n".join, parts)
    return Written(head["kind"], head["src"], head["dst"], head["options"].strip(), given, output, expected)


def _example(at: str, rule: str, info: str, inside: list[str]) -> Example:
    found = written(at, info, inside)
    given, output = found.given, found.output
    if not given.strip():
        raise SpecError(f"{at}: there is nothing to convert")
    if found.kind == "stream":
        given, output = json.dumps(_events(at, given)), json.dumps(_events(at, output))
    return Example(
        f"{at}:{rule}" if rule else at,
        rule,
        None if found.kind == "payload" else found.kind,
        found.src,
        found.dst,
        dict(_option(at, word) for word in found.options.split()),
        given,
        _json(at, output) if output.strip() else None,
        findings(at, found),
    )


def findings(at: str, example: Written) -> tuple[Finding, ...]:
    """Return the diagnostics that an example expects. Raises SpecError."""
    return tuple(_finding(at, line) for line in example.findings.splitlines() if line.strip())


def _events(at: str, text: str) -> list[Any]:
    """Return the events of a stream: JSON values, one after the other."""
    found, read, text = [], json.JSONDecoder().raw_decode, text.strip()
    while text:
        try:
            event, end = read(text)
        except ValueError as error:
            raise SpecError(f"{at}: not JSON: {error}") from None
        found.append(event)
        text = text[end:].lstrip()
    return found


def _option(at: str, word: str) -> tuple[str, Any]:
    name, _, value = word.partition("=")
    return name, _json(at, value)


def _finding(at: str, line: str) -> Finding:
    found = FINDING.fullmatch(line)
    if found is None:
        raise SpecError(f"{at}: expected a severity, a rule and a pointer, found `{line}`")
    return Finding(found["severity"], found["rule"], found["pointer"] or "")


def _json(at: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise SpecError(f"{at}: not JSON: {error}") from None
