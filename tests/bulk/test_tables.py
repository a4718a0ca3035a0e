"""Parquet: the payload column as strings, bytes or structs; the other columns; files that are no such tables."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import pytest

from .support import BROKEN, CHAT, CONVERTED, LOSSY, PLAIN, REFUSED, files, numbered, run, side

if TYPE_CHECKING:
    import pyarrow as pa
else:
    pa = pytest.importorskip("pyarrow", reason="the extra bulk is not installed")


def written(file: Path, columns: dict[str, Any], **options: Any) -> Path:
    import pyarrow.parquet as pq

    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file, **options)
    return file


def read(file: Path) -> pa.Table:
    import pyarrow.parquet as pq

    return pq.read_table(file)


ROWS = [PLAIN, BROKEN, LOSSY, REFUSED, None, PLAIN]


@pytest.mark.parametrize("kind", ["string", "large_string", "binary", "large_binary", "dictionary"])
def test_strings_and_bytes(tmp_path: Path, kind: str) -> None:
    values = [row if "binary" in kind or row is None else row.decode() for row in ROWS]
    column = pa.array(values, None if kind == "dictionary" else getattr(pa, kind)())
    ids = pa.array(range(6), pa.int16())
    made = {"id": ids, "payload": column.dictionary_encode() if kind == "dictionary" else column, "tags": [["x"]] * 6}
    source = written(tmp_path / "a.parquet", made, row_group_size=4)
    report = run(source, tmp_path / "out")
    assert (report.total.converted, report.total.lossy, report.total.refused) == (3, 1, 3)
    table = read(tmp_path / "out" / "a.parquet")
    expected = CONVERTED if "binary" in kind else CONVERTED.decode()
    assert table.column("payload").to_pylist() == [expected] * 3
    assert table.column("id").to_pylist() == [0, 2, 5]
    assert table.column("tags").to_pylist() == [["x"]] * 3
    assert table.schema.field("id").type == pa.int16()
    if kind != "dictionary":
        assert table.schema.field("payload").type == column.type
    refused = side(tmp_path / "out", "a.parquet")
    assert [(one["row"], one["rule"]) for one in refused] == [(2, "SHP-6"), (4, "CHO-2"), (5, "SHP-1")]
    assert [one["payload"] for one in refused] == [BROKEN.decode(), REFUSED.decode(), None]


def test_structs(tmp_path: Path) -> None:
    payloads = [json.loads(row) for row in (PLAIN, LOSSY, REFUSED)]
    source = written(tmp_path / "a.parquet", {"request": payloads, "id": [1, 2, 3]})
    report = run(source, tmp_path / "out", column="request")
    assert (report.total.converted, report.total.lossy, report.total.refused) == (2, 1, 1)
    table = read(tmp_path / "out" / "a.parquet")
    assert table.schema.field("request").type == pa.string()
    assert [json.loads(one) for one in table.column("request").to_pylist()] == [json.loads(CONVERTED)] * 2
    assert table.column("id").to_pylist() == [1, 2]
    assert side(tmp_path / "out", "a.parquet")[0]["payload"] == REFUSED.decode()


def test_a_struct_that_is_no_json(tmp_path: Path) -> None:
    """Decimal numbers have no JSON that keeps them."""
    payloads = [{**json.loads(PLAIN), "temperature": Decimal("0.5")}, json.loads(PLAIN)]
    source = written(tmp_path / "a.parquet", {"payload": payloads})
    report = run(source, tmp_path / "out")
    assert (report.total.converted, report.total.refusals["SHP-7"].rows) == (1, 1)


def test_neither_processes_nor_an_interruption_show(tmp_path: Path) -> None:
    rows = numbered(3000).decode().splitlines()
    source = written(tmp_path / "a.parquet", {"payload": rows, "id": range(3000)}, compression="zstd")
    alone = run(source, tmp_path / "alone", chunk=20_000)
    assert run(source, tmp_path / "many", chunk=20_000, workers=2).total == alone.total
    stopped = run(source, tmp_path / "stopped", chunk=20_000, fail_fast=True)
    assert stopped.stopped is not None
    assert files(tmp_path / "stopped") == {}
    assert run(source, tmp_path / "stopped", chunk=20_000).total == alone.total
    expected = files(tmp_path / "alone")
    assert expected == files(tmp_path / "many") == files(tmp_path / "stopped")
    import pyarrow.parquet as pq

    made = pq.ParquetFile(tmp_path / "alone" / "a.parquet").metadata
    assert (made.num_rows, made.row_group(0).column(0).compression) == (2727, "ZSTD")


def test_metadata_of_the_schema_stays(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    table = pa.table({"payload": [PLAIN.decode()]}).replace_schema_metadata({"made by": "hand"})
    pq.write_table(table, tmp_path / "a.parquet")
    run(tmp_path / "a.parquet", tmp_path / "out")
    assert read(tmp_path / "out" / "a.parquet").schema.metadata == {b"made by": b"hand"}


def test_no_rows(tmp_path: Path) -> None:
    source = written(tmp_path / "a.parquet", {"payload": pa.array([], pa.string()), "id": pa.array([], pa.int8())})
    assert run(source, tmp_path / "out").complete
    assert read(tmp_path / "out" / "a.parquet").schema.names == ["payload", "id"]
    source = written(tmp_path / "b.parquet", {"payload": [BROKEN.decode()]})
    assert run(source, tmp_path / "out").total.refused == 1
    assert read(tmp_path / "out" / "b.parquet").num_rows == 0


def test_large_rows_travel_alone(tmp_path: Path) -> None:
    row = json.dumps({**json.loads(PLAIN), "messages": [{"role": "user", "content": "x" * 3_000_000}]})
    source = written(tmp_path / "a.parquet", {"payload": [row] * 4})
    assert run(source, tmp_path / "out", chunk=100_000, workers=2).total.converted == 4


def test_what_is_no_such_table_costs_itself_alone(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    written(folder / "a.parquet", {"payload": [1, 2]})
    written(folder / "b.parquet", {"request": [PLAIN.decode()]})
    good = written(folder / "c.parquet", {"payload": [PLAIN.decode()]}).read_bytes()
    (folder / "d.parquet").write_bytes(good[: len(good) // 2])
    (folder / "e.parquet").write_bytes(b"")
    (folder / "f.parquet").write_bytes(PLAIN)
    report = run(folder, tmp_path / "out")
    errors = {Path(one.file).name: one.error for one in report.files}
    assert errors["a.parquet"] == "column 'payload' is int64; expected string, binary, JSON, struct or map"
    assert errors["b.parquet"] == (
        "expected one column 'payload', found the columns request; which has the payload: 'request'? "
        "Name it: column (--column); '' is the name where each row is a payload"
    )
    assert errors["c.parquet"] is None
    assert all(errors[name] for name in ("d.parquet", "e.parquet", "f.parquet"))
    assert files(tmp_path / "out").keys() == {"c.parquet"}


def test_a_page_that_is_broken(tmp_path: Path) -> None:
    rows = numbered(5000).decode().splitlines()
    source = written(tmp_path / "a.parquet", {"payload": rows}, row_group_size=1000, compression="zstd")
    data = bytearray(source.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 300] = b"\xff" * 300
    source.write_bytes(data)
    report = run(source, tmp_path / "out")
    assert (report.files[0].error or "").startswith("after row ")
    assert files(tmp_path / "out") == {}


@pytest.mark.parametrize("kind", ["string_view", "binary_view"])
def test_views(tmp_path: Path, kind: str) -> None:
    """Arrow has no `take` for these types; a row is left out of them nevertheless."""
    values = [row if "binary" in kind else row.decode() for row in (PLAIN, BROKEN, LOSSY)]
    column = pa.array(values, getattr(pa, kind)())
    source = written(tmp_path / "a.parquet", {"payload": column, "id": pa.array([0, 1, 2])})
    assert run(source, tmp_path / "out").total.converted == 2
    assert read(tmp_path / "out" / "a.parquet").column("id").to_pylist() == [0, 2]


def test_text_that_is_no_utf8(tmp_path: Path) -> None:
    """As writers without a check leave it."""
    column = pa.array([PLAIN, b"\xff", PLAIN]).view(pa.string())
    source = written(tmp_path / "a.parquet", {"payload": column})
    assert run(source, tmp_path / "out").total.converted == 2
    (refused,) = side(tmp_path / "out", "a.parquet")
    assert (refused["row"], refused["rule"], refused["payload_base64"]) == (2, "SHP-6", "/w==")


def test_maps_in_a_struct_are_objects(tmp_path: Path) -> None:
    members = [("model", pa.string()), ("metadata", pa.map_(pa.string(), pa.string())), ("note", pa.timestamp("ns"))]
    plain = json.loads(PLAIN)
    kind = pa.struct(
        [*members, ("max_completion_tokens", pa.int64()), ("messages", pa.infer_type([plain["messages"]]))]
    )
    about = [[("user_id", "u")], [], [("user_id", "u"), ("user_id", "v")]]
    column = pa.array([{**plain, "metadata": one} for one in about], kind)
    nanoseconds = pa.array([{**plain, "note": 1}], kind)
    source = written(tmp_path / "a.parquet", {"payload": pa.chunked_array([column, nanoseconds])})
    report = run(source, tmp_path / "out")
    assert [one["row"] for one in side(tmp_path / "out", "a.parquet")] == [3, 4]
    assert (report.total.converted, report.total.refusals["SHP-7"].rows) == (2, 2)


def test_json_of_the_logical_type_keeps_it(tmp_path: Path) -> None:
    """As DuckDB writes columns of JSON."""
    column = pa.array([PLAIN.decode(), None, LOSSY.decode()]).cast(pa.json_())
    source = written(tmp_path / "a.parquet", {"payload": column, "id": [0, 1, 2]})
    report = run(source, tmp_path / "out", workers=1)
    assert (report.total.converted, report.total.refusals["SHP-1"].rows) == (2, 1)
    table = read(tmp_path / "out" / "a.parquet")
    assert table.schema.field("payload").type == pa.json_()
    assert table.column("payload").to_pylist() == [CONVERTED.decode()] * 2
    run(source, tmp_path / "out.jsonl")
    assert [json.loads(row)["payload"] for row in (tmp_path / "out.jsonl").read_bytes().splitlines()] == [
        json.loads(CONVERTED)
    ] * 2


def test_each_row_is_a_payload(tmp_path: Path) -> None:
    """As tables have it that were read from lines: a column for each member."""
    payloads = [json.loads(row) for row in (PLAIN, LOSSY, REFUSED)]
    names = ("model", "messages", "max_completion_tokens", "seed", "n")
    source = written(tmp_path / "a.parquet", {name: [one.get(name) for one in payloads] for name in names})
    report = run(source, tmp_path / "out", column="", workers=1)
    assert (report.total.converted, report.total.lossy, report.total.refused) == (2, 1, 1)
    table = read(tmp_path / "out" / "a.parquet")
    assert table.schema.names == ["payload"]
    assert [json.loads(one) for one in table.column("payload").to_pylist()] == [json.loads(CONVERTED)] * 2
    run(source, tmp_path / "out.jsonl", column="")
    assert [json.loads(row) for row in (tmp_path / "out.jsonl").read_bytes().splitlines()] == [
        json.loads(CONVERTED)
    ] * 2
    (tmp_path / "b.jsonl").write_bytes(PLAIN)
    assert run(tmp_path / "b.jsonl", tmp_path / "out", column="").total.converted == 1


def test_pairs_in_two_columns(tmp_path: Path) -> None:
    from proxai_ir import bulk

    answer = {"role": "assistant", "content": "Hello."}
    response = {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": []}
    response["choices"] = [{"index": 0, "message": answer, "finish_reason": "stop"}]
    columns = {"request": [PLAIN.decode(), "{"], "response": [json.dumps(response)] * 2}
    source = written(tmp_path / "a.parquet", columns)
    report = bulk.run([source], tmp_path / "out.jsonl", CHAT, "fine_tuning", kind="export", column="", workers=0)
    assert (report.total.converted, report.total.refusals["SHP-6"].rows) == (1, 1)
    (line,) = (tmp_path / "out.jsonl").read_bytes().splitlines()
    assert json.loads(line) == {"messages": [{"role": "user", "content": "hi"}, answer]}


def test_a_map_is_an_object(tmp_path: Path) -> None:
    messages = json.loads(PLAIN)["messages"]
    column = pa.array([[("messages", messages)]], pa.map_(pa.string(), pa.infer_type([messages])))
    source = written(tmp_path / "a.parquet", {"payload": column})
    report = run(source, tmp_path / "out", options={"model": "m", "max_tokens": 5})
    assert report.total.converted == 1
    (made,) = read(tmp_path / "out" / "a.parquet").column("payload").to_pylist()
    assert json.loads(made) == json.loads(CONVERTED)


def test_a_column_of_nulls_alone(tmp_path: Path) -> None:
    source = written(tmp_path / "a.parquet", {"payload": pa.nulls(2)})
    report = run(source, tmp_path / "out")
    assert (report.files[0].error, report.total.refusals["SHP-1"].rows) == (None, 2)
    assert read(tmp_path / "out" / "a.parquet").schema.field("payload").type == pa.string()


def test_whole_doubles_of_a_struct_are_integers(tmp_path: Path) -> None:
    """Nullable integers of pandas and Spark become doubles, since other rows lack them."""
    payloads = [{**json.loads(PLAIN), "max_completion_tokens": 5.0, "temperature": 0.5}, {"model": "m"}]
    run(written(tmp_path / "a.parquet", {"payload": payloads}), tmp_path / "out")
    (made,) = read(tmp_path / "out" / "a.parquet").column("payload").to_pylist()
    assert '"max_tokens":5,' in made
    assert json.loads(made) == {**json.loads(CONVERTED), "temperature": 0.5}


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_does_not_have(tmp_path: Path, number: float) -> None:
    source = written(tmp_path / "a.parquet", {"payload": [{**json.loads(PLAIN), "temperature": number}]})
    assert run(source, tmp_path / "out").total.refusals["SHP-7"].rows == 1


def test_values_that_repeat_do_not_make_chunks_large(tmp_path: Path) -> None:
    """A group of one value, which the file holds once, is read in parts all the same."""
    from proxai_ir.bulk import Job
    from proxai_ir.bulk.tables import STEP, chunks

    row = json.dumps({**json.loads(PLAIN), "messages": [{"role": "user", "content": "x" * 1000}]})
    source = written(tmp_path / "a.parquet", {"payload": [row] * 5000})
    with open(source, "rb") as file:
        made = list(chunks(file, "parquet", Job("a", "b", chunk=100_000), 0, 1))
    assert sum(chunk.rows for chunk in made) == 5000
    assert max(len(chunk.data) for chunk in made) < 100_000 + 2 * STEP * len(row)
    assert [chunk.row for chunk in made] == [1 + sum(one.rows for one in made[:at]) for at in range(len(made))]


class Watched:
    """A file that notes how much is read at once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.most = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.most = max(self.most, len(data))
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def test_a_row_group_is_never_read_whole(tmp_path: Path) -> None:
    """Neither from the file nor into memory, however large it is."""
    from proxai_ir.bulk import Job
    from proxai_ir.bulk.tables import BUFFER, chunks

    rows = [json.dumps({"model": "m", "messages": [{"role": "user", "content": f"{at}" * 800}]}) for at in range(6000)]
    source = written(
        tmp_path / "a.parquet", {"payload": rows}, row_group_size=6000, use_dictionary=False, compression="none"
    )
    whole, before, most = source.stat().st_size, pa.total_allocated_bytes(), 0
    assert whole > 10 * BUFFER
    with open(source, "rb") as file:
        watched = Watched(file)
        for _ in chunks(cast("BinaryIO", watched), "parquet", Job("a", "b", chunk=100_000), 0, 1):
            most = max(most, pa.total_allocated_bytes() - before)
    assert watched.most < whole / 5  # a page, which the writer made as large as it is
    assert most < whole / 2
