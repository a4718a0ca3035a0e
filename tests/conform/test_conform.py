"""`proxai_ir.testing.conform`: the vectors are those of the specification, ours pass, and each fault has its word."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import orjson
import pytest
from attrs import evolve

from proxai_ir.testing.conform import MOST_STARTS, STARTS, Implementation, Vector, arrives, judged, main, read, vectors

from ..clients.provider import ANTHROPIC, CHAT
from ..samples.openai_chat_completions import building
from . import peers
from .generate import VECTORS, written
from .ours import answer
from .peers import answering

ALL = [*vectors()]


def test_the_vectors_are_those_of_the_specification() -> None:
    found = {file.name: file.read_bytes() for file in VECTORS.glob("*.jsonl")}
    assert found == written(), "python -m tests.conform"
    assert len({one.id for one in ALL}) == len(ALL) > 700
    assert max(len(one.asked()) for one in ALL) < 65_536, "a pipe takes it also while nobody reads"


def test_ours_pass() -> None:
    """Answer each by the library itself, after JSON and back."""
    failed = [one for one in (judged(vector, again(answer(asked(vector)))) for vector in ALL) if not one.passed]
    assert failed == []


def asked(vector: Vector) -> Any:
    return orjson.loads(vector.asked())


def again(value: Any) -> Any:
    return orjson.loads(orjson.dumps(value))


# --- verdicts ---------------------------------------------------------------------------------------------------------

SOURCE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "Half an ans"}],
    "stop_reason": "max_tokens",
    "stop_sequence": "§",
    "usage": {"input_tokens": 3, "output_tokens": 4},
}


USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}


def chat(text: str, finish: str, **more: Any) -> Any:
    return {**building.response(finish, USAGE, content=text), **more}


VECTOR = Vector(
    "TST-1.1", "TST-1", "response", ANTHROPIC, CHAT, {}, SOURCE, chat("Half an ans", "length"),
    ("/content/0/text",), (("TST-2", "/stop_sequence"),), "length",
)  # fmt: skip
REFUSAL = read(
    b'{"id":"TST-2.1","rule":"TST-2","kind":"request","from":"a","to":"b","options":{},"source":{},"expected":null,'
    b'"carried":[],"lost":[],"ending":null}'
)
SAID = [{"severity": "loss", "pointer": "/stop_sequence"}]


@pytest.mark.parametrize(
    ("made", "word"),
    [
        ({"output": chat("Half an ans", "length"), "findings": SAID}, "same"),
        ({"output": chat("Half an ans", "length", id="other"), "findings": SAID}, "equivalent"),
        ({"output": chat("Half an ans …", "length"), "findings": SAID}, "holds"),
        ({"output": chat("Half an ans", "length")}, "unsaid"),
        ({"output": chat("Half an ans", "length"), "findings": [{"pointer": ""}, {"pointer": "/usage"}]}, "unsaid"),
        ({"output": chat("Half", "length"), "findings": SAID}, "loses"),
        ({"output": chat("Half an ans …", "stop"), "findings": SAID}, "wrong ending"),
        ({"output": SOURCE, "findings": SAID}, "invalid"),
        ({"output": "text", "findings": SAID}, "invalid"),
        ({"refused": "no"}, "refused"),
        ({"unsupported": "no"}, "unsupported"),
    ],
)
def test_verdicts(made: Any, word: str) -> None:
    assert judged(VECTOR, made).word == word
    assert judged(VECTOR, made).passed is (word in ("same", "equivalent", "holds"))


@pytest.mark.parametrize("kind", ["request", "response", "error", "stream"])
@pytest.mark.parametrize(
    "output",
    [None, 3, "x", [], [1], {}, {"choices": 1}, orjson.loads("[" * 900 + "]" * 900)],
    ids=lambda one: str(one)[:20],
)
def test_an_output_of_no_protocol(kind: str, output: Any) -> None:
    vector = next(one for one in ALL if one.kind == kind and one.expected and one.carried)
    assert not judged(vector, {"output": output}).passed


def test_a_finding_about_the_whole_payload_names_no_place() -> None:
    assert judged(evolve(VECTOR, lost=(("TST-2", ""),)), {"output": VECTOR.expected, "findings": SAID}).word == "unsaid"


def test_a_refusal_that_must_be() -> None:
    assert judged(REFUSAL, {"refused": "why"}).passed
    assert judged(REFUSAL, {"output": {}}).word == "not refused"


@pytest.mark.parametrize(
    ("value", "output", "expected"),
    [
        ("ab", ["a", "b"], True),  # the pieces of a stream
        ("ab", ["cab"], True),
        ("ab", ["b", "a"], False),
        (3, {"n": 3}, True),
        (3, {"n": "3"}, False),
        ('{"city": "Oslo", "days": 2}', {"input": {"days": 2, "city": "Oslo"}}, True),
        ('{"city": "Oslo", "days": 2}', {"input": {"city": "Oslo"}}, False),
        ("max_tokens", {"type": "max_tokens"}, False),
    ],
)
def test_what_arrives(value: Any, output: Any, expected: bool) -> None:
    assert arrives(value, output) is expected


# --- implementations that misbehave -----------------------------------------------------------------------------------

LOOP = "import json, os, sys, time\nfor number, line in enumerate(sys.stdin):\n    asked = json.loads(line)\n"
ANSWER = "    print(json.dumps({'id': asked['id'], 'unsupported': 'all'}), flush=True)\n"


def command(tmp_path: Path, body: str) -> str:
    file = tmp_path / "implementation.py"
    file.write_text(LOOP + body)
    return shlex.join([sys.executable, str(file)])


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("    time.sleep(60)\n", "hung"),
        ("    os._exit(3)\n", "died"),
        ("    print('Traceback', flush=True)\n", "garbage"),
        ("    print('[1]', flush=True)\n", "garbage"),
        ("    print(json.dumps({'id': asked['id']}), flush=True)\n", "garbage"),
        ("    print(json.dumps({'id': asked['id'], 'output': {}, 'findings': 3}), flush=True)\n", "garbage"),
        ("    print(json.dumps({'id': 'other', 'refused': ''}), flush=True)\n", "out of order"),
    ],
)
def test_what_misbehaves_costs_its_vector_alone(body: str, word: str, tmp_path: Path) -> None:
    second = f"    if asked['id'] == {ALL[1].id!r}:\n    {body}        continue\n"
    run = Implementation(command(tmp_path, second + ANSWER), timeout=1.5)
    begun = time.monotonic()
    words = [judged(vector, made).word for vector, made in run.answers(ALL[:3])]
    assert words == ["unsupported", word, "unsupported"]
    assert time.monotonic() - begun < STARTS, "only for its first answer it has that long"


def test_what_never_answers_is_not_started_for_ever(tmp_path: Path) -> None:
    log = tmp_path / "started"
    program = command(tmp_path, f"    open({str(log)!r}, 'a').write('x')\n    os._exit(1)\n")
    words = [made for _, made in Implementation(program, timeout=5).answers(ALL[: MOST_STARTS + 9])]
    assert words == ["died"] * (MOST_STARTS + 9)
    assert len(log.read_text()) == MOST_STARTS


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--rule", "tul-1", "--command", command(tmp_path, ANSWER)]
    assert main([*given, "--failed"]) == 1
    head, family, every, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["rules", "vectors", "passed", "unsupported"]
    assert family.split()[0] == "TUL"
    assert family.split()[1:] == every.split()[1:]
    assert first.startswith("TUL-1.1  unsupported  openai_chat_completions -> anthropic_messages")
    assert main([*given, "--json"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["rule"] for one in lines} == {"TUL-1"}
    assert {(one["passed"], one["word"]) for one in lines} == {(False, "unsupported")}


def test_ours_passes_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Start it as users do, in a process of its own."""
    assert main(["--rule", "tul-1", "--command", shlex.join([sys.executable, "-m", "tests.conform.ours"])]) == 0
    assert "(100%)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--command", "no-such-program-here"], "no-such-program-here: No such file"),
        (["--command", "true", "--rule", "XYZ"], "no vector has such a rule"),
        ([], "--command"),
    ],
)
def test_wrong_input(given: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(given)
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_a_peer_that_is_not_installed_supports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "NODE", ("no-such-program-here",))
    assert answering("lingua")(asked(ALL[0])) == {"unsupported": "no such conversion"}


def test_it_runs_as_a_program() -> None:
    run = [sys.executable, "-m", "proxai_ir.testing.conform", "--help"]
    assert subprocess.run(run, check=True, capture_output=True, text=True).stdout.startswith("usage: ")
