"""The capability matrix: what every target makes of every field and place of the IR, drawn from the tables."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from ..ir.structure import BOOKKEEPING, CHILDREN, FEATURES, PLACES
from ..registry import backend, protocols
from .verdicts import Target, Verdict

YES = "yes"


def matrix(names: Sequence[str] = ()) -> str:
    """Markdown tables, a column for each protocol of `names` (all, where none is named)."""
    targets = [backend(name).target for name in names or protocols()]
    lines = [
        "# What each target can say",
        "",
        "Drawn from the target tables by `proxai-ir matrix`; a test keeps this file equal to them.",
        f"`{YES}`: carried as it is. A rule id: what happens instead; `weaker` is carried, but not as it was.",
        "A rule in brackets holds for some values only.",
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
    for field in target.fields[cls]:
        if field.name == name:
            partly = [values is not None or one.when is not None or one.elsewhere for values, one in field.verdicts]
            cell = _cell([(one, part) for (_, one), part in zip(field.verdicts, partly, strict=True)])
            return cell if YES in cell.split(", ") or not all(partly) else f"{YES}, {cell}"
    return YES


def _place_rows(targets: Sequence[Target], kind: str) -> list[list[str]]:
    rows = []
    for place, classes in PLACES.items():
        for cls in classes:
            verdicts = [target.places[kind][place][cls] for target in targets]
            cells = [_cell([(verdict, verdict.when is not None) for verdict in each]) for each in verdicts]
            rows.append([f"{cls.__name__} in {place}", *cells])
    return rows


def _cell(verdicts: Sequence[tuple[Verdict, bool]]) -> str:
    words: list[str] = []
    for verdict, partly in verdicts:
        word = YES if verdict.rule is None else verdict.rule + (" weaker" if verdict.word == "weaker" else "")
        word = f"[{word}]" if partly and verdict.rule is not None else word
        if word not in words:
            words.append(word)
    return ", ".join(words)
