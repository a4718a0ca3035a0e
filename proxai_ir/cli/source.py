"""The protocol and the kind of a file where the caller does not state them, by the bytes that it begins with.

Rule 1: what a payload is, is decided in the library (`protocol.detection`), for each row of JSON Lines by itself.
Rule 2: a source is opened once, since a pipe cannot be read twice; what was looked at is read once more from memory.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from typing import Any, cast

import typer

import proxai_ir

from ..conversion.bytes import parsed
from ..conversion.profile import protocol_of
from ..framing import AWS_EVENT_STREAM, JSON_ARRAY, NDJSON, SSE, Decoder, Framing
from ..protocol.detection import begins, ends, means_the_same, protocols_of
from ..protocol.detection import detected as readings
from ..protocol.registry import framing_of, protocols
from ..reporting.diagnostics import StreamError
from . import outcome
from .outcome import ExitCode, Kind, Outcome
from .servers import AUTO, server
from .show import Reporter

STREAM: Kind = "stream"
STDIN = "-"
WELL_KNOWN = (NDJSON, JSON_ARRAY, SSE, AWS_EVENT_STREAM)
PIECE = 65536
"""The most bytes that are read at once."""

Json = Any


class UndecidedError(Exception):
    """The protocol cannot be determined; the text says what was found, and what to type."""


# --- a source, and its beginning --------------------------------------------------------------------------------------


class Source:
    """A file or standard input. Its beginning may be looked at before it is read. Methods raise OSError."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._opened: io.BufferedIOBase | None = None
        self._seen: list[bytes] = []

    def ahead(self) -> Iterator[bytes]:
        """Yield bytes as they arrive; `open` reads them once more."""
        self._opened = self._open()
        while piece := self._opened.read1(PIECE):
            self._seen.append(piece)
            yield piece

    def open(self) -> AbstractContextManager[io.BufferedIOBase]:
        """Return all of it, as long as it is needed."""
        source = self._opened or self._open()
        if self._seen:
            source = io.BufferedReader(_Again(b"".join(self._seen), source))
        return nullcontext(source) if self.file == STDIN else closing(source)

    def _open(self) -> io.BufferedIOBase:
        return cast("io.BufferedIOBase", sys.stdin.buffer) if self.file == STDIN else open(self.file, "rb")


class _Again(io.RawIOBase):
    """Bytes that were read already, and then the rest of their source."""

    def __init__(self, seen: bytes, rest: io.BufferedIOBase) -> None:
        self._seen, self._rest = memoryview(seen), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._seen[: len(buffer)] or self._rest.read1(len(buffer))
        self._seen = self._seen[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        if not self.closed and self._rest is not sys.stdin.buffer:
            self._rest.close()
        super().close()


def first_event(pieces: Iterator[bytes], skipped: Collection[Framing] = ()) -> tuple[Framing | None, Json]:
    """Return the framing of the first bytes and their first event, each None if there is none.

    No more is read than needed, and no event of a framing that is skipped.
    """
    start, framing = b"", None
    decoder: Decoder | None = None
    found: list[Json] = []
    try:
        for piece in pieces:
            start = piece if decoder else start + piece
            if decoder is None:
                framing, decided = _framing(start)
                if framing in skipped or (framing is None and decided):
                    return framing, None
                decoder = framing.decoder() if framing else None
            found = [one for one in (decoder.feed(start) if decoder else ()) if isinstance(one, dict)]
            if found:
                break
        else:
            found = [one for one in (decoder.close() if decoder else ()) if isinstance(one, dict)]
    except StreamError:
        return framing, None
    return framing, found[0] if found else None


def _framing(start: bytes) -> tuple[Framing | None, bool]:
    """Return the framing that first bytes show, if any, and whether more bytes could not show another."""
    known = {one: one.begins(start) for one in WELL_KNOWN}
    if not any(known.values()):  # protocols are loaded where it may be a framing of their own
        known |= {one: one.begins(start) for one in map(framing_of, protocols())}
    return next((one for one, begun in known.items() if begun), None), None not in known.values()


# --- streams ----------------------------------------------------------------------------------------------------------


def settled(source: Source, src: str, kind: Kind | None, reporter: Reporter, *, jsonl: bool) -> tuple[str, Kind | None]:
    """Return the protocol and the kind, as far as the beginning of a file decides them: those of a stream.

    Anything else keeps what the caller stated, and each payload is looked at by itself. Ends the command where a
    stream may be of several protocols or of none, or is to be one and is not.
    """
    if kind not in (None, STREAM):
        return src, kind
    own = None if src == AUTO else NDJSON if jsonl else framing_of(protocol_of(server(src)))
    skipped = () if kind or own in (None, NDJSON) else (NDJSON,)  # a payload, which is read as one
    try:
        framing, event = first_event(source.ahead(), skipped)
        if kind is None and not _is_stream(framing, event, src, own, jsonl=jsonl):
            return src, None
        if own is None:
            src = stream_of(event, reporter)
            own = NDJSON if jsonl else framing_of(src)
        if framing not in (None, JSON_ARRAY, own):
            raise UndecidedError(
                f"expected {own.name}, as a stream of {src} has them; found {_instead(framing, event)}"
            )
        return src, STREAM
    except OSError as error:
        reporter.unreadable(error.strerror or str(error))
        raise typer.Exit(ExitCode.UNREADABLE) from None
    except UndecidedError as error:
        reporter.unreadable(str(error))
        raise typer.Exit(ExitCode.REFUSED) from None


def _is_stream(framing: Framing | None, event: Json, src: str, own: Framing | None, *, jsonl: bool) -> bool:
    """Return whether a file is a stream. JSON is one if its first object begins one, which on lines must not end it,
    too."""
    if framing not in (NDJSON, JSON_ARRAY):
        return framing is not None and (framing is own or (own is None and (event is not None or not framing.binary)))
    if event is None:
        return False
    names = begins(event) if framing is JSON_ARRAY else [*_lines(event), *(events_alone(event) if jsonl else ())]
    return bool(names) if own is None else protocol_of(server(src)) in names


def _lines(event: Json) -> list[str]:
    """Return the protocols of which an object, on a line of its own, begins a stream that goes on."""
    return [name for name in begins(event) if framing_of(name) is NDJSON and not ends(event, name)]


def events_alone(payload: Json) -> list[str]:
    """Return the protocols of which a payload is an event of a stream, and nothing else."""
    return [name for name, kind, _ in protocols_of(payload) if kind == STREAM]


def stream_of(event: Json, reporter: Reporter) -> str:
    """Return the protocol of a stream with this first event, and print a note. Raises UndecidedError."""
    name = _one(_lines(event) or begins(event), STREAM)
    if name is None:
        raise UndecidedError(f"expected a stream of {', '.join(protocols())}; found {_instead(None, event)}")
    reporter.notes([f"found {_a(STREAM)} of {name}"])
    return name


def _instead(framing: Framing | None, event: Json) -> str:
    """Return what was found in place of a stream, and what to type."""
    if found := readings(event):
        return " or ".join(f"{_a(one.kind)} of {one.protocol}" for one in found)
    if framing is NDJSON and events_alone(event):
        return "lines of JSON; if each is an event, pass --jsonl"
    return framing.name if framing else "no event that begins a response"


# --- payloads ---------------------------------------------------------------------------------------------------------


def of_source(
    work: Callable[..., Outcome], src: str, kind: Kind | None, reporter: Reporter, dst: str | None = None
) -> Callable[..., Outcome]:
    """Return the work on one payload, whose protocol is `src`, or is to be found for each by itself."""
    if src == AUTO:
        return _each_by_itself(work, kind, reporter, dst)
    return partial(work, src=server(src))


def _each_by_itself(
    work: Callable[..., Outcome], kind: Kind | None, reporter: Reporter, dst: str | None
) -> Callable[..., Outcome]:
    noted: set[tuple[str, str]] = set()

    def found(data: bytes, **more: Any) -> Outcome:
        try:
            src, shown = of_payload(data, kind, dst)
        except UndecidedError as error:
            return Outcome(ExitCode.REFUSED, reason=str(error))
        except proxai_ir.TranslationError:
            return Outcome(ExitCode.UNREADABLE, reason=outcome.why_no_json_in(data, None))
        if (src, shown) not in noted:  # of many payloads a new one is noted
            noted.add((src, shown))
            reporter.notes([f"found {_a(shown)} of {src}"])
        return work(data, src=src, **more)

    return found


def of_payload(data: bytes, kind: Kind | None, dst: str | None) -> tuple[str, str]:
    """Return the protocol and the kind of a payload; of several that it means the same in, the target's or the first.

    Raises UndecidedError, and TranslationError for bytes that are no JSON.
    """
    if not (found := readings(parsed(data), kind)):
        raise UndecidedError(_no_payload(data, kind, dst))
    names = [one.protocol for one in found]
    if means_the_same(found):
        return (dst if dst in names else names[0]), found[0].kind
    return _one(names, found[0].kind) or names[0], found[0].kind


def _no_payload(data: bytes, kind: Kind | None, dst: str | None) -> str:
    """Return why bytes are a payload of no protocol, and what to type."""
    for name, shown, _ in outcome.detected(data):
        if shown == "batch":
            typed = f"proxai-ir bulk FILE --kind batch --from {name} --to {dst or 'PROTOCOL'} --out FOLDER"
            return f"a line of a batch file of {name}; `{typed}` converts such files"
        if shown == STREAM:
            return f"an event of a stream of {name}; if each line is one, pass --jsonl"
    return f"no protocol reads this {kind or 'payload'}; looked at {', '.join(protocols())}; --from states one"


def _one(names: Sequence[str], kind: str) -> str | None:
    """Return the only name, None for none. Raises UndecidedError for several."""
    if len(names) > 1:
        raise UndecidedError(
            f"{_a(kind)} of {', '.join(names[:-1])} or {names[-1]}, where it means different things; "
            f"state one: --from {names[0]}"
        )
    return names[0] if names else None


def _a(kind: str) -> str:
    return f"a{'n' * (kind[0] in 'aeiou')} {kind}"
