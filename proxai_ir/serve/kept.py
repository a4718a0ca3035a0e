"""Responses that the gateway keeps, and conversations: what clients of OpenAI Responses read and delete by id."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from ..binding.registry import frontend
from ..exchange.memory import Recollection
from ..json.bytes import parsed
from .asgi import Forbidden
from .call import Call
from .endpoints import Plain
from .forward import run
from .gateway import Gateway

Json = Any
RESPONSES = "openai_responses"


class Keeping(Plain):
    """An endpoint of what a client has in memory."""

    def __init__(self, gateway: Gateway, method: str) -> None:
        super().__init__(gateway, RESPONSES, method)

    def memory(self, call: Call) -> Recollection:
        references = frontend(RESPONSES).memory
        assert references is not None
        return Recollection(references, self.gateway.storage.memory, call.owner)

    async def waiting(self, work: Any, *arguments: Any) -> Any:
        return await run(work, *arguments, in_thread=self.gateway.waits_for_storage)


def id_in(path: str) -> str:
    return path.split("/")[3]


class Retrieve(Keeping):
    async def made(self, call: Call) -> Json:
        found = await self.waiting(self.memory(call).response, id_in(call.path))
        if found is None:
            raise not_kept(call)
        return found


class Delete(Keeping):
    async def made(self, call: Call) -> Json:
        name = id_in(call.path)
        if not await self.waiting(self.memory(call).forget, name):
            raise not_kept(call)
        return {"id": name, "object": "response", "deleted": True}


class Cancel(Keeping):
    """Every response that is kept is complete."""

    async def made(self, call: Call) -> Json:
        found = await self.waiting(self.memory(call).response, id_in(call.path))
        if found is None:
            raise not_kept(call)
        raise Forbidden(400, "Only responses in the background can be cancelled; this one is complete.")


class Begin(Keeping):
    """A new conversation. Items that it is to begin with are not supported: they are part of the first request."""

    async def made(self, call: Call) -> Json:
        given = parsed(call.body or b"{}")
        if not isinstance(given, dict) or given.get("items"):
            raise Forbidden(400, "A conversation begins empty here; expected no `items`.")
        name = f"conv_{uuid4().hex}"
        await self.waiting(self.memory(call).begin, name)
        return {
            "id": name,
            "object": "conversation",
            "created_at": int(call.started),
            "metadata": given.get("metadata") or {},
        }


def not_kept(call: Call) -> Forbidden:
    return Forbidden(404, f"Response with id '{id_in(call.path):.200}' not found.")
