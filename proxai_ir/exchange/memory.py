"""The memory of a proxy, for clients that send a reference instead of their history.

Each response is kept once, under its own id, with what its request added and the id of the response that it continues;
so memory grows with the conversation, not with its square, even if clients send all of it again. Keys begin with the
owner: no client reads another's.

| key | value |
| --- | --- |
| `OWNER/response/ID` | `{"previous": …, "items": […], "response": {…}}`; `after`: whose items these follow |
| `OWNER/item/ID` | `{"response": …, "at": …}`: an item of that response's output; null: its id was given twice |
| `OWNER/conversation/ID` | `{"last": …}`: the last response of the conversation |
| `OWNER/start/DIGEST` | `{"response": …, "count": …, "digest": …}`: the latest request that began with these items |

A response with `native` came from a provider of the client's own protocol, which knows its id. Responses that are not
to be stored are kept in the memory of a connection alone, if the client has one (`OfConnection`).
"""

from __future__ import annotations

import json
import marshal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import copy
from hashlib import sha256
from typing import Any, Protocol
from urllib.parse import quote

import orjson

from ..protocol.http import Http, References
from ..reporting.diagnostics import InvalidPayload, TranslationError, render

# --- memory -----------------------------------------------------------------------------------------------------------


Json = Any
TWICE: Json = {"previous": None, "items": [], "response": None}
LIFETIME = 30 * 24 * 3600.0  # as long as OpenAI keeps responses


class Unavailable(Exception):
    """Raised by a Memory whose storage fails. It ends requests with references; others go on, and are not kept."""


class Memory(Protocol):
    """A store of JSON values under keys.

    An implementation may forget any of them at any time. If its storage fails it raises Unavailable, and nothing else.
    One with slow storage may also have `later(work, size)`: it calls `work` soon, in a thread of its own, with a memory
    that keeps all that `work` puts, or nothing, and calls it again if that failed. `size`: about how many bytes `work`
    holds.
    """

    def get(self, key: str) -> Json | None:
        """Return the value, or None if there is none or it has expired."""

    def put(self, key: str, value: Json, seconds: float) -> None:
        """Keep a value for so many seconds."""

    def delete(self, key: str) -> None:
        """Forget a value, if there is one."""


class InMemory:
    """A memory of one process, for any number of threads. It is bounded; the oldest values go first."""

    def __init__(
        self,
        most: int = 100_000,
        clock: Callable[[], float] = time.monotonic,
        *,
        most_bytes: int = 256 * 1024 * 1024,
    ) -> None:
        self._values: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._most, self._most_bytes = most, most_bytes
        self._bytes = 0
        self._clock = clock
        self._lock = threading.Lock()

    def get(self, key: str) -> Json | None:
        with self._lock:
            until, value = self._values.get(key, (0.0, b""))
            if value and until < self._clock():
                self._drop(key)
                return None
        return marshal.loads(value) if value else None  # noqa: S302 - what `put` made

    def put(self, key: str, value: Json, seconds: float) -> None:
        data = marshal.dumps(value)  # smaller than the objects, and independent of later changes
        with self._lock:
            self._drop(key)
            self._values[key] = (self._clock() + seconds, data)
            self._bytes += len(data)
            while len(self._values) > self._most or self._bytes > self._most_bytes:
                self._drop(next(iter(self._values)))

    def delete(self, key: str) -> None:
        with self._lock:
            self._drop(key)

    def _drop(self, key: str) -> None:
        self._bytes -= len(self._values.pop(key, (0.0, b""))[1])


class OfConnection:
    """The memory of one connection: `lasting`, and before it `passing`, which holds responses that are not to be stored
    and ends with the connection."""

    def __init__(self, lasting: Memory, passing: Memory) -> None:
        self.passing = passing
        self._lasting = lasting

    def get(self, key: str) -> Json | None:
        found = self.passing.get(key)
        return self._lasting.get(key) if found is None else found

    def put(self, key: str, value: Json, seconds: float) -> None:
        self._lasting.put(key, value, seconds)

    def delete(self, key: str) -> None:
        self._lasting.delete(key)

    def __getattr__(self, name: str) -> Any:  # `later`, if it has one
        return getattr(self._lasting, name)


class Passing:
    """The part of a memory that one connection fills, and that is forgotten with it."""

    def __init__(self, memory: Memory, name: str) -> None:
        self._memory, self._name = memory, name
        self._keys: set[str] = set()

    def get(self, key: str) -> Any:
        return self._memory.get(f"{self._name}/{key}")

    def put(self, key: str, value: Any, seconds: float) -> None:
        self._keys.add(key)
        self._memory.put(f"{self._name}/{key}", value, seconds)

    def delete(self, key: str) -> None:
        self._memory.delete(f"{self._name}/{key}")

    def forget(self) -> None:
        for key in self._keys:
            self.delete(key)


def first_reference(refers: References | None, payload: Json) -> tuple[str, str] | None:
    """Return the sort and the name of the first thing that a request refers to instead of holding it."""
    return None if refers is None else next(references(refers, payload), None)


def missing_reply(
    refers: References | None, referred: tuple[str, str] | None, error: TranslationError
) -> tuple[int, Json] | None:
    """Return the protocol's own error, if an error is that of a reference to something that is not kept."""
    if refers is None or referred is None or all(one.rule != "R2A-3" for one in error.diagnostics):
        return None
    return refers.missing(*referred)


def references(refers: References, payload: Json) -> Iterator[tuple[str, str]]:
    """Yield the sort and the name of everything that a request refers to."""
    for sort, name in (("response", refers.previous(payload)), ("conversation", refers.conversation(payload))):
        if name is not None:
            yield sort, name
    yield from (("item", name) for item in refers.items(payload) if (name := refers.reference(item)))


class Recollection:
    """The memory of one owner, as requests of one protocol refer to it."""

    def __init__(self, references: References, memory: Memory, owner: str = "", lifetime: float = LIFETIME) -> None:
        self.references = references
        self._memory = memory
        self._owner = quote(owner, safe="")
        self._lifetime = lifetime
        self._passing: Memory | None = getattr(memory, "passing", None)

    def recall(self, request: Json, native: bool | str = False) -> tuple[Json, Json | None]:
        """Return the request with its whole history, and what `keep` needs (None: the response is not to be kept).

        A reference to something that is not kept stays, and conversion refuses the request (R2A-3). `native`: whether
        the provider has the client's protocol, and so knows its own responses; or its name, if several providers have
        it.
        """
        try:
            return self._recalled(request, native)
        except Unavailable:
            if native:
                return request, None
            raise

    def _recalled(self, request: Json, native: bool | str) -> tuple[Json, Json | None]:
        refers = self.references
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
        referring = previous is not None or conversation is not None or named != own
        if self._is_unknown(previous, conversation, own, native) if native else referring or keeps:
            request = refers.whole(request, [*earlier, *named])
        if not keeps and self._passing is None:
            return request, None
        kept = {"previous": previous, "conversation": conversation, "items": named, "native": keeps and native}
        return request, kept if keeps else {**kept, "passing": True}

    def keep(self, response: Json, kept: Json) -> None:
        """Keep a response with what `recall` returned for its request.

        A response without an id cannot be referred to, and neither can two with the same id.
        """
        name = response.get("id")
        if not isinstance(name, str):
            return
        if kept.get("passing") and self._passing is not None:
            self._with(self._passing)._keep(name, response, kept)
        else:
            self._soon(lambda memory: memory._keep(name, response, kept), [response, kept["items"]])

    def _soon(self, work: Callable[[Recollection], None], holds: Json) -> None:
        """Do some work on the memory: without waiting, if it can do it later."""
        later = getattr(self._memory, "later", None)
        with suppress(Unavailable):
            if later is None:
                work(self)
            else:
                later(lambda memory: work(self._with(memory)), size_of(holds))

    def _with(self, memory: Memory) -> Recollection:
        made = copy(self)
        made._memory = memory
        return made

    def _keep(self, name: str, response: Json, kept: Json) -> None:
        kept = kept if kept["previous"] is not None else self._shared(kept)
        value = {"previous": kept["previous"], "items": kept["items"], "response": response}
        value |= {"native": kept["native"]} if kept.get("native") else {}
        value |= {"after": kept["after"]} if kept.get("after") else {}
        known = self._get("response", name)
        if known is not None:
            if known != value:  # a second attempt may find what the first has written
                self._put("response", name, TWICE)
            return
        self._put("response", name, value)
        for at, item in enumerate(self.references.output(response)):
            if isinstance(item.get("id"), str):
                known = self._get("item", item["id"])
                self._put("item", item["id"], {"response": name if known is None else None, "at": at})
        if kept.get("start"):
            self._put("start", kept["start"], {"response": name, "count": kept["count"], "digest": kept["digest"]})
        if kept["conversation"] is not None:
            self._put("conversation", kept["conversation"], {"last": name})

    def _shared(self, kept: Json) -> Json:
        """Return what is kept without the items that the latest request with the same start had, as most clients send
        all of them again."""
        items = kept["items"]
        first = next((at for at, one in enumerate(items) if isinstance(one, dict) and one.get("role") == "user"), 0)
        start, whole = digest(items[: first + 1]), digest(items)
        if start is None or whole is None:
            return kept
        latest = self._get("start", start)
        kept = {**kept, "start": start, "count": len(items), "digest": whole}
        if latest is None or latest["count"] > len(items) or latest["digest"] != digest(items[: latest["count"]]):
            return kept
        if self.response(latest["response"]) is None:
            return kept
        return {**kept, "after": latest["response"], "items": items[latest["count"] :]}

    def knows(self, sort: str, name: str) -> bool:
        """Return whether a "response", a "conversation" or an "item" is this owner's."""
        return self._get(sort, name) is not None

    def response(self, name: str) -> Json | None:
        """Return a response that is kept; None if there is none, or its id was given twice."""
        found = self._get("response", name)
        return None if found is None else found["response"]

    def forget(self, name: str) -> bool:
        """Forget a response, so that those that continue it cannot be continued, and return whether it was kept."""
        known = self._get("response", name) is not None
        self._memory.delete(self._key("response", name))
        return known

    def begin(self, conversation: str) -> None:
        """Keep a new conversation, which requests can continue."""
        self._soon(lambda memory: memory._put("conversation", conversation, {"last": None}), None)

    def _history(self, name: str | None) -> list[Any] | None:
        """Return all items up to a response; None if one of the responses is not kept, or its id was given twice."""
        steps = []
        seen: set[str] = set()
        with_output = True
        while name is not None:
            found = None if name in seen else self._get("response", name)
            if found is None or found == TWICE:
                return None
            seen.add(name)
            steps.append([*found["items"], *(self.references.output(found["response"]) if with_output else ())])
            with_output = "after" not in found
            name = found["previous"] if with_output else found["after"]
        return [item for step in reversed(steps) for item in step]

    def _is_unknown(self, previous: str | None, conversation: str | None, items: list[Any], native: bool | str) -> bool:
        """Return whether a request refers to something kept that this provider of its protocol did not send. What was
        kept without a provider's name counts as its own."""
        if conversation is not None:
            return True
        places = [self._get("item", name) for item in items if (name := self.references.reference(item)) is not None]
        names = [previous, *(place["response"] for place in places if place is not None)]
        known = [self._get("response", name) for name in names if name is not None]
        return any(found is not None and found.get("native") not in (native, True) for found in known)

    def _named(self, item: Any) -> Any:
        """Return the item that a reference names; the reference itself if that is not kept."""
        name = self.references.reference(item)
        place = None if name is None else self._get("item", name)
        found = None if place is None or place["response"] is None else self.response(place["response"])
        if place is None or found is None:
            return item
        same = [one for one in self.references.output(found)[place["at"] :][:1] if one.get("id") == name]
        return same[0] if same else item

    def _get(self, sort: str, name: str) -> Json | None:
        return self._memory.get(self._key(sort, name))

    def _put(self, sort: str, name: str, value: Json) -> None:
        self._memory.put(self._key(sort, name), value, self._lifetime)

    def _key(self, sort: str, name: str) -> str:
        return f"{self._owner}/{sort}/{name}"


def size_of(value: Json) -> int:
    """Return about how many bytes a value takes; 0 for one that JSON cannot hold, as it is not kept."""
    try:
        return len(orjson.dumps(value))
    except (TypeError, RecursionError):
        return 0


def digest(items: list[Any]) -> str | None:
    """Return a name of these items, which no others have; None for items that JSON cannot hold."""
    try:
        return sha256(json.dumps(items, separators=(",", ":")).encode()).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return None


# --- own state --------------------------------------------------------------------------------------------------------
# References to what a provider keeps are refused if they are not the client's own, for clients that share an account.
#
# Rule 1: the memory knows the owners of responses, conversations and items. Rule 2: nobody knows the owner of a file, a
# container or a cache, so that their names, if the protocol has any (`Http.stored`), are refused.


UNKNOWN = "it is not known as this client's own, and others share the account"


def not_own(found: tuple[str, str], payload: Json) -> InvalidPayload:
    return InvalidPayload(render([("R2A-3", None, f"{found[1]!r:.80}: {UNKNOWN}")], payload, refused=True))


def check_own(
    http: Http, refers: References | None, memory: Recollection | None, payload: Json
) -> tuple[str, str] | None:
    """Return the sort and the name of the first reference that the memory does not know. Raises InvalidPayload for a
    file and the like."""
    for place, name in http.stored.names_in(payload):
        raise InvalidPayload(render([("SRC-1", place, f"{name!r:.80}: {UNKNOWN}")], payload, refused=True))
    if refers is None:
        return None
    for sort, name in references(refers, payload):
        if memory is None or not memory.knows(sort, name):
            return sort, name
    return None
