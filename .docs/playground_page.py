"""The playground: its page's data, and what the built site has for it: Python for browsers, and the library.

Pyodide is taken from `node_modules`, where `npm install --prefix .docs` puts it, and the library from this checkout, as
an archive of sources like a wheel's; attrs from what is installed. Without Pyodide the page says what is missing.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from proxai_ir.protocol.registry import framing_of, protocols

HERE = Path(__file__).parent
ROOT = HERE.parent
MARKER = "<!-- playground -->"
PYODIDE = HERE / "node_modules" / "pyodide"
RUNTIME = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
FOLDER = Path("assets") / "playground"
LIBRARY = "proxai_ir.zip"
SOURCES = {
    "proxai_ir": ROOT / "proxai_ir",
    "proxai_ir/frontends": ROOT / "frontends",
    "proxai_ir/backends": ROOT / "backends",
}
NOT_CALLED = {"bulk", "cli", "engines", "scaffold", "serve", "spec", "testing"}  # folders that no conversion imports
OWN = {"orjson.py": HERE / "playground" / "as_orjson.py", "glue.py": HERE / "playground" / "glue.py"}
KINDS = ("request", "response", "stream", "error")


def available() -> bool:
    return all((PYODIDE / name).is_file() for name in RUNTIME)


def filled(markdown: str, links: Mapping[str, str]) -> str:
    """Return the page with its data. `links`: the address of each rule's section."""
    assert MARKER in markdown, "playground.md has no place for its data"
    data = {
        "available": available(),
        "protocols": protocols(),
        "kinds": KINDS,
        "examples": list(examples()),
        "rules": links,
    }
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return markdown.replace(MARKER, f'<script type="application/json" id="playground-data">{text}</script>')


def examples() -> Iterator[dict[str, str]]:
    """Yield the payloads of spec/payloads, named by protocol and kind."""
    for protocol in protocols():
        for kind in KINDS:
            for file in sorted((ROOT / "spec" / "payloads").glob(f"{protocol}_{kind}.*")):
                yield {"from": protocol, "kind": kind, "text": shown(protocol, file)}


def shown(protocol: str, file: Path) -> str:
    """Return a payload as text; a stream whose framing is no text as the array of its events, which is read as well."""
    framing = framing_of(protocol)
    if framing.binary and file.suffix != ".json":
        return json.dumps(list(framing.decode([file.read_bytes()])), indent=1)
    return file.read_text(encoding="utf-8")


def write(site: Path) -> None:
    """Write Python and the library into the built site."""
    if not available():
        return
    folder = site / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNTIME:
        shutil.copyfile(PYODIDE / name, folder / name)
    with zipfile.ZipFile(folder / LIBRARY, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, file in files():
            archive.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_DEFLATED)  # the same bytes each time


def files() -> Iterator[tuple[str, Path]]:
    yield from OWN.items()
    for package in ("attr", "attrs"):
        spec = importlib.util.find_spec(package)
        assert spec is not None
        assert spec.origin is not None
        yield from modules(package, Path(spec.origin).parent)
    for package, folder in SOURCES.items():
        yield from modules(package, folder)


def modules(package: str, folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*.py")):
        inner = file.relative_to(folder)
        if not any((folder / Path(*inner.parts[: at + 1])).is_symlink() for at in range(len(inner.parts))):
            if not (package == "proxai_ir" and inner.parts[0] in NOT_CALLED):
                yield f"{package}/{inner.as_posix()}", file
