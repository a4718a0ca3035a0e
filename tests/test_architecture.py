"""The edges between the layers, read from the source: which may import which, and that every module has a docstring."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import proxai_ir

ROOT = Path(__file__).parents[1]
SIDES = ("frontends", "backends")
PROTOCOLS = sorted(path.parent.name for path in (ROOT / "frontends").glob("[!_]*/__init__.py"))
MOST_LINES = 400


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
    """The modules of ours that a module imports, wherever in it, relative imports resolved."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text())):
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


def layer(name: str) -> str:
    """Which layer a module belongs to; a protocol's own modules count by protocol."""
    parts = name.split(".")[1:]
    if not parts:
        return "top"
    if parts[0] in SIDES:
        return f"{parts[0]}/{parts[1]}" if len(parts) > 1 and parts[1] in PROTOCOLS else f"{parts[0]} shared"
    if parts[0] == "vendors" and parts[-1] == "reading":
        return "vendors/reading"
    if parts[0] == "vendors" and parts[-1] in ("checks", "conditions", "writing", "restoring"):
        return "vendors/writing"
    if parts[0] == "wire":
        vocabulary = protocol_of(parts[1]) if parts[1:] else ""
        return f"wire/{vocabulary}" if vocabulary in PROTOCOLS else "wire"
    if name in ("proxai_ir.rules.matrix", "proxai_ir.rules.pairs"):
        return "matrix"
    if name in STREAM_MODEL:
        return "stream model"
    return parts[0]


def protocol_of(vocabulary: str) -> str:
    """The protocol of a module of the wire vocabulary, of which some are split by topic."""
    for topic in ("_values", "_paths", "_structure"):
        vocabulary = vocabulary.removesuffix(topic)
    return vocabulary


STREAM_MODEL = {f"proxai_ir.streaming.{name}" for name in ("events", "grammar", "aggregate", "interfaces")}
"""What a stream is in the IR, known to both sides; the rest of the package runs one."""
NEUTRAL = ("ir", "rules", "passes", "report", "schemas", "streaming")
BASIS = {"codegen", "ir", "stream model", "diagnostics", "json_pointer", "json_types", "registry", "schemas", "vendors"}
BASIS |= {"http", "references"}


def allowed(of: str) -> set[str] | None:
    """The layers that a layer may import in addition to itself; None: anything."""
    side, _, protocol = of.partition("/")
    if protocol and side in SIDES:
        more = {"rules", "report", "vendors/writing"} if side == "backends" else {"vendors/reading"}
        return BASIS | more | {f"{side} shared", f"wire/{protocol}"}
    return {
        "codegen": set(),
        "ir": {"codegen"},
        "stream model": {"ir", "json_types"},
        "schemas": {"json_pointer"},
        "http": {"ir"},
        "references": set(),
        "settings": set(),
        "rules": {"ir", "report", "json_types"},
        "matrix": {"ir", "rules", "registry"},
        "json_pointer": set(),
        "digest": {"diagnostics", "rules"},
        "json_types": set(),
        "json": {"json_pointer"},
        "diagnostics": {"json_pointer", "json_types", "rules"},
        "passes": {"codegen", "ir", "stream model", "rules", "diagnostics", "json_pointer", "json_types", "report"},
        "report": {"ir", "diagnostics", "json_pointer", "rules"},
        "vendors": {"ir"},
        "vendors/reading": {"ir", "diagnostics", "vendors", "frontends shared"},
        "vendors/writing": {"ir", "diagnostics", "vendors", "backends shared", "report", "rules", "schemas"},
        "wire": {"ir", "wire"},
        "registry": {"detect", "ir", "profile", "stream model", "diagnostics", "rules", "http", "references"},
        "detect": {"codegen", "diagnostics"},
        "frontends shared": {*BASIS - {"registry"}, "wire"},
        "backends shared": {*BASIS - {"registry"}, "wire", "rules", "report"},
    }.get("wire" if side == "wire" else of)


@pytest.mark.parametrize("name", MODULES)
def test_edges(name: str) -> None:
    may = allowed(layer(name))
    if may is None:
        return
    reached = {layer(target) for target in imported(name, MODULES[name])} - {layer(name)}
    assert reached <= may, f"{name} may not import {sorted(reached - may)}"


def test_no_layer_is_forgotten() -> None:
    free = {layer(name) for name in MODULES if allowed(layer(name)) is None}
    assert free <= {
        "authoring",
        "testing",
        "top",
        "api",
        "batch",
        "bulk",
        "cli",
        "conversion",
        "engines",
        "exchange",
        "exports",
        "framing",
        "ir_json",
        "json_bytes",
        "options",
        "resemblance",
        "profile",
        "profiles",
        "routes",
        "serve",
        "streaming",
        "same_protocol",
    }


@pytest.mark.parametrize(
    "name", [name for name in MODULES if name.split(".")[1:2] and name.split(".")[1] in (*SIDES, "wire")]
)
def test_no_protocol_names_another(name: str) -> None:
    own = layer(name).partition("/")[2]
    others = [protocol for protocol in PROTOCOLS if protocol != own]
    text = MODULES[name].read_text()
    assert [protocol for protocol in others if protocol in text] == []


@pytest.mark.parametrize(
    "name",
    [name for name in MODULES if name.split(".")[1:2] and name.split(".")[1] in ("ir", "rules", "passes", "streaming")],
)
def test_the_middle_knows_no_protocol(name: str) -> None:
    tree = ast.parse(MODULES[name].read_text())
    words = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [protocol for protocol in PROTOCOLS if protocol in words] == []


@pytest.mark.parametrize("side", SIDES)
def test_the_same_files_in_every_protocol(side: str) -> None:
    files = {protocol: {file.name for file in (ROOT / side / protocol).glob("*.py")} for protocol in PROTOCOLS}
    shared = set.intersection(*files.values())
    assert {"__init__.py", "request.py", "response.py", "stream.py", "error.py", "parts.py", "tools.py"} <= shared
    assert ({"target.py", "conditions.py", "checks.py"} <= shared) == (side == "backends")
    own = [name for names in files.values() for name in names - shared - {"memory.py"}]
    assert len(own) == len(set(own)), "what several protocols have, all have under the same name"


def test_every_protocol_has_a_vocabulary() -> None:
    wire = {name.rpartition(".")[2] for name in MODULES if name.startswith("proxai_ir.wire.")}
    assert {protocol_of(name) for name in wire} - {"objects"} == set(PROTOCOLS)
    assert {file.parent.name for file in (ROOT / "backends").glob("[!_]*/__init__.py")} == set(PROTOCOLS)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_short_and_has_a_docstring(name: str) -> None:
    text = MODULES[name].read_text()
    assert len(text.splitlines()) <= MOST_LINES
    assert ast.get_docstring(ast.parse(text))
    assert "TO" + "DO" not in text
    assert "FIX" + "ME" not in text


def test_public_names() -> None:
    assert sorted(proxai_ir.__all__) == [
        "Conversion",
        "Diagnostic",
        "Exchange",
        "Finding",
        "InMemory",
        "InvalidPayload",
        "Profile",
        "Severity",
        "StreamConverter",
        "StreamError",
        "TranslationError",
        "UnknownProtocol",
        "Unrepresentable",
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
        "sse",
        "testing",
    ]
    assert all(hasattr(proxai_ir, name) for name in proxai_ir.__all__)
