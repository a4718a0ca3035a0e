"""Functions written out as source code and compiled, for hot loops that would otherwise interpret a table.

Rule 1: every generated function of the project comes from here. Rule 2: its source is registered with `linecache`, so
that a traceback shows the generated line and names what it was generated for.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping
from typing import Any


def compiled(name: str, lines: Iterable[str], scope: Mapping[str, Any]) -> Any:
    """The function that `lines` define; its name is the word after the first `def`. `name` says what it is for.

    The function sees `scope` as its globals; names in `lines` must come from the project, never from a payload.
    """
    source = "\n".join(lines) + "\n"
    filename = f"<generated {name}>"
    found: dict[str, Any] = dict(scope)
    exec(compile(source, filename, "exec"), found)  # noqa: S102 - the source is the project's own
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    return found[source[4 : source.index("(")]]
