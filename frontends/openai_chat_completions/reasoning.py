"""Reasoning in members of its own: as text, and as OpenRouter's `reasoning_details` (RSN-4, RSN-15).

Rule: a signature is Anthropic's only where the `format` of its entry is. Any other seal is one of the router's,
whatever the format is, so that no protocol takes it for its own.
"""

from __future__ import annotations

from typing import NamedTuple

from proxai_ir.ir import parts as ir
from proxai_ir.ir.envelope import read_seal
from proxai_ir.ir.node import Seal
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.reading import Json, Object

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
