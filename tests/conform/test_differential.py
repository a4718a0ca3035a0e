"""The differential: what a made-up peer has, lacks and says otherwise is found, each in its class."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from proxai_ir.testing.conform import Vector

from ..clients.provider import ANTHROPIC, CHAT, GEMINI
from . import differential
from .differential import (
    DIFFERENT,
    NAMED,
    OURS_ALONE,
    PEER_ALONE,
    PEER_REFUSES,
    WE_FAIL,
    WE_REFUSE,
    compared,
    run,
    table,
)
from .verdicts import Verdict

ASKED = {
    "model": "m",
    "messages": [{"role": "user", "content": "Rain?"}],
    "max_completion_tokens": 64,
    "temperature": 0.5,
    "seed": 7,
}
COLD: dict[str, Any] = {"model": "m", "max_tokens": 64, "messages": [{"role": "user", "content": "Rain?"}]}
MADE = {**COLD, "temperature": 0.5}
SAID = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Yes."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 2},
}


def case(kind: str, src: str, dst: str, source: Any) -> Vector:
    return Vector("x", "", kind, src, dst, {}, source, None, (), (), None)


def found(vector: Vector, answer: Any) -> list[tuple[str, str]]:
    return [(one.what, one.field) for one in compared(vector, answer)]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (MADE, []),
        ({**MADE, "temperature": 0.7}, [(DIFFERENT, "request.sampling.temperature")]),
        ({**MADE, "top_k": 9}, [(PEER_ALONE, "request.sampling.top_k")]),
        ({**MADE, "seed": 7}, [(NAMED, "UNK-1")]),
        (COLD, [(OURS_ALONE, "request.sampling.temperature")]),
        ({**MADE, "tools": []}, []),
    ],
    ids=["the same", "another value", "one more", "named", "one less", "nothing"],
)  # fmt: skip
def test_what_differs_in_a_request(output: Any, expected: list[tuple[str, str]]) -> None:
    assert found(case("request", CHAT, ANTHROPIC, ASKED), {"output": output}) == expected


def test_counts_that_only_the_peer_has() -> None:
    choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    made = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
    assert found(case("response", ANTHROPIC, CHAT, SAID), {"output": made}) == []
    made["usage"] = {**usage, "prompt_tokens_details": {"cached_tokens": 1}}
    assert (PEER_ALONE, "usage.cache_read") in found(case("response", ANTHROPIC, CHAT, SAID), {"output": made})


def test_refusals() -> None:
    several = case("request", CHAT, ANTHROPIC, {**ASKED, "n": 2})
    assert found(several, {"output": MADE}) == [(WE_REFUSE, "CHO-2")]
    assert found(several, {"refused": "n"}) == []
    assert found(case("request", CHAT, ANTHROPIC, ASKED), {"refused": "no"}) == [(PEER_REFUSES, "")]
    assert found(case("request", CHAT, ANTHROPIC, ASKED), {"output": [1]})[0][0] == differential.NOT_READ


def test_a_failed_answer_that_the_peer_takes_for_a_response() -> None:
    call = {"functionCall": {"name": "f", "args": {}}}
    failed = {"candidates": [{"content": {"parts": [call]}, "finishReason": "MALFORMED_FUNCTION_CALL"}]}
    made = {"output": {**SAID, "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]}}
    assert found(case("response", GEMINI, ANTHROPIC, failed), made) == [(WE_FAIL, "")]


PEER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    made = {"unsupported": "no"} if asked["kind"] == "response" else {"output": %s}
    print(json.dumps({"id": asked["id"], **made}), flush=True)
"""


def test_a_made_up_peer_is_a_process(tmp_path: Path) -> None:
    (tmp_path / "peer.py").write_text(PEER % json.dumps({**MADE, "temperature": 0.7}))
    command = shlex.join([sys.executable, str(tmp_path / "peer.py")])
    made = run("litellm", command, [case("request", CHAT, ANTHROPIC, ASKED), case("response", ANTHROPIC, CHAT, SAID)])
    assert (made.compared, made.unsupported, made.unanswered) == (1, 1, 0)
    head = ["1 compared, 1 without such a conversion, 0 not answered", "different: 1"]
    kind = "1 different | request | openai_chat_completions -> anthropic_messages | request.sampling.temperature"
    patterns = (None, DIFFERENT, None, None, r"request\.sampling\..*", None, None)
    ours, peer = (Verdict(patterns, right, 1, "because") for right in ("ours", "peer"))
    for known, right, shown in (([], "not decided", True), ([ours], "ours", False), ([peer], "peer", True)):
        line = f"     {kind} | x | 0.5 | 0.7 | {right}"
        assert table(made, known).splitlines() == [*head, f"right: {right}: 1", *([line] if shown else [])]
        assert table(made, known, every=True).splitlines() == [*head, f"right: {right}: 1", line]


def test_a_run_that_compares_nothing_fails(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert differential.main(["--python", "no-such-python-here", "litellm"]) == 1
    said = capsys.readouterr()
    assert said.out == "litellm: skipped, as it is not installed in no-such-python-here\n\n"
    assert said.err == "nothing was compared\n"
    monkeypatch.setattr(differential, "version", lambda python, name: "lingua 0")
    monkeypatch.setattr(differential, "cases", lambda corpus: iter(()))
    assert differential.main(["lingua"]) == 1


def test_a_peer_that_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        differential.main(["zork"])
    assert "found zork" in capsys.readouterr().err


def test_cases_are_of_the_models_of_their_targets() -> None:
    chosen = [*differential.cases(corpus=False)]
    assert len(chosen) > 500
    assert {one.source["model"] for one in chosen if one.kind == "request"} == {*differential.MODELS.values()}
