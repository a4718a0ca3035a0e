"""What the table of Chat Completions asks of nodes: conditions of its verdicts, and rewrites."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from proxai_ir.backends._openai.conditions import is_data
from proxai_ir.ir import parts, request, tools
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.rules.conditions import is_text_type, signature_alone
from proxai_ir.wire import openai_chat_completions as wire

from .._lib.writing import text_of


def too_many_stops(sampling: request.Sampling) -> bool:
    return len(sampling.stop or ()) > wire.MOST_STOPS


def first_stops(sampling: request.Sampling) -> list[str]:
    """As many stop sequences as the wire accepts (SMP-5)."""
    return (sampling.stop or [])[: wire.MOST_STOPS]


def unscored(sampling: request.Sampling) -> bool:
    """Whether log probabilities are counted without being asked for, which this protocol refuses."""
    return not sampling.logprobs


def as_system(_: Turn) -> Role:
    """The role that all servers know for instructions (PLC-1)."""
    return Role.SYSTEM


def instructs(turn: Turn) -> bool:
    """Whether a turn holds instructions, which become one message with all others (PLC-2)."""
    return turn.role is Role.SYSTEM or turn.role is Role.DEVELOPER


def is_text(document: parts.Document) -> bool:
    """Whether a document is text, given as such or as data."""
    source = document.source
    return isinstance(source, parts.PlainText) or (isinstance(source, parts.Inline) and is_text_type(source.mime))


def as_text(document: parts.Document) -> parts.Text:
    """The document's text under its title (DOC-6)."""
    assert isinstance(document.source, (parts.PlainText, parts.Inline))
    text = text_of(document.source)
    return parts.Text(f"{document.title}\n\n{text}" if document.title else text, None, document.cache, document.src)


def is_linked(document: parts.Document) -> bool:
    """Whether only the address of a document is given."""
    return isinstance(document.source, parts.Url) and not is_data(document.source)


def as_link(document: parts.Document) -> parts.Text:
    """The address under the document's title, for models that can open it (DOC-7)."""
    assert isinstance(document.source, parts.Url)
    lines = filter(None, (document.title, document.source.url))
    return parts.Text("\n".join(lines), None, document.cache, document.src)


def other_document(document: parts.Document) -> bool:
    """Whether a document is data of a type that the official API refuses; without a type they may be a PDF."""
    source = document.source
    return isinstance(source, parts.Inline) and source.mime not in (None, PDF)


def any_json(schema: request.SchemaFormat) -> request.JsonFormat:
    """JSON without the schema (OUT-10)."""
    return request.JsonFormat(schema.src)


def among_all(choice: tools.AllowedChoice) -> tools.Choice:
    """The same choice, among all tools."""
    return tools.Choice(choice.mode, choice.src)


def short_call_id(identity: str) -> str:
    """The id itself, or one of nine letters and digits, the same for the same id (TUL-13)."""
    return identity if SHORT_ID.fullmatch(identity) else sha256(identity.encode()).hexdigest()[:9]


SHORT_ID = re.compile("[a-zA-Z0-9]{9}")


def unstored(service: request.Service) -> bool:
    """Whether the response is not stored, in which case metadata is refused (USR-3)."""
    return service.store is not True


def not_googles(part: Any) -> bool:
    """Whether a seal is none of Google's, the only ones that this protocol has a place for."""
    return part.seal is not None and (part.seal.provider, part.seal.kind) != wire.GOOGLES


def unreadable(reasoning: parts.Reasoning) -> bool:
    return not reasoning.text and not_googles(reasoning)


def useless(reasoning: parts.Reasoning) -> bool:
    """Whether reasoning is nothing but a signature that this provider did not issue."""
    return not_googles(reasoning) and signature_alone(reasoning)


PDF = "application/pdf"


def read_out(document: parts.Document) -> bool:
    return isinstance(document.source, (parts.Chunks, parts.PlainText))
