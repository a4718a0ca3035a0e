"""What the tests of the vendors' judges share, and what holds of all three: sources, words, recordings."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from tests.held.shared import SHARED
from tests.servers.models import anthropic, google, openai, refusals
from tests.servers.models.judge import (
    CHAT,
    CONVERSE,
    GEMINI,
    MESSAGES,
    RESPONSES,
    VOCABULARY,
    Check,
    Json,
    Pair,
    effort_path,
    values,
)

VENDORS = (openai, anthropic, google)
JUDGES = {pair: checks for vendor in VENDORS for pair, checks in vendor.JUDGES.items()}
IGNORES = {pair: checks for vendor in VENDORS for pair, checks in vendor.IGNORES.items()}
TAKES = {pair: settings for vendor in VENDORS for pair, settings in vendor.TAKES.items()}
CORPUS = SHARED / "corpus"

BASES: dict[str, Json] = {
    CHAT: {"messages": [{"role": "user", "content": "Hi"}]},
    RESPONSES: {"input": "Hi"},
    MESSAGES: {"max_tokens": 4096, "messages": [{"role": "user", "content": "Hi"}]},
    GEMINI: {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
    CONVERSE: {"messages": [{"role": "user", "content": [{"text": "Hi"}]}]},
}


class Case(NamedTuple):
    """What is added to a request and refused at a pointer, and its nearest neighbour, which passes."""

    protocol: str
    refused: Json
    passes: Json
    pointer: str
    by: str
    """Models that refuse it."""
    taken_by: str = ""
    """Models that take it, where a cautious reader might think otherwise."""


def asked(case: Case, addition: Json) -> Json:
    return {**BASES[case.protocol], **addition}


def verdict(protocol: str, model: str, payload: Json) -> list[str]:
    return [pointer for pointer, _ in refusals(protocol, model, payload)]


def holds(case: Case) -> None:
    """Each model that a case names says of it what the case says."""
    for model in case.by.split():
        assert case.pointer in verdict(case.protocol, model, asked(case, case.refused)), model
        assert verdict(case.protocol, model, asked(case, case.passes)) == [], model
    for model in case.taken_by.split():
        assert verdict(case.protocol, model, asked(case, case.refused)) == [], model


def shown(pair: Pair, check: Check, cases: Sequence[Case]) -> bool:
    """Whether a model's check fires on the request of a case that names the model, and not on its neighbour."""
    return any(
        check.refuses(asked(case, case.refused)) == case.pointer and check.refuses(asked(case, case.passes)) is None
        for case in cases
        if case.protocol == pair[0] and pair[1] in case.by.split()
    )


def unshown(vendor: ModuleType, cases: Sequence[Case]) -> list[tuple[Pair, str]]:
    """The checks of a vendor's models that no case shows of that model."""
    table: dict[Pair, tuple[Check, ...]] = vendor.JUDGES
    return [
        (pair, check.message) for pair, checks in table.items() for check in checks if not shown(pair, check, cases)
    ]


# --- the tables -------------------------------------------------------------------------------------------------------


def test_there_are_judges_of_many_models() -> None:
    assert len(JUDGES) >= 100
    assert {protocol for protocol, _ in JUDGES} == {CHAT, RESPONSES, MESSAGES, GEMINI}


@pytest.mark.parametrize("vendor", VENDORS, ids=["openai", "anthropic", "google"])
def test_each_check_has_a_source_and_says_what_the_server_says(vendor: ModuleType) -> None:
    for checks in (*vendor.JUDGES.values(), *vendor.IGNORES.values()):
        for check in checks:
            assert re.match(r"https://[\w.-]+/\S+$|recorded: [\w-]+$", check.source), check
            assert len(check.message) > 10, check


@pytest.mark.parametrize("vendor", VENDORS, ids=["openai", "anthropic", "google"])
def test_what_each_model_takes_is_said_in_the_vocabulary(vendor: ModuleType) -> None:
    assert vendor.TAKES.keys() == vendor.JUDGES.keys()
    assert vendor.IGNORES.keys() <= vendor.JUDGES.keys()
    for pair, settings in vendor.TAKES.items():
        assert settings <= VOCABULARY, (pair, settings - VOCABULARY)


PLAIN: dict[str, dict[str, Json]] = {
    CHAT: {
        "temperature": {"temperature": 0.5},
        "top_p": {"top_p": 0.5},
        "stop": {"stop": ["a"]},
        "presence_penalty": {"presence_penalty": 0.5},
        "frequency_penalty": {"frequency_penalty": 0.5},
        "seed": {"seed": 1},
        "logprobs": {"logprobs": True},
        "n": {"n": 2},
        "parallel_calls": {"parallel_tool_calls": False},
        "max_tokens": {"max_completion_tokens": 50},
    },
    RESPONSES: {
        "temperature": {"temperature": 0.5},
        "top_p": {"top_p": 0.5},
        "logprobs": {"top_logprobs": 2},
        "parallel_calls": {"parallel_tool_calls": False},
        "max_tokens": {"max_output_tokens": 50},
    },
    MESSAGES: {
        "temperature": {"temperature": 0.5},
        "top_p": {"top_p": 0.5},
        "top_k": {"top_k": 5},
        "stop": {"stop_sequences": ["a"]},
        "forced_choice": {"tool_choice": {"type": "any"}},
        "thinking:budget": {"thinking": {"type": "enabled", "budget_tokens": 2048}},
        "thinking:disabled": {"thinking": {"type": "disabled"}},
        "structured_output": {"output_config": {"format": {"type": "json_schema", "schema": {}}}},
        "strict_tools": {"tools": [{"name": "f", "input_schema": {}, "strict": True}]},
        "max_tokens": {"max_tokens": 50},
        "system_in_place": {"messages": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]},
    },
    GEMINI: {
        "temperature": {"generationConfig": {"temperature": 0.5}},
        "top_p": {"generationConfig": {"topP": 0.5}},
        "top_k": {"generationConfig": {"topK": 5}},
        "stop": {"generationConfig": {"stopSequences": ["a"]}},
        "seed": {"generationConfig": {"seed": 1}},
        "logprobs": {"generationConfig": {"responseLogprobs": True, "logprobs": 2}},
        "forced_choice": {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
        "thinking:budget": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 2048}}},
        "thinking:disabled": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}},
        "structured_output": {
            "generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": {"type": "object"}}
        },
        "max_tokens": {"generationConfig": {"maxOutputTokens": 50}},
    },
}
"""What a request has more, for the words of the vocabulary that one setting is enough for; efforts are added."""


EFFORTS = [word for word in sorted(VOCABULARY) if word.startswith("effort:")]
UNDOCUMENTED = {
    (CHAT, "parallel_calls"): "gpt-6-astra gpt-6.1-sol gpt-6.2-sol gpt-6.2-astra",
    (RESPONSES, "parallel_calls"): "o3-mini o3 o4-mini gpt-5-pro",
    (MESSAGES, "strict_tools"): "anthropic.claude-haiku-5-5 anthropic.claude-opus-5-5",
    (MESSAGES, "structured_output"): "anthropic.claude-opus-5-5",
    (GEMINI, "forced_choice"): google.GEMMAS,
    (GEMINI, "structured_output"): google.GEMMAS,
    (GEMINI, "thinking:disabled"): " ".join(
        f"{name} {google.VERTEX}{name}"
        for name in f"{google.WITH_FOUR} {google.NO_LAST_WORD} {google.NO_MINIMAL} gemini-3.1-pro-preview".split()
    ),
    (GEMINI, "logprobs"): " ".join(
        f"{google.VERTEX}gemini-{name}" for name in "3-flash-preview 3.1-pro-preview 3.6-flash 3.8-flash".split()
    ),
}
"""What a model is not known to take nor to refuse."""


def effort(protocol: str, word: str) -> Json:
    """The addition to a request that asks for an effort."""
    addition: Json = word.removeprefix("effort:")
    for step in reversed(effort_path[protocol].split("/")):
        addition = {step: addition}
    return addition


@pytest.mark.parametrize(("protocol", "model"), [pair for pair in JUDGES if pair != (CHAT, "o1-mini")], ids=str)
def test_a_setting_is_either_taken_or_refused_or_ignored(protocol: str, model: str) -> None:
    pair = protocol, model
    settings = {**PLAIN[protocol], **{word: effort(protocol, word) for word in EFFORTS}}
    for word, addition in settings.items():
        payload = {**BASES[protocol], **addition}
        refused = bool(verdict(protocol, model, payload))
        ignored = any(check.refuses(payload) for check in IGNORES.get(pair, ()))
        unknown = model in UNDOCUMENTED.get((protocol, word), "").split()
        assert [word in TAKES[pair], refused, ignored].count(True) + (unknown and not refused) == 1, word


# --- paths ------------------------------------------------------------------------------------------------------------


def test_values_are_found_by_path_with_pointers() -> None:
    payload = {"a": [{"b": 1}, {"c": 2}, {"b": {"d/e": 3}}], "f": None}
    assert list(values(payload, "a/*/b")) == [("/a/0/b", 1), ("/a/2/b", {"d/e": 3})]
    assert list(values(payload, "a/*/b/*")) == [("/a/2/b/d~1e", 3)]
    assert list(values(payload, "f")) == [("/f", None)]
    assert list(values(payload, "a/b")) == []
    assert list(values("no object", "a/*")) == []


# --- recordings -------------------------------------------------------------------------------------------------------

DATED = re.compile(r"-20\d\d-?\d\d-?\d\d$")
BEFORE_ITS_TIME = "lng-anthropicmidconversationsystemmessage-anthropic-19640e-first"
"""Claude Opus 4.8 refused a role here that it took in all later recordings, as its documentation says."""
OF_THE_PROTOCOL = re.compile(
    "does not exist|is not found|Cannot find field|fetch content|file type|Invalid file data|required following item"
)
"""What a server refuses of any model: a name, a field, an address, a file, a broken history."""


def recorded(protocol: str, kind: str) -> list[Any]:
    path = CORPUS / f"{protocol}.{kind}.jsonl.gz"
    if not path.exists():
        pytest.skip("no recordings in a folder `shared` next to the repository")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def model_of(request: Any, response: Any) -> str | None:
    """The name of the model that a recorded request went to, without its date."""
    body = response["payload"]
    first: Json = body[0] if isinstance(body, list) else body
    stated = request.get("model") or request["payload"].get("model") or first.get("modelVersion")
    if not isinstance(stated, str):
        return None
    name = DATED.sub("", stated.rsplit("/", 1)[-1])
    return f"{google.VERTEX}{name}" if request["dialect"] == "vertex" else name


def exchanges(protocol: str, *kinds: str) -> Iterator[tuple[str, str, Json, Any]]:
    """Each recorded request to a model that has a judge: its exchange, the model, the request and what came back."""
    back = {one["exchange"]: one for kind in kinds for one in recorded(protocol, kind) if one["exchange"]}
    for request in recorded(protocol, "request"):
        response = back.get(request["exchange"])
        model = model_of(request, response) if response and request["dialect"] in (None, "vertex") else None
        if model is not None and (protocol, model) in JUDGES:
            yield request["exchange"], model, request["payload"], response


@pytest.mark.parametrize("protocol", [CHAT, RESPONSES, MESSAGES, GEMINI])
def test_what_a_model_answered_its_judge_takes(protocol: str) -> None:
    found = {
        exchange: verdict(protocol, model, payload)
        for exchange, model, payload, _ in exchanges(protocol, "response", "stream")
    }
    assert len(found) > 50
    assert {exchange: pointers for exchange, pointers in found.items() if pointers} == {}


def test_what_a_model_refused_its_judge_refuses() -> None:
    named: list[str] = []
    for protocol in (CHAT, RESPONSES, MESSAGES, GEMINI):
        for exchange, model, payload, error in exchanges(protocol, "error"):
            message = error["payload"]["error"]["message"]
            if exchange == BEFORE_ITS_TIME or OF_THE_PROTOCOL.search(message):
                continue
            assert verdict(protocol, model, payload), (exchange, message)
            named.append(model)
    assert sorted(named) == ["claude-opus-4-6", "gpt-4o", "gpt-5-mini", "o1-mini", "o1-mini"]


def test_each_recorded_error_that_a_check_names_is_there() -> None:
    known = {one["id"]: one for protocol in (CHAT, RESPONSES, MESSAGES, GEMINI) for one in recorded(protocol, "error")}
    for checks in JUDGES.values():
        for check in checks:
            if check.source.startswith("recorded: "):
                error = known[check.source.removeprefix("recorded: ")]["payload"]["error"]["message"]
                assert check.message in error, check
