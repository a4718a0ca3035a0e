"""Parts and turns as items of OpenAI Responses, for requests and answers alike.

Rule 1: a message item holds what is said, in order; calls, results and reasoning are items beside it (PLC-6, REF-2).
Rule 2: at home an item is the turn that it was read as, with what its turn kept of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.ir.node import Cache
from proxai_ir.ir.turns import ASSISTANT, Role, Turn
from proxai_ir.vendors.openai import vocabulary as openai
from proxai_ir.vendors.openai.conditions import is_data
from proxai_ir.vendors.openai.restoring import restore_breakpoint
from proxai_ir.vendors.openai.writing import address, breakpoint_of
from proxai_ir.wire import openai_responses as wire

from .._lib.writing import Object, give_back, put, spelled
from .tools import arguments_text, mcp_call, web_search

DETAIL = "auto"  # what the wire wants said and does anyway


def marked(part: Object, cache: Cache | None, home: bool) -> Object:
    """Add a cache breakpoint."""
    if cache is not None:
        part["prompt_cache_breakpoint"] = breakpoint_of(cache)
        if home:
            restore_breakpoint(part, cache)
    return part


# --- what messages and results are made of ----------------------------------------------------------------------------


def _input_text(part: ir.Text, home: bool) -> Object:
    if spelled(part, "output_text", home):
        return _output_text(part, home, 0)
    return give_back(marked({"type": "input_text", "text": part.text}, part.cache, home), part.extra, home)


def _image(part: ir.Image, home: bool) -> Object:
    built: Object = {"type": "input_image"}
    if isinstance(part.source, ir.FileRef):
        built["file_id"] = part.source.id
    else:
        built["image_url"] = address(part.source)
    detail = part.detail if home else part.detail or DETAIL
    return give_back(marked(put(built, detail=detail), part.cache, home), part.extra, home)


def _document(part: ir.Document, home: bool) -> Object:
    source = part.source
    built = put({"type": "input_file"}, filename=part.title)
    if isinstance(source, ir.FileRef):
        built["file_id"] = source.id
    elif isinstance(source, ir.Url) and (home or not is_data(source)):
        built["file_url"] = source.url
    else:
        built["file_data"] = address(source)
    return give_back(marked(built, part.cache, home), part.extra, home)


def _audio(part: ir.Audio, home: bool) -> Object:
    assert isinstance(part.source, ir.Inline)
    audio = {"data": part.source.data, "format": (part.source.mime or "").removeprefix("audio/")}
    return give_back(marked({"type": "input_audio", "input_audio": audio}, part.cache, home), part.extra, home)


def _refusal(part: ir.Refusal, home: bool) -> Object:
    if spelled(part, "output_text", home):  # of an answer that failed without an error
        return give_back({"type": "output_text", "text": part.text}, part.extra, home)
    return give_back({"type": "refusal", "refusal": part.text}, part.extra, home)


def _raw(part: Any, home: bool) -> Object:
    raw: Object = part.raw
    return raw


GIVEN: dict[type, Callable[[Any, bool], Object]] = {
    ir.Text: _input_text,
    ir.Image: _image,
    ir.Document: _document,
    ir.Audio: _audio,
    ir.Refusal: _refusal,
    ir.UnknownPart: _raw,
}
"""Parts of what goes in."""


def _output_text(part: ir.Text, home: bool, before: int) -> Object:
    if spelled(part, "input_text", home):
        return give_back(marked({"type": "input_text", "text": part.text}, part.cache, home), part.extra, home)
    built: Object = {"type": "output_text", "text": part.text}
    if not home and not part.citations:
        built["annotations"] = []
        return built
    if part.citations is not None or not home:
        sayable = [one for one in part.citations or () if home or type(one) is ir.UrlCitation]
        built["annotations"] = [annotation(one, before, len(part.text), home) for one in sayable]
    return give_back(built, part.extra, home)


def annotation(one: ir.Citation, before: int, length: int, home: bool) -> Object:
    """A citation with its span in the text of its own part, of which `before` characters of the turn come earlier."""
    if isinstance(one, ir.SourceCitation):
        return one.raw
    start = None if one.start is None else one.start - before
    end = None if one.end is None else one.end - before
    if not home:  # the wire wants all of them
        start, end = max(start or 0, 0), length if end is None else max(end, 0)
    title = one.title if home else one.title or ""
    return give_back(
        put({"type": "url_citation", "url": one.url}, title=title, start_index=start, end_index=end), one.extra, home
    )


def said(parts: list[Any], before: int, home: bool) -> list[Object]:
    """The content of an assistant's message; `before` is the length of the turn's text before it."""
    made: list[Object] = []
    for part in parts:
        if type(part) is ir.Text:
            made.append(_output_text(part, home, before))
            before += len(part.text)
        elif type(part) is ir.Audio and not home:
            made.append({"type": "output_text", "text": part.transcript, "annotations": []})  # AUD-2
        else:
            made.append(GIVEN[type(part)](part, home))
    return made


# --- items ------------------------------------------------------------------------------------------------------------


def function_call(call: ir.FunctionCall, home: bool) -> Object:
    text = arguments_text(call, home)
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": text}


def custom_call(call: ir.CustomCall, home: bool) -> Object:
    return {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": call.input}


def reasoning(parts: list[ir.Reasoning], home: bool) -> Object:
    """One item for what was thought at one go: summaries, the thinking itself, and the seal over it (RSN-4).

    What other protocols tell of the thinking is told as its summary, which is what clients show.
    """
    summary: list[Object] = []
    content: list[Object] = []
    for part in parts:
        if part.text is None:
            continue
        if home:
            told, kind = (summary, "summary_text") if part.summary else (content, "reasoning_text")
            told.append(give_back({"type": kind, "text": part.text}, part.extra, home))
        else:
            summary.append({"type": "summary_text", "text": part.text})
    built: Object = {"type": "reasoning", "summary": summary}
    if content:
        built["content"] = content
    for part in parts:
        if part.seal is not None and (home or ours(part)):
            built["encrypted_content"] = seal_text(part.seal, openai.PROVIDER)
            if not home and part.seal.id is not None:
                built["id"] = part.seal.id
    return built


def ours(part: ir.Reasoning) -> bool:
    """Whether a seal is one that this protocol carries."""
    return part.seal is not None and (part.seal.provider, part.seal.kind) == (openai.PROVIDER, wire.ENCRYPTED)


def result(part: ir.ToolResult, custom: bool, string: bool, home: bool) -> Object:
    kind = "custom_tool_call_output" if custom else "function_call_output"
    return {"type": kind, "call_id": part.call_id, "output": _output(part, string, home)}


def _output(part: ir.ToolResult, string: bool, home: bool) -> str | list[Object]:
    """A marker behind the result stands behind its last part."""
    if string and (part.cache is None or not part.parts):
        only = part.parts[0] if part.parts else None
        return only.text if isinstance(only, ir.Text) else ""
    made = [GIVEN[type(one)](one, home) for one in part.parts]
    if part.cache is not None and "prompt_cache_breakpoint" not in made[-1]:
        marked(made[-1], part.cache, home)
    return made


def plain(parts: list[Any], assistant: bool = False) -> bool:
    """Whether what another protocol says is one text with nothing beside its wording: a string says it.

    What goes in can bear markers, and what an assistant said, citations; neither can bear both.
    """
    if not parts:
        return True
    only = parts[0]
    if len(parts) > 1 or type(only) is not ir.Text:
        return False
    if assistant:
        return not only.citations or not any(type(one) is ir.UrlCitation for one in only.citations)
    return only.cache is None


# --- turns ------------------------------------------------------------------------------------------------------------

MESSAGE, REASONING = "message", "reasoning"
RUN: dict[str, Callable[[list[Any], bool], Object]] = {wire.WEB_SEARCH: web_search, wire.MCP_CALL: mcp_call}
"""Items of what the provider runs itself: a call, joined by its result, wherever that stands."""
RESULTS = (ir.WebSearchResult, ir.McpResult)
SHARED: dict[type, str] = {
    ir.Reasoning: REASONING,
    ir.WebSearchCall: wire.WEB_SEARCH,
    ir.WebSearchResult: wire.WEB_SEARCH,
    ir.McpCall: wire.MCP_CALL,
    ir.McpResult: wire.MCP_CALL,
} | dict.fromkeys(
    (ir.FunctionCall, ir.CustomCall, ir.ToolResult, ir.HostedCall, ir.HostedResult, ir.VendorPart, ir.Reference), ""
)
"""Which parts share an item: of one kind, next to one another; "" stands alone, others are said in a message."""


def joins(kind: str, group: list[Any]) -> bool:
    """Whether a part may follow these in one item of its kind; a seal ends the thought that it is over."""
    return bool(kind and group) and (kind != REASONING or group[-1].seal is None)


def grouped(parts: list[Any]) -> list[tuple[str, list[Any]]]:
    """The parts of a turn, by the item that they become."""
    groups: list[tuple[str, list[Any]]] = []
    calls: dict[tuple[str, str], list[Any]] = {}
    last, group = "", EMPTY
    for part in parts:
        kind = SHARED.get(type(part), MESSAGE)
        if kind in RUN:
            if isinstance(part, RESULTS):
                calls.get((kind, part.call_id), []).append(part)
                continue
            last, group = kind, [part]
            calls[kind, part.id] = group
            groups.append((kind, group))
        elif kind == last and joins(kind, group):
            group.append(part)
        else:
            last, group = kind, [part]
            groups.append((kind, group))
    return groups or [(MESSAGE, EMPTY)]


EMPTY: list[Any] = []


NO_CALLS: Collection[str] = ()


def items(
    turn: Turn, home: bool, customs: Collection[str] = NO_CALLS, response: bool = False, before: int = 0
) -> list[Object]:
    """The items of a turn. `customs` are the ids of calls of custom tools; an answer's messages are told at length.

    `before` is the length of text of the turn that has been told already.
    """
    made: list[Object] = []
    for kind, group in [("", turn.parts)] if home and spelled(turn, "item", home) else grouped(turn.parts):
        if kind == MESSAGE:
            made.append(_answered(group, before) if response else _message(turn, group, before, home))
            for part in group:
                if type(part) is ir.Text:
                    before += len(part.text)
        else:
            made.append(_item(turn, kind, group, customs, home))
    if home and turn.extra is not None:
        give_back(made[0], turn.extra, home)
    return made


def answered(turn: Turn, before: int = 0) -> list[Object]:
    """The items of a turn of another protocol's answer, without the ids that the answer gives them.

    Empty text beside a call says nothing, and no message is made of it (PLC-6); streams never open one.
    """
    parts = [part for part in turn.parts if type(part) is not ir.Text or part.text]
    return items(Turn(turn.role, parts), False, NO_CALLS, True, before) if parts else []


def _answered(parts: list[Any], before: int) -> Object:
    return {"type": MESSAGE, "role": "assistant", "content": said(parts, before, False)}


WORDS = {role: role.value for role in Role}


def _message(turn: Turn, parts: list[Any], before: int, home: bool) -> Object:
    assistant = turn.role is ASSISTANT
    built: Object = {} if home and spelled(turn, "easy", home) else {"type": MESSAGE}
    built["role"] = WORDS[turn.role]
    if plain(parts, assistant) if not home else spelled(turn, "string", home):
        built["content"] = parts[0].text if parts else ""
    elif assistant:
        built["content"] = said(parts, before, home)
    else:
        built["content"] = [GIVEN[type(part)](part, home) for part in parts]
    return built


def _item(turn: Turn, kind: str, group: list[Any], customs: Collection[str], home: bool) -> Object:
    only = group[0]
    if kind == REASONING:
        return _thinking(turn, group, home)
    if kind in RUN:
        return RUN[kind](group, home)
    if type(only) is ir.FunctionCall:
        return function_call(only, home)
    if type(only) is ir.CustomCall:
        return custom_call(only, home)
    if type(only) is ir.ToolResult:
        if home:
            made = result(only, spelled(turn, "custom", home), spelled(turn, "string", home), home)
            if spelled(turn, "no call", home):
                del made["call_id"]
            return made
        return result(only, only.call_id in customs, plain(only.parts), home)
    if type(only) is ir.Reference:
        return {"id": only.id} if spelled(turn, "untyped", home) else {"type": "item_reference", "id": only.id}
    return _raw(only, home)


def _thinking(turn: Turn, parts: list[ir.Reasoning], home: bool) -> Object:
    built = reasoning(parts, home)
    if spelled(turn, "no summary", home) and not built["summary"]:
        del built["summary"]
    if spelled(turn, "content", home):
        built.setdefault("content", [])
    return built
