"""Responses out of the IR: what the backend registers, and what of the protocol stands in HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from proxai_ir.protocol.http import Compacting, Counting, Http, Kept, Stored
from proxai_ir.protocol.registry import Backend
from proxai_ir.wire import openai_responses as wire

from .._openai.writing import BASE_URL, KEY_ENV, LIMITS, LISTING, OWN, PROVIDER, REQUEST_ID, STATUSES, raise_error
from .parts import CALLS
from .socket import SOCKET
from .stream import Writer
from .target import CONSTRAINTS, TARGET
from .write import cleared, raise_request, raise_response

COUNTED = frozenset(
    """conversation input instructions model parallel_tool_calls previous_response_id reasoning text tool_choice tools
    truncation""".split()
)


def _new_conversation(request: dict[str, Any], now: int) -> dict[str, Any]:
    name, metadata = f"conv_{uuid4().hex}", request.get("metadata") or {}
    return {"id": name, "object": "conversation", "created_at": now, "metadata": metadata}


def _asking(request: dict[str, Any], items: Sequence[Any]) -> dict[str, Any]:
    """Return the request for a response that asks for what a request of `/compact` asks for, kept nowhere."""
    return {**request, "input": [*items, {"type": wire.COMPACTION_TRIGGER}], "store": False, "stream": False}


def _compacted(items: Sequence[Any], response: dict[str, Any]) -> dict[str, Any]:
    """Return the response of `/compact`: "a list of all user messages, followed by a single compaction item"."""
    messages = [one for one in items if isinstance(one, dict) and one.get("type", "message") == "message"]
    said = [{**one, "type": "message"} for one in messages if one.get("role") == "user"]
    named: dict[str, Any] = {name: response[name] for name in ("id", "created_at", "usage") if name in response}
    return {**named, "object": "response.compaction", "output": [*map(_in_parts, said), *response["output"]]}


def _in_parts(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    return {**message, "content": [{"type": "input_text", "text": content}]} if isinstance(content, str) else message


HTTP = Http(
    base_url=BASE_URL,
    key_env=KEY_ENV,
    path="/v1/responses",
    own=OWN,
    request_id=REQUEST_ID,
    limits=LIMITS,
    statuses=STATUSES,
    models=(("model",), ("response", "model")),
    clients={"refusal_status": "completed"},  # clients raise an error for the status `failed`
    under=("/v1/responses",),
    listing=LISTING,
    counting=Counting(
        path=lambda path: f"{path}/input_tokens",
        body=lambda body, _: {name: value for name, value in body.items() if name in COUNTED},
        number="input_tokens",
        shape={"object": "response.input_tokens"},
    ),
    compacting=Compacting(path="/v1/responses/compact", asking=_asking, shape=_compacted),
    kept=Kept(
        responses="/v1/responses",
        deleted=lambda name: {"id": name, "object": "response", "deleted": True},
        conversations="/v1/conversations",
        begun=_new_conversation,
    ),
    socket=SOCKET,
    telemetry=PROVIDER,
    stored=Stored(
        dict.fromkeys(("container", "file_id", "file_ids", "vector_store_ids"), ".+"),
        frozenset({"arguments", "metadata", "parameters", "schema"}),
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
    cleared=cleared,
    client_calls=frozenset(CALLS),
    http=HTTP,
    batch="proxai_ir.backends._openai.batch:FORMAT",
    named=True,
)
