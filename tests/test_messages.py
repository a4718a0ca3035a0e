"""Messages name what the target accepts: the bound, the pattern, the accepted values."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
ASKED: dict[str, Any] = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}]}
BREAKPOINT = {"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral", "ttl": "5m"}}
BITMAP = {"type": "image_url", "image_url": {"url": "data:image/bmp;base64,AAAA"}}
CACHED = {"type": "text", "text": "Hi", "prompt_cache_breakpoint": {"mode": "explicit", "ttl": "12h"}}
CALL = {"id": "a.b", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SIGNED = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}]}
ANSWERED = [{"role": "assistant", "tool_calls": [CALL]}, {"role": "tool", "tool_call_id": "a.b", "content": "Yes"}]


def function(name: str, parameter: str = "x") -> dict[str, Any]:
    return {"name": name, "parameters": {"type": "object", "properties": {parameter: {}}}}


STATED: dict[str, dict[str, Any]] = {CHAT: {"cache_breakpoints": True}, RESPONSES: {"bare_reasoning": True}}


@pytest.mark.parametrize(
    ("src", "dst", "changed", "rule", "detail"),
    [
        (CHAT, ANTHROPIC, {"temperature": 1.5}, "SMP-2", "from 0 to 1"),
        (CHAT, ANTHROPIC, {"tools": [{"type": "function", "function": function("a b")}]}, "TUL-26", "{1,128}"),
        (CHAT, ANTHROPIC, {"tools": [{"type": "function", "function": function("f", "ü")}]}, "SCH-4", "{1,64}"),
        (CHAT, ANTHROPIC, {"messages": [{"role": "user", "content": [BITMAP]}]}, "SRC-3", "image/webp"),
        (CHAT, ANTHROPIC, {"messages": [{"role": "user", "content": [CACHED]}]}, "CAC-3", "5m, 1h"),
        (CHAT, ANTHROPIC, {"messages": [{"role": "user", "content": [CACHED] * 5}]}, "CAC-6", "at most 4"),
        (CHAT, ANTHROPIC, {"messages": [*ASKED["messages"], *ANSWERED]}, "TUL-13", "[a-zA-Z0-9_-]+"),
        (ANTHROPIC, CHAT, {"stop_sequences": list("abcde")}, "SMP-5", "at most 4"),
        (ANTHROPIC, CHAT, {"tools": [{"name": "f" * 65, "input_schema": {"type": "object"}}]}, "TUL-26", "{1,64}"),
        (ANTHROPIC, CHAT, {"metadata": {"user_id": "u" * 129}}, "USR-5", "at most 128 characters"),
        (CHAT, ANTHROPIC, {"safety_identifier": "u" * 257}, "USR-5", "at most 256 characters"),
        (ANTHROPIC, CHAT, {"messages": [{"role": "user", "content": [BREAKPOINT]}]}, "CAC-2", "30m, 12h"),
        (ANTHROPIC, RESPONSES, {"max_tokens": 9}, "SMP-9", "at least 16"),
        (CHAT, ANTHROPIC, {"max_tokens": None}, "SMP-1", "max_tokens 32000"),
        (CHAT, ANTHROPIC, {"stop": ["  "]}, "SMP-2", "only whitespace"),
        (
            CHAT,
            ANTHROPIC,
            {"reasoning_effort": "low", "temperature": 0.3},
            "RSN-13",
            "not together with temperature",
        ),
        (
            RESPONSES,
            CHAT,
            {"input": "Hi", "tools": [{"type": "mcp", "server_label": "a"}]},
            "TUL-6",
            "whose calls need approval",
        ),
        (RESPONSES, CHAT, {"input": "Hi", "tools": [{"type": "image_generation"}]}, "TUL-6", "'image_generation'"),
        (RESPONSES, CHAT, {"input": "Hi", "tools": [{"type": "web_search"}]}, "TUL-6", "`web_search`"),
    ],
)
def test_a_message_names_the_limit(src: str, dst: str, changed: dict[str, Any], rule: str, detail: str) -> None:
    server = proxai_ir.Profile(dst, **STATED.get(dst, {}))
    findings = proxai_ir.check({**ASKED, **changed}, src, server)
    (message,) = {each.message for each in findings if each.code == rule}
    assert detail in message


def test_an_unknown_protocol_or_kind_names_the_known_ones() -> None:
    with pytest.raises(proxai_ir.UnknownProtocol, match=f"{ANTHROPIC}, .*gemini_generate_content, .*{CHAT}, [a-z_]+$"):
        proxai_ir.convert(ASKED, CHAT, "smoke_signals")
    with pytest.raises(proxai_ir.UnknownProtocol, match=f"did you mean '{ANTHROPIC}'"):
        proxai_ir.convert(ASKED, CHAT, "antropic_mesages")
    with pytest.raises(proxai_ir.UnknownProtocol, match=f"did you mean '{CHAT}' or '{RESPONSES}'"):
        proxai_ir.convert(ASKED, "openai", ANTHROPIC)
    with pytest.raises(proxai_ir.UnknownProtocol, match="did you mean 'gemini_generate_content'"):
        proxai_ir.convert(ASKED, CHAT, "Gemini")
    with pytest.raises(proxai_ir.UnknownProtocol, match=r"expected one of request, response, error, stream$"):
        proxai_ir.convert(ASKED, CHAT, ANTHROPIC, kind="wish")  # type: ignore[call-overload]
    with pytest.raises(proxai_ir.UnknownProtocol, match="did you mean 'request'"):
        proxai_ir.lower(ASKED, CHAT, kind="reqest")  # type: ignore[call-overload]


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"unknown options \['stric'\]; did you mean 'strict'\?"):
        proxai_ir.convert(ASKED, CHAT, ANTHROPIC, stric=True)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"\['max_token'\]; did you mean 'max_tokens'\?$"):
        proxai_ir.convert(ASKED, CHAT, ANTHROPIC, max_token=5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="did you mean 'web_search'"):
        proxai_ir.Profile(CHAT, websearch=True)  # type: ignore[call-arg]


def test_an_option_of_another_target_is_named_as_that() -> None:
    with pytest.raises(TypeError, match=rf"\['max_tokens'\]; it is of {ANTHROPIC}, not of {CHAT}$"):
        proxai_ir.convert(ASKED, ANTHROPIC, CHAT, max_tokens=5)


def test_an_option_that_nothing_is_near_to_names_all() -> None:
    with pytest.raises(TypeError, match=f"{ANTHROPIC} accepts accept, allow_empty, .*strict$"):
        proxai_ir.convert(ASKED, CHAT, ANTHROPIC, wish=5)  # type: ignore[call-overload]


def test_a_name_in_an_option_names_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"names 'custom_tool'; expected .*; did you mean 'custom_tools'\?$"):
        proxai_ir.convert(ASKED, CHAT, ANTHROPIC, emulate=("custom_tool",))


def test_a_full_buffer_names_the_option() -> None:
    calls = [{"index": index, "id": f"c{index}", "function": {"name": "f", "arguments": "{"}} for index in (0, 1)]
    delta = {"role": "assistant", "tool_calls": calls}
    chunk = {"id": "c", "model": "m", "choices": [{"index": 0, "delta": delta}]}
    with pytest.raises(proxai_ir.StreamError, match=r"more than 0 characters.*option `buffer_limit`"):
        list(proxai_ir.convert_stream([chunk], CHAT, ANTHROPIC, buffer_limit=0))
