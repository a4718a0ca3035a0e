"""The units of work: a chunk of rows on its way to a worker, and what comes back.

Rule: where a chunk begins and ends depends on the file and the size of chunks alone, so that a run that goes on cuts
as one that was never interrupted.
"""

from __future__ import annotations

from typing import NamedTuple

from .tally import Tally

FIRST_ROW = 1


class Chunk(NamedTuple):
    """Rows of one file, in bytes."""

    form: str
    """A key of `forms.FORMS`: how the bytes are to be read and written."""
    row: int
    """The number of its first row, counted from 1."""
    rows: int
    data: bytes
    end: int
    """Where the next chunk begins, counted as the form counts."""
    position: int
    """How many bytes of the file are read by now; for the progress bar."""
    too_long: int = 0
    """The bytes of a single row that is longer than allowed, whose data is not here."""


class Done(NamedTuple):
    """A chunk that is converted: what to append to the output and to the file of refused rows."""

    output: bytes
    refused: bytes
    tally: Tally


class UnreadableError(Exception):
    """A file that cannot be read, or not to its end; the text is why."""
