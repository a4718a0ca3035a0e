"""Rows that are not payloads: lines of batch files, and pairs of a request and its response for exports."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proxai_ir import Finish, FinishReason, bulk
from proxai_ir.bulk.job import Tally
from proxai_ir.cli.app import app

from .support import ANTHROPIC, CHAT, side

BODY = {"model": "m", "max_completion_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
PARAMS = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
MESSAGE = {
    "id": "r1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Hello."}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 2},
}
TRAINING = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}


def batch_line(name: str, **more: Any) -> dict[str, Any]:
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": {**BODY, **more}}


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def read(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def test_batch_files_keep_their_ids(tmp_path: Path) -> None:
    rows = [batch_line("a"), batch_line("b", seed=7), BODY, batch_line("c", n=2)]
    source = written(tmp_path / "a.jsonl", *rows)
    report = bulk.run([source], tmp_path / "out", CHAT, ANTHROPIC, kind="batch", workers=2)
    assert read(tmp_path / "out" / "a.jsonl") == [
        {"custom_id": "a", "params": PARAMS},
        {"custom_id": "b", "params": PARAMS},
    ]
    refused = [(one["row"], one["rule"], one["path"]) for one in side(tmp_path / "out", "a.jsonl")]
    assert refused == [(3, "SHP-3", ""), (4, "CHO-2", "/body/n")]
    assert report.total.reported["SMP-10"].example["path"] == "/body/seed"
    assert (report.total.converted, report.total.lossy, report.total.refused) == (2, 1, 2)


@pytest.mark.parametrize(("workers", "chunk", "ordered"), [(0, 1 << 20, True), (2, 600, True), (2, 600, False)])
def test_ids_that_come_twice_are_named(tmp_path: Path, workers: int, chunk: int, ordered: bool) -> None:
    """Both lines are converted, and the report has the later one with the earlier; other files do not count."""
    names = ["a", "b", "a", "c", "d", "e", "f", "g", "a", "b"]
    source = written(tmp_path / "in" / "a.jsonl", *(batch_line(name) for name in names))
    written(tmp_path / "in" / "b.jsonl", batch_line("c"))
    for make in (partial(bulk.check, [source.parent]), partial(bulk.run, [source.parent], tmp_path / "out")):
        how = {} if make.func is bulk.check else {"ordered": ordered}
        report = make(CHAT, ANTHROPIC, kind="batch", workers=workers, chunk=chunk, **how)
        found = report.total.reported["BAT-4"]
        assert (report.total.converted, report.total.lossy, found.rows) == (11, 0, 3)
        assert Path(found.example["file"]).name == "a.jsonl"
        if ordered:
            assert found.example["row"] == 3
            assert found.example["message"].endswith("(line 1 has 'a', too)")
    made = [line["custom_id"] for line in read(tmp_path / "out" / "a.jsonl")]
    assert (made if ordered else sorted(made)) == (names if ordered else sorted(names))


def test_a_batch_file_that_was_not_complete_starts_again(tmp_path: Path) -> None:
    """So that an id of the first part is known when it comes again."""
    rows = [batch_line("a"), *(batch_line(f"b{at}") for at in range(50)), BODY, batch_line("a")]
    source = written(tmp_path / "a.jsonl", *rows)
    go = partial(bulk.run, [source], tmp_path / "out", CHAT, ANTHROPIC, kind="batch", workers=0, chunk=600)
    assert go(fail_fast=True).stopped is not None
    assert go().total.reported["BAT-4"].rows == 1


def test_a_line_that_is_refused_hints_at_no_member_of_its_own(tmp_path: Path) -> None:
    source = written(tmp_path / "a.jsonl", {**batch_line("q-1"), "url": "/v1/embeddings"})
    bulk.run([source], tmp_path / "out", CHAT, ANTHROPIC, kind="batch", workers=0)
    (refused,) = side(tmp_path / "out", "a.jsonl")
    assert (refused["rule"], refused["path"]) == ("SHP-3", "/url")
    assert "--column" not in refused["message"]


def test_training_lines_of_pairs(tmp_path: Path) -> None:
    source = written(tmp_path / "a.jsonl", {"request": PARAMS, "response": MESSAGE}, {"request": PARAMS})
    report = bulk.run([source], tmp_path / "out", ANTHROPIC, "fine_tuning", kind="export", options={"train": "all"})
    assert read(tmp_path / "out" / "a.jsonl") == [TRAINING]
    assert [(one["row"], one["rule"]) for one in side(tmp_path / "out", "a.jsonl")] == [(2, "SHP-2")]
    assert (report.src, report.dst) == (ANTHROPIC, "fine_tuning")


def test_a_member_with_attributes(tmp_path: Path) -> None:
    attributes = {
        "gen_ai.request.model": "m",
        "gen_ai.request.max_tokens": 9,
        "gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}],
    }
    source = written(tmp_path / "a.jsonl", {"span": "1", "attributes": attributes})
    bulk.run([source], tmp_path / "out", "telemetry", ANTHROPIC, kind="export", column="attributes")
    assert read(tmp_path / "out" / "a.jsonl") == [{"span": "1", "attributes": {"request": PARAMS}}]


@pytest.mark.parametrize(
    ("src", "dst", "kind", "message"),
    [
        ("telemetry", ANTHROPIC, "batch", "there is no protocol 'telemetry'"),
        (CHAT, ANTHROPIC, "export", "sharegpt, telemetry as either the source or the target"),
        ("telemetry", "fine_tuning", "export", "sharegpt, telemetry as either the source or"),
        (
            CHAT,
            "cohere_v2_chat",
            "batch",
            "cohere_v2_chat has no batch lines; expected one of anthropic_messages, bedr",
        ),
        ("ollama_chat", ANTHROPIC, "batch", "ollama_chat has no batch lines; expected one of anthropic_messages, b"),
        ("auto", "ollama_chat", "batch", "ollama_chat has no batch lines"),
        ("telemetry", "anthropic", "export", "there is no protocol 'anthropic'"),
    ],
)
def test_wrong_forms(tmp_path: Path, src: str, dst: str, kind: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bulk.check([written(tmp_path / "a.jsonl", BODY)], src, dst, kind=kind)


def test_a_wrong_option_of_a_form(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="trian"):
        bulk.check([written(tmp_path / "a.jsonl")], CHAT, "fine_tuning", kind="export", options={"trian": "all"})


def test_on_the_command_line(tmp_path: Path) -> None:
    source = str(written(tmp_path / "a.jsonl", batch_line("a")))
    command = ["bulk", source, "--from", CHAT, "--workers", "0", "--to"]

    def exit_code(*arguments: str) -> int:
        return CliRunner().invoke(app, [*command, *arguments], catch_exceptions=False).exit_code

    assert exit_code(ANTHROPIC, "--kind", "batch", "--out", str(tmp_path / "out")) == 0
    assert read(tmp_path / "out" / "a.jsonl") == [{"custom_id": "a", "params": PARAMS}]
    assert exit_code("telemetry", "--kind", "batch", "--mode", "check") == 2
    assert exit_code("telemetry", "--kind", "export", "--mode", "check") == 4


def test_how_responses_ended(tmp_path: Path) -> None:
    words = ["end_turn", "max_tokens", "end_turn", "weary", None]
    rows = [{**MESSAGE, "stop_reason": word} for word in words]
    source = written(tmp_path / "a.jsonl", *rows, {**MESSAGE, "content": 7})
    report = tmp_path / "report.json"
    command = ["bulk", str(source), "--from", ANTHROPIC, "--to", CHAT, "--mode", "check", "--report", str(report)]
    shown = CliRunner().invoke(app, command)
    assert json.loads(report.read_text())["finishes"] == [
        {"reason": "stop", "raw": "end_turn", "count": 2},
        {"reason": "length", "raw": "max_tokens", "count": 1},
        {"reason": "unknown", "raw": None, "count": 1},
        {"reason": "unknown", "raw": "weary", "count": 1},
    ]
    assert "finish: stop (end_turn) 2, length (max_tokens) 1, unknown (not stated) 1, unknown (weary) 1" in shown.stdout


def test_how_streams_ended(tmp_path: Path) -> None:
    delta = {"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": "length"}
    chunk = {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [delta]}
    source = tmp_path / "a.jsonl"
    source.write_text(f"{json.dumps([chunk, '[DONE]'])}\n")
    made = bulk.check([str(source)], CHAT, ANTHROPIC, kind="stream")
    assert made.total.finishes == {"length": {"length": 1}}


def test_words_of_providers_are_bounded() -> None:
    tally = Tally()
    for number in range(1000):
        tally.ended(Finish(FinishReason.UNKNOWN, f"word {number}"))
    tally.ended(Finish(FinishReason.UNKNOWN, "x" * 1000))
    words = tally.finishes["unknown"]
    assert (len(words), words["word 99"], words["(other)"], sum(words.values())) == (101, 1, 901, 1001)
    both = Tally.from_json(json.loads(json.dumps(tally.as_json())))
    both.add(tally)
    assert (len(both.finishes["unknown"]), both.finishes["unknown"]["(other)"]) == (101, 1802)
