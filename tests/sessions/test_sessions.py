"""A hundred generated sessions, whose vendor, model, cloud and protocol change: every request is accepted, and nothing
that was said is lost in silence. By default a few of them; all with `-m slow`.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from attrs import evolve

from proxai_ir import Exchange

from .__main__ import main
from .clients import FIRST
from .plans import TURNS, Session, session
from .playing import played, smallest

SESSIONS = 100
EVERY = 10


def whole(seed: int) -> None:
    found = played(session(seed))
    assert found is None, f"seed {seed}, turn {found[0] + 1}: {found[1]}"


@pytest.mark.parametrize("seed", [1, 11])
def test_a_few_sessions(seed: int) -> None:
    whole(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, SESSIONS, EVERY))
def test_a_hundred_sessions(first: int) -> None:
    for seed in range(first, first + EVERY):
        whole(seed)


def test_the_hundred_have_every_client_provider_and_trouble() -> None:
    every = [session(seed) for seed in range(1, SESSIONS + 1)]
    steps = [step for one in every for step in one.steps]
    assert len(steps) == SESSIONS * TURNS
    assert {(one.client, step.place.protocol) for one in every for step in one.steps} == {
        (client, provider) for client in FIRST for provider in FIRST
    }
    assert Counter(one.stateful for one in every)[True] > 10
    assert len({step.place.model for step in steps}) > 150
    assert len({step.place.cloud for step in steps}) == 9
    kinds = Counter((step.before, step.fails) for step in steps)
    assert {before for before, _ in kinds} == {"", "returned", "summed up", "forgotten"}
    assert {fails for _, fails in kinds} == {"", "limited", "failure", "overflow", "setting", "cut off"}


# --- that what is wrong is found --------------------------------------------------------------------------------------


def spoilt(monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """Let each request have another text in place of one."""
    request = Exchange.request

    def changed(self: Exchange, *given: Any, **more: Any) -> Any:
        made = request(self, *given, **more)
        return evolve(made, body=json.dumps(json.loads(made.body)).replace(old, new).encode())

    monkeypatch.setattr(Exchange, "request", changed)


def plain(turns: int) -> Session:
    """Return a session of turns with one text each, of models that take what they are asked."""
    made = session(1)
    answers = [step.answer._replace(text=True, thought=False, calls=0, cited=False, ending=0) for step in made.steps]
    steps = [
        step._replace(answer=answer, fails="", before="") for step, answer in zip(made.steps, answers, strict=True)
    ]
    return made._replace(steps=tuple(steps[:turns]))


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("Go on with zu1q.", "", "lost: user zu1q"),
        ("za2q", "za1q", "assistant"),
        ("Be zi0q.", "Hi.", "lost: system zi0q"),
        ("Write a note down.", "Write nothing.", "silent"),
    ],
)
def test_a_change_of_a_text_is_found(monkeypatch: pytest.MonkeyPatch, old: str, new: str, what: str) -> None:
    assert played(plain(5)) is None
    spoilt(monkeypatch, old, new)
    found = played(plain(5))
    assert found is not None
    assert what in str(found[1])


def test_a_failure_is_shown_with_the_smallest_history(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt(monkeypatch, "za2q", "nothing")
    assert [step.answer.number for step in smallest(plain(5)).steps] == [2, 3]
    assert main(["--seed", "1", "--count", "1", "--turns", "5"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("seed 1, turn ")
    assert "the smallest history: " in shown


def test_the_command_says_what_ran_and_fails_where_nothing_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seed", "1", "--count", "1", "--turns", "2"]) == 0
    assert "1 sessions from seed 1, 2 turns" in capsys.readouterr().out
    assert main(["--count", "0"]) == 1
