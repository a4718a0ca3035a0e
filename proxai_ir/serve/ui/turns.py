"""A session's turns: what changed from one request to the next, and what the model said.

Rule: nothing here raises for what a payload holds, and what is shown is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import proxai_ir

from ...ir.parts import FunctionCall, Text
from ...ir.structure import nodes
from ...json.merge import ABSENT, Change, differences
from ...reporting.diagnostics import ROOT, TranslationError
from ...storage.payloads import kind_of_response, read, whole_of
from ...storage.records import Record

MOST, LONGEST = 40, 400
"""Changes and texts of one turn, and characters of each."""


class Turn(NamedTuple):
    """`changes`: None of a first one; their values are JSON, or empty where there is none."""

    changes: list[Change] | None
    said: list[str]


def turn(record: Record, before: Record | None) -> Turn:
    return Turn(changed(before, record), list(islice(said(record), MOST)))


def changed(before: Record | None, after: Record) -> list[Change] | None:
    """What changed from one request of a client to the next."""
    if before is None or before.request is None or after.request is None:
        return None
    was, now = (read(payload, after.client)[0] for payload in (before.request, after.request))
    try:
        found = list(islice(differences(was, now), MOST))
    except RecursionError:
        return None
    return [Change(one.path or ROOT, _short(one.was), _short(one.now)) for one in found]


def said(record: Record) -> Iterator[str]:
    """The texts and calls of the response, assembled."""
    data, kind = record.upstream_response, kind_of_response(record)
    if data is None or kind == "error":
        return
    try:
        whole: Any = whole_of(data, record.provider) if kind == "stream" else read(data, record.provider)[0]
        response = proxai_ir.lower(whole, record.provider, kind="response")
    except TranslationError:
        return
    for node in nodes(response):
        if isinstance(node, Text):
            yield _cut(node.text)
        elif isinstance(node, FunctionCall):
            yield f"{node.name}({node.arguments if isinstance(node.arguments, str) else _short(node.arguments)})"


def _short(value: Any) -> str:
    return "" if value is ABSENT else _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
