"""The capability matrix: what every target makes of every field and place of the IR, drawn from the tables."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, PLACES
from ..protocol.registry import backend, protocols
from ..targets.verdicts import Target, Verdict, all_shown, described, ok

YES = "yes"
NOWHERE = "—"
STATED = {True: YES, False: "no"}


def matrix(names: Sequence[str] = ()) -> str:
    """Return Markdown tables with a column for each protocol of `names`, or for all."""
    targets = [lacking_all(backend(name).target) for name in names or protocols()]
    lines = [
        "# What each target can represent",
        "",
        "Drawn from the target tables by `python -m proxai_ir.matrix`; a test keeps this file equal to them.",
        f"`{YES}`: supported unchanged. A rule id: reported under it, and dropped, or refused if the rule is an error;",
        "with `carried`, `filled in` or `approximated` a value arrives. A rule in brackets holds for some values only.",
        "`without`: for servers that lack this capability; `where`: for those of which a setting is what follows.",
        f"`{NOWHERE}`: cannot occur, as the target carries no such node.",
    ]
    lines += _table("Capabilities, and whether a server is assumed to have them", targets, _capability_rows(targets))
    lines += _table("Fields", targets, _field_rows(targets))
    for kind in ("request", "response"):
        lines += _table(f"What may stand where, in a {kind}", targets, _place_rows(targets, kind))
    return "\n".join(lines) + "\n"


def _table(title: str, targets: Sequence[Target], rows: list[list[str]]) -> list[str]:
    heads = ["", *(target.name for target in targets)]
    return ["", f"## {title}", "", _line(heads), _line(["---"] * len(heads)), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def lacking_all(target: Target) -> Target:
    """Return the table for a server without any capability, which shows all verdicts."""
    return target.having(all_shown(target.capabilities, has=False))


def _capability_rows(targets: Sequence[Target]) -> list[list[str]]:
    stated = [backend(target.name).target.capabilities for target in targets]
    names = sorted({name for one in stated for name in one})
    return [
        [name, *(str(STATED.get(one[name], one[name])) if name in one else NOWHERE for one in stated)] for name in names
    ]


def _field_rows(targets: Sequence[Target]) -> list[list[str]]:
    rows = []
    for cls in FEATURES:
        features = {attribute.name for attribute in attrs.fields(cls)} - BOOKKEEPING - set(CHILDREN.get(cls, ()))
        for name in sorted(features):
            cells = (_cell(on_field(target, cls, name)) for target in targets)
            rows += [[f"{cls.__name__}.{name}", *cells]]
    return rows


def _place_rows(targets: Sequence[Target], kind: str) -> list[list[str]]:
    return [
        [f"{cls.__name__} in {place}", *(_cell(on_place(target, kind, place, cls)) for target in targets)]
        for place, classes in PLACES.items()
        for cls in classes
    ]


Judged = list[tuple[Verdict, bool]]
"""Verdicts on one subject, in order, each with whether it holds for some values only."""


def on_field(target: Target, cls: type, name: str, kind: str = "") -> Judged | None:
    """Return the verdicts on a field, in payloads of one kind or all; None where the target carries no node of this
    class."""
    if cls not in target.fields:
        return None
    named = next((field.verdicts for field in target.fields[cls] if field.name == name), ())
    named = tuple(one for one in named if not kind or one[1].kind in ("", kind))
    found = [
        (one, bool(values is not None or one.when or one.elsewhere or (one.kind and not kind))) for values, one in named
    ]
    stated = any((one.rule is None or not partly) and not (one.without or one.where) for one, partly in found)
    return found if stated else [(ok(name), False), *found]


def on_place(target: Target, kind: str, place: str, cls: type) -> Judged | None:
    """Return the verdicts on a class in a place; None where the target carries no node that has this place."""
    if not target.holds(place):
        return None
    return [(one, one.when is not None) for one in target.places[kind][place][cls]]


HOW = {"notes": " carried", "fills": " filled in", "weaker": " approximated"}


def _cell(judged: Judged | None) -> str:
    if judged is None:
        return NOWHERE
    words: list[str] = []
    for verdict, partly in judged:
        word = YES if verdict.rule is None else verdict.rule + HOW.get(verdict.word, "")
        word = f"{word} without {verdict.without}" if verdict.without else word
        word = f"{word} where {described(verdict.where)}" if verdict.where else word
        word = f"{word} in requests" if verdict.kind else word
        word = f"[{word}]" if (partly or verdict.without or verdict.where) and verdict.rule is not None else word
        if word not in words:
            words.append(word)
    return ", ".join(words)
