"""Signatures over three rounds with tools: each comes back byte for byte at its own part, or not at all and by name;
none is ever given to another provider (RSN-4, RSN-9, RSN-24, RSN-26 to RSN-30)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import pytest
from attrs import evolve
from hypothesis import strategies as st

import proxai_ir
from proxai_ir.ir.envelope import TAG
from proxai_ir.passes.seals import MARK

from ..trials import each_count, hold
from .sessions import ANTHROPIC, CHAT, CLIENTS, GEMINI, PROVIDERS, RESPONSES, Marks, Part, Provider, read

OPTIONS: dict[str, Any] = {
    "emulate": "auto",
    "repair": ("calls",),
    "instructions": "in_place",
}
KEYS = {"k": b"a key of 16 bytes"}
TAGS = (TAG, MARK, base64.b64encode(TAG.encode()).decode())


class Session(NamedTuple):
    """Of one provider: what it said, what was found of its responses, and what it gets of it in the last request."""

    issued: list[list[Part]]
    found: list[Any]
    sent: list[list[Part]]


def spoken(provider: Provider, kinds: Iterable[str], marks: Marks) -> list[Any]:
    return [provider.makers[kind](marks) for kind in kinds]


def session(client_name: str, name: str, rounds: list[list[str]], streamed: bool) -> Session:
    client, provider, marks = CLIENTS[client_name], PROVIDERS[name], Marks()
    options = {**OPTIONS, "seals": evolve(client.seals, keys=KEYS)}
    asked, issued, found = client.asked, [], []
    for kinds in rounds:
        parts = spoken(provider, kinds, marks)
        issued.append([provider.part(one) for one in parts])
        response, notes = read(provider.response(parts, streamed), name, client.protocol, streamed, **options)
        found += notes
        asked = client.next(asked, response, marks)
    made = proxai_ir.compile(asked, client.protocol, name, kind="request", model="m", **options)
    assert not any(tag in json.dumps(made.output) for tag in TAGS)
    return Session(issued, found, [[provider.part(one) for one in parts] for parts in provider.sent(made.output)])


def rounds_of(name: str) -> st.SearchStrategy[list[list[str]]]:
    parts = st.lists(st.sampled_from(sorted(PROVIDERS[name].makers)), min_size=1, max_size=4)
    return st.lists(parts, min_size=3, max_size=3)


def joined(parts: Iterable[Part], between: str = "") -> list[Part]:
    """Texts that follow one another as one, with the signature of the last: clients of streams join them.

    `between`: what stands between texts, which are items of Responses and become paragraphs (PLC-8).
    """
    made: list[Part] = []
    for kind, text, seal in parts:
        if made and kind in ("text", "thought") and made[-1][0] == kind and not made[-1][2]:
            made[-1] = (kind, made[-1][1] + (between if kind == "text" else "") + text, seal)
        else:
            made.append((kind, text, seal))
    return made


def of_calls(parts: list[Part]) -> list[Part]:
    """The first call has a signature that stands in a part of its own, if it has none (RSN-28)."""
    call = next((index for index, part in enumerate(parts) if part[0] == "call"), None)
    alone = next((index for index, part in enumerate(parts) if part[:2] == ("text", "")), None)
    if call is None or alone is None or parts[call][2]:
        return parts
    signed = [(*part[:2], parts[alone][2]) if index == call else part for index, part in enumerate(parts)]
    return [part for index, part in enumerate(signed) if index != alone]


@each_count
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("client", "name"),
    [(ANTHROPIC, RESPONSES), (GEMINI, RESPONSES), (RESPONSES, ANTHROPIC), (GEMINI, ANTHROPIC)],
)
def test_reasoning_comes_back_as_it_was(client: str, name: str, streamed: bool, count: int) -> None:
    def law(rounds: list[list[str]]) -> None:
        made = session(client, name, rounds, streamed)
        between = "\n\n" if (client, name, streamed) == (GEMINI, RESPONSES, True) else ""
        assert [*map(joined, made.sent)] == [joined(parts, between) for parts in made.issued]

    hold(law, rounds_of(name), count)


@each_count
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client", [ANTHROPIC, RESPONSES])
def test_geminis_parts_come_back_signed_as_they_were(client: str, streamed: bool, count: int) -> None:
    def law(rounds: list[list[str]]) -> None:
        made = session(client, GEMINI, rounds, streamed)
        assert [*map(joined, made.sent)] == [of_calls(joined(parts)) for parts in made.issued]

    hold(law, rounds_of(GEMINI), count)


def hidden(parts: Iterable[Part]) -> str | None:
    """The signature before a text and a call that the call gets, as it has none (RSN-28)."""
    found, spoken = "", False
    for kind, text, seal in parts:
        if kind == "call":
            return found if found and spoken and not seal else None
        spoken = spoken or (kind == "text" and bool(text))
        found = found or (seal if kind == "thought" or (kind, text) == ("text", "") else "")
    return None


@each_count
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_message_of_chat_has_the_signature_of_its_text_and_those_of_its_calls(streamed: bool, count: int) -> None:
    """All others are named: its reasoning and its texts are one string each, in whatever order they came. That of
    reasoning, or one that stands alone, is the message's only where it has no text, and else that of a call behind."""

    def law(rounds: list[list[str]]) -> None:
        made = session(CHAT, GEMINI, rounds, streamed)
        dropped = 0
        for parts, sent in zip(map(joined, made.issued), made.sent, strict=True):
            texts = [part for part in parts if part[0] == "text" and part[1]]
            signed = [seal for _, _, seal in texts if seal]
            others = [
                seal for kind, text, seal in parts if seal and (kind == "thought" or (kind, text) == ("text", ""))
            ]
            message, behind = signed if texts else others, hidden(parts)
            dropped += len({*signed, *others}.difference([*message[:1], behind]))
            own = {text: seal for kind, text, seal in parts if kind == "call" and seal}
            calls = {text: seal for kind, text, seal in sent if kind == "call" and seal}
            beside = [(text, seal) for kind, text, seal in sent if kind != "call" and seal]
            assert behind is None or behind in calls.values()
            if any(seal not in (*own.values(), behind) for seal in calls.values()):  # RSN-28
                beside = [("", seal) for seal in calls.values() if seal not in own.values()]
            assert own.items() <= calls.items()
            assert [seal for _, seal in beside] == message[:1]
            assert all(bool(text) == bool(texts) for text, _ in beside)
        assert len([one for one in made.found if one.rule == "RSN-4"]) == dropped

    hold(law, rounds_of(GEMINI), count)


@each_count
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_a_client_that_returns_ids_alone_returns_the_signatures_of_calls(streamed: bool, count: int) -> None:
    def law(rounds: list[list[str]]) -> None:
        made = session("ids", GEMINI, rounds, streamed)
        calls = [part for parts in made.issued for part in parts if part[0] == "call"]
        assert [part for parts in made.sent for part in parts if part[0] == "call"] == calls

    hold(law, rounds_of(GEMINI), count)


def names(given: st.DataObject) -> list[str]:
    return given.draw(st.lists(st.sampled_from(sorted(PROVIDERS)), min_size=4, max_size=4), label="providers")


@each_count
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("client_name", sorted(CLIENTS))
def test_no_provider_gets_the_signatures_of_another(client_name: str, streamed: bool, count: int) -> None:
    """The provider changes from round to round, also to one of the client's own protocol."""
    client = CLIENTS[client_name]
    options = {**OPTIONS, "seals": evolve(client.seals, keys=KEYS)}

    def law(given: st.DataObject) -> None:
        marks, asked = Marks(), client.asked
        seals: dict[str, set[str]] = {}
        for name in names(given):
            provider = PROVIDERS[name]
            made = proxai_ir.compile(asked, client.protocol, name, kind="request", model="m", **options)
            text = json.dumps(made.output)
            foreign = {seal for maker, found in seals.items() if maker != name for seal in found}
            assert [one for one in (*TAGS, *foreign) if one in text] == []
            parts = spoken(provider, given.draw(rounds_of(name))[0], marks)
            seals.setdefault(name, set()).update(seal for _, _, seal in map(provider.part, parts) if seal)
            response, _ = read(provider.response(parts, streamed), name, client.protocol, streamed, **options)
            asked = client.next(asked, response, marks)

    hold(law, st.data(), count)
