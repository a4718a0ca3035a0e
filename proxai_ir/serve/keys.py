"""Keys and tokens: read at the start, from the environment or from a file.

Rule 1: white space around a key is no part of it, as files of secrets end with a line break. Rule 2: a key that cannot
stand in a header is refused at the start, and named by where it comes from, never by what it is. Rule 3: a key has a
name, by which logs and metrics know who it was.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from .config_errors import ConfigError

SHORTEST_SECRET = 16
UNSENDABLE = re.compile(r"[^ -~]")
"""What no header is sent with: control characters, and what is not ASCII."""


def in_environment(name: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """The key in a variable; None where there is none."""
    return environment.get(name or "", "").strip() or None


def wrong_with(value: str) -> str:
    """Why a value cannot be sent in a header; empty where it can."""
    found = UNSENDABLE.search(value)
    return f"has a character that no header can have, at position {found.start() + 1}" if found else ""


def wrong_variable(name: str, shortest: int = 1) -> str:
    """Why the variable's key cannot be used; empty where it can."""
    key = in_environment(name)
    if key is None and shortest == 1:
        return f"the environment has no variable {name}"
    if len(key or "") < shortest:
        return f"the environment variable {name} needs at least {shortest} characters"
    reason = wrong_with(key or "")
    return f"the environment variable {name} {reason}" if reason else ""


def in_file(file: str) -> dict[str, str]:
    """The names of the keys of a file: one key a line, with a name before it or without, and comments. Raises
    ConfigError."""
    try:
        lines = Path(file).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the file cannot be read: {getattr(error, 'strerror', None) or error}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        *name, key = line.split()
        if reason := wrong_with(key) or (f"has less than {SHORTEST_SECRET} characters" if _short(key) else ""):
            raise ConfigError(f"{file}:{number}: the key {reason}; {EXPECTED}")
        found[key] = " ".join(name)
    if not found:
        raise ConfigError(EXPECTED)
    return found


EXPECTED = f"expected a file with one key a line, of at least {SHORTEST_SECRET} characters each"


def _short(key: str) -> bool:
    return len(key) < SHORTEST_SECRET


def all_of(variables: Iterable[str], file: str | None) -> dict[str, str]:
    """The names of all keys; those of the environment have the names of their variables. Raises ConfigError for a file
    that cannot be used."""
    return {key: name for name in variables if (key := in_environment(name))} | (in_file(file) if file else {})
