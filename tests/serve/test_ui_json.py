"""JSON as the page at /ui shows it: escaped, bounded, with marks at its places."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("jinja2", reason="the extra `serve` is not installed")

from proxai_ir.serve.ui.views import MOST_TEXT, MOST_VALUES, Line, Mark, Marked, Marks, marked, rows

from .pages import Page


def shown(made: Marked) -> Page:
    return Page("<pre>" + "\n".join(line.html for line in made.lines) + "</pre>")


def test_json_as_html() -> None:
    value = {"a": [1, 2.5, True, None, "x"], "b": {}, "c": [], "": "\u202e\x1b"}
    made = marked(value)
    assert (made.places, made.left_out) == (frozenset(), 0)
    assert shown(made).all("pre")[0].text == json.dumps(value, indent=2, ensure_ascii=True)
    assert [line.text for line in made.lines if line.text] == ["x", "\u202e\x1b"]


def test_marks_by_pointer() -> None:
    value = {"a/b": {"~": [10, 20]}, "c": 1}
    first, second = Mark("e-1", 1, "loss", "one"), Mark("e-2", 2, "info", 'two "quoted"')
    marks = {
        "/a~1b/~0/1": Marks("at-0", [first]),
        "/c": Marks("at-1", [first, second]),
        "/none": Marks("at-2", [first]),
    }
    made = marked(value, marks)
    assert made.places == {"/a~1b/~0/1", "/c"}
    page = shown(made)
    assert page.by_id("at-0").text == "1 20"
    assert page.by_id("at-1").text == '1 2 "c": 1'
    assert [one.attributes["title"] for one in page.all("a")] == ["one", "one", 'two "quoted"']


def test_what_is_shown_is_bounded() -> None:
    made = marked(["x" * (MOST_TEXT + 5), *range(MOST_VALUES + 3)])
    assert made.left_out == 5
    assert "… and 5 more characters" in made.lines[1].html
    deep: Any = []
    for _ in range(MOST_VALUES + 1):
        deep = [deep]
    assert marked(deep).left_out == 1
    wide = marked({"x" * 1_000_000: [[{"y": 1}]] * 1_000_000})
    assert sum(len(line.html) for line in wide.lines) < 1_000_000


def test_pointers_that_are_too_long() -> None:
    """As diagnostics have them: they end at what is around."""
    value = {"x" * 600: {"y": 1}, "z": {"x" * 490: {"y" * 20: 1}}}
    mark = Marks("at-0", [Mark("e-1", 1, "loss", "one")])
    assert marked(value, {"": mark, "/z/" + "x" * 490: mark}).places == {"", "/z/" + "x" * 490}


def test_what_is_the_same_stands_side_by_side() -> None:
    def lines(*texts: str) -> list[Line]:
        return [Line(text.strip("*"), text if "*" in text else "") for text in texts]

    source = lines("a", "*one*", "b", "*two*", "*gone*", "c")
    ir = lines("*one*", "*two*", "d")
    sent = lines("e", "f", "*one*", "g", "*two*")
    assert rows([source, ir, sent]) == [
        ["a", "", "e\nf"],
        ["one\nb", "one", "one\ng"],
        ["two\ngone\nc", "two\nd", "two"],
    ]
    assert rows([source, [], sent]) == [["a", "", "e\nf"], ["one\nb", "", "one\ng"], ["two\ngone\nc", "", "two"]]
    assert rows([[], [], []]) == []


def test_what_stands_twice_or_in_another_order_is_not_side_by_side() -> None:
    """Instructions that one protocol has at the end and another at the beginning move nothing else."""
    system, twice, *turns = (Line(text, text) for text in ("system", "twice", *(f"turn {at}" for at in range(5))))
    first, last = [system, twice, *turns, twice], [twice, *turns, twice, system]
    assert [row[0].count("\n") + 1 for row in rows([first, last])] == [2, 1, 1, 1, 1, 2]
