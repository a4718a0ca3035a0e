"""What single models take less of than the others of their protocol, whatever the protocol is (CAP-5, CAP-6).

Each capability stands here with its verdicts and checks; a protocol names those that its models may lack:

    MODELS = models.taken("sampling forced_choice thinking_off", thinking_off=False)
    Target(…, rows=(*MODELS.rows, *ROWS), checks=(…, *MODELS.checks), settings={**MODELS.settings, **SETTINGS})

Rule: knows no protocol and no model's name. The verdicts stand before a table's own, and are about servers without the
capability alone, so that they cost nothing elsewhere. What a model has not is approximated before it is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve, frozen

from ..binding.server import Server, Setting, Settings, capability
from ..ir import parts, request, tools
from ..ir.request import Effort, Request, ThinkingMode
from ..reporting.report import Report
from .conditions import EFFORTS, always, is_, nearest_effort, nearest_of
from .verdicts import Check, Fields, Rows, Verdict, inside, lacking, loses, of, omits, refuses, weaker, where

WORDS = tuple(effort.value for effort in EFFORTS)


@frozen
class Capability:
    """A setting, with what its absence means."""

    setting: Setting
    rows: tuple[Rows, ...] = ()
    checks: tuple[Check, ...] = ()


@frozen
class Taken:
    """The capabilities of one protocol's models."""

    settings: Settings
    rows: tuple[Rows, ...]
    checks: tuple[Check, ...]


def taken(names: str, **defaults: Any) -> Taken:
    """The capabilities of these names, all taken but for what `defaults` says."""
    found = {name: CAPABILITIES[name] for name in names.split()}
    return Taken(
        {name: evolve(one.setting, default=defaults.get(name, one.setting.default)) for name, one in found.items()},
        tuple(row for one in found.values() for row in one.rows),
        tuple(check for one in found.values() for check in one.checks),
    )


# --- sampling ---------------------------------------------------------------------------------------------------------

RANDOMNESS = ("temperature", "top_p", "top_k")
SCORES = ("logprobs", "top_logprobs")
PENALTIES = ("frequency_penalty", "presence_penalty", "logit_bias")


def _sampling(name: str, *verdicts: Verdict) -> tuple[Rows, ...]:
    return (of(request.Sampling, *(lacking(name, one) for one in verdicts)),)


def _reasons(root: Request, server: Server) -> bool:
    """Whether the model thinks before it answers: what the request says, else its default."""
    thinking = root.thinking
    if thinking is None or (thinking.mode is None and thinking.effort is None and thinking.budget is None):
        return bool(server.thinks_by_default)
    return thinking.mode is not ThinkingMode.DISABLED


def _sampled_without_thinking(root: Request, report: Report, server: Server) -> None:
    """Sampling parameters only where the model does not think (RSN-20)."""
    sampling = root.sampling
    if sampling is not None and _reasons(root, server):
        for name in (*RANDOMNESS, *SCORES, *PENALTIES):
            if getattr(sampling, name) is not None:
                report.at("RSN-20", sampling, name)
                setattr(sampling, name, None)


# --- thinking ---------------------------------------------------------------------------------------------------------


def _efforts(setting: str, rule: str, words: tuple[str, ...], beyond: Any) -> tuple[Rows, ...]:
    """The verdicts on efforts beyond the one that a setting names: that one is sent."""
    limits = {word: [one for one in WORDS if beyond(WORDS.index(one), WORDS.index(word))] for word in words}
    return tuple(
        of(request.Thinking, where(setting, word, weaker(rule, f"effort={'|'.join(others)}", by=always(Effort(word)))))
        for word, others in limits.items()
        if others
    )


def _bounded(setting: str, within: Callable[[int, int], int]) -> Check:
    """The check of an effort that was made of a budget, which the verdicts on efforts do not see."""

    def bounded(root: Request, report: Report, server: Server) -> None:
        thinking = root.thinking
        if thinking is not None and thinking.effort is not None:
            bound = WORDS.index(getattr(server, setting))
            thinking.effort = EFFORTS[within(EFFORTS.index(thinking.effort), bound)]

    return Check(bounded, (), Request, needs=("thinking",))


OUTER = nearest_of(Effort.MINIMAL, Effort.HIGH)


def _outer_effort(root: Request, report: Report, server: Server) -> None:
    """The same for models without the efforts in the middle."""
    thinking = root.thinking
    if thinking is not None and thinking.effort is not None:
        thinking.effort = OUTER(thinking)


def _not_xhigh(root: Request, report: Report, server: Server) -> None:
    """The same for models without `xhigh`."""
    if root.thinking is not None and root.thinking.effort is Effort.XHIGH:
        root.thinking.effort = Effort.HIGH


def least(effort: Effort) -> Any:
    """A rewrite of thinking that is switched off into the least that a model can do (RSN-33)."""
    return lambda _: Fields(mode=None, effort=effort)


UNSTATED = "unstated"
LEAST = WORDS[: WORDS.index("high") + 1]
HIGHEST = WORDS[WORDS.index("medium") :]
ALWAYS_THINKS = (
    of(request.Thinking, lacking("thinking_off", where("least_effort", UNSTATED, loses("RSN-6", "mode=disabled")))),
    *(
        of(
            request.Thinking,
            lacking(
                "thinking_off", where("least_effort", word, weaker("RSN-33", "mode=disabled", by=least(Effort(word))))
            ),
        )
        for word in LEAST
    ),
)


def _tools_without_thinking(root: Request, report: Report, server: Server) -> None:
    """Functions only where the model is told not to think (RSN-35)."""
    thinking = root.thinking
    if not any(type(tool) is tools.FunctionTool for tool in root.tools or ()):
        return
    if thinking is None or thinking.mode is not ThinkingMode.DISABLED:
        if thinking is None:
            thinking = root.thinking = request.Thinking()
        for name in ("mode", "effort", "budget"):
            if getattr(thinking, name) is not None:
                report.at("RSN-35", thinking, name)
                setattr(thinking, name, None)
        thinking.mode = ThinkingMode.DISABLED


def _tools_without_effort(root: Request, report: Report, server: Server) -> None:
    """Functions only where no effort is stated, but for none at all (RSN-37)."""
    thinking = root.thinking
    if thinking is not None and thinking.effort is not None:
        if any(type(tool) is tools.FunctionTool for tool in root.tools or ()):
            report.at("RSN-37", thinking, "effort")
            thinking.effort = None


# --- tools ------------------------------------------------------------------------------------------------------------

AUTO = tools.ChoiceMode.AUTO


def _auto(choice: Any) -> tools.Choice:
    return tools.Choice(AUTO, src=choice.src)


FORCED = (tools.NamedChoice, tools.CustomChoice, tools.WebSearchChoice, tools.CodeChoice)
HOSTED = (tools.WebSearchTool, tools.CodeTool, tools.McpServer, tools.McpToolset, tools.HostedTool)


def _unforced(name: str) -> tuple[Rows, ...]:
    """The verdicts on choices that force a tool: the model decides (TUL-68)."""
    return (
        *(
            of(cls, lacking(name, weaker("TUL-68", "mode=required", by=always(AUTO))))
            for cls in (tools.Choice, tools.AllowedChoice)
        ),
        inside("tool choice", lacking(name, weaker("TUL-68", *FORCED, by=_auto))),
    )


def _chosen(root: Request, report: Report, server: Server) -> None:
    """Where a model takes no choice, none of a tool is none at all (TUL-69), and the others are left to it (TUL-68)."""
    choice = root.tool_choice
    if isinstance(choice, tools.Choice) and choice.mode is tools.ChoiceMode.NONE:
        report.at("TUL-69", choice, "mode")
        root.tools = root.tool_choice = None
    elif isinstance(choice, tools.AllowedChoice):
        report.at("TUL-68", choice, "tools")
        root.tool_choice = _auto(choice)


# --- output -----------------------------------------------------------------------------------------------------------

FORMATS = (request.JsonFormat, request.SchemaFormat, request.EnumFormat)


def _unformatted(root: Request, report: Report, server: Server) -> None:
    """No output format together with tools (OUT-12)."""
    if root.output is not None and root.tools and isinstance(root.output.format, FORMATS[:2]):
        report.at("OUT-12", root.output, "format")
        root.output.format = None


GIVEN = ("user", "tool result")


def _not_given(name: str, cls: type, detail: str) -> tuple[Rows, ...]:
    return tuple(inside(place, lacking(name, refuses("SRC-3", cls, detail=detail))) for place in GIVEN)


# --- the capabilities -------------------------------------------------------------------------------------------------

CAPABILITIES: Mapping[str, Capability] = {
    "documents": Capability(
        capability(True, "files in messages; they are refused otherwise (SRC-3)"),
        _not_given("documents", parts.Document, "no documents"),
    ),
    "effort_with_tools": Capability(
        capability(True, "an effort together with functions; the model's own is used otherwise (RSN-37)"),
        checks=(Check(_tools_without_effort, ("RSN-37",), Request, needs=("thinking",), without="effort_with_tools"),),
    ),
    "forced_choice": Capability(
        capability(True, "a choice that forces tools; the model decides otherwise (TUL-68)"), _unforced("forced_choice")
    ),
    "function_tools": Capability(
        capability(True, "function tools; they are refused otherwise (TUL-2)"),
        (inside("tools", lacking("function_tools", refuses("TUL-2", tools.FunctionTool))),),
    ),
    "highest_effort": Capability(
        capability("max", "the highest effort; it is sent for higher ones (RSN-23)", choices=HIGHEST),
        _efforts("highest_effort", "RSN-23", HIGHEST, lambda one, most: one > most),
        (where("highest_effort", "|".join(HIGHEST[:-1]), _bounded("highest_effort", min)),),
    ),
    "hosted_tools": Capability(
        capability(True, "tools that the provider runs (TUL-6)"),
        (inside("tools", lacking("hosted_tools", loses("TUL-6", *HOSTED))),),
    ),
    "images": Capability(
        capability(True, "images; they are refused otherwise (SRC-3)"), _not_given("images", parts.Image, "no images")
    ),
    "json_with_tools": Capability(
        capability(True, "an output format together with tools (OUT-12)"),
        checks=(Check(_unformatted, ("OUT-12",), Request, needs=("output",), without="json_with_tools"),),
    ),
    "least_effort": Capability(
        capability(
            UNSTATED,
            "the least effort; it is sent for lower ones (RSN-32), and for none where that is impossible (RSN-33)",
            choices=(UNSTATED, *LEAST),
        ),
        (*_efforts("least_effort", "RSN-32", LEAST, lambda one, fewest: one < fewest), *ALWAYS_THINKS),
        (where("least_effort", "|".join(LEAST[1:]), _bounded("least_effort", max)),),
    ),
    "logprobs": Capability(
        capability(True, "log probabilities (SMP-7)"), _sampling("logprobs", loses("SMP-7", "logprobs top_logprobs"))
    ),
    "middle_efforts": Capability(
        capability(
            True, "the efforts `low` and `medium`; the nearer of `minimal` and `high` is sent otherwise (RSN-38)"
        ),
        (of(request.Thinking, lacking("middle_efforts", weaker("RSN-38", "effort=low|medium", by=OUTER))),),
        (Check(_outer_effort, (), Request, needs=("thinking",), without="middle_efforts"),),
    ),
    "parallel_tools": Capability(
        capability(True, "the setting for parallel calls (TUL-9)"),
        (
            of(
                Request,
                lacking("parallel_tools", omits("SMP-6", "parallel_tools", when=is_("parallel_tools", True))),
                lacking("parallel_tools", loses("TUL-9", "parallel_tools")),
            ),
        ),
    ),
    "penalties": Capability(
        capability(True, "penalties for presence and frequency, and biases of tokens (SMP-3)"),
        _sampling("penalties", loses("SMP-3", " ".join(PENALTIES))),
    ),
    "sampling": Capability(
        capability(True, "temperature, top p and top k (SMP-3)"),
        _sampling("sampling", loses("SMP-3", "temperature top_p top_k")),
    ),
    "sampling_with_thinking": Capability(
        capability(True, "temperature, top p, penalties and log probabilities of a model that thinks (RSN-20)"),
        checks=(
            Check(
                _sampled_without_thinking,
                ("RSN-20",),
                Request,
                needs=("sampling",),
                without="sampling_with_thinking",
            ),
        ),
    ),
    "seed": Capability(capability(True, "`seed` (SMP-10)"), _sampling("seed", loses("SMP-10", "seed"))),
    "several_candidates": Capability(
        capability(True, "more than one candidate; that is refused otherwise (CHO-2)"),
        _sampling(
            "several_candidates",
            refuses("CHO-2", "candidates", when=lambda sampling: (sampling.candidates or 1) != 1),
            omits("SMP-6", "candidates"),
        ),
    ),
    "stop_sequences": Capability(
        capability(True, "stop sequences (SMP-11)"), _sampling("stop_sequences", loses("SMP-11", "stop"))
    ),
    "strict_tools": Capability(
        capability(True, "`strict` in the definition of a tool (SCH-10)"),
        (
            of(
                tools.FunctionTool,
                lacking("strict_tools", omits("SMP-6", "strict", when=is_("strict", False))),
                lacking("strict_tools", loses("SCH-10", "strict")),
            ),
        ),
    ),
    "structured_output": Capability(
        capability(True, "an output format; it is dropped otherwise (OUT-15)"),
        (inside("format", lacking("structured_output", loses("OUT-15", *FORMATS))),),
    ),
    "thinking": Capability(
        capability(True, "settings of thinking; models that never think refuse them (RSN-34)"),
        (
            of(
                request.Thinking,
                lacking("thinking", omits("SMP-6", "mode=disabled display")),
                lacking("thinking", loses("RSN-34", "mode effort budget")),
            ),
        ),
    ),
    "thinking_budgets": Capability(
        capability(True, "thinking budgets; the nearest effort is sent otherwise (RSN-3)"),
        (of(request.Thinking, lacking("thinking_budgets", weaker("RSN-3", "budget", by=nearest_effort))),),
    ),
    "thinking_off": Capability(
        capability(
            True, "no thinking at all; else the least effort is sent, or nothing where none is stated (RSN-33, RSN-6)"
        )
    ),
    "thinks_by_default": Capability(capability(True, "it thinks where a request says nothing of it (RSN-20)")),
    "token_limit": Capability(
        capability(True, "a limit of the output's tokens (SMP-3)"),
        (of(Request, lacking("token_limit", loses("SMP-3", "max_tokens"))),),
    ),
    "tool_choice": Capability(
        capability(True, "a choice of tools; the model decides otherwise, or has no tools (TUL-68, TUL-69)"),
        _unforced("tool_choice"),
        (Check(_chosen, ("TUL-68", "TUL-69"), Request, needs=("tool_choice",), without="tool_choice"),),
    ),
    "tools_with_thinking": Capability(
        capability(True, "functions of a model that thinks; it is told not to otherwise (RSN-35)"),
        checks=(Check(_tools_without_thinking, ("RSN-35",), Request, needs=("tools",), without="tools_with_thinking"),),
    ),
    "xhigh_effort": Capability(
        capability(True, "the effort `xhigh`; `high` is sent otherwise (RSN-23)"),
        (of(request.Thinking, lacking("xhigh_effort", weaker("RSN-23", "effort=xhigh", by=always(Effort.HIGH)))),),
        (Check(_not_xhigh, (), Request, needs=("thinking",), without="xhigh_effort"),),
    ),
}
"""By the name of the setting."""
