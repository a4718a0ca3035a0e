"""The JSON form of the IR of every example: any change of how a frontend reads a payload shows here."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

import proxai_ir
from proxai_ir.ir import json_form as ir_json

from ..samples import Sample, samples


@pytest.mark.parametrize("sample", samples("request", "response", "error", dense=False), ids=str)
def test_the_ir(sample: Sample, snapshot: SnapshotAssertion) -> None:
    node = proxai_ir.lower(sample.make(), sample.protocol, kind=sample.kind)
    assert ir_json.dumps(node).decode() == snapshot
