"""Counting the tokens of a request, where the upstream's protocol can: no number is ever estimated."""

from __future__ import annotations

from typing import Any

from ..binding.http import Counting
from ..exchange import Exchange, Upstream
from ..exchange.counting import count_in, to_count
from .asgi import Attended, Forbidden
from .call import Call
from .endpoints import Converted
from .forward import check_status, first_response, send_whole, whole
from .gateway import Gateway
from .upstreams import UpstreamServer

Json = Any
NO_COUNTING = "The upstream of this model cannot count tokens."


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

    async def forwarded(
        self, call: Call, exchange: Exchange, upstream: UpstreamServer, sent: Upstream, client: Attended, *, last: bool
    ) -> bool:
        counting = upstream.http.counting
        if counting is None:
            raise Forbidden(404, NO_COUNTING)
        response = await first_response(upstream, to_count(sent, counting), last=last)
        if response is None:
            return False
        call.upstream_status = response.status_code
        await check_status(upstream, response)
        data = await whole(response, self.gateway.config.limits.response)
        if not response.is_success:
            reply = exchange.response(response.status_code, dict(response.headers), upstream.without_key(data))
            await send_whole(call, reply, client, self.request_id)
            return True
        number = count_in(data, counting)
        if number is None:
            raise Forbidden(502, "The upstream's response has no count of tokens.")
        own = self._counting
        await self.send_json(call, client, {**own.shape, own.number: number})
        return True
