"""Counting the tokens of a request: the upstream does; where it cannot, the number is an estimate, which says so."""

from __future__ import annotations

from typing import Any

import orjson

from ..exchange.messages import count_in, estimate, to_count
from ..protocol.http import Counting
from .asgi import Attended, Forbidden
from .attempts import Asked, Turns, first_response
from .call import Call
from .endpoints import Converted
from .forward import check_status, send_whole, whole
from .gateway import Gateway

Json = Any
NO_SUCH_PATH = (404, 405, 501)
"""Statuses of servers that speak a protocol which can count, and cannot."""


class Count(Converted):
    """Requests to count the tokens of a request."""

    def __init__(self, gateway: Gateway, client: str, counting: Counting) -> None:
        super().__init__(gateway, client)
        self._counting = counting

    def asks(self, path: str) -> bool:
        """Whether a path with a model in it asks for a count."""
        counted = self._counting.counted(path)
        return counted is not None and counted != path and super().asks(counted)

    def source_of(self, call: Call) -> Json:
        """What would be asked for a response, of what is to be counted."""
        source = super().source_of(call)
        call.path = self._counting.counted(call.path) or call.path
        return self._counting.source(source) if isinstance(source, dict) else source

    async def forwarded(self, call: Call, asked: Asked, turns: Turns, client: Attended) -> bool:
        sent, counting = asked.sent, asked.upstream.http.counting
        if counting is None:
            return await self._estimated(call, sent.body, client)
        asked = asked._replace(sent=to_count(sent, counting))
        response = await first_response(asked, turns)
        if response is None:
            return False
        call.upstream_status = response.status_code
        await check_status(asked.upstream, response)
        data = asked.upstream.redaction(asked.own).whole(await whole(response, self.gateway.config.limits.response))
        if response.status_code in NO_SUCH_PATH:
            return await self._estimated(call, sent.body, client)
        if not response.is_success:
            reply = asked.exchange.response(response.status_code, dict(response.headers), data)
            await send_whole(call, reply, client, self.request_id)
            return True
        number = count_in(data, counting)
        if number is None:
            raise Forbidden(502, "The upstream's response has no count of tokens.")
        await self._send(call, client, number)
        return True

    async def _estimated(self, call: Call, body: bytes, client: Attended) -> bool:
        call.estimated = True
        await self._send(call, client, estimate(orjson.loads(body)))
        return True

    async def _send(self, call: Call, client: Attended, number: int) -> None:
        own = self._counting
        await self.send_json(call, client, {**own.shape, own.number: number})
