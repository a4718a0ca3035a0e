"""What Converse, Interactions and the chats of Cohere and Ollama mean where servers and clients have several forms."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import proxai_ir
from proxai_ir.api import Kind

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"
CONVERSE, COHERE, OLLAMA = "bedrock_converse", "cohere_v2_chat", "ollama_chat"
GEMINI, INTERACTIONS = "gemini_generate_content", "gemini_interactions"
ASKED = [{"role": "user", "content": "Hi"}]
QUIET = {"ENV-1", "ENV-2", "ENV-5", "ENV-6", "ENV-9", "ENV-13", "CAP-4", "SMP-1"}


def found(conversion: proxai_ir.Conversion) -> set[tuple[str, str, str]]:
    return {(one.severity.value, one.code, one.path) for one in conversion.diagnostics if one.code not in QUIET}


# --- generations that failed ------------------------------------------------------------------------------------------

COHERE_FAILED: Any = {
    "id": "r1",
    "finish_reason": "ERROR",
    "message": {"role": "assistant", "content": [{"type": "text", "text": "Once"}]},
    "usage": {"tokens": {"input_tokens": 9, "output_tokens": 1}},
}


@pytest.mark.parametrize(
    ("dst", "code"), [(ANTHROPIC, ("info", "ERR-6")), (OLLAMA, ("loss", "ERR-2")), (CHAT, None), (RESPONSES, None)]
)
def test_what_a_failed_response_of_coheres_loses_is_named_where_it_stands(dst: str, code: tuple[str, str]) -> None:
    made = proxai_ir.compile(COHERE_FAILED, COHERE, dst)
    assert made.kind == "error"
    word = {(*code, "/finish_reason")} if code else set()
    assert found(made) == {("loss", "ERR-2", "/message"), ("info", "USE-4", "/usage"), *word}


def test_a_failed_response_of_coheres_without_content_loses_none() -> None:
    made = proxai_ir.compile({**COHERE_FAILED, "message": {"role": "assistant", "content": []}}, COHERE, CHAT)
    assert found(made) == {("info", "USE-4", "/usage")}


def test_the_steps_of_a_failed_interaction_are_content() -> None:
    failed: Any = {
        "id": "i1",
        "status": "failed",
        "steps": [{"type": "model_output", "content": [{"type": "text", "text": "Once"}]}],
        "errors": [{"code": "internal_error", "message": "Gone."}],
    }
    assert ("loss", "ERR-2", "/steps") in found(proxai_ir.compile(failed, INTERACTIONS, CHAT))


# --- sampling that is off ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dst", [ANTHROPIC, CHAT, RESPONSES, GEMINI, CONVERSE, INTERACTIONS])
@pytest.mark.parametrize(
    ("src", "given", "path"), [(COHERE, {"k": 0}, "/k"), (OLLAMA, {"options": {"top_k": 0}}, "/options/top_k")]
)
def test_a_top_k_of_0_is_no_limit(src: str, given: Any, path: str, dst: str) -> None:
    made = proxai_ir.compile({"model": "m", "messages": ASKED, "stream": False, **given}, src, dst)
    assert found(made) == {("info", "SMP-6", path)}
    assert "top" not in repr(made.output)


def test_ollama_is_told_that_there_is_no_limit() -> None:
    made = proxai_ir.compile({"model": "m", "messages": ASKED, "k": 0}, COHERE, OLLAMA)
    assert made.output["options"] == {"top_k": 0}
    assert found(made) == set()


def test_samplings_of_ollama_that_are_off_ask_for_nothing() -> None:
    off = {"repeat_penalty": 1.0, "tfs_z": 1.0, "typical_p": 1, "mirostat": 0, "min_p": 0.0, "repeat_last_n": 0}
    made = proxai_ir.compile({"model": "m", "messages": ASKED, "options": {**off, "mirostat_tau": 4}}, OLLAMA, CHAT)
    lost = {("info", "SMP-6", f"/options/{name}") for name in off}
    assert found(made) == {*lost, ("loss", "SMP-3", "/options/mirostat_tau")}


# --- answers that are continued ---------------------------------------------------------------------------------------

BEGUN = [*ASKED, {"role": "assistant", "content": "Hello, "}]


def test_ollama_continues_an_answer_that_was_begun() -> None:
    made = proxai_ir.compile({"model": "m", "max_tokens": 9, "messages": BEGUN}, ANTHROPIC, OLLAMA)
    assert made.output["messages"] == BEGUN
    assert found(made) == set()


def test_ollama_continues_an_answer_that_was_complete() -> None:
    made = proxai_ir.compile({"model": "m", "messages": BEGUN}, CHAT, OLLAMA)
    assert made.output["messages"] == BEGUN
    assert found(made) == {("loss", "PLC-16", "/messages/1")}


@pytest.mark.parametrize(
    ("dst", "rule", "path"),
    [
        *((dst, "PLC-15", "/messages") for dst in (CHAT, RESPONSES, COHERE)),
        *((dst, "PLC-19", "/messages/1") for dst in (ANTHROPIC, GEMINI, CONVERSE, INTERACTIONS)),
    ],
)
def test_an_answer_that_ollama_would_continue_is_named_elsewhere(dst: str, rule: str, path: str) -> None:
    made = proxai_ir.compile({"model": "m", "messages": BEGUN, "stream": False}, OLLAMA, dst)
    assert found(made) == {("loss", rule, path)}


# --- citations behind a text ------------------------------------------------------------------------------------------

URL = "https://example.com/a"
START, STOP = {"messageStart": {"role": "assistant"}}, {"messageStop": {"stopReason": "end_turn"}}


def block(index: int, *deltas: Any) -> list[Any]:
    pieces = [{"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}} for delta in deltas]
    return [*pieces, {"contentBlockStop": {"contentBlockIndex": index}}]


CITED = {"citation": {"title": "Sky", "location": {"web": {"url": URL}}}}


def spans(events: list[Any]) -> list[tuple[int, int]]:
    found = [one for event in events[:-1] for one in event["choices"][0]["delta"].get("annotations", ())]
    return [(one["url_citation"]["start_index"], one["url_citation"]["end_index"]) for one in found]


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([block(0, {"text": "It rains."}), block(1, CITED)], [(0, 9)]),
        ([block(0, {"text": "It rains."}), block(1, CITED), block(2, CITED)], [(0, 9), (0, 9)]),
        ([block(0, {"text": "It rains."}), block(1, CITED, CITED), block(2, {"text": "More."})], [(0, 9), (0, 9)]),
        ([block(0, {"text": "It rains."}, CITED)], [(0, 9)]),
        ([block(0, CITED, {"text": "It rains."})], [(0, 9)]),
        ([block(0, {"text": "Hm. "}), block(1, CITED, {"text": "It rains."})], [(4, 13)]),
    ],
)
def test_a_block_of_a_stream_that_only_cites_cites_the_text_before_it(blocks: Any, expected: Any) -> None:
    made = proxai_ir.compile([START, *(event for one in blocks for event in one), STOP], CONVERSE, CHAT)
    assert spans(made.output) == expected
    assert not {one for one in found(made) if one[0] == "loss"}


def test_a_citation_without_any_text_is_named_where_it_stands() -> None:
    made = proxai_ir.compile([START, *block(0, CITED), *block(1, {"text": "It rains."}), STOP], CONVERSE, RESPONSES)
    assert ("loss", "CIT-1", "/1/contentBlockDelta/delta/citation") in found(made)


def test_what_an_interrupted_stream_had_of_a_text_is_ended() -> None:
    failed = {"throttlingException": {"message": "Slow down."}}
    made = proxai_ir.compile([START, *block(0, {"text": "It rains."}), failed], CONVERSE, ANTHROPIC)
    assert [event["type"] for event in made.output[-2:]] == ["content_block_stop", "error"]


# --- formats of output ------------------------------------------------------------------------------------------------

SCHEMA: Any = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
TEXT = {"type": "text", "mime_type": "application/json", "schema": SCHEMA}


@pytest.mark.parametrize(
    "given",
    [
        {"response_format": SCHEMA, "response_mime_type": "application/json"},
        {"response_format": SCHEMA},
        {"response_format": TEXT, "response_mime_type": "application/json"},
        {"response_format": TEXT},
    ],
)
def test_a_schema_is_a_format_of_interactions_in_older_forms_too(given: Any) -> None:
    made = proxai_ir.compile({"model": "m", "input": "Hi", "store": False, **given}, INTERACTIONS, GEMINI)
    assert made.output["generationConfig"] == {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}
    assert {one for one in found(made) if one[0] == "loss"} == set()
    assert all(path == "/response_format" for _, code, path in found(made) if code == "SMP-6")


@pytest.mark.parametrize("kind", [{"a": 1}, ["object", "null"], 7])
def test_a_format_of_interactions_whose_type_is_no_word_is_kept(kind: Any) -> None:
    asked = {"model": "m", "input": "Hi", "store": False, "response_format": {"type": kind}}
    made = proxai_ir.compile(asked, INTERACTIONS, GEMINI)
    assert [one for one in found(made) if one[0] == "loss"] == [("loss", "OUT-6", "/response_format")]


def test_json_is_a_format_of_interactions_by_its_media_type_alone() -> None:
    asked = {"model": "m", "input": "Hi", "response_mime_type": "application/json"}
    made = proxai_ir.compile(asked, INTERACTIONS, GEMINI)
    assert made.output["generationConfig"] == {"responseMimeType": "application/json"}
    assert proxai_ir.raise_to(proxai_ir.lower(asked, INTERACTIONS, kind="request"), INTERACTIONS) == asked


@pytest.mark.parametrize(
    "given",
    [
        {"response_format": {"type": "hologram"}},
        {"response_format": {"type": "string", "enum": ["a"]}, "response_mime_type": "text/x.enum"},
        {"response_format": {"type": "text"}, "response_mime_type": "application/json"},
    ],
)
def test_what_is_no_schema_stays_in_interactions(given: Any) -> None:
    made = proxai_ir.compile({"model": "m", "input": "Hi", **given}, INTERACTIONS, GEMINI)
    assert "responseJsonSchema" not in repr(made.output)
    assert any(code == "OUT-6" for _, code, _ in found(made))


def test_a_schema_of_ollamas_is_named_where_it_stands() -> None:
    asked = {"model": "m", "messages": ASKED, "format": SCHEMA, "stream": False}
    assert ("info", "OUT-2", "/format") in found(proxai_ir.compile(asked, OLLAMA, CHAT))


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "said"),
    [({}, "(at least 1024 tokens; 1024 are sent)"), ({"max_tokens": 4000}, "(from 1024 to 3999 tokens")],
)
def test_the_range_of_a_thinking_budget_is_that_of_the_target(limit: Any, said: str) -> None:
    asked = {"model": "m", "messages": ASKED, "thinking": {"type": "enabled", "token_budget": 500}, **limit}
    made = proxai_ir.compile(asked, COHERE, CONVERSE)
    assert [said in one.message for one in made.diagnostics if one.code == "RSN-19"] == [True]


# --- usage ------------------------------------------------------------------------------------------------------------


def test_what_was_written_to_the_cache_by_lifetime_is_named_where_it_stands() -> None:
    usage: Any = {"inputTokens": 9, "outputTokens": 1, "totalTokens": 12, "cacheWriteInputTokens": 2}
    made = proxai_ir.compile(
        {
            "output": {"message": {"role": "assistant", "content": [{"text": "Hello."}]}},
            "stopReason": "end_turn",
            "usage": {**usage, "cacheDetails": [{"ttl": "5m", "inputTokens": 2}]},
        },
        CONVERSE,
        CHAT,
    )
    assert found(made) == {("info", "USE-4", "/usage/cacheDetails")}


# --- signatures of calls in Interactions ------------------------------------------------------------------------------

SEAL, PLAIN = "c2lnbmVkIGNhbGw=", {"type": "function_call", "id": "c2", "name": "sea", "arguments": {}}
SIGNED: Any = {"type": "function_call", "id": "c1", "name": "sky", "arguments": {"at": 7}, "signature": SEAL}
LOOKED: Any = {"type": "thought", "summary": [{"type": "text", "text": "I look."}]}
ASKS: Any = {"id": "i1", "object": "interaction", "model": "m", "status": "requires_action"}
STARTED = {"event_type": "interaction.created", "interaction": {**ASKS, "status": "in_progress"}}


def of_call(signature: str) -> list[Any]:
    """A stream with a thought, and a call that starts with this signature."""
    start = {"type": "function_call", "id": "c1", "name": "sky", "arguments": {}, "signature": signature}
    return [
        STARTED,
        {"event_type": "step.start", "index": 0, "step": LOOKED},
        {"event_type": "step.stop", "index": 0},
        {"event_type": "step.start", "index": 1, "step": start},
        {"event_type": "step.delta", "index": 1, "delta": {"type": "arguments_delta", "arguments": '{"at": 7}'}},
        {"event_type": "step.stop", "index": 1},
        {"event_type": "interaction.completed", "interaction": ASKS},
    ]


def test_a_signature_of_a_call_arrives_where_the_target_signs_calls() -> None:
    """Servers send it on the call, though the official types have none there, and refuse the history without it."""
    made = proxai_ir.compile({**ASKS, "steps": [SIGNED, PLAIN]}, INTERACTIONS, GEMINI)
    assert made.output["candidates"][0]["content"]["parts"] == [
        {"functionCall": {"name": "sky", "args": {"at": 7}, "id": "c1"}, "thoughtSignature": SEAL},
        {"functionCall": {"name": "sea", "args": {}, "id": "c2"}},
    ]
    assert found(made) == set()
    chat: Any = proxai_ir.convert({**ASKS, "steps": [SIGNED]}, INTERACTIONS, CHAT)
    (call,) = chat["choices"][0]["message"]["tool_calls"]
    assert call["extra_content"] == {"google": {"thought_signature": SEAL}}


def test_a_signature_of_a_call_in_a_stream_arrives_with_the_call() -> None:
    made: Any = proxai_ir.convert(of_call(SEAL), INTERACTIONS, GEMINI, kind="stream")
    parts = [part for chunk in made for one in chunk["candidates"] for part in one["content"]["parts"]]
    assert parts[:2] == [
        {"text": "I look.", "thought": True},
        {"functionCall": {"name": "sky", "args": {"at": 7}, "id": "c1"}, "thoughtSignature": SEAL},
    ]


@pytest.mark.parametrize("dst", [ANTHROPIC, CONVERSE, COHERE, OLLAMA])
def test_a_signature_of_a_call_is_lost_as_one_where_the_target_has_none(dst: str) -> None:
    made = proxai_ir.compile({**ASKS, "steps": [SIGNED]}, INTERACTIONS, dst)
    assert ("loss", "RSN-4", "/steps/0/signature") in found(made)


def test_a_signature_of_a_call_goes_back_on_the_call_and_not_into_the_thought_before_it() -> None:
    asked: Any = {
        "model": "m",
        "store": False,
        "input": [
            {"type": "user_input", "content": [{"type": "text", "text": "Rain?"}]},
            LOOKED,
            SIGNED,
            {"type": "function_result", "call_id": "c1", "name": "sky", "result": "no", "signature": SEAL},
        ],
    }
    kinds: dict[Kind, Any] = {
        "request": asked,
        "response": {**ASKS, "steps": [LOOKED, SIGNED]},
        "stream": of_call(SEAL),
    }
    for kind, payload in kinds.items():
        read = proxai_ir.lower(payload, INTERACTIONS, kind=kind)
        assert proxai_ir.raise_to(read, INTERACTIONS) == payload
    made = proxai_ir.compile(asked, INTERACTIONS, GEMINI)
    assert found(made) == {("info", "RSN-8", "/input/1/summary/0"), ("loss", "RSN-4", "/input/3/signature")}


@pytest.mark.parametrize("data", [None, "YW5vdGhlcg=="], ids=["removed", "another"])
@pytest.mark.parametrize("known", [True, False], ids=["with its payload", "without it"])
def test_a_signature_of_a_call_may_be_edited(data: str | None, known: bool) -> None:
    tree: Any = proxai_ir.lower({**ASKS, "steps": [LOOKED, SIGNED]}, INTERACTIONS)
    call = tree.candidates[0].parts[1]
    call.seal = None if data is None else attrs.evolve(call.seal, data=data)
    tree.src = tree.src if known else None
    made: Any = proxai_ir.raise_to(tree, INTERACTIONS)
    assert made["steps"][0] == LOOKED
    assert made["steps"][1].get("signature") == data


def test_an_empty_signature_says_nothing() -> None:
    empty = [{**SIGNED, "signature": ""}, {"type": "google_search_call", "id": "s", "arguments": {}, "signature": ""}]
    assert not any(
        "signature" in path for *_, path in found(proxai_ir.compile({**ASKS, "steps": empty}, INTERACTIONS, GEMINI))
    )
    made = proxai_ir.compile(of_call(""), INTERACTIONS, GEMINI, kind="stream")
    assert found(made) == {("info", "RSN-8", "/1/step/summary/0")}


def test_pieces_of_text_of_agents_have_no_type() -> None:
    thought, text = {"type": "thought_summary", "content": {"text": "Plan."}}, {"text": "# Found"}
    events: list[Any] = [
        STARTED,
        {"event_type": "step.start", "index": 0, "step": {"type": "thought"}},
        {"event_type": "step.delta", "index": 0, "delta": thought},
        {"event_type": "step.stop", "index": 0},
        {"event_type": "step.start", "index": 1, "step": {"type": "model_output"}},
        {"event_type": "step.delta", "index": 1, "delta": text},
        {"event_type": "step.stop", "index": 1},
        {"event_type": "interaction.completed", "interaction": {**ASKS, "status": "completed"}},
    ]
    made: Any = proxai_ir.convert(events, INTERACTIONS, GEMINI, kind="stream")
    parts = [part for chunk in made for one in chunk["candidates"] for part in one["content"]["parts"]]
    assert parts[:2] == [{"text": "Plan.", "thought": True}, {"text": "# Found"}]


# --- interactions without steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("status", "reason"), [("incomplete", "MAX_TOKENS"), ("completed", "STOP")])
def test_an_interaction_that_generated_nothing_may_leave_its_steps_out(status: str, reason: str) -> None:
    usage = {"total_input_tokens": 7, "total_output_tokens": 0, "total_thought_tokens": 17, "total_tokens": 24}
    made: Any = proxai_ir.convert({**ASKS, "status": status, "usage": usage}, INTERACTIONS, GEMINI)
    (candidate,) = made["candidates"]
    assert candidate["finishReason"] == reason
    assert made["usageMetadata"]["thoughtsTokenCount"] == 17


def test_what_an_older_revision_has_in_place_of_steps_is_refused() -> None:
    outputs = [{"type": "text", "text": "Blue."}]
    with pytest.raises(proxai_ir.InvalidPayload, match="`steps` is missing"):
        proxai_ir.convert({**ASKS, "status": "completed", "outputs": outputs}, INTERACTIONS, GEMINI)


# --- what Converse adds -----------------------------------------------------------------------------------------------


def test_a_stream_of_claudes_that_ended_without_a_stop_sequence_loses_nothing() -> None:
    events: list[Any] = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "OK."}}},
        {"contentBlockStop": {"contentBlockIndex": 0}},
        {
            "messageStop": {
                "stopReason": "end_turn",
                "additionalModelResponseFields": {"delta": {"stop_sequence": None}},
            }
        },
        {"metadata": {"usage": {"inputTokens": 12, "outputTokens": 5, "totalTokens": 17}, "metrics": {"latencyMs": 8}}},
    ]
    made = proxai_ir.compile(events, CONVERSE, ANTHROPIC, kind="stream")
    assert [one for one in made.diagnostics if one.severity == "loss"] == []
    read = proxai_ir.lower(events, CONVERSE, kind="stream")
    assert proxai_ir.raise_to(read, CONVERSE) == events


@pytest.mark.parametrize("holder", ["Output", None], ids=["nested", "bare"])
def test_a_type_without_a_message_says_what_went_wrong(holder: str | None) -> None:
    """A front door of AWS that does not know the operation answers so, with the status 200."""
    typed = {"__type": "com.amazon.coral.service#UnknownOperationException"}
    body = {holder: typed, "Version": "1.0"} if holder else typed
    read = proxai_ir.lower(body, CONVERSE)
    assert proxai_ir.raise_to(read, CONVERSE) == body
    made: Any = proxai_ir.raise_to(read, ANTHROPIC)
    assert made["error"]["type"] == "not_found_error"
    assert "UnknownOperationException" in made["error"]["message"]


@pytest.mark.parametrize("body", [{"Output": None, "Version": "1.0"}, {"Output": {"__type": 5}}, {"Output": "x"}])
def test_a_body_without_a_type_says_nothing_of_the_kind(body: Any) -> None:
    made: Any = proxai_ir.convert(body, CONVERSE, ANTHROPIC, kind="error")
    assert made["error"]["type"] == "api_error"


# --- words and members of others --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("word", "reason"), [("ERROR_TOXIC", "SAFETY"), ("ERROR_LIMIT", "MAX_TOKENS")])
def test_endings_of_coheres_first_version_mean_the_same_in_the_second(word: str, reason: str) -> None:
    said = {"role": "assistant", "content": [{"type": "text", "text": "So"}]}
    body = {"id": "c1", "finish_reason": word, "message": said}
    made: Any = proxai_ir.convert(body, COHERE, GEMINI)
    assert made["candidates"][0]["finishReason"] == reason
    assert proxai_ir.raise_to(proxai_ir.lower(body, COHERE), COHERE) == body


@pytest.mark.parametrize(("given", "lost"), [("c1", set()), ("c2", {("loss", "UNK-1", "/steps/0/call_id")})])
def test_a_call_may_repeat_its_id_under_the_name_that_results_have_for_it(given: str, lost: set[Any]) -> None:
    call = {"type": "function_call", "id": "c1", "name": "sky", "arguments": {}, "call_id": given}
    body = {**ASKS, "steps": [call]}
    assert found(proxai_ir.compile(body, INTERACTIONS, GEMINI)) == lost
    assert proxai_ir.raise_to(proxai_ir.lower(body, INTERACTIONS), INTERACTIONS) == body
