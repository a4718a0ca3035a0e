"""Tokens used, as a disjoint partition (USE-1).

Input = input + cache_read + cache_write; output = output + reasoning. None is "not reported", never 0.
"""

from __future__ import annotations

from typing import Any

from attrs import define

from .node import Extra, bookkeeping

PARTITION = ("input", "cache_read", "cache_write", "output", "reasoning")
"""The fields whose sum are all tokens."""


@define
class Usage:
    """`details` break the partition down further and add to no sum: token counts by "<what>.<kind>".

    What: "input" (cached tokens included), "cache_read", "tool_use" (what the provider's own tools gave back, which is
    input), "output". Kind: a medium (text, audio, image, video, document) or a purpose (tool_use, accepted_prediction,
    rejected_prediction). Besides, "cache_write.300" is what was written to the cache for a lifetime of 300 seconds.
    """

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    total: int | None = None
    details: dict[str, int] | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None

    @property
    def all_input(self) -> int:
        return (self.input or 0) + (self.cache_read or 0) + (self.cache_write or 0)

    @property
    def all_output(self) -> int:
        return (self.output or 0) + (self.reasoning or 0)


def counts(usage: Usage | None) -> dict[str, Any] | None:
    """Token counts by the names of `Usage`; what was not reported is left out."""
    if usage is None:
        return None
    return {name: count for name in PARTITION if (count := getattr(usage, name)) is not None}
