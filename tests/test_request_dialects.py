"""Requests as clients of compatible chat servers write them: each member means what it means there, or is named."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.json_form import dumps, loads
from proxai_ir.ir.request import Display, Effort, Request, Thinking, ThinkingMode
from proxai_ir.ir.tools import Choice, ChoiceMode
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
