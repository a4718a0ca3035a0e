"""Interactions in HTTP: paths, headers and statuses (API reference: "Interactions API"; the official client)."""

from __future__ import annotations

from attrs import evolve

from proxai_ir.binding.http import Kept, Stored

from .._google import http as google
from .._google.http import VERSIONS

PATH, *ALIASES = (f"/{version}/interactions" for version in VERSIONS)
HTTP = evolve(
    google.HTTP,
    path=PATH,
    aliases=tuple(ALIASES),
    models=(("model",), ("interaction", "model")),
    under=(PATH, *ALIASES),
    listing=evolve(google.LISTING, paths=()),  # clients ask for it as those of its vendor's other protocol do
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
