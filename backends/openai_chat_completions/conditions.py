"""What the table of Chat Completions asks of nodes: conditions of its verdicts, and rewrites."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from proxai_ir import ir
from proxai_ir.backends._openai.conditions import is_data
from proxai_ir.ir.media_types import AUDIO, registered
from proxai_ir.rules.conditions import is_text_type
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import text_of


def elsewhere(recording: ir.Audio) -> bool:
    """Whether the data of what a model spoke are not at hand."""
    return not isinstance(recording.source, ir.Inline)


def format_of(recording: ir.Audio) -> str:
    return (recording.source.mime or "") if isinstance(recording.source, ir.Inline) else ""


def audio_format(mime: str | None) -> str:
    """What the wire calls the format of a recording of this type."""
    name = registered(mime) or ""
    return AUDIO.get(name, name).removeprefix("audio/")


def other_recording(recording: ir.Audio) -> bool:
    """Whether a recording is of a format that not every server takes (SRC-3)."""
    return isinstance(recording.source, ir.Inline) and audio_format(recording.source.mime) not in wire.AUDIO_FORMATS


RAW = re.compile(r"audio/(l16|pcm)(;.*)?", re.IGNORECASE)


def other_format(recording: ir.Audio) -> bool:
    """Whether what a model spoke is neither in the format that the request asked for nor in `pcm16`: raw samples of 16
    bits, 24,000 in a second (AUD-4)."""
    mime = format_of(recording).replace(" ", "")
    return bool(mime) and (RAW.fullmatch(mime) is None or "rate=24000" not in mime.lower())


def is_text(document: ir.Document) -> bool:
    """Whether a document is text, given as such or as data."""
    source = document.source
    return isinstance(source, ir.PlainText) or (isinstance(source, ir.Inline) and is_text_type(source.mime))


def as_text(document: ir.Document) -> ir.Text:
    """The document's text under its title (DOC-6)."""
    assert isinstance(document.source, (ir.PlainText, ir.Inline))
    text = text_of(document.source)
    return ir.Text(f"{document.title}\n\n{text}" if document.title else text, None, document.cache, document.src)


def is_linked(document: ir.Document) -> bool:
    """Whether only the address of a document is given."""
    return isinstance(document.source, ir.Url) and not is_data(document.source)


def as_link(document: ir.Document) -> ir.Text:
    """The address under the document's title, for models that can open it (DOC-7)."""
    assert isinstance(document.source, ir.Url)
    lines = filter(None, (document.title, document.source.url))
    return ir.Text("\n".join(lines), None, document.cache, document.src)


def other_document(document: ir.Document) -> bool:
    """Whether a document is data of a type that the official API refuses; without a type they may be a PDF."""
    source = document.source
    return isinstance(source, ir.Inline) and source.mime not in (None, PDF)


def any_json(schema: ir.SchemaFormat) -> ir.JsonFormat:
    """JSON without the schema (OUT-10)."""
    return ir.JsonFormat(schema.src)


def among_all(choice: ir.AllowedChoice) -> ir.Choice:
    """The same choice, among all tools."""
    return ir.Choice(choice.mode, choice.src)


def short_call_id(identity: str) -> str:
    """The id itself, or one of nine letters and digits, the same for the same id (TUL-13)."""
    if SHORT_ID.fullmatch(identity):
        return identity
    return sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:9]


SHORT_ID = re.compile("[a-zA-Z0-9]{9}")
PDF = "application/pdf"


def not_googles(part: Any) -> bool:
    """Whether a seal is none of Google's, the only ones that this protocol has a place for."""
    return part.seal is not None and (part.seal.provider, part.seal.kind) != wire.GOOGLES


SEALED_BY = {"copilot": "copilot", "databricks": "databricks", "litellm": "anthropic"}
"""Whose seals a server can read, by the word of the capability."""


def made_by(provider: str) -> Callable[[Any], bool]:
    def made(part: Any) -> bool:
        return part.seal is not None and part.seal.provider == provider

    return made
