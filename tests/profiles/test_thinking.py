"""What is written for thinking has the members that it needs, for every model behind every protocol that serves it,
whatever a request says of thinking (RSN-1, RSN-2, RSN-6)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, profiles
from proxai_ir.ir.parts import Text
from proxai_ir.ir.request import USER, Display, Effort, Request, Sampling, Thinking, ThinkingMode, Turn
from proxai_ir.ir.tools import Choice, ChoiceMode, FunctionTool
from proxai_ir.profiles.facts import CHAT, CONVERSE, GEMINI, MESSAGES, RESPONSES
from proxai_ir.profiles.vendors import FACTS

Json = dict[str, Any]
CLAUDES = {
    "enabled": ({"type", "budget_tokens"}, {"display"}),
    "adaptive": ({"type"}, {"display"}),
    "disabled": ({"type"}, set[str]()),
    "between_tools": ({"type"}, set[str]()),
}
"""The members of `thinking` that each type needs, and those that it may have besides (anthropic.types)."""
NOVAS = {"enabled": ({"type"}, {"maxReasoningEffort"}), "disabled": ({"type"}, set[str]())}
COHERES = {"enabled": ({"type"}, {"token_budget"}), "disabled": ({"type"}, set[str]())}
SWITCHES = {
    "enabled": ({"type"}, {"budget_tokens", "clear_thinking", "keep"}),
    "disabled": ({"type"}, set[str]()),
    "adaptive": ({"type"}, set[str]()),
}


def _added(made: Json) -> Json:
    return made.get("additionalModelRequestFields") or {}


WHERE: dict[str, list[tuple[Any, Any]]] = {
    MESSAGES: [(lambda made: made.get("thinking"), CLAUDES)],
    CONVERSE: [
        (lambda made: _added(made).get("thinking"), CLAUDES),
        (lambda made: _added(made).get("reasoningConfig"), NOVAS),
    ],
    "cohere_v2_chat": [(lambda made: made.get("thinking"), COHERES)],
    CHAT: [(lambda made: made.get("thinking"), SWITCHES)],
}
"""Where the protocols have objects of thinking with members that they need. Those of the others need none."""
PLAIN: dict[str, Any] = {
    RESPONSES: lambda made: made.get("reasoning", {"effort": None}),
    GEMINI: lambda made: made.get("generationConfig", {}).get("thinkingConfig", {"thinkingBudget": None}),
}


def flaws(protocol: str, made: Json) -> Iterator[str]:
    for get, kinds in WHERE.get(protocol, ()):
        found = get(made)
        if found is None:
            continue
        needed, allowed = kinds.get(found.get("type"), (None, set[str]()))
        if needed is None:
            yield f"{found}: no type"
        elif needed - found.keys() or found.keys() - needed - allowed:
            yield f"{found}: {needed} and {allowed}"
        budget, limit = found.get("budget_tokens"), made.get("max_tokens")
        if protocol == MESSAGES and budget is not None and not 1024 <= budget < limit:
            yield f"{found}: within {limit} tokens"
    if protocol in PLAIN and not PLAIN[protocol](made):
        yield "nothing is stated"


@cache
def models(protocol: str) -> dict[Profile, str]:
    """What the models behind a protocol take of thinking, each with a name; by family, the versions at which rows begin
    and end."""
    found: dict[Profile, str] = {Profile(protocol): "any"}
    for row in FACTS:
        if protocol not in row.protocols:
            continue
        versions = {row.since, row.until, *((one,) for one in range(2, 7))} - {()}
        names = ["-".join([family, *map(str, one)]) for family in row.families for one in versions]
        for name in [*row.families, *names, *(f"{one}-{word}" for one in row.families for word in row.only)]:
            found.setdefault(_of_thinking(profiles.for_model(protocol, name)), name)
    return found


def _of_thinking(profile: Profile) -> Profile:
    stated = {name: value for name, value in profile.given.items() if ABOUT.search(name)}
    return Profile(profile.protocol, **stated)


ABOUT = re.compile("think|effort|family|sampling")
WORDS: tuple[tuple[Any, ...], ...] = (
    (None, *ThinkingMode),
    (None, Effort.MINIMAL, Effort.MAX),
    (None, 512),
    (None, *Display),
)
AROUND: tuple[tuple[int | None, float | None, bool], ...] = (
    (None, None, False),
    (4096, 0.3, False),
    (900, None, True),
)
"""The limit of tokens, the temperature, and whether a tool is forced."""


def asked(thinking: Thinking, most: int | None, temperature: float | None, forced: bool) -> Request:
    made = Request(None, "m", [Turn(USER, [Text("Hi")])], max_tokens=most, thinking=thinking)
    made.sampling = None if temperature is None else Sampling(temperature=temperature)
    if forced:
        made.tools, made.tool_choice = [FunctionTool("f", None, {"type": "object"})], Choice(ChoiceMode.REQUIRED)
    return made


@cache
def written(protocol: str) -> list[tuple[str, Json]]:
    """What is asked for, and what is written for it."""
    found: list[tuple[str, Json]] = []
    for profile, name in models(protocol).items():
        for around, words in product(AROUND, product(*WORDS)):
            made = proxai_ir.raise_to(asked(Thinking(*words), *around), profile)
            found.append((f"{name}: {words}, {around}", made))
    return found


@pytest.mark.parametrize("protocol", proxai_ir.protocols())
def test_thinking_is_written_whole(protocol: str) -> None:
    failed: dict[str, str] = {}
    for what, made in written(protocol):
        for flaw in flaws(protocol, made):
            failed.setdefault(flaw, what)
    assert failed == {}


def test_anthropics_own_types_take_it() -> None:
    types = pytest.importorskip("anthropic.types")
    adapter = pytest.importorskip("pydantic").TypeAdapter(types.ThinkingConfigParam)
    found = [made.get("thinking") for _, made in written(MESSAGES)]
    found += [_added(made).get("thinking") for _, made in written(CONVERSE)]
    for one in {json.dumps(one): one for one in found if one is not None}.values():
        adapter.validate_python(one)
    with pytest.raises(ValueError, match="Field required"):
        adapter.validate_python({"display": "summarized"})


HI = [{"role": "user", "content": "Hi"}]
WISHES: dict[str, Json] = {
    CHAT: {"model": "m", "messages": HI, "reasoning_effort": "high"},
    RESPONSES: {"model": "m", "input": "Hi", "reasoning": {"effort": "high"}},
    GEMINI: {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "HIGH"}},
    },
    "ollama_chat": {"model": "m", "messages": HI, "think": True},
    MESSAGES: {"model": "m", "max_tokens": 32000, "messages": HI, "thinking": {"type": "adaptive"}},
}


@pytest.mark.parametrize("src", WISHES)
@pytest.mark.parametrize("model", ["claude-3-7-sonnet", "claude-sonnet-4", "claude-sonnet-4-5", "claude-haiku-4-5"])
@pytest.mark.parametrize("protocol", [MESSAGES, CONVERSE])
def test_models_with_budgets_alone_think_as_much_as_is_asked(protocol: str, model: str, src: str) -> None:
    """The budget of `high` is 16384, and half of the tokens that there are where that is less."""
    name = model if protocol == MESSAGES else f"us.anthropic.{model}"
    made = proxai_ir.compile(WISHES[src], src, profiles.for_model(protocol, name), kind="request", model="m").output
    made = made if protocol == MESSAGES else _added(made)
    assert made["thinking"]["type"] == "enabled"
    assert made["thinking"]["budget_tokens"] == (16000 if MESSAGES in (protocol, src) else 16384)
    assert "output_config" not in made


@pytest.mark.parametrize("src", WISHES)
def test_the_first_nova_gets_no_reasoning(src: str) -> None:
    """Its servers refuse members that they do not know; Nova 2 has `reasoningConfig`."""

    def sent(model: str) -> Json:
        target = profiles.for_model(CONVERSE, model)
        return _added(proxai_ir.compile(WISHES[src], src, target, kind="request").output)

    assert [sent(f"amazon.nova-{name}-v1:0") for name in ("micro", "lite", "pro", "premier")] == [{}] * 4
    assert sent("amazon.nova-2-lite-v1:0")["reasoningConfig"]["type"] == "enabled"
