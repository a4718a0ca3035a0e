"""Checks that several targets share, on what no single field of the IR shows.

A check looks at a whole request or response, changes it and reports the change; it declares the rules that it may cite,
so that a target's table stays complete.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from .. import ir
from ..ir.response import UNKNOWN
from ..ir.structure import digest_of
from ..json.types import quoted
from ..reporting.report import Report
from . import conditions as c
from .settings import Server
from .verdicts import Check


def _model_named(request: ir.Request, report: Report, server: Server) -> None:
    """Refuse a request without a model, for targets that name it in the body (ENV-5)."""
    if request.model is None and server.model is None:
        report.records.append(("ENV-5", None, ""))


def _envelope(response: ir.Response, report: Report, server: Server) -> None:
    """Fill in the model, the id and the time of a response."""
    name_model(response, report, server)
    if response.created is None:
        response.created = server.created
    identify(response, report, server)


def name_model(response: ir.Response, report: Report, server: Server) -> None:
    """Replace the model of a response by the one that the caller names (ENV-12); report a missing one (ENV-6)."""
    model = server.model
    if model is not None and response.model not in (None, model):
        report.at("ENV-12", response, "model")
    response.model = model or response.model
    if response.model is None:
        response.model = ""
        report.records.append(("ENV-6", None, ""))


def identify(response: ir.Response, report: Report, server: Server) -> None:
    """Fill in a missing id: the one that the caller names, else a generated one (ENV-9)."""
    response.id = server.response_id if response.id is None else response.id
    if response.id is None:
        response.id = generated_id(response)
        report.records.append(("ENV-9", None, f"`id` is {response.id!r}"))


def generated_id(response: ir.Response) -> str:
    """Return an id made of a digest of the envelope and the content, as clients key responses by their ids.

    The id of a stream is sent before there is content.
    """
    facts = (response.protocol, response.model, response.created, response.fingerprint)
    return f"generated_{digest_of(facts, response.candidates)[:24]}"


MODEL_NAMED = Check(_model_named, ("ENV-5",), ir.Request, lacks=("model",))
IDENTIFIED = Check(identify, ("ENV-9",), ir.Response, lacks=("id",), at_once=True)
ENVELOPE = Check(_envelope, ("ENV-6", "ENV-9", "ENV-12"), ir.Response, at_once=True)


def only_assistants_cite(*classes: type) -> Check:
    """Return a check that drops citations of these classes from all but the assistant's messages (CIT-1)."""

    def run(request: ir.Request, report: Report, server: Server) -> None:
        for turn in request.turns or ():
            if turn.role is not ir.ASSISTANT:
                c.uncite(turn.parts, report)

    return Check(run, ("CIT-1",), ir.Request, given=classes)


def only_allowed(*classes: type) -> Check:
    """Return a check that drops tools of these classes that the choice does not allow (TUL-12)."""

    def run(request: ir.Request, report: Report, server: Server) -> None:
        excluded = ir.excluded(request.tool_choice, request.tools or (), *classes)
        if excluded:
            for tool in excluded:
                report.at("TUL-12", tool)
            dropped = set(map(id, excluded))
            request.tools = [tool for tool in request.tools or () if id(tool) not in dropped]

    return Check(run, ("TUL-12",), ir.Request, needs=("tool_choice",))


def _named_alone(request: ir.Request, report: Report, server: Server) -> None:
    """Require a call where a tool is named, of the named one alone: the others are left out (TUL-12).

    Where the conversation has calls of the others, it needs them: that some tool is called is sent then (TUL-70).
    """
    choice = request.tool_choice
    if not isinstance(choice, ir.NamedChoice):
        return
    others = [tool for tool in request.tools or () if getattr(tool, "name", None) != choice.name]
    called = {part.name for turn in request.turns or () for part in turn.parts if isinstance(part, ir.CALLS)}
    if called - {choice.name}:
        report.at("TUL-70", choice)
    else:
        for tool in others:
            report.at("TUL-12", tool)
        left_out = set(map(id, others))
        request.tools = [tool for tool in request.tools or () if id(tool) not in left_out]
    request.tool_choice = ir.Choice(ir.ChoiceMode.REQUIRED, src=choice.src)


NAMED_ALONE = Check(_named_alone, ("TUL-12", "TUL-70"), ir.Request, given=(ir.NamedChoice,))
"""For targets in which a call can be required, but not of one tool."""
FORCED: dict[type, type] = {ir.WebSearchChoice: ir.WebSearchTool, ir.CodeChoice: ir.CodeTool}
"""The hosted tool that a class of choice forces."""


def _one_web_search(root: ir.Request, report: Report, server: Server) -> None:
    """Keep the first web search, where it has one member or one name (TUL-6)."""
    searches = [tool for tool in root.tools or () if type(tool) is ir.WebSearchTool]
    if len(searches) > 1:
        for tool in searches[1:]:
            report.at("TUL-6", tool)
        root.tools = [tool for tool in root.tools or () if tool is searches[0] or type(tool) is not ir.WebSearchTool]


ONE_WEB_SEARCH = Check(_one_web_search, ("TUL-6",), ir.Request, given=(ir.WebSearchTool,))


def choice_fits(callable_tools: Collection[type]) -> Check:
    """Return a check that a choice of tools has tools to choose from, of the classes that the target can call.

    A choice that allows none of the defined tools becomes one that forbids calls (TUL-15); one that requires a call is
    refused (TUL-11).
    """

    def run(request: ir.Request, report: Report, server: Server) -> None:
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

    return Check(run, ("TUL-11", "TUL-15"), ir.Request, needs=("tool_choice", "parallel_tools"))


def calls_need_tools(without: str = "") -> Check:
    """Return a check that defines the called tools by name if a request has calls but no definitions (TUL-62).

    `without`: the capability of servers that accept such requests.
    """

    def run(request: ir.Request, report: Report, server: Server) -> None:
        if request.tools:
            return
        made: dict[tuple[str | None, str], ir.FunctionTool | ir.CustomTool] = {}
        for turn in request.turns or ():
            for part in turn.parts:
                if isinstance(part, ir.CALLS) and (part.namespace, part.name) not in made:
                    report.at("TUL-62", part)
                    made[part.namespace, part.name] = _defined(part)
        request.tools = list(made.values()) or request.tools

    return Check(run, ("TUL-62",), ir.Request, given=ir.CALLS, without=without)


def _defined(call: ir.FunctionCall | ir.CustomCall) -> ir.FunctionTool | ir.CustomTool:
    """Return a tool with the name of a called one, which accepts any arguments."""
    if isinstance(call, ir.CustomCall):
        return ir.CustomTool(call.name, src=call.src, namespace=call.namespace)
    schema = {"type": "object", "properties": {}}
    return ir.FunctionTool(call.name, parameters=schema, src=call.src, namespace=call.namespace)


def conversations(root: ir.Request | ir.Response) -> list[list[ir.Turn]]:
    """Return the turns of a request, or of each candidate of a response."""
    if isinstance(root, ir.Request):
        return [root.turns or []]
    return [candidate.turns for candidate in root.candidates]


def calls_apart(prefixes: Mapping[type, str]) -> tuple[Check, Check]:
    """Return checks that report provider-run calls of one turn whose ids would be the same in the target (TUL-16).

    `prefixes`: how the target begins the ids of each class of call (TUL-13).
    """

    def run(root: ir.Request | ir.Response, report: Report, server: Server) -> None:
        for turns in conversations(root):
            seen: set[str] = set()
            for turn in turns:
                if turn.role is not ir.ASSISTANT:
                    seen.clear()
                for part in turn.parts:
                    if isinstance(part, (ir.WebSearchCall, ir.McpCall, ir.CodeCall)):
                        identity = c.prefixed(part.id, prefixes[type(part)])
                        if identity in seen:
                            report.at("TUL-16", part, "id")
                        seen.add(identity)

    given = tuple(prefixes)
    return Check(run, ("TUL-16",), ir.Request, given=given), Check(run, ("TUL-16",), ir.Response, given=given)


def _ending_fits(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Replace a stop reason that is missing (STS-10), unknown (FIN-7) or contradicts the content (STS-12)."""
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


ENDING_FITS = Check(_ending_fits, ("STS-10", "FIN-7", "STS-12"), ir.Candidate)


def _refusal_ends(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Set the stop reason to refusal if the content has one, for targets that mark refusals by it (REF-8, REF-9).

    A natural ending is replaced without loss (REF-13). A length limit is lost, and a filtered response without a
    refusal is marked in the same way (STS-3).
    """
    ending = candidate.terminal
    refuses = ending.reason is not ir.REFUSAL and candidate.refuses
    outranked = refuses and candidate.normalised is ir.FinishReason.REFUSAL
    if ending.normalised is ir.FinishReason.LENGTH if outranked else ending.reason is ir.CONTENT_FILTER:
        report.at("STS-3", ending, "reason")
    elif outranked and ending.stated:
        report.at("REF-13", ending, "reason")
    if outranked:
        ending.reason = ir.REFUSAL


REFUSAL_ENDS = Check(_refusal_ends, ("STS-3", "REF-13"), ir.Candidate)


def _usage_adds_up(response: ir.Response, report: Report, server: Server) -> None:
    """Report a total of tokens that is not the sum of the counts, which the target sends (USE-2, USE-4)."""
    usage = response.usage
    if usage is not None and usage.total is not None and usage.total != usage.all_input + usage.all_output:
        whole = usage.input is not None and usage.output is not None
        report.at("USE-2" if whole else "USE-4", usage, "total")  # the target reports the sum of its counts


USAGE_ADDS_UP = Check(_usage_adds_up, ("USE-2", "USE-4"), ir.Response, needs=("usage",))


def _refusals_apart(response: ir.Response, report: Report, server: Server) -> None:
    """Report refusals that the target cannot distinguish from text (REF-7)."""
    for candidate in response.candidates:
        has_text = False
        refused: list[ir.Refusal] = []
        for part in candidate.parts:
            if type(part) is ir.Refusal:
                refused.append(part)
            elif type(part) is ir.Text and part.text:
                has_text = True
        marked = candidate.terminal.reason is ir.REFUSAL and not has_text
        for part in () if marked else refused:
            report.at("REF-7", part)


REFUSALS_APART = Check(_refusals_apart, ("REF-7",), ir.Response)


def _answered_ids(response: ir.Response, report: Report, server: Server) -> None:
    """Report calls without ids; the builder and the stream writer of the target generate ids (TUL-17)."""
    if not report.facts.linked:
        return
    for candidate in response.candidates:
        for part in candidate.parts:
            if type(part) is ir.FunctionCall and part.id is None:
                report.at("TUL-17", part)


ANSWERED_IDS = Check(_answered_ids, ("TUL-17",), ir.Response)
"""The check for a target whose clients answer calls by their ids. It only reports: the builder of responses and the
writer of streams know the position of the call on the wire and generate the id from the response's id, as
`response_call_id` does. The conformance suite tests that they do."""


def usage_reported(required: bool) -> Check:
    """Return a check that reports usage without input or output counts (USE-5).

    `required`: missing counts, or usage that is missing as a whole, are filled in with 0.
    """

    def run(response: ir.Response, report: Report, server: Server) -> None:
        usage = response.usage
        if usage is None:
            if required:
                report.records.append(("USE-5", None, ""))
                response.usage = ir.Usage(input=0, output=0)
        elif usage.input is None or usage.output is None:
            report.at("USE-5", usage)
            if required:
                usage.input, usage.output = usage.input or 0, usage.output or 0

    return Check(run, ("USE-5",), ir.Response)


def _details_reported(response: ir.Response, report: Report, server: Server) -> None:
    """Report usage that lacks counts of cached or reasoning tokens, for targets that require them (USE-5)."""
    usage = response.usage
    if usage is not None and usage.input is not None and usage.output is not None:
        if usage.cache_read is None or usage.cache_write is None or usage.reasoning is None:
            report.at("USE-5", usage)


DETAILS_REPORTED = Check(_details_reported, ("USE-5",), ir.Response, needs=("usage",))


def schema_named(required: bool) -> Check:
    """Return a check that names the schema of the output (OUT-2).

    `required`: a missing schema becomes one of an object (SCH-2), whose strictness is lost (SCH-1).
    """

    def run(request: ir.Request, report: Report, server: Server) -> None:
        wanted = request.output.format if request.output else None
        if not isinstance(wanted, ir.SchemaFormat):
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

    return Check(run, ("OUT-2", *(("SCH-1", "SCH-2") if required else ())), ir.Request, needs=("output",))


SCHEMA_NAME = "response"
MOST_OF_NAME = 64  # characters
ODD = re.compile(r"[^a-zA-Z0-9_-]")


def _name_of(schema: Mapping[str, Any]) -> str:
    """Return the schema's title as a name: characters that names may not contain become `_`."""
    title = schema.get("title")
    return ODD.sub("_", title[:MOST_OF_NAME]) if isinstance(title, str) and title else SCHEMA_NAME


def explained_by(*kinds: type[ir.Text] | type[ir.Refusal]) -> Check:
    """Return a check that reports a refusal's explanation where parts of these classes repeat it (REF-11) or differ
    (REF-5)."""

    def run(response: ir.Response, report: Report, server: Server) -> None:
        for candidate in response.candidates:
            details = candidate.terminal.refusal
            if details is not None and details.explanation is not None:
                texts = [part.text for part in candidate.parts if isinstance(part, kinds)]
                if candidate.terminal.reason is not ir.REFUSAL or any(texts):
                    same = "".join(texts) == details.explanation
                    report.at("REF-11" if same else "REF-5", details, "explanation")

    return Check(run, ("REF-5", "REF-11"), ir.Response)


def _usage_always(root: ir.Request, report: Report, server: Server) -> None:
    """Drop the option to report usage, as streams of the target always do; report it if the source has one."""
    streaming = root.streaming
    if streaming is None or streaming.usage is None:
        return
    if report.has_member("Streaming", "usage"):
        report.at("STR-13", streaming, "usage")
    streaming.usage = None


USAGE_ALWAYS = Check(_usage_always, ("STR-13",), ir.Request, needs=("streaming",))


def without_call_ids(rule: str) -> tuple[Check, Check]:
    """Return checks for a protocol without call ids, where a result belongs to the first open call of its tool.

    Results of a request are put in the order of their calls and get the name of their tool. Each id is reported under
    `rule`, an info; the table judges the ids by it as well, with `elsewhere=True`.
    """

    def in_order(request: ir.Request, report: Report, server: Server) -> None:
        calls: dict[str | None, tuple[int, str]] = {}
        results: list[tuple[ir.Turn, int, ir.ToolResult]] = []
        for turn in request.turns or ():
            if turn.role is ir.ASSISTANT and results:
                _as_called(results, calls)
                calls, results = {}, []
            for index, part in enumerate(turn.parts):
                if isinstance(part, ir.FunctionCall) and part.id is not None:
                    report.at(rule, part, "id")
                    calls.setdefault(part.id, (len(calls), part.name))
                elif isinstance(part, ir.ToolResult):
                    report.at(rule, part, "call_id")
                    results.append((turn, index, part))
        _as_called(results, calls)

    def named(response: ir.Response, report: Report, server: Server) -> None:
        for candidate in response.candidates:
            for part in candidate.parts:
                if isinstance(part, ir.FunctionCall) and part.id is not None:
                    report.at(rule, part, "id")

    return Check(in_order, (rule,), ir.Request), Check(named, (rule,), ir.Response)


def _as_called(results: list[tuple[ir.Turn, int, ir.ToolResult]], calls: Mapping[str | None, tuple[int, str]]) -> None:
    """Sort results by their calls and set their tools' names; results of unknown calls come last, and are refused later
    (TUL-3)."""
    last = (len(calls), None)
    ordered = sorted((part for _, _, part in results), key=lambda part: calls.get(part.call_id, last)[0])
    for (turn, index, _), part in zip(results, ordered, strict=True):
        part.name = calls.get(part.call_id, last)[1] or part.name
        turn.parts[index] = part
