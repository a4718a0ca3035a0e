"""One payload of a kind into the tree, by a protocol's frontend: with its headers where the frontend wants them, and
once more where it was refused for what stands beside its content (ENV-15).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir.error import Error, kept_whole
from ..ir.request import Request
from ..ir.response import Response
from ..reporting.diagnostics import Refusal
from .registry import Frontend
from .slips import mended

Headers = Mapping[str, str]


def read_request(front: Frontend, payload: Any) -> Request:
    """Return the IR of a request. Raises Refusal."""
    try:
        return read_unmended_request(front, payload)
    except Refusal:
        again = mended(payload, front.repeated)
        if again is payload:
            raise
    return read_unmended_request(front, again)


def read_unmended_request(front: Frontend, payload: Any) -> Request:
    """Return the IR of a request without looking for slips, with what all streams of its protocol have (USE-10)."""
    node = front.request(payload)
    streaming = node.streaming
    if streaming is not None and streaming.stream and front.always_counts:
        streaming.usage = True
    return node


def read_response(front: Frontend, payload: Any, headers: Headers | None) -> Response | Error:
    """The IR of a response, or of the error that it is. Raises Refusal."""
    try:
        return read_unmended(front, payload, headers)
    except Refusal:
        again = mended(payload, front.slips)
        if again is payload:
            raise
    return read_unmended(front, again, headers)


def read_unmended(front: Frontend, payload: Any, headers: Headers | None) -> Response | Error:
    """The same without looking for slips."""
    if "response" not in front.headed:
        return front.response(payload)
    node: Response | Error = _with_headers(front.response, headers, payload)
    return node


def read_error(front: Frontend, payload: Any, status: int | None, headers: Headers | None = None) -> Error:
    """The IR of an error's body: the frontend reads objects, and arrays where it has them; a body of any other type has
    no known shape (ERR-5). Raises Refusal for what is no JSON."""
    if isinstance(payload, dict) or (front.error_arrays and isinstance(payload, list)):
        if "error" not in front.headed:
            return front.error(payload, status)
        node: Error = _with_headers(front.error, headers, payload, status)
        return node
    if isinstance(payload, tuple):  # which json would write as an array
        raise Refusal("SHP-1", None, "expected JSON as the error, found a Python tuple")
    try:
        return kept_whole(front.protocol, payload, status)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refusal("SHP-1", None, str(error)) from None


def _with_headers(read: Callable[..., Any], headers: Headers | None, *given: Any) -> Any:
    """What a reader makes of a payload with its headers, which the tree keeps: it may be read again."""
    node = read(*given, headers=headers or {})
    node.headers = headers
    return node
