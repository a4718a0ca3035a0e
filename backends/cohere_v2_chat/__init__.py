"""Cohere's chat out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.http import Http, Listing, Model
from proxai_ir.protocol.registry import Backend
from proxai_ir.wire import cohere_v2_chat as wire

from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import raise_error, raise_request, raise_response


def _model(model: Model) -> dict[str, Any]:
    return {"name": model.name, "endpoints": ["chat"]}


HTTP = Http(
    base_url="https://api.cohere.com",
    key_env=("CO_API_KEY", "COHERE_API_KEY"),
    path="/v2/chat",
    statuses={ir.ErrorCategory.OVERLOADED: 503},
    models=(),
    marked="x-fern-sdk-name",
    listing=Listing(
        ask="/v1/models?endpoint=chat&page_size=1000",
        read=lambda listed: [Model(one["name"], one["name"], owner=wire.PROVIDER) for one in listed["models"]],
        paths=("/v1/models",),
        one=_model,
        all=lambda models: {"models": [*map(_model, models)]},
    ),
    telemetry=wire.PROVIDER,
)


BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    stream=Writer,
    http=HTTP,
    named=True,
)
