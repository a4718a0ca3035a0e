"""Whatever a request says of thinking, for whatever model: what is written is of the official types of the target, so
that no object lacks a member that it needs."""

from __future__ import annotations

import json

import pytest

from ..profiles.test_thinking import written
from .shared import RECORDED, Tools

NAMED = {"bedrock_converse": "modelId"}
"""The member that names the model, where it is not `model`."""


@pytest.mark.parametrize("protocol", RECORDED)
def test_settings_of_thinking_are_of_the_official_types(tools: Tools, protocol: str) -> None:
    oracle = tools.scoreboard.oracle
    distinct = {json.dumps(made, sort_keys=True): (what, made) for what, made in written(protocol)}
    failed: dict[str, str] = {}
    for what, made in distinct.values():
        for problem in oracle.errors(oracle.check_request(protocol, {NAMED.get(protocol, "model"): "m", **made})):
            failed.setdefault(f"{problem.pointer} {problem.message}", what)
    assert failed == {}
