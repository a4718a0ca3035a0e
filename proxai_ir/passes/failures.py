"""Generations that failed are errors and no responses (FIN-8), the same for whole responses and for streams.

Rule 1: an ending that reports a failure is one whatever the content is; an unknown ending is one where nothing was
answered. Rule 2: one failed candidate is enough: a client must not take part of a response for the whole.
"""

from __future__ import annotations

from typing import Any

from ..ir.error import Error, ErrorCategory
from ..ir.node import Extra
from ..ir.response import Response, answers
from ..ir.terminal import FAILED, UNKNOWN, Terminal

NONE: frozenset[str] = frozenset()


def failed(ending: Terminal, answered: bool) -> bool:
    """Whether an ending means that generation failed; `answered`: there is content that answers."""
    return ending.reason is FAILED or (ending.reason is UNKNOWN and ending.stated and not answered)


def error_of(ending: Terminal, protocol: str | None) -> Error:
    """The error that an ending is: the provider's word is its code, the explanation its message."""
    message = ending.message or f"The generation failed: {ending.raw}."
    return Error(protocol, ErrorCategory.SERVER, message, code=ending.raw, src=ending.src)


def as_error(root: Any) -> Any:
    """The error that a whole response is, which drops all else of it (STS-9); any other tree as it is."""
    if type(root) is Response:
        for candidate in root.candidates:
            ending = candidate.terminal
            if ending.reason is FAILED or ending.reason is UNKNOWN:
                if failed(ending, any(map(answers, candidate.parts))):
                    error = error_of(ending, root.protocol)
                    if isinstance(root.src, dict):
                        error.src, error.extra = root.src, Extra.of((root.src, NONE, {}))
                    return error
    return root
