"""Forty sessions whose vendor and protocol change: each request is taken by the judge of each model it may go to.

The client sends back what it got, converted by an Exchange of each provider's in turn; nothing but the names of the
models is stated.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise, permutations

import pytest

from proxai_ir import Exchange, TranslationError, profiles
from tests.exchange.support import NOW, path_of
from tests.servers.models import TAKES, refusals
from tests.servers.models.judge import CHAT, GEMINI, MESSAGES, RESPONSES, Json
from tests.servers.models.session_answers import FOUND, MADE, answer
from tests.servers.models.sessions import INSTRUCTION, LETTERS, NEXT, NOTE, QUESTION, SESSIONS, Session, Step, first
from tests.servers.official import OFFICIAL, server

MODELS = {
    CHAT: [
        "gpt-5.4-mini",
        "gpt-5.6-luna",
        "gpt-4.1",
        *(["kimi-k2.6"] if profiles.for_model(CHAT, "kimi-k2.6").why else []),
    ],
    RESPONSES: "gpt-5.6-sol gpt-6.2-sol gpt-5-mini".split(),
    MESSAGES: "claude-sonnet-5-5 claude-opus-5-5 claude-haiku-4-5".split(),
    GEMINI: "gemini-3.5-flash gemini-3.8-flash gemini-4-neon gemini-2.5-pro".split(),
}
CONVERTED_ALONE = {"claude-haiku-4-5", "gemini-2.5-pro"}
"""Models whose order of messages and parts is not that of these clients, which a relay leaves to the client."""
OTHERS = {"gemini-2.5-pro": "gemini_2_5", "kimi-k2.6": None}
"""Servers of models that are not behind the newest one of their protocol; None: the judge knows all there is."""
WORDS = {"search": FOUND, "code": MADE, "drawn": MADE, "mixed": MADE}
"""What the model says in an answer, which is of the session from then on."""


Found = list[tuple[str, str]]


def refused(protocol: str, model: str, payload: Json, headers: Mapping[str, str]) -> Found:
    """Where a model refuses a request, or its server, with the reason."""
    found = [(pointer, check.message) for pointer, check in refusals(protocol, model, payload)]
    if (name := OTHERS.get(model, OFFICIAL[protocol][0])) is None:
        return found
    in_place = "system_in_place" in TAKES[protocol, model]  # the models of that server before did not take it
    said = server(name).refusals(payload, headers)
    return found + [("", one) for one in said if not (in_place and one.startswith("role: "))]


def played(session: Session) -> list[str]:
    """What is wrong with the requests of a session: refused, or without words that were said."""
    wrong: list[str] = []
    client, opening = session.client, first(session)
    asked, words, summed_up = opening, {INSTRUCTION, QUESTION}, set[str]()
    exchange = Exchange(client, session.steps[0].provider, now=NOW)
    for number, step in enumerate(session.steps, 1):
        for model in MODELS[step.provider]:
            if client == step.provider and model in CONVERTED_ALONE:
                continue
            exchange = Exchange(client, step.provider, model=model, now=NOW)
            sent = exchange.request(json.dumps(asked).encode(), path=path_of(client))
            own = refused(client, model, opening, sent.headers) if client == step.provider else []
            found = refused(step.provider, model, json.loads(sent.body), sent.headers)
            text = sent.body.decode()
            wrong += [f"{number} {model} {' '.join(one)}" for one in found if one not in own]
            expected = words if client == step.provider else words - summed_up
            wrong += [f"{number} {model} lacks {one!r}" for one in sorted(expected) if one not in text]
        if step.answer:
            body = json.dumps(answer(step.provider, step.answer, number)).encode()
            reply = exchange.response(200, {"content-type": "application/json"}, body)
            assert reply.status == 200, reply.body
            if client == step.provider == MESSAGES and step.answer == "compacted":
                summed_up = words - {INSTRUCTION}  # which the summary stands for elsewhere (PLC-63)
            said, result = f"Question {number}.", f"Result {number}."
            asked = NEXT[client](asked, json.loads(reply.body), step.adds, said, result)
            words |= {one for one in (said, result, NOTE) if one in json.dumps(asked)}
            words |= said_by_model(step)
    return wrong


def said_by_model(step: Step) -> set[str]:
    return {WORDS[step.answer]} if step.answer in WORDS else set()


@pytest.mark.parametrize("session", SESSIONS, ids=[one.name for one in SESSIONS])
def test_each_request_of_a_session_is_taken(session: Session) -> None:
    assert played(session) == []


@pytest.mark.parametrize("provider", [MESSAGES, GEMINI, CHAT])
def test_what_was_compacted_for_its_provider_alone_is_refused(provider: str) -> None:
    """R2A-3: nothing else is left of the conversation."""
    compacted = {"type": "compaction", "id": "cmp_1", "encrypted_content": "c2VhbGVk"}
    asked = {"model": "m", "input": [compacted, {"role": "user", "content": QUESTION}]}
    with pytest.raises(TranslationError, match="R2A-3 at /input/0"):
        Exchange(RESPONSES, provider, model=MODELS[provider][0]).request(asked)


def test_the_sessions_have_every_change_and_every_kind() -> None:
    assert len(SESSIONS) == 40
    changes = Counter((one.provider, two.provider) for each in SESSIONS for one, two in pairwise(each.steps))
    assert {pair for pair, times in changes.items() if times >= 3} >= set(permutations(LETTERS.values(), 2))
    assert {(each.client, each.steps[-1].provider) for each in SESSIONS} > set(permutations(LETTERS.values(), 2))
