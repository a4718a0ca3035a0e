"""The benchmarks of files and engines: their rows convert, and every case runs. No timing."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

import proxai_ir

pytest.importorskip("pyarrow", reason="pyarrow is not installed: proxai_ir[bulk]")

from . import bulk, engines, peers

ROWS = 12


def test_rows_convert_and_differ(tmp_path: Path) -> None:
    size = bulk.generate(tmp_path / "rows", ROWS)
    lines = (tmp_path / "rows").read_bytes().splitlines()
    assert len({*lines}) == len(lines) == ROWS
    assert size == (tmp_path / "rows").stat().st_size
    for line in lines:
        proxai_ir.convert(line, bulk.CHAT, bulk.ANTHROPIC)


def test_every_case_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(request: Any) -> None:
        raise ValueError(request["model"])

    peer = {("request", bulk.CHAT, bulk.ANTHROPIC): refuse}
    monkeypatch.setattr(peers, "load", lambda _: peer)
    monkeypatch.setattr(sys, "argv", ["bulk", "--rows", str(ROWS), "--workers", "1"])
    bulk.main()
    head, plain, own, other, memory = capsys.readouterr().out.splitlines()
    assert head.startswith("12 rows of ")
    assert plain.startswith("orjson alone ")
    assert own.startswith("bulk, 1 process ")
    assert own.endswith("1.00 times one process  0 rows refused")
    assert other.startswith("LiteLLM ")
    assert other.endswith("12 rows refused")
    assert memory.startswith("peak memory")


def test_unrelated_processes_share_the_rows(tmp_path: Path) -> None:
    bulk.generate(tmp_path / "rows", ROWS)
    bulk._unrelated(tmp_path / "rows", tmp_path, 2)()
    made = [(tmp_path / name / f"{name}.jsonl").read_bytes().splitlines() for name in ("part0", "part1")]
    assert [len(lines) for lines in made] == [6, 6]
    assert sorted(orjson.loads(line)["model"] for line in (*made[0], *made[1])) == sorted(
        f"model-{at}" for at in range(ROWS)
    )


def test_engines_read_all_rows(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    engines.write(tmp_path, 40)
    assert pq.read_table(tmp_path).num_rows == 40
    assert len([*tmp_path.iterdir()]) == engines.PARTS
