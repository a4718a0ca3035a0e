"""Explains in one sentence why bytes are not JSON: what was found, and where.

Rule: runs only after a parser has refused them. At most one character of the bytes is quoted.
"""

from __future__ import annotations

import json
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress
from typing import NoReturn

SIGNATURES = {
    b"\x1f\x8b": "gzip data",
    b"\x28\xb5\x2f\xfd": "zstd data",
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a ZIP file",
    b"%PDF": "a PDF",
    b"\x89PNG": "a PNG image",
    BOM_UTF16_LE: "text in UTF-16",
    BOM_UTF16_BE: "text in UTF-16",
}
"""What else files begin with."""
PYTHON = ("'", "None", "True", "False", "b'", "(")
"""Python's literals that JSON does not have."""

SEVERAL = "expected one JSON document, found several, one after another"
MOST_BYTES = 1 << 20
"""Longer ones are not parsed again to say more of them."""


def why_no_json(data: bytes, error: str) -> str:
    """The reason; `error`: the parser's message, used if no other reason is found."""
    for begin, name in SIGNATURES.items():
        if data.startswith(begin):
            return f"expected JSON, found {name}"
    try:
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as wrong:
        return f"expected JSON in UTF-8, found a byte at {wrong.start} that is not valid UTF-8"
    if not text.strip():
        return "expected JSON, found nothing"
    if text.lstrip().startswith("<"):
        return "expected JSON, found a page of HTML or XML"
    if text.lstrip().startswith(("data:", "event:")):
        return "expected JSON, found server-sent events, which are of the kind 'stream'"
    if len(data) > MOST_BYTES:
        return error
    decoder = json.JSONDecoder(parse_constant=_no_number)
    try:
        _, end = decoder.raw_decode(text, len(text) - len(text.lstrip()))
    except json.JSONDecodeError as wrong:
        return _broken(text, wrong, error)
    except (ValueError, RecursionError):
        return error
    rest = text[end:].lstrip()
    if not rest:  # half a character, which Python's parser takes
        return error
    with suppress(ValueError, RecursionError):
        decoder.raw_decode(rest)
        return SEVERAL
    return f"expected the end of the JSON document, found more in line {text.count(chr(10), 0, end) + 1}"


def _broken(text: str, wrong: json.JSONDecodeError, error: str) -> str:
    place = f"line {wrong.lineno}, column {wrong.colno}"
    rest = text[wrong.pos :].lstrip()
    before = text[: wrong.pos].rstrip()
    if not rest or wrong.msg.startswith("Unterminated string"):
        return f"the JSON ends in the middle: it was cut off in line {text.count(chr(10)) + 1}"
    if rest[0] in "]}" and before.endswith(","):
        return f"a comma before the closing {rest[0]!r}, which JSON does not have ({place})"
    if wrong.msg.startswith("Illegal trailing comma"):
        return f"a comma before a closing bracket, which JSON does not have ({place})"
    if rest.startswith(PYTHON):
        return f"a value of Python, not of JSON ({place}): write it with json.dumps, not with str or repr"
    if rest.startswith(("//", "/*", "#")):
        return f"a comment, which JSON does not have ({place})"
    return error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
