"""Anthropic Messages out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from proxai_ir import ir
from proxai_ir.protocol.http import Counting, Features, Http, Listing, Model, Stored
from proxai_ir.protocol.registry import Backend
from proxai_ir.wire import anthropic as betas
from proxai_ir.wire import anthropic_messages as wire

from .rows import VERSIONS
from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import headers, raise_error, raise_request, raise_response

NOT_COUNTED = frozenset("max_tokens metadata service_tier stop_sequences stream temperature top_k top_p".split())
IGNORED = frozenset({"compaction"})  # accepted, but the conversation is counted without it
MOST_TOKENS = 1_000_000


def _without(names: frozenset[str], body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name not in names}


def _model(model: Model) -> dict[str, Any]:
    moment = datetime.fromtimestamp(model.created, UTC).isoformat().replace("+00:00", "Z")
    return {"type": "model", "id": model.name, "display_name": model.shown, "created_at": moment}


def _models(models: list[Model]) -> dict[str, Any]:
    first, last = (models[0].name, models[-1].name) if models else (None, None)
    return {"data": [*map(_model, models)], "has_more": False, "first_id": first, "last_id": last}


HTTP = Http(
    base_url="https://api.anthropic.com",
    key_env=("ANTHROPIC_API_KEY",),
    path="/v1/messages",
    key="x-api-key",
    scheme="",
    version="anthropic-version",
    features=Features(
        vendor=wire.PROVIDER,
        header="anthropic-beta",
        where={"betas": True},
        members=betas.MEMBERS,
        lists=betas.LISTS,
        plain=betas.PLAIN,
        hints=betas.HINTS,
    ),
    request_id="request-id",
    limits="anthropic-ratelimit-{what}-{fact}",
    resets="time",
    statuses={ir.ErrorCategory.OVERLOADED: 529, ir.ErrorCategory.BILLING: 402},
    keep_alive=b'event: ping\ndata: {"type": "ping"}\n\n',
    models=(("model",), ("message", "model")),
    marked="anthropic-version",
    listing=Listing(ask="/v1/models?limit=1000", paths=("/v1/models",), one=_model, all=_models),
    counting=Counting(
        path=lambda path: f"{path}/count_tokens",
        body=lambda body, _: _without(NOT_COUNTED, body),
        source=lambda body: {**_without(IGNORED, body), "max_tokens": MOST_TOKENS},
        number="input_tokens",
    ),
    telemetry="anthropic",
    stored=Stored({"container": ".+", "file_id": ".+"}, frozenset({"input", "input_schema", "metadata", "schema"})),
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
    batch="proxai_ir.backends.anthropic_messages.batch:FORMAT",
    batches=("proxai_ir.backends.anthropic_messages.batch:VERTEX", "proxai_ir.backends._lib.cloud_lines:BEDROCK"),
    named=True,
    headers=headers,
    versions=VERSIONS,
)
