"""The client's stream of one exchange: the provider's bytes in, the client's bytes out. No bytes make it raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..api import raise_to
from ..conversion.bytes import parsed
from ..conversion.profile import Profile, protocol_of
from ..framing import BLANK, MOST_BYTES, Framing
from ..ir.error import Error, ErrorCategory
from ..ir.response import Finish, counts
from ..ir.stream.events import Failed, Stream
from ..reporting.diagnostics import Diagnostic, StreamError, TranslationError, render, too_deep
from ..streaming.converter import StreamConverter
from ..streaming.hook import Hook
from .messages import JSON_TYPE, Reply, is_json, text_in_place

Json = Any
Headers = Mapping[str, str]


class Replying(Protocol):
    """The members of an `Exchange` that the stream of its response needs."""

    state: dict[str, Any]
    hook: Hook | None

    @property
    def sides(self) -> tuple[str | Profile, str | Profile]: ...

    @property
    def framings(self) -> tuple[Framing, Framing]: ...

    @property
    def keep_alive(self) -> bytes: ...

    def for_response(self, headers: Headers, /) -> dict[str, Any]: ...

    def status_of(self, status: int, /) -> int: ...

    def hints(self, headers: Headers, /) -> dict[str, str]: ...

    def response(self, status: int, headers: Headers, data: bytes, /) -> Reply: ...

    def finished(self, response: Json, /) -> Json: ...

    def renamed(self, payload: Json, /) -> Json: ...


class ReplyStream:
    """The client's stream: bytes of the provider in, bytes for the client out, in whole events.

    status, headers  those of the reply
    error            why the stream broke off; None: it did not
    failure          the error with which the provider ended it
    response         after `end`, the whole response as the client got it; None if it is not complete, only a stream can
                     represent it, or it is not kept
    usage            after `end`, its token counts by kind
    diagnostics      what was lost so far

    If a provider does not stream but responds with JSON, the client gets its stream at the end. The body of an error
    comes as a whole, at the end too; then `Exchange.response` gives a better status than the provider's shows here.
    """

    def __init__(
        self,
        exchange: Replying,
        status: int,
        headers: Mapping[str, str],
        *,
        keep_response: bool = True,
        most: int | None = None,
    ) -> None:
        """Begin the reply to a response with this status and these headers.

        keep_response  whether there will be a `response`; there is one in any case if later requests may refer to it
        most           the most bytes that the provider may send (STR-15); None: any number
        """
        provider, client = exchange.sides
        self.response: Json = None
        self.usage: dict[str, int] | None = None
        self._exchange = exchange
        self._protocol = protocol_of(client)
        self._keeps = keep_response or exchange.state.get("keeps") is not None
        self._most, self._size = most, 0
        options = exchange.for_response(headers)
        self._converter = StreamConverter(provider, client, keep_response=self._keeps, hook=exchange.hook, **options)
        self._framing, framing = exchange.framings
        self._decoder, self._encode = self._framing.decoder(), framing.encode
        self._lead, self._between, self._behind = framing.around
        self._error: TranslationError | None = None
        self._unwritten: TranslationError | None = None
        self._ended = False
        self._failed = None if 200 <= status < 300 else (status, headers)
        self._whole = bytearray() if self._failed or self._is_whole(headers) else None
        self._begun = bytearray() if self._whole is None else None  # the bytes until they show whether these are events
        self.status = status if self._failed is None else exchange.status_of(status)
        own = JSON_TYPE if self._failed else {"content-type": framing.content_type, "cache-control": "no-cache"}
        self.headers = {**own, **exchange.hints(headers)}

    def _is_whole(self, headers: Mapping[str, str]) -> bool:
        """Return whether the headers say JSON, and are to be believed: some servers declare streams as JSON, but the
        bytes show that, unless a stream of this framing begins as JSON does."""
        return is_json(headers) and self._framing.begins(b"{") is True

    @property
    def error(self) -> TranslationError | None:
        return self._error or self._converter.error

    @property
    def failure(self) -> Error | None:
        return self._converter.failure

    @property
    def begun(self) -> bool:
        """Whether more than the envelope has come: content, the end, or an error."""
        return self._converter.begun or self.error is not None

    @property
    def finish(self) -> Finish | None:
        """The ending of the provider's response, or of its first candidate; None if it has not ended, or failed."""
        return self._converter.finish

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """The endings of the candidates that have ended."""
        return self._converter.finishes

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        own = self._error.diagnostics if self._error is not None and self._error is not self._converter.error else ()
        return (*self._converter.diagnostics, *own)

    def feed(self, chunk: bytes) -> bytes:
        """Return the client's bytes for some of the provider's: nothing after an error, whose event `end` returns."""
        if self._ended or self._error is not None:
            return b""
        self._size += len(chunk)
        if self._most is not None and self._size > self._most:
            self._break_off(f"a stream of more than {self._most} bytes")
            return b""
        if self._begun is not None:
            chunk = self._unheld(chunk)
        if self._whole is not None:
            self._whole += chunk
            if len(self._whole) > MOST_BYTES:
                self._break_off(f"a body of more than {MOST_BYTES} bytes")
            return b""
        return self._encoded(self._made(self._decoder.feed, chunk))

    def _unheld(self, chunk: bytes) -> bytes:
        """Return the bytes so far, once they show whether they begin a stream or JSON or text in its place; before that
        no bytes."""
        assert self._begun is not None
        held = (bytes(self._begun) + chunk).lstrip(BLANK)
        if (framing := self._framing.shown_by(held)) is not self._framing:
            self._framing, self._decoder = framing, framing.decoder()
        stream = self._framing.begins(held)
        if stream is None:
            self._begun = bytearray(held)
            return b""
        self._begun = None
        if not stream:
            self._whole = bytearray()
        return held

    def ping(self) -> bytes:
        """Return bytes that keep the connection open, to be sent between any two results; nothing after the end."""
        return b"" if self._ended or self._failed is not None else self._exchange.keep_alive

    def end(self) -> bytes:
        """Return the client's bytes for the end of the provider's, early or not: the end of the stream, or an error."""
        if self._ended:
            return b""
        self._ended = True
        if self._failed is not None:
            return self._exchange.response(*self._failed, bytes(self._whole or b"")).body
        made: list[Json] = []
        if self._begun:
            self._whole = self._begun
        if self.error is None:
            made = self._from_whole(bytes(self._whole)) if self._whole is not None else self._made(self._decoder.close)
        sent = self._encoded([*made, *self._converter.close(error_event=True)])
        if self._unwritten is None:
            self._keep()
        else:
            why = Error(None, ErrorCategory.SERVER, f"The stream could not be written any further: {self._unwritten}")
            sent += self._encoded(raise_to(Stream(None, [[Failed(why)]]), self._exchange.sides[1]))
        return sent + (self._behind if self._lead is self._between else self._lead + self._behind)

    def _made(self, read: Any, *chunk: bytes) -> list[Json]:
        """Return the client's events for what `read` returns; an error is kept for `end`."""
        made: list[Json] = []
        try:
            for event in read(*chunk):
                made += self._converter.feed(event)
        except TranslationError as error:
            self._error = error
        return made

    def _from_whole(self, data: bytes) -> list[Json]:
        """Return the client's events for a response that came as JSON, or as text, which is a gateway's error."""
        try:
            text = text_in_place(data)
            payload = parsed(data) if text is None else {"error": {"message": text}}
            if isinstance(payload, list):
                return self._made(lambda: payload)
            return self._converter.feed_whole(payload)
        except TranslationError as error:
            self._error = error
            return []

    def _keep(self) -> None:
        """Keep the whole response, if the stream has all of it, whatever went wrong after its end."""
        if not self._keeps:
            complete = self._converter.finish is not None and self.error is None
            self.usage = counts(self._converter.usage) if complete else None
            return
        try:
            whole = self._converter.response
        except (TranslationError, RecursionError):  # only the stream can represent it
            return
        if whole is not None:
            self._error = None
            self.response = self._exchange.finished(whole)
            self.usage = counts(self._converter.usage)

    def _encoded(self, events: list[Json]) -> bytes:
        """Return events in bytes; nothing follows an event that cannot be written, as it is too deep."""
        made: list[bytes] = []
        try:
            for event in events:  # those before an error are sent
                made.append(self._encode(self._exchange.renamed(event), self._protocol))  # noqa: PERF401
        except TranslationError as error:
            self._error = self._unwritten = error
        except RecursionError as error:
            self._error = self._unwritten = too_deep(error)
        if not made:
            return b""
        lead, self._lead = self._lead, self._between
        return lead + self._between.join(made)

    def _break_off(self, detail: str) -> None:
        self._error = StreamError(render([("STR-15", None, detail)], None, refused=True))
