"""Generated functions can be debugged like written ones: a traceback names them and shows their source."""

from __future__ import annotations

import inspect
import linecache
import re
import traceback
from pathlib import Path
from typing import Any

import pytest

from proxai_ir.json.codegen import compiled

DIVIDE = ["def divide(number):", "    half = number / 2", "    return half / (number - number)"]


def test_a_traceback_shows_the_generated_line() -> None:
    divide = compiled("division for a test", DIVIDE, {})
    with pytest.raises(ZeroDivisionError) as caught:
        divide(1)
    shown = "".join(traceback.format_exception(caught.value))
    assert '"<generated division for a test>", line 3, in divide' in shown
    assert "return half / (number - number)" in shown
    assert inspect.getsource(divide) == "\n".join(DIVIDE) + "\n"


def test_each_source_has_a_file_name_of_its_own() -> None:
    one, two = (compiled("a name in use", [f"def number{n}():", f"    return {n}"], {}) for n in (1, 2))
    assert (one(), two()) == (1, 2)
    assert one.__code__.co_filename == "<generated a name in use>"
    assert two.__code__.co_filename == "<generated a name in use, 2>"
    assert "return 1" in inspect.getsource(one)
    assert "return 2" in inspect.getsource(two)
    again = compiled("a name in use", ["def number1():", "    return 1"], {})
    assert again.__code__.co_filename == one.__code__.co_filename


def test_the_source_survives_a_check_of_the_files() -> None:
    divide = compiled("division after a check", DIVIDE, {})
    linecache.checkcache()
    assert inspect.getsource(divide).startswith("def divide")


def test_what_is_added_to_the_scope_later_is_seen() -> None:
    scope: dict[str, Any] = {}
    add = compiled("a sum", ["def add(number):", "    return number + two"], scope)
    assert "add" not in scope
    scope["two"] = 2
    assert add(1) == 3


def test_all_generated_code_comes_from_one_place() -> None:
    root = Path(__file__).parents[1]
    files = [file for folder in ("proxai_ir", "frontends", "backends") for file in (root / folder).rglob("*.py")]
    assert {file.name for file in files if re.search(r"\b(exec|eval)\(", file.read_text())} == {"codegen.py"}
