"""The built-in `ollama_chat` takes public names alone, and so could be another package: it is copied into one.

The copy, `ollama_example`, is registered by the entry points of its own pyproject.toml, and runs the conformance suite
in a process of its own. The guide `spec/adding_a_protocol.md` shows it as its full-size example.
"""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxai_ir import authoring

from ..samples import SAMPLES
from ..test_architecture import MODULES, imported
from .projects import ROOT, described, run

PUBLIC = ("proxai_ir.authoring", "proxai_ir.ir", "proxai_ir.protocol.slips", "proxai_ir.wire.objects")
BUILT_IN = {name: file for name, file in MODULES.items() if "ollama_chat" in name.split(".")}


def test_it_takes_public_names_alone() -> None:
    assert len(BUILT_IN) > 8
    for name, file in BUILT_IN.items():
        others = {one for one in imported(name, file) if one not in BUILT_IN}
        assert {one for one in others if not one.startswith(PUBLIC)} == set(), name
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "proxai_ir.authoring":
                assert {one.name for one in node.names} <= set(authoring.__all__), name


# --- as a package of its own ------------------------------------------------------------------------------------------

PROJECT = """
[project]
name = "ollama-ir"
version = "1.0"

[project.entry-points."proxai_ir.frontends"]
ollama_example = "ollama_ir.frontend:FRONTEND"

[project.entry-points."proxai_ir.backends"]
ollama_example = "ollama_ir.backend:BACKEND"
"""
RENAMED = {
    "from proxai_ir.wire import ollama_chat as wire": "from ollama_ir import wire",
    "from ..ir": "from proxai_ir.ir",
    "from .objects": "from proxai_ir.wire.objects",
    'NAME = "ollama_chat"': 'NAME = "ollama_example"',
}
OWN_TESTS = """
import json
from pathlib import Path

import pytest

from proxai_ir.ir.error import Error
from proxai_ir.ir.parts import Document, PlainText
from proxai_ir.ir.request import Request, Role, Streaming, Turn
from proxai_ir.ir.response import Terminal
from proxai_ir.testing import Conformance


def document():
    node = Document(PlainText("Once.", "text/plain"))
    return Request(None, "m", [Turn(Role.USER, [node])]), node


SUITE = Conformance(
    protocol="ollama_example",
    **json.loads(Path("samples.json").read_text()),
    targets=["openai_chat_completions", "anthropic_messages"],
    repeats={
        r".*/tool_calls/\\d+/function/index": "the position",
        r"stream .*/[1-9]\\d*/logprobs/.*": "a loss is reported once in a stream",
        r"stream .*/[1-9]\\d*/created_at": "the first chunk's time counts",
    },
    exempt={
        (Streaming, "stream"): "written in any case, since this server streams by default",
        (Request, "prefill"): "shows only where the last turn is the assistant's",
        (Error, "category"): "the HTTP status, which is not in the body",
        (Terminal, "reason"): "two words for all of them",
    },
    specimens={Document: document},
    alone={"request load": "has no messages"},
)


@pytest.mark.parametrize("check", SUITE.checks(), ids=str)
def test_conformance(check):
    check()
"""
RUN = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests")


def modules() -> Iterator[tuple[str, str]]:
    """The files of the package, and their text: those of the built-in protocol, under another name."""
    yield "__init__.py", ""
    for name, file in BUILT_IN.items():
        text = file.read_text()
        for ours, theirs in RENAMED.items():
            text = text.replace(ours, theirs)
        side = name.split(".")[1]
        yield ("wire.py" if side == "wire" else f"{side.removesuffix('s')}/{file.name}"), text


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The package, installed."""
    folder = tmp_path / "ollama"
    given: dict[str, dict[str, object]] = {"requests": {}, "responses": {}, "errors": {}, "streams": {}}
    for sample in SAMPLES:
        if sample.protocol == "ollama_chat":
            given[f"{sample.kind}s"][sample.name] = sample.make()
    files = {"pyproject.toml": PROJECT, "tests/test_conformance.py": OWN_TESTS, "samples.json": json.dumps(given)}
    for name, text in [*files.items(), *((f"ollama_ir/{name}", text) for name, text in modules())]:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    described(folder)
    return folder


def test_it_conforms(project: Path) -> None:
    assert "passed" in run(project, RUN)


# --- a later version of the IR ----------------------------------------------------------------------------------------

GROWN = {
    "ir/structure.py": {
        "VERSION = ": "1 + ",
        "SINCE: dict[Any, int] = {": """
            **dict.fromkeys(
                (
                    parts.CodeRun,
                    (parts.FunctionCall, "note"),
                    (request.Sampling, "min_p"),
                    (request.Effort, "ULTRA"),
                    (error.ErrorCategory, "QUOTA"),
                ),
                2,
            ),
        """,
    },
    "ir/parts.py": {
        "# --- parts ": "---\n@define\nclass CodeRun:\n    code: str\n    src: Any = None\n    extra: Any = None\n\n# ",
        "    | UnknownPart\n": "    | CodeRun\n",
        "class FunctionCall:\n": "    note: str | None = field(default=None, kw_only=True)\n",
    },
    "ir/request.py": {
        '    MAX = "max"\n': '    ULTRA = "ultra"\n',
        "    top_logprobs: int | None = None\n": "    min_p: float | None = None\n",
    },
    "ir/error.py": {'    RATE_LIMIT = "rate_limit"\n': '    QUOTA = "quota"\n'},
    # The base gets verdicts on it, and with these our own tables have them, as they are of the version before; one of
    # our frontends reads it.
    "targets/verdicts.py": {"    ir: int = attrs.field(default=": "1, kw_only=True)  # "},
    "targets/base.py": {
        "from .. import ir\n": "from ..ir.parts import CodeRun\n",
        '        loses("RSN-6", "effort", when=c.covered_by_effort),\n': '        loses("RSN-6", "effort=ultra"),\n',
        "RESPONSES = (\n": """
            of(ir.Sampling, loses("UNK-1", "min_p")),
            of(ir.FunctionCall, loses("UNK-1", "note")),
            *(inside(place, refuses("UNK-5", CodeRun)) for place in ("user", "assistant", "tool result")),
        """,
    },
    "frontends/openai_chat_completions/request.py": {
        "READERS: dict[str, Read] = {\n": '    "min_p": setting(SAMPLING, "min_p", "min_p", float),\n',
    },
}
"""A later version of the library: by file, what is added after a piece of its text."""


def grown(folder: Path) -> Path:
    """The library with one part class, two fields, an effort and a category of errors more."""
    package = folder / "proxai_ir"
    shutil.copytree(ROOT / "proxai_ir", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, additions in GROWN.items():
        text = (package / name).read_text()
        for piece, added in additions.items():
            assert text.count(piece) == 1, f"{piece!r} stands {text.count(piece)} times in {name}"
            text = text.replace(piece, piece + added)
        (package / name).write_text(text)
    return folder


NEWER = """
import proxai_ir
from proxai_ir.ir import error, parts
CHAT, OLLAMA = "openai_chat_completions", "ollama_example"
chat = {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "reasoning_effort": "ultra", "min_p": 0.5}
done = proxai_ir.compile(chat, CHAT, OLLAMA)
print([(one.rule, one.severity.value, one.path) for one in done.diagnostics])
print(sorted(done.output))
node = proxai_ir.lower(chat, CHAT)
node.turns[0].parts.append(parts.CodeRun("1 + 1"))
try:
    proxai_ir.raise_to(node, OLLAMA)
except proxai_ir.TranslationError as refusal:
    print(refusal.rule)
print(proxai_ir.raise_to(error.Error(CHAT, error.ErrorCategory.QUOTA, "Too many", status=429), OLLAMA))
"""


def test_it_works_unchanged_when_the_ir_grows(project: Path, tmp_path: Path) -> None:
    """What its rows do not name is as the base of the later library has it."""
    library = grown(tmp_path / "grown")
    found = run(project, ("-c", "import proxai_ir.ir.structure as ir; print(ir.VERSION, ir.__file__)"), library)
    assert found.split() == ["3", str(library / "proxai_ir" / "ir" / "structure.py")]
    lost, members, refused, failed = run(project, ("-c", NEWER), library).splitlines()
    assert lost == "[('UNK-1', 'loss', '/min_p'), ('RSN-6', 'loss', '/reasoning_effort')]"
    assert members == "['messages', 'model', 'stream']"
    assert refused == "UNK-5"
    assert failed == "{'error': 'Too many'}"
    assert "passed" in run(project, (*RUN, "-k", "not mutation and not order"), library)


def test_without_a_base_it_would_be_refused_by_name(project: Path) -> None:
    """What an author forgets is named, with what to add, by the first test and by any conversion."""
    target = project / "ollama_ir" / "backend" / "target.py"
    assert "    base=BASE,\n" in target.read_text()
    target.write_text(target.read_text().replace("    base=BASE,\n", ""))
    code = """
import proxai_ir
try:
    proxai_ir.check({"messages": []}, "openai_chat_completions", "ollama_example")
except proxai_ir.UnknownProtocol as error:
    print(error)
"""
    message = run(project, ("-c", code))
    for words in ("cannot be used", "ollama_example", "base=BASE", "newer=", "CodeCall in user"):
        assert words in message
