"""Law: what a turn has besides its parts is never lost in silence where turns are joined, moved or made anew.

Every server that a capability says structural demands of is relayed to, in its own protocol, with members of their own
on every message: each is in the output or reported. So is every participant's name, from the protocol that has them to
every server. And what Anthropic's messages set holds for the text that it was set for, and for no other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, Literal

import pytest

import proxai_ir
from proxai_ir import Profile
from proxai_ir.ir.parts import FunctionCall, Text, ToolResult
from proxai_ir.ir.request import ASSISTANT, DEVELOPER, SYSTEM, TOOL, USER, Request, Turn
from proxai_ir.ir.tools import FunctionTool
from proxai_ir.protocol.registry import backend, frontend

Json = Any

CHAT, MESSAGES = "openai_chat_completions", "anthropic_messages"
WORD = {role: role.value for role in (SYSTEM, DEVELOPER, USER, ASSISTANT, TOOL)}


def said(role: Any, number: int) -> Turn:
    return Turn(role, [Text(f"{WORD[role]} {number}")])


def called(*ids: str) -> Turn:
    return Turn(ASSISTANT, [FunctionCall(one, "f", {}) for one in ids])


def returned(*ids: str) -> list[Turn]:
    return [Turn(TOOL, [ToolResult(one, [Text("done")], name="f")]) for one in ids]


def conversation() -> list[Turn]:
    """Neighbours of every role, instructions at every place, and something between calls and their results."""
    return [
        said(SYSTEM, 0),
        said(DEVELOPER, 1),
        said(USER, 2),
        said(USER, 3),
        said(SYSTEM, 4),
        said(SYSTEM, 5),
        said(ASSISTANT, 6),
        called("c1", "c2"),
        said(ASSISTANT, 7),
        said(DEVELOPER, 8),
        *returned("c1", "c2"),
        said(USER, 9),
        said(SYSTEM, 10),
        said(ASSISTANT, 11),
        said(ASSISTANT, 12),
        said(SYSTEM, 13),
        said(USER, 14),
    ]


def demanding(protocol: str) -> list[Profile]:
    """A profile for each capability that sets constraints, stated as other than it is by default, and pairs of them."""
    settings = backend(protocol).target.settings
    others: dict[str, Any] = {
        name: not one.default for name, one in settings.items() if one.constraints and isinstance(one.default, bool)
    }
    alone: list[dict[str, Any]] = [{name: value} for name, value in others.items()]
    return [Profile(protocol, **stated) for stated in (*alone, *(a | b for a, b in combinations(alone, 2)))]


PROTOCOLS = proxai_ir.protocols()
SERVERS = [profile for protocol in PROTOCOLS for profile in demanding(protocol)]


def marked(protocol: str) -> tuple[Json, str]:
    """The conversation in a protocol, each of whose messages has a member that no other one has; where they stand."""
    root = Request(None, "m", conversation(), [FunctionTool("f", None, {"type": "object", "properties": {}})])
    root.max_tokens = 64
    payload = proxai_ir.raise_to(root, protocol)
    place = frontend(protocol).wire_paths["Request"].get("turns", "messages")
    for number, message in enumerate(payload[place]):
        message["x_mark"] = f"mark {number}."
    return payload, place


def covered(pointer: str, found: tuple[proxai_ir.Diagnostic, ...]) -> bool:
    return any(pointer == one.path or pointer.startswith(f"{one.path}/") for one in found if one.path)


def test_there_are_servers_with_demands() -> None:
    assert {profile.protocol for profile in SERVERS} >= {CHAT, MESSAGES, "openai_responses"}


Later = Literal["hoist", "in_place"]
LATER: list[Later] = ["hoist", "in_place"]


@pytest.mark.parametrize("instructions", LATER)
@pytest.mark.parametrize("server", SERVERS, ids=repr)
def test_a_relay_names_the_members_of_messages_that_it_joins(server: Profile, instructions: Later) -> None:
    payload, place = marked(server.protocol)
    made = proxai_ir.compile(payload, server.protocol, server, instructions=instructions)
    output = json.dumps(made.output)
    for number in range(len(payload[place])):
        assert f'"mark {number}."' in output or covered(f"/{place}/{number}/x_mark", made.diagnostics), number


@pytest.mark.parametrize("instructions", LATER)
@pytest.mark.parametrize("server", [*PROTOCOLS, *SERVERS], ids=repr)
def test_names_of_participants_are_sent_or_named(server: str | Profile, instructions: Later) -> None:
    payload, _ = marked(CHAT)
    for number, message in enumerate(payload["messages"]):
        del message["x_mark"]
        message["name"] = f"name_{number}_"
    made = proxai_ir.compile(payload, CHAT, server, instructions=instructions, repair=("calls",))
    output = json.dumps(made.output)
    for number in range(len(payload["messages"])):
        assert f"name_{number}_" in output or covered(f"/messages/{number}/name", made.diagnostics), number


# --- what messages of Anthropic's set ---------------------------------------------------------------------------------

KINDS: dict[str, Json] = {
    "plain": {},
    "low": {"output_config": {"effort": "low"}},
    "max": {"output_config": {"effort": "max"}},
    "passing": {"clear_at": "next_user_message"},
    "both": {"clear_at": "next_user_message", "output_config": {"effort": "low"}},
    "only": {"content": [], "output_config": {"effort": "high"}},
}
PATTERNS = ["user {0} {1} assistant user", "user assistant {0} {1} user", "{0} {1} user", "user assistant user {0} {1}"]


def talks() -> Iterator[tuple[str, list[Json]]]:
    """What the messages are, and themselves."""
    for pattern, kinds in product(PATTERNS, product(KINDS, repeat=2)):
        messages: list[Json] = []
        for number, word in enumerate(pattern.format(*kinds).split()):
            role = word if word in ("user", "assistant") else "system"
            messages.append({"role": role, "content": f"text {number}.", **KINDS.get(word, {})})
        yield f"{pattern.format(*kinds)}", messages


@pytest.mark.parametrize("instructions", LATER)
@pytest.mark.parametrize(("about", "messages"), [*talks()], ids=lambda one: one if isinstance(one, str) else "")
def test_a_message_keeps_what_it_sets_to_itself(about: str, messages: list[Json], instructions: Later) -> None:
    server = Profile(MESSAGES, system_in_place=True)
    request = {"model": "m", "max_tokens": 64, "messages": messages}
    made = proxai_ir.compile(request, MESSAGES, server, instructions=instructions)
    found, sent = made.diagnostics, [one for one in made.output["messages"] if one["role"] == "system"]
    for number, message in enumerate(messages):
        if message["role"] != "system":
            continue
        here = [one for one in sent if f"text {number}." in json.dumps(one["content"])]
        passing = message.get("clear_at")
        if here:  # with the others of its kind, if with any
            assert [one.get("clear_at") for one in here] == [passing]
        elif passing:
            assert covered(f"/messages/{number}/clear_at", found)
        effort = message.get("output_config")
        if effort is not None:
            kept = [one for one in here or sent if one.get("output_config") == effort]
            assert kept or covered(f"/messages/{number}/output_config/effort", found)
    set_to = [one["output_config"]["effort"] for one in messages if "output_config" in one]
    assert [one["output_config"]["effort"] for one in sent if "output_config" in one][-1:] == set_to[-1:]
