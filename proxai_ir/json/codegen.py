"""Compile generated functions, for hot loops that would otherwise interpret a table; and evaluate annotations.

Every generated function of the project comes from here. Its source is registered with `linecache` under a file name of
its own, so that tracebacks and debuggers show the generated line and what it was generated for.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from typing import Any


def compiled(name: str, lines: Iterable[str], scope: dict[str, Any]) -> Any:
    """Return the function that `lines` define, whose first line begins with `def`; `name` tells its purpose.

    `scope` becomes the function's globals, and may get more names later. Names in `lines` must come from the project,
    never from a payload.
    """
    source = "\n".join(lines) + "\n"
    filename = _registered(name, source)
    made: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), scope, made)  # noqa: S102 - the source is the project's own
    return made[source[4 : source.index("(")]]


def evaluated(annotation: str, scope: dict[str, Any]) -> Any:
    """Return the type that an annotation of the project's own means with the names of `scope`."""
    return eval(annotation, scope)  # noqa: S307 - see above


def _registered(name: str, source: str) -> str:
    """Register a source with `linecache` and return its file name; two sources of one name get two file names."""
    entry, number = (len(source), None, source.splitlines(keepends=True)), 1
    filename = f"<generated {name}>"
    while linecache.cache.setdefault(filename, (*entry, filename)) != (*entry, filename):
        number += 1
        filename = f"<generated {name}, {number}>"
    return filename
