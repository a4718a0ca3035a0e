"""What of a recorded request stays: its structure, every member and short value, and the beginning of each long text.

Ids, times, versions and paths are replaced, equal ones by equal ones, so that a session stays one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from ..recording import SUMMARISES, SUMMARY
from ..server import Request

Json = Any
LONGEST, LINE = 120, 60
CLOSING = re.compile(r"</[\w-]+>\s*$")
OF_TRANSPORT = frozenset(
    "accept accept-encoding accept-language connection content-length content-type host sec-fetch-mode".split()
)
"""Headers of any HTTP client."""
NUMBERED = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{40,64}\b|(?<!\d)1[0-9]{12}(?!\d)|ses_[0-9A-Za-z]{20,}"
)
"""Ids and times, each of which gets a number."""
REPLACED = (
    (re.compile(r"(?<![\d.])\d+\.\d+\.\d+(\.[0-9a-f]{3})?\b"), "0.0.0"),
    (re.compile(r"(?<=PGID: )\d+"), "1"),
    (re.compile(r'(?<="wall_time_seconds":)[\d.e-]+'), "0.1"),
    (re.compile(r"(?<=Wall time )[\d.]+"), "0.1"),
    (re.compile(r'(?<="chunk_id":")\w+'), "abcdef"),
    (re.compile(re.escape(date.today().isoformat())), "2026-01-01"),
    (re.compile(re.escape(date.today().strftime("%A, %B %d, %Y").replace(" 0", " "))), "Thursday, January 1, 2026"),
)
KEPT = (SUMMARY, *SUMMARISES)
"""Words of long texts that stay."""
PROJECT = "/home/user/project"


class Scrubber:
    """`home` is where the agent ran."""

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self._instead: dict[str, str] = {}

    def scrubbed(self, requests: Iterable[Request]) -> list[Request]:
        return [self._request(one) for one in requests]

    def _request(self, request: Request) -> Request:
        headers = {name: self._text(one, len(one)) for name, one in request.headers.items() if name not in OF_TRANSPORT}
        return Request(request.path, headers, self._value(request.body))

    def _value(self, value: Json, schema: bool = False) -> Json:
        """A schema keeps its keywords and lacks its words; names are never cut."""
        if isinstance(value, list):
            return [self._value(one, schema) for one in value]
        if isinstance(value, dict):
            inside = schema or value.get("type") == "object"
            return {
                name: self._value(one, inside)
                for name, one in value.items()
                if not (inside and name == "description" and isinstance(one, str))
            }
        return self._text(value, LONGEST) if isinstance(value, str) else value

    def _text(self, text: str, longest: int) -> str:
        if text.startswith("{"):
            try:
                text = json.dumps(self._value(json.loads(text)), separators=(",", ":"))
                longest = len(text) + LONGEST
            except ValueError:
                pass
        text = NUMBERED.sub(self._numbered, text.replace(self._home, PROJECT))
        for pattern, instead in REPLACED:
            text = pattern.sub(instead, text)
        return text if len(text) <= longest else shortened(text)

    def _numbered(self, found: re.Match[str]) -> str:
        """Return what stands for an id or a time; what does already, as in JSON within JSON, stays."""
        if found[0] not in self._instead:
            number = len(self._instead) // 2 + 1
            made = str(10**12 + number) if found[0].isdigit() else f"{number:08d}-0000-4000-8000-000000000000"
            made = f"ses_{made}" if found[0].startswith("ses_") else made
            self._instead |= {found[0]: made, made: made}
        return self._instead[found[0]]


def shortened(text: str) -> str:
    """Return the beginning of a text, what tests look for in it, and the tag that ends it."""
    kept = [text.strip()[:LINE], *(one for one in KEPT if one in text and one not in text.strip()[:LINE])]
    closing = CLOSING.search(text)
    return "\n".join([*kept, closing[0].strip()] if closing else kept)
