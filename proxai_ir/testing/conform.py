"""`python -m proxai_ir.testing.conform`: any implementation held against the specification's vectors.

The implementation is a process that reads a vector a line and answers each with a line; `spec/vectors/README.md` has
the form of both, and the words for what fails.
"""

from __future__ import annotations

import argparse
import queue
import shlex
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import orjson
from attrs import frozen

import proxai_ir

from ..json.pointer import escape
from ..json.types import cut
from ..reporting.diagnostics import ROOT
from ..streaming.whole import folded
from .compare import Side, differences

Json = Any


@frozen
class Vector:
    """A conversion and what must come of it.

    `expected` is None where the conversion must be refused. `carried` points to the values of the source that must
    arrive, `lost` to those that the target cannot express, which must be named. `ending`: why the response ended.
    """

    id: str
    rule: str
    kind: str
    src: str
    dst: str
    options: dict[str, Json]
    source: Json
    expected: Json
    carried: tuple[str, ...]
    lost: tuple[tuple[str, str], ...]
    ending: str | None

    @property
    def family(self) -> str:
        return self.rule.partition("-")[0]

    def asked(self) -> bytes:
        """Return the line that an implementation is sent."""
        asked = {"id": self.id, "kind": self.kind, "from": self.src, "to": self.dst}
        return orjson.dumps({**asked, "options": self.options, "source": self.source}) + b"\n"


def read(line: bytes) -> Vector:
    made = orjson.loads(line)
    lost = tuple((one["rule"], one["pointer"]) for one in made["lost"])
    names = {"src": made.pop("from"), "dst": made.pop("to"), "carried": tuple(made.pop("carried")), "lost": lost}
    return Vector(**{**made, **names})


def vectors(wanted: Collection[str] = (), options: bool = True) -> Iterator[Vector]:
    """Yield the vectors, or only those of the rules or families in `wanted`; without `options` those that need none."""
    folder = files("proxai_ir") / "spec" / "vectors"
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".jsonl"):
            for one in map(read, file.read_bytes().splitlines()):
                if (options or not one.options) and (not wanted or {one.rule, one.family, one.id} & {*wanted}):
                    yield one


SAME, EQUIVALENT, HOLDS = "same", "equivalent", "holds"
REFUSED = "refused, as it must be"
UNSUPPORTED = "unsupported"
LOSES, ENDING, INVALID, UNSAID = "loses", "wrong ending", "invalid", "unsaid"
TAKEN, DECLINED = "not refused", "refused"
PASSED = frozenset({SAME, EQUIVALENT, HOLDS, REFUSED})
WORDS = frozenset({"type", "role", "object", "id", "created", "created_at", "index"})
"""Members whose values are words of the source's protocol, and no content."""


@frozen
class Verdict:
    """The result of one vector. `word`: one of those above, or a fault of the process; `detail`: found and expected."""

    vector: Vector
    word: str
    detail: str = ""

    @property
    def passed(self) -> bool:
        return self.word in PASSED


def judged(vector: Vector, answer: Json | str) -> Verdict:
    if isinstance(answer, str):
        return Verdict(vector, answer)
    if "unsupported" in answer:
        return Verdict(vector, UNSUPPORTED, str(answer["unsupported"])[:200])
    if "refused" in answer:
        return Verdict(vector, REFUSED if vector.expected is None else DECLINED, str(answer["refused"])[:200])
    if vector.expected is None:
        return Verdict(vector, TAKEN, f"expected a refusal, found {cut(repr(answer['output']), 100)}")
    word, detail = _of_output(vector, answer["output"])
    if word in PASSED and (unsaid := _unsaid(vector, answer.get("findings") or ())):
        return Verdict(vector, UNSAID, f"lost and not named: {', '.join(unsaid)}")
    return Verdict(vector, word, detail)


def _of_output(vector: Vector, output: Json) -> tuple[str, str]:
    try:
        if _canonical(output) == _canonical(vector.expected):
            return SAME, ""
        sides = [_side(vector, one) for one in (vector.expected, output)]
        found = differences(*sides)
        ending = ending_of(vector.kind, vector.dst, output)
    except (proxai_ir.TranslationError, TypeError, ValueError, RecursionError) as error:
        return INVALID, f"no {vector.kind} of {vector.dst}: {error}"[:300]
    if not found:
        return EQUIVALENT, ""
    values = dict(leaves(vector.source))
    missing = [pointer for pointer in vector.carried if not arrives(values[pointer], output)]
    if missing:
        return LOSES, f"not in the output: {', '.join(missing)}"
    if ending != vector.ending:
        return ENDING, f"found {ending}, expected {vector.ending}"
    return HOLDS, "; ".join(map(str, found[:3]))


def _canonical(value: Json) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _side(vector: Vector, payload: Json) -> Side:
    if vector.kind == "stream":
        return Side(folded(payload, vector.dst), vector.dst, "response")
    return Side(payload, vector.dst, vector.kind)


def ending_of(kind: str, protocol: str, payload: Json) -> str | None:
    """Return the stop reason of a response's first candidate in the IR's words. Raises TranslationError."""
    if kind not in ("response", "stream"):
        return None
    whole = folded(payload, protocol) if kind == "stream" else payload
    node = proxai_ir.lower(whole, protocol, kind="response")
    candidates = getattr(node, "candidates", None)
    return candidates[0].terminal.reason.value if candidates and candidates[0].terminal else None


def _unsaid(vector: Vector, findings: Json) -> list[str]:
    said = [str(one.get("pointer", "")) for one in findings if isinstance(one, dict)]
    return [pointer or ROOT for _, pointer in vector.lost if not any(_around(one, pointer) for one in said)]


def _around(said: str, pointer: str) -> bool:
    """Return whether a finding is about a place, a part of it, or a part that holds it, the whole payload excepted."""
    inside = said.startswith(f"{pointer}/") or pointer.startswith(f"{said}/")
    return said == pointer or (inside and "" not in (said, pointer))


# --- values -----------------------------------------------------------------------------------------------------------


def leaves(value: Json, pointer: str = "") -> Iterator[tuple[str, Json]]:
    """Yield texts and numbers with their pointers, without words of the protocol."""
    if isinstance(value, Mapping):
        for name, one in value.items():
            if name not in WORDS:
                yield from leaves(one, f"{pointer}/{escape(name)}")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from leaves(one, f"{pointer}/{index}")
    elif isinstance(value, (str, int, float)) and type(value) is not bool and value != "":
        yield pointer, value


def arrives(value: Json, output: Json) -> bool:
    """Return whether a value of the source stands in the output; a text may be part of one, or be cut in pieces."""
    found = [one for _, one in leaves(output)]
    if not isinstance(value, str):
        return value in found
    texts = [one for one in found if isinstance(one, str)]
    return any(value in one for one in texts) or value in "".join(texts) or _parsed(value, found, texts)


def _parsed(value: str, found: list[Json], texts: list[str]) -> bool:
    """Return whether a text is JSON whose values all stand in the output, as arguments do that become an object."""
    try:
        inside = orjson.loads(value)
    except ValueError:
        return False
    if not isinstance(inside, (dict, list)):
        return False
    joined = "".join(texts)
    return all(one in found or (isinstance(one, str) and one in joined) for _, one in leaves(inside))


HUNG, DIED, GARBAGE, OUT_OF_ORDER = "hung", "died", "garbage", "out of order"
FAULTS = (HUNG, DIED, GARBAGE, OUT_OF_ORDER)
"""The faults of an implementation that gives no answer."""
MOST_STARTS = 20
"""After so many processes in a row without an answer, all further vectors fail as the last one did."""
STARTS = 30.0
"""Seconds that the first answer of a process may take at least, since it imports much."""
GRACE = 5.0
"""Seconds that a process has to end by itself."""


class NotStartedError(Exception):
    """The command cannot be run; the text is why."""


class Implementation:
    """The process of a command, started when it is needed."""

    def __init__(self, command: str, timeout: float) -> None:
        self._command, self._timeout = shlex.split(command), timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._in_vain = 0
        self._first = True
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()

    def answers(self, vectors: Iterable[Vector]) -> Iterator[tuple[Vector, Json | str]]:
        """Yield each vector with the object that answers it, or with one of FAULTS. Raises NotStartedError."""
        try:
            answer: Json | str = DIED
            for vector in vectors:
                answer = answer if self._in_vain >= MOST_STARTS else self._answer(vector)
                yield vector, answer
        finally:
            self.close()

    def _answer(self, vector: Vector) -> Json | str:
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(vector.asked())
            process.stdin.flush()
            line = self._lines.get(timeout=max(self._timeout, STARTS) if self._first else self._timeout)
            self._first = False
        except queue.Empty:
            return self._ended(HUNG)
        except OSError:
            return self._ended(DIED)
        if line is None:
            return self._ended(DIED)
        try:
            answer = orjson.loads(line)
        except ValueError:
            return self._ended(GARBAGE)
        if not _is_answer(answer):
            return self._ended(GARBAGE)
        if answer.get("id") != vector.id:
            return self._ended(OUT_OF_ORDER)
        self._in_vain = 0
        return answer

    def _ended(self, fault: str) -> str:
        """Close the process, so that a late answer is not taken for the next one's, and return the fault."""
        self.close(0)
        self._in_vain += 1
        return fault

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            try:
                self._process = subprocess.Popen(  # noqa: S603
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
                )
            except OSError as error:
                raise NotStartedError(f"{shlex.join(self._command)}: {error.strerror}") from error
            self._lines, self._first = queue.SimpleQueue(), True
            threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        return self._process

    def close(self, grace: float = GRACE) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        try:
            process.stdin.close()
            process.wait(grace)
        except (OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait()


def _is_answer(answer: Json) -> bool:
    if type(answer) is not dict or type(answer.get("findings") or []) is not list:
        return False
    return not answer.keys().isdisjoint({"output", "refused", "unsupported"})


def _read(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            if line.strip():
                lines.put(line)
    lines.put(None)


FAILURES = (LOSES, UNSAID, ENDING, INVALID, TAKEN, DECLINED, UNSUPPORTED)


def as_json(verdicts: Iterable[Verdict]) -> str:
    return "\n".join(
        orjson.dumps(
            {
                "id": one.vector.id,
                "rule": one.vector.rule,
                "kind": one.vector.kind,
                "from": one.vector.src,
                "to": one.vector.dst,
                "passed": one.passed,
                "word": one.word,
                "detail": one.detail,
            }
        ).decode()
        for one in verdicts
    )


def as_text(verdicts: Sequence[Verdict], failed: bool) -> str:
    """Return a table by rule family, and with `failed` a line for each vector that did not pass."""
    words = [word for word in (*FAILURES, *FAULTS) if any(one.word == word for one in verdicts)]
    families = sorted({one.vector.family for one in verdicts})
    rows = [
        ["rules", "vectors", "passed", *words],
        *(_row(family, [one for one in verdicts if one.vector.family == family], words) for family in families),
        _row("all", verdicts, words),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    listed = [one for one in verdicts if failed and not one.passed]
    lines += [f"{one.vector.id}  {one.word}  {one.vector.src} -> {one.vector.dst}  {one.detail}" for one in listed]
    return "\n".join(lines)


def _row(name: str, verdicts: Sequence[Verdict], words: Sequence[str]) -> list[str]:
    found = Counter(one.word for one in verdicts)
    passed = sum(one.passed for one in verdicts)
    share = f"{passed} ({passed / len(verdicts):.0%})"
    return [name, str(len(verdicts)), share, *(str(found[word] or "") for word in words)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an implementation on the vectors; return 1 if it fails one."""
    parser = argparse.ArgumentParser(
        prog="python -m proxai_ir.testing.conform",
        description="Run an implementation on the vectors of the specification; exit with 1 if it fails one.",
    )
    parser.add_argument("--command", required=True, help="starts the implementation, which answers each line")
    parser.add_argument("--rule", metavar="ID", action="append", default=[], help="only this rule, family or vector")
    parser.add_argument("--options", action="store_true", help="also vectors that need an option of the conversion")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=10.0, help="how long an answer may take")
    parser.add_argument("--json", action="store_true", help="print a JSON object a vector")
    parser.add_argument("--failed", action="store_true", help="list every vector that fails, and why")
    given = parser.parse_args(arguments)
    chosen = [*vectors([one.upper() for one in given.rule], given.options)]
    if not chosen:
        parser.error("no vector has such a rule; expected ids as `proxai-ir rules` prints them")
    try:
        answers = Implementation(given.command, given.timeout).answers(chosen)
        verdicts = [judged(vector, answer) for vector, answer in answers]
    except NotStartedError as error:
        parser.error(str(error))
    sys.stdout.write((as_json(verdicts) if given.json else as_text(verdicts, given.failed)) + "\n")
    return 0 if all(one.passed for one in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
