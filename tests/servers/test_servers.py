"""No server of a target refuses what the library writes for it: by default the official ones, by profile each family.

The requests by hand always run, and so do those of the fixture world; of the recorded ones in `../shared` a sample, or
all of them with `-m slow`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import proxai_ir
from proxai_ir import TranslationError, profiles

from ..held.shared import RECORDED, SEED, Tools
from ..samples import PROTOCOLS, samples
from .converted import REQUESTS, Json
from .converted_gemini import GEMINI
from .official import OFFICIAL, official_refusals, server
from .refused import REFUSED

BEDROCK = "bedrock_converse"
PROFILES: dict[str, Any] = {
    "openai_chat": profiles.OPENAI_CHAT,
    "openai_chat_before_5_6": profiles.OPENAI_CHAT_BEFORE_5_6,
    "openai_responses": profiles.OPENAI_RESPONSES,
    "openai_responses_before_5_6": profiles.OPENAI_RESPONSES_BEFORE_5_6,
    "anthropic_2023_06_01": profiles.ANTHROPIC_2023_06_01,
    "anthropic_2026_10_21": profiles.ANTHROPIC_2026_10_21,
    "gemini_api": profiles.GEMINI_API,
    "gemini_2_5": profiles.GEMINI_2_5,
    "vertex_ai": profiles.VERTEX_AI,
    "compatible_chat": profiles.COMPATIBLE_CHAT,
    "deepseek": profiles.DEEPSEEK,
    "mistral": profiles.MISTRAL,
    "vllm": profiles.VLLM,
}
"""The profile of each family of servers."""

LEFT_OF = {
    GEMINI: {
        "thinking": "Gemini takes a temperature next to a thinking budget, and calls without the thoughts before them",
    },
}
"""Checks that converted requests of one protocol need not meet, and why."""
LEFT_TO = {
    "bedrock": {
        "roles: the first message is not the user's": "a history that begins with a greeting, or a summary, of the "
        "assistant's is sent as it is: no message of the user's is made up, and the server says what it lacks",
    },
}
"""By server: single findings of the same kind."""
SAMPLE = 60


class Case(NamedTuple):
    name: str
    src: str
    payload: Json


def refused(server_name: str, payload: Json, src: str, dst: Any) -> list[str] | None:
    """What the server refuses of the converted request; None where it does not convert.

    A request that its own server refuses on the same ground was no better before.
    """
    try:
        made = proxai_ir.compile(payload, src, dst, kind="request")
    except TranslationError:
        return None
    found = server(server_name).refusals(made.output, made.headers)
    found = [one for one in found if one.partition(":")[0] not in LEFT_OF.get(src, ())]
    found = [one for one in found if one not in LEFT_TO.get(server_name, ())]
    if not found:
        return []
    before = {one.partition(":")[0] for one in official_refusals(src, payload, BETAS)}
    return [one for one in found if one.partition(":")[0] not in before]


def targets() -> Iterator[tuple[str, Any]]:
    """Every server, with what is converted for it: its protocol alone, or the profile of its family."""
    for protocol, names in OFFICIAL.items():
        yield from ((name, protocol) for name in names)
    yield from PROFILES.items()


TARGETS = list(targets())
IDS = [f"{name}-{'default' if isinstance(dst, str) else 'profile'}" for name, dst in TARGETS]


def protocol_of(dst: Any) -> str:
    return dst if isinstance(dst, str) else str(dst.protocol)


def assert_accepted(name: str, dst: Any, cases: list[Case]) -> int:
    """How many converted. Raises AssertionError with the refusals, by how often each check found one."""
    counts, shown, converted = Counter[str](), dict[str, str](), 0
    for case in cases:
        found = refused(name, case.payload, case.src, dst) if case.src != protocol_of(dst) else None
        converted += found is not None
        for one in found or ():
            counts[one.partition(":")[0]] += 1
            shown.setdefault(one.partition(":")[0], f"{case.name}: {one}")
    assert not counts, "\n".join(f"{count} x {shown[check]}" for check, count in counts.most_common())
    return converted


HAND = [Case(name, src, payload) for name, (src, payload) in REQUESTS.items()]
EXAMPLES = [Case(one.name, one.protocol, one.payload) for one in samples("request", dense=False)]


@pytest.mark.parametrize(("name", "dst"), TARGETS, ids=IDS)
def test_requests_by_hand(name: str, dst: Any) -> None:
    assert assert_accepted(name, dst, [*HAND, *EXAMPLES]) > 5


def recorded(tools: Tools) -> list[Case]:
    return [Case(one.id, src, one.payload) for src in PROTOCOLS for one in tools.records(src, "request")]


@pytest.mark.parametrize(("name", "dst"), TARGETS, ids=IDS)
def test_a_sample_of_recorded_requests(tools: Tools, name: str, dst: Any) -> None:
    assert_accepted(name, dst, random.Random(SEED).sample(recorded(tools), SAMPLE))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dst"), TARGETS, ids=IDS)
def test_every_recorded_request(tools: Tools, name: str, dst: Any) -> None:
    assert assert_accepted(name, dst, recorded(tools)) > 600


# --- the models themselves --------------------------------------------------------------------------------------------

BETAS = {"anthropic-beta": "mcp-client-2025-11-20,context-management-2025-06-27"}
ODD = 0.08
"""Of recorded requests: some were refused by the live server as well, others need a model that takes more."""


@pytest.mark.parametrize("protocol", [one for one in RECORDED if one in OFFICIAL])
def test_recorded_requests_are_accepted_by_their_own_server(tools: Tools, protocol: str) -> None:
    every = tools.records(protocol, "request")
    records = [one for one in every if not one.dialect]
    odd = [one.id for one in records if official_refusals(protocol, one.payload, BETAS)]
    assert len(records) > len(every) // 2
    assert len(odd) <= ODD * len(records), odd


WITH_HEADERS = {"version": {"anthropic-version": "2020-01-01"}}


@pytest.mark.parametrize("name", REFUSED)
def test_every_check_refuses_something(name: str) -> None:
    plain, changes = REFUSED[name]
    assert server(name).refusals(plain, {}) == []
    assert set(changes) == {check.__name__ for check in server(name).CHECKS}
    for check, change in changes.items():
        found = server(name).refusals(plain | change, WITH_HEADERS.get(check, {}))
        assert check in {one.partition(":")[0] for one in found}, check
