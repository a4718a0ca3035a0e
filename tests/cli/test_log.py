"""`proxai-ir log`: what is listed, one exchange in full, one converted again, and what is wrong usage."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import Result

pytest.importorskip("sqlalchemy", reason="the extra `serve` is not installed")

from proxai_ir.exchange.provider import Learned
from proxai_ir.reporting.diagnostics import Diagnostic, Severity
from proxai_ir.storage import Storage
from proxai_ir.storage.memory import note_refused
from proxai_ir.storage.records import Record, entries

from ..serve.recorded import ANTHROPIC, CHAT, GEMINI, NOW, RESPONSES, recorded
from ..serve.storing import many
from .support import Run, records
from .test_process import on_terminal, posix

COLOURS = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A storage with exchanges of all sorts."""
    file = str(tmp_path_factory.mktemp("log") / "kept.db")
    storage = Storage(file)
    for one in (
        recorded("aaaa1", ANTHROPIC, CHAT),
        recorded("aaaa2", CHAT, ANTHROPIC, streamed=True),
        recorded("bbbb1", CHAT, RESPONSES, "failure"),
        recorded("bbbb2", RESPONSES, ANTHROPIC, "broken", streamed=True),
        recorded("cccc", CHAT, ANTHROPIC, n=2),
        Record(id="bare", started=NOW - 1, client=CHAT, provider=CHAT, path="/v1/x\x1b[2J", status=401),
    ):
        storage.record(one)
    storage.close()
    return file


def listed(result: Result) -> list[str]:
    assert result.exit_code == 0, result.stderr
    return [line.split()[-1] for line in result.stdout.splitlines()]


def test_the_list(run: Run, log: str) -> None:
    result = run("log", "--storage", log)
    assert listed(result) == ["cccc", "bbbb2", "bbbb1", "aaaa2", "aaaa1", "bare"]
    lines = result.stdout.splitlines()
    assert lines[4] == (
        "2027-01-15 08:00:00  200  anthropic_messages → openai_chat_completions  claude → upstream-model  "
        "SMP-3  1.50  aaaa1"
    )
    assert "  200 failed  openai_responses → anthropic_messages  " in lines[1]
    assert (
        lines[5] == "2027-01-15 07:59:59  401 failed  openai_chat_completions → openai_chat_completions  -  -  -  bare"
    )


NARROW = [
    (
        "2027-01-15 08:00:00  200  anthropic_messages → openai_chat_completions  claude → upstream-model  "
        "SMP-3  1.50  0123456789abcdef"
    )
]
WIDE = [
    "time (UTC) status client → provider model reported seconds id",
    "2027-01-15 08:00:00 200 anthropic_messages claude SMP-3 1.50 0123456789ab",
    "→ openai_chat_completions → upstream-model",
]


@posix
@pytest.mark.parametrize(("columns", "expected"), [(80, NARROW), (120, WIDE)], ids=["narrow", "wide"])
def test_the_list_on_a_terminal(tmp_path: Path, columns: int, expected: list[str]) -> None:
    """A table where it fits; nothing of it is ever cut, as rules and ids are what it is read for."""
    file = str(tmp_path / "kept.db")
    storage = Storage(file)
    storage.record(recorded("0123456789abcdef", ANTHROPIC, CHAT))
    storage.close()
    seen, _ = on_terminal(("log", "--storage", file), ["stdout"], b"", columns)
    lines = COLOURS.sub("", seen).splitlines()
    assert [line if columns == 80 else " ".join(line.split()) for line in lines] == expected


def test_what_was_learned(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "kept.db")
    storage = Storage(file)
    by = Learned()
    by.add(("", CHAT, "big\x1b[2J"), {"sampling": False})
    note_refused(storage.memory, by)
    storage.close()
    result = run("log", "--storage", file, "--learned")
    assert result.exit_code == 0, result.stderr
    (line,) = result.stdout.splitlines()
    assert line.startswith(f"big\\x1b[2J  {CHAT}  -  sampling=False  20")
    (entry,) = records(run("log", "--storage", file, "--learned", "--json").stdout)
    assert entry["settings"] == {"sampling": False}
    assert run("log", "aaaa1", "--storage", file, "--learned").exit_code == 2


def test_filters(run: Run, log: str) -> None:
    assert listed(run("log", "--storage", log, "--limit", "2")) == ["cccc", "bbbb2"]
    assert listed(run("log", "--storage", log, "--rule", "smp-10")) == ["bbbb1", "aaaa2"]
    assert listed(run("log", "--storage", log, "--rule", "SMP", "--model", "claude")) == ["aaaa1"]
    assert listed(run("log", "--storage", log, "--failed")) == ["cccc", "bbbb2", "bbbb1", "bare"]
    none = run("log", "--storage", log, "--rule", "XYZ")
    assert (none.stdout, none.stderr) == ("", "proxai-ir: there is no such exchange in the log\n")


def test_the_list_as_json(run: Run, log: str) -> None:
    (one,) = records(run("log", "--storage", log, "--json", "--model", "claude").stdout)
    assert (one["id"], one["status"], one["client"], one["provider"]) == ("aaaa1", 200, ANTHROPIC, CHAT)
    assert ["SMP-3", "loss", 1] in one["rules"]


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A storage with what two keys used on two days."""
    file = str(tmp_path_factory.mktemp("log") / "used.db")
    storage = Storage(file)
    lost = [
        Diagnostic(rule, Severity.LOSS, path, "It is dropped.") for rule, path in (("SMP-3", "/a"), ("TUL-4", "/b"))
    ]
    noted = Diagnostic("SMP-10", Severity.INFO, "/c", "It is noted.")
    for at, (who, model, days, usage, status, found) in enumerate(
        (
            ("ann", "big", 0, {"input": 10, "cache_read": 5, "output": 3}, 200, lost),
            ("ann", "big", 0, {"input": 1, "output": 2, "reasoning": 4}, 200, [lost[0], lost[0], noted]),
            ("ann", "big", 1, None, 503, []),
            ("bob", '=a,"b"\x1b', 1, {"cache_write": 7}, 200, []),
        )
    ):
        storage.record(
            Record(
                id=str(at),
                client=CHAT,
                provider=ANTHROPIC,
                path="/v1/chat/completions",
                model="asked",
                started=NOW + 86_400 * days,
                status=status,
                who=who,
                sent_model=model,
                usage=usage,
                diagnostics=entries("request", found),
            )
        )
    storage.close()
    return file


COUNTS = "exchanges,failed,losses,input,cache_read,cache_write,output,reasoning"


def test_sums_by_key_model_and_day(run: Run, used: str) -> None:
    result = run("log", "--storage", used, "--sum", "who,sent_model,day", "--csv")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        f"who,sent_model,day,{COUNTS}",
        "ann,big,2027-01-15,2,0,4,11,5,0,5,4",
        "ann,big,2027-01-16,1,1,0,0,0,0,0,0",
        'bob,"=a,""b""\\x1b",2027-01-16,1,0,0,0,0,7,0,0',
    ]


def test_sums_of_losses_by_rule(run: Run, used: str) -> None:
    """An exchange is counted at each of its rules, and one that lost nothing at none."""
    found = records(run("log", "--storage", used, "--sum", "rule", "--json").stdout)
    assert [(one["rule"], one["exchanges"], one["losses"]) for one in found] == [
        ("", 2, 0),
        ("SMP-3", 2, 3),
        ("TUL-4", 1, 1),
    ]


def test_sums_of_what_is_searched(run: Run, used: str) -> None:
    shown = run("log", "--storage", used, "--sum", "who", "--rule", "tul").stdout.splitlines()
    assert shown == [f"who  {COUNTS.replace(',', '  ')}", "ann  1  0  2  10  5  0  3  0"]
    assert run("log", "--storage", used, "--sum", "model, upstream", "--failed").stdout.splitlines()[1:] == [
        "asked  -  1  1  0  0  0  0  0  0"
    ]


def test_sums_have_all_of_the_log(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "kept.db")
    storage = Storage(file)
    many(storage, 3_500)
    storage.close()
    found = records(run("log", "--storage", file, "--sum", "client", "--json").stdout)
    assert sum(one["exchanges"] for one in found) == 3_500


def test_a_column_that_is_none(run: Run, used: str) -> None:
    result = run("log", "--storage", used, "--sum", "who,modle")
    assert result.exit_code == 2
    assert "there is no column 'modle'" in " ".join(result.stderr.split())


def test_one_in_full(run: Run, log: str) -> None:
    shown = run("log", "aaaa1", "--storage", log)
    assert shown.exit_code == 0
    facts, _, rest = shown.stdout.partition("\n\nrequest:\n")
    assert "id: aaaa1\ntime: 2027-01-15 08:00:00 UTC\npath: /v1/messages\nstatus: 200\n" in facts
    assert "provider: openai_chat_completions (main)\nmodel: claude\nmodel sent: upstream-model\n" in facts
    assert "loss  SMP-3  /top_k  " in rest
    heads = ["request of the client", "request to the provider", "response of the provider", "response to the client"]
    places = [rest.index(f"\n\n{head}:\n{{\n") for head in heads]
    assert places == sorted(places)
    assert '      "content": "<script>alert(1)</script> & \\u202e\\u001b[31m"\n' in rest
    assert '  "model": "upstream-model",\n' in rest


def test_nothing_speaks_to_the_terminal(run: Run, log: str) -> None:
    for arguments in (("aaaa1",), ("bare",), ("aaaa1", "--json"), ("bare", "--json"), ("--json",)):
        shown = run("log", *arguments, "--storage", log).stdout
        assert all(line.isprintable() for line in shown.split("\n"))
    assert "path: /v1/x\\x1b[2J\n" in run("log", "bare", "--storage", log).stdout
    assert run("log", "bare", "--storage", log).stdout.endswith(f"\npayloads were not kept; {KEEP}\n")


def test_a_stream_that_was_cut(run: Run, log: str) -> None:
    shown = run("log", "bbbb2", "--storage", log).stdout
    assert "status: 200 failed\n" in shown
    assert "error: STR-2 " in shown
    assert "\nresponse of the provider:\n[\n  {\n" in shown


def test_one_as_json(run: Run, log: str) -> None:
    (one,) = records(run("log", "aaaa2", "--storage", log, "--json").stdout)
    assert one["request"]["seed"] == 1
    assert one["upstream_request"]["model"] == "upstream-model"
    assert one["upstream_response"][0]["type"] == "message_start"
    assert one["response"][-1] == "[DONE]"
    assert {"side": "request", "rule": "SMP-10", "severity": "loss", "path": "/seed"}.items() <= one["diagnostics"][
        0
    ].items()


KEEP = "serve --log-payloads keeps them, or log.payloads = true in its configuration"


def test_the_id_of_a_request_in_a_responses_headers(run: Run, log: str) -> None:
    assert run("log", "req_bare", "--storage", log).stdout.startswith("id: bare\n")


def test_the_beginning_of_an_id(run: Run, log: str) -> None:
    assert "id: cccc\n" in run("log", "cc", "--storage", log).stdout
    several = run("log", "aaaa", "--storage", log)
    assert (several.exit_code, several.stdout) == (5, "")
    assert several.stderr == "proxai-ir: the ids of several exchanges begin with 'aaaa'\n"
    none = run("log", "zz", "--storage", log)
    assert (none.exit_code, none.stderr) == (5, f"proxai-ir: no exchange has the id 'zz' in {log}\n")


def test_replay(run: Run, log: str) -> None:
    again = run("log", "aaaa1", "--storage", log, "--replay", "--to", RESPONSES)
    request, _, response = again.stdout.partition("\n\nresponse, openai_chat_completions → openai_responses:")
    assert request.startswith("\nrequest, anthropic_messages → openai_responses:\n")
    assert "loss  SMP-3  /top_k  " in request
    assert "loss" not in response
    assert again.exit_code == 3
    own = run("log", "aaaa1", "--storage", log, "--replay", "--to", ANTHROPIC)
    assert "\nrequest, anthropic_messages → anthropic_messages: nothing is lost\n" in own.stdout  # a name of one's own


def test_replay_that_is_refused(run: Run, log: str) -> None:
    cut = run("log", "bbbb2", "--storage", log, "--replay", "--to", CHAT)
    assert cut.exit_code == 4
    assert "error  STR-2  " in cut.stdout
    (found,) = [one for one in records(cut_as_json(run, log)) if one["severity"] == "error"]
    assert found["rule"] == "STR-2"


def cut_as_json(run: Run, log: str) -> str:
    return run("log", "bbbb2", "--storage", log, "--replay", "--to", CHAT, "--json").stdout


def test_replay_of_an_error(run: Run, log: str) -> None:
    again = run("log", "bbbb1", "--storage", log, "--replay", "--to", GEMINI)
    assert again.exit_code == 0
    assert "\nresponse, openai_responses → gemini_generate_content:" in again.stdout


def test_replay_knows_earlier_responses(run: Run, tmp_path: Path) -> None:
    import proxai_ir

    file = str(tmp_path / "kept.db")
    storage = Storage(file)
    first = {"model": "gpt", "input": "hi", "store": True}
    exchange = proxai_ir.Exchange(RESPONSES, ANTHROPIC, memory=storage.memory, owner="me")
    exchange.request(first)
    message = {"id": "m", "type": "message", "role": "assistant", "model": "c", "stop_reason": "end_turn"}
    whole = {**message, "content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": 1, "output_tokens": 1}}
    kept = json.loads(exchange.response(200, {}, json.dumps(whole).encode()).body)
    body = json.dumps({"model": "gpt", "input": "more", "previous_response_id": kept["id"]}).encode()
    for name, owner in (("mine", "me"), ("theirs", "another")):
        storage.record(
            Record(
                id=name,
                started=NOW,
                client=RESPONSES,
                provider=ANTHROPIC,
                path="/v1/responses",
                status=200,
                owner=owner,
                request=body,
            )
        )
    storage.close()
    assert "R2A-3" not in run("log", "mine", "--storage", file, "--replay", "--to", CHAT).stdout
    assert "error  R2A-3  " in run("log", "theirs", "--storage", file, "--replay", "--to", CHAT).stdout


def test_remedies_of_an_exchange_are_keys_of_its_upstream(run: Run, tmp_path: Path) -> None:
    file = str(tmp_path / "kept.db")
    body = {"model": "claude", "max_tokens": 64, "messages": [{"role": "user", "content": "Hi"}], "top_k": 3}
    storage = Storage(file)
    storage.record(
        Record(
            id="one",
            started=NOW,
            client=ANTHROPIC,
            provider=CHAT,
            upstream="here",
            path="/v1/messages",
            status=200,
            model="claude",
            sent_model="mine",
            request=json.dumps(body).encode(),
            diagnostics=entries("request", [Diagnostic("SMP-3", Severity.LOSS, "/top_k", "It is dropped.")]),
        )
    )
    storage.close()
    shown = run("log", "one", "--storage", file, "--remedies")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.splitlines()[1:3] == ["request:", "loss  SMP-3  /top_k  It is dropped."]
    assert shown.stdout.splitlines()[3] == "      settings.top_k = true, if the server has it"
    config = tmp_path / "gateway.toml"
    table = '[upstreams.here]\nprotocol = "openai_chat_completions"\nbase_url = "http://127.0.0.1:9"\n'
    route = '[[routes]]\nmodels = ["*"]\nupstream = "here"\n'
    config.write_text(f"{table}settings = {{top_k = false}}\n{route}")
    known = run("log", "one", "--storage", file, "--remedies", "--config", str(config), "--json")
    (one,) = records(known.stdout)
    assert not any("top_k" in each["type"] for each in one["remedies"])
    config.write_text((table + route).replace("here", "there"))
    wrong = run("log", "one", "--storage", file, "--remedies", "--config", str(config))
    assert (wrong.exit_code, wrong.stderr) == (5, f"proxai-ir: {config} has no upstream 'here'; it has there\n")
    again = run("log", "one", "--storage", file, "--replay", "--to", GEMINI, "--remedies")
    assert again.exit_code == 0, again.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("aaaa1", "--replay"),
        ("aaaa1", "--to", CHAT),
        ("--replay", "--to", CHAT),
        ("--limit", "0"),
        ("--to", "nope"),
        ("--remedies",),
        ("aaaa1", "--config", "x"),
        ("aaaa1", "--sum", "who"),
        ("--learned", "--sum", "who"),
        ("--sum", "who", "--csv", "--json"),
        ("--csv",),
    ],
)
def test_wrong_usage(run: Run, log: str, arguments: tuple[str, ...]) -> None:
    assert run("log", *arguments, "--storage", log).exit_code == 2


def test_payloads_that_were_not_kept_are_not_replayed(run: Run, log: str) -> None:
    result = run("log", "bare", "--storage", log, "--replay", "--to", CHAT)
    assert (result.exit_code, result.stderr) == (5, f"proxai-ir: the payloads of bare were not kept; {KEEP}\n")


def test_no_log(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "none.db"
    result = run("log", "--storage", str(missing))
    assert (result.exit_code, result.stderr) == (5, f"proxai-ir: there is no log at {missing}\n")
    assert not missing.exists()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert f"there is no log at {tmp_path / 'proxai-ir' / 'exchanges.db'}" in run("log").stderr
    missing.write_bytes(b"this is not a database" * 100)
    broken = run("log", "--storage", str(missing))
    assert (broken.exit_code, broken.stdout) == (5, "")
    assert broken.stderr == f"proxai-ir: the storage {missing} failed: file is not a database\n"
    assert "expected a path" in run("log", "--storage", "mysql://x").stderr


def test_without_the_extra(tmp_path: Path, root: Path) -> None:
    program = (
        "import sys; sys.modules['sqlalchemy'] = None\n"
        "from proxai_ir.cli import main; sys.argv = ['proxai-ir', 'log']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 2
    assert done.stderr == 'proxai-ir: the log needs sqlalchemy: in the checkout, pip install ".[serve]"\n'
