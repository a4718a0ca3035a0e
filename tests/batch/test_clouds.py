"""Lines as clouds and other vendors have them: Azure's paths, Mistral's without any, Bedrock's records, Vertex AI's."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir import Profile, TranslationError, profiles
from proxai_ir.batch import compile_line, convert_line

from ..cases import each
from .test_lines import ANTHROPIC, BUSY, CANDIDATES, CHAT, COMPLETION, GEMINI, HI, MESSAGE, REQUESTS, RESPONSES, Line

CONVERSE = "bedrock_converse"
BODY = {"model": "m", "messages": HI, "max_completion_tokens": 64}
ASKED: Line = {"custom_id": "q-1", "params": {"model": "m", "max_tokens": 64, "messages": HI}}
INVOKED: Line = {
    "recordId": "q1",
    "modelInput": {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 64, "messages": HI},
}
CONVERSED: Line = {
    "recordId": "q1",
    "modelInput": {
        "messages": [{"role": "user", "content": [{"text": "Hi"}]}],
        "inferenceConfig": {"maxTokens": 64},
    },
}
ANSWER: Line = {
    "output": {"message": {"role": "assistant", "content": [{"text": "Hello"}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
    "metrics": {"latencyMs": 4},
}
VERTEX: Line = {
    "custom_id": "q-1",
    "request": {"anthropic_version": "vertex-2023-10-16", "max_tokens": 64, "messages": HI},
}


def line(url: str | None, body: Line) -> Line:
    return {"custom_id": "q-1", **({} if url is None else {"method": "POST", "url": url}), "body": body}


@pytest.mark.parametrize(
    "url",
    [
        "/chat/completions",
        "/openai/deployments/m/chat/completions?api-version=2025-01-01",
        "https://x.openai.azure.com/openai/v1/chat/completions",
        None,
    ],
)
def test_where_a_request_goes(url: str | None) -> None:
    done = compile_line(line(url, BODY), None, ANTHROPIC)
    assert (done.src, done.output, done.diagnostics) == (CHAT, ASKED, ())
    assert convert_line(line(url, BODY), CHAT, ANTHROPIC) == ASKED
    assert convert_line(line("/responses", {"model": "m", "input": "Hi", "max_output_tokens": 64}), None, ANTHROPIC)


def test_a_deployment_is_the_model_of_a_body_without_one() -> None:
    url = "/deployments/d/chat/completions"
    unnamed = {name: value for name, value in BODY.items() if name != "model"}
    assert convert_line(line(url, unnamed), None, ANTHROPIC)["params"]["model"] == "d"
    done = compile_line(line(url, BODY), None, ANTHROPIC)
    assert done.output["params"]["model"] == "m"
    assert [(one.rule, one.path) for one in done.diagnostics] == [("ENV-1", "/url")]


def test_lines_of_azure_stay_for_their_own_protocol() -> None:
    given = line("/chat/completions", BODY)
    assert convert_line(given, CHAT, CHAT) is given


def test_lines_for_mistral_say_nowhere_where_they_go() -> None:
    bare = line(None, {"messages": HI, "max_tokens": 64})
    assert convert_line(bare, profiles.MISTRAL, profiles.MISTRAL) is bare
    assert convert_line(ASKED, ANTHROPIC, profiles.MISTRAL) == line(
        None, {"model": "m", "messages": HI, "max_tokens": 64}
    )
    assert convert_line(line("/v1/chat/completions", BODY), CHAT, profiles.MISTRAL).keys() == {"custom_id", "body"}
    assert convert_line(bare, profiles.MISTRAL, CHAT)["url"] == "/v1/chat/completions"
    unnamed = Profile(CHAT, batch_urls=False)
    assert convert_line(line("/v1/chat/completions", BODY), CHAT, unnamed) == line(None, BODY)


def test_a_body_shows_of_which_protocol_it_is() -> None:
    assert compile_line(line(None, {"model": "m", "input": "Hi"}), None, CHAT).src == RESPONSES
    with pytest.raises(TranslationError, match="expected a request with `messages` or `input`"):
        compile_line(line(None, {"model": "m"}), None, ANTHROPIC)


@each(("given", "src"), [(INVOKED, ANTHROPIC), (CONVERSED, CONVERSE)])
def test_records_of_both_types(given: Line, src: str) -> None:
    for named in (None, src):
        done = compile_line(given, named, CHAT, model="m")
        assert (done.src, done.output) == (src, {**REQUESTS[CHAT], "custom_id": "q1"})


def test_records_are_written_for_converse() -> None:
    assert convert_line({**ASKED, "custom_id": "q1"}, ANTHROPIC, CONVERSE) == CONVERSED
    assert convert_line(INVOKED, None, CONVERSE) == CONVERSED
    assert convert_line(CONVERSED, None, CONVERSE) is CONVERSED
    done = compile_line(ASKED, ANTHROPIC, CONVERSE)
    assert ("BAT-1", "/custom_id") in [(one.rule, one.path) for one in done.diagnostics]


def test_results_of_records() -> None:
    done = compile_line({**CONVERSED, "modelOutput": ANSWER}, None, CHAT)
    assert done.kind == "response"
    assert done.output["response"]["body"]["choices"] == COMPLETION["choices"]
    assert ("ENV-1", "/modelInput") in [(one.rule, one.path) for one in done.diagnostics]
    assert compile_line({**INVOKED, "modelOutput": MESSAGE}, None, GEMINI).output["response"] == CANDIDATES
    written = convert_line({"custom_id": "q1", "result": {"type": "succeeded", "message": MESSAGE}}, None, CONVERSE)
    assert written["recordId"] == "q1"
    assert written["modelOutput"]["output"] == ANSWER["output"]


def test_errors_of_records() -> None:
    failed = {**INVOKED, "error": {"errorCode": 429, "errorMessage": "Slow down"}}
    done = compile_line(failed, None, CHAT)
    assert done.output["response"]["status_code"] == 429
    assert done.output["response"]["body"]["error"]["message"] == "Slow down"
    busy = {"custom_id": "q1", "result": {"type": "errored", "error": BUSY}}
    assert convert_line(busy, None, CONVERSE) == {"recordId": "q1", "error": {"errorCode": 503, "errorMessage": "Busy"}}
    expired = compile_line({"custom_id": "q1", "result": {"type": "expired"}}, None, CONVERSE)
    assert (expired.output["error"]["errorCode"], [one.rule for one in expired.diagnostics]) == (408, ["BAT-2"])


def test_lines_of_claude_on_vertex_ai() -> None:
    assert convert_line(VERTEX, None, CHAT, model="m") == REQUESTS[CHAT]
    assert convert_line(VERTEX, ANTHROPIC, ANTHROPIC) is VERTEX
    done = compile_line({**VERTEX, "response": MESSAGE, "status": ""}, None, GEMINI)
    assert done.output == {"key": "q-1", "response": CANDIDATES}
    failed = compile_line({**VERTEX, "response": None, "status": "Bad Request"}, None, GEMINI)
    assert (failed.kind, failed.output["error"]["message"]) == ("error", "Bad Request")


@each(
    ("given", "rule", "path"),
    [
        ({"recordId": 7, "modelInput": {}}, "SHP-1", "/recordId"),
        ({"recordId": "q1"}, "SHP-2", ""),
        ({"recordId": "q1", "modelInput": {"prompt": "Hi"}}, "SHP-3", "/modelInput"),
        ({"recordId": "q1", "modelOutput": {"results": []}}, "SHP-3", "/modelOutput"),
        ({"recordId": "q1", "modelOutput": ANSWER, "error": {"errorMessage": "x"}}, "SHP-4", ""),
        ({"recordId": "q1", "error": {"errorCode": "x", "errorMessage": "x"}}, "SHP-1", "/error/errorCode"),
        ({"recordId": "q1", "error": {"errorCode": 400}}, "SHP-2", "/error"),
        ({**VERTEX, "request": 3}, "SHP-1", "/request"),
        ({**VERTEX, "response": MESSAGE, "status": "Bad Request"}, "SHP-4", ""),
        (line("/v1/embeddings", BODY), "SHP-3", "/url"),
        ({**line(None, BODY), "url": 3}, "SHP-1", "/url"),
    ],
)
def test_bad_lines_are_refused_with_rule_and_pointer(given: Any, rule: str, path: str) -> None:
    with pytest.raises(TranslationError) as caught:
        compile_line(given, None, CHAT, model="m")
    assert (caught.value.rule, caught.value.path) == (rule, path)
