"""The capabilities that single models lack, for targets of any protocol (CAP-5, CAP-6).

Each capability stands here with its verdicts and checks; a protocol names those that its models may lack:

    MODELS = models.taken("sampling forced_choice thinking_off", thinking_off=False)
    Target(…, rows=(*MODELS.rows, *ROWS), checks=(…, *MODELS.checks), settings={**MODELS.settings, **SETTINGS})

Rule: knows no protocol and no model's name. The verdicts stand before a table's own, and are about servers without the
capability alone, so that they cost nothing elsewhere. What a model has not is approximated before it is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import evolve

from .. import ir
from ..ir.request import Effort, Request
from ..json.classes import frozen
from . import strict_limits
from .approximations import (
    ALWAYS_THINKS,
    FORMATS,
    HIGHEST,
    HOSTED,
    LEAST,
    LEAST_TEMPERATURE,
    OUTER,
    PENALTIES,
    UNSTATED,
    asked_whole,
    bounded,
    chosen,
    efforts,
    fewer_tools,
    forced_without_thinking,
    never,
    not_above_zero,
    not_given,
    outer_effort,
    reasoned,
    refused_images,
    required,
    sampled_without_thinking,
    sampling,
    tools_without_effort,
    tools_without_thinking,
    unforced,
    unformatted,
    untold_images,
    without_references,
)
from .conditions import EFFORTS, always, beyond, is_, is_cooled, is_not, nearest_effort
from .settings import Setting, Settings, capability
from .verdicts import Check, Rows, inside, lacking, loses, of, omits, refuses, weaker, where

WORDS = tuple(effort.value for effort in EFFORTS)


@frozen
class Capability:
    """A setting, with what its absence means."""

    setting: Setting
    rows: tuple[Rows, ...] = ()
    checks: tuple[Check, ...] = ()


FIRST = ("efforts", "thinking")
"""What decides of a field as a whole stands before what decides of its values."""


@frozen
class Taken:
    """The capabilities of one protocol's models."""

    settings: Settings
    rows: tuple[Rows, ...]
    checks: tuple[Check, ...]


NO_LIMITS: Mapping[str, tuple[str, str]] = {}


def taken(names: str, limits: Mapping[str, tuple[str, str]] = NO_LIMITS, **defaults: Any) -> Taken:
    """Return the capabilities of these names, all taken but for what `defaults` says.

    limits  for capabilities that only some models may lack: the setting, and its words, by which these are known
    """
    found = {name: CAPABILITIES[name] for name in sorted(names.split(), key=lambda name: name not in FIRST)}
    return Taken(
        {name: evolve(one.setting, default=defaults.get(name, one.setting.default)) for name, one in found.items()},
        tuple(
            (about, tuple(where(*limits[name], verdict) for verdict in verdicts) if name in limits else verdicts)
            for name, one in found.items()
            for about, verdicts in one.rows
        ),
        tuple(check for one in found.values() for check in one.checks),
    )


# --- the capabilities -------------------------------------------------------------------------------------------------

CAPABILITIES: Mapping[str, Capability] = {
    "documents": Capability(
        capability(True, "files in messages; they are refused otherwise (SRC-3)"),
        not_given("documents", ir.Document, "no documents"),
    ),
    "effort_with_tools": Capability(
        capability(True, "an effort together with functions; the model's own is used otherwise (RSN-37)"),
        checks=(Check(tools_without_effort, ("RSN-37",), Request, needs=("thinking",), without="effort_with_tools"),),
    ),
    "efforts": Capability(
        capability(True, "efforts of thinking; whether it thinks is all that is sent otherwise (RSN-12)"),
        (of(ir.Thinking, lacking("efforts", loses("RSN-12", "effort budget"))),),
    ),
    "forced_choice": Capability(
        capability(True, "a choice that forces tools; the model decides otherwise (TUL-68)"), unforced("forced_choice")
    ),
    "forced_with_thinking": Capability(
        capability(True, "a choice that forces tools of a model that thinks (RSN-39, TUL-68)"),
        checks=(
            Check(
                forced_without_thinking,
                ("RSN-39", "TUL-68"),
                Request,
                needs=("tool_choice",),
                without="forced_with_thinking",
            ),
        ),
    ),
    "function_tools": Capability(
        capability(True, "function tools; they are refused otherwise (TUL-67)"),
        (inside("tools", lacking("function_tools", refuses("TUL-67", ir.FunctionTool))),),
    ),
    "highest_effort": Capability(
        capability("max", "the highest effort; it is sent for higher ones (RSN-23)", choices=HIGHEST),
        efforts("highest_effort", "RSN-23", HIGHEST, lambda one, most: one > most),
        (where("highest_effort", "|".join(HIGHEST[:-1]), bounded("highest_effort", min)),),
    ),
    "high_temperature": Capability(
        capability(True, "a temperature above 1; 1 is sent otherwise (SMP-14)"),
        sampling("high_temperature", weaker("SMP-14", "temperature", when=beyond("temperature", 1), by=always(1))),
    ),
    "hosted_tools": Capability(
        capability(True, "tools that the provider runs (TUL-6)"),
        (inside("tools", lacking("hosted_tools", loses("TUL-6", *HOSTED))),),
    ),
    "images": Capability(
        capability(True, "images; otherwise those of the history become texts (IMG-6), others are refused (SRC-3)"),
        checks=(
            Check(refused_images, ("SRC-3",), Request, given=(ir.Image,), without="images"),
            Check(untold_images, ("IMG-6",), Request, given=(ir.Image,), without="images"),
        ),
    ),
    "json_with_tools": Capability(
        capability(True, "an output format together with tools (OUT-12)"),
        checks=(Check(unformatted, ("OUT-12",), Request, needs=("output",), without="json_with_tools"),),
    ),
    "least_effort": Capability(
        capability(
            UNSTATED,
            "the least effort; it is sent for lower ones (RSN-32), and for none where that is impossible (RSN-33)",
            choices=(UNSTATED, *LEAST),
        ),
        (*efforts("least_effort", "RSN-32", LEAST, lambda one, fewest: one < fewest), *ALWAYS_THINKS),
        (where("least_effort", "|".join(LEAST[1:]), bounded("least_effort", max)),),
    ),
    "logprobs": Capability(
        capability(True, "log probabilities (SMP-7)"), sampling("logprobs", loses("SMP-7", "logprobs top_logprobs"))
    ),
    "many_strict_tools": Capability(capability(True, strict_limits.MEANING)),
    "medium_effort": Capability(
        capability(True, "the effort `medium`; `high` is sent otherwise (RSN-32)"),
        (of(ir.Thinking, lacking("medium_effort", weaker("RSN-32", "effort=medium", by=always(Effort.HIGH)))),),
        (never(Effort.MEDIUM, Effort.HIGH, "medium_effort"),),
    ),
    "most_tools": Capability(
        capability(0, "the most tools of the client's in a request, 0 for any number; others are left out (TUL-79)"),
        checks=(Check(fewer_tools, ("TUL-79",), Request, needs=("tools",)),),
    ),
    "named_choice": Capability(
        capability(True, "a choice of one tool by its name; any has to be called otherwise (TUL-70)"),
        (
            inside(
                "tool choice",
                lacking("named_choice", weaker("TUL-70", ir.NamedChoice, ir.CustomChoice, by=required)),
            ),
        ),
    ),
    "middle_efforts": Capability(
        capability(
            True, "the efforts `low` and `medium`; the nearer of `minimal` and `high` is sent otherwise (RSN-38)"
        ),
        (of(ir.Thinking, lacking("middle_efforts", weaker("RSN-38", "effort=low|medium", by=OUTER))),),
        (Check(outer_effort, (), Request, needs=("thinking",), without="middle_efforts"),),
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
        sampling("penalties", loses("SMP-3", " ".join(PENALTIES))),
    ),
    "sampling": Capability(
        capability(True, "temperature, top p and top k (SMP-3)"),
        sampling("sampling", loses("SMP-3", "temperature top_p top_k")),
    ),
    "sampling_with_thinking": Capability(
        capability(True, "temperature, top p, penalties and log probabilities of a model that thinks (RSN-20)"),
        checks=(
            Check(
                sampled_without_thinking,
                ("RSN-20",),
                Request,
                needs=("sampling",),
                without="sampling_with_thinking",
            ),
        ),
    ),
    "schema_references": Capability(
        capability(True, "references in schemas of tools; what they name stands in their place otherwise (SCH-18)"),
        checks=(Check(without_references, ("SCH-18",), Request, needs=("tools",), without="schema_references"),),
    ),
    "seed": Capability(capability(True, "`seed` (SMP-10)"), sampling("seed", loses("SMP-10", "seed"))),
    "several_candidates": Capability(
        capability(True, "more than one candidate; that is refused otherwise (CHO-2)"),
        sampling(
            "several_candidates",
            refuses("CHO-2", "candidates", when=lambda sampling: (sampling.candidates or 1) != 1),
            omits("SMP-6", "candidates"),
        ),
    ),
    "stop_sequences": Capability(
        capability(True, "stop sequences (SMP-11)"), sampling("stop_sequences", loses("SMP-11", "stop"))
    ),
    "stream_tools": Capability(
        capability(True, "tools in streamed responses; the whole response is asked for otherwise (STR-30)"),
        checks=(Check(asked_whole, ("STR-30",), Request, needs=("streaming",), without="stream_tools"),),
    ),
    "strict_tools": Capability(
        capability(True, "`strict` in the definition of a tool (SCH-10)"),
        (
            of(
                ir.FunctionTool,
                lacking("strict_tools", omits("SMP-6", "strict", when=is_("strict", False))),
                lacking("strict_tools", loses("SCH-10", "strict")),
            ),
        ),
    ),
    "structured_output": Capability(
        capability(True, "an output format; it is dropped otherwise (OUT-15)"),
        (inside("format", lacking("structured_output", loses("OUT-15", *FORMATS))),),
    ),
    "temperature_with_top_p": Capability(
        capability(False, "both of them in one request (SMP-8)"),
        sampling("temperature_with_top_p", loses("SMP-8", "top_p", when=is_cooled)),
    ),
    "thinking": Capability(
        capability(True, "settings of thinking; models that never think refuse them (RSN-34)"),
        (
            of(
                ir.Thinking,
                lacking("thinking", omits("SMP-6", "mode=disabled display")),
                lacking("thinking", loses("RSN-34", "mode effort budget")),
            ),
        ),
    ),
    "thinking_budgets": Capability(
        capability(True, "thinking budgets; the nearest effort is sent otherwise (RSN-3)"),
        (of(ir.Thinking, lacking("thinking_budgets", weaker("RSN-3", "budget", by=nearest_effort))),),
    ),
    "thinking_off": Capability(
        capability(
            True, "no thinking at all; else the least effort is sent, or nothing where none is stated (RSN-33, RSN-6)"
        )
    ),
    "thinks_by_default": Capability(capability(True, "it thinks where a request says nothing of it (RSN-20)")),
    "token_limit": Capability(
        capability(True, "a limit of the output's tokens (SMP-3)"),
        (of(Request, lacking("token_limit", loses("SMP-3", "max_tokens", when=is_not("max_tokens", 0)))),),
    ),
    "tool_choice": Capability(
        capability(True, "a choice of tools; the model decides otherwise, or has no tools (TUL-68, TUL-69)"),
        unforced("tool_choice"),
        (Check(chosen, ("TUL-68", "TUL-69"), Request, needs=("tool_choice",), without="tool_choice"),),
    ),
    "tools_with_thinking": Capability(
        capability(True, "functions of a model that thinks; it is told not to otherwise (RSN-35)"),
        checks=(Check(tools_without_thinking, ("RSN-35",), Request, needs=("tools",), without="tools_with_thinking"),),
    ),
    "unreasoned_calls": Capability(
        capability(True, "calls without the reasoning that led to them; a placeholder is sent otherwise (RSN-36)"),
        checks=(Check(reasoned, ("RSN-36",), Request, given=ir.CALLS, without="unreasoned_calls"),),
    ),
    "xhigh_effort": Capability(
        capability(True, "the effort `xhigh`; `high` is sent otherwise (RSN-23)"),
        (of(ir.Thinking, lacking("xhigh_effort", weaker("RSN-23", "effort=xhigh", by=always(Effort.HIGH)))),),
        (never(Effort.XHIGH, Effort.HIGH, "xhigh_effort"),),
    ),
    "zero_temperature": Capability(
        capability(True, f"a temperature of 0; {LEAST_TEMPERATURE} is sent otherwise (SMP-14)"),
        sampling(
            "zero_temperature",
            weaker("SMP-14", "temperature", when=not_above_zero, by=always(LEAST_TEMPERATURE)),
        ),
    ),
}
"""By the name of the setting."""
