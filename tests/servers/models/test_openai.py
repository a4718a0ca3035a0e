"""OpenAI's models: what each refuses in its two protocols and what its neighbour takes, by hand."""

from __future__ import annotations

import pytest

from tests.servers.models import openai
from tests.servers.models.judge import CHAT, RESPONSES, Json
from tests.servers.models.test_judges import Case, holds, unshown

CHAT_TOOLS: Json = {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]}
IMAGE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
FILE: Json = {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA=="}}


def said(*content: Json) -> Json:
    return {"messages": [{"role": "user", "content": list(content)}]}


CHAT_CASES = (
    Case(
        CHAT, {"temperature": 0.5}, {"temperature": 1}, "/temperature", "gpt-5 o3 gpt-5.5 gpt-6-sol", "gpt-4o gpt-5.1"
    ),
    Case(
        CHAT,
        {"temperature": 0.5, "reasoning_effort": "low"},
        {"temperature": 0.5, "reasoning_effort": "none"},
        "/temperature",
        "gpt-5.1 gpt-5.4 gpt-5.6-sol gpt-6-luna",
    ),
    Case(CHAT, {"top_p": 0.5}, {"top_p": 1}, "/top_p", "o3-mini gpt-5-nano gpt-6-astra gpt-6.2-sol", "gpt-4.1 gpt-5.2"),
    Case(CHAT, {"top_p": 0.5, "reasoning_effort": "high"}, {"top_p": 0.5}, "/top_p", "gpt-5.2 gpt-5.4-mini"),
    Case(CHAT, {"logprobs": True}, {"logprobs": False}, "/logprobs", "o4-mini gpt-5 gpt-5.5", "gpt-4o-mini gpt-5.4"),
    Case(CHAT, {"logprobs": True, "reasoning_effort": "low"}, {"logprobs": True}, "/logprobs", "gpt-5.1 gpt-5.4"),
    *(
        Case(CHAT, {name: 0.5}, {name: 0}, f"/{name}", "o3 gpt-5-mini gpt-5.6 gpt-6.1-terra", "gpt-4o gpt-5.2")
        for name in ("presence_penalty", "frequency_penalty")
    ),
    *(
        Case(CHAT, {name: 0.5, "reasoning_effort": "low"}, {name: 0.5}, f"/{name}", "gpt-5.1 gpt-5.2 gpt-5.4")
        for name in ("presence_penalty", "frequency_penalty")
    ),
    Case(
        CHAT,
        {"max_tokens": 50},
        {"max_completion_tokens": 50},
        "/max_tokens",
        "o3 gpt-5 gpt-5.4 gpt-6-sol gpt-6.2-astra",
        "gpt-4o gpt-4.1-nano",
    ),
    Case(CHAT, {"logit_bias": {"1": 5}}, {"logit_bias": {}}, "/logit_bias", "o3 gpt-5.1 gpt-6-luna", "gpt-4o"),
    Case(CHAT, {"prediction": {"type": "content", "content": "a"}}, {}, "/prediction", "o3 gpt-5 gpt-6-sol", "gpt-4o"),
    Case(
        CHAT, {"stop": ["a"]}, {"stop": None}, "/stop", "o3 o4-mini gpt-5 gpt-5.1 gpt-5.6 gpt-6-astra", "o3-mini gpt-4o"
    ),
    Case(CHAT, {"stop": "a"}, {}, "/stop", "gpt-5.2 gpt-5.4 gpt-5.5 gpt-6.2-sol"),
    Case(CHAT, {"parallel_tool_calls": False}, {}, "/parallel_tool_calls", "o3-mini o3 o4-mini", "gpt-5 gpt-4o"),
    Case(CHAT, {"reasoning_effort": "none"}, {}, "/reasoning_effort", "gpt-4o gpt-4.1 gpt-5 o3 gpt-6-astra", "gpt-5.1"),
    Case(CHAT, {"reasoning_effort": "minimal"}, {"reasoning_effort": "low"}, "/reasoning_effort", "o3 gpt-5.1 gpt-5.6"),
    Case(
        CHAT, {"reasoning_effort": "xhigh"}, {"reasoning_effort": "high"}, "/reasoning_effort", "o4-mini gpt-5 gpt-5.1"
    ),
    Case(
        CHAT,
        {"reasoning_effort": "max"},
        {"reasoning_effort": "xhigh"},
        "/reasoning_effort",
        "gpt-5.2 gpt-5.4 gpt-5.5 gpt-5.6-terra gpt-6-sol gpt-6.1-sol gpt-6.2-sol",
    ),
    Case(
        CHAT,
        {**CHAT_TOOLS, "reasoning_effort": "low"},
        {**CHAT_TOOLS, "reasoning_effort": "none"},
        "/reasoning_effort",
        "gpt-5.4 gpt-5.4-mini gpt-5.5",
        "gpt-5.2 gpt-5",
    ),
    Case(
        CHAT,
        CHAT_TOOLS,
        {**CHAT_TOOLS, "reasoning_effort": "none"},
        "/tools/0/type",
        "gpt-5.6 gpt-5.6-luna gpt-6-sol gpt-6-luna gpt-6.1-terra",
        "gpt-5 gpt-5.4 gpt-5.5",
    ),
    Case(CHAT, CHAT_TOOLS, {"tools": []}, "/tools/0/type", "gpt-6-astra gpt-6.1-sol", "gpt-4o o3"),
    Case(CHAT, {"web_search_options": {}}, {}, "/web_search_options", "gpt-4o gpt-5 o3 gpt-6-sol"),
    Case(
        CHAT,
        said(IMAGE),
        said({"type": "text", "text": "a"}),
        "/messages/0/content/0/type",
        "o3-mini",
        "o3 gpt-4o gpt-5",
    ),
    Case(
        CHAT, said(FILE), said({"type": "text", "text": "a"}), "/messages/0/content/0/type", "o3-mini", "o4-mini gpt-5"
    ),
    Case(
        CHAT,
        said({"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}),
        said(IMAGE),
        "/messages/0/content/0/type",
        "gpt-5 gpt-5-mini",
    ),
    *(
        Case(CHAT, {"messages": [{"role": role, "content": "a"}]}, {}, "/messages/0/role", "o1-mini", "o3 gpt-4o")
        for role in ("system", "developer")
    ),
    Case(CHAT, {}, {"messages": None}, "/messages", "gpt-5-pro gpt-5-codex gpt-5.1-codex-max o3-pro"),
)

INPUT_IMAGE: Json = {"role": "user", "content": [{"type": "input_image", "image_url": "https://a.b/c.png"}]}
INPUT_FILE: Json = {"role": "user", "content": [{"type": "input_file", "file_url": "https://a.b/c.pdf"}]}

RESPONSES_CASES = (
    Case(
        RESPONSES,
        {"temperature": 0.5},
        {},
        "/temperature",
        "o3 gpt-5 gpt-5.5 gpt-6-astra gpt-6.2-sol",
        "gpt-4o gpt-5.2",
    ),
    Case(RESPONSES, {"top_p": 1}, {}, "/top_p", "o4-mini gpt-5-mini gpt-5.6-sol gpt-6.1-sol", "gpt-4.1 gpt-5.4"),
    *(
        Case(
            RESPONSES,
            {name: 0.5, "reasoning": {"effort": "low"}},
            {name: 0.5, "reasoning": {"effort": "none"}},
            f"/{name}",
            "gpt-5.1 gpt-5.2 gpt-5.4 gpt-5.5 gpt-5.6 gpt-6-luna gpt-6.1-terra",
        )
        for name in ("temperature", "top_p")
    ),
    Case(RESPONSES, {"top_logprobs": 2}, {"top_logprobs": 0}, "/top_logprobs", "o3 gpt-5 gpt-6-sol", "gpt-4o gpt-5.1"),
    Case(
        RESPONSES,
        {"include": ["message.output_text.logprobs"], "reasoning": {"effort": "low"}},
        {"include": ["message.output_text.logprobs"], "reasoning": {"effort": "none"}},
        "/include/0",
        "gpt-5.1 gpt-5.4 gpt-5.6-terra",
    ),
    Case(
        RESPONSES,
        {"max_output_tokens": 8},
        {"max_output_tokens": 16},
        "/max_output_tokens",
        "gpt-4o o3 gpt-5 gpt-6-sol",
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "low"}},
        {"reasoning": {}},
        "/reasoning/effort",
        "gpt-4o gpt-4.1 gpt-5-pro",
        "o3",
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "none"}},
        {"reasoning": {"effort": "low"}},
        "/reasoning/effort",
        "o3 gpt-5 gpt-6-astra gpt-6.1-sol gpt-6.2-astra",
        "gpt-5.1 gpt-6-sol gpt-6.1-terra",
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "minimal"}},
        {"reasoning": {"effort": "low"}},
        "/reasoning/effort",
        "o3 gpt-5.1 gpt-5.6 gpt-6-luna",
        "gpt-5 gpt-5-nano",
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "max"}},
        {"reasoning": {"effort": "high"}},
        "/reasoning/effort",
        "gpt-5 gpt-5.1 gpt-5.2 gpt-5.4-nano gpt-5.5",
        "gpt-5.6 gpt-6-sol gpt-6-astra",
    ),
    Case(RESPONSES, {"reasoning": {"summary": "auto"}}, {}, "/reasoning/summary", "gpt-4o gpt-4.1-mini", "o3 gpt-5"),
    Case(
        RESPONSES,
        {"include": ["reasoning.encrypted_content"]},
        {"include": ["message.output_text.logprobs"]},
        "/include/0",
        "gpt-4o gpt-4o-mini gpt-4.1",
        "o3 gpt-5 gpt-6-sol",
    ),
    Case(RESPONSES, {"input": [INPUT_IMAGE]}, {}, "/input/0/content/0/type", "o3-mini", "o3 gpt-5 gpt-4o"),
    Case(RESPONSES, {"input": [INPUT_FILE]}, {}, "/input/0/content/0/type", "o3-mini", "o4-mini gpt-5"),
)

CASES = (*CHAT_CASES, *RESPONSES_CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.protocol} {case.pointer}")
def test_each_model_says_what_its_documents_say(case: Case) -> None:
    holds(case)


def test_each_check_is_shown_by_a_case() -> None:
    assert unshown(openai, CASES) == []
