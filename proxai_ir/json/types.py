"""Name and quote JSON values in messages, and explain why bytes are not JSON."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from contextlib import suppress
from typing import Any, NoReturn

import orjson

# --- values in messages -----------------------------------------------------------------------------------------------
# In the detail of a record, what is quoted from a payload is enclosed in two marks, so that rendering can leave it out
# (option `quote_values`). It is written with `repr`, which never writes the marks themselves.


NAMES = {str: "a string", dict: "an object", list: "an array", bool: "a boolean", int: "an integer", float: "a number"}

LONGEST = 64  # bits of an integer that is written in full; Python refuses to write the longest ones
OPEN, CLOSE = "\ufdd0", "\ufdd1"  # noncharacters of Unicode, which are not printable
HIDDEN = "…"
_QUOTED = re.compile(f"{OPEN}[^{CLOSE}]*{CLOSE}")
_NO_MARKS = {ord(OPEN): None, ord(CLOSE): None}


def quoted(value: str | None, most: int = 60) -> str:
    """Return the first characters of a string of the payload, for the detail of a record."""
    return f"{OPEN}{repr(value)[:most]}{CLOSE}"


def without_marks(detail: str, quote_values: bool) -> str:
    """Return a detail without its marks, and without what is between them unless `quote_values`."""
    if OPEN not in detail:
        return detail
    return detail.translate(_NO_MARKS) if quote_values else _QUOTED.sub(HIDDEN, detail)


def written(number: int) -> str:
    """Return an integer of the payload, for the detail of a record."""
    return f"{OPEN}{_written(number)}{CLOSE}"


def found(value: Any) -> str:
    """Return the type of a value of the payload and its beginning, for the detail of a record."""
    return _described(value, OPEN, CLOSE)


def described(value: Any) -> str:
    """Return the type of a value and, for a string or number, its first characters.

    The content of a container is not shown, since a deep one cannot be written at all.
    """
    return _described(value, "", "")


def _described(value: Any, before: str, after: str) -> str:
    if value is None:
        return "null"
    name = NAMES.get(type(value), f"a Python {type(value).__name__}")
    if isinstance(value, int) and value.bit_length() > LONGEST:
        return f"{name} {_written(value)}"
    return f"{name}, {before}{value!r:.60}{after}" if isinstance(value, (str, int, float)) else name


def _written(number: int) -> str:
    return str(number) if number.bit_length() <= LONGEST else f"of {number.bit_length()} bits"


def whole_characters(text: str) -> str:
    """Return a text in which pairs of UTF-16 surrogates are joined to characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def visible(text: str) -> str:
    """Return the text on one line, with everything that is not printable escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters; a longer one is cut and ends with `…`."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def hashed(text: str) -> str:
    """Return the SHA-256 of a text in hexadecimal digits; lone surrogates count as they are."""
    from hashlib import sha256  # slow to load, and rarely needed

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


EXACT = 1 << 53
"""Doubles below it hold each integer."""


def integral(value: float) -> float:
    """Return the integer that a double holds, as tables write those of columns with gaps; any other as it is."""
    return int(value) if value.is_integer() and abs(value) < EXACT else value


def json_text(value: Any) -> str:
    """Return a value as JSON; raises ValueError for what JSON cannot hold, and for what is too deep."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None


# --- bytes that are not JSON ------------------------------------------------------------------------------------------


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
"""Kinds of files by their first bytes."""
PYTHON = ("'", "None", "True", "False", "b'", "(")
"""The beginnings of Python's literals that JSON does not have."""

SEVERAL = "expected one JSON document, found several, one after another"
MOST_BYTES = 1 << 20
"""Longer input is not parsed again to find the reason."""


def why_no_json(data: bytes, error: str) -> str:
    """Return why a parser refused bytes: what was found and where, else the parser's message, `error`.

    At most one character of the bytes is quoted.
    """
    for begin, name in SIGNATURES.items():
        if data.startswith(begin):
            return f"expected JSON, found {name}"
    if b"\0" in data[:2] and data[:2].strip(b"\0"):  # JSON begins with two characters of ASCII, and NUL is none of them
        return f"expected JSON, found {SIGNATURES[BOM_UTF16_LE]}"
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
    if not rest:  # Python's parser accepts half a character
        return error
    with suppress(ValueError, RecursionError):
        decoder.raw_decode(rest)
        return SEVERAL
    return f"expected the end of the JSON document, found more in line {text.count(chr(10), 0, end) + 1}"


def loaded(text: str | bytes) -> Any:
    """Return the JSON value of a text. Raises ValueError with what was found in its place."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        why = str(error)  # the error itself holds the text
    raise ValueError(why_no_json(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text, why))


def _broken(text: str, wrong: json.JSONDecodeError, error: str) -> str:
    at = wrong.pos
    if wrong.msg.startswith("Illegal trailing comma"):  # Python 3.13 points at the comma, earlier ones behind it
        at = len(text) - len(text[at + 1 :].lstrip())
    place = f"line {text.count(chr(10), 0, at) + 1}, column {at - text.rfind(chr(10), 0, at)}"
    rest = text[at:].lstrip()
    before = text[:at].rstrip()
    if not rest or wrong.msg.startswith("Unterminated string"):
        return f"the JSON ends in the middle: it was cut off in line {text.count(chr(10)) + 1}"
    if rest[0] in "]}" and before.endswith(","):
        return f"a comma before the closing {rest[0]!r}, which JSON does not have ({place})"
    if rest.startswith(PYTHON):
        return f"a value of Python, not of JSON ({place}): write it with json.dumps, not with str or repr"
    if rest.startswith(("//", "/*", "#")):
        return f"a comment, which JSON does not have ({place})"
    return error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
