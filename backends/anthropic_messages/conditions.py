"""Conditions and rewrites of the table of Anthropic Messages.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

import re
from copy import copy
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.envelope import is_closed, is_unverified
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Seal
from proxai_ir.json.types import quoted
from proxai_ir.rules.conditions import checked, is_text_type, prefixed, searches_tools, signature_alone
from proxai_ir.rules.verdicts import Fields, lacking, loses, notes, omits
from proxai_ir.wire import anthropic_messages as wire

from .._lib.writing import text_of

MEDIA = ", ".join([*sorted(wire.IMAGE_TYPES), wire.PDF, "text/*", "application/json"])
LIMITS = {
    "CAC-2": f"available: {', '.join(wire.TTL)}",
    "CAC-3": f"available: {', '.join(wire.TTL)}",
    "CAC-6": f"at most {wire.MOST_BREAKPOINTS}",
    "SCH-4": f"a name must match {wire.PARAMETER}",
    "SRC-3": f"accepted: {MEDIA}; URLs with http:// or https://",
    "TUL-26": f"a name must match {wire.TOOL_NAME}",
    "TUL-13": f"an id must match {wire.CALL_ID}; what the provider runs, {wire.SERVER_CALL_ID} or {wire.MCP_ID}…",
    "USR-5": f"at most {wire.MOST_OF_END_USER} characters",
}
"""What this protocol accepts, for the diagnostics of values that it rejects."""

# --- settings ---------------------------------------------------------------------------------------------------------


def names_end_user(service: ir.Service) -> bool:
    """Whether metadata have the id of an end user, as this protocol's do, and nothing else says who it is."""
    named = (service.metadata or {}).get(wire.USER_ID)
    known = service.end_user is not None or service.user is not None
    return not known and isinstance(named, str) and 0 < len(named) <= wire.MOST_OF_END_USER


def as_end_user(service: ir.Service) -> Fields:
    return Fields(metadata=None, end_user=(service.metadata or {})[wire.USER_ID])


def limits_search(root: ir.Request) -> bool:
    """Whether a limit on all calls that the provider runs is one on its web search (TUL-9), at least 1."""
    return (root.hosted_calls or 0) > 0 and ir.lone_search(root.tools or ()) is not None


def too_hot(sampling: ir.Sampling) -> bool:
    """This protocol's temperature ends at 1 (SMP-2)."""
    return sampling.temperature is not None and not 0 <= sampling.temperature <= 1


BLANK_STOP = "a stop sequence must not be only whitespace"


def with_temperature(sampling: ir.Sampling) -> bool:
    """Whether there is a temperature that is sent, so that `top_p` cannot be (SMP-8)."""
    return sampling.temperature not in (None, 1) and not too_hot(sampling)


def has_blank_stop(sampling: ir.Sampling) -> bool:
    """Whether a stop sequence is only whitespace (SMP-2)."""
    return not all(map(str.strip, sampling.stop or ()))


def without_blank_stops(sampling: ir.Sampling) -> list[str] | None:
    return [one for one in sampling.stop or () if one.strip()] or None


def without_thinking(_: ir.Thinking) -> Fields:
    """The least effort is no thinking at all (RSN-7)."""
    return Fields(mode=ir.ThinkingMode.DISABLED, effort=None)


def between_tools(_: ir.Thinking) -> Fields:
    """The least thinking of some models: none before the answer, notes between calls (RSN-33)."""
    return Fields(mode=ir.ThinkingMode.BETWEEN_TOOLS, effort=None)


# --- tools ------------------------------------------------------------------------------------------------------------

CALLABLE = (ir.FunctionTool, ir.WebSearchTool, ir.CodeTool, ir.McpServer, ir.HostedTool)


OTHER_HOSTED = (ir.CodeTool, ir.McpServer, ir.McpToolset)
"""The provider's tools that have a form of their own, but for web search."""


def finds_no_tools(tool: ir.HostedTool) -> bool:
    """Whether a tool of the provider is not the one that finds others of the request."""
    return not searches_tools(tool)


def is_worded(error: Error) -> bool:
    """Whether the message has an error's code in words: the stop reason of a generation that failed, above all."""
    return isinstance(error.code, str) and error.code.replace("_", " ").lower() in error.message.lower()


def web_fetch(tool: ir.HostedTool) -> ir.HostedTool:
    """The tool for what another provider's tool does that opens pages."""
    raw = {"type": wire.FETCH_TOOL, "name": wire.WEB_FETCH}
    return ir.HostedTool(wire.FETCH_TOOL, wire.WEB_FETCH, raw, tool.src)


# --- ids --------------------------------------------------------------------------------------------------------------

CALL_ID = re.compile(wire.CALL_ID).fullmatch
ODD = re.compile(r"[^a-zA-Z0-9_-]")


def accepted_call_id(given: str) -> str:
    """The id itself, or one of this protocol's alphabet: odd characters become `_`, and a checksum follows (TUL-13).

    Most are ASCII identifiers, which is found out faster than that the pattern matches.
    """
    if (given.isascii() and given.isidentifier()) or CALL_ID(given) is not None:
        return given
    return checked(ODD.sub("_", given), given)


SERVER_CALL_ID = re.compile(wire.SERVER_CALL_ID).fullmatch
ODD_OF_SERVER = re.compile(r"[^a-zA-Z0-9_]")


def accepted_server_id(given: str) -> str:
    """The same for what the provider runs, whose ids have a beginning of their own and no hyphens."""
    begun = prefixed(given, wire.SERVER_ID)
    return begun if SERVER_CALL_ID(begun) is not None else checked(ODD_OF_SERVER.sub("_", begun), begun)


def run_by_provider(name: str) -> Any:
    """The verdict on the id of what the provider ran."""
    return notes(
        "TUL-13",
        name,
        when=lambda node: SERVER_CALL_ID(getattr(node, name)) is None,
        by=lambda node: accepted_server_id(getattr(node, name)),
    )


def generated_id(response_id: str, index: int) -> str:
    """The id of a call without one: the response's own id and the position of the block (TUL-17)."""
    return accepted_call_id(f"toolu_{response_id}_{index}")


# --- parts ------------------------------------------------------------------------------------------------------------


def unsigned(reasoning: ir.Reasoning) -> bool:
    """Whether reasoning lacks a seal that this protocol's provider can read."""
    return reasoning.seal is None or reasoning.seal.provider != wire.PROVIDER


def unreadable(reasoning: ir.Reasoning) -> bool:
    return not reasoning.text and unsigned(reasoning)


NEVER_SIGNED = (
    loses("RSN-10", ir.Reasoning, when=is_closed),
    loses("RSN-11", ir.Reasoning, when=is_unverified),
    omits("RSN-26", ir.Reasoning, when=lambda reasoning: unsigned(reasoning) and signature_alone(reasoning)),
    loses("RSN-5", ir.Reasoning, when=unreadable),
    lacking("unsigned_thinking", loses("RSN-5", ir.Reasoning, when=unsigned)),
)
"""The verdicts on reasoning that cannot be sent to a model without its provider's seal."""


def other_image(source: Any) -> bool:
    return source.mime not in wire.IMAGE_TYPES


def illustrated(result: ir.SearchResult) -> bool:
    """Whether a search result has more than text, which stands in chunks of documents alone."""
    return any(type(part) is not ir.Text for part in result.parts)


def textual(source: ir.Inline) -> bool:
    """Whether a document is text that came as data: this wire takes it as text, not as base64."""
    return is_text_type(source.mime)


def as_text(source: ir.Inline) -> ir.PlainText:
    """Refused if the data are not base64 of UTF-8 (SRC-3)."""
    return ir.PlainText(text_of(source), wire.PLAIN, source.src)


def other_document(document: ir.Document) -> bool:
    source = document.source
    return isinstance(source, ir.Inline) and source.mime != wire.PDF and not textual(source)


def more_than_one(call: ir.WebSearchCall) -> bool:
    return len(call.queries) > 1


def first_query(call: ir.WebSearchCall) -> list[str]:
    return call.queries[:1]


def unsealed(result: ir.WebSearchResult) -> bool:
    """Whether pages lack what this wire requires of them: a title, and their content as only Anthropic can read it; of
    one that was opened, its text."""
    return result.page is not None or any(_is_unsealed(hit) for hit in result.hits)


def _is_unsealed(hit: ir.WebHit) -> bool:
    return hit.title is None or hit.seal is None or hit.seal.provider != wire.PROVIDER


def why_not_opened(result: ir.WebSearchResult) -> str:
    return "" if result.page is None or result.error is None else quoted(result.error, 80)


def nothing_found(call: ir.WebSearchCall) -> ir.WebSearchResult:
    return ir.WebSearchResult(call.id, [], src=call.src, page=call.page)


def with_nothing_sealed(result: ir.WebSearchResult) -> ir.WebSearchResult:
    """With pages whose titles and contents are empty where they are not known, as clients require both (TUL-66)."""
    made = copy(result)
    made.hits = [_with_nothing_sealed(hit) if _is_unsealed(hit) else hit for hit in result.hits]
    if result.page is not None and result.error is not None and result.error not in wire.FETCH_ERRORS:
        made.error = wire.NOT_FETCHED
    return made


def _with_nothing_sealed(hit: ir.WebHit) -> ir.WebHit:
    made = copy(hit)
    made.title, made.seal = hit.title or "", Seal(wire.PROVIDER, "content", "")
    return made


def succeeded(_: ir.CodeResult) -> int:
    """The exit code of a run of which only the output is known (TUL-40)."""
    return 0


# --- endings ----------------------------------------------------------------------------------------------------------


def explained(ending: ir.Terminal) -> bool:
    """Whether the provider's explanation of an ending is that of a refusal: filtered responses are refusals here."""
    stated = ending.refusal is not None and ending.refusal.explanation is not None
    return ending.reason in (ir.REFUSAL, ir.CONTENT_FILTER) and not stated
