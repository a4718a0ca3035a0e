"""Code that the provider runs itself, and what became of it (TUL-39); CodeTool defines the tool that runs it."""

from __future__ import annotations

from typing import Any

from attrs import define

from .node import Cache, Extra, bookkeeping

PYTHON, BASH = "python", "bash"


@define
class CodeCall:
    """A run of code; `language` is PYTHON or BASH. While it streams, its code comes as a whole."""

    id: str
    code: str
    language: str
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None


@define
class CodeResult:
    """What a run wrote and how it ended. `language`: of its call. `error`: the provider's word for why it did not run.

    `stdout` has all output where the source does not separate the two streams; `stderr` is None then.
    """

    call_id: str
    language: str
    stdout: str
    stderr: str | None = None
    exit_code: int | None = None
    error: str | None = None
    cache: Cache | None = None
    src: Any = bookkeeping()
    extra: Extra | None = None
