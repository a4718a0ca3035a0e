"""The laws at every place of the rich payloads: one member left out, one that nobody knows added, and both at once.

This finds what random payloads seldom hit: shortcuts of readers that count an object's members instead of naming them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Diagnostic, Severity, TranslationError

from .equality import canonical
from .pointing import Path, exists, places, removed, replaced
from .samples import SAMPLES, Object, others

EXTRA = "zz_new"
IDS = [make.__name__ for _, _, make in SAMPLES]

CONSTANTS = {"type", "object", "role", "mode", "index", "name", "arguments"}
each_sample = pytest.mark.parametrize(("protocol", "kind", "make"), SAMPLES, ids=IDS)


def at(payload: Any, path: Path) -> Any:
    for key in path:
        payload = payload[key]
    return payload


def variants(payload: Object) -> Iterator[tuple[str, Object, str]]:
    """What was done, the payload after it, and the pointer of the added member ("" where none was)."""
    for path in places(payload):
        here = at(payload, path)
        if path and isinstance(path[-1], str):
            yield f"without {path}", removed(payload, path), ""
        if isinstance(here, dict):
            pointer = "".join(f"/{key}" for key in (*path, EXTRA))
            yield f"with {pointer}", replaced(payload, path, {**here, EXTRA: 1}), pointer
            for key in here:
                less = {name: value for name, value in here.items() if name != key}
                yield f"with {pointer}, without {key}", replaced(payload, path, {**less, EXTRA: 1}), pointer


def same(back: Any, payload: Any) -> bool:
    """Whether a payload came back; empty objects and absent constants are the work of test_gaps.py."""
    if isinstance(back, dict) and isinstance(payload, dict):
        added = {key for key in back.keys() - payload.keys() if key in CONSTANTS or back[key] == {}}
        gone = {key for key in payload.keys() - back.keys() if payload[key] == {}}
        return (back.keys() - added) == (payload.keys() - gone) and all(
            same(back[key], payload[key]) for key in back.keys() & payload.keys()
        )
    if isinstance(back, list) and isinstance(payload, list):
        return len(back) == len(payload) and all(map(same, back, payload))
    return bool(back == payload)


def lowered(payload: Object, protocol: str, kind: str) -> Any:
    try:
        return proxai_ir.lower(payload, protocol, kind=kind)
    except TranslationError:
        return None


@each_sample
def test_it_comes_back(protocol: str, kind: str, make: Callable[[], Object]) -> None:
    lost = [
        what
        for what, payload, _ in variants(make())
        if (node := lowered(payload, protocol, kind)) is not None
        and not same(canonical(proxai_ir.raise_to(node, protocol)), canonical(payload))
    ]
    assert lost == []


def tells(one: Diagnostic, pointer: str) -> bool:
    """Whether a diagnostic names this member, or the loss of what holds it; counts and echoes are named as wholes."""
    if one.path == pointer:
        return True
    holds = bool(one.path) and pointer.startswith(one.path + "/")
    return holds and (one.severity is Severity.LOSS or one.code in ("USE-4", "ENV-1"))


@each_sample
def test_what_nobody_knows_arrives_or_is_named(protocol: str, kind: str, make: Callable[[], Object]) -> None:
    silent = []
    for what, payload, pointer in variants(make()):
        for dst in others(protocol) if pointer else ():
            try:
                done = proxai_ir.compile(payload, protocol, dst, kind=kind)
            except TranslationError:
                continue
            if EXTRA not in repr(done.output) and not any(tells(one, pointer) for one in done.diagnostics):
                silent.append((what, dst))
    assert silent == []


@each_sample
def test_it_converts_or_says_why(protocol: str, kind: str, make: Callable[[], Object]) -> None:
    for what, payload, _ in variants(make()):
        for dst in others(protocol):
            for one in proxai_ir.check(payload, protocol, dst, kind=kind):
                assert exists(payload, one.path), f"{what} to {dst}: {one}"
