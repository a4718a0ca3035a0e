"""A fuzzer that keeps what reaches new code: libFuzzer by atheris, the extra `fuzz`.

    python -m tests.fuzz.guided read --runs 1000000          one target of tests/fuzz/targets.py
    python -m tests.fuzz.guided --seconds 10                 each of them
    python -m tests.fuzz.guided convert --seconds 3600 --keep    adds what it found to the corpus, minimised
    python -m tests.fuzz.guided convert --again crash-…      one case without atheris, with its traceback

It begins with the samples and with the corpus in tests/fuzz/corpus, cases that together reach what was ever reached;
tests/test_fuzz_targets.py runs those without atheris. The exit status is 1 where a case breaks a law or does not end;
libFuzzer leaves that case in the folder for findings.
"""

from __future__ import annotations

import argparse
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parent / "corpus"
PARTS = (
    *("frontends", "backends", "passes", "streaming", "framing"),
    *("json", "reporting", "targets", "protocol", "conversion", "wire"),
)
"""The packages whose code counts as reached."""
INNER = "--inner"
HANGS = 60  # seconds that a case may take


def kept(name: str) -> list[bytes]:
    """The corpus of a target: a case a line."""
    file = CORPUS / f"{name}.jsonl"
    return file.read_bytes().splitlines() if file.is_file() else []


def unpacked(cases: Iterable[bytes], folder: Path) -> None:
    for case in cases:
        (folder / sha256(case).hexdigest()[:20]).write_bytes(case)


# --- inside: one process of libFuzzer ---------------------------------------------------------------------------------


def instrumented(atheris: Any) -> None:
    """Imports the library with coverage counted, in functions that it generates, too."""
    with atheris.instrument_imports(include=["proxai_ir"]):
        package = import_module("proxai_ir")
        codegen: Any = import_module("proxai_ir.json.codegen")
        codegen.compile = lambda *source: atheris.patch_code(compile(*source), trace_dataflow=False)
        for part in PARTS:
            found = import_module(f"{package.__name__}.{part}")
            for module in pkgutil.walk_packages(found.__path__, f"{found.__name__}."):
                import_module(module.name)


def inner(name: str, arguments: list[str]) -> None:
    atheris: Any = import_module("atheris")

    instrumented(atheris)
    from .targets import TARGETS

    target = TARGETS[name]
    again = f"{sys.executable} -m tests.fuzz.guided {INNER} {name}"  # what a merge starts, by a shell
    atheris.Setup([again, *arguments], target.run, custom_mutator=target.mutated, internal_libfuzzer=True)
    atheris.Fuzz()


# --- outside ----------------------------------------------------------------------------------------------------------


def libfuzzer(name: str, *arguments: str | Path) -> int:
    command = [sys.executable, "-m", "tests.fuzz.guided", INNER, name, *map(str, arguments)]
    return subprocess.run(command, check=False).returncode


def run(name: str, options: argparse.Namespace) -> bool:
    """Whether nothing was found."""
    from .targets import TARGETS, dumped

    with tempfile.TemporaryDirectory() as folder:
        cases, smaller = Path(folder, "cases"), Path(folder, "smaller")
        cases.mkdir()
        smaller.mkdir()
        unpacked([*kept(name), *map(dumped, TARGETS[name].seeds())], cases)
        options.findings.mkdir(parents=True, exist_ok=True)
        limits = [
            f"-timeout={HANGS}",
            f"-report_slow_units={HANGS}",
            "-max_len=20000",
            "-rss_limit_mb=4000",
            f"-seed={options.seed}",
        ]
        limits += [f"-artifact_prefix={options.findings}/", "-print_final_stats=1", "-reload=0"]
        limits += [f"-runs={options.runs}"] if options.runs else []
        limits += [f"-max_total_time={options.seconds}"] if options.seconds else []
        clean = libfuzzer(name, cases, *limits) == 0
        if options.keep and libfuzzer(name, "-merge=1", smaller, cases) == 0:
            found = sorted(one.read_bytes() for one in smaller.iterdir())
            CORPUS.mkdir(exist_ok=True)
            (CORPUS / f"{name}.jsonl").write_bytes(b"".join(one + b"\n" for one in found))
    return clean


def main(arguments: Sequence[str] | None = None) -> int:
    from .targets import TARGETS

    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("target", nargs="*", help="; ".join(TARGETS))
    parser.add_argument("--runs", type=int, default=0, help="how many cases of each target")
    parser.add_argument("--seconds", type=int, default=0, help="how long each target is tried")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--keep", action="store_true", help="write the corpus anew: what reaches as much with fewer cases"
    )
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"), help="where cases that break a law go")
    parser.add_argument("--again", type=Path, help="run one such case")
    chosen = parser.parse_args(arguments)
    names = chosen.target or [*TARGETS]
    if chosen.again:
        TARGETS[names[0]].run(chosen.again.read_bytes())
        return 0
    if not (chosen.runs or chosen.seconds):
        parser.error("expected --runs or --seconds")
    clean = [run(name, chosen) for name in names]
    return 0 if all(clean) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == [INNER]:
        inner(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(main())
