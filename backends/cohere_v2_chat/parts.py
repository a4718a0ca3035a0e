"""Turns as messages of /v2/chat: canonical output, from a legal tree."""

from __future__ import annotations

from typing import Any

import orjson

from proxai_ir import ir
from proxai_ir.ir.turns import ASSISTANT, TOOL, USER, Turn
from proxai_ir.wire import cohere_v2_chat as wire

from .._lib.objects import ObjectWriter, UnionWriter
from .._lib.writing import Json, Object, put, text_of, with_extra
from .tools import call


def _url(image: ir.Image) -> str:
    source = image.source
    if isinstance(source, ir.Inline):
        return f"data:{source.mime or ''};base64,{source.data}"
    assert isinstance(source, ir.Url)
    return source.url


def document(given: ir.Document) -> Object:
    return DOCUMENT.write(given)


def _data(given: ir.Document) -> Json:
    """What is known of a document; a JSON object is that itself."""
    assert isinstance(given.source, (ir.PlainText, ir.Inline))
    text = text_of(given.source)
    if given.title is None and given.context is None and given.source.mime == wire.JSON:
        try:
            found = orjson.loads(text)
        except ValueError:
            found = None
        if isinstance(found, dict):
            return found
    return put({}, title=given.title, context=given.context) | {"text": text}


DOCUMENT = ObjectWriter(wire.DOCUMENT, {"data": _data})
CONTENT = UnionWriter(
    wire.CONTENT,
    {
        ir.Image: ObjectWriter(wire.CONTENT["image_url"], {"image_url/url": _url}),
        ir.Document: ObjectWriter(wire.CONTENT["document"], {"document/data": _data}),
        ir.UnknownPart: lambda part: part.raw,
    },
)


def content(listed: list[ir.Part]) -> Json:
    """One text is a string."""
    if ir.one_text(listed):
        return listed[0].text if listed else ""  # type: ignore[union-attr]
    return [CONTENT.write(part) for part in listed]


# --- messages ---------------------------------------------------------------------------------------------------------


def message(turn: Turn) -> Object:
    """The documents of a user's turn stand in the request."""
    built: Object = {"role": wire.ROLE_OF[turn.role]}
    if turn.role is ASSISTANT:
        return with_extra({**built, **assistant(turn.parts)}, turn)
    if turn.role is TOOL:
        (result,) = turn.parts
        assert isinstance(result, ir.ToolResult)
        built["tool_call_id"] = result.call_id
        return with_extra({**built, "content": content(result.parts)}, turn)
    listed = [part for part in turn.parts if not (turn.role is USER and isinstance(part, ir.Document))]
    return with_extra({**built, "content": content(listed)}, turn)


def assistant(listed: list[ir.Part], generated: str | None = None) -> Object:
    """Where there are calls, the last text is the plan. `generated`: of a response, whose content is a list, what the
    ids of calls begin with that have none."""
    calls = [part for part in listed if isinstance(part, ir.FunctionCall)]
    shown: list[ir.Part] = [part for part in listed if not isinstance(part, ir.FunctionCall)]
    plan = shown.pop() if calls and shown and isinstance(shown[-1], ir.Text) else None
    citations = [made for index, part in enumerate(shown) for made in cited(part, index)]
    built: Object = {}
    if shown or not calls:
        built["content"] = content(shown) if generated is None else [CONTENT.write(part) for part in shown]
    if isinstance(plan, ir.Text):
        built["tool_plan"] = plan.text
        citations += cited(plan, None)
    if calls:
        built["tool_calls"] = [call(part, f"{generated}_{index}") for index, part in enumerate(calls)]
    return put(built, citations=citations or None)


def cited(part: Any, index: int | None) -> list[Object]:
    """The citations of a text, which is at an index of the content, or the plan."""
    made = [citation(one, index, len(part.text)) for one in getattr(part, "citations", None) or ()]
    for one in made:
        if "start" in one and "end" in one:
            one.setdefault("text", part.text[one["start"] : one["end"]])
    return made


def citation(one: ir.Citation, index: int | None, length: int) -> Object:
    """`length`: of the text that the citation is of, all of which is meant where it has no span. Streams do not repeat
    the cited text, as they do not keep it."""
    if isinstance(one, ir.SourceCitation):
        return dict(one.raw)
    assert isinstance(one, ir.UrlCitation)
    page = put({"url": one.url}, title=one.title)
    built: Object = {"start": one.start or 0, "end": length if one.end is None else one.end}
    built["sources"] = [{"type": "document", "document": page}]
    kind = wire.PLAN_CITED if index is None else wire.TEXT_CITED
    return with_extra({**put(built, content_index=index), "type": kind}, one)
