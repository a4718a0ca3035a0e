"""`--kind stream`: server-sent events or JSON Lines, event by event, and how a stream ends that goes wrong."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import proxai_ir
from proxai_ir.cli import run as streams
from proxai_ir.cli.outcome import ExitCode
from proxai_ir.cli.run import UnreadableError
from proxai_ir.ir import json_form as ir_json

from .support import ROUTE, Run, environment, records
from .test_process import on_terminal, posix

STREAM = (*ROUTE, "--kind", "stream")
BACK = ("--from", "anthropic_messages", "--to", "openai_chat_completions", "--kind", "stream")
Event = dict[str, Any] | str


def chunk(delta: dict[str, Any], finish: str | None = None, **members: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [choice], **members}


def server_sent(*events: Event) -> bytes:
    """As a chat server sends them."""
    return b"".join(
        b"data: " + (event if isinstance(event, str) else dumps(event)).encode() + b"\n\n" for event in events
    )


def json_lines(*events: Event) -> bytes:
    return b"".join(dumps(event).encode() + b"\n" for event in events)


def dumps(event: Event) -> str:
    return json.dumps(event, ensure_ascii=False, separators=(",", ":"))


HEL = chunk({"role": "assistant", "content": "Hel"})
LO = chunk({"content": "lo 👋"})
STOP = chunk({}, "stop")
USAGE = {**chunk({}), "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 7}}
WHOLE = (HEL, LO, STOP, USAGE, "[DONE]")

MESSAGE: dict[str, Any] = {"id": "c1", "type": "message", "role": "assistant", "model": "m", "content": []}
MESSAGE |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0}}
OUT_HEL: list[dict[str, Any]] = [
    {"type": "message_start", "message": MESSAGE},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
]
OUT_LO: list[dict[str, Any]] = [
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo 👋"}}
]
OUT_END: list[dict[str, Any]] = [
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"input_tokens": 9, "output_tokens": 7},
    },
    {"type": "message_stop"},
]
OUT_WHOLE = [*OUT_HEL, *OUT_LO, *OUT_END]
NOT_JSON = b'data: {"id":\n\n'


def events_of(output: bytes) -> list[dict[str, Any]]:
    """The events of a Messages stream, each named by its type."""
    *events, rest = output.decode().split("\n\n")
    assert rest == ""
    pairs = [event.split("\n") for event in events]
    found: list[dict[str, Any]] = [json.loads(data.removeprefix("data: ")) for _, data in pairs]
    assert [name for name, _ in pairs] == [f"event: {event['type']}" for event in found]
    return found


def broken_off(events: list[dict[str, Any]], before: list[dict[str, Any]]) -> bool:
    """Whether these are the events before the error, and then the target's own error event."""
    *expected, last = events
    return expected == before and last["type"] == "error" and last["error"]["type"] == "api_error"


# --- what comes out ---------------------------------------------------------------------------------------------------


def test_server_sent_events(run: Run) -> None:
    result = run("convert", *STREAM, "-", stdin=server_sent(*WHOLE))
    assert (result.exit_code, result.stderr) == (0, "")
    assert events_of(result.stdout_bytes) == OUT_WHOLE
    assert result.stdout_bytes.endswith(b'event: message_stop\ndata: {"type":"message_stop"}\n\n')


def test_json_lines(run: Run) -> None:
    result = run("convert", *STREAM, "--jsonl", "-", stdin=json_lines(*WHOLE))
    assert (result.exit_code, result.stderr) == (0, "")
    assert records(result.stdout) == OUT_WHOLE


def test_the_last_word_in_json_lines(run: Run) -> None:
    result = run("convert", *BACK, "--jsonl", "-", stdin=json_lines(*OUT_WHOLE))
    assert result.exit_code == 0
    assert records(result.stdout)[0]["choices"] == [
        {"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}
    ]
    assert result.stdout.endswith('\n"[DONE]"\n')


def test_the_last_word_in_server_sent_events(run: Run) -> None:
    sent = b"".join(f"event: {event['type']}\r\ndata: {dumps(event)}\r\n\r\n".encode() for event in OUT_WHOLE)
    result = run("convert", *BACK, "-", stdin=b": hello\r\n\r\n" + sent)
    assert result.exit_code == 0
    assert result.stdout_bytes.endswith(b"}\n\ndata: [DONE]\n\n")
    assert b"event:" not in result.stdout_bytes


def test_a_file_called_jsonl_is_json_lines_unless_a_flag_overrides_it(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(json_lines(*WHOLE))
    assert records(run("convert", *STREAM, str(file)).stdout) == OUT_WHOLE
    file.write_bytes(server_sent(*WHOLE))
    assert events_of(run("convert", *STREAM, "--no-jsonl", str(file)).stdout_bytes) == OUT_WHOLE


def test_blank_lines_and_a_last_line_without_its_newline(run: Run) -> None:
    stdin = json_lines(*WHOLE).replace(b"\n", b"\r\n\r\n").rstrip()
    assert records(run("convert", *STREAM, "--jsonl", "-", stdin=stdin).stdout) == OUT_WHOLE


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 65536])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_bytes_may_be_cut_anywhere(size: int, ending: bytes) -> None:
    sent = server_sent(*WHOLE).replace(b"\n", ending)
    pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
    *steps, last = streams.convert(pieces, ROUTE[1], ROUTE[3], {}, jsonl=False, fail_on_loss=True)
    assert events_of(b"".join(step.output or b"" for step in [*steps, last])) == OUT_WHOLE
    assert (last.exit, [*last.diagnostics]) == (ExitCode.OK, [])


def test_an_option_of_the_library(run: Run) -> None:
    result = run("convert", *STREAM, "--option", "input_tokens=5", "--jsonl", "-", stdin=json_lines(*WHOLE))
    (start, *_) = records(result.stdout)
    assert start["message"] == {**MESSAGE, "usage": {"input_tokens": 5, "output_tokens": 0}}


# --- when it comes out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flags", ["", "--jsonl"])
def test_the_output_of_an_event_is_written_before_the_next_is_read(flags: str) -> None:
    note_form, lines = (json_lines, 1) if flags else (server_sent, 3)
    command = [sys.executable, "-m", "proxai_ir.cli", "convert", *STREAM, *flags.split(), "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
    ) as process:
        assert process.stdin
        assert process.stdout
        deadline = Timer(60, process.kill)
        deadline.start()
        written = b""
        for event, expected in ((HEL, OUT_HEL), (LO, OUT_LO)):
            sent = note_form(event)
            for half in (sent[: len(sent) // 2], sent[len(sent) // 2 :]):
                process.stdin.write(half)
                process.stdin.flush()
            read = b"".join(process.stdout.readline() for _ in range(lines * len(expected)))
            assert (records(read.decode()) if flags else events_of(read)) == expected
            written += read
        process.stdin.write(note_form(STOP, USAGE))
        process.stdin.close()
        written += process.stdout.read()
        assert process.wait() == 0
        deadline.cancel()
    assert (records(written.decode()) if flags else events_of(written)) == OUT_WHOLE


@posix
def test_a_character_may_be_cut() -> None:
    command = [sys.executable, "-m", "proxai_ir.cli", "convert", *STREAM, "-"]
    sent = server_sent(*WHOLE)
    middle = sent.index("👋".encode()) + 2
    reader, writer = os.pipe()
    with subprocess.Popen(command, stdin=reader, stdout=subprocess.PIPE, env=environment()) as process:
        os.close(reader)
        assert process.stdout
        deadline = Timer(60, process.kill)
        deadline.start()
        os.write(writer, sent[:middle])
        first = process.stdout.readline()  # what was sent is read, and what is missing is not waited for
        os.write(writer, sent[middle:])
        os.close(writer)
        assert events_of(first + process.stdout.read()) == OUT_WHOLE
        assert process.wait() == 0
        deadline.cancel()


# --- diagnostics ------------------------------------------------------------------------------------------------------

TRACED = chunk({"role": "assistant", "content": "Hel", "trace": 7})
TRACE = ["loss", "UNK-1", "/0/choices/0/delta/trace"]
ORPHAN = chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]})
ORPHANED = "/1/choices/0/delta/tool_calls/0"
SECOND = {**chunk({}), "choices": [{"index": 1, "delta": {"content": "Or"}}]}


def found(lines: str) -> list[list[str]]:
    return [line.split("  ")[:3] for line in lines.splitlines()]


def test_a_loss_is_reported_once_and_at_the_end(run: Run) -> None:
    result = run("convert", *STREAM, "-", stdin=server_sent(TRACED, *WHOLE[1:]))
    assert (result.exit_code, found(result.stderr)) == (0, [TRACE])
    assert events_of(result.stdout_bytes) == OUT_WHOLE


def test_json_diagnostics(run: Run) -> None:
    result = run("convert", *STREAM, "--json-diagnostics", "-", stdin=server_sent(TRACED, *WHOLE[1:]))
    record, ending = records(result.stderr)
    assert list(record) == ["rule", "severity", "path", "message"]
    assert [record["severity"], record["rule"], record["path"]] == TRACE
    assert ending == {
        "rule": None,
        "severity": "info",
        "path": None,
        "message": "finish stop (stop); usage input 9, output 7",
        "finishes": [{"reason": "stop", "raw": "stop"}],
        "usage": {"input": 9, "output": 7},
    }


def test_a_stream_that_breaks_off_has_no_ending(run: Run) -> None:
    result = run("check", *STREAM, "--json-diagnostics", "-", stdin=server_sent(HEL, LO))
    assert result.exit_code == 4
    (record,) = records(result.stdout)
    assert record["rule"] == "STR-2"


@pytest.mark.parametrize(
    ("flags", "first", "code"),
    [("--fail-on-loss", HEL, 0), ("--fail-on-loss", TRACED, 3), ("--strict", HEL, 0), ("--quiet", TRACED, 0)],
)
def test_flags(run: Run, flags: str, first: Event, code: int) -> None:
    result = run("convert", *STREAM, *shlex.split(flags), "-", stdin=server_sent(first, *WHOLE[1:]))
    assert result.exit_code == code
    assert bool(result.stderr) == (code == 3)
    assert events_of(result.stdout_bytes) == OUT_WHOLE


def test_strict_ends_at_the_first_loss(run: Run) -> None:
    late = chunk({"content": "lo 👋", "trace": 7})
    result = run("convert", *STREAM, "--strict", "-", stdin=server_sent(HEL, late, STOP))
    assert (result.exit_code, found(result.stderr)) == (4, [["error", "UNK-1", "/1/choices/0/delta/trace"]])
    assert broken_off(events_of(result.stdout_bytes), [*OUT_HEL, *OUT_LO])


# --- streams that go wrong --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rest", "error"),
    [
        ((), "STR-2 /0"),
        ((ORPHAN, LO), f"STR-9 {ORPHANED}"),
        ((SECOND, LO), "CHO-1 "),
        (({"id": 1},), "SHP-"),
        (("[OVER]",), "SHP-"),
    ],
)
@pytest.mark.parametrize("flags", ["", "--fail-on-loss"])
def test_an_error_ends_the_targets_stream_too(run: Run, rest: tuple[Event, ...], error: str, flags: str) -> None:
    result = run("convert", *STREAM, "--jsonl", *flags.split(), "-", stdin=json_lines(TRACED, *rest))
    assert result.exit_code == 4
    assert broken_off(records(result.stdout), OUT_HEL)
    loss, refusal = found(result.stderr)
    assert (loss, refusal[0]) == (TRACE, "error")
    assert " ".join(refusal[1:]).startswith(error)


def test_an_empty_stream_was_cut_off(run: Run) -> None:
    result = run("convert", *STREAM, "-", stdin=b"")
    assert (result.exit_code, found(result.stderr)) == (4, [["error", "STR-2", "(the whole payload)"]])
    assert broken_off(events_of(result.stdout_bytes), [])


@pytest.mark.parametrize(
    ("flags", "stdin", "place"),
    [
        ("", server_sent(TRACED) + NOT_JSON, "/1"),
        ("--jsonl", json_lines(TRACED) + b"\nnot JSON\n", "/1"),
    ],
)
def test_what_is_not_json(run: Run, flags: str, stdin: bytes, place: str) -> None:
    result = run("convert", *STREAM, *flags.split(), "-", stdin=stdin)
    assert result.exit_code == 5
    assert broken_off(records(result.stdout) if flags else events_of(result.stdout_bytes), OUT_HEL)
    loss, unreadable = result.stderr.splitlines()
    assert found(loss) == [TRACE]
    assert unreadable.startswith(f"proxai-ir: -: SHP-6 at {place}: ")


def test_quiet_still_reports_unreadable_input(run: Run) -> None:
    result = run("convert", *STREAM, "--quiet", "-", stdin=server_sent(TRACED) + NOT_JSON)
    assert (result.exit_code, result.stderr.count("\n")) == (5, 1)
    assert "SHP-6" in result.stderr
    result = run("convert", *STREAM, "--quiet", "-", stdin=server_sent(TRACED))
    assert (result.exit_code, result.stderr) == (4, "")
    assert broken_off(events_of(result.stdout_bytes), OUT_HEL)


def test_a_source_that_fails_while_it_is_read() -> None:
    def pieces() -> Iterator[bytes]:
        yield server_sent(TRACED)
        raise UnreadableError("Input/output error")

    steps = streams.convert(pieces(), ROUTE[1], ROUTE[3], {}, jsonl=False, fail_on_loss=False)
    first, last = next(steps), next(steps)
    assert broken_off(events_of((first.output or b"") + (last.output or b"")), OUT_HEL)
    assert [one.path for one in last.diagnostics] == ["/0/choices/0/delta/trace"]
    with pytest.raises(UnreadableError):
        next(steps)


@pytest.mark.parametrize("command", [("convert", *STREAM), ("check", *STREAM)])
def test_a_file_that_is_not_there(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    result = run(*command, str(tmp_path / "absent.sse"))
    assert (result.exit_code, result.stdout) == (5, "")
    assert "No such file" in result.stderr


@pytest.mark.parametrize(
    "flags", ["--keep-going", "--keep-going --jsonl", "--pretty", "--pretty --jsonl", "--option no_such_option=1"]
)
def test_wrong_usage(run: Run, flags: str) -> None:
    result = run("convert", *STREAM, *flags.split(), "-", stdin=server_sent(*WHOLE))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("proxai-ir convert: ")
    assert result.stderr.count("\n") == 1


def test_compact_is_what_it_is_anyway(run: Run) -> None:
    assert events_of(run("convert", *STREAM, "--compact", "-", stdin=server_sent(*WHOLE)).stdout_bytes) == OUT_WHOLE


def test_a_stream_shows_its_kind(run: Run) -> None:
    """By its framing; lines of JSON are one where they are events and no payloads."""
    assert events_of(run("convert", *ROUTE, "-", stdin=server_sent(*WHOLE)).stdout_bytes) == OUT_WHOLE
    assert records(run("convert", *ROUTE, "--jsonl", "-", stdin=json_lines(*WHOLE)).stdout) == OUT_WHOLE
    assert run("convert", *ROUTE, "-", stdin=b"date").exit_code == 5


def test_a_stream_that_is_said_to_be_none(run: Run) -> None:
    result = run("convert", *ROUTE, "--kind", "request", "-", stdin=server_sent(*WHOLE))
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr.endswith("; a stream needs --kind stream\n")


# --- check, lower, and the bar ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("events", "code", "expected"),
    [
        (WHOLE, 0, []),
        ((TRACED, *WHOLE[1:]), 3, [TRACE]),
        ((TRACED, ORPHAN), 4, [TRACE, ["error", "STR-9", ORPHANED]]),
    ],
)
@pytest.mark.parametrize("flags", ["", "--jsonl"])
def test_check(run: Run, events: tuple[Event, ...], code: int, expected: list[list[str]], flags: str) -> None:
    stdin = json_lines(*events) if flags else server_sent(*events)
    result = run("check", *STREAM, *flags.split(), "-", stdin=stdin)
    assert (result.exit_code, result.stderr) == (code, "")
    assert found(result.stdout) == expected


def test_check_of_what_is_not_json(run: Run) -> None:
    result = run("check", *STREAM, "-", stdin=server_sent(TRACED) + NOT_JSON)
    assert (result.exit_code, found(result.stdout)) == (5, [TRACE])
    assert "SHP-6" in result.stderr


@pytest.mark.parametrize("flags", ["", "--jsonl", "--pretty", "--jsonl --pretty"])
def test_lower(run: Run, flags: str) -> None:
    stdin = json_lines(*WHOLE) if "--jsonl" in flags else server_sent(*WHOLE)
    result = run("lower", "--from", ROUTE[1], "--kind", "stream", *flags.split(), "-", stdin=stdin)
    assert (result.exit_code, result.stderr) == (0, "")
    assert ir_json.loads(result.stdout) == proxai_ir.lower(list(WHOLE), ROUTE[1], kind="stream")
    assert (result.stdout.count("\n") > 1) == ("--pretty" in flags)


@pytest.mark.parametrize(("stdin", "code"), [(server_sent(HEL), 4), (server_sent(HEL) + NOT_JSON, 5)])
def test_lower_refuses(run: Run, stdin: bytes, code: int) -> None:
    result = run("lower", "--from", ROUTE[1], "--kind", "stream", "-", stdin=stdin)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr


@posix
@pytest.mark.parametrize(("flags", "shown"), [((), True), (("--quiet",), False)])
def test_the_progress_bar(tmp_path: Path, flags: tuple[str, ...], shown: bool) -> None:
    file = tmp_path / "answer.sse"
    file.write_bytes(server_sent(*WHOLE))
    seen, out = on_terminal(("convert", *STREAM, *flags, str(file)), ["stderr"], b"")
    assert ("10 lines" in seen) is shown
    assert events_of(out) == OUT_WHOLE


@posix
def test_a_stream_is_not_indented_on_a_terminal() -> None:
    seen, _ = on_terminal(("convert", *STREAM, "-"), ["stdout"], server_sent(*WHOLE))
    assert events_of(seen.replace("\r\n", "\n").encode()) == OUT_WHOLE


def test_a_conversion_that_cannot_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    """As between protocols of which one has no streams, which a package may add."""
    with pytest.raises(proxai_ir.TranslationError) as caught:
        proxai_ir.convert({"model": "m", "messages": 3}, ROUTE[1], ROUTE[3])

    def refusing(*_: Any, **__: Any) -> None:
        raise caught.value

    monkeypatch.setattr(proxai_ir, "StreamConverter", refusing)
    (outcome,) = streams.check([b"data: {}\n\n"], ROUTE[1], ROUTE[3], {}, jsonl=False)
    assert (outcome.exit, outcome.output) == (ExitCode.REFUSED, None)
    assert outcome.reason
