"""What a source of OpenAI's protocols wrote in another form than the canonical one, put back into canonical output.

Rule: called only for a node that has `extra`, which nodes of other protocols have lost by now (LOS-3).
"""

from __future__ import annotations

from proxai_ir.backends._lib.writing import Json, Object, merge, put
from proxai_ir.ir import request
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Cache


def restore_breakpoint(part: Object, cache: Cache) -> None:
    """Of the part that has the cache breakpoint."""
    if cache.extra is not None and cache.extra.fields:
        merge(part["prompt_cache_breakpoint"], cache.extra.fields)


def restore_service(built: Object, service: request.Service) -> None:
    """`user`: the older member for the end user's id."""
    assert service.extra is not None
    if "user" in service.extra.wire_forms and service.end_user is not None:
        built["user"] = built.pop("safety_identifier")


def restore_error(built: Object, error: Error) -> Json:
    """The forms of a body.

    string  the message is all that `error` holds
    bare    the members have no envelope
    choice  the error is that of a choice, which is kept whole
    array   the body is the one element of an array
    type    the type is another than that of the category, or none
    code    the code is a number
    sparse  members that would be null are absent
    """
    assert error.extra is not None
    wire_forms = error.extra.wire_forms
    inner = built["error"]
    if "type" in wire_forms:
        del inner["type"]
        put(inner, type=error.type)
    if "code" in wire_forms:
        inner["code"] = error.code
    if "sparse" in wire_forms:
        inner = built["error"] = {key: value for key, value in inner.items() if value is not None}
    if "string" in wire_forms:
        built = {"error": error.message}
        put(built, type=error.type, code=error.code, param=error.param)
    elif "choice" in wire_forms:
        built = {}
    elif "bare" in wire_forms:
        built = inner
    built = merge(built, error.extra.fields) if error.extra.fields else built
    return [built] if "array" in wire_forms else built
