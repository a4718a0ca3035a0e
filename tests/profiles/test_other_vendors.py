"""What models of vendors but OpenAI, Anthropic and Google take, by their name: the values are their documents'."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import profiles
from proxai_ir.profiles import for_model, target
from proxai_ir.profiles.models import tailored
from proxai_ir.profiles.vendors import FACTS

CHAT, RESPONSES, MESSAGES = "openai_chat_completions", "openai_responses", "anthropic_messages"
TOOL = {"name": "f", "input_schema": {"type": "object", "properties": {}}}
ASKED: dict[str, Any] = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}]}
CALLED: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        ]},
        {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
    ],
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}],
}  # fmt: skip


def asked_of(protocol: str, model: str, **settings: Any) -> tuple[dict[str, Any], list[str]]:
    """A request of Chat Completions made for a model, and the rules of what is lost."""
    asked = {"max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}], **settings}
    made = proxai_ir.compile(asked, CHAT, for_model(protocol, model), kind="request", model=model)
    rules = sorted(one.rule for one in made.diagnostics if one.severity == "loss")
    return {name: value for name, value in made.output.items() if name in ("thinking", *SETTINGS)}, rules


SETTINGS = ("output_config", "reasoning", "temperature", "think", "tool_choice", "parallel_tool_calls")
FUNCTIONS: list[Any] = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
NAMED = {"type": "function", "function": {"name": "f"}}
FORCED: dict[str, Any] = {"tools": FUNCTIONS, "tool_choice": "required"}
BY_NAME: dict[str, Any] = {"tools": FUNCTIONS, "tool_choice": NAMED}
OFF = {"type": "disabled"}


@pytest.mark.parametrize(
    ("model", "settings", "sent", "lost"),
    [
        ("kimi-k3", {"temperature": 0.3}, {}, ["SMP-3"]),
        ("kimi-k3", FORCED, {"tool_choice": {"type": "any"}}, []),
        ("kimi-k3", BY_NAME, {"tool_choice": {"type": "any"}}, ["TUL-70"]),
        ("kimi-k3", {"reasoning_effort": "none"}, {"output_config": {"effort": "low"}}, ["RSN-33"]),
        ("kimi-k2.7-code", FORCED, {"tool_choice": {"type": "auto"}}, ["TUL-68"]),
        ("kimi-k2.6", BY_NAME, {"tool_choice": {"type": "tool", "name": "f"}, "thinking": OFF}, ["RSN-39"]),
        ("kimi-k2.6", {"reasoning_effort": "none"}, {"thinking": OFF}, []),
        ("glm-5.3", FORCED, {"tool_choice": {"type": "auto"}}, ["TUL-68"]),
        ("glm-5.3", {"temperature": 0.3}, {"temperature": 0.3}, []),
        (
            "glm-5.3",
            {"reasoning_effort": "none"},
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}},
            ["RSN-33"],
        ),
        ("glm-5.2", {"reasoning_effort": "none"}, {"thinking": OFF}, []),
    ],
)
def test_kimi_and_glm_behind_messages(
    model: str, settings: dict[str, Any], sent: dict[str, Any], lost: list[str]
) -> None:
    assert asked_of(MESSAGES, model, **settings) == (sent, lost)


@pytest.mark.parametrize(
    ("model", "settings", "sent", "lost"),
    [
        ("gpt-5.3-codex", {"temperature": 0.3, "top_p": 0.5}, {}, ["SMP-3", "SMP-3"]),
        (
            "gpt-5.3-codex",
            {**FORCED, "parallel_tool_calls": False},
            {"tool_choice": "required", "parallel_tool_calls": False},
            [],
        ),
        ("gpt-5.3", {"temperature": 0.3}, {"temperature": 0.3}, []),
        ("o3", {**FORCED, "temperature": 0.3, "parallel_tool_calls": False}, {"tool_choice": "required"}, [
            "SMP-3", "TUL-9",
        ]),
        ("deepseek-v4-pro", FORCED, {"tool_choice": "required", "reasoning": {"effort": "none"}}, ["RSN-39"]),
        (
            "deepseek-v4-pro",
            {**FORCED, "reasoning_effort": "high"},
            {"tool_choice": "auto", "reasoning": {"effort": "high"}},
            ["TUL-68"],
        ),
    ],
)  # fmt: skip
def test_codex_o3_and_deepseek_behind_responses(
    model: str, settings: dict[str, Any], sent: dict[str, Any], lost: list[str]
) -> None:
    assert asked_of(RESPONSES, model, **settings) == (sent, lost)


@pytest.mark.parametrize(
    ("model", "think"),
    [
        *((name, None) for name in "llama3.1:8b gemma3:4b gemma3n:e4b gemma2:9b mistral:7b phi4 qwen2.5-coder".split()),
        *((name, None) for name in "qwen3-coder:30b command-r mistral-nemo mixtral:8x7b".split()),
        *((name, "high") for name in "qwen3:8b gemma4 deepseek-r1:8b gpt-oss:20b granite3.3 phi4-reasoning".split()),
        *((name, "high") for name in "my-own qwen".split()),
    ],
)
def test_ollama_is_not_told_to_think_with_models_that_never_do(model: str, think: str | None) -> None:
    """`"llama3.1:8b" does not support thinking` is an error there."""
    sent, lost = asked_of("ollama_chat", model, reasoning_effort="high")
    assert sent == ({} if think is None else {"think": think})
    assert lost == ([] if think else ["RSN-34"])


@pytest.mark.parametrize(
    ("model", "effort", "sent", "lost"),
    [
        ("qwen3:8b", "none", "none", []),
        ("qwen3:8b", "minimal", "low", ["RSN-32"]),
        ("qwen3:8b", "xhigh", "high", ["RSN-23"]),
        ("qwen3:8b", "max", "max", []),
        ("gpt-oss:20b", "none", "low", ["RSN-33"]),
        ("llama3.1:8b", "high", None, ["RSN-34"]),
        ("my-own", "none", "none", []),
    ],
)
def test_efforts_on_the_path_of_ollama_for_clients_of_openai(
    model: str, effort: str, sent: str | None, lost: list[str]
) -> None:
    server = tailored(profiles.OLLAMA, model, "ollama")
    made = proxai_ir.compile(
        {"input": "Hi", "reasoning": {"effort": effort}}, RESPONSES, server, kind="request", model=model
    )
    assert made.output.get("reasoning_effort") == sent
    assert [one.rule for one in made.diagnostics if one.severity == "loss"] == lost


def test_the_path_of_ollama_for_clients_of_openai_takes_no_urls_of_images() -> None:
    part = {"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}
    asked = {**ASKED, "messages": [{"role": "user", "content": [part]}]}
    with pytest.raises(proxai_ir.TranslationError, match="SRC-2 at /messages/0/content/0/source"):
        proxai_ir.convert(asked, MESSAGES, profiles.OLLAMA)
    part["source"] = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}
    assert proxai_ir.convert(asked, MESSAGES, profiles.OLLAMA)


def chat(model: str, server: str | None = None, **asked: Any) -> dict[str, Any]:
    """A request of Anthropic Messages, for a model's chat."""
    made: dict[str, Any] = proxai_ir.convert({**ASKED, **asked}, MESSAGES, for_model(CHAT, model, server))
    return made


@pytest.mark.parametrize(
    ("model", "effort", "sent"),
    [
        ("grok-4.7", "max", "xhigh"),
        ("grok-4.5", "max", "high"),
        ("grok-4.20-0309-reasoning", "max", None),
        ("grok-4-1-fast-reasoning", "low", None),
        ("grok-build-0.1", "high", None),
        ("grok-5", "max", "xhigh"),  # newer than all rows
        ("mistral-small-latest", "low", "high"),
        ("mistral-large-2512", "high", None),
        ("deepseek-v4-pro", "max", "max"),
        ("kimi-k3", "medium", "high"),
        ("kimi-k2.6", "high", None),
        ("qwen3.8-max", "max", "max"),
        ("qwen3.7-max", "max", None),
        ("glm-5.3", "medium", "high"),
        ("glm-5.2", "medium", "medium"),
        ("glm-4.7", "medium", None),
        ("muse-spark-1.3", "max", "xhigh"),
        ("MiniMax-M3", "high", None),
        ("command-a-reasoning-08-2025", "medium", "high"),
        ("command-a-03-2025", "high", None),
    ],
)
def test_efforts(model: str, effort: str, sent: str | None) -> None:
    assert chat(model, output_config={"effort": effort}).get("reasoning_effort") == sent


@pytest.mark.parametrize(
    ("model", "off"),
    [
        ("deepseek-v4-pro", {"thinking": {"type": "disabled"}}),
        ("kimi-k2.6", {"thinking": {"type": "disabled"}}),
        ("kimi-k2.7-code", {}),
        ("kimi-k3", {"reasoning_effort": "low"}),
        ("glm-5.2", {"thinking": {"type": "disabled"}}),
        ("glm-5.3", {"reasoning_effort": "low"}),
        ("MiniMax-M3", {"thinking": {"type": "disabled"}}),
        ("MiniMax-M2.7", {}),
        ("qwen3.8-max", {"enable_thinking": False}),
        ("grok-4.3", {"reasoning_effort": "none"}),
        ("grok-4.7", {"reasoning_effort": "low"}),
        ("mistral-small-latest", {"reasoning_effort": "none"}),
        ("muse-spark-1.3", {"reasoning_effort": "minimal"}),
    ],
)
def test_no_thinking_is_the_least_that_a_model_can_do(model: str, off: dict[str, Any]) -> None:
    made = chat(model, thinking={"type": "disabled"})
    assert {key: made[key] for key in made.keys() & {"reasoning_effort", "thinking", "enable_thinking"}} == off


@pytest.mark.parametrize(
    ("model", "choice", "sent"),
    [
        ("deepseek-v4-pro", {"type": "any"}, "required"),
        ("kimi-k2.6", {"type": "any"}, "required"),
        ("kimi-k2.7-code", {"type": "any"}, "auto"),  # always thinks
        ("kimi-k3", {"type": "tool", "name": "f"}, "required"),
        ("qwen3.8-max", {"type": "tool", "name": "f"}, {"type": "function", "function": {"name": "f"}}),
        ("glm-5.3", {"type": "any"}, "auto"),
        ("muse-spark-1.3", {"type": "any"}, "auto"),
        ("MiniMax-M3", {"type": "any"}, "required"),
    ],
)
def test_forced_tools(model: str, choice: dict[str, Any], sent: Any) -> None:
    made = chat(model, tools=[TOOL], tool_choice=choice)
    assert made["tool_choice"] == sent


def test_a_forced_tool_switches_off_the_thinking_that_nobody_asked_for() -> None:
    forced: dict[str, Any] = {"tools": [TOOL], "tool_choice": {"type": "any"}}
    assert chat("deepseek-v4-pro", **forced)["thinking"] == {"type": "disabled"}
    thinking = chat("deepseek-v4-pro", **forced, output_config={"effort": "high"})
    assert (thinking["tool_choice"], thinking["reasoning_effort"]) == ("auto", "high")
    assert "thinking" not in thinking


def test_models_that_take_only_auto_have_no_tools_where_none_may_be_called() -> None:
    assert "tools" not in chat("glm-5.3", tools=[TOOL], tool_choice={"type": "none"})


def test_calls_of_other_models_have_some_reasoning() -> None:
    assert proxai_ir.convert(CALLED, CHAT, for_model(MESSAGES, "deepseek-flash"))["messages"][1]["content"][0] == {
        "type": "thinking", "thinking": " ", "signature": "",
    }  # fmt: skip
    called = proxai_ir.convert(CALLED, CHAT, MESSAGES)
    for model, reasoning in (("deepseek-flash", " "), ("kimi-k2.6", " "), ("grok-4.7", None)):
        made: Any = proxai_ir.convert(called, MESSAGES, for_model(CHAT, model))
        assert made["messages"][1].get("reasoning_content") == reasoning


def test_temperatures() -> None:
    assert chat("MiniMax-M3", temperature=0)["temperature"] == 0.01
    assert chat("glm-5.3", temperature=0)["temperature"] == 0
    assert "temperature" not in chat("kimi-k3", temperature=0.5)
    assert chat("moonshot-v1-8k", temperature=0.5)["temperature"] == 0.5
    hot: Any = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": {"temperature": 1.5}}
    assert proxai_ir.convert(hot, "gemini_generate_content", for_model(CHAT, "glm-5.3"))["temperature"] == 1


def test_limits_of_tokens_are_named_as_they_count() -> None:
    assert chat("deepseek-flash")["max_tokens"] == 64
    assert chat("kimi-k3")["max_completion_tokens"] == 64


def test_mistral() -> None:
    asked: Any = {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {"seed": 7, "topK": 5, "responseLogprobs": True},
    }
    made: Any = proxai_ir.convert(asked, "gemini_generate_content", for_model(CHAT, "mistral-large-latest"), model="m")
    assert made == {
        "model": "m", "messages": [{"role": "user", "content": "Hi"}], "random_seed": 7, "top_k": 5, "logprobs": True,
    }  # fmt: skip
    stored: Any = {
        "model": "m",
        "input": "Hi",
        "metadata": {"a": "b"},
        "prompt_cache_key": "k",
        "safety_identifier": "u",
    }
    server = for_model(CHAT, "mistral-large-latest")
    assert proxai_ir.convert(stored, RESPONSES, server) == {
        "model": "m", "messages": [{"role": "user", "content": "Hi"}], "metadata": {"a": "b"}, "prompt_cache_key": "k",
    }  # fmt: skip


def test_servers() -> None:
    """A server's rows count more than those of the model's vendor, which are about its own servers."""
    thought: Any = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "F.", "signature": ""}, {"type": "text", "text": "A"},
        ]},
        {"role": "user", "content": "B"},
    ]  # fmt: skip
    groq = chat("openai/gpt-oss-120b", "groq", messages=thought, output_config={"effort": "max"})
    assert groq["messages"][1] == {"role": "assistant", "content": "A", "reasoning": "F."}
    assert groq["reasoning_effort"] == "high"
    assert chat("qwen/qwen3-32b", "groq", thinking={"type": "disabled"})["reasoning_effort"] == "none"
    assert "reasoning_effort" not in chat("qwen/qwen3-32b", "groq", output_config={"effort": "high"})
    assert chat("qwen/qwen3.8-27b", "groq", output_config={"effort": "low"})["reasoning_effort"] == "low"
    assert "reasoning" not in chat("llama-3.3-70b-versatile", "groq", messages=thought)["messages"][1]
    cerebras = chat("zai-glm-4.7", "cerebras", metadata={"user_id": "u"}, output_config={"effort": "max"})
    assert (cerebras["user"], cerebras["reasoning_effort"]) == ("u", "high")
    forced: dict[str, Any] = {"tools": [TOOL], "tool_choice": {"type": "any"}}
    assert chat("qwen-3.8-27b", "cerebras", **forced)["tool_choice"] == "required"
    assert chat("z-ai/glm-5.3", "openrouter", **forced)["tool_choice"] == "auto"


def test_openrouter_takes_recordings_of_other_formats() -> None:
    """An API without row of its own takes WAV and MP3 alone (SRC-3)."""
    spoken = {"inlineData": {"mimeType": "audio/flac", "data": "AAAA"}}
    asked = {"contents": [{"role": "user", "parts": [spoken]}]}
    dst = for_model(CHAT, "google/gemini-3-pro", "openrouter")
    made = proxai_ir.convert(asked, "gemini_generate_content", dst, kind="request", model="m")
    (part,) = made["messages"][0]["content"]
    assert part == {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "flac"}}
    with pytest.raises(proxai_ir.Unrepresentable) as refused:
        proxai_ir.convert(asked, "gemini_generate_content", for_model(CHAT, "gpt-audio"), kind="request", model="m")
    assert refused.value.rule == "SRC-3"


MOST = {
    "grok-4.7": RESPONSES, "deepseek-flash": RESPONSES, "muse-spark-1.3": RESPONSES, "MiniMax-M3": MESSAGES,
    "kimi-k3": CHAT, "glm-5.3": CHAT, "qwen3.8-max": CHAT, "unheard-of-1": CHAT,
}  # fmt: skip


def test_the_protocol_that_takes_most() -> None:
    assert {model: target(model).protocol for model in MOST} == MOST


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("deepseek-v4-pro", "deepseek-ai/deepseek-v4-pro"),
        ("mistral-small-2603", "mistral-small-latest"),
        ("glm-4.6v", "zai-org/GLM-4.6V"),
        ("qwen3.8-max", "Qwen/Qwen3.8-Max-2026-08-03"),
    ],
)
def test_spellings(one: str, other: str) -> None:
    assert for_model(CHAT, one) == for_model(CHAT, other)


def test_every_row_tells_where_it_is_from() -> None:
    for row in FACTS:
        assert row.source
        assert row.looked >= "2026-11-24"
