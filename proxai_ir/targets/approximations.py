"""Verdicts and checks on settings that a model lacks, or lacks in combination, and on defaults of servers (CAP-4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from typing import Any

from .. import ir
from ..reporting.report import Report
from ..schemas.inlined import expanded
from . import conditions as c
from .settings import Server
from .verdicts import Check, Fields, Rows, Verdict, inside, lacking, loses, of, refuses, weaker, where

WORDS = tuple(effort.value for effort in c.EFFORTS)


# --- sampling ---------------------------------------------------------------------------------------------------------

RANDOMNESS = ("temperature", "top_p", "top_k")
SCORES = ("logprobs", "top_logprobs")
PENALTIES = ("frequency_penalty", "presence_penalty", "logit_bias")


def sampling(name: str, *verdicts: Verdict) -> tuple[Rows, ...]:
    """Return verdicts on sampling parameters for models that lack a capability."""
    return (of(ir.Sampling, *(lacking(name, one) for one in verdicts)),)


def says_nothing(thinking: ir.Thinking | None) -> bool:
    """Return whether a request leaves thinking to the model's default."""
    return thinking is None or (thinking.mode is None and thinking.effort is None and thinking.budget is None)


def reasons(root: ir.Request, server: Server) -> bool:
    """Return whether the model thinks before it answers, by the request or else by the model's default."""
    thinking = root.thinking
    if thinking is None or says_nothing(thinking):
        return bool(server.thinks_by_default)
    return thinking.mode is not ir.ThinkingMode.DISABLED


LEAST_TEMPERATURE = 0.01
"""The temperature that is sent for 0 to models that require a positive one."""


def not_above_zero(sampling: ir.Sampling) -> bool:
    """Return whether the temperature is 0, for models that require a positive one."""
    return sampling.temperature is not None and sampling.temperature <= 0


def sampled_without_thinking(root: ir.Request, report: Report, server: Server) -> None:
    """Drop sampling parameters if the model thinks, for models that refuse both together (RSN-20)."""
    sampling = root.sampling
    if sampling is not None and reasons(root, server):
        for name in (*RANDOMNESS, *SCORES, *PENALTIES):
            if getattr(sampling, name) is not None:
                report.at("RSN-20", sampling, name)
                setattr(sampling, name, None)


# --- thinking ---------------------------------------------------------------------------------------------------------


def efforts(setting: str, rule: str, words: tuple[str, ...], beyond: Any) -> tuple[Rows, ...]:
    """Return verdicts that replace efforts beyond the one that a setting names by that one."""
    limits = {word: [one for one in WORDS if beyond(WORDS.index(one), WORDS.index(word))] for word in words}
    return tuple(
        of(ir.Thinking, where(setting, word, weaker(rule, f"effort={'|'.join(others)}", by=c.always(ir.Effort(word)))))
        for word, others in limits.items()
        if others
    )


def bounded(setting: str, within: Callable[[int, int], int]) -> Check:
    """Return a check that limits an effort made from a budget, which the verdicts on efforts do not see."""

    def bounded(root: ir.Request, report: Report, server: Server) -> None:
        thinking = root.thinking
        if thinking is not None and thinking.effort is not None:
            bound = WORDS.index(getattr(server, setting))
            thinking.effort = c.EFFORTS[within(c.EFFORTS.index(thinking.effort), bound)]

    return Check(bounded, (), ir.Request, needs=("thinking",))


OUTER = c.nearest_of(ir.Effort.MINIMAL, ir.Effort.HIGH)


def outer_effort(root: ir.Request, report: Report, server: Server) -> None:
    """Replace the efforts between minimal and high by the nearest of these two, for models without the others."""
    thinking = root.thinking
    if thinking is not None and thinking.effort is not None:
        thinking.effort = OUTER(thinking)


def never(effort: ir.Effort, other: ir.Effort, capability: str) -> Check:
    """Return a check that replaces one effort by another, for models that lack the capability."""

    def run(root: ir.Request, report: Report, server: Server) -> None:
        if root.thinking is not None and root.thinking.effort is effort:
            root.thinking.effort = other

    return Check(run, (), ir.Request, needs=("thinking",), without=capability)


def least(effort: ir.Effort) -> Any:
    """Return a rewrite that turns disabled thinking into the least effort of a model (RSN-33)."""
    return lambda _: Fields(mode=None, effort=effort)


UNSTATED = "unstated"
LEAST = WORDS[: WORDS.index("high") + 1]
HIGHEST = WORDS[WORDS.index("medium") :]
ALWAYS_THINKS = (
    of(ir.Thinking, lacking("thinking_off", where("least_effort", UNSTATED, loses("RSN-6", "mode=disabled")))),
    *(
        of(
            ir.Thinking,
            lacking(
                "thinking_off",
                where("least_effort", word, weaker("RSN-33", "mode=disabled", by=least(ir.Effort(word)))),
            ),
        )
        for word in LEAST
    ),
)


def tools_without_thinking(root: ir.Request, report: Report, server: Server) -> None:
    """Disable thinking if the request defines functions, for models that refuse both together (RSN-35)."""
    thinking = root.thinking
    if not any(type(tool) is ir.FunctionTool for tool in root.tools or ()):
        return
    if thinking is None or thinking.mode is not ir.ThinkingMode.DISABLED:
        if thinking is None:
            thinking = root.thinking = ir.Thinking()
        for name in ("mode", "effort", "budget"):
            if getattr(thinking, name) is not None:
                report.at("RSN-35", thinking, name)
                setattr(thinking, name, None)
        thinking.mode = ir.ThinkingMode.DISABLED


PLACEHOLDER = " "
"""The reasoning of calls that came without: servers demand some text, and refuse an empty one."""


def reasoned(root: ir.Request, report: Report, server: Server) -> None:
    """Insert a placeholder into each of the assistant's messages that has calls and no reasoning (RSN-36).

    Servers demand reasoning only in messages since the user last spoke. Older ones get it as well, so that the
    beginning of the conversation does not change from one request to the next, and stays in the cache.
    """
    for is_assistants, turns in groupby(root.turns or (), lambda turn: turn.role is ir.ASSISTANT):
        if is_assistants:
            joined = [*turns]
            found = [part for turn in joined for part in turn.parts]
            call = next((part for part in found if isinstance(part, ir.CALLS)), None)
            if call is not None and not any(isinstance(part, ir.Reasoning) and part.text for part in found):
                report.at("RSN-36", call)
                joined[0].parts.insert(0, ir.Reasoning(PLACEHOLDER))


def tools_without_effort(root: ir.Request, report: Report, server: Server) -> None:
    """Drop the effort if the request defines functions, for models that refuse both together (RSN-37)."""
    thinking = root.thinking
    if thinking is not None and thinking.effort is not None:
        if any(type(tool) is ir.FunctionTool for tool in root.tools or ()):
            report.at("RSN-37", thinking, "effort")
            thinking.effort = None


# --- tools ------------------------------------------------------------------------------------------------------------

AUTO = ir.ChoiceMode.AUTO
REQUIRED = ir.ChoiceMode.REQUIRED


def auto(choice: Any) -> ir.Choice:
    return ir.Choice(AUTO, src=choice.src)


FORCED = (ir.NamedChoice, ir.CustomChoice, ir.WebSearchChoice, ir.CodeChoice)
HOSTED = (ir.WebSearchTool, ir.CodeTool, ir.McpServer, ir.McpToolset, ir.HostedTool)


def unforced(name: str) -> tuple[Rows, ...]:
    """Return verdicts that replace choices which force a tool by one that lets the model decide (TUL-68)."""
    return (
        *(
            of(cls, lacking(name, weaker("TUL-68", "mode=required", by=c.always(AUTO))))
            for cls in (ir.Choice, ir.AllowedChoice)
        ),
        inside("tool choice", lacking(name, weaker("TUL-68", *FORCED, by=auto))),
    )


def required(choice: Any) -> ir.Choice:
    return ir.Choice(REQUIRED, src=choice.src)


def forced_without_thinking(root: ir.Request, report: Report, server: Server) -> None:
    """Prevent a forced tool call together with thinking, for models that refuse both together.

    Thinking is disabled if the source does not ask for it and the model can do without (RSN-39); else the model decides
    whether to call a tool (TUL-68).
    """
    choice = root.tool_choice
    if choice is None or getattr(choice, "mode", REQUIRED) is not REQUIRED or not reasons(root, server):
        return
    if getattr(server, "thinking_off", False) and says_nothing(root.thinking):  # not every target has the setting
        report.at("RSN-39", choice)
        root.thinking = root.thinking or ir.Thinking()
        root.thinking.mode = ir.ThinkingMode.DISABLED
    else:
        report.at("TUL-68", choice)
        root.tool_choice = auto(choice)


def without_tools(root: ir.Request, report: Report) -> None:
    """Drop the choice that forbids calls together with the definitions of tools (TUL-69)."""
    report.at("TUL-69", root.tool_choice, "mode")
    if root.tools:
        report.at("TUL-69", root, "tools")
    root.tools = root.tool_choice = None


def chosen(root: ir.Request, report: Report, server: Server) -> None:
    """Drop tools that may not be called (TUL-69) and replace allowed tools by auto (TUL-68), for models without a
    choice."""
    choice = root.tool_choice
    if isinstance(choice, ir.Choice) and choice.mode is ir.ChoiceMode.NONE:
        without_tools(root, report)
    elif isinstance(choice, ir.AllowedChoice):
        report.at("TUL-68", choice, "tools")
        root.tool_choice = auto(choice)


DEFINED = (ir.FunctionTool, ir.CustomTool)


def fewer_tools(root: ir.Request, report: Report, server: Server) -> None:
    """Leave out tools beyond the most that a model takes (TUL-79): the last of those that the choice does not name and
    the conversation has not called."""
    tools = [tool for tool in root.tools or () if isinstance(tool, DEFINED)]
    if not server.most_tools or len(tools) <= server.most_tools:
        return
    needed = _named_tools(root)
    ordered = sorted(tools, key=lambda tool: tool.name not in needed)  # stable: in their order otherwise
    beyond = {id(tool) for tool in ordered[server.most_tools :]}
    for tool in tools:
        if id(tool) in beyond:
            report.at("TUL-79", tool, detail=f"at most {server.most_tools}")
    root.tools = [tool for tool in root.tools or () if id(tool) not in beyond]


def without_references(root: ir.Request, report: Report, server: Server) -> None:
    """Replace references in the schemas of tools by what they name, for models that are not shown that (SCH-18)."""
    restate_tools(root, expanded, "SCH-18", report)


def restate_tools(root: ir.Request, restated: Callable[[Any], Any], rule: str, report: Report) -> None:
    """Put another schema in the place of each tool's parameters, and report the rule where it is not the same one."""
    for tool in root.tools or ():
        if type(tool) is ir.FunctionTool and tool.parameters is not None:
            schema = restated(tool.parameters)
            if schema is not tool.parameters:
                report.at(rule, tool, "parameters")
                tool.parameters = schema


def _named_tools(root: ir.Request) -> set[str]:
    """Return the names of the tools that the choice names or the conversation has called."""
    choice = root.tool_choice
    names = {part.name for turn in root.turns or () for part in turn.parts if isinstance(part, ir.CALLS)}
    if isinstance(choice, ir.AllowedChoice):
        names |= {name for _, name in choice.tools}
    elif isinstance(choice, ir.NamedChoice | ir.CustomChoice):
        names.add(choice.name)
    return names


def asks_whole(root: ir.Request, server: Server) -> bool:
    """Return whether a request has tools, and the model none in streams. A relayed request is told by its path alone
    whether it asks for a stream."""
    return bool(root.tools) and not getattr(server, "stream_tools", True)


def asked_whole(root: ir.Request, report: Report, server: Server) -> None:
    """Ask for the whole response if the request has tools, for models that refuse tools in streams (STR-30)."""
    streaming = root.streaming
    if streaming is not None and streaming.stream and asks_whole(root, server):
        report.at("STR-30", streaming, "stream")
        streaming.stream = False


# --- output -----------------------------------------------------------------------------------------------------------

FORMATS = (ir.JsonFormat, ir.SchemaFormat, ir.EnumFormat)


def unformatted(root: ir.Request, report: Report, server: Server) -> None:
    """Drop a JSON output format if the request defines tools, for models that refuse both together (OUT-12)."""
    if root.output is not None and root.tools and isinstance(root.output.format, FORMATS[:2]):
        report.at("OUT-12", root.output, "format")
        root.output.format = None


GIVEN = ("user", "tool result")


def not_given(name: str, cls: type, detail: str) -> tuple[Rows, ...]:
    """Return verdicts that refuse a class of media in user messages and tool results."""
    return tuple(inside(place, lacking(name, refuses("SRC-3", cls, detail=detail))) for place in GIVEN)


# --- images -----------------------------------------------------------------------------------------------------------

UNSEEN = "[An image, which this model cannot see]"
"""The text that replaces an image for a model without image input."""


def _answers(turns: list[ir.Turn]) -> int:
    """Return how many turns have a response: those up to the assistant's last one."""
    return next((at for at in range(len(turns), 0, -1) if turns[at - 1].role is ir.ASSISTANT), 0)


def refused_images(root: ir.Request, report: Report, server: Server) -> None:
    """Refuse images in turns that the assistant has not answered yet (SRC-3)."""
    turns = root.turns or []
    for turn in turns[_answers(turns) :]:
        for part in turn.parts:
            if type(part) is ir.Image:
                report.at("SRC-3", part, "", "no images")


def untold_images(root: ir.Request, report: Report, server: Server) -> None:
    """Replace images of the history and of tool results by texts, for models without image input (IMG-6).

    Another model has seen the images of the history; of those in results the model can tell the user.
    """
    turns = root.turns or []
    answered = _answers(turns)
    for at, turn in enumerate(turns):
        if turn.role is ir.ASSISTANT:
            continue
        if at < answered:
            turn.parts = _without_images(turn.parts, report)
        for part in turn.parts:
            if type(part) is ir.ToolResult:
                part.parts = _without_images(part.parts, report)


def _without_images(given: list[Any], report: Report) -> list[Any]:
    made: list[Any] = []
    for part in given:
        if type(part) is ir.Image:
            report.at("IMG-6", part)
            made.append(ir.Text(UNSEEN, None, part.cache, part.src))
        else:
            made.append(part)
    return made


# --- JSON mode --------------------------------------------------------------------------------------------------------

WORD = re.compile("json", re.IGNORECASE)
ONLY_JSON = "Respond with a JSON object only, without any text around it."
"""The instruction that JSON mode of some servers requires, and that replaces JSON mode where there is none."""


def word_of_json(role: ir.Role, *, apart: bool, within: str) -> Check:
    """Return a check that adds an instruction with the word JSON if no message has it (OUT-16).

    OpenAI's servers require the word for JSON mode. The instruction follows the leading ones. `apart`: the first
    instructions have a member of their own, which the server does not search. `within`: the capability of instructions
    among the messages; without it a user message says it.
    """

    def run(root: ir.Request, report: Report, server: Server) -> None:
        wanted = root.output.format if root.output is not None else None
        if not isinstance(wanted, ir.JsonFormat):
            return
        turns = root.turns = root.turns or []
        first = next(
            (at for at, turn in enumerate(turns) if turn.role not in (ir.Role.SYSTEM, ir.Role.DEVELOPER)), len(turns)
        )
        looked = turns[1:] if apart and turns and turns[0].role is ir.Role.SYSTEM else turns
        if not any(type(part) is ir.Text and WORD.search(part.text) for turn in looked for part in turn.parts):
            report.at("OUT-16", wanted)
            speaker = role if getattr(server, within) else ir.Role.USER
            turns.insert(first, ir.Turn(speaker, [ir.Text(ONLY_JSON, src=wanted.src)], src=wanted.src))

    return Check(run, ("OUT-16",), ir.Request, needs=("output",))


# --- defaults ---------------------------------------------------------------------------------------------------------


def _unstored(root: ir.Request, report: Report, _server: Server) -> None:
    """Ask servers that store every response not to store this one, if the source's protocol stores none."""
    if report.stores:
        return
    if root.service is None:
        root.service = ir.Service()
    if root.service.store is None:
        root.service.store = False
        report.records.append(("CAP-4", None, "`store` is false"))


UNSTORED = Check(_unstored, ("CAP-4",), ir.Request)
