"""Files and rows that are wrong: counted, reported with file and row, and the rest is converted."""

from __future__ import annotations

import errno
import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from .support import ANTHROPIC, CHAT, CONVERTED, PLAIN, files, numbered, run, side


def test_empty_files(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.jsonl").write_bytes(b"")
    (source / "b.jsonl.gz").write_bytes(gzip.compress(b""))
    (source / "c.jsonl").write_bytes(b"\n\n")
    report = run(source, out)
    assert report.complete
    assert (report.total.rows, report.total.blank) == (0, 2)
    assert (out / "a.jsonl").read_bytes() == b""
    assert gzip.decompress((out / "b.jsonl.gz").read_bytes()) == b""


def test_mixed_protocols(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    other = b'{"model":"m","max_tokens":1,"system":"s","messages":[],"stop_sequences":["x"]}'
    source.write_bytes(b"\n".join([PLAIN, other, b'{"contents":[]}', PLAIN]))
    report = run(source, out)
    assert report.total.rows == 4
    assert report.total.refused >= 1
    assert (out / "a.jsonl").read_bytes().count(CONVERTED) == 2


def test_no_source_stops_before_anything_is_written(tmp_path: Path) -> None:
    from proxai_ir.bulk import BulkError

    with pytest.raises(BulkError, match="no such file"):
        run(tmp_path / "nothing.jsonl", tmp_path / "out")
    with pytest.raises(BulkError, match="no such file"):
        run(tmp_path / "*.jsonl", tmp_path / "out")


def test_two_outputs_of_one_name(tmp_path: Path) -> None:
    from proxai_ir import bulk
    from proxai_ir.bulk import BulkError

    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.jsonl").write_bytes(PLAIN)
    with pytest.raises(BulkError, match=r"would both be written to a\.jsonl"):
        run([tmp_path / "x", tmp_path / "y"], tmp_path / "out")
    assert bulk.check([tmp_path / "x", tmp_path / "y"], CHAT, ANTHROPIC, workers=0).total.rows == 2
    with pytest.raises(BulkError, match="written over"):
        run([tmp_path / "x" / "a.jsonl"], tmp_path / "x")


@pytest.mark.parametrize("ending", [".gz", ".zst", ".bz2", ".xz"])
def test_a_file_that_is_cut_off_costs_itself_alone(tmp_path: Path, ending: str) -> None:
    from .test_lines import packed

    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    data = packed(numbered(5000), ending)
    (source / f"a.jsonl{ending}").write_bytes(data[: len(data) // 2])
    (source / f"b.jsonl{ending}").write_bytes(b"this is not compressed")
    (source / "c.jsonl").write_bytes(PLAIN)
    report = run(source, out, chunk=4096)
    assert files(out).keys() == {"c.jsonl"}
    first, second, third = report.files
    assert first.error is not None
    assert second.error is not None
    assert first.error.startswith("after row ")
    assert third.error is None
    assert not report.complete


def test_a_run_that_is_to_stop_at_a_fault_stops_at_such_a_file(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "a.jsonl.gz").write_bytes(b"this is not compressed")
    (source / "b.jsonl").write_bytes(PLAIN)
    report = run(source, tmp_path / "out", fail_fast=True)
    assert report.files[0].error
    assert report.stopped == f"{source / 'a.jsonl.gz'}: {report.files[0].error}"
    assert files(tmp_path / "out") == {}


def test_a_long_row(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    long = json.dumps({**json.loads(PLAIN), "messages": [{"role": "user", "content": "x" * 5_000_000}]}).encode()
    source.write_bytes(b"\n".join([PLAIN, long, PLAIN, long]))
    report = run(source, out, chunk=10_000, workers=2)
    assert report.total.converted == 4
    report = run(source, out, chunk=10_000, longest_row=1_000_000, overwrite=True)
    assert (report.total.converted, report.total.refused) == (2, 2)
    assert (out / "a.jsonl").read_bytes() == (CONVERTED + b"\n") * 2
    first, last = side(out, "a.jsonl")
    assert (first["row"], first["rule"], last["row"]) == (2, "SHP-1", 4)
    assert f"at most 1000000 bytes, found {len(long) + 1}" in first["message"]


@pytest.mark.parametrize(("more", "expected"), [(0, (1, 0)), (-1, (0, 1))])
def test_a_row_as_long_as_it_may_be(tmp_path: Path, more: int, expected: tuple[int, int]) -> None:
    """The last of its file, without a line break."""
    source = tmp_path / "a.jsonl"
    row = json.dumps({**json.loads(PLAIN), "messages": [{"role": "user", "content": "x" * 50_000}]}).encode()
    source.write_bytes(row)
    report = run(source, tmp_path / "out", chunk=10_000, longest_row=len(row) + more)
    assert (report.total.converted, report.total.refused) == expected


def test_a_deep_row(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    deep = PLAIN[:-1] + b',"tools":[{"type":"function","function":{"name":"f","parameters":' + b'{"a":' * 900 + b"1"
    source.write_bytes(deep + b"}" * 900 + b"}}]}\n" + PLAIN)
    assert run(source, out).total.rows == 2
    assert (out / "a.jsonl").read_bytes().endswith(CONVERTED + b"\n")


def test_an_error_of_the_library_costs_its_row_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from proxai_ir import api

    converted = api.converted

    def broken(payload: Any, *rest: Any) -> Any:
        if b"poison" in payload:
            raise ZeroDivisionError("a bug")
        return converted(payload, *rest)

    monkeypatch.setattr(api, "converted", broken)
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(b"\n".join([PLAIN, b'{"poison":1}', PLAIN]))
    report = run(source, out)
    assert (report.total.converted, report.total.refused) == (2, 1)
    assert side(out, "a.jsonl")[0]["message"] == "ZeroDivisionError: a bug"
    assert report.as_json()["refusals"][0]["rule"] == "internal"


def test_no_space_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file for which there is no space is reported with its row; the smaller one after it is written."""
    from proxai_ir.bulk import outputs

    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.jsonl").write_bytes((PLAIN + b"\n") * 500)
    (source / "b.jsonl").write_bytes(PLAIN)
    space = 20_000
    write = outputs.Output.write

    def limited(self: Any, chunk: Any, done: Any) -> None:
        if self.state.written + len(done.output) > space:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, chunk, done)

    monkeypatch.setattr(outputs.Output, "write", limited)
    report = run(source, out, chunk=2000)
    assert files(out).keys() == {"b.jsonl"}
    assert report.files[0].error == "cannot be written after row 253: No space left on device"
    monkeypatch.undo()
    assert run(source, out, chunk=2000).complete
    assert (out / "a.jsonl").read_bytes() == (CONVERTED + b"\n") * 500


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(tmp_path: Path) -> None:
    """Every write fails, as on a disk that is full: nothing appears, nothing is raised."""
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes((PLAIN + b"\n") * 5000)
    (out / ".proxai-ir").mkdir(parents=True)
    (out / ".proxai-ir" / "a.jsonl.part").symlink_to("/dev/full")
    report = run(source, out)
    assert report.files[0].error is not None
    assert files(out) == {}


def test_wrong_arguments(tmp_path: Path) -> None:
    from proxai_ir import bulk

    with pytest.raises(TypeError, match="unknown options"):
        run(tmp_path, tmp_path / "out", options={"no_such": 1})
    with pytest.raises(ValueError, match="no protocol 'x'"):
        bulk.check([tmp_path], "x", ANTHROPIC)
    with pytest.raises(ValueError, match="kind is 'y'"):
        bulk.check([tmp_path], CHAT, ANTHROPIC, kind="y")


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    source = tmp_path / os.fsdecode(b"a\xff.jsonl")
    try:
        source.write_bytes(PLAIN)
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    assert run(source, tmp_path / "out").complete
    assert run(source, tmp_path / "out").total.converted == 1
    assert [file.name for file in (tmp_path / "out").glob("*.jsonl")] == [source.name]
