"""What is carried or reported of a member does not depend on whether the other elements have it too, nor on rivals:
other members that say the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.testing.payloads import Case, accounts_for_every_leaf, converted, leaves, other
from proxai_ir.testing.pointers import Path, at, places, pointer_to, replaced

from ..samples import Sample, of, others, samples
from ..samples.anthropic_messages import building as anthropic
from ..samples.gemini_generate_content import building as gemini
from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Json

ANTHROPIC, GEMINI, CHAT, RESPONSES = (
    "anthropic_messages",
    "gemini_generate_content",
    "openai_chat_completions",
    "openai_responses",
)

# --- one element lacks what another has -------------------------------------------------------------------------------


def mixed(payload: Any) -> Iterator[tuple[Any, Path, str]]:
    """The payload with an element of a list twice, once without one member: before and behind the whole one.

    With the path of the whole one, and the member.
    """
    for path in places(payload):
        element = at(payload, path)
        if not path or not isinstance(path[-1], int) or not isinstance(element, dict):
            continue
        *above, last = path
        index = int(last)
        beside = at(payload, tuple(above))
        for key in element:
            less = {name: value for name, value in element.items() if name != key}
            yield replaced(payload, tuple(above), [*beside[:index], less, *beside[index:]]), (*above, index + 1), key
            yield replaced(payload, tuple(above), [*beside[: index + 1], less, *beside[index + 1 :]]), path, key


def signs(case: Case, dst: str, path: Path) -> bool | None:
    """Whether another value at a place shows: in the output, in a diagnostic, or by its name; None: refused anyway."""
    before = converted(case, dst)
    if isinstance(before, TranslationError):
        return None
    after = converted(Case(case.protocol, case.kind, replaced(case.payload, path, other(at(case.payload, path)))), dst)
    if isinstance(after, TranslationError) or repr(after.output) != repr(before.output):
        return True
    pointer = pointer_to(path)
    named = any(one.path and (pointer == one.path or pointer.startswith(f"{one.path}/")) for one in after.diagnostics)
    return named or after.diagnostics != before.diagnostics


def first_leaf(payload: Any, path: Path) -> Path | None:
    """A string, number or boolean at a place, or the first one inside of it."""
    value = at(payload, path)
    if isinstance(value, (str, int, float)):
        return path
    return next(((*path, *inner) for inner, _ in leaves(value)), None)


def repeated(case: Case, pointer: str) -> bool:
    """Whether a value repeats others in every sample of its kind."""
    return any(re.fullmatch(pattern, f"{case.kind} of any name{pointer}") for pattern in of(case.protocol).repeats)


def assert_nothing_is_hidden(case: Case) -> int:
    """How many places were looked at."""
    silent: list[str] = []
    looked = 0
    for payload, path, key in mixed(case.payload):
        leaf = first_leaf(payload, (*path, key))
        if leaf is None or (len(leaf) > len(path) + 1 and not isinstance(leaf[-2], str)):
            continue
        for dst in others(case.protocol):
            found = signs(Case(case.protocol, case.kind, payload), dst, leaf)
            looked += found is not None
            if found is False and not repeated(case, pointer_to(leaf)):
                silent.append(f"{pointer_to(leaf)} towards {dst}")
    assert not silent, silent
    return looked


@pytest.mark.parametrize("sample", samples("request", "response"), ids=str)
def test_an_element_without_a_member_hides_it_nowhere(sample: Sample) -> None:
    assert_nothing_is_hidden(Case(sample.protocol, sample.kind, sample.make()))


def scored(token: str, **members: Any) -> Json:
    return {"token": token, "logprob": -0.5, "bytes": [72], **members}


SCORES = [scored("Hi", top_logprobs=[scored("Hi"), scored("Ho")]), scored("!", top_logprobs=[])]
CHOSEN = [{"token": "Hi", "logProbability": -0.5, "tokenId": 7}, {"token": "!", "logProbability": -0.1}]
LIKELY = [{"candidates": [{"token": "Ho", "logProbability": -1.5, "tokenId": 8}]}, {}]
NOTE = {"type": "url_citation", "url": "https://e.com", "title": "T", "start_index": 0, "end_index": 2}
LISTS: dict[str, tuple[str, Json]] = {
    "scores of a chat choice": (
        CHAT,
        {
            **chat.response(content="Hi!"),
            "choices": [{**chat.response(content="Hi!")["choices"][0], "logprobs": {"content": SCORES}}],
        },
    ),
    "scores of a Responses text": (
        RESPONSES,
        responses.response(responses.message({**responses.output_text("Hi!", NOTE), "logprobs": SCORES}, id="msg_1")),
    ),
    "scores of a candidate": (
        GEMINI,
        gemini.response("Hi!", logprobsResult={"chosenCandidates": CHOSEN, "topCandidates": LIKELY}),
    ),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_token_without_a_member_hides_it_nowhere(name: str) -> None:
    protocol, payload = LISTS[name]
    assert assert_nothing_is_hidden(Case(protocol, "response", payload)) > 10


@pytest.mark.parametrize("name", ["scores of a chat choice", "scores of a Responses text"])
@pytest.mark.parametrize("without", [0, 1])
def test_likely_tokens_arrive_where_one_token_has_none(name: str, without: int) -> None:
    """Gemini has them in a list of their own, with an entry for each token."""
    protocol, payload = LISTS[name]
    tokens = [scored("Hi", top_logprobs=[scored("Ho")]), scored("!", top_logprobs=[scored("?")])]
    tokens[without].pop("top_logprobs")
    (path,) = (one for one in places(payload) if at(payload, one) == SCORES)
    made = proxai_ir.convert(replaced(payload, path, tokens), protocol, GEMINI, kind="response")
    scores = made["candidates"][0]["logprobsResult"]
    likely = [[each["token"] for each in one.get("candidates") or []] for one in scores["topCandidates"]]
    assert likely == ([[], ["?"]] if without == 0 else [["Ho"], []])


# --- two members for one thing ----------------------------------------------------------------------------------------

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
OTHER = {"type": "object", "properties": {"b": {"type": "integer"}}}
FORMAT = {"text": {"mimeType": "application/json", "schema": SCHEMA}}
TOOL = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
ASKED: dict[str, Json] = {
    CHAT: chat.request(chat.user("Hi")),
    ANTHROPIC: anthropic.request(anthropic.user("Hi")),
    RESPONSES: responses.request(responses.user("Hi")),
    GEMINI: gemini.request(gemini.user("Hi")),
}
RIVALS: dict[str, tuple[str, Json]] = {
    "two limits": (CHAT, {"max_tokens": 7, "max_completion_tokens": 9}),
    "tools and functions": (CHAT, {"tools": [TOOL], "functions": [{"name": "g", "parameters": OTHER}]}),
    "two choices": (CHAT, {"tools": [TOOL], "tool_choice": "required", "function_call": "none"}),
    "two users": (CHAT, {"user": "a", "safety_identifier": "b"}),
    "two efforts": (CHAT, {"reasoning_effort": "low", "reasoning": {"effort": "high"}}),
    "a format and a type": (GEMINI, {"responseFormat": FORMAT, "responseMimeType": "text/plain"}),
    "a format and its type": (GEMINI, {"responseFormat": FORMAT, "responseMimeType": "application/json"}),
    "a format and a schema": (GEMINI, {"responseFormat": FORMAT, "responseSchema": OTHER}),
    "a format, a type and a schema": (
        GEMINI,
        {"responseFormat": FORMAT, "responseMimeType": "application/json", "responseJsonSchema": OTHER},
    ),
    "two schemas": (
        GEMINI,
        {"responseMimeType": "application/json", "responseSchema": SCHEMA, "responseJsonSchema": OTHER},
    ),
    "a budget and a level": (GEMINI, {"thinkingConfig": {"thinkingBudget": 100, "thinkingLevel": "HIGH"}}),
    "a budget and an effort": (
        ANTHROPIC,
        {
            "max_tokens": 4096,
            "thinking": {"type": "enabled", "budget_tokens": 2048},
            "output_config": {"effort": "low"},
        },
    ),
    "a format before the older one": (
        ANTHROPIC,
        {
            "output_config": {"format": {"type": "json_schema", "schema": OTHER}},
            "output_format": {"type": "json_schema", "schema": SCHEMA},
        },
    ),
    "a format behind the older one": (
        ANTHROPIC,
        {
            "output_format": {"type": "json_schema", "schema": SCHEMA},
            "output_config": {"format": {"type": "json_schema", "schema": OTHER}},
        },
    ),
    "two users of Responses": (RESPONSES, {"user": "a", "safety_identifier": "b"}),
    "a prompt and instructions": (RESPONSES, {"instructions": "Be brief.", "prompt": {"id": "p"}}),
}


@pytest.mark.parametrize("name", RIVALS)
def test_neither_of_two_rivals_is_lost_silently(name: str) -> None:
    protocol, settings = RIVALS[name]
    nested = {"generationConfig": settings} if protocol == GEMINI else settings
    payload = {**ASKED[protocol], **nested}
    accounts_for_every_leaf(Case(protocol, "request", payload), others(protocol))
    again = proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind="request"), protocol)
    assert again == payload
