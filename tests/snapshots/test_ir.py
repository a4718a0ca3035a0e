"""The JSON form of the IR of every payload: any change of what a frontend understands shows here."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import proxai_ir
from proxai_ir import ir_json as ir_json

from .payloads import SAMPLES


@pytest.mark.parametrize("name", SAMPLES)
def test_what_is_understood(name: str, snapshot: SnapshotAssertion) -> None:
    sample = SAMPLES[name]
    node = proxai_ir.lower(sample.payload, sample.protocol, kind=sample.kind)
    assert ir_json.dumps(node).decode() == snapshot


@pytest.mark.parametrize("name", SAMPLES)
def test_the_json_form_is_enough_to_come_home(name: str) -> None:
    """Nulls say nothing; all else is there again."""
    sample = SAMPLES[name]
    node = ir_json.loads(ir_json.dumps(proxai_ir.lower(sample.payload, sample.protocol, kind=sample.kind)))
    assert without_nulls(proxai_ir.raise_to(node, sample.protocol)) == without_nulls(sample.payload)


def without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
