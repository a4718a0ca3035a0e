"""The IR of an error as an error body of Cohere's."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.error import Error

from .._lib.writing import Json, put, whole, with_extra


def raise_error(error: Error, server: Server) -> Json:
    return whole(error) if error.verbatim else with_extra(put({}, id=error.request_id, message=error.message), error)
