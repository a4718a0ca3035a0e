"""Bad input of Gemini's generateContent: refused with rule and pointer, or read as what it means."""

from __future__ import annotations

import time
from typing import Any

import pytest

import proxai_ir
from proxai_ir.api import Kind
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Response
from proxai_ir.testing.streams import fed

from .cases import each
from .samples.gemini_generate_content.building import call, chunk, model, request, response, result, user

GEMINI, CHAT = "gemini_generate_content", "openai_chat_completions"
Json = dict[str, Any]


def refusal(payload: Any, kind: Kind = "request") -> tuple[str, str]:
    """The rule and the pointer of what a conversion is refused for."""
    with pytest.raises(proxai_ir.TranslationError) as caught:
        proxai_ir.convert(payload, GEMINI, CHAT, kind=kind, model="m")
    return caught.value.rule, caught.value.path


def comes_back(payload: Any, kind: Kind = "request") -> Any:
    """The IR of a payload, which is the same again in its own protocol."""
    node = proxai_ir.lower(payload, GEMINI, kind=kind)
    assert proxai_ir.raise_to(node, GEMINI) == payload
    return node


def configured(**config: Any) -> Json:
    return request(user("Hi"), generationConfig=config)


def chosen(**config: Any) -> Json:
    return request(
        user("Hi"), tools=[{"functionDeclarations": [{"name": "f"}]}], toolConfig={"functionCallingConfig": config}
    )


def history(called: Json, answered: Json) -> Json:
    return request(user("Hi"), model(called), user(answered))


CONFIG = "/generationConfig"
CALL = "/contents/1/parts/0/functionCall"
RESULT = "/contents/2/parts/0/functionResponse"


@each(
    ("payload", "rule", "pointer"),
    [
        (configured(max_output_tokens=1, maxOutputTokens=1), "SHP-4", f"{CONFIG}/max_output_tokens"),
        (history(call("f", thought_signature="YQ==", thoughtSignature="YQ=="), result("f", {})), "SHP-4",
         "/contents/1/parts/0/thought_signature"),
        (configured(seed="١٢"), "SHP-1", f"{CONFIG}/seed"),
        (configured(seed="1.5"), "SHP-1", f"{CONFIG}/seed"),
        (configured(seed="1e30"), "SHP-1", f"{CONFIG}/seed"),
        (configured(seed=1.5), "SHP-1", f"{CONFIG}/seed"),
        (configured(seed=True), "SHP-1", f"{CONFIG}/seed"),
        (configured(temperature="Infinity"), "SHP-1", f"{CONFIG}/temperature"),
        (configured(responseLogprobs="true"), "SHP-1", f"{CONFIG}/responseLogprobs"),
        (configured(stopSequences="x"), "SHP-1", f"{CONFIG}/stopSequences"),
        (configured(responseModalities=["text", 1.5]), "SHP-1", f"{CONFIG}/responseModalities/1"),
        (configured(responseModalities=["text", {1}]), "SHP-1", f"{CONFIG}/responseModalities/1"),
        (configured(responseSchema={"type": "BANANA"}), "SHP-3", f"{CONFIG}/responseSchema/type"),
        (configured(responseSchema={"type": 8}), "SHP-3", f"{CONFIG}/responseSchema/type"),
        (chosen(mode=1.5), "SHP-1", "/toolConfig/functionCallingConfig/mode"),
        (chosen(mode="ANY", allowedFunctionNames=["g"]), "TUL-11",
         "/toolConfig/functionCallingConfig/allowedFunctionNames"),
        (request({"role": "system", "parts": [{"text": "Hi"}]}), "SHP-3", "/contents/0/role"),
        (request(user({"inlineData": {"mimeType": "image/png", "data": 1}})), "SHP-1",
         "/contents/0/parts/0/inlineData/data"),
        (request(user({"inlineData": {"data": "aGk="}})), "SHP-2", "/contents/0/parts/0/inlineData"),
        (request(user({"text": "a", "fileData": {"fileUri": "gs://b/c"}})), "SHP-4", "/contents/0/parts/0"),
        (history({"functionCall": {"name": "f", "args": "[]"}}, result("f", {})), "SHP-1", f"{CALL}/args"),
        (history({"functionCall": {"args": {}}}, result("f", {})), "SHP-2", CALL),
        (history(call("f"), result("f", "x")), "SHP-1", f"{RESULT}/response"),  # type: ignore[arg-type]
        (history(call("f"), result("f", {}, "call_2")), "TUL-3", f"{RESULT}/id"),
        (history(call("f"), result("f", {"output": {1}})), "SHP-7", f"{RESULT}/response/output"),
        (request(user("Hi"), tools=[{b"codeExecution": {}, "googleSearch": {}}]), "SHP-7", "/tools/0"),
        (request(user("Hi"), tools=["f"]), "SHP-1", "/tools/0"),
        (request(user("Hi"), tools=[{"functionDeclarations": [{}]}]), "SHP-2", "/tools/0/functionDeclarations/0"),
    ],
)  # fmt: skip
def test_bad_requests(payload: Json, rule: str, pointer: str) -> None:
    assert refusal(payload) == (rule, pointer)


@pytest.mark.parametrize(
    ("payload", "rule", "pointer"),
    [
        (chosen(mode=9), "UNK-4", "/toolConfig/functionCallingConfig/mode"),
        (chosen(mode="SOMETIMES"), "UNK-4", "/toolConfig/functionCallingConfig/mode"),
        (configured(thinkingConfig={"thinkingLevel": "ULTRA"}), "UNK-4", f"{CONFIG}/thinkingConfig/thinkingLevel"),
        (configured(thinkingConfig={"thinkingBudget": -2}), "UNK-4", f"{CONFIG}/thinkingConfig/thinkingBudget"),
        (configured(responseMimeType="application/xml"), "UNK-4", f"{CONFIG}/responseMimeType"),
        (configured(responseModalities=["SMELL"]), "UNK-4", f"{CONFIG}/responseModalities"),
        (request(user("Hi"), serviceTier="GOLD"), "UNK-4", "/serviceTier"),
    ],
)
def test_unknown_words_are_losses(payload: Json, rule: str, pointer: str) -> None:
    done = proxai_ir.compile(payload, GEMINI, CHAT, model="m")
    assert [(one.code, one.severity.value, one.path) for one in done.diagnostics] == [(rule, "loss", pointer)]


@pytest.mark.parametrize(("given", "read"), [("64", 64), ("1e2", 100), ("4.0", 4), ("-0", 0), (64.0, 64), (1e2, 100)])
def test_integers_in_other_spellings(given: Any, read: int) -> None:
    root = comes_back(configured(seed=given))
    assert isinstance(root, Request)
    assert root.sampling is not None
    assert (root.sampling.seed, type(root.sampling.seed)) == (read, int)


@pytest.mark.parametrize(
    ("data", "standard"),
    [
        ("-_8", "+/8="),
        ("-_-_", "+/+/"),
        ("-/+_", "+/+/"),  # both alphabets at once
        ("aGk", "aGk="),
        ("aG\nk=", "aG\nk="),  # what may be no base64 stays what it is
        ("aGk==", "aGk=="),
        ("aGkaa", "aGkaa"),
        ("", ""),
    ],
)
def test_base64_in_other_spellings(data: str, standard: str) -> None:
    payload = request(user({"inlineData": {"mimeType": "image/png", "data": data}}))
    comes_back(payload)
    made = proxai_ir.convert(payload, GEMINI, CHAT, model="m")
    assert made["messages"][0]["content"][0]["image_url"]["url"] == f"data:image/png;base64,{standard}"


def test_empty_ids_are_no_ids() -> None:
    search: list[Json | str] = [
        {"toolCall": {"id": "", "toolType": "GOOGLE_SEARCH_WEB", "args": {"queries": ["x"]}}},
        {"toolResponse": {"id": "", "toolType": "GOOGLE_SEARCH_WEB", "response": {}}},
        {"executableCode": {"id": "", "language": "PYTHON", "code": "1"}},
        {"codeExecutionResult": {"id": "", "outcome": "OUTCOME_OK", "output": "1"}},
    ]
    payload = request(user("Hi"), model(*search, call("f", None, "")), user(result("f", {"output": "x"}, "")))
    comes_back(payload)
    made = proxai_ir.convert(payload, GEMINI, CHAT, model="m")
    assert made["messages"][1]["tool_calls"][0]["id"] == made["messages"][2]["tool_call_id"] == "call_1_4"


@pytest.mark.parametrize("member", ["output", "error"])
def test_a_response_of_null_is_an_object(member: str) -> None:
    """It is neither an output nor a failure."""
    payload = history(call("f"), result("f", {member: None}))
    root = comes_back(payload)
    read = root.turns[2].parts[0]
    assert (read.is_error, read.parts[0].text) == (None, f'{{"{member}":null}}')


# --- responses and errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
@pytest.mark.parametrize(
    "given", ["2026-03-21T18:11:55", "2026-03-21T18:11:55.123456789Z", "2026-03-21T19:11:55+01:00"]
)
def test_times_do_not_depend_on_the_machine(given: str, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        read = comes_back({**response("Hi"), "createTime": given}, "response")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert isinstance(read, Response)
    assert read.created == 1774116715


@pytest.mark.parametrize(
    ("body", "category"),
    [
        ({"error": {"code": 429}}, ErrorCategory.RATE_LIMIT),  # proto JSON leaves an empty message out
        ({"error": {"code": 429, "message": None}}, ErrorCategory.RATE_LIMIT),
        ({"error": {"code": "429", "message": "Slow down."}}, ErrorCategory.UNKNOWN),
        ({"error": "Slow down."}, ErrorCategory.UNKNOWN),
        ([], ErrorCategory.UNKNOWN),
    ],
)
def test_errors_of_another_shape(body: Any, category: ErrorCategory) -> None:
    read = comes_back(body, "error")
    assert isinstance(read, Error)
    assert read.category is category


# --- streams ----------------------------------------------------------------------------------------------------------

PART = "/0/candidates/0/content/parts/0"


def piece(**members: Any) -> Json:
    return chunk({"functionCall": {"name": "f", "partialArgs": [{"jsonPath": "$.a", **members}]}})


@pytest.mark.parametrize(
    ("event", "rule", "pointer"),
    [
        (chunk("Hi", index=-1), "SHP-3", "/0/candidates/0/index"),
        (chunk("Hi", index=2**31), "SHP-3", "/0/candidates/0/index"),
        ({**chunk("Hi"), "model_version": "m"}, "SHP-4", "/0/model_version"),
        (piece(stringValue=5), "SHP-1", f"{PART}/functionCall/partialArgs/0/stringValue"),
        (piece(boolValue="x"), "SHP-1", f"{PART}/functionCall/partialArgs/0/boolValue"),
        (piece(numberValue="x"), "SHP-1", f"{PART}/functionCall/partialArgs/0/numberValue"),
        (piece(numberValue=1, boolValue=True), "SHP-4", f"{PART}/functionCall/partialArgs/0"),
        (piece(numberValue=1, nullValue="NULL_VALUE"), "SHP-4", f"{PART}/functionCall/partialArgs/0"),
    ],
)
def test_bad_chunks(event: Json, rule: str, pointer: str) -> None:
    done = fed([event, chunk("", finish="STOP")], GEMINI, CHAT)
    assert done.error is not None
    assert (done.error.rule, done.error.path) == (rule, pointer)


@pytest.mark.parametrize(
    ("members", "arguments"),
    [
        ({"numberValue": "1.5"}, '{"a":1.5}'),
        ({"number_value": "1.5"}, '{"a":1.5}'),
        ({"boolValue": False}, '{"a":false}'),
        ({"stringValue": ""}, '{"a":""}'),
        ({"nullValue": "NULL_VALUE"}, '{"a":null}'),
        ({}, '{"a":null}'),
    ],
)
def test_values_of_arguments_in_pieces(members: Json, arguments: str) -> None:
    events = [piece(**members), chunk("", finish="STOP")]
    done = fed(events, GEMINI, CHAT)
    deltas = [one["choices"][0]["delta"] for one in done.out if isinstance(one, dict)]
    assert (
        "".join(one["tool_calls"][0]["function"].get("arguments", "") for one in deltas if "tool_calls" in one)
        == arguments
    )
    assert proxai_ir.raise_to(proxai_ir.lower(events, GEMINI, kind="stream"), GEMINI) == events


def test_an_empty_text_stands_between_thoughts() -> None:
    """The IR of a stream is raised as its events are converted."""
    thought = {"text": "Hm.", "thought": True}
    events = [chunk(thought, {"text": ""}, thought), chunk("", finish="STOP")]
    done = fed(events, GEMINI, CHAT)
    assert proxai_ir.raise_to(proxai_ir.lower(events, GEMINI, kind="stream"), CHAT) == done.out
    deltas = [one["choices"][0]["delta"] for one in done.out if isinstance(one, dict) and one["choices"]]
    assert "".join(one.get("reasoning_content", "") for one in deltas) == "Hm.\n\nHm."


def test_what_is_refused_beside_a_slip_is_found_in_another_spelling() -> None:
    """The id, which is no string, is left out, so that the array is another one; its reader sees a third."""
    image = {"inline_data": {"data": "aGk=", "mime_type": "image/png"}}
    result = {"functionResponse": {"id": {}, "name": "f", "response": {}, "parts": [image]}}
    with pytest.raises(proxai_ir.InvalidPayload) as caught:
        proxai_ir.convert({"contents": [5, {"role": "user", "parts": [result]}]}, GEMINI, CHAT, kind="request")
    assert caught.value.path == "/contents/0"
