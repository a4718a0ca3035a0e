"""What is left once blank text is dropped is never less than the target takes (PLC-27, PLC-80): results of tools, and
messages with documents, from every protocol to every target that demands a text, and in relays for a server."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import Profile
from proxai_ir.ir.parts import Document, Text, ToolResult
from proxai_ir.protocol.registry import backend

from ..cases import each
from ..samples import PROTOCOLS
from ..samples.openai_chat_completions import building as chat
from ..samples.sample import Json

CHAT, ANTHROPIC, CONVERSE = "openai_chat_completions", "anthropic_messages", "bedrock_converse"
DEMANDING = tuple(one for one in PROTOCOLS if backend(one).constraints.worded_results is not None)
BLANK = ("", " ", "\n\t ", None)


def given(src: str, words: str | None, failed: bool) -> Json:
    """A request with a result of nothing but these words; `None`: of no part at all."""
    called = chat.assistant(None, tool_calls=[chat.call("look")])
    asked = chat.request(chat.user("Look."), called, chat.result("gone"), tools=[chat.tool("look")])
    tree = proxai_ir.lower(asked, CHAT, kind="request")
    made = proxai_ir.raise_to(tree, src)
    tree = proxai_ir.lower(made, src, kind="request")
    (result,) = (part for turn in tree.turns or () for part in turn.parts if isinstance(part, ToolResult))
    result.parts = [] if words is None else [Text(words, src=result.src)]
    if failed and src in (ANTHROPIC, CONVERSE, "gemini_generate_content", "gemini_interactions"):
        result.is_error = True
    written: Json = proxai_ir.raise_to(tree, src)
    return written


def results(request: Json, protocol: str) -> list[ToolResult]:
    tree = proxai_ir.lower(request, protocol, kind="request")
    return [part for turn in tree.turns or () for part in turn.parts if isinstance(part, ToolResult)]


def test_the_targets_are_those_that_are_known() -> None:
    assert set(DEMANDING) == {ANTHROPIC, CONVERSE}


@each("failed", [True, False], ids=["failed", "done"])
@each("words", BLANK, ids=repr)
@each("dst", DEMANDING)
@each("src", PROTOCOLS)
def test_a_result_keeps_a_word(src: str, dst: str, words: str | None, failed: bool) -> None:
    asked = given(src, words, failed)
    for server in (Profile(dst, prefill=True),) if src == dst else (Profile(dst), Profile(dst, prefill=True)):
        made = proxai_ir.compile(asked, src, server, kind="request", model="m")
        (result,) = results(made.output, dst)
        demanded = bool(result.is_error) or backend(dst).constraints.worded_results == "all"
        said = "".join(part.text for part in result.parts if isinstance(part, Text))
        blank_relay = src == dst and bool(words)  # which its own server gets as it is
        assert said.strip() or not demanded or blank_relay, (server, made.output)
        assert demanded or "PLC-27" not in [one.rule for one in made.diagnostics]


DOCUMENT: Json = {"type": "file", "file": {"filename": "Tides", "file_data": "data:application/pdf;base64,JVBERi0="}}


@pytest.mark.parametrize("beside", [[], [""], [" \n"], ["", " "]], ids=repr)
@pytest.mark.parametrize("src", [CHAT, "openai_responses", ANTHROPIC, "gemini_generate_content", "gemini_interactions"])
def test_a_document_keeps_a_text(src: str, beside: list[str]) -> None:
    asked = chat.request(chat.user([*({"type": "text", "text": one} for one in beside), DOCUMENT]))
    payload: Any = asked
    if src != CHAT:
        tree = proxai_ir.lower(asked, CHAT, kind="request")
        payload = proxai_ir.raise_to(tree, src)
    made = proxai_ir.convert(payload, src, CONVERSE, kind="request", model="m")
    turns = proxai_ir.lower(made, CONVERSE, kind="request").turns or []
    (turn,) = turns
    assert [type(part) for part in turn.parts] in ([Document, Text], [Text, Document])
    assert all(part.text.strip() for part in turn.parts if isinstance(part, Text))


def test_a_document_needs_no_text_of_its_own_where_the_message_before_has_one() -> None:
    """Neighbours of one role become one message first (PLC-5)."""
    asked = chat.request(chat.user("Read it."), chat.user([DOCUMENT]))
    made = proxai_ir.compile(asked, CHAT, CONVERSE, kind="request")
    assert "PLC-80" not in [one.rule for one in made.diagnostics]
    assert len(made.output["messages"]) == 1
