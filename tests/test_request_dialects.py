"""Requests as clients of compatible chat servers write them: each member means what it means there, or is named."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Seals, ir
from proxai_ir.ir.json_form import dumps, loads
from proxai_ir.ir.request import Display, Effort, Request, Thinking, ThinkingMode
from proxai_ir.ir.tools import Choice, ChoiceMode
from proxai_ir.profiles import MISTRAL
from proxai_ir.testing.payloads import canonical

from .samples.sample import Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"


def request(*messages: Json, **members: Any) -> Json:
    return {
        "model": "m",
        "max_completion_tokens": 4000,
        "messages": [{"role": "user", "content": "Hi"}, *messages],
        **members,
    }


def read(payload: Json) -> Request:
    found = proxai_ir.lower(payload, CHAT)
    assert isinstance(found, Request)
    return found


def losses(payload: Json, dst: str) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in proxai_ir.compile(payload, CHAT, dst).diagnostics if one.severity == "loss"]


# --- thinking ---------------------------------------------------------------------------------------------------------

ON, OFF = Thinking(ThinkingMode.ADAPTIVE), Thinking(ThinkingMode.DISABLED)
HIDDEN = Thinking(display=Display.OMITTED)


def budget(tokens: int, display: Display | None = None) -> Thinking:
    return Thinking(ThinkingMode.ENABLED, None, tokens, display)


THINKING: list[tuple[Json, Thinking]] = [
    ({"thinking": {"type": "enabled"}}, ON),
    ({"thinking": {"type": "auto"}}, ON),
    ({"thinking": {"type": "disabled"}}, OFF),
    ({"thinking": {"type": "enabled", "budget_tokens": 2000}}, budget(2000)),
    ({"thinking": {"type": "enabled", "clear_thinking": False}}, ON),
    ({"reasoning": {"effort": "high"}}, Thinking(effort=Effort.HIGH)),
    ({"reasoning": {"effort": "none"}}, OFF),
    ({"reasoning": {"enabled": True}}, ON),
    ({"reasoning": {"enabled": False}}, OFF),
    ({"reasoning": {"max_tokens": 2000}}, budget(2000)),
    ({"reasoning": {"max_tokens": 2000, "exclude": True}}, budget(2000, Display.OMITTED)),
    ({"reasoning": {"exclude": True}}, HIDDEN),
    ({"reasoning": {"summary": "auto"}}, Thinking(ThinkingMode.ADAPTIVE, display=Display.SUMMARIZED)),
    ({"enable_thinking": True}, ON),
    ({"enable_thinking": False}, OFF),
    ({"enable_thinking": True, "thinking_budget": 2000}, budget(2000)),
    ({"chat_template_kwargs": {"enable_thinking": False}}, OFF),
    ({"chat_template_kwargs": {"thinking": True}}, ON),
    ({"include_reasoning": False}, HIDDEN),
    ({"reasoning_format": "hidden"}, HIDDEN),
    ({"reasoning_format": "parsed"}, Thinking()),
    ({"reasoning_effort": "high", "thinking": {"type": "enabled"}}, Thinking(ThinkingMode.ADAPTIVE, Effort.HIGH)),
]
each_thinking = pytest.mark.parametrize(("members", "thinking"), THINKING, ids=str)


@each_thinking
def test_thinking_is_controlled(members: Json, thinking: Thinking) -> None:
    found = read(request(**members)).thinking
    assert found is not None
    found.extra = None
    assert found == thinking


@each_thinking
def test_thinking_comes_back(members: Json, thinking: Thinking) -> None:
    payload = request(**members)
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT)) == canonical(payload)


def test_thinking_arrives() -> None:
    made: Any = proxai_ir.convert(request(enable_thinking=False), CHAT, ANTHROPIC)
    assert made["thinking"] == {"type": "disabled"}
    made = proxai_ir.convert(request(thinking={"type": "enabled", "budget_tokens": 2000}), CHAT, ANTHROPIC)
    assert made["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    made = proxai_ir.convert(request(reasoning={"exclude": True}), CHAT, ANTHROPIC)
    assert "thinking" not in made  # what is not asked for cannot be hidden
    made = proxai_ir.convert(request(reasoning={"effort": "high"}), CHAT, RESPONSES)
    assert made["reasoning"] == {"effort": "high"}


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"enable_thinking": False, "thinking_budget": 2000}, "/thinking_budget"),
        ({"reasoning_effort": "none", "thinking": {"type": "enabled"}}, "/thinking/type"),
        ({"reasoning_effort": "low", "reasoning": {"effort": "high"}}, "/reasoning/effort"),
        ({"thinking": {"type": "disabled"}, "reasoning": {"max_tokens": 5}}, "/reasoning/max_tokens"),
    ],
)
def test_a_contradiction_is_named(members: Json, path: str) -> None:
    assert ("RSN-6", path) in losses(request(**members), RESPONSES)


@pytest.mark.parametrize(
    ("members", "loss"),
    [
        ({"reasoning": {"effort": "ultra"}}, ("UNK-4", "/reasoning/effort")),
        ({"reasoning": {"mood": "calm"}}, ("UNK-1", "/reasoning/mood")),
        ({"thinking": {"type": "wild"}}, ("UNK-4", "/thinking/type")),
        ({"thinking": {"type": "enabled", "clear_thinking": True}}, ("CTX-1", "/thinking/clear_thinking")),
        ({"thinking_budget": "much"}, ("UNK-4", "/thinking_budget")),
        ({"thinking": "yes"}, ("UNK-1", "/thinking")),
        ({"reasoning_format": "raw"}, ("RSN-2", "/reasoning_format")),
        ({"provider": {"data_collection": "deny"}}, ("SVC-3", "/provider")),
    ],
)
def test_what_is_not_understood_is_named(members: Json, loss: tuple[str, str]) -> None:
    for dst in (ANTHROPIC, RESPONSES):
        assert loss in losses(request(**members), dst)


# --- other names ------------------------------------------------------------------------------------------------------

URL = "https://example.com/a.pdf"
SKY = {"type": "function", "function": {"name": "sky", "parameters": {"type": "object", "properties": {}}}}


def test_a_seed_by_another_name() -> None:
    payload = request(random_seed=5)
    found = read(payload)
    assert found.sampling is not None and found.sampling.seed == 5
    assert proxai_ir.raise_to(found, CHAT) == payload
    assert losses(payload, ANTHROPIC) == [("SMP-10", "/random_seed")]
    assert ("SMP-10", "/random_seed") in losses(request(random_seed=5, seed=6), ANTHROPIC)


def test_any_tool() -> None:
    payload = request(tools=[SKY], tool_choice="any")
    assert read(payload).tool_choice == Choice(ChoiceMode.REQUIRED)
    made: Any = proxai_ir.convert(payload, CHAT, RESPONSES)
    assert made["tool_choice"] == "required"
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload
    assert losses(payload, ANTHROPIC) == []


def test_the_tier_on_demand_is_the_standard_one() -> None:
    payload = request(service_tier="on_demand")
    made: Any = proxai_ir.convert(payload, CHAT, RESPONSES)
    assert made["service_tier"] == "default"
    assert losses(payload, RESPONSES) == []


PARTS: list[tuple[Json, type, str | None]] = [
    ({"type": "image_url", "image_url": "https://example.com/a.png"}, ir.Image, None),
    ({"type": "image_url", "image_url": "data:image/png;base64,aGk="}, ir.Image, None),
    ({"type": "document_url", "document_url": URL, "document_name": "a.pdf"}, ir.Document, "a.pdf"),
    ({"type": "file_url", "file_url": {"url": URL}, "file_name": "a.pdf"}, ir.Document, "a.pdf"),
    ({"type": "file_url", "file_url": {"url": "data:application/pdf;base64,aGk="}}, ir.Document, None),
]


@pytest.mark.parametrize(("part", "cls", "title"), PARTS, ids=str)
def test_addresses(part: Json, cls: type, title: str | None) -> None:
    payload = request({"role": "user", "content": [part]})
    turns = read(payload).turns
    assert turns is not None
    found = turns[1].parts[0]
    assert isinstance(found, cls)
    assert getattr(found, "title", None) == title
    for dst in (ANTHROPIC, RESPONSES):
        assert [rule for rule, _ in losses(payload, dst)] in ([], ["DOC-5"])  # the name of the dialect's own type
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT)) == canonical(payload)


def test_a_prefix_is_continued() -> None:
    payload = request({"role": "assistant", "content": "Well", "prefix": True})
    assert read(payload).prefill is True
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload
    payload = request({"role": "assistant", "content": "Well", "prefix": False}, {"role": "user", "content": "?"})
    assert read(payload).prefill is None
    assert losses(payload, ANTHROPIC) == []


# --- calls without ids ------------------------------------------------------------------------------------------------


def test_calls_with_a_blank_id_are_paired_in_order() -> None:
    call = {"id": "", "type": "function", "function": {"name": "sky", "arguments": "{}"}}
    named = {**call, "id": "call_1"}
    payload = request(
        {"role": "assistant", "content": None, "tool_calls": [call, named, call]},
        {"role": "tool", "tool_call_id": "", "content": "first"},
        {"role": "tool", "tool_call_id": "call_1", "content": "second"},
        {"role": "tool", "tool_call_id": "", "content": "third"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "", "content": "fourth"},
        tools=[SKY],
    )
    made: Any = proxai_ir.convert(payload, CHAT, RESPONSES)
    items = made["input"][1:]
    outputs = {one["call_id"]: one["output"] for one in items if one["type"] == "function_call_output"}
    calls = [one["call_id"] for one in items if one["type"] == "function_call"]
    assert [outputs[one] for one in calls] == ["first", "second", "third", "fourth"]
    assert len({*calls}) == 4
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def test_how_arguments_are_streamed_is_no_loss() -> None:
    payload = request(tools=[{**SKY, "eager_input_streaming": True}])
    for dst in (ANTHROPIC, RESPONSES):
        assert losses(payload, dst) == []
        found = proxai_ir.check(payload, CHAT, dst)
        assert ("TUL-28", "/tools/0/eager_input_streaming") in [(one.code, one.path) for one in found]
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


# --- without the payload ----------------------------------------------------------------------------------------------

CALL: Json = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
WITHOUT_SOURCE: dict[str, tuple[Json, Json]] = {
    "a lifetime that only routers know": (
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        },
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        },
    ),
    "a document of another type": (
        {"role": "user", "content": [{"type": "document_url", "document_url": "https://a.example/b.pdf"}]},
        {"role": "user", "content": [{"type": "document_url", "document_url": "https://a.example/b.pdf"}]},
    ),
    "several calls without ids": (
        {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
        {"role": "assistant", "content": None, "tool_calls": [CALL, CALL]},
    ),
    "details of reasoning": (
        {"role": "assistant", "content": "Hi", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {
            "role": "assistant",
            "content": "Hi",
            "reasoning_content": "Hm.",
            "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}],
        },
    ),
    "a signature of another server": (
        {"role": "assistant", "content": "Hi", "extra_content": {"vertex": {"thought_signature": "eA=="}}},
        {"role": "assistant", "content": "Hi", "extra_content": {"google": {"thought_signature": "eA=="}}},
    ),
}


@pytest.mark.parametrize("name", WITHOUT_SOURCE)
def test_a_tree_without_its_payload_is_written_in_one_form(name: str) -> None:
    """What the official types lack keeps its member; the rest is as those have it."""
    given, wanted = WITHOUT_SOURCE[name]
    node = read(request(given))
    again: Any = proxai_ir.raise_to(loads(dumps(node)), CHAT)
    assert again["messages"][-1] == wanted
    assert read(again) == node


def test_a_switch_that_another_one_contradicts_is_named() -> None:
    switches = {"enable_thinking": True, "reasoning": {"enabled": False, "exclude": True}}
    thinking = read(request(**switches)).thinking
    assert thinking is not None
    assert thinking.mode is ThinkingMode.ADAPTIVE
    assert thinking.display is Display.OMITTED
    assert losses(request(**switches), ANTHROPIC) == [("RSN-6", "/reasoning/enabled")]


# --- tools ------------------------------------------------------------------------------------------------------------

GRAMMAR: Json = {"syntax": "lark", "definition": "start: WORD"}


@pytest.mark.parametrize(
    ("written", "made", "lost"),
    [
        ({"type": "grammar", **GRAMMAR}, {"type": "grammar", **GRAMMAR}, []),
        ({"type": "grammar", "grammar": GRAMMAR}, {"type": "grammar", **GRAMMAR}, []),
        ({"type": "text"}, {"type": "text"}, []),
        ({"type": "grammar"}, None, [("UNK-4", "/tools/0/format")]),
        ({"type": "grammar", "syntax": 3, "definition": "x"}, None, [("UNK-4", "/tools/0/format")]),
    ],
    ids=["flat", "nested", "text", "no grammar", "no syntax"],
)
def test_formats_of_custom_tools_as_responses_writes_them(written: Json, made: Json, lost: list[Any]) -> None:
    asked = request(tools=[{"type": "custom", "name": "patch", "format": written}])
    (tool,) = proxai_ir.convert(asked, CHAT, RESPONSES)["tools"]
    assert tool.get("format") == made
    assert losses(asked, RESPONSES) == lost


# --- calls of kinds that are not known --------------------------------------------------------------------------------

STRANGE = {"id": "c1", "type": "hologram", "hologram": {"of": "rain"}}
CALLING = request(
    {"role": "assistant", "content": "Look.", "tool_calls": [STRANGE]},
    {"role": "tool", "tool_call_id": "c1", "content": "shown", "seen": True},
    {"role": "user", "content": "And now?"},
)


def test_an_unknown_call_and_its_result_go_back_to_their_own_protocol_after_an_edit() -> None:
    tree = read(CALLING)
    assert proxai_ir.raise_to(tree, CHAT) == CALLING
    restored: Any = proxai_ir.raise_to(loads(dumps(tree)), CHAT)
    assert restored["messages"] == CALLING["messages"]
    tree.model = "other"
    assert proxai_ir.raise_to(tree, CHAT) == {**CALLING, "model": "other"}


def test_the_parts_of_an_unknown_call_in_a_stream_are_one_call_in_the_whole_response() -> None:
    pieces = ({**STRANGE, "hologram": {"of": "ra"}}, {"hologram": {"of": "in"}})
    deltas = ({"role": "assistant", "content": "Look."}, *({"tool_calls": [{"index": 0, **one}]} for one in pieces))
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
    choices.append({"index": 0, "delta": {}, "finish_reason": "tool_calls"})
    head = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    stream = proxai_ir.StreamConverter(CHAT, CHAT, keep_response=True)
    for event in (*({**head, "choices": [one]} for one in choices), "[DONE]"):
        stream.feed(event)
    stream.close()
    assert stream.response is not None
    assert stream.response["choices"][0]["message"]["tool_calls"] == [STRANGE]


# --- the spellings of OpenAI's other protocol -------------------------------------------------------------------------

FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png", "x": 1}}
SPELLED: dict[str, Json] = {
    RESPONSES: {
        "model": "m",
        "max_tokens": 64,
        "tools": [FUNCTION],
        "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [FUNCTION]}},
        "input": [
            {"role": "user", "content": [IMAGE]},
            {"role": "assistant", "content": "Look.", "tool_calls": [{"id": "c1", **FUNCTION}]},
        ],
    },
    CHAT: {
        "model": "m",
        "max_output_tokens": 64,
        "instructions": "Be brief.",
        "messages": [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}],
        "text": {"format": {"type": "json_schema", "name": "n", "schema": {"type": "object"}}},
    },
    ANTHROPIC: {
        "model": "m",
        "max_tokens": 64,
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [FUNCTION],
        "tool_choice": {"type": "function", "function": {"name": "f"}},
    },
}


@pytest.mark.parametrize("protocol", SPELLED)
def test_a_payload_keeps_its_spellings_in_its_own_protocol_after_an_edit(protocol: str) -> None:
    payload = SPELLED[protocol]
    if protocol == RESPONSES:
        payload = {**payload, "input": payload["input"][:1]}
    tree = proxai_ir.lower(payload, protocol, kind="request")
    assert proxai_ir.raise_to(tree, protocol) == payload
    assert isinstance(tree, Request)
    tree.model = "other"
    assert proxai_ir.raise_to(tree, protocol) == {**payload, "model": "other"}


def test_what_is_unknown_in_a_spelling_is_found_where_it_stands() -> None:
    payload = {**SPELLED[RESPONSES], "input": SPELLED[RESPONSES]["input"][:1]}
    made = proxai_ir.compile(payload, RESPONSES, CHAT, kind="request")
    assert [one.path for one in made.diagnostics if one.code == "UNK-1"] == ["/input/0/content/0/image_url/x"]


def said(part: Json) -> list[Json]:
    return [{"role": "user", "content": [part]}]


LOW = {"detail": "low"}
WRONG: dict[str, list[tuple[Json, str]]] = {
    RESPONSES: [
        ({"tools": [{**FUNCTION, "function": {"name": 5}}]}, "SHP-1 /tools/0/function/name"),
        ({"input": said({**IMAGE, "image_url": {"url": 5}})}, "SHP-1 /input/0/content/0/image_url/url"),
        ({"input": said({**IMAGE, **LOW, "image_url": LOW})}, "SHP-4 /input/0/content/0/image_url/detail"),
        ({"input": [{"role": "assistant", "tool_calls": [{"id": 5, **FUNCTION}]}]}, "SHP-1 /input/0/tool_calls/0/id"),
        ({"input": [{"role": "tool", "tool_call_id": 5, "content": "r"}]}, "SHP-1 /input/0/tool_call_id"),
        ({"response_format": "json"}, "SHP-1 /response_format"),
        ({"reasoning_effort": 5}, "SHP-1 /reasoning_effort"),
        ({"max_tokens": "5"}, "SHP-1 /max_tokens"),
    ],
    CHAT: [
        ({"instructions": 5}, "SHP-1 /instructions"),
        ({"text": {"format": 5}}, "SHP-1 /text/format"),
        ({"messages": said({"type": "input_image", "image_url": 5})}, "SHP-1 /messages/0/content/0/image_url"),
        ({"messages": said({"type": "input_file", "file_url": "a", "file_data": "b"})}, "SHP-4 /messages/0/content/0"),
    ],
    ANTHROPIC: [
        ({"tools": [{"type": "function", "function": {}}]}, "SHP-2 /tools/0"),
        ({"tool_choice": "some"}, "SHP-1 /tool_choice"),
    ],
}


@pytest.mark.parametrize(
    ("protocol", "members", "where"),
    [(protocol, *case) for protocol, cases in WRONG.items() for case in cases],
    ids=str,
)
def test_what_is_wrong_in_a_spelling_is_found_where_it_stands(protocol: str, members: Json, where: str) -> None:
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.lower({**SPELLED[protocol], **members}, protocol, kind="request")
    assert any(f"{one.rule} {one.path}".startswith(where) for one in caught.value.diagnostics)


def test_a_call_of_an_unknown_kind_in_a_message_of_responses_is_an_unknown_part() -> None:
    calling = {"role": "assistant", "content": "Look.", "tool_calls": [STRANGE]}
    made = proxai_ir.compile({"model": "m", "input": [calling, {"role": "user", "content": "a"}]}, RESPONSES, CHAT)
    assert [(one.code, one.path) for one in made.diagnostics if one.severity == "loss"] == [
        ("UNK-2", "/input/0/tool_calls/0")
    ]


# --- Mistral ----------------------------------------------------------------------------------------------------------

THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}], "signature": "c2ln"}


def said_by_mistral(content: list[Json]) -> Json:
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def test_a_signature_of_mistral_comes_back_to_it_through_another_protocol() -> None:
    text = {"type": "text", "text": "Noon."}
    given: Any = proxai_ir.convert(said_by_mistral([THOUGHT, text]), CHAT, ANTHROPIC, seals=Seals())
    history = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": given["content"]}]
    asked = {"model": "m", "max_tokens": 64, "messages": [*history, {"role": "user", "content": "Sure?"}]}
    made: Any = proxai_ir.convert(asked, ANTHROPIC, MISTRAL, kind="request", seals=Seals())
    assert made["messages"][1] == {"role": "assistant", "content": [THOUGHT, text]}


def test_a_streamed_signature_of_mistral_seals_the_thinking_before_it() -> None:
    pieces: list[Any] = [[{**THOUGHT, "signature": None}], [{**THOUGHT, "thinking": []}], "Noon."]
    stream = proxai_ir.StreamConverter(CHAT, ANTHROPIC, keep_response=True, seals=Seals())
    head = {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for piece in pieces:
        stream.feed({**head, "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
    stream.feed({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    stream.close()
    assert stream.response is not None
    whole: Any = proxai_ir.convert(
        said_by_mistral([THOUGHT, {"type": "text", "text": "Noon."}]), CHAT, ANTHROPIC, seals=Seals()
    )
    assert stream.response["content"] == whole["content"]


RECORDINGS = {
    "UklGRg==": "audio/wav",
    "data:audio/flac;base64,ZkxhQw==": "audio/flac",
    "//uQRA==": "audio/mp3",
    "AAAA": None,
}


@pytest.mark.parametrize("data", RECORDINGS)
def test_a_recording_that_is_a_text_has_the_type_that_its_data_show(data: str) -> None:
    payload = request({"role": "user", "content": [{"type": "input_audio", "input_audio": data}]})
    turns = read(payload).turns
    assert turns is not None
    (recording,) = turns[-1].parts
    assert isinstance(recording, ir.Audio)
    assert recording.source == ir.Inline(data.rpartition(",")[2], RECORDINGS[data])
    assert proxai_ir.raise_to(read(payload), CHAT) == payload


def test_a_recording_at_an_address_and_a_file_by_its_id_are_read() -> None:
    recording = {"type": "input_audio", "input_audio": "https://example.com/a.mp3"}
    turns = read(request({"role": "user", "content": [recording, {"type": "file", "file_id": "f1"}]})).turns
    assert turns is not None
    first, second = turns[-1].parts
    assert isinstance(first, ir.Audio)
    assert isinstance(second, ir.Document)
    assert (type(first.source), type(second.source)) == (ir.Url, ir.FileRef)


def test_references_go_back_to_their_own_protocol_after_an_edit() -> None:
    reference = {"type": "reference", "reference_ids": [1, "b"]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "Noon."}, reference]}
    payload = request(said, {"role": "user", "content": "Sure?"})
    restored: Any = proxai_ir.raise_to(loads(dumps(read(payload))), CHAT)
    assert restored["messages"] == payload["messages"]
    whole = said_by_mistral(said["content"])  # type: ignore[arg-type]
    assert ("CIT-1", "/choices/0/message/content/1") in [
        (one.code, one.path) for one in proxai_ir.compile(whole, CHAT, ANTHROPIC).diagnostics
    ]


def test_a_routers_web_search_is_one() -> None:
    """OpenRouter has it among the tools."""
    where = {"type": "approximate", "city": "Oslo"}
    asked = {"search_context_size": "low", "max_uses": 2, "excluded_domains": ["sea.example"], "user_location": where}
    payload = request(tools=[{"type": "openrouter:web_search", "parameters": asked}])
    there = proxai_ir.convert(payload, CHAT, RESPONSES)
    assert there["tools"] == [{"type": "web_search", "search_context_size": "low", "user_location": where}]
    assert there["max_tool_calls"] == 2
    assert losses(payload, RESPONSES) == [("TUL-9", "/tools/0/parameters/excluded_domains")]
    assert proxai_ir.convert(payload, CHAT, ANTHROPIC)["tools"] == [
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": 2,
            "blocked_domains": ["sea.example"],
            "user_location": where,
        }
    ]
    assert proxai_ir.raise_to(proxai_ir.lower(payload, CHAT), CHAT) == payload


def test_claude_gets_one_web_search() -> None:
    """Two tools of one name are refused (TUL-60)."""
    search: Json = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    search["tools"] = [{"googleSearch": {}}, {"enterpriseWebSearch": {}}]
    made = proxai_ir.convert(search, "gemini_generate_content", ANTHROPIC, model="m")
    assert [tool["name"] for tool in made["tools"]] == ["web_search"]
