"""Each case, and what streams and Exchanges do of what was found."""

from __future__ import annotations

import orjson
import pytest

import proxai_ir
from proxai_ir import Exchange
from proxai_ir.profiles import for_model
from proxai_ir.protocol.registry import protocols

from ..pains.asked.got import at
from . import by_protocol, by_thread
from .case import ALLOWED, FUNCTION, SONNET_4_5, A, B, C, Case, G, H, I, Json, O, R, Refused, chat, claude, ollama

NAMED: Json = {"model": "m"}
"""The option for payloads of protocols that have the model in the path, or nowhere."""
CASES = (*by_protocol.CASES, *by_thread.CASES)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_sent(case: Case) -> None:
    target = for_model(case.dst, case.model) if case.model else case.dst
    options: Json = {} if "model" in case.sent else NAMED
    try:
        made = proxai_ir.compile(case.sent, case.src, target, kind=case.kind, **options)
    except proxai_ir.TranslationError as error:
        assert Refused(error.rule, error.path) == case.gets
        return
    assert not isinstance(case.gets, Refused)
    assert {pointer: at(made.output, pointer) for pointer in case.gets} == case.gets
    assert {one.rule for one in made.diagnostics if one.severity == "loss"} == {*case.losses}
    assert {*case.rules} <= {one.rule for one in made.diagnostics}


# --- settings, streams and what an Exchange does ----------------------------------------------------------------------


@pytest.mark.parametrize("dst", [one for one in protocols() if one != C])
def test_the_mode_among_allowed_tools_is_sent_or_named(dst: str) -> None:
    """Treat it as the plain choice of this word (newer 11)."""
    for choice, place in (("auto", "/tool_choice"), (ALLOWED, "/tool_choice/allowed_tools/mode")):
        made = proxai_ir.compile(chat(tools=[FUNCTION], tool_choice=choice), C, dst)
        named = [one.path for one in made.diagnostics if one.rule == "SMP-6"]
        assert ("auto" in repr(made.output).lower() or "VALIDATED" in repr(made.output)) == (named != [place])


@pytest.mark.parametrize("given", [{"town": "Emden"}, {"title": "T", "text": "words", "url": "https://example.com"}])
@pytest.mark.parametrize("dst", [A, B, G, I, O])
def test_of_a_document_that_is_json_the_type_alone_is_lost(dst: str, given: Json) -> None:
    """Expect the finding to say so, as its place holds the text as well (newer 6)."""
    made = proxai_ir.compile(chat(documents=[{"data": given}]), H, dst)
    (found,) = (one for one in made.diagnostics if one.path == "/documents/0/data")
    assert (found.rule, found.message.partition(" (")[2]) == (
        "ENV-1",
        "the media type alone, which the text is sent without)",
    )


@pytest.mark.parametrize("mime", ["application/octet-stream", "binary/octet-stream", "application/x-pdf"])
@pytest.mark.parametrize("dst", [A, B, G, I, R, C])
def test_a_pdf_is_known_by_its_data(dst: str, mime: str) -> None:
    """Recognise it whatever a client calls it; text of an unknown type is refused where types are listed (peers_tests
    24)."""
    src, sent = (C, chat(attached(mime, PDF))) if dst != C else (R, {"model": "m", "input": [attached(mime, PDF, R)]})
    made = proxai_ir.compile(sent, src, dst)
    assert "pdf" in repr(made.output)
    assert mime not in repr(made.output)
    assert "SRC-4" in {one.rule for one in made.diagnostics}
    if dst != R and mime in ("application/octet-stream", "binary/octet-stream"):
        other = chat(attached(mime, TEXT)) if dst != C else {"model": "m", "input": [attached(mime, TEXT, R)]}
        with pytest.raises(proxai_ir.TranslationError) as caught:
            proxai_ir.compile(other, src, dst)
        assert caught.value.rule == "SRC-3"


PDF, TEXT = "JVBERi0xLjcK", "YSxiCjEsMgo="


def attached(mime: str, data: str, protocol: str = C) -> Json:
    file = {"filename": "x", "file_data": f"data:{mime};base64,{data}"}
    if protocol == R:
        return {"role": "user", "content": [{"type": "input_file", **file}]}
    return {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "file", "file": file}]}


STARTED = {
    "type": "message_start",
    "message": {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "c",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 3, "output_tokens": 1},
    },
}
SAID = (
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 5},
    },
)


@pytest.mark.parametrize(
    "more",
    [
        {"amazon-bedrock-invocationMetrics": {"inputTokenCount": 3, "cacheReadInputTokenCount": 900}},
        {"usage": {"input_tokens": 3, "output_tokens": 5, "cache_read_input_tokens": 900}},
    ],
)
def test_cache_tokens_that_bedrock_counts_in_the_last_event(more: Json) -> None:
    """See peers_tests 15."""
    events = proxai_ir.convert([STARTED, *SAID, {"type": "message_stop", **more}], A, C, kind="stream")
    assert events[-2]["usage"]["prompt_tokens"] == 903
    assert events[-2]["usage"]["prompt_tokens_details"]["cached_tokens"] == 900


def test_the_stop_sequence_that_matched_is_asked_of_converse_and_read() -> None:
    """See peers_tests 21, threads_clouds F18."""
    asked = proxai_ir.convert(claude(stop_sequences=["END"]), A, for_model(B, SONNET_4_5))
    assert asked["additionalModelResponseFieldPaths"] == ["/stop_sequence"]
    for fields in ({"stop_sequence": "END"}, {"delta": {"stop_sequence": "END"}}):
        events = [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}},
            {"contentBlockStop": {"contentBlockIndex": 0}},
            {"messageStop": {"stopReason": "stop_sequence", "additionalModelResponseFields": fields}},
        ]
        made = proxai_ir.convert(events, B, A, kind="stream")
        assert made[-2]["delta"] == {"stop_reason": "stop_sequence", "stop_sequence": "END"}


def test_labels_of_vertex_are_checked() -> None:
    """See threads_clouds F14."""
    vertex = {"name": "vertex", "region": "global", "project": "p"}
    for src, asked in ((C, chat()), (R, {"model": "m", "input": "Hi"})):
        exchange = Exchange(src, G, model="gemini-3-pro", cloud=vertex, key="k")
        sent = exchange.request({**asked, "metadata": {"User ID": "Ann Lee", "team": "a-b_1"}})
        assert b'"labels":{"team":"a-b_1"}' in sent.body
        assert "USR-3" in {one.rule for one in sent.diagnostics}


def test_a_model_that_was_loaded_alone_has_said_nothing() -> None:
    """Refuse it in `convert`, and hand it on in an Exchange (threads_clouds, also seen)."""
    with pytest.raises(proxai_ir.TranslationError) as caught:
        proxai_ir.convert(ollama("load"), O, A, kind="response")
    assert caught.value.rule == "CHO-3"
    exchange = Exchange(A, O, key="k")
    exchange.request(claude())
    made = exchange.response(200, {"content-type": "application/json"}, orjson.dumps(ollama("load")))
    assert (made.status, b'"content":[]' in made.body) == (200, True)
