"""Ours against other converters, fact by fact: `python -m tests.conform.differential --python PYTHON litellm …`.

Each vector that needs no option, and with `--corpus` each recording of the shared corpus, is converted by both.
Rule 1: two outputs are compared by what they mean, as `proxai_ir.testing.compare` reads them, and by the numbers of
their usage. Rule 2: what the peer alone has is of another class where a finding of ours is about it in the source.
Rule 3: a peer that is not installed is named and skipped; a run that compared nothing fails.

Who is right was decided by persons, in `verdicts.toml`. The table counts who is right, and has a line with its
first case for each kind of difference that no verdict covers or in which the peer is right; `--all` shows every kind.
PYTHON is the interpreter that has the peers; where Lingua is, NODE_PATH says.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import orjson

import proxai_ir
from proxai_ir.conversion.profile import Profile
from proxai_ir.ir.response import PARTITION, Usage
from proxai_ir.ir.structure import nodes
from proxai_ir.profiles import for_model
from proxai_ir.streaming.whole import folded
from proxai_ir.testing.compare import ABSENT, Side, differences
from proxai_ir.testing.conform import Implementation, Vector, arrives, leaves, vectors

from ..held.shared import ANTHROPIC, BEDROCK, CHAT, COHERE, GEMINI, OLLAMA, RESPONSES, SHARED, recorded
from ..pains.asked.got import at
from .peers import CONVERTERS
from .verdicts import Verdict, covering, verdicts

Json = Any
MODELS = {
    ANTHROPIC: "claude-sonnet-4-5",
    CHAT: "gpt-5.1",
    RESPONSES: "gpt-5.1",
    GEMINI: "gemini-2.5-pro",
    BEDROCK: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    COHERE: "command-a-03-2025",
    OLLAMA: "llama3.1",
}
"""By target: the model for which both convert a request, since much depends on it."""
OURS_ALONE, NAMED, PEER_ALONE, DIFFERENT = "ours alone", "named by us", "the peer alone", "different"
WE_REFUSE, PEER_REFUSES, NOT_READ = "we refuse", "the peer refuses", "the peer's cannot be read"
WE_FAIL = "we answer an error"
UNDECIDED = "not decided"
CLASSES = (OURS_ALONE, NAMED, PEER_ALONE, DIFFERENT, WE_REFUSE, PEER_REFUSES, NOT_READ, WE_FAIL)
KINDS = ("request", "response", "stream")
TIMEOUT = 30.0
SHOWN = 80
NOTHING = ("0", "False", '""', "[]", "{}", "null")
"""Values of a peer's that say no more than their absence."""


class Found(NamedTuple):
    """One fact in which both differ: the class, the field of the IR, the case, both values."""

    what: str
    field: str
    case: Vector
    ours: str
    peer: str

    @property
    def kind(self) -> tuple[str, str, str, str]:
        return self.what, self.case.kind, f"{self.case.src} -> {self.case.dst}", self.field

    def as_json(self) -> bytes:
        what, kind, route, field = self.kind
        made = {"class": what, "kind": kind, "route": route, "field": field, "case": self.case.id}
        return orjson.dumps({**made, "ours": self.ours, "peer": self.peer}, option=orjson.OPT_APPEND_NEWLINE)


class Run(NamedTuple):
    """The differences from one peer, and the numbers of cases that were compared and that were not."""

    peer: str
    found: list[Found]
    compared: int
    unsupported: int
    unanswered: int


# --- cases ------------------------------------------------------------------------------------------------------------


def cases(corpus: bool) -> Iterator[Vector]:
    """Yield the vectors of the protocols in MODELS, and the recordings towards each of the other protocols."""
    for vector in vectors(options=False):
        if vector.kind in KINDS and {vector.src, vector.dst} <= MODELS.keys():
            yield attrs.evolve(vector, source=_for_model(vector.kind, vector.source, vector.dst))
    for kind in KINDS if corpus else ():
        for src in (one for one in recorded(kind) if one in MODELS):
            with gzip.open(SHARED / "corpus" / f"{src}.{kind}.jsonl.gz") as file:
                for record in map(orjson.loads, file):
                    for dst in MODELS.keys() - {src}:
                        source = _for_model(kind, record["payload"], dst)
                        yield Vector(record["id"], "", kind, src, dst, {}, source, None, (), (), None)


def _for_model(kind: str, source: Json, dst: str) -> Json:
    return {**source, "model": MODELS[dst]} if kind == "request" and isinstance(source, dict) else source


# --- one case ---------------------------------------------------------------------------------------------------------


def compared(case: Vector, answer: Json) -> list[Found]:
    """Return the facts in which the answer of a peer differs from ours."""
    asks = case.kind == "request"
    target: str | Profile = for_model(case.dst, MODELS[case.dst]) if asks else case.dst
    options = {"model": MODELS[case.dst]} if asks and GEMINI in (case.src, case.dst) else {}
    try:
        ours = proxai_ir.compile(case.source, case.src, target, kind=case.kind, **options)  # type: ignore[call-overload]
    except proxai_ir.TranslationError as error:
        return [] if "refused" in answer else [Found(WE_REFUSE, error.rule, case, str(error), str(answer["output"]))]
    if "refused" in answer:
        return [Found(PEER_REFUSES, "", case, "", str(answer["refused"]))]
    if ours.kind == "error" and case.kind == "response":  # a failed answer, which the peer takes for a response
        return [Found(WE_FAIL, "", case, str(ours.output), str(answer["output"]))]
    try:
        sides = [_side(case, one) for one in (ours.output, answer["output"])]
        proxai_ir.lower(sides[1].payload, case.dst, kind=sides[1].kind)  # type: ignore[call-overload]
        found, counts = differences(*sides), [*_counts(case, *sides)]
    except (proxai_ir.TranslationError, TypeError, ValueError) as error:
        return [Found(NOT_READ, type(error).__name__, case, "", str(error))]
    said = [one.path for one in ours.diagnostics if one.path]
    facts = [
        Found(_class(case, said, one.a[1], one.b, sides[1].payload), re.sub(r"\[\d+\]", "", one.field), case, *shown)
        for one in found
        if (shown := (one.a[1], one.b[1])) and one.b[1] not in NOTHING
    ]
    return [*facts, *counts]


def _side(case: Vector, payload: Json) -> Side:
    if case.kind == "stream":
        return Side(folded(payload, case.dst), case.dst, "response")
    return Side(payload, case.dst, case.kind)


def _class(case: Vector, said: Sequence[str], ours: str, peer: tuple[str, str], payload: Json) -> str:
    if peer[1] == ABSENT:
        return OURS_ALONE
    if _named(case.source, said, at(payload, peer[0])):
        return NAMED
    return PEER_ALONE if ours == ABSENT else DIFFERENT


def _named(source: Json, said: Sequence[str], value: Json) -> bool:
    """Return whether findings are about all places of the source from which the values of the peer's fact are."""
    wanted = [one for _, one in leaves(value)] or [value]
    places = [path for path, one in leaves(source) if any(one == each or arrives(one, [each]) for each in wanted)]
    return bool(places) and all(any(f"{path}/".startswith(f"{one}/") for one in said) for path in places)


def _counts(case: Vector, ours: Side, peer: Side) -> Iterator[Found]:
    """Yield the token counts that only one of the two has: an absent count is no difference of meaning to `compare`."""
    mine, theirs = (_usage(side) for side in (ours, peer))
    for name in sorted(mine.keys() ^ theirs.keys()):
        what = PEER_ALONE if name in theirs else OURS_ALONE
        yield Found(what, f"usage.{name}", case, str(mine.get(name, ABSENT)), str(theirs.get(name, ABSENT)))


def _usage(side: Side) -> dict[str, int]:
    if side.kind != "response":
        return {}
    root = proxai_ir.lower(side.payload, side.server, kind="response")
    found = (node for node in nodes(root) if isinstance(node, Usage))
    return {name: value for node in found for name in PARTITION if (value := getattr(node, name))}


# --- all of them ------------------------------------------------------------------------------------------------------


def run(peer: str, command: str, chosen: Iterable[Vector]) -> Run:
    """Compare all cases with what a command answers, which is a process as `proxai_ir.testing.conform` has it."""
    found: list[Found] = []
    counts = Counter[str]()
    for case, answer in Implementation(command, TIMEOUT).answers(chosen):
        if isinstance(answer, str):
            counts["unanswered"] += 1
        elif "unsupported" in answer:
            counts["unsupported"] += 1
        else:
            counts["compared"] += 1
            found += compared(case, answer)
    return Run(peer, found, counts["compared"], counts["unsupported"], counts["unanswered"])


def table(made: Run, known: Sequence[Verdict], every: bool = False) -> str:
    """Return the counts, and a line with its first case for each kind of difference that is shown: each one, or those
    that no verdict covers and those in which the peer is right."""
    lines = [f"{made.compared} compared, {made.unsupported} without such a conversion, {made.unanswered} not answered"]
    lines += _counted("", (one.what for one in made.found))
    covered = [(one, covering(known, (made.peer, *one.kind), one.ours, one.peer)) for one in made.found]
    lines += _counted("right: ", (verdict.right if verdict else UNDECIDED for _, verdict in covered))
    shown = [(one, verdict) for one, verdict in covered if every or verdict is None or verdict.right == "peer"]
    kinds, first = Counter(one.kind for one, _ in shown), {one.kind: (one, verdict) for one, verdict in reversed(shown)}
    for kind, count in sorted(kinds.items(), key=lambda item: (item[0][0], -item[1], item[0])):
        one, verdict = first[kind]
        values = one.case.id, one.ours[:SHOWN], one.peer[:SHOWN], verdict.right if verdict else UNDECIDED
        lines.append(" | ".join([f"{count:6} {kind[0]}", *kind[1:], *values]))
    return "\n".join(lines)


def _counted(label: str, words: Iterable[str]) -> list[str]:
    return [f"{label}{word}: {count}" for word, count in sorted(Counter(words).items())]


def version(python: str, name: str) -> str | None:
    """Return the name and version of a peer; None if it is not installed."""
    command = [*shlex.split(python), "-m", "tests.conform.peers", name, "--version"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare with each peer that is installed; return 1 if nothing was compared."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.conform.differential", description="Compare with other converters, fact by fact."
    )
    parser.add_argument("peers", nargs="*", metavar="PEER", help=f"of {', '.join(CONVERTERS)}; all by default")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the peers")
    parser.add_argument("--corpus", action="store_true", help="also each recording of the shared corpus")
    parser.add_argument("--all", action="store_true", help="show each kind of difference, with a verdict or without")
    parser.add_argument("--json", type=Path, metavar="FOLDER", help="where every difference is written, a file a peer")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.peers if name not in CONVERTERS]:
        parser.error(f"expected peers of {', '.join(CONVERTERS)}, found {', '.join(unknown)}")
    every, known = 0, verdicts()
    for name in given.peers or CONVERTERS:
        release = version(given.python, name)
        if release is None:
            print(f"{name}: skipped, as it is not installed in {given.python}\n")
            continue
        made = run(name, f"{given.python} -m tests.conform.peers {name}", cases(given.corpus))
        print(f"{release}, proxai_ir {metadata.version('proxai_ir')}: {table(made, known, given.all)}\n")
        if given.json is not None:
            (given.json / f"{name}.jsonl").write_bytes(b"".join(one.as_json() for one in made.found))
        every += made.compared
    if not every:
        print("nothing was compared", file=sys.stderr)
    return 0 if every else 1


if __name__ == "__main__":
    sys.exit(main())
