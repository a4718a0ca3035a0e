"""JSON as lines of HTML: indented, every value escaped, and the places of findings marked and linked.

Rule 1: whatever a payload holds, what is shown of it is text. Rule 2: what is shown is bounded, and what is left out is
counted. Rule 3: each line is whole, so that lines of several payloads can stand side by side. No recursion: payloads
may be deep.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from markupsafe import escape

from ...json.pointer import MOST_LENGTH
from ...json.pointer import escape as step

Json = Any
MOST_VALUES = 10_000
"""Of one payload."""
MOST_TEXT = 3_000
"""Characters of one string."""
INDENT = "  "
MOST_DEPTH = 60
"""What is deeper is not indented further."""
NO_MARKS: Mapping[str, Any] = {}


class Mark(NamedTuple):
    """A finding at a place: the id of its entry in the list, its number and severity there, and what it is."""

    entry: str
    number: int
    severity: str
    label: str


class Marks(NamedTuple):
    """The findings at one place, and the id that the element there gets."""

    id: str
    marks: list[Mark]


class Line(NamedTuple):
    """`text`: the string that stands there, by which the same is found elsewhere."""

    html: str
    text: str = ""


class Marked(NamedTuple):
    """`places`: the pointers of the marks that the payload has; `left_out`: how many values are not shown."""

    lines: list[Line]
    places: frozenset[str]
    left_out: int


def marked(value: Json, marks: Mapping[str, Marks] = NO_MARKS) -> Marked:
    """`marks`: by JSON pointer."""
    lines: list[Line] = []
    found: set[str] = set()
    waiting: list[Any] = [("", "", value, 0, "")]  # lines, and (path, what stands before it, value, depth, after it)
    shown = left_out = 0
    while waiting:
        item = waiting.pop()
        if isinstance(item, Line):
            lines.append(item)
            continue
        path, before, value, depth, after = item
        if shown >= MOST_VALUES:
            left_out += 1
            continue
        shown += 1
        indent = INDENT * min(depth, MOST_DEPTH)
        around = value if value and isinstance(value, (dict, list)) else None
        brackets = "{}" if isinstance(value, dict) else "[]"
        html = before + (text_of(value) if around is None else brackets[0])
        if path in marks:
            found.add(path)
            html = with_mark(html, marks[path])
        lines.append(Line(f"{indent}{html}{after if around is None else ''}", value if isinstance(value, str) else ""))
        if around is not None:
            members = list(islice(_members(path, value, depth + 1), MOST_VALUES - shown))
            left_out += len(value) - len(members)
            waiting += [Line(f"{indent}{brackets[1]}{after}"), *reversed(members)]
    return Marked(lines, frozenset(found), left_out)


def text_of(value: Json) -> str:
    """A string, a number or another value without members, as escaped JSON. What is not printable is an escape."""
    kind = {str: "text", int: "num", float: "num"}.get(type(value), "word")
    return f'<span class="{kind}">{_json(value)}</span>'


def _json(value: Json) -> str:
    more = ""
    if isinstance(value, str) and len(value) > MOST_TEXT:
        more = f'<span class="more">… and {len(value) - MOST_TEXT:,} more characters</span>'
        value = value[:MOST_TEXT]
    written = json.dumps(value, ensure_ascii=False)
    if not written.isprintable():
        written = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in written)
    return f"{escape(written[:-1])}{more}{escape(written[-1])}" if more else str(escape(written))


def _members(path: str | None, value: Json, depth: int) -> Iterator[Any]:
    """What is within. Its path is None where no pointer of a diagnostic is that long; paths of long keys would be
    repeated for all within them."""
    keyed = isinstance(value, dict)
    for at, (key, one) in enumerate(value.items() if keyed else enumerate(value), 1):
        inside = None if path is None or len(path) + len(str(key)) > MOST_LENGTH else f"{path}/{step(key)}"
        before = f'<span class="key">{_json(key)}</span>: ' if keyed else ""
        yield inside, before, one, depth, "," if at < len(value) else ""


def with_mark(html: str, here: Marks) -> str:
    """A value with findings: a link to each of them, and the mark."""
    links = " ".join(
        f'<a class="ref" href="#{escape(mark.entry)}" title="{escape(mark.label)}"'
        f' aria-label="{escape(mark.label)}">{mark.number}</a>'
        for mark in here.marks
    )
    return f'<mark class="{escape(here.marks[0].severity)}" id="{escape(here.id)}">{links} {html}</mark>'
