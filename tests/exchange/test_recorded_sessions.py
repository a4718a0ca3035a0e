"""Recorded sessions of Claude Code, Codex, Gemini CLI and opencode, towards every protocol (UNK-7, RSN-45, PLC-25).

Nothing is lost but what is named below; every request begins with the whole of the one before it; each call and each
result is there once; the vendors' servers accept it; and the session lives on with its summary when it was too long.
The histories hold what the agent's own vendor answered: a session that is moved to another one in its midst.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.exchange.messages import Upstream
from proxai_ir.protocol.registry import framing_of

from ..agents import provider
from ..agents.recording import AGENTS, CALL, SCRIPT, SUMMARY, TOO_LONG, summarises, turns
from ..agents.server import Request
from ..agents.sessions import session
from ..clients.provider import ANTHROPIC, CHAT, GEMINI, INTERACTIONS, RESPONSES
from ..servers.official import OFFICIAL, official_refusals
from ..servers.prefix_cache import PrefixCache
from .errors import gemini
from .support import NOW
from .test_overflow import RECORDED, is_known, sent

Json = Any

BEDROCK, COHERE, OLLAMA = "bedrock_converse", "cohere_v2_chat", "ollama_chat"
PROTOCOLS = sorted(proxai_ir.protocols())
PAIRS = [(agent, target) for agent in AGENTS for target in PROTOCOLS if target != AGENTS[agent].protocol]
EVERY_PAIR = pytest.mark.parametrize(("agent", "target"), PAIRS)

IN_PLACE = {ANTHROPIC, CHAT, RESPONSES, OLLAMA}
"""Which take instructions anywhere, Anthropic behind the user's words."""
REASONS = {
    "OUT-5": "how long the answer is to be cannot be said",
    "PLC-25": "an instruction in mid-conversation is told by the user, whose words may weigh less",
    "RSN-2": "the notes that Claude writes between calls cannot be asked for, nor thoughts shown where there are none",
    "RSN-5": "thoughts of another vendor's model, which cannot read them without their signature",
    "RSN-12": "how much to think cannot be said",
    "RSN-13": "these models do not think beside a `topK`",
    "SCH-7": "a limit of a schema is told in words",
    "SMP-3": "there is no `topK`",
    "TUL-9": "calls at once cannot be forbidden",
    "TUL-20": "a grammar is told in words",
}
"""The rules of what a session does lose, with what the loss is."""
LOST: dict[str, dict[str, set[str]]] = {
    "claude": {
        "PLC-25": {BEDROCK, COHERE, GEMINI, INTERACTIONS},
        "RSN-2": {BEDROCK, CHAT, COHERE, GEMINI, INTERACTIONS, OLLAMA, RESPONSES},
        "RSN-5": {INTERACTIONS, RESPONSES},
        "RSN-12": {COHERE},
        "SCH-7": {GEMINI},
    },
    "codex": {
        "OUT-5": {ANTHROPIC, BEDROCK, COHERE, GEMINI, INTERACTIONS, OLLAMA},
        "PLC-25": {ANTHROPIC, BEDROCK, COHERE, GEMINI, INTERACTIONS},
        "RSN-5": {ANTHROPIC, BEDROCK, INTERACTIONS},
        "RSN-12": {COHERE},
        "TUL-9": {COHERE, GEMINI, INTERACTIONS, OLLAMA},
        "TUL-20": {ANTHROPIC, BEDROCK, CHAT, COHERE, GEMINI, INTERACTIONS, OLLAMA},
    },
    "gemini": {
        "RSN-2": {ANTHROPIC, BEDROCK},
        "RSN-12": {COHERE},
        "RSN-13": {ANTHROPIC, BEDROCK},
        "SMP-3": {CHAT, INTERACTIONS, RESPONSES},
    },
    "opencode": {"RSN-5": {INTERACTIONS, RESPONSES}},
}
"""By agent and rule: the targets."""


def converted(agent: str, target: str, request: Request, **options: Any) -> Upstream:
    exchange = Exchange(AGENTS[agent].protocol, target, model="m", now=NOW, **options)
    return exchange.request(json.dumps(request.body).encode(), request.headers, path=request.path)


@cache
def made(agent: str, target: str) -> tuple[Upstream, ...]:
    return tuple(converted(agent, target, one) for one in session(agent))


def bodies(agent: str, target: str) -> list[Json]:
    """Return what the provider gets in the ten requests of the agent's turns, before the session is too long."""
    own = turns([*session(agent)])[: len(SCRIPT)]
    return [json.loads(sent.body) for one, sent in zip(session(agent), made(agent, target), strict=True) if one in own]


@EVERY_PAIR
def test_a_session_loses_what_is_named_and_nothing_else(agent: str, target: str) -> None:
    lost = {one.rule for sent in made(agent, target) for one in sent.diagnostics if one.severity == "loss"}
    named = {rule for rule, targets in LOST[agent].items() if target in targets}
    assert lost == named
    assert named <= REASONS.keys()
    strict = [converted(agent, target, one, strict=True, accept=tuple(named)) for one in session(agent)]
    assert [one.body for one in strict] == [one.body for one in made(agent, target)]


@pytest.mark.parametrize("agent", AGENTS)
def test_the_own_vendor_gets_the_session_as_it_is(agent: str) -> None:
    for one in session(agent):
        sent = converted(agent, AGENTS[agent].protocol, one, strict=True)
        given = {**one.body, "model": "m"} if "model" in one.body else one.body
        assert json.loads(sent.body) == given


@EVERY_PAIR
def test_every_request_begins_with_the_whole_of_the_one_before(agent: str, target: str) -> None:
    server, sent = PrefixCache(target), bodies(agent, target)
    assert len(sent) == len(SCRIPT)
    for number, request in enumerate(sent):
        new = server.ask(request)
        assert number == 0 or server.misses() == [], number
        assert number == 0 or 0 < len(new) <= 5


@EVERY_PAIR
def test_each_call_and_each_result_is_there_once(agent: str, target: str) -> None:
    for asked, request in enumerate(bodies(agent, target)):
        calls = [at for at, kind in enumerate(SCRIPT[:asked], 1) if kind is CALL]
        assert [json.dumps(request).count(f"apples{at}") for at in calls] == [2] * len(calls)  # the call, its result


@pytest.mark.parametrize(("agent", "target"), [one for one in PAIRS if one[1] in OFFICIAL])
def test_the_vendor_s_server_accepts_it(agent: str, target: str) -> None:
    for one in made(agent, target):
        assert official_refusals(target, json.loads(one.body), one.headers) == []


# --- what changes from a message on -----------------------------------------------------------------------------------

EFFORT: dict[str, Any] = {
    CHAT: lambda body: body["reasoning_effort"],
    RESPONSES: lambda body: body["reasoning"]["effort"],
    GEMINI: lambda body: body["generationConfig"]["thinkingConfig"]["thinkingLevel"].lower(),
    INTERACTIONS: lambda body: body["generation_config"]["thinking_level"],
    BEDROCK: lambda body: body["outputConfig"]["effort"],
    OLLAMA: lambda body: body["think"],
}
"""Where the effort stands; Cohere has none."""


def with_notes(request: Request, **note: Json) -> Request:
    """Claude Code's request with a message of the system's own behind each of the user's words."""
    messages: list[Json] = []
    for one in request.body["messages"]:
        messages.append(one)
        if one["role"] == "user" and "tool_result" not in json.dumps(one) and len(messages) > 2:
            messages.append({"role": "system", "content": f"Note {len(messages)}.", **note})
    return request._replace(body={**request.body, "messages": messages})


@pytest.mark.parametrize("target", EFFORT)
def test_the_effort_of_a_message_is_in_force_from_there_on(target: str) -> None:
    """Claude Code was told so before the third prompt; what a message says holds where the request says another."""
    of_session = [EFFORT[target](body) for body in bodies("claude", target)]
    assert of_session == ["medium"] * 5 + ["low"] * 5
    last = session("claude")[9]
    higher = last._replace(body={**last.body, "output_config": {"effort": "high"}})
    assert EFFORT[target](json.loads(converted("claude", target, higher).body)) == "low"


@pytest.mark.parametrize("target", [one for one in PROTOCOLS if one != ANTHROPIC])
def test_reminders_that_are_forgotten_by_now_are_gone(target: str) -> None:
    request = with_notes(session("claude")[8], clear_at="next_user_message")
    notes = [one["content"] for one in request.body["messages"] if "clear_at" in one]
    body = converted("claude", target, request, strict=True, accept=tuple(REASONS)).body.decode()
    assert len(notes) > 3
    assert [note in body for note in notes] == [False] * (len(notes) - 1) + [True]


# --- a session that is too long ---------------------------------------------------------------------------------------

LONG = "Input is too long for requested model."
REFUSALS: dict[str, bytes] = {
    **dict(map(sent, reversed(RECORDED))),
    BEDROCK: json.dumps({"message": LONG}).encode(),
    COHERE: json.dumps({"message": "too many tokens: total number of tokens"}).encode(),
    OLLAMA: json.dumps({"error": "the input length exceeds the context length"}).encode(),
    INTERACTIONS: json.dumps(gemini(400, "The input token count exceeds the maximum number of tokens", "X")).encode(),
}
"""How a server of each protocol says that a prompt is too long."""


@pytest.mark.parametrize(("agent", "target"), [one for one in PAIRS if one[0] in ("claude", "codex")])
def test_a_session_that_was_too_long_lives_on_with_its_summary(agent: str, target: str) -> None:
    requests = session(agent)
    asked = next(at for at, one in enumerate(requests) if TOO_LONG in json.dumps(one.body))
    summary = next(at for at, one in enumerate(requests) if summarises(one.body))
    own = AGENTS[agent].protocol

    refused = Exchange(own, target).response(400, {}, REFUSALS[target])
    error = json.loads(refused.body)["error"]
    assert refused.status == 400
    assert is_known(own, error, error["message"])

    asking = requests[summary]
    exchange = Exchange(own, target, model="m", now=NOW)
    exchange.request(json.dumps(asking.body).encode(), asking.headers, path=asking.path)
    stream = exchange.stream(200, {"content-type": framing_of(target).content_type})
    answer = provider.BUILDERS[target](None, None, True, SUMMARY)
    said = stream.feed(provider.encoded(target, answer, True, 1)) + stream.end()
    assert SUMMARY in "".join(re.findall(r'"(?:text|delta)":"((?:[^"\\]|\\.)*)"', said.decode()))

    before, after = made(agent, target)[asked].body, made(agent, target)[-1].body
    assert summary == asked + 1 or TOO_LONG in json.dumps(requests[summary - 1].body)
    assert SUMMARY in after.decode()
    assert SUMMARY not in before.decode()
    assert after.decode().count("apples") < before.decode().count("apples")
    assert len(after) < len(before)
