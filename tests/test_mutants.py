"""The mutants of tests/mutants: what is changed, what is not, and what becomes of one that stands in a copy."""

import argparse
from pathlib import Path

import pytest

from .mutants.operators import Mutant, compiles, in_function, mutants
from .tiers import DEFAULT

SOURCE = b'''"""Documentation of the module."""

from __future__ import annotations

KINDS = ("text", "image")
TABLE = {"a": 1, "b": 2}


def found(value: dict[str, int], limit: int = 3) -> int:
    """Documentation of the function."""
    if value is not None and "\xc3\xa9t\xc3\xa9" in value:
        report("TUL-2", "a text in prose")
    return sum(value.values()) + limit
'''

EXPECTED = {
    "word": {
        ('"text"', "'text_'"),
        ('"image"', "'image_'"),
        ('"a"', "'a_'"),
        ('"b"', "'b_'"),
        ('"été"', "'été_'"),
        ('"TUL-2"', "'TUL-3'"),
    },
    "member": {('"text", ', ""), ('"image"', "")},
    "entry": {('"a": 1, ', ""), ('"b": 2', "")},
    "constant": {("1", "2"), ("2", "3"), ("3", "4")},
    "condition": {('value is not None and "été" in value', "True"), ('value is not None and "été" in value', "False")},
    "comparison": {("is not", "is"), ("in", "not in")},
    "and, or": {("and", "or")},
    "statement": {('report("TUL-2", "a text in prose")', "pass")},
    "result": {("sum(value.values()) + limit", "None")},
    "operand": {(" + limit", "")},
}


def test_what_is_changed() -> None:
    made: dict[str, set[tuple[str, str]]] = {}
    for mutant in mutants("module.py", SOURCE):
        made.setdefault(mutant.operator, set()).add((mutant.before, mutant.after))
    assert made == EXPECTED


def test_each_change_is_another_module() -> None:
    for mutant in mutants("module.py", SOURCE):
        changed = mutant.applied(SOURCE)
        assert changed != SOURCE
        assert compiles(changed), mutant.name
        assert mutant.before in SOURCE.decode().splitlines()[mutant.line - 1]


@pytest.mark.parametrize("source", [b"x: Literal['a', 'b']", b"from typing import (Any, Final)", b"y = f'{a + 1}'"])
def test_what_is_not_changed(source: bytes) -> None:
    assert not list(mutants("module.py", source))


def test_what_runs_at_import() -> None:
    source = b"A = 1\ndef f(\n    x=2,\n):\n    return x\nclass C:\n    B = 3\n    def m(self):\n        return 4\n"
    assert [line for line in range(1, 10) if in_function(source, line)] == [5, 9]


def test_brackets_stay() -> None:
    changed = {
        mutant.applied(b"x = (a or b) == (not (c))") for mutant in mutants("module.py", b"x = (a or b) == (not (c))")
    }
    assert changed == {b"x = (a and b) == (not (c))", b"x = (a or b) != (not (c))", b"x = (a or b) == (((c)))"}


def test_a_copy_has_each_module_once(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    from .mutants.running import copied

    library = copied(Path(__file__).parents[1], tmp_path) / "proxai_ir"
    assert (library / "frontends").is_symlink()
    assert (library / "backends").resolve() == tmp_path / "project" / "backends"


def test_a_mutant_that_tests_notice_and_one_that_they_do_not(tmp_path: Path) -> None:
    pytest.importorskip("coverage")
    from .mutants.running import judged

    library = tmp_path / "library.py"
    library.write_text("def double(n):\n    return n + n\n\n\ndef unused(n):\n    return n\n")
    (tmp_path / "test_library.py").write_text(
        "import library\n\n\ndef test_double():\n    assert library.double(3) == 6\n"
    )
    noticed = Mutant("library.py", 2, 2, "operand", 27, 31, " + n", "")
    unnoticed = Mutant("library.py", 6, 6, "result", 65, 66, "n", "None")
    assert judged(tmp_path, noticed, [("its tests", ["test_library.py"], 60)])[:2] == (
        "killed",
        "test_library.py::test_double",
    )
    assert judged(tmp_path, unnoticed, [("its tests", ["test_library.py"], 60)])[:2] == ("survived", "its tests")
    assert library.read_text().endswith("return n\n")


def test_each_source_has_a_time_of_its_own(tmp_path: Path) -> None:
    """Bytecode of a mutant would be taken for that of the source otherwise, which may have the same size."""
    pytest.importorskip("coverage")
    from .mutants.running import judged

    library, mutant = tmp_path / "library.py", Mutant("library.py", 1, 1, "constant", 6, 7, "1", "2")
    library.write_text("ONE = 1\n")
    (tmp_path / "test_library.py").write_text("import library\n")
    seconds = set()
    for _ in range(3):
        judged(tmp_path, mutant, [("its tests", ["test_library.py"], 60)])
        seconds.add(int(library.stat().st_mtime))
    assert len(seconds) == 3


def test_a_run_without_a_map_makes_one_of_the_default_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from .mutants import __main__ as line

    mapped: list[str] = []

    def made(options: argparse.Namespace, tier: str) -> int:
        mapped.append(tier)
        (options.folder / "map").mkdir()
        return 0

    monkeypatch.setattr(line, "_mapped", made)
    monkeypatch.setattr(line, "chosen", lambda *_: ())
    monkeypatch.setattr(line, "copied", lambda root, _: root)
    for _ in range(2):
        line.main(["run", "--count", "0", "--folder", str(tmp_path)])
    assert mapped == [DEFAULT]
