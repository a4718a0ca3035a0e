"""Checks that several targets share: what no single field of the IR shows.

A check looks at the whole tree and records findings; each is wrapped in the rules that it may cite, so that the tables
stay the whole truth about a target.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from proxai_ir.ir import tools
from proxai_ir.ir.parts import FunctionCall, Refusal, Text
from proxai_ir.ir.request import Request
from proxai_ir.ir.response import Response
from proxai_ir.ir.structure import PARTS
from proxai_ir.ir.terminal import StopReason
from proxai_ir.ir.turns import Role
from proxai_ir.passes.legalize import Findings
from proxai_ir.rules.legality import Check

Options = Mapping[str, Any]


def _model_named(root: Any, findings: Findings, options: Options) -> None:
    if isinstance(root, Request) and root.model is None and options.get("model") is None:
        findings.records.append(("ENV-5", None, ""))


def _envelope(root: Any, findings: Findings, options: Options) -> None:
    if isinstance(root, Response):
        for name in ("id", "model"):
            if getattr(root, name) is None:
                findings.records.append(("ENV-6", None, f"`{name}` is missing"))


def _one_candidate(root: Any, findings: Findings, options: Options) -> None:
    if isinstance(root, Response) and len(root.candidates) != 1:
        findings.records.append(("CHO-1", (root.src, "choices"), f"found {len(root.candidates)}"))


MODEL_NAMED = Check(_model_named, ("ENV-5",))
ENVELOPE = Check(_envelope, ("ENV-6",))
ONE_CANDIDATE = Check(_one_candidate, ("CHO-1",))


def choice_fits(callable_tools: Collection[type]) -> Check:
    """A choice needs something to choose from: `callable_tools` are the kinds of tool that the target can call."""

    def run(root: Any, findings: Findings, options: Options) -> None:
        if not isinstance(root, Request):
            return
        choice, own = root.tool_choice, [tool for tool in root.tools or () if tool.__class__ in callable_tools]
        if choice is None and root.parallel_tools is None:
            return
        lost = {getattr(tool, "name", None) or tool.sort for tool in root.tools or () if tool.__class__ not in callable_tools}  # type: ignore[union-attr]
        if isinstance(choice, tools.NamedChoice) and choice.name in lost - {getattr(tool, "name", None) for tool in own}:
            findings.at("TUL-11", choice, "name")
        elif not own:
            if isinstance(choice, tools.Choice) and choice.mode is tools.ChoiceMode.REQUIRED:
                findings.at("TUL-11", choice, "mode")
            elif choice is not None:
                findings.at("TUL-15", choice)
            if root.parallel_tools is not None:
                findings.at("TUL-15", root, "parallel_tools")

    return Check(run, ("TUL-11", "TUL-15"))


def ending_fits(known: Callable[[StopReason], bool]) -> Check:
    """An answer that does not say how it ended, or says it in a word that nobody knows (STS-10, FIN-7)."""

    def run(root: Any, findings: Findings, options: Options) -> None:
        if isinstance(root, Response):
            for candidate in root.candidates:
                ending = candidate.terminal
                if ending.raw is None:
                    findings.at("STS-10", ending, "reason")
                elif not known(ending.reason):
                    findings.at("FIN-7", ending, "reason")

    return Check(run, ("STS-10", "FIN-7"))


def _usage_adds_up(root: Any, findings: Findings, options: Options) -> None:
    usage = root.usage if isinstance(root, Response) else None
    if usage is not None and usage.total is not None and usage.input is not None and usage.output is not None:
        if usage.total != usage.all_input + usage.all_output:
            findings.at("USE-2", usage, "total")


USAGE_ADDS_UP = Check(_usage_adds_up, ("USE-2",))


def _cache_lifetime(words: Mapping[str, int]) -> Callable[[Any, Findings, Options], None]:
    def run(root: Any, findings: Findings, options: Options) -> None:
        caching = root.caching if isinstance(root, Request) else None
        if caching is None or caching.lifetime is None or caching.lifetime.ttl is None:
            return
        ttl = caching.lifetime.ttl
        if ttl not in words.values():
            findings.at("CAC-2" if ttl < max(words.values()) else "CAC-3", caching.lifetime, "ttl")

    return run


def cache_lifetime(words: Mapping[str, int]) -> Check:
    """The lifetime of the prompt cache as a whole, in a target that knows these (seconds by word)."""
    return Check(_cache_lifetime(words), ("CAC-2", "CAC-3"))


def refusals_and_text(root: Any, findings: Findings, options: Options) -> None:
    """Text and refusal in one answer, for a target that tells them apart by the whole message only (REF-7)."""
    if isinstance(root, Response):
        for candidate in root.candidates:
            parts = [part for turn in candidate.turns for part in turn.parts]
            if any(isinstance(part, Text) and part.text for part in parts):
                for part in parts:
                    if isinstance(part, Refusal):
                        findings.at("REF-7", part)


REFUSALS_APART = Check(refusals_and_text, ("REF-7",))


def _calls_have_ids(root: Any, findings: Findings, options: Options) -> None:
    """A call or result without an id: nothing may be guessed in a request; in an answer it can be minted (TUL-5, TUL-17)."""
    rule = "TUL-5" if isinstance(root, Request) else "TUL-17"
    turns = root.turns or () if isinstance(root, Request) else ()
    if isinstance(root, Response):
        turns = [turn for candidate in root.candidates for turn in candidate.turns]
    for turn in turns:
        if turn.role is Role.FUNCTION:
            findings.at(rule, turn)
        for part in turn.parts:
            if part.__class__ is FunctionCall and part.id is None:
                findings.at(rule, part)


CALLS_HAVE_IDS = Check(_calls_have_ids, ("TUL-5", "TUL-17"))
