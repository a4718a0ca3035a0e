"""Conditions and rewrites of the table of generateContent.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from proxai_ir.ir import parts, request, tools
from proxai_ir.ir.envelope import holds_envelope
from proxai_ir.rules.conditions import beyond, is_not, not_web
from proxai_ir.rules.verdicts import Fields
from proxai_ir.wire import gemini_generate_content as wire

LIMITS = {
    "TUL-26": f"a name must match {wire.TOOL_NAME}",
}
"""What this protocol accepts, for the diagnostics of values that it rejects."""

# --- settings ---------------------------------------------------------------------------------------------------------

too_many_logprobs = beyond("top_logprobs", wire.MOST_LOGPROBS)
beyond_budgets = beyond("budget", wire.MOST_BUDGET, wire.LEAST_BUDGET)

# The budget that is sent for an effort; the effort for it is the same again (RSN-3), but for the least and the highest.
BUDGET_OF = {
    request.Effort.MINIMAL: 512,
    request.Effort.LOW: 1024,
    request.Effort.MEDIUM: 4096,
    request.Effort.HIGH: 16384,
    request.Effort.XHIGH: 24576,
    request.Effort.MAX: 24576,
}


def possible_budget(thinking: request.Thinking) -> int | None:
    """The nearest budget that all models take."""
    budget = thinking.budget
    return None if budget is None else min(max(budget, wire.LEAST_BUDGET), wire.MOST_BUDGET)


def nearest_budget(thinking: request.Thinking) -> Fields:
    """An effort as a budget, unless the source has one too (RSN-21)."""
    assert thinking.effort is not None
    budget = BUDGET_OF[thinking.effort] if thinking.budget is None else possible_budget(thinking)
    return Fields(effort=None, budget=budget)


def not_a_label(service: request.Service) -> bool:
    """Whether a value is no string, as labels have."""
    return not all(isinstance(value, str) for value in (service.metadata or {}).values())


# --- parts ------------------------------------------------------------------------------------------------------------


other_image = is_not("mime", *wire.IMAGE_TYPES)
other_exit_code = is_not("exit_code", None, *wire.EXIT_CODE.values())


def foreign_seal(part: Any) -> bool:
    return part.seal is not None and part.seal.provider != wire.PROVIDER


BASE64 = re.compile(r"(?:[A-Za-z0-9+/_-]{4})*(?:[A-Za-z0-9+/_-]{2,3}={0,2})?")
"""In either alphabet, with or without padding, as JSON has the bytes of protocol buffers."""


def no_base64(part: Any) -> bool:
    """Whether a signature is none that the server could read; an envelope is encoded when it is written."""
    seal = part.seal
    return seal is not None and not holds_envelope(seal) and BASE64.fullmatch(seal.data) is None


def url_context(tool: tools.HostedTool) -> tools.HostedTool:
    """The tool for what another provider's tool does that opens pages."""
    return tools.HostedTool(wire.PAGES_TOOL, None, {wire.PAGES_TOOL: {}}, tool.src)


def no_data(source: parts.Inline) -> bool:
    """Whether something else stands where base64 data are expected: a URL, or a text of another length."""
    return "://" in source.data[:LONGEST_SCHEME] or len(source.data) % 4 == 1


LONGEST_SCHEME = 16


def in_result(part: Any) -> bool:
    """Whether a part besides text stands in a function's response: data of some types (documentation of functions)."""
    source = getattr(part, "source", None)
    if isinstance(source, parts.PlainText):
        return True
    return isinstance(source, parts.Inline) and wire.MEDIA_TYPE.get(source.mime or "", source.mime) in wire.RESULT_TYPES


def renamed(source: parts.Inline) -> Any:
    """With the registered name of its media type (SRC-4)."""
    return _typed(source, wire.MEDIA_TYPE[source.mime or ""])


def typed(types: Mapping[str, str], usual: str) -> Callable[[Any], Any]:
    """A rewrite: with the media type that the URL's file name suggests, or the usual one (SRC-5)."""

    def with_type(source: parts.Url | parts.Inline) -> Any:
        return _typed(source, types.get(_ending(source), usual))

    return with_type


def _ending(source: parts.Url | parts.Inline) -> str:
    """The end of a URL's file name."""
    name = source.url if isinstance(source, parts.Url) else ""
    return name.partition("?")[0].partition("#")[0].rpartition(".")[2].lower()


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


def untyped_video(source: parts.Url) -> bool:
    """Whether a URL of a film lacks its media type; pages of video sites have none."""
    return source.mime is None and not source.url.startswith(wire.VIDEO_SITES)


def _typed(source: Any, mime: str) -> Any:
    made = copy(source)
    made.mime = mime
    return made


def other_document(document: parts.Document) -> bool:
    """Whether a document is data of a type that is neither PDF nor text."""
    source = document.source
    mime = source.mime if isinstance(source, parts.Inline) else None
    return mime is not None and mime != wire.PDF and not mime.startswith("text/")


def other_text(source: parts.PlainText) -> bool:
    """Whether a text is of a type that is none of texts, as JSON is."""
    return not source.mime.startswith("text/")


def has_both_outputs(result: parts.CodeResult) -> bool:
    return bool(result.stdout and result.stderr)


def all_output(result: parts.CodeResult) -> Fields:
    """Both outputs in one, as this wire has it."""
    return Fields(stdout=f"{result.stdout}\n{result.stderr}", stderr=None)
