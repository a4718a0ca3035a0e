"""The files of one output: in a work folder until they are complete, then under their final names.

Rule 1: bytes are on the disk before the checkpoint that names them; later bytes are cut off when the run is resumed.
Rule 2: the last checkpoint says that the output is complete before it is renamed, so that a run that is resumed in
between renames the rest. Rule 3: no checkpoint is written before one is due, as the disk takes longer for it than a
small file takes.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, BinaryIO

import attrs
import orjson

from .job import BATCH, FIRST_ROW, BulkError, Chunk, Done, Job, Tally
from .lines import compressed
from .sources import BESIDE, DIAGNOSTICS, PARQUET, REFUSED, Place, Source, form_of

OPEN, COMPLETE = "open", "complete"
SECONDS = 2.0
"""Seconds between checkpoints, and so the work that an interruption costs at most."""


@attrs.define
class Checkpoint:
    """The state of a file that is being made.

    start, row        of the first chunk that is not written
    ahead             first row, number of rows and end of each later chunk that is written
    written           the bytes of the output so far
    beside            the bytes of each file beside it, by the end of its name
    """

    job: str
    source: str
    stage: str = OPEN
    start: int = 0
    row: int = FIRST_ROW
    ahead: list[list[int]] = attrs.field(factory=list)
    written: int = 0
    beside: dict[str, int] = attrs.field(factory=lambda: dict.fromkeys(BESIDE, 0))
    tally: Tally = attrs.field(factory=Tally)

    def add(self, chunk: Chunk, done: Done) -> None:
        """Count a chunk that is written."""
        self.written += len(done.output)
        for end, data in _beside(done).items():
            self.beside[end] += len(data)
        self.tally.add(done.tally)
        self.ahead = sorted([*self.ahead, [chunk.row, chunk.rows, chunk.end]])
        while self.ahead and self.ahead[0][0] == self.row:
            _, rows, self.start = self.ahead.pop(0)
            self.row += rows

    @classmethod
    def read(cls, path: Path) -> Checkpoint | None:
        try:
            kept = orjson.loads(path.read_bytes())
            return cls(**{**kept, "tally": Tally.from_json(kept["tally"])})
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise BulkError(f"{path}: not a checkpoint of this version: {error}") from error

    def write(self, path: Path) -> None:
        data = orjson.dumps({**attrs.asdict(self, recurse=False), "tally": self.tally.as_json()})
        unfinished = path.with_name(path.name + ".new")
        with open(unfinished, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)


def _beside(done: Done) -> dict[str, bytes]:
    return {REFUSED: done.refused, DIAGNOSTICS: done.found}


class Output:
    """Write the output of one source, its files of refused rows and findings, and one checkpoint for all of them."""

    def __init__(self, source: Source, folder: Place, work: Path, job: Job) -> None:
        self.source = source
        self._job = job
        self._folder = folder
        self._made = work / f"{source.name}.part"
        self._done = work / f"{source.name}.part.done"
        self._beside = {end: work / f"{source.name}{end}.part" for end in BESIDE}
        self._path = work / f"{source.name}.checkpoint"
        self._files: tuple[Any, dict[str, BinaryIO]] | None = None
        self._last = 0.0
        self._half_counted = False
        """Whether Ctrl-C has come in the middle of a count: what is in the state then would count rows twice."""
        self._starts_again = source.form == PARQUET or job.kind == BATCH
        """Whether it cannot be resumed: a Parquet file has its index at its end, a batch file's ids are compared."""
        self.state = Checkpoint.read(self._path) or Checkpoint(job.digest(), source.identity)

    def planned(self, overwrite: bool) -> None:
        """Prepare to resume, or with `overwrite` to start again. Raises BulkError if the run cannot be resumed."""
        fresh = Checkpoint(self._job.digest(), self.source.identity)
        if overwrite:
            for path in (self._path, self._made, *self._beside.values(), self._done):
                path.unlink(missing_ok=True)
            self.state = fresh
            return
        problem = ""
        if self.state.job != fresh.job:
            problem = f"{self._path}: begun with other settings; use the same, or start again"
        elif self.state.source != fresh.source:
            problem = f"{self.source.place} changed since the run began; start again"
        elif not self._path.exists() and (there := self._existing()):
            problem = f"{there} exists; name another output folder, or write over it"
        if problem:
            raise BulkError(f"{problem}: overwrite=True (--overwrite)")
        kept = _size(self._made) >= self.state.written and all(
            _size(path) >= self.state.beside[end] for end, path in self._beside.items()
        )
        if (self._starts_again or not kept) if self.state.stage == OPEN else self._is_gone():
            self.state = fresh
            self._path.unlink(missing_ok=True)

    def _is_gone(self) -> bool:
        """Return whether a file of a complete output is neither in its place nor on its way there."""
        waiting = {end: (path,) for end, path in self._beside.items() if self.state.beside[end]}
        for end, paths in {"": (self._made, self._done), **waiting}.items():
            target = self._folder.inside(self.source.name + end)
            if not any(path.exists() for path in paths) and not target.store.exists(target.path):
                return True
        return False

    def resume(self) -> None:
        """Open the files, cut to the length that the checkpoint names, unless they are complete."""
        if self.state.stage != OPEN:
            return
        state = self.state
        self._made.parent.mkdir(parents=True, exist_ok=True)
        if self.source.form == PARQUET:
            from . import tables

            with self.source.open() as file:
                columns, compression = tables.schema(file, self._job)
            made: Any = tables.TableWriter(self._made, columns, compression)
        else:
            made = _cut(self._made, state.written)
        begun = {end: path for end, path in self._beside.items() if path.exists()}
        self._files = made, {end: _cut(path, state.beside[end]) for end, path in begun.items()}
        self._last = time.monotonic()

    def write(self, chunk: Chunk, done: Done) -> None:
        assert self._files is not None
        made, beside = self._files
        if done.output:
            made.write(done.output)
        for end, data in _beside(done).items():
            if data:
                if end not in beside:
                    beside[end] = _cut(self._beside[end], 0)
                beside[end].write(data)
        self._half_counted = True
        self.state.add(chunk, done)
        self._half_counted = False
        if time.monotonic() - self._last >= SECONDS:
            self.checkpoint()

    def checkpoint(self) -> None:
        """Save the state, if the next run can resume from it."""
        self._last = time.monotonic()
        if self._files is None or self._starts_again or self._half_counted:
            return
        made, beside = self._files
        for file in (made, *beside.values()):
            _synced(file)
        self.state.write(self._path)

    def abandon(self) -> None:
        """Close the files of an output that is not complete, if they are open."""
        if self._files is None:
            return
        (made, beside), self._files = self._files, None
        for file in (made, *beside.values()):
            try:
                file.close()
            except OSError:  # the disk is full: the checkpoint names less than the file holds
                continue

    def finish(self) -> None:
        """Put the files in their place, if an earlier run has not done so."""
        if self._files is not None:
            made, beside = self._files
            if self.source.form == PARQUET:
                made.close()
            else:
                if not self.state.written and (empty := compressed(b"", self.source.form)):
                    made.write(empty)
                _synced(made)
                made.close()
            for file in beside.values():
                _synced(file)
                file.close()
            self._files = None
            self.state.stage = COMPLETE
            self.state.write(self._path)
        for end, path in self._beside.items():
            if self.state.beside[end]:
                self._place(path, self.source.name + end)
            else:
                path.unlink(missing_ok=True)
        self._place(self._in_its_format(), self.source.name)

    def _in_its_format(self) -> Path:
        """Return the output in the format that its name shows."""
        into, done = form_of(self.source.name), self._done
        if into == self.source.form:
            return self._made
        if done.exists() or not self._made.exists():  # an earlier run ended here, or later
            self._made.unlink(missing_ok=True)
            return done
        from .transcode import transcode

        unfinished = self._made.with_name(self._made.name + ".new")
        transcode(self._made, self.source.form, unfinished, into, self._job)
        os.replace(unfinished, done)
        self._made.unlink()
        return done

    def _place(self, made: Path, name: str) -> None:
        if not made.exists():  # placed before the run was interrupted
            return
        target = self._folder.inside(name)
        if target.local:
            Path(target.path).parent.mkdir(parents=True, exist_ok=True)
            os.replace(made, target.path)
            return
        unfinished = f"{target.path}.part"
        target.store.makedirs(target.path.rpartition("/")[0], exist_ok=True)
        target.store.put_file(str(made), unfinished)
        target.store.mv(unfinished, target.path)
        made.unlink()

    def _existing(self) -> Place | None:
        for name in (self.source.name, *(self.source.name + end for end in BESIDE)):
            target = self._folder.inside(name)
            if target.store.exists(target.path):
                return target
        return None


def _cut(path: Path, length: int) -> BinaryIO:
    file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115 (closed by Output)
    file.truncate(length)
    file.seek(length)
    return file


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _synced(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())
