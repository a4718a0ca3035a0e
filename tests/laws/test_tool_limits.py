"""More tools than a server takes in one request: those that the choice names or the conversation has called stay, and
of the others the first, from every protocol; what is left out is named, and the request that is sent is legal by the
same limit (CAP-10, TUL-79, LOS-6).

`zed-industries/zed#42393`, `gsd-build/gsd-2#4376`, `anomalyco/opencode#28911`, `google-gemini/gemini-cli#25440`.
"""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, profiles

Json = Any
CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
MESSAGES, CONVERSE = "anthropic_messages", "bedrock_converse"
GEMINI, COHERE, OLLAMA = "gemini_generate_content", "cohere_v2_chat", "ollama_chat"
TARGETS = (CHAT, RESPONSES, GEMINI)
OBJECT = {"type": "object", "properties": {}}


def chat(number: int) -> Json:
    """A request that calls the last tool and requires the last but one."""
    called = {"id": "c1", "type": "function", "function": {"name": f"t{number - 1}", "arguments": "{}"}}
    return {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "tool_calls": [called]},
            {"role": "tool", "tool_call_id": "c1", "content": "Done."},
        ],
        "tools": [{"type": "function", "function": {"name": f"t{at}", "parameters": OBJECT}} for at in range(number)],
        "tool_choice": {"type": "function", "function": {"name": f"t{number - 2}"}},
    }


def tools_of(target: str, made: Json) -> list[str]:
    if target == GEMINI:
        return [one["name"] for one in made["tools"][0]["functionDeclarations"]]
    return [one.get("function", one)["name"] for one in made["tools"]]


SOURCES = (CHAT, RESPONSES, MESSAGES, CONVERSE, GEMINI, COHERE, OLLAMA)


@pytest.mark.parametrize(("source", "target"), [(one, other) for one in SOURCES for other in TARGETS if one != other])
def test_what_is_needed_stays_and_the_rest_is_named(source: str, target: str) -> None:
    given = proxai_ir.convert(chat(9), CHAT, source)
    chosen = [] if source in (COHERE, OLLAMA) else ["t7"]  # which cannot name one
    kept = ["t0", "t1", "t2"][: 4 - 1 - len(chosen)] + chosen + ["t8"]
    done = proxai_ir.compile(given, source, Profile(target, most_tools=4))
    assert tools_of(target, done.output) == kept
    assert len([one for one in done.diagnostics if one.rule == "TUL-79"]) == 9 - 4


@pytest.mark.parametrize("protocol", TARGETS)
def test_a_request_of_the_server_s_own_protocol_is_its_client_s(protocol: str) -> None:
    given = proxai_ir.convert(chat(9), CHAT, protocol)
    assert proxai_ir.convert(given, protocol, Profile(protocol, most_tools=4)) == given


@pytest.mark.parametrize("number", [3, 4])
def test_within_the_limit_none_is_left_out(number: int) -> None:
    done = proxai_ir.compile(chat(number), CHAT, Profile(GEMINI, most_tools=4))
    assert tools_of(GEMINI, done.output) == [f"t{at}" for at in range(number)]


def test_strict_mode_refuses_what_would_be_left_out() -> None:
    with pytest.raises(proxai_ir.Unrepresentable) as caught:
        proxai_ir.convert(chat(5), CHAT, Profile(GEMINI, most_tools=4), strict=True)
    assert caught.value.rule == "TUL-79"


def test_more_are_needed_than_there_may_be() -> None:
    done = proxai_ir.compile(chat(5), CHAT, Profile(GEMINI, most_tools=1))
    assert tools_of(GEMINI, done.output) == ["t3"]


@pytest.mark.parametrize(
    ("protocol", "model", "server", "most"),
    [
        (CHAT, "gpt-5.1", None, 128),
        (CHAT, "gpt-5.1", "azure", 128),
        (RESPONSES, "gpt-5.1", None, 0),
        (CHAT, "openai/gpt-oss-120b", "groq", 128),
        (CHAT, "grok-4.6", None, 200),
        (RESPONSES, "grok-4.6", None, 200),
        (GEMINI, "gemini-3.1-pro-preview", None, 512),
        (GEMINI, "gemini-3.1-pro-preview", "vertex", 512),
    ],
)
def test_what_servers_take(protocol: str, model: str, server: str | None, most: int) -> None:
    assert profiles.for_model(protocol, model, server).given.get("most_tools", 0) == most
