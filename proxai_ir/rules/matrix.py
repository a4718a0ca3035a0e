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
    targets = [_lacking_all(backend(name).target) for name in names or protocols()]
    lines = [
        "# What each target can represent",
        "",
        "Drawn from the target tables by `proxai-ir matrix`; a test keeps this file equal to them.",
        f"`{YES}`: supported unchanged. A rule id: reported under it, and dropped, or refused if the rule is an error;",
        "with `carried`, `filled in` or `approximated` a value arrives. A rule in brackets holds for some values only.",
        "`without`: for servers that lack this capability.",
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


def _lacking_all(target: Target) -> Target:
    """The table for a server without any capability, which shows all verdicts."""
    return target.having(dict.fromkeys(target.capabilities, False))


def _capability_rows(targets: Sequence[Target]) -> list[list[str]]:
    stated = [backend(target.name).target.capabilities for target in targets]
    names = sorted({name for one in stated for name in one})
    return [[name, *((YES if one[name] else "no") if name in one else NOWHERE for one in stated)] for name in names]


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
            partly = [
                values is not None or one.when is not None or one.elsewhere or one.without
                for values, one in field.verdicts
            ]
            cell = _cell([(one, bool(part)) for (_, one), part in zip(field.verdicts, partly, strict=True)])
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
    verdicts = target.places[kind][place][cls]
    return _cell([(one, one.when is not None or bool(one.without)) for one in verdicts])


HOW = {"notes": " carried", "fills": " filled in", "weaker": " approximated"}


def _cell(verdicts: Sequence[tuple[Verdict, bool]]) -> str:
    words: list[str] = []
    for verdict, partly in verdicts:
        word = YES if verdict.rule is None else verdict.rule + HOW.get(verdict.word, "")
        word = f"{word} without {verdict.without}" if verdict.without else word
        word = f"[{word}]" if partly and verdict.rule is not None else word
        if word not in words:
            words.append(word)
    return ", ".join(words)
