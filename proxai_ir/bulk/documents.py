"""Files that are one document: a payload in JSON, a recorded stream, an HTTP archive (HAR).

Each is read as JSON Lines, which a document is without its line breaks: a stream is a row that is a string, an entry of
an archive a row with its request and response. Rule: the form decides what a row is where the caller does not.

Source of the archive: "HAR 1.2 Spec", `log.entries` with `request.postData.text`, and `response.content.text`, which
`encoding` may state to be base64.
"""

from __future__ import annotations

import base64
import binascii
from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import Any, BinaryIO

import attrs
import orjson

from ..exports.pairs import MEMBERS
from ..json.types import loaded
from . import lines
from .job import EXPORT, FIRST_ROW, PAIR, STREAM, Chunk, Done, Job, UnreadableError
from .rows import Watch

DOCUMENT, EVENTS, ARCHIVE = "document", "events", "archive"
FORMS = (DOCUMENT, EVENTS, ARCHIVE)
KINDS = {EVENTS: STREAM, ARCHIVE: PAIR}
"""What the rows of a form are where the caller does not say."""
PARTS = {"request": MEMBERS[0], "response": MEMBERS[1], "error": MEMBERS[1], STREAM: MEMBERS[1]}
"""The member of an archive's entry that is the payload, for kinds of payloads."""


def chunks(file: BinaryIO, form: str, job: Job, start: int, row: int) -> Iterator[Chunk]:
    """Yield the rows of a file that are not before `start`. Raises UnreadableError."""
    try:
        if form == DOCUMENT and _has_lines(file, job.longest_row):
            yield from lines.chunks(file, lines.PLAIN, job, start, row)
        elif form == ARCHIVE:
            yield from _entries(file, job, start, row)
        elif not start:
            yield from _whole(file, form, job)
    except (OSError, ValueError) as error:
        raise UnreadableError(str(error)) from error


def convert(chunk: Chunk, job: Job, watch: Watch | None) -> Done:
    kind = job.kind or KINDS.get(chunk.form)
    done = lines.convert(chunk, attrs.evolve(job, kind=kind), watch)
    if chunk.form == EVENTS and done.output.startswith(b'"'):
        return done._replace(output=orjson.loads(done.output).encode())
    return done


def _has_lines(file: BinaryIO, most: int) -> bool:
    """Return whether a file named as JSON holds more than one line of it, as some tools name their JSON Lines."""
    first = file.readline(most)
    more = next((line for line in iter(lambda: file.readline(most), b"") if line.strip()), b"")
    file.seek(0)
    try:
        orjson.loads(first)
    except orjson.JSONDecodeError:
        return False
    return bool(more)


def _whole(file: BinaryIO, form: str, job: Job) -> Iterator[Chunk]:
    """Yield the file as one row."""
    data = file.read(job.longest_row + 1)
    if not data.strip():
        return
    if len(data) > job.longest_row:
        yield Chunk(form, FIRST_ROW, 1, b"", len(data), len(data), len(data))
        return
    line = data.replace(b"\n", b" ") if form == DOCUMENT else orjson.dumps(data.decode())
    yield Chunk(form, FIRST_ROW, 1, line, len(data), len(data))


def _entries(file: BinaryIO, job: Job, start: int, row: int) -> Iterator[Chunk]:
    """Yield the entries of an archive from number `start` on, as rows."""
    archive = loaded(file.read().removeprefix(BOM_UTF8))
    log = archive.get("log") if isinstance(archive, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise ValueError("expected an HTTP archive with a list `log.entries`")
    waiting, size = [], 0
    for at, entry in enumerate(entries[start:], start + 1):
        waiting.append(orjson.dumps(_row(entry, job.kind)) + b"\n")
        size += len(waiting[-1])
        if size >= job.chunk or at == len(entries):
            yield Chunk(ARCHIVE, row, len(waiting), b"".join(waiting), at, file.tell())
            row += len(waiting)
            waiting, size = [], 0


def _row(entry: Any, kind: str | None) -> Any:
    """Return the row of an entry: the pair with its address, without its query, or the member of this kind."""
    request, response = (_object(entry, name) for name in MEMBERS)
    pair = {
        MEMBERS[0]: _json(_object(request, "postData").get("text")),
        MEMBERS[1]: _json(_content(_object(response, "content"))),
    }
    if kind in PARTS:
        return pair[PARTS[kind]]
    if kind == EXPORT:
        return pair
    address = request.get("url")
    about = {"url": address.partition("?")[0] if isinstance(address, str) else None, "status": response.get("status")}
    return {**about, **pair}


def _object(holder: Any, name: str) -> dict[str, Any]:
    value = holder.get(name) if isinstance(holder, dict) else None
    return value if isinstance(value, dict) else {}


def _content(content: dict[str, Any]) -> Any:
    """Return the text of a body, also where the archive has it in base64."""
    text = content.get("text")
    if content.get("encoding") != "base64" or not isinstance(text, str):
        return text
    try:
        return base64.b64decode(text).decode()
    except (binascii.Error, UnicodeDecodeError):  # a body that is no text
        return text


def _json(text: Any) -> Any:
    """Return the JSON that a body is; another text as it is, and None for none."""
    if not isinstance(text, str) or not text:
        return None
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
