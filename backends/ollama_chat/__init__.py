"""Ollama's chat out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from proxai_ir.authoring import NDJSON, Backend, Http, Listing, Model, Told, time_of
from proxai_ir.wire import ollama_chat as wire

from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import raise_error, raise_request, raise_response


def _model(model: Model) -> dict[str, Any]:
    return {"name": model.name, "model": model.name, "modified_at": time_of(model.created)}


def _read(listed: Any) -> list[Model]:
    return [Model(one["model"], one.get("name") or one["model"], _modified(one)) for one in listed["models"]]


def _modified(one: dict[str, Any]) -> int:
    """Return when a model was modified; the server writes nanoseconds."""
    return int(datetime.fromisoformat(one["modified_at"]).timestamp()) if one.get("modified_at") else 0


VERSION = "0.12.6"
"""The version that clients are told (https://docs.ollama.com/api-reference/get-version); some clients require it."""
CAPABILITIES = {"function_tools": "tools", "images": "vision", "thinking": "thinking"}
"""The names of Ollama's capabilities, by the setting of a profile that grants them."""
DETAILS = dict.fromkeys(("parent_model", "format", "family", "parameter_size", "quantization_level"), "")
"""Members of `details` that only downloaded weights have; they are empty here."""
ARCHITECTURE = "general.architecture"


def _shown(takes: Callable[[str], bool], context: int | None) -> dict[str, Any]:
    known = {} if context is None else {ARCHITECTURE: "unknown", "unknown.context_length": context}
    capabilities = ["completion", *(name for setting, name in CAPABILITIES.items() if takes(setting))]
    return {"details": {**DETAILS, "families": []}, "model_info": known, "capabilities": capabilities}


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
    told={
        "/api/version": Told(made=lambda *_: {"version": VERSION}),
        "/api/ps": Told(made=lambda *_: {"models": []}),  # none is loaded here
        "/api/show": Told(method="POST", named=("model", "name"), made=_shown),
    },
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
)
