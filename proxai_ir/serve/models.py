"""The list of models, in the shape of the client's protocol: those that routes name, or those of the one upstream."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

import httpx
import orjson

from ..binding.http import Listing, Model
from .asgi import Forbidden
from .call import Call
from .endpoints import Plain
from .forward import whole
from .gateway import Gateway
from .upstreams import UpstreamServer

Json = Any


class Models(Plain):
    """The list, or one of its models."""

    def __init__(self, gateway: Gateway, client: str, listing: Listing, paths: Iterable[str]) -> None:
        """`paths`: of the lists of all protocols."""
        super().__init__(gateway, client, "GET")
        self._listing = listing
        self._paths = sorted(paths, key=len, reverse=True)

    def name_in(self, path: str) -> str | None:
        """What stands behind the path of a list; None where it is no such path."""
        found = (path[len(one) :] for one in self._paths if path == one or path.startswith(one + "/"))
        return next((rest.strip("/") for rest in found), None)

    async def made(self, call: Call) -> Json:
        models = await self._models(call)
        wanted = unquote(self.name_in(call.path) or "")
        if not wanted:
            return self._listing.all(models)
        found = next((model for model in models if model.name == wanted), None)
        if found is None:
            raise Forbidden(404, f"The model '{wanted:.200}' is not known here.")
        return self._listing.one(found)

    async def _models(self, call: Call) -> list[Model]:
        named = [Model(name, name) for name in self.gateway.routes.names]
        upstream = self.gateway.routes.only
        if named or upstream is None:
            return named
        return await self._of_upstream(self.gateway.upstreams[upstream], call)

    async def _of_upstream(self, upstream: UpstreamServer, call: Call) -> list[Model]:
        """Raises Forbidden where the upstream has no such list."""
        call.upstream, call.provider = upstream.name, upstream.side.protocol
        listing = upstream.http.listing or self._listing
        try:
            response = await upstream.get(listing.ask)
            data = await whole(response, self.gateway.config.limits.response)
        except httpx.HTTPError:
            raise Forbidden(502, f"The upstream '{upstream.name}' cannot be reached.") from None
        call.upstream_status = response.status_code
        if not response.is_success:
            raise Forbidden(502, f"The upstream '{upstream.name}' gave no list of its models.")
        try:
            return listing.read(orjson.loads(data))
        except (ValueError, TypeError, AttributeError, KeyError):
            raise Forbidden(502, f"The upstream '{upstream.name}' gave a list of models that cannot be read.") from None
