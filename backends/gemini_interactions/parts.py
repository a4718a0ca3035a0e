"""Parts and turns as steps of Interactions: canonical output, from a legal tree.

Rule 1: a turn of this protocol is one step; of others each call, result and thought is a step of its own, content that
stands together is one, but in responses each content is, as streams have it. Rule 2: a thought ends with its signature.
A signature of a call ends the thought before it, or stands in one of its own there; that of a text in one after it
(RSN-90).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.calls import BASH
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.ir.node import Seal
from proxai_ir.ir.turns import ASSISTANT, USER, Turn
from proxai_ir.wire import gemini_interactions as wire
from proxai_ir.wire import gemini_interactions_objects as objects
from proxai_ir.wire import google

from .._google.writing import signature
from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Object, arguments_of, base64_of, put, raw, with_extra

# --- content ----------------------------------------------------------------------------------------------------------


def annotation(one: ir.Citation, text: str) -> Object:
    """A citation with its span, which this protocol counts in bytes."""
    if isinstance(one, ir.SourceCitation):
        return one.raw
    assert isinstance(one, ir.UrlCitation)  # of others the table lets none through
    built = put({"type": "url_citation", "url": one.url}, title=one.title)
    if one.start is not None or one.end is not None:
        offsets = google.byte_offsets(text)
        for name, at in (("start_index", one.start), ("end_index", one.end)):
            if at is not None:
                built[name] = offsets[min(max(at, 0), len(offsets) - 1)]
    return built if one.extra is None else with_extra(built, one)


def _annotations(part: ir.Text) -> list[Object] | None:
    return [annotation(one, part.text) for one in part.citations] if part.citations else None


def _data(part: Any) -> str | None:
    source = part.source
    if isinstance(source, ir.PlainText):
        return base64_of(source.text, (source, "text"))
    return source.data if isinstance(source, ir.Inline) else None


def _uri(part: Any) -> str | None:
    source = part.source
    return source.id if isinstance(source, ir.FileRef) else source.url if isinstance(source, ir.Url) else None


def _media(kind: str) -> ObjectWriter:
    by_hand = {"data": _data, "uri": _uri, "mime_type": lambda part: part.source.mime}
    return ObjectWriter(objects.CONTENT[kind], by_hand)


def _refusal(part: ir.Refusal) -> Object:
    return {"type": "text", "text": part.text}


CONTENT: dict[type, Callable[[Any], Object]] = {
    **UnionWriter(
        objects.CONTENT,
        {
            ir.Text: ObjectWriter(objects.CONTENT["text"], {"annotations": _annotations}),
            ir.Image: _media("image"),
            ir.Audio: _media("audio"),
            ir.Video: _media("video"),
            ir.Document: _media("document"),
            ir.Refusal: _refusal,
            ir.UnknownPart: raw,
        },
    ).writers
}

# --- steps ------------------------------------------------------------------------------------------------------------


def signed(seal: Seal) -> Object:
    """A thought that is nothing but its signature."""
    return {"type": wire.THOUGHT, "signature": signature(seal)}


def ends_thought(part: Any) -> bool:
    """Whether a part has, or is, the signature of the reasoning right before it."""
    if type(part) is not ir.FunctionCall and not (type(part) is ir.Reasoning and not part.text):
        return False
    return part.seal is not None and part.seal.provider == google.PROVIDER and not holds_envelope(part.seal)


def _thought(parts: list[ir.Reasoning]) -> Object:
    summary = [with_extra({"type": "text", "text": part.text}, part) for part in parts if part.text is not None]
    built: Object = {"type": wire.THOUGHT}
    if summary:
        built["summary"] = summary
    for part in parts:
        if part.seal is not None:
            built["signature"] = signature(part.seal)
    return built


def _returned(part: ir.ToolResult) -> str | list[Object]:
    return text_of(part.parts) if ir.one_text(part.parts) else [CONTENT[type(one)](one) for one in part.parts]


def text_of(parts: list[Any]) -> str:
    """What a string holds of one text, or of nothing."""
    return getattr(parts[0], "text", "") if parts else ""


def _found(part: ir.WebSearchResult) -> list[Object]:
    return [put({"url": hit.url}, title=hit.title) for hit in part.hits]


def _output(part: ir.CodeResult) -> str:
    return part.stdout or part.error or ""


def _failed(part: ir.CodeResult) -> bool | None:
    if part.error is not None:
        return True
    return None if part.exit_code is None else part.exit_code != 0


def _language(part: ir.CodeCall) -> str:
    return "bash" if part.language == BASH else "python"


STEP: dict[type, Callable[[Any], Object]] = {
    **UnionWriter(
        objects.STEPS,
        {
            ir.FunctionCall: ObjectWriter(objects.STEPS["function_call"], {"arguments": arguments_of}),
            ir.ToolResult: ObjectWriter(objects.STEPS["function_result"], {"result": _returned}),
            ir.WebSearchResult: ObjectWriter(objects.STEPS["google_search_result"], {"result": _found}),
            ir.CodeCall: ObjectWriter(objects.STEPS["code_execution_call"], {"arguments/language": _language}),
            ir.CodeResult: ObjectWriter(
                objects.STEPS["code_execution_result"], {"result": _output, "is_error": _failed}
            ),
            ir.McpCall: ObjectWriter(objects.STEPS["mcp_server_tool_call"], {"arguments": arguments_of}),
            ir.McpResult: ObjectWriter(
                objects.STEPS["mcp_server_tool_result"], {"result": lambda part: part.text or ""}
            ),
        },
    ).writers,
    ir.HostedCall: raw,
    ir.HostedResult: raw,
    ir.VendorPart: raw,
}
"""Parts that are steps by themselves."""
STEP_OF = {ASSISTANT: wire.MODEL, USER: wire.USER}


def steps(turn: Turn, own: bool, apart: bool = False) -> list[Object]:
    """`own`: the turn is of this protocol; `apart`: whether each content is a step."""
    if own and len(turn.parts) == 1 and isinstance(turn.parts[0], ir.UnknownPart) and turn.parts[0].raw is turn.src:
        return [turn.parts[0].raw]
    made: list[Object] = []
    thought: list[Any] = []  # which has no signature so far
    kind: type | None = None
    part: Any
    for part in turn.parts:
        cls = type(part)
        if cls is ir.Reasoning:
            thought = _think(made, thought, part, own or not apart)
            kind = None
            continue
        if cls in STEP:
            if thought and ends_thought(part):
                made[-1]["signature"] = signature(part.seal)
            else:
                made += _signature(part)
            made.append(STEP[cls](part))
        else:
            if not (kind is not None and kind in CONTENT and (own or not apart)):
                made.append({"type": STEP_OF.get(turn.role, wire.USER), "content": []})
            made[-1]["content"].append(CONTENT[cls](part))
            made += (after := _signature(part))
            cls = ir.Reasoning if after else cls
        thought = []
        kind = cls if cls in CONTENT else None
    if own and not made:
        made = [{"type": STEP_OF.get(turn.role, wire.USER)}]
    if made and turn.extra is not None:
        with_extra(made[0], turn)
    return made


def _think(made: list[Object], thought: list[Any], part: ir.Reasoning, together: bool) -> list[Any]:
    """Add reasoning to the thought that has no signature so far, or begin another one; returns what has none then.

    `together`: whether a thought may have several texts.
    """
    if thought and (together or ends_thought(part)):
        made.pop()
    else:
        thought = []
    thought.append(part)
    made.append(_thought(thought))
    return thought if part.seal is None else []


def _signature(part: Any) -> list[Object]:
    seal = getattr(part, "seal", None)
    return [] if seal is None else [signed(seal)]
