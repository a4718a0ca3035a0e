"""A protocol of another package, with Chat Completions in its bodies: only what stands in HTTP is its own."""

from __future__ import annotations

from attrs import evolve

from proxai_ir.binding.http import Counting, Http, Listing
from proxai_ir.binding.registry import backend, frontend

NAME = "acme_chat"
FRONTEND = evolve(frontend("openai_chat_completions"), protocol=NAME)
BACKEND = evolve(
    backend("openai_chat_completions"),
    protocol=NAME,
    http=Http(
        path="/acme/chat",
        key="acme-key",
        scheme="",
        marked="acme-key",
        under=("/acme/",),
        listing=Listing(
            ask="/acme/models",
            paths=("/acme/models",),
            one=lambda model: {"called": model.name},
            all=lambda models: {"have": [model.name for model in models]},
        ),
        counting=Counting(path=lambda path: f"{path}/size", body=lambda body, _: body, number="size"),
    ),
)
