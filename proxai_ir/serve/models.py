"""The list of models, in the shape of the client's protocol: those that routes name, and those of upstreams to which
routes send them under their own names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

import httpx
import orjson

from ..protocol.http import Listing, Model
from .asgi import Forbidden
from .call import Call
from .config import Candidate
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
        """Raises Forbidden where there is none but an upstream's, which cannot be had."""
        routes, upstreams = self.gateway.routes, self.gateway.upstreams
        listing = routes.listing
        found = {name: Model(name, name) for name in routes.names}
        for candidate in listing:
            try:
                listed = await self._of_upstream(upstreams[candidate.upstream], candidate, call)
            except Forbidden:
                if not found and candidate is listing[-1]:
                    raise
                continue
            for model in listed:
                route = routes.route(model.name)
                if route is not None and route.model is None and route.upstream == candidate.upstream:
                    found.setdefault(model.name, model)
        return [*found.values()]

    async def _of_upstream(self, upstream: UpstreamServer, candidate: Candidate, call: Call) -> list[Model]:
        """Raises Forbidden where the upstream has no such list."""
        call.upstream, call.provider = upstream.name, upstream.side.protocol
        if upstream.cloud and upstream.http.listing is None:
            raise Forbidden(502, f"The cloud of the upstream '{upstream.name}' has no list of models of this protocol.")
        listing = upstream.http.listing or self._listing
        own = call.own if candidate.client_key and self.http.shares_keys(upstream.http) else {}
        try:
            response = await upstream.get(listing.ask, own)
            data = await whole(response, self.gateway.config.limits.response)
        except httpx.HTTPError as error:
            call.error = upstream.failure(error)
            raise Forbidden(502, f"The upstream '{upstream.name}' cannot be reached.") from None
        call.upstream_status = response.status_code
        if not response.is_success:
            raise Forbidden(502, f"The upstream '{upstream.name}' gave no list of its models.")
        try:
            return listing.read(orjson.loads(data))
        except (ValueError, TypeError, AttributeError, KeyError):
            raise Forbidden(502, f"The upstream '{upstream.name}' gave a list of models that cannot be read.") from None
