"""The stream of one Exchange: the provider's bytes in, the client's bytes out; no bytes make it raise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..diagnostics import Diagnostic, TranslationError
from ..framing import sse
from ..profile import protocol_of
from ..streaming.converter import StreamConverter
from .messages import SSE_TYPE, counts

if TYPE_CHECKING:
    from .exchange import Exchange

Json = Any


class ReplyStream:
    """`status` and `headers` are those of the reply. Bytes come out in whole events: `ping` fits between any two.

    After `end`, `error` says why the stream broke off (None: it is complete), `response` is the whole response as the
    client got it (None where it is not complete), `usage` its token counts by kind, `diagnostics` what was lost.
    """

    def __init__(self, exchange: Exchange, status: int, headers: Mapping[str, str]) -> None:
        provider, client = exchange.sides
        self.status = status
        self.headers = {**SSE_TYPE, **exchange.hints(headers)}
        self.response: Json = None
        self.usage: dict[str, int] | None = None
        self._exchange = exchange
        self._protocol = protocol_of(client)
        self._converter = StreamConverter(provider, client, keep_response=True, **exchange.for_response())
        self._decoder = sse.Decoder()
        self._error: TranslationError | None = None
        self._ended = False

    @property
    def error(self) -> TranslationError | None:
        return self._error or self._converter.error

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return self._converter.diagnostics

    def feed(self, chunk: bytes) -> bytes:
        """What the client gets of these bytes. After an error nothing more; `end` gives its event."""
        if self._ended or self.error is not None:
            return b""
        made: list[Json] = []
        try:
            for event in self._decoder.feed(chunk):
                made += self._converter.feed(event)
        except TranslationError as error:
            self._error = error
        return self._encoded(made)

    def ping(self) -> bytes:
        """What keeps the connection open while the provider is silent; nothing after the end."""
        return b"" if self._ended else self._exchange.keep_alive

    def end(self) -> bytes:
        """What the client gets at the end of the provider's bytes, early or not: the end of its stream, or an error."""
        if self._ended:
            return b""
        self._ended = True
        made: list[Json] = []
        try:
            if self.error is None:
                for event in self._decoder.close():
                    made += self._converter.feed(event)
        except TranslationError as error:
            self._error = error
        made += self._converter.close(error_event=True)
        self._keep()
        return self._encoded(made)

    def _keep(self) -> None:
        if self.error is not None:
            return
        try:
            whole = self._converter.response
        except TranslationError as error:  # only the stream can represent it
            self._error = error
            return
        if whole is not None:
            self.response = self._exchange.finished(whole)
            self.usage = counts(self._converter.usage)

    def _encoded(self, events: list[Json]) -> bytes:
        return b"".join([sse.encode(self._exchange.renamed(event), self._protocol) for event in events])
