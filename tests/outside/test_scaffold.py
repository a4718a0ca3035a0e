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

FOLDERS = Path(__file__).parent
SCHEMA = FOLDERS / "pigeon" / "openapi.json"
NAME = "pigeon_coo"
HERON = "heron_wade"


def made(folder: Path, *more: str, schema: Path = SCHEMA, name: str = NAME) -> Any:
    return CliRunner().invoke(app, ["new-protocol", name, "--schema", str(schema), "--out", str(folder), *more])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "pigeon"
    assert made(folder, "--operation", "coo").exit_code == 0
    described(folder)
    return folder


@pytest.fixture
def with_tools(tmp_path: Path) -> Path:
    """The package of a protocol whose turns have calls beside their content, and turns for results."""
    folder = tmp_path / "heron"
    assert made(folder, schema=FOLDERS / "heron" / "openapi.json", name=HERON).exit_code == 0
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


def test_members_that_the_protocol_lacks_have_no_name(project: Path, with_tools: Path) -> None:
    for folder in (project, with_tools):
        (wire,) = folder.rglob("wire.py")
        assert '"None"' not in wire.read_text(encoding="utf-8")


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


@pytest.mark.parametrize("package", [NAME, HERON])
def test_it_is_clean(package: str, project: Path, with_tools: Path) -> None:
    """For linter and type checker, which its author will run."""
    folder = {NAME: project, HERON: with_tools}[package]
    pytest.importorskip("mypy")
    ruff = shutil.which("ruff") or str(Path(sys.executable).with_name("ruff"))
    if not Path(ruff).exists():
        pytest.skip("ruff is not installed")
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    for command in ([ruff, "check", "--no-cache", "."], [sys.executable, "-m", "mypy", "--strict", f"{package}_ir"]):
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def refusals_as_text(carried: str) -> str:
    """Return the verdicts of an author whose protocol has no refusals, on what an assistant's turn holds."""
    others = """\
        loses(wire.NO_PLACE, Reasoning),
        weaker("REF-7", Refusal, by=conditions.refusal_as_text),
"""
    return (
        f'    inside(\n        "assistant",\n        {carried},\n{others}    ),\n'
        f'    inside(\n        "assistant",\n{others}        kind="response",\n    ),\n'
    )


AS_THEY_ARE = {
    "UNDECIDED: dict": "DROPPED: dict",
    "UNDECIDED_IN: dict": "REFUSED_IN: dict",
    "in UNDECIDED.items()": "in DROPPED.items()",
    "in UNDECIDED_IN.items()": "in REFUSED_IN.items()",
    "SETTINGS: dict": "UNDECIDED: dict[type, str] = {}\nUNDECIDED_IN: dict[str, Any] = {}\nSETTINGS: dict",
}
"""The decision of `target.py` that what is left is dropped or refused."""
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
        '    inside("assistant", ok(Text)),\n': refusals_as_text("ok(Text)"),
        "        Reasoning,\n        Refusal,\n": "",
        "Target, checks, inside": "Target, checks, conditions, inside",
        '    Error: "type code param",\n': '    Error: "type param",\n',
        **AS_THEY_ARE,
    },
}
"""What its author decides: by file, what takes the place of a piece of its text."""


OF_TOOLS = {
    "target.py": {
        "        Reasoning,\n        Refusal,\n": "",
        '    inside("assistant", ok(Text, FunctionCall)),\n': refusals_as_text("ok(Text, FunctionCall)"),
        "Target, checks, inside": "Target, checks, conditions, inside",
        **AS_THEY_ARE,
    },
}
"""The same of the protocol with tools, whose calls and results are guessed."""


def decide(package: Path, decided: dict[str, dict[str, str]], streams: Path) -> None:
    """Change what the author of a package changes; of streams, write the reader and the writer."""
    for name, changes in decided.items():
        file = package / name
        text = file.read_text()
        for piece, instead in changes.items():
            assert text.count(piece) == 1, f"{piece!r} stands {text.count(piece)} times in {name}"
            text = text.replace(piece, instead)
        file.write_text(text)
    wire = package / "wire.py"
    text = wire.read_text()
    begin, end = text.index('    "Event": {\n'), text.index('}\n"""Members and words')
    wire.write_text(text[:begin] + text[end:])
    for side, name in (("reader", "frontend"), ("writer", "backend")):
        file = package / f"{name}.py"
        text = file.read_text()
        begin, end = text.index(f"class {side.title()}("), text.index(f"{name.upper()} = {name.title()}(")
        file.write_text(text[:begin] + (streams / f"{side}.py.txt").read_text() + "\n\n" + text[end:])


def test_filled_in_it_conforms(project: Path) -> None:
    decide(project / "pigeon_coo_ir", DECIDED, FOLDERS / "pigeon")
    code, said = own_tests(project)
    assert code == 0, said[-5000:]
    assert "passed" in said


def test_with_tools_it_conforms_once_all_is_decided(with_tools: Path) -> None:
    """In two rounds of its own tests: the first names what is to be decided, and the second has nothing more to ask."""
    code, said = own_tests(with_tools)
    assert code == 1 and "decide what `call` of Event is" in said
    for guessed in ("tool_calls", "tool_call_id", "role=tool", "FunctionCall` in", "ToolResult` in"):
        assert guessed not in said
    decide(with_tools / "heron_wade_ir", OF_TOOLS, FOLDERS / "heron")
    pieces = with_tools / "samples" / "stream.json"
    pieces.write_text(
        pieces.read_text().replace('"arguments": "{}"', '"arguments": ""').replace('"piece": "x"', '"piece": "{}"')
    )
    code, said = own_tests(with_tools)
    assert code == 0, said[-5000:]
    assert int(said.split(" passed")[0].split()[-1]) > 270


def test_examples_of_a_schema_are_samples_as_they_are(tmp_path: Path) -> None:
    """Also where a message has no calls, and an event of the stream is a text."""
    schema = json.loads((FOLDERS / "heron" / "openapi.json").read_text())
    schemas = schema["components"]["schemas"]
    schemas["Message"]["example"] = {"role": "user", "content": "Hi"}
    schemas["WadeEvent"]["oneOf"].append({"type": "string", "example": "[DONE]"})
    file = tmp_path / "schema.json"
    file.write_text(json.dumps(schema))
    assert made(tmp_path / "x", schema=file, name=HERON).exit_code == 0
    request, stream = (json.loads((tmp_path / "x" / "samples" / f"{kind}.json").read_text()) for kind in KINDS)
    assert (request["messages"], stream[-1]) == ([{"role": "user", "content": "Hi"}], "[DONE]")


KINDS = ("request", "stream")

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
