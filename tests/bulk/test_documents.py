"""Files that are one document, pairs whose sides are both converted, and a folder of many forms in one command."""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

import proxai_ir  # noqa: E402
from proxai_ir import bulk, sse  # noqa: E402
from proxai_ir.bulk.job import BulkError  # noqa: E402

from .support import ANTHROPIC, CHAT, CONVERTED, PLAIN, files  # noqa: E402
from .test_formats import CHUNKS, SYSTEM, WHOLE, lines, run, written  # noqa: E402

GEMINI = "gemini_generate_content"
ASKED: dict[str, Any] = json.loads(PLAIN)
MADE: dict[str, Any] = json.loads(CONVERTED)
EVENTS = b"".join(sse.encode(one, CHAT) for one in CHUNKS)
FAILED = {"error": {"message": "Slow down", "type": "rate_limit_error", "param": None, "code": None}}
LONG = "n" * 100  # a tool's name that OpenAI does not take
TOOL = {"name": LONG, "input_schema": {"type": "object"}}
CALLING = {**MADE, "tools": [TOOL]}


# --- documents --------------------------------------------------------------------------------------------------------


def test_a_file_of_json_is_a_payload(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(ASKED, indent=2))
    (folder / "b.json").write_bytes(b"\xef\xbb\xbf" + PLAIN)
    (folder / "lines.json").write_bytes(PLAIN + b"\n" + PLAIN + b"\n")  # as some tools name JSON Lines
    (folder / "broken.json").write_text("{\n 'a': 1\n}")
    (folder / "empty.json").write_text("")
    report = run(folder, tmp_path / "out")
    assert [(one.file.rpartition("/")[2], one.converted, one.refused, one.error) for one in report.files] == [
        ("a.json", 1, 0, None),
        ("b.json", 1, 0, None),
        ("broken.json", 0, 1, None),
        ("empty.json", 0, 0, None),
        ("lines.json", 2, 0, None),
    ]
    made = files(tmp_path / "out")
    assert json.loads(made["a.json"]) == json.loads(made["b.json"]) == MADE
    assert [json.loads(one) for one in made["lines.json"].splitlines()] == [MADE, MADE]
    assert made["empty.json"] == b""
    assert json.loads(made["broken.json.refused.jsonl"])["rule"] == "SHP-6"


def test_a_member_of_a_document(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"id": 1, "call": {"body": ASKED}}, indent=1))
    run(tmp_path / "a.json", tmp_path / "out", column="/call/body")
    assert json.loads((tmp_path / "out/a.json").read_bytes()) == {"id": 1, "call": {"body": MADE}}


@pytest.mark.parametrize("src", [CHAT, "auto"])
def test_a_recorded_stream_becomes_one(tmp_path: Path, src: str) -> None:
    (tmp_path / "a.sse").write_bytes(EVENTS)
    report = run(tmp_path / "a.sse", tmp_path / "out", src)
    assert (report.total.converted, report.total.refused) == (1, 0)
    made = (tmp_path / "out/a.sse").read_bytes()
    assert made.startswith(b"event: message_start\ndata: {")
    assert made.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')


def test_a_stream_that_is_none_is_refused_and_one_that_is_no_text_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.sse").write_bytes(b"hello\n")
    (folder / "b.sse").write_bytes(b"data: \xff\n\n")
    first, second = run(folder, tmp_path / "out", "auto").files
    assert (first.refused, first.error) == (1, None)
    assert second.error is not None and "utf-8" in second.error
    with pytest.raises(BulkError, match="a recorded stream stays one"):
        run(folder / "a.sse", tmp_path / "x.jsonl")


def test_a_file_that_is_longer_than_a_row_may_be(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(ASKED, indent=2))
    report = run(tmp_path / "a.json", tmp_path / "out", longest_row=50)
    assert (report.total.refused, [*report.total.refusals]) == (1, ["SHP-1"])


def entry(request: Any, response: Any, **more: Any) -> dict[str, Any]:
    """An entry of an HTTP archive, as browsers and proxies write it."""
    body = {"postData": {"mimeType": "application/json", "text": json.dumps(request)}} if request else {}
    text = response if isinstance(response, str) else json.dumps(response)
    return {
        "request": {"method": "POST", "url": "https://api.example.com/v1/chat?key=secret", **body},
        "response": {"status": 200, "content": {"mimeType": "application/json", "text": text, **more}},
    }


def archive(*entries: Any) -> str:
    return json.dumps({"log": {"version": "1.2", "entries": entries}})


def test_an_archive_is_rows_of_pairs(tmp_path: Path) -> None:
    encoded = base64.b64encode(json.dumps(WHOLE).encode()).decode()
    failed = entry(ASKED, FAILED)
    failed["response"]["status"] = 429
    page: dict[str, Any] = {"request": {"method": "GET", "url": "https://example.com/"}, "response": {"content": {}}}
    found = archive(
        entry(ASKED, WHOLE),
        entry(ASKED, encoded, encoding="base64"),
        entry(ASKED, EVENTS.decode()),
        failed,
        page,
    )
    (tmp_path / "a.har").write_text(found)
    report = run(tmp_path / "a.har", tmp_path / "out", "auto")
    assert (report.total.converted, report.total.refused) == (4, 1)
    one, two, streamed, error = lines(tmp_path / "out/a.har.jsonl")
    assert one == two
    assert (one["url"], one["status"], one["request"]) == ("https://api.example.com/v1/chat", 200, MADE)
    assert one["response"]["content"] == [{"type": "text", "text": "Hi"}]
    assert streamed["response"].startswith("event: message_start\n")
    assert error["response"]["error"]["type"] == "rate_limit_error"
    (refused,) = lines(tmp_path / "out/a.har.jsonl.refused.jsonl")
    assert (refused["row"], refused["rule"]) == (5, "SHP-1")
    assert "https://example.com/" in refused["payload"]


def test_an_archive_holds_payloads_of_one_kind_and_pairs_for_exports(tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(archive(entry(ASKED, WHOLE)))
    run(tmp_path / "a.har", tmp_path / "requests", kind="request")
    assert lines(tmp_path / "requests/a.har.jsonl") == [MADE]
    run(tmp_path / "a.har", tmp_path / "lines", CHAT, "fine_tuning", kind="export")
    (line,) = lines(tmp_path / "lines/a.har.jsonl")
    assert line["messages"][-1] == {"role": "assistant", "content": "Hi"}
    run(tmp_path / "a.har", tmp_path / "table.parquet")
    assert pq.read_table(tmp_path / "table.parquet").num_rows == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "the JSON ends in the middle"),
        ("", "expected JSON, found nothing"),
        ('{"log": []}', "log.entries"),
        ("3", "log.entries"),
    ],
)
def test_what_is_no_archive(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "a.har").write_text(text)
    (made,) = run(tmp_path / "a.har", tmp_path / "out").files
    assert made.error is not None and why in made.error


def test_an_archive_behind_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(archive(entry(ASKED, WHOLE)), encoding="utf-8-sig")
    assert run(tmp_path / "a.har", tmp_path / "out").total.converted == 1


def test_no_archive_is_written(tmp_path: Path) -> None:
    """Its rows are lines, which no reader of archives takes."""
    (tmp_path / "a.har").write_text(archive(entry(ASKED, WHOLE)))
    with pytest.raises(BulkError, match="an archive becomes lines"):
        run(tmp_path / "a.har", tmp_path / "out.har")
    assert [file.name for file in tmp_path.iterdir()] == ["a.har"]


def test_an_archive_of_many_entries_is_cut_into_chunks(tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(archive(*[entry({**ASKED, "model": f"m{at}"}, WHOLE) for at in range(50)]))
    run(tmp_path / "a.har", tmp_path / "one")
    report = bulk.run([tmp_path / "a.har"], tmp_path / "many", CHAT, ANTHROPIC, workers=1, chunk=1000)
    assert report.total.converted == 50
    made = [files(tmp_path / name)["a.har.jsonl"] for name in ("one", "many")]
    assert made[0] == made[1]
    assert [json.loads(one)["request"]["model"] for one in made[0].splitlines()] == [f"m{at}" for at in range(50)]


# --- pairs ------------------------------------------------------------------------------------------------------------


def test_a_tool_has_one_name_on_both_sides_of_a_pair(tmp_path: Path) -> None:
    """It is rewritten for the target, in the request as in the response that calls it."""
    call = {"type": "tool_use", "id": "c1", "name": LONG, "input": {}}
    answer = proxai_ir.convert(WHOLE, CHAT, ANTHROPIC)
    pair = {"id": 7, "request": CALLING, "response": {**answer, "content": [call], "stop_reason": "tool_use"}}
    texts = {**pair, "request": json.dumps(pair["request"]), "response": json.dumps(pair["response"])}
    run(written(tmp_path, pair, texts), tmp_path / "out", ANTHROPIC, CHAT, kind="pair")
    made, as_text = lines(tmp_path / "out/rows.jsonl")
    name = made["request"]["tools"][0]["function"]["name"]
    assert made["id"] == 7
    assert name != LONG and len(name) <= 64
    assert made["response"]["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == name
    assert {**as_text, "request": json.loads(as_text["request"]), "response": json.loads(as_text["response"])} == made


def test_pairs_may_fail_stream_or_lack_a_response(tmp_path: Path) -> None:
    rows = [
        {"request": ASKED},
        {"request": ASKED, "response": CHUNKS},
        {"request": ASKED, "response": EVENTS.decode()},
        {"request": ASKED, "response": FAILED, "status": 429},
    ]
    report = run(written(tmp_path, *rows), tmp_path / "out", "auto", ANTHROPIC, kind="pair")
    assert report.total.converted == 4
    alone, events, text, failed = lines(tmp_path / "out/rows.jsonl")
    assert alone == {"request": MADE}
    assert events["response"][0]["type"] == "message_start"
    assert text["response"].startswith("event: message_start\n")
    assert failed["response"]["type"] == "error"
    assert report.total.finishes == {"stop": {"stop": 2}}


@pytest.mark.parametrize("text", ["<html>Bad gateway</html>", "Bad gateway"])
def test_the_text_of_a_failed_response_is_an_error(tmp_path: Path, text: str) -> None:
    """As a page of a gateway, which is no stream; with the status of an answer it would be a stream without events."""
    rows = [{"request": ASKED, "response": text, "status": status} for status in (502, 200)]
    rows.append({"request": ASKED, "response": EVENTS.decode(), "status": 502})
    report = run(written(tmp_path, *rows), tmp_path / "out", "auto", ANTHROPIC, kind="pair")
    assert (report.total.converted, report.total.refused) == (2, 1)
    failed, streamed = lines(tmp_path / "out/rows.jsonl")
    error = {"type": "error", "error": {"type": "api_error", "message": text}}
    assert json.loads(failed["response"]) == error  # a text, as it was
    assert streamed["response"].startswith("event: message_start\n")
    (refused,) = lines(tmp_path / "out/rows.jsonl.refused.jsonl")
    assert (refused["row"], refused["rule"]) == (2, "STR-2")


@pytest.mark.parametrize(
    ("row", "rule", "path"),
    [
        (ASKED, "SHP-1", ""),
        ({"request": {"model": 3, "messages": []}}, "SHP-1", "/request/model"),
        ({"request": ASKED, "response": {**WHOLE, "choices": 3}}, "SHP-1", "/response/choices"),
        ({"request": "{"}, "SHP-6", "/request"),
    ],
)
def test_bad_pairs_are_refused(tmp_path: Path, row: Any, rule: str, path: str) -> None:
    run(written(tmp_path, row), tmp_path / "out", kind="pair")
    (refused,) = lines(tmp_path / "out/rows.jsonl.refused.jsonl")
    assert (refused["rule"], refused["path"]) == (rule, path)


def test_a_pair_that_was_not_named_is_recognised(tmp_path: Path) -> None:
    run(written(tmp_path, {"request": ASKED, "response": WHOLE}), tmp_path / "out")
    (refused,) = lines(tmp_path / "out/rows.jsonl.refused.jsonl")
    assert "kind='pair' (--kind pair)" in refused["message"]


def test_pairs_in_two_columns(tmp_path: Path) -> None:
    table = pa.table({"id": [1], "request": [json.dumps(ASKED)], "response": [json.dumps(WHOLE)]})
    pq.write_table(table, tmp_path / "a.parquet")
    run(tmp_path / "a.parquet", tmp_path / "out", kind="pair", column="")
    (row,) = pq.read_table(tmp_path / "out/a.parquet").column("payload").to_pylist()
    made = json.loads(row)
    assert (made["id"], json.loads(made["request"])) == (1, MADE)
    assert json.loads(made["response"])["content"] == [{"type": "text", "text": "Hi"}]


# --- many forms -------------------------------------------------------------------------------------------------------


def test_a_folder_of_many_forms_in_one_command(tmp_path: Path) -> None:
    """Fifteen files in nine forms: every row arrives, is refused by name, or its file is listed with a reason."""
    folder = tmp_path / "logs"
    folder.mkdir()
    gemini = proxai_ir.convert(SYSTEM, ANTHROPIC, GEMINI)
    line = json.dumps(SYSTEM).encode() + b"\n"
    wide = pa.table({"payload": [json.dumps(SYSTEM), json.dumps(gemini), None]})
    pq.write_table(wide, folder / "03.parquet")
    pq.write_table(pa.table({"text": [1]}), folder / "04.parquet")
    packed = pa.Codec("zstd").compress(line, asbytes=True)
    whole = {
        "01.jsonl": line + json.dumps(gemini).encode() + b"\n" + b'{"x": 1}\n{"model":',
        "02.ndjson": json.dumps(WHOLE).encode(),
        "05.jsonl.gz": gzip.compress(line * 2),
        "06.jsonl.zst": packed,
        "07.jsonl.bz2": bz2.compress(line),
        "08.jsonl.xz": lzma.compress(line),
        "09.json": json.dumps(SYSTEM, indent=2).encode(),
        "10.json": b"<html>",
        "11.sse": EVENTS,
        "12.har": archive(entry(SYSTEM, proxai_ir.convert(WHOLE, CHAT, ANTHROPIC))).encode(),
        "13.har": b"{}",
        "14.jsonl.gz": gzip.compress(line * 100)[:40],
        "15.csv": b"a,b\n",
    }
    for name, data in whole.items():
        (folder / name).write_bytes(data)
    report = bulk.run([folder], tmp_path / "out", "auto", CHAT, workers=0)
    assert not report.complete
    found = {one.file.rpartition("/")[2]: (one.converted, one.refused, bool(one.error)) for one in report.files}
    assert found == {
        "01.jsonl": (2, 2, False),
        "02.ndjson": (1, 0, False),
        "03.parquet": (2, 1, False),
        "04.parquet": (0, 0, True),
        "05.jsonl.gz": (2, 0, False),
        "06.jsonl.zst": (1, 0, False),
        "07.jsonl.bz2": (1, 0, False),
        "08.jsonl.xz": (1, 0, False),
        "09.json": (1, 0, False),
        "10.json": (0, 1, False),
        "11.sse": (1, 0, False),
        "12.har": (1, 0, False),
        "13.har": (0, 0, True),
        "14.jsonl.gz": (0, 0, True),
    }
    assert report.unread == {".csv": 1}
    reasons = {one.file.rpartition("/")[2]: one.error for one in report.files if one.error}
    assert "found the columns text" in str(reasons["04.parquet"])
    assert "log.entries" in str(reasons["13.har"])
    assert "after row 0" in str(reasons["14.jsonl.gz"])
    out = files(tmp_path / "out")
    refused = [json.loads(row)["rule"] for name, data in out.items() if "refused" in name for row in data.splitlines()]
    assert sorted(refused) == ["SHP-1", "SHP-3", "SHP-6", "SHP-6"]
    instructed = [{"role": "system", "content": "Be brief."}, *ASKED["messages"]]
    assert json.loads(out["09.json"])["messages"] == instructed
    assert [json.loads(one)["messages"] for one in gzip.decompress(out["05.jsonl.gz"]).splitlines()] == [instructed] * 2
    assert out["11.sse"] == EVENTS
    assert json.loads(out["12.har.jsonl"])["response"]["choices"][0]["message"]["content"] == "Hi"
