"""A request between a protocol and itself, for a server that the caller states (CAP-1): what it lacks, and no more."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Exchange, Profile, profiles

Json = Any
CHAT, MESSAGES, GEMINI = "openai_chat_completions", "anthropic_messages", "gemini_generate_content"
SIGNED = {"google": {"thought_signature": "c2ln"}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
HI = {"role": "user", "content": "Hi"}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "ok"}


def called(**members: Any) -> Json:
    return {"role": "assistant", "content": None, "tool_calls": [{**CALL, **members}]}


def asked(*messages: Json, **settings: Any) -> Json:
    return {"model": "m", "messages": [*messages], **settings}


def relayed(request: Json, server: str | Profile, src: str = CHAT) -> tuple[Json, list[str]]:
    given = deepcopy(request)
    made = proxai_ir.compile(request, src, server)
    assert request == given
    assert proxai_ir.raise_to(proxai_ir.lower(request, src, kind="request"), server) == made.output
    return made.output, [f"{one.rule} {one.path}" for one in made.diagnostics]


def test_what_the_server_lacks_is_dropped_by_name_and_all_else_stays() -> None:
    request = asked(HI, called(extra_content=SIGNED), RESULT, temperature=0.5, stop=["."], new={"a": 1}, top_p=None)
    wanted = asked(HI, called(), RESULT, new={"a": 1}, top_p=None)
    found = [
        "RSN-26 /messages/1/tool_calls/0/extra_content/google/thought_signature",
        "SMP-3 /temperature",
        "SMP-11 /stop",
    ]
    output, rules = relayed(request, profiles.for_model(CHAT, "gpt-5-mini"))
    assert output == wanted
    assert sorted(rules) == sorted(found)


@pytest.mark.parametrize("server", [CHAT, Profile(CHAT), profiles.for_model(CHAT, "nobody-knows")])
def test_without_a_statement_bytes_stay_as_they_are(server: str | Profile) -> None:
    data = b'{"model": "m",\n "messages": [{"role": "user", "content": "\\u0048i"}], "temperature": 1.0, "top_k": 3}'
    made = proxai_ir.compile(data, CHAT, server)
    assert made.output is data
    assert made.diagnostics == ()


def test_bytes_of_which_a_stated_server_lacks_nothing_stay_as_they_are() -> None:
    data = b'{"model": "m",  "messages": [{"role": "user", "content": "Hi"}], "reasoning_effort": "low"}'
    assert proxai_ir.convert(data, CHAT, profiles.for_model(CHAT, "gpt-5-mini")) is data


def test_what_is_only_assumed_of_servers_changes_nothing() -> None:
    """CAP-2: custom tools, cache breakpoints and `top_k` are off by default."""
    tool = {"type": "custom", "custom": {"name": "f"}}
    text = {"type": "text", "text": "Hi", "prompt_cache_breakpoint": {"mode": "explicit"}}
    request = asked({"role": "user", "content": [text]}, tools=[tool], top_k=3, web_search_options={})
    assert relayed(request, Profile(CHAT, sampling=True, stop_sequences=False)) == (request, [])


def test_nothing_is_refused_as_the_server_itself_does_that() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    request = asked({"role": "user", "content": [image]}, n=2)
    assert relayed(request, Profile(CHAT, images=False, several_candidates=False)) == (request, [])


def test_images_of_the_history_are_texts() -> None:
    image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    seen = {"role": "user", "content": [image, {"type": "text", "text": "?"}]}
    request = asked(seen, {"role": "assistant", "content": "A boat."}, HI)
    output, rules = relayed(request, Profile(CHAT, images=False))
    told = {"type": "text", "text": "[An image, which this model cannot see]"}
    assert output["messages"][0] == {"role": "user", "content": [told, {"type": "text", "text": "?"}]}
    assert output["messages"][1:] == request["messages"][1:]
    assert rules == ["IMG-6 /messages/0/content/0"]


def test_calls_get_the_reasoning_that_their_server_demands() -> None:
    output, rules = relayed(asked(HI, called(), RESULT), Profile(CHAT, unreasoned_calls=False))
    assert output == asked(HI, {**called(), "reasoning_content": " "}, RESULT)
    assert rules == ["RSN-36 /messages/1/tool_calls/0"]


def test_settings_are_approximated() -> None:
    request = {"model": "m", "max_tokens": 9, "messages": [HI], "thinking": {"type": "enabled", "budget_tokens": 4096}}
    output, rules = relayed(request, profiles.for_model(MESSAGES, "claude-sonnet-5-5"), MESSAGES)
    assert output["thinking"] == {"type": "adaptive"}
    assert output["output_config"] == {"effort": "medium"}
    assert rules == ["RSN-3 /thinking/budget_tokens"]


def test_a_setting_that_the_protocol_says_in_one_way_alone_stays() -> None:
    config = {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"}}
    request = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "generationConfig": config}
    assert relayed(request, profiles.for_model(GEMINI, "gemini-4-neon"), GEMINI) == (request, [])


def test_strict_mode_refuses_what_is_lost() -> None:
    with pytest.raises(proxai_ir.TranslationError, match="SMP-3 at /temperature"):
        proxai_ir.convert(asked(HI, temperature=0.5), CHAT, Profile(CHAT, sampling=False), strict=True)


def test_an_exchange_relays_as_its_model_takes_it() -> None:
    body = json.dumps(asked(HI, temperature=0.5)).encode()
    sent = Exchange(CHAT, CHAT, model="gpt-5-mini").request(body)
    assert json.loads(sent.body) == {"model": "gpt-5-mini", "messages": [HI]}
    assert [one.rule for one in sent.diagnostics] == ["SMP-3"]
    sent = Exchange(CHAT, CHAT, profile="protocol").request(body)
    assert sent.body == body
    assert sent.diagnostics == ()
