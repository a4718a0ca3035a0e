"""`proxai-ir bulk`: what is printed, the report as JSON and as a picture, exit codes, wrong usage."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from proxai_ir.cli.app import app

from .support import ANTHROPIC, BROKEN, CHAT, CONVERTED, LOSSY, PLAIN, files

ROUTE = ("--from", CHAT, "--to", ANTHROPIC, "--workers", "0")


def bulk(*arguments: object) -> Result:
    given = ["bulk", *map(str, arguments), *ROUTE]
    return CliRunner().invoke(app, given, prog_name="proxai-ir", catch_exceptions=False)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"\n".join([PLAIN, LOSSY, LOSSY]))
    return file


def test_convert(source: Path, tmp_path: Path) -> None:
    result = bulk(source, "--out", tmp_path / "out")
    assert result.exit_code == 0
    head, row = result.stdout.splitlines()
    assert head.startswith("3 rows: converted 3 (lossy 2), refused 0; 1 files in ")
    assert row.startswith(f"SMP-10  loss  2  {source}:2 /seed  ")
    assert files(tmp_path / "out") == {"a.jsonl": (CONVERTED + b"\n") * 3}


@pytest.mark.parametrize(
    ("name", "stem", "end"),
    [("x.csv", "x", ".csv"), ("x.xlsx", "x", ".xlsx"), ("x.txt", "x", ".txt"), ("v1.x.csv.gz", "v1.x", ".csv.gz")],
)
def test_an_output_of_a_form_that_is_not_written(source: Path, tmp_path: Path, name: str, stem: str, end: str) -> None:
    """The message says what to type, and nothing is made."""
    result = bulk(source, "--out", tmp_path / name)
    assert result.exit_code == 5
    assert result.stderr == (
        f"proxai-ir: {tmp_path / name}: a run writes no {end}; type {tmp_path / stem}.jsonl "
        f"(also with .gz, .zst, .bz2, .xz), {tmp_path / stem}.parquet or {tmp_path / stem}.json for a file, "
        f"or {tmp_path / name}/ for a folder\n"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_standard_input_is_not_read(tmp_path: Path) -> None:
    result = bulk("-", "--out", tmp_path / "out")
    assert result.exit_code == 5
    said = "-: standard input is not read, as a run may go on; expected a file, a folder or a glob"
    assert result.stderr == f"proxai-ir: {said}\n"


def test_standard_output_is_not_written(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a folder of that name made."""
    monkeypatch.chdir(tmp_path)
    result = bulk(source, "--out", "-")
    assert result.exit_code == 5
    said = "-: standard output is not written, as a run may go on; expected a folder or a file"
    assert result.stderr == f"proxai-ir: {said}\n"
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


def test_empty_names_are_no_current_folder(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a variable of the shell that is not set."""
    monkeypatch.chdir(tmp_path)
    for given in (["", "--mode", "check"], [source, "--out", ""], ["", "--out", "out"]):
        result = bulk(*given)
        said = "proxai-ir: expected the name of a file or a folder, found an empty one\n"
        assert (result.exit_code, result.stdout, result.stderr) == (5, "", said)
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]


@pytest.mark.skipif(os.name != "posix", reason="named pipes as POSIX has them")
def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    result = bulk(tmp_path / "pipe", "--mode", "check")
    why = "a pipe or a device is not read, as a run may go on; expected a file, a folder or a glob"
    assert (result.exit_code, result.stderr) == (5, f"proxai-ir: {tmp_path / 'pipe'}: {why}\n")


def test_an_input_that_is_the_output(source: Path, tmp_path: Path) -> None:
    result = bulk(tmp_path, "--out", tmp_path)
    assert result.exit_code == 5
    said = f"all files to convert are below the output folder {tmp_path}, where none is read; name another one"
    assert result.stderr == f"proxai-ir: {tmp_path}: {said}\n"


@pytest.mark.parametrize("name", ["out", "v1.2", "2026.11.30", "x.csv/", "there.csv"])
def test_a_folder_whose_name_has_an_ending(source: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "there.csv").mkdir()
    assert bulk(source, "--out", f"{tmp_path}/{name}").exit_code == 0
    assert files(tmp_path / name) == {"a.jsonl": (CONVERTED + b"\n") * 3}


def test_check_and_report(source: Path) -> None:
    result = bulk(source, "--mode", "check", "--report", "-")
    assert result.exit_code == 3
    report = json.loads(result.stdout)
    assert (report["rows"], report["lossy"], report["complete"]) == (3, 2, True)
    (rule,) = report["rules"]
    assert (rule["rule"], rule["severity"], rule["rows"]) == ("SMP-10", "loss", 2)
    assert rule["example"]["row"] == 2


@pytest.mark.parametrize(("extra", "code"), [(BROKEN, 4), (b"", 0)])
def test_exit_codes(tmp_path: Path, extra: bytes, code: int) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(PLAIN + b"\n" + extra)
    assert bulk(source, "--mode", "check", "--quiet").exit_code == code
    assert bulk(source, "--out", tmp_path / "out", "--quiet").exit_code == code


def test_a_file_that_fails(tmp_path: Path, source: Path) -> None:
    (tmp_path / "b.jsonl.gz").write_bytes(b"no gzip")
    result = bulk(source, tmp_path / "b.jsonl.gz", "--out", tmp_path / "out")
    assert result.exit_code == 5
    assert f"{tmp_path / 'b.jsonl.gz'}: after row 0: Not a gzipped file" in result.stdout


def test_files_that_are_not_read(tmp_path: Path) -> None:
    """They are counted by the ends of their names, and not those of the output, of refused rows and hidden ones."""
    folder = tmp_path / "logs"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(PLAIN)
    for name in ("x.csv", "deep/y.csv", "z.txt", "t.json.gz", "README", "a.jsonl.refused.jsonl", ".hidden.json"):
        (folder / name).write_bytes(PLAIN)
    result = bulk(folder, "--out", folder / "out")
    assert result.exit_code == 0
    said = "5 files were not read: .csv (2), without an ending (1), .json.gz (1), .txt (1)"
    assert f"{said}; a folder is read for .jsonl, .ndjson, .jsonl.gz," in result.stdout
    made = bulk(folder, "--mode", "check", "--json")
    assert json.loads(made.stdout)["unread"] == {".csv": 2, "": 1, ".json.gz": 1, ".txt": 1}
    assert bulk(folder / "a.jsonl", "--mode", "check").stdout.count("not read") == 0


def test_a_folder_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(PLAIN)
    result = bulk(tmp_path, "--out", tmp_path / "out")
    assert result.exit_code == 5
    assert "1 file was not read: .csv (1); expected a folder with files that end in .jsonl, .ndjson," in result.stderr
    (tmp_path / "empty").mkdir()
    assert "there is no such file, and no folder" in bulk(tmp_path / "empty", "--mode", "check").stderr


def test_fail_fast(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    source.write_bytes(BROKEN)
    result = bulk(source, "--mode", "check", "--fail-fast")
    assert result.exit_code == 4
    assert f"stopped at {source}, row 1: SHP-6" in result.stdout


def test_wrong_usage(source: Path, tmp_path: Path) -> None:
    assert bulk(source).exit_code == 2
    assert bulk(source, "--out", tmp_path / "out", "--mode", "check").exit_code == 2
    assert bulk(source, "--mode", "check", "--option", "no_such=1").exit_code == 2
    result = bulk(tmp_path / "nothing", "--mode", "check")
    assert result.exit_code == 5
    assert "there is no such file" in result.stderr
    bulk(source, "--out", tmp_path / "out")
    assert bulk(source, "--out", tmp_path / "out", "--strict").exit_code == 5


def test_a_picture(source: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    assert bulk(source, "--mode", "check", "--plot", tmp_path / "losses.svg").exit_code == 3
    assert "<svg" in (tmp_path / "losses.svg").read_text()
    result = bulk(source, "--out", tmp_path / "out", "--plot", tmp_path / "losses.nothing")
    why = "expected a name that ends in .svg, .png or .pdf, found"
    assert result.stderr == f"proxai-ir: the report cannot be written: {why} {tmp_path / 'losses.nothing'}\n"
    assert (result.exit_code, (tmp_path / "out").exists()) == (5, False)


@pytest.mark.parametrize(
    ("flag", "name"), [("--report", "absent/a.json"), ("--report", ""), ("--plot", "absent/a.svg")]
)
def test_a_report_that_could_not_be_written_is_named_before_the_run(
    source: Path, tmp_path: Path, flag: str, name: str
) -> None:
    if flag == "--plot":
        pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    result = bulk(source, "--out", tmp_path / "out", flag, tmp_path / name)
    assert (result.exit_code, (tmp_path / "out").exists()) == (5, False)
    why = f"expected a file in a folder that exists, found {tmp_path / name}"
    assert result.stderr == f"proxai-ir: the report cannot be written: {why}\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has such a device")
def test_a_report_that_cannot_be_written(source: Path) -> None:
    result = bulk(source, "--mode", "check", "--report", "/dev/full")
    assert result.exit_code == 5
    assert result.stderr == "proxai-ir: the report cannot be written: No space left on device\n"


def test_processes_of_the_command(source: Path, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "proxai_ir.cli",
        "bulk",
        str(source),
        "-o",
        str(tmp_path / "out"),
        "--workers",
        "2",
    ]
    done = subprocess.run([*command, "--from", CHAT, "--to", ANTHROPIC], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert files(tmp_path / "out") == {"a.jsonl": (CONVERTED + b"\n") * 3}


def test_the_progress_bar_on_a_terminal(source: Path, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    terminal, end = pty.openpty()
    command = [sys.executable, "-m", "proxai_ir.cli", "bulk", str(source), *ROUTE, "--out", str(tmp_path / "out")]
    with subprocess.Popen(command, stderr=end, stdout=subprocess.PIPE, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(end)
        shown = "".join(written_to(terminal))
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert printed.startswith(b"3 rows: converted 3")
    assert "3 rows" in shown
    assert "rows/s" in shown


def written_to(terminal: int) -> Iterator[str]:
    """What comes until the last process closes its end, which Linux reports as an error."""
    with suppress(OSError), open(terminal, encoding="utf-8", errors="replace") as text:
        yield from iter(lambda: text.read(1), "")
