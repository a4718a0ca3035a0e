"""`proxai-ir new-protocol`: what it writes imports, says what is left to decide, and converts once that is decided."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from proxai_ir.cli.app import app
from proxai_ir.cli.outcome import ExitCode

from .projects import ALONE, ROOT, described, run

PIGEON = Path(__file__).parent / "pigeon"
SCHEMA = PIGEON / "openapi.json"
NAME = "pigeon_coo"


def made(folder: Path, *more: str, schema: Path = SCHEMA, name: str = NAME) -> Any:
    return CliRunner().invoke(app, ["new-protocol", name, "--schema", str(schema), "--out", str(folder), *more])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "pigeon"
    assert made(folder, "--operation", "coo").exit_code == 0
    described(folder)
    return folder


def own_tests(project: Path) -> tuple[int, str]:
    path = os.pathsep.join(map(str, (project.parent, project, ROOT)))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(
        command,
        cwd=project,
        env={**os.environ, **ALONE, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


CHECKED = """
import proxai_ir
payload = {"model": "m", "messages": [{"role": "pigeon", "content": "Coo."}, {"role": "user", "content": "Hi"}]}
print(proxai_ir.convert(payload, "pigeon_coo", "openai_chat_completions"))
print(sorted(one.rule for one in proxai_ir.check({**payload, "loft": "n1"}, "pigeon_coo", "anthropic_messages")))
"""


def test_it_imports_and_converts_what_was_guessed(project: Path) -> None:
    converted, rules = run(project, ("-c", CHECKED)).splitlines()
    assert converted == str(
        {"model": "m", "messages": [{"role": "assistant", "content": "Coo."}, {"role": "user", "content": "Hi"}]}
    )
    assert "UNK-1" in rules


def test_its_tests_name_what_is_left_to_decide(project: Path) -> None:
    code, said = own_tests(project)
    assert code == 1
    for line in (
        "decide what `loft` of Request is: wire.py UNDECIDED",
        "decide what `feather` of Part is: wire.py UNDECIDED",
        "decide what `finish=hawk` of Terminal is: wire.py UNDECIDED",
        "decide what `start` of Event is: wire.py UNDECIDED",
        "decide what becomes of `stop` of Sampling: target.py UNDECIDED",
        "decide what becomes of `ToolResult` in place `user`: target.py UNDECIDED_IN",
    ):
        assert line in said


def test_it_is_clean(project: Path) -> None:
    """For linter and type checker, which its author will run."""
    pytest.importorskip("mypy")
    ruff = shutil.which("ruff") or str(Path(sys.executable).with_name("ruff"))
    if not Path(ruff).exists():
        pytest.skip("ruff is not installed")
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    for command in ([ruff, "check", "--no-cache", "."], [sys.executable, "-m", "mypy", "--strict", "pigeon_coo_ir"]):
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


DECIDED = {
    "wire.py": {
        '    "Request": {\n        "loft": "string",\n    },\n': "",
        '    "Part": {\n        "feather": "object with colour",\n    },\n': "",  # which is an unknown part
        '    "Terminal": {\n        "finish=hawk": "one of its words",\n    },\n': "",
        '    "Usage": {\n        "crumbs": "integer",\n    },\n': "",
        '    "Error": {\n        "error/code": "string",\n    },\n': "",
        'VENDOR: dict[str, dict[str, Any]] = {"Terminal"': (
            'VENDOR: dict[str, dict[str, Any]] = {"Request": {"loft": LOST}, "Terminal"'
        ),
        '"length": StopReason.LENGTH}': '"length": StopReason.LENGTH, "hawk": StopReason.CONTENT_FILTER}',
        'StopReason.END: "done"}': 'StopReason.END: "done", StopReason.CONTENT_FILTER: "hawk"}',
        '        "output_tokens": integer("output"),\n': (
            '        "output_tokens": integer("output"),\n        "crumbs": vendor(LOST),\n'
        ),
        'required({"message": required(string("message"))})': (
            'required({"message": required(string("message")), "code": string("code")})'
        ),
        "required, string\n": "required, string, vendor\n",
    },
    "target.py": {
        "reason=end|length|unknown": "reason=end|length|unknown|content_filter",
        "refusal|content_filter|pause": "refusal|pause",
        '    inside("assistant", ok(Text)),\n': """\
    inside(
        "assistant",
        ok(Text),
        loses(wire.NO_PLACE, Reasoning),
        weaker("REF-7", Refusal, by=conditions.refusal_as_text),
    ),
    inside(
        "assistant",
        loses(wire.NO_PLACE, Reasoning),
        weaker("REF-7", Refusal, by=conditions.refusal_as_text),
        kind="response",
    ),
""",
        "        Reasoning,\n        Refusal,\n": "",
        "Target, checks, inside": "Target, checks, conditions, inside",
        '    Error: "type code param",\n': '    Error: "type param",\n',
        # decided as they are:
        "UNDECIDED: dict": "DROPPED: dict",
        "UNDECIDED_IN: dict": "REFUSED_IN: dict",
        "in UNDECIDED.items()": "in DROPPED.items()",
        "in UNDECIDED_IN.items()": "in REFUSED_IN.items()",
        "SETTINGS: dict": "UNDECIDED: dict[type, str] = {}\nUNDECIDED_IN: dict[str, Any] = {}\nSETTINGS: dict",
    },
}
"""What its author decides: by file, what takes the place of a piece of its text; streams are in pigeon/."""


def test_filled_in_it_conforms(project: Path) -> None:
    for name, changes in DECIDED.items():
        file = project / "pigeon_coo_ir" / name
        text = file.read_text()
        for piece, instead in changes.items():
            assert text.count(piece) == 1, f"{piece!r} stands {text.count(piece)} times in {name}"
            text = text.replace(piece, instead)
        if name == "wire.py":
            begin, end = text.index('    "Event": {\n'), text.index('}\n"""Members and words')
            text = text[:begin] + text[end:]
        file.write_text(text)
    package = project / "pigeon_coo_ir"
    shutil.copy(PIGEON / "stream.py.txt", package / "stream.py")
    for side in ("Reader", "Writer"):
        file = package / {"Reader": "frontend.py", "Writer": "backend.py"}[side]
        file.write_text(f"{file.read_text()}USAGE = Object{side}(wire.USAGE)\n")
    events = json.loads((project / "samples" / "stream.json").read_text())
    (project / "samples" / "stream.json").write_text(json.dumps(events[:-1]))
    failed = [*events[:2], {"type": "error", "error": {"message": "a hawk"}}]
    (project / "samples" / "stream_failed.json").write_text(json.dumps(failed))
    code, said = own_tests(project)
    assert code == 0, said[-5000:]
    assert "passed" in said


# --- bad input --------------------------------------------------------------------------------------------------------


def test_several_operations_are_listed(tmp_path: Path) -> None:
    found = made(tmp_path / "x")
    assert found.exit_code == ExitCode.USAGE
    assert "POST /v1/coo" in found.output


def test_nothing_is_written_over(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert found.exit_code == ExitCode.USAGE
    assert "exists" in found.output


@pytest.mark.parametrize("name", ["Pigeon", "pigeon-coo", "1st", "openai_responses"])
def test_a_name_that_cannot_be(name: str, tmp_path: Path) -> None:
    found = made(tmp_path / "x", name=name)
    assert found.exit_code == ExitCode.USAGE
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("{", "no JSON"),
        ("[]", "expected an object"),
        ('{"openapi": "2.0", "paths": {}}', "/openapi"),
        ('{"openapi": "3.1.0", "paths": {}}', "/paths"),
        ('{"type": "object", "properties": {"messages": {"$ref": "#/$defs/None"}}}', "/$defs/None: expected a schema"),
        ('{"type": "object", "properties": 3}', "/properties"),
    ],
)
def test_a_schema_that_cannot_be_read_is_one_line(text: str, where: str, tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text(text)
    found = made(tmp_path / "x", schema=schema)
    assert found.exit_code == ExitCode.UNREADABLE
    (line,) = found.output.strip().splitlines()
    assert where in line
    assert not (tmp_path / "x").exists()
