"""The table of clients and upstreams is full (`python -m tests.clients.table`): one test a client that is installed.

The rest makes sure that a cell can fail: a provider that answers otherwise, or a request that lacks something, shows.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("uvicorn", reason='the gateway needs the extra "serve"')
pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')

from .table.__main__ import ALL_CLIENTS, main
from .table.official import Client
from .table.playing import Outcome, Place, is_there, play, playground
from .table.printed import printed
from .table.rulings import RULINGS
from .table.scenarios import SCENARIOS, Scenario
from .table.upstreams import NAMED, UPSTREAMS

SCENARIO = {one.name: one for one in SCENARIOS}
CLIENT = {one.name: one for one in ALL_CLIENTS}


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with playground() as found:
        yield found


def needs(client: Client) -> None:
    if not is_there(client):
        pytest.skip(f"{client.package} is not installed")


@pytest.mark.slow
@pytest.mark.parametrize("client", ALL_CLIENTS, ids=lambda one: one.name)
def test_every_cell_of_a_client_is_full(place: Place, client: Client) -> None:
    needs(client)
    outcomes = [play(place, client, one, scenario) for one in UPSTREAMS for scenario in SCENARIOS]
    assert [one for one in outcomes if one.wrong] == []


@pytest.mark.parametrize("client", ALL_CLIENTS, ids=lambda one: one.name)
def test_a_share_of_the_table(place: Place, client: Client) -> None:
    """Each client with two upstreams, and each upstream with some client: the streamed loop, thinking and an error."""
    needs(client)
    number = ALL_CLIENTS.index(client)
    upstreams = [UPSTREAMS[(2 * number + one) % len(UPSTREAMS)] for one in range(2)]
    names = ("streamed loop", "thinking", "429", "in-stream error")
    outcomes = [play(place, client, one, SCENARIO[name]) for one in upstreams for name in names]
    assert [one for one in outcomes if one.wrong] == []


# --- a cell can fail --------------------------------------------------------------------------------------------------


def outcome(place: Place, scenario: Scenario, upstream: str = "gemini") -> Outcome:
    needs(CLIENT["openai-chat"])
    return play(place, CLIENT["openai-chat"], NAMED[upstream], scenario)


def test_a_request_that_lacks_something_is_wrong(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.clients.table.provider.ASKED", "Another question.")
    assert outcome(place, SCENARIO["text"]).wrong == "the provider refused: lost: Another question."


def test_a_request_that_its_server_refuses_is_wrong(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.clients.table.provider.refusals", lambda *_: ["members: odd is not known"])
    assert outcome(place, SCENARIO["text"]).wrong == "the provider refused: members: odd is not known"


def test_another_answer_is_wrong(place: Place) -> None:
    asked = SCENARIO["text"]
    needs(CLIENT["openai-chat"])
    other = asked._replace(answers=(asked.answers[0]._replace(number=9),))
    place.provider.begin(other, free=False)
    begin = place.provider.begin
    place.provider.begin = lambda *_, **__: begin(other, free=False)  # type: ignore[method-assign]
    try:
        found = outcome(place, asked)
    finally:
        place.provider.begin = begin  # type: ignore[method-assign]
    assert found.wrong == "text: expected 'I say za1q now.', found 'I say za9q now.'"


def test_another_error_than_the_clients_is_wrong(place: Place) -> None:
    wrong = outcome(place, SCENARIO["429"]._replace(name="401")).wrong
    assert wrong.startswith("expected AuthenticationError, found RateLimitError: ")


def test_what_no_row_allows_is_not_by_rule(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    needs(CLIENT["openai-chat"])
    allowed = outcome(place, SCENARIO["image"], "cohere")
    assert (allowed.wrong, allowed.rule) == ("", "SRC-3")
    monkeypatch.setattr("tests.clients.table.playing.RULINGS", ())
    refused = outcome(place, SCENARIO["image"], "cohere")
    assert refused.wrong.startswith("BadRequestError: ")
    assert refused.rule == ""


# --- what is printed --------------------------------------------------------------------------------------------------


def test_the_table_counts_and_names() -> None:
    outcomes = [
        Outcome("a", "chat", "text", ""),
        Outcome("a", "chat", "image", "", "SRC-3"),
        Outcome("a", "gemini", "text", "lost: x"),
    ]
    assert printed(outcomes, ["b: c is not installed"]).splitlines() == [
        "| client | chat | gemini |",
        "|---|---|---|",
        "| a | 2/2 (1 r) | 0/1 |",
        "",
        "3 asked, 2 passed, of these 1 by rule",
        "",
        "by rule:",
        "  SRC-3: image, a to chat",
        "",
        "wrong:",
        "  a to gemini, text: lost: x",
        "not run: b: c is not installed",
    ]


def test_nothing_that_ran_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("tests.clients.table.__main__.is_there", lambda _: False)
    assert main(["--client", "ollama"]) == 2
    assert "not run: ollama: ollama is not installed" in capsys.readouterr().out


def test_rulings_are_of_rows_that_there_are() -> None:
    assert {name for one in RULINGS for name in one.clients} <= CLIENT.keys()
    assert {name for one in RULINGS for name in one.upstreams} <= NAMED.keys()
