"""Parts and turns as messages of Chat Completions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.node import Cache
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.vendors.openai.restoring import restore_breakpoint
from proxai_ir.vendors.openai.writing import address, breakpoint_of
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import Object, dumps, give_back, put, spelled


def marked(part: Object, cache: Cache | None, home: bool) -> Object:
    """Add a cache marker, in the source's own spelling at home."""
    if cache is None:
        return part
    if spelled(cache, "cache_control", home):
        words = {seconds: word for word, seconds in wire.CACHE_CONTROL_TTL.items()}
        part["cache_control"] = put({"type": "ephemeral"}, ttl=words.get(cache.ttl or 0))
    else:
        part["prompt_cache_breakpoint"] = breakpoint_of(cache)
        if home:
            restore_breakpoint(part, cache)
    return part


def _text(part: ir.Text, home: bool) -> Object:
    return give_back(marked({"type": "text", "text": part.text}, part.cache, home), part.extra, home)


def _image(part: ir.Image, home: bool) -> Object:
    image = put({"url": address(part.source)}, detail=part.detail)
    return give_back(marked({"type": "image_url", "image_url": image}, part.cache, home), part.extra, home)


def _audio(part: ir.Audio, home: bool) -> Object:
    assert isinstance(part.source, ir.Inline)
    audio = {"data": part.source.data, "format": (part.source.mime or "").removeprefix("audio/")}
    return give_back(marked({"type": "input_audio", "input_audio": audio}, part.cache, home), part.extra, home)


def _document(part: ir.Document, home: bool) -> Object:
    if spelled(part, "document_url", home):
        return give_back({"document_url": address(part.source)}, part.extra, home)
    if isinstance(part.source, ir.FileRef):
        file: Object = {"file_id": part.source.id}
    else:
        file = {"file_data": address(part.source)}
    put(file, filename=part.title)
    return give_back(marked({"type": "file", "file": file}, part.cache, home), part.extra, home)


def _video(part: ir.Video, home: bool) -> Object:
    return give_back({"type": "video_url", "video_url": {"url": address(part.source)}}, part.extra, home)


def _refusal(part: ir.Refusal, home: bool) -> Object:
    return give_back({"type": "refusal", "refusal": part.text}, part.extra, home)


def _thinking(part: ir.Reasoning, home: bool) -> Object:
    return give_back({"type": "thinking", "thinking": [{"type": "text", "text": part.text}]}, part.extra, home)


def _unknown(part: ir.UnknownPart, home: bool) -> Object:
    return part.raw


BUILD: dict[type, Callable[[Any, bool], Object]] = {
    ir.Text: _text,
    ir.Image: _image,
    ir.Audio: _audio,
    ir.Document: _document,
    ir.Video: _video,
    ir.Refusal: _refusal,
    ir.Reasoning: _thinking,
    ir.UnknownPart: _unknown,
}


def content(parts: list[Any], home: bool) -> str | list[Object]:
    """A string where one plain text is all there is, else an array of parts."""
    if len(parts) == 1:
        only = parts[0]
        if type(only) is ir.Text and only.cache is None and (only.extra is None or not home):
            return only.text
    return [BUILD[part.__class__](part, home) for part in parts]


# --- calls ------------------------------------------------------------------------------------------------------------


def function_call(call: ir.FunctionCall, home: bool) -> Object:
    text = call.arguments
    if type(text) is not str:
        text = dumps(text, (call, "arguments"))
    elif not home and not text.strip():
        text = "{}"  # no arguments at all: their text must be JSON all the same (TUL-1)
    identity = call.id
    built: Object = {"id": identity, "type": "function", "function": {"name": call.name, "arguments": text}}
    if home and call.extra is not None:
        if call.id is None:
            del built["id"]
        if "untyped" in call.extra.wire_forms:
            del built["type"]
        if "no arguments" in call.extra.wire_forms:
            del built["function"]["arguments"]
        give_back(built, call.extra, home)
    return built


def custom_call(call: ir.CustomCall, home: bool) -> Object:
    built = {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.input}}
    return give_back(built, call.extra, home)


def legacy(call: ir.FunctionCall, home: bool) -> bool:
    return call.id is None and not spelled(call, "no id", home)


# --- turns ------------------------------------------------------------------------------------------------------------


def assistant(turn: Turn, home: bool, joined: bool = False) -> Object:
    """An assistant message, of a request or an answer: its members are said one by one (PLC-6).

    `joined`: the content is one string, as in answers, and not an array of parts.
    """
    message: Object = {"role": "assistant", "content": None}
    said: list[Any] = []
    calls: list[Object] = []
    for part in turn.parts:
        if type(part) is ir.Text:
            said.append(part)
        elif type(part) is ir.FunctionCall and (part.id is not None or not legacy(part, home)):
            calls.append(function_call(part, home))
        elif type(part) is ir.CustomCall:
            calls.append(custom_call(part, home))
        elif not _member(message, part, home):
            said.append(part)
    if joined:
        if said:
            message["content"] = said[0].text if len(said) == 1 else "".join(part.text for part in said)
    elif said:
        message["content"] = content(said, home)
    if calls:
        message["tool_calls"] = calls
    if turn.name is not None:
        message["name"] = turn.name
    return message if turn.extra is None else give_back(message, turn.extra, home)


def _member(message: Object, part: ir.Part, home: bool) -> bool:
    """Say a part in a member of its own; false where it belongs to the content."""
    if type(part) is ir.Reasoning and not spelled(part, "part", home):
        _reasoning(message, part, home)
    elif type(part) is ir.Refusal and (not home or spelled(part, "member", home)):
        message["refusal"] = (message.get("refusal") or "") + part.text
    elif type(part) is ir.FunctionCall:
        message["function_call"] = give_back({"name": part.name, "arguments": part.arguments}, part.extra, home)
    elif type(part) is ir.Audio:
        message["audio"] = _spoken(part, home)
    else:
        return False
    return True


def _reasoning(message: Object, part: ir.Reasoning, home: bool) -> None:
    if part.text is not None:
        for key in part.extra.wire_forms if home and part.extra is not None else ("reasoning_content",):
            message[key] = message.get(key, "") + part.text


def _spoken(part: ir.Audio, home: bool) -> Object:
    if isinstance(part.source, ir.FileRef):
        return give_back({"id": part.source.id}, part.extra, home)
    built = put({"id": part.id}, data=address(part.source), expires_at=part.expires_at, transcript=part.transcript)
    return give_back(built, part.extra, home)


def _plain(turn: Turn, home: bool) -> Object:
    message: Object = {"role": ROLES[turn.role], "content": content(turn.parts, home)}
    if turn.name is not None:
        message["name"] = turn.name
    return message if turn.extra is None else give_back(message, turn.extra, home)


def _tool(turn: Turn, home: bool) -> Object:
    result = turn.parts[0]
    assert isinstance(result, ir.ToolResult)
    said = content(result.parts, home) if result.parts else ""
    message: Object = {"role": "tool", "tool_call_id": result.call_id, "content": said}
    return message if turn.extra is None else give_back(message, turn.extra, home)


ROLES = {role: role.value for role in Role}  # an enum's `value` is a Python function, and most turns are plain
TURNS: dict[Role, Callable[[Turn, bool], Object]] = {
    Role.SYSTEM: _plain,
    Role.DEVELOPER: _plain,
    Role.USER: _plain,
    Role.FUNCTION: _plain,
    Role.ASSISTANT: assistant,
    Role.TOOL: _tool,
}
