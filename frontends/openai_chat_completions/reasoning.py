"""Reasoning in members of its own: as text, as OpenRouter's `reasoning_details`, and its signatures (RSN-4, RSN-15).

Rule: a signature is Anthropic's only where the `format` of its entry is. Any other seal is one of the router's,
whatever the format is, so that no protocol takes it for its own. Google's servers have theirs in `extra_content`, of a
call or of the text of a message (Vertex AI has `vertex` in place of `google`; Google's documentation of thought
signatures, under OpenAI compatibility, and what both servers send):

    {"extra_content": {"google": {"thought_signature": …}}}
"""

from __future__ import annotations

from typing import NamedTuple

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.turns import Turn
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object, extra_fields

OTHER_NAME = "reasoning"
MEMBERS = ("reasoning_content", OTHER_NAME)
DETAILS = "reasoning_details"


def texts_of(holder: Object) -> dict[str, str]:
    """The reasoning texts of a message or a delta, by member: DeepSeek's `reasoning_content`, others' `reasoning`."""
    return {key: holder[key] for key in MEMBERS if isinstance(holder.get(key), str) and holder[key]}


class Detail(NamedTuple):
    """One of `reasoning_details`. `key`: of what it continues, if anything; None: it stands alone."""

    text: str
    seal: Seal | None
    summary: bool
    key: tuple[Json, ...] | None
    src: Object


def read_detail(detail: Json) -> Detail | None:
    """None for an unknown type."""
    member = wire.DETAILS.get(detail.get("type") or "") if isinstance(detail, dict) and wire.readable(detail) else None
    if member is None:
        return None
    text, label, index = detail.get(member) or "", detail.get("format") or "unknown", detail.get("index")
    maker, signed, sealed = wire.MAKERS.get(label, (f"openrouter/{label}", "signature", "encrypted"))
    seal: Seal | None
    if member == "data":
        seal = read_seal(text, maker, sealed)
        if seal.provider == maker:
            seal.id = detail.get("id")
        return Detail("", seal, False, None, detail)
    signature = detail.get("signature")
    seal = read_seal(signature, maker, signed) if signature else None
    return Detail(text, seal, member == "summary", (member, index if type(index) is int else None), detail)


def read_reasoning(message: Object, known: set[str]) -> list[ir.Part]:
    """The reasoning of a whole message; adds to `known` the members that the parts have all of."""
    texts = texts_of(message)
    details = _joined(message)
    written = "".join(detail.text for detail in details)
    same = [key for key, text in texts.items() if text == (written or next(iter(texts.values())))]
    known.update(same)
    found: list[ir.Part] = [
        ir.Reasoning(one.text or None, one.seal, one.src, None, one.summary or None)
        for one in details
        if one.text or one.seal is not None
    ]
    if same and not written:
        found.insert(0, ir.Reasoning(texts[same[0]], None, (message, same[0])))
    return found


def _joined(message: Object) -> list[Detail]:
    """The details, those that continue one another as one."""
    given = message.get(DETAILS)
    found: list[Detail] = []
    pieces: list[list[str]] = []
    for one in map(read_detail, given if isinstance(given, list) else ()):
        if one is None:
            continue
        if found and one.key is not None and one.key == found[-1].key and found[-1].seal is None:
            found[-1] = found[-1]._replace(seal=one.seal)
            pieces[-1].append(one.text)
        else:
            found.append(one)
            pieces.append([one.text])
    return [one._replace(text="".join(text)) for one, text in zip(found, pieces, strict=True)]


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
