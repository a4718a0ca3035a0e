"""The edges between the layers, read from the source: which may import which, and that every module has a docstring."""

from __future__ import annotations

import ast
import re
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


def layer(name: str) -> str:
    """Which layer a module belongs to: a room, or of rooms with several layers one of these."""
    parts = name.split(".")[1:]
    if not parts:
        return "top"
    if parts[0] in SIDES:
        return "/".join(parts[:2]) if parts[1:] and parts[1] != "_lib" else f"{parts[0]} shared"
    if parts[0] == "wire":
        return f"wire/{protocol_of(parts[1])}" if parts[1:] and parts[1] != "objects" else "wire"
    if parts[0] in ("binding", "json", "reporting"):
        return "/".join(parts[:2])
    if name == "proxai_ir.batch.lines":
        return "batch/lines"
    if name in ("proxai_ir.matrix.tables", "proxai_ir.matrix.pairs"):
        return "rules/matrix"
    if parts[:2] in (["ir", "stream"], ["streaming", "interfaces"]):
        return "ir/stream"
    return parts[0]


def protocol_of(vocabulary: str) -> str:
    """The protocol of a module of the wire vocabulary, of which some are split by topic."""
    for topic in ("_betas", "_values", "_objects", "_paths", "_structure"):
        vocabulary = vocabulary.removesuffix(topic)
    return vocabulary


FOUND = {"reporting/diagnostics", "json/pointer", "json/types"}
"""What reports a finding, and where it points."""
SIDE = {"ir", "ir/stream", "json/codegen", "schemas", "wire", *FOUND}
"""What both sides of every protocol are made of."""
PROTOCOL = {*SIDE, "binding/registry", "binding/server", "binding/http", "binding/slips"}
BACKEND = {
    "batch/lines",
    "binding/server",
    "binding/signing",
    "framing",
    "rules",
    "reporting/report",
    "backends shared",
}
LAYERS: dict[str, set[str]] = {
    "ir": {"json/codegen"},
    "ir/stream": {"ir", "json/types"},
    "json/codegen": set(),
    "json/differences": {"json/pointer"},
    "json/objects": {"json/types"},
    "json/pointer": set(),
    "json/typed": {"json/bytes"},
    "json/types": set(),
    "json/unreadable": set(),
    "json/bytes": {"json/unreadable", "reporting/diagnostics"},
    "json/merge": {"json/pointer"},
    "json/ir_form": {"ir", "ir/stream", "json/merge"},
    "json/ir_schema": {"ir", "json/ir_form"},
    "reporting": set(),
    "reporting/diagnostics": {"json/pointer", "json/types", "rules"},
    "reporting/digest": {"reporting/diagnostics", "rules"},
    "reporting/places": {"json/pointer", "reporting/report", "reporting/vocabulary"},
    "reporting/report": {"ir", "json/pointer", "reporting/diagnostics", "reporting/vocabulary", "rules"},
    "reporting/vocabulary": {"ir", "json/pointer", "reporting/diagnostics", "rules"},
    "batch/lines": {"json/types", "reporting/diagnostics"},
    "binding/http": {"framing", "ir"},
    "binding/server": set(),
    "binding/settings": set(),
    "binding/signing": set(),
    "binding/registry": {
        *("ir", "ir/stream", "json/codegen", "json/types", "reporting/diagnostics", "rules", "wire"),
        *("reporting/vocabulary", "binding/http", "binding/server", "binding/slips", "framing"),
    },
    "binding/readers": {"binding/registry", "binding/slips", "ir", "reporting/diagnostics"},
    "binding/slips": {"json/pointer", "json/types", "reporting/diagnostics", "wire"},
    "binding/plain": {"ir", "json/pointer"},
    "binding/same_protocol": {"binding/readers", "binding/registry", "ir", "json/merge", "reporting/diagnostics"},
    "binding/relaying": {
        *("binding/registry", "binding/server", "ir", "json/merge", "passes", "reporting/diagnostics"),
        *("reporting/report", "rules"),
    },
    "schemas": {"json/pointer"},
    "rules": {"binding/server", "ir", "reporting/report", "json/types", "schemas"},
    "rules/matrix": {"binding/registry", "ir", "rules"},
    "passes": {"binding/server", "ir", "ir/stream", "json/codegen", "rules", "reporting/report", *FOUND},
    "frontends shared": SIDE,
    "frontends/_openai": {"ir", "wire/openai", "frontends shared", *FOUND},
    "frontends/_google": {"ir", "wire/google", "frontends shared", *FOUND},
    "backends shared": {*SIDE, "binding/server", "rules"},
    "backends/_openai": {"ir", "wire/openai", "schemas", "binding/http", "binding/registry", *FOUND, *BACKEND},
    "backends/_google": {"ir", "wire", "wire/google", "binding/http", *FOUND, *BACKEND},
    "storage": {
        *("api", "binding/profile", "binding/registry", "binding/server", "exchange", "framing", "streaming"),
        *("reporting/diagnostics", "rules"),
    },
}
"""The layers that a layer may import in addition to itself; those that are not here may import anything."""
FREE = set(
    """
    advice api authoring batch binding binding/conversion binding/options binding/profile binding/detection
    binding/directions binding/reading
    bulk cli engines exchange exports framing httpx json launch profiles scaffold serve streaming testing top
    """.split()
)


SHARED = {"google": "gemini_", "openai": "openai_"}
"""What two protocols of one vendor share, and how their names begin."""


def allowed(of: str) -> set[str] | None:
    side, _, protocol = of.partition("/")
    vendors = [vendor for vendor, begins in SHARED.items() if protocol.startswith(begins)]
    if side == "wire":
        return {"ir", "wire", *(f"wire/{vendor}" for vendor in vendors)}
    if protocol in PROTOCOLS:
        family = {one for vendor in vendors for one in (f"{side}/_{vendor}", f"wire/{vendor}")}
        return {*PROTOCOL, f"{side} shared", f"wire/{protocol}", *family, *(BACKEND if side == "backends" else ())}
    return LAYERS.get(of)


def test_edges() -> None:
    wrong = {}
    for name, file in MODULES.items():
        may = allowed(layer(name))
        if may is not None:
            reached = {layer(target) for target in imported(name, file)} - {layer(name)}
            wrong[name] = sorted(reached - may)
    assert {name: layers for name, layers in wrong.items() if layers} == {}


def test_no_layer_is_forgotten() -> None:
    assert {layer(name) for name in MODULES if allowed(layer(name)) is None} == FREE


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
            own = layer(name).partition("/")[2]
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
    "proxai_ir.conversion.settings": "the options of our protocols as types",
    "proxai_ir.reporting.catalogue": "the sentences of rules, which the specification has",
    "proxai_ir.exchange.refused_settings": "what servers of any protocol say of a setting that they refuse",
    "proxai_ir.schemas.client_tools": "the forms of vendors' own tools, which reach models of any protocol",
    "proxai_ir.ir.error": "what servers of any protocol say of a prompt that is too long, with the evidence",
    "proxai_ir.exports.fine_tuning": "a vendor's file, which has the messages of one protocol",
    "proxai_ir.launch.clients": "how each client of a model is told where its server is",
    "proxai_ir.launch.vendors": "where each vendor's servers are, and whose key they take",
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
    assert {"__init__.py", "request.py", "response.py", "stream.py", "error.py", "parts.py", "tools.py"} <= shared
    assert ({"target.py", "conditions.py", "checks.py"} <= shared) == (side == "backends")
    own = [name for names in files.values() for name in names - shared - {"memory.py", "batch.py"}]
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
