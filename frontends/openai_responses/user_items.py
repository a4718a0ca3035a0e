"""Items of the input that are no messages of the user's and are read as such, with a heading that says what they are.

Messages between agents (PLC-61): for the agent that gets one it is its task. OpenAI encrypts what its models tell each
other, and decrypts it for them; with servers of others the plain text stands in the place of the ciphertext.
Results that name a tool and no call (TUL-3): there is no call that they could be joined with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from proxai_ir.ir import parts as ir
from proxai_ir.ir.turns import Role, Turn

from .._lib.reading import Json, Object, an_object, each, extra_fields, missing, note_form, optional, tag, wrong
from .parts import GIVEN, INPUT, Readers, read_parts, result

AS_USER = "as user"
"""The wire form of these items, next to one for each of the members that their heading has."""
AGENT_MESSAGE, ENCRYPTED = "agent_message", "encrypted_content"
CIPHERTEXT = re.compile(r"gAAAA[a-zA-Z0-9_-]+=*")
"""What OpenAI encrypts: base64 of a version byte and a time."""


def _user_turn(item: Object, member: str, parts: list[ir.Part], heading: str, named: Mapping[str, str | None]) -> Turn:
    """`member` of the item has the parts, those in `named` are in the heading."""
    forms = [f"{key} {value}" for key, value in named.items() if value is not None]
    turn = Turn(Role.USER, parts, None, item, extra_fields(item, {"type", member, *named}))
    note_form(turn, AS_USER, f"type {item['type']}", *forms, *(["string"] if isinstance(item[member], str) else []))
    if heading:
        line = ir.Text(heading, None, None, (item, next(key for key, value in named.items() if value)))
        note_form(line, "heading")
        parts.insert(0, line)
    return turn


# --- messages between agents ------------------------------------------------------------------------------------------


def agent_message(item: Object) -> Turn:
    """What can be read of it, under its author and recipient."""
    parts = _content(item)
    named = {key: optional(item, key, str) for key in ("author", "recipient")}
    sides = [f" {word} {name}" for word, name in zip(("from", "to"), named.values(), strict=True) if name]
    sealed = [part for part in parts if isinstance(part, ir.VendorPart)]
    if len(sealed) < len(parts):
        return _user_turn(item, "content", parts, f"Message{''.join(sides)}:" if sides else "", named)
    for part in sealed:
        part.kind = ir.ALL_SEALED
    return _user_turn(item, "content", parts, "", named)


def _content(item: Object) -> list[ir.Part]:
    content = item.get("content")
    if content is None:
        raise missing(item, "content")
    if isinstance(content, str):
        return [ir.Text(content, None, None, (item, "content"))]
    if not isinstance(content, list):
        raise wrong(item, "content", "a string or an array of parts")
    return each(range(len(content)), lambda index: _part(content, index))


def _part(content: list[Json], index: int) -> ir.Part:
    part = an_object(content, index)
    kind = tag(part)
    if kind in GIVEN:
        read: ir.Part = GIVEN[kind](part)
        return read
    text = optional(part, ENCRYPTED, str) if kind == ENCRYPTED else None
    if text is None or CIPHERTEXT.fullmatch(text):
        return ir.VendorPart(ir.SEALED, part, part)
    return ir.Text(text, None, None, part, extra_fields(part, {"type", ENCRYPTED}, ENCRYPTED))


# --- results without a call -------------------------------------------------------------------------------------------


def _result(item: Object) -> Turn:
    name = item.get("name")
    if item.get("call_id") is not None or not isinstance(name, str) or not name:
        return result(item)
    return _user_turn(item, "output", read_parts(item, "output", GIVEN), f"Result of the tool {name}:", {"name": name})


ITEMS: Readers = {
    **INPUT,
    AGENT_MESSAGE: agent_message,
    "function_call_output": _result,
    "custom_tool_call_output": _result,
}
"""What may stand in the input of a request."""
