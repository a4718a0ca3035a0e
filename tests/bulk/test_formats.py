"""Rows that show their protocol (`auto`), and one file as the output, in the format that its name says."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

import proxai_ir  # noqa: E402
from proxai_ir import bulk  # noqa: E402
from proxai_ir.bulk.job import BulkError  # noqa: E402

from .support import ANTHROPIC, CHAT, CONVERTED, PLAIN, REFUSED  # noqa: E402

ASKED: dict[str, Any] = json.loads(PLAIN)
SYSTEM: dict[str, Any] = {**json.loads(CONVERTED), "system": "Be brief."}
WHOLE = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
}
CHUNKS = [
    {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
    },
    "[DONE]",
]


def written(folder: Path, *rows: Any, name: str = "rows.jsonl") -> Path:
    file = folder / name
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


def run(source: Any, output: Path, src: str = CHAT, dst: str = ANTHROPIC, **options: Any) -> bulk.Report:
    sources = source if isinstance(source, list) else [source]
    return bulk.run(sources, output, src, dst, workers=0, **options)


def lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text().splitlines()]


# --- auto -------------------------------------------------------------------------------------------------------------


def test_each_row_shows_its_protocol(tmp_path: Path) -> None:
    rows = [SYSTEM, ASKED, *(proxai_ir.convert(WHOLE, CHAT, one) for one in proxai_ir.protocols()), {"x": 1}]
    made = run(written(tmp_path, *rows), tmp_path / "out", "auto", CHAT)
    assert (made.total.converted, made.total.refused) == (len(rows) - 1, 1)
    out = lines(tmp_path / "out/rows.jsonl")
    assert out[0]["messages"][0] == {"role": "system", "content": "Be brief."}
    assert out[1] == ASKED
    assert {one["choices"][0]["message"]["content"] for one in out[2:]} == {"Hi"}
    (refused,) = lines(tmp_path / "out/rows.jsonl.refused.jsonl")
    assert (refused["row"], refused["rule"]) == (len(rows), "SHP-3")
    assert "found one that none of them reads" in refused["message"]


def test_a_row_that_means_the_same_in_several_protocols_is_of_any(tmp_path: Path) -> None:
    either = {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}
    for dst in (ANTHROPIC, CHAT):
        out = tmp_path / dst
        assert run(written(tmp_path, either), out, "auto", dst).total.converted == 1
        assert lines(out / "rows.jsonl") == [either]


def test_streams_and_lines_of_batch_files_show_it_too(tmp_path: Path) -> None:
    streams = [CHUNKS, proxai_ir.convert(CHUNKS, CHAT, ANTHROPIC)]
    assert run(written(tmp_path, *streams), tmp_path / "s", "auto", ANTHROPIC, kind="stream").total.converted == 2
    batch = {"custom_id": "a", "params": SYSTEM}
    assert run(written(tmp_path, batch), tmp_path / "b", "auto", CHAT, kind="batch").total.converted == 1
    assert lines(tmp_path / "b/rows.jsonl")[0]["body"]["messages"][0]["role"] == "system"


def test_auto_is_no_target_and_no_source_of_exports(tmp_path: Path) -> None:
    file = written(tmp_path, ASKED)
    with pytest.raises(ValueError, match="there is no protocol 'auto'"):
        bulk.check([file], CHAT, "auto", workers=0)
    with pytest.raises(ValueError, match="there is no protocol 'auto'"):
        bulk.check([file], "auto", "fine_tuning", kind="export", workers=0)


# --- formats ----------------------------------------------------------------------------------------------------------


def test_lines_become_a_table_and_lines_again(tmp_path: Path) -> None:
    file = written(tmp_path, ASKED, json.loads(REFUSED), ASKED)
    made = run(file, tmp_path / "out.parquet")
    assert (made.total.converted, made.files[0].output) == (2, "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == {"payload": [CONVERTED.decode()] * 2}
    assert [one["row"] for one in lines(tmp_path / "out.parquet.refused.jsonl")] == [2]
    run(tmp_path / "out.parquet", tmp_path / "back.jsonl", ANTHROPIC, CHAT)
    assert lines(tmp_path / "back.jsonl") == [ASKED, ASKED]


def test_other_members_keep_their_types(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "name": "a", "score": 1, "good": True, "tags": ["x"], "mixed": 1, "note": None, "body": ASKED},
        {"id": 2, "name": "b", "score": 0.5, "good": None, "tags": [], "mixed": "y", "body": json.dumps(ASKED)},
        {"id": 1 << 70, "body": ASKED},
    ]
    run(written(tmp_path, *rows), tmp_path / "out.parquet", column="body")
    table = pq.read_table(tmp_path / "out.parquet")
    assert {one.name: str(one.type) for one in table.schema} == {
        "id": "string",
        "name": "string",
        "score": "double",
        "good": "bool",
        "tags": "string",
        "mixed": "string",
        "note": "string",
        "body": "string",
    }
    assert table.column("id").to_pylist() == ["1", "2", str(1 << 70)]
    assert table.column("score").to_pylist() == [1.0, 0.5, None]
    assert table.column("mixed").to_pylist() == ["1", '"y"', None]
    assert table.column("body").to_pylist() == [CONVERTED.decode()] * 3
    run(tmp_path / "out.parquet", tmp_path / "back.jsonl.gz", ANTHROPIC, CHAT, column="body")
    back = [json.loads(line) for line in gzip.decompress((tmp_path / "back.jsonl.gz").read_bytes()).splitlines()]
    assert [(one["name"], one["body"]) for one in back] == [("a", ASKED), ("b", ASKED), (None, ASKED)]


@pytest.mark.parametrize("end", ["jsonl", "jsonl.gz", "ndjson.zst"])
def test_another_compression(tmp_path: Path, end: str) -> None:
    file = written(tmp_path, ASKED, ASKED)
    run(file, tmp_path / f"out.{end}")
    run(tmp_path / f"out.{end}", tmp_path / "again.jsonl", ANTHROPIC, CHAT)
    assert lines(tmp_path / "again.jsonl") == [ASKED, ASKED]


@pytest.mark.parametrize("end", ["parquet", "jsonl.gz"])
def test_a_file_without_rows(tmp_path: Path, end: str) -> None:
    run(written(tmp_path), tmp_path / f"out.{end}")
    run(tmp_path / f"out.{end}", tmp_path / "again.jsonl", ANTHROPIC, CHAT)
    assert (tmp_path / "again.jsonl").read_bytes() == b""


def test_one_file_is_for_one_input(tmp_path: Path) -> None:
    one, other = written(tmp_path, ASKED, name="a.jsonl"), written(tmp_path, ASKED, name="b.jsonl")
    with pytest.raises(BulkError, match="is one file, for one input; found 2 inputs: name a folder"):
        run([one, other], tmp_path / "out.parquet")
    with pytest.raises(BulkError, match="would be written over"):
        run(one, one)
    (tmp_path / "folder.parquet").mkdir()
    run([one, other], tmp_path / "folder.parquet")
    assert (tmp_path / "folder.parquet/a.jsonl").exists()


def test_a_run_goes_on_where_the_last_one_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At any step between the finished output and its place."""
    import os

    file = written(tmp_path, ASKED, ASKED)
    run(file, tmp_path / "expected.parquet")
    real = os.replace
    for fatal in range(6):
        calls = 0

        def replace(one: Any, other: Any, fatal: int = fatal) -> None:
            nonlocal calls
            calls += 1
            if calls == fatal + 1:
                raise KeyboardInterrupt
            real(one, other)

        out = tmp_path / f"out{fatal}.parquet"
        with monkeypatch.context() as patched:
            patched.setattr("proxai_ir.bulk.outputs.os.replace", replace)
            try:
                run(file, out)
            except KeyboardInterrupt:
                assert not out.exists() or fatal >= 3
        assert run(file, out).total.converted == 2
        assert pq.read_table(out).equals(pq.read_table(tmp_path / "expected.parquet"))
        assert not [*(tmp_path / ".proxai-ir").glob("*.part*")]


def test_a_run_that_ended_before_it_deleted_what_it_had_transcoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, out = written(tmp_path, ASKED, ASKED), tmp_path / "out.parquet"
    real = Path.unlink

    def unlink(one: Path, missing_ok: bool = False) -> None:
        if not missing_ok:
            raise KeyboardInterrupt
        real(one, missing_ok)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Path, "unlink", unlink)
        run(file, out)
    assert [*(tmp_path / ".proxai-ir").glob("*.part*")]
    assert run(file, out).total.converted == 2
    assert not [*(tmp_path / ".proxai-ir").glob("*.part*")]


def test_what_is_there_is_written_over_only_where_that_is_asked_for(tmp_path: Path) -> None:
    file = written(tmp_path, ASKED)
    run(file, tmp_path / "out.parquet")
    with pytest.raises(BulkError, match=r"begun with other settings; .*overwrite=True \(--overwrite\)"):
        run(file, tmp_path / "out.parquet", options={"max_tokens": 6})
    run(file, tmp_path / "out.parquet", options={"max_tokens": 6}, overwrite=True)


# --- advice about columns ---------------------------------------------------------------------------------------------


def message(made: bulk.Report) -> str:
    (count,) = made.total.refusals.values()
    return str(count.example["message"])


def test_a_column_that_was_forgotten_or_misspelt(tmp_path: Path) -> None:
    file = written(tmp_path, {"id": 1, "body": ASKED})
    said = message(bulk.check([file], CHAT, ANTHROPIC, workers=0))
    assert said.endswith("Is it in the member 'body'? Name it: column='body' (--column)")
    said = message(bulk.check([file], CHAT, ANTHROPIC, column="bdy", workers=0))
    assert "found the members 'id', 'body'; did you mean 'body'?" in said
    table = pa.table({"id": [1], "body": [PLAIN.decode()]})
    pq.write_table(table, tmp_path / "rows.parquet")
    made = bulk.check([tmp_path / "rows.parquet"], CHAT, ANTHROPIC, workers=0)
    assert "found the columns id, body; which has the payload: 'body'? Name it" in (made.files[0].error or "")
    made = bulk.check([tmp_path / "rows.parquet"], CHAT, ANTHROPIC, column="bdoy", workers=0)
    assert "did you mean 'body'?" in (made.files[0].error or "")


def test_no_advice_where_no_member_is_a_payload(tmp_path: Path) -> None:
    file = written(tmp_path, {"id": 1, "body": {"x": 1}})
    assert "column" not in message(bulk.check([file], CHAT, ANTHROPIC, workers=0))
