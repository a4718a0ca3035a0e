"""Interactions out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

from attrs import evolve

from proxai_ir.protocol.http import Kept, Stored
from proxai_ir.protocol.registry import Backend
from proxai_ir.wire import gemini_interactions as wire

from .._google import writing as google
from .._google.writing import VERSIONS
from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import headers, raise_error, raise_request, raise_response

PATH, *ALIASES = (f"/{version}/interactions" for version in VERSIONS)
HTTP = evolve(
    google.HTTP,
    path=PATH,
    aliases=tuple(ALIASES),
    models=(("model",), ("interaction", "model")),
    under=(PATH, *ALIASES),
    listing=evolve(google.LISTING, paths=()),  # clients list models by the paths of the vendor's other protocol
    kept=Kept(responses=PATH, deleted=lambda _: {}),
    stored=Stored(
        {
            "cached_content": ".+",
            "environment": ".+",
            "file_search_store_names": ".+",
            "uri": ".*files/.+",
        },
        frozenset({"arguments", "labels", "parameters", "schema", "result"}),
    ),
)


BACKEND = Backend(
    wire.NAME,
    TARGET,
    CONSTRAINTS,
    raise_request,
    raise_response,
    raise_error,
    stream=Writer,
    named="event_type",
    headers=headers,
    http=HTTP,
)
