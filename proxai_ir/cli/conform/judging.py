"""What an answer is worth: whether the output says what it must, and whether what is lost was named.

Rule: an output passes if it is the expected one, or means the same, or at least has all values that arrive and the
right ending; the form in which an implementation writes it is its own matter. What cannot arrive must be named, by a
finding at its place or around it: of a loss that is not named nobody can know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from attrs import frozen

import proxai_ir

from ...json.pointer import escape
from ...reporting.diagnostics import ROOT
from ...streaming.whole import folded
from ..compare import Side, differences
from .vectors import Vector

Json = Any
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
    """The reason of the first candidate of a response, or of a stream, in the IR's words. Raises TranslationError."""
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
    """Whether a finding is about a place, what is in it, or what it is in; the whole payload is a place of its own."""
    inside = said.startswith(f"{pointer}/") or pointer.startswith(f"{said}/")
    return said == pointer or (inside and "" not in (said, pointer))


# --- values -----------------------------------------------------------------------------------------------------------


def leaves(value: Json, pointer: str = "") -> Iterator[tuple[str, Json]]:
    """Texts and numbers with their pointers, but for words of the protocol."""
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
    """Whether a text stands in the output, as one or as a part of one, or of what its pieces make; or a number."""
    found = [one for _, one in leaves(output)]
    if not isinstance(value, str):
        return value in found
    texts = [one for one in found if isinstance(one, str)]
    return any(value in one for one in texts) or value in "".join(texts) or _parsed(value, found, texts)


def _parsed(value: str, found: list[Json], texts: list[str]) -> bool:
    """Whether a text is JSON whose values all stand there: arguments, which are an object in some protocols."""
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
