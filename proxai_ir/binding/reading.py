"""One payload into the tree, of a kind that is stated or that its members show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from ..ir.request import Request, Streaming
from ..ir.response import Response
from ..json.merge import own
from ..reporting.diagnostics import InvalidPayload, Refusal, UnknownProtocol, near
from .detection import hinted
from .options import quotes
from .readers import read_error, read_unmended, read_unmended_request
from .registry import Frontend
from .slips import mended

Json = Any
Kind = Literal["request", "response", "error", "stream"]
KINDS = get_args(Kind)


def read(payload: Json, front: Frontend, kind: str | None, options: Mapping[str, Any]) -> tuple[Any, str]:
    """What the frontend read, and of what kind that is."""
    try:
        kind = kind or front.detect(payload)
        if kind == "request" or kind == "response":
            if not isinstance(payload, dict):
                raise Refusal("SHP-1", None, f"expected an object as the {kind}, found {type(payload).__name__}")
            if kind == "request":
                return read_unmended_request(front, payload), kind
            headed = "response" in front.headed
            node = read_unmended(front, payload, options.get("headers")) if headed else front.response(payload)
            return node, kind if type(node) is Response else "error"  # a failed response (STS-9)
        if kind == "error":
            return read_error(front, payload, options.get("status"), options.get("headers")), kind
        raise UnknownProtocol(f"unknown kind {kind!r:.80}; expected one of {', '.join(KINDS)}{near(kind, KINDS)}")
    except Refusal as refusal:
        again = mended(payload, {"request": front.repeated, "response": front.slips}.get(kind or "", {}))
        if again is payload:
            source = own(payload)
            refusal.records = hinted(refusal.records, source, kind, front)
            raise InvalidPayload(refusal.taken(source, quotes(options))) from None
    return read(again, front, kind, options)


def asked_for(node: Request, known: Mapping[str, Any]) -> None:
    """Note how the response was asked for where the request's path says so. It is in no payload: after a relay, whose
    tree has to read as its payload does."""
    if node.streaming is None and known.get("stream") is not None:
        node.streaming = Streaming(known["stream"], known["stream"] or None)
