"""The passes, in order: from the tree that a frontend read to the tree that a backend writes.

Legality comes before what merges and moves turns, since a merged turn cannot be judged any more. Before it come the
passes that the caller asks for, which give the target another form of what it would not get. Signatures are of calls of
functions: a request gives them back after such calls were made those of other tools, a response takes them before.
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
from . import adjacency, calls, changes, companions, cutting, emulation, endings, naming, no_turns, placement, seals
from . import legality as cache_breakpoints
from . import legality as strictness
from .legality import Judgement, plan_of
from .stages import PartStage, run_over

Pass = Callable[[Any, Any, Report, Mapping[str, Any]], None]
"""Changes a tree in place: the tree, what the pass needs to know of the target, the report, and the options."""
Legality = Callable[[Any, Any, Report, Server], None]
Run = Callable[[Any, Report, Mapping[str, Any], Server, bool], None]


def legalize(root: Any, target: Target, report: Report, server: Server) -> None:
    """Judge all by the target's table and apply the verdicts; then run the target's checks on the legal tree."""
    legality(target, root.__class__)(root, target, report, server)


def legality(target: Target, cls: type) -> Legality:
    """Return the same for one class of root."""
    plan = plan_of(target, "request" if cls is Request else "response")
    judge, check = plan.of[cls], plan.whole[cls]

    def run(root: Any, _: Any, report: Report, server: Server) -> None:
        judgement = Judgement(report)
        judge(judgement, root)
        judgement.apply()
        check(root, report, server)

    return run


class Step(NamedTuple):
    """One pass.

    of       the classes of roots that it is for
    knows    what it gets of the target: its table of verdicts, or its constraints
    asked    the options of which one must be given; none: it runs without
    needed   which targets need it; None: all
    when     a fact of the root, or of the report, without which there is nothing to do; none: it always runs
    streams  when it runs on a stream: on each part as it opens, grows and closes; at the end, on an outline of the
             response; or never, as what it would change has been sent
    staged   whether `run` makes the stages (stages.py) that run over the parts of a response, for what the pass needs
             to know of the target, the report and the options
    """

    run: Any
    of: tuple[type, ...]
    knows: Literal["table", "constraints"] = "constraints"
    asked: frozenset[str] = frozenset()
    needed: Callable[[Constraints], bool] | None = None
    when: str = ""
    streams: Literal["parts", "end", "never"] = "never"
    staged: bool = False


SEALS = frozenset({"carry_seals", "seal_keys"})
EMULATED = frozenset({"emulate", "state"})
STATE = frozenset({"state"})
BREAKPOINTS = "facts.cache_breakpoints"
NO_TURN = "(options.get('state') or {}).get('instead')"

ORDER = (
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
    Step(emulation.ask_once, (Request,), asked=EMULATED, needed=emulation.lacks_alternatives),
    Step(calls.repair, (Request,), asked=frozenset({"repair"})),
    Step(seals.give_back_seals, (Request,), asked=SEALS),
    Step(endings.settle_calls, (Response,)),
    Step(strictness.enforce_tools, (Request,), needed=strictness.enforces_tools, when="root.tool_choice"),
    Step(strictness.enforce_choice, (Request,), needed=strictness.enforces_choices, when="root.tools"),
    Step(endings.leave_out_repetitions, (Request, Response)),
    Step(legalize, (Request, Response, Error), "table", streams="parts"),
    Step(placement.place, (Request,)),
    Step(placement.place_instructions, (Request,), needed=placement.have_a_place),
    Step(placement.place_response, (Response,), streams="end"),
    Step(calls.bring_forward, (Request,), when="facts.linked"),
    Step(adjacency.regroup_tool_turns, (Request,), when="facts.linked or facts.emptied"),
    Step(adjacency.join, (Request,), needed=adjacency.alternates),
    Step(companions.word_results, (Request,), needed=companions.results_need_text, when="facts.linked"),
    Step(companions.accompany_documents, (Request,), needed=companions.documents_need_text, when="facts.documents"),
    Step(adjacency.end, (Request,)),
    Step(calls.pair, (Request,), when="root.tools or facts.linked or root.tool_choice"),
    Step(calls.name_calls, (Response,), when="facts.linked", streams="parts"),
    Step(placement.join_texts, (Request,), needed=placement.takes_strings),
    Step(cache_breakpoints.limit_cache_breakpoints, (Request,), needed=cache_breakpoints.needed, when=BREAKPOINTS),
)


class Pipeline:
    """The order for one target, written out as code for each class of root when one first comes.

    Most passes have nothing to do for most trees, and to call one costs more than to look whether it has. It holds
    nothing of a call, so that all of a direction share one.
    """

    __slots__ = ("_at_end", "_knows", "_staged", "_steps")

    def __init__(self, target: Target, constraints: Constraints) -> None:
        self._knows: dict[str, Any] = {"table": target, "constraints": constraints}
        self._steps = [step for step in ORDER if step.needed is None or step.needed(constraints)]
        self._staged = [step for step in self._steps if step.staged]
        self._at_end = [step for step in self._steps if step.streams == "end"]

    def passes(self, cls: type) -> Run:
        """Return all passes of a Request, Response or Error, as one function; `asked`: a caller gave options."""
        scope = {**self._knows, "run_over": run_over}
        lines = ["def run(root, report, options, server, asked):", "    facts = report.facts"]
        for number, step in enumerate(step for step in self._steps if cls in step.of):
            judges = step.run is legalize
            scope[f"run_{number}"] = legality(scope["table"], cls) if judges else step.run
            scope[f"names_{number}"] = step.asked
            tests = [f"asked and not names_{number}.isdisjoint(options)"] if step.asked else []
            tests += [f"({step.when})"] if step.when else []
            call = f"run_{number}(root, {step.knows}, report, {'server' if judges else 'options'})"
            if step.staged:
                call = f"run_over(root, run_{number}({step.knows}, report, options))"
            lines.append(f"    if {' and '.join(tests)}: {call}" if tests else f"    {call}")
        made: Run = compiled(f"passes of {cls.__name__} for {self._knows['table'].name}", lines, scope)
        return made

    def stages(self, report: Report, options: Mapping[str, Any]) -> list[PartStage]:
        """What a stream's events go through before they are judged."""
        made: list[PartStage] = []
        for step in self._staged:
            if not step.asked.isdisjoint(options):
                made += step.run(self._knows[step.knows], report, options)
        return made

    def end(self, outline: Response, report: Report, options: Mapping[str, Any]) -> None:
        """What remains to be done at the end of a stream."""
        for step in self._at_end:
            step.run(outline, self._knows[step.knows], report, options)
