"""Counting the tokens of a request, where the upstream's protocol can: no number is ever estimated.

Sources: the API references of Anthropic ("Count tokens"), OpenAI ("Get input token counts") and Google ("countTokens").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
from attrs import frozen

from ..exchange import Exchange
from ..exchange import Upstream as Sent
from ..json.bytes import dumped
from .asgi import Attended, Forbidden
from .call import Call
from .endpoints import Converted
from .forward import check_status, first_response, send_whole, whole
from .upstreams import Upstream

Json = Any
NO_COUNTING = "The upstream of this model cannot count tokens; count_tokens is not available."
MOST_TOKENS = 1_000_000
METHOD = ":countTokens"
NOT_COUNTED = frozenset("max_tokens metadata service_tier stop_sequences stream temperature top_k top_p".split())
COUNTED = frozenset(
    """conversation input instructions model parallel_tool_calls previous_response_id reasoning text tool_choice tools
    truncation""".split()
)
"""What requests of Anthropic's have that is not counted, and what requests of OpenAI's have that is."""


@frozen
class Counting:
    """How tokens are counted in one protocol.

    path    of the request, from that of the request for a response
    body    of the request, from that of the request for a response and its path
    number  the member of the response that has the count
    shape   the rest of the response
    """

    path: Callable[[str], str]
    body: Callable[[Json, str], Json]
    number: str
    shape: dict[str, Json]


def _anthropic(body: Json, _: str) -> Json:
    return {name: value for name, value in body.items() if name not in NOT_COUNTED}


def _responses(body: Json, _: str) -> Json:
    return {name: value for name, value in body.items() if name in COUNTED}


def _gemini(body: Json, path: str) -> Json:
    model = path.partition("/models/")[2].partition(":")[0]
    return {"generateContentRequest": {"model": f"models/{model}", **body}}


def _gemini_path(path: str) -> str:
    return path.rpartition(":")[0] + METHOD


BY_PROTOCOL = {
    "anthropic_messages": Counting(lambda path: f"{path}/count_tokens", _anthropic, "input_tokens", {}),
    "openai_responses": Counting(
        lambda path: f"{path}/input_tokens", _responses, "input_tokens", {"object": "response.input_tokens"}
    ),
    "gemini_generate_content": Counting(_gemini_path, _gemini, "totalTokens", {}),
}


class Count(Converted):
    """Requests to count the tokens of a request."""

    def source_of(self, call: Call) -> Json:
        """What would be asked for a response, of what is to be counted."""
        source = super().source_of(call)
        call.path = call.path.replace(METHOD, ":generateContent")
        if not isinstance(source, dict):
            return source
        wrapped = source.get("generateContentRequest")
        if isinstance(wrapped, dict):
            return {name: value for name, value in wrapped.items() if name != "model"}
        return {"max_tokens": MOST_TOKENS, **source} if self.client == "anthropic_messages" else source

    async def forwarded(
        self, call: Call, exchange: Exchange, upstream: Upstream, sent: Sent, client: Attended, *, last: bool
    ) -> bool:
        counting = BY_PROTOCOL.get(upstream.side.protocol)
        if counting is None:
            raise Forbidden(404, NO_COUNTING)
        body = dumped(counting.body(orjson.loads(sent.body), sent.path))
        asked = Sent(path=counting.path(sent.path), headers=sent.headers, body=body, stream=False)
        response = await first_response(upstream, asked, last=last)
        if response is None:
            return False
        call.upstream_status = response.status_code
        await check_status(upstream, response)
        data = await whole(response, self.gateway.config.limits.response)
        if not response.is_success:
            reply = exchange.response(response.status_code, dict(response.headers), upstream.without_key(data))
            await send_whole(call, reply, client, self.request_id)
            return True
        number = _count_in(data, counting.number)
        if number is None:
            raise Forbidden(502, "The upstream's response has no count of tokens.")
        own = BY_PROTOCOL[self.client]
        await self.send_json(call, client, {**own.shape, own.number: number})
        return True


def _count_in(data: bytes, name: str) -> int | None:
    try:
        number = orjson.loads(data)[name]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return number if type(number) is int else None
