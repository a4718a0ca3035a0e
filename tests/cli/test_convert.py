"""`proxai-ir convert`, one payload: what goes where, and the exit code."""

import json
import re
import shlex
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from rich.console import Console

from proxai_ir import Remedy, Seals
from proxai_ir.cli import run as streams
from proxai_ir.cli.outcome import Outcome, convert
from proxai_ir.cli.show import Reporter, as_arguments

from .support import CONVERTED, LOSSY, NO_JSON, PLAIN, REFUSED, ROUTE, TWICE_REFUSED, Run, Spawn, records


def test_output_and_diagnostics_go_apart(run: Run) -> None:
    result = run("convert", *ROUTE, "-", stdin=LOSSY)
    assert result.exit_code == 0
    assert json.loads(result.stdout) == CONVERTED
    (line,) = result.stderr.splitlines()
    severity, code, path, message = line.split("  ", 3)
    assert (severity, code, path) == ("loss", "SMP-10", "/seed")
    assert message


def test_without_losses_nothing_is_printed(run: Run) -> None:
    result = run("convert", *ROUTE, "-", stdin=PLAIN)
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == CONVERTED


def test_a_file_does_what_standard_input_does(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "payload.json"
    file.write_bytes(LOSSY)
    from_file, from_stdin = run("convert", *ROUTE, str(file)), run("convert", *ROUTE, "-", stdin=LOSSY)
    assert (from_file.stdout, from_file.stderr) == (from_stdin.stdout, from_stdin.stderr)


@pytest.mark.parametrize(
    ("flags", "payload", "code"),
    [
        ("", PLAIN, 0),
        ("", LOSSY, 0),
        ("--fail-on-loss", PLAIN, 0),
        ("--fail-on-loss", LOSSY, 3),
        ("--strict", PLAIN, 0),
        ("--strict", LOSSY, 4),
        ("", REFUSED, 4),
        ("--fail-on-loss", REFUSED, 4),
        ("", b"[]", 4),
        ("", NO_JSON, 5),
        ("", b"", 5),
        ("", b"\xff\xfe", 5),
    ],
)
def test_exit_codes(run: Run, flags: str, payload: bytes, code: int) -> None:
    result = run("convert", *ROUTE, "--kind", "request", *shlex.split(flags), "-", stdin=payload)
    assert result.exit_code == code
    assert bool(result.stdout) == (code in {0, 3})


def test_a_refusal_prints_every_reason(run: Run) -> None:
    result = run("convert", *ROUTE, "--json-diagnostics", "-", stdin=TWICE_REFUSED)
    assert result.exit_code == 4
    errors = {(record["rule"], record["path"]) for record in records(result.stderr) if record["severity"] == "error"}
    assert ("CHO-2", "/n") in errors
    assert any(code == "TUL-5" for code, _ in errors)


def test_json_diagnostics(run: Run) -> None:
    result = run("convert", *ROUTE, "--json-diagnostics", "-", stdin=LOSSY)
    (record,) = records(result.stderr)
    assert list(record) == ["rule", "severity", "path", "message"]
    assert (record["severity"], record["rule"], record["path"]) == ("loss", "SMP-10", "/seed")


def test_json_diagnostics_report_unreadable_input_in_json(run: Run) -> None:
    (record,) = records(run("convert", *ROUTE, "--json-diagnostics", "-", stdin=NO_JSON).stderr)
    assert (record["severity"], record["rule"], record["path"]) == ("error", None, None)


def test_quiet_leaves_the_exit_code(run: Run) -> None:
    result = run("convert", *ROUTE, "--quiet", "--fail-on-loss", "-", stdin=LOSSY)
    assert (result.exit_code, result.stderr) == (3, "")
    result = run("convert", *ROUTE, "--quiet", "-", stdin=REFUSED)
    assert (result.exit_code, result.stdout, result.stderr) == (4, "", "")


def test_quiet_still_reports_unreadable_input(run: Run) -> None:
    assert run("convert", *ROUTE, "--quiet", "-", stdin=NO_JSON).stderr.startswith("proxai-ir: -: not JSON")


def test_layout(run: Run) -> None:
    indented = run("convert", *ROUTE, "--pretty", "-", stdin=PLAIN).stdout
    assert indented.startswith('{\n  "')
    assert json.loads(indented) == CONVERTED
    one_line = run("convert", *ROUTE, "--compact", "-", stdin=PLAIN).stdout
    assert one_line.count("\n") == 1
    assert json.loads(one_line) == CONVERTED


def test_a_payload_that_is_already_there_keeps_its_layout_unless_asked(run: Run) -> None:
    same = ("--from", "anthropic_messages", "--to", "anthropic_messages", "--kind", "request")
    payload = json.dumps(CONVERTED, indent=1).encode()
    assert json.loads(run("convert", *same, "-", stdin=payload).stdout) == CONVERTED
    assert run("convert", *same, "--compact", "-", stdin=payload).stdout.count("\n") == 1


@pytest.mark.parametrize(("missing", "why"), [("absent.json", "No such file"), (".", "directory")])
def test_a_file_that_cannot_be_read(run: Run, tmp_path: Path, missing: str, why: str) -> None:
    result = run("convert", *ROUTE, str(tmp_path / missing))
    assert (result.exit_code, result.stdout) == (5, "")
    assert why in result.stderr


def test_an_unknown_protocol_lists_the_known_ones(run: Run) -> None:
    result = run("convert", "--from", "openai_chatt", "--to", "anthropic_messages", "-", stdin=PLAIN)
    assert result.exit_code == 2
    assert "anthropic_messages" in result.stderr
    assert "openai_chat_completions" in result.stderr


def test_an_option_before_the_command_is_one_of_all_commands(run: Run) -> None:
    result = run("--no-such-option", "convert", stdin=PLAIN)
    assert result.exit_code == 2
    assert result.stderr.startswith("proxai-ir: there is no option --no-such-option")
    assert result.stderr.endswith("; see `proxai-ir --help`\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("-",),
        (*ROUTE,),
        (*ROUTE, "--kind", "poem", "-"),
        (*ROUTE, "--pretty", "--jsonl", "-"),
        (*ROUTE, "--keep-going", "-"),
        (*ROUTE, "--option", "novalue", "-"),
        (*ROUTE, "--option", "=1", "-"),
        (*ROUTE, "--option", "strict=true", "-"),
        (*ROUTE, "--option", "a=1", "--option", "a=2", "-"),
        (*ROUTE, "--option", "no_such_option=1", "-"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("convert", *arguments, stdin=PLAIN)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("proxai-ir convert: ")
    assert result.stderr.endswith("; see `proxai-ir convert --help`\n")
    assert result.stderr.count("\n") == 1


def test_control_characters_of_a_payload_do_not_reach_the_terminal(run: Run) -> None:
    payload = {**json.loads(PLAIN), "odd\x1b[31m\nkey": 1}
    result = run("convert", *ROUTE, "-", stdin=json.dumps(payload).encode())
    assert "\x1b" not in result.stderr
    assert all(line.split("  ")[0] in {"loss", "error"} for line in result.stderr.splitlines())
    assert "\\x1b" in result.stderr


@pytest.mark.parametrize("odd", ["\x9b31m", "\u202e", "\U000e0001"])
def test_nor_in_json_diagnostics(run: Run, odd: str) -> None:
    payload = {**json.loads(PLAIN), f"odd{odd}": 1, "größe": 1}
    result = run("convert", *ROUTE, "--json-diagnostics", "-", stdin=json.dumps(payload).encode())
    assert odd not in result.stderr
    assert {record["path"] for record in records(result.stderr)} == {f"/odd{odd}", "/größe"}


@pytest.mark.parametrize("layout", ["--pretty", "--compact"])
def test_a_layout_keeps_integers_of_any_size(run: Run, layout: str) -> None:
    number = "123456789012345678901234567890"
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": f'{{"n": {number}}}'}}
    turns = [{"role": "user", "content": "ü"}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    payload = {**json.loads(PLAIN), "messages": turns}
    result = run("convert", *ROUTE, layout, "-", stdin=json.dumps(payload).encode())
    assert number in result.stdout
    assert "ü" in result.stdout


@pytest.mark.parametrize("value", ["custom_tools", '["custom_tools"]', "auto"])
def test_an_option_that_is_a_list_takes_words(run: Run, value: str) -> None:
    payload = {"model": "m", "input": "Hi", "max_output_tokens": 5, "tools": [{"type": "custom", "name": "x"}]}
    route = ("--from", "openai_responses", "--to", "anthropic_messages", "--kind", "request")
    result = run("convert", *route, "--option", f"emulate={value}", "-", stdin=json.dumps(payload).encode())
    assert (result.exit_code, json.loads(result.stdout)["tools"][0]["name"]) == (0, "x")


@pytest.mark.parametrize("option", ["status=[1]", "emulate=magic", "accept=TUL-99", "max_tokens=x"])
def test_an_option_of_a_wrong_value_is_wrong_usage(run: Run, option: str) -> None:
    result = run("convert", *ROUTE, "--option", option, "-", stdin=PLAIN)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("proxai-ir convert: --option: option '")


@pytest.mark.parametrize("value", ["true", '{"ids": true}', '{"keys": {"k1": "0123456789abcdef"}}'])
def test_seals_are_stated_as_json(run: Run, value: str) -> None:
    """True is `Seals()`; the members of another are an object, keys as text."""
    thought = {"type": "thinking", "thinking": "so", "signature": "c2ln"}
    made: dict[str, Any] = {"id": "m1", "type": "message", "role": "assistant", "model": "c", "content": [thought]}
    made |= {"stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    route = ("--from", "anthropic_messages", "--to", "openai_responses", "--option", f"seals={value}", "-")
    result = run("convert", *route, stdin=json.dumps(made).encode())
    assert result.exit_code == 0
    assert json.loads(result.stdout)["output"][0]["encrypted_content"].startswith("proxai_ir.seal.")


@pytest.mark.parametrize("value", ["1", '{"key": 1}', '{"keys": {"k1": "short"}}', "yes"])
def test_seals_that_are_none_are_wrong_usage(run: Run, value: str) -> None:
    result = run("convert", *ROUTE, "--option", f"seals={value}", "-", stdin=PLAIN)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "expected" in result.stderr


PENALIZED = json.dumps({**json.loads(PLAIN), "frequency_penalty": 1}).encode()
TO_GEMINI = ("--from", "openai_chat_completions", "--to", "gemini_generate_content")


@pytest.mark.parametrize("command", ["convert", "check"])
def test_a_capability_of_the_target_is_stated(run: Run, command: str) -> None:
    found = {one["rule"] for one in diagnosed(run(command, *TO_GEMINI, "--json", "-", stdin=PENALIZED))}
    assert "SMP-3" in found
    stated = ("--capability", "penalties=true")
    found = {one["rule"] for one in diagnosed(run(command, *TO_GEMINI, *stated, "--json", "-", stdin=PENALIZED))}
    assert "SMP-3" not in found
    narrow = ("--profile", "vertex_ai", "--capability", "penalties=false")
    found = {one["rule"] for one in diagnosed(run(command, *TO_GEMINI, *narrow, "--json", "-", stdin=PENALIZED))}
    assert "SMP-3" in found


def diagnosed(result: Any) -> list[dict[str, Any]]:
    """The diagnostics of a command, on whichever stream it writes them."""
    lines = (line for line in (*result.stdout.splitlines(), *result.stderr.splitlines()) if line.startswith('{"rule"'))
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    ("flag", "stated", "named"),
    [
        ("--option", "penalties=true", "--capability penalties=true"),
        ("--option", "version=2023-06-01", "--capability version=2023-06-01"),
        ("--capability", "penaltys=true", "penalties"),
        ("--capability", "penalties=perhaps", "expected True or False"),
        ("--capability", "penalties", "NAME=VALUE"),
    ],
)
def test_what_is_stated_in_the_wrong_place_is_named(run: Run, flag: str, stated: str, named: str) -> None:
    result = run("convert", *TO_GEMINI, flag, stated, "-", stdin=PENALIZED)
    assert (result.exit_code, result.stdout) == (2, "")
    assert named in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("convert", "-", *ROUTE, "--model", ""), "--model: expected a name, found an empty one"),
        (
            ("convert", "-", "--to", "openai:"),
            "--to: 'openai:' names no model; expected openai:MODEL, or openai alone",
        ),
        (("bulk", "a.jsonl", *ROUTE, "--model", ""), "--model: expected a name, found an empty one"),
        (
            ("bulk", "a.jsonl", "--from", "auto", "--to", "openai:", "--out", "x"),
            "--to: 'openai:' names no model; expected openai:MODEL, or openai alone",
        ),
    ],
)
def test_a_name_that_is_empty(run: Run, arguments: tuple[str, ...], said: str) -> None:
    """As of a variable of the shell that is not set: the request's own model is not what was meant."""
    result = run(*arguments, stdin=PLAIN)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"proxai-ir {arguments[0]}: {said}; see `proxai-ir {arguments[0]} --help`\n"


def test_a_wrong_source_is_named(run: Run) -> None:
    payload = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    result = run("convert", *ROUTE, "-", stdin=json.dumps(payload).encode())
    assert result.exit_code == 4
    assert "looks like gemini_generate_content" in result.stderr


def test_remedies_where_they_are_asked_for(run: Run) -> None:
    payload = json.dumps({**json.loads(PLAIN), "top_logprobs": 2, "logprobs": True, "seed": 1}).encode()
    route = ("--from", "openai_chat_completions", "--to", "gemini_generate_content", "-")
    assert all("remedies" not in one for one in records(run("check", *route, "--json", stdin=payload).stdout))
    found = {
        one["path"]: one["remedies"]
        for one in records(run("check", *route, "--json", "--remedies", stdin=payload).stdout)
    }
    assert found["/model"] == []
    assert found["/logprobs"][0] == {
        "kind": "capability",
        "name": "logprobs",
        "value": True,
        "leaves": [],
        "protocol": "gemini_generate_content",
        "type": "--capability logprobs=true, if the server has it",
    }
    plain = run("convert", *route, "--remedies", stdin=payload).stderr.splitlines()
    at = next(at for at, line in enumerate(plain) if line.startswith("loss  SMP-7  /logprobs"))
    assert plain[at + 1 : at + 3] == [
        "      --capability logprobs=true, if the server has it",
        "      --profile vertex_ai, if it is that server",
    ]
    assert run("check", *route, stdin=payload).stdout == run("check", *route, "--no-remedies", stdin=payload).stdout


def test_remedies_of_a_stream(run: Run) -> None:
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 7, "model": "m"}
    delta = {"role": "assistant", "content": "Hi", "extra_content": {"google": {"thought_signature": "c2ln"}}}
    events = [{"index": 0, "delta": delta}, {"index": 0, "delta": {}, "finish_reason": "stop"}]
    lines = b"\n".join(json.dumps({**chunk, "choices": [one]}).encode() for one in events)
    route = ("--from", "openai_chat_completions", "--to", "openai_responses", "--kind", "stream", "--jsonl")
    done = run("check", *route, "--json", "--remedies", "-", stdin=lines)
    (found,) = [one for one in records(done.stdout) if one["rule"] == "RSN-4"]
    assert [one["type"] for one in found["remedies"]] == ["--option seals=true"]


# --- on a terminal ----------------------------------------------------------------------------------------------------


def shown(outcome: Outcome, done: str = "converted", line: int | None = None) -> list[str]:
    """What a terminal of any width gets."""
    console = Console(file=StringIO(), force_terminal=True, no_color=True, width=500)
    Reporter(console, file="-", as_json=False, quiet=False, done=done).show(outcome, line)
    assert isinstance(console.file, StringIO)
    return [re.sub(r"\x1b\[[0-9;]*m", "", text) for text in console.file.getvalue().splitlines()]


def test_a_terminal_gets_a_summary_first_and_what_helps() -> None:
    """Every value that is lost counts, and is named; where nothing helps nothing is said."""
    turns = [{"role": "user", "name": name, "content": "Hi"} for name in ("Ada", "Bob", "Cy")]
    asked = {**json.loads(LOSSY), "messages": turns, "n": 1, "response_format": {"type": "json_object"}}
    outcome = convert(json.dumps(asked).encode(), ROUTE[1], ROUTE[3], None, {}, fail_on_loss=False)
    assert shown(outcome) == [
        "converted: 5 values lost, 1 note",
        "loss  USR-4  /messages/0/name  The target's messages have no participant name; dropped.",
        "      also at /messages/1/name, /messages/2/name",
        "loss  OUT-3  /response_format  The target has no JSON mode without a schema; dropped.",
        "      --option emulate=json_mode (then OUT-11)",
        "loss  SMP-10  /seed  The target has no seed, by which sampling could be repeated; dropped.",
        "info  SMP-6  /n  Dropped: already the target's default.",
    ]
    assert shown(outcome, "converts", 7)[0] == "line 7: converts: 5 values lost, 1 note"


def test_of_many_places_the_first_are_named() -> None:
    turns = [{"role": "user", "name": "Ada", "content": "Hi"}] * 14
    asked = {**json.loads(PLAIN), "messages": turns}
    outcome = convert(json.dumps(asked).encode(), ROUTE[1], ROUTE[3], None, {}, fail_on_loss=False)
    head, _, others = shown(outcome)
    assert head == "converted: 14 values lost"
    assert others.endswith("/messages/10/name, 3 more, which --json-diagnostics lists")


def test_a_terminal_is_told_of_refusals_first() -> None:
    outcome = convert(REFUSED, ROUTE[1], ROUTE[3], None, {}, fail_on_loss=False)
    head, error, helps = shown(outcome)
    assert head == "refused: 1 reason"
    assert error.startswith("error  CHO-2  /n  ")
    assert helps.strip() == "--option emulate=one_candidate (then CHO-4)"


@pytest.mark.parametrize(
    ("remedy", "written"),
    [
        (Remedy("option", "seals", Seals()), "--option seals=true"),
        (Remedy("option", "seals", Seals(ids=True)), "--option 'seals={\"ids\":true}'"),
        (Remedy("option", "emulate", ("client_tools", "user_turn")), "--option emulate=client_tools,user_turn"),
        (Remedy("option", "model", "NAME"), "--model NAME"),
        (Remedy("capability", "labels", True), "--capability labels=true, if the server has it"),
        (Remedy("profile", "VERTEX_AI"), "--profile vertex_ai, if it is that server"),
        (Remedy("model", "gemini-2.5"), "--model gemini-2.5"),
    ],
)
def test_a_remedy_is_written_as_the_command_line_takes_it(remedy: Remedy, written: str) -> None:
    assert as_arguments(remedy) == written


def test_what_is_shown_works_as_typed(run: Run) -> None:
    target = "gemini_generate_content"
    asked = json.dumps({**json.loads(PLAIN), "frequency_penalty": 1, "logprobs": True, "metadata": {"a": "b"}}).encode()
    outcome = convert(asked, ROUTE[1], target, None, {}, fail_on_loss=False)
    rule, typed = "", []
    for text in shown(outcome)[1:]:
        if text.startswith("      --"):
            typed.append((rule, text.strip().partition(",")[0]))
        else:
            rule = text.split()[1]
    assert {rule for rule, _ in typed} == {"SMP-3", "SMP-7", "USR-3"}
    for rule, arguments in typed:
        again = run("check", *ROUTE[:2], "--to", target, *arguments.split(), "-", stdin=asked)
        assert rule not in again.stdout.split(), arguments


def test_a_stream_is_explained_too() -> None:
    signed = {"role": "assistant", "content": "Hi", "extra_content": {"google": {"thought_signature": "c2ln"}}}
    chunk = {"id": "c", "object": "chat.completion.chunk", "created": 7, "model": "m"}
    deltas: list[dict[str, Any]] = [{"delta": signed}, {"delta": {}, "finish_reason": "stop"}]
    pieces = [orjson.dumps({**chunk, "choices": [{"index": 0, **one}]}) + b"\n" for one in deltas]
    *_, last = streams.check(pieces, ROUTE[1], "openai_responses", {}, jsonl=True)
    lines = shown(last)
    assert lines[lines.index(next(one for one in lines if "RSN-4" in one)) + 1].strip() == "--option seals=true"


@pytest.mark.parametrize(
    ("command", "option", "text"),
    [
        ("convert", "strict=yes", "use --strict instead"),
        ("convert", "kind=request", "use --kind instead"),
        ("convert", "src=x", "use --from instead"),
        ("convert", "dst=x", "use --to instead"),
        ("convert", "quote_values=false", "use --hide-values instead"),
        ("check", "strict=yes", "strict means nothing here"),
    ],
)
def test_an_option_with_a_flag_of_its_own(run: Run, command: str, option: str, text: str) -> None:
    result = run(command, *ROUTE, "--option", option, "-", stdin=PLAIN)
    assert result.exit_code == 2
    assert text in result.stderr


RESPONSE = b"""{"id": "c1", "object": "chat.completion", "created": 7, "model": "m",
"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "weary"}],
"usage": {"prompt_tokens": 3, "completion_tokens": 2}}"""


def test_a_terminal_gets_how_a_response_ended() -> None:
    outcome = convert(RESPONSE, ROUTE[1], ROUTE[3], None, {}, fail_on_loss=False)
    assert shown(outcome)[:2] == [
        "converted: 1 value lost, 1 note",
        "      finish unknown (weary); usage input 3, output 2",
    ]
    plain = convert(RESPONSE, ROUTE[1], ROUTE[1], None, {}, fail_on_loss=False)
    assert shown(plain) == ["converted: nothing lost", "      finish unknown (weary); usage input 3, output 2"]
    odd = convert(RESPONSE.replace(b"weary", b"\\u001b[31m"), ROUTE[1], ROUTE[1], None, {}, fail_on_loss=False)
    assert shown(odd)[1] == "      finish unknown (\\x1b[31m); usage input 3, output 2"


@pytest.mark.parametrize("command", ["convert", "check"])
def test_programs_get_how_a_response_ended(run: Run, command: str) -> None:
    result = run(command, *ROUTE, "--json-diagnostics", "-", stdin=RESPONSE)
    found = records(result.stderr if command == "convert" else result.stdout)
    assert [one["rule"] for one in found[:-1]] == ["ENV-1", "FIN-7"]
    assert found[-1] == {
        "rule": None,
        "severity": "info",
        "path": None,
        "message": "finish unknown (weary); usage input 3, output 2",
        "finishes": [{"reason": "unknown", "raw": "weary"}],
        "usage": {"input": 3, "output": 2},
    }


def test_in_a_process_of_its_own(spawn: Spawn) -> None:
    result = spawn("convert", *ROUTE, "-", stdin=LOSSY)
    assert result.returncode == 0
    assert json.loads(result.stdout) == CONVERTED
    assert result.stderr.startswith(b"loss  SMP-10  /seed  ")
    assert b"\x1b" not in result.stderr


@pytest.mark.parametrize("command", ["convert", "check", "lower"])
@pytest.mark.parametrize("kind", ["request", "stream"])
def test_values_can_be_hidden(run: Run, command: str, kind: str) -> None:
    payload = b'{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":"secret"}'
    if kind == "stream":
        payload = b'data: {"id":"c","model":"m","choices":"secret"}\n\n'
    route = ROUTE[:2] if command == "lower" else ROUTE
    quoting = run(command, *route, "--kind", kind, "-", stdin=payload)
    hiding = run(command, *route, "--kind", kind, "--hide-values", "-", stdin=payload)
    assert "'secret'" in quoting.output
    assert hiding.exit_code == quoting.exit_code
    assert "secret" not in hiding.output
    assert "found a string, …" in hiding.output
