"""How payloads of Gemini's generateContent are read: spellings, results, endings, sources, streams, errors."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.api import Kind
from proxai_ir.ir.parts import CodeCall, CodeResult
from proxai_ir.ir.request import Request, ThinkingMode
from proxai_ir.ir.response import FinishReason, Response
from proxai_ir.ir.stream.events import Ended
from proxai_ir.ir.tools import AllowedChoice, Choice, ChoiceMode, NamedChoice, UnknownTool, WebSearchTool
from proxai_ir.testing.streams import fed

from .cases import each
from .samples.gemini_generate_content.building import (
    HEAD,
    SIGNATURE,
    call,
    chunk,
    error,
    model,
    request,
    response,
    result,
    user,
)

GEMINI, CHAT, MESSAGES = "gemini_generate_content", "openai_chat_completions", "anthropic_messages"
Json = dict[str, Any]


def asked(payload: Json) -> Request:
    """The IR of a request, which comes back as it was."""
    root = proxai_ir.lower(payload, GEMINI, kind="request")
    assert isinstance(root, Request)
    assert proxai_ir.raise_to(root, GEMINI) == payload
    return root


def bare(node: Any) -> Json:
    """A node without what only its own protocol needs."""
    return attrs.asdict(node, filter=lambda attribute, _: attribute.name not in ("extra", "src"))


def answered(payload: Json) -> Response:
    root = proxai_ir.lower(payload, GEMINI, kind="response")
    assert isinstance(root, Response)
    assert proxai_ir.raise_to(root, GEMINI) == payload
    return root


def refused(payload: Any, rule: str, pointer: str, kind: Kind = "request") -> None:
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.lower(payload, GEMINI, kind=kind)
    assert (rule, pointer) in [(one.code, one.path) for one in caught.value.diagnostics]


# --- spelling ---------------------------------------------------------------------------------------------------------


def test_all_spellings_are_one_payload() -> None:
    canonical = {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [user({"inlineData": {"mimeType": "image/png", "data": "+/8="}})],
        "tools": [{"fileSearch": {"fileSearchStoreNames": ["a"], "topK": 3}}],
        "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
        "generationConfig": {"topK": 40, "temperature": 0.5, "responseModalities": ["TEXT"]},
    }
    other = {
        "system_instruction": {"parts": {"text": "Be brief."}},
        "contents": {"role": "user", "parts": {"inline_data": {"mime_type": "image/png", "data": "-_8"}}},
        "tools": {"file_search": {"file_search_store_names": ["a"], "top_k": "3"}},
        "tool_config": {"function_calling_config": {"mode": "auto"}},
        "generation_config": {"top_k": 40.0, "temperature": "0.5", "response_modalities": ["text"]},
    }
    assert bare(asked(other)) == bare(asked(canonical))


def test_free_json_has_no_spelling() -> None:
    odd = {"inline_data": 1, "topK": "3", "mode": "auto"}
    root = asked(request(user("Hi"), model(call("f", odd)), user(result("f", odd)), labels={"top_k": "b"}))
    assert root.turns is not None
    assert root.turns[1].parts[0] == ir.FunctionCall("call_1", "f", odd)


TWICE: Json = {"any_of": [], "anyOf": []}


@pytest.mark.parametrize(
    ("payload", "pointer"),
    [
        ({"contents": [], "systemInstruction": {}, "system_instruction": {}}, "/system_instruction"),
        ({"contents": {"parts": {"fileData": {"fileUri": "a", "file_uri": "b"}}}}, "/contents/parts/fileData/file_uri"),
        (request(user("Hi"), tools=[{"function_declarations": [{"name": "f", "parameters": TWICE}]}]),
         "/tools/0/function_declarations/0/parameters/any_of"),
    ],
)  # fmt: skip
def test_two_spellings_of_one_member_are_ambiguous(payload: Json, pointer: str) -> None:
    refused(payload, "SHP-4", pointer)


def test_pointers_lead_into_the_payload_as_it_is_written() -> None:
    refused(
        {"contents": {"parts": {"inline_data": {"mime_type": 3}}}}, "SHP-1", "/contents/parts/inline_data/mime_type"
    )
    payload = {
        "contents": [{"parts": {"text": "Hi", "thought_signature": SIGNATURE}}],
        "generation_config": {"top_k": 3},
    }
    done = proxai_ir.compile(payload, GEMINI, CHAT, model="m")
    assert {one.path for one in done.diagnostics} == {"/contents/0/parts/thought_signature", "/generation_config/top_k"}


# --- contents ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "text", "failed"),
    [
        ({"output": "12 m"}, "12 m", None),
        ({"output": '{"a":1}'}, '{"a":1}', None),
        ({"output": {"depth": 12}}, '{"depth":12}', None),
        ({"error": "closed"}, "closed", True),
        ({"error": {"code": 3}}, '{"code":3}', True),
        ({"output": "12 m", "error": "old"}, '{"output":"12 m","error":"old"}', None),
        ({"depth": 12.0}, '{"depth":12.0}', None),
    ],
)
def test_the_response_of_a_function(given: Json, text: str, failed: bool | None) -> None:
    root = asked(request(user("Hi"), model(call("depth")), user(result("depth", given))))
    assert root.turns is not None
    (read,) = root.turns[2].parts
    failure = json.dumps(given, separators=(",", ":")) if failed else None
    assert bare(read) == bare(ir.ToolResult("call_1", [ir.Text(text)], failed, name="depth", failure=failure))


def test_results_without_ids_answer_the_calls_of_their_name_in_order() -> None:
    calls = [call("sky", {"n": 1}, None), call("now", None, None), call("sky", {"n": 2}, None)]
    results = [result("now", {"output": "b"}, None), result("sky", {"output": "a"}, None)]
    root = asked(request(user("Hi"), model(*calls), user(*results), user(result("sky", {"output": "c"}, None))))
    assert root.turns is not None
    assert [part.id for part in root.turns[1].parts] == ["call_1_0", "call_1_1", "call_1_2"]  # type: ignore[union-attr]
    answers = [part.call_id for turn in root.turns[2:] for part in turn.parts]  # type: ignore[union-attr]
    assert answers == ["call_1_1", "call_1_0", "call_1_2"]


@pytest.mark.parametrize(
    ("part", "cls", "source"),
    [
        ({"inlineData": {"mimeType": "image/webp", "data": "aGk="}}, ir.Image, ir.Inline("aGk=", "image/webp")),
        ({"inlineData": {"mimeType": "audio/mpeg", "data": "aGk="}}, ir.Audio, ir.Inline("aGk=", "audio/mpeg")),
        ({"inlineData": {"mimeType": "AUDIO/WAV", "data": "aGk="}}, ir.Audio, ir.Inline("aGk=", "AUDIO/WAV")),
        ({"inlineData": {"mimeType": "Image/PNG", "data": "aGk="}}, ir.Image, ir.Inline("aGk=", "Image/PNG")),
        ({"inlineData": {"mimeType": "text/csv", "data": "aGk="}}, ir.Document, ir.PlainText("hi", "text/csv")),
        ({"inlineData": {"mimeType": "text/csv", "data": "/w=="}}, ir.Document, ir.Inline("/w==", "text/csv")),
        ({"fileData": {"fileUri": "https://youtu.be/x"}}, ir.Video, ir.Url("https://youtu.be/x")),
        ({"fileData": {"fileUri": "https://a.b/c", "mimeType": "video/mp4"}}, ir.Video,
         ir.Url("https://a.b/c", mime="video/mp4")),
        ({"fileData": {"fileUri": "gs://a/b", "mimeType": "image/png"}}, ir.Image,
         ir.FileRef("gs://a/b", provider="google", mime="image/png")),
    ],
)  # fmt: skip
def test_media_are_what_their_type_says(part: Json, cls: type, source: ir.Source) -> None:
    root = asked(request(user(part)))
    assert root.turns is not None
    (read,) = root.turns[0].parts
    assert type(read) is cls
    assert bare(read.source) == bare(source)  # type: ignore[union-attr]


def test_a_part_has_one_member_with_data() -> None:
    refused(request(user({"text": "Hi", "functionCall": {"name": "f"}})), "SHP-4", "/contents/0/parts/0")


def test_a_signature_stays_on_its_part() -> None:
    signed = [{"text": "", "thoughtSignature": SIGNATURE}, call("f", thoughtSignature=SIGNATURE)]
    root = asked(request(user("Hi"), model("A", *signed), user(result("f", {}))))
    assert root.turns is not None
    assert [part.seal is not None for part in root.turns[1].parts] == [False, True, True]  # type: ignore[union-attr]


def test_code_that_the_provider_ran() -> None:
    root = asked(
        request(
            user("Hi"),
            model(
                {"executableCode": {"language": "PYTHON", "code": "1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "no"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_DEADLINE_EXCEEDED"}},
            ),
        )
    )
    assert root.turns is not None
    run, failed, late = root.turns[1].parts
    assert bare(run) == bare(CodeCall("run_1_0", "1", "python"))
    assert bare(failed) == bare(CodeResult("run_1_0", "python", "no", exit_code=1))
    assert bare(late) == bare(CodeResult("run_1_0", "python", "", error="execution_time_exceeded"))


# --- tools and settings -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "choice"),
    [
        ({"mode": "ANY"}, Choice(ChoiceMode.REQUIRED)),
        ({"mode": "VALIDATED"}, Choice(ChoiceMode.VALIDATED)),
        ({"mode": "ANY", "allowedFunctionNames": ["f"]}, NamedChoice("f")),
        ({"mode": "ANY", "allowedFunctionNames": ["f", "g"]},
         AllowedChoice(ChoiceMode.REQUIRED, [("function", "f"), ("function", "g")])),
        ({"mode": "MODE_UNSPECIFIED"}, None),
    ],
)  # fmt: skip
def test_choices(config: Json, choice: Any) -> None:
    assert asked(request(user("Hi"), toolConfig={"functionCallingConfig": config})).tool_choice == choice


def test_how_tools_are_grouped_has_no_meaning() -> None:
    f, g = {"name": "f"}, {"name": "g"}
    apart = [{"googleSearch": {}, "functionDeclarations": [f]}, {"teleport": 1}, {"functionDeclarations": [g]}]
    root = asked(request(user("Hi"), tools=apart))
    assert root.tools is not None
    assert [type(tool).__name__ for tool in root.tools] == [
        "FunctionTool",
        "WebSearchTool",
        "UnknownTool",
        "FunctionTool",
    ]
    assert isinstance(root.tools[1], WebSearchTool)
    assert isinstance(root.tools[2], UnknownTool)


@pytest.mark.parametrize(
    ("budget", "mode"), [(0, ThinkingMode.DISABLED), (-1, ThinkingMode.ADAPTIVE), (9, ThinkingMode.ENABLED)]
)
def test_thinking_budgets(budget: int, mode: ThinkingMode) -> None:
    thinking = asked(request(user("Hi"), generationConfig={"thinkingConfig": {"thinkingBudget": budget}})).thinking
    assert thinking is not None
    assert (thinking.mode, thinking.budget) == (mode, budget if budget > 0 else None)


# --- responses --------------------------------------------------------------------------------------------------------

FILTERS = """SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION
IMAGE_OTHER NO_IMAGE MODEL_ARMOR""".split()
OTHERS = """OTHER LANGUAGE MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS
MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE ESCALATION FINISH_REASON_UNSPECIFIED TIRED""".split()


@each(
    ("word", "normalised"),
    [
        ("STOP", FinishReason.STOP),
        ("MAX_TOKENS", FinishReason.LENGTH),
        ("CONTINUATION", FinishReason.STOP),
        *((word, FinishReason.CONTENT_FILTER) for word in FILTERS),
        *((word, FinishReason.UNKNOWN) for word in OTHERS),
    ],
)
def test_every_finish_reason(word: str, normalised: FinishReason) -> None:
    """FIN-2 to FIN-5, FIN-7: of whole responses and of streams."""
    whole = answered(response("Hi", finish=word)).candidates[0].terminal
    assert (whole.normalised, whole.raw) == (normalised, word)
    if word != "FINISH_REASON_UNSPECIFIED":  # which ends no stream
        stream = proxai_ir.lower([chunk("Hi", finish=word)], GEMINI, kind="stream")
        endings = [event.terminal for event in stream.ending if isinstance(event, Ended)]
        assert [(one.normalised, one.raw) for one in endings] == [(normalised, word)]


def test_a_stop_with_calls_waits_for_their_results() -> None:
    assert answered(response(call("f"))).candidates[0].terminal.normalised is FinishReason.TOOL_CALLS


def test_a_blocked_prompt_is_filtered() -> None:
    payload = {"promptFeedback": {"blockReason": "JAILBREAK", "blockReasonMessage": "No."}, **HEAD}
    (candidate,) = answered(payload).candidates
    assert (candidate.parts, candidate.normalised) == ([], FinishReason.CONTENT_FILTER)
    assert (candidate.terminal.raw, candidate.terminal.message) == ("JAILBREAK", "No.")
    refused({**HEAD, "usageMetadata": {}}, "SHP-2", "", "response")


def grounding(*segments: Json) -> Json:
    supports = [{"segment": segment, "groundingChunkIndices": [0]} for segment in segments]
    return {"groundingChunks": [{"web": {"uri": "https://a.b", "title": "T"}}], "groundingSupports": supports}


@pytest.mark.parametrize(
    ("segment", "at"),
    [
        ({"startIndex": 2, "endIndex": 4, "text": "ß"}, (1, 2)),
        ({"partIndex": 2, "endIndex": 4, "text": "👋"}, (0, 1)),
        ({"startIndex": 9, "endIndex": 13, "text": "👋"}, (0, 1)),  # of the whole text
        ({"startIndex": 3, "endIndex": 4, "text": "no"}, (None, None)),  # within a character
        ({"text": "Hi"}, (None, None)),
    ],
)
def test_spans_are_counted_in_characters(segment: Json, at: tuple[int | None, int | None]) -> None:
    payload = response("éß so, ", {"text": "hm", "thought": True}, "👋 ok", groundingMetadata=grounding(segment))
    found = [one for part in answered(payload).candidates[0].parts for one in getattr(part, "citations", None) or ()]
    assert [(one.url, one.start, one.end) for one in found] == [("https://a.b", *at)]


def test_the_search_behind_a_text() -> None:
    payload = response("Hi", groundingMetadata={**grounding(), "webSearchQueries": ["a", "b"]})
    asked_for, found, _ = answered(payload).candidates[0].parts
    assert bare(asked_for) == bare(ir.WebSearchCall("search_r1", ["a", "b"]))
    assert bare(found) == bare(ir.WebSearchResult("search_r1", [ir.WebHit("https://a.b", "T")]))


def test_usage_is_a_partition() -> None:
    counts = {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 4,
        "toolUsePromptTokenCount": 3,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 20,
        "candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": 5}],
    }
    usage = answered(response("Hi", usage=counts)).usage
    assert usage is not None
    assert (usage.input, usage.cache_read, usage.output, usage.reasoning, usage.total) == (9, 4, 5, 2, 20)
    assert usage.details == {"input.tool_use": 3, "output.text": 5}


# --- streams ----------------------------------------------------------------------------------------------------------


def test_what_is_wrong_with_a_last_chunk_is_named_once() -> None:
    last = chunk("Hi", finish="STOP")
    last["candidates"][0]["groundingMetadata"] = {"groundingChunks": [1], "groundingSupports": []}
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.convert([last], GEMINI, CHAT, kind="stream")
    assert [(one.code, one.path) for one in caught.value.diagnostics] == [
        ("SHP-1", "/0/candidates/0/groundingMetadata/groundingChunks/0")
    ]


@pytest.mark.parametrize("events", [[], [chunk("Hi")], [{"usageMetadata": {}, **HEAD}]])
def test_a_stream_without_a_finish_reason_was_cut_off(events: list[Json]) -> None:
    done = fed(events, GEMINI, CHAT)
    assert done.rule() == "STR-2"


# --- errors -----------------------------------------------------------------------------------------------------------


def test_an_error_in_an_array() -> None:
    details = [
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"},
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTA"},
        {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [{"field": "contents"}]},
    ]
    body = [error("RESOURCE_EXHAUSTED", "Slow down.", 429, details=details)]
    root = proxai_ir.lower(body, GEMINI, kind="error")
    assert (root.retry_after, root.code, root.param) == (7.5, "QUOTA", "contents")
    assert proxai_ir.raise_to(root, GEMINI) == body


@pytest.mark.parametrize(
    "odd", [{"text": "b", "hue": 1}, {"text": "b", "thought": False}, {"text": "b", "partMetadata": {}}]
)
@pytest.mark.parametrize("thought", [False, True])
def test_a_piece_with_more_than_text_is_read_as_a_whole(odd: Json, thought: bool) -> None:
    """What goes the fast way is what the slow way would make of it."""
    first = {"text": "a", "thought": True} if thought else {"text": "a"}
    events = [chunk(first), chunk(odd), chunk(first, finish="STOP")]
    fast = proxai_ir.convert(events, GEMINI, MESSAGES, kind="stream")
    slow = proxai_ir.StreamConverter(GEMINI, MESSAGES)
    slow._text_delta = lambda event, part: None  # the fast way
    assert [sent for event in events for sent in slow.feed(event)] + slow.close() == fast


@pytest.mark.parametrize("value", ["1e999", "9" * 30, "0x1", "", "NaN", [[["a"]]]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    for member in ("topK", "temperature"):
        if (member, value) != ("temperature", "9" * 30):
            refused(request(user("Hi"), generationConfig={member: value}), "SHP-1", f"/generationConfig/{member}")


def test_usage_is_read_in_any_spelling_whichever_way_its_chunk_goes() -> None:
    """The chunk in the middle goes the fast way, so that its usage is read at the end of the stream."""
    usage = {"prompt_token_count": 3, "candidates_token_count": "2", "totalTokenCount": 5.0}
    events = [chunk("One"), chunk(" two", usage=usage), chunk(finish="STOP")]
    out = proxai_ir.convert(events, GEMINI, MESSAGES, kind="stream")
    assert out[-2]["usage"] == {"input_tokens": 3, "output_tokens": 2}


def test_a_text_after_the_finish_reason_may_have_usage_of_its_own() -> None:
    """Whether it goes the fast way or not: the medium is in this report alone."""
    totals = {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11}
    of_image = {"promptTokensDetails": [{"modality": "IMAGE", "tokenCount": 8}]}
    of_text = {"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 1}]}
    first, more = chunk("One", usage=totals | of_text), chunk(" two", usage=totals | of_image)
    last = chunk("", usage=totals | of_text, finish="STOP")
    done = fed([first, last, more, last], GEMINI, CHAT)
    assert done.out[-2]["usage"]["prompt_tokens_details"] == {"text_tokens": 1, "image_tokens": 8}
    assert ("STR-22", "/1/candidates/0/finishReason") in done.found()


def test_what_a_search_has_that_others_do_not_is_named_at_its_place() -> None:
    search = {"excludeDomains": ["a.example"], "timeRangeFilter": {"startTime": "2026-01-01T00:00:00Z"}, "odd": 1}
    found = proxai_ir.check(request(user("Hi"), tools=[{"googleSearch": search}]), GEMINI, MESSAGES, model="m")
    at = "/tools/0/googleSearch"
    assert {("TUL-9", f"{at}/timeRangeFilter"), ("UNK-1", f"{at}/odd")} <= {(one.rule, one.path) for one in found}


def test_a_default_that_is_dropped_is_named_at_its_place() -> None:
    asked = request(user("Hi"), generationConfig={"thinkingConfig": {"includeThoughts": True}})
    found = proxai_ir.check(asked, GEMINI, "openai_responses", model="m")
    assert ("SMP-6", "/generationConfig/thinkingConfig/includeThoughts") in [(one.rule, one.path) for one in found]
