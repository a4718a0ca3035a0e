"""The command line among other processes: missing extra, closed pipes, Ctrl-C, terminals."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread, Timer

import pytest

from .support import LOSSY, PLAIN, ROUTE, Spawn, environment

posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals as POSIX has them")


def python(code: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, env=environment(), timeout=60, check=False)


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_one_line_names_what_to_install(missing: str) -> None:
    result = python(
        f"import sys; sys.modules[{missing!r}] = None\nfrom proxai_ir.cli import main\nsys.exit(main())",
    )
    assert (result.returncode, result.stdout) == (2, b"")
    (line,) = result.stderr.decode().splitlines()
    assert 'in the checkout, pip install ".[cli]"' in line


def test_a_command_that_cannot_be_loaded_is_not_called_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("typer")
    from proxai_ir.cli import app

    def broken(*_: str) -> None:
        raise KeyError("file")

    monkeypatch.setattr(app, "import_module", broken)
    assert app.Loaded().get("convrt") is None
    with pytest.raises(KeyError, match="file"):
        app.Loaded().get("convert")


def test_the_library_does_not_load_the_command_line() -> None:
    result = python(
        "import sys, proxai_ir\n"
        "proxai_ir.protocols()\n"
        "print([name for name in sys.modules if name in ('typer', 'rich', 'proxai_ir.cli')])"
    )
    assert result.stdout.strip() == b"[]", result.stderr


def test_without_arguments_it_explains_itself(spawn: Spawn) -> None:
    result = spawn()
    assert result.returncode == 2
    assert b"convert" in result.stdout + result.stderr


@posix
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_closed_pipe_is_no_traceback(closed: str, tmp_path: Path) -> None:
    file = tmp_path / "payloads.jsonl"
    file.write_bytes((LOSSY + b"\n") * 5000)  # more than a pipe holds
    reader, writer = os.pipe()
    kept = tmp_path / "kept"
    command = [sys.executable, "-m", "proxai_ir.cli", "convert", *ROUTE, str(file)]
    with kept.open("wb") as other:
        stdout, stderr = (writer, other) if closed == "stdout" else (other, writer)
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr, env=environment())
        os.close(writer)
        os.read(reader, 100)
        os.close(reader)
        assert process.wait(60) == 0
    assert b"Traceback" not in kept.read_bytes()
    assert b"Exception ignored" not in kept.read_bytes()


@posix
@pytest.mark.parametrize(
    ("closed", "given", "code", "said"),
    [
        ((0,), "a.json", 0, ""),
        ((0,), "-", 5, "proxai-ir: -: not JSON: expected JSON, found nothing\n"),
        ((1,), "a.json", 5, "proxai-ir: the output cannot be written: Bad file descriptor\n"),
        ((2,), "a.json", 0, None),
        ((0, 1, 2), "absent.json", 5, None),
    ],
)
def test_a_closed_stream(tmp_path: Path, closed: tuple[int, ...], given: str, code: int, said: str | None) -> None:
    """As `>&-` closes it: what is read is empty, and what cannot be printed is no success."""
    (tmp_path / "a.json").write_bytes(PLAIN)
    command = [sys.executable, "-m", "proxai_ir.cli", "convert", *ROUTE, given]
    closing = [f"{at}{'<' if at == 0 else '>'}&-" for at in closed]
    shell = ["sh", "-c", f'exec "$@" {" ".join(closing)}', "sh", *command]
    result = subprocess.run(shell, capture_output=True, env=environment(), timeout=60, check=False, cwd=tmp_path)
    assert (result.returncode, bool(result.stdout)) == (code, code == 0), result.stderr
    assert said is None or result.stderr.decode() == said


@posix
def test_ctrl_c(tmp_path: Path) -> None:
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from proxai_ir.cli import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", code, "convert", *ROUTE, "--jsonl", "-"]
    errors = tmp_path / "errors"
    with (
        errors.open("wb") as stderr,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environment()
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        deadline = Timer(60, process.kill)
        deadline.start()
        process.stdin.write(PLAIN + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()  # it runs, and waits for more
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        deadline.cancel()
    assert errors.read_bytes() == b""


def on_terminal(
    arguments: Sequence[str], terminal: Sequence[str], stdin: bytes, columns: int = 80
) -> tuple[str, bytes]:
    """What a terminal sees of the command when the named streams are one, and what the other stream got."""
    import pty  # POSIX alone has it

    leader, follower = pty.openpty()
    stdout, stderr = (follower if name in terminal else subprocess.PIPE for name in ("stdout", "stderr"))
    command = [sys.executable, "-m", "proxai_ir.cli", *arguments]
    there = environment() | {"COLUMNS": str(columns)}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr, env=there)
    os.close(follower)
    seen: list[bytes] = []
    watching = Thread(target=lambda: seen.extend(chunks(leader)))  # a terminal buffers little that is not read
    watching.start()
    out, err = process.communicate(stdin, timeout=60)
    watching.join(60)
    os.close(leader)
    return b"".join(seen).decode(), (out or b"") + (err or b"")


def chunks(terminal: int) -> Iterator[bytes]:
    """What is written to the terminal, until the last writer is gone."""
    while True:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:  # how Linux reports that the last writer is gone
            return
        if not chunk:
            return
        yield chunk


@posix
def test_diagnostics_are_coloured_on_a_terminal() -> None:
    seen, out = on_terminal(("convert", *ROUTE, "-"), ["stderr"], LOSSY)
    assert "\x1b[33mloss\x1b[0m" in seen
    assert b"\x1b" not in out


@posix
def test_output_is_indented_on_a_terminal() -> None:
    seen, _ = on_terminal(("convert", *ROUTE, "-"), ["stdout"], PLAIN)
    assert seen.startswith('{\r\n  "')


@posix
@pytest.mark.parametrize(
    ("flags", "terminal", "shown"),
    [((), ["stderr"], True), (("--quiet",), ["stderr"], False), ((), ["stdout", "stderr"], False)],
)
def test_the_progress_bar(flags: tuple[str, ...], terminal: list[str], shown: bool) -> None:
    seen, out = on_terminal(("convert", *ROUTE, "--jsonl", *flags, "-"), terminal, (PLAIN + b"\n") * 3)
    assert ("3 lines" in seen) is shown
    assert (seen + out.decode()).count('"max_tokens"') == 3


@posix
def test_rules_are_a_table_on_a_terminal() -> None:
    seen, _ = on_terminal(("rules",), ["stdout"], b"")
    assert "severity" in seen
    assert "TUL-4" in seen


@posix
def test_no_table_cuts_a_name_on_a_narrow_terminal() -> None:
    seen, _ = on_terminal(("profiles",), ["stdout"], b"", columns=40)
    assert "…" not in seen
    cells = "".join(line[:14].strip() for line in seen.splitlines())
    assert "anthropic_2023_06_01" in cells  # over two lines


@posix
@pytest.mark.parametrize("columns", [40, 80, 130])
def test_the_place_of_a_row_is_whole_on_any_terminal(tmp_path: Path, columns: int) -> None:
    """A table with bars, one without, and lines where neither fits."""
    pytest.importorskip("pyarrow", reason="the extra bulk is not installed")
    file = tmp_path / f"{'Z' * 90}.jsonl"
    file.write_bytes(LOSSY)
    seen, _ = on_terminal(("bulk", str(file), *ROUTE, "--mode", "check", "--workers", "0"), ["stdout"], b"", columns)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", seen)
    assert (plain.count("Z"), "…" in plain) == (90, False)
    assert ("severity" in plain, "█" in plain) == (columns > 40, columns > 80)


def test_a_source_that_is_stated_loads_no_other_protocol() -> None:
    """Only one that is to be found is looked for in all of them."""
    code = (
        "import io, sys\n"
        f"sys.argv = ['proxai-ir', 'convert', {', '.join(map(repr, ROUTE))}, '-']\n"
        f"sys.stdin = io.TextIOWrapper(io.BytesIO({PLAIN!r}))\n"
        "from proxai_ir.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([name for name in sys.modules if name.startswith('proxai_ir.frontends.ollama_chat.')])"
    )
    assert python(code).stdout.splitlines()[-1] == b"[]"
