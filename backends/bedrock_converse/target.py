"""The target Converse: the structure that it demands of conversations, its checks, and its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from proxai_ir import ir
from proxai_ir.ir.node import Cache
from proxai_ir.json.types import quoted
from proxai_ir.reporting.report import Report
from proxai_ir.schemas.inlined import inlined, is_plain
from proxai_ir.schemas.subset import is_composed, one_object
from proxai_ir.targets import checks, grammars, thinking
from proxai_ir.targets.approximations import without_tools
from proxai_ir.targets.base import BASE
from proxai_ir.targets.conditions import inside_of, unmark
from proxai_ir.targets.constraints import Constraints
from proxai_ir.targets.settings import Server
from proxai_ir.targets.strict_limits import GIVEN_UP
from proxai_ir.targets.verdicts import Check, Target, where
from proxai_ir.wire import bedrock_converse as wire

from .rows import CLAUDE, MODELS, NOVA, OTHERS, ROWS, SETTINGS, SLOT, accepted_call_id, plain

# --- checks -----------------------------------------------------------------------------------------------------------
# Checks of the table of Converse: what no single field shows. Rule: a check acts where it reports.


def _documents(listed: list[Any]) -> Iterator[ir.Document]:
    for part in listed:
        if isinstance(part, ir.Document):
            yield part
        elif isinstance(part, ir.ToolResult):
            yield from _documents(part.parts)


USUAL_NAME = "document"


def _spelled(name: str, most: int) -> str:
    """Return a name in the characters that there are, with one blank between words (DOC-80)."""
    return " ".join(wire.NOT_IN_DOCUMENT_NAME.sub(" ", name).split())[:most].strip()


def named(root: ir.Request, report: Report, server: Server) -> None:
    """Give each document a name that the server accepts and no other document has (DOC-2, DOC-80)."""
    report.facts.documents = True
    seen: set[str] = set()
    numbers: Counter[str] = Counter()  # the last one behind each stem, since those below it are taken
    for turn in root.turns or ():
        for part in _documents(turn.parts):
            given = part.title
            name = _spelled(given or "", wire.LONGEST_DOCUMENT_NAME) or USUAL_NAME
            stem = _spelled(name, wire.LONGEST_DOCUMENT_NAME - 8)
            while name in seen:
                numbers[stem] += 1
                name = f"{stem} {numbers[stem] + 1}"
            seen.add(name)
            if given is None or given != name:
                report.at("DOC-2" if given is None else "DOC-80", part, "" if given is None else "title", quoted(name))
                part.title = name


def unchosen(root: ir.Request, report: Report, server: Server) -> None:
    """Leave out the tools where none may be called, as there is no such choice (TUL-69), unless the history needs them
    (TUL-7)."""
    choice = root.tool_choice
    if getattr(choice, "mode", None) is not ir.ChoiceMode.NONE:
        return
    needed = any(isinstance(part, ir.CALLS) for turn in root.turns or () for part in turn.parts)
    if not needed:
        without_tools(root, report)
        return
    report.at("TUL-7", choice, "mode")
    root.tool_choice = None


def accompanied(root: ir.Request, report: Report, server: Server) -> None:
    """Send the client's own tools as functions where there are no others (TUL-37): they stand apart from the tools that
    the service demands where the history has calls."""
    tools = (root.tools or []) if server.function_tools else []
    if any(isinstance(tool, ir.ClientTool) for tool in tools) and not any(
        type(one) is ir.FunctionTool for one in tools
    ):
        root.tools = [_as_function(tool, report) for tool in tools]


def _as_function(tool: ir.Tool, report: Report) -> ir.Tool:
    if not isinstance(tool, ir.ClientTool) or tool.function is None:
        return tool
    report.at("TUL-37", tool)
    if tool.function.extra is not None:  # settings of the client tool, which is judged by now
        report.extra_fields(tool.function)
        tool.function.extra = None
    return tool.function


def limited(root: ir.Request, report: Report, server: Server) -> None:
    """State an output limit above the thinking budget, since Bedrock's default may be below it (SMP-1)."""
    thinking = root.thinking
    if thinking is not None and thinking.budget is not None and root.max_tokens is None:
        root.max_tokens = thinking.budget + wire.USUAL_LIMIT
        report.records.append(("SMP-1", None, f"`maxTokens` is {wire.USUAL_LIMIT} above the budget"))


def never_parallel(root: ir.Request, report: Report, server: Server) -> None:
    """Drop the setting for parallel calls if no tool is defined or none may be called (TUL-15)."""
    if root.parallel_tools is not None:
        if not root.tools or getattr(root.tool_choice, "mode", None) is ir.ChoiceMode.NONE:
            report.at("TUL-15", root, "parallel_tools")
            root.parallel_tools = None


def marked_outside(root: ir.Request, report: Report, server: Server) -> None:
    """Drop cache points inside of results, documents and hits: they stand between the blocks of messages (CAC-4).

    That of a result's last part moves behind the result, where the same prompt ends, unless the model refuses it there.
    """
    for turn in root.turns or ():
        for part in turn.parts:
            if type(part) is ir.ToolResult and part.parts and part.cache is None and _may_be_followed(part, server):
                last: Any = part.parts[-1]
                if getattr(last, "cache", None) is not None:
                    part.cache, last.cache = last.cache, None
            unmark(inside_of(part), report)


def cached(root: ir.Request, report: Report, server: Server) -> None:
    """Replace automatic caching by a cache point at the end of the prompt, or where one may be before it (CAC-1)."""
    caching = root.caching
    if caching is None or not caching.automatic:
        return
    parts = (part for turn in reversed(root.turns or ()) for part in reversed(turn.parts))
    last: Any = next((one for one in parts if _may_be_followed(one, server)), None)
    if last is not None:
        last.cache = last.cache or Cache(caching.lifetime, src=caching.src)
    else:
        report.at("CAC-5", caching, "automatic")
    root.caching = None


def measured(root: ir.Response, report: Report, server: Server) -> None:
    """Fill in the latency, which a response requires and no other protocol states (ENV-2)."""
    if root.protocol != wire.NAME:
        report.records.append(("ENV-2", None, "`metrics.latencyMs` is 0"))


def uncalled(root: ir.Request, report: Report, server: Server) -> None:
    """Refuse calls in the history of a model without tools, which would need definitions of them (TUL-67)."""
    for turn in root.turns or ():
        for part in turn.parts:
            if isinstance(part, ir.CALLS):
                report.at("TUL-67", part)


def by_default(root: ir.Request, report: Report, server: Server) -> None:
    """Leave out the tool choice `auto`, the default, for models that refuse any tool choice."""
    if getattr(root.tool_choice, "mode", None) is ir.ChoiceMode.AUTO:
        root.tool_choice = None


def accompanied_reasoning(root: ir.Request, report: Report, server: Server) -> None:
    """Leave out the reasoning of messages that have nothing else (RSN-17).

    Some models take such a message for the beginning of their answer, wherever it stands. Turns of the assistant that
    follow one another are one message.
    """
    for role, run in groupby(root.turns or (), attrgetter("role")):
        turns = list(run)
        parts = [part for turn in turns for part in turn.parts]
        if role is not ir.ASSISTANT or not all(isinstance(part, ir.Reasoning) or _is_blank(part) for part in parts):
            continue
        for turn in turns:
            for part in turn.parts:
                if isinstance(part, ir.Reasoning):
                    report.at("RSN-17", part)
            turn.parts = [part for part in turn.parts if not isinstance(part, ir.Reasoning)]
        report.facts.emptied = True  # so that the turn goes, too


def _is_blank(part: ir.Part) -> bool:
    return isinstance(part, ir.WORDING) and not part.text.strip()


def few_keywords(root: ir.Request, report: Report, server: Server) -> None:
    """Leave a type, properties and what is required at the top of tools' schemas (SCH-17), as one object (SCH-9), and
    no tool strict, as that needs more (SCH-10)."""
    for tool in root.tools or ():
        if type(tool) is ir.FunctionTool and tool.strict:
            report.at("SCH-10", tool, "strict")
            tool.strict = None
        if type(tool) is ir.FunctionTool and tool.parameters is not None and not is_plain(tool.parameters):
            schema = tool.parameters
            if is_composed(schema):
                report.at("SCH-9", tool, "parameters")
                schema = one_object(schema)
            report.at("SCH-17", tool, "parameters")
            tool.parameters, misfits = inlined(schema)
            report.misfits(misfits, tool)


def unlimited(root: ir.Request, report: Report, server: Server) -> None:
    """Leave out sampling (RSN-20) and the output limit (SMP-3) if the effort is `high`, which forbids both."""
    thinking, sampling = root.thinking, root.sampling
    if thinking is None or thinking.effort is not ir.Effort.HIGH:
        return
    for name in ("temperature", "top_p", "top_k"):
        if getattr(sampling, name, None) is not None:
            report.at("RSN-20", sampling, name)
            setattr(sampling, name, None)
    if root.max_tokens is not None:
        report.at("SMP-3", root, "max_tokens", "not together with the effort high")
        root.max_tokens = None


def marked_before(root: ir.Request, report: Report, server: Server) -> None:
    """Move a cache point from behind a document, where it is refused, to the part before it (CAC-4). It may follow a
    PDF, and a document that Claude may cite."""
    for turn in root.turns or ():
        for at, part in enumerate(turn.parts):
            if isinstance(part, ir.Document) and part.cache is not None and not _may_be_marked(part, server):
                report.at("CAC-4", part, "cache")
                earlier = (one for one in reversed(turn.parts[:at]) if not isinstance(one, ir.Document))
                before: Any = next((one for one in earlier if _may_be_followed(one, server)), None)
                if before is not None and before.cache is None:
                    before.cache = part.cache
                part.cache = None


def _may_be_marked(document: ir.Document, server: Server) -> bool:
    is_pdf = getattr(document.source, "mime", None) == PDF
    return server.family == CLAUDE and (is_pdf or document.cite is True)


def _may_be_followed(part: Any, server: Server) -> bool:
    """Return whether a cache point may stand behind a part: behind a result, models of some families refuse it."""
    return hasattr(part, "cache") and not (type(part) is ir.ToolResult and server.family in OTHERS.split("|"))


PDF = wire.FORMATS["document"]["pdf"]

# --- target -----------------------------------------------------------------------------------------------------------
# What Converse supports: the structure of a conversation, the table of verdicts, and the checks.


CONSTRAINTS = Constraints(
    instructions="top",
    results="user",
    media_results=True,
    nested=True,
    ordered=True,
    text_parts=True,
    empty_text=False,
    placed_seals=True,
    worded_results="all",
    worded_documents=True,
    alternatives=False,
    items=False,
    open_calls=False,
    seals={ir.Reasoning: SLOT},
    call_id=accepted_call_id,
    unique_calls=True,
    tool_name=wire.TOOL_NAME.fullmatch,
    breakpoints=wire.MOST_BREAKPOINTS,
    outlasted=wire.TTL["5m"],
    last_turn="dropped",
    role_neighbours=False,
    calls_first=False,
    beside_results=plain,
    parsed_arguments=True,
)

LIMITS = {
    "CAC-2": f"available: {', '.join(wire.TTL)}",
    "CAC-3": f"available: {', '.join(wire.TTL)}",
    "CAC-6": f"at most {wire.MOST_BREAKPOINTS}",
    "SCH-4": f"a name must match {grammars.PARAMETER_NAME}",
    "TUL-13": f"an id must match {wire.CALL_ID.pattern}",
    "TUL-26": f"a name must match {wire.TOOL_NAME.pattern}",
    "SRC-2": "or an object in S3 (s3://)",
}

LIMITED = Check(limited, ("SMP-1",), ir.Request, needs=("thinking",), lacks=("max_tokens",))
TARGET = Target(
    wire.NAME,
    ROWS,
    (
        checks.ANSWERED_IDS,
        where("family", CLAUDE, Check(accompanied, ("TUL-37",), ir.Request, needs=("tools",))),
        Check(uncalled, ("TUL-67",), ir.Request, given=ir.CALLS, without="function_tools"),
        checks.calls_need_tools(),
        checks.only_allowed(ir.FunctionTool),
        checks.choice_fits((ir.FunctionTool, ir.ClientTool)),
        where("family", OTHERS, Check(unchosen, ("TUL-7", "TUL-69"), ir.Request, needs=("tool_choice",))),
        *MODELS.checks,
        Check(by_default, (), ir.Request, needs=("tool_choice",), without="tool_choice"),
        Check(accompanied_reasoning, ("RSN-17",), ir.Request, given=(ir.Reasoning,), without="lone_reasoning"),
        Check(
            few_keywords,
            ("SCH-7", "SCH-9", "SCH-10", "SCH-12", "SCH-17"),
            ir.Request,
            needs=("tools",),
            without="schema_keywords",
        ),
        where("family", NOVA, Check(unlimited, ("RSN-20", "SMP-3"), ir.Request, needs=("thinking",))),
        Check(never_parallel, ("TUL-15",), ir.Request, needs=("parallel_tools",)),
        *(where("family", CLAUDE, one) for one in (*thinking.CHECKS, LIMITED, GIVEN_UP)),
        *grammars.FITTED,
        Check(named, ("DOC-2", "DOC-80"), ir.Request, given=(ir.Document,)),
        Check(marked_outside, ("CAC-4",), ir.Request, given=(Cache,)),
        checks.only_assistants_cite(ir.DocumentCitation),
        Check(cached, ("CAC-5",), ir.Request, needs=("caching",)),
        checks.USAGE_ALWAYS,
        checks.ENDING_FITS,
        checks.USAGE_ADDS_UP,
        checks.usage_reported(required=True),
        Check(marked_before, ("CAC-4",), ir.Request, given=(ir.Document,)),
        Check(measured, ("ENV-2",), ir.Response),
    ),
    LIMITS,
    base=BASE,
    settings=SETTINGS,
)
