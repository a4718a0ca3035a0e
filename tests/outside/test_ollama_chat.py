"""A protocol of another package, as its author would write, install and test it: `ollama_example`, the protocol of
the built-in `ollama_chat`.

It is copied out of the repository, registered by the entry points of its own pyproject.toml, and tested by its own
tests in a process of its own; the guide `spec/adding_a_protocol.md` explains it.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from .projects import ROOT, described, run

PROJECT = Path(__file__).parent / "ollama_chat"
PUBLIC = ("proxai_ir.authoring", "proxai_ir.ir", "proxai_ir.testing")


def installed(folder: Path) -> Path:
    """A copy of the project, installed."""
    project = folder / "ollama_chat"
    shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__"))
    described(project)
    return project


OWN_TESTS = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests")


def test_it_conforms(tmp_path: Path) -> None:
    assert "passed" in run(installed(tmp_path), OWN_TESTS)


def test_it_imports_public_names_only() -> None:
    for file in PROJECT.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                ours = name.split(".")[0] == "proxai_ir"
                assert not ours or name == "proxai_ir" or name.startswith(PUBLIC), f"{file.name} imports {name}"


MOST_LINES = 700


def test_it_is_short() -> None:
    """All four kinds, both ways: lines that are neither blank nor comments."""
    lines = [line.strip() for file in (PROJECT / "ollama_ir").glob("*.py") for line in file.read_text().splitlines()]
    assert len([line for line in lines if line and line[0] != "#"]) <= MOST_LINES


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
        '        loses("RSN-6", "effort", when=covered_by_effort),\n': '        loses("RSN-6", "effort=ultra"),\n',
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


def test_it_works_unchanged_when_the_ir_grows(tmp_path: Path) -> None:
    """What its rows do not name is as the base of the later library has it."""
    project, library = installed(tmp_path), grown(tmp_path / "grown")
    found = run(project, ("-c", "import proxai_ir.ir.structure as ir; print(ir.VERSION, ir.__file__)"), library)
    assert found.split() == ["3", str(library / "proxai_ir" / "ir" / "structure.py")]
    lost, members, refused, failed = run(project, ("-c", NEWER), library).splitlines()
    assert lost == "[('UNK-1', 'loss', '/min_p'), ('RSN-6', 'loss', '/reasoning_effort')]"
    assert members == "['messages', 'model', 'stream']"
    assert refused == "UNK-5"
    assert failed == "{'error': 'Too many'}"
    assert "passed" in run(project, (*OWN_TESTS, "-k", "not mutation and not order"), library)


def test_without_a_base_it_would_be_refused_by_name(tmp_path: Path) -> None:
    """What an author forgets is named, with what to add, by the first test and by any conversion."""
    project = installed(tmp_path)
    target = project / "ollama_ir" / "target.py"
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
