"""The order of the packages, read from the source: which may import which, and what every module must have."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import proxai_ir

ROOT = Path(__file__).parents[1]
SIDES = ("frontends", "backends")
PROTOCOLS = sorted(path.parent.name for path in (ROOT / "frontends").glob("[!_]*/__init__.py"))
MOST_LINES = 700


def sources() -> dict[str, Path]:
    """Every module of ours by its import name."""
    found = {}
    for base, folder in (("proxai_ir", ROOT / "proxai_ir"), *((f"proxai_ir.{side}", ROOT / side) for side in SIDES)):
        for file in sorted(folder.rglob("*.py")):
            inner = file.relative_to(folder).with_suffix("").parts
            if not {"frontends", "backends", "spec"} & set(inner):
                found[".".join((base, *(part for part in inner if part != "__init__")))] = file
    return found


MODULES = sources()


def imported(name: str, file: Path) -> Iterator[str]:
    """The modules of ours that a module imports, wherever in it but for type checkers, relative imports resolved."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    tree = ast.parse(file.read_text())
    ifs = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    typing = {id(inner) for node in ifs if ast.unparse(node.test) == "TYPE_CHECKING" for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "proxai_ir")
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")
                base = ".".join((*up[: len(up) - node.level + 1], *([base] if base else [])))
            if base.split(".")[0] == "proxai_ir":
                for alias in node.names:
                    inner = f"{base}.{alias.name}"
                    yield inner if inner in MODULES else base


def room(name: str) -> str:
    """Return the package of a module; a module of the top is one by itself, and so is what protocols share."""
    inner = name.split(".")[1:] or ["top"]
    return ".".join(inner[:2]) if inner[1:2] == ["_lib"] else inner[0]


def protocol_of(vocabulary: str) -> str:
    """The protocol of a module of the wire vocabulary, of which some are split by topic."""
    for topic in ("_betas", "_values", "_objects", "_paths", "_structure"):
        vocabulary = vocabulary.removesuffix(topic)
    return vocabulary


STAIRCASE: Sequence[str] = """
    json ir schemas reporting wire targets passes framing protocol frontends._lib backends._lib authoring frontends
    backends conversion streaming api profiles matrix batch exchange httpx exports advice testing scaffold storage bulk
    engines serve launch cli
""".split()
"""The packages in order: each imports only packages before it, wherever in a module an import stands."""


SHARED = {"anthropic": "anthropic_", "google": "gemini_", "openai": "openai_"}
"""What protocols with models of one vendor share, and how the names of the vendor's own begin."""


def test_each_package_imports_only_packages_before_it() -> None:
    wrong = {}
    for name, file in MODULES.items():
        if room(name) == "top":
            continue
        before = STAIRCASE[: STAIRCASE.index(room(name)) + 1]
        wrong[name] = {room(target) for target in imported(name, file)} - {*before, "top"}
    assert {name: rooms for name, rooms in wrong.items() if rooms} == {}


def test_every_package_has_its_place() -> None:
    assert {room(name) for name in MODULES} - {"top"} == set(STAIRCASE)


def test_a_protocol_imports_no_other_side_and_no_other_protocol() -> None:
    """Two protocols of one vendor share a package of its name, `_openai` or `_google`."""
    for name, file in MODULES.items():
        parts = name.split(".")[1:]
        if len(parts) < 2 or parts[0] not in SIDES:
            continue
        shared = {f"_{vendor}" for vendor, begins in SHARED.items() if parts[1].startswith((begins, f"_{vendor}"))}
        for target in imported(name, file):
            reached = target.split(".")[1:]
            if len(reached) > 1 and reached[0] in SIDES:
                assert reached[0] == parts[0], (name, target)
                assert reached[1] in {parts[1], "_lib", *shared}, (name, target)


def test_the_top_has_what_users_and_authors_import() -> None:
    assert {file.name for file in (ROOT / "proxai_ir").glob("*.py")} == {"__init__.py", "api.py", "authoring.py"}


def test_no_imports_go_in_a_circle() -> None:
    """Wherever in a module an import stands, but for those of type checkers alone."""
    graph = {name: {one for one in imported(name, file) if one in MODULES} for name, file in MODULES.items()}
    while leaves := [name for name, reached in graph.items() if not reached & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert {name: sorted(reached & graph.keys()) for name, reached in graph.items()} == {}


def test_no_protocol_names_another() -> None:
    for name, file in MODULES.items():
        if name.split(".")[1:2] and name.split(".")[1] in (*SIDES, "wire"):
            own = protocol_of(name.split(".")[2]) if len(name.split(".")) > 2 else ""
            assert [one for one in PROTOCOLS if one != own and one in file.read_text()] == [], name


def test_the_middle_knows_no_protocol() -> None:
    for name, file in MODULES.items():
        if name.split(".")[1:2] and name.split(".")[1] in ("ir", "rules", "passes", "streaming"):
            nodes = ast.walk(ast.parse(file.read_text()))
            words = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            assert [protocol for protocol in PROTOCOLS if protocol in words] == [], name


VENDORS = re.compile(r"openai|anthropic|gemini|claude|gpt|google|vertex|/v1|x-api-key|x-goog|_completions", re.I)
ABOUT_VENDORS = {
    "proxai_ir.profiles": "servers and models by name, which is what it is for",
    "proxai_ir.cli.app": "examples of what may be typed",
    "proxai_ir.conversion.settings": "the options of our protocols as types",
    "proxai_ir.reporting.catalogue": "the sentences of rules, which the specification has",
    "proxai_ir.exchange.refused_settings": "what servers of any protocol say of a setting that they refuse",
    "proxai_ir.schemas.client_tools": "the forms of vendors' own tools, which reach models of any protocol",
    "proxai_ir.ir.error": "what servers of any protocol say of a prompt that is too long, with the evidence",
    "proxai_ir.exports.training_forms": "vendors' files, each with the messages of one protocol",
    "proxai_ir.launch.clients": "how each client of a model is told where its server is",
    "proxai_ir.testing.tables": "values of samples: who made a seal",
    "proxai_ir.testing.specimens": "values of samples: who made a seal, and who has a file",
}
"""Modules outside a protocol's folders that name a vendor, a model or a path in their code, and what of."""


def test_nothing_of_a_protocol_stands_outside_it() -> None:
    """Neither its name nor a path, a header or a model: each is a declaration of the protocol (`Http`, `Backend`)."""
    named = set()
    for name, file in MODULES.items():
        if name.split(".")[1:2] and name.split(".")[1] in (*SIDES, "wire"):
            continue
        tree = ast.parse(file.read_text())
        texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for node in ast.walk(tree):
            word = node.value if isinstance(node, ast.Constant) and id(node) not in texts else getattr(node, "id", None)
            if isinstance(word, str) and VENDORS.search(word):
                named.add("proxai_ir.profiles" if name.startswith("proxai_ir.profiles.") else name)
    assert named == set(ABOUT_VENDORS)


@pytest.mark.parametrize("side", SIDES)
def test_the_same_files_in_every_protocol(side: str) -> None:
    files = {protocol: {file.name for file in (ROOT / side / protocol).glob("*.py")} for protocol in PROTOCOLS}
    shared = set.intersection(*files.values())
    assert (
        shared
        == {
            "frontends": {"__init__.py", "parts.py", "request.py", "response.py", "stream.py"},
            "backends": {"__init__.py", "stream.py", "target.py", "write.py"},
        }[side]
    )
    several = {"batch.py", "memory.py", "parts.py", "rows.py", "stream_parts.py"}  # where it is long, or there at all
    own = [name for names in files.values() for name in names - shared - several]
    assert len(own) == len(set(own)), "what several protocols have, all have under the same name"


def test_every_protocol_has_a_vocabulary() -> None:
    wire = {name.rpartition(".")[2] for name in MODULES if name.startswith("proxai_ir.wire.")}
    assert {protocol_of(name) for name in wire} - {"objects", *SHARED} == set(PROTOCOLS)
    assert {file.parent.name for file in (ROOT / "backends").glob("[!_]*/__init__.py")} == set(PROTOCOLS)


def test_a_module_is_short_and_has_a_docstring() -> None:
    for name, file in MODULES.items():
        text = file.read_text()
        assert len(text.splitlines()) <= MOST_LINES, name
        assert ast.get_docstring(ast.parse(text)), name
        assert "TO" + "DO" not in text, name
        assert "FIX" + "ME" not in text, name


def test_public_names() -> None:
    assert sorted(proxai_ir.__all__) == [
        "Conversion",
        "Diagnostic",
        "Exchange",
        "Finding",
        "Finish",
        "FinishReason",
        "InMemory",
        "InvalidPayload",
        "Profile",
        "Remedy",
        "Seals",
        "Severity",
        "StreamConverter",
        "StreamError",
        "TranslationError",
        "UnknownProtocol",
        "Unrepresentable",
        "Usage",
        "aconvert_stream",
        "check",
        "compile",
        "convert",
        "convert_stream",
        "findings",
        "lower",
        "profiles",
        "protocols",
        "raise_to",
        "remedies",
        "sse",
        "testing",
    ]
    assert all(hasattr(proxai_ir, name) for name in proxai_ir.__all__)
