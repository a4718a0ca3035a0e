"""`detect`, `diff` and `fold`: what a payload is, whether two mean the same, a stream as one response."""

import json
from pathlib import Path
from typing import Any

import pytest

import proxai_ir

from .support import PLAIN, Run, records

ANTHROPIC, CHAT, GEMINI = "anthropic_messages", "openai_chat_completions", "gemini_generate_content"
COHERE = "cohere_v2_chat"
ASKED: dict[str, Any] = {
    "model": "m",
    "max_tokens": 64,
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"q": "x"}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "sun"}]},
    ],
    "tools": [{"name": "f", "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}],
}
WHOLE: dict[str, Any] = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
}
CHUNK = '{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s}]}'
LAST = CHUNK.replace("%s", '{},"finish_reason":"stop"')
SSE = f"data: {CHUNK % json.dumps({'role': 'assistant', 'content': 'Hi'})}\n\ndata: {LAST}\n\ndata: [DONE]\n\n".encode()
ERROR = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}
BATCH = {"custom_id": "a", "params": ASKED}


def bytes_of(payload: Any) -> bytes:
    return payload if isinstance(payload, bytes) else json.dumps(payload).encode()


# --- detect -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("payload", "protocol", "kind"),
    [
        (ASKED, ANTHROPIC, "request"),
        (WHOLE, CHAT, "response"),
        (ERROR, ANTHROPIC, "error"),
        (SSE, CHAT, "stream"),
        ([*proxai_ir.sse.decode([SSE])], CHAT, "stream"),
        (proxai_ir.convert(ASKED, ANTHROPIC, GEMINI), GEMINI, "request"),
        (proxai_ir.convert(SSE, CHAT, GEMINI, kind="stream"), GEMINI, "stream"),
        (BATCH, ANTHROPIC, "batch"),
    ],
    ids=["request", "response", "error", "stream", "events", "gemini", "gemini's stream", "batch"],
)
def test_detect(run: Run, payload: Any, protocol: str, kind: str) -> None:
    result = run("detect", "-", stdin=bytes_of(payload))
    assert (result.exit_code, result.stdout) == (0, f"{protocol}\t{kind}\n")
    (one,) = records(run("detect", "--json", "-", stdin=bytes_of(payload)).stdout)
    assert (one["protocol"], one["kind"], one["unknown"]) == (protocol, kind, 0)


def test_detect_names_all_that_a_payload_may_be(run: Run) -> None:
    either = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
    result = run("detect", "-", stdin=bytes_of(either))
    assert result.stdout.splitlines() == [f"{one}\trequest" for one in (ANTHROPIC, COHERE, CHAT)]
    (one,) = records(run("detect", "--json", "-", stdin=bytes_of(either)).stdout)
    assert [candidate["protocol"] for candidate in one["candidates"]] == [ANTHROPIC, COHERE, CHAT]


def test_detect_counts_what_is_unknown(run: Run) -> None:
    result = run("detect", "-", stdin=bytes_of({**ASKED, "zz_new": 1}))
    assert result.stdout == f"{ANTHROPIC}\trequest\t1 unknown\n"


PIECE: dict[str, Any] = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
SPOKE = {**PIECE, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
FILTERED = {"choices": [], "created": 0, "id": "", "model": "", "object": "", "prompt_filter_results": []}


@pytest.mark.parametrize(
    "events",
    [
        [{**SPOKE, "x_groq": {"id": "req_1", "seed": 7}}],
        [{**SPOKE, "provider": "Acme", "zz_new": {"a": 1}}],
        [{**FILTERED, "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}, SPOKE],
    ],
    ids=["groq", "router", "azure"],
)
def test_detect_knows_a_stream_whose_server_adds_members(run: Run, events: list[Any]) -> None:
    sse = b"".join(b"data: %b\n\n" % bytes_of(one) for one in events) + b"data: [DONE]\n\n"
    for payload in (sse, bytes_of(events)):
        assert run("detect", "-", stdin=payload).stdout == f"{CHAT}\tstream\n"


def test_detect_takes_nothing_for_a_stream_of_which_it_knows_little(run: Run) -> None:
    assert run("detect", "-", stdin=bytes_of([{"model": "m", "zz": 1, "zy": 2}])).exit_code == 4


def test_detect_line_by_line(run: Run) -> None:
    result = run("detect", "--jsonl", "-", stdin=bytes_of(ASKED) + b"\n" + bytes_of(WHOLE))
    assert result.stdout.splitlines() == [f"{ANTHROPIC}\trequest", f"{CHAT}\tresponse"]
    result = run("detect", "--jsonl", "-", stdin=b'{"x": 1}\n' + bytes_of(WHOLE))
    assert result.exit_code == 4
    assert result.stdout.splitlines()[1] == f"{CHAT}\tresponse"


@pytest.mark.parametrize(("payload", "code"), [(b'{"x": 1}', 4), (b"{", 5), (b"", 5), (b"5", 4)])
def test_what_nobody_reads(run: Run, payload: bytes, code: int) -> None:
    result = run("detect", "-", stdin=payload)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("proxai-ir: -: ")


# --- diff -------------------------------------------------------------------------------------------------------------


def test_a_payload_and_what_it_is_in_another_protocol_mean_the_same(run: Run, tmp_path: Path) -> None:
    for target in proxai_ir.protocols():
        (tmp_path / "b.json").write_bytes(bytes_of(proxai_ir.convert(ASKED, ANTHROPIC, target, model="m")))
        result = run(
            "diff", "-", str(tmp_path / "b.json"), "--from", ANTHROPIC, "--from", target, stdin=bytes_of(ASKED)
        )
        assert (result.exit_code, result.stdout) == (0, "they mean the same\n"), target


def test_a_stream_means_what_its_whole_response_means(run: Run, tmp_path: Path) -> None:
    (tmp_path / "whole.json").write_bytes(bytes_of(proxai_ir.convert(WHOLE, CHAT, ANTHROPIC)))
    result = run("diff", "-", str(tmp_path / "whole.json"), stdin=SSE)
    assert (result.exit_code, result.stdout) == (0, "they mean the same\n")


def test_what_differs_is_named_with_both_places(run: Run, tmp_path: Path) -> None:
    other = proxai_ir.convert(ASKED, ANTHROPIC, CHAT)
    other["messages"][1]["content"] = "Rain?"
    other["seed"] = 7
    other["tools"][0]["function"]["description"] = "Looks."
    (tmp_path / "b.json").write_bytes(bytes_of(other))
    result = run("diff", "-", str(tmp_path / "b.json"), stdin=bytes_of(ASKED))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        'request.turns[1].parts[0].text  A /messages/0/content "Weather?"  B /messages/1/content "Rain?"',
        'request.tools[0].description  A /tools/0 (absent)  B /tools/0/function/description "Looks."',
        "request.sampling.seed  A (the whole payload) (absent)  B /seed 7",
    ]
    (one,) = records(run("diff", "--json", "-", str(tmp_path / "b.json"), stdin=bytes_of(ASKED)).stdout)
    assert one["same"] is False
    assert one["differences"][0] == {
        "field": "request.turns[1].parts[0].text",
        "a": {"path": "/messages/0/content", "value": '"Weather?"'},
        "b": {"path": "/messages/1/content", "value": '"Rain?"'},
        "rule": None,
    }


def test_a_signature_that_only_one_has_stands_where_its_block_has_it(run: Run, tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}
    text = {"type": "text", "text": "Hello"}
    for block, name in ((thinking, "a.json"), ({**thinking, "signature": ""}, "b.json")):
        turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [block, text]}]
        messages = [*turns, {"role": "user", "content": "And?"}]
        (tmp_path / name).write_bytes(bytes_of({"model": "m", "max_tokens": 5, "messages": messages}))
    place = "/messages/1/content/0/signature"
    result = run("diff", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--from", ANTHROPIC)
    assert result.exit_code == 1
    assert (
        f'request.turns[1].parts[0].seal.data  A {place} "c2lnbmVk"  B {place} (absent)' in result.stdout.splitlines()
    )


def test_what_the_other_protocol_cannot_say_is_a_difference(run: Run, tmp_path: Path) -> None:
    asked = {**ASKED, "top_k": 40}
    (tmp_path / "b.json").write_bytes(bytes_of(proxai_ir.convert(asked, ANTHROPIC, CHAT)))
    result = run("diff", "-", str(tmp_path / "b.json"), stdin=bytes_of(asked))
    assert result.exit_code == 1
    assert result.stdout.startswith("SMP-3  A /top_k ")


def test_signatures_that_differ_are_named_where_they_stand(run: Run, tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "YQ=="}
    ending = {"stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    response = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [thought], **ending}
    (tmp_path / "b.json").write_bytes(bytes_of({**response, "content": [{**thought, "signature": "Yg=="}]}))
    result = run("diff", "-", str(tmp_path / "b.json"), stdin=bytes_of(response))
    assert result.stdout == (
        "response.candidates[0].turns[0].parts[0].seal.data  "
        'A /content/0/signature "YQ=="  B /content/0/signature "Yg=="\n'
    )


def test_members_that_only_one_payload_of_a_protocol_has(run: Run, tmp_path: Path) -> None:
    (tmp_path / "b.json").write_bytes(bytes_of({**ASKED, "zz_new": 1}))
    result = run("diff", "-", str(tmp_path / "b.json"), stdin=bytes_of(ASKED))
    assert (result.exit_code, result.stdout) == (1, "UNK-1  A (the whole payload) (absent)  B /zz_new 1\n")
    assert run("diff", str(tmp_path / "b.json"), str(tmp_path / "b.json")).exit_code == 0


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (b"{", "not JSON: the JSON ends in the middle"),
        (b"", "not JSON: expected JSON, found nothing"),
        (b'{"x": 1}', "not a payload of any protocol"),
        (bytes_of(WHOLE), ""),
    ],
    ids=["no JSON", "nothing", "no payload", "another kind"],
)
def test_what_cannot_be_compared(run: Run, tmp_path: Path, other: bytes, said: str) -> None:
    (tmp_path / "b.json").write_bytes(other)
    result = run("diff", "-", str(tmp_path / "b.json"), stdin=bytes_of(ASKED))
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr.startswith(f"proxai-ir: {tmp_path / 'b.json'}: {said}" if said else "proxai-ir: ")
    assert run("diff", "-", str(tmp_path / "absent.json"), stdin=PLAIN).exit_code == 5


# --- fold -------------------------------------------------------------------------------------------------------------


def test_a_stream_as_one_response_of_its_protocol(run: Run) -> None:
    result = run("fold", "--from", CHAT, "-", stdin=SSE)
    assert result.exit_code == 0
    folded = json.loads(result.stdout)
    assert folded["choices"][0]["message"]["content"] == "Hi"
    assert run("detect", "-", stdin=result.stdout_bytes).stdout == f"{CHAT}\tresponse\n"


def test_a_stream_as_one_response_of_another_protocol(run: Run) -> None:
    for target in (ANTHROPIC, GEMINI, "vertex_ai"):
        result = run("fold", "--from", CHAT, "--to", target, "-", stdin=SSE)
        protocol = GEMINI if target == "vertex_ai" else target
        assert result.exit_code == 0
        assert run("detect", "-", stdin=result.stdout_bytes).stdout == f"{protocol}\tresponse\n"


def test_a_stream_that_was_cut_off_is_no_response(run: Run) -> None:
    result = run("fold", "--from", CHAT, "-", stdin=SSE[: SSE.index(b"\n\n") + 2])
    assert (result.exit_code, result.stdout) == (4, "")
    assert "STR-2" in result.stderr


def test_a_stream_that_failed_is_no_response(run: Run) -> None:
    result = run("fold", "--from", CHAT, "-", stdin=b'data: {"error": {"message": "Slow down."}}\n\n')
    assert (result.exit_code, result.stdout) == (4, "")
    assert "there is no whole response: the stream ended with an error" in result.stderr


# --- fold --partial ---------------------------------------------------------------------------------------------------

CUT = SSE[: SSE.index(b"\n\n") + 2]
MESSAGE: dict[str, Any] = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [],
    "stop_reason": None,
}
MESSAGE |= {"stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
CALL = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
CALLING = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": CALL},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"q":'}},
]


def test_what_has_come_of_a_stream_that_was_cut_off(run: Run) -> None:
    """In its own protocol no reason is stated for its ending; in another that of a limit, which is no whole one's."""
    result = run("fold", "--partial", "-", stdin=CUT)
    assert result.exit_code == 4
    assert "STR-2" in result.stderr
    (choice,) = json.loads(result.stdout)["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("Hi", None)
    other = run("fold", "--partial", "--to", ANTHROPIC, "-", stdin=CUT)
    assert other.exit_code == 4
    made = json.loads(other.stdout)
    assert (made["content"], made["stop_reason"]) == ([{"type": "text", "text": "Hi"}], "max_tokens")


def test_a_whole_stream_is_the_same_with_partial(run: Run) -> None:
    assert run("fold", "--partial", "-", stdin=SSE).stdout == run("fold", "-", stdin=SSE).stdout


@pytest.mark.parametrize("target", [ANTHROPIC, CHAT])
def test_a_call_that_was_cut_off_is_left_out_and_named(run: Run, target: str) -> None:
    sent = b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in CALLING)
    result = run("fold", "--partial", "--to", target, "-", stdin=sent)
    assert result.exit_code == 4
    assert [line.split("  ")[:2] for line in result.stderr.splitlines() if "  " in line and "info" not in line] == [
        ["loss", "TUL-29"],
        ["error", "STR-2"],
    ]
    assert "Hel" in result.stdout
    assert '"f"' not in result.stdout


def test_what_has_come_of_a_stream_that_failed(run: Run) -> None:
    failed = CUT + b'data: {"error": {"message": "Slow down."}}\n\n'
    assert run("fold", "-", stdin=failed).stdout == ""
    result = run("fold", "--partial", "-", stdin=failed)
    assert result.exit_code == 4
    assert json.loads(result.stdout)["choices"][0]["message"]["content"] == "Hi"
    assert "the stream ended with an error" in result.stderr


@pytest.mark.parametrize("stdin", [b"", b'data: {"error": {"message": "Slow down."}}\n\n'])
def test_nothing_has_come(run: Run, stdin: bytes) -> None:
    result = run("fold", "--partial", "--from", CHAT, "-", stdin=stdin)
    assert (result.exit_code, result.stdout) == (4, "")
