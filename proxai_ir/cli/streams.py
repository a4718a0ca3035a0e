"""One stream through the library: the output of each event, and the diagnostics once the stream is over.

Rule 1: pieces of bytes go in, outcomes come out, each as soon as it is known; files and printing belong to other
modules. Rule 2: whatever stops a stream, its last output ends a stream of the target, so that no reader waits for more
or takes a part of a response for the whole.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import orjson

import proxai_ir

from ..conversion.conversion import Told
from ..conversion.profile import Profile, protocol_of
from ..framing import NDJSON, Framing
from ..protocol import registry
from . import outcome
from .exits import ExitCode
from .outcome import Options, Outcome, worst
from .payloads import UnreadableError

Json = Any
Server = str | Profile
NOT_JSON = "SHP-6"
MOST_KEPT = 10_000
"""How many events of a stream are kept, to search for remedies of its losses."""


def framing_of(protocol: Server, *, jsonl: bool) -> Framing:
    """How the events of a protocol stand in bytes; `jsonl`: each in a line, whatever the protocol has."""
    return NDJSON if jsonl else registry.framing_of(protocol)


def convert(
    pieces: Iterable[bytes],
    src: Server,
    dst: str | Profile,
    options: Options,
    *,
    jsonl: bool,
    fail_on_loss: bool,
) -> Iterator[Outcome]:
    """The output of each event that has one; the diagnostics of all of them come with the last outcome.

    Raises UnreadableError as the pieces do, after everything before has been yielded.
    """

    def written(events: Iterable[Json]) -> bytes | None:
        return b"".join([encode(event, protocol_of(dst)) for event in events]) or None

    def over(output: bytes | None, found: Sequence[proxai_ir.Diagnostic]) -> Outcome:
        lossy = fail_on_loss and worst(found) is not ExitCode.OK
        return Outcome(ExitCode.LOSS if lossy else ExitCode.OK, output, found, told=told(), explain=explained)

    def told() -> Told:
        return converter.finishes, converter.usage

    def explained(found: Sequence[proxai_ir.Diagnostic]) -> tuple[proxai_ir.Finding, ...]:
        if len(kept) > MOST_KEPT:
            return proxai_ir.findings(found)
        return outcome.explained(kept, src, dst, "stream", options, found)

    try:
        converter = proxai_ir.StreamConverter(src, dst, **options)
    except proxai_ir.TranslationError as error:
        yield _stopped(error)
        return
    kept: list[Json] = []
    encode = framing_of(protocol_of(dst), jsonl=jsonl).encode
    try:
        for event in framing_of(src, jsonl=jsonl).decode(pieces):
            if len(kept) <= MOST_KEPT:
                kept.append(event)
            yield Outcome(ExitCode.OK, written(converter.feed(event)))
        yield over(written(converter.close()), converter.diagnostics)
    except proxai_ir.TranslationError as error:
        found = converter.diagnostics  # without the error, which the outcome has apart
        yield replace(_stopped(error, written(converter.close(error_event=True)), found, told()), explain=explained)
    except UnreadableError:
        found = converter.diagnostics
        yield over(written(converter.close(error_event=True)), found)
        raise


def check(pieces: Iterable[bytes], src: Server, dst: Server, options: Options, *, jsonl: bool) -> Iterator[Outcome]:
    """The same where only the diagnostics are wanted; a loss decides the exit code."""
    return convert(pieces, src, dst, options, jsonl=jsonl, fail_on_loss=True)


def fold(pieces: Iterable[bytes], src: Server, dst: Server, options: Options, *, jsonl: bool) -> Iterator[Outcome]:
    """The whole response that the stream makes; none of a stream that ended in an error."""
    try:
        converter = proxai_ir.StreamConverter(src, dst, keep_response=True, **options)
        for event in framing_of(src, jsonl=jsonl).decode(pieces):
            converter.feed(event)
        converter.close()
        response, found = converter.response, converter.diagnostics
    except proxai_ir.TranslationError as error:
        yield _stopped(error)
        return
    if response is None:
        why = "the stream ended with an error" if converter.failure else "an event is out of order"
        yield Outcome(ExitCode.REFUSED, None, found, f"there is no whole response: {why}")
        return
    yield Outcome(ExitCode.OK, orjson.dumps(response), found, told=(converter.finishes, converter.usage))


def lower(pieces: Iterable[bytes], src: Server, *, jsonl: bool, quote_values: bool = True) -> Iterator[Outcome]:
    """The IR of the whole stream, as JSON."""
    from ..ir import json_form as ir_json

    try:
        node = proxai_ir.lower(
            list(framing_of(src, jsonl=jsonl).decode(pieces)), src, kind="stream", quote_values=quote_values
        )
    except proxai_ir.TranslationError as error:
        yield _stopped(error)
        return
    yield Outcome(ExitCode.OK, ir_json.dumps(node))


def _stopped(
    error: proxai_ir.TranslationError,
    output: bytes | None = None,
    found: Sequence[proxai_ir.Diagnostic] = (),
    told: Told = ((), None),
) -> Outcome:
    """The end by an error, with the diagnostics before it, except those that the error repeats (strict mode)."""
    if error.rule == NOT_JSON:
        return Outcome(ExitCode.UNREADABLE, output, found, str(error), told)
    again = {(one.rule, one.path, one.message) for one in error.diagnostics}
    before = [one for one in found if (one.rule, one.path, one.message) not in again]
    return Outcome(ExitCode.REFUSED, output, [*before, *error.diagnostics], str(error), told)
