"""OpenAI's models: what each refuses in its two protocols and what its neighbour takes, by hand."""

from __future__ import annotations

import pytest

from tests.servers.models import openai
from tests.servers.models.judge import CHAT, RESPONSES, Json
from tests.servers.models.test_judges import Case, holds, unshown

PLAIN = "gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini gpt-4.1-nano"
O_SERIES = "o3-mini o3 o4-mini"
FIVE = "gpt-5 gpt-5-mini gpt-5-nano"
QUIET = "gpt-5.1 gpt-5.2 gpt-5.4 gpt-5.4-mini gpt-5.4-nano"
"""Models that do not reason unless they are told to."""
LOUD = "gpt-5.5 gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-6-sol gpt-6-luna gpt-6.1-terra"
"""Models that reason unless they are told not to."""
ALWAYS = "gpt-6-astra gpt-6.1-sol gpt-6.2-sol gpt-6.2-astra"
"""Models that cannot but reason."""
CODEX = "gpt-5-codex gpt-5.1-codex-max gpt-5.3-codex"
REASON = f"{FIVE} {QUIET} {LOUD} {ALWAYS}"
CHAT_TOOLS: Json = {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]}
IMAGE: Json = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
CONTENT = "/messages/0/content/0/type"
FILE: Json = {"type": "file", "file": {"file_data": "data:application/pdf;base64,AA=="}}


def said(*content: Json) -> Json:
    return {"messages": [{"role": "user", "content": list(content)}]}


CHAT_CASES = (
    Case(
        CHAT,
        {"temperature": 0.5},
        {"temperature": 1},
        "/temperature",
        f"{O_SERIES} {FIVE} {LOUD} {ALWAYS}",
        f"{PLAIN} {QUIET}",
    ),
    Case(CHAT, {"top_p": 0.5}, {"top_p": 1}, "/top_p", f"{O_SERIES} {FIVE} {LOUD} {ALWAYS}", f"{PLAIN} {QUIET}"),
    Case(
        CHAT,
        {"logprobs": True},
        {"logprobs": False},
        "/logprobs",
        f"{O_SERIES} {FIVE} {LOUD} {ALWAYS}",
        f"{PLAIN} {QUIET}",
    ),
    *(
        Case(CHAT, {name: 0.5}, {name: 0}, f"/{name}", f"{O_SERIES} {FIVE} {LOUD} {ALWAYS}", f"{PLAIN} {QUIET}")
        for name in ("presence_penalty", "frequency_penalty")
    ),
    *(
        Case(
            CHAT,
            {name: value, "reasoning_effort": "low"},
            {name: value, "reasoning_effort": "none"},
            f"/{name}",
            f"{QUIET} {LOUD}",
        )
        for name, value in (
            ("temperature", 0.5),
            ("top_p", 0.5),
            ("logprobs", True),
            ("presence_penalty", 0.5),
            ("frequency_penalty", 0.5),
        )
    ),
    Case(CHAT, {"max_tokens": 50}, {"max_completion_tokens": 50}, "/max_tokens", f"o1-mini {O_SERIES} {REASON}", PLAIN),
    Case(CHAT, {"logit_bias": {"1": 5}}, {"logit_bias": {}}, "/logit_bias", f"{O_SERIES} {REASON}", PLAIN),
    Case(CHAT, {"prediction": {"type": "content", "content": "a"}}, {}, "/prediction", f"{O_SERIES} {REASON}", PLAIN),
    Case(CHAT, {"stop": ["a"]}, {"stop": None}, "/stop", f"o3 o4-mini {REASON}", f"o3-mini {PLAIN}"),
    Case(CHAT, {"parallel_tool_calls": False}, {}, "/parallel_tool_calls", O_SERIES, f"{PLAIN} {FIVE} {QUIET} {LOUD}"),
    Case(
        CHAT,
        {"reasoning_effort": "none"},
        {},
        "/reasoning_effort",
        f"{PLAIN} {O_SERIES} {FIVE} {ALWAYS}",
        f"{QUIET} {LOUD}",
    ),
    Case(
        CHAT,
        {"reasoning_effort": "minimal"},
        {"reasoning_effort": "low"},
        "/reasoning_effort",
        f"{O_SERIES} {QUIET} {LOUD} {ALWAYS}",
        FIVE,
    ),
    Case(
        CHAT,
        {"reasoning_effort": "xhigh"},
        {"reasoning_effort": "high"},
        "/reasoning_effort",
        f"{O_SERIES} {FIVE} gpt-5.1",
        f"gpt-5.2 gpt-5.4 {LOUD} {ALWAYS}",
    ),
    Case(CHAT, {"reasoning_effort": "max"}, {"reasoning_effort": "high"}, "/reasoning_effort", f"{O_SERIES} {REASON}"),
    Case(
        CHAT,
        {**CHAT_TOOLS, "reasoning_effort": "low"},
        {**CHAT_TOOLS, "reasoning_effort": "none"},
        "/reasoning_effort",
        "gpt-5.2 gpt-5.4 gpt-5.4-mini gpt-5.4-nano gpt-5.5",
        f"{O_SERIES} {FIVE}",
    ),
    Case(
        CHAT,
        CHAT_TOOLS,
        {**CHAT_TOOLS, "reasoning_effort": "none"},
        "/tools/0/type",
        LOUD.removeprefix("gpt-5.5 "),
        f"{PLAIN} {O_SERIES} {FIVE} {QUIET} gpt-5.5",
    ),
    Case(CHAT, CHAT_TOOLS, {"tools": []}, "/tools/0/type", "gpt-6-astra gpt-6.1-sol"),
    Case(CHAT, {"web_search_options": {}}, {}, "/web_search_options", f"{PLAIN} {O_SERIES} {REASON}"),
    Case(CHAT, said(IMAGE), said({"type": "text", "text": "a"}), CONTENT, "o3-mini", f"o3 o4-mini {PLAIN} {REASON}"),
    Case(CHAT, said(FILE), said({"type": "text", "text": "a"}), CONTENT, "o3-mini", f"o3 o4-mini {PLAIN} {REASON}"),
    Case(
        CHAT,
        said({"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}}),
        said(IMAGE),
        CONTENT,
        FIVE,
    ),
    *(
        Case(
            CHAT,
            {"messages": [{"role": role, "content": "a"}]},
            {},
            "/messages/0/role",
            "o1-mini",
            f"{O_SERIES} {PLAIN}",
        )
        for role in ("system", "developer")
    ),
    Case(CHAT, {}, {"messages": None}, "/messages", "gpt-5-pro gpt-5-codex gpt-5.1-codex-max gpt-5.5-pro o3-pro"),
)

INPUT_IMAGE: Json = {"role": "user", "content": [{"type": "input_image", "image_url": "https://a.b/c.png"}]}
INPUT_FILE: Json = {"role": "user", "content": [{"type": "input_file", "file_url": "https://a.b/c.pdf"}]}

RESPONSES_CASES = (
    *(
        Case(RESPONSES, {name: 1}, {}, f"/{name}", f"{O_SERIES} gpt-5-pro {FIVE} {LOUD} {ALWAYS}", f"{PLAIN} {QUIET}")
        for name in ("temperature", "top_p")
    ),
    Case(
        RESPONSES,
        {"top_logprobs": 2},
        {"top_logprobs": 0},
        "/top_logprobs",
        f"{O_SERIES} gpt-5-pro {FIVE} {LOUD} {ALWAYS}",
        f"{PLAIN} {QUIET}",
    ),
    *(
        Case(
            RESPONSES,
            {name: value, "reasoning": {"effort": "low"}},
            {name: value, "reasoning": {"effort": "none"}},
            pointer,
            f"{QUIET} {LOUD}",
        )
        for name, value, pointer in (
            ("temperature", 0.5, "/temperature"),
            ("top_p", 0.5, "/top_p"),
            ("include", ["message.output_text.logprobs"], "/include/0"),
        )
    ),
    Case(
        RESPONSES,
        {"max_output_tokens": 15},
        {"max_output_tokens": 16},
        "/max_output_tokens",
        f"{PLAIN} {O_SERIES} gpt-5-pro {REASON}",
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "low"}},
        {"reasoning": {}},
        "/reasoning/effort",
        f"{PLAIN} gpt-5-pro",
        f"{O_SERIES} {REASON}",
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "none"}},
        {"reasoning": {"effort": "high"}},
        "/reasoning/effort",
        f"{O_SERIES} gpt-5-pro {FIVE} {ALWAYS}",
        f"{QUIET} {LOUD}",
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "minimal"}},
        {"reasoning": {"effort": "low"}},
        "/reasoning/effort",
        f"{O_SERIES} {QUIET} {LOUD} {ALWAYS}",
        FIVE,
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "max"}},
        {"reasoning": {"effort": "high"}},
        "/reasoning/effort",
        f"{O_SERIES} {FIVE} {QUIET} gpt-5.5",
        f"{LOUD.removeprefix('gpt-5.5 ')} {ALWAYS}",
    ),
    Case(RESPONSES, {"reasoning": {"summary": "auto"}}, {}, "/reasoning/summary", PLAIN, f"{O_SERIES} {REASON}"),
    Case(
        RESPONSES,
        {"include": ["reasoning.encrypted_content"]},
        {"include": ["message.output_text.logprobs"]},
        "/include/0",
        PLAIN,
        f"{O_SERIES} {REASON}",
    ),
    Case(RESPONSES, {"input": [INPUT_IMAGE]}, {}, "/input/0/content/0/type", "o3-mini", f"o3 o4-mini {PLAIN} {REASON}"),
    Case(RESPONSES, {"input": [INPUT_FILE]}, {}, "/input/0/content/0/type", "o3-mini", f"o3 o4-mini {PLAIN} {REASON}"),
)
CODEX_CASES = (
    Case(RESPONSES, {"temperature": 1}, {"seed": 1}, "/temperature", CODEX, PLAIN),
    Case(RESPONSES, {"top_p": 0.5}, {"parallel_tool_calls": False}, "/top_p", CODEX, f"{PLAIN} {QUIET}"),
    Case(RESPONSES, {"top_logprobs": 2}, {"top_logprobs": 0}, "/top_logprobs", CODEX, f"{PLAIN} {QUIET}"),
    Case(RESPONSES, {"max_output_tokens": 15}, {"max_output_tokens": 16}, "/max_output_tokens", CODEX),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "none"}},
        {"reasoning": {"effort": "low"}},
        "/reasoning/effort",
        CODEX,
        QUIET,
    ),
    Case(
        RESPONSES,
        {"reasoning": {"effort": "xhigh"}},
        {"reasoning": {"effort": "high"}},
        "/reasoning/effort",
        "gpt-5-codex",
        "gpt-5.1-codex-max gpt-5.3-codex",
    ),
)

CASES = (*CODEX_CASES, *CHAT_CASES, *RESPONSES_CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.protocol} {case.pointer}")
def test_each_model_says_what_its_documents_say(case: Case) -> None:
    holds(case)


def test_each_check_is_shown_by_a_case() -> None:
    assert unshown(openai, CASES) == []
