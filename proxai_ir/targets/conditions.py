"""Conditions and rewrites that the tables of several targets share; what a target accepts is an argument."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Collection, Iterable
from copy import copy
from math import inf
from operator import attrgetter
from typing import Any

import orjson

from .. import ir
from ..ir.envelope import is_closed, is_unverified
from ..ir.error import MEANS, SAYING_NOTHING, usual_status
from ..ir.media_types import document_type, registered, shown_type
from ..ir.response import FIRST_DATE, LAST_DATE
from ..ir.structure import PARTS
from ..json.pointer import derived
from ..json.types import found, hashed, quoted
from ..reporting.report import Report
from .constraints import SealSlot
from .verdicts import Fields, HasValue, Verdict, in_requests, loses, notes, ok, omits, refuses, weaker


def prefixed(identity: str, prefix: str) -> str:
    """Return an id with the beginning that a protocol requires (TUL-13); a foreign one is stripped first."""
    if identity.startswith(prefix):
        return identity
    inner = identity.partition("_")[2]
    return inner if inner.startswith(prefix) else prefix + identity


def short_call_id(identity: str) -> str:
    """Return an id of nine letters and digits, the same for the same id (TUL-13)."""
    if SHORT_ID.fullmatch(identity):
        return identity
    return hashed(identity)[:9]


SHORT_ID = re.compile("[a-zA-Z0-9]{9}")


def checked(kept: str, given: str) -> str:
    """Return the kept part of an id with a checksum of the whole, so that two ids stay different (TUL-13)."""
    return f"{kept}_{zlib.crc32(given.encode('utf-8', 'surrogatepass')):08x}"


BUDGETS = ((2048, "low"), (8192, "medium"), (32768, "high"))
LARGEST = "xhigh"


def effort_for(budget: int) -> str:
    """Return the effort that a thinking budget comes nearest to: the first whose budget is large enough (RSN-3)."""
    return next((effort for most, effort in BUDGETS if budget < most), LARGEST)


def nearest_effort(thinking: ir.Thinking) -> Fields:
    """Replace a thinking budget by an effort, unless the source states one too (RSN-3)."""
    effort = thinking.effort
    if effort is None and thinking.budget is not None:
        effort = ir.Effort(effort_for(thinking.budget))
    return Fields(budget=None, effort=effort)


def cache_lifetimes(field: str, seconds: Collection[int]) -> tuple[Verdict, ...]:
    """Return verdicts that round a cache lifetime up to one of these, or down to the longest."""
    available, longest = sorted(seconds), max(seconds)
    value = attrgetter(field)
    return (
        ok(field, when=lambda node: value(node) in available),
        notes("CAC-3", field, when=lambda node: (value(node) or 0) > longest, by=lambda _: longest),
        notes("CAC-2", field, by=lambda node: next(one for one in available if one > value(node))),
    )


def end_user_beyond(most: int) -> Callable[[ir.Service], bool]:
    """Return a condition: the end user's id has more characters than this."""
    return lambda service: len(service.end_user or "") > most


def hashed_end_user(service: ir.Service) -> str:
    """Return the SHA256 of the end user's id in hexadecimal digits, as OpenAI advises (USR-5)."""
    return hashed(service.end_user or "")


UNOPENED_SEAL = (loses("RSN-10", "seal", when=is_closed), loses("RSN-11", "seal", when=is_unverified))
"""The verdicts on a seal in an envelope that was not opened, or is not authentic."""


def foreign(when: Callable[[Any], bool] | None = None, detail: str = "") -> tuple[Verdict, ...]:
    """Return the verdicts on a seal that the target cannot use; in requests nothing is lost, as the client keeps it."""
    return in_requests(omits("RSN-26", "seal", when=when)), loses("RSN-4", "seal", when=when, detail=detail)


def sealed_by(slot: SealSlot) -> tuple[Verdict, ...]:
    """Return the verdicts on the seal of a part that has a slot in the target: only seals of its makers are carried."""

    def others(part: Any) -> bool:
        return part.seal is not None and part.seal.provider not in slot.makers

    return *UNOPENED_SEAL, *foreign(others), ok("seal")


TYPE_ALONE = "the media type alone, which the text is sent without"
"""The detail of findings about the media type of a document's text (ENV-1)."""


def blank(hit: Any) -> bool:
    """Return whether a search hit has an empty seal, as hits that another provider found do (TUL-66)."""
    return hit.seal is not None and not hit.seal.data


def signature_alone(reasoning: Any) -> bool:
    """Return whether reasoning has neither text nor unknown members.

    A request then loses nothing with a signature that its target cannot use (RSN-26).
    """
    return not reasoning.text and (reasoning.extra is None or not reasoning.extra.fields)


NO_SEAL = (*UNOPENED_SEAL, *foreign())
"""The verdicts on the seal of a part where the target has no slot for it."""
NEVER_SEALED = (*UNOPENED_SEAL, *foreign(detail="signatures of media have no envelope"))
"""The verdicts on the seal of a part whose seal no option carries."""

# --- predicates of target tables --------------------------------------------------------------------------------------


def neutral(**defaults: Any) -> tuple[Verdict, ...]:
    """Return verdicts that drop settings with the target's default value, which some models refuse (SMP-6)."""
    return tuple(omits("SMP-6", name, when=is_(name, default)) for name, default in defaults.items())


def with_prefix(name: str, prefix: str) -> Callable[[Any], str]:
    """Return a rewrite that gives an id the beginning that the target requires (TUL-13)."""
    return lambda node: prefixed(getattr(node, name), prefix)


def unprefixed(name: str, prefix: str) -> Callable[[Any], bool]:
    """Return a condition: an id lacks the beginning that the target requires (TUL-13)."""
    return lambda node: not getattr(node, name).startswith(prefix)


def is_(name: str, *values: Any) -> Callable[[Any], bool]:
    """Return the condition that a field has one of these values."""
    return HasValue(name, values)


def is_not(name: str, *values: Any) -> Callable[[Any], bool]:
    """Return a condition: the field has none of these values."""
    return lambda node: getattr(node, name) not in values


def undated(response: Any) -> bool:
    """Return whether the time of a response cannot be written as a date."""
    return response.created is not None and not FIRST_DATE <= response.created <= LAST_DATE


def off(name: str) -> Callable[[Any], bool]:
    """Return a condition: the setting asks for nothing, so that every protocol does the same without it."""
    return is_(name, None, False, 0, "auto", [], {})


def beyond(name: str, most: float, least: float = -inf) -> Callable[[Any], bool]:
    """Return a condition: the field has a number that is not from `least` to `most`."""

    def outside(node: Any) -> bool:
        value = getattr(node, name)
        return value is not None and not least <= value <= most

    return outside


def both(one: Callable[[Any], bool], other: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Return a condition: both conditions hold."""
    return lambda node: one(node) and other(node)


def stops_beyond(most: int) -> Verdict:
    """Return the verdict on more stop sequences than the target accepts: the first of them are sent (SMP-5)."""
    return weaker(
        "SMP-5",
        "stop",
        when=lambda sampling: len(sampling.stop or ()) > most,
        by=lambda sampling: (sampling.stop or [])[:most],
        detail=f"at most {most}",
    )


def not_web(source: ir.Url) -> bool:
    """Return whether a URL is neither http nor https."""
    return not source.url.startswith(("https://", "http://"))


def always(value: Any) -> Callable[[Any], Any]:
    """Return a rewrite that gives this value, whatever the node has."""
    return lambda _: value


def repeats_type(error: Any) -> bool:
    """Return whether an error's code says no more than its type and category, e.g. `model_not_found` (ERR-6)."""
    code, category = error.code, error.category
    if isinstance(code, str) and code.isdecimal() and len(code) == len("400"):
        code = int(code)
    if not isinstance(code, str):
        return isinstance(code, int) and ir.by_status(code) in (category, ir.by_status(usual_status(category)))
    names = (category.value, *OTHER_NAMES.get(category, ()))
    return code in ("", error.type) or any(name in code.lower() for name in names)


OTHER_NAMES = {ir.ErrorCategory.AUTHENTICATION: ("api_key",), ir.ErrorCategory.OVERLOADED: ("slow_down",)}
"""Words of codes that name a category, besides its own: Google's API_KEY_INVALID, OpenAI's invalid_api_key."""


def overflow_without(beginning: str) -> Callable[[Any], bool]:
    """Return a condition: the prompt was too long, and the message does not match what clients look for (ERR-7)."""
    begins = re.compile(beginning, re.IGNORECASE).match
    return lambda error: error.category is ir.ErrorCategory.CONTEXT_LENGTH and not begins(error.message)


def overflow_named(phrase: str) -> Callable[[Any], str]:
    """Return a rewrite that puts this phrase before the message."""
    return lambda error: phrase if wordless(error) else f"{phrase}: {error.message}"


def metadata_of(fits: Callable[[Any, Any], bool], most: int) -> tuple[Verdict, ...]:
    """Return the verdicts on metadata that hold at most so many pairs, each one that fits; one that does not takes no
    other with it (USR-3)."""

    def held(service: ir.Service) -> dict[str, Any] | None:
        fit = [(key, value) for key, value in (service.metadata or {}).items() if fits(key, value)]
        return dict(fit[:most]) or None

    return (
        omits("USR-3", "metadata", when=lambda service: held(service) is None),
        notes(
            "USR-3",
            "metadata",
            when=lambda service: held(service) != service.metadata,
            by=held,
            detail="but for those that fit",
        ),
        ok("metadata"),
    )


def message_of_error(beginning: str, phrase: str) -> tuple[Verdict, ...]:
    """Return the verdicts on an error's message, where clients know by a text that the prompt was too long (ERR-7).

    `beginning`: what such a message must match; `phrase`: what is put before one that does not.
    """
    return (
        notes("ERR-7", "message", when=overflow_without(beginning), by=overflow_named(phrase)),
        notes("ERR-9", "message", when=wordless, by=worded),
        ok("message"),
    )


def overflow_code_but(code: str) -> Callable[[Any], bool]:
    """Return a condition: the prompt was too long, and the code is not the one that clients act on (ERR-8)."""
    return lambda error: error.category is ir.ErrorCategory.CONTEXT_LENGTH and error.code not in (None, code)


def wordless(error: Any) -> bool:
    """Return whether an error has no message (ERR-9), or only the text of a body that says nothing."""
    return not error.message.strip() or (error.verbatim and error.message in SAYING_NOTHING)


def worded(error: Any) -> str:
    """Return a message for an error without one: the meaning of its category."""
    return MEANS[error.category]


def searches_tools(tool: Any) -> bool:
    """Return whether a hosted tool, or the tool of a call or result, searches the request's tools (TUL-38)."""
    return bool(tool.kind.startswith("tool_search"))


def opens_pages(tool: Any) -> bool:
    """Return whether a hosted tool opens web pages by their URLs (TUL-41)."""
    return bool(tool.kind.startswith("web_fetch") or tool.kind == "urlContext")


def which(node: Any) -> str:
    """Return the kind of a hosted tool, or of its call or result, for a diagnostic (TUL-6)."""
    kind = getattr(node, "kind", "")
    if kind == "mcp":
        return "an MCP server that has no URL, or whose calls need approval"
    return quoted(kind, 80) if kind else ""


def lists_beyond(*sorts: str) -> Callable[[Any], bool]:
    """Return a condition: the choice allows tools of sorts that the target lacks."""
    return lambda choice: any(kind not in sorts for kind, _ in choice.tools)


def holds(name: str, *classes: type) -> Callable[[Any], bool]:
    """Return a condition: the field holds a node of one of these classes."""
    return lambda node: isinstance(getattr(node, name), classes)


def several(sampling: ir.Sampling) -> bool:
    """Return whether a request asks for another number of candidates than one."""
    return sampling.candidates != 1


def unbounded(sampling: ir.Sampling) -> bool:
    """Return whether `top_k` is 0, by which it is off in Cohere and in servers of open models, or negative, as in some
    dialects: no limit either way, which is the default of all others (SMP-6)."""
    return sampling.top_k is not None and sampling.top_k <= 0


def only_text(output: ir.Output) -> bool:
    """Return whether text is the only modality that is asked for."""
    return output.modalities == ["text"]


def covered_by_effort(thinking: ir.Thinking) -> bool:
    """Return whether thinking is disabled, so that an effort means nothing."""
    return thinking.mode is ir.ThinkingMode.DISABLED


def is_cooled(sampling: ir.Sampling) -> bool:
    """Return whether a temperature from 0 to 1 is stated that is not the default of 1."""
    return sampling.temperature is not None and 0 <= sampling.temperature < 1


def has_blank_stop(sampling: ir.Sampling) -> bool:
    """Return whether a stop sequence is only whitespace (SMP-2)."""
    return not all(map(str.strip, sampling.stop or ()))


def without_blank_stops(sampling: ir.Sampling) -> list[str] | None:
    """Return the stop sequences that have more than whitespace."""
    return [one for one in sampling.stop or () if one.strip()] or None


def unvalidated(_: Any) -> ir.ChoiceMode:
    """Return the choice nearest to validated calls: the model decides, without schemas being enforced (TUL-7)."""
    return ir.ChoiceMode.AUTO


EFFORTS = tuple(ir.Effort)


def nearest_of(*efforts: ir.Effort) -> Callable[[ir.Thinking], ir.Effort]:
    """Return a rewrite of an effort into the nearest of these; of two as near, into the lower one."""

    def nearest(thinking: ir.Thinking) -> ir.Effort:
        wanted = EFFORTS.index(thinking.effort or efforts[0])
        return min(efforts, key=lambda one: (abs(EFFORTS.index(one) - wanted), EFFORTS.index(one)))

    return nearest


def refusal_as_text(refusal: ir.Refusal) -> ir.Text:
    return ir.Text(refusal.text, src=refusal.src)


def transcript_as_text(audio: ir.Audio) -> ir.Text:
    return ir.Text(audio.transcript or "", src=audio.src)


def silent(audio: ir.Audio) -> bool:
    return not audio.transcript


TEXT_TYPES = re.compile(r"text/.*|application/(.+\+)?(json|xml|yaml|x-yaml|x-ndjson)", re.IGNORECASE)


def is_text_type(mime: str | None) -> bool:
    """Return whether data of a media type are text."""
    return mime is not None and TEXT_TYPES.fullmatch(mime.partition(";")[0].strip()) is not None


def except_for(*classes: type) -> tuple[type, ...]:
    """Return all classes of parts but these."""
    return tuple(cls for cls in PARTS if cls not in classes)


textless = is_("text", None, "")


def empty(reasoning: Any) -> bool:
    """Return whether reasoning has neither text nor seal: it took place, and nothing of it was returned (ENV-7)."""
    return not reasoning.text and reasoning.seal is None


NO_BOOKKEEPING = omits("PLC-60", ir.VendorPart, when=is_("kind", ir.BOOKKEEPING))
"""The verdict on blocks that a client writes among its instructions for another vendor alone."""

NO_MARK = omits("CAC-4", ir.VendorPart, when=is_("kind", ir.MARK))
"""The verdict on a cache breakpoint that stands where nothing precedes it."""

NO_SOURCES = loses("CIT-1", ir.VendorPart, when=is_("kind", ir.CITED))
"""The verdict on a part that names sources of the text before it."""

NO_COMPACTION = refuses("PLC-62", ir.VendorPart, when=is_("kind", ir.COMPACT))
"""The verdict on a block that asked the provider for a summary in place of a response."""

SUMMARISED = ok(ir.VendorPart, when=is_("kind", ir.SUMMARY))
"""The verdict on a summary in place of a response, for targets with a form for it (PLC-64)."""

STATED_SCHEMA = (loses("OUT-3", ir.SchemaFormat, when=is_("schema", None)), ok(ir.SchemaFormat))
"""The verdicts on an output of JSON by a schema, which is lost if the format only has the name of one."""
NO_TURN = (refuses("PLC-62", "summary"), refuses("CAC-8", "max_tokens", when=is_("max_tokens", 0)))
"""The verdicts on requests whose response is no turn: a summary of the conversation, or nothing at all."""

SEALED_MESSAGE = (
    refuses("PLC-3", ir.VendorPart, when=is_("kind", ir.ALL_SEALED)),
    loses("PLC-61", ir.VendorPart, when=is_("kind", ir.SEALED)),
)
"""The verdicts on the parts of a message between agents that only its vendor can read."""

UNOPENED = (
    loses("RSN-10", ir.Reasoning, when=lambda reasoning: not reasoning.text and is_closed(reasoning)),
    loses("RSN-11", ir.Reasoning, when=lambda reasoning: not reasoning.text and is_unverified(reasoning)),
)
"""The verdicts on reasoning that has nothing but a seal in an envelope that was not opened, or is not authentic."""


def of_an_object(tool: ir.FunctionTool) -> dict[str, Any]:
    """Return the parameters of a tool as the schema of an object (SCH-2), and of nothing else."""
    schema = tool.parameters or {}
    return derived(schema, {"type": "object", "properties": {}, **schema} | {"type": "object"})


def states_object(tool: ir.FunctionTool) -> bool:
    """Return whether a tool's schema says that it describes an object, and nothing else."""
    return bool((tool.parameters or {}).get("type") == "object")


def is_no_object(tool: ir.FunctionTool) -> bool:
    """Return whether a tool's schema describes something else than an object (SCH-3)."""
    named = (tool.parameters or {}).get("type", "object")
    return "object" not in (named if isinstance(named, list) else [named])


def lacks_type(tool: ir.FunctionTool) -> bool:
    """Return whether a tool's schema is that of an object, and does not say so, or says more (SCH-2)."""
    return not (states_object(tool) or is_no_object(tool))


def flaw_of_arguments(text: str) -> str:
    """Return what is wrong with the arguments of a call, "" if nothing is (TUL-1)."""
    try:
        value = orjson.loads(text) if text.strip() else {}
    except orjson.JSONDecodeError as error:
        return f"not JSON: {error}"
    return "" if isinstance(value, dict) else f"expected an object, found {found(value)}"


# --- tools ------------------------------------------------------------------------------------------------------------


def names_tool(part: ir.VendorPart) -> bool:
    """Return whether a part of a result names a tool of the request that a search found (TUL-42)."""
    return part.kind == ir.FOUND_TOOL and isinstance(found_name(part), str)


def tool_named(part: ir.VendorPart) -> ir.Text:
    """Return the name of a found tool as a text."""
    return ir.Text(found_name(part), None, None, part.src)


def found_name(part: ir.VendorPart) -> Any:
    """Return the name in a reference to a tool or in its definition."""
    return part.raw.get("tool_name", part.raw.get("name"))


def opens_all_pages(tool: Any) -> bool:
    """Return whether a tool opens pages without limits, so that another vendor's tool does the same."""
    return opens_pages(tool) and not any(value for key, value in tool.raw.items() if key not in ("type", "name"))


def awaits_approval(call: Any) -> bool:
    """Return whether a call to an MCP server waits for the client's approval (TUL-43)."""
    return bool(call.kind == "mcp_approval_request")


def states_failure(result: ir.ToolResult) -> bool:
    """Return whether a tool failed, and the source has a text that says so (TUL-65)."""
    return result.is_error is True and result.failure is not None


def stated_failure(result: ir.ToolResult) -> Fields:
    """Return the fields of a failed result with the text that says so in place of the mark."""
    media = [part for part in result.parts if type(part) is not ir.Text]
    stated = [ir.Text(result.failure or "", None, None, part.src) for part in result.parts if type(part) is ir.Text][:1]
    return Fields(parts=[*stated, *media], is_error=None)


LOADING_TOOLS = (
    omits("TUL-38", ir.HostedTool, when=searches_tools),
    omits("PLC-60", ir.HostedTool, when=is_("kind", ir.BOOKKEEPING)),
)
"""The verdicts on tools that serve the loading of others, and do nothing where all tools are in the prompt."""
TOOL_SEARCHES = omits("TUL-38", ir.HostedCall, ir.HostedResult, when=searches_tools)
"""The verdict on a provider's searches for tools, and on their results."""
PENDING_APPROVAL = refuses("TUL-43", ir.HostedCall, when=awaits_approval)
"""The verdict on a call in a response that the client must approve before the provider makes it."""
HOSTED_CALLS = (
    PENDING_APPROVAL,
    TOOL_SEARCHES,
    loses("TUL-6", ir.HostedCall, ir.HostedResult, detail=which),
)
"""The verdicts on calls of hosted tools, and their results, in the responses of a target that has none."""
FOUND_TOOL = notes("TUL-42", ir.VendorPart, when=names_tool, by=tool_named)
"""The verdict on a tool that a search by the client found, in the result of its call."""
UNMARKED = (
    notes("TUL-65", "is_error", when=states_failure, by=stated_failure),
    loses("TUL-4", "is_error", when=is_("is_error", True)),
)
"""The verdicts on the mark of a tool that failed where the target has none."""


# --- nested -----------------------------------------------------------------------------------------------------------


def inside_of(part: Any) -> list[Any]:
    """Return the parts inside of a part: of a result, a search result, or a document made of chunks."""
    if isinstance(part, ir.Document):
        return part.source.parts if isinstance(part.source, ir.Chunks) else []
    return part.parts if isinstance(part, (ir.ToolResult, ir.SearchResult)) else []


def cite_before(dropped: ir.Part, parts: list[ir.Part]) -> None:
    """Give the citations of an empty text, which is dropped, to the text before it: some servers cite behind a text."""
    before = parts[-1] if parts else None
    if type(dropped) is ir.Text and dropped.citations and type(before) is ir.Text:
        before.citations = [*(before.citations or ()), *dropped.citations]


def uncite(listed: Iterable[Any], report: Report) -> None:
    """Drop the citations of texts, for targets in which only the assistant cites (CIT-1)."""
    for part in listed:
        if isinstance(part, ir.Text):
            for one in part.citations or ():
                report.at("CIT-1", one)
            part.citations = None
        else:
            uncite(inside_of(part), report)


def unmark(listed: Iterable[Any], report: Report) -> None:
    """Drop the cache breakpoints of parts and of the parts inside of them (CAC-4)."""
    for part in listed:
        if getattr(part, "cache", None) is not None:
            report.at("CAC-4", part, "cache")
            part.cache = None
        unmark(inside_of(part), report)


# --- media types ------------------------------------------------------------------------------------------------------


def right_type(source: Any) -> str | None:
    """Return the media type of an image: that of its data if they show one, else the declared one, normalised."""
    shown = shown_type(source.data) if type(source) is ir.Inline else None
    return shown or registered(source.mime)


def respelled(accepted: Collection[str]) -> Verdict:
    """Return the verdict that writes the media type of a document as the target does (SRC-4): without capitals and
    parameters, or as the data show it, where that is one of the `accepted` types."""

    def misspelt(source: ir.Inline) -> bool:
        return source.mime not in accepted and document_type(source.mime, source.data) in accepted

    def written(source: ir.Inline) -> ir.Inline:
        made = copy(source)
        made.mime = document_type(source.mime, source.data)
        return made

    return notes("SRC-4", ir.Inline, when=misspelt, by=written, at="mime")


def corrected(*sources: type[ir.Inline] | type[ir.Url], accepted: Collection[str] = ()) -> Verdict:
    """Return the verdict that corrects the media type of an image (SRC-4).

    `accepted`: the types that the target takes; by default all. Other types are left to the target's own verdicts.
    """

    def misnamed(source: Any) -> bool:
        right = right_type(source)
        return right != source.mime and (not accepted or right in accepted)

    def renamed(source: Any) -> Any:
        made = copy(source)
        made.mime = right_type(source)
        return made

    return notes("SRC-4", *(sources or (ir.Inline,)), when=misnamed, by=renamed, at="mime")
