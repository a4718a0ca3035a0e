"""JSON Lines: a line in, a line out, at once and in step."""

import json
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest

from .support import CONVERTED, LOSSY, NO_JSON, PLAIN, REFUSED, ROUTE, Run, environment, records


def lines(*payloads: bytes) -> bytes:
    return b"".join(payload + b"\n" for payload in payloads)


def test_each_line_is_converted(run: Run) -> None:
    result = run("convert", *ROUTE, "--jsonl", "-", stdin=lines(PLAIN, LOSSY))
    assert result.exit_code == 0
    assert records(result.stdout) == [CONVERTED, CONVERTED]
    assert result.stderr.startswith("line 2  loss  SMP-10  /seed  ")


def test_the_files_name_decides_unless_the_caller_does(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "payloads.jsonl"
    file.write_bytes(lines(PLAIN, PLAIN))
    assert run("convert", *ROUTE, str(file)).stdout.count("\n") == 2
    assert run("convert", *ROUTE, "--no-jsonl", str(file)).exit_code == 5


def test_a_last_line_without_its_newline(run: Run) -> None:
    assert records(run("convert", *ROUTE, "--jsonl", "-", stdin=lines(PLAIN) + PLAIN).stdout) == [CONVERTED] * 2


def test_json_diagnostics_have_the_line(run: Run) -> None:
    (record,) = records(run("convert", *ROUTE, "--jsonl", "--json-diagnostics", "-", stdin=lines(PLAIN, LOSSY)).stderr)
    assert list(record) == ["line", "rule", "severity", "path", "message"]
    assert record["line"] == 2


@pytest.mark.parametrize(("bad", "code"), [(REFUSED, 4), (NO_JSON, 5)])
def test_the_first_bad_line_stops(run: Run, bad: bytes, code: int) -> None:
    result = run("convert", *ROUTE, "--jsonl", "-", stdin=lines(PLAIN, bad, PLAIN))
    assert result.exit_code == code
    assert records(result.stdout) == [CONVERTED]


def test_keep_going_stays_aligned(run: Run) -> None:
    result = run("convert", *ROUTE, "--jsonl", "--keep-going", "-", stdin=lines(PLAIN, REFUSED, b"", NO_JSON, LOSSY))
    assert result.exit_code == 5  # the worst of all lines
    first, refused, blank, unreadable, last = result.stdout.splitlines()
    assert json.loads(first) == json.loads(last) == CONVERTED
    assert blank == ""
    error = json.loads(refused)["error"]
    assert error["line"] == 2
    assert [(found["rule"], found["path"]) for found in error["diagnostics"] if found["severity"] == "error"] == [
        ("CHO-2", "/n")
    ]
    assert json.loads(unreadable)["error"]["message"].startswith("not JSON")


@pytest.mark.parametrize(
    ("payloads", "flags", "code"),
    [
        ((PLAIN, LOSSY), (), 0),
        ((LOSSY, PLAIN), ("--fail-on-loss",), 3),
        ((REFUSED, LOSSY), ("--keep-going", "--fail-on-loss"), 4),
        ((), (), 0),
    ],
)
def test_the_worst_line_decides(run: Run, payloads: tuple[bytes, ...], flags: tuple[str, ...], code: int) -> None:
    assert run("convert", *ROUTE, "--jsonl", *flags, "-", stdin=lines(*payloads)).exit_code == code


def test_check_goes_through_all_lines(run: Run) -> None:
    result = run("check", *ROUTE, "--jsonl", "-", stdin=lines(PLAIN, REFUSED, LOSSY))
    assert (result.exit_code, result.stderr) == (4, "")
    assert [line.split("  ")[:4] for line in result.stdout.splitlines()] == [
        ["line 2", "error", "CHO-2", "/n"],
        ["line 3", "loss", "SMP-10", "/seed"],
    ]


def test_output_appears_while_input_still_comes() -> None:
    command = [sys.executable, "-m", "proxai_ir.cli", "convert", *ROUTE, "--jsonl", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
    ) as process:
        assert process.stdin
        assert process.stdout
        deadline = Timer(60, process.kill)
        deadline.start()
        for _ in range(3):
            process.stdin.write(lines(PLAIN))
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == CONVERTED
        process.stdin.close()
        assert process.wait() == 0
        deadline.cancel()
