"""Parts and turns as messages of Chat Completions.

Rule: canonical output; which member a part goes to is decided here, what a source wrote differently in `restore`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from proxai_ir.ir import parts as ir
from proxai_ir.ir.node import Cache
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.vendors.openai.writing import address, breakpoint_of

from .._lib.writing import Object, dumps, put
from .restore import restore_cache, restore_call, restore_part, restore_reasoning, sign, with_extra

# --- content parts ----------------------------------------------------------------------------------------------------


def put_cache(part: Object, cache: Cache) -> None:
    """Add a cache breakpoint."""
    if cache.extra is None:
        part["prompt_cache_breakpoint"] = breakpoint_of(cache)
    else:
        restore_cache(part, cache, cache.extra)


def _text(part: ir.Text) -> Object:
    built: Object = {"type": "text", "text": part.text}
    if part.cache is not None:
        put_cache(built, part.cache)
    return built


def _image(part: ir.Image) -> Object:
    image: Object = {"url": address(part.source)}
    if part.detail is not None:
        image["detail"] = part.detail
    built: Object = {"type": "image_url", "image_url": image}
    if part.cache is not None:
        put_cache(built, part.cache)
    return built


def _audio(part: ir.Audio) -> Object:
    assert isinstance(part.source, ir.Inline)
    audio = {"data": part.source.data, "format": (part.source.mime or "").removeprefix("audio/")}
    built: Object = {"type": "input_audio", "input_audio": audio}
    if part.cache is not None:
        put_cache(built, part.cache)
    return built


def _document(part: ir.Document) -> Object:
    source = part.source
    file: Object = {"file_id": source.id} if isinstance(source, ir.FileRef) else {"file_data": address(source)}
    if part.title is not None:
        file["filename"] = part.title
    built: Object = {"type": "file", "file": file}
    if part.cache is not None:
        put_cache(built, part.cache)
    return built


def _video(part: ir.Video) -> Object:
    return {"type": "video_url", "video_url": {"url": address(part.source)}}


def _refusal(part: ir.Refusal) -> Object:
    return {"type": "refusal", "refusal": part.text}


def _thinking(part: ir.Reasoning) -> Object:
    return {"type": "thinking", "thinking": [{"type": "text", "text": part.text}]}


def _unknown(part: ir.UnknownPart) -> Object:
    return part.raw


CONTENT: dict[type, Callable[[Any], Object]] = {
    ir.Text: _text,
    ir.Image: _image,
    ir.Audio: _audio,
    ir.Document: _document,
    ir.Video: _video,
    ir.Refusal: _refusal,
    ir.Reasoning: _thinking,
    ir.UnknownPart: _unknown,
}


def content(parts: list[Any]) -> str | list[Object]:
    """A string where one plain text is all there is, else an array of parts."""
    if len(parts) == 1:
        only = parts[0]
        if type(only) is ir.Text and only.cache is None and only.extra is None:
            return only.text
    built = []
    for part in parts:
        made = CONTENT[part.__class__](part)
        built.append(made if part.extra is None else restore_part(made, part.extra))
    return built


# --- calls ------------------------------------------------------------------------------------------------------------


def function_call(call: ir.FunctionCall) -> Object:
    as_object = call.extra is not None and "object" in call.extra.wire_forms
    arguments = call.arguments if as_object else arguments_text(call)
    built: Object = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}
    if call.seal is not None:
        sign(built, call.seal, call.extra)
    return built if call.extra is None else restore_call(built, call, call.extra)


def arguments_text(call: ir.FunctionCall) -> str:
    """JSON text, also of a call without arguments (TUL-1)."""
    text = call.arguments
    if type(text) is not str:
        return dumps(text, (call, "arguments"))
    return text if text and not text.isspace() else "{}"


def custom_call(call: ir.CustomCall) -> Object:
    built: Object = {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.input}}
    if call.seal is not None:
        sign(built, call.seal, call.extra)
    return built if call.extra is None else with_extra(built, call.extra)


def is_legacy(call: ir.FunctionCall) -> bool:
    """Whether a call is the single one of the legacy member `function_call`, which has no id."""
    return call.id is None and (call.extra is None or not {"no id", "blank id"} & {*call.extra.wire_forms})


# --- turns ------------------------------------------------------------------------------------------------------------


def in_content(part: ir.Reasoning | ir.Refusal) -> bool:
    """Whether the source has a part among the content parts, and not in the member for its kind."""
    return part.extra is not None and "part" in part.extra.wire_forms


def assistant(turn: Turn) -> Object:
    """An assistant message of a request."""
    message: Object = {"role": "assistant", "content": None}
    wording = put_members(message, turn)
    if wording:
        message["content"] = content(wording)
    return message if turn.extra is None else with_extra(message, turn.extra)


def put_members(message: Object, turn: Turn) -> list[Any]:
    """Write each part into the member for its kind (PLC-6); those that are left are the message's content."""
    wording: list[Any] = []
    calls: list[Object] = []
    given: list[Any] = turn.parts
    for part in given:
        cls = part.__class__
        if cls is ir.Text:
            wording.append(part)
            if part.seal is not None:
                sign(message, part.seal, turn.extra)
        elif cls is ir.FunctionCall:
            if part.id is None and is_legacy(part):
                message["function_call"] = _legacy_call(part)
            else:
                calls.append(function_call(part))
        elif cls is ir.CustomCall:
            calls.append(custom_call(part))
        elif cls is ir.Reasoning and not in_content(part):
            _reasoning(message, part, turn)
        elif cls is ir.Refusal and not in_content(part):
            message["refusal"] = (message.get("refusal") or "") + part.text
        elif cls is ir.Audio:
            message["audio"] = _spoken(part)
        else:
            wording.append(part)
    if calls:
        message["tool_calls"] = calls
    if turn.name is not None:
        message["name"] = turn.name
    return wording


def _legacy_call(call: ir.FunctionCall) -> Object:
    built = {"name": call.name, "arguments": call.arguments}
    return built if call.extra is None else with_extra(built, call.extra)


BETWEEN_THOUGHTS = "\n\n"


def paragraph(text: str, follows: object) -> str:
    """The text of reasoning as it `follows` other reasoning in one member: after a blank line, if it has none."""
    return f"{BETWEEN_THOUGHTS}{text}" if follows and text and not text.startswith(BETWEEN_THOUGHTS) else text


def _reasoning(message: Object, part: ir.Reasoning, turn: Turn) -> None:
    if part.extra is not None:  # a seal is among `reasoning_details`
        restore_reasoning(message, part, part.extra)
        return
    if part.text is not None:
        before = message.get("reasoning_content") or ""
        message["reasoning_content"] = before + paragraph(part.text, before)
    if part.seal is not None:
        sign(message, part.seal, turn.extra)


def _spoken(part: ir.Audio) -> Object:
    """A recording that the model made, or the id of one in a later request."""
    if isinstance(part.source, ir.FileRef):
        built: Object = {"id": part.source.id}
    else:
        built = put({"id": part.id}, data=address(part.source), expires_at=part.expires_at, transcript=part.transcript)
    return built if part.extra is None else with_extra(built, part.extra)


def _plain(turn: Turn) -> Object:
    message: Object = {"role": ROLES[turn.role], "content": content(turn.parts)}
    if turn.name is not None:
        message["name"] = turn.name
    return message if turn.extra is None else with_extra(message, turn.extra)


def _tool(turn: Turn) -> Object:
    result = turn.parts[0]
    assert isinstance(result, ir.ToolResult)
    output = content(result.parts) if result.parts else ""
    message: Object = {"role": "tool", "tool_call_id": result.call_id, "content": output}
    return message if turn.extra is None else with_extra(message, turn.extra)


ROLES = {role: role.value for role in Role}  # an enum's `value` is a Python function, and most turns are plain
TURNS: dict[Role, Callable[[Turn], Object]] = {
    Role.SYSTEM: _plain,
    Role.DEVELOPER: _plain,
    Role.USER: _plain,
    Role.FUNCTION: _plain,
    Role.ASSISTANT: assistant,
    Role.TOOL: _tool,
}
