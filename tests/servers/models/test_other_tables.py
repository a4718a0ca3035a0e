"""What the other vendors' models take and what they do not heed, sources, and the judges over recorded traffic."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.held.shared import SHARED
from tests.servers.models.judge import CHAT, MESSAGES, RESPONSES, VOCABULARY, Json, Pair, refusals
from tests.servers.models.test_other_judges import (
    BY_SCHEMA,
    FUNCTION,
    HI,
    IMAGE,
    NAMED,
    OFF,
    OK,
    PAIRS,
    SCHEMA,
    SYSTEM,
    TOOLS,
    VENDORS,
    asked,
    request_of,
    said,
)

CORPUS = SHARED / "corpus"

_MESSAGE_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
_INPUT_IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
_INPUT_FILE = {"type": "input_file", "file_url": "https://example.org/a.pdf"}
_STRICT = {"type": "function", "function": {**FUNCTION["function"], "strict": True}}
_FLAT = {"type": "function", "name": "f", "parameters": SCHEMA}

SETTINGS: dict[str, dict[str, Json]] = {
    CHAT: {
        "temperature": {"temperature": 0.5},
        "top_p": {"top_p": 0.5},
        "top_k": {"top_k": 5},
        "stop": {"stop": ["."]},
        "presence_penalty": {"presence_penalty": 0.5},
        "frequency_penalty": {"frequency_penalty": 0.5},
        "seed": {"seed": 5},
        "logprobs": {"logprobs": True, "top_logprobs": 2},
        "n": {"n": 2},
        "forced_choice": {**TOOLS, "tool_choice": NAMED},
        "parallel_calls": {**TOOLS, "parallel_tool_calls": False},
        "structured_output": {"response_format": BY_SCHEMA},
        "strict_tools": {"tools": [_STRICT]},
        "images": asked(IMAGE),
        "max_tokens": {"max_tokens": 500},
        "thinking:disabled": OFF,
        "system_in_place": said(HI, OK, SYSTEM, HI),
    },
    RESPONSES: {
        "temperature": {"temperature": 0.5},
        "top_p": {"top_p": 0.5},
        "forced_choice": {"tools": [_FLAT], "tool_choice": "required"},
        "parallel_calls": {"tools": [_FLAT], "parallel_tool_calls": False},
        "structured_output": {"text": {"format": {"type": "json_schema", "name": "s", "schema": SCHEMA}}},
        "strict_tools": {"tools": [{**_FLAT, "strict": True}]},
        "images": {"input": [{"role": "user", "content": [_INPUT_IMAGE]}]},
        "documents": {"input": [{"role": "user", "content": [_INPUT_FILE]}]},
        "max_tokens": {"max_output_tokens": 500},
    },
    MESSAGES: {
        "temperature": {"temperature": 0.5},
        "top_p": {"top_p": 0.5},
        "stop": {"stop_sequences": ["."]},
        "forced_choice": {"tools": [{"name": "f", "input_schema": SCHEMA}], "tool_choice": {"type": "any"}},
        "images": said({"role": "user", "content": [_MESSAGE_IMAGE]}),
        "max_tokens": {"max_tokens": 500},
        "thinking:disabled": OFF,
    },
}


def _setting(protocol: str, word: str) -> Json:
    kind, _, level = word.partition(":")
    if kind != "effort":
        return SETTINGS[protocol][word]
    if protocol == MESSAGES:
        return {"output_config": {"effort": level}}
    return {"reasoning_effort": level} if protocol == CHAT else {"reasoning": {"effort": level}}


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.__name__.rpartition(".")[2])
def test_what_a_model_takes_is_not_refused(vendor: Any) -> None:
    assert vendor.TAKES.keys() == vendor.JUDGES.keys()
    for (protocol, model), words in vendor.TAKES.items():
        assert words
        assert words <= VOCABULARY
        for word in words:
            assert refusals(protocol, model, request_of(protocol, model, _setting(protocol, word))) == [], (model, word)


UNHEEDED: dict[str, Json] = {
    "metadata": {"a": "b"},
    "service_tier": "auto",
    "truncation": "auto",
    "temperature": 0.5,
    "presence_penalty": 0.5,
    "frequency_penalty": 0.5,
    "logit_bias": {"1": 1},
    "store": False,
    "reasoning_effort": "low",
    "thinking": {"type": "disabled", "budget_tokens": 1024},
    "top_k": 5,
    "stop_sequences": ["."],
    "mcp_servers": [],
    "container": "c",
    "context_management": {},
}


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.__name__.rpartition(".")[2])
def test_what_a_model_does_not_heed_is_found_and_not_refused(vendor: Any) -> None:
    assert vendor.IGNORES.keys() <= vendor.JUDGES.keys()
    for (protocol, model), checks in vendor.IGNORES.items():
        found = {
            check
            for name, value in UNHEEDED.items()
            for check in checks
            if check.refuses(request_of(protocol, model, {name: value})) is not None
        }
        assert found == set(checks), model
        for name, value in UNHEEDED.items():
            refused = {pointer for pointer, _ in refusals(protocol, model, request_of(protocol, model, {name: value}))}
            unheeded = {check.refuses(request_of(protocol, model, {name: value})) for check in checks} - {None}
            assert not refused & unheeded, (model, name)


# --- sources and recordings -------------------------------------------------------------------------------------------


def _records(name: str) -> Iterator[Json]:
    path = CORPUS / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip("no folder `shared` next to the repository")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _judged(protocol: str) -> list[tuple[Pair, Json]]:
    """Recorded requests to models of these vendors, on servers of theirs."""
    pairs = set(PAIRS)
    records = [record for record in _records(f"{protocol}.request") if record["dialect"] is not None]
    found = [((protocol, record["payload"].get("model")), record) for record in records]
    return [(pair, record) for pair, record in found if pair in pairs]


def test_each_check_has_a_source() -> None:
    errors = None
    for vendor in VENDORS:
        for checks in (*vendor.JUDGES.values(), *vendor.IGNORES.values()):
            for check in checks:
                assert check.message
                kind, _, name = check.source.partition(": ")
                if kind == "recorded":
                    errors = errors or {one["id"]: one for one in _records(f"{RESPONSES}.error")}
                    assert check.message == errors[name]["payload"]["error"]["message"]
                else:
                    assert check.source.startswith("https://")


@pytest.mark.parametrize(("protocol", "least"), [(CHAT, 80), (RESPONSES, 14)])
def test_no_judge_flags_a_recorded_request_that_was_answered(protocol: str, least: int) -> None:
    answered = {one["exchange"] for kind in ("response", "stream") for one in _records(f"{protocol}.{kind}")}
    requests = [(pair, record) for pair, record in _judged(protocol) if record["exchange"] in answered]
    assert len(requests) >= least
    flagged = {record["id"]: refusals(*pair, record["payload"]) for pair, record in requests}
    assert {name: found for name, found in flagged.items() if found} == {}


def test_the_recorded_refusal_of_a_history_is_foreseen() -> None:
    refused = {one["exchange"] for one in _records(f"{RESPONSES}.error")}
    requests = [(pair, record) for pair, record in _judged(RESPONSES) if record["exchange"] in refused]
    found = [refusals(*pair, record["payload"]) for pair, record in requests]
    assert [[pointer for pointer, _ in each] for each in found] == [["/input/2"]]
