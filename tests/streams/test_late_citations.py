"""Citations that come after their text was closed: carried where the target takes them, else named (CIT-1)."""

from __future__ import annotations

from typing import Any

import pytest

import proxai_ir
from proxai_ir import ir
from proxai_ir.ir.response import Response, StopReason, Terminal
from proxai_ir.ir.stream import events
from proxai_ir.ir.stream.aggregate import fold
from proxai_ir.ir.stream.grammar import Grammar, OutOfOrder
from proxai_ir.testing.payloads import canonical

from ..samples.openai_chat_completions import building as chat
from ..samples.openai_responses import building as responses
from ..samples.sample import Events, Json

ANTHROPIC, CHAT, RESPONSES = "anthropic_messages", "openai_chat_completions", "openai_responses"

URL = "https://example.org/"
CITED: Json = {"url": URL, "title": "T", "start_index": 0, "end_index": 2}
CALL = chat.fragment(0, "{}", "c1", "sky")


def chunks(**cited: Any) -> Events:
    """A text, a call, and an ending that cites the text."""
    last = chat.chunk({"annotations": [{"type": "url_citation", "url_citation": {**CITED, **cited}}]}, "tool_calls")
    return [chat.chunk({"role": "assistant", "content": "Hi"}), chat.chunk({"tool_calls": [CALL]}), last, chat.DONE]


def items() -> Events:
    """A text that only its item, when it is done, cites."""
    where = {"output_index": 0, "item_id": "msg_1", "content_index": 0}
    text = responses.output_text("Hi")
    done = responses.message(responses.output_text("Hi", {"type": "url_citation", **CITED}), id="msg_1")
    return [
        responses.created(),
        responses.added(responses.message(id="msg_1")),
        {"type": "response.content_part.added", **where, "part": responses.output_text("")},
        {"type": "response.output_text.delta", **where, "delta": "Hi"},
        {"type": "response.content_part.done", **where, "part": text},
        responses.done(done),
        responses.ended(done),
    ]


def found(events: Events, source: str, target: str) -> list[tuple[str, str]]:
    made = proxai_ir.compile(events, source, target, kind="stream").diagnostics
    return [(one.code, one.path) for one in made if one.code in ("CIT-1", "STR-16")]


@pytest.mark.parametrize("target", [ANTHROPIC, RESPONSES])
def test_a_target_that_has_sent_the_text_names_it(target: str) -> None:
    place = "/2/choices/0/delta/annotations/0"
    assert found(chunks(), CHAT, target) == [("CIT-1", place)]


def test_a_late_citation_without_a_span_stays_with_its_protocol() -> None:
    events = chunks(start_index=None)
    assert [code for code, _ in found(events, CHAT, RESPONSES)] == ["CIT-1"]
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(events, CHAT), CHAT)) == canonical(events)


@pytest.mark.parametrize(("payload", "source"), [(chunks(), CHAT), (items(), RESPONSES)], ids=["chat", "responses"])
def test_late_citations_come_back_in_their_own_protocol(payload: Events, source: str) -> None:
    assert canonical(proxai_ir.raise_to(proxai_ir.lower(payload, source), source)) == canonical(payload)


def test_chunks_carry_what_an_item_adds_when_it_is_done() -> None:
    made = proxai_ir.convert(items(), RESPONSES, CHAT)
    deltas = [choice["delta"] for event in made if event != chat.DONE for choice in event["choices"]]
    (notes,) = (delta["annotations"] for delta in deltas if "annotations" in delta)
    assert notes == [{"type": "url_citation", "url_citation": CITED}]
    assert found(items(), RESPONSES, CHAT) == []
    assert found(items(), RESPONSES, ANTHROPIC) == [("CIT-1", "/5/item/content/0/annotations/0")]


# --- the events -------------------------------------------------------------------------------------------------------

BEGUN: list[Any] = [
    events.Started(Response(None, "r1", "m", [])),
    events.PartOpened(0, ir.Text("Hi")),
    events.PartClosed(0),
]
LATE = events.PartCited(0, ir.UrlCitation(URL, None, None, 0, 2))
ENDED = events.Ended(Terminal(StopReason.END, "stop"))


def test_a_closed_text_may_be_cited_until_its_candidate_ends() -> None:
    grammar = Grammar()
    for event in (*BEGUN, LATE, ENDED):
        grammar(event)
    with pytest.raises(OutOfOrder, match="after the stop reason"):
        grammar(LATE)


def test_a_citation_of_no_part_is_out_of_order() -> None:
    grammar = Grammar()
    grammar(BEGUN[0])
    with pytest.raises(OutOfOrder, match=r"a citation of part .0., which"):
        grammar(LATE)


def test_a_late_citation_stands_with_its_text() -> None:
    (text,) = fold([*BEGUN, LATE, ENDED]).candidates[0].parts
    assert text == ir.Text("Hi", [ir.UrlCitation(URL, None, None, 0, 2)])


def test_a_cited_text_that_came_whole_is_no_other_one_when_it_is_repeated() -> None:
    done = responses.message(responses.output_text("Hi", {"type": "url_citation", **CITED}), id="msg_1")
    events = [responses.created(), responses.done(done), responses.ended(done)]
    made = proxai_ir.compile(events, RESPONSES, CHAT, kind="stream")
    assert [one.rule for one in made.diagnostics if one.severity == "loss"] == []
    notes = [one["choices"][0]["delta"].get("annotations") for one in made.output[:-1] if one["choices"]]
    assert [one for one in notes if one] == [[{"type": "url_citation", "url_citation": CITED}]]
