"""A client whose streams always report usage gets it asked for from every provider (USE-10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.profiles import named
from proxai_ir.profiles.clouds import CLOUDS
from proxai_ir.protocol.registry import frontend

from ..samples import PAIRS, PROTOCOLS

CHAT = "openai_chat_completions"
ALWAYS = tuple(one for one in PROTOCOLS if frontend(one).always_counts)
CLOUDS_OF_CHAT = {f"{row.name} {' '.join(row.paths)}": row for row in CLOUDS if CHAT in row.paths}
WITHOUT = {"mistral"}
"""Clouds and servers whose requests have no such member: usage comes unasked (spec/dialects.md)."""
SERVERS = {name: one for name, one in vars(named).items() if getattr(one, "protocol", "") == CHAT}
HELLO = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 64, "stream": True}
ASKED = {client: proxai_ir.compile(HELLO, CHAT, client, kind="request") for client in PROTOCOLS}
PATHS = {client: made.route["path"] for client, made in ASKED.items() if made.route}
"""Of requests that name model and stream there."""
WANTED = {"include_usage": True}


def asked(client: str) -> Any:
    """The smallest request for a stream."""
    return ASKED[client].output


def sent(client: str, provider: Any, body: Any = None, **options: Any) -> Any:
    """What a provider gets of it."""
    exchange = Exchange(client, provider, model="m", **options)
    return json.loads(exchange.request(body or asked(client), path=PATHS.get(client, "")).body)


def test_all_protocols_but_one_always_report_it() -> None:
    assert set(PROTOCOLS) - set(ALWAYS) == {CHAT}


@pytest.mark.parametrize("client", ALWAYS)
def test_conversions_ask_for_it(client: str) -> None:
    options: Any = {"stream": True} if client in PATHS else {}
    made = proxai_ir.compile(asked(client), client, CHAT, kind="request", **options)
    assert made.output["stream_options"] == WANTED


@pytest.mark.parametrize("client", ALWAYS)
@pytest.mark.parametrize("name", SERVERS)
def test_servers_of_chat_completions_are_asked_for_it(name: str, client: str) -> None:
    wanted = None if name.lower() in WITHOUT else WANTED
    assert sent(client, SERVERS[name]).get("stream_options") == wanted


@pytest.mark.parametrize("client", ALWAYS)
@pytest.mark.parametrize("name", CLOUDS_OF_CHAT)
def test_clouds_are_asked_for_it(name: str, client: str) -> None:
    row = CLOUDS_OF_CHAT[name]
    cloud: Any = {"name": row.name, **{value: row.usual.get(value, "x") for value in row.values}}
    wanted = None if row.name in WITHOUT else WANTED
    assert sent(client, CHAT, cloud=cloud, key="k").get("stream_options") == wanted


@pytest.mark.parametrize(("client", "provider"), [one for one in PAIRS if one[1] != CHAT])
def test_others_report_it_unasked(client: str, provider: str) -> None:
    """Nothing about it is found, as nothing is lost."""
    options: Any = {"stream": True} if client in PATHS else {}
    made = proxai_ir.compile(asked(client), client, provider, kind="request", **options)
    assert "STR-13" not in made.rules


@pytest.mark.parametrize("client", ALWAYS)
def test_a_response_as_a_whole_has_it_anyway(client: str) -> None:
    whole = {**asked(client), "stream": False} if client not in PATHS else asked(client)
    options: Any = {"stream": False} if client in PATHS else {}
    made = proxai_ir.compile(whole, client, CHAT, kind="request", **options)
    assert "stream_options" not in made.output
