"""Writes the content of messages and the tools of Chat Completions, and decides which member a part goes to."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import seal_text
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import ByHand, ObjectWriter, UnionWriter
from .._lib.writing import Json, Object, arguments_text, merge, put, with_extra
from .._openai.writing import MARKER_TTL_OF, address, breakpoint_of
from .rows import audio_format

# --- audio ------------------------------------------------------------------------------------------------------------
# The recording that a model spoke is the member `audio` of a message: raw data in the format that the request asked
# for (AUD-4). A message has one; pieces of it, as they come in streams, are one string of base64.


class Recording:
    """The data of a message's recording, piece by piece; `_left`: the bytes that the next characters begin with."""

    def __init__(self) -> None:
        self._left = b""

    def add(self, data: str) -> str:
        """Return the base64 characters that a piece adds to the recording."""
        try:
            found = self._left + b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            return data
        whole = len(found) - len(found) % 3
        self._left = found[whole:]
        return b64encode(found[:whole]).decode()

    def rest(self) -> str:
        """Return the last characters."""
        left, self._left = self._left, b""
        return b64encode(left).decode()


def generated_id(response_id: str | None, candidate: int) -> str:
    """Return the id of a recording without one: that of the response, and the number of the candidate (ENV-2)."""
    return f"audio_{response_id or ''}_{candidate}"


def data_of(part: ir.Audio) -> str:
    return part.source.data if isinstance(part.source, ir.Inline) else ""


def spoken(recordings: list[ir.Audio]) -> Object:
    """Return a recording that the model made, or its id in a later request."""
    first = recordings[0]
    if isinstance(first.source, ir.FileRef):
        return with_extra({"id": first.source.id}, first)
    built = put({"id": first.id}, data=data_of(first), expires_at=first.expires_at, transcript=first.transcript)
    if len(recordings) > 1:
        joined = Recording()
        built["data"] = "".join(joined.add(data_of(one)) for one in recordings) + joined.rest()
    return with_extra(built, first)


def completed(audio: Object, response_id: str | None, candidate: int) -> Object:
    """Return a recording with the members that clients require; one without an id is stored nowhere."""
    if audio.get("id") is not None:
        return audio
    identity = generated_id(response_id, candidate)
    return {"data": "", "expires_at": wire.NO_TIME, "transcript": "", **audio, "id": identity}


# --- parts ------------------------------------------------------------------------------------------------------------


def sign(built: Object, seal: ir.Seal) -> Object:
    """Add a signature of Google's to a call, a message or a delta."""
    built[wire.EXTRA_CONTENT] = {wire.SIGNERS[0]: {wire.SIGNATURE: seal_text(seal, wire.GOOGLES[0])}}
    return built


# --- content parts ----------------------------------------------------------------------------------------------------


def _breakpoint(part: Any) -> Object | None:
    """Return a cache breakpoint, unless its lifetime is one that only routers to other vendors know."""
    cache = part.cache
    return None if cache is None or not _official(cache) else with_extra(breakpoint_of(cache), cache)


def _control(part: Any) -> Object | None:
    return None if part.cache is None or _official(part.cache) else cache_control(part.cache)


def _official(cache: ir.Cache) -> bool:
    return cache.ttl is None or cache.ttl in MARKER_TTL_OF


MARKS = {"prompt_cache_breakpoint": _breakpoint, "cache_control": _control}
CACHE_CONTROL = {seconds: word for word, seconds in wire.CACHE_CONTROL_TTL.items()}


def cache_control(cache: ir.Cache) -> Object:
    """Return the marker that routers accept in place of the official one, and for tools."""
    return put({"type": "ephemeral"}, ttl=None if cache.ttl is None else CACHE_CONTROL.get(cache.ttl))


def _document(part: ir.Document) -> Object:
    """Return a document in the form of the dialect whose type it has, else in the official one."""
    fields = (part.extra and part.extra.fields) or {}
    return DOCUMENTS.get(fields.get("type", ""), DOCUMENTS["file"]).write(part)


def _thinking(part: ir.Reasoning) -> Object:
    return with_extra({"type": "thinking", "thinking": [{"type": "text", "text": part.text}]}, part)


def _part(kind: str, by_hand: Mapping[str, ByHand] | None = None) -> ObjectWriter:
    return ObjectWriter(objects.CONTENT[kind], by_hand)


def _address(part: Any) -> str:
    return address(part.source)


GENERATED = ObjectWriter(objects.GENERATED, {"image_url/url": _address})
AUDIO: Mapping[str, ByHand] = {
    "input_audio/data": lambda part: part.source.data,
    "input_audio/format": lambda part: audio_format(part.source.mime),
}
DOCUMENTS = {
    "file": _part(
        "file",
        {
            "file/file_data": lambda part: None if isinstance(part.source, ir.FileRef) else address(part.source),
            "file/file_id": lambda part: part.source.id if isinstance(part.source, ir.FileRef) else None,
            **MARKS,
        },
    ),
    "document_url": _part("document_url", {"document_url": _address}),
    "file_url": _part("file_url", {"file_url/url": _address}),
}
CONTENT = UnionWriter(
    objects.CONTENT,
    {
        ir.Text: _part("text", MARKS),
        ir.Image: _part("image_url", {"image_url/url": _address, **MARKS}),
        ir.Audio: _part("input_audio", {**AUDIO, **MARKS}),
        ir.Document: _document,
        ir.Video: _part("video_url", {"video_url/url": _address}),
        ir.Reasoning: _thinking,
        ir.UnknownPart: lambda part: with_extra(part.raw, part),
        ir.VendorPart: lambda part: part.raw,
    },
)


def content(parts: list[Any]) -> str | list[Object]:
    """Return a string for one plain text, else an array of parts."""
    if len(parts) == 1:
        only = parts[0]
        if type(only) is ir.Text and only.cache is None and only.extra is None:
            return only.text
    writers = CONTENT.writers
    return [
        {"type": "text", "text": part.text}
        if part.__class__ is ir.Text and part.cache is None and part.extra is None  # as most are
        else writers[part.__class__](part)
        for part in parts
    ]


# --- calls ------------------------------------------------------------------------------------------------------------


def function_call(call: ir.FunctionCall) -> Object:
    function = {"name": call.name, "arguments": arguments_text(call)}
    built: Object = {"id": call.id, "type": "function", "function": function}
    if call.id is None:
        del built["id"]
    if call.seal is not None:
        sign(built, call.seal)
    return built if call.extra is None else with_extra(built, call)


def other_call(call: ir.CustomCall | ir.UnknownPart) -> Object:
    """Return a call of a custom tool, or one of an unknown kind as it came."""
    if isinstance(call, ir.UnknownPart):
        return call.raw
    built: Object = {"id": call.id, "type": "custom", "custom": {"name": call.name, "input": call.input}}
    if call.seal is not None:
        sign(built, call.seal)
    return built if call.extra is None else with_extra(built, call)


# --- turns ------------------------------------------------------------------------------------------------------------


def in_content(part: ir.Reasoning | ir.Refusal) -> bool:
    """Return whether a part has unmapped members, which only parts of the content can have."""
    return part.extra is not None


def _is_made(part: Any) -> bool:
    """Return whether the model made a part that is not in `content`: speech, an image, members of a dialect.

    An image in the content has a type in its unmapped members.
    """
    if type(part) is ir.Image:
        return part.extra is None or "type" not in (part.extra.fields or {})
    return type(part) is ir.Audio or (type(part) is ir.VendorPart and part.kind != ir.CITED)


def _put_beside(message: Object, made: list[Any]) -> None:
    for part in made:  # members of a dialect; text that is there already is continued
        for name, value in part.raw.items() if type(part) is ir.VendorPart else ():
            before = message.get(name)
            if before is None:
                message[name] = value
            else:
                message[name] = before + (paragraph(value, before) if type(value) is str else value)
    recordings = [part for part in made if type(part) is ir.Audio]
    images = [GENERATED.write(part) for part in made if type(part) is ir.Image]
    if recordings:
        message["audio"] = spoken(recordings)
    if images:
        message["images"] = images


def is_kept_as(member: str, part: Any) -> bool:
    """Return whether an unknown part is a call ("type") or the message of a result ("role"), by what it keeps."""
    return part.extra is not None and member in (part.extra.fields or ())


def assistant(turn: ir.Turn) -> Object:
    """Return an assistant message of a request, or the result of an unknown call."""
    first: Any = turn.parts[0] if turn.parts else None
    if type(first) is ir.UnknownPart and is_kept_as("role", first):
        return first.raw
    message: Object = {"role": "assistant", "content": None}
    wording = put_members(message, turn)
    if wording:
        message["content"] = content(wording)
    elif ALONE.isdisjoint(message):  # servers accept null only next to calls, a refusal or audio
        message["content"] = ""
    return message if turn.extra is None else with_members(message, turn)


ALONE = frozenset({"tool_calls", "function_call", "refusal", "audio", "images"})
DETAILS = "reasoning_details"


def with_members(message: Object, turn: ir.Turn) -> Object:
    """Return the message with its unmapped members.

    Details of reasoning are kept only if they match the turn's reasoning.
    """
    fields = (turn.extra and turn.extra.fields) or {}
    if DETAILS in fields:
        thoughts = [part for part in turn.parts if type(part) is ir.Reasoning]
        text, seals = "".join(part.text or "" for part in thoughts), sum(part.seal is not None for part in thoughts)
        described = _described(fields[DETAILS])
        if described not in ((text, seals), ("", 0), ("", seals)):
            fields = {key: value for key, value in fields.items() if key != DETAILS}
        elif described[0]:
            message["reasoning_content"] = text  # without the blank lines between thoughts
    if "reasoning" in fields and fields["reasoning"] == message.get("reasoning_content"):
        del message["reasoning_content"]  # a dialect has the same text as `reasoning`
    return merge(message, fields)


def _described(details: Json) -> tuple[str, int]:
    """Return the text of all readable details, and how many of them are sealed."""
    listed = details if isinstance(details, list) else ()
    known = [one for one in listed if isinstance(one, dict) and wire.readable(one) and one.get("type") in wire.DETAILS]
    texts = [one.get(wire.DETAILS[one["type"]]) or "" for one in known if not one.get("data")]
    return "".join(texts), sum(bool(one.get("data") or one.get("signature")) for one in known)


def put_members(message: Object, turn: ir.Turn) -> list[Any]:
    """Write each part into the member for its kind (PLC-6), and return the rest, which is the content."""
    wording: list[Any] = []
    calls: list[Object] = []
    made: list[Any] = []
    given: list[Any] = turn.parts
    for part in given:
        cls = part.__class__
        if cls is ir.Text:
            wording.append(part)
            if part.seal is not None:
                sign(message, part.seal)
        elif cls is ir.FunctionCall:
            # the legacy member holds one call
            if part.id is None and sum(isinstance(one, ir.CALLS) for one in given) == 1:
                message["function_call"] = with_extra({"name": part.name, "arguments": arguments_text(part)}, part)
            else:
                calls.append(function_call(part))
        elif cls is ir.CustomCall or (cls is ir.UnknownPart and is_kept_as("type", part)):
            calls.append(other_call(part))
        elif cls is ir.Reasoning and not in_content(part):
            _reasoning(message, part)
        elif cls is ir.Refusal and not in_content(part):
            message["refusal"] = (message.get("refusal") or "") + part.text
        else:
            (made if _is_made(part) else wording).append(part)
    if made:
        _put_beside(message, made)
    if calls:
        message["tool_calls"] = calls
    if turn.name is not None:
        message["name"] = turn.name
    return wording


BETWEEN_THOUGHTS = "\n\n"


def paragraph(text: str, follows: object) -> str:
    """Return reasoning text that `follows` other reasoning in one member: after a blank line, if it has none."""
    return f"{BETWEEN_THOUGHTS}{text}" if follows and text and not text.startswith(BETWEEN_THOUGHTS) else text


def _reasoning(message: Object, part: ir.Reasoning) -> None:
    if part.text is not None:
        before = message.get("reasoning_content") or ""
        message["reasoning_content"] = before + paragraph(part.text, before)
    if part.seal is not None and (part.seal.provider, part.seal.kind) == wire.GOOGLES:  # others are in the details
        sign(message, part.seal)


def _plain(turn: ir.Turn) -> Object:
    message: Object = {"role": ROLES[turn.role], "content": content(turn.parts)}
    if turn.name is not None:
        message["name"] = turn.name
    return message if turn.extra is None else with_extra(message, turn)


def _tool(turn: ir.Turn) -> Object:
    result = turn.parts[0]
    assert isinstance(result, ir.ToolResult)
    output = content(result.parts) if result.parts else ""
    if result.call_id is None:  # the legacy form
        message: Object = {"role": "function", "name": result.name, "content": output}
    else:
        message = {"role": "tool", "tool_call_id": result.call_id, "content": output}
    return message if turn.extra is None else with_extra(message, turn)


ROLES = {role: role.value for role in ir.Role}  # an enum's `value` is a Python function, and most turns are plain
TURNS: dict[ir.Role, Callable[[ir.Turn], Object]] = {
    ir.Role.SYSTEM: _plain,
    ir.Role.DEVELOPER: _plain,
    ir.Role.USER: _plain,
    ir.Role.ASSISTANT: assistant,
    ir.Role.TOOL: _tool,
}


# --- tools ------------------------------------------------------------------------------------------------------------


def put_tools(built: Object, defined: list[ir.Tool]) -> None:
    """Write each tool into the member for its kind; there is one place for web search."""
    for tool in defined:
        if type(tool) is ir.FunctionTool:
            made = FUNCTION_TOOL.write(tool)
            if tool.cache is not None:
                made["cache_control"] = cache_control(tool.cache)
                with_extra(made, tool)
        elif type(tool) is ir.CustomTool:
            made = CUSTOM_TOOL.write(tool)
        elif type(tool) is ir.WebSearchTool and tool.kind == objects.ROUTED_SEARCH:
            made = ROUTED_SEARCH.write(tool)
        elif type(tool) is ir.WebSearchTool:
            built["web_search_options"] = WEB_SEARCH.write(tool)
            continue
        else:
            assert isinstance(tool, (ir.HostedTool, ir.UnknownTool))
            made = tool.raw
        if "tools" in built:
            built["tools"].append(made)
        else:
            built["tools"] = [made]


FUNCTION_TOOL, WEB_SEARCH = ObjectWriter(objects.FUNCTION_TOOL), ObjectWriter(objects.WEB_SEARCH_OPTIONS)
ROUTED_SEARCH = ObjectWriter(objects.ROUTED_WEB_SEARCH)
INPUT_FORMATS = UnionWriter(objects.INPUT_FORMATS, {ir.UnknownFormat: lambda form: form.raw})
CUSTOM_TOOL = ObjectWriter(objects.CUSTOM_TOOL, {"custom/format": INPUT_FORMATS})


def put_choice(built: Object, choice: ir.ToolChoice) -> None:
    built["tool_choice"] = choice.mode.value if isinstance(choice, ir.Choice) else CHOICES.write(choice)


def _allowed(choice: ir.AllowedChoice) -> Object:
    listed = [{"type": kind, kind: {"name": name}} for kind, name in choice.tools]
    made = {"type": "allowed_tools", "allowed_tools": {"mode": choice.mode.value, "tools": listed}}
    return with_extra(made, choice)


CHOICES = UnionWriter(objects.CHOICES, {ir.AllowedChoice: _allowed})
