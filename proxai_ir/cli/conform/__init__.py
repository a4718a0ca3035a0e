"""The command `conform`: any implementation of conversions, held against the vectors of the specification."""

from __future__ import annotations

import queue
import shlex
import subprocess
import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from attrs import frozen
from rich.console import Console
from rich.table import Table
from rich.text import Text

import proxai_ir

from ...json.pointer import escape
from ...reporting.diagnostics import ROOT
from ...streaming.whole import folded
from ..compare import Side, differences
from ..outcome import ExitCode
from ..show import unreadable

Json = Any


@frozen
class Vector:
    """`expected` None: the conversion must be refused. `carried`: pointers to values of the source that must arrive;
    `lost`: pointers to those that the target cannot say, which must be named. `ending`: why the response ended.
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
    """Yield all of them, or those of some rules or families; without `options` those that need none."""
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
    """`word`: one of those above, or of the faults of a process; `detail`: what was found and expected."""

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
        return Verdict(vector, TAKEN, f"expected a refusal, found {_shown(answer['output'])}")
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
    """Return the reason of the first candidate of a response, or of a stream, in the IR's words. Raises
    TranslationError."""
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
    """Return whether a finding is about a place, what is in it, or what it is in; the whole payload is a place of its
    own."""
    inside = said.startswith(f"{pointer}/") or pointer.startswith(f"{said}/")
    return said == pointer or (inside and "" not in (said, pointer))


# --- values -----------------------------------------------------------------------------------------------------------


def leaves(value: Json, pointer: str = "") -> Iterator[tuple[str, Json]]:
    """Yield texts and numbers with their pointers, but for words of the protocol."""
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
    """Return whether a text stands in the output, as one or as a part of one, or of what its pieces make; or a
    number."""
    found = [one for _, one in leaves(output)]
    if not isinstance(value, str):
        return value in found
    texts = [one for one in found if isinstance(one, str)]
    return any(value in one for one in texts) or value in "".join(texts) or _parsed(value, found, texts)


def _parsed(value: str, found: list[Json], texts: list[str]) -> bool:
    """Return whether a text is JSON whose values all stand there: arguments, which are an object in some protocols."""
    try:
        inside = orjson.loads(value)
    except ValueError:
        return False
    if not isinstance(inside, (dict, list)):
        return False
    joined = "".join(texts)
    return all(one in found or (isinstance(one, str) and one in joined) for _, one in leaves(inside))


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:99]}…"


HUNG, DIED, GARBAGE, OUT_OF_ORDER = "hung", "died", "garbage", "out of order"
FAULTS = (HUNG, DIED, GARBAGE, OUT_OF_ORDER)
"""What an implementation does in place of an answer."""
MOST_STARTS = 20
"""After so many processes in a row that answered nothing, the vectors that are left fail with the last one's word."""
STARTS = 30.0
"""Seconds that the first answer of a process may take at least: much is imported before it."""
GRACE = 5.0
"""Seconds that a process has to end by itself."""


class NotStartedError(Exception):
    """The command cannot be run; the text is why."""


class Implementation:
    """The process of a command, begun when it is needed."""

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
        """Return a process that did this may still answer what it was asked before: the next vector gets another."""
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
WIDTH = 150


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
    console = Console(file=StringIO(), width=WIDTH, color_system=None)
    _print(console, verdicts, failed)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().rstrip()


def as_page(command: str, verdicts: Sequence[Verdict]) -> str:
    console = Console(file=StringIO(), width=WIDTH, record=True)
    console.print(Text(command, style="bold"))
    _print(console, verdicts, failed=True)
    return console.export_html()


def _print(console: Console, verdicts: Sequence[Verdict], failed: bool) -> None:
    words = [word for word in (*FAILURES, *FAULTS) if any(one.word == word for one in verdicts)]
    table = Table("rules", "vectors", "passed", *words)
    for family in sorted({one.vector.family for one in verdicts}):
        _row(table, family, [one for one in verdicts if one.vector.family == family], words)
    table.add_section()
    _row(table, "all", verdicts, words)
    console.print(table)
    if failed:
        for one in verdicts:
            if not one.passed:
                console.print(Text(f"{one.vector.id}  {one.word}  {one.vector.src} -> {one.vector.dst}  {one.detail}"))


def _row(table: Table, name: str, verdicts: Sequence[Verdict], words: Sequence[str]) -> None:
    found = Counter(one.word for one in verdicts)
    passed = sum(one.passed for one in verdicts)
    table.add_row(
        name, str(len(verdicts)), f"{passed} ({passed / len(verdicts):.0%})", *(str(found[one] or "") for one in words)
    )


def conform(
    command: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            help="Starts the implementation: a process that reads a JSON object a line and answers each with a line.",
            show_default=False,
        ),
    ],
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Only vectors of this rule, family or id.", show_default=False),
    ] = None,
    options: Annotated[bool, typer.Option(help="Also vectors that need an option of the conversion.")] = False,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="How long an answer may take.", min=0.01)] = 10.0,
    json: Annotated[bool, typer.Option("--json", help="A JSON object a vector.")] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write a page of HTML.", show_default=False)
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="List every vector that fails, and why.")] = False,
) -> None:
    """Run an implementation on the vectors of the specification; exit with 1 if it fails one."""
    chosen = [*vectors([one.upper() for one in rule or ()], options)]
    if not chosen:
        raise typer.BadParameter(
            "no vector has such a rule; expected ids as `rules` prints them.", param_hint="'--rule'"
        )
    try:
        verdicts = [judged(vector, answer) for vector, answer in Implementation(command, timeout).answers(chosen)]
    except NotStartedError as error:
        raise unreadable(str(error)) from None
    typer.echo(as_json(verdicts) if json else as_text(verdicts, failed))
    if page is not None:
        page.write_text(as_page(command, verdicts), encoding="utf-8")
    raise typer.Exit(ExitCode.OK if all(one.passed for one in verdicts) else ExitCode.DIFFERENT)
