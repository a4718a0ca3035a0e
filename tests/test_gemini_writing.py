"""What is written for generateContent beyond its body and its table: the URL, candidates in streams, envelopes."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import proxai_ir
from proxai_ir import profiles

Json = Any

GEMINI, CHAT, ANTHROPIC = "gemini_generate_content", "openai_chat_completions", "anthropic_messages"
HI: Json = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


# --- the URL ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "options", "route"),
    [
        ({}, {}, {"model": "m", "stream": False, "path": "/v1beta/models/m:generateContent"}),
        (
            {"stream": True},
            {},
            {"model": "m", "stream": True, "path": "/v1beta/models/m:streamGenerateContent?alt=sse"},
        ),
        (
            {"model": "tunedModels/t"},
            {},
            {"model": "tunedModels/t", "stream": False, "path": "/v1beta/tunedModels/t:generateContent"},
        ),
    ],
    ids=["whole", "streamed", "with a collection"],
)
def test_the_route_of_a_request(more: Json, options: Json, route: Json) -> None:
    done = proxai_ir.compile({**HI, **more}, CHAT, GEMINI, **options)
    assert done.route == route
    assert "model" not in done.output
    assert "stream" not in done.output


def test_a_response_has_no_route() -> None:
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
    assert proxai_ir.compile({"id": "c", "model": "m", **answer}, CHAT, GEMINI).route == {}
    assert proxai_ir.compile(HI, CHAT, ANTHROPIC).route == {}


# --- candidates -------------------------------------------------------------------------------------------------------


def chunk(index: int, delta: Json, finish: str | None = None) -> Json:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def test_candidates_of_a_stream_stay_apart() -> None:
    events = [
        chunk(0, {"role": "assistant", "content": "One"}),
        chunk(1, {"role": "assistant", "content": "Two"}),
        chunk(0, {"content": "."}),
        chunk(1, {"content": "!"}),
        chunk(1, {}, "length"),
        chunk(0, {}, "stop"),
        "[DONE]",
    ]
    out = proxai_ir.convert(events, CHAT, GEMINI, kind="stream")
    texts = {0: "", 1: ""}
    for event in out:
        for candidate in event["candidates"]:
            texts[candidate["index"]] += "".join(part["text"] for part in candidate["content"].get("parts", ()))
    assert texts == {0: "One.", 1: "Two!"}
    assert [one["finishReason"] for one in out[-1]["candidates"]] == ["STOP", "MAX_TOKENS"]
    with pytest.raises(proxai_ir.TranslationError, match="CHO-1"):
        proxai_ir.convert(events, CHAT, ANTHROPIC, kind="stream")


# --- envelopes --------------------------------------------------------------------------------------------------------


def test_an_envelope_is_base64_as_clients_decode_it() -> None:
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    response = {
        "id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [thinking],
        "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    made = proxai_ir.convert(response, ANTHROPIC, GEMINI, seals=proxai_ir.Seals())
    (part,) = made["candidates"][0]["content"]["parts"]
    assert base64.b64decode(part["thoughtSignature"], validate=True).startswith(b"proxai_ir.seal.1.")
    turns = [{"role": "user", "parts": [{"text": "Hi"}]}, {"role": "model", "parts": [part]}]
    asked = {"contents": [*turns, {"role": "user", "parts": [{"text": "And?"}]}]}
    back = proxai_ir.convert(asked, GEMINI, ANTHROPIC, model="m", seals=proxai_ir.Seals())
    assert back["messages"][1]["content"] == [thinking]


# --- servers ----------------------------------------------------------------------------------------------------------


def test_vertex_has_labels_and_names_of_files() -> None:
    pdf = {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}}
    asked = {"model": "m", "messages": [{"role": "user", "content": [pdf]}], "metadata": {"team": "a"}, "store": True}
    made = proxai_ir.convert(asked, CHAT, profiles.VERTEX_AI)
    assert made["labels"] == {"team": "a"}
    assert made["contents"][0]["parts"][0]["inlineData"]["displayName"] == "a.pdf"
    assert "store" not in made


@pytest.mark.parametrize(
    ("metadata", "labels"),
    [
        ({"a": "x" * 63}, {"a": "x" * 63}),
        ({"a": "x" * 64, "b": "y"}, {"b": "y"}),
        ({"": "x"}, None),
        ({"-a": "x", "a-": "_"}, {"a-": "_"}),
        ({"a": "1.5", "b": "x y", "c": "É"}, None),
        ({"名前": "値", "é": ""}, {"名前": "値", "é": ""}),
        ({"a": None, "b": 7, "c": True, "d": "d"}, {"d": "d"}),
        ({f"k{number}": "v" for number in range(70)}, {f"k{number}": "v" for number in range(64)}),
    ],
)
def test_only_what_can_be_labels_is_sent(metadata: Json, labels: Json) -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "metadata": metadata}
    made = proxai_ir.compile(asked, CHAT, profiles.VERTEX_AI)
    assert made.output.get("labels") == labels
    named = [(one.rule, one.path) for one in made.diagnostics if one.path == "/metadata"]
    assert named == ([] if labels == metadata else [("USR-3", "/metadata")])


def test_functions_and_search_are_not_mixed_where_a_model_takes_one_of_them() -> None:
    asked = {
        "model": "m", "input": "Rain?",
        "tools": [{"type": "web_search"}, {"type": "function", "name": "f", "parameters": {}, "strict": False}],
    }  # fmt: skip
    done = proxai_ir.compile(asked, "openai_responses", profiles.GEMINI_2_5)
    assert [[*tool] for tool in done.output["tools"]] == [["functionDeclarations"]]
    assert ("TUL-6", "/tools/0") in [(one.code, one.path) for one in done.diagnostics]


# --- how a history begins ---------------------------------------------------------------------------------------------

CALLING: Json = {"role": "assistant", "tool_calls": [
    {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}},
]}  # fmt: skip
CALLED: Json = [CALLING, {"role": "tool", "tool_call_id": "c1", "content": "noon"}]


@pytest.mark.parametrize(
    ("before", "emulate", "found"),
    [
        ([], (), [("PLC-24", "/messages/0/tool_calls/0")]),
        ([], ("user_turn",), [("PLC-24", "/messages/0/tool_calls/0")]),
        ([{"role": "system", "content": "Be brief."}], (), [("PLC-24", "/messages/1/tool_calls/0")]),
        ([{"role": "system", "content": "Be brief."}], "auto", [("PLC-23", "/messages/0")]),
        ([{"role": "user", "content": "Time?"}], (), []),
        ([{"role": "assistant", "content": "Hello."}, {"role": "user", "content": "Time?"}], (), []),
        ([{"role": "assistant", "content": "Hello."}], (), [("PLC-24", "/messages/1/tool_calls/0")]),
    ],
    ids=["nothing", "no instructions to send", "instructions", "they are sent", "the user", "an answer", "only one"],
)
def test_calls_at_the_beginning(before: Json, emulate: Any, found: list[tuple[str, str]]) -> None:
    request = {"model": "m", "messages": [*before, *CALLED]}
    reported = proxai_ir.check(request, CHAT, GEMINI, emulate=emulate)
    assert [(one.code, one.path) for one in reported if one.code.startswith("PLC")] == found


# --- tools that open pages --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("server", "made"),
    [
        (GEMINI, ["functionDeclarations", "urlContext"]),
        (profiles.GEMINI_2_5, ["functionDeclarations"]),
        (profiles.GEMINI_2_0, ["functionDeclarations"]),
    ],
    ids=["newest", "no mixed tools", "no such tool"],
)
def test_a_tool_that_opens_pages_next_to_functions(server: Any, made: list[str]) -> None:
    fetch = {"type": "web_fetch_20250910", "name": "web_fetch"}
    function = {"name": "now", "input_schema": {"type": "object"}}
    done = proxai_ir.compile({**HI, "max_tokens": 9, "tools": [fetch, function]}, ANTHROPIC, server)
    assert [key for tool in done.output["tools"] for key in tool] == made
    assert ("toolConfig" in done.output) == (len(made) > 1)  # which allows both together
    lost = [found.path for found in done.diagnostics if found.severity == "loss"]
    assert lost == ([] if len(made) > 1 else ["/tools/0"])


def test_the_tool_that_opens_pages_is_each_requests_own() -> None:
    """A caller may change what it gets; the next request has the tool as the first had it."""
    asked = {"model": "m", "input": "Hi", "tools": [{"type": "url_context"}]}
    first, second = (proxai_ir.convert(asked, "gemini_interactions", GEMINI, kind="request") for _ in range(2))
    first["tools"][0]["urlContext"]["changed"] = True
    assert second["tools"] == [{"urlContext": {}}]
    assert proxai_ir.convert(asked, "gemini_interactions", GEMINI, kind="request")["tools"] == [{"urlContext": {}}]


def test_a_word_that_stands_for_no_value_is_looked_for_in_words_alone() -> None:
    """A filter of files may have the same word."""
    searched = {"fileSearchStoreNames": ["fileSearchStores/a"], "metadataFilter": "size = unspecified"}
    tools = [{"fileSearch": searched}, {"computerUse": {"environment": "ENVIRONMENT_UNSPECIFIED"}}]
    asked = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}], "tools": tools}
    made = proxai_ir.compile(asked, GEMINI, "gemini_interactions", kind="request", model="m")
    files, computer = made.output["tools"]
    assert files["metadata_filter"] == "size = unspecified"
    assert computer == {"type": "computer_use"}
    assert [one.path for one in made.diagnostics if one.rule == "TUL-9"] == ["/tools/1/computerUse"]


# --- what Google's tools did ------------------------------------------------------------------------------------------

INTERACTIONS = "gemini_interactions"
OPENED: Any = [
    {
        "toolCall": {"toolType": "URL_CONTEXT", "args": {"urls": ["https://a.example/"]}, "id": "u1"},
        "thoughtSignature": "c2ln",
    },
    {
        "toolResponse": {
            "toolType": "URL_CONTEXT",
            "response": {
                "url_metadata": [
                    {
                        "retrieved_url": "https://a.example/",
                        "url_retrieval_status": "URL_RETRIEVAL_STATUS_PAYWALL",
                    }
                ]
            },
            "id": "u1",
        }
    },
]
STEPS: Any = [
    {"type": "url_context_call", "id": "u1", "arguments": {"urls": ["https://a.example/"]}, "signature": "c2ln"},
    {"type": "url_context_result", "call_id": "u1", "result": [{"url": "https://a.example/", "status": "paywall"}]},
]


def answered(parts: list[Json]) -> Json:
    content = {"role": "model", "parts": [*parts, {"text": "So."}]}
    return {"candidates": [{"content": content, "finishReason": "STOP"}], "modelVersion": "m", "responseId": "r1"}


def test_runs_of_googles_tools_arrive_whole_and_in_streams() -> None:
    whole = proxai_ir.compile(answered(OPENED), GEMINI, INTERACTIONS)
    assert (whole.output["steps"][:2], whole.diagnostics) == (STEPS, ())
    events = proxai_ir.convert([answered(OPENED)], GEMINI, INTERACTIONS)
    begun, grown = ([one[key] for one in events[:-1] if key in one][:2] for key in ("step", "delta"))
    assert [{**start, **delta} for start, delta in zip(begun, grown, strict=True)] == STEPS
    back = proxai_ir.convert(events, INTERACTIONS, GEMINI)
    parts = [part for chunk in back for part in chunk["candidates"][0]["content"].get("parts", ())]
    assert parts[:2] == OPENED


@pytest.mark.parametrize(
    ("part", "lost"),
    [
        ({"toolCall": {"toolType": "URL_CONTEXT", "args": {"urls": [], "why": 1}, "id": "u1"}}, "`why`"),
        ({"toolResponse": {"toolType": "URL_CONTEXT", "response": {"url": "x"}, "id": "u1"}}, "`response`"),
        ({"toolResponse": {"toolType": "URL_CONTEXT", "response": {"url_metadata": [7]}, "id": "u1"}}, "`response`"),
        ({"toolResponse": {"toolType": "GOOGLE_MAPS", "response": {"places": []}, "id": "u1"}}, "`response`"),
        ({"toolCall": {"toolType": "FILE_SEARCH", "id": "u1"}, "partMetadata": {"a": 1}}, "`partMetadata`"),
    ],
)
def test_what_a_run_has_in_one_protocol_alone_is_named(part: Json, lost: str) -> None:
    (found,) = proxai_ir.check(answered([part]), GEMINI, INTERACTIONS)
    assert (found.rule, found.severity, found.path) == ("TUL-22", "loss", "/candidates/0/content/parts/0")
    assert lost in found.message


@pytest.mark.parametrize("result", [[{"url": 7}], [7], {"a": 1}, [{"url": "x", "status": "later"}]])
def test_pages_of_no_known_form_are_dropped_by_name(result: Json) -> None:
    steps = [{"type": "url_context_result", "call_id": "u1", "result": result}]
    payload = {"id": "i1", "model": "m", "status": "completed", "steps": steps}
    made = proxai_ir.compile(payload, INTERACTIONS, GEMINI)
    (part,) = made.output["candidates"][0]["content"]["parts"]
    assert part == {"toolResponse": {"toolType": "URL_CONTEXT", "response": {}, "id": "u1"}}
    assert ("TUL-22", "/steps/0") in [(one.rule, one.path) for one in made.diagnostics]


def test_a_run_without_an_id_is_googles_alone() -> None:
    (found,) = proxai_ir.check(answered([{"toolCall": {"toolType": "FILE_SEARCH"}}]), GEMINI, INTERACTIONS)
    assert found.rule == "TUL-6"


def test_a_described_schema_out_of_a_text_keeps_the_place_of_the_text() -> None:
    schema = '{"type": "object", "properties": {}, "additionalProperties": false}'
    text_format = {"type": "json_schema", "structure": {"jsonSchema": {"schema": schema, "description": "A town."}}}
    payload = {
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
        "outputConfig": {"textFormat": text_format},
    }
    server = proxai_ir.Profile(GEMINI, json_schemas=False)
    made = proxai_ir.compile(payload, "bedrock_converse", server, model="m")
    (found,) = (one for one in made.diagnostics if one.rule == "SCH-11")
    assert found.path == "/outputConfig/textFormat/structure/jsonSchema/schema"


CUSTOM = {"model": "m", "input": "Hi", "tools": [{"type": "custom", "name": "note"}]}
MEMORY = {
    "model": "m",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Hi"}],
    "tools": [{"type": "memory_20250818", "name": "memory"}],
}


@pytest.mark.parametrize(
    "server",
    [proxai_ir.Profile(GEMINI, json_schemas=False), proxai_ir.Profile("bedrock_converse", schema_keywords=False)],
    ids=["gemini", "bedrock"],
)
@pytest.mark.parametrize(
    ("src", "request_"), [("openai_responses", CUSTOM), (ANTHROPIC, MEMORY)], ids=["custom", "client"]
)
def test_nothing_is_lost_of_a_schema_that_the_library_made(
    src: str, request_: dict[str, Any], server: proxai_ir.Profile
) -> None:
    made = proxai_ir.compile(request_, src, server, emulate="auto")
    assert [one for one in made.diagnostics if one.rule in ("SCH-7", "SCH-11", "SCH-12")] == []
