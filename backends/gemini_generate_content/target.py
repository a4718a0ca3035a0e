"""The target generateContent: its structural constraints, its checks, and its table."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from proxai_ir import ir
from proxai_ir.json.pointer import extended
from proxai_ir.reporting.report import Report
from proxai_ir.schemas.openapi import legal
from proxai_ir.schemas.restated import restated
from proxai_ir.targets import checks
from proxai_ir.targets.base import BASE, SEARCH
from proxai_ir.targets.settings import Server
from proxai_ir.targets.verdicts import Check, Target
from proxai_ir.wire import gemini_generate_content as wire
from proxai_ir.wire import google

from .._google import rows
from .._google.rows import CHOOSABLE, HOSTED, LIMITS
from .rows import BUDGET_OF, MODELS, ROWS, SETTINGS, in_result

# --- tools ------------------------------------------------------------------------------------------------------------


SINGLE = (ir.WebSearchTool, ir.CodeTool, ir.HostedTool, ir.ClientTool)
"""Tools of which a request has one at most of each kind."""


def one_of_each(root: ir.Request, report: Report, server: Server) -> None:
    """Keep the first tool for web search, for code and of each other kind, each of which has one member (TUL-6)."""
    found: dict[Any, ir.Tool] = {}
    for tool in root.tools or ():
        if isinstance(tool, SINGLE):
            of = tool.kind if isinstance(tool, (ir.HostedTool, ir.ClientTool)) else type(tool)
            if found.setdefault(of, tool) is not tool:
                report.at("TUL-6", tool)
    root.tools = root.tools and [
        tool for tool in root.tools if not isinstance(tool, SINGLE) or any(tool is one for one in found.values())
    ]


def unmixed(root: ir.Request, report: Report, server: Server) -> None:
    """Drop Google's own tools if there are functions, for models that refuse both together (TUL-6)."""
    if any(isinstance(tool, ir.FunctionTool) for tool in root.tools or ()):
        for tool in root.tools or ():
            if isinstance(tool, HOSTED):
                report.at("TUL-6", tool, "", "not together with functions (option `mixed_tools`)")
        root.tools = [tool for tool in root.tools or () if not isinstance(tool, HOSTED)]


def mixed(root: ir.Request, report: Report, server: Server) -> None:
    """Allow Google's own tools together with functions, which the choice AUTO does not."""
    kinds = {isinstance(tool, HOSTED) for tool in root.tools or () if isinstance(tool, (ir.FunctionTool, *HOSTED))}
    if server.mixed_tools and len(kinds) > 1:
        root.extra = ir.Extra({"toolConfig": {"includeServerSideToolInvocations": True}})
        choice = root.tool_choice
        if isinstance(choice, ir.Choice) and choice.mode is ir.ChoiceMode.AUTO:
            choice.mode = ir.ChoiceMode.VALIDATED


def levels_as_budgets(root: ir.Request, report: Report, server: Server) -> None:
    """Replace the least effort by a budget, for models without efforts that always think (RSN-33)."""
    thinking = root.thinking
    if thinking is not None and thinking.effort is not None:
        thinking.budget, thinking.effort = BUDGET_OF[thinking.effort], None


def texts_of_results(root: ir.Request, report: Report, server: Server) -> None:
    """Report further texts of a result, which are joined, as its response holds one (PLC-8)."""
    for turn in (root.turns or ()) if report.facts.linked else ():
        for result in turn.parts:
            if type(result) is ir.ToolResult and len(result.parts) > 1:
                for text in [part for part in result.parts if isinstance(part, ir.Text)][1:]:
                    report.at("PLC-8", text)


# --- signatures -------------------------------------------------------------------------------------------------------

PLACEHOLDER = ir.Seal(google.PROVIDER, google.SIGNATURE, google.PLACEHOLDERS[0])


def signed(root: ir.Request, report: Report, server: Server) -> None:
    """Give the first call of each response a signature (RSN-22, RSN-28).

    Google demands those since the user last said something; older calls get theirs as well, so that the beginning of a
    conversation does not change when the conversation goes on.
    """
    if not report.facts.linked:
        return
    answer: list[ir.Turn] = []
    for turn in (*(root.turns or ()), None):
        if turn is not None and turn.role is ir.ASSISTANT:
            answer.append(turn)
        elif answer:
            calls = (part for one in answer for part in one.parts if type(part) is ir.FunctionCall)
            call = next(calls, None)
            if call is not None and call.seal is None:
                call.seal = _signature_apart(answer, report)
                if call.seal is None and server.dummy_signatures:
                    report.at("RSN-22", call)
                    call.seal = PLACEHOLDER
            answer = []


def _signature_apart(turns: list[ir.Turn], report: Report) -> ir.Seal | None:
    """Return the signature of a call that stands in a part of its own, and drop that part."""
    for turn in turns:
        for part in turn.parts:
            if type(part) is ir.Reasoning and not part.text and part.seal is not None:
                report.at("RSN-28", part)
                turn.parts = [one for one in turn.parts if one is not part]
                report.facts.emptied = report.facts.emptied or not turn.parts
                return part.seal
    return None


# --- schemas ----------------------------------------------------------------------------------------------------------


def titled(root: ir.Request, report: Report, server: Server) -> None:
    """Write the output's name and description into its schema, the only place for them (OUT-4, OUT-8)."""
    wanted = root.output.format if root.output is not None else None
    if not isinstance(wanted, ir.SchemaFormat):
        return
    schema = wanted.schema
    for field, keyword, rule in (("name", "title", "OUT-8"), ("description", "description", "OUT-4")):
        given = getattr(wanted, field)
        if given is None or (schema is not None and given == schema.get(keyword)):
            continue
        if schema is not None and keyword not in schema and "$ref" not in schema:  # a reference stands alone
            schema = {**schema, keyword: given} if server.json_schemas else extended(schema, {keyword: given})
        else:
            report.at(rule, wanted, field)
    wanted.schema = schema


def known_keywords(root: ir.Request, report: Report, server: Server) -> None:
    """Restate keywords that Google ignores, by others or in descriptions (SCH-7, SCH-11)."""
    if not server.json_schemas:
        return
    wanted = root.output.format if root.output is not None else None
    if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
        wanted.schema = _restated(wanted.schema, wanted, report)
    for tool in root.tools or ():
        if type(tool) is ir.FunctionTool and tool.parameters is not None:
            tool.parameters = _restated(tool.parameters, tool, report)


def _restated(schema: dict[str, Any], node: Any, report: Report) -> dict[str, Any]:
    made, misfits = restated(schema, wire.IGNORED_KEYWORDS)
    if misfits:
        report.misfits(misfits, node)
    return made


def legal_schemas(root: ir.Request, report: Report, server: Server) -> None:
    """Restate schemas in Google's subset of OpenAPI, for servers without JSON Schema (SCH-7, SCH-11, SCH-12)."""
    wanted = root.output.format if root.output is not None else None
    if isinstance(wanted, ir.SchemaFormat) and wanted.schema is not None:
        wanted.schema = _legal(wanted.schema, wanted, report)
    for tool in root.tools or ():
        if isinstance(tool, ir.FunctionTool) and tool.parameters is not None:
            made = _legal(tool.parameters, tool, report)
            tool.parameters = made if made.get("properties") or made.get("type") != "OBJECT" else None


def _legal(schema: dict[str, Any], node: Any, report: Report) -> dict[str, Any]:
    made, misfits = legal(schema)
    report.misfits(misfits, node)
    return made


# --- responses --------------------------------------------------------------------------------------------------------


def answered(root: ir.Response, report: Report, server: Server) -> None:
    """Report a response without candidates, which only a blocked prompt of this protocol explains (CHO-1)."""
    if not root.candidates:
        report.at("CHO-1", root, "candidates", "found 0")


def named(root: ir.Response, report: Report, server: Server) -> None:
    """Replace the model of a response by the one that the caller names (ENV-12); fill in a missing id."""
    model = server.model
    if model is not None and root.model not in (None, model):
        report.at("ENV-12", root, "model")
    root.model = model or root.model
    root.id = server.response_id if root.id is None else root.id


def one_search(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Report further searches: all queries and pages are joined, and which search found what is lost (ENV-1)."""
    for cls in SEARCH:
        for part in [part for part in candidate.parts if type(part) is cls][1:]:
            report.at("ENV-1", part, "", "searches are joined into one")


def explained(candidate: ir.Candidate, report: Report, server: Server) -> None:
    """Move a refusal's explanation to the ending, or drop it if the ending has a message (REF-5)."""
    ending = candidate.terminal
    if ending.refusal is not None and ending.refusal.explanation is not None:
        if ending.message is None and ending.reason is ir.REFUSAL:
            ending.message = ending.refusal.explanation
        elif ending.message != ending.refusal.explanation:
            report.at("REF-5", ending.refusal, "explanation")


# --- target -----------------------------------------------------------------------------------------------------------

CONSTRAINTS = evolve(
    rows.CONSTRAINTS,
    results="together",
    result_holds=in_result,
    alternatives=True,
    items=False,
    unique_calls=False,
)

TARGET = Target(
    wire.NAME,
    ROWS,
    (
        Check(named, ("ENV-12",), ir.Response, at_once=True),
        Check(answered, ("CHO-1",), ir.Response),
        checks.only_allowed(*HOSTED),
        Check(one_of_each, ("TUL-6",), ir.Request, needs=("tools",)),
        Check(unmixed, ("TUL-6",), ir.Request, needs=("tools",), without="mixed_tools"),
        Check(mixed, (), ir.Request, needs=("tools",)),
        *MODELS.checks,
        Check(levels_as_budgets, (), ir.Request, needs=("thinking",), without="effort"),
        Check(signed, ("RSN-22", "RSN-28"), ir.Request, needs=("turns",), relayed=True),
        CHOOSABLE,
        Check(texts_of_results, ("PLC-8",), ir.Request, needs=("turns",)),
        checks.choice_fits((ir.FunctionTool,)),
        Check(known_keywords, ("SCH-7", "SCH-11"), ir.Request, needs=("tools", "output")),
        Check(titled, ("OUT-4", "OUT-8"), ir.Request, needs=("output",)),
        Check(legal_schemas, ("SCH-7", "SCH-11", "SCH-12"), ir.Request, without="json_schemas"),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        Check(explained, ("REF-5",), ir.Candidate),
        Check(one_search, ("ENV-1",), ir.Candidate, given=SEARCH),
        checks.USAGE_ADDS_UP,
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
