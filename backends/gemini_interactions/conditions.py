"""Conditions and rewrites of the table of Interactions.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from proxai_ir.ir import parts, request, tools
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.rules.conditions import is_not, not_web
from proxai_ir.rules.verdicts import Fields
from proxai_ir.wire import gemini_interactions as wire

LIMITS = {"TUL-26": f"a name must match {wire.TOOL_NAME}"}
"""What this protocol accepts, for the diagnostics of values that it rejects."""

other_image = is_not("mime", *wire.IMAGE_TYPES)


def not_a_label(service: request.Service) -> bool:
    """Whether a value is no string, as labels have."""
    return not all(isinstance(value, str) for value in (service.metadata or {}).values())


def foreign_seal(part: Any) -> bool:
    return part.seal is not None and part.seal.provider != wire.PROVIDER


BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2,3}={0,2})?")
"""In either alphabet, with or without padding."""


def no_base64(part: Any) -> bool:
    """Whether a signature is none that the server could read; an envelope is encoded when it is written."""
    seal = part.seal
    return seal is not None and not holds_envelope(seal) and BASE64.fullmatch(seal.data) is None


def carried_seal(part: Any) -> bool:
    """Whether a part that is no thought has a seal, which stands in a thought beside it (RSN-90)."""
    return part.seal is not None


def url_context(tool: tools.HostedTool) -> tools.HostedTool:
    """The tool for what another provider's tool does that opens pages."""
    return tools.HostedTool(wire.PAGES_KIND, None, {"type": wire.PAGES_TOOL}, tool.src)


def no_data(source: parts.Inline) -> bool:
    """Whether something else stands where base64 data are expected: a URL, or a text of another length."""
    return "://" in source.data[:LONGEST_SCHEME] or len(source.data) % 4 == 1


LONGEST_SCHEME = 16


def renamed(source: parts.Inline) -> Any:
    """With the registered name of its media type (SRC-4)."""
    return _typed(source, wire.MEDIA_TYPE[source.mime or ""])


def typed(types: Mapping[str, str], usual: str) -> Callable[[Any], Any]:
    """A rewrite: with the media type that the URL's file name suggests, or the usual one (SRC-5)."""
    return lambda source: _typed(source, types.get(_ending(source), usual))


def _ending(source: parts.Url | parts.Inline) -> str:
    """The end of a URL's file name."""
    name = source.url if isinstance(source, parts.Url) else ""
    return name.partition("?")[0].partition("#")[0].rpartition(".")[2].lower()


def _typed(source: Any, mime: str) -> Any:
    made = copy(source)
    made.mime = mime
    return made


def names_other_image(source: parts.Url) -> bool:
    """Whether a URL's file name says that it is an image of a type that this wire does not take (SRC-3)."""
    return (source.mime or wire.IMAGE_FILES.get(_ending(source), wire.JPEG)) not in wire.IMAGE_TYPES


def unshowable(image: parts.Image) -> bool:
    """Whether an image that a model made cannot be handed on: of another type, or its data are elsewhere (IMG-4)."""
    source = image.source
    if isinstance(source, parts.Inline):
        return no_data(source) or (source.mime not in wire.MEDIA_TYPE and other_image(source))
    if isinstance(source, parts.Url):
        return not_web(source) or names_other_image(source)
    return not isinstance(source, parts.FileRef) or source.provider != wire.PROVIDER


def other_document(document: parts.Document) -> bool:
    """Whether a document is data of a type that servers do not list."""
    source = document.source
    mime = source.mime if isinstance(source, parts.Inline) else None
    return mime is not None and not mime.startswith("text/") and mime not in wire.DOCUMENT_TYPES


def other_text(source: parts.PlainText) -> bool:
    """The same of a text."""
    return not source.mime.startswith("text/") and source.mime not in wire.DOCUMENT_TYPES


def has_both_outputs(result: parts.CodeResult) -> bool:
    return bool(result.stdout and result.stderr)


def all_output(result: parts.CodeResult) -> Fields:
    """Both outputs in one, as this wire has it."""
    return Fields(stdout=f"{result.stdout}\n{result.stderr}", stderr=None)
