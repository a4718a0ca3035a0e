"""Streams of Gemini Interactions whose events say more than they must, in the order that they have."""

from __future__ import annotations

import pytest

import proxai_ir

from ..samples.gemini_interactions import building
from ..samples.sample import Json

INTERACTIONS, RESPONSES = "gemini_interactions", "openai_responses"

NOTE: Json = {"type": "url_citation", "url": "https://e.com/", "title": "T", "start_index": 9, "end_index": 14}
"""Of bytes: "Olé né " has two characters of two bytes."""


@pytest.mark.parametrize("more", [{}, {"event_id": "e"}], ids=["short", "with an id"])
def test_a_citation_counts_the_bytes_of_all_pieces_before_it(more: Json) -> None:
    cited = {"type": "text_annotation_delta", "annotations": [NOTE]}
    step = building.step({"type": "model_output"}, building.text("Olé né "), building.text("there."), cited)
    events = [one if one == "[DONE]" else {**one, **more} for one in building.stream(step)]
    made = proxai_ir.convert(events, INTERACTIONS, RESPONSES, kind="stream")
    (note,) = (one["annotation"] for one in made if one["type"] == "response.output_text.annotation.added")
    assert "Olé né there."[note["start_index"] : note["end_index"]] == "there"


def test_of_a_delta_of_arguments_only_what_is_unknown_is_named() -> None:
    call = {"type": "function_call", "id": "c1", "name": "sky", "arguments": {}}
    step = building.step(call, {"type": "arguments_delta", "arguments": '{"at": 7}', "odd": 1})
    found = proxai_ir.check(building.stream(step), INTERACTIONS, RESPONSES, kind="stream")
    assert [one.path for one in found if one.rule.startswith("UNK")] == ["/3/delta/odd"]


def test_arguments_that_come_twice_are_refused_where_they_come_again() -> None:
    call = {"type": "function_call", "id": "c1", "name": "sky", "arguments": {"at": 7}}
    step = building.step(call, {"type": "arguments_delta", "arguments": '{"at": 7}'})
    with pytest.raises(proxai_ir.StreamError) as caught:
        proxai_ir.convert(building.stream(step), INTERACTIONS, RESPONSES, kind="stream")
    assert (caught.value.rule, caught.value.path) == ("STR-9", "/3/delta/arguments")
