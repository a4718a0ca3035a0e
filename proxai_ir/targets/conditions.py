"""Conditions and rewrites that the tables of several targets share."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterable
from copy import copy
from hashlib import sha256
from math import inf
from operator import attrgetter
from typing import Any

import orjson

from ..ir.envelope import is_closed, is_unverified
from ..ir.error import MEANS, ErrorCategory, by_status, usual_status
from ..ir.media_types import registered, shown_type
from ..ir.parts import (
    ALL_SEALED,
    BOOKKEEPING,
    COMPACT,
    MARK,
    SEALED,
    SUMMARY,
    Audio,
    Chunks,
    Document,
    HostedCall,
    HostedResult,
    Inline,
    Reasoning,
    Refusal,
    SearchResult,
    Text,
    ToolResult,
    Url,
    VendorPart,
)
from ..ir.request import Effort, Output, Sampling, Service, Thinking, ThinkingMode
from ..ir.response import FIRST_DATE, LAST_DATE
from ..ir.structure import PARTS
from ..ir.tools import ChoiceMode, FunctionTool
from ..json.types import found, quoted
from ..reporting.report import Report
from .constraints import SealSlot
from .verdicts import Fields, Verdict, in_requests, loses, notes, ok, omits, refuses, weaker

# --- conditions -------------------------------------------------------------------------------------------------------
# Conditions and rewrites that the tables of several targets share.
#
# Rule: knows no protocol; what a target accepts is an argument.


def prefixed(identity: str, prefix: str) -> str:
    """Return an id that begins as a protocol wants it to (TUL-13); one that another such beginning was put before is
    bared."""
    if identity.startswith(prefix):
        return identity
    inner = identity.partition("_")[2]
    return inner if inner.startswith(prefix) else prefix + identity


def checked(kept: str, given: str) -> str:
    """What is kept of an id, with the checksum of the whole, so that two ids stay two (TUL-13)."""
    return f"{kept}_{zlib.crc32(given.encode('utf-8', 'surrogatepass')):08x}"


# The effort that a thinking budget comes nearest to: the first whose budget is large enough (RSN-3).
BUDGETS = ((2048, "low"), (8192, "medium"), (32768, "high"))
LARGEST = "xhigh"


def effort_for(budget: int) -> str:
    return next((effort for most, effort in BUDGETS if budget < most), LARGEST)


def nearest_effort(thinking: Thinking) -> Fields:
    """Return a budget as an effort level, unless the source has one too (RSN-3)."""
    effort = thinking.effort
    if effort is None and thinking.budget is not None:
        effort = Effort(effort_for(thinking.budget))
    return Fields(budget=None, effort=effort)


def cache_lifetimes(field: str, seconds: Collection[int]) -> tuple[Verdict, ...]:
    """Return the verdicts on a cache lifetime in a target that has only these: the next longer one, else the
    longest."""
    available, longest = sorted(seconds), max(seconds)
    value = attrgetter(field)
    return (
        ok(field, when=lambda node: value(node) in available),
        notes("CAC-3", field, when=lambda node: (value(node) or 0) > longest, by=lambda _: longest),
        notes("CAC-2", field, by=lambda node: next(one for one in available if one > value(node))),
    )


def end_user_beyond(most: int) -> Callable[[Service], bool]:
    """Return whether the end user's id has more characters than this."""
    return lambda service: len(service.end_user or "") > most


def hashed_end_user(service: Service) -> str:
    """Return the SHA256 of the end user's id, in hexadecimal digits: one id for one user, as OpenAI advises (USR-5)."""
    return sha256((service.end_user or "").encode("utf-8", "surrogatepass")).hexdigest()


UNOPENED_SEAL = (loses("RSN-10", "seal", when=is_closed), loses("RSN-11", "seal", when=is_unverified))
"""The verdicts on a seal in an envelope that was not opened, or is not authentic."""


def foreign(when: Callable[[Any], bool] | None = None, detail: str = "") -> tuple[Verdict, ...]:
    """Return the verdicts on a seal that the target cannot use: a request loses nothing, as the client keeps it."""
    return in_requests(omits("RSN-26", "seal", when=when)), loses("RSN-4", "seal", when=when, detail=detail)


def sealed_by(slot: SealSlot) -> tuple[Verdict, ...]:
    """Return the verdicts on a seal where the target has a slot for it: those of the slot's makers are carried, no
    others."""

    def others(part: Any) -> bool:
        return part.seal is not None and part.seal.provider not in slot.makers

    return *UNOPENED_SEAL, *foreign(others), ok("seal")


def blank(hit: Any) -> bool:
    """Return whether a page has an empty seal, as one has that another provider found (TUL-66)."""
    return hit.seal is not None and not hit.seal.data


def signature_alone(reasoning: Any) -> bool:
    """Return whether reasoning has no text, and no unknown members that would be lost with it: a request loses nothing
    with a signature that its target cannot use (RSN-26)."""
    return not reasoning.text and (reasoning.extra is None or not reasoning.extra.fields)


NO_SEAL = (*UNOPENED_SEAL, *foreign())
"""The verdicts on the seal of a part where the target has no slot for it."""
NEVER_SEALED = (*UNOPENED_SEAL, *foreign(detail="signatures of media have no envelope"))
"""The same for a part whose seal no option carries."""

# --- predicates of target tables --------------------------------------------------------------------------------------


def neutral(**defaults: Any) -> tuple[Verdict, ...]:
    """Return the verdicts on settings with the value that the target defaults to: some models refuse even that
    (SMP-6)."""
    return tuple(omits("SMP-6", name, when=is_(name, default)) for name, default in defaults.items())


def with_prefix(name: str, prefix: str) -> Callable[[Any], str]:
    """Return a rewrite: an id that begins as the target wants it to (TUL-13)."""
    return lambda node: prefixed(getattr(node, name), prefix)


def unprefixed(name: str, prefix: str) -> Callable[[Any], bool]:
    """Return whether an id does not begin as the target wants it to (TUL-13)."""
    return lambda node: not getattr(node, name).startswith(prefix)


def is_(name: str, *values: Any) -> Callable[[Any], bool]:
    """Return whether a field has one of these values."""
    return lambda node: getattr(node, name) in values


def is_not(name: str, *values: Any) -> Callable[[Any], bool]:
    """Return whether a field has none of these values."""
    return lambda node: getattr(node, name) not in values


def undated(response: Any) -> bool:
    """Return whether the time of a response has no date."""
    return response.created is not None and not FIRST_DATE <= response.created <= LAST_DATE


def off(name: str) -> Callable[[Any], bool]:
    """Return whether a setting has a value that asks for nothing: what every protocol does without it."""
    return is_(name, None, False, 0, "auto", [], {})


def beyond(name: str, most: float, least: float = -inf) -> Callable[[Any], bool]:
    """Return whether a number, if there is one, is not from `least` to `most`."""

    def outside(node: Any) -> bool:
        value = getattr(node, name)
        return value is not None and not least <= value <= most

    return outside


def both(one: Callable[[Any], bool], other: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return whether two conditions hold at once."""
    return lambda node: one(node) and other(node)


def stops_beyond(most: int) -> Verdict:
    """The verdict on more stop sequences than the target accepts, of which the first are sent (SMP-5)."""
    return weaker(
        "SMP-5",
        "stop",
        when=lambda sampling: len(sampling.stop or ()) > most,
        by=lambda sampling: (sampling.stop or [])[:most],
        detail=f"at most {most}",
    )


def not_web(source: Url) -> bool:
    """Return whether an address is not one of the web."""
    return not source.url.startswith(("https://", "http://"))


def always(value: Any) -> Callable[[Any], Any]:
    """Return a rewrite: this value, whatever the field has."""
    return lambda _: value


def repeats_type(error: Any) -> bool:
    """Return whether an error's code adds nothing to its type and category (ERR-6): `model_not_found` of Not Found."""
    code, category = error.code, error.category
    if isinstance(code, str) and code.isdecimal() and len(code) == len("400"):
        code = int(code)
    if not isinstance(code, str):
        return isinstance(code, int) and by_status(code) in (category, by_status(usual_status(category)))
    names = (category.value, *OTHER_NAMES.get(category, ()))
    return code in ("", error.type) or any(name in code.lower() for name in names)


OTHER_NAMES = {ErrorCategory.AUTHENTICATION: ("api_key",), ErrorCategory.OVERLOADED: ("slow_down",)}
"""By which codes name a category besides its own word: Google's API_KEY_INVALID, OpenAI's invalid_api_key."""


def overflow_without(beginning: str) -> Callable[[Any], bool]:
    """Return whether the prompt was too long and the message does not begin as clients expect it, by a pattern
    (ERR-7)."""
    begins = re.compile(beginning, re.IGNORECASE).match
    return lambda error: error.category is ErrorCategory.CONTEXT_LENGTH and not begins(error.message)


def overflow_named(phrase: str) -> Callable[[Any], str]:
    """Return a rewrite: the message, after this phrase."""
    return lambda error: phrase if wordless(error) else f"{phrase}: {error.message}"


def overflow_code_but(code: str) -> Callable[[Any], bool]:
    """Return whether the prompt was too long and the error has another code than the one that clients act on
    (ERR-8)."""
    return lambda error: error.category is ErrorCategory.CONTEXT_LENGTH and error.code not in (None, code)


def wordless(error: Any) -> bool:
    """Return whether an error has no message (ERR-9)."""
    return not error.message.strip()


def worded(error: Any) -> str:
    """Return a rewrite: what the category of an error means."""
    return MEANS[error.category]


def searches_tools(tool: Any) -> bool:
    """Return whether a tool of its provider finds other tools of the request, as those of all vendors are called, or a
    call or a result is of such a tool (TUL-38)."""
    return bool(tool.kind.startswith("tool_search"))


def opens_pages(tool: Any) -> bool:
    """Return whether a tool of its provider, or a search in place of one, opens web pages by their URLs (TUL-41)."""
    return bool(tool.kind.startswith("web_fetch") or tool.kind == "urlContext")


def which(node: Any) -> str:
    """Which tool of its provider this is, or is of (TUL-6)."""
    kind = getattr(node, "kind", "")
    if kind == "mcp":
        return "an MCP server that has no URL, or whose calls need approval"
    return quoted(kind, 80) if kind else ""


def lists_beyond(*sorts: str) -> Callable[[Any], bool]:
    """Return whether a choice allows tools of other sorts, which the target does not have."""
    return lambda choice: any(kind not in sorts for kind, _ in choice.tools)


def holds(name: str, *classes: type) -> Callable[[Any], bool]:
    """Return whether a field holds a node of one of these classes."""
    return lambda node: isinstance(getattr(node, name), classes)


def several(sampling: Sampling) -> bool:
    return sampling.candidates != 1


def unbounded(sampling: Sampling) -> bool:
    """Return whether `top_k` is negative, which dialects use for no limit: the default anyway (SMP-6)."""
    return sampling.top_k is not None and sampling.top_k < 0


def only_text(output: Output) -> bool:
    return output.modalities == ["text"]


def covered_by_effort(thinking: Thinking) -> bool:
    return thinking.mode is ThinkingMode.DISABLED


def is_cooled(sampling: Sampling) -> bool:
    """Return whether a temperature from 0 to 1 is stated that is not the default of 1."""
    return sampling.temperature is not None and 0 <= sampling.temperature < 1


def has_blank_stop(sampling: Sampling) -> bool:
    """Return whether a stop sequence is only whitespace (SMP-2)."""
    return not all(map(str.strip, sampling.stop or ()))


def without_blank_stops(sampling: Sampling) -> list[str] | None:
    """Return the stop sequences that have more than whitespace."""
    return [one for one in sampling.stop or () if one.strip()] or None


def unvalidated(_: Any) -> ChoiceMode:
    """Return the choice nearest to validated calls: the model decides, without schemas being enforced (TUL-7)."""
    return ChoiceMode.AUTO


EFFORTS = tuple(Effort)


def nearest_of(*efforts: Effort) -> Callable[[Thinking], Effort]:
    """Return the rewrite of an effort into the nearest of these, of two the lower one."""

    def nearest(thinking: Thinking) -> Effort:
        wanted = EFFORTS.index(thinking.effort or efforts[0])
        return min(efforts, key=lambda one: (abs(EFFORTS.index(one) - wanted), EFFORTS.index(one)))

    return nearest


def refusal_as_text(refusal: Refusal) -> Text:
    return Text(refusal.text, src=refusal.src)


def transcript_as_text(audio: Audio) -> Text:
    return Text(audio.transcript or "", src=audio.src)


def silent(audio: Audio) -> bool:
    return not audio.transcript


TEXT_TYPES = re.compile(r"text/.*|application/(.+\+)?(json|xml|yaml|x-yaml|x-ndjson)", re.IGNORECASE)


def is_text_type(mime: str | None) -> bool:
    """Return whether data of a media type are text."""
    return mime is not None and TEXT_TYPES.fullmatch(mime.partition(";")[0].strip()) is not None


def except_for(*classes: type) -> tuple[type, ...]:
    return tuple(cls for cls in PARTS if cls not in classes)


textless = is_("text", None, "")


def empty(reasoning: Any) -> bool:
    """Return whether reasoning has neither text nor seal: it took place, and nothing of it was handed out (ENV-7)."""
    return not reasoning.text and reasoning.seal is None


NO_BOOKKEEPING = omits("PLC-60", VendorPart, when=is_("kind", BOOKKEEPING))
"""The verdict on what a client writes among its instructions for another vendor alone."""

NO_MARK = omits("CAC-4", VendorPart, when=is_("kind", MARK))
"""The verdict on a cache breakpoint that stands where nothing precedes it."""

NO_COMPACTION = refuses("PLC-62", VendorPart, when=is_("kind", COMPACT))
"""The verdict on what asked the provider for a summary in place of a response, and is answered nowhere."""

SUMMARISED = ok(VendorPart, when=is_("kind", SUMMARY))
"""The verdict on a summary in place of a response, for targets with a form for it (PLC-64)."""

NO_TURN = (refuses("PLC-62", "summary"), refuses("CAC-8", "max_tokens", when=is_("max_tokens", 0)))
"""The verdicts on requests whose response is no turn: a summary of the conversation, or nothing at all."""

SEALED_MESSAGE = (
    refuses("PLC-3", VendorPart, when=is_("kind", ALL_SEALED)),
    loses("PLC-61", VendorPart, when=is_("kind", SEALED)),
)
"""The verdicts on what only its vendor can read of a message between agents."""

UNOPENED = (
    loses("RSN-10", Reasoning, when=lambda reasoning: not reasoning.text and is_closed(reasoning)),
    loses("RSN-11", Reasoning, when=lambda reasoning: not reasoning.text and is_unverified(reasoning)),
)
"""The verdicts on reasoning that has nothing but such a seal."""


def of_an_object(tool: FunctionTool) -> dict[str, Any]:
    """Return a rewrite: parameters that say that they are an object (SCH-2)."""
    return {"type": "object", "properties": {}, **(tool.parameters or {})}


def flaw_of_arguments(text: str) -> str:
    """What is wrong with the arguments of a call, if anything is (TUL-1)."""
    try:
        value = orjson.loads(text) if text.strip() else {}
    except orjson.JSONDecodeError as error:
        return f"not JSON: {error}"
    return "" if isinstance(value, dict) else f"expected an object, found {found(value)}"


# --- tool conditions --------------------------------------------------------------------------------------------------
# Conditions and rewrites about tools that the tables of several targets share.
#
# Rule: as in conditions.py.


def names_tool(part: VendorPart) -> bool:
    """Return whether a part of a tool's result is a tool of the request that the call found (TUL-42)."""
    return part.kind == "tool_reference" and isinstance(part.raw.get("tool_name"), str)


def tool_named(part: VendorPart) -> Text:
    """Return the name of the tool, as text."""
    return Text(part.raw["tool_name"], None, None, part.src)


def opens_all_pages(tool: Any) -> bool:
    """Return whether such a tool has no limits, so that another vendor's tool that opens pages does the same."""
    return opens_pages(tool) and not any(value for key, value in tool.raw.items() if key not in ("type", "name"))


def awaits_approval(call: Any) -> bool:
    """Return whether a call is an MCP server's that the client has to approve (TUL-43)."""
    return bool(call.kind == "mcp_approval_request")


def states_failure(result: ToolResult) -> bool:
    """Return whether a tool failed, and the source says so in its result (TUL-65)."""
    return result.is_error is True and result.failure is not None


def stated_failure(result: ToolResult) -> Fields:
    """Return the result with what says that the tool failed, and without the mark."""
    media = [part for part in result.parts if type(part) is not Text]
    stated = [Text(result.failure or "", None, None, part.src) for part in result.parts if type(part) is Text][:1]
    return Fields(parts=[*stated, *media], is_error=None)


TOOL_SEARCHES = omits("TUL-38", HostedCall, HostedResult, when=searches_tools)
"""The verdict on a provider's searches for tools, and on what they found."""
HOSTED_CALLS = (
    refuses("TUL-43", HostedCall, when=awaits_approval),
    TOOL_SEARCHES,
    loses("TUL-6", HostedCall, HostedResult, detail=which),
)
"""The verdicts on calls of hosted tools, and their results, in the responses of a target that has none."""
FOUND_TOOL = notes("TUL-42", VendorPart, when=names_tool, by=tool_named)
"""The verdict on a tool that a search of the client's found, in the result of its call."""
UNMARKED = (
    notes("TUL-65", "is_error", when=states_failure, by=stated_failure),
    loses("TUL-4", "is_error", when=is_("is_error", True)),
)
"""The verdicts on the mark of a tool that failed where the target has none."""


# --- nested -----------------------------------------------------------------------------------------------------------
# What checks of several targets do with parts and those inside of them. Rule: a function acts where it reports.


def inside_of(part: Any) -> list[Any]:
    """Return the parts that a part holds: of a result, of a search hit, of a document that is made of chunks."""
    if isinstance(part, Document):
        return part.source.parts if isinstance(part.source, Chunks) else []
    return part.parts if isinstance(part, (ToolResult, SearchResult)) else []


def uncite(listed: Iterable[Any], report: Report) -> None:
    """Drop the citations of texts, for targets in which only the assistant cites (CIT-1)."""
    for part in listed:
        if isinstance(part, Text):
            for one in part.citations or ():
                report.at("CIT-1", one)
            part.citations = None
        else:
            uncite(inside_of(part), report)


def unmark(listed: Iterable[Any], report: Report) -> None:
    """Drop the cache breakpoints of parts and of those inside of them (CAC-4)."""
    for part in listed:
        if getattr(part, "cache", None) is not None:
            report.at("CAC-4", part, "cache")
            part.cache = None
        unmark(inside_of(part), report)


# --- media types ------------------------------------------------------------------------------------------------------
# The verdict on the media type of an image, for every target that has one (SRC-4).
#
# Rule: a type that is misspelt, missing or not that of the data is corrected to one that the target takes; what it
# does
# not take under its right name either, the target's own verdicts decide.


def right_type(source: Any) -> str | None:
    """Return the type of an image: that of its data where they show one, else the declared one by its registered
    name."""
    shown = shown_type(source.data) if type(source) is Inline else None
    return shown or registered(source.mime)


def corrected(*sources: type[Inline] | type[Url], accepted: Collection[str] = ()) -> Verdict:
    """`accepted`: the types that the target takes; none: it takes any."""

    def misnamed(source: Any) -> bool:
        right = right_type(source)
        return right != source.mime and (not accepted or right in accepted)

    def renamed(source: Any) -> Any:
        made = copy(source)
        made.mime = right_type(source)
        return made

    return notes("SRC-4", *(sources or (Inline,)), when=misnamed, by=renamed, at="mime")
