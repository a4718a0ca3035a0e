"""An error of Bedrock into the IR (ERR-1): its type stands in a header, in the body, or is the name of an event."""

from __future__ import annotations

from collections.abc import Mapping

from proxai_ir.ir.error import Error, judged
from proxai_ir.wire import bedrock_converse as wire

from .._lib.reading import Object, extra_fields, optional, read_or_keep, required


def lower_error(payload: Object, status: int | None = None, headers: Mapping[str, str] | None = None) -> Error:
    """The category comes from the type, else from the HTTP status; a type for errors of every kind comes last."""
    header = (headers or {}).get(wire.ERROR_HEADER)
    return read_or_keep(wire.NAME, payload, status, lambda: _read(payload, status, header))


def lower_exception(name: str, payload: Object) -> Error:
    """One in a stream, where its name is that of an event."""
    return read_or_keep(wire.NAME, payload, None, lambda: _read(payload, None, name))


def _read(payload: Object, status: int | None, header: str | None) -> Error:
    """Types may have a namespace before `#` and an address after `:`; `Message` is what AWS's front doors write."""
    stated = optional(payload, wire.BODY_TYPE, str)
    kind = (header or stated or "").partition(":")[0].rpartition("#")[2]
    kind = kind[:1].upper() + kind[1:]
    known = wire.ERROR_TYPE.get(kind)
    text = "message" if payload.get("message") is not None else "Message"
    message = required(payload, text, str)
    specific = None if kind in wire.GENERIC_ERRORS else known
    names = {text, wire.BODY_TYPE} if known or stated is None else {text}
    category = judged([specific], status, known)
    found = Error(wire.NAME, category, message, kind if known else None, status=status, src=payload)
    found.extra = extra_fields(payload, names)
    return found
