"""Which protocols read a payload: asked for that alone, readers stop at the first refusal and answer the same."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir import TranslationError, compile
from proxai_ir.protocol.detection import read_request, readings
from proxai_ir.protocol.registry import frontend, protocols
from proxai_ir.reporting.diagnostics import ONLY_WHETHER, Refusal
from tests.samples import PROTOCOLS, samples

Json = Any
WRONG = {"model": "m", "max_tokens": 1, "messages": [{"role": "tool", "content": 5}, {"role": 7, "content": {}}]}
REQUESTS = [one for protocol in PROTOCOLS for one in samples(protocol) if one.kind == "request"]


def refused(protocol: str, payload: Json) -> bool:
    try:
        read_request(frontend(protocol), payload)
    except Refusal:
        return True
    return False


@pytest.mark.parametrize("protocol", protocols())
def test_a_protocol_reads_the_same_whether_or_not_all_refusals_count(protocol: str) -> None:
    for payload in [WRONG, *(one.payload for one in REQUESTS)]:
        all_count = refused(protocol, payload)
        token = ONLY_WHETHER.set(True)
        try:
            assert refused(protocol, payload) == all_count
        finally:
            ONLY_WHETHER.reset(token)


def test_asking_stops_at_the_first_refusal() -> None:
    token = ONLY_WHETHER.set(True)
    try:
        with pytest.raises(Refusal) as first:
            read_request(frontend("anthropic_messages"), WRONG)
    finally:
        ONLY_WHETHER.reset(token)
    assert len(first.value.records) == 1


def test_a_protocol_that_is_stated_names_all_that_is_wrong() -> None:
    assert readings(WRONG) == []
    with pytest.raises(TranslationError) as error:
        compile(WRONG, "anthropic_messages", "ollama_chat", kind="request")
    assert {one.path for one in error.value.diagnostics} == {"/messages/0/role", "/messages/1/role"}
