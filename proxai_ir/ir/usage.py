"""Tokens used, as a disjoint partition (USE-1).

Input = input + cache_read + cache_write; output = output + reasoning. None is "not reported", never 0. The other
fields break these numbers down in another way (by lifetime, by medium) and add to no sum.
"""

from __future__ import annotations

from typing import Any

from attrs import define

from .node import Extra, bookkeeping


@define
class Usage:
    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None
    total: int | None = None
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    input_text: int | None = None
    input_audio: int | None = None
    input_image: int | None = None
    output_text: int | None = None
    output_audio: int | None = None
    accepted_prediction: int | None = None
    rejected_prediction: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None

    @property
    def all_input(self) -> int:
        return (self.input or 0) + (self.cache_read or 0) + (self.cache_write or 0)

    @property
    def all_output(self) -> int:
        return (self.output or 0) + (self.reasoning or 0)
