"""A run that ended early goes on: same bytes, nothing twice; and what does not fit together is refused."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..waiting import came, until
from .support import ANTHROPIC, BROKEN, CHAT, PLAIN, files, numbered, run

KILLS = 3
INTERRUPTIBLE = (
    "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nfrom proxai_ir.cli import main\nmain()\n"
)
"""The command line, also where tests run in the background of a shell, which has its processes ignore Ctrl-C."""


def command(source: Path, out: Path, ordered: bool = True, seconds: float = 0) -> list[str]:
    """A run in a process of its own, in chunks so small that it lasts, with a checkpoint after each or in seconds."""
    program = (
        "from proxai_ir.bulk import run, outputs\n"
        f"outputs.SECONDS = {seconds}\n"
        "if __name__ == '__main__':\n"
        f"    run([{str(source)!r}], {str(out)!r}, {CHAT!r}, {ANTHROPIC!r}, workers=2, chunk=4096, ordered={ordered})\n"
    )
    script = source.parent.parent / "program.py"
    script.write_text(program)
    return [sys.executable, str(script)]


@pytest.mark.parametrize("ending", ["", *(pytest.param(one, marks=pytest.mark.slow) for one in (".gz", ".zst"))])
def test_killed_three_times(tmp_path: Path, ending: str) -> None:
    from .test_lines import packed

    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for name in ("a", "b"):
        (source / f"{name}.jsonl{ending}").write_bytes(packed(numbered(8000), ending))
    chance = random.Random(16)
    killed = 0
    for _ in range(KILLS):
        with subprocess.Popen(command(source, out), start_new_session=True) as process:
            if begun(out, process):
                time.sleep(chance.uniform(0, 0.2))
            process.kill()  # the process alone: its workers have to notice
            killed += process.wait() == -signal.SIGKILL
    assert killed
    done = subprocess.run(command(source, out), check=False, timeout=120)
    assert done.returncode == 0
    whole = run(source, tmp_path / "whole", chunk=4096)
    assert files(out) == files(tmp_path / "whole")
    again = run(source, out, chunk=4096)
    assert again.total == whole.total
    assert again.as_json()["files"] == whole.as_json()["files"]


@pytest.mark.slow
def test_unordered_rows_are_written_once(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.jsonl").write_bytes(numbered(20_000))
    chance = random.Random(61)
    for _ in range(KILLS):
        with subprocess.Popen(command(source, out, ordered=False), start_new_session=True) as process:
            if begun(out, process):
                time.sleep(chance.uniform(0, 0.2))
            process.kill()
            process.wait()
    done = subprocess.run(command(source, out, ordered=False), check=False, timeout=120)
    assert done.returncode == 0
    whole = run(source, tmp_path / "whole", chunk=4096)
    expected = files(tmp_path / "whole")
    found = files(out)
    assert found.keys() == expected.keys()
    for name, data in expected.items():
        assert sorted(found[name].splitlines()) == sorted(data.splitlines())
    assert run(source, out, chunk=4096, ordered=False).total.rows == whole.total.rows


@pytest.mark.slow
def test_killed_among_small_files(tmp_path: Path) -> None:
    """Files that are complete before a checkpoint is due, and are put in their place by threads."""
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for at in range(600):
        (source / f"{at:03}.jsonl").write_bytes(numbered(20))
    chance = random.Random(45)
    killed = 0
    for _ in range(KILLS):
        with subprocess.Popen(command(source, out, seconds=60), start_new_session=True) as process:
            if begun(out, process):
                time.sleep(chance.uniform(0, 0.3))
            process.kill()
            killed += process.wait() == -signal.SIGKILL
    assert killed
    assert subprocess.run(command(source, out, seconds=60), check=False, timeout=120).returncode == 0
    whole = run(source, tmp_path / "whole", chunk=4096)
    assert files(out) == files(tmp_path / "whole")
    assert run(source, out, chunk=4096).total == whole.total


def test_chunks_behind_the_first_that_is_missing() -> None:
    """What a checkpoint names when chunks are written out of order."""
    from proxai_ir.bulk.job import Chunk, Done, Tally
    from proxai_ir.bulk.outputs import Checkpoint

    state = Checkpoint("job", "source")
    done = Done(b"12345", b"", Tally())
    for row, start, ahead in [(11, (0, 1), [[11, 10, 200]]), (1, (200, 21), []), (31, (200, 21), [[31, 10, 400]])]:
        state.add(Chunk("lines", row, 10, b"", 10 * row + 90, 0), done)
        assert ((state.start, state.row), state.ahead) == (start, ahead)
    assert state.written == 15


def begun(out: Path, process: subprocess.Popen[bytes]) -> bool:
    """Waits until something is written beyond what there was; False where the run has ended."""
    before = written(out)
    return came(lambda: process.poll() is None and written(out) > before, 120, over=lambda: process.poll() is not None)


def written(out: Path) -> int:
    sizes = []
    for folder, _, names in os.walk(out):
        for name in names:
            try:
                sizes.append(os.path.getsize(os.path.join(folder, name)))
            except FileNotFoundError:  # renamed since
                continue
    return sum(sizes)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to see processes")
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.jsonl").write_bytes(numbered(100_000))
    with subprocess.Popen(command(source, out), start_new_session=True) as process:
        assert begun(out, process)
        assert len(members(process.pid)) > 1
        process.kill()
        process.wait()
        session = process.pid
    until(lambda: members(session) == [])


def members(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, _, of = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except (OSError, ValueError):
                continue
            if int(of) == session and state != "Z":
                found.append(int(entry.name))
    return found


def test_ctrl_c(tmp_path: Path) -> None:
    """It is sent to the workers too, as a terminal does."""
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    (source / "a.jsonl").write_bytes(numbered(40_000))
    given = [str(source), "--from", CHAT, "--to", ANTHROPIC, "--out", str(out), "--workers", "2"]
    line = [sys.executable, "-c", INTERRUPTIBLE, "bulk", *given]
    with subprocess.Popen(line, start_new_session=True, stdout=-1, stderr=-1) as process:
        assert begun(out, process)
        os.killpg(process.pid, signal.SIGINT)
        printed, complained = process.communicate(timeout=60)
    assert process.returncode == 130
    assert printed + complained.replace(b"Aborted!", b"").strip() == b""
    assert run(source, out).total.rows == 40_000
    run(source, tmp_path / "whole")
    assert files(out) == files(tmp_path / "whole")


@pytest.mark.parametrize("seconds", [0.0, 60.0])
def test_ctrl_c_while_a_chunk_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Ctrl-C in the middle of a count writes no checkpoint, and keeps an earlier one."""
    from proxai_ir.bulk import outputs
    from proxai_ir.bulk.job import Tally

    source, out, add, calls = tmp_path / "a.jsonl", tmp_path / "out", Tally.add, 0

    def interrupted(own: Tally, other: Tally, file: str | None = None) -> None:
        nonlocal calls
        add(own, other, file)
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt

    source.write_bytes(numbered(40))
    run(source, tmp_path / "whole", chunk=300)
    monkeypatch.setattr(outputs, "SECONDS", seconds)
    monkeypatch.setattr(Tally, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(source, out, chunk=300)
    monkeypatch.setattr(Tally, "add", add)
    assert run(source, out, chunk=300).total.rows == 40
    assert files(out) == files(tmp_path / "whole")


def test_a_run_that_ended_before_renaming_renames(tmp_path: Path) -> None:
    from proxai_ir.bulk.outputs import COMPLETE, Checkpoint

    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(numbered(50))
    run(source, out)
    expected = files(out)
    work = out / ".proxai-ir"
    (out / "a.jsonl").rename(work / "a.jsonl.part")
    state = Checkpoint.read(work / "a.jsonl.checkpoint")
    assert state is not None
    state.stage = COMPLETE
    state.write(work / "a.jsonl.checkpoint")
    assert run(source, out).total.rows == 50
    assert files(out) == expected


def test_a_partial_output_that_is_gone_is_made_again(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(numbered(20) + BROKEN + b"\n" + numbered(20))
    run(source, out, fail_fast=True, chunk=300, options={"accept": []})
    (out / ".proxai-ir" / "a.jsonl.part").unlink(missing_ok=True)
    assert run(source, out, chunk=300, options={"accept": []}).total.rows == 41


@pytest.mark.parametrize("gone", ["a.jsonl", "a.jsonl.refused.jsonl"])
@pytest.mark.parametrize("name", ["", "a.jsonl.gz"])
def test_a_complete_output_that_is_gone_is_made_again(tmp_path: Path, gone: str, name: str) -> None:
    """Or else the report would name a file that is not there."""
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(numbered(20) + BROKEN + b"\n" + numbered(20))
    gone = gone.replace("a.jsonl", name or "a.jsonl", 1)
    run(source, out / name)
    expected = files(out)
    (out / gone).unlink()
    report = run(source, out / name)
    assert (report.earlier, report.total.rows) == (0, 41)
    assert files(out) == expected
    assert run(source, out / name).earlier == 41


def test_fail_fast_stops_and_can_go_on(tmp_path: Path) -> None:
    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes((PLAIN + b"\n") * 100 + BROKEN + b"\n" + (PLAIN + b"\n") * 100)
    stopped = run(source, out, fail_fast=True, chunk=1000, workers=2)
    assert stopped.stopped is not None
    assert "row 101: SHP-6" in stopped.stopped
    assert not stopped.complete
    assert files(out) == {}
    assert run(source, out, chunk=1000).total.rows == 201
    run(source, tmp_path / "whole", chunk=1000)
    assert files(out) == files(tmp_path / "whole")


def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    from proxai_ir.bulk import BulkError

    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(numbered(5))
    run(source, out)
    with pytest.raises(BulkError, match="other settings"):
        run(source, out, options={"strict": True})
    source.write_bytes(numbered(6))
    with pytest.raises(BulkError, match="changed since"):
        run(source, out)
    assert run(source, out, overwrite=True).total.rows == 6
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.jsonl").write_bytes(b"mine")
    with pytest.raises(BulkError, match="exists"):
        run(source, other)
    assert (other / "a.jsonl").read_bytes() == b"mine"


def test_a_second_run_at_the_same_time_is_refused(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    from proxai_ir.bulk import BulkError

    source, out = tmp_path / "a.jsonl", tmp_path / "out"
    source.write_bytes(PLAIN)
    (out / ".proxai-ir").mkdir(parents=True)
    with open(out / ".proxai-ir" / "lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BulkError, match="another run"):
            run(source, out)
    assert run(source, out).complete
