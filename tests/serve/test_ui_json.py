"""JSON as the page at /ui shows it: escaped, bounded, with marks at its places."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("jinja2", reason="the extra `serve` is not installed")

from proxai_ir.serve.ui.marked import MOST_TEXT, MOST_VALUES, Mark, Marks, marked

from .pages import Page


def test_json_as_html() -> None:
    value = {"a": [1, 2.5, True, None, "x"], "b": {}, "c": [], "": "\u202e\x1b"}
    made = marked(value)
    assert (made.places, made.left_out) == (frozenset(), 0)
    text = Page(f"<pre>{made.html}</pre>").all("pre")[0].text
    assert text == json.dumps(value, indent=2, ensure_ascii=True) + "\n"


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
    page = Page(f"<pre>{made.html}</pre>")
    assert page.by_id("at-0").text == "1 20"
    assert page.by_id("at-1").text == '1 2 "c": 1'
    assert [one.attributes["title"] for one in page.all("a")] == ["one", "one", 'two "quoted"']


def test_what_is_shown_is_bounded() -> None:
    made = marked(["x" * (MOST_TEXT + 5), *range(MOST_VALUES + 3)])
    assert made.left_out == 5
    assert "… and 5 more characters" in made.html
    deep: Any = []
    for _ in range(MOST_VALUES + 1):
        deep = [deep]
    assert marked(deep).left_out == 1
    wide = marked({"x" * 1_000_000: [[{"y": 1}]] * 1_000_000})
    assert len(wide.html) < 1_000_000


def test_pointers_that_are_too_long() -> None:
    """As diagnostics have them: they end at what is around."""
    value = {"x" * 600: {"y": 1}, "z": {"x" * 490: {"y" * 20: 1}}}
    mark = Marks("at-0", [Mark("e-1", 1, "loss", "one")])
    assert marked(value, {"": mark, "/z/" + "x" * 490: mark}).places == {"", "/z/" + "x" * 490}
