"""Envelopes, keys, limits and samples of rows, and what a dry run tells; all values are written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proxai_ir.cli.app import app
from proxai_ir.reporting.catalogue import RULES

from .support import ANTHROPIC, BROKEN, CHAT, PLAIN, REFUSED, files, run

pytest.importorskip("matplotlib", reason="the extra bulk is not installed")

GEMINI, AUTO = "gemini_generate_content", "auto"
STREAMED = b'{"model":"gemini-x","stream":true,"messages":[{"role":"user","content":"hi"}]}'
HI = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
ROUTE = {"model": "gemini-x", "stream": True, "path": "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def to(dst: str, source: Path, out: Path, **options: Any) -> Any:
    from proxai_ir import bulk

    return bulk.run([source], out, CHAT, dst, **{"workers": 0, **options})


def written(folder: Path, rows: list[bytes]) -> Path:
    source = folder / "a.jsonl"
    source.write_bytes(b"\n".join(rows))
    return source


def refusal(source: Path, folder: Path) -> dict[str, str]:
    """Rule and path of the refused row, as the file of refused rows has them."""
    run(source, folder)
    (found,) = lines(folder / "a.jsonl.refused.jsonl")
    return {"refused_rule": found["rule"], "refused_path": found["path"]}


def test_what_stands_in_the_url_stands_in_the_envelope(tmp_path: Path) -> None:
    source = written(tmp_path, [STREAMED])
    report = to(GEMINI, source, tmp_path / "out", envelope=True)
    assert lines(tmp_path / "out" / "a.jsonl") == [{"row": 1, "route": ROUTE, "output": HI}]
    assert report.total.lossy == 0


def test_without_an_envelope_it_is_a_loss(tmp_path: Path) -> None:
    source = written(tmp_path, [STREAMED])
    report = to(GEMINI, source, tmp_path / "out")
    assert lines(tmp_path / "out" / "a.jsonl") == [HI]
    assert report.total.lossy == 1
    (found,) = (one for one in report.as_json()["rules"] if one["rule"] == "ENV-13")
    assert found["severity"] == "loss"
    assert "--envelope" in found["sentence"]


def test_strict_is_about_bodies(tmp_path: Path) -> None:
    """A batch file for Gemini has no other place for the model, either."""
    report = to(GEMINI, written(tmp_path, [STREAMED]), tmp_path / "out", options={"strict": True})
    assert (report.total.converted, report.total.lossy) == (1, 1)


def test_headers_stand_in_the_envelope(tmp_path: Path) -> None:
    tool = {"type": "mcp", "server_label": "s", "server_url": "https://example.com/mcp", "require_approval": "never"}
    row = {"model": "m", "input": "hi", "max_output_tokens": 5, "tools": [tool]}
    source = written(tmp_path, [json.dumps(row).encode()])
    from proxai_ir import bulk

    report = bulk.run([source], tmp_path / "out", "openai_responses", ANTHROPIC, workers=0, envelope=True)
    (found,) = lines(tmp_path / "out" / "a.jsonl")
    assert found["headers"] == {"anthropic-beta": "mcp-client-2025-11-20", "anthropic-version": "2023-06-01"}
    assert "TUL-24" in report.total.reported


def test_every_rule_about_a_route_or_headers_is_counted() -> None:
    from proxai_ir.bulk.job import OUTSIDE

    about = ("`Conversion.route`", "`Conversion.headers`")
    named = {one.id for one in RULES.values() if one.severity != "law" and any(name in one.sentence for name in about)}
    assert named == OUTSIDE


@pytest.mark.parametrize("workers", [0, 2])
def test_refused_rows_keep_their_place(tmp_path: Path, workers: int) -> None:
    source = written(tmp_path, [PLAIN, REFUSED, BROKEN, PLAIN])
    only = tmp_path / "only"
    only.mkdir()
    expected = refusal(written(only, [REFUSED]), only / "out")
    run(source, tmp_path / "out", envelope=True, workers=workers, chunk=100)
    first, second, third, fourth = lines(tmp_path / "out" / "a.jsonl")
    assert (first["row"], fourth["row"]) == (1, 4)
    assert second == {"row": 2, "output": None, **expected}
    assert (third["row"], third["refused_rule"], third["output"]) == (3, "SHP-6", None)
    assert [one["row"] for one in lines(tmp_path / "out" / "a.jsonl.refused.jsonl")] == [2, 3]


def test_a_key_names_rows_everywhere(tmp_path: Path) -> None:
    named = [
        {"id": at, "call": {"id": f"k{at}", "body": json.loads(row)}} for at, row in enumerate([STREAMED, REFUSED])
    ]
    source = written(tmp_path, [json.dumps(one).encode() for one in named])
    about: dict[str, Any] = {"column": "/call/body", "key": "/call/id", "envelope": True, "diagnostics": True}
    to(GEMINI, source, tmp_path / "out", **about)
    first, *_ = lines(tmp_path / "out" / "a.jsonl")
    assert first == {"id": 0, "call": {"id": "k0", "body": HI}, "row": 1, "key": "k0", "route": ROUTE}
    found = lines(tmp_path / "out" / "a.jsonl.diagnostics.jsonl")
    assert {(one["row"], one["key"]) for one in found if one["rule"] == "ENV-13"} >= {(1, "k0")}
    run(source, tmp_path / "refused", column="/call/body", key="/call/id")
    (refused,) = lines(tmp_path / "refused" / "a.jsonl.refused.jsonl")
    assert (refused["row"], refused["key"]) == (2, "k1")


def test_a_refused_member_is_null_in_its_place(tmp_path: Path) -> None:
    source = written(tmp_path, [json.dumps({"id": 12345678901234567890123, "body": json.loads(REFUSED)}).encode()])
    run(source, tmp_path / "out", column="body", envelope=True)
    (found,) = lines(tmp_path / "out" / "a.jsonl")
    assert (found["id"], found["body"], found["row"]) == (12345678901234567890123, None, 1)


def test_a_member_of_the_envelopes_name_is_refused(tmp_path: Path) -> None:
    source = written(tmp_path, [json.dumps({"row": 7, "body": json.loads(PLAIN)}).encode()])
    report = run(source, tmp_path / "out", column="body", envelope=True)
    (refused,) = lines(tmp_path / "out" / "a.jsonl.refused.jsonl")
    assert (report.total.refused, refused["rule"]) == (1, "SHP-1")
    assert "'row'" in refused["message"]
    assert run(source, tmp_path / "bare", column="body").total.converted == 1


PAIR: dict[str, Any] = {
    "request": json.loads(PLAIN),
    "response": {
        "id": "r", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "ho"}, "finish_reason": "stop"}],
    },
}  # fmt: skip
TRAINED = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}


@pytest.mark.parametrize("envelope", [False, True])
def test_what_stands_beside_a_pair(tmp_path: Path, envelope: bool) -> None:
    """It is kept beside the output of an envelope, and else each row loses it."""
    source = written(tmp_path, [json.dumps({"id": "k1", "ts": 1.5, **PAIR}).encode()])
    report = to("fine_tuning", source, tmp_path / "out", kind="export", envelope=envelope)
    (found,) = lines(tmp_path / "out" / "a.jsonl")
    assert found == ({"id": "k1", "ts": 1.5, "row": 1, "output": TRAINED} if envelope else TRAINED)
    assert ("UNK-1" in report.total.reported) is not envelope
    assert report.total.lossy == (not envelope)


def test_tables_have_columns(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [STREAMED.decode(), BROKEN.decode()]
    pq.write_table(pa.table({"id": [7, 8], "payload": rows}), tmp_path / "a.parquet")
    report = to(GEMINI, tmp_path / "a.parquet", tmp_path / "out", envelope=True, key="id")
    made = pq.read_table(tmp_path / "out" / "a.parquet")
    assert made.column_names == ["id", "payload", "row", "route", "headers", "refused_rule", "refused_path"]
    first, second = made.to_pylist()
    assert (first["id"], json.loads(first["payload"]), first["row"]) == (7, HI, 1)
    assert (json.loads(first["route"]), first["headers"], first["refused_rule"]) == (ROUTE, None, None)
    assert second == {
        "id": 8, "payload": None, "row": 2, "route": None, "headers": None, "refused_rule": "SHP-6", "refused_path": "",
    }  # fmt: skip
    (refused,) = lines(tmp_path / "out" / "a.parquet.refused.jsonl")
    assert (refused["row"], refused["key"]) == (2, 8)
    assert report.complete
    report = to(GEMINI, tmp_path / "a.parquet", tmp_path / "none", key="nothing")
    assert "'nothing'" in str(report.files[0].error)
    to(GEMINI, tmp_path / "a.parquet", tmp_path / "out.jsonl", envelope=True)
    one, other = lines(tmp_path / "out.jsonl")
    assert (one["payload"], one["route"], other["payload"]) == (HI, ROUTE, None)


def test_pairs_of_two_columns_keep_the_others(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pair = {name: [json.dumps(value)] for name, value in PAIR.items()}
    pq.write_table(pa.table({"id": [7], **pair}), tmp_path / "a.parquet")
    about: dict[str, Any] = {"kind": "export", "column": "", "envelope": True}
    report = to("fine_tuning", tmp_path / "a.parquet", tmp_path / "out", **about)
    (row,) = pq.read_table(tmp_path / "out" / "a.parquet").to_pylist()
    assert (row["id"], json.loads(row["payload"]), report.total.lossy) == (7, TRAINED, 0)


def test_lines_become_a_table_of_envelopes(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    source = written(tmp_path, [STREAMED, BROKEN])
    to(GEMINI, source, tmp_path / "out.parquet", envelope=True)
    first, second = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert (json.loads(first["output"]), json.loads(first["route"]), first["row"]) == (HI, ROUTE, 1)
    assert (second["output"], second["row"], second["refused_rule"]) == (None, 2, "SHP-6")


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_the_first_rows_of_each_file(tmp_path: Path, form: str) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if form == "jsonl":
        source = written(tmp_path, [PLAIN, REFUSED, PLAIN, PLAIN])
    else:
        source = tmp_path / "a.parquet"
        pq.write_table(pa.table({"payload": [one.decode() for one in (PLAIN, REFUSED, PLAIN, PLAIN)]}), source)
    report = run(source, tmp_path / "out", limit=3, chunk=100)
    assert (report.total.converted, report.total.refused) == (2, 1)


def test_a_sample_is_the_same_in_each_run_and_a_part_of_a_larger_one(tmp_path: Path) -> None:
    source = written(tmp_path, [PLAIN] * 1000)
    rows = {}
    for share, workers in ((0.1, 0), (0.1, 2), (0.4, 0)):
        out = tmp_path / f"{share} {workers}"
        run(source, out, sample=share, workers=workers, chunk=1000, envelope=True)
        rows[share, workers] = [one["row"] for one in lines(out / "a.jsonl")]
    assert rows[0.1, 0] == rows[0.1, 2]
    assert 60 < len(rows[0.1, 0]) < 140
    assert 340 < len(rows[0.4, 0]) < 460
    assert set(rows[0.1, 0]) < set(rows[0.4, 0])


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"sample": 0.0}, {"sample": 1.5}])
def test_limits_of_no_use(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="expected"):
        run(written(tmp_path, [PLAIN]), tmp_path / "out", **wrong)


def test_a_dry_run_tells_what_would_be_read_and_lost(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.jsonl").write_bytes(PLAIN + b"\n" + PLAIN.replace(b'"m"', b'"x"').replace(b"}]", b'}],"seed":1', 1))
    (logs / "b.jsonl").write_bytes(
        b'{"model":"y","max_tokens":5,"system":"s","messages":[{"role":"user","content":"hi"}]}'
    )
    (logs / "c.csv").write_bytes(b"x")
    asked = ["bulk", str(logs), "--from", AUTO, "--to", ANTHROPIC, "--out", str(tmp_path / "out"), "--workers", "0"]
    done = CliRunner().invoke(app, [*asked, "--dry-run"])
    assert done.exit_code == 3, done.output
    assert f"{logs / 'a.jsonl'}: {CHAT} request 2; lossy 1, refused 0" in done.output
    assert f"{logs / 'b.jsonl'}: {ANTHROPIC} request 1; lossy 0, refused 0" in done.output
    assert "model x: converts 1 (lossy 1): SMP-10 1" in done.output
    assert ".csv (1)" in done.output
    assert not (tmp_path / "out").exists()
    told = CliRunner().invoke(app, [*asked, "--dry-run", "--limit", "1", "--json"])
    report = json.loads(told.stdout)
    assert report["rows"] == 2
    assert report["sources"] == [
        {"protocol": ANTHROPIC, "kind": "request", "rows": 1},
        {"protocol": CHAT, "kind": "request", "rows": 1},
    ]


def test_a_finished_run_states_no_speed(tmp_path: Path) -> None:
    source = written(tmp_path, [PLAIN] * 3)
    asked = ["bulk", str(source), "--from", CHAT, "--to", ANTHROPIC, "--out", str(tmp_path / "out"), "--workers", "0"]
    assert "rows/s" in CliRunner().invoke(app, asked).output
    before = files(tmp_path / "out")
    again = CliRunner().invoke(app, asked).output
    assert "3 rows: converted 3" in again
    assert "rows/s" not in again
    assert files(tmp_path / "out") == before


def test_losses_by_model_are_drawn(tmp_path: Path) -> None:
    source = written(tmp_path, [STREAMED])
    report = to(GEMINI, source, tmp_path / "out")
    from proxai_ir.bulk.pictures import draw

    draw(report, tmp_path / "a.svg")
    draw(to(GEMINI, source, tmp_path / "again", envelope=True), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").stat().st_size > (tmp_path / "b.svg").stat().st_size


def test_small_files_wait_for_the_disk_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two waits a file, for the output and the checkpoint, and no other; in threads beside the conversion."""
    import os
    import threading

    logs = tmp_path / "logs"
    logs.mkdir()
    for at in range(5):
        (logs / f"{at}.jsonl").write_bytes(PLAIN)
    synced: list[str] = []
    fsync = os.fsync

    def counted(file: int) -> None:
        synced.append(threading.current_thread().name)
        fsync(file)

    monkeypatch.setattr("proxai_ir.bulk.outputs.os.fsync", counted)
    assert run(logs, tmp_path / "out").complete
    assert len(synced) == 10
    assert threading.current_thread().name not in synced
