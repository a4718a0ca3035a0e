"""Conditions and rewrites of the table of generateContent.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from proxai_ir.ir import parts, request, tools
from proxai_ir.ir.code import PYTHON
from proxai_ir.ir.error import Error
from proxai_ir.rules.conditions import is_
from proxai_ir.rules.verdicts import Fields
from proxai_ir.wire import gemini_generate_content as wire

from . import capabilities as accepted

Options = Mapping[str, Any]

LIMITS = {
    "RSN-4": "`carry_seals` sends it in an envelope",
    "TUL-8": f"a name must match {accepted.TOOL_NAME}",
}
"""What this protocol accepts, for the diagnostics of values that it rejects."""

# --- settings ---------------------------------------------------------------------------------------------------------


def absent(_: Any) -> None:
    """A rewrite: nothing, which means the same as an empty value."""


def off(name: str) -> Callable[[Any], bool]:
    """Whether a setting has the value that means that it is not used."""
    return is_(name, False, 0, {})


def too_many_stops(sampling: request.Sampling) -> bool:
    return len(sampling.stop or ()) > accepted.MOST_STOPS


def first_stops(sampling: request.Sampling) -> list[str]:
    """As many stop sequences as this protocol accepts (SMP-5)."""
    return (sampling.stop or [])[: accepted.MOST_STOPS]


def beyond_32_bits(sampling: request.Sampling) -> bool:
    return not -(2**31) <= (sampling.seed or 0) < 2**31


def too_hot(sampling: request.Sampling) -> bool:
    return sampling.temperature is not None and not 0 <= sampling.temperature <= 2


def too_many_logprobs(sampling: request.Sampling) -> bool:
    return (sampling.top_logprobs or 0) > accepted.MOST_LOGPROBS


def unscored(sampling: request.Sampling) -> bool:
    """Whether log probabilities are counted that nobody asks for, which this protocol refuses."""
    return not sampling.logprobs


def has_budget(thinking: request.Thinking) -> bool:
    """Whether there is a budget, which enables thinking by itself."""
    return thinking.budget is not None


def has_effort(thinking: request.Thinking) -> bool:
    return thinking.effort is not None


def highest_effort(_: request.Thinking) -> request.Effort:
    return request.Effort.HIGH


# The budget that is sent for an effort; the effort for it is the same again (RSN-3), but for the least and the highest.
BUDGET_OF = {
    request.Effort.MINIMAL: 512,
    request.Effort.LOW: 1024,
    request.Effort.MEDIUM: 4096,
    request.Effort.HIGH: 16384,
    request.Effort.XHIGH: 24576,
    request.Effort.MAX: 24576,
}


def beyond_budgets(thinking: request.Thinking) -> bool:
    return possible_budget(thinking) != thinking.budget


def possible_budget(thinking: request.Thinking) -> int | None:
    """The nearest budget that all models take."""
    budget = thinking.budget
    return None if budget is None else min(max(budget, accepted.LEAST_BUDGET), accepted.MOST_BUDGET)


def nearest_budget(thinking: request.Thinking) -> Fields:
    """An effort as a budget, unless the source has one too (RSN-21)."""
    assert thinking.effort is not None
    budget = BUDGET_OF[thinking.effort] if thinking.budget is None else possible_budget(thinking)
    return Fields(effort=None, budget=budget)


def not_googles(speech: request.Speech) -> bool:
    """Whether the voice is another vendor's."""
    return speech.voice not in accepted.VOICES


def not_a_label(service: request.Service) -> bool:
    """Whether a value is no string, as labels have."""
    return not all(isinstance(value, str) for value in (service.metadata or {}).values())


# --- parts ------------------------------------------------------------------------------------------------------------


def foreign_seal(part: Any) -> bool:
    return part.seal is not None and part.seal.provider != wire.PROVIDER


def url_context(tool: tools.HostedTool) -> tools.HostedTool:
    """The tool for what another provider's tool does that opens pages."""
    return tools.HostedTool(wire.PAGES_TOOL, None, {wire.PAGES_TOOL: {}}, tool.src)


def unreadable(reasoning: parts.Reasoning) -> bool:
    """Whether reasoning has nothing but another provider's seal."""
    return not reasoning.text and foreign_seal(reasoning)


def not_a_detail(image: parts.Image) -> bool:
    return image.detail not in wire.RESOLUTION_OF


def no_data(source: parts.Inline) -> bool:
    """Whether something else stands where base64 data are expected: a URL, or a text of another length."""
    return "://" in source.data[:LONGEST_SCHEME] or len(source.data) % 4 == 1


LONGEST_SCHEME = 16


def misnamed(source: parts.Inline) -> bool:
    return source.mime in accepted.MEDIA_TYPE


def renamed(source: parts.Inline) -> Any:
    """With the registered name of its media type (SRC-4)."""
    return _typed(source, accepted.MEDIA_TYPE[source.mime or ""])


def other_image(source: parts.Inline) -> bool:
    return source.mime not in accepted.IMAGE_TYPES


def not_web(source: parts.Url) -> bool:
    return not source.url.startswith(("https://", "http://"))


def other_provider(source: parts.FileRef) -> bool:
    return source.provider != wire.PROVIDER


def typed_image(source: parts.Url) -> Any:
    """With the media type that the URL's file name suggests, or the commonest (SRC-5)."""
    return _typed(source, _type_of(source.url, accepted.IMAGE_FILES, "image/jpeg"))


def untyped_video(source: parts.Url) -> bool:
    """Whether a URL of a film lacks its media type; pages of video sites have none."""
    return source.mime is None and not source.url.startswith(wire.VIDEO_SITES)


def typed_video(source: parts.Url) -> Any:
    return _typed(source, _type_of(source.url, accepted.VIDEO_FILES, "video/mp4"))


def typed_document(source: parts.Url | parts.Inline) -> Any:
    name = source.url if isinstance(source, parts.Url) else ""
    return _typed(source, _type_of(name, accepted.DOCUMENT_FILES, accepted.PDF))


def _type_of(url: str, types: Mapping[str, str], usual: str) -> str:
    path = url.partition("?")[0].partition("#")[0]
    return types.get(path.rpartition(".")[2].lower(), usual)


def _typed(source: Any, mime: str) -> Any:
    made = copy(source)
    made.mime = mime
    return made


def other_document(document: parts.Document) -> bool:
    """Whether a document is data of a type that is neither PDF nor text."""
    source = document.source
    if not isinstance(source, parts.Inline) or source.mime in (None, accepted.PDF):
        return False
    return not (source.mime or "").startswith("text/")


def as_wording(part: parts.Refusal) -> parts.Text:
    return parts.Text(part.text, src=part.src)


def spoken(audio: parts.Audio) -> parts.Text:
    """What was said, as text (AUD-2)."""
    return parts.Text(audio.transcript or "", src=audio.src)


def python(_: parts.CodeCall) -> str:
    """The only language that this protocol has a word for."""
    return PYTHON


def has_both_outputs(result: parts.CodeResult) -> bool:
    return bool(result.stdout and result.stderr)


def all_output(result: parts.CodeResult) -> Fields:
    """Both outputs in one, as this wire has it."""
    return Fields(stdout=f"{result.stdout}\n{result.stderr}", stderr=None)


def other_exit_code(result: parts.CodeResult) -> bool:
    return result.exit_code not in (None, *wire.EXIT_CODE.values())


def failed_code(_: parts.CodeResult) -> int:
    return wire.EXIT_CODE[wire.OUTCOME_FAILED]


# --- responses --------------------------------------------------------------------------------------------------------

USAGE_DETAILS = (
    *(f"{what}.{kind}" for what in wire.DETAILS.values() for kind in ("text", "image", "video", "audio", "document")),
    wire.TOOL_USE,
)


# --- errors -----------------------------------------------------------------------------------------------------------


def is_number(error: Error) -> bool:
    """Whether the code is a number, which this protocol has for HTTP statuses only."""
    return isinstance(error.code, int)
