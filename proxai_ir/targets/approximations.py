"""How settings that a model lacks are approximated or dropped, and which defaults of a target are switched off
(CAP-4).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from typing import Any

from .. import ir
from ..reporting.report import Report
from . import conditions as c
from .settings import Server
from .verdicts import Check, Fields, Rows, Verdict, inside, lacking, loses, of, refuses, weaker, where

# --- approximations ---------------------------------------------------------------------------------------------------
# What becomes of a setting that a model does not have, or not together with another: verdicts and checks of `models`.
#
# Rule 1: knows no protocol and no capability's name but as an argument. Rule 2: a check acts where it reports.


WORDS = tuple(effort.value for effort in c.EFFORTS)


# --- sampling ---------------------------------------------------------------------------------------------------------

RANDOMNESS = ("temperature", "top_p", "top_k")
SCORES = ("logprobs", "top_logprobs")
PENALTIES = ("frequency_penalty", "presence_penalty", "logit_bias")


def sampling(name: str, *verdicts: Verdict) -> tuple[Rows, ...]:
    return (of(ir.Sampling, *(lacking(name, one) for one in verdicts)),)


def says_nothing(thinking: ir.Thinking | None) -> bool:
    return thinking is None or (thinking.mode is None and thinking.effort is None and thinking.budget is None)


def reasons(root: ir.Request, server: Server) -> bool:
    """Return whether the model thinks before it answers: what the request says, else its default."""
    thinking = root.thinking
    if thinking is None or says_nothing(thinking):
        return bool(server.thinks_by_default)
    return thinking.mode is not ir.ThinkingMode.DISABLED


LEAST_TEMPERATURE = 0.01
"""What is sent for a temperature of 0 to models that want more than that."""


def not_above_zero(sampling: ir.Sampling) -> bool:
    return sampling.temperature is not None and sampling.temperature <= 0


def sampled_without_thinking(root: ir.Request, report: Report, server: Server) -> None:
    """Sampling parameters only where the model does not think (RSN-20)."""
    sampling = root.sampling
    if sampling is not None and reasons(root, server):
        for name in (*RANDOMNESS, *SCORES, *PENALTIES):
            if getattr(sampling, name) is not None:
                report.at("RSN-20", sampling, name)
                setattr(sampling, name, None)


# --- thinking ---------------------------------------------------------------------------------------------------------


def efforts(setting: str, rule: str, words: tuple[str, ...], beyond: Any) -> tuple[Rows, ...]:
    """Return the verdicts on efforts beyond the one that a setting names: that one is sent."""
    limits = {word: [one for one in WORDS if beyond(WORDS.index(one), WORDS.index(word))] for word in words}
    return tuple(
        of(ir.Thinking, where(setting, word, weaker(rule, f"effort={'|'.join(others)}", by=c.always(ir.Effort(word)))))
        for word, others in limits.items()
        if others
    )


def bounded(setting: str, within: Callable[[int, int], int]) -> Check:
    """Return the check of an effort that was made of a budget, which the verdicts on efforts do not see."""

    def bounded(root: ir.Request, report: Report, server: Server) -> None:
        thinking = root.thinking
        if thinking is not None and thinking.effort is not None:
            bound = WORDS.index(getattr(server, setting))
            thinking.effort = c.EFFORTS[within(c.EFFORTS.index(thinking.effort), bound)]

    return Check(bounded, (), ir.Request, needs=("thinking",))


OUTER = c.nearest_of(ir.Effort.MINIMAL, ir.Effort.HIGH)


def outer_effort(root: ir.Request, report: Report, server: Server) -> None:
    """The same for models without the efforts in the middle."""
    thinking = root.thinking
    if thinking is not None and thinking.effort is not None:
        thinking.effort = OUTER(thinking)


def never(effort: ir.Effort, other: ir.Effort, capability: str) -> Check:
    """Return the same for models that lack one effort: the next one."""

    def run(root: ir.Request, report: Report, server: Server) -> None:
        if root.thinking is not None and root.thinking.effort is effort:
            root.thinking.effort = other

    return Check(run, (), ir.Request, needs=("thinking",), without=capability)


def least(effort: ir.Effort) -> Any:
    """Return a rewrite of thinking that is switched off into the least that a model can do (RSN-33)."""
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
    """Functions only where the model is told not to think (RSN-35)."""
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
"""What stands for the reasoning of calls that came without: servers demand some text, and refuse an empty one."""


def reasoned(root: ir.Request, report: Report, server: Server) -> None:
    """Every message with calls has reasoning, for servers that demand it of those since the user last spoke (RSN-36).

    Older ones have it all the same, so that the beginning of a conversation stays as it was.
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
    """Functions only where no effort is stated, but for none at all (RSN-37)."""
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
    """Return the verdicts on choices that force a tool: the model decides (TUL-68)."""
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
    """A tool is forced only where the model does not think: it is told not to, unless the source asks for thinking or
    the model always does (RSN-39, TUL-68)."""
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
    """Where none may be called none is defined: the choice and the definitions are dropped (TUL-69)."""
    report.at("TUL-69", root.tool_choice, "mode")
    if root.tools:
        report.at("TUL-69", root, "tools")
    root.tools = root.tool_choice = None


def chosen(root: ir.Request, report: Report, server: Server) -> None:
    """Where a model takes no choice, none of a tool is none at all (TUL-69), and the others are left to it (TUL-68)."""
    choice = root.tool_choice
    if isinstance(choice, ir.Choice) and choice.mode is ir.ChoiceMode.NONE:
        without_tools(root, report)
    elif isinstance(choice, ir.AllowedChoice):
        report.at("TUL-68", choice, "tools")
        root.tool_choice = auto(choice)


# --- output -----------------------------------------------------------------------------------------------------------

FORMATS = (ir.JsonFormat, ir.SchemaFormat, ir.EnumFormat)


def unformatted(root: ir.Request, report: Report, server: Server) -> None:
    """No output format together with tools (OUT-12)."""
    if root.output is not None and root.tools and isinstance(root.output.format, FORMATS[:2]):
        report.at("OUT-12", root.output, "format")
        root.output.format = None


GIVEN = ("user", "tool result")


def not_given(name: str, cls: type, detail: str) -> tuple[Rows, ...]:
    return tuple(inside(place, lacking(name, refuses("SRC-3", cls, detail=detail))) for place in GIVEN)


# --- images -----------------------------------------------------------------------------------------------------------

UNSEEN = "[An image, which this model cannot see]"
"""The text that replaces an image for a model without image input."""


def _answers(turns: list[ir.Turn]) -> int:
    """How many turns have a response: those up to the assistant's last one."""
    return next((at for at in range(len(turns), 0, -1) if turns[at - 1].role is ir.ASSISTANT), 0)


def refused_images(root: ir.Request, report: Report, server: Server) -> None:
    """An image that the user asks about now is refused (SRC-3)."""
    turns = root.turns or []
    for turn in turns[_answers(turns) :]:
        for part in turn.parts:
            if type(part) is ir.Image:
                report.at("SRC-3", part, "", "no images")


def untold_images(root: ir.Request, report: Report, server: Server) -> None:
    """Images of the history and of tool results become texts: another model has seen those of the history, and of a
    result's the model can tell the user (IMG-6)."""
    turns = root.turns or []
    answered = _answers(turns)
    for at, turn in enumerate(turns):
        if turn.role is ir.ASSISTANT:
            continue
        if at < answered:
            turn.parts = _told(turn.parts, report)
        for part in turn.parts:
            if type(part) is ir.ToolResult:
                part.parts = _told(part.parts, report)


def _told(given: list[Any], report: Report) -> list[Any]:
    told: list[Any] = []
    for part in given:
        if type(part) is ir.Image:
            report.at("IMG-6", part)
            told.append(ir.Text(UNSEEN, None, part.cache, part.src))
        else:
            told.append(part)
    return told


# --- JSON mode --------------------------------------------------------------------------------------------------------

WORD = re.compile("json", re.IGNORECASE)
ONLY_JSON = "Respond with a JSON object only, without any text around it."
"""The instruction that JSON mode of some servers requires, and that replaces JSON mode where there is none."""


def word_of_json(role: ir.Role, *, apart: bool, within: str) -> Check:
    """Return JSON mode of OpenAI's servers requires the word JSON in the messages: if none has it, an instruction is
    added after the leading ones (OUT-16). `apart`: those have a member of their own, which the server does not search.
    `within`: the capability of having instructions among the messages; without it the user says so.
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
        if not any(_says_json(turn.parts) for turn in looked):
            report.at("OUT-16", wanted)
            said_by = role if getattr(server, within) else ir.Role.USER
            turns.insert(first, ir.Turn(said_by, [ir.Text(ONLY_JSON, src=wanted.src)], src=wanted.src))

    return Check(run, ("OUT-16",), ir.Request, needs=("output",))


def _says_json(given: list[Any]) -> bool:
    return any(type(part) is ir.Text and WORD.search(part.text) is not None for part in given)


# --- defaults ---------------------------------------------------------------------------------------------------------
# Defaults of a target's servers that those of other protocols do not have (CAP-4): what switches them off.
#
# Rule: a check acts where it reports.


def _unstored(root: ir.Request, report: Report, _server: Server) -> None:
    """Ask servers that store every response not to, where the source's protocol stores none."""
    if report.stores:
        return
    if root.service is None:
        root.service = ir.Service()
    if root.service.store is None:
        root.service.store = False
        report.records.append(("CAP-4", None, "`store` is false"))


UNSTORED = Check(_unstored, ("CAP-4",), ir.Request)
