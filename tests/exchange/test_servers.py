"""What a word for a server means, the same everywhere: a protocol, a vendor with a model or without, or a profile."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile, profiles
from proxai_ir.exchange.servers import meant, named_profiles, words
from proxai_ir.profiles.apis import VENDORS

CHAT, RESPONSES, MESSAGES, OLLAMA = "openai_chat_completions", "openai_responses", "anthropic_messages", "ollama_chat"


@pytest.mark.parametrize(
    ("word", "side", "model", "note"),
    [
        (CHAT, CHAT, None, ""),
        (f"{MESSAGES}:claude-x", MESSAGES, "claude-x", ""),
        ("openai", RESPONSES, None, "openai is the protocol openai_responses"),
        ("ollama", OLLAMA, None, "ollama is the protocol ollama_chat"),
        ("ollama:qwen3:8b", OLLAMA, "qwen3:8b", "ollama is the protocol ollama_chat"),
        ("vertex:claude-sonnet-5", MESSAGES, "claude-sonnet-5", "vertex is the protocol anthropic_messages"),
        ("azure", RESPONSES, None, "azure is the protocol openai_responses"),
        ("vllm:m", profiles.VLLM, "m", "vllm is the protocol openai_chat_completions, as vllm takes it"),
        ("deepseek", profiles.DEEPSEEK, None, "deepseek is the protocol openai_chat_completions, as deepseek takes it"),
        ("deepseek:deepseek-v4", CHAT, "deepseek-v4", "deepseek is the protocol openai_chat_completions"),
        ("gemini_2_5", profiles.GEMINI_2_5, None, "gemini_2_5 is the protocol gemini_generate_content, as gemini_2_5"),
    ],
)
def test_a_word_has_one_meaning(word: str, side: Any, model: str | None, note: str) -> None:
    found = meant(word)
    assert (found.side, found.model) == (side, model)
    assert found.note.startswith(note)
    assert bool(found.note) == bool(note)


def test_every_word_means_something() -> None:
    assert {*proxai_ir.protocols(), *(one.name for one in VENDORS), *named_profiles()} == {*words()}
    for word in words():
        assert meant(word).protocol in proxai_ir.protocols()
        assert meant(f"{word}:m").model == "m"


def test_a_profile_of_the_callers_own() -> None:
    own = Profile(CHAT, images=False)
    assert (meant(own, "m").side, meant(own, "m").model, meant(own).note) == (own, "m", "")


def test_a_model_that_is_named_twice() -> None:
    assert meant("gemini:gemini-3-pro", "gemini-3-pro").model == "gemini-3-pro"
    with pytest.raises(ValueError, match="'gemini:a' names another model than 'b'; expected one"):
        meant("gemini:a", "b")


@pytest.mark.parametrize("word", ["gogle", "", "gogle:gemini-3-pro"])
def test_a_word_that_means_nothing(word: str) -> None:
    with pytest.raises(proxai_ir.UnknownProtocol, match=r"no protocol, vendor or profile '.*Expected a protocol \(an"):
        meant(word)


# --- where words are read ---------------------------------------------------------------------------------------------


def test_an_sdk_on_a_vendors_model(monkeypatch: pytest.MonkeyPatch) -> None:
    httpx = pytest.importorskip("httpx2")
    monkeypatch.setenv("GROQ_API_KEY", "k")
    asked: list[Any] = []

    def answer(request: Any) -> Any:
        asked.append(request)
        return httpx.Response(500, json={"error": {"message": "no"}})

    with proxai_ir.httpx.client("groq:qwen3", transport=httpx.MockTransport(answer)) as http:
        body = {"model": "any", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
        http.post("https://a.invalid/v1/messages", json=body)
    assert str(asked[0].url) == "https://api.groq.com/openai/v1/chat/completions"
    assert asked[0].headers["authorization"] == "Bearer k"
    assert b'"model":"qwen3"' in asked[0].content


def test_a_server_on_this_machine_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx2")
    monkeypatch.delenv("OLLAMA_API_KEY", raising=False)
    proxai_ir.httpx.client("ollama:qwen3").close()
    with pytest.raises(TypeError, match="compatible_chat states no server; expected base_url="):
        proxai_ir.httpx.client("compatible_chat")
