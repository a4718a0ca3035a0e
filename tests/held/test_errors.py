"""Recorded error bodies: each goes to the other protocol with its message to the letter and a category that fits."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

import proxai_ir
from proxai_ir.ir.error import Error, ErrorCategory

from .shared import RECORDED, SHARED, Tools, recorded

CATEGORIES = {
    400: {ErrorCategory.INVALID_REQUEST},
    404: {ErrorCategory.NOT_FOUND},
    429: {ErrorCategory.RATE_LIMIT, ErrorCategory.BILLING},
}
"""What an HTTP status lets one expect."""


def statuses(tools: Tools, protocol: str) -> list[tuple[Any, int]]:
    """Every recorded error body with the HTTP status that came with it, which the loader leaves out."""
    path = SHARED / "corpus" / f"{protocol}.error.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        known = {record["id"]: record["status"] for record in map(json.loads, lines)}
    found = [(record.payload, known[record.id]) for record in tools.records(protocol, "error")]
    assert len(found) == len(known) > 0
    return found


FAILED = recorded("error")
"""The protocols of which errors were recorded: the servers of others have a body as theirs, or none was kept."""
UNTYPED = frozenset({"message", "id"})
"""All that a body has where the type of the error stands in a header, or the HTTP status is all there is."""


def body(payload: Any) -> Any:
    """What tells the error: within `error`, or at the top."""
    return payload.get("error", payload)


def other(protocol: str) -> str:
    """One whose error bodies name a category; those of some leave it to the HTTP status."""
    return next(one for one in RECORDED if one != protocol)


MORE_EXACT = {"model_not_found": ErrorCategory.NOT_FOUND}
"""Codes that are more exact than the status, which is 400 on some paths and 404 on others."""


@pytest.mark.parametrize("protocol", FAILED)
def test_the_message_arrives_to_the_letter(tools: Tools, protocol: str) -> None:
    for payload, _ in statuses(tools, protocol):
        made = proxai_ir.compile(payload, protocol, other(protocol))
        assert made.kind == "error"
        error = body(payload)
        raw = str((error.get("metadata") or {}).get("raw") or "")  # what a router was answered, in words or as JSON
        said = body(made.output)["message"]
        assert said in (error["message"], raw) or said in raw


@pytest.mark.parametrize("protocol", FAILED)
@pytest.mark.parametrize("known", [True, False], ids=["status given", "no status"])
def test_the_category_fits_the_status(tools: Tools, protocol: str, known: bool) -> None:
    for payload, status in statuses(tools, protocol):
        if not known and UNTYPED.issuperset(payload):
            continue
        options: dict[str, Any] = {"status": status} if known else {}
        made = proxai_ir.convert(payload, protocol, other(protocol), kind="error", **options)
        node = proxai_ir.lower(made, other(protocol), kind="error")
        assert isinstance(node, Error)
        named = MORE_EXACT.get(body(payload).get("code"))
        assert node.category in CATEGORIES[status] or node.category is named, payload


@pytest.mark.parametrize("protocol", FAILED)
def test_there_and_back_message_and_category_are_the_same(tools: Tools, protocol: str) -> None:
    for payload, _ in statuses(tools, protocol):
        there = proxai_ir.convert(payload, protocol, other(protocol), kind="error")
        back = proxai_ir.lower(
            proxai_ir.convert(there, other(protocol), protocol, kind="error"), protocol, kind="error"
        )
        first = proxai_ir.lower(payload, protocol, kind="error")
        assert isinstance(first, Error) and isinstance(back, Error)
        assert back.message == first.message
        assert back.category == first.category or UNTYPED.issuperset(payload)


@pytest.mark.parametrize("protocol", FAILED)
def test_a_body_comes_back(tools: Tools, protocol: str) -> None:
    for payload, _ in statuses(tools, protocol):
        back = proxai_ir.raise_to(proxai_ir.lower(payload, protocol, kind="error"), protocol)
        assert tools.scoreboard.normal(back) == tools.scoreboard.normal(payload)
