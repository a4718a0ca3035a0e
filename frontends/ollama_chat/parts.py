"""Reads the content of turns and the tools of Ollama's chat. Requests and responses share these readers."""

from __future__ import annotations

from proxai_ir import ir
from proxai_ir.authoring import (
    Object,
    ObjectReader,
    UnionReader,
    each_object,
    extra_fields,
    optional,
    required,
    strings,
)
from proxai_ir.ir.media_types import shown_type
from proxai_ir.wire import ollama_chat as wire

# --- parts ------------------------------------------------------------------------------------------------------------
# The messages of `/api/chat`, of requests and responses, as turns and their parts.

CALL = ObjectReader(wire.CALL, {"function/arguments": lambda call, key: call[key]})
MESSAGE = {"role", "content", "thinking", "images", "tool_calls"}
ROLES = {role.value: role for role in (ir.SYSTEM, ir.USER, ir.ASSISTANT, ir.TOOL)}


def read_call(call: Object) -> ir.Part:
    """Return a call of a function; one of another type is unknown content."""
    kind = optional(call, "type", str) or "function"
    return CALL.read(call) if kind == "function" else ir.UnknownPart(kind, call, call)


def read_turn(message: Object, role: ir.Role) -> ir.Turn:
    """Return a turn of thinking, text, images and calls, in this order."""
    content, thinking = optional(message, "content", str), optional(message, "thinking", str)
    images = strings(message, "images") or []
    calls = each_object(optional(message, "tool_calls", list) or [], read_call)
    found: list[ir.Part] = [ir.Reasoning(thinking, src=message)] if thinking else []
    if content or (content == "" and role is not ir.ASSISTANT and not images):  # of which the assistant's is none
        found.append(ir.Text(content, src=message))
    found += [_image(images, index) for index in range(len(images))]
    return ir.Turn(role, [*found, *calls], src=message, extra=extra_fields(message, MESSAGE))


def _image(images: list[str], index: int) -> ir.Image:
    data, place = images[index], (images, index)
    return ir.Image(ir.Inline(data, shown_type(data) or wire.UNTYPED, src=place), src=place)


def _result(message: Object) -> ir.Turn:
    """Return a tool's result, which names the tool, and its call only in newer versions."""
    name, older, identity = (optional(message, key, str) for key in ("tool_name", "name", "tool_call_id"))
    images = strings(message, "images") or []
    text = optional(message, "content", str)
    content: list[ir.Part] = [ir.Text(text, src=message)] if text else []
    content += [_image(images, index) for index in range(len(images))]
    result = ir.ToolResult(identity or "", content, src=message, name=older if name is None else name)
    known = {"role", "content", "images", "tool_call_id", "name" if name is None else "tool_name"}
    return ir.Turn(ir.TOOL, [result], src=message, extra=extra_fields(message, known))


def read_message(message: Object) -> ir.Turn:
    """Return a message of a request. The model's template decides what other roles mean, as `control` of Granite's."""
    word = required(message, "role", str).lower()
    if word not in ROLES:
        return ir.Turn(ir.SYSTEM, [ir.UnknownPart(word, message, message)], src=message)
    return _result(message) if ROLES[word] is ir.TOOL else read_turn(message, ROLES[word])


# --- tools ------------------------------------------------------------------------------------------------------------
# The tools of a request of `/api/chat`.

TOOLS = UnionReader(wire.TOOLS, other=lambda tool: ir.UnknownTool(str(tool["type"]), tool, tool))
