"""Strict tools, which some protocols enforce tool by tool and others by the choice among them (SCH-10, SCH-14).

Rule: the strictest that the target has stands for what the source asks; what is left of it the table judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.request import Request
from ..ir.tools import AllowedChoice, Choice, ChoiceMode, FunctionTool, ToolChoice, allowed
from ..reporting.report import Report
from ..rules.constraints import Constraints


def enforces_tools(constraints: Constraints) -> bool:
    return constraints.enforces == "tool"


def enforces_choices(constraints: Constraints) -> bool:
    return constraints.enforces != "tool"


def enforce_tools(root: Request, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
    """Make each tool strict that a choice of validated calls allows."""
    choice = root.tool_choice
    if not isinstance(choice, (Choice, AllowedChoice)) or choice.mode is not ChoiceMode.VALIDATED:
        return
    choice.mode = ChoiceMode.AUTO
    tools = root.tools or []
    for tool in allowed(choice, tools) if isinstance(choice, AllowedChoice) else tools:
        if isinstance(tool, FunctionTool):
            tool.strict = True


def enforce_choice(root: Request, constraints: Constraints, report: Report, _: Mapping[str, Any]) -> None:
    """Make the choice one of validated calls where tools are strict, unless it requires a call or forbids it."""
    for tool in root.tools or ():
        if type(tool) is FunctionTool and tool.strict:
            break
    else:
        return
    functions = [tool for tool in root.tools or () if type(tool) is FunctionTool]
    if not _is_open(root.tool_choice):
        for tool in functions:
            if tool.strict:
                report.at("SCH-15", tool, "strict")
                tool.strict = None
    elif constraints.enforces == "choice":
        _validate(root, functions, report)


def _is_open(choice: ToolChoice | None) -> bool:
    """Whether a choice leaves it to the model whether it calls a tool."""
    return choice is None or (isinstance(choice, (Choice, AllowedChoice)) and choice.mode is ChoiceMode.AUTO)


def _validate(root: Request, functions: list[FunctionTool], report: Report) -> None:
    if isinstance(root.tool_choice, (Choice, AllowedChoice)):
        root.tool_choice.mode = ChoiceMode.VALIDATED
    else:
        root.tool_choice = Choice(ChoiceMode.VALIDATED, functions[0].src)
    several = sum(tool.strict is True for tool in functions) > 1  # of which each would have the others enforced
    for tool in functions:
        if several or not tool.strict:
            report.at("SCH-14", tool, "strict")
        tool.strict = None
