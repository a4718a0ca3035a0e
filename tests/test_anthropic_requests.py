"""What servers of Anthropic Messages accept in requests, and what becomes of the rest (CAP-3)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir.backends.anthropic_messages.rows import unsealed, why_not_opened
from proxai_ir.ir.node import Seal
from proxai_ir.ir.parts import CitationUnit, DocumentCitation, Text, WebHit, WebSearchResult
from proxai_ir.ir.response import Response

from .sides import sides

CHAT, RESPONSES, MESSAGES = "openai_chat_completions", "openai_responses", "anthropic_messages"
USER = {"role": "user", "content": "Hi"}


def converted(payload: dict[str, Any], src: str = CHAT, **options: Any) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """The request for Anthropic Messages, without its model and limit, and what is reported, by rule and path."""
    server, known = sides(MESSAGES, options)
    done = proxai_ir.compile({"model": "m", **payload}, src, server, max_tokens=9, **known)
    assert done.output.pop("model") == "m"
    assert done.output.pop("max_tokens") == 9
    return done.output, sorted((one.code, one.path) for one in done.diagnostics if one.code != "SMP-1")


# --- sampling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "sent", "found"),
    [
        ({"temperature": 1}, {}, [("SMP-6", "/temperature")]),
        ({"top_p": 1.0}, {}, [("SMP-6", "/top_p")]),
        ({"temperature": 1, "top_p": 1}, {}, [("SMP-6", "/temperature"), ("SMP-6", "/top_p")]),
        ({"temperature": 1, "top_p": 0.5}, {"top_p": 0.5}, [("SMP-6", "/temperature")]),
        ({"temperature": 0, "top_p": 1}, {"temperature": 0}, [("SMP-6", "/top_p")]),
        ({"temperature": 0, "top_p": 0.5}, {"temperature": 0}, [("SMP-8", "/top_p")]),
        ({"temperature": 2, "top_p": 0.5}, {"top_p": 0.5}, [("SMP-2", "/temperature")]),
        ({"temperature": 0, "top_p": 0.5, "top_k": 3}, {"temperature": 0, "top_k": 3}, [("SMP-8", "/top_p")]),
    ],
)
def test_temperature_and_top_p(given: dict[str, Any], sent: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert converted({"messages": [USER], **given}) == ({"messages": [USER], **sent}, found)


def test_a_server_that_accepts_temperature_and_top_p() -> None:
    both = {"temperature": 0.3, "top_p": 0.5}
    assert converted({"messages": [USER], **both}, temperature_with_top_p=True) == ({"messages": [USER], **both}, [])


def test_defaults_are_no_loss_where_there_is_no_sampling() -> None:
    assert converted({"messages": [USER], "temperature": 1.0, "top_p": 1}, version="2026-10-21") == (
        {"messages": [USER]},
        [("SMP-6", "/temperature"), ("SMP-6", "/top_p")],
    )


# --- effort and thinking ----------------------------------------------------------------------------------------------

FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
HIGH = {"output_config": {"effort": "high"}}
ADAPTIVE = {"thinking": {"type": "adaptive"}, **HIGH}
FORCED = {"tools": [FUNCTION], "tool_choice": "required"}


@pytest.mark.parametrize(
    ("given", "settings", "sent", "rules"),
    [
        ({}, {}, ADAPTIVE, ["RSN-14"]),
        ({}, {"adaptive_thinking": False}, HIGH, ["RSN-13"]),
        ({}, {"version": "2026-10-21"}, ADAPTIVE, ["RSN-14"]),
        ({}, {"effort": False}, {}, ["RSN-18"]),
        ({}, {"effort": False, "thinking_budgets": False}, {}, ["RSN-12"]),
        ({"top_p": 0.5}, {}, {**HIGH, "top_p": 0.5}, ["RSN-13"]),
        ({"top_p": 0.5}, {"version": "2026-10-21"}, ADAPTIVE, ["RSN-14", "SMP-3"]),
        ({"reasoning_effort": "none"}, {}, {"thinking": {"type": "disabled"}}, []),
        ({"reasoning_effort": "minimal"}, {"effort": False}, {"thinking": {"type": "disabled"}}, ["RSN-7"]),
    ],
)
def test_effort(given: dict[str, Any], settings: dict[str, Any], sent: dict[str, Any], rules: list[str]) -> None:
    made, found = converted({"messages": [USER], "reasoning_effort": "high", **given}, **settings)
    assert made == {"messages": [USER], **sent}
    assert [rule for rule, _ in found] == rules


def test_a_forced_call_leaves_adaptive_thinking_as_it_is() -> None:
    made, found = converted({"messages": [USER], "reasoning_effort": "high", **FORCED})
    assert made["thinking"] == {"type": "adaptive"}
    assert found == [("RSN-14", "/reasoning_effort")]


def test_summaries_need_adaptive_thinking() -> None:
    asked = {"input": [{"role": "user", "content": "Hi"}], "reasoning": {"effort": "high", "summary": "auto"}}
    shown = {"type": "adaptive", "display": "summarized"}
    assert converted(asked, RESPONSES) == ({"messages": [USER], "thinking": shown, **HIGH}, [])
    assert converted(asked, RESPONSES, effort=False) == (
        {"messages": [USER]},
        [("RSN-18", "/reasoning/effort"), ("SMP-6", "/reasoning/summary")],
    )


RESULT = {"role": "tool", "tool_call_id": "c1", "content": "r"}
ASKS = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
SIGNED = {"type": "reasoning.text", "text": "Hm.", "signature": "c2ln", "format": "anthropic-claude-v1", "index": 0}


@pytest.mark.parametrize(
    ("given", "budget", "found"),
    [
        ({}, 2000, []),
        ({"max_completion_tokens": 2000}, 1999, ["RSN-19"]),
        ({"max_completion_tokens": 1025}, 1024, ["RSN-19"]),
        ({"max_completion_tokens": 1024}, None, ["RSN-18"]),
        (FORCED, None, ["RSN-18"]),
        ({"temperature": 1, "top_p": 0.95}, 2000, ["SMP-6"]),
        ({"temperature": 0}, 2000, ["RSN-20"]),
        ({"top_p": 0.9}, 2000, ["RSN-20"]),
        ({"messages": [USER, {"role": "assistant", "tool_calls": [ASKS]}, RESULT]}, None, ["RSN-18"]),
        ({"messages": [USER, {"role": "assistant", "tool_calls": [ASKS]}, RESULT, USER]}, None, ["RSN-18"]),
        ({"messages": [USER, {"role": "assistant", "content": "Hello."}, USER]}, 2000, []),
        ({"messages": [USER, {"role": "assistant", "reasoning_details": [SIGNED], "tool_calls": [ASKS]}, RESULT]},
         2000, ["RSN-15"]),
    ],
)  # fmt: skip
def test_a_thinking_budget(given: dict[str, Any], budget: int | None, found: list[str]) -> None:
    asked = {"max_completion_tokens": 4000, "messages": [USER], "thinking": {"type": "enabled", "budget_tokens": 2000}}
    made = proxai_ir.compile({"model": "m", **asked, **given}, CHAT, MESSAGES)
    assert made.output.get("thinking") == (budget and {"type": "enabled", "budget_tokens": budget})
    assert sorted(one.code for one in made.diagnostics) == found
    assert budget is None or made.output.get("temperature", 1) == 1


def test_thinking_that_is_not_enabled_is_not_shown() -> None:
    asked = {"model": "m", "messages": [USER], "reasoning": {"max_tokens": 2000, "exclude": True}, **FORCED}
    found = proxai_ir.check(asked, CHAT, MESSAGES)
    assert {("RSN-18", "/reasoning/max_tokens"), ("SMP-6", "/reasoning/exclude")} <= {(i.code, i.path) for i in found}


# --- the last message -------------------------------------------------------------------------------------------------

ANSWER = {"role": "assistant", "content": "Hello. "}
TRIMMED = {"role": "assistant", "content": "Hello."}
BRIEF = {"role": "developer", "content": "Now be brief."}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
CALLING = {"role": "assistant", "tool_calls": [CALL]}
CALLED = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "f", "input": {}}]}
MOVED = [("PLC-1", "/messages/2/role"), ("PLC-2", "/messages/2")]


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize(
    ("given", "sent", "found"),
    [
        ([USER, ANSWER], [USER], [("PLC-19", "/messages/1")]),
        ([USER, ANSWER, ANSWER], [USER], [("PLC-19", "/messages/1"), ("PLC-19", "/messages/2")]),
        ([USER, ANSWER, USER], [USER, ANSWER, USER], []),
        ([USER, CALLING], [USER, CALLED], []),
        ([USER, ANSWER, {"role": "assistant", "content": ""}], [USER],
         [("PLC-10", "/messages/2/content"), ("PLC-12", "/messages/2"), ("PLC-19", "/messages/1")]),
        ([USER, {"role": "assistant", "content": ""}], [USER],
         [("PLC-10", "/messages/1/content"), ("PLC-12", "/messages/1")]),
    ],
)  # fmt: skip
def test_a_request_does_not_end_with_an_answer(
    given: list[Any], sent: list[Any], found: list[tuple[str, str]], in_place: bool
) -> None:
    assert converted({"messages": given}, system_in_place=in_place) == ({"messages": sent}, found)


@pytest.mark.parametrize("in_place", [False, True])
def test_instructions_that_move_leave_the_answer_at_the_end(in_place: bool) -> None:
    given = {"messages": [USER, ANSWER, BRIEF]}
    dropped = converted(given, system_in_place=in_place)
    assert dropped == ({"system": "Now be brief.", "messages": [USER]}, [MOVED[0], ("PLC-19", "/messages/1"), MOVED[1]])
    kept = converted(given, system_in_place=in_place, prefill=True)
    assert kept[0] == {"system": "Now be brief.", "messages": [USER, TRIMMED]}
    assert kept[1] == [MOVED[0], ("PLC-16", "/messages/1"), MOVED[1], ("PLC-20", "/messages/1/content")]


def test_every_item_of_a_dropped_answer_is_reported() -> None:
    parts = [{"type": "output_text", "text": "Hello.", "annotations": []}]
    answer = {"type": "message", "role": "assistant", "id": "m1", "status": "completed", "content": parts}
    items = [{"role": "user", "content": "Hi"}, answer, {**answer, "id": "m2"}]
    made, found = converted({"input": items}, RESPONSES)
    assert made == {"messages": [USER]}
    assert [path for rule, path in found if rule == "PLC-19"] == ["/input/1", "/input/2"]


def test_what_is_dropped_from_the_end_is_no_prefill() -> None:
    unknown = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
    made, found = converted({"input": [{"role": "user", "content": "Hi"}, unknown]}, RESPONSES, prefill=True)
    assert made == {"messages": [USER]}
    assert "PLC-16" not in [rule for rule, _ in found]


def test_a_request_of_answers_only_is_refused() -> None:
    with pytest.raises(proxai_ir.Unrepresentable) as refused:
        converted({"messages": [ANSWER]})
    (why,) = refused.value.diagnostics
    assert why.code == "PLC-17"
    assert "PLC-19" in why.message


@pytest.mark.parametrize("emulate", ["auto", ("user_turn",)])
def test_instructions_alone_are_the_users_message_where_asked(emulate: Any) -> None:
    brief = {"role": "system", "content": "Be brief."}
    made, found = converted({"messages": [brief]}, emulate=emulate)
    assert made == {"messages": [{"role": "user", "content": "Be brief."}]}
    assert ("PLC-23", "/messages/0") in found
    made, found = converted({"instructions": "Be brief.", "input": []}, RESPONSES, emulate=emulate)
    assert made == {"messages": [{"role": "user", "content": "Be brief."}]}
    assert ("PLC-23", "/instructions") in found
    made, found = converted({"messages": [brief, USER]}, emulate=emulate)
    assert made == {"system": "Be brief.", "messages": [USER]}
    assert "PLC-23" not in [rule for rule, _ in found]
    empty = {"role": "user", "content": ""}
    made, found = converted({"messages": [brief, empty, ANSWER, USER]}, emulate=emulate)
    assert made == {"messages": [{"role": "user", "content": "Be brief."}, ANSWER, USER]}
    assert {("PLC-23", "/messages/0"), ("PLC-22", "/messages/1")} <= set(found)
    with pytest.raises(proxai_ir.TranslationError):
        converted({"messages": [brief, USER, ANSWER, empty]}, emulate=emulate)
    with pytest.raises(proxai_ir.TranslationError):
        converted({"messages": [brief, empty, USER]}, emulate=emulate)  # the user wrote something


@pytest.mark.parametrize("messages", [[], [{"role": "system", "content": " "}], [ANSWER]])
def test_nothing_else_becomes_the_users_message(messages: list[dict[str, Any]]) -> None:
    with pytest.raises(proxai_ir.Unrepresentable, match="PLC-17"):
        converted({"messages": messages}, emulate=("user_turn",))


# --- weaker forms that the caller asks for ----------------------------------------------------------------------------


@pytest.mark.parametrize("emulate", ["auto", ("json_mode",)])
def test_an_instruction_in_place_of_json_mode(emulate: Any) -> None:
    made, found = converted({"messages": [USER], "response_format": {"type": "json_object"}}, emulate=emulate)
    assert made == {"messages": [USER], "system": "Respond with a JSON object only, without any text around it."}
    assert found == [("OUT-11", "/response_format")]
    payload = {"input": "Hi", "text": {"format": {"type": "json_object"}}}
    made, found = converted(payload, RESPONSES, emulate=emulate)
    assert "JSON" in made["system"]
    assert ("OUT-11", "/text/format") in found


def test_one_candidate_is_sent_for_only_where_it_is_named() -> None:
    asked = {"messages": [USER], "n": 2}
    assert converted(asked, emulate=("one_candidate",)) == ({"messages": [USER]}, [("CHO-4", "/n")])
    with pytest.raises(proxai_ir.Unrepresentable, match="CHO-2"):
        converted(asked, emulate="auto")


def test_what_the_target_has_is_not_made_weaker() -> None:
    payload = {"model": "m", "messages": [USER], "n": 2, "response_format": {"type": "json_object"}}
    there = proxai_ir.convert({**payload, "n": 1}, CHAT, RESPONSES, emulate="auto")
    assert there["text"] == {"format": {"type": "json_object"}}
    found = proxai_ir.check(payload, CHAT, RESPONSES, emulate=("json_mode", "one_candidate"))
    assert [one.code for one in found if one.severity != "info"] == ["CHO-4"]
    assert payload["n"] == 2


def test_weaker_forms_are_losses() -> None:
    with pytest.raises(proxai_ir.Unrepresentable, match="OUT-11"):
        converted({"messages": [USER], "response_format": {"type": "json_object"}}, emulate="auto", strict=True)


def test_tools_that_only_the_model_calls() -> None:
    tool = {"name": "f", "input_schema": {"type": "object", "properties": {}}, "allowed_callers": ["direct"]}
    payload = {"model": "m", "max_tokens": 9, "messages": [USER], "tools": [tool]}
    for dst in (CHAT, RESPONSES):
        found = proxai_ir.check(payload, MESSAGES, dst)
        assert ("SMP-6", "/tools/0/allowed_callers") in [(one.code, one.path) for one in found]
    tool["allowed_callers"] = ["direct", "code_execution_20250825"]
    assert "TUL-9" in [one.code for one in proxai_ir.check(payload, MESSAGES, CHAT)]


@pytest.mark.parametrize("kind", ["web_search_20250305", "web_fetch_20250910", "code_execution_20250825"])
def test_tools_of_the_provider_have_their_own_names_alone(kind: str) -> None:
    payload = {"model": "m", "max_tokens": 9, "messages": [USER], "tools": [{"type": kind, "name": "mine"}]}
    found = proxai_ir.check(payload, MESSAGES, "gemini_generate_content")
    assert [(one.code, one.path) for one in found] == [("SHP-3", "/tools/0/name")]


# --- strict tools -----------------------------------------------------------------------------------------------------

PARAMETERS = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
EMPTY = {"type": "object", "properties": {}}
REFERRING = {**PARAMETERS, "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}
TAGGED = {"oneOf": [PARAMETERS, PARAMETERS], "discriminator": {"propertyName": "n"}}


@pytest.mark.parametrize(
    ("given", "sent", "strict", "rules"),
    [
        (PARAMETERS, PARAMETERS, True, []),
        ({**PARAMETERS, "$schema": "s"}, PARAMETERS, True, ["SCH-11"]),
        (
            {**PARAMETERS, "properties": {"n": TAGGED}},
            {**PARAMETERS, "properties": {"n": {"anyOf": [PARAMETERS, PARAMETERS]}}},
            True,
            ["SCH-11"],
        ),
        (None, {"type": "object", "properties": {}, "additionalProperties": False}, True, ["SCH-2"]),
        (REFERRING, REFERRING, True, []),
        ({"type": "object", "properties": {}}, {**EMPTY, "additionalProperties": False}, True, ["SCH-6"]),
        ({**EMPTY, "additionalProperties": True}, {**EMPTY, "additionalProperties": True}, None, ["SCH-1"]),
        (
            {**PARAMETERS, "properties": {"n": {"prefixItems": [{"type": "string"}], "type": "array"}}},
            {**PARAMETERS, "properties": {"n": {"prefixItems": [{"type": "string"}], "type": "array"}}},
            None,
            ["SCH-1"],
        ),
        (
            {**PARAMETERS, "properties": {"n": {"$ref": "#"}}},
            {**PARAMETERS, "properties": {"n": {"$ref": "#"}}},
            None,
            ["SCH-1"],
        ),
    ],
)
def test_strict_tools(given: Any, sent: Any, strict: bool | None, rules: list[str]) -> None:
    function = {"name": "f", "strict": True, **({} if given is None else {"parameters": given})}
    made, found = converted({"messages": [USER], "tools": [{"type": "function", "function": function}]})
    (tool,) = made["tools"]
    assert tool["input_schema"] == sent
    assert tool.get("strict") is strict
    assert [rule for rule, _ in found] == rules


# --- threads ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", [CHAT, RESPONSES])
def test_only_a_thread_that_continues_refers_to_something(dst: str) -> None:
    request = {"model": "m", "max_tokens": 64, "messages": [USER]}
    found, *_ = proxai_ir.check({**request, "thread": {"type": "create"}}, MESSAGES, dst)
    assert (found.code, found.path) == ("SVC-2", "/thread")
    for thread in ({"type": "continue", "previous_message_id": "msg_1"}, {"type": "new"}, "create"):
        with pytest.raises(proxai_ir.Unrepresentable) as refused:
            proxai_ir.convert({**request, "thread": thread}, MESSAGES, dst)
        assert [one.code for one in refused.value.diagnostics] == ["R2A-3"]


# --- documents --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("mime", "found"), [("text/plain", []), ("text/csv", ["ENV-1"]), ("text/markdown", ["ENV-1"])])
def test_all_text_is_plain(mime: str, found: list[str]) -> None:
    part = {"inlineData": {"mimeType": mime, "data": "YSxi"}}
    output, noted = converted({"contents": [{"role": "user", "parts": [part]}]}, "gemini_generate_content")
    source = {"type": "text", "media_type": "text/plain", "data": "a,b"}
    assert output == {"messages": [{"role": "user", "content": [{"type": "document", "source": source}]}]}
    assert noted == [(rule, "/contents/0/parts/0/inlineData/mimeType") for rule in found]


def test_results_of_one_run_are_joined() -> None:
    """Gemini reports what the code wrote before it failed as a result of its own."""
    run = [
        {"executableCode": {"language": "PYTHON", "code": "f()"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": ""}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": ""}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "one\n"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "No."}},
    ]
    asked = {"role": "user", "parts": [{"text": "Hi"}]}
    payload = {"contents": [asked, {"role": "model", "parts": run}, asked], "tools": [{"codeExecution": {}}]}
    output, found = converted(payload, "gemini_generate_content")
    call, result = output["messages"][1]["content"]
    assert result["tool_use_id"] == call["id"]
    assert result["content"]["stdout"] == "one\nNo."
    assert result["content"]["return_code"] == 1
    assert [path for rule, path in found if rule == "TUL-39"] == [f"/contents/1/parts/{at}" for at in (2, 3, 4)]


# --- places in documents ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "unit", "start", "end"),
    [
        ("char_location", CitationUnit.CHAR, "start_char_index", "end_char_index"),
        ("page_location", CitationUnit.PAGE, "start_page_number", "end_page_number"),
        ("content_block_location", CitationUnit.BLOCK, "start_block_index", "end_block_index"),
    ],
)
def test_a_place_in_a_document_is_typed(kind: str, unit: CitationUnit, start: str, end: str) -> None:
    """Both ways, in responses; what the wire calls it is the backend's alone."""
    cited = {"type": kind, "cited_text": "Rain.", "document_index": 1, "document_title": "Report", start: 2, end: 7}
    response = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
        "content": [{"type": "text", "text": "It rains.", "citations": [cited]}],
    }
    node = proxai_ir.lower(response, MESSAGES, kind="response")
    assert isinstance(node, Response)
    (text,) = node.candidates[0].parts
    assert isinstance(text, Text)
    assert text.citations == [DocumentCitation(unit, 1, 2, 7, "Report", "Rain.")]
    text.src = node.src = node.candidates[0].turns[0].src = None
    node.protocol = None
    made = proxai_ir.raise_to(node, MESSAGES)
    assert made["content"][0]["citations"] == [cited]


OURS = Seal("anthropic", "content", "c2VhbGVk")


@pytest.mark.parametrize(
    ("hit", "lacks"),
    [
        (WebHit("https://e.com", "T", seal=OURS), False),
        (WebHit("https://e.com", None, seal=OURS), True),
        (WebHit("https://e.com", "T"), True),
        (WebHit("https://e.com"), True),
        (WebHit("https://e.com", "T", seal=Seal("other", "content", "eA==")), True),
    ],
)
def test_a_page_that_was_found_needs_a_title_and_its_encrypted_content(hit: WebHit, lacks: bool) -> None:
    whole = WebHit("https://e.com/whole", "W", seal=OURS)
    assert unsealed(WebSearchResult("s", [whole, hit])) is lacks


@pytest.mark.parametrize(
    ("page", "error", "why"),
    [(None, None, ""), (None, "gone", ""), ("https://e.com", None, ""), ("https://e.com", "gone", "gone")],
)
def test_why_a_page_was_not_opened(page: str | None, error: str | None, why: str) -> None:
    found = why_not_opened(WebSearchResult("s", [], error, page=page))
    assert why in found
    assert bool(found) is bool(why)
