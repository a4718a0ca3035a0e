"""The recorded sessions of the agents have nothing that is not accounted for, and the job sees what would be new."""

from __future__ import annotations

from typing import Any

import pytest

from ..agents.recording import AGENTS, CALL, SCRIPT, turns
from ..agents.server import Request
from ..agents.sessions import applied, difference, session
from ..agents.sessions.scrub import Scrubber
from .agents import findings


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_has_nothing_new(agent: str) -> None:
    assert [*findings(agent, session(agent))] == []


@pytest.mark.parametrize("agent", AGENTS)
def test_a_session_is_ten_requests_with_five_commands(agent: str) -> None:
    own = turns([*session(agent)])
    assert len(own) >= len(SCRIPT) == 10
    assert [at for at, kind in enumerate(SCRIPT, 1) if kind is CALL] == [1, 3, 4, 6, 9]
    assert all(f"apples{at}" in str(own[9].body) for at in (1, 3, 4, 6, 9))


def test_what_is_new_is_named_once() -> None:
    first, *others = session("claude")
    smell = {"role": "user", "content": [{"type": "smell"}]}
    tools = [*first.body["tools"], {"type": "nose_20270101", "name": "nose"}]
    new = first._replace(
        headers={**first.headers, "anthropic-beta": "claude-code-20250219,new-2027-01-01", "x-mood": "kind"},
        body={**first.body, "mood": "kind", "tools": tools},
    )
    refused = first._replace(body={**first.body, "messages": [*first.body["messages"], smell]})
    found = [(one.kind, one.name) for one in findings("claude", [refused, new, new, *others])]
    assert [(one.kind, one.name) for one in findings("claude", others[:3])] == [("session", "claude")]
    assert found == [
        ("type of content", "claude /messages/*/content/*"),
        ("member", "claude /mood"),
        ("tool", "claude /tools/*"),
        ("beta", "claude new-2027-01-01"),
        ("header", "claude x-mood"),
    ]


def test_what_is_of_one_machine_is_scrubbed(tmp_path: Any) -> None:
    schema = {"type": "object", "properties": {"description": {"type": "string"}}}
    given = Request(
        "/v1/messages",
        {"host": "127.0.0.1:80", "x-session": "0199a213-81a0-7a02-b1a4-52ab2dd0a6b6", "user-agent": "a/2.1.332"},
        {
            "system": f"You work in {tmp_path}/a.",
            "tools": [{"name": "f", "input_schema": schema}],
            "metadata": '{"session": "0199a213-81a0-7a02-b1a4-52ab2dd0a6b6"}',
            "long": "<note>\n" + "word " * 99 + "\n</note>",
        },
    )
    (made,) = Scrubber(tmp_path).scrubbed([given])
    one = "00000001-0000-4000-8000-000000000000"
    assert made.headers == {"x-session": one, "user-agent": "a/0.0.0"}
    assert made.body["system"] == "You work in /home/user/project/a."
    assert made.body["tools"] == given.body["tools"]
    assert made.body["metadata"] == f'{{"session":"{one}"}}'
    assert made.body["long"].startswith("<note>\nword word")
    assert made.body["long"].endswith("\n</note>")
    assert len(made.body["long"]) < 80


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ({}, {"a": [1]}, {"a": [1]}),
        ({"a": [1, 2]}, {"a": [1, 3]}, {"a": {"same": 1, "then": [3]}}),
        ({"a": 1, "b": 2}, {"b": 2, "c": 3}, {"c": 3, "gone": ["a"]}),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, {"a": {"b": 2}}),
    ],
)
def test_a_request_is_the_one_before_and_its_difference(before: Any, now: Any, change: Any) -> None:
    assert difference(before, now) == change
    assert applied(before, change) == now
