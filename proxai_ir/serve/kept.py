"""Responses that the gateway keeps, and conversations: what clients read and delete by id."""

from __future__ import annotations

from typing import Any

from ..conversion.bytes import parsed
from ..exchange.memory import Recollection
from ..protocol.http import Http, Kept
from ..protocol.registry import frontend
from .asgi import Forbidden
from .call import Call
from .endpoints import Plain
from .forward import run
from .gateway import Gateway

Json = Any


def kept_under(http: Http, kept: Kept) -> tuple[str, ...]:
    """The paths that kept responses stand under: those of requests, too, where they are the same."""
    return (kept.responses, *(http.aliases if kept.responses == http.path else ()))


class Keeping(Plain):
    """An endpoint of what a client has in memory."""

    def __init__(self, gateway: Gateway, client: str, kept: Kept, method: str) -> None:
        super().__init__(gateway, client, method)
        self.kept = kept

    def memory(self, call: Call) -> Recollection:
        references = frontend(self.client).memory
        assert references is not None
        return Recollection(references, self.gateway.storage.memory, call.owner)

    def id_in(self, call: Call) -> str:
        base = next(path for path in kept_under(self.http, self.kept) if call.path.startswith(f"{path}/"))
        return call.path.removeprefix(base).split("/")[1]

    async def found(self, call: Call, work: Any) -> Any:
        """What `work` finds by the id in the path. Raises Forbidden where it finds nothing."""
        name = self.id_in(call)
        if not (found := await self.waiting(work, name)):
            raise Forbidden(404, f"Response with id '{name:.200}' not found.")
        return found

    async def waiting(self, work: Any, *arguments: Any) -> Any:
        return await run(work, *arguments, in_thread=self.gateway.waits_for_storage)


class Retrieve(Keeping):
    async def made(self, call: Call) -> Json:
        return await self.found(call, self.memory(call).response)


class Delete(Keeping):
    async def made(self, call: Call) -> Json:
        await self.found(call, self.memory(call).forget)
        return self.kept.deleted(self.id_in(call))


class Cancel(Keeping):
    """Every response that is kept is complete."""

    async def made(self, call: Call) -> Json:
        await self.found(call, self.memory(call).response)
        raise Forbidden(400, "Only responses in the background can be cancelled; this one is complete.")


class Begin(Keeping):
    """A new conversation. Items that it is to begin with are not supported: they are part of the first request."""

    async def made(self, call: Call) -> Json:
        given = parsed(call.body or b"{}")
        if not isinstance(given, dict) or given.get("items"):
            raise Forbidden(400, "A conversation begins empty here; expected no `items`.")
        assert self.kept.begun is not None
        made = self.kept.begun(given, int(call.started))
        await self.waiting(self.memory(call).begin, made["id"])
        return made
