"""Checks that several targets share: what no single field of the IR shows.

A check looks at a whole Request or Response and reports what it finds; each names the rules that it may cite, so that
a target's table stays complete.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from .. import ir
from ..ir.parts import CALLS, CodeCall, CustomCall, FunctionCall, McpCall, Refusal, Text, ToolResult, WebSearchCall
from ..ir.request import ASSISTANT, Request, SchemaFormat, Turn
from ..ir.response import CONTENT_FILTER, REFUSAL, UNKNOWN, Candidate, FinishReason, Response, Usage
from ..ir.structure import digest_of
from ..json.types import quoted
from ..reporting.report import Report
from .conditions import prefixed
from .settings import Server
from .verdicts import Check


def _model_named(request: Request, report: Report, server: Server) -> None:
    """A request needs a model in its body (ENV-5): for targets that have it there."""
    if request.model is None and server.model is None:
        report.records.append(("ENV-5", None, ""))


def _envelope(response: Response, report: Report, server: Server) -> None:
    """A response needs a model and an id: options give them, and the time."""
    name_model(response, report, server)
    if response.created is None:
        response.created = server.created
    identify(response, report, server)


def name_model(response: Response, report: Report, server: Server) -> None:
    """The model that the caller names takes the place of the response's own (ENV-12), or is missing (ENV-6)."""
    model = server.model
    if model is not None and response.model not in (None, model):
        report.at("ENV-12", response, "model")
    response.model = model or response.model
    if response.model is None:
        response.model = ""
        report.records.append(("ENV-6", None, ""))


def identify(response: Response, report: Report, server: Server) -> None:
    """The id that the caller names is only filled in; else one is generated (ENV-9)."""
    response.id = server.response_id if response.id is None else response.id
    if response.id is None:
        response.id = generated_id(response)
        report.records.append(("ENV-9", None, f"`id` is {response.id!r}"))


def generated_id(response: Response) -> str:
    """Return an id that differs for different responses, as clients key on ids: a digest of the envelope and the
    content. That of a stream is sent before it has content.
    """
    facts = (response.protocol, response.model, response.created, response.fingerprint)
    return f"generated_{digest_of(facts, response.candidates)[:24]}"


MODEL_NAMED = Check(_model_named, ("ENV-5",), Request, lacks=("model",))
IDENTIFIED = Check(identify, ("ENV-9",), Response, lacks=("id",), at_once=True)
ENVELOPE = Check(_envelope, ("ENV-6", "ENV-9", "ENV-12"), Response, at_once=True)


def only_allowed(*classes: type) -> Check:
    """Return tools of these classes that the choice does not allow are dropped: the target cannot define them all the
    same."""

    def run(request: Request, report: Report, server: Server) -> None:
        excluded = ir.excluded(request.tool_choice, request.tools or (), *classes)
        if excluded:
            for tool in excluded:
                report.at("TUL-12", tool)
            dropped = set(map(id, excluded))
            request.tools = [tool for tool in request.tools or () if id(tool) not in dropped]

    return Check(run, ("TUL-12",), Request, needs=("tool_choice",))


FORCED: dict[type, type] = {ir.WebSearchChoice: ir.WebSearchTool, ir.CodeChoice: ir.CodeTool}
"""By class of a choice: the tool of the provider that it forces."""


def choice_fits(callable_tools: Collection[type]) -> Check:
    """Return a choice needs something to choose from: `callable_tools` are the kinds of tool that the target can call.

    Where it allows none of those that are defined, the model may call none.
    """

    def run(request: Request, report: Report, server: Server) -> None:
        choice = request.tool_choice
        callables = defined = [tool for tool in request.tools or () if type(tool) in callable_tools]
        if isinstance(choice, ir.NamedChoice):
            functions = [tool.function if isinstance(tool, ir.ClientTool) else tool for tool in callables]
            named = [tool for tool in functions if isinstance(tool, (ir.FunctionTool, ir.CustomTool))]
            if choice.name not in {tool.name for tool in named}:
                report.at("TUL-11", choice, "name")
            return
        forced = FORCED.get(type(choice))
        if forced is not None:
            if not any(type(tool) is forced for tool in callables):
                report.at("TUL-11", choice)
            return
        if isinstance(choice, ir.AllowedChoice):
            callables = ir.allowed(choice, callables)
        if callables:
            return
        if isinstance(choice, (ir.Choice, ir.AllowedChoice)) and choice.mode is ir.ChoiceMode.REQUIRED:
            report.at("TUL-11", choice, "mode")
        elif choice is not None:
            report.at("TUL-15", choice)
            request.tool_choice = ir.Choice(ir.ChoiceMode.NONE, choice.src) if defined else None
        if request.parallel_tools is not None:
            report.at("TUL-15", request, "parallel_tools")
            request.parallel_tools = None

    return Check(run, ("TUL-11", "TUL-15"), Request, needs=("tool_choice", "parallel_tools"))


def calls_need_tools(without: str = "") -> Check:
    """Return a history with calls needs definitions of tools (TUL-62): where there are none, those that were called are
    defined by their names. `without`: the capability of servers that do without.
    """

    def run(request: Request, report: Report, server: Server) -> None:
        if request.tools:
            return
        made: dict[tuple[str | None, str], ir.FunctionTool | ir.CustomTool] = {}
        for turn in request.turns or ():
            for part in turn.parts:
                if isinstance(part, CALLS) and (part.namespace, part.name) not in made:
                    report.at("TUL-62", part)
                    made[part.namespace, part.name] = _defined(part)
        request.tools = list(made.values()) or request.tools

    return Check(run, ("TUL-62",), Request, given=CALLS, without=without)


def _defined(call: FunctionCall | CustomCall) -> ir.FunctionTool | ir.CustomTool:
    """Return a tool of which nothing is known but that it was called: any arguments are right."""
    if isinstance(call, CustomCall):
        return ir.CustomTool(call.name, src=call.src, namespace=call.namespace)
    schema = {"type": "object", "properties": {}}
    return ir.FunctionTool(call.name, parameters=schema, src=call.src, namespace=call.namespace)


def conversations(root: Request | Response) -> list[list[Turn]]:
    """Return the turns of a request, or of each candidate of a response."""
    if isinstance(root, Request):
        return [root.turns or []]
    return [candidate.turns for candidate in root.candidates]


def calls_apart(prefixes: Mapping[type, str]) -> tuple[Check, Check]:
    """What the provider calls itself has an id of its own in its turn, as the target begins it (TUL-13, TUL-16)."""

    def run(root: Request | Response, report: Report, server: Server) -> None:
        for turns in conversations(root):
            seen: set[str] = set()
            for turn in turns:
                if turn.role is not ASSISTANT:
                    seen.clear()
                for part in turn.parts:
                    if isinstance(part, (WebSearchCall, McpCall, CodeCall)):
                        identity = prefixed(part.id, prefixes[type(part)])
                        if identity in seen:
                            report.at("TUL-16", part, "id")
                        seen.add(identity)

    given = tuple(prefixes)
    return Check(run, ("TUL-16",), Request, given=given), Check(run, ("TUL-16",), Response, given=given)


def _ending_fits(candidate: Candidate, report: Report, server: Server) -> None:
    """A stop reason that is missing, unknown, or contradicts the content is replaced (STS-10, FIN-7, STS-12)."""
    ending = candidate.terminal
    reason = ending.reason
    fitted = ending.fitted(candidate.calls)
    if not ending.stated:
        report.at("STS-10", ending, "reason")
    elif reason is UNKNOWN:
        report.at("FIN-7", ending, "reason")
    elif fitted is not reason:
        report.at("STS-12", ending, "reason")
    ending.reason = fitted


ENDING_FITS = Check(_ending_fits, ("STS-10", "FIN-7", "STS-12"), Candidate)


def _refusal_ends(candidate: Candidate, report: Report, server: Server) -> None:
    """For a target that marks refusals by the stop reason: one in the content is the stop reason (REF-8, REF-9).

    A natural ending is replaced without a loss (REF-13); that it was cut off is lost, and a filtered response without a
    refusal is marked in the same way (STS-3).
    """
    ending = candidate.terminal
    refuses = ending.reason is not REFUSAL and candidate.refuses
    outranked = refuses and candidate.normalised is FinishReason.REFUSAL
    if ending.normalised is FinishReason.LENGTH if outranked else ending.reason is CONTENT_FILTER:
        report.at("STS-3", ending, "reason")
    elif outranked and ending.stated:
        report.at("REF-13", ending, "reason")
    if outranked:
        ending.reason = REFUSAL


REFUSAL_ENDS = Check(_refusal_ends, ("STS-3", "REF-13"), Candidate)


def _usage_adds_up(response: Response, report: Report, server: Server) -> None:
    """For a target whose total of tokens is the sum of what it has (USE-2, USE-4)."""
    usage = response.usage
    if usage is not None and usage.total is not None and usage.total != usage.all_input + usage.all_output:
        whole = usage.input is not None and usage.output is not None
        report.at("USE-2" if whole else "USE-4", usage, "total")  # the target reports the sum of what it has


USAGE_ADDS_UP = Check(_usage_adds_up, ("USE-2", "USE-4"), Response, needs=("usage",))


def _refusals_apart(response: Response, report: Report, server: Server) -> None:
    """A refusal that a target whose stop reason marks refusals cannot distinguish from text (REF-7)."""
    for candidate in response.candidates:
        has_text = False
        refused: list[Refusal] = []
        for part in candidate.parts:
            if type(part) is Refusal:
                refused.append(part)
            elif type(part) is Text and part.text:
                has_text = True
        marked = candidate.terminal.reason is REFUSAL and not has_text
        for part in () if marked else refused:
            report.at("REF-7", part)


REFUSALS_APART = Check(_refusals_apart, ("REF-7",), Response)


def _answered_ids(response: Response, report: Report, server: Server) -> None:
    """Reports a call without an id in a response: one is generated (TUL-17), by the target's builder and writer."""
    if not report.facts.linked:
        return
    for candidate in response.candidates:
        for part in candidate.parts:
            if type(part) is FunctionCall and part.id is None:
                report.at("TUL-17", part)


ANSWERED_IDS = Check(_answered_ids, ("TUL-17",), Response)
"""For a target whose clients answer calls by their ids. It reports alone: where the id stands among the blocks or items
of the wire is the builder's to know, so that the builder of responses and the writer of streams generate it, from the
response's id, as by `response_call_id`. The conformance suite looks whether they do."""


def usage_reported(required: bool) -> Check:
    """Return usage must have input and output counts; `required`: and must be present, with 0 for what is missing
    (USE-5)."""

    def run(response: Response, report: Report, server: Server) -> None:
        usage = response.usage
        if usage is None:
            if required:
                report.records.append(("USE-5", None, ""))
                response.usage = Usage(input=0, output=0)
        elif usage.input is None or usage.output is None:
            report.at("USE-5", usage)
            if required:
                usage.input, usage.output = usage.input or 0, usage.output or 0

    return Check(run, ("USE-5",), Response)


def _details_reported(response: Response, report: Report, server: Server) -> None:
    """For a target that insists on tokens of the cache and of reasoning where it counts anything (USE-5)."""
    usage = response.usage
    if usage is not None and usage.input is not None and usage.output is not None:
        if usage.cache_read is None or usage.cache_write is None or usage.reasoning is None:
            report.at("USE-5", usage)


DETAILS_REPORTED = Check(_details_reported, ("USE-5",), Response, needs=("usage",))


def schema_named(required: bool) -> Check:
    """Return an output's schema needs a name (OUT-2). `required`: it must be there (SCH-2), or strictness is lost."""

    def run(request: Request, report: Report, server: Server) -> None:
        wanted = request.output.format if request.output else None
        if not isinstance(wanted, SchemaFormat):
            return
        if wanted.name is None:
            wanted.name = _name_of(wanted.schema or {})
            report.at("OUT-2", wanted, "", f"`name` is {quoted(wanted.name, 80)}")
        if wanted.schema is None and required:
            report.at("SCH-2", wanted)
            wanted.schema = {"type": "object"}
            if wanted.strict:
                report.at("SCH-1", wanted, "strict")
            wanted.strict = None

    return Check(run, ("OUT-2", *(("SCH-1", "SCH-2") if required else ())), Request, needs=("output",))


SCHEMA_NAME = "response"
MOST_OF_NAME = 64  # characters
ODD = re.compile(r"[^a-zA-Z0-9_-]")


def _name_of(schema: Mapping[str, Any]) -> str:
    """Return the schema's title, with `_` for what names may not contain."""
    title = schema.get("title")
    return ODD.sub("_", title[:MOST_OF_NAME]) if isinstance(title, str) and title else SCHEMA_NAME


def explained_by(*kinds: type[Text] | type[Refusal]) -> Check:
    """Return a refusal's explanation is its text only where the response has none in parts of these kinds (REF-5)."""

    def run(response: Response, report: Report, server: Server) -> None:
        for candidate in response.candidates:
            details = candidate.terminal.refusal
            if details is not None and details.explanation is not None:
                texts = [part.text for part in candidate.parts if isinstance(part, kinds)]
                if candidate.terminal.reason is not REFUSAL or any(texts):
                    same = "".join(texts) == details.explanation
                    report.at("REF-11" if same else "REF-5", details, "explanation")

    return Check(run, ("REF-5", "REF-11"), Response)


def _usage_always(root: Request, report: Report, server: Server) -> None:
    """Streams of the target always report usage. A source whose streams do too has no option for it to report."""
    streaming = root.streaming
    if streaming is None or streaming.usage is None:
        return
    if report.has_member("Streaming", "usage"):
        report.at("STR-13", streaming, "usage")
    streaming.usage = None


USAGE_ALWAYS = Check(_usage_always, ("STR-13",), Request, needs=("streaming",))


def without_call_ids(rule: str) -> tuple[Check, Check]:
    """For a protocol without call ids, where a result belongs to the first call of its tool that has none yet.

    The results of a request are brought in the order of their calls and get their tool's name. Under the rule, an info,
    each id is reported; the table judges them by it as well, `elsewhere=True`.
    """

    def in_order(request: Request, report: Report, server: Server) -> None:
        calls: dict[str | None, tuple[int, str]] = {}
        results: list[tuple[Turn, int, ToolResult]] = []
        for turn in request.turns or ():
            if turn.role is ASSISTANT and results:
                _as_called(results, calls)
                calls, results = {}, []
            for index, part in enumerate(turn.parts):
                if isinstance(part, FunctionCall) and part.id is not None:
                    report.at(rule, part, "id")
                    calls.setdefault(part.id, (len(calls), part.name))
                elif isinstance(part, ToolResult):
                    report.at(rule, part, "call_id")
                    results.append((turn, index, part))
        _as_called(results, calls)

    def named(response: Response, report: Report, server: Server) -> None:
        for candidate in response.candidates:
            for part in candidate.parts:
                if isinstance(part, FunctionCall) and part.id is not None:
                    report.at(rule, part, "id")

    return Check(in_order, (rule,), Request), Check(named, (rule,), Response)


def _as_called(results: list[tuple[Turn, int, ToolResult]], calls: Mapping[str | None, tuple[int, str]]) -> None:
    """Results of calls that are unknown stay behind the others; they are refused later (TUL-3)."""
    last = (len(calls), None)
    ordered = sorted((part for _, _, part in results), key=lambda part: calls.get(part.call_id, last)[0])
    for (turn, index, _), part in zip(results, ordered, strict=True):
        part.name = calls.get(part.call_id, last)[1] or part.name
        turn.parts[index] = part
