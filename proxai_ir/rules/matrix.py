"""The capability matrix: what every target makes of every field and place of the IR, drawn from the tables."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, PLACES
from ..registry import backend, protocols
from .verdicts import Target, Verdict

YES = "yes"
NOWHERE = "—"


def matrix(names: Sequence[str] = ()) -> str:
    """Markdown tables, a column for each protocol of `names` (all, where none is named)."""
    targets = [backend(name).target for name in names or protocols()]
    lines = [
        "# What each target can represent",
        "",
        "Drawn from the target tables by `proxai-ir matrix`; a test keeps this file equal to them.",
        f"`{YES}`: supported unchanged. A rule id: reported under it, and dropped, or refused if the rule is an error;",
        "with `carried`, `filled in` or `approximated` a value arrives. A rule in brackets holds for some values only.",
        f"`{NOWHERE}`: cannot occur, as the target carries no such node.",
    ]
    lines += _table("Fields", targets, _field_rows(targets))
    for kind in ("request", "response"):
        lines += _table(f"What may stand where, in a {kind}", targets, _place_rows(targets, kind))
    return "\n".join(lines) + "\n"


def _table(title: str, targets: Sequence[Target], rows: list[list[str]]) -> list[str]:
    heads = ["", *(target.name for target in targets)]
    return ["", f"## {title}", "", _line(heads), _line(["---"] * len(heads)), *map(_line, rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _field_rows(targets: Sequence[Target]) -> list[list[str]]:
    rows = []
    for cls in FEATURES:
        features = {attribute.name for attribute in attrs.fields(cls)} - BOOKKEEPING - set(CHILDREN.get(cls, ()))
        for name in sorted(features):
            rows += [[f"{cls.__name__}.{name}", *(_field(target, cls, name) for target in targets)]]
    return rows


def _field(target: Target, cls: type, name: str) -> str:
    if cls not in target.fields:
        return NOWHERE
    for field in target.fields[cls]:
        if field.name == name:
            partly = [values is not None or one.when is not None or one.elsewhere for values, one in field.verdicts]
            cell = _cell([(one, part) for (_, one), part in zip(field.verdicts, partly, strict=True)])
            return cell if YES in cell.split(", ") or not all(partly) else f"{YES}, {cell}"
    return YES


def _place_rows(targets: Sequence[Target], kind: str) -> list[list[str]]:
    return [
        [f"{cls.__name__} in {place}", *(_standing(target, kind, place, cls) for target in targets)]
        for place, classes in PLACES.items()
        for cls in classes
    ]


def _standing(target: Target, kind: str, place: str, cls: type) -> str:
    if not target.holds(place):
        return NOWHERE
    return _cell([(verdict, verdict.when is not None) for verdict in target.places[kind][place][cls]])


HOW = {"notes": " carried", "fills": " filled in", "weaker": " approximated"}


def _cell(verdicts: Sequence[tuple[Verdict, bool]]) -> str:
    words: list[str] = []
    for verdict, partly in verdicts:
        word = YES if verdict.rule is None else verdict.rule + HOW.get(verdict.word, "")
        word = f"[{word}]" if partly and verdict.rule is not None else word
        if word not in words:
            words.append(word)
    return ", ".join(words)
