"""The IR of an error as Bedrock's body; its type stands in a header, in a stream it is the name of the event."""

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
    return whole(error) if error.verbatim else with_extra({"message": error.message}, error)


def reply_headers(node: Any, server: Server) -> dict[str, str]:
    return {wire.ERROR_HEADER: kind_of(node)} if isinstance(node, Error) else {}


def raise_exception(error: Error, server: Server) -> Object:
    """As an event: one of those that a stream may have, which is the server's where there is none of the category."""
    kind = kind_of(error)
    name = kind[:1].lower() + kind[1:]
    if name not in wire.IN_STREAM:
        server_fails = error.category.value in ("timeout", "server", "overloaded", "unknown")
        name = "internalServerException" if server_fails else "validationException"
    body = {"message": error.message} if error.verbatim else raise_error(error, server)
    return {name: body}
