"""Without `--from` and `--kind` a file shows what it is; what is not to be told is named, with what to type."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import proxai_ir
from proxai_ir.cli import source
from proxai_ir.cli.source import Source, first_event
from proxai_ir.protocol.registry import framing_of

from .support import ROUTE, Run, environment, records
from .test_convert import PENALIZED, TO_GEMINI
from .test_inspect import ASKED, ERROR, SSE, WHOLE, bytes_of
from .test_process import posix
from .test_streams import HEL, OUT_HEL, events_of, json_lines, server_sent
from .test_streams import WHOLE as EVENTS

PAYLOADS = Path(__file__).parents[2] / "spec" / "payloads"
STREAMS = sorted(PAYLOADS.glob("*_stream.*"))
AMBIGUOUS = b'{"model":"m","messages":[{"role":"user","content":"Hi"}]}'
HEL_ALONE = bytes_of(HEL)
ANTHROPIC, CHAT, GEMINI = "anthropic_messages", "openai_chat_completions", "gemini_generate_content"


def protocol_of(file: Path) -> str:
    return file.name.rpartition("_")[0]


@pytest.mark.parametrize("command", ["convert", "check", "lower", "fold"])
@pytest.mark.parametrize("file", STREAMS, ids=protocol_of)
def test_a_captured_stream(run: Run, file: Path, command: str) -> None:
    """A stream of every protocol is converted as if its protocol and kind were stated."""
    target = () if command in ("lower", "fold") else ("--to", CHAT)
    kind = () if command == "fold" else ("--kind", "stream")
    found = run(command, *target, str(file))
    stated = run(command, "--from", protocol_of(file), *kind, *target, str(file))
    assert found.stdout_bytes == stated.stdout_bytes
    assert found.exit_code == stated.exit_code
    assert found.exit_code in ((0, 3) if command == "check" else (0,))
    first, *rest = found.stderr.splitlines()
    assert first == f"proxai-ir: found a stream of {protocol_of(file)}"
    assert rest == stated.stderr.splitlines()


@pytest.mark.parametrize("kind", ["request", "response", "error"])
@pytest.mark.parametrize("protocol", proxai_ir.protocols())
def test_a_payload(run: Run, protocol: str, kind: str) -> None:
    """One that means the same in several protocols is of any of them."""
    file = PAYLOADS / f"{protocol}_{kind}.json"
    detected = [line.split("\t")[0] for line in run("detect", str(file)).stdout.splitlines()]
    target = ANTHROPIC if protocol != ANTHROPIC else CHAT
    found = run("convert", "--to", target, "--option", "model=m", str(file))
    if found.exit_code == 4 and len(detected) > 1:
        assert f"--from {detected[0]}" in found.stderr
        return
    stated = run("convert", "--from", detected[0], "--to", target, "--option", "model=m", str(file))
    if target not in detected:
        assert (found.exit_code, found.stdout) == (stated.exit_code, stated.stdout)
    assert found.stderr.startswith(f"proxai-ir: found a{'n' * (kind == 'error')} {kind} of ")


@pytest.mark.parametrize("word", [(), ("--from", "auto")])
def test_each_line_shows_its_own(run: Run, word: tuple[str, ...]) -> None:
    """A protocol is noted when it is first met."""
    rows = [ASKED, WHOLE, ASKED, proxai_ir.convert(ASKED, ANTHROPIC, GEMINI)]
    result = run("convert", *word, "--to", CHAT, "--jsonl", "-", stdin=b"\n".join(map(bytes_of, rows)))
    assert result.exit_code == 0
    assert [one.get("object") for one in records(result.stdout)] == [None, "chat.completion", None, None]
    assert [line for line in result.stderr.splitlines() if line.startswith("proxai-ir")] == [
        f"proxai-ir: found a request of {ANTHROPIC}",
        f"proxai-ir: found a response of {CHAT}",
        f"proxai-ir: found a request of {GEMINI}",
    ]


def test_notes_are_for_people(run: Run) -> None:
    for flag in ("--json", "--quiet"):
        assert run("convert", "--to", CHAT, flag, "-", stdin=bytes_of(ASKED)).stderr == ""


def test_lines_that_are_events_are_a_stream(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(json_lines(*EVENTS))
    result = run("convert", "--to", ANTHROPIC, str(file))
    assert result.exit_code == 0
    assert records(result.stdout)[-1] == {"type": "message_stop"}


def test_an_array_of_events_is_a_stream(run: Run) -> None:
    events = [*framing_of(CHAT).decode([SSE])]
    result = run("convert", "--to", ANTHROPIC, "-", stdin=bytes_of(events))
    assert result.exit_code == 0
    assert events_of(result.stdout_bytes)[-1] == {"type": "message_stop"}
    assert "found a stream of openai_chat_completions" in result.stderr
    assert run("fold", "-", stdin=bytes_of(events)).exit_code == 0


def test_whole_responses_on_lines_are_no_stream(run: Run) -> None:
    """Ollama's events and whole responses differ in that the first event ends nothing."""
    whole: dict[str, Any] = {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": "Hi"},
    }
    whole |= {"done": True, "done_reason": "stop"}
    result = run("convert", "--to", CHAT, "--jsonl", "-", stdin=bytes_of(whole) + b"\n" + bytes_of(whole))
    assert result.exit_code == 0
    assert [one["object"] for one in records(result.stdout)] == ["chat.completion"] * 2


def test_the_kind_alone_is_stated(run: Run) -> None:
    assert run("convert", "--kind", "request", "--to", CHAT, "-", stdin=bytes_of(ASKED)).exit_code == 0
    wrong = run("convert", "--kind", "response", "--to", CHAT, "-", stdin=bytes_of(ASKED))
    assert (wrong.exit_code, wrong.stdout) == (4, "")
    assert "no protocol reads this response" in wrong.stderr


def test_several_models_and_no_source(run: Run) -> None:
    models = ("--model", "gpt-5", "--model", "claude-opus-4-6")
    result = run("check", *models, "-", stdin=bytes_of({**ASKED, "top_k": 4}))
    assert [line.split("\t")[:2] for line in result.stdout.splitlines()] == [
        ["gpt-5", "lossy"],
        ["claude-opus-4-6", "whole"],
    ]
    assert result.stderr == f"proxai-ir: found a request of {ANTHROPIC}\n"


# --- what is not told -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (("fold",), bytes_of(ASKED), f"found a request of {ANTHROPIC}"),
        (("fold", "--from", CHAT), bytes_of(ASKED), f"found a request of {ANTHROPIC}"),
        (("fold", "--from", CHAT), json_lines(*EVENTS), "found lines of JSON; if each is an event, pass --jsonl"),
        (
            ("fold", "--from", "ollama_chat"),
            SSE,
            "as a stream of ollama_chat has them; found server-sent events",
        ),
        (("convert", "--to", CHAT), bytes_of({"x": 1}), "no protocol reads this payload; looked at anthropic_messages"),
        (("convert", "--to", CHAT), b'data: {"x": 1}\n\n', "found no event that begins a response"),
        (("convert", "--to", CHAT), bytes_of([1, 2]), "no protocol reads this payload"),
        (
            ("convert", "--to", GEMINI),
            AMBIGUOUS,
            "or openai_chat_completions, where it means different things",
        ),
        (
            ("lower",),
            HEL_ALONE,
            "an event of a stream of openai_chat_completions; if each line is one, pass --jsonl",
        ),
    ],
)
def test_what_cannot_be_told(run: Run, arguments: tuple[str, ...], stdin: bytes, said: str) -> None:
    result = run(*arguments, "-", stdin=stdin)
    assert (result.exit_code, result.stdout) == (4, "")
    assert said in result.stderr
    assert [line for line in result.stderr.splitlines() if ": found a stream of" not in line][1:] == []


@pytest.mark.parametrize("command", ["convert", "check"])
def test_nothing_at_all(run: Run, command: str) -> None:
    result = run(command, "--to", CHAT, "-", stdin=b"")
    assert (result.exit_code, result.stderr) == (5, "proxai-ir: -: not JSON: expected JSON, found nothing\n")


def test_a_file_that_may_not_be_read(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refused(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(source, "open", refused, raising=False)
    for arguments in (("convert", "--to", CHAT), ("convert", *ROUTE, "--kind", "request"), ("fold",), ("detect",)):
        result = run(*arguments, str(tmp_path / "a.json"))
        assert (result.exit_code, result.stdout) == (5, "")
        assert result.stderr == f"proxai-ir: {tmp_path / 'a.json'}: Permission denied\n"


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
@pytest.mark.parametrize(
    "arguments",
    [("convert", *ROUTE, "-"), ("check", *TO_GEMINI, "-"), ("rules",), ("convert", "-h")],
)
def test_a_full_disk(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "proxai_ir.cli", *arguments]
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            command, input=PENALIZED, stdout=full, stderr=subprocess.PIPE, env=environment(), timeout=60, check=False
        )
    assert result.returncode == 5
    assert result.stderr.decode().splitlines()[-1] == "proxai-ir: the output cannot be written: No space left on device"


# --- what is looked at ------------------------------------------------------------------------------------------------


@posix
def test_a_pipe_is_answered_while_it_speaks() -> None:
    """A pipe of which nothing is stated is converted from its first byte, and as it comes."""
    command = [sys.executable, "-m", "proxai_ir.cli", "convert", "--to", ANTHROPIC, "-"]
    reader, writer = os.pipe()
    with subprocess.Popen(
        command, stdin=reader, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
    ) as process:
        os.close(reader)
        assert process.stdout
        deadline = Timer(60, process.kill)
        deadline.start()
        os.write(writer, server_sent(HEL))
        read = b"".join(process.stdout.readline() for _ in range(3 * len(OUT_HEL)))
        assert events_of(read) == OUT_HEL
        os.write(writer, server_sent(*EVENTS[1:]))
        os.close(writer)
        process.stdout.read()
        assert process.wait() == 0
        deadline.cancel()


@pytest.mark.parametrize("size", [1, 7, 65536])
@pytest.mark.parametrize("file", STREAMS, ids=protocol_of)
def test_bytes_may_be_cut_anywhere(file: Path, size: int) -> None:
    data = file.read_bytes()
    framing, event = first_event(data[at : at + size] for at in range(0, len(data), size))
    assert framing is not None
    assert framing is framing_of(protocol_of(file))
    assert event == next(one for one in framing.decode([data]) if isinstance(one, dict))


def test_what_was_looked_at_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"one\ntwo\n" + bytes(200_000))
    looked = Source(str(file))
    next(looked.ahead())
    with looked.open() as opened:
        assert opened.readline() == b"one\n"
        assert opened.read() == b"two\n" + bytes(200_000)
    assert opened.closed


def test_an_error_is_found(run: Run) -> None:
    result = run("convert", "--to", GEMINI, "-", stdin=bytes_of(ERROR))
    assert result.exit_code == 0
    assert f"found an error of {ANTHROPIC}" in result.stderr
