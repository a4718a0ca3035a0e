"""A signature that comes in several deltas of a stream is one, in the response that is folded, too (STR-28)."""

from __future__ import annotations

from typing import Any

import pytest

from proxai_ir.ir.parts import Reasoning
from proxai_ir.testing.streams import folded

from ..samples.anthropic_messages import building as anthropic
from ..samples.bedrock_converse import building as bedrock

PIECES = [("c2", "ln"), ("c2ln", "c2ln"), ("c2ln",), ("c", "2", "ln")]


def of_messages(pieces: tuple[str, ...]) -> list[Any]:
    deltas = [{"type": "signature_delta", "signature": one} for one in pieces]
    thought = {"type": "thinking_delta", "thinking": "Hm."}
    return anthropic.stream(anthropic.block({"type": "thinking", "thinking": "", "signature": ""}, thought, *deltas))


def of_converse(pieces: tuple[str, ...]) -> list[Any]:
    deltas = [bedrock.delta(reasoningContent={"signature": one}) for one in pieces]
    return bedrock.stream(bedrock.block(bedrock.delta(reasoningContent={"text": "Hm."}), *deltas))


MADE: dict[str, Any] = {"anthropic_messages": of_messages, "bedrock_converse": of_converse}


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("protocol", MADE)
def test_a_signature_is_whole(protocol: str, pieces: tuple[str, ...]) -> None:
    (candidate,) = folded(MADE[protocol](pieces), protocol).candidates
    (thought,) = candidate.parts
    assert isinstance(thought, Reasoning)
    assert (thought.text, thought.seal and thought.seal.data) == ("Hm.", "c2ln")
