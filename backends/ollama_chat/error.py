"""The IR of errors as bodies of `/api/chat`, and as lines of its streams."""

from __future__ import annotations

from proxai_ir.binding.server import Server
from proxai_ir.ir.error import Error

from .._lib.writing import Json, whole, with_extra


def raise_error(node: Error, server: Server) -> Json:
    return whole(node) if node.verbatim else with_extra({"error": node.message}, node)
