"""Content and settings of Converse that no sample has."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

import proxai_ir
from proxai_ir import TranslationError

from .clients.provider import ANTHROPIC, CHAT, GEMINI
from .samples.bedrock_converse import building

BEDROCK = "bedrock_converse"

AUDIO = {"audio": {"format": "mp3", "source": {"bytes": "SUQz"}}}
VIDEO = {"video": {"format": "three_gp", "source": {"bytes": "AAAA"}}}
STORED = {
    "image": {"format": "webp", "source": {"s3Location": {"uri": "s3://b/a.webp", "bucketOwner": "111122223333"}}}
}


def test_audio_and_video() -> None:
    """Gemini takes both; Bedrock gets them where its profile says so."""
    payload = building.request(building.user(AUDIO, VIDEO))
    done = proxai_ir.compile(payload, BEDROCK, GEMINI, model="m")
    inline = [part["inlineData"] for part in done.output["contents"][0]["parts"]]
    assert inline == [{"mimeType": "audio/mp3", "data": "SUQz"}, {"mimeType": "video/3gpp", "data": "AAAA"}]
    with pytest.raises(TranslationError, match="AUD-1"):
        proxai_ir.compile(done.output, GEMINI, BEDROCK)
    there = proxai_ir.Profile(BEDROCK, audio=True, video=True)
    assert proxai_ir.compile(done.output, GEMINI, there).output == payload


def test_what_is_in_s3_stays_there() -> None:
    payload = building.request(building.user(STORED))
    for target in (ANTHROPIC, CHAT):
        with pytest.raises(TranslationError, match="SRC-3"):
            proxai_ir.compile(payload, BEDROCK, target, model="m")
    assert proxai_ir.convert(payload, BEDROCK, BEDROCK) == payload


def test_a_stored_prompt() -> None:
    with pytest.raises(TranslationError, match="R2A-3"):
        proxai_ir.compile({"promptVariables": {"a": {"text": "b"}}}, BEDROCK, CHAT, kind="request", model="m")


@pytest.mark.parametrize("given", [{"0": 1, "1": 255}, {"type": "Buffer", "data": [1, 255]}])
def test_bytes_as_javascript_prints_them(given: Any) -> None:
    block = {"image": {"format": "png", "source": {"bytes": given}}}
    done = proxai_ir.compile(building.request(building.user(block)), BEDROCK, ANTHROPIC, model="m")
    assert done.output["messages"][0]["content"][0]["source"]["data"] == "Af8="
    broken = {"image": {"format": "png", "source": {"bytes": {"0": 300}}}}
    with pytest.raises(TranslationError, match="SHP-1"):
        proxai_ir.compile(building.request(building.user(broken)), BEDROCK, ANTHROPIC, model="m")


def test_every_family_has_its_settings() -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "reasoning_effort": "high"}
    found = {
        family: proxai_ir.compile(asked, CHAT, proxai_ir.Profile(BEDROCK, family=family)).output
        for family in ("anthropic", "nova", "openai", "other")
    }
    assert found["anthropic"]["outputConfig"] == {"effort": "high"}
    assert found["anthropic"]["additionalModelRequestFields"] == {"thinking": {"type": "adaptive"}}
    assert found["nova"]["additionalModelRequestFields"] == {
        "reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}
    }
    assert found["openai"]["additionalModelRequestFields"] == {"reasoning_effort": "high"}
    assert "additionalModelRequestFields" not in found["other"]


def test_redacted_thinking_is_that_of_its_maker() -> None:
    """Claude's is the base64 of what Anthropic's own API has."""
    given = {"type": "redacted_thinking", "data": "EroBCkYIBRgC"}
    user = {"role": "user", "content": "hi"}
    answer = {"role": "assistant", "content": [given, {"type": "text", "text": "Hm."}]}
    asked = {"model": "m", "max_tokens": 9, "messages": [user, answer, user]}
    there = proxai_ir.compile(asked, ANTHROPIC, BEDROCK).output
    assert there["messages"][1]["content"][0] == {"reasoningContent": {"redactedContent": "RXJvQkNrWUlCUmdD"}}
    back = proxai_ir.compile(there, BEDROCK, ANTHROPIC, model="m", max_tokens=9).output
    assert back["messages"][1]["content"][0] == given


def test_documents_have_names_of_their_own() -> None:
    file = {"type": "file", "file": {"filename": "A_b.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}}
    asked = {
        "model": "m",
        "messages": [{"role": "user", "content": [file, deepcopy(file), {"type": "text", "text": "?"}]}],
    }
    done = proxai_ir.compile(asked, CHAT, BEDROCK)
    names = [one["document"]["name"] for one in done.output["messages"][0]["content"][:2]]
    assert names == ["A b pdf", "A b pdf 2"]
    assert [one.rule for one in done.diagnostics if one.rule == "DOC-80"] == ["DOC-80", "DOC-80"]


def test_cache_points_stand_between_blocks() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    call = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a", **mark}], **mark}
    turns = [("user", "hi"), ("assistant", [call]), ("user", [result])]
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": role, "content": one} for role, one in turns]}
    done = proxai_ir.compile(asked, ANTHROPIC, BEDROCK)
    assert done.output["messages"][2]["content"] == [
        building.tool_result({"text": "a"}, call_id="t1"),
        {"cachePoint": {"type": "default"}},
    ]
    assert [one.path for one in done.diagnostics if one.rule == "CAC-4"] == [
        "/messages/2/content/0/content/0/cache_control"
    ]


def test_a_setting_of_a_client_tool_that_becomes_a_function_is_named() -> None:
    """Converse's tools have no such member, and botocore refuses it."""
    editor = {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool", "max_characters": 9000}
    given = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}], "tools": [editor]}
    made = proxai_ir.compile(given, "anthropic_messages", "bedrock_converse", kind="request")
    assert [tool.keys() for tool in made.output["toolConfig"]["tools"]] == [{"toolSpec"}]
    found = {(one.rule, one.path) for one in made.diagnostics}
    assert {("TUL-37", "/tools/0"), ("TUL-9", "/tools/0/max_characters")} <= found


# --- whose tool a call is of ------------------------------------------------------------------------------------------

GROUNDED: Any = {"toolUseId": "t1", "name": "nova_grounding", "input": {"a": 1}}
FOUND: Any = {"toolUseId": "t1", "content": [{"text": "Rain."}], "status": "success", "type": "nova_grounding_result"}
OTHER: Any = {"toolUseId": "t2", "name": "f", "input": {}}


def streamed(*blocks: Any) -> list[Any]:
    """The events of a message of calls, results and texts."""
    found: list[Any] = [{"messageStart": {"role": "assistant"}}]
    for index, block in enumerate(blocks):
        ((kind, inner),) = block.items()
        delta = {"toolUse": {"input": '{"a":1}'}, "toolResult": inner["content"] if kind == "toolResult" else None}
        if kind != "text":
            begun = {key: value for key, value in inner.items() if key not in ("input", "content")}
            found.append({"contentBlockStart": {"contentBlockIndex": index, "start": {kind: begun}}})
        grown = inner if kind == "text" else delta[kind]
        found += [
            {"contentBlockDelta": {"contentBlockIndex": index, "delta": {kind: grown}}},
            {"contentBlockStop": {"contentBlockIndex": index}},
        ]
    return [*found, {"messageStop": {"stopReason": "tool_use"}}]


CALLS = pytest.mark.parametrize(
    ("blocks", "called"),
    [
        ([{"toolUse": GROUNDED}], ["nova_grounding"]),
        ([{"toolUse": GROUNDED}, {"text": "So."}], ["nova_grounding"]),
        ([{"toolUse": GROUNDED}, {"toolUse": OTHER}], ["nova_grounding", "f"]),
        ([{"toolUse": OTHER}, {"toolUse": GROUNDED}], ["f", "nova_grounding"]),
        ([{"toolUse": GROUNDED}, {"toolResult": FOUND}, {"text": "It rains."}], []),
        ([{"toolUse": GROUNDED}, {"toolResult": {**FOUND, "toolUseId": "t9"}}], ["nova_grounding"]),
        ([{"toolUse": {**GROUNDED, "type": "server_tool_use"}}], []),
    ],
)


@CALLS
def test_a_call_by_the_name_of_the_services_tool_is_its_own_where_a_result_shows_it(
    blocks: list[Any], called: list[str]
) -> None:
    payload = building.response(*blocks, stop="tool_use")
    message = proxai_ir.convert(payload, BEDROCK, CHAT, model="m")["choices"][0]["message"]
    assert [one["function"]["name"] for one in message.get("tool_calls", ())] == called
    assert proxai_ir.raise_to(proxai_ir.lower(payload, BEDROCK), BEDROCK) == payload


@CALLS
def test_a_stream_waits_for_the_block_after_such_a_call(blocks: list[Any], called: list[str]) -> None:
    events = streamed(*blocks)
    made = proxai_ir.convert(events, BEDROCK, CHAT, model="m")
    deltas = [call for one in made[:-1] for choice in one["choices"] for call in choice["delta"].get("tool_calls", ())]
    assert [one["function"]["name"] for one in deltas if "name" in one["function"]] == called
    assert "".join(one["function"]["arguments"] for one in deltas) == '{"a":1}' * len(called)
    assert proxai_ir.raise_to(proxai_ir.lower(events, BEDROCK), BEDROCK) == events


@pytest.mark.parametrize("name", [["nova_grounding"], {"a": 1}, 7])
def test_a_call_whose_name_is_no_text_is_refused(name: Any) -> None:
    block = {"toolUse": {**GROUNDED, "name": name}}
    with pytest.raises(TranslationError, match="SHP-1"):
        proxai_ir.convert(building.response(block, stop="tool_use"), BEDROCK, CHAT, model="m")
    with pytest.raises(TranslationError, match="SHP-1"):
        proxai_ir.convert(streamed(block), BEDROCK, CHAT, model="m")


def test_a_call_of_a_system_tool_of_the_request_is_the_services() -> None:
    payload = building.request(building.user({"text": "Rain?"}), building.assistant({"toolUse": GROUNDED}))
    payload["toolConfig"] = {"tools": [{"systemTool": {"name": "nova_grounding"}}]}
    done = proxai_ir.compile(payload, BEDROCK, CHAT, model="m")
    assert ("TUL-6", "/messages/1/content/0") in [(one.rule, one.path) for one in done.diagnostics]
