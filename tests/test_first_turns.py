"""Histories that begin with the assistant, for servers that want the user first (PLC-24, PLC-81, PLC-23)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, TranslationError

from .test_relays import relayed

CHAT, CONVERSE = "openai_chat_completions", "bedrock_converse"
USER_FIRST = Profile(CONVERSE, assistant_first=False)
BRIEF = {"role": "system", "content": "Be brief."}
GREETING = {"role": "assistant", "content": "How can I help?"}
HI = {"role": "user", "content": "Hi"}
CALL = {
    "role": "assistant",
    "content": "Let me see.",
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "noon"}
TOOLS = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]


def refused(messages: list[dict[str, Any]], target: Any, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(TranslationError) as caught:
        proxai_ir.convert({"model": "m", "messages": messages, "tools": TOOLS}, CHAT, target, **options)
    return [(one.rule, one.path) for one in caught.value.diagnostics if one.severity == "error"]


@pytest.mark.parametrize(
    ("messages", "options", "expected"),
    [
        ([GREETING, HI], {}, [("PLC-81", "/messages/0")]),
        ([BRIEF, GREETING, HI], {}, [("PLC-81", "/messages/1")]),
        ([GREETING, HI], {"emulate": ("user_turn",)}, [("PLC-81", "/messages/0")]),
        ([CALL, RESULT], {}, [("PLC-24", "/messages/0/tool_calls/0")]),
        ([GREETING], {}, [("PLC-17", "/messages")]),  # it is the last one as well, and dropped
    ],
)
def test_the_user_is_first(messages: list[Any], options: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert refused(messages, USER_FIRST, **options) == expected


def test_calls_are_refused_where_a_greeting_is_not() -> None:
    assert refused([CALL, RESULT], CONVERSE) == [("PLC-24", "/messages/0/tool_calls/0")]


@pytest.mark.parametrize("messages", [[HI, GREETING, HI], [BRIEF, HI, CALL, RESULT]])
def test_what_the_user_begins_is_sent(messages: list[Any]) -> None:
    sent: Any = proxai_ir.convert({"model": "m", "messages": messages, "tools": TOOLS}, CHAT, USER_FIRST)
    assert [one["role"] for one in sent["messages"]] == ["user", "assistant", "user"]


def test_a_request_of_the_own_protocol_is_the_servers_to_judge() -> None:
    asked = {
        "messages": [
            {"role": "assistant", "content": [{"text": "How can I help?"}]},
            {"role": "user", "content": [{"text": "Hi"}]},
        ]
    }
    assert relayed(asked, USER_FIRST, CONVERSE) == (asked, [])
