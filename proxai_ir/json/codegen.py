"""Functions written out as source code and compiled, for hot loops that would otherwise interpret a table.

Rule 1: every generated function of the project comes from here. Rule 2: its source is registered with `linecache` under
a file name of its own, so that tracebacks and debuggers show the generated line and name what it was generated for.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from typing import Any


def compiled(name: str, lines: Iterable[str], scope: dict[str, Any]) -> Any:
    """Return the function that `lines` define; its name is the word after the first `def`. `name` is what it is for.

    `scope` becomes the function's globals: what is added to it later is seen too. Names in `lines` must come from the
    project, never from a payload.
    """
    source = "\n".join(lines) + "\n"
    filename = _registered(name, source)
    exec(compile(source, filename, "exec"), scope)  # noqa: S102 - the source is the project's own
    return scope.pop(source[4 : source.index("(")])


def _registered(name: str, source: str) -> str:
    """Return a file name under which `linecache` has this source; two sources of the same name get two file names."""
    entry, number = (len(source), None, source.splitlines(keepends=True)), 1
    filename = f"<generated {name}>"
    while linecache.cache.setdefault(filename, (*entry, filename)) != (*entry, filename):
        number += 1
        filename = f"<generated {name}, {number}>"
    return filename
