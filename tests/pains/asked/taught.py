"""Settings that a server refuses, and that a second request is without."""

from __future__ import annotations

from typing import Any

import orjson
from attrs import frozen

from proxai_ir import Exchange
from proxai_ir.exchange.provider import Learned

from ..support import chat
from .clouds import AZURE, THINKING, as_messages
from .got import at
from .row import ABSENT, ANTHROPIC, CHAT, RESPONSES

Json = Any
TOOLS = [{"name": "f", "input_schema": {"type": "object"}}]


@frozen(kw_only=True)
class Taught:
    """A request that a server of the protocol `dst` refuses with `error`, so that it is sent again without a setting.

    without  pointers to what the first request has and the second has not
    """

    thread: str
    seen: str
    dst: str
    sent: Json
    error: Json
    without: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.thread}: {self.seen}"


def has_and_loses(row: Taught) -> list[tuple[str, bool, bool]]:
    """Each pointer, whether the first request has something there, and whether the second one has nothing."""
    exchange = Exchange(ANTHROPIC, row.dst, cloud=AZURE, key="k", learned=Learned())
    first = orjson.loads(exchange.request(row.sent).body)
    again = exchange.retry(400, {"content-type": "application/json"}, orjson.dumps({"error": row.error}))
    second = first if again is None else orjson.loads(again.body)
    return [(one, at(first, one) != ABSENT, at(second, one) == ABSENT) for one in row.without]


ROWS = (
    Taught(
        thread="openai/openai-python#1469",
        seen="usage in streams is asked for where an older version does not know it",
        dst=CHAT,
        sent=as_messages("gpt-4o", stream=True),
        error={"message": "Unrecognized request argument supplied: stream_options", "type": "invalid_request_error"},
        without=("/stream_options",),
    ),
    Taught(
        thread="pydantic/pydantic-ai#169",
        seen="parallel calls are forbidden where an older version does not know them",
        dst=CHAT,
        sent=as_messages("gpt-4o", tools=TOOLS, tool_choice={"type": "auto", "disable_parallel_tool_use": True}),
        error={"message": "Unrecognized request argument supplied: parallel_tool_calls.", "code": None},
        without=("/parallel_tool_calls",),
    ),
    Taught(
        thread="earendil-works/pi#6228",
        seen="encrypted reasoning is asked of a model that no table knows",
        dst=RESPONSES,
        sent=as_messages("our-own", chat.user("Hi"), thinking=THINKING),
        error={"message": "Encrypted content is not supported with this model.", "param": "include"},
        without=("/include",),
    ),
)
