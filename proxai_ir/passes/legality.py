"""Judge a tree by the target's table and make it legal: what the target lacks is dropped, approximated or refused.

The plan of a target is drawn from its table and written out as code when it is first used; then run the checks of the
table, and what counts over a whole request: strict tools and cache breakpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..ir.error import Error
from ..ir.node import Cache, Seal
from ..ir.parts import (
    Audio,
    Chunks,
    ClientCall,
    CodeCall,
    CodeResult,
    CustomCall,
    Document,
    FunctionCall,
    HostedCall,
    HostedResult,
    Image,
    McpCall,
    McpResult,
    Part,
    SearchResult,
    ToolResult,
    VendorPart,
    Video,
    WebSearchCall,
    WebSearchResult,
)
from ..ir.request import Request, Role, Turn
from ..ir.response import Candidate, Response
from ..ir.structure import CHILDREN, KEYED, PLACE_OF, held_class, is_list
from ..ir.tools import AllowedChoice, Choice, ChoiceMode, FunctionTool, ToolChoice, allowed
from ..json.codegen import compiled
from ..reporting.diagnostics import Refusal
from ..reporting.report import Report
from ..targets.constraints import Constraints
from ..targets.settings import Server
from ..targets.verdicts import DROPS, NOT_CARRIED, By, Field, Fields, Target, Verdict

# --- checking ---------------------------------------------------------------------------------------------------------
# The checks of a target's table, written out as code: each runs only where the tree gives reason for it.


def checks_of(cls: type, target: Target) -> Callable[..., None]:
    """Return all checks of one class, each only where there is one of the fields or nodes that it needs."""
    lines = ["def check(root, report, server):", "    met = report.facts.met"]
    scope: dict[str, Any] = {}
    for number, check in enumerate(one for one in target.active if one.about is cls):
        scope |= {f"check_{number}": check.run, f"given_{number}": check.given}
        present = [f"root.{name} is not None" for name in check.needs]
        guard = " or ".join([*present, *(f"root.{name} is None" for name in check.lacks)])
        if check.given:
            guard = f"met and not met.isdisjoint(given_{number})" + (f" and ({guard})" if guard else "")
        call = f"check_{number}(root, report, server)"
        lines += [f"    if {guard}:", f"        {call}"] if guard else [f"    {call}"]
    made: Callable[..., None] = compiled(f"checks of {cls.__name__} for {target.name}", lines, scope)
    return made


# --- plan -------------------------------------------------------------------------------------------------------------
# How one target judges a tree, drawn from its table and written out as code when it is first used.
#
# Rule 1: judging changes nothing; what a verdict does is noted in a Judgement and applied when all is judged, so that
# no
# condition depends on the order of fields. Rule 2: what is dropped is not visited any further.
#
# Most of a visit is looking at slots that are None, and most of the rest is finding that a value is legal: as code
# that
# costs a third of what a loop over names and verdicts does.


LINKED = (FunctionCall, CustomCall, ClientCall, ToolResult)
EXECUTED = (
    WebSearchCall,
    WebSearchResult,
    McpCall,
    McpResult,
    CodeCall,
    CodeResult,
    HostedCall,
    HostedResult,
    VendorPart,
)
MEDIA = (Image, Audio, Video)
ROOTS = (Request, Response, Error)


class Judgement:
    """What verdicts do to a tree, before it is done.

    rewrites  (node, field, rewrite); no rewrite: the field becomes None
    edits     (list of nodes, node, rewrite); no rewrite: the node is dropped from the list
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
        """Do it, in place. What a rewrite refuses is reported."""
        for node, name, by in self.rewrites:
            if by is None:
                setattr(node, name, None)
            else:
                self._rewrite(node, name, by)
        for node in self.extended:
            node.extra = None
        if self.edits:
            self._edit()

    def _rewrite(self, node: Any, name: str, by: By) -> None:
        try:
            made = by(node)
        except Refusal as refusal:
            self._refused(refusal)
            return
        for field, value in made.items() if type(made) is Fields else ((name, made),):
            setattr(node, field, value)

    def _edit(self) -> None:
        """Every list once, whatever becomes of how many of its nodes."""
        changes: dict[int, tuple[list[Any], dict[int, list[Any]]]] = {}
        for nodes, node, by in self.edits:
            instead = changes.setdefault(id(nodes), (nodes, {}))[1]
            instead[id(node)] = [] if by is None else self._replaced(node, by)
        for nodes, instead in changes.values():
            nodes[:] = [made for node in nodes for made in instead.get(id(node), (node,))]
            self.facts.emptied = self.facts.emptied or not nodes

    def _replaced(self, node: Any, by: By) -> list[Any]:
        try:
            made = by(node)
        except Refusal as refusal:
            self._refused(refusal)
            return [node]
        return made if type(made) is list else [made]

    def _refused(self, refusal: Refusal) -> None:
        place = self.report.place
        self.report.records += [(rule, place(*where), detail) for rule, where, detail in refusal.records]


Visit = Callable[[Judgement, Any], None]
Table = Mapping[type, tuple[Visit, "tuple[Verdict, ...] | None"]]


def plan_of(target: Target, kind: str) -> Plan:
    """How a target judges requests or responses (errors are responses)."""
    plan: Plan | None = target.plans.get(kind)
    if plan is None:
        plan = target.plans[kind] = Plan(target, kind)
    return plan


class Plan:
    """
    of      class -> visit: judges a node and all below it
    inside  place -> class -> visit, and the verdicts on the class there unless it is simply legal
    turn    role -> what stands in a turn of that role, None where such turns are refused, and the judgement of the role
            itself where there is one
    checks  root class, and Candidate -> a function that runs the checks of that class which the node gives reason for
    whole   root class -> the same for the whole tree: a response with its candidates
    """

    def __init__(self, target: Target, kind: str) -> None:
        self.checks: dict[type, Callable[..., None]] = {cls: checks_of(cls, target) for cls in (*ROOTS, Candidate)}
        self.whole = {**self.checks, Response: self._check_response}
        scope: dict[str, Any] = {"extended": _extended, "among": among, "only": only, "turns": self.turns}
        name = f"{target.name} {kind}"
        self.of: dict[type, Visit] = {}
        self.inside: dict[str, Table] = {}
        for place in target.places[kind]:
            self.inside[place] = scope[_named(place)] = {}
        for cls in target.fields:  # one scope for all, since classes hold one another
            visit = compiled(f"judge of {cls.__name__} for {name}", _visit(cls, target, kind, scope), scope)
            self.of[cls] = scope[f"visit_{cls.__name__}"] = visit
        for place, table in target.places[kind].items():
            rows: dict[type, Any] = self.inside[place]  # type: ignore[assignment]
            for cls, verdicts in table.items():
                legal = verdicts[0].rule is None and verdicts[0].when is None and verdicts[0].by is None
                rows[cls] = (self.of.get(cls, _unreached), None if legal else verdicts)
        judged = [field for field in target.fields[Turn] if field.name == "role"]
        tables = {role: self.inside[place] if role.value in target.roles else None for role, place in PLACE_OF.items()}
        asked = {one for check in target.active for one in check.given}
        self.turn = {role: (tables[role], _role(role, judged, name, met=role in asked)) for role in Role}

    def _check_response(self, response: Response, report: Report, server: Server) -> None:
        for candidate in response.candidates:
            self.checks[Candidate](candidate, report, server)
        self.checks[Response](response, report, server)

    def turns(self, out: Judgement, turns: list[Turn]) -> None:
        by_role = self.turn
        for turn in turns:
            table, role = by_role[turn.role]
            if role is not None:
                role(out, turn)
            if turn.extra is not None or turn.name is not None or turn.settings is not None:
                self.of[Turn](out, turn)
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
    """Judge nodes of a list that stand in a place."""
    for node in nodes:
        visit, verdicts = table[type(node)]
        if verdicts is None or not _ends(out, node, verdicts, nodes):
            visit(out, node)


def only(out: Judgement, holder: Any, name: str, node: Any, table: Table) -> None:
    """Judge the one node that a field holds, standing in a place."""
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
    """The first verdict that holds."""
    for verdict in verdicts:
        if verdict.when is None or verdict.when(node):
            return verdict
    raise AssertionError  # a table without a last word refuses to load


def _ends(out: Judgement, node: Any, verdicts: tuple[Verdict, ...], nodes: list[Any]) -> bool:
    """Note what becomes of a node in its list, and whether that is all there is to judge about it."""
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


# --- visits, written out as code --------------------------------------------------------------------------------------


def _visit(cls: type, target: Target, kind: str, scope: dict[str, Any]) -> list[str]:
    """Return a function that looks at extra fields, judged fields and fields with nodes, and acts on those that are
    there."""
    fields = [field for field in target.fields[cls] if _here(field) and (cls, field.name) != (Turn, "role")]
    judged = {field.name: field.of_kind(kind) for field in fields}
    below = {name: place for name, place in CHILDREN.get(cls, {}).items() if place != "role"}
    lines = ["def visit(out, node):"]
    if cls in LINKED:
        lines.append("    out.facts.linked = True")
    if cls is Cache:
        lines.append("    out.facts.cache_breakpoints += 1")
    if any(cls in check.given for check in target.active):
        scope[cls.__name__] = cls
        lines.append(f"    out.facts.add_met({cls.__name__})")
    lines += ["    pass"] if target.open else ["    if node.extra is not None:", "        extended(out, node)"]
    sealed = any(Seal in check.given for check in target.active)
    for name in {**judged, **below}:
        further = _further(cls, name, below[name]) if name in below else []
        if name == "seal" and sealed:
            scope["Seal"] = Seal
            further = ["out.facts.add_met(Seal)"]
        filled, act = _judging(judged[name], scope, cls, further) if name in judged else ([], further)
        if act:
            lines += [f"    if (value := node.{name}) is not None:", *_indented(_indented(act))]
        if filled:
            lines += ["    else:" if act else f"    if node.{name} is None:", *_indented(_indented(filled))]
    return lines


def _here(field: Field) -> bool:
    return not all(verdict.elsewhere for _, verdict in field.verdicts)


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _further(cls: type, name: str, place: str) -> list[str]:
    """Go on to the nodes that a field holds: one, or a list; those of a place are held against its table."""
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
    """What to do where the field is absent, and where it is present: the first verdict that holds counts.

    Nodes in the field are visited where the target gets them.
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
        tests += [f"when_{name}(node)"] if verdict.when is not None else []
        if not tests:
            return filled, [*lines, "else:", *_indented(act)] if lines and act else lines or act
        lines += [f"{'elif' if lines else 'if'} {' and '.join(tests)}:", *_indented(act or ["pass"])]
    return filled, [*lines, "else:", *_indented(further)] if further and lines else lines or further


def _judging_keys(field: Field, scope: dict[str, Any], cls: type) -> list[str]:
    """Judge a mapping key by key: verdicts name keys that are legal, and the last one is about all others."""
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


def _role(role: Role, judged: list[Field], name: str, *, met: bool) -> Visit | None:
    """Return the judgement of a role, unless it is legal for every turn and no check asks for it (`met`)."""
    scope: dict[str, Any] = {}
    verdicts = [verdict for field in judged for values, verdict in field.verdicts if values is None or role in values]
    act = _judging(judged[0], scope, Turn, [])[1] if verdicts and verdicts[0].rule is not None else []
    act += ["out.facts.add_met(value)"] if met else []
    if not act:
        return None
    lines = ["def judge(out, node):", "    value = node.role", *_indented(act)]
    judge: Visit = compiled(f"judge of turns of {role.value} for {name}", lines, scope)
    return judge


def _extended(out: Judgement, node: Any) -> None:
    out.extended.append(node)
    out.report.extra_fields(node)


# --- strictness -------------------------------------------------------------------------------------------------------
# Strict tools, which some protocols enforce tool by tool and others by the choice among them (SCH-10, SCH-14).
#
# Rule: the strictest that the target has stands for what the source asks; what is left of it the table judges.


def enforces_tools(constraints: Constraints) -> bool:
    return constraints.enforces == "tool"


def enforces_choices(constraints: Constraints) -> bool:
    return constraints.enforces == "choice"


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


def enforce_choice(root: Request, _: Constraints, report: Report, __: Mapping[str, Any]) -> None:
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
    else:
        _validate(root, functions, report)


def _is_open(choice: ToolChoice | None) -> bool:
    """Return whether a choice leaves it to the model whether it calls a tool."""
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


# --- cache breakpoints ------------------------------------------------------------------------------------------------
# How many cache breakpoints a request may have, and how long each may last.
#
# Rule 1: the latest breakpoints stay, since they match the longest prompt (CAC-6). Rule 2: where no breakpoint may
# last
# longer than an earlier one, the later one is shortened (CAC-7).


def needed(constraints: Constraints) -> bool:
    return constraints.breakpoints is not None or constraints.outlasted is not None


def limit_cache_breakpoints(
    root: Request, constraints: Constraints, report: Report, options: Mapping[str, Any]
) -> None:
    """Remove the earliest of more breakpoints than the target takes, and shorten what outlasts an earlier one."""
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
    """Give each mark at most the lifetime of the one before it. `default`: the lifetime of a mark without one."""
    most: int | None = None
    for mark, name in marks:
        lifetime: int = getattr(mark, name) or default
        if most is not None and lifetime > most:
            report.at("CAC-7", mark, name)
            setattr(mark, name, most)
        else:
            most = lifetime


def _holders(parts: list[Part]) -> Iterator[Any]:
    """Yield the parts with a breakpoint, in the order of the prompt: what is inside a part comes before its end."""
    for part in parts:
        if isinstance(part, (ToolResult, SearchResult)):
            yield from _holders(part.parts)
        elif isinstance(part, Document) and isinstance(part.source, Chunks):
            yield from _holders(part.source.parts)
        if getattr(part, "cache", None) is not None:
            yield part
