"""A program in the foreground: its exit code, its terminal, signals, and that nothing of it is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from proxai_ir.launch.foreground import run

from ..waiting import came, until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups as POSIX has them")

RUN = "import sys; from proxai_ir.launch.foreground import run; sys.exit(run(sys.argv[1:], __import__('os').environ))"


def shell(script: str) -> list[str]:
    return [sys.executable, "-c", RUN, "sh", "-c", script]


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -TERM $$", 143), ("kill -9 $$", 137)]
)
def test_the_exit_code_is_the_programs(script: str, code: int) -> None:
    assert run(["sh", "-c", script], os.environ) == code


def test_a_program_that_is_not_there() -> None:
    with pytest.raises(FileNotFoundError):
        run(["there-is-no-such-program"], os.environ)


def test_children_that_are_left_are_ended(tmp_path: Path) -> None:
    file = tmp_path / "child"
    assert run(["sh", "-c", f"sleep 60 & echo $! > {file}"], os.environ) == 0
    assert is_gone(int(file.read_text()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_program_and_its_children(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "child"
    # A shell without job control lets what it starts in the background ignore SIGINT.
    process = subprocess.Popen(shell(f"sleep 60 & echo $! > {file}; exec sleep 60"))
    child = int(awaited(file))
    process.send_signal(number)
    assert process.wait(10) == 128 + number
    assert is_gone(child)


def test_a_program_that_ignores_signals_decides_itself(tmp_path: Path) -> None:
    file = tmp_path / "ready"
    process = subprocess.Popen(shell(f"trap 'exit 9' INT; echo 1 > {file}; while :; do sleep 0.02; done"))
    awaited(file)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 9


def test_ctrl_c_of_a_terminal_goes_to_the_program_alone(tmp_path: Path) -> None:
    """It has the terminal: it reads it, and its keys are its own; afterwards the terminal is ours again."""
    import pty
    import termios

    leader, follower = pty.openpty()
    settings = termios.tcgetattr(follower)
    settings[3] &= ~termios.ECHO  # else what is typed may stand in the middle of what is shown
    termios.tcsetattr(follower, termios.TCSANOW, settings)
    script = "trap 'echo caught' INT; read line; echo got $line; read line; echo end $line; exit 3"
    code = (
        "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
        "from proxai_ir.launch.foreground import run\n"
        f"code = run(['sh', '-c', {script!r}], os.environ)\n"
        "print('code', code, os.tcgetpgrp(0) == os.getpgrp(), flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=follower, stdout=follower, stderr=follower, start_new_session=True
    )
    os.close(follower)
    os.write(leader, b"first\n")
    assert "got first" in seen(leader, "got first")
    os.write(leader, b"\x03")
    shown = seen(leader, "caught")
    assert "caught" in shown
    if "code 3" not in shown:  # some shells go on without the line that was interrupted
        os.write(leader, b"second\n")
        shown += seen(leader, "code 3")
    assert "code 3 True" in shown
    assert process.wait(10) == 0
    os.close(leader)


def seen(terminal: int, wanted: str) -> str:
    """What the terminal shows until the text is there."""
    found = ""
    while wanted not in found or not found.endswith("\n"):
        try:
            found += os.read(terminal, 4096).decode()
        except OSError:  # the last writer is gone
            return found
    return found


def awaited(file: Path) -> str:
    until(lambda: file.exists() and file.read_text().strip(), 60)
    return file.read_text()


def is_gone(process: int) -> bool:
    """Whether it ends soon, or is a zombie that nobody has waited for yet."""

    def gone() -> bool:
        try:
            os.kill(process, 0)
            return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (ProcessLookupError, FileNotFoundError):
            return True

    return came(gone, 5)
