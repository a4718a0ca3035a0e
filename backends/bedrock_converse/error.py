"""The IR of an error as Bedrock's body; its type is in a header and the body, in a stream the event's name."""

from __future__ import annotations

from typing import Any

from proxai_ir.binding.server import Server
from proxai_ir.ir.error import Error
from proxai_ir.wire import bedrock_converse as wire

from .._lib.writing import Json, Object, whole, with_extra


def kind_of(error: Error) -> str:
    """Its own type where that is of its category, else the one of the category."""
    own = error.type if error.protocol == wire.NAME else None
    return own if wire.ERROR_TYPE.get(own or "") is error.category and own else wire.ERROR_TYPE_OF[error.category]


def raise_error(error: Error, server: Server) -> Json:
    """Its type stands in the body as well, which has to be read without its headers at times."""
    if error.verbatim:
        return whole(error)
    stated = error.type is not None or error.protocol != wire.NAME
    built: Object = {wire.BODY_TYPE: kind_of(error)} if stated else {}
    return with_extra({**built, "message": error.message}, error)


def reply_headers(node: Any, server: Server) -> dict[str, str]:
    return {wire.ERROR_HEADER: kind_of(node)} if isinstance(node, Error) else {}


def raise_exception(error: Error, server: Server) -> Object:
    """As an event: one of those that a stream may have, which is the server's where there is none of the category."""
    kind = kind_of(error)
    name = kind[:1].lower() + kind[1:]
    if name not in wire.IN_STREAM:
        server_fails = error.category.value in ("timeout", "server", "overloaded", "unknown")
        name = "internalServerException" if server_fails else "validationException"
    body = {"message": error.message} if error.verbatim else dict(raise_error(error, server))
    body.pop(wire.BODY_TYPE, None)
    return {name: body}
