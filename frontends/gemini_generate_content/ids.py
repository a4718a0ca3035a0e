"""Ids for what a payload of generateContent calls without any: functions in responses, and what the provider runs."""

from __future__ import annotations

import zlib

from proxai_ir.ir import parts as ir

from .._lib.call_ids import response_call_id
from .._lib.reading import Object


def key_of(body: Object) -> str:
    """What makes the ids of a response differ from those of others: its own id, or a sum of what else it has."""
    identity = body.get("responseId")
    if identity:
        return str(identity)
    text = f"{body.get('modelVersion')} {body.get('createTime')}"
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


RUNS = frozenset({ir.CodeCall, ir.CodeResult, ir.WebSearchCall, ir.WebSearchResult})
"""Parts that the provider ran, or that came of it."""


class RunIds:
    """Names what the provider ran itself, part by part; a result is that of the last call before it."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._count = 0
        self._code = self._search = ""

    def give(self, part: ir.Part) -> None:
        count = self._count
        self._count += 1
        if type(part) not in RUNS:
            return
        made = f"run_{self._plain()}_{count}"
        if isinstance(part, ir.CodeCall):
            self._code = part.id = part.id or made
        elif isinstance(part, ir.WebSearchCall):
            self._search = part.id = part.id or made
        elif isinstance(part, ir.CodeResult):
            part.call_id = part.call_id or self._code or made
        elif isinstance(part, ir.WebSearchResult):
            part.call_id = part.call_id or self._search or made

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
