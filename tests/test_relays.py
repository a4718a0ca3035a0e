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
RESPONSES = "openai_responses"
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


# --- what a server demands of the structure ---------------------------------------------------------------------------

ANSWER = {"role": "assistant", "content": "Yes?"}
SYSTEM = {"role": "system", "content": "Be brief."}
LATER = {"role": "system", "content": "In Dutch."}


def test_members_have_the_names_of_the_server() -> None:
    server = Profile(CHAT, max_completion_tokens=False, random_seed=True, safety_identifier=False)
    request = asked(HI, max_completion_tokens=9, seed=3, safety_identifier="u", stop=".", new=1)
    assert relayed(request, server) == (asked(HI, max_tokens=9, random_seed=3, user="u", stop=".", new=1), [])
    request = asked(HI, max_tokens=9, random_seed=3, user="u", stop=".")
    assert relayed(request, server) == (request, [])
    data = json.dumps(request).encode()
    assert proxai_ir.convert(data, CHAT, server) is data


@pytest.mark.parametrize(
    "server",
    [Profile(CHAT, max_completion_tokens=True), *(profiles.for_model(CHAT, name) for name in ("gpt-5.1", "o3"))],
)
def test_a_name_that_is_stated_is_sent_though_it_is_the_default(server: Profile) -> None:
    wanted = asked(HI, max_completion_tokens=9)
    assert relayed(asked(HI, max_tokens=9), server) == (wanted, [])
    assert relayed(asked(HI, max_tokens=9, max_completion_tokens=9), server) == (wanted, [])
    data = json.dumps(wanted).encode()
    assert proxai_ir.convert(data, CHAT, server) is data


def test_names_that_are_not_stated_stay() -> None:
    request = asked(HI, max_tokens=9, user="u")
    assert relayed(request, profiles.for_model(CHAT, "gpt-4.1")) == (request, [])
    assert relayed(request, Profile(CHAT, safety_identifier=True)) == (
        asked(HI, max_tokens=9, safety_identifier="u"),
        [],
    )


def test_reasoning_of_the_history_has_the_name_of_the_server() -> None:
    request = asked(HI, {**ANSWER, "reasoning_content": "Hm."}, HI)
    wanted = asked(HI, {**ANSWER, "reasoning": "Hm."}, HI)
    assert relayed(request, Profile(CHAT, reasoning_member="reasoning")) == (wanted, [])
    assert relayed(wanted, Profile(CHAT, reasoning_member="reasoning")) == (wanted, [])


def test_instructions_stand_where_the_server_takes_them() -> None:
    request = asked(SYSTEM, HI, ANSWER, LATER, {"role": "user", "content": "Why?"}, stop=".")
    output, rules = relayed(request, Profile(CHAT, system_in_place=False))
    both = [{"type": "text", "text": "Be brief."}, {"type": "text", "text": "In Dutch."}]
    assert output == asked({"role": "system", "content": both}, HI, ANSWER, request["messages"][4], stop=".")
    assert rules == ["PLC-2 /messages/3"]
    sent = Exchange(CHAT, Profile(CHAT, system_in_place=False)).request(json.dumps(request).encode())
    assert json.loads(sent.body)["messages"][:3] == [SYSTEM, HI, ANSWER]
    assert [one.rule for one in sent.diagnostics] == ["PLC-25"]


def test_the_assistant_follows_results_of_tools() -> None:
    output, rules = relayed(
        asked(HI, called(), RESULT, {"role": "user", "content": "?"}), Profile(CHAT, any_role_order=False)
    )
    assert [one["role"] for one in output["messages"]] == ["user", "assistant", "tool", "assistant", "user"]
    assert rules == ["PLC-70 /messages/3"]


def test_roles_alternate() -> None:
    request = asked({"role": "user", "content": "a"}, {"role": "user", "content": "b"}, ANSWER, HI, stop=".")
    output, rules = relayed(request, Profile(CHAT, role_neighbours=False))
    both = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert (output, rules) == (asked({"role": "user", "content": both}, ANSWER, HI, stop="."), [])


def test_an_answer_at_the_end_is_dropped() -> None:
    output, rules = relayed(asked(HI, ANSWER), Profile(CHAT, assistant_last=False))
    assert (output, rules) == (asked(HI), ["PLC-19 /messages/1"])


def test_texts_are_one_string() -> None:
    texts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    output, rules = relayed(asked({"role": "user", "content": texts}), Profile(CHAT, content_arrays=False))
    assert (output, rules) == (asked({"role": "user", "content": "a\nb"}), ["PLC-8 /messages/0/content/1"])


def test_empty_texts_go_and_messages_of_nothing_else() -> None:
    texts = [{"type": "text", "text": ""}, {"type": "text", "text": "b"}]
    request = asked({"role": "user", "content": texts}, {"role": "assistant", "content": ""}, HI)
    output, rules = relayed(request, Profile(CHAT, empty_text=False))
    assert output["messages"][1:] == [HI]
    assert rules == ["PLC-10 /messages/0/content/0", "PLC-10 /messages/1/content", "PLC-12 /messages/1"]


def test_ids_of_calls_are_such_as_the_server_takes() -> None:
    output, rules = relayed(asked(HI, called(), RESULT), Profile(CHAT, call_ids=False))
    call, result = output["messages"][1]["tool_calls"][0], output["messages"][2]
    assert call["id"] == result["tool_call_id"]
    assert len(call["id"]) == 9
    assert rules == ["TUL-13 /messages/1/tool_calls/0/id", "TUL-13 /messages/2/tool_call_id"]
    pending = asked(HI, called())  # which towards other protocols is refused (TUL-10)
    assert relayed(pending, Profile(CHAT, call_ids=False))[1] == ["TUL-13 /messages/1/tool_calls/0/id"]


def test_outputs_follow_their_calls() -> None:
    call = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "a", "output": "ok"}
    said = {"role": "assistant", "content": "A moment."}
    made, rules = relayed(
        {"model": "m", "input": [HI, call, said, output]}, Profile(RESPONSES, items_after_calls=False), RESPONSES
    )
    assert (made["input"], rules) == ([HI, said, call, output], ["PLC-71 /input/2/content"])


def test_a_structure_that_the_protocol_writes_alike_stays_as_it_is() -> None:
    """Calls are one turn in the tree, and items of their own here."""
    calls = [{"type": "function_call", "call_id": one, "name": "f", "arguments": "{}"} for one in "ab"]
    outputs = [{"type": "function_call_output", "call_id": one, "output": "ok"} for one in "ab"]
    request = {"model": "m", "input": [HI, *calls, *outputs]}
    assert relayed(request, Profile(RESPONSES, items_after_calls=False), RESPONSES) == (request, [])


@pytest.mark.parametrize("messages", [[HI, LATER], [{"role": "user", "content": ""}], [called(), RESULT]])
def test_what_could_only_be_refused_is_left_to_the_server(messages: Json) -> None:
    """PLC-21, PLC-11 and PLC-24 towards other protocols."""
    assert relayed(asked(*messages), Profile(CHAT, any_role_order=False, empty_text=False)) == (asked(*messages), [])


# --- the source's own forms -------------------------------------------------------------------------------------------

THOUGHT = [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]


@pytest.mark.parametrize("backwards", [False, True])
def test_forms_stay_whatever_the_order_of_members(backwards: bool) -> None:
    custom = {"type": "custom", "custom": {"name": "shell"}}
    older = {"name": "old", "parameters": {"type": "object", "properties": {}}}
    request = asked(
        HI,
        {"role": "assistant", "content": THOUGHT, "tool_calls": [{**CALL}]},
        RESULT,
        stop="END",
        tools=[custom],
        functions=[older],
        web_search_options={},
        temperature=0.5,
    )
    if backwards:
        request = dict(reversed(request.items()))
    output, rules = relayed(request, Profile(CHAT, sampling=False, reasoning_content=False))
    kept = {name: value for name, value in request.items() if name not in ("messages", "temperature")}
    assert {name: value for name, value in output.items() if name != "messages"} == kept
    assert output["messages"] == [HI, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT]
    assert sorted(rules) == ["RSN-17 /messages/1/content/0", "SMP-3 /temperature"]


BLOCKS = (
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "ok"}]},
)
"""Blocks of Anthropic's in messages of Chat Completions, as some agents send them; OpenRouter takes them."""


@pytest.mark.parametrize(
    ("server", "lost"),
    [
        (Profile(CHAT, reasoning_member="reasoning"), []),
        (Profile(CHAT, sampling=False), ["SMP-3 /temperature"]),
        (Profile(CHAT, sampling=False, role_neighbours=False), ["SMP-3 /temperature"]),
    ],
)
def test_parts_that_the_protocol_has_no_form_for_stay_as_they_are(server: Profile, lost: list[str]) -> None:
    sampled = {} if lost else {"temperature": 0.5}
    assert relayed(asked(HI, *BLOCKS, temperature=0.5), server) == (asked(HI, *BLOCKS, **sampled), lost)


def test_a_number_that_python_does_not_write_stays_as_it_is() -> None:
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    given = asked(HI, {"role": "assistant", "tool_calls": [call]}, new=10**5000, temperature=0.5)
    wanted = asked(HI, {"role": "assistant", "tool_calls": [call]}, new=10**5000)
    output, rules = relayed(given, Profile(CHAT, sampling=False))
    assert output == wanted
    assert rules == ["SMP-3 /temperature"]


def test_arguments_that_are_no_object_are_refused_where_they_stand() -> None:
    call = {"type": "tool_use", "id": "c1", "name": "f", "input": "no JSON"}
    request = {
        "model": "m",
        "max_tokens": 9,
        "top_k": 3,
        "messages": [HI, {"role": "assistant", "content": [call]}, HI],
    }
    with pytest.raises(proxai_ir.TranslationError) as error:
        proxai_ir.convert(request, MESSAGES, Profile(MESSAGES, sampling=False))
    assert (error.value.rule, error.value.path) == ("TUL-1", "/messages/1/content/0/input")
