"""What a proxy keeps for clients that send a reference in place of their history.

Each response is kept once, under its own id, with what its request added and the id of the response that it continues;
so memory grows with the conversation, not with its square. Keys begin with the owner: no client reads another's.

| key | value |
| --- | --- |
| `OWNER/response/ID` | `{"previous": …, "items": […], "response": {…}}` |
| `OWNER/item/ID` | `{"response": …, "at": …}`: an item of that response's output |
| `OWNER/conversation/ID` | `{"last": …}`: the last response of the conversation |
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Protocol

from ..references import References

Json = Any
LIFETIME = 30 * 24 * 3600.0  # as long as OpenAI keeps responses


class Memory(Protocol):
    """Where a proxy keeps JSON values under keys; an implementation may forget any of them at any time."""

    def get(self, key: str) -> Json | None:
        """The value, or None where there is none or it has expired."""

    def put(self, key: str, value: Json, seconds: float) -> None:
        """Keep a value for so long."""

    def delete(self, key: str) -> None:
        """Forget a value, if there is one."""


class InMemory:
    """Of one process, with a bound on how many values it keeps: the oldest go first."""

    def __init__(self, most: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._values: OrderedDict[str, tuple[float, Json]] = OrderedDict()
        self._most = most
        self._clock = clock

    def get(self, key: str) -> Json | None:
        until, value = self._values.get(key, (0.0, None))
        if value is not None and until < self._clock():
            self.delete(key)
            return None
        return value

    def put(self, key: str, value: Json, seconds: float) -> None:
        self._values[key] = (self._clock() + seconds, value)
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)

    def delete(self, key: str) -> None:
        self._values.pop(key, None)


class Recollection:
    """The memory of one owner, as requests of one protocol refer to it."""

    def __init__(self, references: References, memory: Memory, owner: str = "", lifetime: float = LIFETIME) -> None:
        self._references = references
        self._memory = memory
        self._owner = owner
        self._lifetime = lifetime

    def recall(self, request: Json) -> tuple[Json, Json | None]:
        """The request with its whole history, and what `keep` needs (None: the response is not to be kept).

        A reference to what is not kept stays in the request, which conversion refuses then (R2A-3).
        """
        refers = self._references
        own = refers.items(request)
        previous, conversation = refers.previous(request), refers.conversation(request)
        if conversation is not None:
            known = self._get("conversation", conversation)
            if known is None:
                return request, None
            previous = known["last"]
        earlier = self._history(previous)
        if earlier is None:
            return request, None
        keeps = refers.keeps(request)
        named = [self._named(item) for item in own]
        if earlier or keeps or named != own:
            request = refers.whole(request, [*earlier, *named])
        return request, {"previous": previous, "conversation": conversation, "items": named} if keeps else None

    def keep(self, response: Json, kept: Json) -> None:
        """Keep a response with what `recall` returned for its request; one without an id cannot be referred to."""
        name = response.get("id")
        if not isinstance(name, str):
            return
        self._put("response", name, {"previous": kept["previous"], "items": kept["items"], "response": response})
        for at, item in enumerate(self._references.output(response)):
            if isinstance(item.get("id"), str):
                self._put("item", item["id"], {"response": name, "at": at})
        if kept["conversation"] is not None:
            self._put("conversation", kept["conversation"], {"last": name})

    def response(self, name: str) -> Json | None:
        """A response that is kept."""
        found = self._get("response", name)
        return None if found is None else found["response"]

    def forget(self, name: str) -> bool:
        """Whether there was such a response; what continues it cannot be continued either then."""
        known = self._get("response", name) is not None
        self._memory.delete(self._key("response", name))
        return known

    def begin(self, conversation: str) -> None:
        """A conversation that a request can continue."""
        self._put("conversation", conversation, {"last": None})

    def _history(self, name: str | None) -> list[Any] | None:
        """All items up to a response; None where one of them is not kept, or a provider gave an id twice."""
        steps = []
        seen: set[str] = set()
        while name is not None:
            found = None if name in seen else self._get("response", name)
            if found is None:
                return None
            seen.add(name)
            steps.append([*found["items"], *self._references.output(found["response"])])
            name = found["previous"]
        return [item for step in reversed(steps) for item in step]

    def _named(self, item: Any) -> Any:
        """The item that a reference is the name of; the reference itself where that is not kept."""
        name = self._references.reference(item)
        place = None if name is None else self._get("item", name)
        found = None if place is None else self._get("response", place["response"])
        return item if place is None or found is None else self._references.output(found["response"])[place["at"]]

    def _get(self, sort: str, name: str) -> Json | None:
        return self._memory.get(self._key(sort, name))

    def _put(self, sort: str, name: str, value: Json) -> None:
        self._memory.put(self._key(sort, name), value, self._lifetime)

    def _key(self, sort: str, name: str) -> str:
        return f"{self._owner}/{sort}/{name}"
