"""A conversation that grows is converted to one that begins with all that was converted before (PLC-25, PLC-60).

So the provider finds it in its prompt cache; a session of a coding agent is a hundred requests of the same beginning.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from proxai_ir import Exchange, Profile, profiles

from ..servers.prefix_cache import PrefixCache

Json = Any

CHAT, RESPONSES = "openai_chat_completions", "openai_responses"
ANTHROPIC, GEMINI = "anthropic_messages", "gemini_generate_content"


def sent(source: Any, target: Any, request: Json, **options: Any) -> Json:
    return json.loads(Exchange(source, target, model="m", **options).request(json.dumps(request).encode()).body)


def protocol_of(target: Any) -> str:
    return target if isinstance(target, str) else str(target.protocol)


# --- a session of Claude Code's ---------------------------------------------------------------------------------------

EPHEMERAL = {"type": "ephemeral"}
SYSTEM = [
    {"type": "text", "text": "You are Claude Code, Anthropic's official CLI for Claude.", "cache_control": EPHEMERAL},
    {"type": "text", "text": "Use the tools.\n\n# Environment\nWorking directory: /src", "cache_control": EPHEMERAL},
]
PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = [
    {"name": "Read", "description": "Reads a file.", "input_schema": PATH},
    {"name": "Bash", "description": "Runs a command.", "input_schema": {"type": "object", "properties": {}}},
    {"name": "mcp__notes__tag", "input_schema": {"type": "object", "properties": {"tags": {"type": "array"}}}},
]


def text(words: str, **more: Json) -> Json:
    return {"type": "text", "text": words, **more}


def reminder(words: str) -> str:
    return f"<system-reminder>\n{words}\n</system-reminder>"


def claude_code(turns: int) -> Iterator[Json]:
    """The requests of a session: each has the one before, what the model said, and what the client says to that."""
    history: list[Json] = []
    for turn in range(turns):
        history += client_says(turn)
        *before, last = history
        if last["role"] == "user":  # the breakpoint of the conversation moves on with it
            last = {**last, "content": [*last["content"][:-1], {**last["content"][-1], "cache_control": EPHEMERAL}]}
        yield {
            "model": "claude-opus-5-5",
            "max_tokens": 32000,
            "system": [text(f"x-anthropic-billing-header: cc_version=2.1.232.{turn:03x}; cch={turn:05x};"), *SYSTEM],
            "tools": TOOLS,
            "messages": [*before, last],
            "thinking": {"type": "adaptive"},
            "metadata": {"user_id": "user_1"},
            "stream": True,
        }
        history.append({"role": "assistant", "content": model_says(turn)})


def client_says(turn: int) -> list[Json]:
    if turn == 0:
        said = [text(reminder("# claudeMd\nUse tabs.")), text("Make the tests pass.")]
        return [{"role": "user", "content": said}, {"role": "system", "content": "Available agent types: Explore."}]
    results: list[Json] = [
        {"type": "tool_result", "tool_use_id": f"toolu_{turn - 1}_{at}", "content": f"{at} passed"} for at in range(2)
    ]
    results[1] |= {"is_error": True, "content": [text("exit code 1")]} if turn % 4 == 1 else {}
    said = {
        0: [],
        1: [text(reminder("The todo list is empty."))],
        2: [text("Go on, please.")],
    }[turn % 3]
    later = [{"role": "system", "content": [text(f"The date is {turn}."), text("Plan mode is on.")]}]
    return [{"role": "user", "content": [*results, *said]}, *(later if turn % 2 else [])]


def model_says(turn: int) -> list[Json]:
    """Thoughts, a sentence, and two calls at once."""
    return [
        {"type": "thinking", "thinking": f"Step {turn}.", "signature": f"c2ln{turn:04}"},
        *([text(f"I look at step {turn}.")] if turn % 2 == 0 else []),
        {"type": "tool_use", "id": f"toolu_{turn}_0", "name": "Read", "input": {"path": f"{turn}.py"}},
        {"type": "tool_use", "id": f"toolu_{turn}_1", "name": "Bash", "input": {}},
    ]


OTHERS = (
    CHAT,
    RESPONSES,
    GEMINI,
    profiles.COMPATIBLE_CHAT,
    profiles.VLLM,
    profiles.GEMINI_2_5,
    Profile(RESPONSES, system_in_place=False),
)


@pytest.mark.parametrize("target", OTHERS, ids=str)
def test_a_session_of_claude_code_stays_in_the_cache(target: Any) -> None:
    server = PrefixCache(protocol_of(target))
    for turn, request in enumerate(claude_code(10)):
        new = server.ask(sent(ANTHROPIC, target, request))
        assert "billing" not in str(new)
        if turn:
            assert server.misses() == []
            assert 0 < len(new) < 12


def test_hoisted_instructions_change_the_beginning() -> None:
    server = PrefixCache(GEMINI)
    for request in claude_code(2):
        server.ask(sent(ANTHROPIC, GEMINI, request, instructions="hoist"))
    assert server.misses() != []


@pytest.mark.parametrize("target", OTHERS, ids=str)
def test_every_word_of_the_session_arrives(target: Any) -> None:
    *_, request = claude_code(10)
    made = json.dumps(sent(ANTHROPIC, target, request))
    for turn in range(10):
        assert f"{turn}.py" in made or turn == 9
        assert turn % 2 == 0 or f"The date is {turn}." in made


# --- any session ------------------------------------------------------------------------------------------------------

Step = tuple[str, Any]


def rounds(seed: int) -> list[list[Step]]:
    """What the client says and what the model answers, in turn: instructions in any place, calls and their results."""
    rng = random.Random(seed)
    made: list[list[Step]] = []
    open_calls: list[str] = []
    for number in range(6):
        steps: list[Step] = []
        if number == 0 and rng.random() < 0.7:
            steps += [("system", "Be brief."), ("system", "Be kind.")][: rng.randint(1, 2)]
        if open_calls:
            for call in open_calls:
                steps.append(("result", call))
                if rng.random() < 0.2:
                    steps.append(("system", f"Between {number}."))
        if not open_calls:
            steps.insert(rng.choice((0, len(steps))) if number else len(steps), ("user", f"U{number}"))
        elif rng.random() < 0.4:
            steps.append(("user", f"U{number}"))
        steps += [("system", f"Note {number}.{at}.") for at in range(rng.choice((0, 0, 1, 2)))]
        if rng.random() < 0.2:
            steps.append(("user", f"And {number}?"))
        open_calls = [f"call_{number}_{at}" for at in range(rng.choice((0, 1, 2)))]
        answer: list[Step] = [("assistant", f"A{number}")] if not open_calls or rng.random() < 0.5 else []
        made.append(steps)
        made.append([*answer, *(("call", call) for call in open_calls)])
    return made


def chat(steps: list[Step]) -> Json:
    messages: list[Json] = []
    for kind, what in steps:
        if kind == "call":
            call = {"id": what, "type": "function", "function": {"name": "f", "arguments": "{}"}}
            if not messages or messages[-1]["role"] != "assistant":
                messages.append({"role": "assistant", "content": None})
            messages[-1].setdefault("tool_calls", []).append(call)
        elif kind == "result":
            messages.append({"role": "tool", "tool_call_id": what, "content": "ok"})
        else:
            messages.append({"role": kind, "content": what})
    parameters = {"type": "object", "properties": {}}
    tools = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
    return {"model": "m", "messages": messages, "tools": tools}


def responses(steps: list[Step]) -> Json:
    forms: dict[str, Any] = {
        "call": lambda what: {"type": "function_call", "call_id": what, "name": "f", "arguments": "{}"},
        "result": lambda what: {"type": "function_call_output", "call_id": what, "output": "ok"},
        "system": lambda what: {"role": "developer", "content": [{"type": "input_text", "text": what}]},
        "user": lambda what: {"role": "user", "content": what},
        "assistant": lambda what: {"role": "assistant", "content": what},
    }
    tool = {"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}, "strict": False}
    return {"model": "m", "input": [forms[kind](what) for kind, what in steps], "tools": [tool], "store": False}


TARGETS = (
    *OTHERS,
    ANTHROPIC,
    Profile(ANTHROPIC, system_in_place=True),
    Profile(CHAT, system_in_place=False),
)


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("source", [CHAT, RESPONSES])
def test_any_session_stays_in_the_cache(source: str, target: Any) -> None:
    if protocol_of(target) == source:
        pytest.skip("within one protocol nothing is converted")
    write = chat if source == CHAT else responses
    for seed in range(60):
        server = PrefixCache(protocol_of(target))
        steps: list[Step] = []
        said = rounds(seed)
        for client, model in zip(said[::2], said[1::2], strict=True):
            steps += client
            server.ask(sent(source, target, write(steps)))
            if len(server.served) > 1:
                assert server.misses() == [], f"session {seed}"
            steps += model
