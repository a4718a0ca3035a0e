"""Judges of the vendors beside OpenAI, Anthropic and Google: each check fires on what it is about, and on no more."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from tests.servers.models import (
    alibaba,
    cerebras,
    cohere,
    deepseek,
    groq,
    meta,
    minimax,
    mistral,
    moonshot,
    openrouter,
    xai,
    zhipu,
)
from tests.servers.models.judge import CHAT, MESSAGES, RESPONSES, Json, refusals

VENDORS = (alibaba, cerebras, cohere, deepseek, groq, meta, minimax, mistral, moonshot, openrouter, xai, zhipu)
PAIRS = [pair for vendor in VENDORS for pair in vendor.JUDGES]

HI = {"role": "user", "content": "Hi"}
SYSTEM = {"role": "system", "content": "Be short."}
OK = {"role": "assistant", "content": "Ok"}
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
FUNCTION: Json = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
NAMED = {"type": "function", "function": {"name": "f"}}
JSON = {"type": "json_object"}
BY_SCHEMA = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMA}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
FILE = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}}
TEXT = {"type": "text", "text": "Hi"}
OFF = {"thinking": {"type": "disabled"}}


def call(name: str = "aaaaaaaaa", arguments: str = "{}", **members: Json) -> Json:
    """A message of the assistant that calls."""
    made = {"id": name, "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [made], **members}


def output(name: str = "aaaaaaaaa") -> Json:
    return {"role": "tool", "tool_call_id": name, "content": "4"}


def said(*messages: Json) -> Json:
    return {"messages": list(messages)}


def asked(*parts: Json) -> Json:
    return said({"role": "user", "content": [TEXT, *parts]})


def blocks(*content: Json) -> Json:
    """Messages in which the assistant said so much before its output came back."""
    result = {"type": "tool_result", "tool_use_id": "a", "content": "4"}
    return said(HI, {"role": "assistant", "content": list(content)}, {"role": "user", "content": [result]})


ANY, BY_NAME = {"type": "any"}, {"type": "tool", "name": "f"}
USE = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
THOUGHT = {"type": "thinking", "thinking": "So", "signature": "s"}
CALLED = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
ANSWERED = {"type": "function_call_output", "call_id": "a", "output": "4"}
ROUND = said(HI, call(), output())
REASONED = said(HI, call(reasoning_content="So"), output())
TOOLS = {"tools": [FUNCTION]}

BASE: dict[str, Json] = {
    CHAT: {"messages": [HI]},
    RESPONSES: {"input": [HI]},
    MESSAGES: {"messages": [HI], "max_tokens": 99},
}


class Case(NamedTuple):
    """What some models refuse, where, and what is next to it and passes."""

    models: str
    pointer: str
    refused: Json
    neighbour: Json = {}  # noqa: RUF012
    protocol: str = CHAT


def names(vendor: Any, protocol: str = CHAT, without: str = "") -> str:
    return " ".join(model for kind, model in vendor.JUDGES if kind == protocol and model not in without.split())


UNSTOPPABLE = names(xai, without="grok-4.20-0309-non-reasoning")
FIXED = "grok-4.20-0309-reasoning grok-4.20-0309-non-reasoning grok-build-0.1"
BINARY = "magistral-small-latest mistral-small-latest mistral-small-2603 mistral-medium-2604 mistral-medium-3-5"
KIMI_CODE = "kimi-k2.7-code kimi-k2.7-code-highspeed"
OSS = "openai/gpt-oss-120b openai/gpt-oss-20b"
QWEN_3 = "qwen/qwen3-32b qwen/qwen3.6-27b"
LLAMA = (
    "llama-3.3-70b-versatile meta-llama/llama-4-scout-17b-16e-instruct meta-llama/llama-4-maverick-17b-128e-instruct"
)

XAI = (
    Case(names(xai), "/presence_penalty", {"presence_penalty": 0}, {"presence_penalty": None}),
    Case(names(xai), "/frequency_penalty", {"frequency_penalty": 0.5}, {"temperature": 0.5}),
    Case(names(xai), "/messages/0/content/1/type", asked(FILE), asked(IMAGE)),
    Case(UNSTOPPABLE, "/stop", {"stop": ["."]}, {"seed": 1}),
    Case(FIXED, "/reasoning_effort", {"reasoning_effort": "low"}),
    Case("grok-4.7 grok-4.6", "/reasoning_effort", {"reasoning_effort": "none"}, {"reasoning_effort": "xhigh"}),
    Case("grok-4.5", "/reasoning_effort", {"reasoning_effort": "xhigh"}, {"reasoning_effort": "high"}),
    Case("grok-4.3", "/reasoning_effort", {"reasoning_effort": "minimal"}, {"reasoning_effort": "none"}),
    *(
        Case(models, "/reasoning/effort", {"reasoning": {"effort": refused}}, {"reasoning": neighbour}, RESPONSES)
        for models, refused, neighbour in (
            (FIXED, "low", {"summary": "concise"}),
            ("grok-4.7 grok-4.6", "minimal", {"effort": "low"}),
            ("grok-4.5", "none", {"effort": "medium"}),
            ("grok-4.3", "minimal", {"effort": "none"}),
        )
    ),
)
MISTRAL = (
    Case(names(mistral), "/max_completion_tokens", {"max_completion_tokens": 9}, {"max_tokens": 9}),
    Case(names(mistral), "/store", {"store": False}, {"metadata": {"a": "b"}}),
    Case(
        names(mistral),
        "/stream_options/include_usage",
        {"stream": True, "stream_options": {"include_usage": True}},
        {"stream": True},
    ),
    Case(
        names(mistral),
        "/messages/0/name",
        said({**HI, "name": "Ann"}),
        said(HI, call(), {**output(), "name": "f"}),
    ),
    Case(names(mistral), "/seed", {"seed": 1}, {"random_seed": 1}),
    Case(names(mistral), "/user", {"user": "u"}, {"prompt_cache_key": "u", "presence_penalty": None}),
    Case(names(mistral), "/messages/0/role", said({"role": "developer", "content": "Hi"}, HI), said(SYSTEM, HI)),
    Case(
        names(mistral),
        "/messages/1/reasoning_content",
        said(HI, {**OK, "reasoning_content": "So"}, HI),
        said(HI, OK, HI),
    ),
    Case(names(mistral), "/messages/1/tool_calls/0/id", said(HI, call("call_1"), output("call_1")), ROUND),
    Case(names(mistral), "/messages/3", said(HI, call(), output(), HI), said(HI, call(), output(), OK, HI)),
    Case(names(mistral), "/messages/1", said(HI, OK), said(HI, {**OK, "prefix": True})),
    Case(names(mistral), "/temperature", {"temperature": 1.51}, {"temperature": 1.5}),
    Case(names(mistral), "/top_p", {"top_p": 0}, {"top_p": 0.01}),
    Case(names(mistral), "/top_p", {"temperature": 0, "top_p": 0.9}, {"temperature": 0, "top_p": 1}),
    Case(BINARY, "/reasoning_effort", {"reasoning_effort": "medium"}, {"reasoning_effort": "high"}),
    Case("mistral-large-latest mistral-large-2512", "/reasoning_effort", {"reasoning_effort": "high"}),
)
DEEPSEEK = (
    Case(names(deepseek), "/tool_choice", {**TOOLS, "tool_choice": "required"}, {**TOOLS, "tool_choice": "auto"}),
    Case(names(deepseek), "/tool_choice", {**TOOLS, "tool_choice": NAMED}, {**TOOLS, **OFF, "tool_choice": NAMED}),
    Case(names(deepseek), "/response_format/type", {"response_format": BY_SCHEMA}, {"response_format": JSON}),
    Case(names(deepseek), "/messages/1", ROUND, REASONED),
    Case(names(deepseek), "/messages/1", ROUND, {**ROUND, **OFF}),
    Case(names(deepseek), "/messages/1", ROUND, said(HI, call(reasoning_content=""), output())),
    Case(names(deepseek), "/messages/0/role", said({"role": "developer", "content": "Hi"}, HI), said(SYSTEM, HI)),
    Case(names(deepseek), "/max_tokens", {"max_tokens": 393217}, {"max_tokens": 393216}),
    Case(names(deepseek), "/top_logprobs", {"top_logprobs": 2}, {"logprobs": True, "top_logprobs": 2}),
    Case("deepseek-v4-pro", "/messages/0/content/1/type", asked(IMAGE), asked(TEXT)),
    Case("deepseek-v4-pro", "/messages/0/content/1/type", asked(FILE)),
    *(
        Case(names(deepseek, MESSAGES), "/tool_choice/type", {"tool_choice": forced}, neighbour, MESSAGES)
        for forced in ({"type": "any"}, {"type": "tool", "name": "f"})
        for neighbour in ({"tool_choice": {"type": "auto"}}, {**OFF, "tool_choice": forced})
    ),
    Case(names(deepseek, MESSAGES), "/messages/1", blocks(USE), blocks(THOUGHT, USE), MESSAGES),
    Case(names(deepseek, MESSAGES), "/messages/1", blocks(USE), {**blocks(USE), **OFF}, MESSAGES),
    Case(
        names(deepseek, RESPONSES),
        "/input/2",
        {"input": [HI, CALLED, OK, ANSWERED]},
        {"input": [HI, OK, CALLED, {"type": "reasoning", "id": "r", "summary": []}, ANSWERED, OK]},
        RESPONSES,
    ),
    Case(
        names(deepseek, RESPONSES),
        "/tool_choice",
        {"tool_choice": "required"},
        {"tool_choice": "required", "reasoning": {"effort": "none"}},
        RESPONSES,
    ),
)
MOONSHOT = (
    Case(names(moonshot), "/top_p", {"top_p": 1}, {"top_p": 0.95}),
    Case(names(moonshot), "/n", {"n": 2}, {"n": 1}),
    Case(names(moonshot), "/presence_penalty", {"presence_penalty": 0.1}, {"presence_penalty": 0}),
    Case(names(moonshot), "/frequency_penalty", {"frequency_penalty": 0.1}, {"frequency_penalty": 0.0}),
    Case(names(moonshot), "/temperature", {"temperature": 0.6}, {"temperature": 1.0}),
    Case("kimi-k2.6", "/temperature", {**OFF, "temperature": 1}, {**OFF, "temperature": 0.6}),
    Case("kimi-k2.6", "/tool_choice", {"tool_choice": "required"}, {**OFF, "tool_choice": "required"}),
    Case("kimi-k2.6", "/messages/1", ROUND, {**ROUND, **OFF}),
    Case(KIMI_CODE, "/tool_choice", {"tool_choice": NAMED}, {"tool_choice": "none"}),
    Case(f"kimi-k2.6 {KIMI_CODE}", "/messages/1", ROUND, REASONED),
    Case(KIMI_CODE, "/thinking/type", OFF, {"thinking": {"type": "enabled"}}),
    Case("kimi-k3 kimi-k3.1-pro", "/tool_choice", {"tool_choice": NAMED}, {"tool_choice": "required"}),
    Case("kimi-k3.1-pro", "/thinking/type", OFF),
    Case(names(moonshot, MESSAGES), "/temperature", {"temperature": 0.6}, {"temperature": 1}, MESSAGES),
    Case(names(moonshot, MESSAGES), "/top_p", {"top_p": 1}, {"top_p": 0.95}, MESSAGES),
    Case("kimi-k2.6", "/tool_choice/type", {"tool_choice": ANY}, {**OFF, "tool_choice": ANY}, MESSAGES),
    Case("kimi-k2.7-code", "/tool_choice/type", {"tool_choice": ANY}, {"tool_choice": {"type": "auto"}}, MESSAGES),
    Case("kimi-k3", "/tool_choice/type", {"tool_choice": BY_NAME}, {"tool_choice": ANY}, MESSAGES),
    Case("kimi-k2.7-code kimi-k3", "/thinking/type", OFF, {"thinking": {"type": "adaptive"}}, MESSAGES),
    Case("kimi-k3.1-pro", "/reasoning_effort", {"reasoning_effort": "none"}, {"reasoning_effort": "medium"}),
)
ZHIPU = (
    Case("glm-5.3", "/thinking/type", OFF, {"output_config": {"effort": "low"}}, MESSAGES),
    Case(names(zhipu), "/tool_choice", {**TOOLS, "tool_choice": "none"}, {**TOOLS, "tool_choice": "auto"}),
    Case(names(zhipu), "/tool_choice", {**TOOLS, "tool_choice": NAMED}, {**TOOLS, "tool_choice": None}),
    Case(names(zhipu), "/messages", said(SYSTEM), said(SYSTEM, HI)),
    Case("glm-5.3", "/thinking/type", OFF, {"thinking": {"type": "enabled"}}),
    Case("glm-5.3", "/reasoning_effort", {"reasoning_effort": "medium"}, {"reasoning_effort": "low"}),
    Case("glm-5.3", "/temperature", {"temperature": 1.1}, {"temperature": 1}),
    Case("glm-5.3", "/top_p", {"top_p": 1.1}, {"top_p": 1}),
    Case("glm-5.3 glm-5.3-flash", "/max_tokens", {"max_tokens": 131073}, {"max_tokens": 131072}),
)
MINIMAX = (
    Case(names(minimax), "/messages/1", said(SYSTEM, SYSTEM, HI), said(SYSTEM, HI)),
    Case(names(minimax), "/messages/1", said(HI, SYSTEM, HI), said(HI, OK, HI)),
    Case(names(minimax), "/messages/2", said(HI, call("a"), output("b")), said(HI, call("a"), output("a"))),
    Case(
        names(minimax),
        "/messages/1/tool_calls/0/function/arguments",
        said(HI, call("a", '{"x": '), output("a")),
        said(HI, call("a", '{"x": 1}'), output("a")),
    ),
    Case(names(minimax), "/temperature", {"temperature": 0}, {"temperature": 1}),
    Case("MiniMax-M3", "/thinking/type", {"thinking": {"type": "enabled"}}, OFF),
    Case(names(minimax, MESSAGES), "/temperature", {"temperature": 1.1}, {"temperature": 0.01}, MESSAGES),
    Case(
        "MiniMax-M3",
        "/thinking/type",
        {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        {"thinking": {"type": "adaptive"}},
        MESSAGES,
    ),
)
META = (
    Case(names(meta), "/reasoning_effort", {"reasoning_effort": "none"}, {"reasoning_effort": "minimal"}),
    Case(names(meta), "/tool_choice", {**TOOLS, "tool_choice": "none"}, {**TOOLS, "tool_choice": "auto"}),
    Case(names(meta), "/stop", {"stop": "."}, {"frequency_penalty": 1}),
    Case(names(meta), "/logprobs", {"logprobs": True}, {"seed": 1}),
    Case(names(meta), "/top_logprobs", {"top_logprobs": 1}),
    Case(names(meta), "/logit_bias", {"logit_bias": {"1": 1}}),
    Case(
        names(meta, RESPONSES),
        "/reasoning/effort",
        {"reasoning": {"effort": "none"}},
        {"reasoning": {"effort": "xhigh"}},
        RESPONSES,
    ),
    Case(names(meta, RESPONSES), "/tool_choice", {"tool_choice": "required"}, {"tool_choice": "auto"}, RESPONSES),
)
ALIBABA = (
    Case(names(alibaba), "/temperature", {"temperature": 2}, {"temperature": 1.9}),
    Case(names(alibaba, without="qwen3-max"), "/tool_choice", {"tool_choice": "required"}, {"tool_choice": "none"}),
    Case(
        names(alibaba, without="qwen3-max"),
        "/tool_choice",
        {"tool_choice": NAMED},
        {"tool_choice": NAMED, "enable_thinking": False},
    ),
)
GROQ = (
    Case(names(groq), "/n", {"n": 2}, {"n": 1}),
    Case(names(groq), "/logprobs", {"logprobs": True}, {"seed": 1}),
    Case(names(groq), "/top_logprobs", {"top_logprobs": 1}),
    Case(names(groq), "/logit_bias", {"logit_bias": {"1": 1}}),
    Case(names(groq), "/messages/0/name", said({**HI, "name": "Ann"}), said(HI)),
    Case(names(groq), "/messages/1/reasoning_content", said(HI, {**OK, "reasoning_content": "So"}, HI)),
    Case(names(groq), "/response_format/type", {**TOOLS, "response_format": JSON}, {"response_format": JSON}),
    Case(
        names(groq),
        "/response_format/type",
        {**TOOLS, "response_format": BY_SCHEMA},
        {"tools": [], "response_format": BY_SCHEMA},
    ),
    Case(OSS, "/messages/0/content/1/type", asked(IMAGE), asked(TEXT)),
    Case(OSS, "/reasoning_effort", {"reasoning_effort": "none"}, {"reasoning_effort": "low"}),
    Case(QWEN_3, "/reasoning_effort", {"reasoning_effort": "high"}, {"reasoning_effort": "none"}),
    Case("qwen/qwen3.8-27b", "/reasoning_effort", {"reasoning_effort": "max"}, {"reasoning_effort": "high"}),
    Case(LLAMA, "/reasoning_effort", {"reasoning_effort": "low"}),
)
CEREBRAS = (
    Case(
        names(cerebras),
        "/messages/1/reasoning_content",
        said(HI, {**OK, "reasoning_content": "So"}, HI),
        said(HI, {**OK, "reasoning": "So"}, HI),
    ),
    Case(names(cerebras), "/reasoning", {"reasoning": {"effort": "low"}}, {"reasoning_effort": "low"}),
    Case(names(cerebras), "/enable_thinking", {"enable_thinking": False}, {"disable_reasoning": True}),
    Case(names(cerebras), "/top_k", {"top_k": 4}, {"top_p": 0.4}),
    Case(names(cerebras), "/store", {"store": False}, {"prompt_cache_key": "k"}),
    Case(names(cerebras), "/reasoning_effort", {"reasoning_effort": "xhigh"}, {"reasoning_effort": "none"}),
    Case("gpt-oss-120b", "/parallel_tool_calls", {"parallel_tool_calls": False}, {"parallel_tool_calls": True}),
)
COHERE = (
    Case(
        names(cohere),
        "/presence_penalty",
        {"frequency_penalty": 0.1, "presence_penalty": 0.2},
        {"frequency_penalty": 0.1, "presence_penalty": 0},
    ),
)
OPENROUTER = (
    Case(names(openrouter), "/tool_choice", {**TOOLS, "tool_choice": "required"}, {**TOOLS, "tool_choice": "auto"}),
    Case(names(openrouter), "/messages/0/content/1/type", asked(IMAGE), asked(TEXT)),
)
CASES = (
    *XAI,
    *MISTRAL,
    *DEEPSEEK,
    *MOONSHOT,
    *ZHIPU,
    *MINIMAX,
    *META,
    *ALIBABA,
    *GROQ,
    *CEREBRAS,
    *COHERE,
    *OPENROUTER,
)
FLAT = [(case, model) for case in CASES for model in case.models.split()]


def request_of(protocol: str, model: str, settings: Json) -> Json:
    return {"model": model, **BASE[protocol], **settings}


@pytest.mark.parametrize(("case", "model"), FLAT, ids=[f"{model}-{case.pointer}" for case, model in FLAT])
def test_a_check_fires_on_its_payload_and_not_on_its_neighbour(case: Case, model: str) -> None:
    refused = refusals(case.protocol, model, request_of(case.protocol, model, case.refused))
    assert [pointer for pointer, _ in refused] == [case.pointer]
    assert refusals(case.protocol, model, request_of(case.protocol, model, case.neighbour)) == []


def test_each_check_of_each_pair_has_a_case() -> None:
    fired = {
        (case.protocol, model, check)
        for case, model in FLAT
        for _, check in refusals(case.protocol, model, request_of(case.protocol, model, case.refused))
    }
    all_of_them = {(*pair, check) for vendor in VENDORS for pair, checks in vendor.JUDGES.items() for check in checks}
    assert {(name, check.message) for _, name, check in all_of_them - fired} == set()


def test_there_are_many_pairs_of_many_vendors() -> None:
    assert len(PAIRS) >= 25
    assert len(VENDORS) >= 8
    assert len(set(PAIRS)) == len(PAIRS), "a pair has two judges"
