"""The order of the passes, which turn the tree that a frontend read into the tree that a backend writes.

Legality precedes the passes that merge and move turns, since a merged turn cannot be judged any more. The passes that
the caller's options ask for precede legality: they put what the target lacks into another form. Only calls of functions
have signatures: in a request these are put back after custom and client tools became functions, in a response they are
taken before functions become such tools again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from ..ir.error import Error
from ..ir.request import Request
from ..ir.response import Response
from ..json.codegen import compiled
from ..reporting.report import Report
from ..targets.constraints import Constraints
from ..targets.settings import Server
from ..targets.verdicts import Target
from . import (
    adjacency,
    calls,
    changes,
    companions,
    cutting,
    deferred,
    emulation,
    endings,
    legality,
    naming,
    no_turns,
    placement,
    seals,
)
from .stages import PartStage, run_over

Pass = Callable[[Any, Any, Report, Mapping[str, Any]], None]
"""Changes a tree in place: the tree, what the pass needs to know of the target, the report, and the options."""
Judge = Callable[[Any, Any, Report, Server], None]
Run = Callable[[Any, Report, Mapping[str, Any], Server], None]


def legalize(root: Any, target: Target, report: Report, server: Server) -> None:
    """Judge all by the target's table and apply the verdicts; then run the target's checks on the legal tree."""
    _judge_of(target, root.__class__)(root, target, report, server)


def _judge_of(target: Target, cls: type) -> Judge:
    """Return `legalize` for one target and one class of root, which is looked up once."""
    plan = legality.plan_of(target, "request" if cls is Request else "response")
    judge, check = plan.visit(cls), plan.whole[cls]

    def run(root: Any, _: Any, report: Report, server: Server) -> None:
        judgement = legality.Judgement(report)
        judge(judgement, root)
        if judgement.rewrites or judgement.edits or judgement.extended:
            judgement.apply()
        check(root, report, server)

    return run


class Step(NamedTuple):
    """One pass.

    of       the classes of roots that it is for
    knows    what it receives of the target: the table of verdicts, or the constraints
    asked    options of which the caller must give one; if empty, it runs without
    needed   whether a target needs it; if None, every target does
    when     an expression on the root or the report's facts; if it is false there is nothing to do
    streams  when it runs on a stream: on each part as it opens, grows and closes; at the end, on an outline of the
             response; or never, since what it would change has been sent
    staged   whether `run` takes the target, the report and the options, and returns the stages (stages.py) that run
             over the parts of a response
    """

    run: Any
    of: tuple[type, ...]
    knows: Literal["table", "constraints"] = "constraints"
    asked: frozenset[str] = frozenset()
    needed: Callable[[Constraints], bool] | None = None
    when: str = ""
    streams: Literal["parts", "end", "never"] = "never"
    staged: bool = False


SEALS = frozenset({"seals"})
EMULATED = frozenset({"emulate", "state"})
STATE = frozenset({"state"})
BREAKPOINTS = "facts.cache_breakpoints"
NO_TURN = "(options.get('state') or {}).get('instead')"


def _limits_breakpoints(constraints: Constraints) -> bool:
    return constraints.breakpoints is not None or constraints.outlasted is not None


ORDER = (
    Step(deferred.hold_back, (Request,), asked=frozenset({"deferred_tools"}), when="root.tools"),
    Step(changes.settle, (Request,), when="root.changes"),
    Step(no_turns.replace, (Request,), when="root.recaps"),
    Step(no_turns.ask, (Request,), "table", when="root.summary is not None or root.max_tokens == 0"),
    Step(no_turns.deliver, (Response,), asked=STATE, when=NO_TURN),
    Step(no_turns.in_streams, (Response,), asked=STATE, when=NO_TURN, streams="parts", staged=True),
    Step(naming.keep_first, (Request,), when="root.tools"),
    Step(seals.carry_seals, (Response,), asked=SEALS, streams="parts", staged=True),
    Step(emulation.emulate, (Request,), "table", EMULATED),
    Step(emulation.undo, (Response,), "table", EMULATED, streams="parts", staged=True),
    Step(emulation.wrap, (Request,), "table", when="root.output"),
    Step(emulation.unwrap, (Response,), asked=STATE, streams="parts", staged=True),
    Step(cutting.keep, (Request,), "table", EMULATED, when="root.sampling"),
    Step(cutting.cut, (Response,), "table", STATE, streams="parts", staged=True),
    Step(emulation.ask_once, (Request,), asked=EMULATED, needed=lambda target: not target.alternatives),
    Step(calls.repair, (Request,), asked=frozenset({"repair"})),
    Step(seals.give_back_seals, (Request,), asked=SEALS),
    Step(endings.settle_calls, (Response,)),
    Step(legality.enforce_tools, (Request,), needed=lambda target: target.enforces == "tool", when="root.tool_choice"),
    Step(legality.enforce_choice, (Request,), needed=lambda target: target.enforces == "choice", when="root.tools"),
    Step(endings.leave_out_repetitions, (Request, Response)),
    Step(legalize, (Request, Response, Error), "table", streams="parts"),
    Step(placement.place, (Request,)),
    Step(placement.place_instructions, (Request,), needed=placement.moves_instructions),
    Step(placement.place_response, (Response,), streams="end"),
    Step(calls.bring_forward, (Request,), when="facts.linked"),
    Step(adjacency.regroup_tool_turns, (Request,), when="facts.linked or facts.emptied"),
    Step(adjacency.join, (Request,), needed=lambda target: not target.role_neighbours),
    Step(companions.word_results, (Request,), needed=companions.results_need_text, when="facts.linked"),
    Step(companions.name_documents, (Request,), needed=lambda target: target.worded_documents, when="facts.documents"),
    Step(adjacency.end, (Request,)),
    Step(calls.pair, (Request,), when="root.tools or facts.linked or root.tool_choice"),
    Step(calls.name_calls, (Response,), when="facts.linked", streams="parts"),
    Step(placement.join_texts, (Request,), needed=lambda target: not target.text_arrays),
    Step(legality.limit_cache_breakpoints, (Request,), needed=_limits_breakpoints, when=BREAKPOINTS),
)


class Pipeline:
    """The passes of one target. They become one generated function for each class of root.

    Most passes have nothing to do for most trees, and the generated function tests that before it calls them. A
    Pipeline keeps nothing of a conversion, so that all conversions of a direction share it.
    """

    __slots__ = ("_at_end", "_knows", "_staged", "_steps")

    def __init__(self, target: Target, constraints: Constraints) -> None:
        self._knows: dict[str, Any] = {"table": target, "constraints": constraints}
        self._steps = [step for step in ORDER if step.needed is None or step.needed(constraints)]
        self._staged = [step for step in self._steps if step.staged]
        self._at_end = [step for step in self._steps if step.streams == "end"]

    def passes(self, cls: type, *, asked: bool) -> Run:
        """Return the passes for a class of root as one function; `asked` tells that callers give options."""
        scope = {**self._knows, "run_over": run_over}
        lines = ["def run(root, report, options, server):", "    facts = report.facts"]
        steps = [step for step in self._steps if cls in step.of and (asked or not step.asked)]
        for number, step in enumerate(steps):
            judges = step.run is legalize
            scope[f"run_{number}"] = _judge_of(scope["table"], cls) if judges else step.run
            scope[f"names_{number}"] = step.asked
            tests = [f"not names_{number}.isdisjoint(options)"] if step.asked else []
            tests += [f"({step.when})"] if step.when else []
            call = f"run_{number}(root, {step.knows}, report, {'server' if judges else 'options'})"
            if step.staged:
                call = f"run_over(root, run_{number}({step.knows}, report, options))"
            lines.append(f"    if {' and '.join(tests)}: {call}" if tests else f"    {call}")
        given = " with options" if asked else ""
        made: Run = compiled(f"passes of {cls.__name__} for {self._knows['table'].name}{given}", lines, scope)
        return made

    def stages(self, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
        """Return the stages that a stream's events pass before they are judged."""
        made: list[PartStage] = []
        for step in self._staged:
            if not step.asked.isdisjoint(options):
                made += step.run(self._knows[step.knows], report, options)
        return made

    def end(self, outline: Response, report: Report, options: Mapping[str, Any]) -> None:
        """Run the passes that belong to the end of a stream, on an outline of the response."""
        for step in self._at_end:
            step.run(outline, self._knows[step.knows], report, options)
