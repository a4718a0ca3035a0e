"""A tree back into its own protocol: unchanged it is the payload itself (GetPut), edited the payload with that edit and
nothing else (PutGet)."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import proxai_ir
from proxai_ir import Severity, Unrepresentable
from proxai_ir.ir.parts import FileRef, FunctionCall, Text, Video
from proxai_ir.ir.request import Request, Role, Turn
from proxai_ir.ir.response import Response

from ..cases import each
from ..edits import REFUSED, RIGHT, UNWRITABLE, verdict
from ..samples import Sample, samples
from ..samples.openai_chat_completions import building as chat

CHAT, ANTHROPIC = "openai_chat_completions", "anthropic_messages"
EDITS = 8
TOOL = {"change FunctionTool.description", "change FunctionTool.parameters"}
REWRITTEN = {  # legacy functions are listed as tools once one of them is another; a message of nothing has no content
    "openai_chat_completions request: legacy functions": TOOL,
    "openai_chat_completions request: own": {*TOOL, "drop Turn.parts"},
    # calls without ids have their place's
    "ollama_chat request: tools": {"replace Request.turns", "drop Turn.parts"},
    "ollama_chat request: documented results": {"replace Request.turns", "drop Request.turns", "drop Turn.parts"},
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
    assert wrong <= REWRITTEN.get(str(sample), set())


def test_an_edit_that_cannot_be_written_does_not_give_the_unedited_payload() -> None:
    """Chat has the sum of all tokens, and nowhere another."""
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    tree = proxai_ir.lower(chat.response(content="Hi", usage=usage), CHAT, kind="response")
    assert isinstance(tree, Response)
    assert tree.usage is not None
    tree.usage.total = 99
    with pytest.raises(Unrepresentable, match="SHP-9"):
        proxai_ir.raise_to(tree, CHAT)


def test_an_edit_that_the_protocol_refuses_is_refused() -> None:
    tree = proxai_ir.lower(chat.request({"role": "user", "content": "Hi"}), CHAT)
    assert isinstance(tree, Request)
    assert tree.turns is not None
    tree.turns[0].parts.append(Video(FileRef("file_1")))
    with pytest.raises(Unrepresentable) as caught:
        proxai_ir.raise_to(tree, CHAT)
    assert {one.severity for one in caught.value.diagnostics} == {Severity.ERROR}


def test_what_only_the_source_has_stays_where_it_is() -> None:
    """An inserted turn leaves unknown members, forms and order as they are."""
    payload: Any = {
        "zz": 1,
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}], "mood": "glad"}],
        "model": "m",
        "stop": "END",
        "tools": [],
        "max_tokens": 9,
    }
    tree = proxai_ir.lower(payload, CHAT)
    assert isinstance(tree, Request)
    assert tree.turns is not None
    tree.turns.insert(0, Turn(Role.SYSTEM, [Text("Be brief.")]))
    tree.max_tokens = 10
    made = proxai_ir.raise_to(tree, CHAT)
    system = {"role": "system", "content": "Be brief."}
    assert made == {**payload, "messages": [system, *payload["messages"]], "max_tokens": 10}
    assert list(made) == list(payload)


def test_arguments_may_be_an_object_or_its_text() -> None:
    """A tree that is folded from events has them as text."""
    block = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}
    payload: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "assistant", "content": [block]}]}
    tree = proxai_ir.lower(payload, ANTHROPIC, kind="request")
    assert isinstance(tree, Request)
    assert tree.turns is not None
    call = tree.turns[0].parts[0]
    assert isinstance(call, FunctionCall)
    call.arguments = '{"a": 1}'
    assert proxai_ir.raise_to(tree, ANTHROPIC) == payload
    call.arguments = '{"a": 2}'
    made = proxai_ir.raise_to(tree, ANTHROPIC)
    assert made == {**payload, "messages": [{"role": "assistant", "content": [{**block, "input": {"a": 2}}]}]}
