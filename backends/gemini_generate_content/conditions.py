"""Conditions and rewrites of the table of generateContent, and its checks.

Rule: each condition stands here once; builders write what it leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from proxai_ir.ir import parts, request, response, tools
from proxai_ir.ir.code import PYTHON
from proxai_ir.ir.error import Error
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.terminal import REFUSAL
from proxai_ir.ir.turns import ASSISTANT, USER
from proxai_ir.report import Report
from proxai_ir.rules.conditions import is_
from proxai_ir.rules.verdicts import Fields
from proxai_ir.schemas.openapi import legal
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


def has_effort(thinking: request.Thinking) -> bool:
    return thinking.effort is not None


def has_budget(thinking: request.Thinking) -> bool:
    return thinking.budget is not None


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
    """An effort as a budget, unless the source has one too (RSN-18)."""
    assert thinking.effort is not None
    budget = BUDGET_OF[thinking.effort] if thinking.budget is None else possible_budget(thinking)
    return Fields(effort=None, budget=budget)


def not_googles(speech: request.Speech) -> bool:
    """Whether the voice is another vendor's."""
    return speech.voice not in accepted.VOICES


def not_a_label(service: request.Service) -> bool:
    """Whether a value is no string, as labels have."""
    return not all(isinstance(value, str) for value in (service.metadata or {}).values())


# --- tools ------------------------------------------------------------------------------------------------------------

GOOGLES = (tools.WebSearchTool, tools.CodeTool, tools.McpServer)
"""Tools that Google runs itself."""


def choosable(root: request.Request, report: Report, options: Options) -> None:
    """Tools of other kinds that a choice allows are not listed in it (TUL-6); they are defined all the same."""
    choice = root.tool_choice
    if isinstance(choice, tools.AllowedChoice):
        listed = [(kind, name) for kind, name in choice.tools if kind == "function"]
        if len(listed) != len(choice.tools):
            report.at("TUL-6", choice, "tools")
            choice.tools = listed


def unmixed(root: request.Request, report: Report, options: Options) -> None:
    """Google's own tools are dropped where there are functions, for models that take only the one or the other."""
    if any(isinstance(tool, tools.FunctionTool) for tool in root.tools or ()):
        for tool in root.tools or ():
            if isinstance(tool, GOOGLES):
                report.at("TUL-6", tool, "", "not together with functions (option `mixed_tools`)")
        root.tools = [tool for tool in root.tools or () if not isinstance(tool, GOOGLES)]


def mixed(root: request.Request, report: Report, options: Options) -> None:
    """Google's own tools and functions together have to be allowed, which the choice AUTO is not."""
    kinds = {isinstance(tool, GOOGLES) for tool in root.tools or () if isinstance(tool, (tools.FunctionTool, *GOOGLES))}
    if options.get("mixed_tools", True) and len(kinds) > 1:
        root.extra = Extra({"toolConfig": {"includeServerSideToolInvocations": True}})
        choice = root.tool_choice
        if isinstance(choice, tools.Choice) and choice.mode is tools.ChoiceMode.AUTO:
            choice.mode = tools.ChoiceMode.VALIDATED


def unformatted(root: request.Request, report: Report, options: Options) -> None:
    """For models that take no output format together with tools (OUT-11)."""
    wanted = root.output.format if root.output is not None else None
    if root.output is not None and root.tools and isinstance(wanted, (request.JsonFormat, request.SchemaFormat)):
        report.at("OUT-11", root.output, "format")
        root.output.format = None


PLACEHOLDER = Seal(wire.PROVIDER, wire.SIGNATURE, "skip_thought_signature_validator")


def signed(root: request.Request, report: Report, options: Options) -> None:
    """The first call of each response since the user last said something needs a signature (RSN-19)."""
    if not options.get("dummy_signatures") or not report.facts.linked:
        return
    turns = root.turns or []
    asks = [at for at, turn in enumerate(turns) if turn.role is USER and not all(map(_is_result, turn.parts))]
    fresh = True
    for turn in turns[asks[-1] if asks else 0 :]:
        if turn.role is not ASSISTANT:
            fresh = True
            continue
        for part in turn.parts:
            if isinstance(part, parts.FunctionCall):
                if fresh and part.seal is None:
                    report.at("RSN-19", part)
                    part.seal = PLACEHOLDER
                fresh = False


def _is_result(part: parts.Part) -> bool:
    return isinstance(part, parts.ToolResult)


def one_of_each(root: request.Request, report: Report, options: Options) -> None:
    """There is one member for web search, and one for code; further such tools are dropped (TUL-6)."""
    for cls in (tools.WebSearchTool, tools.CodeTool):
        found = [tool for tool in root.tools or () if type(tool) is cls]
        for tool in found[1:]:
            report.at("TUL-6", tool)
        if len(found) > 1:
            root.tools = [tool for tool in root.tools or () if tool is found[0] or type(tool) is not cls]


def texts_of_results(root: request.Request, report: Report, options: Options) -> None:
    """The texts of a result are joined: its response holds one (PLC-8)."""
    for turn in (root.turns or ()) if report.facts.linked else ():
        for result in turn.parts:
            if isinstance(result, parts.ToolResult) and len(result.parts) > 1:
                for text in [part for part in result.parts if isinstance(part, parts.Text)][1:]:
                    report.at("PLC-8", text)


# --- schemas ----------------------------------------------------------------------------------------------------------


def titled(root: request.Request, report: Report, options: Options) -> None:
    """The output's name and description become those of the schema itself, which has no others (OUT-4, OUT-8)."""
    wanted = root.output.format if root.output is not None else None
    if not isinstance(wanted, request.SchemaFormat):
        return
    schema = wanted.schema
    for field, keyword, rule in (("name", "title", "OUT-8"), ("description", "description", "OUT-4")):
        given = getattr(wanted, field)
        if given is None or (schema is not None and given == schema.get(keyword)):
            continue
        if schema is not None and keyword not in schema and "$ref" not in schema:  # which stands alone
            schema = {**schema, keyword: given}
        else:
            report.at(rule, wanted, field)
    wanted.schema = schema


def legal_schemas(root: request.Request, report: Report, options: Options) -> None:
    """For servers without JSON Schema: the subset of OpenAPI that they have (SCH-7, SCH-11, SCH-12)."""
    wanted = root.output.format if root.output is not None else None
    if isinstance(wanted, request.SchemaFormat) and wanted.schema is not None:
        wanted.schema = _legal(wanted.schema, wanted, report)
    for tool in root.tools or ():
        if isinstance(tool, tools.FunctionTool) and tool.parameters is not None:
            made = _legal(tool.parameters, tool, report)
            tool.parameters = made if made.get("properties") or made.get("type") != "OBJECT" else None


def _legal(schema: dict[str, Any], node: Any, report: Report) -> dict[str, Any]:
    made, misfits = legal(schema)
    report.records += [(rule, node.src if place is None else place, "") for rule, place in misfits]
    return made


# --- parts ------------------------------------------------------------------------------------------------------------


def foreign_seal(part: Any) -> bool:
    return part.seal is not None and part.seal.provider != wire.PROVIDER


def unreadable(reasoning: parts.Reasoning) -> bool:
    """Whether reasoning has nothing but another provider's seal."""
    return not reasoning.text and foreign_seal(reasoning)


def not_a_detail(image: parts.Image) -> bool:
    return image.detail not in wire.RESOLUTION_OF


def no_data(source: parts.Inline) -> bool:
    """Whether a URL stands where base64 data are expected."""
    return "://" in source.data[:LONGEST_SCHEME]


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


def named(root: response.Response, report: Report, options: Options) -> None:
    """The model that the caller names takes the place of the response's own (ENV-12); an id is only filled in."""
    model = options.get("model")
    if model is not None and root.model not in (None, model):
        report.at("ENV-12", root, "model")
    root.model = model or root.model
    root.id = options.get("response_id") if root.id is None else root.id


def one_search(candidate: response.Candidate, report: Report, options: Options) -> None:
    """All queries and pages stand in one list each: which search found what is lost (TUL-22)."""
    if report.facts.hosted:
        for cls in (parts.WebSearchCall, parts.WebSearchResult):
            for part in [part for part in candidate.parts if type(part) is cls][1:]:
                report.at("TUL-22", part, "", "searches are joined into one")


def explained(candidate: response.Candidate, report: Report, options: Options) -> None:
    """A refusal's explanation is that of the ending; one beside another such message is lost (REF-5)."""
    ending = candidate.terminal
    if ending.refusal is not None and ending.refusal.explanation is not None:
        if ending.message is None and ending.reason is REFUSAL:
            ending.message = ending.refusal.explanation
        elif ending.message != ending.refusal.explanation:
            report.at("REF-5", ending.refusal, "explanation")


# --- errors -----------------------------------------------------------------------------------------------------------


def is_number(error: Error) -> bool:
    """Whether the code is a number, which this protocol has for HTTP statuses only."""
    return isinstance(error.code, int)
