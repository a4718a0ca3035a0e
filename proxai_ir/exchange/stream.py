"""The stream of one Exchange: the provider's bytes in, the client's bytes out; no bytes make it raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..api import raise_to
from ..binding.profile import protocol_of
from ..framing import BLANK, JSON_ARRAY, MOST_BYTES
from ..ir.error import Error, ErrorCategory
from ..ir.stream.events import Failed, Stream
from ..ir.terminal import Finish
from ..ir.usage import counts
from ..json.bytes import parsed
from ..reporting.diagnostics import Diagnostic, StreamError, TranslationError, render, too_deep
from ..streaming.converter import StreamConverter
from .bodies import is_json, text_in_place
from .messages import JSON_TYPE

if TYPE_CHECKING:
    from .exchange import Exchange

Json = Any


class ReplyStream:
    """`status` and `headers` are those of the reply. Bytes come out in whole events: `ping` fits between any two.

    After `end`, `error` says why the stream broke off (None: it did not), `failure` is the error that the provider
    ended it with, `response` is the whole response as the client got it (None where it is not complete, or only a
    stream can hold it, or nobody wanted it), `usage` its token counts by kind, `diagnostics` what was lost.

    keep_response  whether there is to be a `response`; one that is kept for later requests is there in any case
    most           the most bytes that the provider may send (STR-15); None: any number

    A provider that does not stream responds with JSON: the client gets its stream at the end. The body of an error
    comes whole, at the end, too, and `status` is what its status means to the client; `Exchange.response` knows better.
    """

    def __init__(
        self,
        exchange: Exchange,
        status: int,
        headers: Mapping[str, str],
        *,
        keep_response: bool = True,
        most: int | None = None,
    ) -> None:
        provider, client = exchange.sides
        self.response: Json = None
        self.usage: dict[str, int] | None = None
        self._exchange = exchange
        self._protocol = protocol_of(client)
        self._keeps = keep_response or exchange.state.get("keeps") is not None
        self._most, self._size = most, 0
        options = exchange.for_response(headers)
        self._converter = StreamConverter(provider, client, keep_response=self._keeps, **options)
        self._framing, framing = exchange.framings
        self._decoder, self._encode = self._framing.decoder(), framing.encode
        self._lead, self._between, self._behind = framing.around
        self._error: TranslationError | None = None
        self._unwritten: TranslationError | None = None
        self._ended = False
        self._failed = None if 200 <= status < 300 else (status, headers)
        self._whole = bytearray() if self._failed or self._is_whole(headers) else None
        self._begun = bytearray() if self._whole is None else None  # until it shows whether these are events
        self.status = status if self._failed is None else exchange.status_of(status)
        own = JSON_TYPE if self._failed else {"content-type": framing.content_type, "cache-control": "no-cache"}
        self.headers = {**own, **exchange.hints(headers)}

    def _is_whole(self, headers: Mapping[str, str]) -> bool:
        """Whether one JSON value comes, whatever the bytes begin with; some servers give its name to a stream, which
        the bytes show unless it begins as JSON does."""
        return is_json(headers) and self._framing.begins(b"{") is True

    @property
    def error(self) -> TranslationError | None:
        return self._error or self._converter.error

    @property
    def failure(self) -> Error | None:
        return self._converter.failure

    @property
    def begun(self) -> bool:
        """Whether content of the provider's has come, or its end or error: more than the envelope."""
        return self._converter.begun or self.error is not None

    @property
    def finish(self) -> Finish | None:
        """How the provider's response ended; None before it has, and where it failed: of several candidates the
        first."""
        return self._converter.finish

    @property
    def finishes(self) -> tuple[Finish, ...]:
        """How each candidate ended, of those that have."""
        return self._converter.finishes

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        own = self._error.diagnostics if self._error is not None and self._error is not self._converter.error else ()
        return (*self._converter.diagnostics, *own)

    def feed(self, chunk: bytes) -> bytes:
        """What the client gets of these bytes. After an error nothing more; `end` gives its event."""
        if self._ended or self.error is not None:
            return b""
        self._size += len(chunk)
        if self._most is not None and self._size > self._most:
            self._break_off("STR-15", f"a stream of more than {self._most} bytes")
            return b""
        if self._begun is not None:
            chunk = self._unheld(chunk)
        if self._whole is not None:
            self._whole += chunk
            if len(self._whole) > MOST_BYTES:
                self._break_off("STR-15", f"a body of more than {MOST_BYTES} bytes")
            return b""
        return self._encoded(self._made(self._decoder.feed, chunk))

    def _unheld(self, chunk: bytes) -> bytes:
        """The bytes so far, once they show whether they begin a stream; some servers send JSON or text in its place."""
        assert self._begun is not None
        held = (bytes(self._begun) + chunk).lstrip(BLANK)
        if JSON_ARRAY.begins(held):
            self._framing, self._decoder = JSON_ARRAY, JSON_ARRAY.decoder()
        stream = self._framing.begins(held)
        if stream is None:
            self._begun = bytearray(held)
            return b""
        self._begun = None
        if not stream:
            self._whole = bytearray()
        return held

    def ping(self) -> bytes:
        """What keeps the connection open while the provider is silent; nothing after the end."""
        return b"" if self._ended or self._failed is not None else self._exchange.keep_alive

    def end(self) -> bytes:
        """What the client gets at the end of the provider's bytes, early or not: the end of its stream, or an error."""
        if self._ended:
            return b""
        self._ended = True
        if self._failed is not None:
            reply = self._exchange.response(*self._failed, bytes(self._whole or b""))
            return reply.body
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
        """The client's events of what is read; an error is kept for `end`."""
        made: list[Json] = []
        try:
            for event in read(*chunk):
                made += self._converter.feed(event)
        except TranslationError as error:
            self._error = error
        return made

    def _from_whole(self, data: bytes) -> list[Json]:
        """The client's events of a response that came as JSON; a text is the error of a gateway."""
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
        """The whole response, where the stream has all of it: nothing that comes after its end takes that back."""
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
        """Nothing follows an event that cannot be written, as it is too deep."""
        made: list[bytes] = []
        try:
            made.extend(self._encode(self._exchange.renamed(event), self._protocol) for event in events)
        except TranslationError as error:
            self._error = self._unwritten = error
        except RecursionError as error:
            self._error = self._unwritten = too_deep(error)
        if not made:
            return b""
        lead, self._lead = self._lead, self._between
        return lead + self._between.join(made)

    def _break_off(self, rule: str, detail: str) -> None:
        self._error = StreamError(render([(rule, None, detail)], None, refused=True))
