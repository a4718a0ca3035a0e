"""All findings of the rows, in a file beside the output, and counts by the models that rows name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proxai_ir.cli.app import app

from .support import ANTHROPIC, CHAT, LOSSY, PLAIN, REFUSED, run

pytest.importorskip("matplotlib", reason="the extra bulk is not installed")

HI = b'"messages":[{"role":"user","content":"hi"}],"max_completion_tokens":5'
OTHER = b'{"model":"other",' + HI + b',"seed":1,"presence_penalty":1}'
FOUND = [
    {"row": 2, "model": "m", "rule": "SMP-10", "severity": "loss", "path": "/seed"},
    {"row": 5, "model": "other", "rule": "SMP-3", "severity": "loss", "path": "/presence_penalty"},
    {"row": 5, "model": "other", "rule": "SMP-10", "severity": "loss", "path": "/seed"},
]


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("chunk", [1, 1 << 20])
def test_each_row_says_what_it_lost(tmp_path: Path, workers: int, chunk: int) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(b"\n".join([PLAIN, LOSSY, REFUSED, b"", OTHER]))
    report = run(source, tmp_path / "out", diagnostics=True, workers=workers, chunk=chunk)
    found = lines(tmp_path / "out" / "a.jsonl.diagnostics.jsonl")
    assert all(one.pop("message") for one in found)
    assert found == FOUND
    assert len(lines(tmp_path / "out" / "a.jsonl")) == 3
    assert [one["row"] for one in lines(tmp_path / "out" / "a.jsonl.refused.jsonl")] == [3]
    assert report.as_json()["models"] == [
        {"model": "m", "converted": 2, "lossy": 1, "rules": {"SMP-10": 1}},
        {"model": "other", "converted": 1, "lossy": 1, "rules": {"SMP-3": 1, "SMP-10": 1}},
    ]


def test_a_folder_is_read_without_what_lies_beside_outputs(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(LOSSY)
    (tmp_path / "in" / "a.jsonl.diagnostics.jsonl").write_bytes(b'{"row": 1}')
    assert [one.file.rpartition("/")[2] for one in run(tmp_path / "in", tmp_path / "out").files] == ["a.jsonl"]


def test_a_run_goes_on_with_its_findings(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(b"\n".join([LOSSY, OTHER]))
    first = run(source, tmp_path / "whole", diagnostics=True)
    parts = tmp_path / "parts"
    run(source, parts, diagnostics=True, chunk=1, fail_fast=True)
    again = run(source, parts, diagnostics=True, chunk=1, fail_fast=True)
    assert first.total.lossy == again.total.lossy == 2
    name = "a.jsonl.diagnostics.jsonl"
    assert (parts / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_the_command(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(OTHER)
    asked = ["bulk", str(source), "--from", CHAT, "--to", "gemini_generate_content", "--workers", "0"]
    done = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / "out"), "--diagnostics"])
    assert done.exit_code == 0, done.output
    found = lines(tmp_path / "out" / "a.jsonl.diagnostics.jsonl")
    assert {"row": 1, "model": "other", "rule": "ENV-13", "severity": "loss", "path": "/model"}.items() <= found[
        0
    ].items()
    wrong = CliRunner().invoke(
        app, ["bulk", str(source), "--from", CHAT, "--to", ANTHROPIC, "--mode", "check", "--diagnostics"]
    )
    assert wrong.exit_code == 2
