"""PutGet on recordings: an edited tree comes back to its protocol as the payload with that edit and nothing else."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from proxai_ir import TranslationError
from proxai_ir.api import Kind

from ..edits import REFUSED, RIGHT, UNWRITABLE, verdict
from .shared import RECORDED, Tools, some

KINDS: tuple[Kind, ...] = ("request", "response")


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protocol", RECORDED)
def test_random_edits(tools: Tools, protocol: str, kind: Kind, count: int) -> None:
    """Of those that the protocol can represent, 99 of 100 as they are, and none with an exception."""
    found: Counter[str] = Counter()
    random = Random(f"{protocol} {kind}")
    for record in some(tools.records(protocol, kind), count):
        try:
            what, one = verdict(record.payload, protocol, kind, random)
        except TranslationError:  # a recording that is none of its protocol's
            continue
        found[one if one in (RIGHT, UNWRITABLE, REFUSED) else f"{what}: {one}"] += 1
    wrong = {what: number for what, number in found.items() if what not in (RIGHT, UNWRITABLE, REFUSED)}
    assert sum(wrong.values()) <= 1 + found.total() // 100, wrong
