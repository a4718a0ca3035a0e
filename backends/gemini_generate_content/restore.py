"""What a source of this very protocol wrote in another form than the canonical one, put back into canonical output.

Rule: called only for a node that has `extra`, which nodes of other protocols have lost by now (LOS-3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts, request, tools
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.wire import gemini_generate_content as wire

from .._lib.writing import Object, merge


def restore(built: Object, node: Any) -> Object:
    """The wire object of a node in the form of its source, with the members that have no IR field."""
    extra = node.extra
    if extra.wire_forms:
        form = FORMS.get(type(node))
        if form is not None:
            form(built, node, extra.wire_forms)
    return merge(built, extra.fields) if extra.fields else built


def has_part_form(part: Any) -> bool:
    return part.extra is not None


def has_openapi_schema(tool: tools.FunctionTool) -> bool:
    return tool.extra is not None and bool(tool.extra.fields) and "parameters" in tool.extra.fields


def in_body(root: request.Request) -> bool:
    return root.extra is not None and "model" in root.extra.wire_forms


def restore_request(built: Object, root: request.Request) -> Object:
    return restore(built, root)


def restore_format(built: Object, wanted: Any) -> None:
    restore(built, wanted)


def restore_response(built: Object, response: Response) -> Object:
    return restore(built, response)


def restore_candidate(built: Object, candidate: Candidate) -> Object:
    return restore(built, candidate)


def restore_error(built: Object, error: Any) -> Object:
    return built if error.extra is None else restore(built, error)


FORMS: dict[type, Callable[[Object, Any, tuple[str, ...]], None]] = {}
