"""The IR of an error as an error of Converse: a message, and what kind of error it is in a header."""

from __future__ import annotations

from typing import Any

from proxai_ir.binding.server import Server
from proxai_ir.ir.error import Error
from proxai_ir.wire import bedrock_converse as wire

from .._lib.writing import Json, whole, with_extra


def raise_error(error: Error, server: Server) -> Json:
    return whole(error) if error.verbatim else with_extra({"message": error.message}, error)


def exception(error: Error) -> str:
    """The name of the exception that an error is."""
    if error.protocol == wire.NAME and error.type is not None:
        return error.type
    return wire.ERROR_OF[error.category]


def reply_headers(root: Any, server: Server) -> dict[str, str]:
    """What kind of error a body is stands in a header."""
    return {wire.ERROR_TYPE: exception(root)} if isinstance(root, Error) else {}
