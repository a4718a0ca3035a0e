"""Log probabilities of the tokens of a response."""

from __future__ import annotations

from typing import Any

from attrs import define

from .node import Extra, bookkeeping


@define
class ScoredToken:
    """A token and the natural logarithm of its probability.

    `bytes`: its UTF-8 bytes, since a token need not end where a character ends; `id`: its number in the model's
    vocabulary; `top`: the likeliest tokens at its position, most likely first.
    """

    text: str
    logprob: float
    bytes: list[int] | None = None
    top: list[ScoredToken] | None = None
    id: int | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class LogProbs:
    """The tokens of a candidate's texts, in order; protocols that score the wording of refusals do so apart."""

    text: list[ScoredToken] | None = None
    refusal: list[ScoredToken] | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
