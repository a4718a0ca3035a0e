"""Reads the content of turns and the tools of Converse. Requests and responses share these readers."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.reporting.diagnostics import Refusal
from proxai_ir.schemas import client_tools
from proxai_ir.wire import bedrock_converse as wire

from .._lib import reading as r
from .._lib.objects import ObjectReader
from .._lib.reading import Json, Object

# --- parts ------------------------------------------------------------------------------------------------------------
# Content blocks of Converse as parts: objects with one member, whose name says what they are.
#
# Which of them may stand where is in the tables at the end. A cache point is a block after what it marks (CAC-1).
# Rules: RSN-4 (whose a signature is), TUL-1, TUL-6, UNK-2, UNK-5.

Reader = Callable[[Object], Any]


def one_of(block: Object, known: Collection[str]) -> str:
    """Return the member that shows an object's kind: the known one, else the first, or "" if it is empty; refuse
    two."""
    there = [key for key, value in block.items() if value is not None and key in known]
    if len(there) > 1:
        raise Refusal("SHP-4", block, f"expected one of `{there[0]}` and `{there[1]}`, found both")
    return there[0] if there else next((key for key, value in block.items() if value is not None), "")


# --- text and citations -----------------------------------------------------------------------------------------------

read_text = ObjectReader(wire.TEXT)


def _guarded(block: Object) -> ir.Part:
    """Return a text or an image that a guardrail is to check, also when it has been edited."""
    inner = r.required(block, "guardContent", dict)
    kind = one_of(inner, GUARDED)
    if kind not in GUARDED:
        return ir.UnknownPart("guardContent", block, block)
    found = GUARDED[kind](block)
    if "guardContent" not in ((found.extra.fields if found.extra else None) or {}):
        r.keep(found, "guardContent", {kind: {}})
    return found  # type: ignore[no-any-return]


def _cited(block: Object) -> ir.Part:
    found: ir.Text = CITED(block)
    found.text = found.text or ""
    others = _others(block["citationsContent"].get("content"))
    if others:
        kept = ((found.extra and found.extra.fields) or {}).get("citationsContent", {})
        r.keep(found, "citationsContent", {**kept, "content": others})
    return found


def _joined(listed: list[Json]) -> str:
    """Return the joined texts of a list of objects; those of unknown kinds have none."""
    return "".join(r.each_object(listed, lambda one: r.optional(one, "text", str) or ""))


def _others(listed: list[Json] | None) -> list[Json]:
    """Return the objects that have more than a text, or something else."""
    return [one for one in listed or () if isinstance(one, dict) and r.rest(one, {"text"})]


def citation(cited: Object) -> ir.Citation:
    """Return a citation; one whose place is incomplete, or in a search result, stays in the vendor's own form."""
    location = r.optional(cited, "location", dict) or {}
    kind = one_of(location, wire.CITATIONS)
    where: Any = location.get(kind)
    plain = isinstance(where, dict) and not _others(r.optional(cited, "sourceContent", list))
    if kind in CITATIONS and plain and all(where.get(key) is not None for key in PLACES[kind]):
        return CITATIONS[kind](cited)  # type: ignore[no-any-return]
    return ir.SourceCitation(kind, cited, cited)


CITATIONS = {
    kind: ObjectReader(declared, {"sourceContent": lambda cited, key: _joined(cited[key])})
    for kind, declared in wire.CITATIONS.items()
}
CITED = ObjectReader(
    wire.CITED,
    {
        "citationsContent/content": lambda inner, key: _joined(inner[key]),
        "citationsContent/citations": lambda inner, key: r.each_object(inner[key], citation) or None,
    },
)
PLACES = {kind: ("url",) if kind == wire.WEB else ("documentIndex", "start", "end") for kind in wire.CITATIONS}

# --- media ------------------------------------------------------------------------------------------------------------


def _stored(kind: str) -> Callable[[Object, str], ir.Source]:
    """Return a reader of a source.

    Its media type is the `format` next to it, so the node's `src` is the object around both.
    """

    def read(holder: Object, key: str) -> ir.Source:
        source = holder[key]
        name, at = r.optional(holder, "format", str), one_of(source, SOURCES)
        if at not in SOURCES:
            raise r.wrong(holder, key, "an object with " + " or ".join(SOURCES), "SHP-3")
        found, deeper = SOURCES[at](source, None if name is None else wire.mime_of(kind, name))
        found.src = holder
        found.extra = r.extra_fields(holder, {*holder}, nested={key: r.extra_fields(source, {at}, nested=deeper)})
        return found  # type: ignore[no-any-return]

    return read


Found = tuple[Any, dict[str, Any]]
"""A source, and the members to keep of the objects inside."""


def _inline(source: Object, mime: str | None) -> Found:
    given = source["bytes"]
    return ir.Inline(_octets(source, given) if isinstance(given, dict) else r.required(source, "bytes", str), mime), {}


def _octets(source: Object, given: Object) -> str:
    """Return base64 of bytes as JavaScript prints them: a Buffer with its `data`, or an object with a member for
    each."""
    listed = given.get("data") if given.get("type") == "Buffer" else [given.get(str(at)) for at in range(len(given))]
    try:
        return b64encode(bytes(listed)).decode()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise r.wrong(source, "bytes", "a string of base64") from None


def _in_s3(source: Object, mime: str | None) -> Found:
    place = r.required(source, "s3Location", dict)
    return ir.Url(r.required(place, "uri", str), mime=mime), {"s3Location": r.extra_fields(place, {"uri"})}


SOURCES: dict[str, Callable[[Object, str | None], Found]] = {
    "bytes": _inline,
    "s3Location": _in_s3,
    "text": lambda source, mime: (ir.PlainText(r.required(source, "text", str), mime or "text/plain"), {}),
    "content": lambda source, _: (ir.Chunks(blocks(source, "content", ONLY_TEXT)), {}),
}

# --- tools ------------------------------------------------------------------------------------------------------------


def _arguments(call: Object, key: str) -> str | Object:
    """Return the input of a call; one that is no object becomes text, which the rules judge as any other (TUL-1)."""
    given = call[key]
    return given if isinstance(given, (dict, str)) else r.json_text(call, key)


CALL = ObjectReader(wire.CALL, {"toolUse/input": _arguments})


def says_run_there(call: Object) -> bool:
    """Return whether a call says that the service runs its tool."""
    return call.get("type") == "server_tool_use"


def may_run_there(call: Object) -> bool:
    """Return whether only the name of a call shows that the service may run its tool; a tool of the client's may have
    the same name."""
    name = call.get("name")
    return type(name) is str and name in wire.RUN_THERE and not says_run_there(call)


def hosted_call(block: Object) -> ir.Part:
    inner = r.required(block, "toolUse", dict)
    return ir.HostedCall(r.required(inner, "name", str), r.required(inner, "toolUseId", str), block, block)


def _call(block: Object) -> ir.Part:
    """Return a call of the client's tool, or one that says that the service runs its tool (TUL-6)."""
    if says_run_there(r.required(block, "toolUse", dict)):
        return hosted_call(block)
    return CALL(block)  # type: ignore[no-any-return]


def find_hosted(turn: ir.Turn, names: Collection[str] = ()) -> None:
    """Turn calls that the service ran without saying so into hosted ones: those whose results are in the same turn, and
    those of the tools in `names`, which the request has as the service's."""
    answered = {part.call_id for part in turn.parts if type(part) is ir.HostedResult}
    if answered or names:
        turn.parts = [
            hosted_call(part.src)
            if type(part) is ir.FunctionCall and (part.id in answered or part.name in names)
            else part
            for part in turn.parts
        ]


def _hosted_result(block: Object) -> ir.Part:
    """Return a result in the assistant's turn, which is that of a tool that the provider ran."""
    inner = r.required(block, "toolResult", dict)
    return ir.HostedResult(r.optional(inner, "type", str) or "", r.required(inner, "toolUseId", str), block, block)


# --- reasoning --------------------------------------------------------------------------------------------------------


def _reasoning(block: Object) -> ir.Part:
    read = REASONING.get(one_of(r.required(block, "reasoningContent", dict), REASONING))
    return ir.UnknownPart("reasoningContent", block, block) if read is None else read(block)


def signed(signature: str) -> Any:
    """Return the seal of a signature; only one maker's models sign their thinking here (RSN-4)."""
    return read_seal(signature, wire.ANTHROPIC, wire.SIGNATURE)


def redacted(blob: str) -> Any:
    text = wire.text_of_blob(blob)
    return read_seal(blob if text is None else text, wire.OWN if text is None else wire.ANTHROPIC, wire.REDACTED)


REASONING = {
    "reasoningText": ObjectReader(
        wire.REASONING["reasoningText"],
        {"reasoningContent/reasoningText/signature": lambda text, key: signed(text[key]) if text[key] else None},
    ),
    "redactedContent": ObjectReader(
        wire.REASONING["redactedContent"], {"reasoningContent/redactedContent": lambda inner, key: redacted(inner[key])}
    ),
}


def vendor_block(block: Object) -> ir.Part:
    return ir.VendorPart(one_of(block, EVERYWHERE), block, block)


# --- what may stand where ---------------------------------------------------------------------------------------------

GUARDED: dict[str, Reader] = {
    "text": ObjectReader(wire.GUARDED_TEXT),
    "image": ObjectReader(wire.GUARDED_IMAGE, {"guardContent/image/source": _stored("image")}),
}
ONLY_TEXT: dict[str, Reader] = {"text": read_text}
_GIVEN: dict[str, Reader] = {
    **ONLY_TEXT,
    "image": ObjectReader(wire.IMAGE, {"image/source": _stored("image")}),
    "document": ObjectReader(wire.DOCUMENT, {"document/source": _stored("document")}),
    "video": ObjectReader(wire.VIDEO, {"video/source": _stored("video")}),
    "searchResult": ObjectReader(
        wire.SEARCH_RESULT, {"searchResult/content": lambda found, key: blocks(found, key, ONLY_TEXT)}
    ),
}
RESULT_PARTS: dict[str, Reader] = {
    **_GIVEN,
    "json": lambda block: ir.Text(r.json_text(block, "json"), src=(block, "json"), extra=r.kept(block, {"json"})),
}
_CHANGES: dict[str, Reader] = dict.fromkeys(("toolAddition", "toolRemoval"), vendor_block)
SYSTEM: dict[str, Reader] = {**ONLY_TEXT, **_CHANGES, "guardContent": _guarded, "cachePoint": ObjectReader(wire.CACHE)}
USER: dict[str, Reader] = {
    **_GIVEN,
    **SYSTEM,
    "audio": ObjectReader(wire.AUDIO, {"audio/source": _stored("audio")}),
    "toolResult": ObjectReader(
        wire.RESULT, {"toolResult/content": lambda result, key: blocks(result, key, RESULT_PARTS)}
    ),
}
ASSISTANT: dict[str, Reader] = {
    **SYSTEM,
    "image": USER["image"],
    "audio": USER["audio"],
    "citationsContent": _cited,
    "reasoningContent": _reasoning,
    "toolUse": _call,
    "toolResult": _hosted_result,
    **dict.fromkeys(("document", "searchResult", "video"), vendor_block),  # which the official type allows
}
TURN = frozenset({"role", "content"})
EVERYWHERE = USER.keys() | ASSISTANT.keys() | RESULT_PARTS.keys()


def blocks(holder: Object, key: str, table: Mapping[str, Reader]) -> list[Any]:
    """Return the parts of a list of blocks; a cache point marks the part before it."""
    listed = r.required(holder, key, list)
    return marked(r.each_object(listed, lambda one: block(one, table)))


def block(one: Object, table: Mapping[str, Reader]) -> Any:
    kind = one_of(one, EVERYWHERE)
    if kind in table:
        return table[kind](one)
    if kind in EVERYWHERE:
        raise r.wrong(one, kind, "one of the blocks that are allowed here: " + ", ".join(sorted(table)), "SHP-5")
    if not kind:
        raise r.missing(one, "text")
    return ir.UnknownPart(kind, one, one)


def marked(read: list[Any]) -> list[Any]:
    """Return nodes with each cache point attached to the node before it; one that marks nothing becomes a
    VendorPart."""
    found: list[Any] = []
    for node in read:
        if not isinstance(node, ir.Cache):
            found.append(node)
        elif found and getattr(found[-1], "cache", node) is None:
            found[-1].cache = node
        else:
            found.append(ir.VendorPart(ir.MARK, node.src, node.src))
    return found


# --- tools ------------------------------------------------------------------------------------------------------------
# Tools of Converse: definitions, with cache points between them, and the choice among them (TUL-2, TUL-6, TUL-7).

TOOL, WEB_SEARCH = ObjectReader(wire.TOOL), ObjectReader(wire.WEB_SEARCH)
TOOLS = frozenset({"toolSpec", "systemTool", "cachePoint"})


def _tool(tool: Object) -> Any:
    kind = one_of(tool, TOOLS)
    if kind == "toolSpec":
        found: ir.FunctionTool = TOOL(tool)
        found.parameters = r.json_schema(found.parameters or {})
        return found
    if kind == "systemTool":
        name = r.required(r.required(tool, kind, dict), "name", str)
        if name == wire.SEARCH:
            return WEB_SEARCH(tool)
        return ir.HostedTool(name, name, tool, tool)
    return SYSTEM[kind](tool) if kind == "cachePoint" else ir.UnknownTool(kind, tool, tool)


def read_tools(request: ir.Request, config: Object) -> None:
    found = marked(r.each_object(r.required(config, "tools", list), _tool))
    request.tools = [
        *(request.tools or ()),
        *(ir.UnknownTool(one.kind, one.raw, one.src) if isinstance(one, ir.VendorPart) else one for one in found),
    ]


def read_client_tools(request: ir.Request, fields: Object) -> None:
    """Read the tools that Claude knows by their types, of its additional fields."""
    found = r.each_object(r.required(fields, "tools", list), _typed_tool)
    request.tools = [*(request.tools or ()), *found]


def _typed_tool(tool: Object) -> ir.Tool:
    kind = r.required(tool, "type", str)
    return r.typed_tool(tool, kind) if kind in client_tools.ANTHROPIC else ir.UnknownTool(kind, tool, tool)


def read_choice(request: ir.Request, config: Object) -> None:
    choice = r.required(config, "toolChoice", dict)
    read = CHOICES.get(one_of(choice, CHOICES))
    if read is None:
        r.keep(request, "toolChoice", choice)
    else:
        request.tool_choice = read(choice)


def read_claudes_choice(request: ir.Request, fields: Object) -> None:
    """Read the choice in Claude's own form, of its additional fields: none, and one call at most, stand there alone."""
    choice = r.required(fields, "tool_choice", dict)
    kind, alone = r.required(choice, "type", str), r.optional(choice, wire.ALONE, bool)
    if kind == "tool":
        request.tool_choice = ir.NamedChoice(r.required(choice, "name", str), choice)
    elif kind in OWN_MODES:
        request.tool_choice = ir.Choice(OWN_MODES[kind], choice)
    else:
        r.keep(request, "tool_choice", choice)
        return
    request.parallel_tools = None if alone is None else not alone


OWN_MODES = {"auto": ir.ChoiceMode.AUTO, "any": ir.ChoiceMode.REQUIRED, "none": ir.ChoiceMode.NONE}
CHOICES = {kind: ObjectReader(declared) for kind, declared in wire.CHOICES.items()}
