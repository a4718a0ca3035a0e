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
    result = run("check", *ROUTE, "--jsonl", "--each", "-", stdin=lines(PLAIN, REFUSED, LOSSY))
    assert (result.exit_code, result.stderr) == (4, "")
    assert [line.split("  ")[:4] for line in result.stdout.splitlines()] == [
        ["line 2", "error", "CHO-2", "/n"],
        ["line 3", "loss", "SMP-10", "/seed"],
    ]


def test_check_sums_lines_up(run: Run) -> None:
    """The gravest rule first, then the most frequent; what has no rule is counted, too."""
    rows = lines(PLAIN, *[LOSSY] * 1200, REFUSED, NO_JSON, b"", LOSSY.replace(b'"seed":1', b'"seed":1,"zz":2'))
    result = run("check", *ROUTE, "--jsonl", "-", stdin=rows)
    assert (result.exit_code, result.stderr) == (5, "")
    head, *found = result.stdout.splitlines()
    assert head == (
        "1,204 rows: 1 without a loss, 1,201 with losses, 1 refused, 1 not readable; "
        "--each prints the diagnostics of every line"
    )
    assert [line.split("  ")[:4] for line in found] == [
        ["error", "CHO-2", "1 row", "first in line 1202 at /n"],
        ["error", "not JSON", "1 row", "first in line 1203"],
        ["loss", "SMP-10", "1,201 rows", "first in line 2 at /seed"],
        ["loss", "UNK-1", "1 row", "first in line 1205 at /zz"],
    ]
    assert run("check", *ROUTE, "--jsonl", "--quiet", "-", stdin=rows).output == ""


@pytest.mark.parametrize("rows", [(), (PLAIN,)])
def test_a_summary_of_nothing(run: Run, rows: tuple[bytes, ...]) -> None:
    shown = "1 row: 1 without a loss\n" if rows else "0 rows: none\n"
    assert run("check", *ROUTE, "--jsonl", "-", stdin=lines(*rows)).stdout == shown


def test_programs_get_the_diagnostics_of_every_line(run: Run) -> None:
    found = records(run("check", *ROUTE, "--jsonl", "--json", "-", stdin=lines(LOSSY, PLAIN, LOSSY)).stdout)
    assert [(one["line"], one["rule"]) for one in found] == [(1, "SMP-10"), (3, "SMP-10")]


def test_a_summary_names_remedies_where_they_are_asked_for(run: Run) -> None:
    row = json.dumps({**json.loads(PLAIN), "logprobs": True}).encode()
    way = ("--from", "openai_chat_completions", "--to", "gemini_generate_content", "--jsonl", "--remedies", "-")
    found = run("check", *way, stdin=lines(row, row)).stdout.splitlines()
    at = next(at for at, line in enumerate(found) if line.startswith("loss  SMP-7  2 rows"))
    assert found[at + 1] == "      --capability logprobs=true, if the server has it"


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
