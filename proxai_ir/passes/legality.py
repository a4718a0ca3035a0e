"""Judge a tree by the target's table and make it legal: what the target lacks is dropped, approximated or refused.

A target's table becomes a plan: functions, generated when the target is first used, that visit a tree and run the
checks of the table. Most of a visit tests slots that are None, and generated code takes a third of the time of a loop
over names and verdicts. Two limits on whole requests are enforced here too: on strict tools and on cache breakpoints.

Rule 1: judging changes nothing. What a verdict does is noted in a Judgement and applied when all is judged, so that no
condition depends on the order of fields. Rule 2: what is dropped is not visited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from .. import ir
from ..ir.structure import CHILDREN, KEYED, PLACE_OF, held_class, is_list
from ..json.codegen import compiled
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..targets.base import RUN
from ..targets.constraints import Constraints
from ..targets.settings import Server
from ..targets.verdicts import DROPS, NOT_CARRIED, By, Field, Fields, HasValue, Target, Verdict

LINKED = (ir.FunctionCall, ir.CustomCall, ir.ClientCall, ir.ToolResult)
EXECUTED = (*RUN, ir.VendorPart)
MEDIA = (ir.Image, ir.Audio, ir.Video)
ROOTS = (ir.Request, ir.Response, ir.Error)

# --- judgement --------------------------------------------------------------------------------------------------------


class Judgement:
    """The changes that verdicts make to a tree, collected before any of them is applied.

    rewrites  (node, field, rewrite); without a rewrite the field becomes None
    edits     (list of nodes, node, rewrite); without a rewrite the node is dropped from the list
    extended  nodes with extra fields, which mean nothing to the target
    """

    __slots__ = ("at", "edits", "extended", "facts", "report", "rewrites")

    def __init__(self, report: Report) -> None:
        self.report = report
        self.at = report.at
        self.facts = report.facts
        self.rewrites: list[tuple[Any, str, By | None]] = []
        self.edits: list[tuple[list[Any], Any, By | None]] = []
        self.extended: list[Any] = []

    def apply(self) -> None:
        """Apply the changes in place, and report what a rewrite refuses."""
        for node, name, by in self.rewrites:
            if by is None:
                setattr(node, name, None)
                continue
            made = self._made(node, by, Fields())
            for field, value in made.items() if type(made) is Fields else ((name, made),):
                setattr(node, field, value)
        for node in self.extended:
            node.extra = None
        changes: dict[int, tuple[list[Any], dict[int, list[Any]]]] = {}  # so that each list is rebuilt once
        for nodes, node, by in self.edits:
            made = [] if by is None else self._made(node, by, node)
            changes.setdefault(id(nodes), (nodes, {}))[1][id(node)] = made if type(made) is list else [made]
        for nodes, instead in changes.values():
            nodes[:] = [made for node in nodes for made in instead.get(id(node), (node,))]
            self.facts.emptied = self.facts.emptied or not nodes

    def _made(self, node: Any, by: By, otherwise: Any) -> Any:
        """Return the result of a rewrite, or `otherwise` if it refuses, which is reported."""
        try:
            return by(node)
        except Refusal as refusal:
            place = self.report.place
            self.report.records += [(rule, place(*where), detail) for rule, where, detail in refusal.records]
            return otherwise


Visit = Callable[[Judgement, Any], None]
Table = dict[type, tuple[Visit, "tuple[Verdict, ...] | None"]]


def plan_of(target: Target, kind: str) -> Plan:
    """Return the plan by which a target judges requests, or responses and errors."""
    plan: Plan | None = target.plans.get(kind)
    if plan is None:
        plan = target.plans[kind] = Plan(target, kind)
    return plan


# --- plan -------------------------------------------------------------------------------------------------------------


class Plan:
    """The functions that judge the trees of one kind for one target.

    of      class -> visit: judges a node and all nodes below it
    inside  place -> class -> visit, and the verdicts on the class in that place unless it is always legal
    turn    role -> the table of a turn of that role (None if such turns are refused), and a visit that judges the role
            itself (None if there is nothing to judge)
    checks  root class or Candidate -> a function that runs the checks of that class that its fields call for
    whole   root class -> the same for the whole tree: a response with its candidates
    """

    def __init__(self, target: Target, kind: str) -> None:
        self.checks: dict[type, Callable[..., None]] = {cls: _checks(cls, target) for cls in (*ROOTS, ir.Candidate)}
        self.whole = {**self.checks, ir.Response: self._check_response}
        scope: dict[str, Any] = {"extended": _extended, "among": among, "only": only, "turns": self.turns}
        name = f"{target.name} {kind}"
        self.of: dict[type, Visit] = {}
        self.inside: dict[str, Table] = {}
        for place in target.places[kind]:
            self.inside[place] = scope[_named(place)] = {}
        self._generate = partial(_generated, target, kind, scope)
        for cls in target.fields:  # one scope for all, since classes hold one another
            self.of[cls] = scope[f"visit_{cls.__name__}"] = partial(self._visit_first, cls)
        for place, table in target.places[kind].items():
            rows = self.inside[place]
            for cls, verdicts in table.items():
                legal = verdicts[0].rule is None and verdicts[0].when is None and verdicts[0].by is None
                rows[cls] = (self.of.get(cls, _unreached), None if legal else verdicts)
        judged = [field for field in target.fields[ir.Turn] if field.name == "role"]
        tables = {role: self.inside[place] if role.value in target.roles else None for role, place in PLACE_OF.items()}
        asked = {one for check in target.active for one in check.given}
        self.turn = {role: (tables[role], _role(role, judged, name, met=role in asked)) for role in ir.Role}

    def _visit_first(self, cls: type, out: Judgement, node: Any) -> None:
        """Judge the first node of a class."""
        self.visit(cls)(out, node)

    def visit(self, cls: type) -> Visit:
        """Return the visit of a class, whose code is generated when it is first needed."""
        visit = self.of[cls]
        if isinstance(visit, partial):
            self.of[cls] = visit = self._generate(cls)
            for table in self.inside.values():
                if cls in table:
                    table[cls] = visit, table[cls][1]
        return visit

    def _check_response(self, response: ir.Response, report: Report, server: Server) -> None:
        for candidate in response.candidates:
            self.checks[ir.Candidate](candidate, report, server)
        self.checks[ir.Response](response, report, server)

    def turns(self, out: Judgement, turns: list[ir.Turn]) -> None:
        """Judge turns: their roles, their fields and their parts."""
        by_role = self.turn
        for turn in turns:
            table, role = by_role[turn.role]
            if role is not None:
                role(out, turn)
            if turn.extra is not None or turn.name is not None or turn.settings is not None:
                self.of[ir.Turn](out, turn)
            parts = turn.parts
            if table is None:
                continue
            if not parts and turn.settings is None:
                out.facts.emptied = True
                out.facts.add_blank(turn)
            for node in parts:
                visit, verdicts = table[type(node)]
                if verdicts is None or not _ends(out, node, verdicts, parts):
                    visit(out, node)
                elif node.src is turn.src:
                    out.facts.add_named(turn)


def _unreached(out: Judgement, node: Any) -> None:
    raise AssertionError(f"{type(node).__name__} is carried nowhere, so that its verdict ends the visit")


def among(out: Judgement, nodes: list[Any], table: Table) -> None:
    """Judge the nodes of a list by the table of the place where the list is."""
    for node in nodes:
        visit, verdicts = table[type(node)]
        if verdicts is None or not _ends(out, node, verdicts, nodes):
            visit(out, node)


def only(out: Judgement, holder: Any, name: str, node: Any, table: Table) -> None:
    """Judge the one node in a field by the table of the place where it is."""
    visit, verdicts = table[type(node)]
    verdict = None if verdicts is None else _first(node, verdicts)
    if verdict is None:
        visit(out, node)
        return
    if verdict.rule is not None:
        out.at(verdict.rule, node, verdict.at, _detail(verdict, node))
    if verdict.word in DROPS:
        out.rewrites.append((holder, name, None))
        _inside(out, verdict, node)
    elif verdict.word != "refuses":
        visit(out, node)
        if verdict.by is not None:
            by = verdict.by
            out.rewrites.append((holder, name, lambda _: by(node)))


def _inside(out: Judgement, verdict: Verdict, node: Any) -> None:
    if verdict.word == "omits" and verdict.rule is not None:
        out.report.inside(verdict.rule, node)


def _detail(verdict: Verdict, node: Any) -> str:
    return verdict.detail if isinstance(verdict.detail, str) else verdict.detail(node)


def _first(node: Any, verdicts: tuple[Verdict, ...]) -> Verdict:
    for verdict in verdicts:
        if verdict.when is None or verdict.when(node):
            return verdict
    raise AssertionError  # a table without a last word refuses to load


def _ends(out: Judgement, node: Any, verdicts: tuple[Verdict, ...], nodes: list[Any]) -> bool:
    """Note what happens to a node in its list; return whether nothing else of it has to be judged."""
    verdict = _first(node, verdicts)
    if verdict.rule is None and verdict.by is None:
        return False
    if verdict.rule is not None:
        out.at(verdict.rule, node, verdict.at, _detail(verdict, node))
    out.facts.linked = True  # a refused call is linked too
    if verdict.word in DROPS:
        if isinstance(node, EXECUTED):
            out.facts.executed = True
        elif isinstance(node, MEDIA):
            out.facts.media = out.facts.media or node
        _inside(out, verdict, node)
        out.edits.append((nodes, node, None))
        return True
    if verdict.word == "refuses":
        return True
    out.facts.reshaped = True
    if verdict.by is not None:
        out.edits.append((nodes, node, verdict.by))
    return False


# --- code generation --------------------------------------------------------------------------------------------------


def _generated(target: Target, kind: str, scope: dict[str, Any], cls: type) -> Visit:
    """Return the visit of a class, and put it into the scope that the visits of all classes share."""
    lines = _visit(cls, target, kind, scope)
    visit: Visit = compiled(f"judge of {cls.__name__} for {target.name} {kind}", lines, scope)
    scope[f"visit_{cls.__name__}"] = visit
    return visit


def _checks(cls: type, target: Target) -> Callable[..., None]:
    """Return a function that runs the checks of a class, each only if one of the fields or nodes it needs exists.

    A check that needs the same as the one before it is below that one's test, so that most requests test once for both;
    it is tested again there, as checks change the tree.
    """
    lines = ["def check(root, report, server):", "    met = report.facts.met"]
    scope: dict[str, Any] = {}
    before, depth = "", 0
    for number, check in enumerate(one for one in target.active if one.about is cls):
        scope |= {f"check_{number}": check.run, f"given_{number}": check.given}
        present = [f"root.{name} is not None" for name in check.needs]
        guard = " or ".join([*present, *(f"root.{name} is None" for name in check.lacks)])
        outer = "met" if check.given else guard
        depth = 0 if not outer or outer != before else 1 if check.given else depth + 1
        act = (
            [f"if {guard}:", f"    check_{number}(root, report, server)"]
            if guard
            else [f"check_{number}(root, report, server)"]
        )
        if check.given:
            act = [f"if not met.isdisjoint(given_{number}):", *_indented(act)]
            act = act if depth else ["if met:", *_indented(act)]
        lines += [f"{'    ' * (depth + 1)}{line}" for line in act]
        before = outer
    made: Callable[..., None] = compiled(f"checks of {cls.__name__} for {target.name}", lines, scope)
    return made


def _visit(cls: type, target: Target, kind: str, scope: dict[str, Any]) -> list[str]:
    """Return the code of a visit: it handles extra fields, judged fields and fields with nodes, where they are set."""
    judged = {
        field.name: field.of_kind(kind)
        for field in target.fields[cls]
        if (cls, field.name) != (ir.Turn, "role") and not all(verdict.elsewhere for _, verdict in field.verdicts)
    }
    below = {name: place for name, place in CHILDREN.get(cls, {}).items() if place != "role"}
    lines = ["def visit(out, node):"]
    if cls in LINKED:
        lines.append("    out.facts.linked = True")
    if cls is ir.Cache:
        lines.append("    out.facts.cache_breakpoints += 1")
    if any(cls in check.given for check in target.active):
        scope[cls.__name__] = cls
        lines.append(f"    out.facts.add_met({cls.__name__})")
    lines += ["    pass"] if target.open else ["    if node.extra is not None:", "        extended(out, node)"]
    sealed = any(ir.Seal in check.given for check in target.active)
    for name in {**judged, **below}:
        further = _further(cls, name, below[name]) if name in below else []
        if name == "seal" and sealed:
            scope["Seal"] = ir.Seal
            further = ["out.facts.add_met(Seal)"]
        filled, act = _judging(judged[name], scope, cls, further) if name in judged else ([], further)
        if act:
            lines += [f"    if (value := node.{name}) is not None:", *_indented(_indented(act))]
        if filled:
            lines += ["    else:" if act else f"    if node.{name} is None:", *_indented(_indented(filled))]
    return lines


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _further(cls: type, name: str, place: str) -> list[str]:
    """Return the code that visits the node or the nodes in a field, by the table of their place if they have one."""
    listed = is_list(cls, name)
    if place == "turns":
        return ["turns(out, value)"]
    if place:
        return [
            f"among(out, value, {_named(place)})" if listed else f"only(out, node, {name!r}, value, {_named(place)})"
        ]
    visit = f"visit_{held_class(cls, name).__name__}"
    return ["for one in value:", f"    {visit}(out, one)"] if listed else [f"{visit}(out, value)"]


def _named(place: str) -> str:
    return f"in_{place.replace(' ', '_')}"


def _judging(field: Field, scope: dict[str, Any], cls: type, further: list[str]) -> tuple[list[str], list[str]]:
    """Return the code for a field that is absent, and for one that is present: the first verdict that holds counts.

    `further` visits the nodes in the field; it runs if the target gets them.
    """
    if field.name in KEYED.get(cls, ()):
        return [], _judging_keys(field, scope, cls)
    filled: list[str] = []
    lines: list[str] = []
    for number, (values, verdict) in enumerate(field.verdicts):
        name = f"{cls.__name__}_{field.name}_{number}"
        scope |= {f"values_{name}": values, f"when_{name}": verdict.when, f"by_{name}": verdict.by}
        scope[f"detail_{name}"] = verdict.detail
        act = _act(field.name, verdict, name, bool(further))
        if verdict.word == "fills":
            filled = act
            continue
        if verdict.rule is None or verdict.elsewhere or verdict.word not in NOT_CARRIED:
            act += further
        tests = [f"value in values_{name}"] if values is not None else []
        if isinstance(verdict.when, HasValue) and verdict.when.name == field.name:
            scope[f"among_{name}"] = verdict.when.values
            tests.append(f"value in among_{name}")
        elif verdict.when is not None:
            tests.append(f"when_{name}(node)")
        if not tests:
            return filled, [*lines, "else:", *_indented(act)] if lines and act else lines or act
        lines += [f"{'elif' if lines else 'if'} {' and '.join(tests)}:", *_indented(act or ["pass"])]
    return filled, [*lines, "else:", *_indented(further)] if further and lines else lines or further


def _judging_keys(field: Field, scope: dict[str, Any], cls: type) -> list[str]:
    """Return the code that judges a mapping by key: verdicts name the legal keys, and the last is on all others."""
    *legal, (_, last) = field.verdicts
    keys, keep = f"keys_{cls.__name__}_{field.name}", f"keep_{cls.__name__}_{field.name}"
    known = frozenset(key for names, _ in legal for key in names or ())

    def known_alone(node: Any) -> Any:
        return {key: value for key, value in getattr(node, field.name).items() if key in known}

    scope |= {keys: known, keep: known_alone}
    judge = ["for key in value:", f"    if key not in {keys}:", f"        out.at({last.rule!r}, node, key)"]
    if last.word in DROPS:
        rewrite = f"None if {keys}.isdisjoint(value) else {keep}"
        judge.append(f"out.rewrites.append((node, {field.name!r}, {rewrite}))")
    return [f"if not {keys}.issuperset(value):", *_indented(judge)]


def _act(field: str, verdict: Verdict, name: str, nodes: bool) -> list[str]:
    """Return the code that reports a verdict and notes its effect; `nodes` tells whether the field holds nodes."""
    if verdict.elsewhere:
        return []
    omitted = ", omitted=True" if verdict.word == "omits" else ""
    detail = f", detail_{name}" if verdict.detail else ""
    detail += "(node)" if callable(verdict.detail) else ""
    place = f"under({verdict.rule!r}, node, {field!r}, value{detail}{omitted})" if nodes else ""
    place = f"report.{place}" if place else f"at({verdict.rule!r}, node, {field!r}{detail})"
    lines = [f"out.{place}"] if verdict.rule is not None else []
    if verdict.word in DROPS:
        lines.append(f"out.rewrites.append((node, {field!r}, None))")
    elif verdict.by is not None:
        lines.append(f"out.rewrites.append((node, {field!r}, by_{name}))")
    return lines


def _role(role: ir.Role, judged: list[Field], name: str, *, met: bool) -> Visit | None:
    """Return the visit that judges a role, unless it is legal in every turn and no check needs to know it (`met`)."""
    scope: dict[str, Any] = {}
    verdicts = [verdict for field in judged for values, verdict in field.verdicts if values is None or role in values]
    act = _judging(judged[0], scope, ir.Turn, [])[1] if verdicts and verdicts[0].rule is not None else []
    act += ["out.facts.add_met(value)"] if met else []
    if not act:
        return None
    lines = ["def judge(out, node):", "    value = node.role", *_indented(act)]
    judge: Visit = compiled(f"judge of turns of {role.value} for {name}", lines, scope)
    return judge


def _extended(out: Judgement, node: Any) -> None:
    out.extended.append(node)
    out.report.extra_fields(node)


# --- strict tools -----------------------------------------------------------------------------------------------------
# Some protocols enforce schemas tool by tool, others by a mode of the tool choice (SCH-10, SCH-14). The request gets
# the strictest form that the target has; the table judges what remains.


def enforce_tools(root: ir.Request, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
    """Make each tool strict that a choice of validated calls allows."""
    choice = root.tool_choice
    if not isinstance(choice, (ir.Choice, ir.AllowedChoice)) or choice.mode is not ir.ChoiceMode.VALIDATED:
        return
    choice.mode = ir.ChoiceMode.AUTO
    tools = root.tools or []
    for tool in ir.allowed(choice, tools) if isinstance(choice, ir.AllowedChoice) else tools:
        if isinstance(tool, ir.FunctionTool):
            tool.strict = True


def enforce_choice(root: ir.Request, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
    """Make the choice one of validated calls where tools are strict, unless it requires a call or forbids it."""
    for tool in root.tools or ():
        if type(tool) is ir.FunctionTool and tool.strict:
            break
    else:
        return
    functions = [tool for tool in root.tools or () if type(tool) is ir.FunctionTool]
    choice = root.tool_choice
    model_decides = isinstance(choice, (ir.Choice, ir.AllowedChoice)) and choice.mode is ir.ChoiceMode.AUTO
    if choice is not None and not model_decides:
        for tool in functions:
            if tool.strict:
                report.at("SCH-15", tool, "strict")
                tool.strict = None
    else:
        if isinstance(choice, (ir.Choice, ir.AllowedChoice)):
            choice.mode = ir.ChoiceMode.VALIDATED
        else:
            root.tool_choice = ir.Choice(ir.ChoiceMode.VALIDATED, functions[0].src)
        several = sum(tool.strict is True for tool in functions) > 1  # the mode enforces all schemas, or none
        for tool in functions:
            if several or not tool.strict:
                report.at("SCH-14", tool, "strict")
            tool.strict = None


# --- cache breakpoints ------------------------------------------------------------------------------------------------
# The latest breakpoints stay, since they match the longest prompt (CAC-6). If no breakpoint may outlast an earlier one,
# the later one is shortened (CAC-7).


def limit_cache_breakpoints(
    root: ir.Request, constraints: Constraints, report: Report, options: Mapping[str, Any]
) -> None:
    """Remove the earliest breakpoints beyond the target's limit, and shorten those that outlast an earlier one."""
    automatic = root.caching is not None and bool(root.caching.automatic)  # a breakpoint too, after all others
    if report.facts.cache_breakpoints + automatic < 2:
        return
    holders: list[Any] = [tool for tool in root.tools or () if getattr(tool, "cache", None) is not None]
    holders += [part for turn in root.turns or () for part in _holders(turn.parts)]
    if constraints.breakpoints is not None:
        excess = max(len(holders) + automatic - constraints.breakpoints, 0)
        for holder in holders[:excess]:
            report.at("CAC-6", holder, "cache")
            holder.cache = None
        holders = holders[excess:]
    if constraints.outlasted is not None:
        marks = [(holder.cache, "ttl") for holder in holders]
        _shorten([*marks, (root.caching, "lifetime")] if automatic else marks, constraints.outlasted, report)


def _shorten(marks: list[tuple[Any, str]], default: int, report: Report) -> None:
    """Give each mark at most the lifetime of the one before it; `default` is that of a mark that states none."""
    most: int | None = None
    for mark, name in marks:
        lifetime: int = getattr(mark, name) or default
        if most is not None and lifetime > most:
            report.at("CAC-7", mark, name)
            setattr(mark, name, most)
        else:
            most = lifetime


def _holders(parts: list[ir.Part]) -> Iterator[Any]:
    """Yield the parts with a breakpoint in the order of the prompt, where a part's content comes before its end."""
    for part in parts:
        if isinstance(part, (ir.ToolResult, ir.SearchResult)):
            yield from _holders(part.parts)
        elif isinstance(part, ir.Document) and isinstance(part.source, ir.Chunks):
            yield from _holders(part.source.parts)
        if getattr(part, "cache", None) is not None:
            yield part
