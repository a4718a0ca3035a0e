"""Owns what a mutation is: a small change of a module's source that some test should notice.

Wire words, rule ids, comparisons, conditions, tuples of classes, entries of tables, calls, results, numbers. What is
not changed: annotations, documentation, prose (a text with a space), sources and dates, assertions, f-strings.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator

from attrs import frozen

Span = tuple[int, int]
"""Where a text stands, in bytes of the source."""
Change = tuple[str, Span, str]
"""The operator's name, what is replaced, and by what."""

COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
NO_CODE = {"annotation", "returns", "decorator_list"}
OPPOSITES = {"any": "all", "all": "any", "min": "max", "max": "min"}
RULE = re.compile(r"([A-Z][A-Z0-9]*-)(\d+)")
FACT = re.compile(r"https?://|\d{4}-\d\d-\d\d$")
"""A source, or the day on which it was read."""


@frozen
class Mutant:
    """One change of one module; offsets are bytes of its source, and `last` is the last line of what is changed."""

    path: str
    line: int
    last: int
    operator: str
    start: int
    end: int
    before: str
    after: str

    @property
    def name(self) -> str:
        return f"{self.path}:{self.line} {self.operator}: {_shortened(self.before)} -> {_shortened(self.after)}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """All mutants of a module, in the order of their places; some do not compile."""
    text = _Text(source)
    for operator, (start, end), after in sorted(set(_changes(ast.parse(source), text)), key=lambda one: one[1:]):
        before = source[start:end].decode()
        line = source.count(b"\n", 0, start) + 1
        yield Mutant(path, line, line + before.count("\n"), operator, start, end, before, after)


def compiles(source: bytes) -> bool:
    try:
        compile(source, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def in_function(source: bytes, line: int) -> bool:
    """Whether a line runs when a function is called, and not when its module is imported."""
    functions = (one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef))
    return any(one.body[0].lineno <= line <= (one.end_lineno or 0) for one in functions)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:57]}..."


class _Text:
    """A source, by the positions that its nodes give."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> Span:
        assert node.end_lineno and node.end_col_offset
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def between(self, left: ast.expr, right: ast.expr) -> Span:
        return self.span(left)[1], self.span(right)[0]

    def of(self, span: Span) -> str:
        return self.source[slice(*span)].decode()

    def word(self, span: Span, word: str) -> Span | None:
        """Where the word stands between two operands, with brackets at most; None where something else is there."""
        found = re.fullmatch(rf"([\s)\\]*)({word.replace(' ', chr(92) + 's+')})([\s(\\]*)", self.of(span))
        return found and (span[0] + found.start(2), span[0] + found.end(2))


# --- which nodes ------------------------------------------------------------------------------------------------------


def _changes(tree: ast.Module, text: _Text) -> Iterator[Change]:
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        for kind, operators in OPERATORS.items():
            if isinstance(node, kind):
                for operator in operators:
                    yield from operator(node, text)
        pending.extend(_inside(node))


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The children that are code: no annotation, parameter of a type, decorator, documentation or import for types."""
    if isinstance(node, ast.JoinedStr | ast.Assert) or _is_for_types(node):
        return
    for name, value in ast.iter_fields(node):
        if name in NO_CODE or (name == "slice" and isinstance(value, ast.Tuple)):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_documentation(child):
                yield child


def _is_for_types(node: ast.AST) -> bool:
    if isinstance(node, ast.If):
        return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "Literal"


def _is_documentation(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# --- operators --------------------------------------------------------------------------------------------------------


def _comparison(node: ast.Compare, text: _Text) -> Iterator[Change]:
    operands = [node.left, *node.comparators]
    for position, operator in enumerate(node.ops):
        old, new = COMPARISONS[type(operator)]
        place = text.word(text.between(operands[position], operands[position + 1]), old)
        if place:
            yield "comparison", place, new


def _boolean(node: ast.BoolOp, text: _Text) -> Iterator[Change]:
    old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        place = text.word(text.between(left, right), old)
        if place:
            yield "and, or", place, new


def _negation(node: ast.UnaryOp, text: _Text) -> Iterator[Change]:
    if isinstance(node.op, ast.Not):
        start, end = text.span(node)
        yield "not", (start, end), f"({text.of((start + len('not'), end)).strip()})"


def _condition(node: ast.If | ast.IfExp, text: _Text) -> Iterator[Change]:
    if not _is_for_types(node):
        for word in ("True", "False"):
            yield "condition", text.span(node.test), word


def _filter(node: ast.comprehension, text: _Text) -> Iterator[Change]:
    for condition in node.ifs:
        yield "condition", text.span(condition), "True"


def _loop(node: ast.While, text: _Text) -> Iterator[Change]:
    yield "condition", text.span(node.test), "False"


def _constant(node: ast.Constant, text: _Text) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", text.span(node), str(not value)
    elif isinstance(value, int):
        yield "constant", text.span(node), str(value + 1)
    elif isinstance(value, str) and " " not in value and not FACT.match(value):
        yield "word", text.span(node), repr(_other(value))


def _other(word: str) -> str:
    rule = RULE.fullmatch(word)
    return f"{rule[1]}{int(rule[2]) + 1}" if rule else f"{word}_"


def _result(node: ast.Return, text: _Text) -> Iterator[Change]:
    if node.value is not None and not isinstance(node.value, ast.Constant):
        yield "result", text.span(node.value), "None"


def _member(node: ast.Tuple | ast.List | ast.Set, text: _Text) -> Iterator[Change]:
    simple = all(isinstance(one, ast.Name | ast.Attribute | ast.Constant) for one in node.elts)
    if not simple or len(node.elts) < 2 or isinstance(getattr(node, "ctx", None), ast.Store):
        return
    for left, right in zip(node.elts, node.elts[1:], strict=False):
        yield "member", (text.span(left)[0], text.span(right)[0]), ""
    yield "member", text.span(node.elts[-1]), ""


def _entry(node: ast.Dict, text: _Text) -> Iterator[Change]:
    keys = node.keys
    for position, key in enumerate(keys):
        if key is None:
            continue
        following = keys[position + 1] if position + 1 < len(keys) else None
        if following is not None:
            yield "entry", (text.span(key)[0], text.span(following)[0]), ""
        elif position + 1 == len(keys):
            yield "entry", (text.span(key)[0], text.span(node.values[position])[1]), ""


def _arithmetic(node: ast.BinOp, text: _Text) -> Iterator[Change]:
    between = text.between(node.left, node.right)
    if isinstance(node.op, ast.Add) and text.of(between).strip() == "+":
        yield "operand", (between[0], text.span(node)[1]), ""
    elif isinstance(node.op, ast.Sub) and text.of(between).strip() == "-":
        yield "arithmetic", between, " + "


def _call(node: ast.Call, text: _Text) -> Iterator[Change]:
    if isinstance(node.func, ast.Name) and node.func.id in OPPOSITES:
        yield "function", text.span(node.func), OPPOSITES[node.func.id]
    for keyword in node.keywords:
        if keyword.arg is not None:
            yield "argument", text.span(keyword), ""


def _statement(node: ast.stmt, text: _Text) -> Iterator[Change]:
    yield "statement", text.span(node), "pass"


def _expression(node: ast.Expr, text: _Text) -> Iterator[Change]:
    if isinstance(node.value, ast.Call | ast.Yield | ast.YieldFrom | ast.Await):
        yield from _statement(node, text)


def _assignment(node: ast.Assign, text: _Text) -> Iterator[Change]:
    if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
        yield from _statement(node, text)


def _jump(node: ast.Break | ast.Continue, text: _Text) -> Iterator[Change]:
    yield "jump", text.span(node), "continue" if isinstance(node, ast.Break) else "break"


OPERATORS: dict[type[ast.AST], tuple[Callable[..., Iterator[Change]], ...]] = {
    ast.Compare: (_comparison,),
    ast.BoolOp: (_boolean,),
    ast.UnaryOp: (_negation,),
    ast.If: (_condition,),
    ast.IfExp: (_condition,),
    ast.comprehension: (_filter,),
    ast.While: (_loop,),
    ast.Constant: (_constant,),
    ast.Return: (_result,),
    ast.Tuple: (_member,),
    ast.List: (_member,),
    ast.Set: (_member,),
    ast.Dict: (_entry,),
    ast.BinOp: (_arithmetic,),
    ast.Call: (_call,),
    ast.Expr: (_expression,),
    ast.Assign: (_assignment,),
    ast.AugAssign: (_statement,),
    ast.Delete: (_statement,),
    ast.Break: (_jump,),
    ast.Continue: (_jump,),
}
"""The operators of each kind of node."""
