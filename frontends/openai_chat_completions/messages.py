"""Whole messages of Chat Completions, as turns. Requests and responses share them.

A message's reasoning comes first, then its content, refusal, audio and images, then its calls: the order in which the
separate members of an assistant message are ordered (PLC-4).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.turns import ASSISTANT, DEVELOPER, SYSTEM, TOOL, USER, Role, Turn
from proxai_ir.wire import openai_chat_completions as wire
from proxai_ir.wire import openai_chat_completions_objects as objects

from .._lib.objects import ObjectReader
from .._lib.reading import NOTHING, Object, extra_fields, json_text, keep, missing, optional, required
from .images import in_content, read_images
from .parts import FUNCTION_KEYS, content_parts, mark_last, read_calls
from .reasoning import read_reasoning, sign


def legacy_call(message: Object) -> ir.FunctionCall | None:
    """The single, id-less call of the legacy `function_call` member (TUL-5)."""
    call = optional(message, "function_call", dict)
    if call is None or _blank(call):
        return None
    return ir.FunctionCall(
        None,
        required(call, "name", str),
        optional(call, "arguments", str) or "",
        None,
        call,
        extra_fields(call, FUNCTION_KEYS),
    )


def _blank(value: Object) -> bool:
    """Some servers fill absent members with empty ones, which say nothing (ENV-7)."""
    return not any(value.values())


PLAIN_KEYS = frozenset({"role", "content", "name"})
TOOL_KEYS = frozenset({"role", "content", "tool_call_id"})
ASSISTANT_KEYS = frozenset({"role", "content", "name", "refusal", "audio", "tool_calls", "function_call"})
ORDINARY_KEYS = frozenset({"role", "content", "tool_calls"})
MAY_BE_BLANK = frozenset({"refusal", "audio", "function_call"})


def assistant_turn(message: Object, audio: Callable[[Object], ir.Part]) -> Turn:
    """An assistant message of a request or a response; `audio` reads what differs in the two."""
    turn = Turn(ASSISTANT, object_content(message), None, message)
    shape = type(message.get("content"))
    if shape is list:
        in_content(turn.parts)
    ordinary = True
    for key, value in message.items():
        if value is not None and key not in ORDINARY_KEYS and value != []:
            ordinary = False
            break
    if not ordinary:
        _before_calls(turn, message, audio)
    calls = message.get("tool_calls")
    if calls is not None:
        turn.parts += read_calls(calls if type(calls) is list else required(message, "tool_calls", list))
    if not ordinary:
        legacy = legacy_call(message)
        if legacy is not None:
            turn.parts.append(legacy)
        mark_last(turn, message, turn.parts)
    if shape is dict:
        keep(turn, "content", message["content"])
    return turn


def _before_calls(turn: Turn, message: Object, audio: Callable[[Object], ir.Part]) -> None:
    """What an assistant message may hold besides its content and calls, and what is kept of it for this protocol."""
    known = set(ASSISTANT_KEYS)
    turn.parts[:0] = read_reasoning(message, known)
    if not MAY_BE_BLANK.isdisjoint(message):
        _refusal_and_audio(turn, message, audio, known)
    turn.parts += read_images(message, known)
    turn.name = optional(message, "name", str)
    rest = sign(turn, message, known) if wire.EXTRA_CONTENT in message else None
    turn.extra = extra_fields(message, known, nested={wire.EXTRA_CONTENT: rest} if rest is not None else NOTHING)


def _refusal_and_audio(turn: Turn, message: Object, audio: Callable[[Object], ir.Part], known: set[str]) -> None:
    refusal = optional(message, "refusal", str)
    if refusal:
        turn.parts.append(ir.Refusal(refusal, (message, "refusal")))
    spoken = optional(message, "audio", dict)
    if spoken is not None and not _blank(spoken):
        turn.parts.append(audio(spoken))
    for key in MAY_BE_BLANK:
        value = message.get(key)
        if value is not None and (not value or (isinstance(value, dict) and _blank(value))):
            known.discard(key)


def plain_turn(role: Role) -> Any:
    def read(message: Object) -> Turn:
        content = message.get("content")
        if type(content) is str and len(message) == 2:  # role and content: what most messages are
            return Turn(role, [ir.Text(content, None, None, (message, "content"))], None, message)
        if content is None:
            raise missing(message, "content")
        turn = Turn(role, content_parts(message), None, message)
        if len(message) != 2:
            turn.name = optional(message, "name", str)
            turn.extra = extra_fields(message, PLAIN_KEYS)
            mark_last(turn, message, turn.parts)
        return turn

    return read


def tool_turn(message: Object) -> Turn:
    """A `role: "tool"` message: one result (TUL-3). Without an id it is that of no call, as far as is known."""
    content, call_id = message.get("content"), message.get("tool_call_id")
    if type(content) is str and type(call_id) is str and len(message) == 3:
        text = ir.Text(content, None, None, (message, "content"))
        return Turn(TOOL, [ir.ToolResult(call_id, [text], None, None, message)], None, message)
    call_id = optional(message, "tool_call_id", str) or ""
    result = ir.ToolResult(call_id, object_content(message), None, None, message)
    known = TOOL_KEYS
    if not call_id and (name := optional(message, "name", str)):  # by which its call may be found (TUL-63)
        result.name, known = name, known | {"name"}
    turn = Turn(TOOL, [result], None, message, extra_fields(message, known))
    mark_last(turn, message, [result])
    return turn


def function_turn(message: Object) -> Turn:
    """A legacy `role: "function"` message: a result that names its function and no call (TUL-5)."""
    name = required(message, "name", str)
    result = ir.ToolResult(None, content_parts(message), None, None, message, name=name)
    return Turn(TOOL, [result], None, message, extra_fields(message, PLAIN_KEYS))


def object_content(message: Object) -> list[ir.Part]:
    """Cloudflare has structured output as an object in place of its text, which clients give back; they have results of
    tools so, too."""
    if type(message.get("content")) is dict:
        return [ir.Text(json_text(message, "content"), None, None, (message, "content"))]
    return content_parts(message)


def stored_audio(audio: Object) -> ir.Part:
    """A request names an earlier spoken answer by its id."""
    return ir.Audio(
        ir.FileRef(required(audio, "id", str), audio), None, None, None, None, audio, extra_fields(audio, {"id"})
    )


answered_audio = ObjectReader(objects.SPOKEN, {"data": lambda audio, key: ir.Inline(audio[key], None, (audio, key))})
"""An answer holds the recording itself, its format being the one that was asked for."""


MESSAGES = {
    "system": plain_turn(SYSTEM),
    "developer": plain_turn(DEVELOPER),
    "user": plain_turn(USER),
    "assistant": partial(assistant_turn, audio=stored_audio),
    "tool": tool_turn,
    "function": function_turn,
}


def pair_blank_ids(turns: list[Turn]) -> None:
    """Give calls whose id is "" one of their own, and their results too: they follow in the order of the calls."""
    used: set[Any] = {call.id for turn in turns for call in turn.parts if isinstance(call, ir.CALLS)}
    free = (name for name in map("call_{}".format, count(1)) if name not in used)
    waiting: deque[ir.FunctionCall] = deque()
    for turn in turns:
        if turn.role is ASSISTANT:
            waiting = deque(part for part in turn.parts if isinstance(part, ir.FunctionCall) and part.id is None)
        for result in turn.parts:
            if isinstance(result, ir.ToolResult) and result.call_id == "" and waiting:
                call = waiting.popleft()
                call.id = result.call_id = next(free)
                keep(call, "id", "")
                keep(turn, "tool_call_id", "")
