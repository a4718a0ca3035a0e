"""The guided fuzzer: its targets hold on the corpus, would show what is wrong; a minute of it finds nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import pytest

import proxai_ir
from proxai_ir.framing import ndjson

from .fuzz import targets
from .fuzz.guided import kept
from .fuzz.targets import TARGETS, dumped

REQUEST = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
CASE = {"protocol": "openai_chat_completions", "kind": "request", "options": 0, "payload": REQUEST}
each_target = pytest.mark.parametrize("name", TARGETS)


@each_target
def test_what_was_found_before_holds(name: str) -> None:
    """Every tenth case of the corpus; the slow run has the others."""
    run_all(name, kept(name)[::10])


@pytest.mark.slow
@each_target
def test_the_whole_corpus_holds(name: str) -> None:
    run_all(name, kept(name))


def run_all(name: str, cases: list[bytes]) -> None:
    assert cases
    for case in cases:
        TARGETS[name].run(case)


@each_target
def test_a_change_is_a_case_again_and_decided_by_its_seed(name: str) -> None:
    target, data = TARGETS[name], dumped(next(iter(TARGETS[name].seeds())))
    changed = {target.mutated(data, 10**6, seed) for seed in range(40)}
    assert len(changed) > 20
    assert all(json.loads(one) is not None for one in changed)
    assert target.mutated(data, 10**6, 7) == target.mutated(data, 10**6, 7)


@each_target
@pytest.mark.parametrize("data", [b"", b"{", b"5", b"[]", b"{}", b'{"protocol": "x", "kind": 1}'])
def test_what_is_no_case_is_passed_over_and_replaced(name: str, data: bytes) -> None:
    target = TARGETS[name]
    target.run(data)
    assert json.loads(target.mutated(data, 10**6, 1))


def test_a_foreign_exception_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise KeyError("broken")

    monkeypatch.setattr(proxai_ir, "lower", broken)
    with pytest.raises(KeyError):
        TARGETS["read"].run(dumped(CASE))


def test_a_reader_that_depends_on_where_bytes_are_cut_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(ndjson.Decoder):
        def feed(self, chunk: bytes) -> list[Any]:
            return super().feed(chunk.rstrip(b" "))

    monkeypatch.setattr(ndjson, "Decoder", Broken)
    case = {"framing": "ndjson", "cuts": 1, "bytes": '{"a":"b c d e f g h i j"}\n'}
    with pytest.raises(AssertionError, match="where the bytes are cut"):
        TARGETS["framing"].run(dumped(case))


def test_a_merge_that_loses_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "merged", lambda source, was, now: source)
    with pytest.raises(AssertionError):
        TARGETS["merge"].run(dumped({"source": {"a": 1}, "was": {"a": 1}, "now": {"a": 2}}))


def test_two_interpretations_of_an_object_that_differ_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "interpreted", lambda one, holder: None)
    case = next(one for one in TARGETS["object"].seeds() if one["holder"])
    with pytest.raises(AssertionError):
        TARGETS["object"].run(dumped(case))


@pytest.mark.slow
@each_target
def test_some_seconds_of_the_guided_fuzzer_find_nothing(name: str, tmp_path: Path) -> None:
    if find_spec("atheris") is None:
        pytest.skip("atheris is not installed: the extra `fuzz`")
    seed = str(Random(name).randrange(1000))
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.guided",
        name,
        "--seconds",
        "10",
        "--seed",
        seed,
        "--findings",
        str(tmp_path),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert [*tmp_path.iterdir()] == []
