"""Reasoning in members of its own: as text, as OpenRouter's `reasoning_details`, and its signatures (RSN-4, RSN-15).

Rule: a signature is Anthropic's only where the `format` of its entry is. Any other seal is one of the router's,
whatever the format is, so that no protocol takes it for its own. Google's servers have theirs in `extra_content`, of a
call or of the text of a message (Vertex AI has `vertex` in place of `google`; Google's documentation of thought
signatures, under OpenAI compatibility, and what both servers send):

    {"extra_content": {"google": {"thought_signature": …}}}
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from proxai_ir import ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.turns import Turn
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object, extra_fields

OTHER_NAMES = ("reasoning", "reasoning_text")
MEMBERS = ("reasoning_content", *OTHER_NAMES)
DETAILS = "reasoning_details"
BLOCKS = "thinking_blocks"


def texts_of(holder: Object) -> dict[str, str]:
    """The reasoning texts of a message or a delta, by member: DeepSeek's `reasoning_content`, others' names."""
    return {key: holder[key] for key in MEMBERS if isinstance(holder.get(key), str) and holder[key]}


class Detail(NamedTuple):
    """One of `reasoning_details`. `key`: of what it continues, if anything; None: it stands alone."""

    text: str
    seal: Seal | None
    summary: bool
    key: tuple[Json, ...] | None
    src: Any


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


def read_block(block: Json) -> Detail | None:
    """One of LiteLLM's `thinking_blocks`, which are as Anthropic makes them."""
    if not wire.readable_block(block):
        return None
    if block["type"] == "redacted_thinking":
        return Detail("", read_seal(block["data"], "anthropic", "redacted"), False, None, block)
    signature = block.get("signature")
    seal = read_seal(signature, "anthropic", "signature") if signature else None
    return Detail(block.get("thinking") or "", seal, False, (BLOCKS,), block)


READERS: dict[str, Callable[[Json], Detail | None]] = {DETAILS: read_detail, BLOCKS: read_block}
"""By member: what reads each of its entries."""
OPAQUE = "reasoning_opaque"  # Copilot's
DETAILED = frozenset({*READERS, OPAQUE})


def read_details(holder: Object) -> list[Detail]:
    """All details of the reasoning of a message or a delta, from whichever members have them."""
    found: list[Detail] = []
    for member, read in READERS.items():
        given = holder.get(member)
        if isinstance(given, list):
            found += [one for one in map(read, given) if one is not None]
    opaque = holder.get(OPAQUE)
    if isinstance(opaque, str) and opaque:
        src = (holder, OPAQUE)
        found.append(Detail("", read_seal(opaque, "copilot", "encrypted"), False, None, src))
    return found


def read_summary(part: Object) -> ir.Part:
    """Databricks' dialect: reasoning among the content parts. Its signature does not say whose it is."""
    pieces = part.get("summary")
    texts = [one for one in pieces if _is_summary(one)] if isinstance(pieces, list) else []
    signatures = [one["signature"] for one in texts if one.get("signature")]
    if not isinstance(pieces, list) or len(texts) != len(pieces) or len(signatures) > 1:
        return ir.UnknownPart("reasoning", part, part)
    seal = read_seal(signatures[0], "databricks", "signature") if signatures else None
    text = "\n\n".join(one["text"] for one in texts)
    return ir.Reasoning(text or None, seal, part, extra_fields(part, {"type", "summary"}), True)


def _is_summary(piece: Json) -> bool:
    if not isinstance(piece, dict) or piece.get("type") != "summary_text" or set(piece) - {"type", "text", "signature"}:
        return False
    return isinstance(piece.get("text"), str) and isinstance(piece.get("signature"), (str, type(None)))


def read_reasoning(message: Object, known: set[str]) -> list[ir.Part]:
    """The reasoning of a whole message; adds to `known` the members that the parts have all of."""
    found: list[ir.Part] = []
    wanted = ""
    if not DETAILED.isdisjoint(message):
        details = _joined(message)
        wanted = "".join(detail.text for detail in details)
        found += (
            ir.Reasoning(one.text or None, one.seal, one.src, None, one.summary or None)
            for one in details
            if one.text or one.seal is not None
        )
    for key in MEMBERS:
        text = message.get(key)
        if isinstance(text, str) and text:
            if not wanted:  # no detail has it
                wanted = text
                found.insert(0, ir.Reasoning(text, None, (message, key)))
            if text == wanted:
                known.add(key)
    return found


def _joined(message: Object) -> list[Detail]:
    """The details, those that continue one another as one."""
    found: list[Detail] = []
    pieces: list[list[str]] = []
    for one in read_details(message):
        if found and one.key not in (None, (BLOCKS,)) and one.key == found[-1].key and found[-1].seal is None:
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
