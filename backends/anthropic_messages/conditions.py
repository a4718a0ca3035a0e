"""What the table of Anthropic Messages asks of nodes and trees: the conditions of its verdicts, its own checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from proxai_ir.ir import parts, request, response, tools
from proxai_ir.ir.terminal import UNFINISHED
from proxai_ir.ir.turns import ASSISTANT
from proxai_ir.report import Report
from proxai_ir.rules.conditions import is_
from proxai_ir.schemas.subset import fitted
from proxai_ir.wire import anthropic_messages as wire

from .parts import is_text, unsigned
from .request import blank, unshown

MEDIA = ", ".join([*sorted(wire.IMAGE_TYPES), wire.PDF, "text/plain"])
LIMITS = {
    "CAC-2": f"available: {', '.join(wire.TTL)}",
    "CAC-3": f"available: {', '.join(wire.TTL)}",
    "CAC-6": f"at most {wire.MOST_BREAKPOINTS}",
    "SCH-4": f"a name must match {wire.PARAMETER}",
    "SMP-2": "temperature must be from 0 to 1, stop sequences must not be only whitespace",
    "SRC-3": f"accepted: {MEDIA}; URLs with http:// or https://",
    "TUL-8": f"a name must match {wire.TOOL_NAME}",
    "TUL-13": f"an id must match {wire.CALL_ID}; provider-run calls begin with {wire.SERVER_ID} or {wire.MCP_ID}",
}
"""What this protocol accepts, for the diagnostics of values that it rejects."""


def off(name: str) -> Any:
    """Whether a setting is at what this protocol does anyway."""
    return is_(name, None, False, 0, "auto", [], {})


def unreadable(reasoning: parts.Reasoning) -> bool:
    return not reasoning.text and unsigned(reasoning)


def misnamed(source: parts.Inline) -> bool:
    return source.mime in wire.MEDIA_TYPE


def other_image(source: Any) -> bool:
    return source.mime not in wire.IMAGE_TYPES


def not_web(source: parts.Url) -> bool:
    return not source.url.startswith(("https://", "http://"))


def other_document(document: parts.Document) -> bool:
    source = document.source
    return isinstance(source, parts.Inline) and source.mime != wire.PDF and not is_text(document)


def more_than_one(call: parts.WebSearchCall) -> bool:
    return len(call.queries) > 1


def unsealed(result: parts.WebSearchResult) -> bool:
    """Whether pages lack what this wire requires of them: a title, and their content as only Anthropic can read it."""
    return any(hit.title is None or hit.seal is None or hit.seal.provider != wire.PROVIDER for hit in result.hits)


def not_an_object(tool: tools.FunctionTool) -> bool:
    schema = tool.parameters or {}
    return bool(schema.get("type", "object") != "object" or "anyOf" in schema or "oneOf" in schema or "allOf" in schema)


def odd_parameter(tool: tools.FunctionTool) -> bool:
    """Whether a parameter has a name that this wire refuses."""
    names = (tool.parameters or {}).get("properties")
    try:
        return isinstance(names, dict) and not all(map(PARAMETER, names))
    except TypeError:  # a key that is no string, which parsed JSON cannot have
        return True


PARAMETER = re.compile(wire.PARAMETER).fullmatch


def untyped(tool: tools.FunctionTool) -> bool:
    return "type" not in (tool.parameters or {})


def generated(root: request.Request, report: Report, options: Mapping[str, Any]) -> None:
    """What this wire requires of a request and the source lacks (SMP-1, SCH-2)."""
    if root.max_tokens is None:
        report.records.append(("SMP-1", None, f"max_tokens {options['max_tokens']}"))
    for tool in root.tools or ():
        if isinstance(tool, tools.FunctionTool) and tool.parameters is None:
            report.at("SCH-2", tool)


def left_out(root: request.Request, report: Report, options: Mapping[str, Any]) -> None:
    """What single items of a list cost, and settings that contradict others (TUL-15, SMP-2, RSN-2)."""
    choice = root.tool_choice
    if choice is not None:
        none = isinstance(choice, tools.Choice) and choice.mode is tools.ChoiceMode.NONE
        if none and root.parallel_tools is not None:
            report.at("TUL-15", root, "parallel_tools")
    if root.thinking is not None and unshown(root):
        report.at("RSN-2", root.thinking, "display")
    if root.sampling is not None and any(blank(one) for one in root.sampling.stop or ()):
        report.at("SMP-2", root.sampling, "stop")


def refitted(root: request.Request, report: Report, options: Mapping[str, Any]) -> None:
    """What it costs that the schema of the output is enforced (SCH-6 to SCH-8)."""
    wanted = root.output.format if root.output is not None else None
    if isinstance(wanted, request.SchemaFormat) and wanted.schema is not None:
        report.records += [(rule, place, "") for rule, place in fitted(wanted.schema, wire.unenforceable)[1]]


def goes_on(root: request.Request, report: Report, options: Mapping[str, Any]) -> None:
    """A last turn of the assistant's is what the answer goes on from here, whether the source has it so or not."""
    last = root.turns[-1] if root.turns else None
    if last is not None and last.role is ASSISTANT and not root.prefill:
        if not any(isinstance(part, parts.CALLS) for part in last.parts):
            report.at("PLC-16", last)


def says_something(root: response.Response, report: Report, options: Mapping[str, Any]) -> None:
    """An answer must have something to say (CHO-3); the option `allow_empty` lets an empty one through."""
    if options.get("allow_empty"):
        return
    for candidate in root.candidates:
        if candidate.terminal.reason is UNFINISHED:  # there may be more to say (STS-13)
            continue
        for part in candidate.parts:
            if says(part):
                break
        else:
            report.at("CHO-3", candidate, "turns")


def says(part: parts.Part) -> bool:
    return not isinstance(part, parts.WORDING) or (bool(part.text) and not part.text.isspace())
