"""The fuzzer finds nothing, and it would find something if there were anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from attrs import evolve

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.testing import streams
from proxai_ir.testing.streams import fed

from .fuzz import builds, checking, targets, ways
from .fuzz.__main__ import Fuzzer, main
from .fuzz.mutating import Source
from .samples.anthropic_messages import building as anthropic

NO_RECORDINGS = None


@pytest.mark.parametrize(
    ("payloads", "streams"), [(400, 80), pytest.param(6_000, 1_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_nothing_is_found(payloads: int, streams: int) -> None:
    fuzzer = Fuzzer(1, NO_RECORDINGS)
    for kind, count in {"payload": payloads, "stream": streams, "framing": 10 * streams}.items():
        assert str(fuzzer.run(kind, 0, count)) == "nothing found"


def test_a_case_is_always_the_same() -> None:
    for name in ("payload 7", "payload 8", "stream 7"):
        one, other = (Fuzzer(1, NO_RECORDINGS).case(name)[0] for _ in range(2))
        assert repr(one) == repr(other)
        assert repr(one) != repr(Fuzzer(2, NO_RECORDINGS).case(name)[0])


def test_a_foreign_exception_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise KeyError("broken")

    monkeypatch.setattr(proxai_ir, "lower", broken)
    assert main(["--payloads", "3", "--streams", "0", "--framings", "0", "--corpus", "/nowhere"]) == 1
    assert "KeyError: 'broken'" in capsys.readouterr().out


def test_a_framing_that_depends_on_cuts_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "read_bytes", lambda framing, chunks: (["one"] * len(chunks), None))
    (cause,) = Fuzzer(1, NO_RECORDINGS).run("framing", 0, 3).by_cause
    assert cause.startswith("AssertionError: events depend on where the bytes are cut")


def test_several_processes_find_what_one_does(capsys: pytest.CaptureFixture[str]) -> None:
    counts = ["--payloads", "3", "--streams", "2", "--framings", "1001", "--corpus", "/nowhere"]
    assert main([*counts, "--workers", "2"]) == 0
    said = "seed 1: 3 payloads and 2 streams, each to 8 protocols; 1,001 byte streams\nnothing found\n"
    assert capsys.readouterr().out == said


def test_a_changed_argument_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def changing(payload: Any, protocol: str, **_: Any) -> Any:
        payload["added"] = protocol
        raise proxai_ir.InvalidPayload(proxai_ir.check(5, protocol, protocol))

    monkeypatch.setattr(proxai_ir, "lower", changing)
    source = Source(
        "openai_chat_completions", "request", {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    )
    with pytest.raises(AssertionError, match="the payload was changed"):
        checking.payload(source, Random(1), checking.servers_of("1"))


def test_a_way_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = Exchange.request

    def other(exchange: Exchange, *given: Any, **named: Any) -> Any:
        return evolve(sent(exchange, *given, **named), body=b"{}")

    source = Source(
        "openai_chat_completions", "request", {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    )
    ways.agree(source, Random(1), checking.servers_of("1"))
    monkeypatch.setattr(Exchange, "request", other)
    with pytest.raises(AssertionError, match="an Exchange sends another request"):
        ways.agree(source, Random(1), checking.servers_of("1"))


def test_a_stream_that_adds_up_to_something_else_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source("anthropic_messages", "stream", anthropic.stream(anthropic.text_block("Hi")))
    ways.adds_up(source)
    another = anthropic.stream(anthropic.text_block("Ho"))
    monkeypatch.setattr(streams, "fed", lambda _, src, dst, **options: fed(another, src, dst, **options))
    with pytest.raises(AssertionError):
        ways.adds_up(source)


# --- two builds -------------------------------------------------------------------------------------------------------


def outcomes(folder: Path, seed: str) -> dict[str, str]:
    """Return what comes of a few cases in a process that orders sets by this seed."""
    file = folder / f"{seed}.json"
    counts = [
        "--payloads",
        "150",
        "--streams",
        "30",
        "--framings",
        "0",
        "--corpus",
        "/nowhere",
        "--outcomes",
        str(file),
    ]
    command, env = [sys.executable, "-m", "tests.fuzz", *counts], {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run(command, cwd=builds.ROOT, env=env, check=True, capture_output=True)
    return dict(orjson.loads(file.read_bytes())["outcomes"])


def test_what_comes_of_a_case_does_not_depend_on_the_process(tmp_path: Path) -> None:
    one, other = (outcomes(tmp_path, seed) for seed in ("1", "2"))
    assert len(one) > 150
    assert one == other


def test_a_case_of_which_something_else_comes_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pure = builds.Build(0, {"payload 1": "a", "payload 2": "b", "payload 3": "c"})
    other = builds.Build(9, {"payload 1": "a", "payload 2": "x", "stream 1": "d"})
    monkeypatch.setattr(builds, "fuzzed", lambda *_: [pure, other])
    assert builds.main(["--payloads", "3", "--streams", "1", "--seed", "7", "--tree", "/nowhere"]) == 1
    assert capsys.readouterr().out == "seed 7, 9 compiled modules: 1 cases alike, 1 differ\npayload 2\n"


def test_a_build_that_is_no_compiled_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builds, "fuzzed", lambda *_: [builds.Build(0, {"payload 1": "a"})] * 2)
    with pytest.raises(SystemExit):
        builds.main(["--payloads", "1", "--streams", "0", "--seed", "7", "--tree", "/nowhere"])
