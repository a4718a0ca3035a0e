"""The fuzzer finds nothing, and it would find something if there were anything."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from attrs import evolve

import proxai_ir
from proxai_ir import Exchange

from .fuzz import checking, targets, ways
from .fuzz.__main__ import Fuzzer, main
from .fuzz.mutating import Source

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
