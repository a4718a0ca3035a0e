"""JSON as HTML: indented, every value escaped, and the places of findings marked and linked.

Rule 1: whatever a payload holds, what is shown of it is text. Rule 2: what is shown is bounded, and what is left out is
counted. No recursion: payloads may be deep.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from ...json_pointer import escape as step

Json = Any
MOST_VALUES = 10_000
"""Of one payload."""
MOST_TEXT = 3_000
"""Characters of one string."""
INDENT = "  "
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


class Marked(NamedTuple):
    """`places`: the pointers of the marks that the payload has; `left_out`: how many values are not shown."""

    html: Markup
    places: frozenset[str]
    left_out: int


def marked(value: Json, marks: Mapping[str, Marks] = NO_MARKS) -> Marked:
    """`marks`: by JSON pointer."""
    out: list[str] = []
    found: set[str] = set()
    waiting: list[Any] = [("", "", value, 0, "")]  # texts, and (path, what stands before it, value, depth, after it)
    shown = left_out = 0
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        path, before, value, depth, after = item
        if shown >= MOST_VALUES:
            left_out += 1
            continue
        shown += 1
        opened = closed = ""
        if path in marks:
            found.add(path)
            opened, closed = _around(marks[path])
        out += [INDENT * depth, opened, before]
        if not value or not isinstance(value, (dict, list)):
            out += [text_of(value), closed, after, "\n"]
            continue
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        out += [opening, "\n"]
        waiting.append(f"{INDENT * depth}{closing}{closed}{after}\n")
        waiting += reversed(_members(path, value, depth + 1))
    html = Markup("".join(out))  # noqa: S704
    return Marked(html, frozenset(found), left_out)


def text_of(value: Json) -> str:
    """A string, a number or another value without members, as escaped JSON. What is not printable is an escape."""
    if isinstance(value, str) and len(value) > MOST_TEXT:
        more = f"… and {len(value) - MOST_TEXT:,} more characters"
        return f'{_json(value[:MOST_TEXT])[:-1]}<span class="more">{more}</span>{escape(chr(34))}'
    kind = {str: "text", int: "num", float: "num"}.get(type(value), "word")
    return f'<span class="{kind}">{_json(value)}</span>'


def _json(value: Json) -> str:
    written = json.dumps(value, ensure_ascii=False)
    if not written.isprintable():
        written = "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in written)
    return str(escape(written))


def _members(path: str, value: Json, depth: int) -> list[Any]:
    last = len(value) - 1
    if isinstance(value, list):
        return [(f"{path}/{at}", "", one, depth, "," if at < last else "") for at, one in enumerate(value)]
    return [
        (f"{path}/{step(key)}", f'<span class="key">{_json(key)}</span>: ', one, depth, "," if at < last else "")
        for at, (key, one) in enumerate(value.items())
    ]


def _around(here: Marks) -> tuple[str, str]:
    """What stands before and after a value with findings: a link to each of them, and the mark."""
    links = " ".join(
        f'<a class="ref" href="#{escape(mark.entry)}" title="{escape(mark.label)}"'
        f' aria-label="{escape(mark.label)}">{mark.number}</a>'
        for mark in here.marks
    )
    return f'<mark class="{escape(here.marks[0].severity)}" id="{escape(here.id)}">{links} ', "</mark>"
