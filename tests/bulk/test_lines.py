"""JSON Lines: what becomes of rows, how they are counted, and that processes and chunks do not show in the output."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
from pathlib import Path
from typing import Any

import pytest

from proxai_ir.bulk import lines

from .support import BROKEN, CONVERTED, LOSSY, NOT_UTF8, PLAIN, REFUSED, check, files, numbered, run, side


def test_rows(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(b"\n".join([PLAIN, BROKEN, b"", LOSSY + b"\r", REFUSED, NOT_UTF8, PLAIN]))
    report = run(source, out)
    assert files(out).keys() == {"a.jsonl", "a.jsonl.refused.jsonl"}
    assert (out / "a.jsonl").read_bytes() == (CONVERTED + b"\n") * 3
    refused = side(out, "a.jsonl")
    assert [(one["row"], one["rule"], one["path"]) for one in refused] == [
        (2, "SHP-6", ""),
        (5, "CHO-2", "/n"),
        (6, "SHP-6", ""),
    ]
    assert [one.get("payload") for one in refused] == [BROKEN.decode(), REFUSED.decode(), None]
    assert refused[2]["payload_base64"] == "eyJtb2RlbCI6Iv8ifQ=="
    total = report.total
    assert (total.rows, total.converted, total.lossy, total.refused, total.blank) == (6, 3, 1, 3, 1)
    assert total.refusals["SHP-6"].rows == 2
    assert total.reported["SMP-10"].rows == 1
    example = total.reported["SMP-10"].example
    assert (example["file"], example["row"], example["path"]) == (str(source), 4, "/seed")
    assert report.complete


@pytest.mark.parametrize("ending", ["", ".gz", ".zst", ".bz2", ".xz"])
def test_neither_processes_nor_chunks_show(tmp_path: Path, ending: str) -> None:
    name = f"a.jsonl{ending}"
    source = tmp_path / name
    source.write_bytes(packed(numbered(3000), ending))
    alone = run(source, tmp_path / "alone", chunk=20_000)
    many = run(source, tmp_path / "many", chunk=20_000, workers=3)
    assert files(tmp_path / "alone") == files(tmp_path / "many")
    assert alone.total == many.total
    large = run(source, tmp_path / "large", chunk=1 << 24)
    assert large.total == alone.total
    assert unpacked((tmp_path / "large" / name).read_bytes(), ending) == unpacked(
        (tmp_path / "alone" / name).read_bytes(), ending
    )
    assert alone.total.refused == len(side(tmp_path / "alone", name)) == 273


def packed(data: bytes, ending: str) -> bytes:
    from proxai_ir.bulk.lines import compressed
    from proxai_ir.bulk.sources import form_of

    return compressed(data, form_of(f"x{ending}"))


def unpacked(data: bytes, ending: str) -> bytes:
    if ending in (".gz", ".bz2", ".xz"):
        packers: dict[str, Any] = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
        return bytes(packers[ending].decompress(data))
    if ending == ".zst":
        import pyarrow

        read: bytes = pyarrow.CompressedInputStream(pyarrow.BufferReader(data), "zstd").read()
        return read
    return data


def test_folders_and_globs_keep_paths(tmp_path: Path) -> None:
    for name in ("logs/a.jsonl", "logs/x/b.ndjson", "logs/x/notes.txt", "logs/.hidden/c.jsonl"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(PLAIN)
    run(tmp_path / "logs", tmp_path / "logs" / "out")
    assert files(tmp_path / "logs" / "out").keys() == {"a.jsonl", "x/b.ndjson"}
    run(tmp_path / "logs" / "out", tmp_path / "again", kind="request")
    run(str(tmp_path / "logs" / "*" / "*.ndjson"), tmp_path / "globbed", overwrite=True)
    assert "x/b.ndjson" in files(tmp_path / "globbed")


def test_what_writers_of_tables_keep_for_themselves(tmp_path: Path) -> None:
    """Names that begin with `_` are no data, as for Spark and Hive, but for folders with the value of a column."""
    kept = ("data/part-0.jsonl", "data/_day=1/part-1.jsonl")
    for name in (*kept, "data/_temporary/0/part-0.jsonl", "data/_delta_log/1.json", "data/_SUCCESS", "data/_x.jsonl"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(PLAIN)
    report = run(tmp_path / "data", tmp_path / "out")
    assert files(tmp_path / "out").keys() == {"part-0.jsonl", "_day=1/part-1.jsonl"}
    assert report.unread == {"_*.jsonl": 2, "_*.json": 1}
    assert check(tmp_path / "data" / "_x.jsonl").total.converted == 1  # named by itself


@pytest.mark.skipif(os.name != "posix", reason="links need no permission on POSIX only")
@pytest.mark.parametrize("pattern", ["", "*", "**/*"])
def test_links_of_a_folder(tmp_path: Path, pattern: str) -> None:
    """A link to a file is read, as caches of data sets hold nothing else; one to a folder may lead in a circle."""
    from proxai_ir import bulk

    folder, kept = tmp_path / "data", tmp_path / "kept"
    for one in (folder / "real", kept):
        one.mkdir(parents=True)
    (kept / "blob").write_bytes(PLAIN)
    for name, target in {"a.jsonl": kept / "blob", "b.jsonl": tmp_path / "none", "c": kept, "circle": folder}.items():
        (folder / name).symlink_to(target)
    report = run(str(folder / pattern), tmp_path / "out")
    assert files(tmp_path / "out") == {"a.jsonl": CONVERTED + b"\n"}
    assert report.unread == {"links to folders": 2, "links to nothing": 1}
    (kept / "blob").write_bytes(LOSSY)
    with pytest.raises(bulk.BulkError, match="changed"):  # the file behind the link has changed
        run(str(folder / pattern), tmp_path / "out")


def test_a_member_of_each_line(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    payload = json.loads(PLAIN)
    lines = [{"id": 1, "body": payload}, {"id": 2, "body": PLAIN.decode()}, {"id": 3}, [4], {"id": 5, "body": 1}]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines) + "{")
    run(source, out, column="body")
    first, second = ((out / "a.jsonl").read_text()).splitlines()
    assert json.loads(first) == {"id": 1, "body": json.loads(CONVERTED)}
    assert json.loads(second) == {"id": 2, "body": CONVERTED.decode()}
    assert [(one["row"], one["rule"]) for one in side(out, "a.jsonl")] == [
        (3, "SHP-1"),
        (4, "SHP-1"),
        (5, "SHP-1"),
        (6, "SHP-6"),
    ]
    assert "the JSON ends in the middle" in side(out, "a.jsonl")[-1]["message"]
    assert side(out, "a.jsonl")[0]["payload"] == '{"id": 3}'


def test_a_member_at_a_pointer(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    payload, long = json.loads(PLAIN), 123456789012345678901234567890
    lines = [
        {"call": {"a/b": payload, "n": long}, "cost": 0.5},
        {"call": {"a/b": PLAIN.decode()}},
        {"call": {"a": 1}},
        {"call": [1]},
        {"/call/a~1b": payload},
        {"call": {"a/b": 1}},
        [3],
    ]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run(source, out, column="/call/a~1b")
    first, second, third = map(json.loads, (out / "a.jsonl").read_text().splitlines())
    assert first == {"call": {"a/b": json.loads(CONVERTED), "n": long}, "cost": 0.5}
    assert second == {"call": {"a/b": CONVERTED.decode()}}
    assert third == {"/call/a~1b": json.loads(CONVERTED)}
    refused = side(out, "a.jsonl")
    assert [(one["row"], one["rule"]) for one in refused] == [(3, "SHP-1"), (4, "SHP-1"), (6, "SHP-1"), (7, "SHP-1")]
    assert "found the members 'a'" in refused[0]["message"]


def test_integers_of_any_size_in_a_member(tmp_path: Path) -> None:
    """Arguments of a call are a string in chat, and may hold what orjson does not write."""
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "f", "arguments": '{"n": 123456789012345678901234567890}'},
    }
    turns = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "x"},
    ]
    source.write_text(json.dumps({"body": {**json.loads(PLAIN), "messages": turns}}))
    assert run(source, out, column="body").total.converted == 1
    assert '"n":123456789012345678901234567890' in (out / "a.jsonl").read_text()


def test_streams(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [
        {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": "hi"}, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    source.write_text(json.dumps(events) + "\n[1\n")
    report = run(source, out, kind="stream")
    types = [event["type"] for event in json.loads((out / "a.jsonl").read_text())]
    assert (types[0], types[-1]) == ("message_start", "message_stop")
    assert report.total.refused == 1


def test_check_writes_nothing(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(numbered(200))
    report = check(source, workers=2, chunk=2000)
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
    assert report.total == run(source, tmp_path / "out").total
    assert (report.mode, report.total.refused) == ("check", 19)


def test_strict_refuses_losses(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(b"\n".join([PLAIN, LOSSY]))
    report = run(source, tmp_path / "out", options={"strict": True})
    assert (report.total.converted, report.total.refusals["SMP-10"].rows) == (1, 1)


def test_values_can_be_kept_out_of_the_report(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(PLAIN.replace(b'"user"', b'"a secret role"'))
    report = run(source, tmp_path / "out", options={"quote_values": False})
    assert report.total.refused == 1
    assert "a secret role" not in json.dumps(report.as_json())


def test_what_the_report_counts_is_what_check_finds(tmp_path: Path) -> None:
    import proxai_ir

    from .. import samples
    from .support import ANTHROPIC, CHAT

    payloads = [one.payload for one in samples.samples("request", "response") if one.protocol == CHAT]
    assert len(payloads) >= 10
    source = tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps(payload) + "\n" for payload in payloads))
    expected: dict[str, int] = {}
    for payload in payloads:
        for code in {one.code for one in proxai_ir.check(payload, CHAT, ANTHROPIC)}:
            expected[code] = expected.get(code, 0) + 1
    total = check(source).total
    counted: dict[str, int] = {}
    for counts in (total.reported, total.refusals):
        for rule, count in counts.items():
            counted[rule] = counted.get(rule, 0) + count.rows
    assert counted == expected


def test_numbers_around_the_payload_stay_as_they_are(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    others = b'"id":123456789012345678901234567890,"cost":[{"usd":1.10}],"at":1E5}'
    source.write_bytes(b'{"body":' + PLAIN + b"," + others)
    assert run(source, out, column="body").complete
    assert (out / "a.jsonl").read_bytes() == b'{"body":' + CONVERTED + b"," + others + b"\n"


def test_numbers_of_keys_stay_as_they_are(tmp_path: Path) -> None:
    """In envelopes, findings and refused rows."""
    keys = [b"12345678901234567890123", b"1.10", b"[1.50,2]", b"7"]
    rows = [b'{"id":%s,"body":%s}' % one for one in zip(keys, [PLAIN, LOSSY, REFUSED, PLAIN], strict=True)]
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(rows))
    run(tmp_path / "a.jsonl", tmp_path / "out", column="body", key="id", envelope=True, diagnostics=True)
    made = files(tmp_path / "out")
    expected = {"a.jsonl": keys, "a.jsonl.diagnostics.jsonl": keys[1:2], "a.jsonl.refused.jsonl": keys[2:3]}
    for name, found in expected.items():
        lines = zip(found, made[name].splitlines(), strict=True)
        assert [key for key, line in lines if b'"key":%s,' % key not in line] == []


@pytest.mark.parametrize("number", [b"1", b"1.5"])
@pytest.mark.parametrize("depth", [300, 1000])
def test_a_deep_member_around_the_payload_costs_its_row_alone(tmp_path: Path, depth: int, number: bytes) -> None:
    source = tmp_path / "a.jsonl"
    deep = b"[" * depth + number + b"]" * depth
    rows = [b'{"body":' + PLAIN + b',"deep":' + deep + b"}", b'{"body":' + deep + b"}", b'{"body":' + PLAIN + b"}"]
    source.write_bytes(b"\n".join(rows))
    assert run(source, tmp_path / "out", column="body").total.converted == 1
    assert [one["row"] for one in side(tmp_path / "out", "a.jsonl")] == [1, 2]


def test_a_byte_order_mark_belongs_to_no_row(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(b"\xef\xbb\xbf" + PLAIN + b"\n" + PLAIN)
    assert run(source, out).total.converted == 2
    assert (out / "a.jsonl").read_bytes() == (CONVERTED + b"\n") * 2


class Unread(io.BytesIO):
    """A file that may be sought and not read."""

    def read(self, *_: Any) -> bytes:
        pytest.fail("bytes were read that are not wanted")


def test_a_resumed_run_does_not_read_what_is_done_of_a_plain_file() -> None:
    file = Unread(b"done\nleft\n")
    lines._skip(file, lines.PLAIN, 5, 100)
    assert file.tell() == 5
