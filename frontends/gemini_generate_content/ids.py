"""Ids for what a payload of generateContent calls without any: functions in responses, and what the provider runs."""

from __future__ import annotations

import zlib

from proxai_ir import ir

from .._lib.call_ids import response_call_id
from .._lib.reading import Object


def key_of(body: Object) -> str:
    """What makes the ids of a response differ from those of others: its own id, or a sum of what else it has."""
    identity = body.get("responseId")
    if identity:
        return str(identity)
    text = f"{body.get('modelVersion')} {body.get('createTime')}"
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


ID = {
    ir.CodeCall: ("code", "id"),
    ir.CodeResult: ("code", "call_id"),
    ir.WebSearchCall: ("search", "id"),
    ir.WebSearchResult: ("search", "call_id"),
}
"""Parts that the provider ran, or that came of it: what ran, and the field with the id of the call."""
RUNS = ID.keys()


class RunIds:
    """Names what the provider ran itself, part by part; a result is that of the last call before it."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._count = 0
        self._last: dict[str, str] = {}

    def give(self, part: ir.Part) -> None:
        count = self._count
        self._count += 1
        what, field = ID.get(type(part), ("", ""))
        if not what:
            return
        called = "" if field == "id" else self._last.get(what)
        identity = getattr(part, field) or called or f"run_{self._plain()}_{count}"
        setattr(part, field, identity)
        if field == "id":
            self._last[what] = identity

    def _plain(self) -> str:
        """The key without hyphens, which ids of what the provider runs do not have elsewhere."""
        return self._key.replace("-", "_")


class CallIds(RunIds):
    """Names all calls of a candidate; `search` is the id of a search that it reports apart from its content."""

    def __init__(self, key: str, position: int) -> None:
        super().__init__(f"{key}_{position}" if position else key)
        self._calls = 0

    @property
    def search(self) -> str:
        return f"search_{self._plain()}"

    def give(self, part: ir.Part) -> None:
        if isinstance(part, ir.FunctionCall):
            part.id = part.id or response_call_id(self._key, self._calls)
            self._calls += 1
        super().give(part)
