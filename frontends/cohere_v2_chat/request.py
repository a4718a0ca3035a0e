"""A /v2/chat request into the IR, member by member, by the READERS table at the end."""

from __future__ import annotations

from collections.abc import Iterable

from proxai_ir import ir
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib import reading as r
from .._lib.reading import Json, Object
from .._lib.settings import OUTPUT, SAMPLING, STREAMING, THINKING, Read, read_members, setting, within, word
from .parts import TOOLS, document, message, read_choice


def lower_request(payload: Object) -> ir.Request:
    """Return the IR of a request body; raises Refusal with everything that is wrong with it."""
    request = ir.Request(wire.NAME, src=payload)
    read_members(request, payload, READERS)
    if request.turns is None:
        raise r.missing(payload, "messages")
    given = r.optional(payload, "documents", list)
    if given:
        documents = r.each(range(len(given)), lambda index: _document(given, index))
        _give(request.turns, documents, payload)
    _cite(request.turns, r.optional(payload, "citation_options", dict) or {})
    _enforce(request, r.optional(payload, "strict_tools", bool), payload)
    return request


def _enforce(request: ir.Request, strict: bool | None, payload: Object) -> None:
    """Set whether all functions are strict (SCH-14); without functions, the setting is kept for this protocol."""
    if strict is None:
        return
    functions = [tool for tool in request.tools or () if isinstance(tool, ir.FunctionTool)]
    for tool in functions:
        tool.strict, tool.src = strict, ir.Several((tool.src,), around=payload)
    if not functions:
        r.keep(request, "strict_tools", strict)


# --- documents --------------------------------------------------------------------------------------------------------


def _document(given: list[Json], index: int) -> ir.Document:
    """Return a document, which may be its text alone."""
    found, place = given[index], (given, index)
    if isinstance(found, str):
        return ir.Document(ir.PlainText(found, wire.PLAIN, src=place), src=place)
    if not isinstance(found, dict):
        raise r.wrong(given, index, "a string or an object")
    return document(found)


def _give(turns: list[ir.Turn], documents: list[ir.Document], payload: Object) -> None:
    """Put the documents at the beginning of the user's last message, which they are for (DOC-86)."""
    last = next((turn for turn in reversed(turns) if turn.role is ir.Role.USER), None)
    if last is None:
        turns.append(ir.Turn(ir.Role.USER, [*documents], src=(payload, "documents")))
    else:
        last.parts = [*documents, *last.parts]


def _cite(turns: Iterable[ir.Turn], options: Object) -> None:
    """Set whether documents may be cited, which they may by default (DOC-1)."""
    mode = r.optional(options, "mode", str)
    cite = mode is None or mode.upper() not in wire.UNCITED
    for turn in turns:
        for part in turn.parts:
            for one in (part, *getattr(part, "parts", ())):
                if isinstance(one, ir.Document):
                    one.cite = cite


# --- settings ---------------------------------------------------------------------------------------------------------

INSIDE: dict[str, Read] = {
    "type": word(THINKING, "mode", "type", wire.THINKING),
    "token_budget": setting(THINKING, "budget", "token_budget", int),
}


def _format(request: ir.Request, payload: Object) -> None:
    """Read the response format; its schema may have an older name."""
    given = r.required(payload, "response_format", dict)
    named = "json_schema" if "json_schema" in given else "schema"
    kind, schema = r.required(given, "type", str), r.optional(given, named, dict)
    if kind not in ("text", "json_object") or given.keys() - {"type", named} or (schema and kind == "text"):
        r.keep(request, "response_format", given)
    elif kind == "text":
        OUTPUT(request, payload).format = ir.PlainFormat(src=given)
    elif schema is None:
        OUTPUT(request, payload).format = ir.JsonFormat(src=given)
    else:
        OUTPUT(request, payload).format = ir.SchemaFormat(r.json_schema(schema), strict=True, src=given)


KINDS = {"seed": int, "top_k": int, "logprobs": bool}
READERS: dict[str, Read] = {
    "model": setting(None, "model", "model", str),
    "messages": setting(
        None, "turns", "messages", lambda payload, key: r.each_object(r.required(payload, key, list), message)
    ),
    **dict.fromkeys(("documents", "strict_tools"), lambda _, __: None),  # `lower_request` reads them
    "max_tokens": setting(None, "max_tokens", "max_tokens", int),
    **{member: setting(SAMPLING, field, member, KINDS.get(field, r.number)) for member, field in wire.SAMPLING.items()},
    "stop_sequences": setting(SAMPLING, "stop", "stop_sequences", r.strings),
    "thinking": within("thinking", INSIDE),
    "response_format": _format,
    "tools": setting(None, "tools", "tools", lambda payload, key: TOOLS.each(r.required(payload, key, list))),
    "tool_choice": read_choice,
    "stream": setting(STREAMING, "stream", "stream", bool),
}
