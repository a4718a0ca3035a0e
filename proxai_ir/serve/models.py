"""The list of models, in the shape of the client's protocol: those that routes name, or those of the one upstream."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import httpx
import orjson
from attrs import frozen

from .asgi import Forbidden
from .call import Call
from .endpoints import Plain
from .forward import whole
from .gateway import Gateway
from .upstreams import Upstream

Json = Any
ANTHROPIC, GEMINI = "anthropic_messages", "gemini_generate_content"
LISTS = {GEMINI: "/v1beta/models?pageSize=1000", ANTHROPIC: "/v1/models?limit=1000"}
OPENAI_LIST = "/v1/models"
METHODS = ["generateContent", "streamGenerateContent"]


@frozen
class Model:
    """`created`: Unix seconds; 0 where nothing states it."""

    name: str
    shown: str
    created: int = 0
    owner: str = "proxai-ir"


class Models(Plain):
    """The list, or one of its models."""

    def __init__(self, gateway: Gateway, client: str) -> None:
        super().__init__(gateway, client, "GET")

    async def made(self, call: Call) -> Json:
        models = await self._models(call)
        wanted = unquote(call.path.strip("/").partition("/models/")[2])
        if not wanted:
            return LISTED[shape(self.client)](models)
        found = next((model for model in models if model.name == wanted), None)
        if found is None:
            raise Forbidden(404, f"The model '{wanted:.200}' is not known here.")
        return ONE[shape(self.client)](found)

    async def _models(self, call: Call) -> list[Model]:
        named = [Model(name, name) for name in self.gateway.routes.names]
        upstream = self.gateway.routes.only
        if named or upstream is None:
            return named
        return await self._of_upstream(self.gateway.upstreams[upstream], call)

    async def _of_upstream(self, upstream: Upstream, call: Call) -> list[Model]:
        """Raises Forbidden where the upstream has no such list."""
        call.upstream, call.provider = upstream.name, upstream.side.protocol
        try:
            response = await upstream.get(LISTS.get(call.provider, OPENAI_LIST))
            data = await whole(response, self.gateway.config.limits.response)
        except httpx.HTTPError:
            raise Forbidden(502, f"The upstream '{upstream.name}' cannot be reached.") from None
        call.upstream_status = response.status_code
        if not response.is_success:
            raise Forbidden(502, f"The upstream '{upstream.name}' gave no list of its models.")
        try:
            return list(read(orjson.loads(data)))
        except (ValueError, TypeError, AttributeError, KeyError):
            raise Forbidden(502, f"The upstream '{upstream.name}' gave a list of models that cannot be read.") from None


def read(listed: Json) -> list[Model]:
    """The models of a list in any of the protocols."""
    if "models" in listed:
        names = [(one, one["name"].removeprefix("models/")) for one in listed["models"]]
        return [Model(name, one.get("displayName") or name) for one, name in names]
    return [
        Model(one["id"], one.get("display_name") or one["id"], _created(one), one.get("owned_by") or "proxai-ir")
        for one in listed["data"]
    ]


def _created(one: Json) -> int:
    if isinstance(one.get("created"), int):
        return int(one["created"])
    return int(datetime.fromisoformat(one["created_at"]).timestamp()) if one.get("created_at") else 0


def shape(client: str) -> str:
    return client if client in ONE else ""


def _openai(model: Model) -> Json:
    return {"id": model.name, "object": "model", "created": model.created, "owned_by": model.owner}


def _anthropic(model: Model) -> Json:
    moment = datetime.fromtimestamp(model.created, UTC).isoformat().replace("+00:00", "Z")
    return {"type": "model", "id": model.name, "display_name": model.shown, "created_at": moment}


def _gemini(model: Model) -> Json:
    return {"name": f"models/{model.name}", "displayName": model.shown, "supportedGenerationMethods": METHODS}


def _anthropic_list(models: list[Model]) -> Json:
    ends = (models[0].name, models[-1].name) if models else (None, None)
    return {
        "data": [_anthropic(model) for model in models],
        "has_more": False,
        "first_id": ends[0],
        "last_id": ends[1],
    }


def _openai_list(models: list[Model]) -> Json:
    return {"object": "list", "data": [_openai(model) for model in models]}


def _gemini_list(models: list[Model]) -> Json:
    return {"models": [_gemini(model) for model in models]}


ONE: dict[str, Callable[[Model], Json]] = {"": _openai, ANTHROPIC: _anthropic, GEMINI: _gemini}
LISTED: dict[str, Callable[[list[Model]], Json]] = {"": _openai_list, ANTHROPIC: _anthropic_list, GEMINI: _gemini_list}
"""By protocol; the empty name is OpenAI's two."""
