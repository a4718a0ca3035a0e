"""Conditions and rewrites that the tables of several targets share.

Rule: knows no protocol; what a target accepts is an argument.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from typing import Any

from ..ir.envelope import is_closed
from ..ir.parts import Audio
from ..ir.request import Output, Sampling, Thinking, ThinkingMode
from ..ir.structure import PARTS
from ..ir.tools import ChoiceMode


def prefixed(identity: str, prefix: str) -> str:
    """An id that begins as a protocol wants it to (TUL-13); one that another such beginning was put before is bared."""
    if identity.startswith(prefix):
        return identity
    inner = identity.partition("_")[2]
    return inner if inner.startswith(prefix) else prefix + identity


def checked(kept: str, given: str) -> str:
    """What is kept of an id, with the checksum of the whole, so that two ids stay two (TUL-13)."""
    return f"{kept}_{zlib.crc32(given.encode('utf-8', 'surrogatepass')):08x}"


# The effort that a thinking budget comes nearest to: the first whose budget is large enough (RSN-3).
BUDGETS = ((2048, "low"), (8192, "medium"), (32768, "high"))
LARGEST = "xhigh"


def effort_for(budget: int) -> str:
    return next((effort for most, effort in BUDGETS if budget < most), LARGEST)


# --- predicates of target tables --------------------------------------------------------------------------------------


def lifetime(ttl: int | None, words: Mapping[str, int]) -> str | None:
    """The word for the shortest lifetime that lasts as long, else for the longest."""
    if ttl is None:
        return None
    by_length = sorted(words, key=words.__getitem__)
    return next((word for word in by_length if words[word] >= ttl), by_length[-1])


def nearest_lifetime(words: Mapping[str, int]) -> Callable[[Any], int]:
    """A rewrite: the shortest lifetime that lasts as long as the breakpoint's, else the longest."""
    available = sorted(words.values())
    return lambda node: next((seconds for seconds in available if seconds >= node.ttl), available[-1])


def lengthened(words: Mapping[str, int]) -> Callable[[Any], bool]:
    return lambda node: node.ttl not in words.values() and node.ttl < max(words.values())


def shortened(words: Mapping[str, int]) -> Callable[[Any], bool]:
    return lambda node: bool(node.ttl > max(words.values()))


def unprefixed(name: str, prefix: str) -> Callable[[Any], bool]:
    """Whether an id does not begin as the target wants it to (TUL-13)."""
    return lambda node: not getattr(node, name).startswith(prefix)


def is_(name: str, *values: Any) -> Callable[[Any], bool]:
    """Whether a field has one of these values."""
    return lambda node: getattr(node, name) in values


def lists_beyond(*sorts: str) -> Callable[[Any], bool]:
    """Whether a choice allows tools of other sorts, which the target does not have."""
    return lambda choice: any(kind not in sorts for kind, _ in choice.tools)


def not_matching(name: str, pattern: str) -> Callable[[Any], bool]:
    match = re.compile(pattern).fullmatch
    return lambda node: match(getattr(node, name)) is None


def holds(name: str, *classes: type) -> Callable[[Any], bool]:
    """Whether a field holds a node of one of these classes."""
    return lambda node: isinstance(getattr(node, name), classes)


def several(sampling: Sampling) -> bool:
    return sampling.candidates != 1


def unbounded(sampling: Sampling) -> bool:
    """Whether `top_k` is negative, which dialects use for no limit: the default anyway (SMP-6)."""
    return sampling.top_k is not None and sampling.top_k < 0


def only_text(output: Output) -> bool:
    return output.modalities == ["text"]


def covered_by_effort(thinking: Thinking) -> bool:
    return thinking.mode is ThinkingMode.DISABLED


def unvalidated(_: Any) -> ChoiceMode:
    """The choice nearest to validated calls: the model decides, without schemas being enforced (TUL-7)."""
    return ChoiceMode.AUTO


def silent(audio: Audio) -> bool:
    return not audio.transcript


def except_for(*classes: type) -> tuple[type, ...]:
    return tuple(cls for cls in PARTS if cls not in classes)


def unopened(reasoning: Any) -> bool:
    """Whether reasoning has nothing but a seal in an envelope that could not be opened (RSN-10)."""
    return not reasoning.text and is_closed(reasoning)
