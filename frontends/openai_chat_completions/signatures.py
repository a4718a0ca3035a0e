"""Signatures of Google's models, as its own servers of this protocol have them: `extra_content` (RSN-4).

    {"extra_content": {"google": {"thought_signature": …}}}     of a call, or of the text of a message

Vertex AI has `vertex` in place of `google`. Sources: Google's documentation of thought signatures, under OpenAI
compatibility, and what both servers send.
"""

from __future__ import annotations

from typing import NamedTuple

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.turns import Turn
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Object, extra_fields


class Signature(NamedTuple):
    """`rest`: what else there is in the member."""

    seal: Seal
    rest: Extra | None


def read_signature(holder: Object) -> Signature | None:
    content = holder.get(wire.EXTRA_CONTENT)
    if not isinstance(content, dict):
        return None
    for member in wire.SIGNERS:
        inner = content.get(member)
        if isinstance(inner, dict) and isinstance(text := inner.get(wire.SIGNATURE), str) and text:
            rest = extra_fields(content, {member}, nested={member: extra_fields(inner, {wire.SIGNATURE})})
            return Signature(read_seal(text, *wire.GOOGLES), rest)
    return None


def sign(turn: Turn, message: Object, known: set[str]) -> Extra | None:
    """Give the signature of a message to its last text; without text it is a part of its own. Returns the rest of the
    member, which is then known."""
    found = read_signature(message)
    if found is None:
        return None
    known.add(wire.EXTRA_CONTENT)
    texts = [part for part in turn.parts if isinstance(part, ir.Text) and part.text]
    if texts:
        texts[-1].seal = found.seal
        if isinstance(texts[-1].src, tuple):  # a place that has no signature
            texts[-1].src = message
    else:
        turn.parts.append(ir.Reasoning(None, found.seal, (message, wire.EXTRA_CONTENT)))
    return found.rest
