"""`proxai-ir check` and `proxai-ir lower`."""

import json

import pytest

from .support import LOSSY, NO_JSON, PLAIN, REFUSED, ROUTE, Run, records


@pytest.mark.parametrize(
    ("payload", "code", "found"),
    [
        (PLAIN, 0, []),
        (LOSSY, 3, [["loss", "SMP-10", "/seed"]]),
        (REFUSED, 4, [["error", "CHO-2", "/n"]]),
        (NO_JSON, 5, []),
    ],
)
def test_check(run: Run, payload: bytes, code: int, found: list[list[str]]) -> None:
    result = run("check", *ROUTE, "-", stdin=payload)
    assert result.exit_code == code
    assert [line.split("  ")[:3] for line in result.stdout.splitlines()] == found
    assert bool(result.stderr) == (code == 5)


def test_check_in_json(run: Run) -> None:
    (record,) = records(run("check", *ROUTE, "--json-diagnostics", "-", stdin=LOSSY).stdout)
    assert (record["severity"], record["rule"], record["path"]) == ("loss", "SMP-10", "/seed")


def test_check_quietly(run: Run) -> None:
    result = run("check", *ROUTE, "--quiet", "-", stdin=LOSSY)
    assert (result.exit_code, result.output) == (3, "")


def test_lower_prints_the_ir(run: Run) -> None:
    result = run("lower", "--from", "openai_chat_completions", "--kind", "request", "-", stdin=PLAIN)
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout)["model"] == "m"
    assert '"hi"' in result.stdout
    assert result.stdout.count("\n") == 1


def test_lower_indents_if_asked(run: Run) -> None:
    result = run("lower", "--from", "openai_chat_completions", "--kind", "request", "--pretty", "-", stdin=PLAIN)
    assert result.stdout.startswith('{\n  "')


def test_lower_of_json_lines(run: Run) -> None:
    stdin = PLAIN + b"\n" + LOSSY + b"\n"
    result = run("lower", "--from", "openai_chat_completions", "--kind", "request", "--jsonl", "-", stdin=stdin)
    assert result.exit_code == 0
    assert [record["model"] for record in records(result.stdout)] == ["m", "m"]


@pytest.mark.parametrize(("payload", "code"), [(b'{"messages": 1}', 4), (NO_JSON, 5)])
def test_lower_refuses(run: Run, payload: bytes, code: int) -> None:
    result = run("lower", "--from", "openai_chat_completions", "--kind", "request", "-", stdin=payload)
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr
