"""A tree back into its own protocol: unchanged it is the payload itself (GetPut), edited the payload with that edit and
nothing else (PutGet)."""

from __future__ import annotations

from random import Random

import proxai_ir

from ..cases import each
from ..edits import REFUSED, RIGHT, UNWRITABLE, verdict
from ..samples import Sample, samples

EDITS = 8
REWRITTEN = {  # legacy functions are listed as tools once one of them is another
    "openai_chat_completions request: own": {"change FunctionTool.parameters"},
}


@each("sample", samples("request", "response", "error"), ids=str)
def test_unchanged_a_tree_gives_the_payload_itself(sample: Sample) -> None:
    payload = sample.make()
    tree = proxai_ir.lower(payload, sample.protocol, kind=sample.kind)
    assert proxai_ir.raise_to(tree, sample.protocol) is payload


@each("sample", samples("request", "response"), ids=str)
def test_edited_a_tree_gives_the_payload_with_that_edit(sample: Sample) -> None:
    random = Random(str(sample))
    found = [verdict(sample.make(), sample.protocol, sample.kind, random) for _ in range(EDITS)]
    wrong = {what for what, one in found if one not in (RIGHT, UNWRITABLE, REFUSED)}
    assert wrong == REWRITTEN.get(str(sample), set())
