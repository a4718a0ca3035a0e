"""What is written passes our own checks (LOS-6): a request that was made for a server, given back to the same server in
its own protocol, comes back unchanged without a finding, and is refused by nothing if it is read as anyone's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

import proxai_ir
from proxai_ir import Profile, TranslationError, profiles
from proxai_ir.conversion.directions import direction
from proxai_ir.exchange.servers import named_profiles
from proxai_ir.matrix.specification import spec
from proxai_ir.protocol.registry import backend
from proxai_ir.reporting.diagnostics import Refusal

from ..cases import each
from ..held.shared import Tools
from ..samples import PROTOCOLS, of, others, samples
from ..samples.sample import Json
from ..trials import each_count, hold

MODELS: dict[str, tuple[str, ...]] = {
    "openai_chat_completions": ("gpt-5.6", "gpt-6.2-sol", "o3", "mistral-large-latest", "deepseek-chat", "kimi-k3"),
    "openai_responses": ("gpt-4o", "gpt-5.6", "gpt-6.2-sol"),
    "anthropic_messages": ("claude-sonnet-5-5", "claude-sonnet-4-5", "claude-3-5-haiku", "anthropic.claude-opus-4-8"),
    "gemini_generate_content": ("gemini-2.5-pro", "gemini-4-neon", "gemini-2.0-flash", "publishers/google/gemini-3"),
    "gemini_interactions": ("gemini-2.5-pro", "gemini-4-neon"),
    "bedrock_converse": ("us.anthropic.claude-sonnet-4-5", "amazon.nova-pro-v1:0", "openai.gpt-oss-120b-1:0"),
    "cohere_v2_chat": ("command-a-03-2025", "command-r"),
    "ollama_chat": ("gpt-oss:20b",),
}
EXPECTED: dict[tuple[str, str], str] = {
    ("gemini_generate_content", "PLC-16"): "a last turn that this server continues is reported whenever it is sent",
    ("cohere_v2_chat", "SMP-3"): "a temperature above 1 becomes 1 before it is dropped, where no model takes either",
    ("openai_chat_completions", "SMP-6"): "a temperature above 1 becomes 1, the default, where no model takes more",
}
"""By target and rule: why a request that was written for a server has a finding when it comes back."""


@cache
def servers(protocol: str) -> tuple[Profile, ...]:
    """The servers of a protocol: any, those that have names, of models, and those with one setting that others lack."""
    named = [one for one in named_profiles().values() if one.protocol == protocol]
    models = [profiles.for_model(protocol, model) for model in MODELS[protocol]]
    return (Profile(protocol), *named, *models, *_with_one_setting(protocol))


def _with_one_setting(protocol: str) -> Iterator[Profile]:
    for name, one in backend(protocol).target.settings.items():
        if isinstance(one.default, bool):
            yield Profile(protocol, **{name: not one.default})  # type: ignore[arg-type]


class Given(NamedTuple):
    id: str
    protocol: str
    payload: Json


@cache
def requests() -> tuple[Given, ...]:
    by_hand = [Given(str(one), one.protocol, one.make()) for one in samples("request")]
    of_rules = [
        Given(one.id, one.src, made)
        for section in spec()
        for one in section.examples
        if one.kind == "request" and one.src in PROTOCOLS and isinstance(made := _parsed(one.given), dict)
    ]
    return (*by_hand, *of_rules)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def comes_back(given: Given, server: Profile, **options: Any) -> None:
    """Nothing for what is refused in the first place."""
    try:
        made = proxai_ir.convert(given.payload, given.protocol, server, kind="request", model="m", **options)
    except TranslationError:
        return
    again = proxai_ir.compile(made, server.protocol, server, kind="request")
    found = {one.rule for one in again.diagnostics if (server.protocol, one.rule) not in EXPECTED}
    assert not found, (server, found)
    assert again.output == made or again.diagnostics, (server, again.output)
    assert refusals(made, server) == [], server


def refusals(request: Json, server: Profile) -> list[str]:
    """The rules by which a server's own table and passes refuse a request of its protocol."""
    way = direction(server.protocol, server)
    try:
        way.write(proxai_ir.lower(request, server.protocol, kind="request"), way.back.defaults)
    except Refusal as refusal:
        return [rule for rule, _, _ in refusal.records]
    return []


@each("dst", PROTOCOLS)
def test_for_any_server_of_a_protocol(dst: str) -> None:
    _all(dst, lambda at: servers(dst)[:1])


@each("dst", PROTOCOLS)
def test_for_servers_in_turn(dst: str) -> None:
    _all(dst, lambda at: (servers(dst)[at % len(servers(dst))],))


@pytest.mark.slow
@pytest.mark.parametrize("dst", PROTOCOLS)
def test_for_all_servers(dst: str) -> None:
    _all(dst, lambda at: servers(dst))


EVERY = 5
"""One of so many recordings."""


@pytest.mark.slow
def test_recorded_requests(tools: Tools) -> None:
    for src in PROTOCOLS:
        for at, record in enumerate(tools.records(src, "request")[::EVERY]):
            for dst in others(src):
                try:
                    comes_back(Given(record.id, src, record.payload), servers(dst)[at % len(servers(dst))])
                except AssertionError as error:
                    error.add_note(record.id)
                    raise


@pytest.mark.slow
def test_every_exception_is_needed() -> None:
    for dst, rule in EXPECTED:
        given = (one for one in requests() if one.protocol != dst)
        assert any(rule in rules_again(one, server) for one in given for server in servers(dst)), (dst, rule)


def rules_again(given: Given, server: Profile) -> tuple[str, ...]:
    """The rules of what is found in a request that comes back."""
    try:
        made = proxai_ir.convert(given.payload, given.protocol, server, kind="request", model="m")
    except TranslationError:
        return ()
    return tuple(proxai_ir.compile(made, server.protocol, server, kind="request").rules)


def _all(dst: str, chosen: Any) -> None:
    failed: list[Exception] = []
    for at, given in enumerate(requests()):
        for server in chosen(at) if given.protocol != dst else ():
            for options in ({}, {"emulate": "auto", "instructions": "in_place"}):
                try:
                    comes_back(given, server, **options)
                except AssertionError as error:
                    error.add_note(given.id)
                    failed.append(error)
    if failed:
        raise ExceptionGroup(f"{len(failed)} of {dst}", failed)


@each_count
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_generated_requests(protocol: str, count: int) -> None:
    def law(payload: Json) -> None:
        for dst in PROTOCOLS:
            if dst != protocol:
                comes_back(Given("", protocol, payload), servers(dst)[len(str(payload)) % len(servers(dst))])

    hold(law, of(protocol).strategies["request"], count)
