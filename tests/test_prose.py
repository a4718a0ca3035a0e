"""Docstrings are sentences: those of functions begin with a verb (prose.py)."""

from __future__ import annotations

import ast

import pytest

from .prose import ROOMS, ROOT, docstrings, files, is_fragment


def test_docstrings_are_sentences() -> None:
    found = [
        f"{file.relative_to(ROOT)}:{line}: {text.splitlines()[0]}"
        for file in files(ROOMS)
        for node, line, text in docstrings(file)
        if is_fragment(node, text)
    ]
    assert found == []


def test_all_rooms_are_read() -> None:
    read = {file.relative_to(ROOT).parts[0] for file in files(ROOMS)}
    assert {"proxai_ir", "frontends", "backends"} <= read


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('def f():\n    """Return the id."""', False),
        ('def f():\n    """Of a call: its id."""', True),
        ('def f():\n    """The id."""', True),
        ('def f():\n    """return the id."""', True),
        ('def f():\n    """Return the id"""', True),
        ('class A:\n    @property\n    def f(self):\n        """The id."""', False),
        ('class A:\n    """A call."""', False),
        ('class A:\n    """What a call has."""', True),
    ],
)
def test_what_a_sentence_is(code: str, expected: bool) -> None:
    nodes = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    found = [is_fragment(node, text) for node in nodes if (text := ast.get_docstring(node))]
    assert found == [expected]
