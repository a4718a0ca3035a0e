"""Streams and whole responses are the same thing in two forms (STR-11): IR events folded, responses unfolded."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.request import Role, Turn
from proxai_ir.ir.response import Candidate, LogProbs, Response, ScoredToken, StopReason, Terminal, Usage
from proxai_ir.ir.stream.aggregate import fold, unfold
from proxai_ir.ir.stream.events import (
    Completed,
    Ended,
    Event,
    Failed,
    PartCited,
    PartClosed,
    PartGrew,
    PartOpened,
    PartSealed,
    Started,
    UnmappedFields,
    UsageReported,
)
from proxai_ir.ir.stream.grammar import Grammar
from proxai_ir.testing.streams import folded

from ..samples.anthropic_messages import building as anthropic

ANTHROPIC, CHAT = "anthropic_messages", "openai_chat_completions"


def response(*content: Any, usage: Usage | None = None, **candidate: Any) -> Response:
    """A response of one candidate with these parts."""
    ended = Candidate([Turn(Role.ASSISTANT, list(content))], Terminal(StopReason.END, "end_turn"), **candidate)
    return Response(ANTHROPIC, "m1", "claude", [ended], usage)


RESPONSES = {
    "text": response(ir.Text("Hi")),
    "nothing": response(usage=Usage(1, output=2)),
    "all sorts": response(
        ir.Reasoning("Hm.", Seal("anthropic", "signature", "EqQB")),
        ir.Text("Hi", [ir.UrlCitation("https://example.org/", None)]),
        ir.FunctionCall("c1", "sky", {"city": "Oslo"}),
        ir.FunctionCall("c2", "sky", '{"city": "Oslo"}'),
        usage=Usage(1, output=2),
    ),
    "log probabilities": response(ir.Text("Hi"), logprobs=LogProbs([ScoredToken("Hi", -0.5)])),
    "several": Response(
        CHAT,
        "m1",
        "gpt",
        [Candidate([Turn(Role.ASSISTANT, [ir.Text(text)])], Terminal(StopReason.END, "stop")) for text in "ab"],
    ),
    "unmapped fields": response(ir.Text("Hi"), extra=Extra({"new_field": 1})),
}


@pytest.mark.parametrize("name", RESPONSES)
def test_a_response_unfolded_and_folded(name: str) -> None:
    assert fold(unfold(RESPONSES[name])) == RESPONSES[name]


@pytest.mark.parametrize("name", RESPONSES)
def test_what_is_unfolded_obeys_the_grammar(name: str) -> None:
    grammar = Grammar()
    for event in unfold(RESPONSES[name]):
        grammar(event)
    assert grammar.over()


def test_a_stream_of_pieces_folded() -> None:
    envelope = Response(ANTHROPIC, "m1", "claude", [], Usage(9, output=1))
    seal = Seal("anthropic", "signature", "EqQB")
    citation = ir.UrlCitation("https://example.org/", None)
    given: list[Event] = [
        Started(envelope),
        PartOpened(0, ir.Reasoning("")),
        PartOpened(1, ir.FunctionCall("c1", "sky", "")),
        PartGrew(0, "H"),
        PartGrew(1, '{"city":'),
        PartGrew(0, "m."),
        PartSealed(0, seal),
        PartGrew(1, '"Oslo"}'),
        PartClosed(1),
        PartClosed(0),
        UnmappedFields("Ping", Extra({"type": "ping"})),
        PartOpened(5, ir.Text("R")),
        PartCited(5, citation),
        PartGrew(5, "ain."),
        PartClosed(5),
        Ended(Terminal(StopReason.TOOL_CALLS, "tool_use")),
        UsageReported(Usage(output=7)),
        Completed(),
    ]
    whole: list[ir.Part] = [
        ir.Reasoning("Hm.", seal),
        ir.FunctionCall("c1", "sky", '{"city":"Oslo"}'),
        ir.Text("Rain.", [citation]),
    ]
    ended = Candidate([Turn(Role.ASSISTANT, whole)], Terminal(StopReason.TOOL_CALLS, "tool_use"))
    assert fold(given) == Response(ANTHROPIC, "m1", "claude", [ended], Usage(9, output=7))
    assert envelope == Response(ANTHROPIC, "m1", "claude", [], Usage(9, output=1))
    assert given[1] == PartOpened(0, ir.Reasoning(""))


def test_a_stream_without_a_start_is_no_response() -> None:
    with pytest.raises(ValueError, match="start"):
        fold([Failed(Error(ANTHROPIC, ErrorCategory.SERVER, "No."))])


def test_the_texts_of_a_refusal() -> None:
    """What the ending makes of them (REF-4)."""
    events = anthropic.stream(anthropic.text_block("I must", " not."), stop="refusal")
    (candidate,) = folded(events, ANTHROPIC).candidates
    assert candidate.turns[0].parts == [ir.Refusal("I must not.")]


def test_a_count_that_contradicts_others_does_so_until_it_is_reported_again() -> None:
    """Less output than reasoning is kept as it was, until another report has it (USE-2)."""
    contradictory = {"input_tokens": 9, "output_tokens": 0, "output_tokens_details": {"thinking_tokens": 5}}
    final = {"output_tokens": 12, "output_tokens_details": {"thinking_tokens": 8}}
    _, *rest = anthropic.stream(anthropic.text_block("Hi"), usage=final)
    whole = proxai_ir.raise_to(folded([anthropic.message_start(contradictory), *rest], ANTHROPIC), ANTHROPIC)
    assert whole["usage"] == {"input_tokens": 9, **final}
