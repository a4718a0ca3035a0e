"""Streams and whole answers are the same thing in two forms (STR-11): folded, unfolded, converted in either order.

Recorded streams are compared with what the official clients make of them, all others with `gathering`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given

import proxai_ir
from proxai_ir import TranslationError
from proxai_ir.ir import parts
from proxai_ir.ir.error import Error, ErrorCategory
from proxai_ir.ir.logprobs import LogProbs, ScoredToken
from proxai_ir.ir.node import Extra, Seal
from proxai_ir.ir.response import Candidate, Response
from proxai_ir.ir.terminal import StopReason, Terminal
from proxai_ir.ir.turns import Role, Turn
from proxai_ir.ir.usage import Usage
from proxai_ir.streaming.aggregate import fold, unfold
from proxai_ir.streaming.events import (
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
    Stream,
    UnmappedFields,
    UsageReported,
)
from proxai_ir.streaming.grammar import Grammar

from ..held.shared import PAIRS, RESPONSES, Tools
from ..held.shared import PROTOCOLS as ALL
from . import wire
from .feeding import fed
from .gathering import argued, said, whole
from .recordings import accumulated, core, off, streams
from .specimens import SPECIMENS, anthropic_refusal, anthropic_talk, chat_refusal, chat_talk
from .strategies import QUICK, STREAMS, THOROUGH
from .wire import ANTHROPIC, CHAT, PROTOCOLS, Events, Object, other

# --- by hand ----------------------------------------------------------------------------------------------------------


def answer(*said: Any, usage: Usage | None = None, **candidate: Any) -> Response:
    """An answer of one candidate with these parts."""
    ended = Candidate([Turn(Role.ASSISTANT, list(said))], Terminal(StopReason.END, "end_turn"), **candidate)
    return Response(ANTHROPIC, "m1", "claude", [ended], usage)


ANSWERS = {
    "text": answer(parts.Text("Hi")),
    "nothing": answer(usage=Usage(1, output=2)),
    "all sorts": answer(
        parts.Reasoning("Hm.", Seal("anthropic", "signature", "EqQB")),
        parts.Text("Hi", [parts.UrlCitation("https://example.org/", None)]),
        parts.FunctionCall("c1", "sky", {"city": "Oslo"}),
        parts.FunctionCall("c2", "sky", '{"city": "Oslo"}'),
        usage=Usage(1, output=2),
    ),
    "log probabilities": answer(parts.Text("Hi"), logprobs=LogProbs([ScoredToken("Hi", -0.5)])),
    "several": Response(
        CHAT,
        "m1",
        "gpt",
        [Candidate([Turn(Role.ASSISTANT, [parts.Text(words)])], Terminal(StopReason.END, "stop")) for words in "ab"],
    ),
    "what only its own protocol says of it": answer(parts.Text("Hi"), extra=Extra({"new_field": 1})),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_unfolded_and_folded(name: str) -> None:
    assert fold(unfold(ANSWERS[name])) == ANSWERS[name]


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_unfolded_obeys_the_grammar(name: str) -> None:
    grammar = Grammar()
    for event in unfold(ANSWERS[name]):
        grammar(event)
    assert grammar.over()


def test_a_stream_of_pieces_folded() -> None:
    envelope = Response(ANTHROPIC, "m1", "claude", [], Usage(9, output=1))
    seal = Seal("anthropic", "signature", "EqQB")
    citation = parts.UrlCitation("https://example.org/", None)
    given: list[Event] = [
        Started(envelope),
        PartOpened(0, parts.Reasoning("")),
        PartOpened(1, parts.FunctionCall("c1", "sky", "")),
        PartGrew(0, "H"),
        PartGrew(1, '{"city":'),
        PartGrew(0, "m."),
        PartSealed(0, seal),
        PartGrew(1, '"Oslo"}'),
        PartClosed(1),
        PartClosed(0),
        UnmappedFields("Ping", Extra({"type": "ping"})),
        PartOpened(5, parts.Text("R")),
        PartCited(5, citation),
        PartGrew(5, "ain."),
        PartClosed(5),
        Ended(Terminal(StopReason.TOOL_CALLS, "tool_use")),
        UsageReported(Usage(output=7)),
        Completed(),
    ]
    said: list[parts.Part] = [
        parts.Reasoning("Hm.", seal),
        parts.FunctionCall("c1", "sky", '{"city":"Oslo"}'),
        parts.Text("Rain.", [citation]),
    ]
    ended = Candidate([Turn(Role.ASSISTANT, said)], Terminal(StopReason.TOOL_CALLS, "tool_use"))
    assert fold(given) == Response(ANTHROPIC, "m1", "claude", [ended], Usage(9, output=7))
    assert envelope == Response(ANTHROPIC, "m1", "claude", [], Usage(9, output=1))
    assert given[1] == PartOpened(0, parts.Reasoning(""))


def test_a_stream_without_a_start_is_no_answer() -> None:
    with pytest.raises(ValueError, match="start"):
        fold([Failed(Error(ANTHROPIC, ErrorCategory.SERVER, "No."))])


def test_the_texts_of_a_refusal() -> None:
    """What the ending makes of them (REF-4)."""
    events = wire.messages(wire.text("I must", " not."), stop="refusal")
    (candidate,) = folded(events, ANTHROPIC).candidates
    assert candidate.turns[0].parts == [parts.Refusal("I must not.")]


# --- recorded ---------------------------------------------------------------------------------------------------------


def folded(events: Events, protocol: str) -> Response:
    """The answer that the IR of a stream makes."""
    stream = proxai_ir.lower(events, protocol, kind="stream")
    assert isinstance(stream, Stream)
    return fold(flat(stream.steps))


def flat(steps: Iterable[Iterable[Event]]) -> list[Event]:
    return [event for step in steps for event in step]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_recorded_answers_unfolded_and_folded(tools: Tools, protocol: str) -> None:
    for record in tools.records(protocol, "response"):
        node = proxai_ir.lower(record.payload, protocol, kind="response")
        assert isinstance(node, Response)
        assert fold(unfold(node)) == node, record.id


def test_items_unfolded_and_folded_are_the_parts_of_one_turn(tools: Tools) -> None:
    """Events know parts, and no items; where items are turns of their own they come back joined."""
    for record in tools.records(RESPONSES, "response"):
        node = proxai_ir.lower(record.payload, RESPONSES, kind="response")
        if isinstance(node, Response):
            (candidate,), (again,) = node.candidates, fold(unfold(node)).candidates
            assert again.parts == candidate.parts, record.id
            assert again.terminal == candidate.terminal


@pytest.mark.parametrize("protocol", ALL)
def test_recorded_streams_fold_to_what_the_official_client_has(tools: Tools, protocol: str) -> None:
    compared = 0
    for name, events in streams(tools, protocol).items():
        if off(tools, protocol, name):
            continue
        again = proxai_ir.raise_to(folded(events, protocol), protocol)
        expected = accumulated(tools, protocol, events)
        if expected is None:  # it failed, and there is no answer
            continue
        assert core(tools, protocol, again) == core(tools, protocol, expected), name
        compared += 1
    assert compared > 30


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_recorded_streams_read_again_fold_to_the_same(tools: Tools, src: str, dst: str) -> None:
    """What is converted, read in the target's protocol and folded, says what the source's fold converts to."""
    for name, events in streams(tools, src).items():
        done = fed(events, src, dst)
        if done.error is not None or off(tools, src, name):
            continue
        there = proxai_ir.raise_to(folded(done.out, dst), dst)
        here = proxai_ir.raise_to(folded(events, src), dst)
        assert core(tools, dst, there) == core(tools, dst, here), name


# --- converted in either order ----------------------------------------------------------------------------------------


def agree(events: Events, src: str, dst: str) -> None:
    """Converted and put together, or put together and converted: the same, or refused for the same reason.

    Where the refusal became known too late (REF-6) the wording is the content. Blank text between other things is lost
    in a stream, and told (PLC-9); in a whole answer it is part of the text.
    """
    done = fed(events, src, dst)
    if done.rule() == "STR-5":  # what only whole answers can say
        return
    try:
        conversion = proxai_ir.compile(whole(src, events), src, dst, kind="response")
    except TranslationError as error:
        assert done.rule() == error.rule
        return
    if conversion.kind == "error":  # the answer failed (STS-9), and perhaps held what the target cannot say
        assert done.error is not None or wire.is_error(dst, done.out[-1])
        return
    assert done.error is None
    found, expected = said(dst, whole(dst, done.out)), said(dst, conversion.output)
    told = {one.code for one in done.diagnostics}
    if "REF-6" in told and dst == ANTHROPIC:  # where text is the wording, and only whole answers quote it once more
        expected["ending"] = found["ending"]
    elif "REF-6" in told:
        assert not found.get("refusal")
        assert found["text"] == expected["refusal"]
        expected |= {"text": found["text"], "refusal": found["refusal"], "cited": found["cited"]}
    if "PLC-9" in told:
        found["text"], expected["text"] = ("".join(one["text"].split()) for one in (found, expected))
    assert found == expected


TALKS = (anthropic_talk, anthropic_refusal, chat_talk, chat_refusal)
"""The specimens that are no errors and of which `gathering` knows all."""


@pytest.mark.parametrize(("src", "make"), [one for one in SPECIMENS if one[1] in TALKS])
def test_specimens_agree(src: str, make: Callable[[], Events]) -> None:
    agree(make(), src, other(src))


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_generated_streams_agree(src: str, dst: str) -> None:
    QUICK(given(STREAMS[src])(lambda events: agree(events, src, dst)))()


@pytest.mark.slow
@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_generated_streams_agree_thoroughly(src: str, dst: str) -> None:
    THOROUGH(given(STREAMS[src])(lambda events: agree(events, src, dst)))()


def folds_agree(events: Events, src: str, dst: str) -> None:
    """The same, by the library's own fold on both sides; citations aside, which a delta of their own does not place."""
    done = fed(events, src, dst)
    if done.error is not None or {"REF-6", "PLC-9"} & {one.code for one in done.diagnostics}:
        return
    if wire.is_error(dst, done.out[-1]):  # an answer that failed is none
        return
    there: Object = proxai_ir.raise_to(folded(done.out, dst), dst)
    here: Object = proxai_ir.raise_to(folded(events, src), dst)
    found, expected = said(dst, there), said(dst, here)
    assert {**found, "cited": None} == {**expected, "cited": None}


@pytest.mark.parametrize(("src", "dst"), PAIRS)
def test_generated_streams_fold_alike(src: str, dst: str) -> None:
    QUICK(given(STREAMS[src])(lambda events: folds_agree(events, src, dst)))()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_generated_streams_fold_to_what_they_say(protocol: str) -> None:
    """Read and folded, without any conversion."""

    def law(events: Events) -> None:
        again, expected = proxai_ir.raise_to(folded(events, protocol), protocol), whole(protocol, events)
        if protocol == CHAT:
            again, expected = argued(again), argued(expected)
        assert said(protocol, again) == said(protocol, expected)

    QUICK(given(STREAMS[protocol])(law))()
