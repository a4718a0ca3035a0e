"""The guide for authors of protocols: every block of code in it is written to its file, installed, or run."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from importlib.metadata import version
from inspect import isroutine
from operator import attrgetter
from pathlib import Path
from typing import Any, get_type_hints

import attrs
import pytest

from proxai_ir import authoring
from proxai_ir.ir.parts import FunctionCall
from proxai_ir.ir.structure import FEATURES, VERSION
from proxai_ir.targets import checks
from proxai_ir.targets.constraints import Constraints

from .outside.projects import ROOT, described, run

MAKERS = (authoring.Check, tuple[authoring.Check, authoring.Check])
"""What functions that make shared checks return."""
GUIDE = (Path(__file__).parents[1] / "spec" / "adding_a_protocol.md").read_text(encoding="utf-8")
FILES = """
reporting/vocabulary.py targets/verdicts.py targets/base.py framing/__init__.py frontends/_lib/settings.py
frontends/_lib/reading.py
""".split()
PACKAGE = Path(authoring.__file__).parent
SOURCES = [PACKAGE / name for name in FILES]
BLOCK = re.compile(r"^```(?P<language>\w+)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [match.groupdict() for match in BLOCK.finditer(GUIDE)]


def written(folder: Path) -> None:
    """Write the guide's files."""
    for block in BLOCKS:
        if block["file"]:
            file = folder / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"])
    (folder / "acme_ir" / "__init__.py").touch()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the guide, installed."""
    folder = tmp_path_factory.mktemp("guide") / "acme"
    written(folder)
    described(folder)
    return folder


@pytest.mark.parametrize(
    "text", [block["text"] for block in BLOCKS if block["language"] == "python" and not block["file"]]
)
def test_an_example_runs(project: Path, text: str) -> None:
    run(project, ("-c", text))


def test_its_package_conforms(project: Path) -> None:
    assert "passed" in run(project, ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests"))


@pytest.mark.slow
def test_followed_literally_in_a_fresh_environment(tmp_path: Path) -> None:
    """The library and the guide's package are installed by pip; what both depend on is that of this environment."""
    if int(version("setuptools").partition(".")[0]) < 77:
        pytest.skip("no setuptools that knows the licence as pyproject.toml writes it")
    source, project, environment = tmp_path / "source", tmp_path / "acme", tmp_path / "environment"
    source.mkdir()
    copied = ("pyproject.toml", "README.md", "LICENSE", "proxai_ir", "frontends", "backends", "spec")
    subprocess.run(["cp", "-R", *(str(ROOT / name) for name in copied), str(source)], check=True)
    written(project)
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    (packages,) = environment.glob("lib/*/site-packages")
    (packages / "depended_on.pth").write_text("\n".join(path for path in sys.path if "site-packages" in path))

    def command(*words: str) -> str:
        done = subprocess.run(
            [python, "-P", *words], cwd=project, env=BARE, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    if any(packages.glob("setuptools")):  # which comes with older versions of Python, and is older than ours
        command("-m", "pip", "uninstall", "-q", "-y", "setuptools")
    for folder in (source, project):
        command("-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", str(folder))
    where = command("-c", "import proxai_ir, acme_ir; print(proxai_ir.__file__); print(acme_ir.__file__)").split()
    assert [Path(file).parents[1] for file in where] == [packages, packages]
    assert "passed" in command("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests")
    for block in BLOCKS:
        if block["language"] == "python" and not block["file"]:
            command("-c", block["text"])
    command("-m", "proxai_ir.cli", "convert", "--help")


BARE = {"PATH": os.environ.get("PATH", ""), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def test_no_block_is_left_out() -> None:
    run_or_written = [block for block in BLOCKS if block["file"] or block["language"] == "python"]
    assert [block["language"] for block in BLOCKS if block not in run_or_written] == ["text"]
    assert sys.version_info >= (3, 11)


def test_every_public_name_is_in_it() -> None:
    named = set(re.findall(r"`([\w.]+)`", GUIDE))
    assert [name for name in authoring.__all__ if name not in named] == []
    table = GUIDE[GUIDE.index("| names of `proxai_ir.authoring`") :].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) <= set(authoring.__all__)


def test_its_table_is_for_the_ir_of_today() -> None:
    """Of which a table for an earlier one would lose what is newer."""
    assert set(re.findall(r"\bir=(\d+)", GUIDE)) == {str(VERSION)}


def names(cls: type) -> set[str]:
    return {one.name for one in attrs.fields(cls) if one.init}


SHARED_CHECKS = {
    name
    for name, one in vars(checks).items()
    if isinstance(one, authoring.Check) or (isroutine(one) and get_type_hints(one).get("return") in MAKERS)
}


def listed(heading: str) -> set[str]:
    """The names in the first column of the table with this heading."""
    rows = GUIDE[GUIDE.index(f"| {heading} |") :].split("\n\n")[0].splitlines()[2:]
    return {name for row in rows for name in re.findall(r"`(\w+)(?:\([^`]*\))?`", row.split("|")[1])}


@pytest.mark.parametrize(
    ("heading", "there_are"),
    [
        ("classes of the IR", {cls.__name__ for cls in FEATURES}),
        ("constraint", names(Constraints)),
        ("shared check", SHARED_CHECKS),
        ("hook of `Frontend`", names(authoring.Frontend)),
        ("hook of `Backend`", names(authoring.Backend)),
        ("fact of `Http`", names(authoring.Http)),
        ("method of `StreamReader`", {name for name in dir(authoring.StreamReader) if name[0] != "_"}),
        ("method of `StreamWriter`", {name for name in dir(authoring.StreamWriter) if name[0] != "_"}),
    ],
)
def test_its_lists_are_complete(heading: str, there_are: set[str]) -> None:
    assert listed(heading) == there_are


def rows_of(heading: str) -> list[list[str]]:
    """The cells of a table, row by row."""
    rows = GUIDE[GUIDE.index(f"| {heading} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def signature(name: str, function: Callable[..., Any]) -> str:
    """A call with the names of the parameters; `=…` for those that may be left out, in place of their default."""
    shown: list[str] = []
    for one in inspect.signature(function).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not any(before.startswith("*") for before in shown):
            shown.append("*")
        star = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
        shown.append(f"{star}{one.name}" + ("" if one.default is one.empty else "=…"))
    return f"{name}({', '.join(word for word in shown if word != 'self')})"


def methods(cls: type) -> dict[str, Callable[..., Any]]:
    return {name: one for name, one in vars(cls).items() if inspect.isfunction(one) and name[0] != "_"}


def helpers() -> set[str]:
    """The signatures of the functions that authors call, and of the classes that they make objects of."""
    found = {name: getattr(authoring, name) for name in authoring.__all__}
    functions = {signature(name, one) for name, one in found.items() if inspect.isfunction(one)}
    for name in HELPING:
        functions.add(signature(name, found[name]))
        functions |= {signature(f"{name}.{method}", one) for method, one in methods(found[name]).items()}
    return functions


HELPING = ("PartSequence", "ObjectReader", "UnionReader", "ObjectWriter", "UnionWriter", "BrokenCalls")


def test_its_helpers_have_the_parameters_of_the_code() -> None:
    """A name without any has those of the first of its row."""
    stated: set[str] = set()
    for first, *_ in rows_of("helper"):
        whole, *others = re.findall(r"`([^`]+)`", first)
        stated |= {whole, *(name + whole[whole.index("(") :] for name in others)}
    assert stated == helpers()


@pytest.mark.parametrize("cls", [authoring.StreamReader, authoring.StreamWriter])
def test_its_methods_of_streams_have_the_parameters_of_the_code(cls: type) -> None:
    stated = {name for first, *_ in rows_of(f"method of `{cls.__name__}`") for name in re.findall(r"`([^`]+)`", first)}
    assert stated - {"failed_with_usage"} == {signature(name, one) for name, one in methods(cls).items()}


CALL = FunctionCall("c", "f", "[")
LONE = {"a": "\ud800"}
RAISING: dict[str, list[tuple[Any, ...]]] = {
    "optional": [({"a": 1}, "a", str)],
    "required": [({"a": 1}, "a", str), ({}, "a", str)],
    "an_object": [({"a": 1}, "a"), ({}, "a")],
    "number": [({"a": "1"}, "a")],
    "strings": [({"a": [1]}, "a")],
    "numbers": [({"a": ["1"]}, "a", int)],
    "seconds": [({"a": "x"}, "a", "x")],
    "constant": [({"a": "x"}, "a", "y")],
    "pick": [({}, {"a": 1}, "a")],
    "known_word": [({"a": 1}, "a", {}), ({}, "a", {}), ({"a": "x"}, "a", {"y": 1})],
    "json_text": [(LONE, "a")],
    "each_object": [([1], dict)],
    "arguments": [("[", ({}, "a"))],
    "arguments_of": [(CALL,)],
    "arguments_text": [(FunctionCall("c", "f", {"a": float("nan")}),)],
    "dumps": [(float("nan"), ({}, "a"))],
    "PartSequence.grow": [(authoring.PartSequence(), FunctionCall, "x", {})],
}
"""Calls that are refused, by helper: one for each rule that the guide names."""


@pytest.mark.parametrize("name", RAISING)
def test_its_helpers_raise_what_it_says(name: str) -> None:
    (stated,) = [raises for first, _, raises in rows_of("helper") if first.startswith(f"`{name}(")]
    found: set[str] = set()
    for given in RAISING[name]:
        with pytest.raises(authoring.Refusal) as refusal:
            attrgetter(name)(authoring)(*given)
        found |= {rule for rule, *_ in refusal.value.records}
    assert found == set(re.findall(r"[A-Z]{3}-\d+", stated))


def test_its_classes_stand_where_it_says() -> None:
    rows = GUIDE[GUIDE.index("| classes of the IR |") :].split("\n\n")[0].splitlines()[2:]
    modules = {cls.__name__: cls.__module__.rpartition(".")[2] for cls in FEATURES}
    for row in rows:
        named, module = (re.findall(r"`(\w+)`", cell) for cell in row.split("|")[1:3])
        assert {modules[name] for name in named} == {*module}


# --- errors, by a table for an earlier IR -----------------------------------------------------------------------------

TOO_LONG = """
import json
import proxai_ir
CONTEXT = "Your input exceeds the context window of this model: 210000 tokens > 200000 maximum."
OF_OPENAI = {"error": {"message": CONTEXT, "type": "invalid_request_error", "param": None, "code": None}}
BODIES = {
    "openai_chat_completions": OF_OPENAI,
    "openai_responses": OF_OPENAI,
    "anthropic_messages": {"type": "error", "error": {"type": "invalid_request_error", "message": CONTEXT}},
    "gemini_generate_content": {"error": {"code": 400, "message": CONTEXT, "status": "INVALID_ARGUMENT"}},
}
"""
TO_ACME = """
for name, body in BODIES.items():
    for status in (None, 400, 413, 500):
        done = proxai_ir.compile(body, name, "acme_chat", kind="error", status=status)
        assert done.output == {"problem": CONTEXT}, done.output
        assert all(one.severity != "error" for one in done.diagnostics)
    exchange = proxai_ir.Exchange("acme_chat", name, model="m", key="k")
    exchange.request({"model": "a1", "say": [{"who": "user", "text": "Hi"}], "limit": 9})
    reply = exchange.response(400, {}, json.dumps(body).encode())
    assert (reply.status, json.loads(reply.body)) == (400, {"problem": CONTEXT})
failed = {"type": "error", "error": {"type": "invalid_request_error", "message": CONTEXT}}
assert proxai_ir.StreamConverter("anthropic_messages", "acme_chat").feed(failed) == [{"problem": CONTEXT}]
"""
FROM_ACME = """
for status in (None, 400, 500):
    options = {"kind": "error", "status": status}
    made = {name: proxai_ir.convert({"problem": CONTEXT}, "acme_chat", name, **options) for name in BODIES}
    assert made["openai_chat_completions"]["error"]["code"] == "context_length_exceeded", made
    assert made["openai_responses"]["error"]["code"] == "context_length_exceeded", made
    assert made["anthropic_messages"]["error"]["message"].startswith("prompt is too long"), made
"""


def test_an_error_of_a_younger_category_is_not_refused(project: Path, tmp_path: Path) -> None:
    """Nor is any other: a client that gets the message shortens the conversation (ERR-7, ERR-10)."""
    older = tmp_path / project.name
    shutil.copytree(project, older)
    described(older)
    target = older / "acme_ir" / "target.py"
    target.write_text(target.read_text().replace("    base=BASE,\n", "    base=BASE,\n    ir=1,\n"))
    run(older, ("-c", TOO_LONG + TO_ACME))


def test_a_prompt_that_is_too_long_is_known_by_its_message(project: Path) -> None:
    """The frontend of the guide looks at the status alone."""
    run(project, ("-c", TOO_LONG + FROM_ACME))


@pytest.mark.parametrize("name", authoring.__all__)
def test_every_public_name_is_explained(name: str) -> None:
    """A class or function by its own docstring, a value by the text below it."""
    found = getattr(authoring, name)
    if isinstance(found, authoring.Framing):  # whose fields say what it is
        return
    if inspect.ismodule(found) or inspect.isclass(found) or inspect.isfunction(found):
        if found.__name__ != "verdict":
            assert inspect.getdoc(found)
            return
    text = "\n".join(file.read_text() for file in SOURCES)
    assert re.search(rf'^{name}\b.* = .*\n(?:[A-Z]+ = .*\n)*"""', text, re.MULTILINE)


def test_every_shared_check_is_explained() -> None:
    tree = ast.parse(Path(checks.__file__).read_text())
    functions = {one.name: ast.get_docstring(one) for one in tree.body if isinstance(one, ast.FunctionDef)}
    made = [call for call in ast.walk(tree) if isinstance(call, ast.Call) and ast.unparse(call.func) == "Check"]
    runs = {ast.unparse(call.args[0]) for call in made} - {"run"}  # of a function that makes a check
    assert len(runs) > 8 and all(functions[run] for run in runs & functions.keys())
    assert all(text for name, text in functions.items() if name[0] != "_")
