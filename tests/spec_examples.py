"""Reads spec/*.md as data, for tests and the site: sections, their prose and their examples. It converts nothing.

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

FOLDER = Path(__file__).parent.parent / "spec"
DRAWN = frozenset({"matrix.md"})  # written by the library itself

FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})(?P<info>.*)")
HEADING = re.compile(r"(?P<level>#{1,6}) +(?P<title>.*)")
RULE_ID = re.compile(r"\b[A-Z][A-Z0-9]{2}-\d+\b")
INFO = re.compile(r"example (?P<kind>\w+) (?P<src>\w+) -> (?P<dst>\w+)(?P<options>( \w+=\S+)*)")
FINDING = re.compile(r"(?P<severity>info|loss|error) (?P<rule>[A-Z][A-Z0-9]{2}-\d+)(?: (?P<pointer>/.*))?")
KINDS = ("request", "response", "error", "stream", "payload", "batch", "export")


class SpecError(Exception):
    """The spec itself is malformed."""


@frozen
class Finding:
    """What an example expects of one diagnostic; `pointer` is "" for the whole payload."""

    severity: str
    rule: str
    pointer: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.severity, self.rule, self.pointer)))


@frozen
class Example:
    """`kind` None: the library has to recognise it. `output` None: the conversion is refused.

    Of a stream `given` and `output` are lists of events; the output of one that is refused is what came before.
    """

    id: str
    section: str
    kind: Any
    src: str
    dst: str
    options: dict[str, Any]
    given: str
    output: Any
    findings: tuple[Finding, ...]

    @property
    def is_identity(self) -> bool:
        """Whether the payload comes back without a finding."""
        return self.src == self.dst and not self.findings


@frozen
class Section:
    """A heading of the second level, up to the next; `rule` is "" where the heading names none."""

    at: str
    rule: str
    title: str
    prose: list[str] = field(factory=list)
    examples: list[Example] = field(factory=list)


def spec(folder: Path = FOLDER) -> list[Section]:
    """All hand-written sections, file by file."""
    files = sorted(file for file in folder.glob("*.md") if file.name not in DRAWN)
    return [section for file in files for section in sections(file.name, file.read_text(encoding="utf-8"))]


def sections(name: str, text: str) -> Iterator[Section]:
    """The sections of one file; what stands before its first second-level heading is one without a rule."""
    lines = list(enumerate(text.splitlines(), 1))
    current = Section(f"{name}:1", "", "")
    for number, line, inside in blocks(name, lines):
        heading = None if inside is not None else HEADING.fullmatch(line)
        if heading is not None and len(heading["level"]) == 2:
            yield current
            first, _, rest = heading["title"].partition(" ")
            is_rule = RULE_ID.fullmatch(first) is not None
            current = Section(f"{name}:{number}", first if is_rule else "", rest if is_rule else heading["title"])
        elif inside is None:
            current.prose.append(line)
        elif line.split()[:1] == ["example"]:
            current.examples.append(_example(f"{name}:{number}", current.rule, line, inside))
    yield current


def blocks(name: str, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str, list[str] | None]]:
    """Ordinary lines as they are, fences as one: their number, their info, the lines inside."""
    opened: tuple[int, str, str] | None = None
    inside: list[str] = []
    for number, line in lines:
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


def _example(at: str, rule: str, info: str, inside: list[str]) -> Example:
    head = INFO.fullmatch(info)
    if head is None or head["kind"] not in KINDS:
        raise SpecError(f"{at}: expected `example KIND SOURCE -> TARGET name=JSON …`, found `{info}`")
    given, output, findings = parts(at, inside)
    if not given.strip():
        raise SpecError(f"{at}: there is nothing to convert")
    if head["kind"] == "stream":
        given, output = json.dumps(_events(at, given)), json.dumps(_events(at, output))
    return Example(
        f"{at}:{rule}" if rule else at,
        rule,
        None if head["kind"] == "payload" else head["kind"],
        head["src"],
        head["dst"],
        dict(_option(at, word) for word in head["options"].split()),
        given,
        _json(at, output) if output.strip() else None,
        tuple(finding(at, line) for line in findings.splitlines() if line.strip()),
    )


def parts(at: str, inside: list[str]) -> tuple[str, str, str]:
    """The source, the output and the findings of an example, as they are written."""
    found: list[list[str]] = [[]]
    for line in inside:
        if line == ".":
            found.append([])
        else:
            found[-1].append(line)
    if len(found) != 3:
        raise SpecError(f"{at}: an example has three parts, this one has {len(found)}")
    given, output, findings = ("\n".join(part) for part in found)
    return given, output, findings


def _events(at: str, text: str) -> list[Any]:
    """The events of a stream: JSON values, one after the other."""
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
    given = _json(at, value)
    if name == "seal_keys":  # keys are bytes, which JSON has not
        return name, {key_id: key.encode() for key_id, key in given.items()}
    return name, given


def finding(at: str, line: str) -> Finding:
    found = FINDING.fullmatch(line)
    if found is None:
        raise SpecError(f"{at}: expected a severity, a rule and a pointer, found `{line}`")
    return Finding(found["severity"], found["rule"], found["pointer"] or "")


def _json(at: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise SpecError(f"{at}: not JSON: {error}") from None


def mentioned(section: Section) -> set[str]:
    """Every rule id in a section: its own, those of its prose, those that its examples show."""
    words = [section.rule, section.title, *section.prose]
    shown = {finding.rule for example in section.examples for finding in example.findings}
    return shown | {rule for text in words for rule in RULE_ID.findall(text)}
