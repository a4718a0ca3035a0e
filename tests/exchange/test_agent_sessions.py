"""Sessions of ten turns of coding agents, towards each other protocol and current models of it: every request begins
with the whole of the one before it, so that the provider's prompt cache hits (PLC-25, PLC-60).

The openings are as the agents send them, in short; what the model answers goes through the Exchange and back again, so
that signatures, placeholders and envelopes are in the history. `test_prompt_caches` has histories by hand.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from proxai_ir import Exchange

from ..clients.provider import ANTHROPIC, CHAT, GEMINI, RESPONSES
from ..servers.models.session_answers import answer
from ..servers.models.sessions import ADD, NEXT
from ..servers.prefix_cache import PrefixCache
from .support import NOW, path_of

Json = Any

PATH: Json = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
LISTS: Json = {"type": "object", "properties": {"tags": {"type": "array"}}}
EPHEMERAL: Json = {"type": "ephemeral"}
CLAUDE_CODE: Json = {
    "model": "m",
    "max_tokens": 32000,
    "system": [
        {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.232.000; cch=00000;"},
        {"type": "text", "text": "You are Claude Code.", "cache_control": EPHEMERAL},
        {"type": "text", "text": "# Environment\nWorking directory: /src", "cache_control": EPHEMERAL},
    ],
    "tools": [
        {"name": "Read", "description": "Reads a file.", "input_schema": PATH},
        {"name": "mcp__notes__tag", "input_schema": LISTS},
        {"name": "add", "description": "Adds.", "input_schema": ADD},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 8},
    ],
    "thinking": {"type": "adaptive"},
    "output_config": {"effort": "high"},
    "metadata": {"user_id": "user_1"},
    "messages": [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "<system-reminder>\n# claudeMd\nUse tabs.\n</system-reminder>"},
                {"type": "text", "text": "Make the tests pass.", "cache_control": EPHEMERAL},
            ],
        },
        {"role": "system", "content": "Available agent types: Explore."},
    ],
}
CODEX: Json = {
    "model": "m",
    "instructions": "You are Codex, based on GPT-5.",
    "tools": [
        {"type": "function", "name": "shell", "description": "Runs.", "strict": False, "parameters": PATH},
        {"type": "function", "name": "add", "description": "Adds.", "strict": False, "parameters": ADD},
        {
            "type": "custom",
            "name": "apply_patch",
            "description": "Edits files.",
            "format": {"type": "grammar", "syntax": "lark", "definition": 'start: "a"'},
        },
        {"type": "web_search", "external_web_access": True},
    ],
    "tool_choice": "auto",
    "parallel_tool_calls": True,
    "reasoning": {"effort": "high", "summary": "auto"},
    "store": False,
    "include": ["reasoning.encrypted_content"],
    "prompt_cache_key": "0199a213",
    "input": [
        {
            "type": "message",
            "role": "developer",
            "content": [{"type": "input_text", "text": "<permissions>read-only</permissions>"}],
        },
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "# AGENTS.md\nUse tabs."}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Make the tests pass."}]},
    ],
}
GEMINI_CLI: Json = {
    "systemInstruction": {"role": "user", "parts": [{"text": "You are an interactive CLI agent."}]},
    "tools": [
        {
            "functionDeclarations": [
                {"name": "read_file", "description": "Reads a file.", "parametersJsonSchema": PATH},
                {"name": "add", "description": "Adds.", "parametersJsonSchema": ADD},
            ]
        }
    ],
    "generationConfig": {
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"},
    },
    "contents": [
        {"role": "user", "parts": [{"text": "<session_context>\nToday is Tuesday.\n</session_context>"}]},
        {"role": "user", "parts": [{"text": "Make the tests pass."}]},
    ],
}
OPENCODE: Json = {
    "model": "m",
    "max_tokens": 32000,
    "reasoning_effort": "medium",
    "messages": [
        {"role": "system", "content": "You are opencode."},
        {"role": "system", "content": "<env>\nWorking directory: /src\n</env>"},
        {"role": "user", "content": "Make the tests pass."},
    ],
    "tools": [
        {"type": "function", "function": {"name": "read", "description": "Reads a file.", "parameters": PATH}},
        {"type": "function", "function": {"name": "add", "description": "Adds.", "parameters": ADD}},
    ],
    "tool_choice": "auto",
}


def _same(asked: Json, turn: int) -> Json:
    return asked


def _claude_code(asked: Json, turn: int) -> Json:
    """The nonce changes with each request, and the breakpoint moves to the last message of the user's."""
    nonce = f"x-anthropic-billing-header: cc_version=2.1.232.{turn:03x}; cch={turn:05x};"
    system = [{"type": "text", "text": nonce}, *asked["system"][1:]]
    at = max(index for index, message in enumerate(asked["messages"]) if message["role"] == "user")
    messages = [*asked["messages"]]
    *before, last = messages[at]["content"]
    messages[at] = {**messages[at], "content": [*before, {**last, "cache_control": EPHEMERAL}]}
    return {**asked, "system": system, "messages": messages}


class Agent(NamedTuple):
    protocol: str
    opening: Json
    dressed: Callable[[Json, int], Json]
    """The request as it is sent in a turn."""


AGENTS = {
    "Claude Code": Agent(ANTHROPIC, CLAUDE_CODE, _claude_code),
    "Codex": Agent(RESPONSES, CODEX, _same),
    "Gemini CLI": Agent(GEMINI, GEMINI_CLI, _same),
    "opencode": Agent(CHAT, OPENCODE, _same),
}
MODELS = {
    CHAT: ("gpt-5.6-luna", "gpt-4.1", "kimi-k2.6", "deepseek-v4-pro", "qwen3.8-max", "mistral-large-latest", "unknown"),
    RESPONSES: ("gpt-5.6-sol", "gpt-6.2-sol", "grok-4.5"),
    ANTHROPIC: ("claude-sonnet-5-5", "claude-opus-4-6", "claude-haiku-4-5"),
    GEMINI: ("gemini-3.8-flash", "gemini-4-neon", "gemini-2.5-pro"),
}
RESTATED = {("Codex", "grok-4.5")}
"""Where a protocol's own client has tools in a form that another vendor's servers of the protocol lack (TUL-25)."""
TURNS = (
    "planned ",
    "calls note",
    "mixed ",
    "text note",
    "planned note",
    "mixed ",
    "thought ",
    "call ",
    "calls ",
    "text ",
)
"""What the model answers, and what the client adds to results and words."""


@cache
def session(name: str, provider: str, model: str) -> list[Json]:
    """What the provider gets in ten turns."""
    agent = AGENTS[name]
    asked, sent = agent.opening, []
    for turn, line in enumerate(TURNS):
        kind, adds = line.split(" ")
        exchange = Exchange(agent.protocol, provider, model=model, now=NOW)
        body = json.dumps(agent.dressed(asked, turn)).encode()
        sent.append(json.loads(exchange.request(body, path=path_of(agent.protocol)).body))
        data = json.dumps(answer(provider, kind, turn + 1)).encode()
        reply = exchange.response(200, {"content-type": "application/json"}, data)
        assert reply.status == 200, reply.body
        asked = NEXT[agent.protocol](asked, json.loads(reply.body), adds, f"Question {turn}.", f"Result {turn}.")
    return sent


CASES = [
    (name, provider, model)
    for name, agent in AGENTS.items()
    for provider, models in MODELS.items()
    for model in models
    if provider != agent.protocol or (name, model) in RESTATED
]


@pytest.mark.parametrize(("name", "provider", "model"), CASES)
def test_a_session_of_an_agent_stays_in_the_cache(name: str, provider: str, model: str) -> None:
    server = PrefixCache(provider)
    for number, request in enumerate(session(name, provider, model)):
        new = server.ask(request)
        assert number == 0 or server.misses() == [], f"turn {number}"
        assert number == 0 or 0 < len(new) < 14
        assert "billing" not in str(new)


@pytest.mark.parametrize(("name", "provider", "model"), CASES)
def test_settings_that_the_cache_depends_on_stay(name: str, provider: str, model: str) -> None:
    """Thinking switched on or off, or another choice of tools, begins a cache anew (Anthropic's page on caching)."""
    sent = session(name, provider, model)
    parts = ("thinking", "output_config", "reasoning", "reasoning_effort", "tool_choice", "toolConfig")
    settings = [{part: one.get(part) for part in parts if (model, part) != UNTHINKING} for one in sent]
    assert all(one == other for one, other in pairwise(settings))


UNTHINKING = ("claude-haiku-4-5", "thinking")
"""An effort is a budget there (RSN-21), which a model that was asked to think always begins with; these answers do not
always, and then none may be asked for while their calls wait (RSN-18)."""
