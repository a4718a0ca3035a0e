"""A griffe extension: docstrings of plain text as Markdown.

A block that is indented is Python. A block of aligned lines is a list of terms, each with what it means:

    src, dst  the names of the protocols
    kind      "request", "response" or
              "error"

A constant of a module that has no docstring is described by the comment right above it. Of a module's docstring the
rules are left out that its code keeps: they are for who changes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from textwrap import dedent
from typing import Any

import griffe

RULES = re.compile(r"\n\nRule(?: \d+)?: .*?(?=\n\n|\Z)", re.DOTALL)
ALIGNED = re.compile(r"(?P<term>\S.*?) {2,}(?P<meaning>\S.*)")


class Docstrings(griffe.Extension):
    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:  # noqa: ARG002 - griffe gives more
        if obj.docstring is not None:
            text = obj.docstring.value
            obj.docstring.value = as_markdown(RULES.sub("", text) if obj.is_module else text)
        elif obj.is_attribute and obj.parent is not None and obj.parent.is_module and (found := comment(obj)):
            obj.docstring = griffe.Docstring(found, parent=obj)


def comment(obj: griffe.Object) -> str:
    """Return the text of the comment lines that end right above an object."""
    assert isinstance(obj.filepath, Path)
    lines = obj.lines_collection[obj.filepath][: (obj.lineno or 1) - 1]
    found = list(takewhile(lambda line: line.startswith("# "), reversed(lines)))
    return "\n".join(line.removeprefix("# ") for line in reversed(found))


def as_markdown(text: str) -> str:
    made = "\n\n".join(block(one) for one in re.split(r"\n\s*\n", dedent_all(text)))
    return made.replace("\n```\n\n```python\n", "\n\n")  # code with an empty line in it


def dedent_all(text: str) -> str:
    """Remove the indentation that all lines but the first have."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{dedent(rest)}".strip("\n")


def block(text: str) -> str:
    if text.startswith("    "):
        return f"```python\n{dedent(text)}\n```"
    lines = text.splitlines()
    starts = [line for line in lines if not line.startswith(" ")]
    if not any(line.startswith(" ") or ALIGNED.fullmatch(line) for line in lines) or not all(map(is_term, starts)):
        return text
    return "\n\n".join(f"`{term}`\n:   {meaning}" for term, meaning in terms(lines))


def is_term(line: str) -> bool:
    """Return whether a line begins an entry of a list: a term and its meaning, or a term of few words with it below."""
    return ALIGNED.fullmatch(line) is not None or all(word.isidentifier() for word in line.split(", "))


def terms(lines: list[str]) -> Iterator[tuple[str, str]]:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        aligned = ALIGNED.fullmatch(line)
        if line.startswith(" "):
            found[-1][1].append(line.strip())
        elif aligned is not None:
            found.append((aligned["term"], [aligned["meaning"]]))
        else:
            found.append((line, []))
    for term, meaning in found:
        yield term, " ".join(meaning)
