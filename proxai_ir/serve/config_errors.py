"""What is wrong with a configuration, with file, line and key.

Rule: a message never holds the value of a key or of an environment variable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

HEADER = re.compile(r"\s*(\[\[?)\s*(?P<name>[^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
SETTING = re.compile(r"\s*(?P<name>[\w\-.\"']+)\s*=")
PART = re.compile(r"[^.\"']+|\"[^\"]*\"|'[^']*'")

Where = Sequence[str | int]
MISSING = "this setting is missing"


class ConfigError(Exception):
    """A configuration that cannot be used; its text names what is wrong, and where."""


def located(message: str, where: Where = (), file: str = "", text: str = "") -> ConfigError:
    """An error at a place of the configuration; without a file it names the setting alone."""
    key = written(where)
    line = line_of(text, where)
    place = f"{file}:{line}" if file and line else file
    return ConfigError(": ".join(part for part in (place, key, message) if part))


def written(where: Where) -> str:
    """A place as TOML writes it: `routes[0].upstream`."""
    made = ""
    for part in where:
        made += f"[{part}]" if isinstance(part, int) else f".{part}" if made else part
    return made


def line_of(text: str, where: Where) -> int | None:
    """The line of the setting, or of the innermost table around it that is written out; None where there is none."""
    lines = places(text)
    for size in range(len(where), 0, -1):
        found = lines.get(tuple(where[:size]))
        if found is not None:
            return found
    return None


def places(text: str) -> dict[tuple[str | int, ...], int]:
    """Where tables and settings are first written, by line: a small scan, as the parser keeps no lines."""
    table: tuple[str | int, ...] = ()
    counted: dict[tuple[str | int, ...], int] = {}
    found: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        header = HEADER.fullmatch(line)
        if header is not None:
            table = parts(header["name"])
            if header[1] == "[[":
                counted[table] = counted.get(table, -1) + 1
                found.setdefault(table, number)
                table = (*table, counted[table])
            found.setdefault(table, number)
            continue
        setting = SETTING.match(line)
        if setting is not None:
            found.setdefault((*table, *parts(setting["name"])), number)
    return found


def parts(name: str) -> tuple[str | int, ...]:
    return tuple(part.strip().strip("\"'") for part in PART.findall(name) if part.strip())
