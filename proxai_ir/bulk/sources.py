"""The files that a run reads, their forms, and the names of their outputs.

Rule: a file of a folder or a glob keeps its path below the folder, or below the part of the glob before the first
wildcard; a file that is named by itself keeps its name. No two outputs have one name. The end of a file's name decides
its form; the modules for a form are loaded when it is first used.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, cast

import attrs
import fsspec
from fsspec.implementations.local import LocalFileSystem

from . import documents, lines
from .job import BulkError, Chunk, Done, Job
from .rows import Watch

STANDARD = "-"
"""Standard input or output, where commands take such a name."""
EXPECTED = "expected a file, a folder or a glob"
WILD = "*?["
NO_DATA = "_"
"""The first character of files and folders that writers of tables keep for themselves: `_temporary`, `_delta_log`. A
folder `_NAME=VALUE` holds the rows with that value."""


@attrs.frozen
class Place:
    """A folder or a file, local or in an object store."""

    store: Any
    """The fsspec file system."""
    path: str

    @classmethod
    def of(cls, url: str | os.PathLike[str]) -> Place:
        if not os.fspath(url):  # as of a variable of the shell that is not set; it would be the current folder
            raise BulkError("expected the name of a file or a folder, found an empty one")
        try:
            store, path = fsspec.core.url_to_fs(os.fspath(url))
        except (AttributeError, ImportError, OSError, TypeError, ValueError) as error:
            # an unknown store, a missing package, no connection, missing settings
            raise BulkError(f"{os.fspath(url)}: {error}") from error
        return cls(store, path)

    @property
    def local(self) -> bool:
        return isinstance(self.store, LocalFileSystem)

    def inside(self, name: str) -> Place:
        return Place(self.store, f"{self.path.rstrip('/')}/{name}")

    @property
    def is_file_name(self) -> bool:
        """Whether its name ends like that of a file which a run reads, and it is no folder."""
        return form_in_folder(self.path) is not None and not self.store.isdir(self.path)

    def __str__(self) -> str:
        return self.path if self.local else str(self.store.unstrip_protocol(self.path))


@attrs.frozen
class Source:
    """A file that is read."""

    place: Place
    name: str
    """The path of the output below the output folder."""
    form: str
    size: int
    identity: str
    """Changes when the file changes."""

    def open(self) -> BinaryIO:
        return cast("BinaryIO", self.place.store.open(self.place.path, "rb"))


def find(named: Sequence[str | os.PathLike[str]], output: Place | None, unread: Unread) -> list[Source]:
    """Return every file, in the order in which they are converted, and count in `unread` files that are not read.

    Raises BulkError if there is no file, or an output would have the name of another, or of its own source.
    """
    found = [source for one in named for source in _matching(os.fspath(one), output, unread)]
    if output is None:
        return found
    names: dict[str, Source] = {}
    for source in found:
        if source.place == output.inside(source.name):
            raise BulkError(f"{source.place} would be written over; name another output folder")
        for name in (source.name, *(source.name + end for end in BESIDE)):
            other = names.setdefault(name, source)
            if other is not source:
                raise BulkError(f"{other.place} and {source.place} would both be written to {name}")
    return found


def as_file(named: Sequence[str | os.PathLike[str]], output: Place, unread: Unread) -> tuple[Place, list[Source]]:
    """Return the folder of an output that is one file, and its source with the output's name. Raises BulkError."""
    found = find(named, None, unread)
    if len(found) != 1:
        raise BulkError(f"{output} is one file, for one input; found {len(found)} inputs: name a folder")
    if found[0].place == output:
        raise BulkError(f"{output} would be written over; name another output")
    form, into = found[0].form, form_of(output.path)
    if into == documents.ARCHIVE or (form != into and documents.EVENTS in (form, into)):
        raise BulkError(
            f"{found[0].place} cannot become {output}: a recorded stream stays one, an archive becomes lines"
        )
    folder, _, name = output.path.rpartition("/")
    return Place(output.store, folder), [attrs.evolve(found[0], name=name)]


def output_place(url: str | os.PathLike[str]) -> Place:
    """Return the folder or the file of outputs. Raises BulkError for a file of a form that is not written.

    A name with an ending is a folder's if there is such a folder, or a slash is behind it.
    """
    if os.fspath(url) == STANDARD:
        raise BulkError("-: standard output is not written, as a run may go on; expected a folder or a file")
    place = Place.of(url)
    end = OTHER_END.search(place.path)
    is_folder = place.store.isdir(place.path) or os.fspath(url).endswith("/")
    if end is None or place.is_file_name or is_folder:
        return place
    stem = place.path[: end.start()]
    raise BulkError(
        f"{place}: a run writes no {end[0]}; type {stem}.jsonl (also with {', '.join(COMPRESSED)}), {stem}.parquet or "
        f"{stem}.json for a file, or {place}/ for a folder"
    )


def _matching(url: str, output: Place | None, unread: Unread) -> Iterator[Source]:
    if url == STANDARD:
        raise BulkError(f"-: standard input is not read, as a run may go on; {EXPECTED}")
    place = Place.of(url)
    store, path = place.store, place.path
    try:
        if store.isfile(path):
            yield _source(Place(store, path), path.rpartition("/")[2], form_of(path), store.info(path))
            return
        if place.local and store.exists(path) and not store.isdir(path):
            raise BulkError(f"{url}: a pipe or a device is not read, as a run may go on; {EXPECTED}")
        wild = any(char in path for char in WILD)
        root = _fixed(path) if wild else path.rstrip("/")
        files = sorted((store.glob if wild else store.find)(path, detail=True).items())
        own = None if output is None or output.store != store else output.path.rstrip("/") + "/"
        taken, outputs, others = 0, 0, Unread()
        for file, facts in ((file, _followed(store, file, facts)) for file, facts in files):
            name = file[len(root) :].lstrip("/")
            form = form_in_folder(file) if not wild else (None if file.endswith(BESIDE) else form_of(file))
            if facts["type"] not in ("file", *NOT_FOLLOWED) or any(part.startswith(".") for part in name.split("/")):
                continue
            if own is not None and file.startswith(own):
                outputs += form is not None
            elif (why := _not_read(name, form, facts["type"])) is not None:
                others.update(why)
            elif form is not None:
                taken += 1
                yield _source(Place(store, file), name, form, facts)
    except OSError as error:
        raise BulkError(f"{url}: {error.strerror or error}") from error
    if not taken:
        raise BulkError(f"{url}: {_nothing(output if outputs else None, others)}")
    unread.update(others)


def _not_read(name: str, form: str | None, kind: str) -> list[str] | None:
    """Return how a file or a link that is not read is named, if it is; None for a file that is read."""
    if kind in NOT_FOLLOWED:
        return [kind]
    if any(part.startswith(NO_DATA) and "=" not in part for part in name.split("/")):
        return [] if form is None else [f"{NO_DATA}*{_end_of(name)}"]
    if form is None:
        return [] if name.endswith(BESIDE) else [_end_of(name)]
    return None


def _nothing(output: Place | None, others: Unread) -> str:
    """Return why there is no file to convert: `output` is the folder that has all of them, `others` are not read."""
    if output is not None:
        return f"all files to convert are below the output folder {output}, where none is read; name another one"
    if others:
        return f"{named_by_end(others)}; expected a folder with files that end in {TAKEN}"
    return "there is no such file, and no folder or glob with files to convert"


TO_FOLDER, TO_NOTHING = NOT_FOLLOWED = ("links to folders", "links to nothing")
"""The types of links that are not followed, as a run tells them."""


def _followed(store: Any, file: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of a file, or of what a link in a local folder leads to: its type, size and time."""
    if not facts.get("islink"):
        return facts
    try:
        found: dict[str, Any] = store.info(file)
    except OSError:
        return {"type": TO_NOTHING}
    return {**found, "type": TO_FOLDER} if found["type"] == "directory" else found


Unread = Counter[str]
"""The number of files in folders that are not read, by the end of their names, or ""."""


def named_by_end(unread: Mapping[str, int]) -> str:
    """Return a sentence with the number of files that were not read, the most frequent ends of names first."""
    listed = sorted(unread.items(), key=lambda one: (-one[1], one[0]))
    ends = ", ".join(f"{end or 'without an ending'} ({count:,})" for end, count in listed)
    count = sum(unread.values())
    return f"{count:,} file{'s were' if count > 1 else ' was'} not read: {ends}"


def _end_of(file: str) -> str:
    """Return the end of a file's name, for a compressed file with the end before it."""
    name = file.rpartition("/")[2]
    stem, end = os.path.splitext(name)
    return os.path.splitext(stem)[1] + end if end in COMPRESSED else end


def _fixed(path: str) -> str:
    """Return the folder before the first wildcard."""
    first = min(path.find(char) for char in WILD if char in path)
    return path[:first].rpartition("/")[0]


def _source(place: Place, name: str, form: str, facts: dict[str, Any]) -> Source:
    changing = [
        facts.get(name) for name in ("size", "mtime", "ETag", "etag", "LastModified", "last_modified", "created")
    ]
    known = "|".join(str(one) for one in [place, *changing]).encode(errors="surrogateescape")  # as names of files are
    name += LINES if form == documents.ARCHIVE else ""
    return Source(place, name, form, facts.get("size") or 0, hashlib.sha256(known).hexdigest())


PARQUET = "parquet"
LINES = ".jsonl"
"""What is added to the name of an archive's output, which is lines."""
COMPRESSED = {".gz": lines.GZIP, ".zst": lines.ZSTD, ".bz2": lines.BZIP2, ".xz": lines.XZ}
ENDS = {
    ".jsonl": lines.PLAIN,
    ".ndjson": lines.PLAIN,
    **{name + end: form for end, form in COMPRESSED.items() for name in (".jsonl", ".ndjson")},
    ".parquet": PARQUET,
    ".json": documents.DOCUMENT,
    ".sse": documents.EVENTS,
    ".har": documents.ARCHIVE,
}
"""The names of files that are read from folders. A file that is named by itself and has another is JSON Lines."""
TAKEN = ", ".join(ENDS)
OTHER_END = re.compile(rf"\.[A-Za-z]\w*({'|'.join(map(re.escape, COMPRESSED))})?$")
"""The end of an output's name that looks like that of a file: `.csv`, `.csv.gz`, and not `.5` or `.2026-11-30`."""
REFUSED = ".refused.jsonl"
"""The end of the name of a file with an output's refused rows."""
DIAGNOSTICS = ".diagnostics.jsonl"
"""The end of the name of a file with the findings of an output's rows."""
BESIDE = (REFUSED, DIAGNOSTICS)


def form_in_folder(name: str) -> str | None:
    if name.endswith(BESIDE):
        return None
    return next((form for end, form in ENDS.items() if name.endswith(end)), None)


def form_of(name: str) -> str:
    end = os.path.splitext(name)[1]
    return ENDS.get(end) or COMPRESSED.get(end, lines.PLAIN)


def chunks(file: BinaryIO, form: str, job: Job, start: int, row: int) -> Iterator[Chunk]:
    """Yield the chunks of a file. Raises UnreadableError, perhaps after some chunks."""
    if form == PARQUET:
        from . import tables

        return tables.chunks(file, form, job, start, row)
    if form in documents.FORMS:
        return documents.chunks(file, form, job, start, row)
    return lines.chunks(file, form, job, start, row)


def convert(chunk: Chunk, job: Job, watch: Watch | None = None) -> Done:
    if chunk.form == PARQUET:
        from . import tables

        return tables.convert(chunk, job, watch)
    if chunk.form in documents.FORMS:
        return documents.convert(chunk, job, watch)
    return lines.convert(chunk, job, watch)
