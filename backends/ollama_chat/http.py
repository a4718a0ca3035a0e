"""`/api/chat` in HTTP: paths, lists of models (`docs/api.md` of ollama/ollama: "List Local Models")."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from proxai_ir.binding.http import Http, Listing, Model
from proxai_ir.framing import NDJSON
from proxai_ir.wire import time_of


def _model(model: Model) -> dict[str, Any]:
    return {"name": model.name, "model": model.name, "modified_at": time_of(model.created)}


def _read(listed: Any) -> list[Model]:
    return [Model(one["model"], one.get("name") or one["model"], _modified(one)) for one in listed["models"]]


def _modified(one: dict[str, Any]) -> int:
    """The server writes nanoseconds, of which the first six digits are read."""
    return int(datetime.fromisoformat(one["modified_at"]).timestamp()) if one.get("modified_at") else 0


HTTP = Http(
    base_url="http://127.0.0.1:11434",
    key_env=("OLLAMA_API_KEY",),
    path="/api/chat",
    streams=lambda body: body.get("stream") is not False,  # absent, it is true
    framing=NDJSON,
    under=("/api",),
    listing=Listing(
        ask="/api/tags",
        read=_read,
        paths=("/api/tags",),
        one=_model,
        all=lambda models: {"models": [*map(_model, models)]},
    ),
)
