"""Items of the input that are no messages of the user's and are read as such, with a heading that says what they are.

Messages between agents (PLC-61): for the agent that gets one it is its task. OpenAI encrypts what its models tell each
other, and decrypts it for them; with servers of others the plain text stands in the place of the ciphertext.
Results that name a tool and no call (TUL-3): there is no call that they could be joined with.
"""

from __future__ import annotations

import re

from proxai_ir.ir import parts as ir
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.wire.openai_responses_values import AGENT_MESSAGE, heading_of, unasked

from .._lib.reading import Json, Object, an_object, each, kept, missing, optional, tag, wrong
from .parts import GIVEN, INPUT, Readers, read_parts, result

ENCRYPTED = "encrypted_content"
CIPHERTEXT = re.compile(r"gAAAA[a-zA-Z0-9_-]+=*")
"""What OpenAI encrypts: base64 of a version byte and a time."""


def _user_turn(item: Object, member: str, parts: list[ir.Part], *named: str) -> Turn:
    """`member` of the item has the parts, those in `named` are in the heading."""
    heading = heading_of(item)
    if heading and not _sealed(parts):
        parts.insert(0, ir.Text(heading, None, None, (item, next(key for key in named if item.get(key)))))
    return Turn(Role.USER, parts, None, item, kept(item, {member}))


def _sealed(parts: list[ir.Part]) -> bool:
    return all(isinstance(part, ir.VendorPart) for part in parts)


# --- messages between agents ------------------------------------------------------------------------------------------


def agent_message(item: Object) -> Turn:
    """What can be read of it, under its author and recipient."""
    parts = _content(item)
    for key in ("author", "recipient"):
        optional(item, key, str)
    if _sealed(parts):
        for part in parts:
            part.kind = ir.ALL_SEALED  # type: ignore[union-attr]
    return _user_turn(item, "content", parts, "author", "recipient")


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
    if kind in GIVEN.readers:
        read: ir.Part = GIVEN.read(part)
        return read
    text = optional(part, ENCRYPTED, str) if kind == ENCRYPTED else None
    if text is None or CIPHERTEXT.fullmatch(text):
        return ir.VendorPart(ir.SEALED, part, part)
    return ir.Text(text, None, None, part, kept(part, {"type", ENCRYPTED}))


# --- results without a call -------------------------------------------------------------------------------------------


def _result(item: Object) -> Turn:
    return _user_turn(item, "output", read_parts(item, "output", GIVEN), "name") if unasked(item) else result(item)


ITEMS: Readers = {
    **INPUT,
    AGENT_MESSAGE: agent_message,
    "function_call_output": _result,
    "custom_tool_call_output": _result,
}
"""What may stand in the input of a request."""
