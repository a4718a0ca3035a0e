"""What the tables of Google's protocols ask alike: conditions, rewrites, and a check.

Rule: each condition stands here once; builders write what it leaves. A check acts where it reports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from attrs import frozen

from proxai_ir import ir
from proxai_ir.binding.server import Server
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.reporting.report import Report
from proxai_ir.rules.conditions import is_text_type, not_web, repeats_type
from proxai_ir.rules.media_types import right_type
from proxai_ir.rules.verdicts import Check, Fields
from proxai_ir.wire import google

LIMITS = {"TUL-26": f"a name must match {google.TOOL_NAME}"}
"""What Google's protocols accept, for the diagnostics of values that they reject."""
tool_name = re.compile(google.TOOL_NAME).fullmatch

# --- requests ---------------------------------------------------------------------------------------------------------


def not_a_label(service: ir.Service) -> bool:
    """Whether a value is no string, as labels have."""
    return not all(isinstance(value, str) for value in (service.metadata or {}).values())


HOSTED = (ir.WebSearchTool, ir.CodeTool, ir.HostedTool, ir.McpServer)
"""Tools that Google runs itself."""


def choosable(root: ir.Request, report: Report, server: Server) -> None:
    """Tools of other kinds that a choice allows are not listed in it (TUL-6); they are defined all the same."""
    choice = root.tool_choice
    if isinstance(choice, ir.AllowedChoice):
        listed = [(kind, name) for kind, name in choice.tools if kind == "function"]
        if len(listed) != len(choice.tools):
            report.at("TUL-6", choice, "tools")
            choice.tools = listed


CHOOSABLE = Check(choosable, ("TUL-6",), ir.Request, needs=("tool_choice",))

# --- signatures -------------------------------------------------------------------------------------------------------

BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2,3}={0,2})?")
"""In either alphabet, with or without padding, as JSON has the bytes of protocol buffers."""


def foreign_seal(part: Any) -> bool:
    return part.seal is not None and part.seal.provider != google.PROVIDER


def no_base64(part: Any) -> bool:
    """Whether a signature is none that the server could read; an envelope is encoded when it is written."""
    seal = part.seal
    return seal is not None and not holds_envelope(seal) and BASE64.fullmatch(seal.data) is None


# --- media ------------------------------------------------------------------------------------------------------------

LONGEST_SCHEME = 16


def no_data(source: ir.Inline) -> bool:
    """Whether something else stands where base64 data are expected: a URL, or a text of another length."""
    return "://" in source.data[:LONGEST_SCHEME] or len(source.data) % 4 == 1


def typed(types: Mapping[str, str], usual: str) -> Callable[[Any], Any]:
    """A rewrite: with the media type that the URL's file name suggests, or the usual one (SRC-5)."""
    return lambda source: _typed(source, types.get(_ending(source), usual))


def _typed(source: Any, mime: str) -> Any:
    made = copy(source)
    made.mime = mime
    return made


def _ending(source: ir.Url | ir.Inline) -> str:
    """The end of a URL's file name."""
    name = source.url if isinstance(source, ir.Url) else ""
    return name.partition("?")[0].partition("#")[0].rpartition(".")[2].lower()


@frozen
class Images:
    """Conditions of images, by the media types that a protocol takes."""

    types: frozenset[str]

    def other(self, source: Any) -> bool:
        return right_type(source) not in self.types

    def other_by_name(self, source: ir.Url) -> bool:
        """Whether a URL's file name says that it is an image of a type that this wire does not take (SRC-3)."""
        return (source.mime or google.IMAGE_FILES.get(_ending(source), google.JPEG)) not in self.types

    def unshowable(self, image: ir.Image) -> bool:
        """Whether an image of a model's cannot be handed on: of another type, or with its data elsewhere (IMG-4)."""
        source = image.source
        if isinstance(source, ir.Inline):
            return no_data(source) or self.other(source)
        if isinstance(source, ir.Url):
            return not_web(source) or self.other_by_name(source)
        return not isinstance(source, ir.FileRef) or source.provider != google.PROVIDER


def other_document(*types: str) -> Callable[[ir.Document], bool]:
    """Whether a document is data of a type that is neither text nor one of these."""

    def other(document: ir.Document) -> bool:
        source = document.source
        mime = source.mime if isinstance(source, ir.Inline) else None
        return mime is not None and not is_text_type(mime) and mime not in types

    return other


def untyped_text(source: ir.Inline) -> bool:
    """Whether a document is text of a type that this wire does not know, as JSON is."""
    return is_text_type(source.mime) and not str(source.mime).startswith("text/")


def as_plain(source: ir.Inline) -> ir.Inline:
    made: ir.Inline = _typed(source, google.PLAIN)
    return made


def other_text(*types: str) -> Callable[[ir.PlainText], bool]:
    """Whether a text is of a type that is neither text nor one of these, as JSON may be."""
    return lambda source: not source.mime.startswith("text/") and source.mime not in types


# --- runs of code -----------------------------------------------------------------------------------------------------


def has_both_outputs(result: ir.CodeResult) -> bool:
    return bool(result.stdout and result.stderr)


def all_output(result: ir.CodeResult) -> Fields:
    """Both outputs in one, as Google has it."""
    return Fields(stdout=f"{result.stdout}\n{result.stderr}", stderr=None)


# --- errors -----------------------------------------------------------------------------------------------------------


def repeats_word(error: Error) -> bool:
    """Whether a code adds nothing to the word; one for a prompt that is too long does, as no word says so."""
    named = error.category is ErrorCategory.CONTEXT_LENGTH and isinstance(error.code, str)
    return not named and repeats_type(error)
