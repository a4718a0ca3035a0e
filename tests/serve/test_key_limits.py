"""Limits of client keys: what is refused, with which words and for how long, and what is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pydantic", reason='the gateway needs the extra "serve"')
pytest.importorskip("httpx", reason='the gateway needs the extra "serve"')

import anyio
import httpx

from proxai_ir.serve.access import access_of
from proxai_ir.serve.app import app
from proxai_ir.serve.asgi import Forbidden
from proxai_ir.serve.config import Config, KeyLimits, from_mapping
from proxai_ir.serve.limits import Account, Accounts

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..waiting import soon
from .support import HEADERS, OPERATOR, asked, over_asgi, path_of
from .test_endpoints import Kept, ask, post
from .upstreams import Upstream
from .visiting import TOKEN

Json = Any
WORDS: dict[str, tuple[str, str]] = {
    CHAT: ("rate_limit_error", "permission_error"),
    RESPONSES: ("rate_limit_error", "permission_error"),
    ANTHROPIC: ("rate_limit_error", "permission_error"),
    GEMINI: ("RESOURCE_EXHAUSTED", "PERMISSION_DENIED"),
}
"""The words of each protocol for what is too much, and for what is not allowed."""
TEAM = {"alice": "k-alice-0123456789", "bob": "k-bob-01234567890", "": "k-nameless-0123456789"}


def bearer(name: str) -> Json:
    return {"authorization": f"Bearer {TEAM[name]}"}


def chat(name: str, model: str = "m") -> Json:
    return "POST", path_of(CHAT), asked(CHAT, model=model), bearer(name)


def team(folder: Path, **limits: Json) -> dict[str, Any]:
    """The table `access` of a team, with limits by names."""
    file = folder / "keys"
    file.write_text("".join(f"{name} {key}\n" for name, key in TEAM.items()))
    return {"keys_file": str(file), "limits": limits}


# --- through the gateway ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", WORDS)
def test_too_many_requests_in_the_clients_own_words(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream, kept = Upstream(CHAT), Kept()
    limits = {"*": {"requests_per_minute": 2}}
    found = ask(monkeypatch, [upstream], *[post(client)] * 3, access={"limits": limits}, storage=kept)
    assert [one.status_code for one in found] == [200, 200, 429]
    assert WORDS[client][0] in found[2].text
    assert "2 requests a minute" in found[2].text
    assert 55 <= int(found[2].headers["retry-after"]) <= 60
    assert len(upstream.seen) == len(kept.records) == 2  # what is over a limit is in no log, so that it cannot fill it


@pytest.mark.parametrize("client", WORDS)
def test_a_model_that_a_key_may_not_have(client: str, monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT)
    limits = {"*": {"models": ["small-*", "tiny"]}}
    [found] = ask(monkeypatch, [upstream], post(client), access={"limits": limits})
    assert found.status_code == 403
    assert WORDS[client][1] in found.text
    assert "may not use the model 'm'" in found.text
    assert "retry-after" not in found.headers
    assert not upstream.seen


def test_models_by_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    access = team(tmp_path, alice={"models": ["small-*"]}, **{"*": {"models": ["big"]}})
    models = [("alice", "small-1"), ("alice", "big"), ("bob", "small-1"), ("bob", "big"), ("", "big")]
    found = ask(monkeypatch, [Upstream(CHAT)], *[chat(*one) for one in models], access=access)
    assert [one.status_code for one in found] == [200, 403, 403, 200, 200]


def test_lists_have_the_models_of_a_key_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    access = team(tmp_path, alice={"models": ["other"]})
    found = ask(
        monkeypatch,
        [Upstream(CHAT)],
        *(("GET", "/v1/models", None, bearer(name)) for name in ("alice", "bob")),
        access=access,
    )
    assert [[one["id"] for one in each.json()["data"]] for each in found] == [[], ["big"]]


def test_paths_by_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    access = team(tmp_path, alice={"paths": ["/v1/chat/*", "/v1/embeddings"]}, bob={"models": ["m"]})
    other = ("POST", "/v1/embeddings", {"model": "m", "input": "hi"})
    found = ask(
        monkeypatch,
        [Upstream(CHAT)],
        chat("alice"),
        ("POST", "/chat/completions", asked(CHAT), bearer("alice")),
        ("POST", "/v1/responses", asked(RESPONSES), bearer("alice")),
        ("GET", "/v1/models", None, bearer("alice")),
        (*other, bearer("alice")),
        (*other, bearer("bob")),
        (*other, bearer("")),
        access=access,
        settings={"passthrough": True},
    )
    assert [one.status_code for one in found] == [200, 200, 403, 403, 200, 403, 200]
    assert "may not use /v1/responses" in found[2].text
    assert "/v1/embeddings may lead to others" in found[5].text


def test_keys_do_not_take_from_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    access = team(tmp_path, alice={}, **{"*": {"requests_per_minute": 1}})
    names = ["bob", "bob", "", "", "alice", "alice"]
    found = ask(monkeypatch, [Upstream(CHAT)], *map(chat, names), access=access)
    assert [one.status_code for one in found] == [200, 429, 200, 429, 200, 200]


def test_tokens_of_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first request uses more than the limit, which is known at its end; streams count as whole responses do."""
    for streamed in (False, True):
        requests = [("POST", path_of(CHAT), asked(CHAT, streamed))] * 2
        access = {"limits": {"*": {"tokens_per_day": 2}}}
        first, second = ask(monkeypatch, [Upstream(ANTHROPIC)], *requests, access=access)
        assert (first.status_code, second.status_code) == (200, 429)
        assert "2 tokens a day, and has used" in second.text
        assert 1 <= int(second.headers["retry-after"]) <= 86_400


def test_requests_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    upstream = Upstream(CHAT, "slow", "text")

    async def work() -> list[int]:
        access = {"limits": {"*": {"requests_at_once": 1}}}
        found: list[httpx.Response] = []
        async with over_asgi(monkeypatch, upstream, access=access) as http, anyio.create_task_group() as group:

            async def stream() -> None:
                found.append(await http.post(path_of(CHAT), json=asked(CHAT, True)))

            group.start_soon(stream)
            await soon(lambda: upstream.running)
            found.append(await http.post(path_of(CHAT), json=asked(CHAT)))
            assert found[0].headers["retry-after"] == "1"
            await soon(lambda: len(found) == 2)
            found.append(await http.post(path_of(CHAT), json=asked(CHAT)))
        return [one.status_code for one in found]

    assert anyio.run(work) == [429, 200, 200]


def test_what_is_refused_is_counted_by_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    access = team(tmp_path, bob={"requests_per_minute": 1})
    *_, metrics = ask(
        monkeypatch, [Upstream(CHAT)], chat("bob"), chat("bob"), ("GET", "/metrics", None, OPERATOR), access=access
    )
    assert 'status="200",upstream="u0",who="bob"} 1.0' in metrics.text
    assert 'status="429",upstream="",who="bob"} 1.0' in metrics.text
    tokens = [one for one in metrics.text.splitlines() if one.startswith("proxai_tokens_total")]
    assert tokens
    assert all('sent_model="big",upstream="u0",who="bob"' in one for one in tokens), tokens


def test_other_limits_hold_for_later_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    def made(most: int) -> Config:
        return from_mapping(
            {
                "upstreams": {"u": {"protocol": CHAT, "base_url": "http://u.invalid"}},
                "access": {"limits": {"*": {"requests_per_minute": most}}},
            }
        )

    monkeypatch.setenv("UPSTREAM_KEY", "unused")
    upstream = Upstream(CHAT)
    served = app(made(2), access=access_of(made(2), TOKEN), transport=lambda _: httpx.ASGITransport(upstream))

    async def work() -> list[int]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1") as http:

            async def status() -> int:
                return (await http.post(path_of(CHAT), json=asked(CHAT), headers=HEADERS.get(CHAT))).status_code

            found = [await status() for _ in range(3)]
            await served.state.gateway.change(made(3))
            return [*found, await status(), await status()]

    assert [one == 429 for one in anyio.run(work)] == [False, False, True, False, True]


# --- what is counted --------------------------------------------------------------------------------------------------

DAY = 86_400.0


def refusal(account: Account, limits: KeyLimits, now: float, clock: float = 0.0) -> tuple[str, float | None]:
    """Why a request may not begin, and for how long; an empty text if it may."""
    try:
        account.begin(limits, now, clock)
    except Forbidden as error:
        assert error.status == 429
        return str(error), error.after
    return "", None


def test_a_minute_is_any_60_seconds() -> None:
    account, limits = Account(), KeyLimits(requests_per_minute=2)
    found = [refusal(account, limits, 0.0, clock)[1] for clock in (0.0, 50.0, 59.0, 60.0, 61.0, 110.0, 119.5)]
    assert found == [None, None, 1.0, None, 49.0, None, 0.5]
    assert len(account.begun) == 2


def test_a_lower_limit_counts_what_has_begun() -> None:
    account = Account()
    for clock in (0.0, 10.0, 20.0):
        account.begin(KeyLimits(requests_per_minute=3), 0.0, clock)
    assert refusal(account, KeyLimits(requests_per_minute=1), 0.0, 30.0)[1] == 50.0


def test_a_day_ends_at_midnight_utc() -> None:
    account, limits = Account(), KeyLimits(tokens_per_day=10)
    account.begin(limits, 5 * DAY + 100, 0.0)
    account.end({"input": 6, "output": 4}, 5 * DAY + 200)
    assert refusal(account, limits, 5 * DAY + 300)[1] == DAY - 300
    assert refusal(account, limits, 6 * DAY) == ("", None)
    account.end({"output": 9}, 6 * DAY + 1)
    assert refusal(account, limits, 6 * DAY + 2) == ("", None)
    account.end(None, 6 * DAY + 3)
    assert account.tokens == 9


def test_a_refused_request_counts_towards_no_limit() -> None:
    account, limits = Account(), KeyLimits(requests_at_once=1, requests_per_minute=3)
    assert [refusal(account, limits, 0.0)[1] for _ in range(3)] == [None, 1, 1]
    account.end(None, 0.0)
    assert (len(account.begun), account.running) == (1, 0)


def test_a_key_without_limits_has_none() -> None:
    accounts = Accounts({"alice": KeyLimits(requests_per_minute=1)})
    begun = [accounts.begin("bob", "/v1/any", 0.0, 0.0) for _ in range(5)]
    assert (begun[-1].running, len(begun[-1].begun)) == (5, 0)
