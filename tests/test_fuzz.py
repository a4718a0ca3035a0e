"""The fuzzer finds nothing, and it would find something if there were anything."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from attrs import evolve

import proxai_ir
from proxai_ir import Exchange

from .fuzz import checking, ways
from .fuzz.__main__ import Findings, Fuzzer, main
from .fuzz.mutating import Source

NO_RECORDINGS = None


@pytest.mark.parametrize(
    ("payloads", "streams"), [(400, 80), pytest.param(6_000, 1_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_nothing_is_found(payloads: int, streams: int) -> None:
    fuzzer, findings = Fuzzer(1, NO_RECORDINGS), Findings()
    fuzzer.run("payload", 0, payloads, findings)
    fuzzer.run("stream", 0, streams, findings)
    assert str(findings) == "nothing found"


def test_a_case_is_always_the_same() -> None:
    for name in ("payload 7", "payload 8", "stream 7"):
        one, other = (Fuzzer(1, NO_RECORDINGS).case(name)[0] for _ in range(2))
        assert repr(one) == repr(other)
        assert repr(one) != repr(Fuzzer(2, NO_RECORDINGS).case(name)[0])


def test_a_foreign_exception_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise KeyError("broken")

    monkeypatch.setattr(proxai_ir, "lower", broken)
    assert main(["--payloads", "3", "--streams", "0", "--corpus", "/nowhere"]) == 1
    assert "KeyError: 'broken'" in capsys.readouterr().out


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
